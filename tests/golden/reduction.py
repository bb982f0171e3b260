# torch 2.13

# case: sum of all f32
def case(x):
    device = x.device
    x = with_layout(x, (8192, 8192), (8192, 1))
    reduce = torch.empty_strided((1, 1), (1, 1), dtype=torch.float32, device=device)
    partial = torch.empty_strided((1, 4096), (4096, 1), dtype=torch.float32, device=device)
    arrived = counters(1, device)
    sum[(4096,)](x, partial, reduce, arrived, num_warps=32, enable_fp_fusion=False)
    del partial
    sum_1 = reduce.as_strided((), (), reduce.storage_offset())
    return (sum_1,)


@triton.jit
def sum(x_ptr, partial_ptr, reduce_out_ptr, arrived_ptr):  # 1 row(s) of 16384 kept in registers; the last of 4096 adds up; what it reads leaves the cache first
    q = tl.program_id(0)
    r = tl.arange(0, 16384)
    x = tl.load(x_ptr + (q * 16384 + r), eviction_policy="evict_first")
    t = tl.sum(x, axis=0)
    tl.store(partial_ptr + q, t)
    if lib.is_last(arrived_ptr, 4096):
        r_1 = tl.arange(0, 4096)
        t_1 = tl.load(partial_ptr + r_1)
        reduce = tl.sum(t_1, axis=0)
        tl.store(reduce_out_ptr, reduce)


# case: sum of rows f32
def case(x):
    device = x.device
    x = with_layout(x, (8192, 8192), (8192, 1))
    reduce = torch.empty_strided((8192, 1), (1, 1), dtype=torch.float32, device=device)
    sum[(8192,)](x, reduce, num_warps=32, enable_fp_fusion=False)
    sum_1 = reduce.as_strided((8192,), (1,), reduce.storage_offset())
    return (sum_1,)


@triton.jit
def sum(x_ptr, reduce_out_ptr):  # 1 row(s) of 8192 kept in registers; what it reads leaves the cache first
    p = tl.program_id(0)
    r = tl.arange(0, 8192)
    x = tl.load(x_ptr + (p * 8192 + r), eviction_policy="evict_first")
    reduce = tl.sum(x, axis=0)
    tl.store(reduce_out_ptr + p, reduce)


# case: sum of long rows f32 64x4194304
def case(x):
    device = x.device
    x = with_layout(x, (64, 4194304), (4194304, 1))
    reduce = torch.empty_strided((64, 1), (1, 1), dtype=torch.float32, device=device)
    partial = torch.empty_strided((64, 64), (64, 1), dtype=torch.float32, device=device)
    arrived = counters(64, device)
    sum[(4096,)](x, partial, reduce, arrived, num_warps=8, enable_fp_fusion=False)
    del partial
    sum_1 = reduce.as_strided((64,), (1,), reduce.storage_offset())
    return (sum_1,)


