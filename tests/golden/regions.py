# torch 2.13

# case: batch norm + relu forward bf16 64x64x112x112
def case(x, w, b, mean, var):
    device = x.device
    x = with_layout(x, (64, 64, 112, 112), (802816, 12544, 112, 1))
    w = with_layout(w, (64,), (1,))
    b = with_layout(b, (64,), (1,))
    mean = with_layout(mean, (64,), (1,))
    var = with_layout(var, (64,), (1,))
    add = torch.empty_strided((64,), (1,), dtype=torch.float32, device=device)
    add_1 = torch.empty_strided((64,), (1,), dtype=torch.float32, device=device)
    to_copy = torch.empty_strided((64,), (1,), dtype=torch.bfloat16, device=device)
    to_copy_1 = torch.empty_strided((64,), (1,), dtype=torch.bfloat16, device=device)
    relu = torch.empty_strided((64, 64, 112, 112), (802816, 12544, 112, 1), dtype=torch.bfloat16, device=device)
    told = counters.kept("sum_div_sub_rsqrt_maximum", 4097, device)
    sum_div_sub_rsqrt_maximum[(2048,)](x, mean, var, w, b, add, add_1, to_copy, to_copy_1, relu, told, num_warps=4, enable_fp_fusion=False)
    return (relu, to_copy, to_copy_1, add, add_1,)


