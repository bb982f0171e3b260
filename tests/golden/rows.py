# torch 2.13

# case: softmax: softmax f16 262144x512
def case(arguments):
    (x,) = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (262144, 512), (512, 1), torch.float16, device)
    to_copy = allocate((262144, 512), (512, 1), torch.float16)
    max_sub_exp_sum_div[(131072,)](x, to_copy, num_warps=1, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def max_sub_exp_sum_div(x_ptr, to_copy_out_ptr):  # 2 row(s) in registers; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 2)[:, None]
    p = pid * 2 + lanes
    r = tl.arange(0, 512)[None, :]
    x = tl.load(x_ptr + (p * 512 + r), eviction_policy="evict_last")
    to_copy = x.to(tl.float32)
    amax = tl.reduce(to_copy, 1, lib.max_nan, keep_dims=True)
    sub = to_copy - amax
    exp = tl.exp(sub)
    sum = tl.sum(exp, axis=1, keep_dims=True)
    div = tl.where(tl.abs(sum) < 7.888609e-31, tl.full((2, 1), 1.6777216e+07, tl.float32), tl.full((2, 1), 1.0, tl.float32))
    div_1 = (exp * div) * lib.inverse(sum * div)
    tl.store(to_copy_out_ptr + (p * 512 + r), div_1.to(tl.float16))


# case: softmax: softmax bf16 65536x4096
def case(arguments):
    (x,) = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (65536, 4096), (4096, 1), torch.bfloat16, device)
    to_copy = allocate((65536, 4096), (4096, 1), torch.bfloat16)
    max_sub_exp_sum_div[(65536,)](x, to_copy, num_warps=4, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def max_sub_exp_sum_div(x_ptr, to_copy_out_ptr):  # 1 row(s) in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 4096)
    x = tl.load(x_ptr + (p * 4096 + r), eviction_policy="evict_last")
    to_copy = x.to(tl.float32)
    amax = tl.reduce(to_copy, 0, lib.max_nan)
    sub = to_copy - amax
    exp = tl.exp(sub)
    sum = tl.sum(exp, axis=0)
    div = tl.where(tl.abs(sum) < 7.888609e-31, tl.full((), 1.6777216e+07, tl.float32), tl.full((), 1.0, tl.float32))
    div_1 = (exp * div) * tl.div_rn(tl.full((), 1.0, tl.float32), sum * div)
    tl.store(to_copy_out_ptr + (p * 4096 + r), div_1.to(tl.bfloat16))


# case: softmax: softmax bf16 8192x32768
def case(arguments):
    (x,) = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (8192, 32768), (32768, 1), torch.bfloat16, device)
    to_copy = allocate((8192, 32768), (32768, 1), torch.bfloat16)
    max_sub_exp_sum_div[(8192,)](x, to_copy, num_warps=16, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def max_sub_exp_sum_div(x_ptr, to_copy_out_ptr):  # 1 row(s) looped by 16384 columns
    p = tl.program_id(0)
    r = tl.arange(0, 16384)
    amax = tl.full((), float("-inf"), tl.float32)
    acc = tl.full((), 0.0, tl.float32)
    for r_start in range(0, 32768, 16384):
        x = tl.load(x_ptr + (p * 32768 + (r_start + r)), eviction_policy="evict_last")
        to_copy = x.to(tl.float32)
        t = tl.reduce(to_copy, 0, lib.max_nan)
        m = tl.maximum(amax, t, propagate_nan=tl.PropagateNan.ALL)
        base = tl.where(m == float("-inf"), 0.0, m)
        t_1 = tl.where(tl.abs(base) >= 1.0737418e+09, tl.full((), 1.0, tl.float32), tl.full((), 1.442695, tl.float32))
        t_2 = (base * t_1) * -1.0
        t_3 = tl.sum(tl.exp2(tl.fma(to_copy, t_1, t_2)), axis=0)
        t_4 = (acc * tl.exp(amax - base)) + (t_3 * tl.exp2(tl.fma(base, t_1, t_2) * -1.0))
        amax, acc = m, t_4
    sum = tl.where(amax == float("-inf"), float("nan"), acc)
    div = tl.where(tl.abs(sum) < 7.888609e-31, tl.full((), 1.6777216e+07, tl.float32), tl.full((), 1.0, tl.float32))
    div_1 = tl.div_rn(tl.full((), 1.0, tl.float32), sum * div)
    for r_start_1 in range(0, 32768, 16384):
        r_1 = (-r_start_1 + 16384) + r
        x_1 = tl.load(x_ptr + (p * 32768 + r_1), eviction_policy="evict_first")
        to_copy_1 = x_1.to(tl.float32)
        sub = to_copy_1 - amax
        exp = tl.exp(sub)
        div_2 = (exp * div) * div_1
        tl.store(to_copy_out_ptr + (p * 32768 + r_1), div_2.to(tl.bfloat16), eviction_policy="evict_first")


# case: softmax: softmax bf16 2048x131072
def case(arguments):
    (x,) = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (2048, 131072), (131072, 1), torch.bfloat16, device)
    to_copy = allocate((2048, 131072), (131072, 1), torch.bfloat16)
    told = counters.kept("max_sub_exp_sum_div", 65537, device)
    max_sub_exp_sum_div[(32768,)](x, to_copy, told, num_warps=4, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def max_sub_exp_sum_div(x_ptr, to_copy_out_ptr, told_ptr):  # 1 row(s) looped by 4096 columns
    mark = lib.epoch(told_ptr, 32768)
    q = tl.program_id(0)
    r = tl.arange(0, 4096)
    acc = tl.full((), float("-inf"), tl.float32)
    acc_1 = tl.full((), 0.0, tl.float32)
    for r_start in range(0, 8192, 4096):
        x = tl.load(x_ptr + (q * 8192 + (r_start + r)), eviction_policy="evict_last")
        to_copy = x.to(tl.float32)
        t = tl.reduce(to_copy, 0, lib.max_nan)
        m = tl.maximum(acc, t, propagate_nan=tl.PropagateNan.ALL)
        base = tl.where(m == float("-inf"), 0.0, m)
        t_1 = tl.where(tl.abs(base) >= 1.0737418e+09, tl.full((), 1.0, tl.float32), tl.full((), 1.442695, tl.float32))
        t_2 = (base * t_1) * -1.0
        t_3 = tl.sum(tl.exp2(tl.fma(to_copy, t_1, t_2)), axis=0)
        t_4 = (acc_1 * tl.exp(acc - base)) + (t_3 * tl.exp2(tl.fma(base, t_1, t_2) * -1.0))
        acc, acc_1 = m, t_4
    lib.publish(told_ptr + (q + 1), acc, mark)
    lib.publish(told_ptr + (q + 32769), tl.where(acc == float("-inf"), float("nan"), acc_1), mark)
    r_1 = tl.arange(0, 16)
    mask = r_1 < 16
    t_5 = lib.awaited(told_ptr + ((q // 16) * 16 + r_1 + 1), mask, mark, tl.float32)
    amax = tl.reduce(t_5, 0, lib.max_nan)
    t_6 = lib.awaited(told_ptr + ((q // 16) * 16 + r_1 + 32769), mask, mark, tl.float32)
    t_7 = tl.where(t_5 == float("-inf"), 0.0, t_6 * tl.exp(t_5 - amax))
    sum = tl.sum(tl.where(t_5 == amax, t_6, t_7), axis=0)
    div = tl.where(tl.abs(sum) < 7.888609e-31, tl.full((), 1.6777216e+07, tl.float32), tl.full((), 1.0, tl.float32))
    div_1 = tl.div_rn(tl.full((), 1.0, tl.float32), sum * div)
    for r_start_1 in range(0, 8192, 4096):
        r_2 = (-r_start_1 + 4096) + r
        x_1 = tl.load(x_ptr + (q * 8192 + r_2), eviction_policy="evict_first")
        to_copy_1 = x_1.to(tl.float32)
        sub = to_copy_1 - amax
        exp = tl.exp(sub)
        div_2 = (exp * div) * div_1
        tl.store(to_copy_out_ptr + (q * 8192 + r_2), div_2.to(tl.bfloat16), eviction_policy="evict_first")
    lib.done(told_ptr)


# case: norm: layer norm bf16 65536x4096
def case(arguments):
    x, w, b = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (65536, 4096), (4096, 1), torch.bfloat16, device)
    w = expect(w, (4096,), (1,), torch.bfloat16, device)
    b = expect(b, (4096,), (1,), torch.bfloat16, device)
    to_copy = allocate((65536, 4096), (4096, 1), torch.bfloat16)
    sum_mul_sub_add_rsqrt[(65536,)](x, w, b, to_copy, num_warps=4, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def sum_mul_sub_add_rsqrt(x_ptr, w_ptr, b_ptr, to_copy_out_ptr):  # 1 row(s) in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 4096)
    x = tl.load(x_ptr + (p * 4096 + r), eviction_policy="evict_last")
    to_copy = x.to(tl.float32)
    reduce = tl.sum(to_copy, axis=0)
    getitem = reduce * 0.00024414062
    sub = to_copy - getitem
    mul = sub * sub
    reduce_1 = tl.sum(mul, axis=0)
    getitem_1 = reduce_1 * 0.00024414062
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    mul_1 = sub * rsqrt
    w = tl.load(w_ptr + r)
    cast = w.to(tl.float32)
    mul_2 = mul_1 * cast
    b = tl.load(b_ptr + r)
    cast_1 = b.to(tl.float32)
    add_1 = mul_2 + cast_1
    tl.store(to_copy_out_ptr + (p * 4096 + r), add_1.to(tl.bfloat16))


# case: awkward: layer norm bf16 16000x4097
def case(arguments):
    x, w, b = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (16000, 4097), (4097, 1), torch.bfloat16, device)
    w = expect(w, (4097,), (1,), torch.bfloat16, device)
    b = expect(b, (4097,), (1,), torch.bfloat16, device)
    to_copy = allocate((16000, 4097), (4097, 1), torch.bfloat16)
    sum_div_sub_add_rsqrt[(16000,)](x, w, b, to_copy, num_warps=4, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def sum_div_sub_add_rsqrt(x_ptr, w_ptr, b_ptr, to_copy_out_ptr):  # 1 row(s) in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    x = tl.load(x_ptr + (p * 4097 + 4096), eviction_policy="evict_last")
    to_copy = x.to(tl.float32)
    t = tl.sum(tl.broadcast_to(to_copy, (1,)), axis=0)
    r = tl.arange(0, 4096)
    x_1 = tl.load(x_ptr + (p * 4097 + r), eviction_policy="evict_last")
    to_copy_1 = x_1.to(tl.float32)
    t_1 = tl.sum(to_copy_1, axis=0)
    getitem = (t + t_1) * 0.00024408103
    sub = to_copy - getitem
    mul = sub * sub
    t_2 = tl.sum(tl.broadcast_to(mul, (1,)), axis=0)
    sub_1 = to_copy_1 - getitem
    mul_1 = sub_1 * sub_1
    t_3 = tl.sum(mul_1, axis=0)
    getitem_1 = (t_2 + t_3) * 0.00024408103
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
    tl.store(to_copy_out_ptr + (p * 4097 + 4096), add_2.to(tl.bfloat16))


# case: norm: layer norm backward bf16 16384x4096
def case(arguments):
    dy, x, w = arguments
    arguments.clear()
    device = dy.device
    allocate = allocator(device)
    dy = expect(dy, (16384, 4096), (4096, 1), torch.bfloat16, device)
    x = expect(x, (16384, 4096), (4096, 1), torch.bfloat16, device)
    w = expect(w, (4096,), (1,), torch.bfloat16, device)
    to_copy = allocate((16384, 4096), (4096, 1), torch.bfloat16)
    buf = allocate((264, 1, 4096), (4096, 4096, 1), torch.float32)
    buf_1 = allocate((264, 1, 4096), (4096, 4096, 1), torch.float32)
    sum_mul_sub_add_rsqrt[(264,)](x, dy, w, to_copy, buf, buf_1, num_warps=4, enable_fp_fusion=False)
    del dy
    del x
    del w
    to_copy_1 = allocate((4096,), (1,), torch.bfloat16)
    to_copy_2 = allocate((4096,), (1,), torch.bfloat16)
    sum[(256,)](buf, buf_1, to_copy_1, to_copy_2, num_warps=8, enable_fp_fusion=False, maxnreg=128, launch_pdl=True)
    del buf_1
    del buf
    return (to_copy, to_copy_1, to_copy_2,)


@triton.jit
def sum_mul_sub_add_rsqrt(x_ptr, dy_ptr, w_ptr, to_copy_out_ptr, reduce_out_ptr, reduce_out_ptr_1):  # 264 persistent programs, 1 row(s) at once
    i = tl.program_id(0)
    reduce_out = tl.full((4096,), 0.0, tl.float32)
    r = tl.arange(0, 4096)
    w = tl.load(w_ptr + r)
    to_copy = w.to(tl.float32)
    acc = reduce_out
    acc_1 = reduce_out
    for p in tl.range(i, 16384, 264, num_stages=3):
        x = tl.load(x_ptr + (p * 4096 + r))
        to_copy_1 = x.to(tl.float32)
        dy = tl.load(dy_ptr + (p * 4096 + r))
        to_copy_2 = dy.to(tl.float32)
        mul = to_copy_2 * to_copy
        reduce = tl.sum(to_copy_1, axis=0)
        sum = tl.sum(mul, axis=0)
        mean = reduce * 0.00024414062
        sub = to_copy_1 - mean
        mul_1 = sub * sub
        reduce_1 = tl.sum(mul_1, axis=0)
        var = reduce_1 * 0.00024414062
        add = var + 1e-05
        rstd = libdevice.rsqrt(add)
        mul_2 = sub * rstd
        mul_3 = mul * mul_2
        sum_1 = tl.sum(mul_3, axis=0)
        div = rstd * 0.00024414062
        mul_4 = mul * 4096.0
        sub_1 = mul_4 - sum
        mul_5 = mul_2 * sum_1
        sub_2 = sub_1 - mul_5
        mul_6 = div * sub_2
        tl.store(to_copy_out_ptr + (p * 4096 + r), mul_6.to(tl.bfloat16))
        mul_7 = to_copy_2 * mul_2
        t = acc + mul_7
        t_1 = acc_1 + to_copy_2
        acc, acc_1 = t, t_1
    tl.store(reduce_out_ptr + (i * 4096 + r), acc)
    tl.store(reduce_out_ptr_1 + (i * 4096 + r), acc_1)


@triton.jit
def sum(reduce_ptr, reduce_ptr_1, to_copy_out_ptr, to_copy_out_ptr_1):  # 16 row(s) in registers
    tl.extra.cuda.gdc_wait()
    pid = tl.program_id(0)
    lanes = tl.arange(0, 16)[:, None]
    p = pid * 16 + lanes
    r = tl.arange(0, 512)[None, :]
    mask = r < 264
    t = tl.load(reduce_ptr + (p + r * 4096), mask=mask, other=0)
    reduce = tl.sum(t, axis=1, keep_dims=True)
    tl.store(to_copy_out_ptr + p, reduce.to(tl.bfloat16))
    t_1 = tl.load(reduce_ptr_1 + (p + r * 4096), mask=mask, other=0)
    reduce_1 = tl.sum(t_1, axis=1, keep_dims=True)
    tl.store(to_copy_out_ptr_1 + p, reduce_1.to(tl.bfloat16))


# case: norm: rms norm + residual bf16
def case(arguments):
    x, r, w = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (32768, 4096), (4096, 1), torch.bfloat16, device)
    r = expect(r, (32768, 4096), (4096, 1), torch.bfloat16, device)
    w = expect(w, (4096,), (1,), torch.bfloat16, device)
    h = allocate((32768, 4096), (4096, 1), torch.bfloat16)
    mul = allocate((32768, 4096), (4096, 1), torch.bfloat16)
    add_mul_sum_rsqrt[(32768,)](x, r, w, h, mul, num_warps=8, enable_fp_fusion=False)
    return (h, mul,)


@triton.jit
def add_mul_sum_rsqrt(x_ptr, r_ptr, w_ptr, h_out_ptr, mul_out_ptr):  # 1 row(s) in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 4096)
    x = tl.load(x_ptr + (p * 4096 + r), eviction_policy="evict_last")
    r_1 = tl.load(r_ptr + (p * 4096 + r), eviction_policy="evict_last")
    h = (x.to(tl.float32) + r_1.to(tl.float32)).to(tl.bfloat16)
    to_copy = h.to(tl.float32)
    square = to_copy * to_copy
    tl.store(h_out_ptr + (p * 4096 + r), h)
    reduce = tl.sum(square, axis=0)
    mean = reduce * 0.00024414062
    add = mean + 1e-06
    rsqrt = libdevice.rsqrt(add)
    mul = to_copy * rsqrt
    to_copy_1 = mul.to(tl.bfloat16)
    w = tl.load(w_ptr + r)
    mul_1 = (to_copy_1.to(tl.float32) * w.to(tl.float32)).to(tl.bfloat16)
    tl.store(mul_out_ptr + (p * 4096 + r), mul_1)


# case: norm: group norm + silu bf16
def case(arguments):
    (x,) = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (32, 512, 64, 64), (2097152, 4096, 64, 1), torch.bfloat16, device)
    to_copy = allocate((32, 512, 64, 64), (2097152, 4096, 64, 1), torch.bfloat16)
    told = counters.kept("sum_mul_sub_rsqrt_sigmoid", 16385, device)
    sum_mul_sub_rsqrt_sigmoid[(8192,)](x, to_copy, told, num_warps=2, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def sum_mul_sub_rsqrt_sigmoid(x_ptr, to_copy_out_ptr, told_ptr):  # 1 row(s) looped by 1024 columns
    mark = lib.epoch(told_ptr, 8192)
    q = tl.program_id(0)
    r = tl.arange(0, 128)
    x = tl.load(x_ptr + ((q // 8) * 65536 + (r // 8) * 4096 + (r % 8)))
    to_copy = x.to(tl.float32)
    t = tl.sum(to_copy, axis=0)
    t_1 = tl.sum(to_copy * to_copy, axis=0)
    t_2 = t * 0.0078125
    pivot = tl.where(tl.abs(t_2) < float("inf"), tl.where((t_2 * (t * 16.0)) < t_1, 0.0, t_2), 0.0)
    r_1 = tl.arange(0, 1024)
    acc = tl.full((1024,), 0.0, tl.float32)
    acc_1 = acc
    acc_2 = acc
    for r_start in tl.static_range(0, 8192, 1024):
        r_start = tl.full((), r_start, tl.int32)
        x_1 = tl.load(x_ptr + (q * 8192 + (r_start + r_1)), eviction_policy="evict_last")
        to_copy_1 = x_1.to(tl.float32)
        t_3 = pivot - to_copy_1
        acc_1, acc_2 = acc_1 + (to_copy_1 - pivot), acc_2 + (t_3 * t_3)
    t_4 = tl.sum(acc_1, axis=0)
    t_5 = tl.sum(acc_2, axis=0)
    lib.publish(told_ptr + (q + 1), t_4, mark)
    lib.publish(told_ptr + (q + 8193), t_5, mark)
    r_2 = tl.arange(0, 8)
    mask = r_2 < 8
    t_6 = lib.awaited(told_ptr + ((q // 8) * 8 + r_2 + 1), mask, mark, tl.float32)
    t_7 = lib.awaited(told_ptr + ((q // 8) * 8 + r_2 + 8193), mask, mark, tl.float32)
    t_8 = tl.sum(t_6, axis=0)
    t_9 = tl.sum(t_7, axis=0)
    t_10 = t_9 - (t_8 * tl.div_rn(t_8, tl.full((), 65536.0, tl.float32)))
    getitem = tl.fma(tl.full((), 65536.0, tl.float32), pivot, t_8) * 1.5258789e-05
    getitem_1 = tl.maximum(t_10, 0.0, propagate_nan=tl.PropagateNan.ALL) * 1.5258789e-05
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    for r_start_1 in range(0, 8192, 1024):
        r_3 = (-r_start_1 + 7168) + r_1
        x_2 = tl.load(x_ptr + (q * 8192 + r_3), eviction_policy="evict_first")
        to_copy_2 = x_2.to(tl.float32)
        sub = to_copy_2 - getitem
        mul = sub * rsqrt
        to_copy_3 = lib.rounded_to_bfloat16(mul)
        mul_1 = tl.fma(to_copy_3, tl.full((1024,), -1.442695, tl.float32), tl.full((1024,), -2.0, tl.float32))
        mul_2 = (to_copy_3 * 0.25) * lib.reciprocal((0.25 + tl.exp2(mul_1)))
        tl.store(to_copy_out_ptr + (q * 8192 + r_3), mul_2.to(tl.bfloat16), eviction_policy="evict_first")
    lib.done(told_ptr)


# case: norm: batch norm training + relu bf16
def case(arguments):
    (x,) = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (64, 256, 56, 56), (802816, 3136, 56, 1), torch.bfloat16, device)
    relu = allocate((64, 256, 56, 56), (802816, 3136, 56, 1), torch.bfloat16)
    told = counters.kept("sum_div_sub_rsqrt_maximum", 8193, device)
    sum_div_sub_rsqrt_maximum[(4096,)](x, relu, told, num_warps=4, enable_fp_fusion=False)
    return (relu,)


@triton.jit
def sum_div_sub_rsqrt_maximum(x_ptr, relu_out_ptr, told_ptr):  # 1 row(s) looped by 2048 columns
    mark = lib.epoch(told_ptr, 4096)
    q = tl.program_id(0)
    r = tl.arange(0, 512)
    x = tl.load(x_ptr + ((q // 16) * 3136 + (r // 32) * 3211264 + (r % 32) + 1568))
    cast = x.to(tl.float32)
    t = tl.sum(cast, axis=0)
    t_1 = tl.sum(cast * cast, axis=0)
    t_2 = t * 0.001953125
    pivot = tl.where(tl.abs(t_2) < float("inf"), tl.where((t_2 * (t * 16.0)) < t_1, 0.0, t_2), 0.0)
    r_1 = tl.arange(0, 2048)
    acc = tl.full((2048,), 0.0, tl.float32)
    acc_1 = acc
    acc_2 = acc
    for r_start in tl.static_range(0, 16384, 2048):
        r_start = tl.full((), r_start, tl.int32)
        t_3 = (((r_start // 2048) % 2) * 2048 + r_1 - 3136) < 0
        base = ((r_start // 2048) % 2) * 2048 + (q // 16) * 3136 + (q % 16) * 3211264 + (r_start // 4096) * 802816
        x_1 = tl.load(x_ptr + (base + r_1), mask=t_3, other=0, eviction_policy="evict_last")
        cast_1 = x_1.to(tl.float32)
        t_4 = cast_1 - pivot
        acc_1, acc_2 = acc_1 + tl.where(t_3, t_4, 0.0), acc_2 + tl.where(t_3, t_4 * t_4, 0.0)
    t_5 = tl.sum(acc_1, axis=0)
    t_6 = tl.sum(acc_2, axis=0)
    lib.publish(told_ptr + (q + 1), t_5, mark)
    lib.publish(told_ptr + (q + 4097), t_6, mark)
    r_2 = tl.arange(0, 16)
    mask = r_2 < 16
    t_7 = lib.awaited(told_ptr + ((q // 16) * 16 + r_2 + 1), mask, mark, tl.float32)
    t_8 = lib.awaited(told_ptr + ((q // 16) * 16 + r_2 + 4097), mask, mark, tl.float32)
    t_9 = tl.sum(t_7, axis=0)
    t_10 = tl.sum(t_8, axis=0)
    t_11 = t_10 - (t_9 * tl.div_rn(t_9, tl.full((), 200704.0, tl.float32)))
    getitem = tl.fma(tl.full((), 200704.0, tl.float32), pivot, t_9) * 4.9824616e-06
    getitem_1 = tl.maximum(t_11, 0.0, propagate_nan=tl.PropagateNan.ALL) * 4.9824616e-06
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    relu = tl.full((), 0.0, tl.bfloat16).to(tl.float32)
    for r_start_1 in range(0, 16384, 2048):
        r_start_2 = -r_start_1 + 14336
        t_12 = (((r_start_2 // 2048) % 2) * 2048 + r_1 - 3136) < 0
        base_1 = ((r_start_2 // 2048) % 2) * 2048 + (q // 16) * 3136 + (q % 16) * 3211264 + (r_start_2 // 4096) * 802816
        x_2 = tl.load(x_ptr + (base_1 + r_1), mask=t_12, other=0, eviction_policy="evict_first")
        cast_2 = x_2.to(tl.float32)
        sub = cast_2 - getitem
        mul = sub * rsqrt
        relu_1 = tl.maximum(lib.rounded_to_bfloat16(mul), relu, propagate_nan=tl.PropagateNan.ALL)
        tl.store(relu_out_ptr + (base_1 + r_1), relu_1.to(tl.bfloat16), mask=t_12, eviction_policy="evict_first")
    lib.done(told_ptr)


# case: loss: cross entropy bf16 8192x32000
def case(arguments):
    logits, target = arguments
    arguments.clear()
    device = logits.device
    allocate = allocator(device)
    logits = expect(logits, (8192, 32000), (32000, 1), torch.bfloat16, device)
    target = expect(target, (8192,), (1,), torch.int64, device)
    ne = allocate((8192,), (1,), torch.bool)
    where = allocate((8192,), (1,), torch.float32)
    div = allocate((), (), torch.float32)
    arrived = counters(1, device)
    max_sub_exp_mul_neg[(8192,)](logits, target, ne, where, div, arrived, num_warps=4, enable_fp_fusion=False, debug=True, sanitize_overflow=False)
    del where
    del ne
    return (div,)


@triton.jit
def max_sub_exp_mul_neg(logits_ptr, target_ptr, ne_out_ptr, where_out_ptr, div_out_ptr, arrived_ptr):  # 1 row(s) looped by 8192 columns; the last of 8192 adds up
    p = tl.program_id(0)
    target = tl.load(target_ptr + p)
    ne = target != -100
    where = tl.where(ne, target, 0)
    where_1 = lib.checked(where, 32000, 'index out of range: <text>')
    r = tl.arange(0, 8192)
    logits = tl.load(logits_ptr + (p * 32000 + where_1.to(tl.int32)))
    amax = tl.full((), float("-inf"), tl.float32)
    acc = tl.full((), 0.0, tl.float32)
    for r_start in range(0, 32000, 8192):
        r_1 = r_start + r
        logits_1 = tl.load(logits_ptr + (p * 32000 + r_1), mask=r_1 < 32000, other=float("-inf"))
        to_copy = logits_1.to(tl.float32)
        t = tl.reduce(to_copy, 0, lib.max_nan)
        m = tl.maximum(amax, t, propagate_nan=tl.PropagateNan.ALL)
        base = tl.where(m == float("-inf"), 0.0, m)
        t_1 = tl.where(tl.abs(base) >= 1.0737418e+09, tl.full((), 1.0, tl.float32), tl.full((), 1.442695, tl.float32))
        t_2 = (base * t_1) * -1.0
        t_3 = tl.sum(tl.exp2(tl.fma(to_copy, t_1, t_2)), axis=0)
        t_4 = (acc * tl.exp(amax - base)) + (t_3 * tl.exp2(tl.fma(base, t_1, t_2) * -1.0))
        amax, acc = m, t_4
    tl.store(ne_out_ptr + p, ne)
    where_2 = ne.to(tl.float32)
    to_copy_1 = logits.to(tl.float32)
    sub = to_copy_1 - amax
    log = libdevice.log(tl.where(amax == float("-inf"), float("nan"), acc))
    sub_1 = sub - log
    mul = (where_2 * sub_1) * -1.0
    tl.store(where_out_ptr + p, tl.where(ne, mul, 0.0))
    if lib.is_last(arrived_ptr, 8192):
        r_2 = tl.arange(0, 2048)
        acc_1 = tl.full((2048,), 0.0, tl.float32)
        acc_2 = acc_1
        acc_3 = acc_1
        for r_start_1 in range(0, 8192, 2048):
            r_3 = r_start_1 + r_2
            ne_1 = tl.load(ne_out_ptr + r_3)
            where_3 = ne_1.to(tl.float32)
            where_4 = tl.load(where_out_ptr + r_3)
            acc_2, acc_3 = acc_2 + where_3, acc_3 + where_4
        reduce = tl.sum(acc_2, axis=0)
        reduce_1 = tl.sum(acc_3, axis=0)
        tl.store(div_out_ptr, tl.div_rn(reduce_1, reduce))


# case: regions: masked softmax + dropout f16
def case(arguments):
    scores, mask, keep = arguments
    arguments.clear()
    device = scores.device
    allocate = allocator(device)
    scores = expect(scores, (16, 16, 1024, 1024), (16777216, 1048576, 1024, 1), torch.float16, device)
    mask = expect(mask, (16, 1024), (1024, 1), torch.bool, device)
    keep = expect(keep, (16, 16, 1024, 1024), (16777216, 1048576, 1024, 1), torch.bool, device)
    where = allocate((16, 16, 1024, 1024), (16777216, 1048576, 1024, 1), torch.float16)
    mul_select_max_sum_div[(262144,)](scores, mask, keep, where, num_warps=1, enable_fp_fusion=False)
    return (where,)


@triton.jit
def mul_select_max_sum_div(scores_ptr, mask_ptr, keep_ptr, where_out_ptr):  # 1 row(s) in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 1024)
    mask = tl.load(mask_ptr + ((p // 16384) * 1024 + r))
    scores = tl.load(scores_ptr + (p * 1024 + r), eviction_policy="evict_last")
    mul = scores.to(tl.float32) * tl.full((), 0.125, tl.float16).to(tl.float32)
    mul_1 = mul.to(tl.float16)
    where = tl.where(mask, mul_1, -10000.0)
    to_copy = where.to(tl.float32)
    amax = tl.reduce(to_copy, 0, lib.max_nan)
    sub = to_copy - amax
    exp = tl.exp(sub)
    sum = tl.sum(exp, axis=0)
    keep = tl.load(keep_ptr + (p * 1024 + r), eviction_policy="evict_last")
    div = tl.where(tl.abs(sum) < 7.888609e-31, tl.full((), 1.6777216e+07, tl.float32), tl.full((), 1.0, tl.float32))
    div_1 = (exp * div) * tl.div_rn(tl.full((), 1.0, tl.float32), sum * div)
    p_1 = div_1.to(tl.float16)
    cast = p_1.to(tl.float32)
    mul_2 = cast * 1.1111112
    mul_3 = mul_2.to(tl.float16)
    tl.store(where_out_ptr + (p * 1024 + r), tl.where(keep, mul_3, 0.0))
