# torch 2.13

# case: reduction: sum of all f32
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


# case: reduction: x / x.sum() f32
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


# case: reduction: sum of columns f32
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


# case: reduction: argmax of rows f32
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


# case: regions: bias gradient of images f16 64x256x56x56
def case(dy):
    device = dy.device
    dy = with_layout(dy, (64, 256, 56, 56), (802816, 3136, 56, 1))
    cast = torch.empty_strided((1, 256, 1, 1), (256, 1, 1, 1), dtype=torch.float16, device=device)
    partial = torch.empty_strided((256, 4), (4, 1), dtype=torch.float32, device=device)
    arrived = counters(256, device)
    sum[(1024,)](dy, partial, cast, arrived, num_warps=4, enable_fp_fusion=False)
    del partial
    sum_1 = cast.as_strided((256,), (1,), cast.storage_offset())
    return (sum_1,)


@triton.jit
def sum(dy_ptr, partial_ptr, cast_out_ptr, arrived_ptr):  # a row of 65536, more than 16384: looped by 4096; the last of 4 adds up
    q = tl.program_id(0)
    r = tl.arange(0, 4096)
    t = (r - 3136).to(tl.int64) < 0
    acc = tl.full((4096,), 0.0, tl.float32)
    acc_1 = acc
    for r_start in tl.range(0, 65536, 4096, num_stages=4):
        base = (q // 4) * 3136 + (q % 4) * 12845056 + (r_start // 4096) * 802816
        dy = tl.load(dy_ptr + (base + r), mask=t, other=0)
        cast = dy.to(tl.float32)
        acc_1 = acc_1 + cast
    t_1 = tl.sum(tl.where(t, acc_1, 0.0), axis=0)
    tl.store(partial_ptr + q, t_1)
    if lib.is_last(arrived_ptr + (q // 4), 4):
        r_1 = tl.arange(0, 4)
        t_2 = tl.load(partial_ptr + (r_1 + (q // 4) * 4))
        reduce = tl.sum(t_2, axis=0)
        tl.store(cast_out_ptr + (q // 4), reduce.to(tl.float16))


# case: scan: cumsum f32 65536x1024
def case(x):
    device = x.device
    x = with_layout(x, (65536, 1024), (1024, 1))
    cumsum_1 = torch.empty_strided((65536, 1024), (1024, 1), dtype=torch.float32, device=device)
    cumsum[(65536,)](x, cumsum_1, num_warps=1, enable_fp_fusion=False)
    return (cumsum_1,)


@triton.jit
def cumsum(x_ptr, cumsum_out_ptr):  # 1 row(s) of 1024 kept in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 1024)
    x = tl.load(x_ptr + (p * 1024 + r), eviction_policy="evict_last")
    cumsum = tl.associative_scan(x, 0, lib.add)
    tl.store(cumsum_out_ptr + (p * 1024 + r), cumsum)


# case: scan: cumsum f32 64x1048576
def case(x):
    device = x.device
    x = with_layout(x, (64, 1048576), (1048576, 1))
    cumsum_1 = torch.empty_strided((64, 1048576), (1048576, 1), dtype=torch.float32, device=device)
    told = counters.kept("cumsum", 8193, device)
    cumsum[(8192,)](x, cumsum_1, told, num_warps=8, enable_fp_fusion=False)
    return (cumsum_1,)


@triton.jit
def cumsum(x_ptr, cumsum_out_ptr, told_ptr):  # 1 row(s) of 8192 kept in registers; what it reads leaves the cache last
    q, mark = lib.ticket(told_ptr, 8192)
    r = tl.arange(0, 8192)
    base = (q // 64) * 8192 + (q % 64) * 1048576
    x = tl.load(x_ptr + (base + r), eviction_policy="evict_last")
    total = tl.sum(x, axis=0)
    lib.publish(told_ptr + ((q // 64) + (q % 64) * 128 + 1), total, mark)
    lanes = tl.arange(0, 128)
    mask = lanes < (q // 64)
    told = lib.awaited(told_ptr + (lanes + (q % 64) * 128 + 1), mask, mark, tl.float32)
    before = tl.sum(tl.where(mask, told, 0.0), axis=0)
    cumsum = tl.associative_scan(x, 0, lib.add)
    tl.store(cumsum_out_ptr + (base + r), before + cumsum)