@triton.jit
def sum_div_sub_rsqrt_maximum(x_ptr, mean_ptr, var_ptr, w_ptr, b_ptr, add_out_ptr, add_out_ptr_1, to_copy_out_ptr, to_copy_out_ptr_1, relu_out_ptr, told_ptr):  # a part of 32768, looped by 4096; awaits those of the other programs
    q, mark = lib.ticket(told_ptr, 2048)
    r = tl.arange(0, 512)
    x = tl.load(x_ptr + ((q // 32) * 12544 + (r // 32) * 3211264 + (r % 32) + 6272))
    to_copy = x.to(tl.float32)
    t = tl.sum(to_copy, axis=0)
    t_1 = tl.sum(to_copy * to_copy, axis=0)
    t_2 = t * 0.001953125
    pivot = tl.where(tl.abs(t_2) < float("inf"), tl.where((t_2 * (t * 16.0)) < t_1, 0.0, t_2), 0.0)
    r_1 = tl.arange(0, 4096)
    acc = tl.full((4096,), 0.0, tl.float32)
    mean = tl.load(mean_ptr + (q // 32))
    var = tl.load(var_ptr + (q // 32))
    w = tl.load(w_ptr + (q // 32))
    b = tl.load(b_ptr + (q // 32))
    acc_1 = acc
    acc_2 = acc
    for r_start in tl.static_range(0, 32768, 4096):
        r_start = tl.full((), r_start, tl.int32)
        t_3 = (r_1 + ((r_start // 4096) % 4) * 4096 - 12544).to(tl.int64) < 0
        base = ((r_start // 4096) % 4) * 4096 + (q // 32) * 12544 + (q % 32) * 1605632 + (r_start // 16384) * 802816
        x_1 = tl.load(x_ptr + (base + r_1), mask=t_3, other=0, eviction_policy="evict_last")
        to_copy_1 = x_1.to(tl.float32)
        t_4 = to_copy_1 - pivot
        acc_1, acc_2 = acc_1 + tl.where(t_3, t_4, 0.0), acc_2 + tl.where(t_3, t_4 * t_4, 0.0)
    t_5 = tl.sum(acc_1, axis=0)
    t_6 = tl.sum(acc_2, axis=0)
    lib.publish(told_ptr + (q + 1), t_5, mark)
    lib.publish(told_ptr + (q + 2049), t_6, mark)
    mul = mean * 0.9
    mul_1 = var * 0.9
    r_2 = tl.arange(0, 32)
    mask = r_2 < 32
    t_7 = lib.awaited(told_ptr + (r_2 + (q // 32) * 32 + 1), mask, mark, tl.float32)
    t_8 = lib.awaited(told_ptr + (r_2 + (q // 32) * 32 + 2049), mask, mark, tl.float32)
    t_9 = tl.sum(t_7, axis=0)
    t_10 = tl.sum(t_8, axis=0)
    t_11 = (q % 32).to(tl.int64) == 0
    t_12 = t_10 - (t_9 * tl.div_rn(t_9, tl.full((), 802816.0, tl.float32)))
    getitem = tl.div_rn(tl.fma(tl.full((), 802816.0, tl.float32), pivot, t_9), tl.full((), 802816.0, tl.float32))
    mul_2 = getitem * 0.1
    tl.store(add_out_ptr + (q // 32), mul_2 + mul, mask=t_11)
    getitem_1 = tl.div_rn(tl.maximum(t_12, 0.0, propagate_nan=tl.PropagateNan.ALL), tl.full((), 802816.0, tl.float32))
    mul_3 = getitem_1 * 1.0000012
    mul_4 = mul_3 * 0.1
    tl.store(add_out_ptr_1 + (q // 32), mul_4 + mul_1, mask=t_11)
    tl.store(to_copy_out_ptr + (q // 32), getitem.to(tl.bfloat16), mask=t_11)
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    tl.store(to_copy_out_ptr_1 + (q // 32), rsqrt.to(tl.bfloat16), mask=t_11)
    relu = tl.full((), 0.0, tl.bfloat16).to(tl.float32)
    for r_start_1 in range(0, 32768, 4096):
        r_start_2 = -r_start_1 + 28672
        t_13 = (r_1 + ((r_start_2 // 4096) % 4) * 4096 - 12544).to(tl.int64)
        t_14 = t_13 < 0
        base_1 = ((r_start_2 // 4096) % 4) * 4096 + (q // 32) * 12544 + (q % 32) * 1605632 + (r_start_2 // 16384) * 802816
        x_2 = tl.load(x_ptr + (base_1 + r_1), mask=t_14, other=0, eviction_policy="evict_first")
        to_copy_2 = x_2.to(tl.float32)
        sub = to_copy_2 - getitem
        mul_5 = sub * rsqrt
        mul_6 = mul_5 * w
        add_1 = mul_6 + b
        relu_1 = tl.maximum(lib.rounded_to_bfloat16(add_1), relu, propagate_nan=tl.PropagateNan.ALL)
        tl.store(relu_out_ptr + (base_1 + r_1), relu_1.to(tl.bfloat16), mask=t_14, eviction_policy="evict_first")


# case: batch norm + relu forward f32 64x256x56x56
def case(x, w, b, mean, var):
    device = x.device
    x = with_layout(x, (64, 256, 56, 56), (802816, 3136, 56, 1))
    w = with_layout(w, (256,), (1,))
    b = with_layout(b, (256,), (1,))
    mean = with_layout(mean, (256,), (1,))
    var = with_layout(var, (256,), (1,))
    getitem = torch.empty_strided((1, 256, 1, 1), (256, 1, 1, 1), dtype=torch.float32, device=device)
    rsqrt = torch.empty_strided((1, 256, 1, 1), (256, 1, 1, 1), dtype=torch.float32, device=device)
    add = torch.empty_strided((256,), (1,), dtype=torch.float32, device=device)
    add_1 = torch.empty_strided((256,), (1,), dtype=torch.float32, device=device)
    relu = torch.empty_strided((64, 256, 56, 56), (802816, 3136, 56, 1), dtype=torch.float32, device=device)
    told = counters.kept("sum_div_sub_rsqrt_maximum", 8193, device)
    sum_div_sub_rsqrt_maximum[(4096,)](x, mean, var, w, b, getitem, rsqrt, add, add_1, relu, told, num_warps=4, enable_fp_fusion=False)
    squeeze = getitem.as_strided((256,), (1,), getitem.storage_offset())
    squeeze_1 = rsqrt.as_strided((256,), (1,), rsqrt.storage_offset())
    return (relu, squeeze, squeeze_1, add, add_1,)


@triton.jit
def sum_div_sub_rsqrt_maximum(x_ptr, mean_ptr, var_ptr, w_ptr, b_ptr, getitem_out_ptr, rsqrt_out_ptr, add_out_ptr, add_out_ptr_1, relu_out_ptr, told_ptr):  # a part of 16384, looped by 4096; awaits those of the other programs
    q, mark = lib.ticket(told_ptr, 4096)
    r = tl.arange(0, 512)
    x = tl.load(x_ptr + ((q // 16) * 3136 + (r // 32) * 3211264 + (r % 32) + 1568))
    t = tl.sum(x, axis=0)
    t_1 = tl.sum(x * x, axis=0)
    t_2 = t * 0.001953125
    pivot = tl.where(tl.abs(t_2) < float("inf"), tl.where((t_2 * (t * 16.0)) < t_1, 0.0, t_2), 0.0)
    r_1 = tl.arange(0, 4096)
    t_3 = (r_1 - 3136).to(tl.int64) < 0
    acc = tl.full((4096,), 0.0, tl.float32)
    mean = tl.load(mean_ptr + (q // 16))
    var = tl.load(var_ptr + (q // 16))
    w = tl.load(w_ptr + (q // 16))
    b = tl.load(b_ptr + (q // 16))
    acc_1 = acc
    acc_2 = acc
    for r_start in tl.static_range(0, 16384, 4096):
        r_start = tl.full((), r_start, tl.int32)
        base = (q // 16) * 3136 + (q % 16) * 3211264 + (r_start // 4096) * 802816
        x_1 = tl.load(x_ptr + (base + r_1), mask=t_3, other=0, eviction_policy="evict_last")
        t_4 = x_1 - pivot
        acc_1, acc_2 = acc_1 + t_4, acc_2 + (t_4 * t_4)
    t_5 = tl.sum(tl.where(t_3, acc_1, 0.0), axis=0)
    t_6 = tl.sum(tl.where(t_3, acc_2, 0.0), axis=0)
    lib.publish(told_ptr + (q + 1), t_5, mark)
    lib.publish(told_ptr + (q + 4097), t_6, mark)
    mul = mean * 0.9
    mul_1 = var * 0.9
    r_2 = tl.arange(0, 16)
    mask = r_2 < 16
    t_7 = lib.awaited(told_ptr + (r_2 + (q // 16) * 16 + 1), mask, mark, tl.float32)
    t_8 = lib.awaited(told_ptr + (r_2 + (q // 16) * 16 + 4097), mask, mark, tl.float32)
    t_9 = tl.sum(t_7, axis=0)
    t_10 = tl.sum(t_8, axis=0)
    t_11 = (q % 16).to(tl.int64) == 0
    t_12 = t_10 - (t_9 * tl.div_rn(t_9, tl.full((), 200704.0, tl.float32)))
    getitem = tl.div_rn(tl.fma(tl.full((), 200704.0, tl.float32), pivot, t_9), tl.full((), 200704.0, tl.float32))
    tl.store(getitem_out_ptr + (q // 16), getitem, mask=t_11)
    getitem_1 = tl.div_rn(tl.maximum(t_12, 0.0, propagate_nan=tl.PropagateNan.ALL), tl.full((), 200704.0, tl.float32))
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    tl.store(rsqrt_out_ptr + (q // 16), rsqrt, mask=t_11)
    mul_2 = getitem * 0.1
    tl.store(add_out_ptr + (q // 16), mul_2 + mul, mask=t_11)
    mul_3 = getitem_1 * 1.000005
    mul_4 = mul_3 * 0.1
    tl.store(add_out_ptr_1 + (q // 16), mul_4 + mul_1, mask=t_11)
    for r_start_1 in range(0, 16384, 4096):
        base_1 = (q // 16) * 3136 + (q % 16) * 3211264 + ((-r_start_1 + 12288) // 4096) * 802816
        x_2 = tl.load(x_ptr + (base_1 + r_1), mask=t_3, other=0, eviction_policy="evict_first")
        sub = x_2 - getitem
        mul_5 = sub * rsqrt
        mul_6 = mul_5 * w
        add_1 = mul_6 + b
        tl.store(relu_out_ptr + (base_1 + r_1), tl.maximum(add_1, 0.0, propagate_nan=tl.PropagateNan.ALL), mask=t_3, eviction_policy="evict_first")


# case: batch norm + relu forward f16 256x2048x7x7
def case(x, w, b, mean, var):
    device = x.device
    x = with_layout(x, (256, 2048, 7, 7), (100352, 49, 7, 1))
    w = with_layout(w, (2048,), (1,))
    b = with_layout(b, (2048,), (1,))
    mean = with_layout(mean, (2048,), (1,))
    var = with_layout(var, (2048,), (1,))
    add = torch.empty_strided((2048,), (1,), dtype=torch.float32, device=device)
    add_1 = torch.empty_strided((2048,), (1,), dtype=torch.float32, device=device)
    to_copy = torch.empty_strided((2048,), (1,), dtype=torch.float16, device=device)
    to_copy_1 = torch.empty_strided((2048,), (1,), dtype=torch.float16, device=device)
    relu = torch.empty_strided((256, 2048, 7, 7), (100352, 49, 7, 1), dtype=torch.float16, device=device)
    sum_div_sub_rsqrt_maximum[(2048,)](x, mean, var, w, b, add, add_1, to_copy, to_copy_1, relu, num_warps=8, enable_fp_fusion=False)
    return (relu, to_copy, to_copy_1, add, add_1,)


@triton.jit
def sum_div_sub_rsqrt_maximum(x_ptr, mean_ptr, var_ptr, w_ptr, b_ptr, add_out_ptr, add_out_ptr_1, to_copy_out_ptr, to_copy_out_ptr_1, relu_out_ptr):  # 1 row(s) of 12544 kept in registers
    p = tl.program_id(0)
    r = tl.arange(0, 16384)
    mask = r < 12544
    x = tl.load(x_ptr + (p * 49 + (r // 49) * 100352 + (r % 49)), mask=mask, other=0)
    to_copy = x.to(tl.float32)
    reduce = tl.sum(to_copy, axis=0)
    getitem = tl.div_rn(reduce, tl.full((), 12544.0, tl.float32))
    sub = to_copy - getitem
    mul = sub * sub
    reduce_1 = tl.sum(tl.where(mask, mul, 0.0), axis=0)
    mul_1 = getitem * 0.1
    mean = tl.load(mean_ptr + p)
    mul_2 = mean * 0.9
    tl.store(add_out_ptr + p, mul_1 + mul_2)
    getitem_1 = tl.div_rn(reduce_1, tl.full((), 12544.0, tl.float32))
    mul_3 = getitem_1 * 1.0000798
    mul_4 = mul_3 * 0.1
    var = tl.load(var_ptr + p)
    mul_5 = var * 0.9
    tl.store(add_out_ptr_1 + p, mul_4 + mul_5)
    tl.store(to_copy_out_ptr + p, getitem.to(tl.float16))
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    tl.store(to_copy_out_ptr_1 + p, rsqrt.to(tl.float16))
    w = tl.load(w_ptr + p)
    b = tl.load(b_ptr + p)
    mul_6 = sub * rsqrt
    mul_7 = mul_6 * w
    add_1 = mul_7 + b
    to_copy_1 = add_1.to(tl.float16)
    relu = tl.maximum(to_copy_1.to(tl.float32), tl.full((), 0.0, tl.float16).to(tl.float32), propagate_nan=tl.PropagateNan.ALL)
    tl.store(relu_out_ptr + (p * 49 + (r // 49) * 100352 + (r % 49)), relu.to(tl.float16), mask=mask)


# case: batch norm + add + relu bf16 256x512x28x28
def case(x, r, w, b):
    device = x.device
    x = with_layout(x, (256, 512, 28, 28), (401408, 784, 28, 1))
    r = with_layout(r, (256, 512, 28, 28), (401408, 784, 28, 1))
    w = with_layout(w, (512,), (1,))
    b = with_layout(b, (512,), (1,))
    relu = torch.empty_strided((256, 512, 28, 28), (401408, 784, 28, 1), dtype=torch.bfloat16, device=device)
    told = counters.kept("sum_div_sub_rsqrt_maximum", 16385, device)
    sum_div_sub_rsqrt_maximum[(8192,)](x, w, b, r, relu, told, num_warps=4, enable_fp_fusion=False)
    return (relu,)


@triton.jit
def sum_div_sub_rsqrt_maximum(x_ptr, w_ptr, b_ptr, r_ptr, relu_out_ptr, told_ptr):  # a part of 16384, looped by 4096; awaits those of the other programs
    q, mark = lib.ticket(told_ptr, 8192)
    r = tl.arange(0, 512)
    x = tl.load(x_ptr + ((q // 16) * 784 + (r // 32) * 6422528 + (r % 32) + 384))
    to_copy = x.to(tl.float32)
    t = tl.sum(to_copy, axis=0)
    t_1 = tl.sum(to_copy * to_copy, axis=0)
    t_2 = t * 0.001953125
    pivot = tl.where(tl.abs(t_2) < float("inf"), tl.where((t_2 * (t * 16.0)) < t_1, 0.0, t_2), 0.0)
    r_1 = tl.arange(0, 4096)
    t_3 = ((r_1 % 1024) - 784).to(tl.int64) < 0
    acc = tl.full((4096,), 0.0, tl.float32)
    w = tl.load(w_ptr + (q // 16))
    b = tl.load(b_ptr + (q // 16))
    base = (q // 16) * 784 + (q % 16) * 6422528
    acc_1 = acc
    acc_2 = acc
    for r_start in tl.static_range(0, 16384, 4096):
        r_start = tl.full((), r_start, tl.int32)
        r_2 = r_start + r_1
        x_1 = tl.load(x_ptr + (base + (r_2 // 1024) * 401408 + (r_2 % 1024)), mask=((r_2 % 1024) - 784).to(tl.int64) < 0, other=0, eviction_policy="evict_last")
        to_copy_1 = x_1.to(tl.float32)
        t_4 = to_copy_1 - pivot
        acc_1, acc_2 = acc_1 + t_4, acc_2 + (t_4 * t_4)
    t_5 = tl.sum(tl.where(t_3, acc_1, 0.0), axis=0)
    t_6 = tl.sum(tl.where(t_3, acc_2, 0.0), axis=0)
    lib.publish(told_ptr + (q + 1), t_5, mark)
    lib.publish(told_ptr + (q + 8193), t_6, mark)
    cast = w.to(tl.float32)
    cast_1 = b.to(tl.float32)
    r_3 = tl.arange(0, 16)
    mask = r_3 < 16
    t_7 = lib.awaited(told_ptr + (r_3 + (q // 16) * 16 + 1), mask, mark, tl.float32)
    t_8 = lib.awaited(told_ptr + (r_3 + (q // 16) * 16 + 8193), mask, mark, tl.float32)
    t_9 = tl.sum(t_7, axis=0)
    t_10 = tl.sum(t_8, axis=0)
    t_11 = t_10 - (t_9 * tl.div_rn(t_9, tl.full((), 200704.0, tl.float32)))
    getitem = tl.div_rn(tl.fma(tl.full((), 200704.0, tl.float32), pivot, t_9), tl.full((), 200704.0, tl.float32))
    getitem_1 = tl.div_rn(tl.maximum(t_11, 0.0, propagate_nan=tl.PropagateNan.ALL), tl.full((), 200704.0, tl.float32))
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    relu = tl.full((), 0.0, tl.bfloat16).to(tl.float32)
    for r_start_1 in range(0, 16384, 4096):
        r_4 = (-r_start_1 + 12288) + r_1
        t_12 = ((r_4 % 1024) - 784).to(tl.int64) < 0
        x_2 = tl.load(x_ptr + (base + (r_4 // 1024) * 401408 + (r_4 % 1024)), mask=t_12, other=0, eviction_policy="evict_first")
        to_copy_2 = x_2.to(tl.float32)
        sub = to_copy_2 - getitem
        mul = sub * rsqrt
        mul_1 = mul * cast
        add_1 = mul_1 + cast_1
        to_copy_3 = add_1.to(tl.bfloat16)
        r_5 = tl.load(r_ptr + (base + (r_4 // 1024) * 401408 + (r_4 % 1024)), mask=t_12, other=0)
        add_2 = (to_copy_3.to(tl.float32) + r_5.to(tl.float32)).to(tl.bfloat16)
        relu_1 = tl.maximum(add_2.to(tl.float32), relu, propagate_nan=tl.PropagateNan.ALL)
        tl.store(relu_out_ptr + (base + (r_4 // 1024) * 401408 + (r_4 % 1024)), relu_1.to(tl.bfloat16), mask=t_12, eviction_policy="evict_first")


# case: dropout + residual + layer norm bf16 32768x1024
def case(x, keep, r, w, b):
    device = x.device
    x = with_layout(x, (32768, 1024), (1024, 1))
    keep = with_layout(keep, (32768, 1024), (1024, 1))
    r = with_layout(r, (32768, 1024), (1024, 1))
    w = with_layout(w, (1024,), (1,))
    b = with_layout(b, (1024,), (1,))
    h = torch.empty_strided((32768, 1024), (1024, 1), dtype=torch.bfloat16, device=device)
    to_copy = torch.empty_strided((32768, 1024), (1024, 1), dtype=torch.bfloat16, device=device)
    mul_select_add_sub_rsqrt[(32768,)](x, keep, r, w, b, h, to_copy, num_warps=1, enable_fp_fusion=False)
    return (h, to_copy,)


@triton.jit
def mul_select_add_sub_rsqrt(x_ptr, keep_ptr, r_ptr, w_ptr, b_ptr, h_out_ptr, to_copy_out_ptr):  # 1 row(s) of 1024 kept in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 1024)
    keep = tl.load(keep_ptr + (p * 1024 + r), eviction_policy="evict_last")
    x = tl.load(x_ptr + (p * 1024 + r), eviction_policy="evict_last")
    cast = x.to(tl.float32)
    mul = cast * 1.1111112
    mul_1 = mul.to(tl.bfloat16)
    where = tl.where(keep, mul_1, 0.0)
    r_1 = tl.load(r_ptr + (p * 1024 + r), eviction_policy="evict_last")
    h = (where.to(tl.float32) + r_1.to(tl.float32)).to(tl.bfloat16)
    to_copy = h.to(tl.float32)
    tl.store(h_out_ptr + (p * 1024 + r), h)
    reduce = tl.sum(to_copy, axis=0)
    getitem = reduce * 0.0009765625
    sub = to_copy - getitem
    mul_2 = sub * sub
    reduce_1 = tl.sum(mul_2, axis=0)
    getitem_1 = reduce_1 * 0.0009765625
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    mul_3 = sub * rsqrt
    w = tl.load(w_ptr + r)
    cast_1 = w.to(tl.float32)
    mul_4 = mul_3 * cast_1
    b = tl.load(b_ptr + r)
    cast_2 = b.to(tl.float32)
    add_1 = mul_4 + cast_2
    tl.store(to_copy_out_ptr + (p * 1024 + r), add_1.to(tl.bfloat16))


# case: masked softmax + dropout f16
def case(scores, mask, keep):
    device = scores.device
    scores = with_layout(scores, (16, 16, 1024, 1024), (16777216, 1048576, 1024, 1))
    mask = with_layout(mask, (16, 1024), (1024, 1))
    keep = with_layout(keep, (16, 16, 1024, 1024), (16777216, 1048576, 1024, 1))
    where = torch.empty_strided((16, 16, 1024, 1024), (16777216, 1048576, 1024, 1), dtype=torch.float16, device=device)
    mul_select_max_sum_div[(262144,)](scores, mask, keep, where, num_warps=1, enable_fp_fusion=False)
    return (where,)


@triton.jit
def mul_select_max_sum_div(scores_ptr, mask_ptr, keep_ptr, where_out_ptr):  # 1 row(s) of 1024 kept in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 1024)
    mask = tl.load(mask_ptr + (r + (p // 16384) * 1024))
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


# case: squeeze-excite + residual bf16 64x256x56x56
def case(x, s, r):
    device = x.device
    x = with_layout(x, (64, 256, 56, 56), (802816, 3136, 56, 1))
    s = with_layout(s, (64, 256), (256, 1))
    r = with_layout(r, (64, 256, 56, 56), (802816, 3136, 56, 1))
    relu = torch.empty_strided((64, 256, 56, 56), (802816, 3136, 56, 1), dtype=torch.bfloat16, device=device)
    sigmoid_mul_add_maximum[(50176,)](s, x, r, relu, num_warps=4, enable_fp_fusion=False)
    return (relu,)


@triton.jit
def sigmoid_mul_add_maximum(s_ptr, x_ptr, r_ptr, relu_out_ptr):  # 1024 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    x = tl.load(x_ptr + p, eviction_policy="evict_last")
    s = tl.load(s_ptr + (p // 3136))
    sigmoid = tl.fma(s.to(tl.float32), tl.full((1024,), -1.442695, tl.float32), tl.full((1024,), -2.0, tl.float32))
    sigmoid_1 = tl.full((1024,), 0.25, tl.float32) * lib.reciprocal((0.25 + tl.exp2(sigmoid)))
    sigmoid_2 = sigmoid_1.to(tl.bfloat16)
    mul = (x.to(tl.float32) * sigmoid_2.to(tl.float32)).to(tl.bfloat16)
    r = tl.load(r_ptr + p, eviction_policy="evict_last")
    add = (mul.to(tl.float32) + r.to(tl.float32)).to(tl.bfloat16)
    relu = tl.maximum(add.to(tl.float32), tl.full((), 0.0, tl.bfloat16).to(tl.float32), propagate_nan=tl.PropagateNan.ALL)
    tl.store(relu_out_ptr + p, relu.to(tl.bfloat16))


# case: silu + squeeze f16 128x288x28x28
def case(x):
    device = x.device
    x = with_layout(x, (128, 288, 28, 28), (225792, 784, 28, 1))
    y = torch.empty_strided((128, 288, 28, 28), (225792, 784, 28, 1), dtype=torch.float16, device=device)
    cast = torch.empty_strided((128, 288, 1, 1), (288, 1, 1, 1), dtype=torch.float16, device=device)
    sigmoid_mul_sum_div[(36864,)](x, y, cast, num_warps=1, enable_fp_fusion=False)
    mean = cast.as_strided((128, 288), (288, 1), cast.storage_offset())
    return (y, mean,)


@triton.jit
def sigmoid_mul_sum_div(x_ptr, y_out_ptr, cast_out_ptr):  # 1 row(s) of 784 kept in registers
    p = tl.program_id(0)
    r = tl.arange(0, 1024)
    mask = r < 784
    x = tl.load(x_ptr + (p * 784 + r), mask=mask, other=0)
    to_copy = x.to(tl.float32)
    mul = tl.fma(to_copy, tl.full((1024,), -1.442695, tl.float32), tl.full((1024,), -2.0, tl.float32))
    mul_1 = (to_copy * 0.25) * lib.reciprocal((0.25 + tl.exp2(mul)))
    y = mul_1.to(tl.float16)
    cast = y.to(tl.float32)
    tl.store(y_out_ptr + (p * 784 + r), y, mask=mask)
    reduce = tl.sum(tl.where(mask, cast, 0.0), axis=0)
    div = tl.div_rn(reduce, tl.full((), 784.0, tl.float32))
    tl.store(cast_out_ptr + p, div.to(tl.float16))


# case: window partition bf16 64x64x64x128
def case(x, w, b):
    device = x.device
    x = with_layout(x, (64, 64, 64, 128), (524288, 8192, 128, 1))
    w = with_layout(w, (128,), (1,))
    b = with_layout(b, (128,), (1,))
    unsafe_view = torch.empty_strided((4096, 64, 128), (8192, 128, 1), dtype=torch.bfloat16, device=device)
    sum_mul_sub_add_rsqrt[(32768,)](x, w, b, unsafe_view, num_warps=1, enable_fp_fusion=False)
    return (unsafe_view,)


@triton.jit
def sum_mul_sub_add_rsqrt(x_ptr, w_ptr, b_ptr, unsafe_view_out_ptr):  # 8 row(s) of 128 kept in registers
    pid = tl.program_id(0)
    lanes = tl.arange(0, 8)[:, None]
    r = tl.arange(0, 128)[None, :]
    x = tl.load(x_ptr + (r + (((pid // 64) * 8 + (pid % 8) + 4) % 64) * 8192 + ((lanes + (pid // 8) * 8 + 4) % 64) * 128 + (pid // 512) * 524288))
    to_copy = x.to(tl.float32)
    reduce = tl.sum(to_copy, axis=1, keep_dims=True)
    getitem = reduce * 0.0078125
    sub = to_copy - getitem
    mul = sub * sub
    reduce_1 = tl.sum(mul, axis=1, keep_dims=True)
    getitem_1 = reduce_1 * 0.0078125
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    mul_1 = sub * rsqrt
    w = tl.load(w_ptr + r)
    cast = w.to(tl.float32)
    mul_2 = mul_1 * cast
    b = tl.load(b_ptr + r)
    cast_1 = b.to(tl.float32)
    add_1 = mul_2 + cast_1
    to_copy_1 = add_1.to(tl.bfloat16)
    tl.store(unsafe_view_out_ptr + ((pid * 8 + lanes) * 128 + r), to_copy_1)


# case: window reverse + residual bf16 64x64x64x128
def case(y, r):
    device = y.device
    y = with_layout(y, (64, 64, 64, 128), (524288, 8192, 128, 1))
    r = with_layout(r, (64, 64, 64, 128), (524288, 8192, 128, 1))
    add_1 = torch.empty_strided((64, 64, 64, 128), (524288, 8192, 128, 1), dtype=torch.bfloat16, device=device)
    add[(16384,)](y, r, add_1, num_warps=4, enable_fp_fusion=False)
    return (add_1,)


@triton.jit
def add(y_ptr, r_ptr, add_out_ptr):  # 2048 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 2048)
    p = pid * 2048 + lanes
    y = tl.load(y_ptr + ((((((pid // 4) + 4) // 8) + 7) % 8) * 65536 + (((pid // 4) + 4) % 8) * 1024 + ((pid * 2 + ((lanes + 512) // 1024) + 7) % 8) * 8192 + ((lanes + 512) % 1024) + (pid // 256) * 524288))
    r = tl.load(r_ptr + p)
    tl.store(add_out_ptr + p, (y.to(tl.float32) + r.to(tl.float32)).to(tl.bfloat16))


# case: patch merging f16 64x64x64x192
def case(x, w, b):
    device = x.device
    x = with_layout(x, (64, 64, 64, 192), (786432, 12288, 192, 1))
    w = with_layout(w, (4, 192), (192, 1))
    b = with_layout(b, (4, 192), (192, 1))
    to_copy = torch.empty_strided((64, 32, 32, 768), (786432, 24576, 768, 1), dtype=torch.float16, device=device)
    sum_div_sub_add_rsqrt[(65536,)](x, w, b, to_copy, num_warps=1, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def sum_div_sub_add_rsqrt(x_ptr, w_ptr, b_ptr, to_copy_out_ptr):  # 1 row(s) of 768 kept in registers
    p = tl.program_id(0)
    r = tl.arange(0, 1024)
    cat = (r - 192).to(tl.int64) < 0
    cat_1 = (r - 384).to(tl.int64) < 0
    cat_2 = (r - 576).to(tl.int64) < 0
    cat_3 = cat_2 ^ True
    base = (p // 32) * 24576 + (p % 32) * 384
    mask = r < 768
    x = tl.load(x_ptr + (base + r + 11904), mask=mask & cat_3, other=0)
    cat_4 = cat_2 & (cat_1 ^ True)
    x_1 = tl.load(x_ptr + (base + r - 192), mask=mask & cat_4, other=0)
    cat_5 = cat_1 & (cat ^ True)
    x_2 = tl.load(x_ptr + (base + r + 12096), mask=mask & cat_5, other=0)
    x_3 = tl.load(x_ptr + (base + r), mask=mask & cat, other=0)
    cat_6 = tl.where(cat, x_3, tl.where(cat_1, x_2, tl.where(cat_2, x_1, x)))
    to_copy = cat_6.to(tl.float32)
    reduce = tl.sum(tl.where(mask, to_copy, 0.0), axis=0)
    getitem = tl.div_rn(reduce, tl.full((), 768.0, tl.float32))
    sub = to_copy - getitem
    mul = sub * sub
    reduce_1 = tl.sum(tl.where(mask, mul, 0.0), axis=0)
    getitem_1 = tl.div_rn(reduce_1, tl.full((), 768.0, tl.float32))
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    mul_1 = sub * rsqrt
    w = tl.load(w_ptr + r, mask=mask, other=0)
    cast = w.to(tl.float32)
    mul_2 = mul_1 * cast
    b = tl.load(b_ptr + r, mask=mask, other=0)
    cast_1 = b.to(tl.float32)
    add_1 = mul_2 + cast_1
    tl.store(to_copy_out_ptr + (p * 768 + r), add_1.to(tl.float16), mask=mask)


# case: concatenate 2 + norm + relu bf16
def case(args, args_1, args_2, args_3, args_4, args_5):
    device = args.device
    args = with_layout(args, (64, 256, 28, 28), (200704, 784, 28, 1))
    args_1 = with_layout(args_1, (64, 32, 28, 28), (25088, 784, 28, 1))
    args_2 = with_layout(args_2, (288,), (1,))
    args_3 = with_layout(args_3, (288,), (1,))
    args_4 = with_layout(args_4, (288,), (1,))
    args_5 = with_layout(args_5, (288,), (1,))
    relu = torch.empty_strided((64, 288, 28, 28), (225792, 784, 28, 1), dtype=torch.bfloat16, device=device)
    add_rsqrt_sub_mul_maximum[(14112,)](args_2, args_3, args, args_1, args_4, args_5, relu, num_warps=4, enable_fp_fusion=False)
    return (relu,)


@triton.jit
def add_rsqrt_sub_mul_maximum(args_ptr, args_ptr_1, args_ptr_2, args_ptr_3, args_ptr_4, args_ptr_5, relu_out_ptr):  # 1024 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    cat = (((p // 784) % 288) - 256).to(tl.int64) < 0
    cat_1 = cat ^ True
    args = tl.load(args_ptr_3 + ((p // 225792) * 25088 + (p % 225792) - 200704), mask=cat_1, other=0)
    args_1 = tl.load(args_ptr_2 + ((p // 225792) * 200704 + (p % 225792)), mask=cat, other=0)
    cat_2 = tl.where(cat, args_1, args)
    cast = cat_2.to(tl.float32)
    args_2 = tl.load(args_ptr + ((p // 784) % 288))
    to_copy = args_2.to(tl.float32)
    sub = cast - to_copy
    args_3 = tl.load(args_ptr_1 + ((p // 784) % 288))
    to_copy_1 = args_3.to(tl.float32)
    add = to_copy_1 + 1e-05
    reciprocal = libdevice.rsqrt(add)
    mul = sub * reciprocal
    args_4 = tl.load(args_ptr_4 + ((p // 784) % 288))
    cast_1 = args_4.to(tl.float32)
    mul_1 = mul * cast_1
    args_5 = tl.load(args_ptr_5 + ((p // 784) % 288))
    cast_2 = args_5.to(tl.float32)
    add_1 = mul_1 + cast_2
    relu = tl.maximum(lib.rounded_to_bfloat16(add_1), tl.full((), 0.0, tl.bfloat16).to(tl.float32), propagate_nan=tl.PropagateNan.ALL)
    tl.store(relu_out_ptr + p, relu.to(tl.bfloat16))


# case: concatenate 4 + norm + relu f32
def case(args, args_1, args_2, args_3, args_4, args_5, args_6, args_7):
    device = args.device
    args = with_layout(args, (64, 128, 28, 28), (100352, 784, 28, 1))
    args_1 = with_layout(args_1, (64, 32, 28, 28), (25088, 784, 28, 1))
    args_2 = with_layout(args_2, (64, 32, 28, 28), (25088, 784, 28, 1))
    args_3 = with_layout(args_3, (64, 32, 28, 28), (25088, 784, 28, 1))
    args_4 = with_layout(args_4, (224,), (1,))
    args_5 = with_layout(args_5, (224,), (1,))
    args_6 = with_layout(args_6, (224,), (1,))
    args_7 = with_layout(args_7, (224,), (1,))
    relu = torch.empty_strided((64, 224, 28, 28), (175616, 784, 28, 1), dtype=torch.float32, device=device)
    add_rsqrt_sub_mul_maximum[(21952,)](args_5, args, args_1, args_2, args_3, args_4, args_6, args_7, relu, num_warps=4, enable_fp_fusion=False)
    return (relu,)


@triton.jit
def add_rsqrt_sub_mul_maximum(args_ptr, args_ptr_1, args_ptr_2, args_ptr_3, args_ptr_4, args_ptr_5, args_ptr_6, args_ptr_7, relu_out_ptr):  # 512 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 512)
    p = pid * 512 + lanes
    cat = (((p // 784) % 224) - 128).to(tl.int64) < 0
    cat_1 = (((p // 784) % 224) - 160).to(tl.int64) < 0
    cat_2 = (((p // 784) % 224) - 192).to(tl.int64) < 0
    cat_3 = cat_2 ^ True
    base = (pid // 343) * 25088 + (pid % 343) * 512
    args = tl.load(args_ptr_4 + (base + lanes - 150528), mask=cat_3, other=0)
    cat_4 = cat_2 & (cat_1 ^ True)
    args_1 = tl.load(args_ptr_3 + (base + lanes - 125440), mask=cat_4, other=0)
    cat_5 = cat_1 & (cat ^ True)
    args_2 = tl.load(args_ptr_2 + (base + lanes - 100352), mask=cat_5, other=0)
    args_3 = tl.load(args_ptr_1 + (((pid // 343) * 100352 + (pid % 343) * 512) + lanes), mask=cat, other=0)
    cat_6 = tl.where(cat, args_3, tl.where(cat_1, args_2, tl.where(cat_2, args_1, args)))
    args_4 = tl.load(args_ptr_5 + ((p // 784) % 224))
    sub = cat_6 - args_4
    args_5 = tl.load(args_ptr + ((p // 784) % 224))
    add = args_5 + 1e-05
    reciprocal = libdevice.rsqrt(add)
    mul = sub * reciprocal
    args_6 = tl.load(args_ptr_6 + ((p // 784) % 224))
    mul_1 = mul * args_6
    args_7 = tl.load(args_ptr_7 + ((p // 784) % 224))
    add_1 = mul_1 + args_7
    tl.store(relu_out_ptr + p, tl.maximum(add_1, 0.0, propagate_nan=tl.PropagateNan.ALL))


# case: concatenate 8 columns bf16
def case(args, args_1, args_2, args_3, args_4, args_5, args_6, args_7):
    device = args.device
    args = with_layout(args, (32768, 64), (64, 1))
    args_1 = with_layout(args_1, (32768, 128), (128, 1))
    args_2 = with_layout(args_2, (32768, 256), (256, 1))
    args_3 = with_layout(args_3, (32768, 512), (512, 1))
    args_4 = with_layout(args_4, (32768, 64), (64, 1))
    args_5 = with_layout(args_5, (32768, 128), (128, 1))
    args_6 = with_layout(args_6, (32768, 256), (256, 1))
    args_7 = with_layout(args_7, (32768, 512), (512, 1))
    relu = torch.empty_strided((32768, 1920), (1920, 1), dtype=torch.bfloat16, device=device)
    maximum[(61440,)](args, args_1, args_2, args_3, args_4, args_5, args_6, args_7, relu, num_warps=4, enable_fp_fusion=False)
    return (relu,)


@triton.jit
def maximum(args_ptr, args_ptr_1, args_ptr_2, args_ptr_3, args_ptr_4, args_ptr_5, args_ptr_6, args_ptr_7, relu_out_ptr):  # 1024 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    cat = ((p % 1920) - 64).to(tl.int64) < 0
    cat_1 = ((p % 1920) - 192).to(tl.int64) < 0
    cat_2 = ((p % 1920) - 448).to(tl.int64) < 0
    cat_3 = ((p % 1920) - 960).to(tl.int64) < 0
    cat_4 = ((p % 1920) - 1024).to(tl.int64) < 0
    cat_5 = ((p % 1920) - 1152).to(tl.int64) < 0
    cat_6 = ((p % 1920) - 1408).to(tl.int64) < 0
    cat_7 = cat_6 ^ True
    args = tl.load(args_ptr_7 + ((p // 1920) * 512 + (p % 1920) - 1408), mask=cat_7, other=0)
    cat_8 = cat_6 & (cat_5 ^ True)
    args_1 = tl.load(args_ptr_6 + ((p // 1920) * 256 + (p % 1920) - 1152), mask=cat_8, other=0)
    cat_9 = cat_5 & (cat_4 ^ True)
    args_2 = tl.load(args_ptr_5 + ((p // 1920) * 128 + (p % 1920) - 1024), mask=cat_9, other=0)
    cat_10 = cat_4 & (cat_3 ^ True)
    args_3 = tl.load(args_ptr_4 + ((p // 1920) * 64 + (p % 1920) - 960), mask=cat_10, other=0)
    cat_11 = tl.where(cat_4, args_3, tl.where(cat_5, args_2, tl.where(cat_6, args_1, args)))
    cat_12 = cat_3 & (cat_2 ^ True)
    args_4 = tl.load(args_ptr_3 + ((p // 1920) * 512 + (p % 1920) - 448), mask=cat_12, other=0)
    cat_13 = cat_2 & (cat_1 ^ True)
    args_5 = tl.load(args_ptr_2 + ((p // 1920) * 256 + (p % 1920) - 192), mask=cat_13, other=0)
    cat_14 = cat_1 & (cat ^ True)
    args_6 = tl.load(args_ptr_1 + ((p // 1920) * 128 + (p % 1920) - 64), mask=cat_14, other=0)
    cat_15 = tl.where(cat_1, args_6, tl.where(cat_2, args_5, tl.where(cat_3, args_4, cat_11)))
    args_7 = tl.load(args_ptr + ((p // 1920) * 64 + (p % 1920)), mask=cat, other=0)
    cat_16 = tl.where(cat, args_7, cat_15)
    relu = tl.maximum(cat_16.to(tl.float32), tl.full((), 0.0, tl.bfloat16).to(tl.float32), propagate_nan=tl.PropagateNan.ALL)
    tl.store(relu_out_ptr + p, relu.to(tl.bfloat16))


# case: embedding + position + norm bf16
def case(tokens, table, position, w, b):
    device = tokens.device
    tokens = with_layout(tokens, (64, 512), (512, 1))
    table = with_layout(table, (30522, 768), (768, 1))
    position = with_layout(position, (512, 768), (768, 1))
    w = with_layout(w, (768,), (1,))
    b = with_layout(b, (768,), (1,))
    to_copy = torch.empty_strided((64, 512, 768), (393216, 768, 1), dtype=torch.bfloat16, device=device)
    add_sum_div_mul_rsqrt[(16384,)](table, tokens, position, w, b, to_copy, num_warps=1, enable_fp_fusion=False, debug=True, sanitize_overflow=False)
    return (to_copy,)


@triton.jit
def add_sum_div_mul_rsqrt(table_ptr, tokens_ptr, position_ptr, w_ptr, b_ptr, to_copy_out_ptr):  # 2 row(s) of 768 kept in registers
    pid = tl.program_id(0)
    lanes = tl.arange(0, 2)[:, None]
    p = pid * 2 + lanes
    tokens = tl.load(tokens_ptr + p)
    tokens_1 = lib.checked(tokens, 30522, 'index out of range: <text>:6')
    r = tl.arange(0, 1024)[None, :]
    mask = r < 768
    table = tl.load(table_ptr + (r + tokens_1.to(tl.int32) * 768), mask=mask, other=0)
    position = tl.load(position_ptr + (r + lanes * 768 + (pid % 256) * 1536), mask=mask, other=0)
    add = (table.to(tl.float32) + position.to(tl.float32)).to(tl.bfloat16)
    to_copy = add.to(tl.float32)
    reduce = tl.sum(tl.where(mask, to_copy, 0.0), axis=1, keep_dims=True)
    getitem = tl.div_rn(reduce, tl.full((2, 1), 768.0, tl.float32))
    sub = to_copy - getitem
    mul = sub * sub
    reduce_1 = tl.sum(tl.where(mask, mul, 0.0), axis=1, keep_dims=True)
    getitem_1 = tl.div_rn(reduce_1, tl.full((2, 1), 768.0, tl.float32))
    add_1 = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add_1)
    mul_1 = sub * rsqrt
    w = tl.load(w_ptr + r, mask=mask, other=0)
    cast = w.to(tl.float32)
    mul_2 = mul_1 * cast
    b = tl.load(b_ptr + r, mask=mask, other=0)
    cast_1 = b.to(tl.float32)
    add_2 = mul_2 + cast_1
    tl.store(to_copy_out_ptr + (p * 768 + r), add_2.to(tl.bfloat16), mask=mask)


# case: bias + qkv to heads bf16 16x2048x3072
def case(x, bias):
    device = x.device
    x = with_layout(x, (16, 2048, 3, 16, 64), (6291456, 3072, 1024, 64, 1))
    bias = with_layout(bias, (3, 16, 64), (1024, 64, 1))
    getitem = torch.empty_strided((16, 16, 2048, 64), (2097152, 131072, 64, 1), dtype=torch.bfloat16, device=device)
    getitem_1 = torch.empty_strided((16, 16, 2048, 64), (2097152, 131072, 64, 1), dtype=torch.bfloat16, device=device)
    getitem_2 = torch.empty_strided((16, 16, 2048, 64), (2097152, 131072, 64, 1), dtype=torch.bfloat16, device=device)
    add[(32768,)](x, bias, getitem, getitem_1, getitem_2, num_warps=4, enable_fp_fusion=False)
    return (getitem, getitem_1, getitem_2,)


@triton.jit
def add(x_ptr, bias_ptr, getitem_out_ptr, getitem_out_ptr_1, getitem_out_ptr_2):  # 1024 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    base = ((pid // 128) % 16) * 64 + (pid // 2048) * 6291456 + (pid % 128) * 49152
    x = tl.load(x_ptr + (base + (lanes // 64) * 3072 + (lanes % 64)), eviction_policy="evict_last")
    bias = tl.load(bias_ptr + (((pid // 128) % 16) * 64 + (lanes % 64)))
    add = (x.to(tl.float32) + bias.to(tl.float32)).to(tl.bfloat16)
    tl.store(getitem_out_ptr + p, add)
    x_1 = tl.load(x_ptr + (base + (lanes // 64) * 3072 + (lanes % 64) + 1024), eviction_policy="evict_last")
    bias_1 = tl.load(bias_ptr + (((pid // 128) % 16) * 64 + (lanes % 64) + 1024))
    add_1 = (x_1.to(tl.float32) + bias_1.to(tl.float32)).to(tl.bfloat16)
    tl.store(getitem_out_ptr_1 + p, add_1)
    x_2 = tl.load(x_ptr + (base + (lanes // 64) * 3072 + (lanes % 64) + 2048), eviction_policy="evict_last")
    bias_2 = tl.load(bias_ptr + (((pid // 128) % 16) * 64 + (lanes % 64) + 2048))
    add_2 = (x_2.to(tl.float32) + bias_2.to(tl.float32)).to(tl.bfloat16)
    tl.store(getitem_out_ptr_2 + p, add_2)


# case: geglu f16 8192x10240
def case(x, b):
    device = x.device
    x = with_layout(x, (8192, 10240), (10240, 1))
    b = with_layout(b, (10240,), (1,))
    mul = torch.empty_strided((8192, 5120), (5120, 1), dtype=torch.float16, device=device)
    add_mul_erf[(40960,)](x, b, mul, num_warps=4, enable_fp_fusion=False)
    return (mul,)


@triton.jit
def add_mul_erf(x_ptr, b_ptr, mul_out_ptr):  # 1024 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    base = (pid // 5) * 10240 + (pid % 5) * 1024
    x = tl.load(x_ptr + (base + lanes), eviction_policy="evict_last")
    b = tl.load(b_ptr + (lanes + (pid % 5) * 1024))
    add = (x.to(tl.float32) + b.to(tl.float32)).to(tl.float16)
    x_1 = tl.load(x_ptr + (base + lanes + 5120), eviction_policy="evict_last")
    b_1 = tl.load(b_ptr + (lanes + (pid % 5) * 1024 + 5120))
    add_1 = (x_1.to(tl.float32) + b_1.to(tl.float32)).to(tl.float16)
    to_copy = add_1.to(tl.float32)
    mul = to_copy * 0.5
    mul_1 = to_copy * 0.70710677
    add_2 = tl.minimum(tl.abs(mul_1), 10.2, propagate_nan=tl.PropagateNan.ALL)
    add_3 = tl.fma(tl.full((1024,), 6.3951813e-07, tl.float32), add_2, tl.full((1024,), -2.8340892e-05, tl.float32))
    add_4 = tl.fma(add_3, add_2, tl.full((1024,), 0.00051961245, tl.float32))
    add_5 = tl.fma(add_4, add_2, tl.full((1024,), -0.0052737435, tl.float32))
    add_6 = tl.fma(add_5, add_2, tl.full((1024,), 0.03390232, tl.float32))
    add_7 = tl.fma(add_6, add_2, tl.full((1024,), -0.15234557, tl.float32))
    add_8 = tl.fma(add_7, add_2, tl.full((1024,), -0.91714466, tl.float32))
    add_9 = tl.fma(add_8, add_2, tl.full((1024,), -1.6280514, tl.float32))
    add_10 = tl.exp2(add_9 * add_2)
    add_11 = tl.where(mul_1 < 0.0, add_10, 2.0 - add_10)
    mul_2 = mul * add_11
    to_copy_1 = mul_2.to(tl.float16)
    mul_3 = (add.to(tl.float32) * to_copy_1.to(tl.float32)).to(tl.float16)
    tl.store(mul_out_ptr + ((pid * 1024 + lanes)), mul_3)


# case: group norm + silu f16 16x320x64x64
def case(x):
    device = x.device
    x = with_layout(x, (16, 320, 64, 64), (1310720, 4096, 64, 1))
    to_copy = torch.empty_strided((16, 320, 64, 64), (1310720, 4096, 64, 1), dtype=torch.float16, device=device)
    told = counters.kept("sum_mul_sub_rsqrt_sigmoid", 5121, device)
    sum_mul_sub_rsqrt_sigmoid[(2560,)](x, to_copy, told, num_warps=4, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def sum_mul_sub_rsqrt_sigmoid(x_ptr, to_copy_out_ptr, told_ptr):  # a part of 8192, kept in registers; awaits those of the other programs
    q, mark = lib.ticket(told_ptr, 2560)
    r = tl.arange(0, 32)
    acc = tl.full((32,), 0.0, tl.float32)
    acc_1 = acc
    acc_2 = acc
    for r_start in tl.static_range(0, 128, 32):
        r_start = tl.full((), r_start, tl.int32)
        x = tl.load(x_ptr + ((q // 8) * 65536 + ((r_start + r) // 8) * 4096 + ((r_start + r) % 8)))
        to_copy = x.to(tl.float32)
        acc_1, acc_2 = acc_1 + to_copy, acc_2 + (to_copy * to_copy)
    t = tl.sum(acc_1, axis=0)
    t_1 = tl.sum(acc_2, axis=0)
    t_2 = t * 0.0078125
    pivot = tl.where(tl.abs(t_2) < float("inf"), tl.where((t_2 * (t * 16.0)) < t_1, 0.0, t_2), 0.0)
    r_1 = tl.arange(0, 8192)
    x_1 = tl.load(x_ptr + (q * 8192 + r_1))
    to_copy_1 = x_1.to(tl.float32)
    t_3 = pivot - to_copy_1
    t_4 = tl.sum(to_copy_1 - pivot, axis=0)
    t_5 = tl.sum(t_3 * t_3, axis=0)
    lib.publish(told_ptr + (q + 1), t_4, mark)
    lib.publish(told_ptr + (q + 2561), t_5, mark)
    r_2 = tl.arange(0, 8)
    mask = r_2 < 8
    t_6 = lib.awaited(told_ptr + (r_2 + (q // 8) * 8 + 1), mask, mark, tl.float32)
    t_7 = lib.awaited(told_ptr + (r_2 + (q // 8) * 8 + 2561), mask, mark, tl.float32)
    t_8 = tl.sum(t_6, axis=0)
    t_9 = tl.sum(t_7, axis=0)
    t_10 = t_9 - (t_8 * tl.div_rn(t_8, tl.full((), 65536.0, tl.float32)))
    getitem = tl.fma(tl.full((), 65536.0, tl.float32), pivot, t_8) * 1.5258789e-05
    getitem_1 = tl.maximum(t_10, 0.0, propagate_nan=tl.PropagateNan.ALL) * 1.5258789e-05
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    sub = to_copy_1 - getitem
    mul = sub * rsqrt
    to_copy_2 = mul.to(tl.float16)
    to_copy_3 = to_copy_2.to(tl.float32)
    mul_1 = tl.fma(to_copy_3, tl.full((8192,), -1.442695, tl.float32), tl.full((8192,), -2.0, tl.float32))
    mul_2 = (to_copy_3 * 0.25) * lib.reciprocal((0.25 + tl.exp2(mul_1)))
    tl.store(to_copy_out_ptr + (q * 8192 + r_1), mul_2.to(tl.float16))


# case: modulated layer norm bf16 64x1024x1152
def case(x, shift, scale):
    device = x.device
    x = with_layout(x, (64, 1024, 1152), (1179648, 1152, 1))
    shift = with_layout(shift, (64, 1152), (1152, 1))
    scale = with_layout(scale, (64, 1152), (1152, 1))
    add = torch.empty_strided((64, 1024, 1152), (1179648, 1152, 1), dtype=torch.bfloat16, device=device)
    sum_div_sub_add_rsqrt[(65536,)](x, scale, shift, add, num_warps=2, enable_fp_fusion=False)
    return (add,)


@triton.jit
def sum_div_sub_add_rsqrt(x_ptr, scale_ptr, shift_ptr, add_out_ptr):  # 1 row(s) of 1152 kept in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 2048)
    mask = r < 1152
    x = tl.load(x_ptr + (p * 1152 + r), mask=mask, other=0, eviction_policy="evict_last")
    to_copy = x.to(tl.float32)
    reduce = tl.sum(to_copy, axis=0)
    getitem = tl.div_rn(reduce, tl.full((), 1152.0, tl.float32))
    sub = to_copy - getitem
    mul = sub * sub
    reduce_1 = tl.sum(tl.where(mask, mul, 0.0), axis=0)
    getitem_1 = tl.div_rn(reduce_1, tl.full((), 1152.0, tl.float32))
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    mul_1 = sub * rsqrt
    to_copy_1 = mul_1.to(tl.bfloat16)
    scale = tl.load(scale_ptr + (r + (p // 1024) * 1152), mask=mask, other=0)
    add_1 = scale.to(tl.float32) + tl.full((), 1.0, tl.bfloat16).to(tl.float32)
    add_2 = add_1.to(tl.bfloat16)
    mul_2 = (to_copy_1.to(tl.float32) * add_2.to(tl.float32)).to(tl.bfloat16)
    shift = tl.load(shift_ptr + (r + (p // 1024) * 1152), mask=mask, other=0)
    add_3 = (mul_2.to(tl.float32) + shift.to(tl.float32)).to(tl.bfloat16)
    tl.store(add_out_ptr + (p * 1152 + r), add_3, mask=mask)


# case: rms norm + 8-bit rows bf16 16384x8192
def case(x, w):
    device = x.device
    x = with_layout(x, (16384, 8192), (8192, 1))
    w = with_layout(w, (8192,), (1,))
    scale = torch.empty_strided((16384, 1), (1, 1), dtype=torch.float32, device=device)
    to_copy = torch.empty_strided((16384, 8192), (8192, 1), dtype=torch.int8, device=device)
    mul_sum_add_div_round[(16384,)](x, w, scale, to_copy, num_warps=8, enable_fp_fusion=False)
    return (to_copy, scale,)


@triton.jit
def mul_sum_add_div_round(x_ptr, w_ptr, scale_out_ptr, to_copy_out_ptr):  # 1 row(s) of 8192 kept in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 8192)
    x = tl.load(x_ptr + (p * 8192 + r), eviction_policy="evict_last")
    to_copy = x.to(tl.float32)
    square = to_copy * to_copy
    reduce = tl.sum(square, axis=0)
    mean = reduce * 0.00012207031
    add = mean + 1e-06
    rsqrt = libdevice.rsqrt(add)
    mul = to_copy * rsqrt
    to_copy_1 = mul.to(tl.bfloat16)
    w = tl.load(w_ptr + r)
    mul_1 = (to_copy_1.to(tl.float32) * w.to(tl.float32)).to(tl.bfloat16)
    to_copy_2 = mul_1.to(tl.float32)
    abs = tl.abs(to_copy_2)
    amax = tl.reduce(abs, 0, lib.max_nan)
    clamp_min = tl.maximum(amax, 1e-06, propagate_nan=tl.PropagateNan.ALL)
    scale = tl.div_rn(clamp_min, tl.full((), 127.0, tl.float32))
    tl.store(scale_out_ptr + p, scale)
    div = to_copy_2 * -1.0
    div_1 = scale * -1.0
    inverse = tl.div_rn(tl.full((), 1.0, tl.float32), div_1)
    near = div * inverse
    div_2 = tl.abs(div_1)
    rest = tl.fma(near, tl.where(div_2 < float("inf"), div_2, 1.0), div)
    div_3 = tl.fma(rest, inverse, near)
    round = libdevice.rint(div_3)
    tl.store(to_copy_out_ptr + (p * 8192 + r), round.to(tl.int8))


# case: batch norm + relu backward bf16 64x256x56x56
def case(dy, y, x, w, mean, rstd):
    device = dy.device
    dy = with_layout(dy, (64, 256, 56, 56), (802816, 3136, 56, 1))
    y = with_layout(y, (64, 256, 56, 56), (802816, 3136, 56, 1))
    x = with_layout(x, (64, 256, 56, 56), (802816, 3136, 56, 1))
    w = with_layout(w, (256,), (1,))
    mean = with_layout(mean, (256,), (1,))
    rstd = with_layout(rstd, (256,), (1,))
    reduce = torch.empty_strided((1, 256, 1, 1), (256, 1, 1, 1), dtype=torch.float32, device=device)
    mul = torch.empty_strided((256,), (1,), dtype=torch.float32, device=device)
    to_copy = torch.empty_strided((64, 256, 56, 56), (802816, 3136, 56, 1), dtype=torch.bfloat16, device=device)
    told = counters.kept("gt_select_sum_sub_mul", 4097, device)
    gt_select_sum_sub_mul[(2048,)](y, dy, x, mean, rstd, w, reduce, mul, to_copy, told, num_warps=4, enable_fp_fusion=False)
    sum = reduce.as_strided((256,), (1,), reduce.storage_offset())
    return (to_copy, mul, sum,)


@triton.jit
def gt_select_sum_sub_mul(y_ptr, dy_ptr, x_ptr, mean_ptr, rstd_ptr, w_ptr, reduce_out_ptr, mul_out_ptr, to_copy_out_ptr, told_ptr):  # a part of 32768, looped by 4096; awaits those of the other programs
    q, mark = lib.ticket(told_ptr, 2048)
    mean = tl.load(mean_ptr + (q // 8))
    r = tl.arange(0, 4096)
    t = (r - 3136).to(tl.int64) < 0
    acc = tl.full((4096,), 0.0, tl.float32)
    rstd = tl.load(rstd_ptr + (q // 8))
    w = tl.load(w_ptr + (q // 8))
    gt = tl.full((), 0.0, tl.bfloat16).to(tl.float32)
    acc_1 = acc
    acc_2 = acc
    for r_start in tl.static_range(0, 32768, 4096):
        r_start = tl.full((), r_start, tl.int32)
        base = (q // 8) * 3136 + (q % 8) * 6422528 + (r_start // 4096) * 802816
        y = tl.load(y_ptr + (base + r), mask=t, other=0, eviction_policy="evict_last")
        gt_1 = y.to(tl.float32) > gt
        dy = tl.load(dy_ptr + (base + r), mask=t, other=0, eviction_policy="evict_last")
        g = tl.where(gt_1, dy, 0.0)
        to_copy = g.to(tl.float32)
        x = tl.load(x_ptr + (base + r), mask=t, other=0, eviction_policy="evict_last")
        to_copy_1 = x.to(tl.float32)
        sub = to_copy_1 - mean
        mul = to_copy * sub
        acc_1, acc_2 = acc_1 + to_copy, acc_2 + mul
    t_1 = tl.sum(tl.where(t, acc_1, 0.0), axis=0)
    t_2 = tl.sum(tl.where(t, acc_2, 0.0), axis=0)
    lib.publish(told_ptr + (q + 1), t_1, mark)
    lib.publish(told_ptr + (q + 2049), t_2, mark)
    mul_1 = rstd * rstd
    mul_2 = rstd * w
    r_1 = tl.arange(0, 8)
    mask = r_1 < 8
    t_3 = lib.awaited(told_ptr + (r_1 + (q // 8) * 8 + 1), mask, mark, tl.float32)
    t_4 = lib.awaited(told_ptr + (r_1 + (q // 8) * 8 + 2049), mask, mark, tl.float32)
    reduce = tl.sum(t_3, axis=0)
    reduce_1 = tl.sum(t_4, axis=0)
    t_5 = (q % 8).to(tl.int64) == 0
    tl.store(reduce_out_ptr + (q // 8), reduce, mask=t_5)
    tl.store(mul_out_ptr + (q // 8), reduce_1 * rstd, mask=t_5)
    mul_3 = reduce_1 * 4.9824616e-06
    mul_4 = mul_3 * mul_1
    unsqueeze = reduce * 4.9824616e-06
    for r_start_1 in range(0, 32768, 4096):
        base_1 = (q // 8) * 3136 + (q % 8) * 6422528 + ((-r_start_1 + 28672) // 4096) * 802816
        y_1 = tl.load(y_ptr + (base_1 + r), mask=t, other=0, eviction_policy="evict_first")
        gt_2 = y_1.to(tl.float32) > gt
        dy_1 = tl.load(dy_ptr + (base_1 + r), mask=t, other=0, eviction_policy="evict_first")
        g_1 = tl.where(gt_2, dy_1, 0.0)
        to_copy_2 = g_1.to(tl.float32)
        x_1 = tl.load(x_ptr + (base_1 + r), mask=t, other=0, eviction_policy="evict_first")
        to_copy_3 = x_1.to(tl.float32)
        sub_1 = to_copy_3 - mean
        mul_5 = sub_1 * mul_4
        sub_2 = to_copy_2 - mul_5
        sub_3 = sub_2 - unsqueeze
        mul_6 = sub_3 * mul_2
        tl.store(to_copy_out_ptr + (base_1 + r), mul_6.to(tl.bfloat16), mask=t, eviction_policy="evict_first")


# case: batch norm + relu backward f16 128x512x28x28
def case(dy, y, x, w, mean, rstd):
    device = dy.device
    dy = with_layout(dy, (128, 512, 28, 28), (401408, 784, 28, 1))
    y = with_layout(y, (128, 512, 28, 28), (401408, 784, 28, 1))
    x = with_layout(x, (128, 512, 28, 28), (401408, 784, 28, 1))
    w = with_layout(w, (512,), (1,))
    mean = with_layout(mean, (512,), (1,))
    rstd = with_layout(rstd, (512,), (1,))
    reduce = torch.empty_strided((1, 512, 1, 1), (512, 1, 1, 1), dtype=torch.float32, device=device)
    mul = torch.empty_strided((512,), (1,), dtype=torch.float32, device=device)
    to_copy = torch.empty_strided((128, 512, 28, 28), (401408, 784, 28, 1), dtype=torch.float16, device=device)
    told = counters.kept("gt_select_sum_sub_mul", 4097, device)
    gt_select_sum_sub_mul[(2048,)](y, dy, x, mean, rstd, w, reduce, mul, to_copy, told, num_warps=4, enable_fp_fusion=False)
    sum = reduce.as_strided((512,), (1,), reduce.storage_offset())
    return (to_copy, mul, sum,)


@triton.jit
def gt_select_sum_sub_mul(y_ptr, dy_ptr, x_ptr, mean_ptr, rstd_ptr, w_ptr, reduce_out_ptr, mul_out_ptr, to_copy_out_ptr, told_ptr):  # a part of 32768, looped by 4096; awaits those of the other programs
    q, mark = lib.ticket(told_ptr, 2048)
    mean = tl.load(mean_ptr + (q // 4))
    r = tl.arange(0, 4096)
    t = ((r % 1024) - 784).to(tl.int64) < 0
    acc = tl.full((4096,), 0.0, tl.float32)
    rstd = tl.load(rstd_ptr + (q // 4))
    w = tl.load(w_ptr + (q // 4))
    base = (q // 4) * 784 + (q % 4) * 12845056
    gt = tl.full((), 0.0, tl.float16).to(tl.float32)
    acc_1 = acc
    acc_2 = acc
    for r_start in tl.static_range(0, 32768, 4096):
        r_start = tl.full((), r_start, tl.int32)
        r_1 = r_start + r
        t_1 = ((r_1 % 1024) - 784).to(tl.int64) < 0
        y = tl.load(y_ptr + (base + (r_1 // 1024) * 401408 + (r_1 % 1024)), mask=t_1, other=0, eviction_policy="evict_last")
        gt_1 = y.to(tl.float32) > gt
        dy = tl.load(dy_ptr + (base + (r_1 // 1024) * 401408 + (r_1 % 1024)), mask=t_1, other=0, eviction_policy="evict_last")
        g = tl.where(gt_1, dy, 0.0)
        to_copy = g.to(tl.float32)
        x = tl.load(x_ptr + (base + (r_1 // 1024) * 401408 + (r_1 % 1024)), mask=t_1, other=0, eviction_policy="evict_last")
        to_copy_1 = x.to(tl.float32)
        sub = to_copy_1 - mean
        mul = to_copy * sub
        acc_1, acc_2 = acc_1 + to_copy, acc_2 + mul
    t_2 = tl.sum(tl.where(t, acc_1, 0.0), axis=0)
    t_3 = tl.sum(tl.where(t, acc_2, 0.0), axis=0)
    lib.publish(told_ptr + (q + 1), t_2, mark)
    lib.publish(told_ptr + (q + 2049), t_3, mark)
    mul_1 = rstd * rstd
    mul_2 = rstd * w
    r_2 = tl.arange(0, 4)
    mask = r_2 < 4
    t_4 = lib.awaited(told_ptr + (r_2 + (q // 4) * 4 + 1), mask, mark, tl.float32)
    t_5 = lib.awaited(told_ptr + (r_2 + (q // 4) * 4 + 2049), mask, mark, tl.float32)
    reduce = tl.sum(t_4, axis=0)
    reduce_1 = tl.sum(t_5, axis=0)
    t_6 = (q % 4).to(tl.int64) == 0
    tl.store(reduce_out_ptr + (q // 4), reduce, mask=t_6)
    tl.store(mul_out_ptr + (q // 4), reduce_1 * rstd, mask=t_6)
    mul_3 = reduce_1 * 9.964923e-06
    mul_4 = mul_3 * mul_1
    unsqueeze = reduce * 9.964923e-06
    for r_start_1 in range(0, 32768, 4096):
        r_3 = (-r_start_1 + 28672) + r
        t_7 = ((r_3 % 1024) - 784).to(tl.int64) < 0
        y_1 = tl.load(y_ptr + (base + (r_3 // 1024) * 401408 + (r_3 % 1024)), mask=t_7, other=0, eviction_policy="evict_first")
        gt_2 = y_1.to(tl.float32) > gt
        dy_1 = tl.load(dy_ptr + (base + (r_3 // 1024) * 401408 + (r_3 % 1024)), mask=t_7, other=0, eviction_policy="evict_first")
        g_1 = tl.where(gt_2, dy_1, 0.0)
        to_copy_2 = g_1.to(tl.float32)
        x_1 = tl.load(x_ptr + (base + (r_3 // 1024) * 401408 + (r_3 % 1024)), mask=t_7, other=0, eviction_policy="evict_first")
        to_copy_3 = x_1.to(tl.float32)
        sub_1 = to_copy_3 - mean
        mul_5 = sub_1 * mul_4
        sub_2 = to_copy_2 - mul_5
        sub_3 = sub_2 - unsqueeze
        mul_6 = sub_3 * mul_2
        tl.store(to_copy_out_ptr + (base + (r_3 // 1024) * 401408 + (r_3 % 1024)), mul_6.to(tl.float16), mask=t_7, eviction_policy="evict_first")


# case: batch norm + relu backward f32 256x2048x7x7
def case(dy, y, x, w, mean, rstd):
    device = dy.device
    dy = with_layout(dy, (256, 2048, 7, 7), (100352, 49, 7, 1))
    y = with_layout(y, (256, 2048, 7, 7), (100352, 49, 7, 1))
    x = with_layout(x, (256, 2048, 7, 7), (100352, 49, 7, 1))
    w = with_layout(w, (2048,), (1,))
    mean = with_layout(mean, (2048,), (1,))
    rstd = with_layout(rstd, (2048,), (1,))
    reduce = torch.empty_strided((1, 2048, 1, 1), (2048, 1, 1, 1), dtype=torch.float32, device=device)
    mul = torch.empty_strided((256, 2048, 7, 7), (100352, 49, 7, 1), dtype=torch.float32, device=device)
    mul_1 = torch.empty_strided((2048,), (1,), dtype=torch.float32, device=device)
    gt_select_sum_sub_mul[(2048,)](y, dy, x, mean, rstd, w, reduce, mul, mul_1, num_warps=16, enable_fp_fusion=False)
    sum = reduce.as_strided((2048,), (1,), reduce.storage_offset())
    return (mul, mul_1, sum,)


@triton.jit
def gt_select_sum_sub_mul(y_ptr, dy_ptr, x_ptr, mean_ptr, rstd_ptr, w_ptr, reduce_out_ptr, mul_out_ptr, mul_out_ptr_1):  # 1 row(s) of 12544 kept in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    mean = tl.load(mean_ptr + p)
    r = tl.arange(0, 16384)
    mask = r < 12544
    y = tl.load(y_ptr + (p * 49 + (r // 49) * 100352 + (r % 49)), mask=mask, other=0, eviction_policy="evict_last")
    gt = y > 0.0
    dy = tl.load(dy_ptr + (p * 49 + (r // 49) * 100352 + (r % 49)), mask=mask, other=0, eviction_policy="evict_last")
    g = tl.where(gt, dy, 0.0)
    x = tl.load(x_ptr + (p * 49 + (r // 49) * 100352 + (r % 49)), mask=mask, other=0, eviction_policy="evict_last")
    sub = x - mean
    mul = g * sub
    reduce = tl.sum(tl.where(mask, g, 0.0), axis=0)
    reduce_1 = tl.sum(tl.where(mask, mul, 0.0), axis=0)
    tl.store(reduce_out_ptr + p, reduce)
    rstd = tl.load(rstd_ptr + p)
    tl.store(mul_out_ptr_1 + p, reduce_1 * rstd)
    mul_1 = reduce_1 * 7.9719386e-05
    mul_2 = rstd * rstd
    mul_3 = mul_1 * mul_2
    unsqueeze = reduce * 7.9719386e-05
    w = tl.load(w_ptr + p)
    mul_4 = rstd * w
    mul_5 = sub * mul_3
    sub_1 = g - mul_5
    sub_2 = sub_1 - unsqueeze
    tl.store(mul_out_ptr + (p * 49 + (r // 49) * 100352 + (r % 49)), sub_2 * mul_4, mask=mask)


# case: layer norm backward bf16 1024x4096
def case(dy, x, w):
    device = dy.device
    dy = with_layout(dy, (1024, 4096), (4096, 1))
    x = with_layout(x, (1024, 4096), (4096, 1))
    w = with_layout(w, (4096,), (1,))
    to_copy = torch.empty_strided((1024, 4096), (4096, 1), dtype=torch.bfloat16, device=device)
    buf = torch.empty_strided((256, 1, 4096), (4096, 4096, 1), dtype=torch.float32, device=device)
    buf_1 = torch.empty_strided((256, 1, 4096), (4096, 4096, 1), dtype=torch.float32, device=device)
    sum_mul_sub_add_rsqrt[(256,)](x, dy, w, to_copy, buf, buf_1, num_warps=4, enable_fp_fusion=False)
    to_copy_1 = torch.empty_strided((4096,), (1,), dtype=torch.bfloat16, device=device)
    to_copy_2 = torch.empty_strided((4096,), (1,), dtype=torch.bfloat16, device=device)
    sum[(256,)](buf, buf_1, to_copy_1, to_copy_2, num_warps=8, enable_fp_fusion=False, maxnreg=248)
    del buf_1
    del buf
    return (to_copy, to_copy_1, to_copy_2,)


@triton.jit
def sum_mul_sub_add_rsqrt(x_ptr, dy_ptr, w_ptr, to_copy_out_ptr, reduce_out_ptr, reduce_out_ptr_1):  # 256 programs walk the rows, 1 at once; sums over the rows stay in registers
    i = tl.program_id(0)
    reduce_out = tl.full((4096,), 0.0, tl.float32)
    r = tl.arange(0, 4096)
    w = tl.load(w_ptr + r)
    to_copy = w.to(tl.float32)
    acc = reduce_out
    acc_1 = reduce_out
    for p in tl.range(i, 1024, 256, num_stages=3):
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
def sum(reduce_ptr, reduce_ptr_1, to_copy_out_ptr, to_copy_out_ptr_1):  # reduces down columns of memory: 16 of them side by side, 256 deep, kept in registers
    pid = tl.program_id(0)
    lanes = tl.arange(0, 16)[:, None]
    p = pid * 16 + lanes
    r = tl.arange(0, 256)[None, :]
    t = tl.load(reduce_ptr + (p + r * 4096))
    reduce = tl.sum(t, axis=1, keep_dims=True)
    tl.store(to_copy_out_ptr + p, reduce.to(tl.bfloat16))
    t_1 = tl.load(reduce_ptr_1 + (p + r * 4096))
    reduce_1 = tl.sum(t_1, axis=1, keep_dims=True)
    tl.store(to_copy_out_ptr_1 + p, reduce_1.to(tl.bfloat16))


# case: layer norm backward bf16 65536x1024
def case(dy, x, w):
    device = dy.device
    dy = with_layout(dy, (65536, 1024), (1024, 1))
    x = with_layout(x, (65536, 1024), (1024, 1))
    w = with_layout(w, (1024,), (1,))
    to_copy = torch.empty_strided((65536, 1024), (1024, 1), dtype=torch.bfloat16, device=device)
    buf = torch.empty_strided((528, 1, 1024), (1024, 1024, 1), dtype=torch.float32, device=device)
    buf_1 = torch.empty_strided((528, 1, 1024), (1024, 1024, 1), dtype=torch.float32, device=device)
    sum_mul_sub_add_rsqrt[(528,)](x, dy, w, to_copy, buf, buf_1, num_warps=2, enable_fp_fusion=False)
    to_copy_1 = torch.empty_strided((1024,), (1,), dtype=torch.bfloat16, device=device)
    to_copy_2 = torch.empty_strided((1024,), (1,), dtype=torch.bfloat16, device=device)
    sum[(64,)](buf, buf_1, to_copy_1, to_copy_2, num_warps=16, enable_fp_fusion=False, maxnreg=128)
    del buf_1
    del buf
    return (to_copy, to_copy_1, to_copy_2,)


@triton.jit
def sum_mul_sub_add_rsqrt(x_ptr, dy_ptr, w_ptr, to_copy_out_ptr, reduce_out_ptr, reduce_out_ptr_1):  # 528 programs walk the rows, 2 at once; sums over the rows stay in registers
    i = tl.program_id(0)
    reduce_out = tl.full((2, 1024), 0.0, tl.float32)
    lanes = tl.arange(0, 2)[:, None]
    r = tl.arange(0, 1024)[None, :]
    w = tl.load(w_ptr + r)
    to_copy = w.to(tl.float32)
    acc = reduce_out
    acc_1 = reduce_out
    for p_start in tl.range(i * 2, 65536, 1056, num_stages=3):
        p = p_start + lanes
        x = tl.load(x_ptr + (p * 1024 + r))
        to_copy_1 = x.to(tl.float32)
        dy = tl.load(dy_ptr + (p * 1024 + r))
        to_copy_2 = dy.to(tl.float32)
        mul = to_copy_2 * to_copy
        reduce = tl.sum(to_copy_1, axis=1, keep_dims=True)
        sum = tl.sum(mul, axis=1, keep_dims=True)
        mean = reduce * 0.0009765625
        sub = to_copy_1 - mean
        mul_1 = sub * sub
        reduce_1 = tl.sum(mul_1, axis=1, keep_dims=True)
        var = reduce_1 * 0.0009765625
        add = var + 1e-05
        rstd = libdevice.rsqrt(add)
        mul_2 = sub * rstd
        mul_3 = mul * mul_2
        sum_1 = tl.sum(mul_3, axis=1, keep_dims=True)
        div = rstd * 0.0009765625
        mul_4 = mul * 1024.0
        sub_1 = mul_4 - sum
        mul_5 = mul_2 * sum_1
        sub_2 = sub_1 - mul_5
        mul_6 = div * sub_2
        tl.store(to_copy_out_ptr + (p * 1024 + r), mul_6.to(tl.bfloat16))
        mul_7 = to_copy_2 * mul_2
        t = acc + mul_7
        t_1 = acc_1 + to_copy_2
        acc, acc_1 = t, t_1
    t_2 = tl.sum(acc, axis=0, keep_dims=True)
    tl.store(reduce_out_ptr + (i * 1024 + r), t_2)
    t_3 = tl.sum(acc_1, axis=0, keep_dims=True)
    tl.store(reduce_out_ptr_1 + (i * 1024 + r), t_3)


@triton.jit
def sum(reduce_ptr, reduce_ptr_1, to_copy_out_ptr, to_copy_out_ptr_1):  # reduces down columns of memory: 16 of them side by side, 512 deep
    pid = tl.program_id(0)
    lanes = tl.arange(0, 16)[:, None]
    p = pid * 16 + lanes
    r = tl.arange(0, 512)[None, :]
    acc = tl.full((16, 512), 0.0, tl.float32)
    acc_1 = acc
    for r_start in range(0, 528, 512):
        r_1 = r_start + r
        t = tl.load(reduce_ptr + (p + r_1 * 1024), mask=r_1 < 528, other=0)
        acc_1 = acc_1 + t
    reduce = tl.sum(acc_1, axis=1, keep_dims=True)
    tl.store(to_copy_out_ptr + p, reduce.to(tl.bfloat16))
    acc_2 = acc
    for r_start_1 in range(0, 528, 512):
        r_2 = r_start_1 + r
        t_1 = tl.load(reduce_ptr_1 + (p + r_2 * 1024), mask=r_2 < 528, other=0)
        acc_2 = acc_2 + t_1
    reduce_1 = tl.sum(acc_2, axis=1, keep_dims=True)
    tl.store(to_copy_out_ptr_1 + p, reduce_1.to(tl.bfloat16))


# case: layer norm backward f32 32768x768
def case(dy, x, w):
    device = dy.device
    dy = with_layout(dy, (32768, 768), (768, 1))
    x = with_layout(x, (32768, 768), (768, 1))
    w = with_layout(w, (768,), (1,))
    mul = torch.empty_strided((32768, 768), (768, 1), dtype=torch.float32, device=device)
    buf = torch.empty_strided((264, 1, 768), (768, 768, 1), dtype=torch.float32, device=device)
    buf_1 = torch.empty_strided((264, 1, 768), (768, 768, 1), dtype=torch.float32, device=device)
    sum_div_sub_add_rsqrt[(264,)](x, dy, w, mul, buf, buf_1, num_warps=4, enable_fp_fusion=False)
    reduce = torch.empty_strided((1, 768), (768, 1), dtype=torch.float32, device=device)
    reduce_1 = torch.empty_strided((1, 768), (768, 1), dtype=torch.float32, device=device)
    sum[(48,)](buf, buf_1, reduce, reduce_1, num_warps=16, enable_fp_fusion=False, maxnreg=128)
    del buf_1
    del buf
    sum_1 = reduce.as_strided((768,), (1,), reduce.storage_offset())
    sum_2 = reduce_1.as_strided((768,), (1,), reduce_1.storage_offset())
    return (mul, sum_1, sum_2,)


@triton.jit
def sum_div_sub_add_rsqrt(x_ptr, dy_ptr, w_ptr, mul_out_ptr, reduce_out_ptr, reduce_out_ptr_1):  # 264 programs walk the rows, 4 at once; sums over the rows stay in registers
    i = tl.program_id(0)
    reduce_out = tl.full((4, 1024), 0.0, tl.float32)
    lanes = tl.arange(0, 4)[:, None]
    r = tl.arange(0, 1024)[None, :]
    mask = r < 768
    w = tl.load(w_ptr + r, mask=mask, other=0)
    acc = reduce_out
    acc_1 = reduce_out
    for p_start in tl.range(i * 4, 32768, 1056, num_stages=3):
        p = p_start + lanes
        x = tl.load(x_ptr + (p * 768 + r), mask=mask, other=0)
        dy = tl.load(dy_ptr + (p * 768 + r), mask=mask, other=0)
        mul = dy * w
        reduce = tl.sum(x, axis=1, keep_dims=True)
        sum = tl.sum(tl.where(mask, mul, 0.0), axis=1, keep_dims=True)
        mean = tl.div_rn(reduce, tl.full((4, 1), 768.0, tl.float32))
        sub = x - mean
        mul_1 = sub * sub
        reduce_1 = tl.sum(tl.where(mask, mul_1, 0.0), axis=1, keep_dims=True)
        var = tl.div_rn(reduce_1, tl.full((4, 1), 768.0, tl.float32))
        add = var + 1e-05
        rstd = libdevice.rsqrt(add)
        mul_2 = sub * rstd
        mul_3 = mul * mul_2
        sum_1 = tl.sum(tl.where(mask, mul_3, 0.0), axis=1, keep_dims=True)
        div = tl.div_rn(rstd, tl.full((4, 1), 768.0, tl.float32))
        mul_4 = mul * 768.0
        sub_1 = mul_4 - sum
        mul_5 = mul_2 * sum_1
        sub_2 = sub_1 - mul_5
        tl.store(mul_out_ptr + (p * 768 + r), div * sub_2, mask=mask)
        mul_6 = dy * mul_2
        t = acc + mul_6
        t_1 = acc_1 + dy
        acc, acc_1 = t, t_1
    t_2 = tl.sum(acc, axis=0, keep_dims=True)
    tl.store(reduce_out_ptr + (i * 768 + r), t_2, mask=mask)
    t_3 = tl.sum(acc_1, axis=0, keep_dims=True)
    tl.store(reduce_out_ptr_1 + (i * 768 + r), t_3, mask=mask)


@triton.jit
def sum(reduce_ptr, reduce_ptr_1, reduce_out_ptr, reduce_out_ptr_1):  # reduces down columns of memory: 16 of them side by side, 512 deep, kept in registers
    pid = tl.program_id(0)
    lanes = tl.arange(0, 16)[:, None]
    p = pid * 16 + lanes
    r = tl.arange(0, 512)[None, :]
    mask = r < 264
    t = tl.load(reduce_ptr + (p + r * 768), mask=mask, other=0)
    reduce = tl.sum(t, axis=1, keep_dims=True)
    tl.store(reduce_out_ptr + p, reduce)
    t_1 = tl.load(reduce_ptr_1 + (p + r * 768), mask=mask, other=0)
    reduce_1 = tl.sum(t_1, axis=1, keep_dims=True)
    tl.store(reduce_out_ptr_1 + p, reduce_1)


# case: layer norm backward f16 4096x8192
def case(dy, x, w):
    device = dy.device
    dy = with_layout(dy, (4096, 8192), (8192, 1))
    x = with_layout(x, (4096, 8192), (8192, 1))
    w = with_layout(w, (8192,), (1,))
    to_copy = torch.empty_strided((4096, 8192), (8192, 1), dtype=torch.float16, device=device)
    buf = torch.empty_strided((132, 1, 8192), (8192, 8192, 1), dtype=torch.float32, device=device)
    buf_1 = torch.empty_strided((132, 1, 8192), (8192, 8192, 1), dtype=torch.float32, device=device)
    sum_mul_sub_add_rsqrt[(132,)](x, dy, w, to_copy, buf, buf_1, num_warps=8, enable_fp_fusion=False)
    to_copy_1 = torch.empty_strided((8192,), (1,), dtype=torch.float16, device=device)
    to_copy_2 = torch.empty_strided((8192,), (1,), dtype=torch.float16, device=device)
    sum[(256,)](buf, buf_1, to_copy_1, to_copy_2, num_warps=16, enable_fp_fusion=False, maxnreg=128)
    del buf_1
    del buf
    return (to_copy, to_copy_1, to_copy_2,)


@triton.jit
def sum_mul_sub_add_rsqrt(x_ptr, dy_ptr, w_ptr, to_copy_out_ptr, reduce_out_ptr, reduce_out_ptr_1):  # 132 programs walk the rows, 1 at once; sums over the rows stay in registers
    i = tl.program_id(0)
    reduce_out = tl.full((8192,), 0.0, tl.float32)
    r = tl.arange(0, 8192)
    w = tl.load(w_ptr + r)
    to_copy = w.to(tl.float32)
    acc = reduce_out
    acc_1 = reduce_out
    for p in tl.range(i, 4096, 132, num_stages=3):
        x = tl.load(x_ptr + (p * 8192 + r))
        to_copy_1 = x.to(tl.float32)
        dy = tl.load(dy_ptr + (p * 8192 + r))
        to_copy_2 = dy.to(tl.float32)
        mul = to_copy_2 * to_copy
        reduce = tl.sum(to_copy_1, axis=0)
        sum = tl.sum(mul, axis=0)
        mean = reduce * 0.00012207031
        sub = to_copy_1 - mean
        mul_1 = sub * sub
        reduce_1 = tl.sum(mul_1, axis=0)
        var = reduce_1 * 0.00012207031
        add = var + 1e-05
        rstd = libdevice.rsqrt(add)
        mul_2 = sub * rstd
        mul_3 = mul * mul_2
        sum_1 = tl.sum(mul_3, axis=0)
        div = rstd * 0.00012207031
        mul_4 = mul * 8192.0
        sub_1 = mul_4 - sum
        mul_5 = mul_2 * sum_1
        sub_2 = sub_1 - mul_5
        mul_6 = div * sub_2
        tl.store(to_copy_out_ptr + (p * 8192 + r), mul_6.to(tl.float16))
        mul_7 = to_copy_2 * mul_2
        t = acc + mul_7
        t_1 = acc_1 + to_copy_2
        acc, acc_1 = t, t_1
    tl.store(reduce_out_ptr + (i * 8192 + r), acc)
    tl.store(reduce_out_ptr_1 + (i * 8192 + r), acc_1)


@triton.jit
def sum(reduce_ptr, reduce_ptr_1, to_copy_out_ptr, to_copy_out_ptr_1):  # reduces down columns of memory: 32 of them side by side, 256 deep, kept in registers
    pid = tl.program_id(0)
    lanes = tl.arange(0, 32)[:, None]
    p = pid * 32 + lanes
    r = tl.arange(0, 256)[None, :]
    mask = r < 132
    t = tl.load(reduce_ptr + (p + r * 8192), mask=mask, other=0)
    reduce = tl.sum(t, axis=1, keep_dims=True)
    tl.store(to_copy_out_ptr + p, reduce.to(tl.float16))
    t_1 = tl.load(reduce_ptr_1 + (p + r * 8192), mask=mask, other=0)
    reduce_1 = tl.sum(t_1, axis=1, keep_dims=True)
    tl.store(to_copy_out_ptr_1 + p, reduce_1.to(tl.float16))


# case: rms norm backward bf16 2048x4096
def case(dy, x, w):
    device = dy.device
    dy = with_layout(dy, (2048, 4096), (4096, 1))
    x = with_layout(x, (2048, 4096), (4096, 1))
    w = with_layout(w, (4096,), (1,))
    to_copy = torch.empty_strided((2048, 4096), (4096, 1), dtype=torch.bfloat16, device=device)
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
    for p in tl.range(i, 2048, 264, num_stages=3):
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


# case: rms norm backward f32 65536x2048
def case(dy, x, w):
    device = dy.device
    dy = with_layout(dy, (65536, 2048), (2048, 1))
    x = with_layout(x, (65536, 2048), (2048, 1))
    w = with_layout(w, (2048,), (1,))
    dx = torch.empty_strided((65536, 2048), (2048, 1), dtype=torch.float32, device=device)
    buf = torch.empty_strided((264, 1, 2048), (2048, 2048, 1), dtype=torch.float32, device=device)
    mul_sum_add_rsqrt_sub[(264,)](x, dy, w, dx, buf, num_warps=4, enable_fp_fusion=False)
    reduce = torch.empty_strided((1, 2048), (2048, 1), dtype=torch.float32, device=device)
    sum[(128,)](buf, reduce, num_warps=16, enable_fp_fusion=False, maxnreg=128)
    del buf
    sum_1 = reduce.as_strided((2048,), (1,), reduce.storage_offset())
    return (dx, sum_1,)


@triton.jit
def mul_sum_add_rsqrt_sub(x_ptr, dy_ptr, w_ptr, dx_out_ptr, reduce_out_ptr):  # 264 programs walk the rows, 2 at once; sums over the rows stay in registers
    i = tl.program_id(0)
    reduce_out = tl.full((2, 2048), 0.0, tl.float32)
    lanes = tl.arange(0, 2)[:, None]
    r = tl.arange(0, 2048)[None, :]
    w = tl.load(w_ptr + r)
    acc = reduce_out
    for p_start in tl.range(i * 2, 65536, 528, num_stages=3):
        p = p_start + lanes
        x = tl.load(x_ptr + (p * 2048 + r))
        square = x * x
        reduce = tl.sum(square, axis=1, keep_dims=True)
        mean = reduce * 0.00048828125
        add = mean + 1e-06
        rstd = libdevice.rsqrt(add)
        dy = tl.load(dy_ptr + (p * 2048 + r))
        mul = dy * w
        mul_1 = x * rstd
        mul_2 = mul * mul_1
        reduce_1 = tl.sum(mul_2, axis=1, keep_dims=True)
        mean_1 = reduce_1 * 0.00048828125
        mul_3 = mul_1 * mean_1
        sub = mul - mul_3
        tl.store(dx_out_ptr + (p * 2048 + r), rstd * sub)
        mul_4 = dy * mul_1
        t = acc + mul_4
        acc = t
    t_1 = tl.sum(acc, axis=0, keep_dims=True)
    tl.store(reduce_out_ptr + (i * 2048 + r), t_1)


@triton.jit
def sum(reduce_ptr, reduce_out_ptr):  # reduces down columns of memory: 16 of them side by side, 512 deep, kept in registers
    pid = tl.program_id(0)
    lanes = tl.arange(0, 16)[:, None]
    p = pid * 16 + lanes
    r = tl.arange(0, 512)[None, :]
    t = tl.load(reduce_ptr + (p + r * 2048), mask=r < 264, other=0)
    reduce = tl.sum(t, axis=1, keep_dims=True)
    tl.store(reduce_out_ptr + p, reduce)


# case: rms norm + residual backward bf16 16384x5120
def case(dy, dh, h, w):
    device = dy.device
    dy = with_layout(dy, (16384, 5120), (5120, 1))
    dh = with_layout(dh, (16384, 5120), (5120, 1))
    h = with_layout(h, (16384, 5120), (5120, 1))
    w = with_layout(w, (5120,), (1,))
    add = torch.empty_strided((16384, 5120), (5120, 1), dtype=torch.bfloat16, device=device)
    buf = torch.empty_strided((132, 1, 5120), (5120, 5120, 1), dtype=torch.float32, device=device)
    mul_sum_div_rsqrt_sub[(132,)](h, dy, w, dh, add, buf, num_warps=8, enable_fp_fusion=False)
    to_copy = torch.empty_strided((5120,), (1,), dtype=torch.bfloat16, device=device)
    sum[(160,)](buf, to_copy, num_warps=16, enable_fp_fusion=False, maxnreg=128)
    del buf
    return (add, to_copy,)


@triton.jit
def mul_sum_div_rsqrt_sub(h_ptr, dy_ptr, w_ptr, dh_ptr, add_out_ptr, reduce_out_ptr):  # 132 programs walk the rows, 1 at once; sums over the rows stay in registers
    i = tl.program_id(0)
    reduce_out = tl.full((8192,), 0.0, tl.float32)
    r = tl.arange(0, 8192)
    mask = r < 5120
    w = tl.load(w_ptr + r, mask=mask, other=0)
    cast = w.to(tl.float32)
    acc = reduce_out
    for p in tl.range(i, 16384, 132, num_stages=3):
        h = tl.load(h_ptr + (p * 5120 + r), mask=mask, other=0)
        to_copy = h.to(tl.float32)
        square = to_copy * to_copy
        reduce = tl.sum(tl.where(mask, square, 0.0), axis=0)
        mean = tl.div_rn(reduce, tl.full((), 5120.0, tl.float32))
        add = mean + 1e-06
        rstd = libdevice.rsqrt(add)
        dy = tl.load(dy_ptr + (p * 5120 + r), mask=mask, other=0)
        to_copy_1 = dy.to(tl.float32)
        mul = to_copy_1 * cast
        mul_1 = to_copy * rstd
        mul_2 = mul * mul_1
        reduce_1 = tl.sum(tl.where(mask, mul_2, 0.0), axis=0)
        mean_1 = tl.div_rn(reduce_1, tl.full((), 5120.0, tl.float32))
        mul_3 = mul_1 * mean_1
        sub = mul - mul_3
        dx = rstd * sub
        to_copy_2 = dx.to(tl.bfloat16)
        dh = tl.load(dh_ptr + (p * 5120 + r), mask=mask, other=0)
        add_1 = (to_copy_2.to(tl.float32) + dh.to(tl.float32)).to(tl.bfloat16)
        tl.store(add_out_ptr + (p * 5120 + r), add_1, mask=mask)
        mul_4 = to_copy_1 * mul_1
        t = acc + mul_4
        acc = t
    tl.store(reduce_out_ptr + (i * 5120 + r), acc, mask=mask)


@triton.jit
def sum(reduce_ptr, to_copy_out_ptr):  # reduces down columns of memory: 32 of them side by side, 256 deep, kept in registers
    pid = tl.program_id(0)
    lanes = tl.arange(0, 32)[:, None]
    p = pid * 32 + lanes
    r = tl.arange(0, 256)[None, :]
    t = tl.load(reduce_ptr + (p + r * 5120), mask=r < 132, other=0)
    reduce = tl.sum(t, axis=1, keep_dims=True)
    tl.store(to_copy_out_ptr + p, reduce.to(tl.bfloat16))


# case: dropout + residual + norm backward bf16 32768x1024
def case(dy, dh, h, keep, w):
    device = dy.device
    dy = with_layout(dy, (32768, 1024), (1024, 1))
    dh = with_layout(dh, (32768, 1024), (1024, 1))
    h = with_layout(h, (32768, 1024), (1024, 1))
    keep = with_layout(keep, (32768, 1024), (1024, 1))
    w = with_layout(w, (1024,), (1,))
    total = torch.empty_strided((32768, 1024), (1024, 1), dtype=torch.bfloat16, device=device)
    where = torch.empty_strided((32768, 1024), (1024, 1), dtype=torch.bfloat16, device=device)
    buf = torch.empty_strided((528, 1, 1024), (1024, 1024, 1), dtype=torch.float32, device=device)
    buf_1 = torch.empty_strided((528, 1, 1024), (1024, 1024, 1), dtype=torch.float32, device=device)
    sum_mul_sub_rsqrt_select[(528,)](h, dy, w, dh, keep, total, where, buf, buf_1, num_warps=2, enable_fp_fusion=False)
    to_copy = torch.empty_strided((1024,), (1,), dtype=torch.bfloat16, device=device)
    to_copy_1 = torch.empty_strided((1024,), (1,), dtype=torch.bfloat16, device=device)
    sum[(64,)](buf, buf_1, to_copy, to_copy_1, num_warps=16, enable_fp_fusion=False, maxnreg=128)
    del buf_1
    del buf
    return (total, where, to_copy, to_copy_1,)


@triton.jit
def sum_mul_sub_rsqrt_select(h_ptr, dy_ptr, w_ptr, dh_ptr, keep_ptr, total_out_ptr, where_out_ptr, reduce_out_ptr, reduce_out_ptr_1):  # 528 programs walk the rows, 2 at once; sums over the rows stay in registers
    i = tl.program_id(0)
    reduce_out = tl.full((2, 1024), 0.0, tl.float32)
    lanes = tl.arange(0, 2)[:, None]
    r = tl.arange(0, 1024)[None, :]
    w = tl.load(w_ptr + r)
    to_copy = w.to(tl.float32)
    acc = reduce_out
    acc_1 = reduce_out
    for p_start in tl.range(i * 2, 32768, 1056, num_stages=3):
        p = p_start + lanes
        h = tl.load(h_ptr + (p * 1024 + r))
        to_copy_1 = h.to(tl.float32)
        dy = tl.load(dy_ptr + (p * 1024 + r))
        to_copy_2 = dy.to(tl.float32)
        mul = to_copy_2 * to_copy
        reduce = tl.sum(to_copy_1, axis=1, keep_dims=True)
        sum = tl.sum(mul, axis=1, keep_dims=True)
        mean = reduce * 0.0009765625
        sub = to_copy_1 - mean
        mul_1 = sub * sub
        reduce_1 = tl.sum(mul_1, axis=1, keep_dims=True)
        var = reduce_1 * 0.0009765625
        add = var + 1e-05
        rstd = libdevice.rsqrt(add)
        mul_2 = sub * rstd
        mul_3 = mul * mul_2
        sum_1 = tl.sum(mul_3, axis=1, keep_dims=True)
        div = rstd * 0.0009765625
        mul_4 = mul * 1024.0
        sub_1 = mul_4 - sum
        mul_5 = mul_2 * sum_1
        sub_2 = sub_1 - mul_5
        mul_6 = div * sub_2
        to_copy_3 = mul_6.to(tl.bfloat16)
        dh = tl.load(dh_ptr + (p * 1024 + r))
        total = (to_copy_3.to(tl.float32) + dh.to(tl.float32)).to(tl.bfloat16)
        tl.store(total_out_ptr + (p * 1024 + r), total)
        keep = tl.load(keep_ptr + (p * 1024 + r))
        cast = total.to(tl.float32)
        mul_7 = cast * 1.1111112
        mul_8 = mul_7.to(tl.bfloat16)
        tl.store(where_out_ptr + (p * 1024 + r), tl.where(keep, mul_8, 0.0))
        mul_9 = to_copy_2 * mul_2
        t = acc + mul_9
        t_1 = acc_1 + to_copy_2
        acc, acc_1 = t, t_1
    t_2 = tl.sum(acc, axis=0, keep_dims=True)
    tl.store(reduce_out_ptr + (i * 1024 + r), t_2)
    t_3 = tl.sum(acc_1, axis=0, keep_dims=True)
    tl.store(reduce_out_ptr_1 + (i * 1024 + r), t_3)


@triton.jit
def sum(reduce_ptr, reduce_ptr_1, to_copy_out_ptr, to_copy_out_ptr_1):  # reduces down columns of memory: 16 of them side by side, 512 deep
    pid = tl.program_id(0)
    lanes = tl.arange(0, 16)[:, None]
    p = pid * 16 + lanes
    r = tl.arange(0, 512)[None, :]
    acc = tl.full((16, 512), 0.0, tl.float32)
    acc_1 = acc
    for r_start in range(0, 528, 512):
        r_1 = r_start + r
        t = tl.load(reduce_ptr + (p + r_1 * 1024), mask=r_1 < 528, other=0)
        acc_1 = acc_1 + t
    reduce = tl.sum(acc_1, axis=1, keep_dims=True)
    tl.store(to_copy_out_ptr + p, reduce.to(tl.bfloat16))
    acc_2 = acc
    for r_start_1 in range(0, 528, 512):
        r_2 = r_start_1 + r
        t_1 = tl.load(reduce_ptr_1 + (p + r_2 * 1024), mask=r_2 < 528, other=0)
        acc_2 = acc_2 + t_1
    reduce_1 = tl.sum(acc_2, axis=1, keep_dims=True)
    tl.store(to_copy_out_ptr_1 + p, reduce_1.to(tl.bfloat16))


# case: group norm backward bf16 32x256x64x64
def case(dy, x, w):
    device = dy.device
    dy = with_layout(dy, (32, 256, 64, 64), (1048576, 4096, 64, 1))
    x = with_layout(x, (32, 256, 64, 64), (1048576, 4096, 64, 1))
    w = with_layout(w, (256,), (1,))
    reduce = torch.empty_strided((32, 256, 1), (256, 1, 1), dtype=torch.float32, device=device)
    reduce_1 = torch.empty_strided((32, 256, 1), (256, 1, 1), dtype=torch.float32, device=device)
    mul_sum[(8192,)](x, dy, reduce, reduce_1, num_warps=8, enable_fp_fusion=False)
    reduce_2 = torch.empty_strided((32, 16, 1), (16, 1, 1), dtype=torch.float32, device=device)
    reduce_3 = torch.empty_strided((32, 16, 1), (16, 1, 1), dtype=torch.float32, device=device)
    mul_sum_1_and_mul_sum_2[(16,)](w, reduce, reduce_2, reduce_1, reduce_3, num_warps=1, enable_fp_fusion=False)
    to_copy = torch.empty_strided((32, 16), (16, 1), dtype=torch.bfloat16, device=device)
    args = torch.empty_strided((32, 16), (16, 1), dtype=torch.bfloat16, device=device)
    to_copy_1 = torch.empty_strided((32, 256, 64, 64), (1048576, 4096, 64, 1), dtype=torch.bfloat16, device=device)
    sum_mul_sub_rsqrt_neg[(512,)](x, dy, w, reduce_3, reduce_2, to_copy, args, to_copy_1, num_warps=32, enable_fp_fusion=False)
    del reduce_3
    del reduce_2
    to_copy_2 = torch.empty_strided((256,), (1,), dtype=torch.bfloat16, device=device)
    to_copy_3 = torch.empty_strided((256,), (1,), dtype=torch.bfloat16, device=device)
    mul_sub_sum[(16,)](to_copy, args, reduce_1, reduce, to_copy_2, to_copy_3, num_warps=1, enable_fp_fusion=False, maxnreg=248)
    del args
    del to_copy
    del reduce_1
    del reduce
    return (to_copy_1, to_copy_2, to_copy_3,)


@triton.jit
def mul_sum(x_ptr, dy_ptr, reduce_out_ptr, reduce_out_ptr_1):  # 1 row(s) of 4096 kept in registers
    p = tl.program_id(0)
    r = tl.arange(0, 4096)
    dy = tl.load(dy_ptr + (p * 4096 + r))
    to_copy = dy.to(tl.float32)
    x = tl.load(x_ptr + (p * 4096 + r))
    to_copy_1 = x.to(tl.float32)
    mul = to_copy * to_copy_1
    reduce = tl.sum(mul, axis=0)
    reduce_1 = tl.sum(to_copy, axis=0)
    tl.store(reduce_out_ptr + p, reduce)
    tl.store(reduce_out_ptr_1 + p, reduce_1)


@triton.jit
def mul_sum_1_and_mul_sum_2(w_ptr, reduce_ptr, reduce_out_ptr, reduce_ptr_1, reduce_out_ptr_1):  # 2 kernels side by side: 64 row(s) of 16 kept in registers
    program = tl.program_id(0)
    if program < 8:
        lanes = tl.arange(0, 64)[:, None]
        p = program * 64 + lanes
        r = tl.arange(0, 16)[None, :]
        reduce = tl.load(reduce_ptr + (p * 16 + r))
        w = tl.load(w_ptr + (r + (p % 16) * 16))
        to_copy = w.to(tl.float32)
        mul = reduce * to_copy
        reduce_1 = tl.sum(mul, axis=1, keep_dims=True)
        tl.store(reduce_out_ptr + p, reduce_1)
    else:
        lanes_1 = tl.arange(0, 64)[:, None]
        p_1 = (program - 8) * 64 + lanes_1
        r_1 = tl.arange(0, 16)[None, :]
        reduce_2 = tl.load(reduce_ptr_1 + (p_1 * 16 + r_1))
        w_1 = tl.load(w_ptr + (r_1 + (p_1 % 16) * 16))
        to_copy_1 = w_1.to(tl.float32)
        mul_1 = reduce_2 * to_copy_1
        reduce_3 = tl.sum(mul_1, axis=1, keep_dims=True)
        tl.store(reduce_out_ptr_1 + p_1, reduce_3)


@triton.jit
def sum_mul_sub_rsqrt_neg(x_ptr, dy_ptr, w_ptr, reduce_ptr, reduce_ptr_1, to_copy_out_ptr, args_out_ptr, to_copy_out_ptr_1):  # a row of 65536, more than 16384: looped by 16384; variances are sums of distances
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
    reduce = tl.load(reduce_ptr + p)
    reduce_1 = tl.load(reduce_ptr_1 + p)
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
    div = tl.fma(tl.full((), 65536.0, tl.float32), pivot, t_4) * 1.5258789e-05
    to_copy_2 = div.to(tl.bfloat16)
    tl.store(to_copy_out_ptr + p, to_copy_2)
    div_1 = tl.maximum(t_6, 0.0, propagate_nan=tl.PropagateNan.ALL) * 1.5258789e-05
    add = div_1 + 1e-05
    rstd = libdevice.rsqrt(add)
    args = rstd.to(tl.bfloat16)
    tl.store(args_out_ptr + p, args)
    to_copy_3 = args.to(tl.float32)
    to_copy_4 = to_copy_2.to(tl.float32)
    mul = reduce * to_copy_4
    sub = mul - reduce_1
    mul_1 = sub * to_copy_3
    mul_2 = mul_1 * to_copy_3
    mul_3 = mul_2 * to_copy_3
    mul_4 = mul_3 * 1.5258789e-05
    mul_5 = (mul_4 * to_copy_4) * -1.0
    mul_6 = reduce * to_copy_3
    mul_7 = mul_6 * 1.5258789e-05
    sub_1 = mul_5 - mul_7
    for r_start_1 in range(0, 65536, 16384):
        r_2 = (-r_start_1 + 49152) + r_1
        dy = tl.load(dy_ptr + (p * 65536 + r_2))
        to_copy_5 = dy.to(tl.float32)
        w = tl.load(w_ptr + ((p % 16) * 16 + (r_2 // 4096)))
        to_copy_6 = w.to(tl.float32)
        mul_8 = to_copy_3 * to_copy_6
        mul_9 = to_copy_5 * mul_8
        x_2 = tl.load(x_ptr + (p * 65536 + r_2), eviction_policy="evict_first")
        to_copy_7 = x_2.to(tl.float32)
        mul_10 = to_copy_7 * mul_4
        add_1 = mul_9 + mul_10
        add_2 = add_1 + sub_1
        tl.store(to_copy_out_ptr_1 + (p * 65536 + r_2), add_2.to(tl.bfloat16), eviction_policy="evict_first")


@triton.jit
def mul_sub_sum(to_copy_ptr, args_ptr, reduce_ptr, reduce_ptr_1, to_copy_out_ptr, to_copy_out_ptr_1):  # reduces down columns of memory: 16 of them side by side, 32 deep, kept in registers
    pid = tl.program_id(0)
    lanes = tl.arange(0, 16)[:, None]
    p = pid * 16 + lanes
    r = tl.arange(0, 32)[None, :]
    reduce = tl.load(reduce_ptr_1 + (p + r * 256))
    reduce_1 = tl.load(reduce_ptr + (p + r * 256))
    to_copy = tl.load(to_copy_ptr + (r * 16 + pid))
    to_copy_1 = to_copy.to(tl.float32)
    mul = reduce_1 * to_copy_1
    sub = reduce - mul
    args = tl.load(args_ptr + (r * 16 + pid))
    to_copy_2 = args.to(tl.float32)
    mul_1 = sub * to_copy_2
    reduce_2 = tl.sum(mul_1, axis=1, keep_dims=True)
    reduce_3 = tl.sum(reduce_1, axis=1, keep_dims=True)
    tl.store(to_copy_out_ptr + p, reduce_2.to(tl.bfloat16))
    tl.store(to_copy_out_ptr_1 + p, reduce_3.to(tl.bfloat16))


# case: bias gradient bf16 16384x12288
def case(dy):
    device = dy.device
    dy = with_layout(dy, (16384, 12288), (12288, 1))
    cast = torch.empty_strided((1, 12288), (12288, 1), dtype=torch.bfloat16, device=device)
    partial = torch.empty_strided((12288, 4), (4, 1), dtype=torch.float32, device=device)
    arrived = counters(12288, device)
    sum[(384,)](dy, partial, cast, arrived, num_warps=4, enable_fp_fusion=False, maxnreg=248)
    del partial
    sum_1 = cast.as_strided((12288,), (1,), cast.storage_offset())
    return (sum_1,)


@triton.jit
def sum(dy_ptr, partial_ptr, cast_out_ptr, arrived_ptr):  # reduces down columns of memory: 128 of them side by side, 32 deep; the last of 4 adds up
    pid = tl.program_id(0)
    lanes = tl.arange(0, 128)[:, None]
    r = tl.arange(0, 32)[None, :]
    acc = tl.full((128, 32), 0.0, tl.float32)
    base = (pid // 96) * 50331648 + (pid % 96) * 128
    acc_1 = acc
    for r_start in tl.range(0, 4096, 32, num_stages=3):
        dy = tl.load(dy_ptr + (base + (r_start + r) * 12288 + lanes))
        cast = dy.to(tl.float32)
        acc_1 = acc_1 + cast
    t = tl.sum(acc_1, axis=1, keep_dims=True)
    tl.store(partial_ptr + (((pid // 96) + (pid % 96) * 512) + lanes * 4), t)
    if lib.is_last(arrived_ptr + ((pid % 96) * 128), 4):
        r_1 = tl.arange(0, 4)[None, :]
        t_1 = tl.load(partial_ptr + (r_1 + lanes * 4 + (pid % 96) * 512))
        reduce = tl.sum(t_1, axis=1, keep_dims=True)
        tl.store(cast_out_ptr + (lanes + (pid % 96) * 128), reduce.to(tl.bfloat16))


# case: bias gradient of images f16 64x256x56x56
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


# case: gelu + bias gradient bf16 8192x16384
def case(dy, x):
    device = dy.device
    dy = with_layout(dy, (8192, 16384), (16384, 1))
    x = with_layout(x, (8192, 16384), (16384, 1))
    dx = torch.empty_strided((8192, 16384), (16384, 1), dtype=torch.bfloat16, device=device)
    cast = torch.empty_strided((1, 16384), (16384, 1), dtype=torch.bfloat16, device=device)
    partial = torch.empty_strided((16384, 4), (4, 1), dtype=torch.float32, device=device)
    arrived = counters(16384, device)
    mul_erf_add_exp_sum[(512,)](dy, x, dx, partial, cast, arrived, num_warps=4, enable_fp_fusion=False, maxnreg=248)
    del partial
    sum = cast.as_strided((16384,), (1,), cast.storage_offset())
    return (dx, sum,)


@triton.jit
def mul_erf_add_exp_sum(dy_ptr, x_ptr, dx_out_ptr, partial_ptr, cast_out_ptr, arrived_ptr):  # reduces down columns of memory: 128 of them side by side, 32 deep; the last of 4 adds up
    pid = tl.program_id(0)
    lanes = tl.arange(0, 128)[:, None]
    r = tl.arange(0, 32)[None, :]
    acc = tl.full((128, 32), 0.0, tl.float32)
    base = (pid // 128) * 33554432 + (pid % 128) * 128
    acc_1 = acc
    for r_start in tl.range(0, 2048, 32, num_stages=3):
        r_1 = r_start + r
        dy = tl.load(dy_ptr + (base + r_1 * 16384 + lanes))
        to_copy = dy.to(tl.float32)
        x = tl.load(x_ptr + (base + r_1 * 16384 + lanes))
        to_copy_1 = x.to(tl.float32)
        mul = to_copy_1 * 0.70710677
        add = tl.minimum(tl.abs(mul), 10.2, propagate_nan=tl.PropagateNan.ALL)
        add_1 = tl.fma(tl.full((128, 32), 2.2586658e-08, tl.float32), add, tl.full((128, 32), -8.870295e-07, tl.float32))
        add_2 = tl.fma(add_1, add, tl.full((128, 32), 1.4535082e-05, tl.float32))
        add_3 = tl.fma(add_2, add, tl.full((128, 32), -0.0001288429, tl.float32))
        add_4 = tl.fma(add_3, add, tl.full((128, 32), 0.00065842434, tl.float32))
        add_5 = tl.fma(add_4, add, tl.full((128, 32), -0.001722368, tl.float32))
        add_6 = tl.fma(add_5, add, tl.full((128, 32), -0.000759072, tl.float32))
        add_7 = tl.fma(add_6, add, tl.full((128, 32), 0.028442591, tl.float32))
        add_8 = tl.fma(add_7, add, tl.full((128, 32), -0.14863741, tl.float32))
        add_9 = tl.fma(add_8, add, tl.full((128, 32), -0.918371, tl.float32))
        add_10 = tl.fma(add_9, add, tl.full((128, 32), -1.6279125, tl.float32))
        add_11 = tl.exp2(add_10 * add)
        add_12 = tl.where(mul < 0.0, add_11, 2.0 - add_11)
        mul_1 = add_12 * 0.5
        mul_2 = to_copy_1 * to_copy_1
        mul_3 = mul_2 * -0.5
        exp = tl.exp(mul_3)
        mul_4 = exp * 0.3989423
        mul_5 = to_copy_1 * mul_4
        add_13 = mul_1 + mul_5
        mul_6 = to_copy * add_13
        tl.store(dx_out_ptr + (base + r_1 * 16384 + lanes), mul_6.to(tl.bfloat16))
        acc_1 = acc_1 + lib.rounded_to_bfloat16(mul_6)
    t = tl.sum(acc_1, axis=1, keep_dims=True)
    tl.store(partial_ptr + (((pid // 128) + (pid % 128) * 512) + lanes * 4), t)
    if lib.is_last(arrived_ptr + ((pid % 128) * 128), 4):
        r_2 = tl.arange(0, 4)[None, :]
        t_1 = tl.load(partial_ptr + (r_2 + lanes * 4 + (pid % 128) * 512))
        reduce = tl.sum(t_1, axis=1, keep_dims=True)
        tl.store(cast_out_ptr + (lanes + (pid % 128) * 128), reduce.to(tl.bfloat16))


# case: masked softmax backward bf16
def case(dy, p, mask):
    device = dy.device
    dy = with_layout(dy, (16, 16, 1024, 1024), (16777216, 1048576, 1024, 1))
    p = with_layout(p, (16, 16, 1024, 1024), (16777216, 1048576, 1024, 1))
    mask = with_layout(mask, (16, 1024), (1024, 1))
    to_copy = torch.empty_strided((16, 16, 1024, 1024), (16777216, 1048576, 1024, 1), dtype=torch.bfloat16, device=device)
    mul_sum_sub_select[(262144,)](p, dy, mask, to_copy, num_warps=1, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def mul_sum_sub_select(p_ptr, dy_ptr, mask_ptr, to_copy_out_ptr):  # 1 row(s) of 1024 kept in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 1024)
    p_1 = tl.load(p_ptr + (p * 1024 + r), eviction_policy="evict_last")
    to_copy = p_1.to(tl.float32)
    dy = tl.load(dy_ptr + (p * 1024 + r), eviction_policy="evict_last")
    to_copy_1 = dy.to(tl.float32)
    mul = to_copy * to_copy_1
    sum = tl.sum(mul, axis=0)
    mask = tl.load(mask_ptr + (r + (p // 16384) * 1024))
    sub = to_copy_1 - sum
    ds = to_copy * sub
    where = tl.where(mask, ds, 0.0)
    mul_1 = where * 0.125
    tl.store(to_copy_out_ptr + (p * 1024 + r), mul_1.to(tl.bfloat16))


# case: squeeze-excite backward bf16 64x256x56x56
def case(dy, x, s):
    device = dy.device
    dy = with_layout(dy, (64, 256, 56, 56), (802816, 3136, 56, 1))
    x = with_layout(x, (64, 256, 56, 56), (802816, 3136, 56, 1))
    s = with_layout(s, (64, 256), (256, 1))
    mul = torch.empty_strided((64, 256, 56, 56), (802816, 3136, 56, 1), dtype=torch.bfloat16, device=device)
    to_copy = torch.empty_strided((64, 256), (256, 1), dtype=torch.bfloat16, device=device)
    sigmoid_mul_sum_sub[(16384,)](s, dy, x, mul, to_copy, num_warps=4, enable_fp_fusion=False)
    return (mul, to_copy,)


@triton.jit
def sigmoid_mul_sum_sub(s_ptr, dy_ptr, x_ptr, mul_out_ptr, to_copy_out_ptr):  # 1 row(s) of 3136 kept in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    s = tl.load(s_ptr + p)
    gate = tl.fma(s.to(tl.float32), tl.full((), -1.442695, tl.float32), tl.full((), -2.0, tl.float32))
    gate_1 = (tl.full((), 0.25, tl.float32) / (0.25 + tl.exp2(gate))).to(tl.bfloat16)
    r = tl.arange(0, 4096)
    mask = r < 3136
    dy = tl.load(dy_ptr + (p * 3136 + r), mask=mask, other=0, eviction_policy="evict_last")
    to_copy = dy.to(tl.float32)
    x = tl.load(x_ptr + (p * 3136 + r), mask=mask, other=0, eviction_policy="evict_last")
    to_copy_1 = x.to(tl.float32)
    mul = to_copy * to_copy_1
    mul_1 = gate_1.to(tl.float32)
    tl.store(mul_out_ptr + (p * 3136 + r), (to_copy * mul_1).to(tl.bfloat16), mask=mask)
    reduce = tl.sum(tl.where(mask, mul, 0.0), axis=0)
    mul_2 = reduce * mul_1
    rsub = (tl.full((), 1.0, tl.bfloat16).to(tl.float32) - mul_1).to(tl.bfloat16)
    cast = rsub.to(tl.float32)
    mul_3 = mul_2 * cast
    tl.store(to_copy_out_ptr + p, mul_3.to(tl.bfloat16))


# case: rotary backward bf16 8x32x2048x128
def case(dy, cos, sin):
    device = dy.device
    dy = with_layout(dy, (8, 32, 2048, 128), (8388608, 262144, 128, 1))
    cos = with_layout(cos, (2048, 128), (128, 1))
    sin = with_layout(sin, (2048, 128), (128, 1))
    add = torch.empty_strided((8, 32, 2048, 128), (8388608, 262144, 128, 1), dtype=torch.bfloat16, device=device)
    mul_neg_add[(65536,)](dy, sin, cos, add, num_warps=4, enable_fp_fusion=False)
    return (add,)


@triton.jit
def mul_neg_add(dy_ptr, sin_ptr, cos_ptr, add_out_ptr):  # 1024 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    dy = tl.load(dy_ptr + p)
    cos = tl.load(cos_ptr + (lanes + (pid % 256) * 1024))
    mul = (dy.to(tl.float32) * cos.to(tl.float32)).to(tl.bfloat16)
    cat = ((p % 128) - 64).to(tl.int64) < 0
    cat_1 = cat ^ True
    dy_1 = tl.load(dy_ptr + (p - 64), mask=cat_1, other=0)
    sin = tl.load(sin_ptr + (lanes + (pid % 256) * 1024 - 64), mask=cat_1, other=0)
    g = (dy_1.to(tl.float32) * sin.to(tl.float32)).to(tl.bfloat16)
    neg = (g.to(tl.float32) * -1.0).to(tl.bfloat16)
    dy_2 = tl.load(dy_ptr + (p + 64), mask=cat, other=0)
    sin_1 = tl.load(sin_ptr + (lanes + (pid % 256) * 1024 + 64), mask=cat, other=0)
    g_1 = (dy_2.to(tl.float32) * sin_1.to(tl.float32)).to(tl.bfloat16)
    cat_2 = tl.where(cat, g_1, neg)
    tl.store(add_out_ptr + p, (mul.to(tl.float32) + cat_2.to(tl.float32)).to(tl.bfloat16))


# case: layer scale backward bf16 64x1024x1024
def case(dy, x, gamma):
    device = dy.device
    dy = with_layout(dy, (64, 1024, 1024), (1048576, 1024, 1))
    x = with_layout(x, (64, 1024, 1024), (1048576, 1024, 1))
    gamma = with_layout(gamma, (1024,), (1,))
    mul = torch.empty_strided((64, 1024, 1024), (1048576, 1024, 1), dtype=torch.bfloat16, device=device)
    to_copy = torch.empty_strided((1024,), (1,), dtype=torch.bfloat16, device=device)
    partial = torch.empty_strided((1024, 64), (64, 1), dtype=torch.float32, device=device)
    arrived = counters(1024, device)
    mul_sum[(512,)](dy, gamma, x, mul, partial, to_copy, arrived, num_warps=4, enable_fp_fusion=False, maxnreg=248)
    del partial
    return (mul, to_copy,)


@triton.jit
def mul_sum(dy_ptr, gamma_ptr, x_ptr, mul_out_ptr, partial_ptr, to_copy_out_ptr, arrived_ptr):  # reduces down columns of memory: 128 of them side by side, 32 deep; the last of 64 adds up
    pid = tl.program_id(0)
    lanes = tl.arange(0, 128)[:, None]
    gamma = tl.load(gamma_ptr + (lanes + (pid % 8) * 128))
    r = tl.arange(0, 32)[None, :]
    acc = tl.full((128, 32), 0.0, tl.float32)
    base = (pid // 8) * 1048576 + (pid % 8) * 128
    mul = gamma.to(tl.float32)
    acc_1 = acc
    for r_start in tl.range(0, 1024, 32, num_stages=3):
        r_1 = r_start + r
        dy = tl.load(dy_ptr + (base + r_1 * 1024 + lanes))
        to_copy = dy.to(tl.float32)
        x = tl.load(x_ptr + (base + r_1 * 1024 + lanes))
        to_copy_1 = x.to(tl.float32)
        mul_1 = to_copy * to_copy_1
        tl.store(mul_out_ptr + (base + r_1 * 1024 + lanes), (to_copy * mul).to(tl.bfloat16))
        acc_1 = acc_1 + mul_1
    t = tl.sum(acc_1, axis=1, keep_dims=True)
    tl.store(partial_ptr + (((pid // 8) + (pid % 8) * 8192) + lanes * 64), t)
    if lib.is_last(arrived_ptr + ((pid % 8) * 128), 64):
        r_2 = tl.arange(0, 16)[None, :]
        acc_2 = tl.full((128, 16), 0.0, tl.float32)
        acc_3 = acc_2
        for r_start_1 in range(0, 64, 16):
            t_1 = tl.load(partial_ptr + ((r_start_1 + r_2) + lanes * 64 + (pid % 8) * 8192))
            acc_3 = acc_3 + t_1
        reduce = tl.sum(acc_3, axis=1, keep_dims=True)
        tl.store(to_copy_out_ptr + (lanes + (pid % 8) * 128), reduce.to(tl.bfloat16))


# case: clip gradients bf16 16384x4096
def case(g):
    device = g.device
    g = with_layout(g, (16384, 4096), (4096, 1))
    norm = torch.empty_strided((), (), dtype=torch.float32, device=device)
    mul = torch.empty_strided((16384, 4096), (4096, 1), dtype=torch.bfloat16, device=device)
    partial = torch.empty_strided((1, 4096), (4096, 1), dtype=torch.float32, device=device)
    mul_sum_sqrt_div_minimum_parts[(4096,)](g, partial, num_warps=32, enable_fp_fusion=False)
    mul_sum_sqrt_div_minimum[(4096,)](g, norm, mul, partial, num_warps=8, enable_fp_fusion=False)
    del partial
    return (mul, norm,)


@triton.jit
def mul_sum_sqrt_div_minimum_parts(g_ptr, partial_ptr):  # 1 row(s) of 16384 kept in registers
    q = tl.program_id(0)
    r = tl.arange(0, 16384)
    g = tl.load(g_ptr + (q * 16384 + r))
    to_copy = g.to(tl.float32)
    pow = to_copy * to_copy
    t = tl.sum(pow, axis=0)
    tl.store(partial_ptr + q, t)


@triton.jit
def mul_sum_sqrt_div_minimum(g_ptr, norm_out_ptr, mul_out_ptr, partial_ptr):  # 1 row(s) of 16384 kept in registers; what it reads leaves the cache last
    q = tl.program_id(0)
    q_1 = -q + 4095
    r = tl.arange(0, 4096)
    t = tl.load(partial_ptr + r)
    reduce = tl.sum(t, axis=0)
    norm = tl.sqrt_rn(reduce)
    tl.store(norm_out_ptr, norm, mask=q_1.to(tl.int64) == 0)
    add = norm + 1e-06
    reciprocal = tl.div_rn(tl.full((), 1.0, tl.float32), add)
    clamp_max = tl.minimum(reciprocal, 1.0, propagate_nan=tl.PropagateNan.ALL)
    cast = clamp_max.to(tl.bfloat16)
    r_1 = tl.arange(0, 16384)
    g = tl.load(g_ptr + (q_1 * 16384 + r_1), eviction_policy="evict_last")
    tl.store(mul_out_ptr + (q_1 * 16384 + r_1), (g.to(tl.float32) * cast.to(tl.float32)).to(tl.bfloat16))
