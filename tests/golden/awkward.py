# torch 2.13

# case: softmax f32 50000x1000
def case(x):
    device = x.device
    x = with_layout(x, (50000, 1000), (1000, 1))
    div = torch.empty_strided((50000, 1000), (1000, 1), dtype=torch.float32, device=device)
    max_sub_exp_sum_div[(50000,)](x, div, num_warps=1, enable_fp_fusion=False)
    return (div,)


@triton.jit
def max_sub_exp_sum_div(x_ptr, div_out_ptr):  # 1 row(s) of 1000 kept in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 1024)
    mask = r < 1000
    x = tl.load(x_ptr + (p * 1000 + r), mask=mask, other=0, eviction_policy="evict_last")
    amax = tl.reduce(tl.where(mask, x, float("-inf")), 0, lib.max_nan)
    sub = x - amax
    exp = libdevice.exp(sub)
    sum = tl.sum(tl.where(mask, exp, 0.0), axis=0)
    tl.store(div_out_ptr + (p * 1000 + r), tl.div_rn(exp, sum), mask=mask)


# case: softmax bf16 50000x1000
def case(x):
    device = x.device
    x = with_layout(x, (50000, 1000), (1000, 1))
    to_copy = torch.empty_strided((50000, 1000), (1000, 1), dtype=torch.bfloat16, device=device)
    max_sub_exp_sum_div[(50000,)](x, to_copy, num_warps=1, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def max_sub_exp_sum_div(x_ptr, to_copy_out_ptr):  # 1 row(s) of 1000 kept in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 1024)
    mask = r < 1000
    x = tl.load(x_ptr + (p * 1000 + r), mask=mask, other=0, eviction_policy="evict_last")
    to_copy = x.to(tl.float32)
    amax = tl.reduce(tl.where(mask, to_copy, float("-inf")), 0, lib.max_nan)
    sub = to_copy - amax
    exp = tl.exp(sub)
    sum = tl.sum(tl.where(mask, exp, 0.0), axis=0)
    div = tl.where(tl.abs(sum) < 7.888609e-31, tl.full((), 1.6777216e+07, tl.float32), tl.full((), 1.0, tl.float32))
    div_1 = (exp * div) * tl.div_rn(tl.full((), 1.0, tl.float32), sum * div)
    tl.store(to_copy_out_ptr + (p * 1000 + r), div_1.to(tl.bfloat16), mask=mask)


# case: layer norm bf16 16000x4097
def case(x, w, b):
    device = x.device
    x = with_layout(x, (16000, 4097), (4097, 1))
    w = with_layout(w, (4097,), (1,))
    b = with_layout(b, (4097,), (1,))
    to_copy = torch.empty_strided((16000, 4097), (4097, 1), dtype=torch.bfloat16, device=device)
    sum_div_sub_add_rsqrt[(16000,)](x, w, b, to_copy, num_warps=4, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def sum_div_sub_add_rsqrt(x_ptr, w_ptr, b_ptr, to_copy_out_ptr):  # 1 row(s) of 4096 kept in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    x = tl.load(x_ptr + (p * 4097 + 4096), eviction_policy="evict_last")
    to_copy = x.to(tl.float32)
    t = tl.sum(tl.broadcast_to(to_copy, (1,)), axis=0)
    r = tl.arange(0, 4096)
    x_1 = tl.load(x_ptr + (p * 4097 + r), eviction_policy="evict_last")
    to_copy_1 = x_1.to(tl.float32)
    t_1 = tl.sum(to_copy_1, axis=0)
    getitem = tl.div_rn(t + t_1, tl.full((), 4097.0, tl.float32))
    sub = to_copy - getitem
    mul = sub * sub
    t_2 = tl.sum(tl.broadcast_to(mul, (1,)), axis=0)
    sub_1 = to_copy_1 - getitem
    mul_1 = sub_1 * sub_1
    t_3 = tl.sum(mul_1, axis=0)
    getitem_1 = tl.div_rn(t_2 + t_3, tl.full((), 4097.0, tl.float32))
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    mul_2 = sub_1 * rsqrt
    w = tl.load(w_ptr + r)
    cast = w.to(tl.float32)
    mul_3 = mul_2 * cast
    b = tl.load(b_ptr + r)
    cast_1 = b.to(tl.float32)
    add_1 = mul_3 + cast_1
    tl.store(to_copy_out_ptr + (p * 4097 + r), add_1.to(tl.bfloat16))
    mul_4 = sub * rsqrt
    w_1 = tl.load(w_ptr + (4096))
    cast_2 = w_1.to(tl.float32)
    mul_5 = mul_4 * cast_2
    b_1 = tl.load(b_ptr + (4096))
    cast_3 = b_1.to(tl.float32)
    add_2 = mul_5 + cast_3
    zeros = tl.full((1,), 0, tl.int32)
    tl.store(to_copy_out_ptr + (p * 4097 + zeros + 4096), add_2.to(tl.bfloat16))


# case: rms norm f16 50001x1000
def case(x, w):
    device = x.device
    x = with_layout(x, (50001, 1000), (1000, 1))
    w = with_layout(w, (1000,), (1,))
    mul = torch.empty_strided((50001, 1000), (1000, 1), dtype=torch.float16, device=device)
    mul_sum_div_add_rsqrt[(50001,)](x, w, mul, num_warps=1, enable_fp_fusion=False)
    return (mul,)


@triton.jit
def mul_sum_div_add_rsqrt(x_ptr, w_ptr, mul_out_ptr):  # 1 row(s) of 1000 kept in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 1024)
    mask = r < 1000
    x = tl.load(x_ptr + (p * 1000 + r), mask=mask, other=0, eviction_policy="evict_last")
    to_copy = x.to(tl.float32)
    square = to_copy * to_copy
    reduce = tl.sum(tl.where(mask, square, 0.0), axis=0)
    mean = tl.div_rn(reduce, tl.full((), 1000.0, tl.float32))
    add = mean + 1e-06
    rsqrt = libdevice.rsqrt(add)
    mul = to_copy * rsqrt
    to_copy_1 = mul.to(tl.float16)
    w = tl.load(w_ptr + r, mask=mask, other=0)
    tl.store(mul_out_ptr + (p * 1000 + r), (to_copy_1.to(tl.float32) * w.to(tl.float32)).to(tl.float16), mask=mask)


# case: layer norm backward bf16 10000x1000
def case(dy, x, w):
    device = dy.device
    dy = with_layout(dy, (10000, 1000), (1000, 1))
    x = with_layout(x, (10000, 1000), (1000, 1))
    w = with_layout(w, (1000,), (1,))
    to_copy = torch.empty_strided((10000, 1000), (1000, 1), dtype=torch.bfloat16, device=device)
    buf = torch.empty_strided((528, 1, 1000), (1000, 1000, 1), dtype=torch.float32, device=device)
    buf_1 = torch.empty_strided((528, 1, 1000), (1000, 1000, 1), dtype=torch.float32, device=device)
    sum_div_sub_add_rsqrt[(528,)](x, dy, w, to_copy, buf, buf_1, num_warps=2, enable_fp_fusion=False)
    to_copy_1 = torch.empty_strided((1000,), (1,), dtype=torch.bfloat16, device=device)
    to_copy_2 = torch.empty_strided((1000,), (1,), dtype=torch.bfloat16, device=device)
    sum[(63,)](buf, buf_1, to_copy_1, to_copy_2, num_warps=16, enable_fp_fusion=False, maxnreg=128)
    del buf_1
    del buf
    return (to_copy, to_copy_1, to_copy_2,)


@triton.jit
def sum_div_sub_add_rsqrt(x_ptr, dy_ptr, w_ptr, to_copy_out_ptr, reduce_out_ptr, reduce_out_ptr_1):  # 528 programs walk the rows, 2 at once; sums over the rows stay in registers
    i = tl.program_id(0)
    reduce_out = tl.full((2, 1024), 0.0, tl.float32)
    lanes = tl.arange(0, 2)[:, None]
    r = tl.arange(0, 1024)[None, :]
    mask = r < 1000
    w = tl.load(w_ptr + r, mask=mask, other=0)
    to_copy = w.to(tl.float32)
    acc = reduce_out
    acc_1 = reduce_out
    for p_start in tl.range(i * 2, 10000, 1056, num_stages=3):
        p = p_start + lanes
        x = tl.load(x_ptr + (p * 1000 + r), mask=mask, other=0)
        to_copy_1 = x.to(tl.float32)
        dy = tl.load(dy_ptr + (p * 1000 + r), mask=mask, other=0)
        to_copy_2 = dy.to(tl.float32)
        mul = to_copy_2 * to_copy
        reduce = tl.sum(to_copy_1, axis=1, keep_dims=True)
        sum = tl.sum(tl.where(mask, mul, 0.0), axis=1, keep_dims=True)
        mean = tl.div_rn(reduce, tl.full((2, 1), 1000.0, tl.float32))
        sub = to_copy_1 - mean
        mul_1 = sub * sub
        reduce_1 = tl.sum(tl.where(mask, mul_1, 0.0), axis=1, keep_dims=True)
        var = tl.div_rn(reduce_1, tl.full((2, 1), 1000.0, tl.float32))
        add = var + 1e-05
        rstd = libdevice.rsqrt(add)
        mul_2 = sub * rstd
        mul_3 = mul * mul_2
        sum_1 = tl.sum(tl.where(mask, mul_3, 0.0), axis=1, keep_dims=True)
        div = tl.div_rn(rstd, tl.full((2, 1), 1000.0, tl.float32))
        mul_4 = mul * 1000.0
        sub_1 = mul_4 - sum
        mul_5 = mul_2 * sum_1
        sub_2 = sub_1 - mul_5
        mul_6 = div * sub_2
        tl.store(to_copy_out_ptr + (p * 1000 + r), mul_6.to(tl.bfloat16), mask=mask)
        mul_7 = to_copy_2 * mul_2
        t = acc + mul_7
        t_1 = acc_1 + to_copy_2
        acc, acc_1 = t, t_1
    t_2 = tl.sum(acc, axis=0, keep_dims=True)
    tl.store(reduce_out_ptr + (i * 1000 + r), t_2, mask=mask)
    t_3 = tl.sum(acc_1, axis=0, keep_dims=True)
    tl.store(reduce_out_ptr_1 + (i * 1000 + r), t_3, mask=mask)


@triton.jit
def sum(reduce_ptr, reduce_ptr_1, to_copy_out_ptr, to_copy_out_ptr_1):  # reduces down columns of memory: 16 of them side by side, 512 deep
    pid = tl.program_id(0)
    lanes = tl.arange(0, 16)[:, None]
    p = tl.minimum(pid * 16, 984) + lanes
    r = tl.arange(0, 512)[None, :]
    acc = tl.full((16, 512), 0.0, tl.float32)
    acc_1 = acc
    for r_start in range(0, 528, 512):
        r_1 = r_start + r
        t = tl.load(reduce_ptr + (p + r_1 * 1000), mask=r_1 < 528, other=0)
        acc_1 = acc_1 + t
    reduce = tl.sum(acc_1, axis=1, keep_dims=True)
    tl.store(to_copy_out_ptr + p, reduce.to(tl.bfloat16))
    acc_2 = acc
    for r_start_1 in range(0, 528, 512):
        r_2 = r_start_1 + r
        t_1 = tl.load(reduce_ptr_1 + (p + r_2 * 1000), mask=r_2 < 528, other=0)
        acc_2 = acc_2 + t_1
    reduce_1 = tl.sum(acc_2, axis=1, keep_dims=True)
    tl.store(to_copy_out_ptr_1 + p, reduce_1.to(tl.bfloat16))


# case: log_softmax bf16 4096x50257
def case(x):
    device = x.device
    x = with_layout(x, (4096, 50257), (50257, 1))
    to_copy = torch.empty_strided((4096, 50257), (50257, 1), dtype=torch.bfloat16, device=device)
    max_sub_exp_sum_log[(4096,)](x, to_copy, num_warps=8, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def max_sub_exp_sum_log(x_ptr, to_copy_out_ptr):  # a row of 50240, more than 16384: looped by 8192
    p = tl.program_id(0)
    r = tl.arange(0, 8192)
    r_1 = tl.arange(0, 32)
    mask = r_1 < 17
    x = tl.load(x_ptr + (p * 50257 + r_1 + ((r_1 + ((p * 50257 + 15) % 16) + 17) // 32) * 50240), mask=mask, other=0)
    acc = tl.full((), float("-inf"), tl.float32)
    acc_1 = tl.full((), 0.0, tl.float32)
    for r_start in range(0, 50240, 8192):
        r_2 = r_start + r
        x_1 = tl.load(x_ptr + (r_2 + ((p * 50257 + 15) // 16) * 16), mask=r_2 < 50240, other=float("-inf"), eviction_policy="evict_last")
        to_copy = x_1.to(tl.float32)
        t = tl.reduce(to_copy, 0, lib.max_nan)
        m = tl.maximum(acc, t, propagate_nan=tl.PropagateNan.ALL)
        base = tl.where(m == float("-inf"), 0.0, m)
        t_1 = tl.where(tl.abs(base) >= 1.0737418e+09, tl.full((), 1.0, tl.float32), tl.full((), 1.442695, tl.float32))
        t_2 = (base * t_1) * -1.0
        t_3 = tl.sum(tl.exp2(tl.fma(to_copy, t_1, t_2)), axis=0)
        t_4 = (acc_1 * tl.exp(acc - base)) + (t_3 * tl.exp2(tl.fma(base, t_1, t_2) * -1.0))
        acc, acc_1 = m, t_4
    t_5 = acc == float("-inf")
    t_6 = tl.where(t_5, float("nan"), acc_1)
    to_copy_1 = x.to(tl.float32)
    to_copy_2 = tl.where(mask, to_copy_1, float("-inf"))
    t_7 = tl.reduce(to_copy_2, 0, lib.max_nan)
    t_8 = tl.where(tl.abs(t_7) >= 1.0737418e+09, tl.full((), 1.0, tl.float32), tl.full((), 1.442695, tl.float32))
    t_9 = (t_7 * t_8) * -1.0
    t_10 = tl.sum(tl.exp2(tl.fma(to_copy_2, t_8, t_9)), axis=0)
    t_11 = t_10 * tl.exp2(tl.fma(t_7, t_8, t_9) * -1.0)
    amax = tl.maximum(t_7, acc, propagate_nan=tl.PropagateNan.ALL)
    t_12 = tl.where(t_7 == float("-inf"), 0.0, t_11 * tl.exp(t_7 - amax))
    t_13 = tl.where(acc == amax, t_6, tl.where(t_5, 0.0, t_6 * tl.exp(acc - amax)))
    log = libdevice.log(tl.where(t_7 == amax, t_11, t_12) + t_13)
    for r_start_1 in range(0, 50240, 8192):
        r_3 = (-r_start_1 + 49152) + r
        mask_1 = r_3 < 50240
        x_2 = tl.load(x_ptr + (r_3 + ((p * 50257 + 15) // 16) * 16), mask=mask_1, other=0, eviction_policy="evict_first")
        to_copy_3 = x_2.to(tl.float32)
        sub = to_copy_3 - amax
        sub_1 = sub - log
        tl.store(to_copy_out_ptr + (r_3 + ((p * 50257 + 15) // 16) * 16), sub_1.to(tl.bfloat16), mask=mask_1, eviction_policy="evict_first")
    sub_2 = to_copy_1 - amax
    sub_3 = sub_2 - log
    tl.store(to_copy_out_ptr + (p * 50257 + r_1 + ((r_1 + ((p * 50257 + 15) % 16) + 17) // 32) * 50240), sub_3.to(tl.bfloat16), mask=mask)


# case: cross entropy bf16 4096x50257
def case(logits, target):
    device = logits.device
    logits = with_layout(logits, (4096, 50257), (50257, 1))
    target = with_layout(target, (4096,), (1,))
    ne = torch.empty_strided((4096,), (1,), dtype=torch.bool, device=device)
    where = torch.empty_strided((4096,), (1,), dtype=torch.float32, device=device)
    div = torch.empty_strided((), (), dtype=torch.float32, device=device)
    arrived = counters(1, device)
    max_sub_exp_mul_neg[(4096,)](logits, target, ne, where, div, arrived, num_warps=4, enable_fp_fusion=False, debug=True, sanitize_overflow=False)
    del where
    del ne
    return (div,)


@triton.jit
def max_sub_exp_mul_neg(logits_ptr, target_ptr, ne_out_ptr, where_out_ptr, div_out_ptr, arrived_ptr):  # a row of 50240, more than 16384: looped by 4096; the last of 4096 adds up
    p = tl.program_id(0)
    r = tl.arange(0, 4096)
    r_1 = tl.arange(0, 32)
    logits = tl.load(logits_ptr + (p * 50257 + r_1 + ((r_1 + ((p * 50257 + 15) % 16) + 17) // 32) * 50240), mask=r_1 < 17, other=float("-inf"))
    target = tl.load(target_ptr + p)
    ne = target != -100
    where = tl.where(ne, target, 0)
    where_1 = lib.checked(where, 50257, 'index out of range: <text>:18')
    logits_1 = tl.load(logits_ptr + (p * 50257 + where_1.to(tl.int32)))
    acc = tl.full((), float("-inf"), tl.float32)
    acc_1 = tl.full((), 0.0, tl.float32)
    for r_start in range(0, 50240, 4096):
        r_2 = r_start + r
        logits_2 = tl.load(logits_ptr + (r_2 + ((p * 50257 + 15) // 16) * 16), mask=r_2 < 50240, other=float("-inf"))
        to_copy = logits_2.to(tl.float32)
        t = tl.reduce(to_copy, 0, lib.max_nan)
        m = tl.maximum(acc, t, propagate_nan=tl.PropagateNan.ALL)
        base = tl.where(m == float("-inf"), 0.0, m)
        t_1 = tl.where(tl.abs(base) >= 1.0737418e+09, tl.full((), 1.0, tl.float32), tl.full((), 1.442695, tl.float32))
        t_2 = (base * t_1) * -1.0
        t_3 = tl.sum(tl.exp2(tl.fma(to_copy, t_1, t_2)), axis=0)
        t_4 = (acc_1 * tl.exp(acc - base)) + (t_3 * tl.exp2(tl.fma(base, t_1, t_2) * -1.0))
        acc, acc_1 = m, t_4
    t_5 = acc == float("-inf")
    t_6 = tl.where(t_5, float("nan"), acc_1)
    to_copy_1 = logits.to(tl.float32)
    t_7 = tl.reduce(to_copy_1, 0, lib.max_nan)
    t_8 = tl.where(tl.abs(t_7) >= 1.0737418e+09, tl.full((), 1.0, tl.float32), tl.full((), 1.442695, tl.float32))
    t_9 = (t_7 * t_8) * -1.0
    t_10 = tl.sum(tl.exp2(tl.fma(to_copy_1, t_8, t_9)), axis=0)
    t_11 = t_10 * tl.exp2(tl.fma(t_7, t_8, t_9) * -1.0)
    amax = tl.maximum(t_7, acc, propagate_nan=tl.PropagateNan.ALL)
    t_12 = tl.where(t_7 == float("-inf"), 0.0, t_11 * tl.exp(t_7 - amax))
    t_13 = tl.where(acc == amax, t_6, tl.where(t_5, 0.0, t_6 * tl.exp(acc - amax)))
    tl.store(ne_out_ptr + p, ne)
    where_2 = ne.to(tl.float32)
    to_copy_2 = logits_1.to(tl.float32)
    sub = to_copy_2 - amax
    log = libdevice.log(tl.where(t_7 == amax, t_11, t_12) + t_13)
    sub_1 = sub - log
    mul = (where_2 * sub_1) * -1.0
    tl.store(where_out_ptr + p, tl.where(ne, mul, 0.0))
    if lib.is_last(arrived_ptr, 4096):
        r_3 = tl.arange(0, 2048)
        acc_2 = tl.full((2048,), 0.0, tl.float32)
        acc_3 = acc_2
        acc_4 = acc_2
        for r_start_1 in range(0, 4096, 2048):
            r_4 = r_start_1 + r_3
            ne_1 = tl.load(ne_out_ptr + r_4)
            where_3 = ne_1.to(tl.float32)
            where_4 = tl.load(where_out_ptr + r_4)
            acc_3, acc_4 = acc_3 + where_3, acc_4 + where_4
        reduce = tl.sum(acc_3, axis=0)
        reduce_1 = tl.sum(acc_4, axis=0)
        tl.store(div_out_ptr, tl.div_rn(reduce_1, reduce))


# case: x*y + 1 f32 16000x4097
def case(x, y):
    device = x.device
    x = with_layout(x, (16000, 4097), (4097, 1))
    y = with_layout(y, (16000, 4097), (4097, 1))
    add = torch.empty_strided((16000, 4097), (4097, 1), dtype=torch.float32, device=device)
    mul_add[(64016,)](x, y, add, num_warps=4, enable_fp_fusion=False)
    return (add,)


@triton.jit
def mul_add(x_ptr, y_ptr, add_out_ptr):  # 1024 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    mask = p < 65552000
    x = tl.load(x_ptr + p, mask=mask, other=0, eviction_policy="evict_last")
    y = tl.load(y_ptr + p, mask=mask, other=0, eviction_policy="evict_last")
    mul = x * y
    tl.store(add_out_ptr + p, mul + 1.0, mask=mask)


# case: sum of columns f32 4097x10007
def case(x):
    device = x.device
    x = with_layout(x, (4097, 10007), (10007, 1))
    reduce = torch.empty_strided((1, 10007), (10007, 1), dtype=torch.float32, device=device)
    partial = torch.empty_strided((10007, 3), (3, 1), dtype=torch.float32, device=device)
    arrived = counters(10007, device)
    sum[(471,)](x, partial, reduce, arrived, num_warps=8, enable_fp_fusion=False, maxnreg=248)
    del partial
    sum_1 = reduce.as_strided((10007,), (1,), reduce.storage_offset())
    return (sum_1,)


@triton.jit
def sum(x_ptr, partial_ptr, reduce_out_ptr, arrived_ptr):  # reduces down columns of memory: 64 of them side by side, 64 deep; the last of 3 adds up
    pid = tl.program_id(0)
    start = tl.minimum((pid % 157) * 64, 9943)
    lanes = tl.arange(0, 64)[:, None]
    p = start + lanes
    part = pid // 157
    r = tl.arange(0, 64)[None, :]
    acc = tl.full((64, 64), 0.0, tl.float32)
    acc_1 = acc
    for r_start in range(0, 1408, 64):
        r_1 = r_start + r
        x = tl.load(x_ptr + (r_1 * 10007 + part * 14089856 + p), mask=(r_1 + part * 1408 - 4097).to(tl.int64) < 0, other=0)
        acc_1 = acc_1 + x
    t = tl.sum(acc_1, axis=1, keep_dims=True)
    tl.store(partial_ptr + (part + p * 3), t)
    if lib.is_last(arrived_ptr + start, 3):
        r_2 = tl.arange(0, 4)[None, :]
        t_1 = tl.load(partial_ptr + (r_2 + p * 3), mask=r_2 < 3, other=0)
        reduce = tl.sum(t_1, axis=1, keep_dims=True)
        tl.store(reduce_out_ptr + p, reduce)


# case: sum of 3 rows f32
def case(x):
    device = x.device
    x = with_layout(x, (3, 20000003), (20000003, 1))
    reduce = torch.empty_strided((3, 1), (1, 1), dtype=torch.float32, device=device)
    partial = torch.empty_strided((3, 1221), (1221, 1), dtype=torch.float32, device=device)
    arrived = counters(3, device)
    sum[(3663,)](x, partial, reduce, arrived, num_warps=16, enable_fp_fusion=False)
    del partial
    sum_1 = reduce.as_strided((3,), (1,), reduce.storage_offset())
    return (sum_1,)


@triton.jit
def sum(x_ptr, partial_ptr, reduce_out_ptr, arrived_ptr):  # 1 row(s) of 16384 kept in registers; the last of 1221 adds up; what it reads leaves the cache first
    q = tl.program_id(0)
    r = tl.arange(0, 16384)
    x = tl.load(x_ptr + (((q // 1221) * 20000003 + (q % 1221) * 16384) + r), mask=(r + (q % 1221) * 16384 - 20000003).to(tl.int64) < 0, other=0, eviction_policy="evict_first")
    t = tl.sum(x, axis=0)
    tl.store(partial_ptr + q, t)
    if lib.is_last(arrived_ptr + (q // 1221), 1221):
        r_1 = tl.arange(0, 2048)
        t_1 = tl.load(partial_ptr + (r_1 + (q // 1221) * 1221), mask=r_1 < 1221, other=0)
        reduce = tl.sum(t_1, axis=0)
        tl.store(reduce_out_ptr + (q // 1221), reduce)


# case: softmax of 3 rows f32
def case(x):
    device = x.device
    x = with_layout(x, (3, 20000003), (20000003, 1))
    div = torch.empty_strided((3, 20000003), (20000003, 1), dtype=torch.float32, device=device)
    partial = torch.empty_strided((3, 1221), (1221, 1), dtype=torch.float32, device=device)
    partial_1 = torch.empty_strided((3, 1221), (1221, 1), dtype=torch.float32, device=device)
    max_sub_exp_sum_div_parts[(3663,)](x, partial, partial_1, num_warps=16, enable_fp_fusion=False)
    max_sub_exp_sum_div[(3663,)](x, div, partial, partial_1, num_warps=16, enable_fp_fusion=False)
    del partial
    del partial_1
    return (div,)


@triton.jit
def max_sub_exp_sum_div_parts(x_ptr, partial_ptr, partial_ptr_1):  # 1 row(s) of 16384 kept in registers
    q = tl.program_id(0)
    r = tl.arange(0, 16384)
    x = tl.load(x_ptr + (((q // 1221) * 20000003 + (q % 1221) * 16384) + r), mask=(r + (q % 1221) * 16384 - 20000003).to(tl.int64) < 0, other=float("-inf"))
    t = tl.reduce(x, 0, lib.max_nan)
    t_1 = tl.sum(libdevice.exp(x - t), axis=0)
    tl.store(partial_ptr + q, t)
    tl.store(partial_ptr_1 + q, t_1)


@triton.jit
def max_sub_exp_sum_div(x_ptr, div_out_ptr, partial_ptr, partial_ptr_1):  # a row of 16384, more than 4096: looped by 4096
    q = tl.program_id(0)
    q_1 = -q + 3662
    r = tl.arange(0, 2048)
    mask = r < 1221
    t = tl.load(partial_ptr + (r + (q_1 // 1221) * 1221), mask=mask, other=0)
    amax = tl.reduce(tl.where(mask, t, float("-inf")), 0, lib.max_nan)
    t_1 = tl.load(partial_ptr_1 + (r + (q_1 // 1221) * 1221), mask=mask, other=0)
    t_2 = tl.where(t == float("-inf"), 0.0, t_1 * libdevice.exp(t - amax))
    sum = tl.sum(tl.where(mask, tl.where(t == amax, t_1, t_2), 0.0), axis=0)
    r_1 = tl.arange(0, 4096)
    base = (q_1 // 1221) * 20000003 + (q_1 % 1221) * 16384
    for r_start in range(0, 16384, 4096):
        r_2 = r_start + r_1
        t_3 = (r_2 + (q_1 % 1221) * 16384 - 20000003).to(tl.int64) < 0
        x = tl.load(x_ptr + (base + r_2), mask=t_3, other=0)
        sub = x - amax
        exp = libdevice.exp(sub)
        tl.store(div_out_ptr + (base + r_2), tl.div_rn(exp, sum), mask=t_3)


# case: cumsum f32 20000x1000
def case(x):
    device = x.device
    x = with_layout(x, (20000, 1000), (1000, 1))
    cumsum_1 = torch.empty_strided((20000, 1000), (1000, 1), dtype=torch.float32, device=device)
    cumsum[(20000,)](x, cumsum_1, num_warps=1, enable_fp_fusion=False)
    return (cumsum_1,)


@triton.jit
def cumsum(x_ptr, cumsum_out_ptr):  # 1 row(s) of 1000 kept in registers
    p = tl.program_id(0)
    r = tl.arange(0, 1024)
    mask = r < 1000
    x = tl.load(x_ptr + (p * 1000 + r), mask=mask, other=0)
    cumsum = tl.associative_scan(x, 0, lib.add)
    tl.store(cumsum_out_ptr + (p * 1000 + r), cumsum, mask=mask)


# case: concatenate 1000 and 4097 columns bf16
def case(x, y):
    device = x.device
    x = with_layout(x, (20000, 1000), (1000, 1))
    y = with_layout(y, (20000, 4097), (4097, 1))
    mul_1 = torch.empty_strided((20000, 5097), (5097, 1), dtype=torch.bfloat16, device=device)
    mul[(49776,)](x, y, mul_1, num_warps=4, enable_fp_fusion=False)
    return (mul_1,)


@triton.jit
def mul(x_ptr, y_ptr, mul_out_ptr):  # 2048 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 2048)
    p = pid * 2048 + lanes
    cat = ((p % 5097) - 1000).to(tl.int64) < 0
    cat_1 = cat ^ True
    mask = p < 101940000
    y = tl.load(y_ptr + ((p // 5097) * 4097 + (p % 5097) - 1000), mask=mask & cat_1, other=0, eviction_policy="evict_last")
    x = tl.load(x_ptr + ((p // 5097) * 1000 + (p % 5097)), mask=mask & cat, other=0, eviction_policy="evict_last")
    cat_2 = tl.where(cat, x, y)
    mul = cat_2.to(tl.float32) * tl.full((), 2.0, tl.bfloat16).to(tl.float32)
    tl.store(mul_out_ptr + p, mul.to(tl.bfloat16), mask=mask)


# case: permute 7 axes f32
def case(x):
    device = x.device
    x = with_layout(x, (8, 6, 16, 10, 32, 12, 64), (23592960, 3932160, 245760, 24576, 768, 64, 1))
    add_1 = torch.empty_strided((8, 16, 32, 64, 6, 10, 12), (23592960, 1474560, 46080, 720, 120, 12, 1), dtype=torch.float32, device=device)
    add[(12, 4096)](x, add_1, num_warps=8, enable_fp_fusion=False)
    return (add_1,)


@triton.jit
def add(x_ptr, add_out_ptr):  # tiles of 64 x 64: memory runs along both axes; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 64)[:, None]
    p = pid * 64 + lanes
    pid_r = tl.program_id(1)
    lanes_r = tl.arange(0, 64)[None, :]
    base = ((pid_r // 32) % 16) * 245760 + (pid_r // 512) * 23592960 + (pid_r % 32) * 768
    mask = p < 720
    x = tl.load(x_ptr + (base + lanes_r + ((p // 12) % 10) * 24576 + (p // 120) * 3932160 + (p % 12) * 64), mask=mask, other=0, eviction_policy="evict_last")
    tl.store(add_out_ptr + (p + (pid_r * 64 + lanes_r) * 720), x + 1.0, mask=mask)


# case: sum of 3 of 7 axes f32
def case(x):
    device = x.device
    x = with_layout(x, (8, 6, 16, 10, 32, 12, 64), (23592960, 3932160, 245760, 24576, 768, 64, 1))
    reduce = torch.empty_strided((8, 1, 16, 1, 32, 1, 64), (32768, 32768, 2048, 2048, 64, 64, 1), dtype=torch.float32, device=device)
    sum[(4096,)](x, reduce, num_warps=8, enable_fp_fusion=False, maxnreg=248)
    sum_1 = reduce.as_strided((8, 16, 32, 64), (32768, 2048, 64, 1), reduce.storage_offset())
    return (sum_1,)


@triton.jit
def sum(x_ptr, reduce_out_ptr):  # reduces down columns of memory: 64 of them side by side, 64 deep
    pid = tl.program_id(0)
    lanes = tl.arange(0, 64)[:, None]
    r = tl.arange(0, 64)[None, :]
    acc = tl.full((64, 64), 0.0, tl.float32)
    base = ((pid // 32) % 16) * 245760 + (pid // 512) * 23592960 + (pid % 32) * 768
    acc_1 = acc
    for r_start in tl.range(0, 720, 64, num_stages=4):
        r_1 = r_start + r
        x = tl.load(x_ptr + (base + lanes + ((r_1 // 12) % 10) * 24576 + (r_1 // 120) * 3932160 + (r_1 % 12) * 64), mask=r_1 < 720, other=0)
        acc_1 = acc_1 + x
    reduce = tl.sum(acc_1, axis=1, keep_dims=True)
    tl.store(reduce_out_ptr + ((pid * 64 + lanes)), reduce)


# case: softmax of every other column f32
def case(x):
    device = x.device
    x = with_layout(x, (32768, 2048), (4096, 2))
    div = torch.empty_strided((32768, 2048), (2048, 1), dtype=torch.float32, device=device)
    max_sub_exp_sum_div[(32768,)](x, div, num_warps=2, enable_fp_fusion=False)
    return (div,)


@triton.jit
def max_sub_exp_sum_div(x_ptr, div_out_ptr):  # 1 row(s) of 2048 kept in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 2048)
    x = tl.load(x_ptr + (p * 4096 + r * 2), eviction_policy="evict_last")
    amax = tl.reduce(x, 0, lib.max_nan)
    sub = x - amax
    exp = libdevice.exp(sub)
    sum = tl.sum(exp, axis=0)
    tl.store(div_out_ptr + (p * 2048 + r), tl.div_rn(exp, sum))


# case: layer norm of a transposed input bf16
def case(x, w, b):
    device = x.device
    x = with_layout(x, (32768, 4096), (1, 32768))
    w = with_layout(w, (4096,), (1,))
    b = with_layout(b, (4096,), (1,))
    to_copy = torch.empty_strided((32768, 4096), (4096, 1), dtype=torch.bfloat16, device=device)
    sum_mul_sub_add_rsqrt[(512,)](x, w, b, to_copy, num_warps=8, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def sum_mul_sub_add_rsqrt(x_ptr, w_ptr, b_ptr, to_copy_out_ptr):  # reduces down columns of memory: 64 of them side by side, 128 deep
    pid = tl.program_id(0)
    lanes = tl.arange(0, 64)[:, None]
    p = pid * 64 + lanes
    r = tl.arange(0, 128)[None, :]
    acc = tl.full((64, 128), 0.0, tl.float32)
    acc_1 = acc
    acc_2 = acc
    for r_start in range(0, 4096, 128):
        x = tl.load(x_ptr + (p + (r_start + r) * 32768), eviction_policy="evict_last")
        to_copy = x.to(tl.float32)
        t = acc_1 + to_copy
        t_1 = tl.maximum((r_start // 128).to(tl.float32), 1.0, propagate_nan=tl.PropagateNan.ALL)
        t_2 = tl.fma(acc_1, (tl.full((), 1.0, tl.float32) / t_1) * -1.0, to_copy)
        t_3 = tl.maximum(((r_start // 128) + 1).to(tl.float32), 1.0, propagate_nan=tl.PropagateNan.ALL)
        t_4 = tl.fma(t, (tl.full((), 1.0, tl.float32) / t_3) * -1.0, to_copy)
        acc_1, acc_2 = t, tl.fma(t_2, t_4, acc_2)
    reduce = tl.sum(acc_1, axis=1, keep_dims=True)
    t_5 = (acc_1 * lib.reciprocal(tl.full((64, 128), 32.0, tl.float32))) - tl.div_rn(reduce, tl.full((64, 1), 4096.0, tl.float32))
    reduce_1 = tl.sum(acc_2 + (32.0 * (t_5 * t_5)), axis=1, keep_dims=True)
    getitem = reduce * 0.00024414062
    getitem_1 = reduce_1 * 0.00024414062
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    for r_start_1 in range(0, 4096, 128):
        r_1 = (-r_start_1 + 3968) + r
        x_1 = tl.load(x_ptr + (p + r_1 * 32768), eviction_policy="evict_first")
        to_copy_1 = x_1.to(tl.float32)
        sub = to_copy_1 - getitem
        mul = sub * rsqrt
        w = tl.load(w_ptr + r_1)
        cast = w.to(tl.float32)
        mul_1 = mul * cast
        b = tl.load(b_ptr + r_1)
        cast_1 = b.to(tl.float32)
        add_1 = mul_1 + cast_1
        tl.store(to_copy_out_ptr + (p * 4096 + r_1), add_1.to(tl.bfloat16), eviction_policy="evict_first")


# case: broadcast rows and columns f32
def case(x, y):
    device = x.device
    x = with_layout(x, (8192, 8192), (1, 0))
    y = with_layout(y, (8192, 8192), (0, 1))
    add = torch.empty_strided((8192, 8192), (8192, 1), dtype=torch.float32, device=device)
    mul_add[(65536,)](x, y, add, num_warps=4, enable_fp_fusion=False)
    return (add,)


@triton.jit
def mul_add(x_ptr, y_ptr, add_out_ptr):  # 1024 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    x = tl.load(x_ptr + (pid // 8))
    y = tl.load(y_ptr + (lanes + (pid % 8) * 1024))
    mul = x * y
    tl.store(add_out_ptr + ((pid * 1024 + lanes)), mul + x)


# case: softmax f16 16000x4097
def case(x):
    device = x.device
    x = with_layout(x, (16000, 4097), (4097, 1))
    to_copy = torch.empty_strided((16000, 4097), (4097, 1), dtype=torch.float16, device=device)
    max_sub_exp_sum_div[(16000,)](x, to_copy, num_warps=4, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def max_sub_exp_sum_div(x_ptr, to_copy_out_ptr):  # 1 row(s) of 4080 kept in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 32)
    mask = r < 17
    x = tl.load(x_ptr + (p * 4097 + r + ((r + ((p * 4097 + 15) % 16) + 17) // 32) * 4080), mask=mask, other=0, eviction_policy="evict_last")
    to_copy = x.to(tl.float32)
    t = tl.reduce(tl.where(mask, to_copy, float("-inf")), 0, lib.max_nan)
    r_1 = tl.arange(0, 4096)
    mask_1 = r_1 < 4080
    x_1 = tl.load(x_ptr + (r_1 + ((p * 4097 + 15) // 16) * 16), mask=mask_1, other=0, eviction_policy="evict_last")
    to_copy_1 = x_1.to(tl.float32)
    t_1 = tl.reduce(tl.where(mask_1, to_copy_1, float("-inf")), 0, lib.max_nan)
    amax = tl.maximum(t, t_1, propagate_nan=tl.PropagateNan.ALL)
    sub = to_copy - amax
    exp = tl.exp(sub)
    t_2 = tl.sum(tl.where(mask, exp, 0.0), axis=0)
    sub_1 = to_copy_1 - amax
    exp_1 = tl.exp(sub_1)
    t_3 = tl.sum(tl.where(mask_1, exp_1, 0.0), axis=0)
    sum = t_2 + t_3
    div = tl.where(tl.abs(sum) < 7.888609e-31, tl.full((), 1.6777216e+07, tl.float32), tl.full((), 1.0, tl.float32))
    div_1 = tl.div_rn(tl.full((), 1.0, tl.float32), sum * div)
    div_2 = (exp_1 * div) * div_1
    tl.store(to_copy_out_ptr + (r_1 + ((p * 4097 + 15) // 16) * 16), div_2.to(tl.float16), mask=mask_1)
    div_3 = (exp * div) * div_1
    tl.store(to_copy_out_ptr + (p * 4097 + r + ((r + ((p * 4097 + 15) % 16) + 17) // 32) * 4080), div_3.to(tl.float16), mask=mask)


# case: layer norm bf16 4096x50257
def case(x, w, b):
    device = x.device
    x = with_layout(x, (4096, 50257), (50257, 1))
    w = with_layout(w, (50257,), (1,))
    b = with_layout(b, (50257,), (1,))
    to_copy = torch.empty_strided((4096, 50257), (50257, 1), dtype=torch.bfloat16, device=device)
    sum_div_sub_add_rsqrt[(4096,)](x, w, b, to_copy, num_warps=16, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def sum_div_sub_add_rsqrt(x_ptr, w_ptr, b_ptr, to_copy_out_ptr):  # a row of 50240, more than 16384: looped by 4096; variances are sums of distances
    p = tl.program_id(0)
    r = tl.arange(0, 32)
    x = tl.load(x_ptr + (((p * 50257 + 15) // 16) * 16 + (r // 2) * 3140 + (r % 2)), eviction_policy="evict_last")
    to_copy = x.to(tl.float32)
    t = tl.sum(to_copy, axis=0)
    t_1 = tl.sum(to_copy * to_copy, axis=0)
    t_2 = t * 0.03125
    pivot = tl.where(tl.abs(t_2) < float("inf"), tl.where((t_2 * (t * 16.0)) < t_1, 0.0, t_2), 0.0)
    r_1 = tl.arange(0, 4096)
    acc = tl.full((4096,), 0.0, tl.float32)
    mask = r < 17
    x_1 = tl.load(x_ptr + (p * 50257 + r + ((r + ((p * 50257 + 15) % 16) + 17) // 32) * 50240), mask=mask, other=0)
    w = tl.load(w_ptr + (r + ((r + ((p * 50257 + 15) % 16) + 17) // 32) * 50240), mask=mask, other=0)
    b = tl.load(b_ptr + (r + ((r + ((p * 50257 + 15) % 16) + 17) // 32) * 50240), mask=mask, other=0)
    acc_1 = acc
    acc_2 = acc
    for r_start in range(0, 50240, 4096):
        r_2 = r_start + r_1
        mask_1 = r_2 < 50240
        x_2 = tl.load(x_ptr + (r_2 + ((p * 50257 + 15) // 16) * 16), mask=mask_1, other=0, eviction_policy="evict_last")
        to_copy_1 = x_2.to(tl.float32)
        t_3 = to_copy_1 - pivot
        acc_1, acc_2 = acc_1 + tl.where(mask_1, t_3, 0.0), acc_2 + tl.where(mask_1, t_3 * t_3, 0.0)
    t_4 = tl.sum(acc_1, axis=0)
    t_5 = tl.sum(acc_2, axis=0)
    t_6 = tl.fma(tl.full((), 50240.0, tl.float32), pivot, t_4)
    t_7 = t_5 - (t_4 * tl.div_rn(t_4, tl.full((), 50240.0, tl.float32)))
    to_copy_2 = x_1.to(tl.float32)
    t_8 = tl.sum(to_copy_2, axis=0)
    t_9 = tl.where(mask, tl.full((32,), 1.0, tl.float32), tl.full((32,), 0.0, tl.float32))
    t_10 = tl.sum(t_9, axis=0)
    t_11 = to_copy_2 - tl.div_rn(t_8, t_10)
    t_12 = tl.sum(tl.where(mask, t_11 * t_11, 0.0), axis=0)
    getitem = tl.div_rn(t_8 + t_6, tl.full((), 50257.0, tl.float32))
    t_13 = tl.div_rn(t_8, tl.full((), 17.0, tl.float32)) - getitem
    t_14 = tl.div_rn(t_6, tl.full((), 50240.0, tl.float32)) - getitem
    t_15 = tl.maximum(t_7, 0.0, propagate_nan=tl.PropagateNan.ALL) + (50240.0 * (t_14 * t_14))
    getitem_1 = tl.div_rn((t_12 + (17.0 * (t_13 * t_13))) + t_15, tl.full((), 50257.0, tl.float32))
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    base = -p * 50257 + ((p * 50257 + 15) // 16) * 16
    for r_start_1 in range(0, 50240, 4096):
        r_3 = (-r_start_1 + 49152) + r_1
        mask_2 = r_3 < 50240
        x_3 = tl.load(x_ptr + (r_3 + ((p * 50257 + 15) // 16) * 16), mask=mask_2, other=0, eviction_policy="evict_first")
        to_copy_3 = x_3.to(tl.float32)
        sub = to_copy_3 - getitem
        mul = sub * rsqrt
        w_1 = tl.load(w_ptr + (base + r_3), mask=mask_2, other=0)
        cast = w_1.to(tl.float32)
        mul_1 = mul * cast
        b_1 = tl.load(b_ptr + (base + r_3), mask=mask_2, other=0)
        cast_1 = b_1.to(tl.float32)
        add_1 = mul_1 + cast_1
        tl.store(to_copy_out_ptr + (r_3 + ((p * 50257 + 15) // 16) * 16), add_1.to(tl.bfloat16), mask=mask_2, eviction_policy="evict_first")
    sub_1 = to_copy_2 - getitem
    mul_2 = sub_1 * rsqrt
    cast_2 = w.to(tl.float32)
    mul_3 = mul_2 * cast_2
    cast_3 = b.to(tl.float32)
    add_2 = mul_3 + cast_3
    tl.store(to_copy_out_ptr + (p * 50257 + r + ((r + ((p * 50257 + 15) % 16) + 17) // 32) * 50240), add_2.to(tl.bfloat16), mask=mask)


# case: rms norm + residual bf16 2048x50257
def case(x, r, w):
    device = x.device
    x = with_layout(x, (2048, 50257), (50257, 1))
    r = with_layout(r, (2048, 50257), (50257, 1))
    w = with_layout(w, (50257,), (1,))
    h = torch.empty_strided((2048, 50257), (50257, 1), dtype=torch.bfloat16, device=device)
    mul = torch.empty_strided((2048, 50257), (50257, 1), dtype=torch.bfloat16, device=device)
    add_mul_sum_div_rsqrt[(2048,)](x, r, w, h, mul, num_warps=16, enable_fp_fusion=False)
    return (h, mul,)


@triton.jit
def add_mul_sum_div_rsqrt(x_ptr, r_ptr, w_ptr, h_out_ptr, mul_out_ptr):  # a row of 50240, more than 16384: looped by 8192
    p = tl.program_id(0)
    r = tl.arange(0, 8192)
    acc = tl.full((8192,), 0.0, tl.float32)
    r_1 = tl.arange(0, 32)
    mask = r_1 < 17
    x = tl.load(x_ptr + (p * 50257 + r_1 + ((r_1 + ((p * 50257 + 15) % 16) + 17) // 32) * 50240), mask=mask, other=0)
    r_2 = tl.load(r_ptr + (p * 50257 + r_1 + ((r_1 + ((p * 50257 + 15) % 16) + 17) // 32) * 50240), mask=mask, other=0)
    w = tl.load(w_ptr + (r_1 + ((r_1 + ((p * 50257 + 15) % 16) + 17) // 32) * 50240), mask=mask, other=0)
    acc_1 = acc
    for r_start in range(0, 50240, 8192):
        r_3 = r_start + r
        mask_1 = r_3 < 50240
        x_1 = tl.load(x_ptr + (r_3 + ((p * 50257 + 15) // 16) * 16), mask=mask_1, other=0, eviction_policy="evict_last")
        r_4 = tl.load(r_ptr + (r_3 + ((p * 50257 + 15) // 16) * 16), mask=mask_1, other=0, eviction_policy="evict_last")
        h = (x_1.to(tl.float32) + r_4.to(tl.float32)).to(tl.bfloat16)
        to_copy = h.to(tl.float32)
        square = to_copy * to_copy
        tl.store(h_out_ptr + (r_3 + ((p * 50257 + 15) // 16) * 16), h, mask=mask_1)
        acc_1 = acc_1 + tl.where(mask_1, square, 0.0)
    t = tl.sum(acc_1, axis=0)
    h_1 = (x.to(tl.float32) + r_2.to(tl.float32)).to(tl.bfloat16)
    to_copy_1 = h_1.to(tl.float32)
    square_1 = to_copy_1 * to_copy_1
    tl.store(h_out_ptr + (p * 50257 + r_1 + ((r_1 + ((p * 50257 + 15) % 16) + 17) // 32) * 50240), h_1, mask=mask)
    t_1 = tl.sum(tl.where(mask, square_1, 0.0), axis=0)
    mean = tl.div_rn(t_1 + t, tl.full((), 50257.0, tl.float32))
    add = mean + 1e-06
    rsqrt = libdevice.rsqrt(add)
    base = -p * 50257 + ((p * 50257 + 15) // 16) * 16
    for r_start_1 in range(0, 50240, 8192):
        r_5 = (-r_start_1 + 49152) + r
        mask_2 = r_5 < 50240
        x_2 = tl.load(x_ptr + (r_5 + ((p * 50257 + 15) // 16) * 16), mask=mask_2, other=0, eviction_policy="evict_first")
        r_6 = tl.load(r_ptr + (r_5 + ((p * 50257 + 15) // 16) * 16), mask=mask_2, other=0, eviction_policy="evict_first")
        h_2 = (x_2.to(tl.float32) + r_6.to(tl.float32)).to(tl.bfloat16)
        to_copy_2 = h_2.to(tl.float32)
        mul = to_copy_2 * rsqrt
        to_copy_3 = mul.to(tl.bfloat16)
        w_1 = tl.load(w_ptr + (base + r_5), mask=mask_2, other=0)
        mul_1 = (to_copy_3.to(tl.float32) * w_1.to(tl.float32)).to(tl.bfloat16)
        tl.store(mul_out_ptr + (r_5 + ((p * 50257 + 15) // 16) * 16), mul_1, mask=mask_2, eviction_policy="evict_first")
    mul_2 = to_copy_1 * rsqrt
    to_copy_4 = mul_2.to(tl.bfloat16)
    mul_3 = (to_copy_4.to(tl.float32) * w.to(tl.float32)).to(tl.bfloat16)
    tl.store(mul_out_ptr + (p * 50257 + r_1 + ((r_1 + ((p * 50257 + 15) % 16) + 17) // 32) * 50240), mul_3, mask=mask)


# case: layer norm backward bf16 16000x4097
def case(dy, x, w):
    device = dy.device
    dy = with_layout(dy, (16000, 4097), (4097, 1))
    x = with_layout(x, (16000, 4097), (4097, 1))
    w = with_layout(w, (4097,), (1,))
    to_copy = torch.empty_strided((16000, 4097), (4097, 1), dtype=torch.bfloat16, device=device)
    buf = torch.empty_strided((264, 1, 4097), (4097, 4097, 1), dtype=torch.float32, device=device)
    buf_1 = torch.empty_strided((264, 1, 4097), (4097, 4097, 1), dtype=torch.float32, device=device)
    sum_div_sub_add_rsqrt[(264,)](x, dy, w, to_copy, buf, buf_1, num_warps=4, enable_fp_fusion=False, maxnreg=248)
    to_copy_1 = torch.empty_strided((4097,), (1,), dtype=torch.bfloat16, device=device)
    to_copy_2 = torch.empty_strided((4097,), (1,), dtype=torch.bfloat16, device=device)
    sum[(257,)](buf, buf_1, to_copy_1, to_copy_2, num_warps=16, enable_fp_fusion=False, maxnreg=128)
    del buf_1
    del buf
    return (to_copy, to_copy_1, to_copy_2,)


@triton.jit
def sum_div_sub_add_rsqrt(x_ptr, dy_ptr, w_ptr, to_copy_out_ptr, reduce_out_ptr, reduce_out_ptr_1):  # 264 programs walk the rows, 1 at once; sums over the rows stay in registers
    i = tl.program_id(0)
    reduce_out = tl.full((4096,), 0.0, tl.float32)
    reduce_out_1 = tl.full((1,), 0.0, tl.float32)
    w = tl.load(w_ptr + (4096))
    to_copy = w.to(tl.float32)
    r = tl.arange(0, 4096)
    w_1 = tl.load(w_ptr + r)
    to_copy_1 = w_1.to(tl.float32)
    zeros = tl.full((1,), 0, tl.int32)
    acc = reduce_out
    acc_1 = reduce_out
    acc_2 = reduce_out_1
    acc_3 = reduce_out_1
    for p in range(i, 16000, 264):
        x = tl.load(x_ptr + (p * 4097 + 4096))
        to_copy_2 = x.to(tl.float32)
        dy = tl.load(dy_ptr + (p * 4097 + 4096))
        to_copy_3 = dy.to(tl.float32)
        mul = to_copy_3 * to_copy
        t = tl.sum(tl.broadcast_to(to_copy_2, (1,)), axis=0)
        t_1 = tl.sum(tl.broadcast_to(mul, (1,)), axis=0)
        x_1 = tl.load(x_ptr + (p * 4097 + r))
        to_copy_4 = x_1.to(tl.float32)
        dy_1 = tl.load(dy_ptr + (p * 4097 + r))
        to_copy_5 = dy_1.to(tl.float32)
        mul_1 = to_copy_5 * to_copy_1
        t_2 = tl.sum(to_copy_4, axis=0)
        t_3 = tl.sum(mul_1, axis=0)
        sum = t_1 + t_3
        mean = tl.div_rn(t + t_2, tl.full((), 4097.0, tl.float32))
        sub = to_copy_2 - mean
        mul_2 = sub * sub
        t_4 = tl.sum(tl.broadcast_to(mul_2, (1,)), axis=0)
        sub_1 = to_copy_4 - mean
        mul_3 = sub_1 * sub_1
        t_5 = tl.sum(mul_3, axis=0)
        var = tl.div_rn(t_4 + t_5, tl.full((), 4097.0, tl.float32))
        add = var + 1e-05
        rstd = libdevice.rsqrt(add)
        mul_4 = sub * rstd
        mul_5 = mul * mul_4
        t_6 = tl.sum(tl.broadcast_to(mul_5, (1,)), axis=0)
        mul_6 = sub_1 * rstd
        mul_7 = mul_1 * mul_6
        t_7 = tl.sum(mul_7, axis=0)
        sum_1 = t_6 + t_7
        div = tl.div_rn(rstd, tl.full((), 4097.0, tl.float32))
        mul_8 = mul_1 * 4097.0
        sub_2 = mul_8 - sum
        mul_9 = mul_6 * sum_1
        sub_3 = sub_2 - mul_9
        mul_10 = div * sub_3
        tl.store(to_copy_out_ptr + (p * 4097 + r), mul_10.to(tl.bfloat16))
        mul_11 = to_copy_5 * mul_6
        t_8 = acc + mul_11
        t_9 = acc_1 + to_copy_5
        mul_12 = mul * 4097.0
        sub_4 = mul_12 - sum
        mul_13 = mul_4 * sum_1
        sub_5 = sub_4 - mul_13
        mul_14 = div * sub_5
        tl.store(to_copy_out_ptr + (p * 4097 + zeros + 4096), mul_14.to(tl.bfloat16))
        mul_15 = to_copy_3 * mul_4
        t_10 = acc_2 + mul_15
        t_11 = acc_3 + to_copy_3
        acc, acc_1, acc_2, acc_3 = t_8, t_9, t_10, t_11
    tl.store(reduce_out_ptr + (i * 4097 + r), acc)
    tl.store(reduce_out_ptr_1 + (i * 4097 + r), acc_1)
    tl.store(reduce_out_ptr + (i * 4097 + zeros + 4096), acc_2)
    tl.store(reduce_out_ptr_1 + (i * 4097 + zeros + 4096), acc_3)


@triton.jit
def sum(reduce_ptr, reduce_ptr_1, to_copy_out_ptr, to_copy_out_ptr_1):  # reduces down columns of memory: 16 of them side by side, 512 deep, kept in registers
    pid = tl.program_id(0)
    lanes = tl.arange(0, 16)[:, None]
    p = tl.minimum(pid * 16, 4081) + lanes
    r = tl.arange(0, 512)[None, :]
    mask = r < 264
    t = tl.load(reduce_ptr + (p + r * 4097), mask=mask, other=0)
    reduce = tl.sum(t, axis=1, keep_dims=True)
    tl.store(to_copy_out_ptr + p, reduce.to(tl.bfloat16))
    t_1 = tl.load(reduce_ptr_1 + (p + r * 4097), mask=mask, other=0)
    reduce_1 = tl.sum(t_1, axis=1, keep_dims=True)
    tl.store(to_copy_out_ptr_1 + p, reduce_1.to(tl.bfloat16))


# case: layer norm backward bf16 2048x50257
def case(dy, x, w):
    device = dy.device
    dy = with_layout(dy, (2048, 50257), (50257, 1))
    x = with_layout(x, (2048, 50257), (50257, 1))
    w = with_layout(w, (50257,), (1,))
    mean = torch.empty_strided((2048, 1), (1, 1), dtype=torch.float32, device=device)
    rstd = torch.empty_strided((2048, 1), (1, 1), dtype=torch.float32, device=device)
    to_copy = torch.empty_strided((2048, 50257), (50257, 1), dtype=torch.bfloat16, device=device)
    sum_div_sub_add_rsqrt[(2048,)](x, dy, w, mean, rstd, to_copy, num_warps=16, enable_fp_fusion=False)
    to_copy_1 = torch.empty_strided((50257,), (1,), dtype=torch.bfloat16, device=device)
    to_copy_2 = torch.empty_strided((50257,), (1,), dtype=torch.bfloat16, device=device)
    sub_mul_sum[(786,)](x, mean, dy, rstd, to_copy_1, to_copy_2, num_warps=8, enable_fp_fusion=False, maxnreg=248)
    del rstd
    del mean
    return (to_copy, to_copy_1, to_copy_2,)


@triton.jit
def sum_div_sub_add_rsqrt(x_ptr, dy_ptr, w_ptr, mean_out_ptr, rstd_out_ptr, to_copy_out_ptr):  # a row of 50240, more than 16384: looped by 4096; variances are sums of distances
    p = tl.program_id(0)
    r = tl.arange(0, 32)
    x = tl.load(x_ptr + (((p * 50257 + 15) // 16) * 16 + (r // 2) * 3140 + (r % 2)), eviction_policy="evict_last")
    to_copy = x.to(tl.float32)
    base = -p * 50257 + ((p * 50257 + 15) // 16) * 16
    t = tl.sum(to_copy, axis=0)
    t_1 = tl.sum(to_copy * to_copy, axis=0)
    t_2 = t * 0.03125
    pivot = tl.where(tl.abs(t_2) < float("inf"), tl.where((t_2 * (t * 16.0)) < t_1, 0.0, t_2), 0.0)
    r_1 = tl.arange(0, 4096)
    acc = tl.full((4096,), 0.0, tl.float32)
    mask = r < 17
    x_1 = tl.load(x_ptr + (p * 50257 + r + ((r + ((p * 50257 + 15) % 16) + 17) // 32) * 50240), mask=mask, other=0)
    dy = tl.load(dy_ptr + (p * 50257 + r + ((r + ((p * 50257 + 15) % 16) + 17) // 32) * 50240), mask=mask, other=0)
    w = tl.load(w_ptr + (r + ((r + ((p * 50257 + 15) % 16) + 17) // 32) * 50240), mask=mask, other=0)
    acc_1 = acc
    acc_2 = acc
    acc_3 = acc
    for r_start in range(0, 50240, 4096):
        r_2 = r_start + r_1
        mask_1 = r_2 < 50240
        x_2 = tl.load(x_ptr + (r_2 + ((p * 50257 + 15) // 16) * 16), mask=mask_1, other=0, eviction_policy="evict_last")
        to_copy_1 = x_2.to(tl.float32)
        dy_1 = tl.load(dy_ptr + (r_2 + ((p * 50257 + 15) // 16) * 16), mask=mask_1, other=0, eviction_policy="evict_last")
        to_copy_2 = dy_1.to(tl.float32)
        w_1 = tl.load(w_ptr + (base + r_2), mask=mask_1, other=0, eviction_policy="evict_last")
        to_copy_3 = w_1.to(tl.float32)
        mul = to_copy_2 * to_copy_3
        t_3 = to_copy_1 - pivot
        acc_1, acc_2, acc_3 = acc_1 + tl.where(mask_1, t_3, 0.0), acc_2 + tl.where(mask_1, t_3 * t_3, 0.0), acc_3 + tl.where(mask_1, mul, 0.0)
    t_4 = tl.sum(acc_1, axis=0)
    t_5 = tl.sum(acc_2, axis=0)
    t_6 = tl.sum(acc_3, axis=0)
    t_7 = tl.fma(tl.full((), 50240.0, tl.float32), pivot, t_4)
    t_8 = t_5 - (t_4 * tl.div_rn(t_4, tl.full((), 50240.0, tl.float32)))
    to_copy_4 = x_1.to(tl.float32)
    to_copy_5 = dy.to(tl.float32)
    to_copy_6 = w.to(tl.float32)
    mul_1 = to_copy_5 * to_copy_6
    t_9 = tl.sum(to_copy_4, axis=0)
    t_10 = tl.where(mask, tl.full((32,), 1.0, tl.float32), tl.full((32,), 0.0, tl.float32))
    t_11 = tl.sum(t_10, axis=0)
    t_12 = to_copy_4 - tl.div_rn(t_9, t_11)
    t_13 = tl.sum(tl.where(mask, t_12 * t_12, 0.0), axis=0)
    t_14 = tl.sum(tl.where(mask, mul_1, 0.0), axis=0)
    mean = tl.div_rn(t_9 + t_7, tl.full((), 50257.0, tl.float32))
    t_15 = tl.div_rn(t_9, tl.full((), 17.0, tl.float32)) - mean
    t_16 = tl.div_rn(t_7, tl.full((), 50240.0, tl.float32)) - mean
    t_17 = tl.maximum(t_8, 0.0, propagate_nan=tl.PropagateNan.ALL) + (50240.0 * (t_16 * t_16))
    sum = t_14 + t_6
    var = tl.div_rn((t_13 + (17.0 * (t_15 * t_15))) + t_17, tl.full((), 50257.0, tl.float32))
    add = var + 1e-05
    rstd = libdevice.rsqrt(add)
    acc_4 = acc
    for r_start_1 in range(0, 50240, 4096):
        r_3 = r_start_1 + r_1
        mask_2 = r_3 < 50240
        dy_2 = tl.load(dy_ptr + (r_3 + ((p * 50257 + 15) // 16) * 16), mask=mask_2, other=0, eviction_policy="evict_last")
        to_copy_7 = dy_2.to(tl.float32)
        w_2 = tl.load(w_ptr + (base + r_3), mask=mask_2, other=0, eviction_policy="evict_last")
        to_copy_8 = w_2.to(tl.float32)
        mul_2 = to_copy_7 * to_copy_8
        x_3 = tl.load(x_ptr + (r_3 + ((p * 50257 + 15) // 16) * 16), mask=mask_2, other=0, eviction_policy="evict_last")
        to_copy_9 = x_3.to(tl.float32)
        sub = to_copy_9 - mean
        mul_3 = sub * rstd
        mul_4 = mul_2 * mul_3
        acc_4 = acc_4 + tl.where(mask_2, mul_4, 0.0)
    t_18 = tl.sum(acc_4, axis=0)
    sub_1 = to_copy_4 - mean
    mul_5 = sub_1 * rstd
    mul_6 = mul_1 * mul_5
    t_19 = tl.sum(tl.where(mask, mul_6, 0.0), axis=0)
    sum_1 = t_19 + t_18
    tl.store(mean_out_ptr + p, mean)
    tl.store(rstd_out_ptr + p, rstd)
    div = tl.div_rn(rstd, tl.full((), 50257.0, tl.float32))
    for r_start_2 in range(0, 50240, 4096):
        r_4 = (-r_start_2 + 49152) + r_1
        mask_3 = r_4 < 50240
        dy_3 = tl.load(dy_ptr + (r_4 + ((p * 50257 + 15) // 16) * 16), mask=mask_3, other=0, eviction_policy="evict_first")
        to_copy_10 = dy_3.to(tl.float32)
        w_3 = tl.load(w_ptr + (base + r_4), mask=mask_3, other=0, eviction_policy="evict_first")
        to_copy_11 = w_3.to(tl.float32)
        mul_7 = to_copy_10 * to_copy_11
        mul_8 = mul_7 * 50257.0
        sub_2 = mul_8 - sum
        x_4 = tl.load(x_ptr + (r_4 + ((p * 50257 + 15) // 16) * 16), mask=mask_3, other=0, eviction_policy="evict_first")
        to_copy_12 = x_4.to(tl.float32)
        sub_3 = to_copy_12 - mean
        mul_9 = sub_3 * rstd
        mul_10 = mul_9 * sum_1
        sub_4 = sub_2 - mul_10
        mul_11 = div * sub_4
        tl.store(to_copy_out_ptr + (r_4 + ((p * 50257 + 15) // 16) * 16), mul_11.to(tl.bfloat16), mask=mask_3, eviction_policy="evict_first")
    mul_12 = mul_1 * 50257.0
    sub_5 = mul_12 - sum
    mul_13 = mul_5 * sum_1
    sub_6 = sub_5 - mul_13
    mul_14 = div * sub_6
    tl.store(to_copy_out_ptr + (p * 50257 + r + ((r + ((p * 50257 + 15) % 16) + 17) // 32) * 50240), mul_14.to(tl.bfloat16), mask=mask)


@triton.jit
def sub_mul_sum(x_ptr, mean_ptr, dy_ptr, rstd_ptr, to_copy_out_ptr, to_copy_out_ptr_1):  # reduces down columns of memory: 64 of them side by side, 64 deep
    pid = tl.program_id(0)
    lanes = tl.arange(0, 64)[:, None]
    p = tl.minimum((-pid + 785) * 64, 50193) + lanes
    r = tl.arange(0, 64)[None, :]
    acc = tl.full((64, 64), 0.0, tl.float32)
    acc_1 = acc
    acc_2 = acc
    for r_start in range(0, 2048, 64):
        r_1 = r_start + r
        dy = tl.load(dy_ptr + (p + r_1 * 50257))
        to_copy = dy.to(tl.float32)
        x = tl.load(x_ptr + (p + r_1 * 50257))
        to_copy_1 = x.to(tl.float32)
        mean = tl.load(mean_ptr + r_1)
        sub = to_copy_1 - mean
        rstd = tl.load(rstd_ptr + r_1)
        mul = sub * rstd
        mul_1 = to_copy * mul
        acc_1, acc_2 = acc_1 + mul_1, acc_2 + to_copy
    reduce = tl.sum(acc_1, axis=1, keep_dims=True)
    reduce_1 = tl.sum(acc_2, axis=1, keep_dims=True)
    tl.store(to_copy_out_ptr + p, reduce.to(tl.bfloat16))
    tl.store(to_copy_out_ptr_1 + p, reduce_1.to(tl.bfloat16))


# case: rms norm backward f32 20000x1000
def case(dy, x, w):
    device = dy.device
    dy = with_layout(dy, (20000, 1000), (1000, 1))
    x = with_layout(x, (20000, 1000), (1000, 1))
    w = with_layout(w, (1000,), (1,))
    dx = torch.empty_strided((20000, 1000), (1000, 1), dtype=torch.float32, device=device)
    buf = torch.empty_strided((264, 1, 1000), (1000, 1000, 1), dtype=torch.float32, device=device)
    mul_sum_div_rsqrt_sub[(264,)](x, dy, w, dx, buf, num_warps=4, enable_fp_fusion=False)
    reduce = torch.empty_strided((1, 1000), (1000, 1), dtype=torch.float32, device=device)
    sum[(63,)](buf, reduce, num_warps=16, enable_fp_fusion=False, maxnreg=128)
    del buf
    sum_1 = reduce.as_strided((1000,), (1,), reduce.storage_offset())
    return (dx, sum_1,)


@triton.jit
def mul_sum_div_rsqrt_sub(x_ptr, dy_ptr, w_ptr, dx_out_ptr, reduce_out_ptr):  # 264 programs walk the rows, 4 at once; sums over the rows stay in registers
    i = tl.program_id(0)
    reduce_out = tl.full((4, 1024), 0.0, tl.float32)
    lanes = tl.arange(0, 4)[:, None]
    r = tl.arange(0, 1024)[None, :]
    mask = r < 1000
    w = tl.load(w_ptr + r, mask=mask, other=0)
    acc = reduce_out
    for p_start in tl.range(i * 4, 20000, 1056, num_stages=3):
        p = p_start + lanes
        x = tl.load(x_ptr + (p * 1000 + r), mask=mask, other=0)
        square = x * x
        reduce = tl.sum(tl.where(mask, square, 0.0), axis=1, keep_dims=True)
        mean = tl.div_rn(reduce, tl.full((4, 1), 1000.0, tl.float32))
        add = mean + 1e-06
        rstd = libdevice.rsqrt(add)
        dy = tl.load(dy_ptr + (p * 1000 + r), mask=mask, other=0)
        mul = dy * w
        mul_1 = x * rstd
        mul_2 = mul * mul_1
        reduce_1 = tl.sum(tl.where(mask, mul_2, 0.0), axis=1, keep_dims=True)
        mean_1 = tl.div_rn(reduce_1, tl.full((4, 1), 1000.0, tl.float32))
        mul_3 = mul_1 * mean_1
        sub = mul - mul_3
        tl.store(dx_out_ptr + (p * 1000 + r), rstd * sub, mask=mask)
        mul_4 = dy * mul_1
        t = acc + mul_4
        acc = t
    t_1 = tl.sum(acc, axis=0, keep_dims=True)
    tl.store(reduce_out_ptr + (i * 1000 + r), t_1, mask=mask)


@triton.jit
def sum(reduce_ptr, reduce_out_ptr):  # reduces down columns of memory: 16 of them side by side, 512 deep, kept in registers
    pid = tl.program_id(0)
    lanes = tl.arange(0, 16)[:, None]
    p = tl.minimum(pid * 16, 984) + lanes
    r = tl.arange(0, 512)[None, :]
    t = tl.load(reduce_ptr + (p + r * 1000), mask=r < 264, other=0)
    reduce = tl.sum(t, axis=1, keep_dims=True)
    tl.store(reduce_out_ptr + p, reduce)


# case: batch norm training + relu f32 33x100x57x57
def case(x):
    device = x.device
    x = with_layout(x, (33, 100, 57, 57), (324900, 3249, 57, 1))
    relu = torch.empty_strided((33, 100, 57, 57), (324900, 3249, 57, 1), dtype=torch.float32, device=device)
    partial = torch.empty_strided((100, 3), (3, 1), dtype=torch.float32, device=device)
    partial_1 = torch.empty_strided((100, 3), (3, 1), dtype=torch.float32, device=device)
    sum_div_sub_rsqrt_maximum_parts[(300,)](x, partial, partial_1, num_warps=4, enable_fp_fusion=False)
    sum_div_sub_rsqrt_maximum[(3300,)](x, relu, partial, partial_1, num_warps=4, enable_fp_fusion=False)
    del partial
    del partial_1
    return (relu,)


@triton.jit
def sum_div_sub_rsqrt_maximum_parts(x_ptr, partial_ptr, partial_ptr_1):  # a row of 45056, more than 16384: looped by 4096
    q = tl.program_id(0)
    r = tl.arange(0, 32)
    x = tl.load(x_ptr + ((q // 3) * 3249 + (r // 2) * 649800 + (r % 2) + 1624))
    t = tl.sum(x, axis=0)
    t_1 = tl.sum(x * x, axis=0)
    t_2 = t * 0.03125
    pivot = tl.where(tl.abs(t_2) < float("inf"), tl.where((t_2 * (t * 16.0)) < t_1, 0.0, t_2), 0.0)
    r_1 = tl.arange(0, 4096)
    t_3 = (r_1 - 3249).to(tl.int64) < 0
    acc = tl.full((4096,), 0.0, tl.float32)
    acc_1 = acc
    acc_2 = acc
    for r_start in tl.range(0, 45056, 4096, num_stages=5):
        base = (q // 3) * 3249 + (q % 3) * 3573900 + (r_start // 4096) * 324900
        x_1 = tl.load(x_ptr + (base + r_1), mask=t_3, other=0)
        t_4 = x_1 - pivot
        acc_1, acc_2 = acc_1 + t_4, acc_2 + (t_4 * t_4)
    t_5 = tl.sum(tl.where(t_3, acc_1, 0.0), axis=0)
    t_6 = tl.sum(tl.where(t_3, acc_2, 0.0), axis=0)
    tl.store(partial_ptr + q, t_5)
    tl.store(partial_ptr_1 + q, t_6)


@triton.jit
def sum_div_sub_rsqrt_maximum(x_ptr, relu_out_ptr, partial_ptr, partial_ptr_1):  # 1 row(s) of 3249 kept in registers
    q = tl.program_id(0)
    q_1 = -q + 3299
    r = tl.arange(0, 4)
    mask = r < 3
    t = tl.load(partial_ptr + (r + (q_1 // 33) * 3), mask=mask, other=0)
    t_1 = tl.load(partial_ptr_1 + (r + (q_1 // 33) * 3), mask=mask, other=0)
    t_2 = tl.sum(t, axis=0)
    t_3 = tl.sum(t_1, axis=0)
    r_1 = tl.arange(0, 32)
    x = tl.load(x_ptr + ((q_1 // 33) * 3249 + (r_1 // 2) * 649800 + (r_1 % 2) + 1624))
    t_4 = tl.sum(x, axis=0)
    t_5 = tl.sum(x * x, axis=0)
    t_6 = t_4 * 0.03125
    pivot = tl.where(tl.abs(t_6) < float("inf"), tl.where((t_6 * (t_4 * 16.0)) < t_5, 0.0, t_6), 0.0)
    t_7 = t_3 - (t_2 * tl.div_rn(t_2, tl.full((), 107217.0, tl.float32)))
    getitem = tl.div_rn(tl.fma(tl.full((), 107217.0, tl.float32), pivot, t_2), tl.full((), 107217.0, tl.float32))
    getitem_1 = tl.div_rn(tl.maximum(t_7, 0.0, propagate_nan=tl.PropagateNan.ALL), tl.full((), 107217.0, tl.float32))
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    r_2 = tl.arange(0, 4096)
    base = (q_1 // 33) * 3249 + (q_1 % 33) * 324900
    mask_1 = r_2 < 3249
    x_1 = tl.load(x_ptr + (base + r_2), mask=mask_1, other=0)
    sub = x_1 - getitem
    mul = sub * rsqrt
    tl.store(relu_out_ptr + (base + r_2), tl.maximum(mul, 0.0, propagate_nan=tl.PropagateNan.ALL), mask=mask_1)


# case: group norm + silu f16 31x96x55x55
def case(x):
    device = x.device
    x = with_layout(x, (31, 96, 55, 55), (290400, 3025, 55, 1))
    to_copy = torch.empty_strided((31, 96, 55, 55), (290400, 3025, 55, 1), dtype=torch.float16, device=device)
    told = counters.kept("sum_div_sub_rsqrt_sigmoid", 1861, device)
    sum_div_sub_rsqrt_sigmoid[(930,)](x, to_copy, told, num_warps=4, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def sum_div_sub_rsqrt_sigmoid(x_ptr, to_copy_out_ptr, told_ptr):  # a part of 9680, looped by 4096; awaits those of the other programs
    q, mark = lib.ticket(told_ptr, 930)
    r = tl.arange(0, 512)
    x = tl.load(x_ptr + ((q // 5) * 48400 + (r // 32) * 3008 + (r % 32)))
    to_copy = x.to(tl.float32)
    t = tl.sum(to_copy, axis=0)
    t_1 = tl.sum(to_copy * to_copy, axis=0)
    t_2 = t * 0.001953125
    pivot = tl.where(tl.abs(t_2) < float("inf"), tl.where((t_2 * (t * 16.0)) < t_1, 0.0, t_2), 0.0)
    r_1 = tl.arange(0, 4096)
    acc = tl.full((4096,), 0.0, tl.float32)
    acc_1 = acc
    acc_2 = acc
    for r_start in tl.static_range(0, 9680, 4096):
        r_start = tl.full((), r_start, tl.int32)
        r_2 = r_start + r_1
        mask = r_2 < 9680
        x_1 = tl.load(x_ptr + (q * 9680 + r_2), mask=mask, other=0, eviction_policy="evict_last")
        to_copy_1 = x_1.to(tl.float32)
        t_3 = to_copy_1 - pivot
        acc_1, acc_2 = acc_1 + tl.where(mask, t_3, 0.0), acc_2 + tl.where(mask, t_3 * t_3, 0.0)
    t_4 = tl.sum(acc_1, axis=0)
    t_5 = tl.sum(acc_2, axis=0)
    lib.publish(told_ptr + (q + 1), t_4, mark)
    lib.publish(told_ptr + (q + 931), t_5, mark)
    r_3 = tl.arange(0, 8)
    mask_1 = r_3 < 5
    t_6 = lib.awaited(told_ptr + (r_3 + (q // 5) * 5 + 1), mask_1, mark, tl.float32)
    t_7 = lib.awaited(told_ptr + (r_3 + (q // 5) * 5 + 931), mask_1, mark, tl.float32)
    t_8 = tl.sum(tl.where(mask_1, t_6, 0.0), axis=0)
    t_9 = tl.sum(tl.where(mask_1, t_7, 0.0), axis=0)
    t_10 = t_9 - (t_8 * tl.div_rn(t_8, tl.full((), 48400.0, tl.float32)))
    getitem = tl.div_rn(tl.fma(tl.full((), 48400.0, tl.float32), pivot, t_8), tl.full((), 48400.0, tl.float32))
    getitem_1 = tl.div_rn(tl.maximum(t_10, 0.0, propagate_nan=tl.PropagateNan.ALL), tl.full((), 48400.0, tl.float32))
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    for r_start_1 in range(0, 9680, 4096):
        r_4 = (-r_start_1 + 8192) + r_1
        mask_2 = r_4 < 9680
        x_2 = tl.load(x_ptr + (q * 9680 + r_4), mask=mask_2, other=0, eviction_policy="evict_first")
        to_copy_2 = x_2.to(tl.float32)
        sub = to_copy_2 - getitem
        mul = sub * rsqrt
        to_copy_3 = mul.to(tl.float16)
        to_copy_4 = to_copy_3.to(tl.float32)
        mul_1 = tl.fma(to_copy_4, tl.full((4096,), -1.442695, tl.float32), tl.full((4096,), -2.0, tl.float32))
        mul_2 = (to_copy_4 * 0.25) * lib.reciprocal((0.25 + tl.exp2(mul_1)))
        tl.store(to_copy_out_ptr + (q * 9680 + r_4), mul_2.to(tl.float16), mask=mask_2, eviction_policy="evict_first")


# case: argmax bf16 4096x50257
def case(x):
    device = x.device
    x = with_layout(x, (4096, 50257), (50257, 1))
    reduce = torch.empty_strided((4096, 1), (1, 1), dtype=torch.int64, device=device)
    argmax[(4096,)](x, reduce, num_warps=8, enable_fp_fusion=False)
    argmax_1 = reduce.as_strided((4096,), (1,), reduce.storage_offset())
    return (argmax_1,)


@triton.jit
def argmax(x_ptr, reduce_out_ptr):  # a row of 50257, more than 16384: looped by 2048
    p = tl.program_id(0)
    r = tl.arange(0, 2048)
    acc = tl.full((2048,), float("-inf"), tl.bfloat16)
    acc_1 = acc
    acc_2 = r
    for r_start in range(0, 50257, 2048):
        r_1 = r_start + r
        x = tl.load(x_ptr + (p * 50257 + r_1), mask=r_1 < 50257, other=float("-inf"))
        t = (x > acc_1) | ((x != x) & (acc_1 == acc_1))
        acc_1, acc_2 = tl.where(t, x, acc_1), tl.where(t, r_1, acc_2)
    t_1, t_2 = tl.reduce((acc_1, acc_2), 0, lib.argmax_nan)
    tl.store(reduce_out_ptr + p, t_2.to(tl.int64))


# case: row max and sum f32 50000x1000
def case(x):
    device = x.device
    x = with_layout(x, (50000, 1000), (1000, 1))
    reduce = torch.empty_strided((50000, 1), (1, 1), dtype=torch.float32, device=device)
    reduce_1 = torch.empty_strided((50000, 1), (1, 1), dtype=torch.float32, device=device)
    max_sum[(50000,)](x, reduce, reduce_1, num_warps=4, enable_fp_fusion=False)
    amax = reduce.as_strided((50000,), (1,), reduce.storage_offset())
    sum = reduce_1.as_strided((50000,), (1,), reduce_1.storage_offset())
    return (amax, sum,)


@triton.jit
def max_sum(x_ptr, reduce_out_ptr, reduce_out_ptr_1):  # 1 row(s) of 1000 kept in registers; what it reads leaves the cache first
    p = tl.program_id(0)
    r = tl.arange(0, 1024)
    mask = r < 1000
    x = tl.load(x_ptr + (p * 1000 + r), mask=mask, other=0, eviction_policy="evict_first")
    reduce = tl.reduce(tl.where(mask, x, float("-inf")), 0, lib.max_nan)
    reduce_1 = tl.sum(x, axis=0)
    tl.store(reduce_out_ptr + p, reduce)
    tl.store(reduce_out_ptr_1 + p, reduce_1)


# case: variance of rows f16 16000x4097
def case(x):
    device = x.device
    x = with_layout(x, (16000, 4097), (4097, 1))
    div = torch.empty_strided((16000, 1), (1, 1), dtype=torch.float32, device=device)
    sum_div_sub_mul[(16000,)](x, div, num_warps=8, enable_fp_fusion=False)
    var = div.as_strided((16000,), (1,), div.storage_offset())
    return (var,)


@triton.jit
def sum_div_sub_mul(x_ptr, div_out_ptr):  # 1 row(s) of 4080 kept in registers; what it reads leaves the cache first
    p = tl.program_id(0)
    r = tl.arange(0, 32)
    mask = r < 17
    x = tl.load(x_ptr + (p * 4097 + r + ((r + ((p * 4097 + 15) % 16) + 17) // 32) * 4080), mask=mask, other=0, eviction_policy="evict_first")
    to_copy = x.to(tl.float32)
    t = tl.sum(to_copy, axis=0)
    r_1 = tl.arange(0, 4096)
    mask_1 = r_1 < 4080
    x_1 = tl.load(x_ptr + (r_1 + ((p * 4097 + 15) // 16) * 16), mask=mask_1, other=0, eviction_policy="evict_first")
    to_copy_1 = x_1.to(tl.float32)
    t_1 = tl.sum(to_copy_1, axis=0)
    div = tl.div_rn(t + t_1, tl.full((), 4097.0, tl.float32))
    sub = to_copy - div
    mul = sub * sub
    t_2 = tl.sum(tl.where(mask, mul, 0.0), axis=0)
    sub_1 = to_copy_1 - div
    mul_1 = sub_1 * sub_1
    t_3 = tl.sum(tl.where(mask_1, mul_1, 0.0), axis=0)
    tl.store(div_out_ptr + p, (t_2 + t_3) * 0.00024414062)


# case: sums of rows and of columns f32 16000x4097
def case(x, y):
    device = x.device
    x = with_layout(x, (16000, 4097), (4097, 1))
    y = with_layout(y, (16000, 4097), (4097, 1))
    reduce = torch.empty_strided((16000, 1), (1, 1), dtype=torch.float32, device=device)
    buf = torch.empty_strided((264, 1, 4097), (4097, 4097, 1), dtype=torch.float32, device=device)
    mul_sum[(264,)](x, y, reduce, buf, num_warps=8, enable_fp_fusion=False, maxnreg=248)
    reduce_1 = torch.empty_strided((1, 4097), (4097, 1), dtype=torch.float32, device=device)
    sum[(257,)](buf, reduce_1, num_warps=16, enable_fp_fusion=False, maxnreg=128)
    del buf
    sum_1 = reduce_1.as_strided((4097,), (1,), reduce_1.storage_offset())
    sum_2 = reduce.as_strided((16000,), (1,), reduce.storage_offset())
    return (sum_1, sum_2,)


@triton.jit
def mul_sum(x_ptr, y_ptr, reduce_out_ptr, reduce_out_ptr_1):  # 264 programs walk the rows, 1 at once; sums over the rows stay in registers
    i = tl.program_id(0)
    reduce_out = tl.full((4096,), 0.0, tl.float32)
    reduce_out_1 = tl.full((1,), 0.0, tl.float32)
    r = tl.arange(0, 4096)
    acc = reduce_out
    acc_1 = reduce_out_1
    for p in range(i, 16000, 264):
        x = tl.load(x_ptr + (p * 4097 + 4096))
        y = tl.load(y_ptr + (p * 4097 + 4096))
        product = x * y
        t = tl.sum(tl.broadcast_to(product, (1,)), axis=0)
        x_1 = tl.load(x_ptr + (p * 4097 + r))
        y_1 = tl.load(y_ptr + (p * 4097 + r))
        product_1 = x_1 * y_1
        t_1 = tl.sum(product_1, axis=0)
        tl.store(reduce_out_ptr + p, t + t_1)
        t_2 = acc + product_1
        t_3 = acc_1 + product
        acc, acc_1 = t_2, t_3
    tl.store(reduce_out_ptr_1 + (i * 4097 + r), acc)
    zeros = tl.full((1,), 0, tl.int32)
    tl.store(reduce_out_ptr_1 + (i * 4097 + zeros + 4096), acc_1)


@triton.jit
def sum(reduce_ptr, reduce_out_ptr):  # reduces down columns of memory: 16 of them side by side, 512 deep, kept in registers
    pid = tl.program_id(0)
    lanes = tl.arange(0, 16)[:, None]
    p = tl.minimum(pid * 16, 4081) + lanes
    r = tl.arange(0, 512)[None, :]
    t = tl.load(reduce_ptr + (p + r * 4097), mask=r < 264, other=0)
    reduce = tl.sum(t, axis=1, keep_dims=True)
    tl.store(reduce_out_ptr + p, reduce)


# case: bias gradient bf16 50000x1000
def case(dy):
    device = dy.device
    dy = with_layout(dy, (50000, 1000), (1000, 1))
    cast = torch.empty_strided((1, 1000), (1000, 1), dtype=torch.bfloat16, device=device)
    partial = torch.empty_strided((1000, 49), (49, 1), dtype=torch.float32, device=device)
    arrived = counters(1000, device)
    sum[(392,)](dy, partial, cast, arrived, num_warps=4, enable_fp_fusion=False, maxnreg=248)
    del partial
    sum_1 = cast.as_strided((1000,), (1,), cast.storage_offset())
    return (sum_1,)


@triton.jit
def sum(dy_ptr, partial_ptr, cast_out_ptr, arrived_ptr):  # reduces down columns of memory: 128 of them side by side, 32 deep; the last of 49 adds up
    pid = tl.program_id(0)
    start = tl.minimum((pid % 8) * 128, 872)
    lanes = tl.arange(0, 128)[:, None]
    p = start + lanes
    part = pid // 8
    r = tl.arange(0, 32)[None, :]
    acc = tl.full((128, 32), 0.0, tl.float32)
    acc_1 = acc
    for r_start in tl.range(0, 1024, 32, num_stages=3):
        r_1 = r_start + r
        dy = tl.load(dy_ptr + (r_1 * 1000 + part * 1024000 + p), mask=(r_1 + part * 1024 - 50000).to(tl.int64) < 0, other=0)
        cast = dy.to(tl.float32)
        acc_1 = acc_1 + cast
    t = tl.sum(acc_1, axis=1, keep_dims=True)
    tl.store(partial_ptr + (part + p * 49), t)
    if lib.is_last(arrived_ptr + start, 49):
        r_2 = tl.arange(0, 16)[None, :]
        acc_2 = tl.full((128, 16), 0.0, tl.float32)
        acc_3 = acc_2
        for r_start_1 in range(0, 49, 16):
            r_3 = r_start_1 + r_2
            t_1 = tl.load(partial_ptr + (r_3 + p * 49), mask=r_3 < 49, other=0)
            acc_3 = acc_3 + t_1
        reduce = tl.sum(acc_3, axis=1, keep_dims=True)
        tl.store(cast_out_ptr + p, reduce.to(tl.bfloat16))


# case: variance of columns f32 50000x1000
def case(x):
    device = x.device
    x = with_layout(x, (50000, 1000), (1000, 1))
    div = torch.empty_strided((1, 1000), (1000, 1), dtype=torch.float32, device=device)
    partial = torch.empty_strided((1000, 25), (25, 1), dtype=torch.float32, device=device)
    partial_1 = torch.empty_strided((1000, 25), (25, 1), dtype=torch.float32, device=device)
    arrived = counters(1000, device)
    sum_div_sub_mul[(400,)](x, partial, partial_1, div, arrived, num_warps=4, enable_fp_fusion=False)
    del partial
    del partial_1
    var = div.as_strided((1000,), (1,), div.storage_offset())
    return (var,)


@triton.jit
def sum_div_sub_mul(x_ptr, partial_ptr, partial_ptr_1, div_out_ptr, arrived_ptr):  # reduces down columns of memory: 64 of them side by side, 32 deep; the last of 25 adds up
    pid = tl.program_id(0)
    start = tl.minimum((pid % 16) * 64, 936)
    lanes = tl.arange(0, 64)[:, None]
    p = start + lanes
    part = pid // 16
    r = tl.arange(0, 32)[None, :]
    acc = tl.full((64, 32), 0.0, tl.float32)
    acc_1 = acc
    acc_2 = acc
    for r_start in tl.range(0, 2000, 32, num_stages=3):
        r_1 = r_start + r
        mask = r_1 < 2000
        x = tl.load(x_ptr + (r_1 * 1000 + part * 2000000 + p), mask=mask, other=0)
        t = acc_1 + x
        t_1 = tl.maximum((r_start // 32).to(tl.float32), 1.0, propagate_nan=tl.PropagateNan.ALL)
        t_2 = tl.fma(acc_1, (tl.full((), 1.0, tl.float32) / t_1) * -1.0, x)
        t_3 = tl.maximum(((r_start // 32) + 1).to(tl.float32), 1.0, propagate_nan=tl.PropagateNan.ALL)
        t_4 = tl.fma(t_2, tl.fma(t, (tl.full((), 1.0, tl.float32) / t_3) * -1.0, x), acc_2)
        acc_1, acc_2 = tl.where(mask, t, acc_1), tl.where(mask, t_4, acc_2)
    count = ((-r + 2031) // 32).to(tl.float32)
    t_5 = tl.sum(acc_1, axis=1, keep_dims=True)
    t_6 = (acc_1 * lib.reciprocal(count)) - tl.div_rn(t_5, tl.full((64, 1), 2000.0, tl.float32))
    t_7 = tl.sum(acc_2 + (count * (t_6 * t_6)), axis=1, keep_dims=True)
    tl.store(partial_ptr + (part + p * 25), t_5)
    tl.store(partial_ptr_1 + (part + p * 25), t_7)
    if lib.is_last(arrived_ptr + start, 25):
        mask_1 = r < 25
        t_8 = tl.load(partial_ptr + (r + p * 25), mask=mask_1, other=0)
        reduce = tl.sum(t_8, axis=1, keep_dims=True)
        t_9 = tl.load(partial_ptr_1 + (r + p * 25), mask=mask_1, other=0)
        t_10 = tl.div_rn(t_8, tl.full((64, 32), 2000.0, tl.float32)) - tl.div_rn(reduce, tl.full((64, 1), 50000.0, tl.float32))
        reduce_1 = tl.sum(tl.where(mask_1, t_9 + (2000.0 * (t_10 * t_10)), 0.0), axis=1, keep_dims=True)
        tl.store(div_out_ptr + p, tl.div_rn(reduce_1, tl.full((64, 1), 49999.0, tl.float32)))


# case: variance of columns bf16 1300x50257
def case(x):
    device = x.device
    x = with_layout(x, (1300, 50257), (50257, 1))
    div = torch.empty_strided((1, 50257), (50257, 1), dtype=torch.float32, device=device)
    sum_div_sub_mul[(786,)](x, div, num_warps=4, enable_fp_fusion=False, maxnreg=248)
    var = div.as_strided((50257,), (1,), div.storage_offset())
    return (var,)


@triton.jit
def sum_div_sub_mul(x_ptr, div_out_ptr):  # reduces down columns of memory: 64 of them side by side, 32 deep
    pid = tl.program_id(0)
    lanes = tl.arange(0, 64)[:, None]
    p = tl.minimum(pid * 64, 50193) + lanes
    r = tl.arange(0, 32)[None, :]
    acc = tl.full((64, 32), 0.0, tl.float32)
    acc_1 = acc
    acc_2 = acc
    for r_start in range(0, 1300, 32):
        r_1 = r_start + r
        mask = r_1 < 1300
        x = tl.load(x_ptr + (p + r_1 * 50257), mask=mask, other=0)
        to_copy = x.to(tl.float32)
        t = acc_1 + to_copy
        t_1 = tl.maximum((r_start // 32).to(tl.float32), 1.0, propagate_nan=tl.PropagateNan.ALL)
        t_2 = tl.fma(acc_1, (tl.full((), 1.0, tl.float32) / t_1) * -1.0, to_copy)
        t_3 = tl.maximum(((r_start // 32) + 1).to(tl.float32), 1.0, propagate_nan=tl.PropagateNan.ALL)
        t_4 = tl.fma(t, (tl.full((), 1.0, tl.float32) / t_3) * -1.0, to_copy)
        acc_1, acc_2 = tl.where(mask, t, acc_1), tl.where(mask, tl.fma(t_2, t_4, acc_2), acc_2)
    count = ((-r + 1331) // 32).to(tl.float32)
    reduce = tl.sum(acc_1, axis=1, keep_dims=True)
    mean = tl.div_rn(reduce, tl.full((64, 1), 1300.0, tl.float32))
    t_5 = (acc_1 * lib.reciprocal(count)) - mean
    reduce_1 = tl.sum(acc_2 + (count * (t_5 * t_5)), axis=1, keep_dims=True)
    tl.store(div_out_ptr + p, tl.div_rn(reduce_1, tl.full((64, 1), 1299.0, tl.float32)))


# case: softmax of the middle axis f32 333x1000x257
def case(x):
    device = x.device
    x = with_layout(x, (333, 1000, 257), (257000, 257, 1))
    div = torch.empty_strided((333, 1000, 257), (257000, 257, 1), dtype=torch.float32, device=device)
    max_sub_exp_sum_div[(5661,)](x, div, num_warps=32, enable_fp_fusion=False)
    return (div,)


@triton.jit
def max_sub_exp_sum_div(x_ptr, div_out_ptr):  # reduces down columns of memory: 16 of them side by side, 1024 deep, kept in registers; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 16)[:, None]
    p = tl.minimum((pid % 17) * 16, 241) + lanes
    part = pid // 17
    r = tl.arange(0, 1024)[None, :]
    mask = r < 1000
    x = tl.load(x_ptr + (r * 257 + part * 257000 + p), mask=mask, other=0, eviction_policy="evict_last")
    x_1 = tl.where(mask, x, float("-inf"))
    amax = tl.reduce(x_1, 1, lib.max_nan, keep_dims=True)
    sum = tl.sum(libdevice.exp(x_1 - amax), axis=1, keep_dims=True)
    sub = x - amax
    exp = libdevice.exp(sub)
    tl.store(div_out_ptr + (r * 257 + part * 257000 + p), tl.div_rn(exp, sum), mask=mask)


# case: mean over height and width bf16 64x333x57x57
def case(x):
    device = x.device
    x = with_layout(x, (64, 333, 57, 57), (1081917, 3249, 57, 1))
    cast = torch.empty_strided((64, 333, 1, 1), (333, 1, 1, 1), dtype=torch.bfloat16, device=device)
    sum_div[(21312,)](x, cast, num_warps=8, enable_fp_fusion=False)
    mean = cast.as_strided((64, 333), (333, 1), cast.storage_offset())
    return (mean,)


@triton.jit
def sum_div(x_ptr, cast_out_ptr):  # 1 row(s) of 3232 kept in registers; what it reads leaves the cache first
    p = tl.program_id(0)
    r = tl.arange(0, 32)
    x = tl.load(x_ptr + (p * 3249 + r + ((r + ((p * 3249 + 15) % 16) + 17) // 32) * 3232), mask=r < 17, other=0, eviction_policy="evict_first")
    cast = x.to(tl.float32)
    t = tl.sum(cast, axis=0)
    r_1 = tl.arange(0, 4096)
    x_1 = tl.load(x_ptr + (r_1 + ((p * 3249 + 15) // 16) * 16), mask=r_1 < 3232, other=0, eviction_policy="evict_first")
    cast_1 = x_1.to(tl.float32)
    t_1 = tl.sum(cast_1, axis=0)
    div = tl.div_rn(t + t_1, tl.full((), 3249.0, tl.float32))
    tl.store(cast_out_ptr + p, div.to(tl.bfloat16))


# case: cumsum bf16 16000x4097
def case(x):
    device = x.device
    x = with_layout(x, (16000, 4097), (4097, 1))
    to_copy = torch.empty_strided((16000, 4097), (4097, 1), dtype=torch.bfloat16, device=device)
    cumsum[(16000,)](x, to_copy, num_warps=1, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def cumsum(x_ptr, to_copy_out_ptr):  # a row of 4097, more than 1024: looped by 512
    p = tl.program_id(0)
    r = tl.arange(0, 512)
    t = r == 511
    acc = tl.full((), 0.0, tl.float32)
    for r_start in range(0, 4097, 512):
        r_1 = r_start + r
        mask = r_1 < 4097
        x = tl.load(x_ptr + (p * 4097 + r_1), mask=mask, other=0)
        to_copy = x.to(tl.float32)
        cumsum = tl.associative_scan(to_copy, 0, lib.add)
        cumsum_1 = lib.add(acc, cumsum)
        carry = tl.sum(tl.where(t, cumsum_1, 0.0), axis=0)
        tl.store(to_copy_out_ptr + (p * 4097 + r_1), cumsum_1.to(tl.bfloat16), mask=mask)
        acc = carry


# case: cumsum of 3 rows f32
def case(x):
    device = x.device
    x = with_layout(x, (3, 20000003), (20000003, 1))
    cumsum_1 = torch.empty_strided((3, 20000003), (20000003, 1), dtype=torch.float32, device=device)
    told = counters.kept("cumsum", 14650, device)
    cumsum[(14649,)](x, cumsum_1, told, num_warps=4, enable_fp_fusion=False)
    return (cumsum_1,)


@triton.jit
def cumsum(x_ptr, cumsum_out_ptr, told_ptr):  # 1 row(s) of 4096 kept in registers; what it reads leaves the cache last
    q, mark = lib.ticket(told_ptr, 14649)
    r = tl.arange(0, 4096)
    t = (r + (q // 3) * 4096 - 20000003).to(tl.int64) < 0
    base = (q // 3) * 4096 + (q % 3) * 20000003
    x = tl.load(x_ptr + (base + r), mask=t, other=0, eviction_policy="evict_last")
    total = tl.sum(x, axis=0)
    part = q // 3
    place = part % 128
    lib.publish(told_ptr + ((q // 3) + (q % 3) * 4883 + 1), total, mark, place != 127)
    lanes = tl.arange(0, 128)
    i = lanes + (part // 128) * 128 - 1
    mask = (i < part) & (i >= 0)
    told = lib.awaited(told_ptr + (i + (q % 3) * 4883 + 1), mask, mark, tl.float32)
    before = tl.sum(tl.where(mask, told, 0.0), axis=0)
    lib.publish(told_ptr + ((q // 3) + (q % 3) * 4883 + 1), before + total, mark, place == 127)
    cumsum = tl.associative_scan(x, 0, lib.add)
    tl.store(cumsum_out_ptr + (base + r), before + cumsum, mask=t)


# case: bias + gelu f16 60001x1001
def case(x, b):
    device = x.device
    x = with_layout(x, (60001, 1001), (1001, 1))
    b = with_layout(b, (1001,), (1,))
    to_copy = torch.empty_strided((60001, 1001), (1001, 1), dtype=torch.float16, device=device)
    add_mul_erf[(29327,)](x, b, to_copy, num_warps=4, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def add_mul_erf(x_ptr, b_ptr, to_copy_out_ptr):  # 2048 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 2048)
    p = pid * 2048 + lanes
    if pid < 29326:
        x = tl.load(x_ptr + p, eviction_policy="evict_last")
        b = tl.load(b_ptr + (p % 1001))
        add = (x.to(tl.float32) + b.to(tl.float32)).to(tl.float16)
        to_copy = add.to(tl.float32)
        mul = to_copy * 0.5
        mul_1 = to_copy * 0.70710677
        add_1 = tl.minimum(tl.abs(mul_1), 10.2, propagate_nan=tl.PropagateNan.ALL)
        add_2 = tl.fma(tl.full((2048,), 6.3951813e-07, tl.float32), add_1, tl.full((2048,), -2.8340892e-05, tl.float32))
        add_3 = tl.fma(add_2, add_1, tl.full((2048,), 0.00051961245, tl.float32))
        add_4 = tl.fma(add_3, add_1, tl.full((2048,), -0.0052737435, tl.float32))
        add_5 = tl.fma(add_4, add_1, tl.full((2048,), 0.03390232, tl.float32))
        add_6 = tl.fma(add_5, add_1, tl.full((2048,), -0.15234557, tl.float32))
        add_7 = tl.fma(add_6, add_1, tl.full((2048,), -0.91714466, tl.float32))
        add_8 = tl.fma(add_7, add_1, tl.full((2048,), -1.6280514, tl.float32))
        add_9 = tl.exp2(add_8 * add_1)
        add_10 = tl.where(mul_1 < 0.0, add_9, 2.0 - add_9)
        mul_2 = mul * add_10
        tl.store(to_copy_out_ptr + p, mul_2.to(tl.float16))
    else:
        mask = p < 60061001
        x_1 = tl.load(x_ptr + p, mask=mask, other=0, eviction_policy="evict_last")
        b_1 = tl.load(b_ptr + (p % 1001), mask=mask, other=0)
        add_11 = (x_1.to(tl.float32) + b_1.to(tl.float32)).to(tl.float16)
        to_copy_1 = add_11.to(tl.float32)
        mul_3 = to_copy_1 * 0.5
        mul_4 = to_copy_1 * 0.70710677
        add_12 = tl.minimum(tl.abs(mul_4), 10.2, propagate_nan=tl.PropagateNan.ALL)
        add_13 = tl.fma(tl.full((2048,), 6.3951813e-07, tl.float32), add_12, tl.full((2048,), -2.8340892e-05, tl.float32))
        add_14 = tl.fma(add_13, add_12, tl.full((2048,), 0.00051961245, tl.float32))
        add_15 = tl.fma(add_14, add_12, tl.full((2048,), -0.0052737435, tl.float32))
        add_16 = tl.fma(add_15, add_12, tl.full((2048,), 0.03390232, tl.float32))
        add_17 = tl.fma(add_16, add_12, tl.full((2048,), -0.15234557, tl.float32))
        add_18 = tl.fma(add_17, add_12, tl.full((2048,), -0.91714466, tl.float32))
        add_19 = tl.fma(add_18, add_12, tl.full((2048,), -1.6280514, tl.float32))
        add_20 = tl.exp2(add_19 * add_12)
        add_21 = tl.where(mul_4 < 0.0, add_20, 2.0 - add_20)
        mul_5 = mul_3 * add_21
        tl.store(to_copy_out_ptr + p, mul_5.to(tl.float16), mask=mask)


# case: bias of images f32 3x4097x60x60
def case(x, b):
    device = x.device
    x = with_layout(x, (3, 4097, 60, 60), (14749200, 3600, 60, 1))
    b = with_layout(b, (4097,), (1,))
    relu = torch.empty_strided((3, 4097, 60, 60), (14749200, 3600, 60, 1), dtype=torch.float32, device=device)
    add_maximum[(43211,)](x, b, relu, num_warps=4, enable_fp_fusion=False)
    return (relu,)


@triton.jit
def add_maximum(x_ptr, b_ptr, relu_out_ptr):  # 1024 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    mask = p < 44247600
    x = tl.load(x_ptr + p, mask=mask, other=0, eviction_policy="evict_last")
    b = tl.load(b_ptr + ((p // 3600) % 4097), mask=mask, other=0)
    add = x + b
    tl.store(relu_out_ptr + p, tl.maximum(add, 0.0, propagate_nan=tl.PropagateNan.ALL), mask=mask)


# case: transpose f32 4097x10007
def case(x):
    device = x.device
    x = with_layout(x, (4097, 10007), (10007, 1))
    t = x.as_strided((10007, 4097), (1, 10007), x.storage_offset())
    buf = torch.empty_strided((10007, 4097), (4097, 1), dtype=torch.float32, device=device)
    cast[(17, 313)](t, buf, num_warps=8, enable_fp_fusion=False)
    return (buf,)


@triton.jit
def cast(t_ptr, out_out_ptr):  # tiles of 256 x 32: memory runs along both axes; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 256)[:, None]
    p = pid * 256 + lanes
    pid_r = tl.program_id(1)
    lanes_r = tl.arange(0, 32)[None, :]
    r = pid_r * 32 + lanes_r
    mask = (p < 4097) & (r < 10007)
    t = tl.load(t_ptr + (p * 10007 + r), mask=mask, other=0, eviction_policy="evict_last")
    tl.store(out_out_ptr + (p + r * 4097), t, mask=mask)


# case: transposed add bf16 50257x1000
def case(x, y):
    device = x.device
    x = with_layout(x, (50257, 1000), (1000, 1))
    y = with_layout(y, (1000, 50257), (50257, 1))
    add_1 = torch.empty_strided((1000, 50257), (1, 1000), dtype=torch.bfloat16, device=device)
    add[(8, 786)](x, y, add_1, num_warps=8, enable_fp_fusion=False)
    return (add_1,)


@triton.jit
def add(x_ptr, y_ptr, add_out_ptr):  # tiles of 128 x 64: memory runs along both axes; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 128)[:, None]
    p = pid * 128 + lanes
    pid_r = tl.program_id(1)
    lanes_r = tl.arange(0, 64)[None, :]
    r = pid_r * 64 + lanes_r
    mask = (p < 1000) & (r < 50257)
    x = tl.load(x_ptr + (p + r * 1000), mask=mask, other=0, eviction_policy="evict_last")
    y = tl.load(y_ptr + (p * 50257 + r), mask=mask, other=0, eviction_policy="evict_last")
    tl.store(add_out_ptr + (p + r * 1000), (x.to(tl.float32) + y.to(tl.float32)).to(tl.bfloat16), mask=mask)


# case: embedding bf16 of 1001 columns
def case(tokens, table):
    device = tokens.device
    tokens = with_layout(tokens, (130001,), (1,))
    table = with_layout(table, (50257, 1001), (1001, 1))
    mul_1 = torch.empty_strided((130001, 1001), (1001, 1), dtype=torch.bfloat16, device=device)
    mul[(127082,)](table, tokens, mul_1, num_warps=4, enable_fp_fusion=False, debug=True, sanitize_overflow=False)
    return (mul_1,)


@triton.jit
def mul(table_ptr, tokens_ptr, mul_out_ptr):  # 1024 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    if pid < 127081:
        tokens = tl.load(tokens_ptr + (p // 1001))
        tokens_1 = lib.checked(tokens, 50257, 'index out of range: <text>:6')
        table = tl.load(table_ptr + (tokens_1.to(tl.int32) * 1001 + (p % 1001)))
        mul = table.to(tl.float32) * tl.full((), 2.0, tl.bfloat16).to(tl.float32)
        tl.store(mul_out_ptr + p, mul.to(tl.bfloat16))
    else:
        mask = p < 130131001
        tokens_2 = tl.load(tokens_ptr + (p // 1001), mask=mask, other=0)
        tokens_3 = lib.checked(tokens_2, 50257, 'index out of range: <text>:6', mask)
        table_1 = tl.load(table_ptr + (tokens_3.to(tl.int32) * 1001 + (p % 1001)), mask=mask, other=0)
        mul_1 = table_1.to(tl.float32) * tl.full((), 2.0, tl.bfloat16).to(tl.float32)
        tl.store(mul_out_ptr + p, mul_1.to(tl.bfloat16), mask=mask)


# case: rotary q and k of 80 columns bf16
def case(q, k, cos, sin):
    device = q.device
    q = with_layout(q, (3, 33, 4097, 80), (10816080, 327760, 80, 1))
    k = with_layout(k, (3, 11, 4097, 80), (3605360, 327760, 80, 1))
    cos = with_layout(cos, (4097, 80), (80, 1))
    sin = with_layout(sin, (4097, 80), (80, 1))
    add = torch.empty_strided((3, 33, 4097, 80), (10816080, 327760, 80, 1), dtype=torch.bfloat16, device=device)
    add_1 = torch.empty_strided((3, 11, 4097, 80), (3605360, 327760, 80, 1), dtype=torch.bfloat16, device=device)
    mul_neg_add_and_mul_neg_add_1[(42251,)](q, cos, sin, add, k, add_1, num_warps=4, enable_fp_fusion=False)
    return (add, add_1,)


@triton.jit
def mul_neg_add_and_mul_neg_add_1(q_ptr, cos_ptr, sin_ptr, add_out_ptr, k_ptr, add_out_ptr_1):  # 2 kernels side by side: 1024 elements a program
    program = tl.program_id(0)
    if program < 31688:
        lanes = tl.arange(0, 1024)
        p = program * 1024 + lanes
        mask = p < 32448240
        q = tl.load(q_ptr + p, mask=mask, other=0)
        cos = tl.load(cos_ptr + (p % 327760), mask=mask, other=0)
        mul = (q.to(tl.float32) * cos.to(tl.float32)).to(tl.bfloat16)
        cat = ((p % 80) - 40).to(tl.int64) < 0
        cat_1 = cat ^ True
        q_1 = tl.load(q_ptr + (p - 40), mask=mask & cat_1, other=0)
        q_2 = tl.load(q_ptr + (p + 40), mask=mask & cat, other=0)
        neg = (q_2.to(tl.float32) * -1.0).to(tl.bfloat16)
        cat_2 = tl.where(cat, neg, q_1)
        sin = tl.load(sin_ptr + (p % 327760), mask=mask, other=0)
        mul_1 = (cat_2.to(tl.float32) * sin.to(tl.float32)).to(tl.bfloat16)
        tl.store(add_out_ptr + p, (mul.to(tl.float32) + mul_1.to(tl.float32)).to(tl.bfloat16), mask=mask)
    else:
        lanes_1 = tl.arange(0, 1024)
        p_1 = (program - 31688) * 1024 + lanes_1
        mask_1 = p_1 < 10816080
        k = tl.load(k_ptr + p_1, mask=mask_1, other=0)
        cos_1 = tl.load(cos_ptr + (p_1 % 327760), mask=mask_1, other=0)
        mul_2 = (k.to(tl.float32) * cos_1.to(tl.float32)).to(tl.bfloat16)
        cat_3 = ((p_1 % 80) - 40).to(tl.int64) < 0
        cat_4 = cat_3 ^ True
        k_1 = tl.load(k_ptr + (p_1 - 40), mask=mask_1 & cat_4, other=0)
        k_2 = tl.load(k_ptr + (p_1 + 40), mask=mask_1 & cat_3, other=0)
        neg_1 = (k_2.to(tl.float32) * -1.0).to(tl.bfloat16)
        cat_5 = tl.where(cat_3, neg_1, k_1)
        sin_1 = tl.load(sin_ptr + (p_1 % 327760), mask=mask_1, other=0)
        mul_3 = (cat_5.to(tl.float32) * sin_1.to(tl.float32)).to(tl.bfloat16)
        add = (mul_2.to(tl.float32) + mul_3.to(tl.float32)).to(tl.bfloat16)
        tl.store(add_out_ptr_1 + p_1, add, mask=mask_1)


# case: rms norm of a slice bf16
def case(x, w):
    device = x.device
    x = with_layout(x, (32768, 4000), (4003, 1))
    w = with_layout(w, (4000,), (1,))
    mul = torch.empty_strided((32768, 4000), (4000, 1), dtype=torch.bfloat16, device=device)
    mul_sum_div_add_rsqrt[(32768,)](x, w, mul, num_warps=2, enable_fp_fusion=False)
    return (mul,)


@triton.jit
def mul_sum_div_add_rsqrt(x_ptr, w_ptr, mul_out_ptr):  # 1 row(s) of 4000 kept in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 4096)
    mask = r < 4000
    x = tl.load(x_ptr + (p * 4003 + r), mask=mask, other=0, eviction_policy="evict_last")
    to_copy = x.to(tl.float32)
    square = to_copy * to_copy
    reduce = tl.sum(tl.where(mask, square, 0.0), axis=0)
    mean = tl.div_rn(reduce, tl.full((), 4000.0, tl.float32))
    add = mean + 1e-06
    rsqrt = libdevice.rsqrt(add)
    mul = to_copy * rsqrt
    to_copy_1 = mul.to(tl.bfloat16)
    w = tl.load(w_ptr + r, mask=mask, other=0)
    mul_1 = (to_copy_1.to(tl.float32) * w.to(tl.float32)).to(tl.bfloat16)
    tl.store(mul_out_ptr + (p * 4000 + r), mul_1, mask=mask)


# case: sum of columns of every third column f32
def case(x):
    device = x.device
    x = with_layout(x, (16384, 2000), (6000, 3))
    reduce = torch.empty_strided((1, 2000), (2000, 1), dtype=torch.float32, device=device)
    partial = torch.empty_strided((2000, 16), (16, 1), dtype=torch.float32, device=device)
    arrived = counters(2000, device)
    sum[(512,)](x, partial, reduce, arrived, num_warps=8, enable_fp_fusion=False, maxnreg=248)
    del partial
    sum_1 = reduce.as_strided((2000,), (1,), reduce.storage_offset())
    return (sum_1,)


@triton.jit
def sum(x_ptr, partial_ptr, reduce_out_ptr, arrived_ptr):  # reduces down columns of memory: 64 of them side by side, 64 deep; the last of 16 adds up
    pid = tl.program_id(0)
    start = tl.minimum((pid % 32) * 64, 1936)
    lanes = tl.arange(0, 64)[:, None]
    p = start + lanes
    part = pid // 32
    r = tl.arange(0, 64)[None, :]
    acc = tl.full((64, 64), 0.0, tl.float32)
    acc_1 = acc
    for r_start in range(0, 1024, 64):
        x = tl.load(x_ptr + ((r_start + r) * 6000 + part * 6144000 + p * 3))
        acc_1 = acc_1 + x
    t = tl.sum(acc_1, axis=1, keep_dims=True)
    tl.store(partial_ptr + (part + p * 16), t)
    if lib.is_last(arrived_ptr + start, 16):
        r_1 = tl.arange(0, 16)[None, :]
        t_1 = tl.load(partial_ptr + (r_1 + p * 16))
        reduce = tl.sum(t_1, axis=1, keep_dims=True)
        tl.store(reduce_out_ptr + p, reduce)


# case: softmax of the last of 7 axes f32
def case(x):
    device = x.device
    x = with_layout(x, (8, 6, 16, 10, 32, 12, 64), (23592960, 3932160, 245760, 24576, 768, 64, 1))
    div = torch.empty_strided((8, 6, 16, 10, 32, 12, 64), (23592960, 3932160, 245760, 24576, 768, 64, 1), dtype=torch.float32, device=device)
    max_sub_exp_sum_div[(184320,)](x, div, num_warps=1, enable_fp_fusion=False)
    return (div,)


@triton.jit
def max_sub_exp_sum_div(x_ptr, div_out_ptr):  # 16 row(s) of 64 kept in registers; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 16)[:, None]
    p = pid * 16 + lanes
    r = tl.arange(0, 64)[None, :]
    x = tl.load(x_ptr + (p * 64 + r), eviction_policy="evict_last")
    amax = tl.reduce(x, 1, lib.max_nan, keep_dims=True)
    sub = x - amax
    exp = libdevice.exp(sub)
    sum = tl.sum(exp, axis=1, keep_dims=True)
    tl.store(div_out_ptr + (p * 64 + r), tl.div_rn(exp, sum))
