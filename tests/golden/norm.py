# torch 2.13

# case: layer norm bf16 65536x4096
def case(x, w, b):
    device = x.device
    x = with_layout(x, (65536, 4096), (4096, 1))
    w = with_layout(w, (4096,), (1,))
    b = with_layout(b, (4096,), (1,))
    to_copy = torch.empty_strided((65536, 4096), (4096, 1), dtype=torch.bfloat16, device=device)
    sum_mul_sub_add_rsqrt[(65536,)](x, w, b, to_copy, num_warps=4, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def sum_mul_sub_add_rsqrt(x_ptr, w_ptr, b_ptr, to_copy_out_ptr):  # 1 row(s) of 4096 kept in registers; what it reads leaves the cache last
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


# case: layer norm f32 131072x768
def case(x, w, b):
    device = x.device
    x = with_layout(x, (131072, 768), (768, 1))
    w = with_layout(w, (768,), (1,))
    b = with_layout(b, (768,), (1,))
    add = torch.empty_strided((131072, 768), (768, 1), dtype=torch.float32, device=device)
    sum_div_sub_add_rsqrt[(131072,)](x, w, b, add, num_warps=1, enable_fp_fusion=False)
    return (add,)


@triton.jit
def sum_div_sub_add_rsqrt(x_ptr, w_ptr, b_ptr, add_out_ptr):  # 1 row(s) of 768 kept in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 1024)
    mask = r < 768
    x = tl.load(x_ptr + (p * 768 + r), mask=mask, other=0, eviction_policy="evict_last")
    reduce = tl.sum(x, axis=0)
    getitem = tl.div_rn(reduce, tl.full((), 768.0, tl.float32))
    sub = x - getitem
    mul = sub * sub
    reduce_1 = tl.sum(tl.where(mask, mul, 0.0), axis=0)
    getitem_1 = tl.div_rn(reduce_1, tl.full((), 768.0, tl.float32))
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    mul_1 = sub * rsqrt
    w = tl.load(w_ptr + r, mask=mask, other=0)
    mul_2 = mul_1 * w
    b = tl.load(b_ptr + r, mask=mask, other=0)
    tl.store(add_out_ptr + (p * 768 + r), mul_2 + b, mask=mask)


# case: layer norm f32 1048576x64
def case(x, w, b):
    device = x.device
    x = with_layout(x, (1048576, 64), (64, 1))
    w = with_layout(w, (64,), (1,))
    b = with_layout(b, (64,), (1,))
    add = torch.empty_strided((1048576, 64), (64, 1), dtype=torch.float32, device=device)
    sum_mul_sub_add_rsqrt[(65536,)](x, w, b, add, num_warps=1, enable_fp_fusion=False)
    return (add,)


@triton.jit
def sum_mul_sub_add_rsqrt(x_ptr, w_ptr, b_ptr, add_out_ptr):  # 16 row(s) of 64 kept in registers; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 16)[:, None]
    p = pid * 16 + lanes
    r = tl.arange(0, 64)[None, :]
    x = tl.load(x_ptr + (p * 64 + r), eviction_policy="evict_last")
    reduce = tl.sum(x, axis=1, keep_dims=True)
    getitem = reduce * 0.015625
    sub = x - getitem
    mul = sub * sub
    reduce_1 = tl.sum(mul, axis=1, keep_dims=True)
    getitem_1 = reduce_1 * 0.015625
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    mul_1 = sub * rsqrt
    w = tl.load(w_ptr + r)
    mul_2 = mul_1 * w
    b = tl.load(b_ptr + r)
    tl.store(add_out_ptr + (p * 64 + r), mul_2 + b)


# case: layer norm f16 8192x16384
def case(x, w, b):
    device = x.device
    x = with_layout(x, (8192, 16384), (16384, 1))
    w = with_layout(w, (16384,), (1,))
    b = with_layout(b, (16384,), (1,))
    to_copy = torch.empty_strided((8192, 16384), (16384, 1), dtype=torch.float16, device=device)
    sum_mul_sub_add_rsqrt[(8192,)](x, w, b, to_copy, num_warps=16, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def sum_mul_sub_add_rsqrt(x_ptr, w_ptr, b_ptr, to_copy_out_ptr):  # a row of 16384, more than 8192: looped by 4096; variances are sums of distances
    p = tl.program_id(0)
    r = tl.arange(0, 32)
    x = tl.load(x_ptr + (p * 16384 + (r // 2) * 1024 + (r % 2)), eviction_policy="evict_last")
    to_copy = x.to(tl.float32)
    t = tl.sum(to_copy, axis=0)
    t_1 = tl.sum(to_copy * to_copy, axis=0)
    t_2 = t * 0.03125
    pivot = tl.where(tl.abs(t_2) < float("inf"), tl.where((t_2 * (t * 16.0)) < t_1, 0.0, t_2), 0.0)
    r_1 = tl.arange(0, 4096)
    acc = tl.full((4096,), 0.0, tl.float32)
    acc_1 = acc
    acc_2 = acc
    for r_start in range(0, 16384, 4096):
        x_1 = tl.load(x_ptr + (p * 16384 + (r_start + r_1)), eviction_policy="evict_last")
        to_copy_1 = x_1.to(tl.float32)
        t_3 = to_copy_1 - pivot
        acc_1, acc_2 = acc_1 + t_3, acc_2 + (t_3 * t_3)
    t_4 = tl.sum(acc_1, axis=0)
    t_5 = tl.sum(acc_2, axis=0)
    t_6 = t_5 - (t_4 * tl.div_rn(t_4, tl.full((), 16384.0, tl.float32)))
    getitem = tl.fma(tl.full((), 16384.0, tl.float32), pivot, t_4) * 6.1035156e-05
    getitem_1 = tl.maximum(t_6, 0.0, propagate_nan=tl.PropagateNan.ALL) * 6.1035156e-05
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    for r_start_1 in range(0, 16384, 4096):
        r_2 = (-r_start_1 + 12288) + r_1
        x_2 = tl.load(x_ptr + (p * 16384 + r_2), eviction_policy="evict_first")
        to_copy_2 = x_2.to(tl.float32)
        sub = to_copy_2 - getitem
        mul = sub * rsqrt
        w = tl.load(w_ptr + r_2)
        cast = w.to(tl.float32)
        mul_1 = mul * cast
        b = tl.load(b_ptr + r_2)
        cast_1 = b.to(tl.float32)
        add_1 = mul_1 + cast_1
        tl.store(to_copy_out_ptr + (p * 16384 + r_2), add_1.to(tl.float16), eviction_policy="evict_first")


# case: layer norm + residual f16
def case(x, r, w, b):
    device = x.device
    x = with_layout(x, (32768, 4096), (4096, 1))
    r = with_layout(r, (32768, 4096), (4096, 1))
    w = with_layout(w, (4096,), (1,))
    b = with_layout(b, (4096,), (1,))
    h = torch.empty_strided((32768, 4096), (4096, 1), dtype=torch.float16, device=device)
    to_copy = torch.empty_strided((32768, 4096), (4096, 1), dtype=torch.float16, device=device)
    add_sum_mul_sub_rsqrt[(32768,)](x, r, w, b, h, to_copy, num_warps=4, enable_fp_fusion=False)
    return (h, to_copy,)


@triton.jit
def add_sum_mul_sub_rsqrt(x_ptr, r_ptr, w_ptr, b_ptr, h_out_ptr, to_copy_out_ptr):  # 1 row(s) of 4096 kept in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 4096)
    x = tl.load(x_ptr + (p * 4096 + r), eviction_policy="evict_last")
    r_1 = tl.load(r_ptr + (p * 4096 + r), eviction_policy="evict_last")
    h = (x.to(tl.float32) + r_1.to(tl.float32)).to(tl.float16)
    to_copy = h.to(tl.float32)
    tl.store(h_out_ptr + (p * 4096 + r), h)
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
    tl.store(to_copy_out_ptr + (p * 4096 + r), add_1.to(tl.float16))


# case: rms norm bf16 65536x4096
def case(x, w):
    device = x.device
    x = with_layout(x, (65536, 4096), (4096, 1))
    w = with_layout(w, (4096,), (1,))
    mul = torch.empty_strided((65536, 4096), (4096, 1), dtype=torch.bfloat16, device=device)
    mul_sum_add_rsqrt[(65536,)](x, w, mul, num_warps=4, enable_fp_fusion=False)
    return (mul,)


@triton.jit
def mul_sum_add_rsqrt(x_ptr, w_ptr, mul_out_ptr):  # 1 row(s) of 4096 kept in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 4096)
    x = tl.load(x_ptr + (p * 4096 + r), eviction_policy="evict_last")
    to_copy = x.to(tl.float32)
    square = to_copy * to_copy
    reduce = tl.sum(square, axis=0)
    mean = reduce * 0.00024414062
    add = mean + 1e-06
    rsqrt = libdevice.rsqrt(add)
    mul = to_copy * rsqrt
    to_copy_1 = mul.to(tl.bfloat16)
    w = tl.load(w_ptr + r)
    mul_1 = (to_copy_1.to(tl.float32) * w.to(tl.float32)).to(tl.bfloat16)
    tl.store(mul_out_ptr + (p * 4096 + r), mul_1)


# case: rms norm f32 8192x16384
def case(x, w):
    device = x.device
    x = with_layout(x, (8192, 16384), (16384, 1))
    w = with_layout(w, (16384,), (1,))
    mul = torch.empty_strided((8192, 16384), (16384, 1), dtype=torch.float32, device=device)
    mul_sum_add_rsqrt[(8192,)](x, w, mul, num_warps=16, enable_fp_fusion=False)
    return (mul,)


@triton.jit
def mul_sum_add_rsqrt(x_ptr, w_ptr, mul_out_ptr):  # 1 row(s) of 16384 kept in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 16384)
    x = tl.load(x_ptr + (p * 16384 + r), eviction_policy="evict_last")
    square = x * x
    reduce = tl.sum(square, axis=0)
    mean = reduce * 6.1035156e-05
    add = mean + 1e-06
    rsqrt = libdevice.rsqrt(add)
    mul = x * rsqrt
    w = tl.load(w_ptr + r)
    tl.store(mul_out_ptr + (p * 16384 + r), mul * w)


# case: rms norm + residual bf16
def case(x, r, w):
    device = x.device
    x = with_layout(x, (32768, 4096), (4096, 1))
    r = with_layout(r, (32768, 4096), (4096, 1))
    w = with_layout(w, (4096,), (1,))
    h = torch.empty_strided((32768, 4096), (4096, 1), dtype=torch.bfloat16, device=device)
    mul = torch.empty_strided((32768, 4096), (4096, 1), dtype=torch.bfloat16, device=device)
    add_mul_sum_rsqrt[(32768,)](x, r, w, h, mul, num_warps=4, enable_fp_fusion=False)
    return (h, mul,)


@triton.jit
def add_mul_sum_rsqrt(x_ptr, r_ptr, w_ptr, h_out_ptr, mul_out_ptr):  # 1 row(s) of 4096 kept in registers; what it reads leaves the cache last
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


# case: normalize bf16 262144x1024
def case(x):
    device = x.device
    x = with_layout(x, (262144, 1024), (1024, 1))
    div = torch.empty_strided((262144, 1024), (1024, 1), dtype=torch.bfloat16, device=device)
    mul_sum_sqrt_maximum_div[(262144,)](x, div, num_warps=1, enable_fp_fusion=False)
    return (div,)


@triton.jit
def mul_sum_sqrt_maximum_div(x_ptr, div_out_ptr):  # 1 row(s) of 1024 kept in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 1024)
    x = tl.load(x_ptr + (p * 1024 + r), eviction_policy="evict_last")
    to_copy = x.to(tl.float32)
    pow = to_copy * to_copy
    sum = tl.sum(pow, axis=0)
    pow_1 = tl.sqrt_rn(sum)
    to_copy_1 = pow_1.to(tl.bfloat16)
    clamp_min = tl.full((), 1.0018652574217413e-12, tl.bfloat16).to(tl.float32)
    clamp_min_1 = tl.maximum(to_copy_1.to(tl.float32), clamp_min, propagate_nan=tl.PropagateNan.ALL)
    clamp_min_2 = clamp_min_1.to(tl.bfloat16)
    div = tl.div_rn(to_copy, clamp_min_2.to(tl.float32)).to(tl.bfloat16)
    tl.store(div_out_ptr + (p * 1024 + r), div)


# case: group norm + silu bf16
def case(x):
    device = x.device
    x = with_layout(x, (32, 512, 64, 64), (2097152, 4096, 64, 1))
    to_copy = torch.empty_strided((32, 512, 64, 64), (2097152, 4096, 64, 1), dtype=torch.bfloat16, device=device)
    sum_mul_sub_rsqrt_sigmoid[(1024,)](x, to_copy, num_warps=32, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def sum_mul_sub_rsqrt_sigmoid(x_ptr, to_copy_out_ptr):  # a row of 65536, more than 8192: looped by 16384; variances are sums of distances
    p = tl.program_id(0)
    r = tl.arange(0, 32)
    x = tl.load(x_ptr + (p * 65536 + (r // 2) * 4096 + (r % 2)), eviction_policy="evict_last")
    to_copy = x.to(tl.float32)
    t = tl.sum(to_copy, axis=0)
    t_1 = tl.sum(to_copy * to_copy, axis=0)
    t_2 = t * 0.03125
    pivot = tl.where(tl.abs(t_2) < float("inf"), tl.where((t_2 * (t * 16.0)) < t_1, 0.0, t_2), 0.0)
    r_1 = tl.arange(0, 16384)
    acc = tl.full((16384,), 0.0, tl.float32)
    acc_1 = acc
    acc_2 = acc
    for r_start in range(0, 65536, 16384):
        x_1 = tl.load(x_ptr + (p * 65536 + (r_start + r_1)), eviction_policy="evict_last")
        to_copy_1 = x_1.to(tl.float32)
        t_3 = to_copy_1 - pivot
        acc_1, acc_2 = acc_1 + t_3, acc_2 + (t_3 * t_3)
    t_4 = tl.sum(acc_1, axis=0)
    t_5 = tl.sum(acc_2, axis=0)
    t_6 = t_5 - (t_4 * tl.div_rn(t_4, tl.full((), 65536.0, tl.float32)))
    getitem = tl.fma(tl.full((), 65536.0, tl.float32), pivot, t_4) * 1.5258789e-05
    getitem_1 = tl.maximum(t_6, 0.0, propagate_nan=tl.PropagateNan.ALL) * 1.5258789e-05
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    for r_start_1 in range(0, 65536, 16384):
        r_2 = (-r_start_1 + 49152) + r_1
        x_2 = tl.load(x_ptr + (p * 65536 + r_2), eviction_policy="evict_first")
        to_copy_2 = x_2.to(tl.float32)
        sub = to_copy_2 - getitem
        mul = sub * rsqrt
        to_copy_3 = lib.rounded_to_bfloat16(mul)
        mul_1 = tl.fma(to_copy_3, tl.full((16384,), -1.442695, tl.float32), tl.full((16384,), -2.0, tl.float32))
        mul_2 = (to_copy_3 * 0.25) * lib.reciprocal((0.25 + tl.exp2(mul_1)))
        tl.store(to_copy_out_ptr + (p * 65536 + r_2), mul_2.to(tl.bfloat16), eviction_policy="evict_first")


# case: instance norm f32
def case(x):
    device = x.device
    x = with_layout(x, (32, 128, 128, 128), (2097152, 16384, 128, 1))
    mul = torch.empty_strided((1, 4096, 128, 128), (67108864, 16384, 128, 1), dtype=torch.float32, device=device)
    sum_mul_sub_add_rsqrt[(4096,)](x, mul, num_warps=16, enable_fp_fusion=False)
    view = mul.as_strided((32, 128, 128, 128), (2097152, 16384, 128, 1), mul.storage_offset())
    return (view,)


@triton.jit
def sum_mul_sub_add_rsqrt(x_ptr, mul_out_ptr):  # a row of 16384, more than 8192: looped by 8192; variances are sums of distances
    p = tl.program_id(0)
    r = tl.arange(0, 32)
    x = tl.load(x_ptr + (p * 16384 + (r // 2) * 1024 + (r % 2)), eviction_policy="evict_last")
    t = tl.sum(x, axis=0)
    t_1 = tl.sum(x * x, axis=0)
    t_2 = t * 0.03125
    pivot = tl.where(tl.abs(t_2) < float("inf"), tl.where((t_2 * (t * 16.0)) < t_1, 0.0, t_2), 0.0)
    r_1 = tl.arange(0, 8192)
    acc = tl.full((8192,), 0.0, tl.float32)
    acc_1 = acc
    acc_2 = acc
    for r_start in range(0, 16384, 8192):
        x_1 = tl.load(x_ptr + (p * 16384 + (r_start + r_1)), eviction_policy="evict_last")
        t_3 = x_1 - pivot
        acc_1, acc_2 = acc_1 + t_3, acc_2 + (t_3 * t_3)
    t_4 = tl.sum(acc_1, axis=0)
    t_5 = tl.sum(acc_2, axis=0)
    t_6 = t_5 - (t_4 * tl.div_rn(t_4, tl.full((), 16384.0, tl.float32)))
    getitem = tl.fma(tl.full((), 16384.0, tl.float32), pivot, t_4) * 6.1035156e-05
    getitem_1 = tl.maximum(t_6, 0.0, propagate_nan=tl.PropagateNan.ALL) * 6.1035156e-05
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    for r_start_1 in range(0, 16384, 8192):
        r_2 = (-r_start_1 + 8192) + r_1
        x_2 = tl.load(x_ptr + (p * 16384 + r_2), eviction_policy="evict_first")
        sub = x_2 - getitem
        tl.store(mul_out_ptr + (p * 16384 + r_2), sub * rsqrt, eviction_policy="evict_first")


# case: batch norm inference + relu bf16
def case(x, mean, var, w, b):
    device = x.device
    x = with_layout(x, (64, 256, 56, 56), (802816, 3136, 56, 1))
    mean = with_layout(mean, (256,), (1,))
    var = with_layout(var, (256,), (1,))
    w = with_layout(w, (256,), (1,))
    b = with_layout(b, (256,), (1,))
    relu = torch.empty_strided((64, 256, 56, 56), (802816, 3136, 56, 1), dtype=torch.bfloat16, device=device)
    add_rsqrt_sub_mul_maximum[(50176,)](mean, var, x, w, b, relu, num_warps=4, enable_fp_fusion=False)
    return (relu,)


@triton.jit
def add_rsqrt_sub_mul_maximum(mean_ptr, var_ptr, x_ptr, w_ptr, b_ptr, relu_out_ptr):  # 1024 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    x = tl.load(x_ptr + p, eviction_policy="evict_last")
    cast = x.to(tl.float32)
    mean = tl.load(mean_ptr + ((p // 3136) % 256))
    to_copy = mean.to(tl.float32)
    sub = cast - to_copy
    var = tl.load(var_ptr + ((p // 3136) % 256))
    to_copy_1 = var.to(tl.float32)
    add = to_copy_1 + 1e-05
    reciprocal = libdevice.rsqrt(add)
    mul = sub * reciprocal
    w = tl.load(w_ptr + ((p // 3136) % 256))
    cast_1 = w.to(tl.float32)
    mul_1 = mul * cast_1
    b = tl.load(b_ptr + ((p // 3136) % 256))
    cast_2 = b.to(tl.float32)
    add_1 = mul_1 + cast_2
    relu = tl.maximum(lib.rounded_to_bfloat16(add_1), tl.full((), 0.0, tl.bfloat16).to(tl.float32), propagate_nan=tl.PropagateNan.ALL)
    tl.store(relu_out_ptr + p, relu.to(tl.bfloat16))


# case: batch norm training + relu bf16
def case(x):
    device = x.device
    x = with_layout(x, (64, 256, 56, 56), (802816, 3136, 56, 1))
    relu = torch.empty_strided((64, 256, 56, 56), (802816, 3136, 56, 1), dtype=torch.bfloat16, device=device)
    told = counters.kept("sum_div_sub_rsqrt_maximum", 8193, device)
    sum_div_sub_rsqrt_maximum[(4096,)](x, relu, told, num_warps=4, enable_fp_fusion=False)
    return (relu,)


@triton.jit
def sum_div_sub_rsqrt_maximum(x_ptr, relu_out_ptr, told_ptr):  # a part of 16384, looped by 4096; awaits those of the other programs
    q, mark = lib.ticket(told_ptr, 4096)
    r = tl.arange(0, 512)
    x = tl.load(x_ptr + ((q // 16) * 3136 + (r // 32) * 3211264 + (r % 32) + 1568))
    cast = x.to(tl.float32)
    t = tl.sum(cast, axis=0)
    t_1 = tl.sum(cast * cast, axis=0)
    t_2 = t * 0.001953125
    pivot = tl.where(tl.abs(t_2) < float("inf"), tl.where((t_2 * (t * 16.0)) < t_1, 0.0, t_2), 0.0)
    r_1 = tl.arange(0, 4096)
    t_3 = (r_1 - 3136).to(tl.int64) < 0
    acc = tl.full((4096,), 0.0, tl.float32)
    acc_1 = acc
    acc_2 = acc
    for r_start in tl.static_range(0, 16384, 4096):
        r_start = tl.full((), r_start, tl.int32)
        base = (q // 16) * 3136 + (q % 16) * 3211264 + (r_start // 4096) * 802816
        x_1 = tl.load(x_ptr + (base + r_1), mask=t_3, other=0, eviction_policy="evict_last")
        cast_1 = x_1.to(tl.float32)
        t_4 = cast_1 - pivot
        acc_1, acc_2 = acc_1 + t_4, acc_2 + (t_4 * t_4)
    t_5 = tl.sum(tl.where(t_3, acc_1, 0.0), axis=0)
    t_6 = tl.sum(tl.where(t_3, acc_2, 0.0), axis=0)
    lib.publish(told_ptr + (q + 1), t_5, mark)
    lib.publish(told_ptr + (q + 4097), t_6, mark)
    r_2 = tl.arange(0, 16)
    mask = r_2 < 16
    t_7 = lib.awaited(told_ptr + (r_2 + (q // 16) * 16 + 1), mask, mark, tl.float32)
    t_8 = lib.awaited(told_ptr + (r_2 + (q // 16) * 16 + 4097), mask, mark, tl.float32)
    t_9 = tl.sum(t_7, axis=0)
    t_10 = tl.sum(t_8, axis=0)
    t_11 = t_10 - (t_9 * tl.div_rn(t_9, tl.full((), 200704.0, tl.float32)))
    getitem = tl.div_rn(tl.fma(tl.full((), 200704.0, tl.float32), pivot, t_9), tl.full((), 200704.0, tl.float32))
    getitem_1 = tl.div_rn(tl.maximum(t_11, 0.0, propagate_nan=tl.PropagateNan.ALL), tl.full((), 200704.0, tl.float32))
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    relu = tl.full((), 0.0, tl.bfloat16).to(tl.float32)
    for r_start_1 in range(0, 16384, 4096):
        base_1 = (q // 16) * 3136 + (q % 16) * 3211264 + ((-r_start_1 + 12288) // 4096) * 802816
        x_2 = tl.load(x_ptr + (base_1 + r_1), mask=t_3, other=0, eviction_policy="evict_first")
        cast_2 = x_2.to(tl.float32)
        sub = cast_2 - getitem
        mul = sub * rsqrt
        relu_1 = tl.maximum(lib.rounded_to_bfloat16(mul), relu, propagate_nan=tl.PropagateNan.ALL)
        tl.store(relu_out_ptr + (base_1 + r_1), relu_1.to(tl.bfloat16), mask=t_3, eviction_policy="evict_first")


# case: layer norm backward bf16 16384x4096
def case(dy, x, w):
    device = dy.device
    dy = with_layout(dy, (16384, 4096), (4096, 1))
    x = with_layout(x, (16384, 4096), (4096, 1))
    w = with_layout(w, (4096,), (1,))
    to_copy = torch.empty_strided((16384, 4096), (4096, 1), dtype=torch.bfloat16, device=device)
    buf = torch.empty_strided((264, 1, 4096), (4096, 4096, 1), dtype=torch.float32, device=device)
    buf_1 = torch.empty_strided((264, 1, 4096), (4096, 4096, 1), dtype=torch.float32, device=device)
    sum_mul_sub_add_rsqrt[(264,)](x, dy, w, to_copy, buf, buf_1, num_warps=4, enable_fp_fusion=False)
    to_copy_1 = torch.empty_strided((4096,), (1,), dtype=torch.bfloat16, device=device)
    to_copy_2 = torch.empty_strided((4096,), (1,), dtype=torch.bfloat16, device=device)
    sum[(256,)](buf, buf_1, to_copy_1, to_copy_2, num_warps=16, enable_fp_fusion=False, maxnreg=128)
    del buf_1
    del buf
    return (to_copy, to_copy_1, to_copy_2,)


@triton.jit
def sum_mul_sub_add_rsqrt(x_ptr, dy_ptr, w_ptr, to_copy_out_ptr, reduce_out_ptr, reduce_out_ptr_1):  # 264 programs walk the rows, 1 at once; sums over the rows stay in registers
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
def sum(reduce_ptr, reduce_ptr_1, to_copy_out_ptr, to_copy_out_ptr_1):  # reduces down columns of memory: 16 of them side by side, 512 deep, kept in registers
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


# case: rms norm backward bf16 16384x4096
def case(dy, x, w):
    device = dy.device
    dy = with_layout(dy, (16384, 4096), (4096, 1))
    x = with_layout(x, (16384, 4096), (4096, 1))
    w = with_layout(w, (4096,), (1,))
    to_copy = torch.empty_strided((16384, 4096), (4096, 1), dtype=torch.bfloat16, device=device)
    buf = torch.empty_strided((264, 1, 4096), (4096, 4096, 1), dtype=torch.float32, device=device)
    mul_sum_add_rsqrt_sub[(264,)](x, dy, w, to_copy, buf, num_warps=4, enable_fp_fusion=False)
    to_copy_1 = torch.empty_strided((4096,), (1,), dtype=torch.bfloat16, device=device)
    sum[(256,)](buf, to_copy_1, num_warps=16, enable_fp_fusion=False, maxnreg=128)
    del buf
    return (to_copy, to_copy_1,)


@triton.jit
def mul_sum_add_rsqrt_sub(x_ptr, dy_ptr, w_ptr, to_copy_out_ptr, reduce_out_ptr):  # 264 programs walk the rows, 1 at once; sums over the rows stay in registers
    i = tl.program_id(0)
    reduce_out = tl.full((4096,), 0.0, tl.float32)
    r = tl.arange(0, 4096)
    w = tl.load(w_ptr + r)
    cast = w.to(tl.float32)
    acc = reduce_out
    for p in tl.range(i, 16384, 264, num_stages=3):
        x = tl.load(x_ptr + (p * 4096 + r))
        to_copy = x.to(tl.float32)
        square = to_copy * to_copy
        reduce = tl.sum(square, axis=0)
        mean = reduce * 0.00024414062
        add = mean + 1e-06
        rstd = libdevice.rsqrt(add)
        dy = tl.load(dy_ptr + (p * 4096 + r))
        to_copy_1 = dy.to(tl.float32)
        mul = to_copy_1 * cast
        mul_1 = to_copy * rstd
        mul_2 = mul * mul_1
        reduce_1 = tl.sum(mul_2, axis=0)
        mean_1 = reduce_1 * 0.00024414062
        mul_3 = mul_1 * mean_1
        sub = mul - mul_3
        dx = rstd * sub
        tl.store(to_copy_out_ptr + (p * 4096 + r), dx.to(tl.bfloat16))
        mul_4 = to_copy_1 * mul_1
        t = acc + mul_4
        acc = t
    tl.store(reduce_out_ptr + (i * 4096 + r), acc)


@triton.jit
def sum(reduce_ptr, to_copy_out_ptr):  # reduces down columns of memory: 16 of them side by side, 512 deep, kept in registers
    pid = tl.program_id(0)
    lanes = tl.arange(0, 16)[:, None]
    p = pid * 16 + lanes
    r = tl.arange(0, 512)[None, :]
    t = tl.load(reduce_ptr + (p + r * 4096), mask=r < 264, other=0)
    reduce = tl.sum(t, axis=1, keep_dims=True)
    tl.store(to_copy_out_ptr + p, reduce.to(tl.bfloat16))