@triton.jit
def sum(x_ptr, partial_ptr, reduce_out_ptr, arrived_ptr):  # a row of 65536, more than 16384: looped by 8192; the last of 64 adds up
    q = tl.program_id(0)
    r = tl.arange(0, 8192)
    acc = tl.full((8192,), 0.0, tl.float32)
    acc_1 = acc
    for r_start in range(0, 65536, 8192):
        x = tl.load(x_ptr + (q * 65536 + (r_start + r)))
        acc_1 = acc_1 + x
    t = tl.sum(acc_1, axis=0)
    tl.store(partial_ptr + q, t)
    if lib.is_last(arrived_ptr + (q // 64), 64):
        r_1 = tl.arange(0, 64)
        t_1 = tl.load(partial_ptr + (r_1 + (q // 64) * 64))
        reduce = tl.sum(t_1, axis=0)
        tl.store(reduce_out_ptr + (q // 64), reduce)


# case: sum of short rows f32 4194304x32
def case(x):
    device = x.device
    x = with_layout(x, (4194304, 32), (32, 1))
    reduce = torch.empty_strided((4194304, 1), (1, 1), dtype=torch.float32, device=device)
    sum[(131072,)](x, reduce, num_warps=1, enable_fp_fusion=False)
    sum_1 = reduce.as_strided((4194304,), (1,), reduce.storage_offset())
    return (sum_1,)


@triton.jit
def sum(x_ptr, reduce_out_ptr):  # 32 row(s) of 32 kept in registers; what it reads leaves the cache first
    pid = tl.program_id(0)
    lanes = tl.arange(0, 32)[:, None]
    p = pid * 32 + lanes
    r = tl.arange(0, 32)[None, :]
    x = tl.load(x_ptr + (p * 32 + r), eviction_policy="evict_first")
    reduce = tl.sum(x, axis=1, keep_dims=True)
    tl.store(reduce_out_ptr + p, reduce)


# case: sum of columns f32
def case(x):
    device = x.device
    x = with_layout(x, (8192, 8192), (8192, 1))
    reduce = torch.empty_strided((1, 8192), (8192, 1), dtype=torch.float32, device=device)
    partial = torch.empty_strided((8192, 4), (4, 1), dtype=torch.float32, device=device)
    arrived = counters(8192, device)
    sum[(512,)](x, partial, reduce, arrived, num_warps=4, enable_fp_fusion=False, maxnreg=248)
    del partial
    sum_1 = reduce.as_strided((8192,), (1,), reduce.storage_offset())
    return (sum_1,)


@triton.jit
def sum(x_ptr, partial_ptr, reduce_out_ptr, arrived_ptr):  # reduces down columns of memory: 64 of them side by side, 64 deep; the last of 4 adds up
    pid = tl.program_id(0)
    lanes = tl.arange(0, 64)[:, None]
    r = tl.arange(0, 64)[None, :]
    acc = tl.full((64, 64), 0.0, tl.float32)
    base = (pid // 128) * 16777216 + (pid % 128) * 64
    acc_1 = acc
    for r_start in tl.range(0, 2048, 64, num_stages=3):
        x = tl.load(x_ptr + (base + (r_start + r) * 8192 + lanes))
        acc_1 = acc_1 + x
    t = tl.sum(acc_1, axis=1, keep_dims=True)
    tl.store(partial_ptr + (((pid // 128) + (pid % 128) * 256) + lanes * 4), t)
    if lib.is_last(arrived_ptr + ((pid % 128) * 64), 4):
        r_1 = tl.arange(0, 4)[None, :]
        t_1 = tl.load(partial_ptr + (r_1 + lanes * 4 + (pid % 128) * 256))
        reduce = tl.sum(t_1, axis=1, keep_dims=True)
        tl.store(reduce_out_ptr + (lanes + (pid % 128) * 64), reduce)


# case: sum of columns bf16
def case(x):
    device = x.device
    x = with_layout(x, (65536, 4096), (4096, 1))
    cast = torch.empty_strided((1, 4096), (4096, 1), dtype=torch.bfloat16, device=device)
    partial = torch.empty_strided((4096, 16), (16, 1), dtype=torch.float32, device=device)
    arrived = counters(4096, device)
    sum[(512,)](x, partial, cast, arrived, num_warps=4, enable_fp_fusion=False, maxnreg=248)
    del partial
    sum_1 = cast.as_strided((4096,), (1,), cast.storage_offset())
    return (sum_1,)


@triton.jit
def sum(x_ptr, partial_ptr, cast_out_ptr, arrived_ptr):  # reduces down columns of memory: 128 of them side by side, 32 deep; the last of 16 adds up
    pid = tl.program_id(0)
    lanes = tl.arange(0, 128)[:, None]
    r = tl.arange(0, 32)[None, :]
    acc = tl.full((128, 32), 0.0, tl.float32)
    base = (pid // 32) * 16777216 + (pid % 32) * 128
    acc_1 = acc
    for r_start in tl.range(0, 4096, 32, num_stages=3):
        x = tl.load(x_ptr + (base + (r_start + r) * 4096 + lanes))
        cast = x.to(tl.float32)
        acc_1 = acc_1 + cast
    t = tl.sum(acc_1, axis=1, keep_dims=True)
    tl.store(partial_ptr + (((pid // 32) + (pid % 32) * 2048) + lanes * 16), t)
    if lib.is_last(arrived_ptr + ((pid % 32) * 128), 16):
        r_1 = tl.arange(0, 16)[None, :]
        t_1 = tl.load(partial_ptr + (r_1 + lanes * 16 + (pid % 32) * 2048))
        reduce = tl.sum(t_1, axis=1, keep_dims=True)
        tl.store(cast_out_ptr + (lanes + (pid % 32) * 128), reduce.to(tl.bfloat16))


# case: sum of the middle axis f32
def case(x):
    device = x.device
    x = with_layout(x, (256, 1024, 512), (524288, 512, 1))
    reduce = torch.empty_strided((256, 1, 512), (512, 512, 1), dtype=torch.float32, device=device)
    sum[(2048,)](x, reduce, num_warps=4, enable_fp_fusion=False, maxnreg=248)
    sum_1 = reduce.as_strided((256, 512), (512, 1), reduce.storage_offset())
    return (sum_1,)


@triton.jit
def sum(x_ptr, reduce_out_ptr):  # reduces down columns of memory: 64 of them side by side, 64 deep
    pid = tl.program_id(0)
    lanes = tl.arange(0, 64)[:, None]
    r = tl.arange(0, 64)[None, :]
    acc = tl.full((64, 64), 0.0, tl.float32)
    base = (pid // 8) * 524288 + (pid % 8) * 64
    acc_1 = acc
    for r_start in range(0, 1024, 64):
        x = tl.load(x_ptr + (base + (r_start + r) * 512 + lanes))
        acc_1 = acc_1 + x
    reduce = tl.sum(acc_1, axis=1, keep_dims=True)
    tl.store(reduce_out_ptr + ((pid * 64 + lanes)), reduce)


# case: mean over height and width bf16
def case(x):
    device = x.device
    x = with_layout(x, (128, 512, 28, 28), (401408, 784, 28, 1))
    cast = torch.empty_strided((128, 512, 1, 1), (512, 1, 1, 1), dtype=torch.bfloat16, device=device)
    sum_div[(32768,)](x, cast, num_warps=1, enable_fp_fusion=False)
    mean = cast.as_strided((128, 512), (512, 1), cast.storage_offset())
    return (mean,)


@triton.jit
def sum_div(x_ptr, cast_out_ptr):  # 2 row(s) of 784 kept in registers; what it reads leaves the cache first
    pid = tl.program_id(0)
    lanes = tl.arange(0, 2)[:, None]
    p = pid * 2 + lanes
    r = tl.arange(0, 1024)[None, :]
    x = tl.load(x_ptr + (p * 784 + r), mask=r < 784, other=0, eviction_policy="evict_first")
    cast = x.to(tl.float32)
    reduce = tl.sum(cast, axis=1, keep_dims=True)
    div = tl.div_rn(reduce, tl.full((2, 1), 784.0, tl.float32))
    tl.store(cast_out_ptr + p, div.to(tl.bfloat16))


# case: mean((x-t)^2) f32
def case(x, t):
    device = x.device
    x = with_layout(x, (8192, 8192), (8192, 1))
    t = with_layout(t, (8192, 8192), (8192, 1))
    div = torch.empty_strided((1, 1), (1, 1), dtype=torch.float32, device=device)
    partial = torch.empty_strided((1, 1024), (1024, 1), dtype=torch.float32, device=device)
    arrived = counters(1, device)
    sub_mul_sum[(1024,)](x, t, partial, div, arrived, num_warps=8, enable_fp_fusion=False)
    del partial
    mean = div.as_strided((), (), div.storage_offset())
    return (mean,)


@triton.jit
def sub_mul_sum(x_ptr, t_ptr, partial_ptr, div_out_ptr, arrived_ptr):  # a row of 65536, more than 16384: looped by 4096; the last of 1024 adds up
    q = tl.program_id(0)
    r = tl.arange(0, 4096)
    acc = tl.full((4096,), 0.0, tl.float32)
    acc_1 = acc
    for r_start in range(0, 65536, 4096):
        r_1 = r_start + r
        x = tl.load(x_ptr + (q * 65536 + r_1))
        t = tl.load(t_ptr + (q * 65536 + r_1))
        sub = x - t
        pow = sub * sub
        acc_1 = acc_1 + pow
    t_1 = tl.sum(acc_1, axis=0)
    tl.store(partial_ptr + q, t_1)
    if lib.is_last(arrived_ptr, 1024):
        r_2 = tl.arange(0, 1024)
        t_2 = tl.load(partial_ptr + r_2)
        reduce = tl.sum(t_2, axis=0)
        tl.store(div_out_ptr, reduce * 1.4901161e-08)


# case: amax and mean f32
def case(x):
    device = x.device
    x = with_layout(x, (8192, 8192), (8192, 1))
    reduce = torch.empty_strided((1, 1), (1, 1), dtype=torch.float32, device=device)
    div = torch.empty_strided((1, 1), (1, 1), dtype=torch.float32, device=device)
    partial = torch.empty_strided((1, 4096), (4096, 1), dtype=torch.float32, device=device)
    partial_1 = torch.empty_strided((1, 4096), (4096, 1), dtype=torch.float32, device=device)
    arrived = counters(1, device)
    abs_max_sum_mul[(4096,)](x, partial, partial_1, reduce, div, arrived, num_warps=32, enable_fp_fusion=False)
    del partial
    del partial_1
    amax = reduce.as_strided((), (), reduce.storage_offset())
    mean = div.as_strided((), (), div.storage_offset())
    return (amax, mean,)


@triton.jit
def abs_max_sum_mul(x_ptr, partial_ptr, partial_ptr_1, reduce_out_ptr, div_out_ptr, arrived_ptr):  # 1 row(s) of 16384 kept in registers; the last of 4096 adds up; what it reads leaves the cache first
    q = tl.program_id(0)
    r = tl.arange(0, 16384)
    x = tl.load(x_ptr + (q * 16384 + r), eviction_policy="evict_first")
    abs = tl.abs(x)
    t = tl.reduce(abs, 0, lib.max_nan)
    t_1 = tl.sum(x, axis=0)
    tl.store(partial_ptr + q, t)
    tl.store(partial_ptr_1 + q, t_1)
    if lib.is_last(arrived_ptr, 4096):
        r_1 = tl.arange(0, 4096)
        t_2 = tl.load(partial_ptr + r_1)
        t_3 = tl.load(partial_ptr_1 + r_1)
        reduce = tl.reduce(t_2, 0, lib.max_nan)
        reduce_1 = tl.sum(t_3, axis=0)
        tl.store(reduce_out_ptr, reduce)
        tl.store(div_out_ptr, reduce_1 * 1.4901161e-08)


# case: row max and sum f32
def case(x):
    device = x.device
    x = with_layout(x, (65536, 2048), (2048, 1))
    reduce = torch.empty_strided((65536, 1), (1, 1), dtype=torch.float32, device=device)
    reduce_1 = torch.empty_strided((65536, 1), (1, 1), dtype=torch.float32, device=device)
    max_sum[(65536,)](x, reduce, reduce_1, num_warps=8, enable_fp_fusion=False)
    amax = reduce.as_strided((65536,), (1,), reduce.storage_offset())
    sum = reduce_1.as_strided((65536,), (1,), reduce_1.storage_offset())
    return (amax, sum,)


@triton.jit
def max_sum(x_ptr, reduce_out_ptr, reduce_out_ptr_1):  # 1 row(s) of 2048 kept in registers; what it reads leaves the cache first
    p = tl.program_id(0)
    r = tl.arange(0, 2048)
    x = tl.load(x_ptr + (p * 2048 + r), eviction_policy="evict_first")
    reduce = tl.reduce(x, 0, lib.max_nan)
    reduce_1 = tl.sum(x, axis=0)
    tl.store(reduce_out_ptr + p, reduce)
    tl.store(reduce_out_ptr_1 + p, reduce_1)


# case: variance of rows bf16
def case(x):
    device = x.device
    x = with_layout(x, (65536, 4096), (4096, 1))
    div = torch.empty_strided((65536, 1), (1, 1), dtype=torch.float32, device=device)
    sum_mul_sub_div[(65536,)](x, div, num_warps=8, enable_fp_fusion=False)
    var = div.as_strided((65536,), (1,), div.storage_offset())
    return (var,)


@triton.jit
def sum_mul_sub_div(x_ptr, div_out_ptr):  # 1 row(s) of 4096 kept in registers; what it reads leaves the cache first
    p = tl.program_id(0)
    r = tl.arange(0, 4096)
    x = tl.load(x_ptr + (p * 4096 + r), eviction_policy="evict_first")
    to_copy = x.to(tl.float32)
    reduce = tl.sum(to_copy, axis=0)
    div = reduce * 0.00024414062
    sub = to_copy - div
    mul = sub * sub
    reduce_1 = tl.sum(mul, axis=0)
    tl.store(div_out_ptr + p, tl.div_rn(reduce_1, tl.full((), 4095.0, tl.float32)))


# case: variance of columns f32
def case(x):
    device = x.device
    x = with_layout(x, (8192, 8192), (8192, 1))
    div = torch.empty_strided((1, 8192), (8192, 1), dtype=torch.float32, device=device)
    partial = torch.empty_strided((8192, 4), (4, 1), dtype=torch.float32, device=device)
    partial_1 = torch.empty_strided((8192, 4), (4, 1), dtype=torch.float32, device=device)
    arrived = counters(8192, device)
    sum_mul_sub_div[(512,)](x, partial, partial_1, div, arrived, num_warps=4, enable_fp_fusion=False)
    del partial
    del partial_1
    var = div.as_strided((8192,), (1,), div.storage_offset())
    return (var,)


@triton.jit
def sum_mul_sub_div(x_ptr, partial_ptr, partial_ptr_1, div_out_ptr, arrived_ptr):  # reduces down columns of memory: 64 of them side by side, 32 deep; the last of 4 adds up
    pid = tl.program_id(0)
    lanes = tl.arange(0, 64)[:, None]
    r = tl.arange(0, 32)[None, :]
    acc = tl.full((64, 32), 0.0, tl.float32)
    base = (pid // 128) * 16777216 + (pid % 128) * 64
    acc_1 = acc
    acc_2 = acc
    for r_start in tl.range(0, 2048, 32, num_stages=3):
        x = tl.load(x_ptr + (base + (r_start + r) * 8192 + lanes))
        t = acc_1 + x
        t_1 = tl.maximum((r_start // 32).to(tl.float32), 1.0, propagate_nan=tl.PropagateNan.ALL)
        t_2 = tl.fma(acc_1, (tl.full((), 1.0, tl.float32) / t_1) * -1.0, x)
        t_3 = tl.maximum(((r_start // 32) + 1).to(tl.float32), 1.0, propagate_nan=tl.PropagateNan.ALL)
        t_4 = tl.fma(t_2, tl.fma(t, (tl.full((), 1.0, tl.float32) / t_3) * -1.0, x), acc_2)
        acc_1, acc_2 = t, t_4
    t_5 = tl.sum(acc_1, axis=1, keep_dims=True)
    t_6 = (acc_1 * lib.reciprocal(tl.full((64, 32), 64.0, tl.float32))) - tl.div_rn(t_5, tl.full((64, 1), 2048.0, tl.float32))
    t_7 = tl.sum(acc_2 + (64.0 * (t_6 * t_6)), axis=1, keep_dims=True)
    base_1 = (pid // 128) + (pid % 128) * 256
    tl.store(partial_ptr + (base_1 + lanes * 4), t_5)
    tl.store(partial_ptr_1 + (base_1 + lanes * 4), t_7)
    if lib.is_last(arrived_ptr + ((pid % 128) * 64), 4):
        r_1 = tl.arange(0, 4)[None, :]
        t_8 = tl.load(partial_ptr + (r_1 + lanes * 4 + (pid % 128) * 256))
        reduce = tl.sum(t_8, axis=1, keep_dims=True)
        t_9 = tl.load(partial_ptr_1 + (r_1 + lanes * 4 + (pid % 128) * 256))
        t_10 = tl.div_rn(t_8, tl.full((64, 4), 2048.0, tl.float32)) - tl.div_rn(reduce, tl.full((64, 1), 8192.0, tl.float32))
        reduce_1 = tl.sum(t_9 + (2048.0 * (t_10 * t_10)), axis=1, keep_dims=True)
        tl.store(div_out_ptr + (lanes + (pid % 128) * 64), tl.div_rn(reduce_1, tl.full((64, 1), 8191.0, tl.float32)))


# case: norm of all f16
def case(x):
    device = x.device
    x = with_layout(x, (65536, 4096), (4096, 1))
    pow = torch.empty_strided((), (), dtype=torch.float32, device=device)
    partial = torch.empty_strided((1, 4096), (4096, 1), dtype=torch.float32, device=device)
    arrived = counters(1, device)
    mul_sum_sqrt[(4096,)](x, partial, pow, arrived, num_warps=8, enable_fp_fusion=False)
    del partial
    return (pow,)


@triton.jit
def mul_sum_sqrt(x_ptr, partial_ptr, pow_out_ptr, arrived_ptr):  # a row of 65536, more than 16384: looped by 8192; the last of 4096 adds up
    q = tl.program_id(0)
    r = tl.arange(0, 8192)
    acc = tl.full((8192,), 0.0, tl.float32)
    acc_1 = acc
    for r_start in tl.range(0, 65536, 8192, num_stages=3):
        x = tl.load(x_ptr + (q * 65536 + (r_start + r)))
        to_copy = x.to(tl.float32)
        pow = to_copy * to_copy
        acc_1 = acc_1 + pow
    t = tl.sum(acc_1, axis=0)
    tl.store(partial_ptr + q, t)
    if lib.is_last(arrived_ptr, 4096):
        r_1 = tl.arange(0, 4096)
        t_1 = tl.load(partial_ptr + r_1)
        reduce = tl.sum(t_1, axis=0)
        tl.store(pow_out_ptr, tl.sqrt_rn(reduce))


# case: logsumexp bf16 16384x16384
def case(x):
    device = x.device
    x = with_layout(x, (16384, 16384), (16384, 1))
    add = torch.empty_strided((16384,), (1,), dtype=torch.float32, device=device)
    max_abs_eq_log_add[(16384,)](x, add, num_warps=8, enable_fp_fusion=False)
    return (add,)


@triton.jit
def max_abs_eq_log_add(x_ptr, add_out_ptr):  # 1 row(s) of 16384 kept in registers; what it reads leaves the cache first
    p = tl.program_id(0)
    r = tl.arange(0, 16384)
    x = tl.load(x_ptr + (p * 16384 + r), eviction_policy="evict_first")
    to_copy = x.to(tl.float32)
    amax = tl.reduce(to_copy, 0, lib.max_nan)
    abs = tl.abs(amax)
    eq = abs == float("inf")
    masked_fill = tl.where(eq, 0.0, amax)
    sub = to_copy - masked_fill
    exp = tl.exp(sub)
    reduce = tl.sum(exp, axis=0)
    log = libdevice.log(reduce)
    tl.store(add_out_ptr + p, log + masked_fill)


# case: x / x.sum() f32
def case(x):
    device = x.device
    x = with_layout(x, (8192, 8192), (8192, 1))
    div = torch.empty_strided((8192, 8192), (8192, 1), dtype=torch.float32, device=device)
    partial = torch.empty_strided((1, 4096), (4096, 1), dtype=torch.float32, device=device)
    sum_div_parts[(4096,)](x, partial, num_warps=32, enable_fp_fusion=False)
    sum_div[(4096,)](x, div, partial, num_warps=16, enable_fp_fusion=False)
    del partial
    return (div,)


@triton.jit
def sum_div_parts(x_ptr, partial_ptr):  # 1 row(s) of 16384 kept in registers
    q = tl.program_id(0)
    r = tl.arange(0, 16384)
    x = tl.load(x_ptr + (q * 16384 + r))
    t = tl.sum(x, axis=0)
    tl.store(partial_ptr + q, t)


@triton.jit
def sum_div(x_ptr, div_out_ptr, partial_ptr):  # 1 row(s) of 16384 kept in registers; what it reads leaves the cache last
    q = tl.program_id(0)
    q_1 = -q + 4095
    r = tl.arange(0, 4096)
    t = tl.load(partial_ptr + r)
    reduce = tl.sum(t, axis=0)
    r_1 = tl.arange(0, 16384)
    x = tl.load(x_ptr + (q_1 * 16384 + r_1), eviction_policy="evict_last")
    tl.store(div_out_ptr + (q_1 * 16384 + r_1), tl.div_rn(x, reduce))


# case: argmax of rows f32
def case(x):
    device = x.device
    x = with_layout(x, (65536, 2048), (2048, 1))
    reduce = torch.empty_strided((65536, 1), (1, 1), dtype=torch.int64, device=device)
    argmax[(65536,)](x, reduce, num_warps=2, enable_fp_fusion=False)
    argmax_1 = reduce.as_strided((65536,), (1,), reduce.storage_offset())
    return (argmax_1,)


@triton.jit
def argmax(x_ptr, reduce_out_ptr):  # 1 row(s) of 2048 kept in registers; what it reads leaves the cache first
    p = tl.program_id(0)
    r = tl.arange(0, 2048)
    x = tl.load(x_ptr + (p * 2048 + r), eviction_policy="evict_first")
    t, t_1 = tl.reduce((x, r), 0, lib.argmax_nan)
    tl.store(reduce_out_ptr + p, t_1.to(tl.int64))


# case: count above 1 f16
def case(x):
    device = x.device
    x = with_layout(x, (32768, 8192), (8192, 1))
    reduce = torch.empty_strided((32768, 1), (1, 1), dtype=torch.int64, device=device)
    gt_sum[(32768,)](x, reduce, num_warps=16, enable_fp_fusion=False)
    sum = reduce.as_strided((32768,), (1,), reduce.storage_offset())
    return (sum,)


@triton.jit
def gt_sum(x_ptr, reduce_out_ptr):  # 1 row(s) of 8192 kept in registers; what it reads leaves the cache first
    p = tl.program_id(0)
    r = tl.arange(0, 8192)
    x = tl.load(x_ptr + (p * 8192 + r), eviction_policy="evict_first")
    gt = x.to(tl.float32) > tl.full((), 1.0, tl.float16).to(tl.float32)
    cast = gt.to(tl.int64)
    reduce = tl.sum(cast, axis=0)
    tl.store(reduce_out_ptr + p, reduce)


# case: bias gradient bf16
def case(dy):
    device = dy.device
    dy = with_layout(dy, (64, 1024, 4096), (4194304, 4096, 1))
    cast = torch.empty_strided((1, 1, 4096), (4096, 4096, 1), dtype=torch.bfloat16, device=device)
    partial = torch.empty_strided((4096, 16), (16, 1), dtype=torch.float32, device=device)
    arrived = counters(4096, device)
    sum[(512,)](dy, partial, cast, arrived, num_warps=4, enable_fp_fusion=False, maxnreg=248)
    del partial
    sum_1 = cast.as_strided((4096,), (1,), cast.storage_offset())
    return (sum_1,)


@triton.jit
def sum(dy_ptr, partial_ptr, cast_out_ptr, arrived_ptr):  # reduces down columns of memory: 128 of them side by side, 32 deep; the last of 16 adds up
    pid = tl.program_id(0)
    lanes = tl.arange(0, 128)[:, None]
    r = tl.arange(0, 32)[None, :]
    acc = tl.full((128, 32), 0.0, tl.float32)
    base = (pid // 32) * 16777216 + (pid % 32) * 128
    acc_1 = acc
    for r_start in tl.range(0, 4096, 32, num_stages=3):
        dy = tl.load(dy_ptr + (base + (r_start + r) * 4096 + lanes))
        cast = dy.to(tl.float32)
        acc_1 = acc_1 + cast
    t = tl.sum(acc_1, axis=1, keep_dims=True)
    tl.store(partial_ptr + (((pid // 32) + (pid % 32) * 2048) + lanes * 16), t)
    if lib.is_last(arrived_ptr + ((pid % 32) * 128), 16):
        r_1 = tl.arange(0, 16)[None, :]
        t_1 = tl.load(partial_ptr + (r_1 + lanes * 16 + (pid % 32) * 2048))
        reduce = tl.sum(t_1, axis=1, keep_dims=True)
        tl.store(cast_out_ptr + (lanes + (pid % 32) * 128), reduce.to(tl.bfloat16))
