# torch 2.13

# case: relu(x*2 + bias)
def case(x, bias):
    device = x.device
    x = with_layout(x, (256, 192), (192, 1))
    bias = with_layout(bias, (192,), (1,))
    relu = torch.empty_strided((256, 192), (192, 1), dtype=torch.float32, device=device)
    mul_add_maximum[(48,)](x, bias, relu, num_warps=4, enable_fp_fusion=False)
    return (relu,)


@triton.jit
def mul_add_maximum(x_ptr, bias_ptr, relu_out_ptr):  # 1024 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    x = tl.load(x_ptr + p)
    mul = x * 2.0
    bias = tl.load(bias_ptr + (p % 192))
    add = mul + bias
    tl.store(relu_out_ptr + p, tl.maximum(add, 0.0, propagate_nan=tl.PropagateNan.ALL))


# case: x / x.sum()
def case(x):
    device = x.device
    x = with_layout(x, (256, 192), (192, 1))
    div = torch.empty_strided((256, 192), (192, 1), dtype=torch.float32, device=device)
    partial = torch.empty_strided((1, 48), (48, 1), dtype=torch.float32, device=device)
    sum_div_parts[(48,)](x, partial, num_warps=4, enable_fp_fusion=False)
    sum_div[(48,)](x, div, partial, num_warps=1, enable_fp_fusion=False)
    del partial
    return (div,)


@triton.jit
def sum_div_parts(x_ptr, partial_ptr):  # 1 row(s) of 1024 kept in registers
    q = tl.program_id(0)
    r = tl.arange(0, 1024)
    x = tl.load(x_ptr + (q * 1024 + r))
    t = tl.sum(x, axis=0)
    tl.store(partial_ptr + q, t)


@triton.jit
def sum_div(x_ptr, div_out_ptr, partial_ptr):  # 1 row(s) of 1024 kept in registers
    q = tl.program_id(0)
    r = tl.arange(0, 64)
    t = tl.load(partial_ptr + r, mask=r < 48, other=0)
    reduce = tl.sum(t, axis=0)
    r_1 = tl.arange(0, 1024)
    x = tl.load(x_ptr + (q * 1024 + r_1))
    tl.store(div_out_ptr + (q * 1024 + r_1), tl.div_rn(x, reduce))


# case: softmax
def case(x):
    device = x.device
    x = with_layout(x, (256, 192), (192, 1))
    div = torch.empty_strided((256, 192), (192, 1), dtype=torch.float32, device=device)
    max_sub_exp_sum_div[(64,)](x, div, num_warps=2, enable_fp_fusion=False)
    return (div,)


@triton.jit
def max_sub_exp_sum_div(x_ptr, div_out_ptr):  # 4 row(s) of 192 kept in registers
    pid = tl.program_id(0)
    lanes = tl.arange(0, 4)[:, None]
    p = pid * 4 + lanes
    r = tl.arange(0, 256)[None, :]
    mask = r < 192
    x = tl.load(x_ptr + (p * 192 + r), mask=mask, other=0)
    amax = tl.reduce(tl.where(mask, x, float("-inf")), 1, lib.max_nan, keep_dims=True)
    sub = x - amax
    exp = libdevice.exp(sub)
    sum = tl.sum(tl.where(mask, exp, 0.0), axis=1, keep_dims=True)
    tl.store(div_out_ptr + (p * 192 + r), tl.div_rn(exp, sum), mask=mask)


# case: layer norm
def case(x, weight, bias):
    device = x.device
    x = with_layout(x, (256, 192), (192, 1))
    weight = with_layout(weight, (192,), (1,))
    bias = with_layout(bias, (192,), (1,))
    add = torch.empty_strided((256, 192), (192, 1), dtype=torch.float32, device=device)
    sum_div_sub_add_rsqrt[(64,)](x, weight, bias, add, num_warps=1, enable_fp_fusion=False)
    return (add,)


@triton.jit
def sum_div_sub_add_rsqrt(x_ptr, weight_ptr, bias_ptr, add_out_ptr):  # 4 row(s) of 192 kept in registers
    pid = tl.program_id(0)
    lanes = tl.arange(0, 4)[:, None]
    p = pid * 4 + lanes
    r = tl.arange(0, 256)[None, :]
    mask = r < 192
    x = tl.load(x_ptr + (p * 192 + r), mask=mask, other=0)
    reduce = tl.sum(x, axis=1, keep_dims=True)
    getitem = tl.div_rn(reduce, tl.full((4, 1), 192.0, tl.float32))
    sub = x - getitem
    mul = sub * sub
    reduce_1 = tl.sum(tl.where(mask, mul, 0.0), axis=1, keep_dims=True)
    getitem_1 = tl.div_rn(reduce_1, tl.full((4, 1), 192.0, tl.float32))
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    mul_1 = sub * rsqrt
    weight = tl.load(weight_ptr + r, mask=mask, other=0)
    mul_2 = mul_1 * weight
    bias = tl.load(bias_ptr + r, mask=mask, other=0)
    tl.store(add_out_ptr + (p * 192 + r), mul_2 + bias, mask=mask)


# case: gelu(x @ W + b)
def case(x, w, b):
    device = x.device
    x = with_layout(x, (64, 96), (96, 1))
    w = with_layout(w, (96, 128), (128, 1))
    b = with_layout(b, (128,), (1,))
    mm = torch.ops.aten.mm.default(x, w)
    mul = torch.empty_strided((64, 128), (128, 1), dtype=torch.float32, device=device)
    add_mul_erf[(8,)](mm, b, mul, num_warps=4, enable_fp_fusion=False)
    del mm
    return (mul,)


@triton.jit
def add_mul_erf(mm_ptr, b_ptr, mul_out_ptr):  # 1024 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    mm = tl.load(mm_ptr + p)
    b = tl.load(b_ptr + (p % 128))
    h = mm + b
    mul = h * 0.5
    mul_1 = h * 0.70710677
    erf = libdevice.erf(mul_1)
    add = erf + 1.0
    tl.store(mul_out_ptr + p, mul * add)


# case: mean((x - t)^2)
def case(x, target):
    device = x.device
    x = with_layout(x, (256, 192), (192, 1))
    target = with_layout(target, (256, 192), (192, 1))
    div = torch.empty_strided((1, 1), (1, 1), dtype=torch.float32, device=device)
    partial = torch.empty_strided((1, 48), (48, 1), dtype=torch.float32, device=device)
    arrived = counters(1, device)
    sub_mul_sum_div[(48,)](x, target, partial, div, arrived, num_warps=4, enable_fp_fusion=False)
    del partial
    mean = div.as_strided((), (), div.storage_offset())
    return (mean,)


@triton.jit
def sub_mul_sum_div(x_ptr, target_ptr, partial_ptr, div_out_ptr, arrived_ptr):  # 1 row(s) of 1024 kept in registers; the last of 48 adds up
    q = tl.program_id(0)
    r = tl.arange(0, 1024)
    x = tl.load(x_ptr + (q * 1024 + r))
    target = tl.load(target_ptr + (q * 1024 + r))
    sub = x - target
    pow = sub * sub
    t = tl.sum(pow, axis=0)
    tl.store(partial_ptr + q, t)
    if lib.is_last(arrived_ptr, 48):
        r_1 = tl.arange(0, 64)
        t_1 = tl.load(partial_ptr + r_1, mask=r_1 < 48, other=0)
        reduce = tl.sum(t_1, axis=0)
        tl.store(div_out_ptr, tl.div_rn(reduce, tl.full((), 49152.0, tl.float32)))


# case: sin and cos
def case(x):
    device = x.device
    x = with_layout(x, (256, 192), (192, 1))
    sin = torch.empty_strided((256, 192), (192, 1), dtype=torch.float32, device=device)
    cos = torch.empty_strided((256, 192), (192, 1), dtype=torch.float32, device=device)
    sin_cos[(48,)](x, sin, cos, num_warps=4, enable_fp_fusion=False)
    return (sin, cos,)


@triton.jit
def sin_cos(x_ptr, sin_out_ptr, cos_out_ptr):  # 1024 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    x = tl.load(x_ptr + p)
    tl.store(sin_out_ptr + p, libdevice.sin(x))
    tl.store(cos_out_ptr + p, libdevice.cos(x))


# case: gelu by hand
def case(x):
    device = x.device
    x = with_layout(x, (256, 192), (192, 1))
    mul = torch.empty_strided((256, 192), (192, 1), dtype=torch.float32, device=device)
    mul_erf_add[(48,)](x, mul, num_warps=4, enable_fp_fusion=False)
    return (mul,)


@triton.jit
def mul_erf_add(x_ptr, mul_out_ptr):  # 1024 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    x = tl.load(x_ptr + p)
    mul = x * 0.70710677
    erf = libdevice.erf(mul)
    add = erf + 1.0
    cdf = add * 0.5
    tl.store(mul_out_ptr + p, x * cdf)


# case: RMS norm
def case(x, weight):
    device = x.device
    x = with_layout(x, (256, 192), (192, 1))
    weight = with_layout(weight, (192,), (1,))
    mul = torch.empty_strided((256, 192), (192, 1), dtype=torch.float32, device=device)
    mul_sum_div_add_rsqrt[(64,)](x, weight, mul, num_warps=1, enable_fp_fusion=False)
    return (mul,)


@triton.jit
def mul_sum_div_add_rsqrt(x_ptr, weight_ptr, mul_out_ptr):  # 4 row(s) of 192 kept in registers
    pid = tl.program_id(0)
    lanes = tl.arange(0, 4)[:, None]
    p = pid * 4 + lanes
    r = tl.arange(0, 256)[None, :]
    mask = r < 192
    x = tl.load(x_ptr + (p * 192 + r), mask=mask, other=0)
    mul = x * x
    reduce = tl.sum(tl.where(mask, mul, 0.0), axis=1, keep_dims=True)
    mean = tl.div_rn(reduce, tl.full((4, 1), 192.0, tl.float32))
    add = mean + 1e-06
    scale = libdevice.rsqrt(add)
    mul_1 = x * scale
    weight = tl.load(weight_ptr + r, mask=mask, other=0)
    tl.store(mul_out_ptr + (p * 192 + r), mul_1 * weight, mask=mask)


# case: SwiGLU
def case(x, gate):
    device = x.device
    x = with_layout(x, (256, 192), (192, 1))
    gate = with_layout(gate, (256, 192), (192, 1))
    mul = torch.empty_strided((256, 192), (192, 1), dtype=torch.float32, device=device)
    sigmoid_mul[(48,)](gate, x, mul, num_warps=4, enable_fp_fusion=False)
    return (mul,)


@triton.jit
def sigmoid_mul(gate_ptr, x_ptr, mul_out_ptr):  # 1024 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    gate = tl.load(gate_ptr + p)
    sigmoid = tl.div_rn(tl.full((1024,), 1.0, tl.float32), 1.0 + libdevice.exp(gate * -1.0))
    mul = gate * sigmoid
    x = tl.load(x_ptr + p)
    tl.store(mul_out_ptr + p, mul * x)


# case: transformer block
def Block(x, norm1_weight, norm1_bias, qkv_weight, qkv_bias, out_weight, out_bias, norm2_weight, norm2_bias, up_weight, up_bias, down_weight, down_bias):
    device = x.device
    x = with_layout(x, (2, 32, 64), (2048, 64, 1))
    norm1_weight = with_layout(norm1_weight, (64,), (1,))
    norm1_bias = with_layout(norm1_bias, (64,), (1,))
    qkv_weight = with_layout(qkv_weight, (192, 64), (64, 1))
    qkv_bias = with_layout(qkv_bias, (192,), (1,))
    out_weight = with_layout(out_weight, (64, 64), (64, 1))
    out_bias = with_layout(out_bias, (64,), (1,))
    norm2_weight = with_layout(norm2_weight, (64,), (1,))
    norm2_bias = with_layout(norm2_bias, (64,), (1,))
    up_weight = with_layout(up_weight, (256, 64), (64, 1))
    up_bias = with_layout(up_bias, (256,), (1,))
    down_weight = with_layout(down_weight, (64, 256), (256, 1))
    down_bias = with_layout(down_bias, (64,), (1,))
    t = qkv_weight.as_strided((64, 192), (1, 64), qkv_weight.storage_offset())
    t_1 = out_weight.as_strided((64, 64), (1, 64), out_weight.storage_offset())
    t_2 = up_weight.as_strided((64, 256), (1, 64), up_weight.storage_offset())
    t_3 = down_weight.as_strided((256, 64), (1, 256), down_weight.storage_offset())
    x_1 = torch.empty_strided((2, 32, 64), (2048, 64, 1), dtype=torch.float32, device=device)
    sum_mul_sub_add_rsqrt[(4,)](x, norm1_weight, norm1_bias, x_1, num_warps=1, enable_fp_fusion=False)
    view = x_1.as_strided((64, 64), (64, 1), x_1.storage_offset())
    matmul = torch.ops.aten.mm.default(view, t)
    del x_1
    view_1 = torch.empty_strided((8, 32, 16), (512, 16, 1), dtype=torch.float32, device=device)
    view_2 = torch.empty_strided((8, 16, 32), (512, 32, 1), dtype=torch.float32, device=device)
    view_3 = torch.empty_strided((8, 32, 16), (512, 16, 1), dtype=torch.float32, device=device)
    add[(8,)](matmul, qkv_bias, view_1, view_2, view_3, num_warps=4, enable_fp_fusion=False)
    del matmul
    view_4 = torch.ops.aten.bmm.default(view_1, view_2)
    del view_2
    del view_1
    weights = torch.empty_strided((2, 4, 32, 32), (4096, 1024, 32, 1), dtype=torch.float32, device=device)
    mul_select_max_sum_div[(8,)](view_4, weights, num_warps=1, enable_fp_fusion=False)
    del view_4
    view_5 = weights.as_strided((8, 32, 32), (1024, 32, 1), weights.storage_offset())
    view_6 = torch.ops.aten.bmm.default(view_5, view_3)
    del weights
    del view_3
    view_7 = torch.empty_strided((64, 64), (64, 1), dtype=torch.float32, device=device)
    reshape_permute_cast[(4,)](view_6, view_7, num_warps=4, enable_fp_fusion=False)
    del view_6
    matmul_1 = torch.ops.aten.mm.default(view_7, t_1)
    del view_7
    x_2 = torch.empty_strided((2, 32, 64), (2048, 64, 1), dtype=torch.float32, device=device)
    add_2 = torch.empty_strided((2, 32, 64), (2048, 64, 1), dtype=torch.float32, device=device)
    add_sum_mul_sub_rsqrt[(4,)](matmul_1, out_bias, x, norm2_weight, norm2_bias, x_2, add_2, num_warps=1, enable_fp_fusion=False)
    del matmul_1
    view_8 = add_2.as_strided((64, 64), (64, 1), add_2.storage_offset())
    matmul_2 = torch.ops.aten.mm.default(view_8, t_2)
    del add_2
    view_9 = torch.empty_strided((64, 256), (256, 1), dtype=torch.float32, device=device)
    add_mul_tanh[(16,)](matmul_2, up_bias, view_9, num_warps=4, enable_fp_fusion=False)
    del matmul_2
    matmul_3 = torch.ops.aten.mm.default(view_9, t_3)
    del view_9
    add_3 = torch.empty_strided((2, 32, 64), (2048, 64, 1), dtype=torch.float32, device=device)
    add_1[(8,)](matmul_3, down_bias, x_2, add_3, num_warps=4, enable_fp_fusion=False)
    del matmul_3
    del x_2
    return (add_3,)


@triton.jit
def sum_mul_sub_add_rsqrt(x_ptr, norm1_weight_ptr, norm1_bias_ptr, x_out_ptr):  # 16 row(s) of 64 kept in registers
    pid = tl.program_id(0)
    lanes = tl.arange(0, 16)[:, None]
    p = pid * 16 + lanes
    r = tl.arange(0, 64)[None, :]
    x = tl.load(x_ptr + (p * 64 + r))
    reduce = tl.sum(x, axis=1, keep_dims=True)
    getitem = reduce * 0.015625
    sub = x - getitem
    mul = sub * sub
    reduce_1 = tl.sum(mul, axis=1, keep_dims=True)
    getitem_1 = reduce_1 * 0.015625
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    mul_1 = sub * rsqrt
    norm1_weight = tl.load(norm1_weight_ptr + r)
    mul_2 = mul_1 * norm1_weight
    norm1_bias = tl.load(norm1_bias_ptr + r)
    tl.store(x_out_ptr + (p * 64 + r), mul_2 + norm1_bias)


@triton.jit
def add(matmul_ptr, qkv_bias_ptr, view_out_ptr, view_out_ptr_1, view_out_ptr_2):  # 512 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 512)
    p = pid * 512 + lanes
    base = (pid // 4) * 6144 + (pid % 4) * 16
    matmul = tl.load(matmul_ptr + (base + (lanes // 16) * 192 + (lanes % 16)))
    qkv_bias = tl.load(qkv_bias_ptr + ((pid % 4) * 16 + (lanes % 16)))
    addmm = matmul + qkv_bias
    tl.store(view_out_ptr + p, addmm)
    matmul_1 = tl.load(matmul_ptr + (base + (lanes // 32) + (lanes % 32) * 192 + 64))
    qkv_bias_1 = tl.load(qkv_bias_ptr + (((p // 32) % 64) + 64))
    addmm_1 = matmul_1 + qkv_bias_1
    tl.store(view_out_ptr_1 + p, addmm_1)
    matmul_2 = tl.load(matmul_ptr + (base + (lanes // 16) * 192 + (lanes % 16) + 128))
    qkv_bias_2 = tl.load(qkv_bias_ptr + ((pid % 4) * 16 + (lanes % 16) + 128))
    addmm_2 = matmul_2 + qkv_bias_2
    tl.store(view_out_ptr_2 + p, addmm_2)


@triton.jit
def mul_select_max_sum_div(view_ptr, weights_out_ptr):  # 32 row(s) of 32 kept in registers
    pid = tl.program_id(0)
    lanes = tl.arange(0, 32)[:, None]
    p = pid * 32 + lanes
    r = tl.arange(0, 32)[None, :]
    sub = r.to(tl.int64) - lanes.to(tl.int64)
    bitwise_not = sub > 0
    view = tl.load(view_ptr + (p * 32 + r))
    scores = view * 0.25
    masked_fill = tl.where(bitwise_not, float("-inf"), scores)
    amax = tl.reduce(masked_fill, 1, lib.max_nan, keep_dims=True)
    sub_1 = masked_fill - amax
    exp = libdevice.exp(sub_1)
    sum = tl.sum(exp, axis=1, keep_dims=True)
    tl.store(weights_out_ptr + (p * 32 + r), tl.div_rn(exp, sum))


@triton.jit
def reshape_permute_cast(view_ptr, view_out_ptr):  # 1024 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    view = tl.load(view_ptr + (((pid // 2) * 2048 + (pid % 2) * 256) + ((lanes // 16) % 4) * 512 + (lanes // 64) * 16 + (lanes % 16)))
    tl.store(view_out_ptr + ((pid * 1024 + lanes)), view)


@triton.jit
def add_sum_mul_sub_rsqrt(matmul_ptr, out_bias_ptr, x_ptr, norm2_weight_ptr, norm2_bias_ptr, x_out_ptr, add_out_ptr):  # 16 row(s) of 64 kept in registers
    pid = tl.program_id(0)
    lanes = tl.arange(0, 16)[:, None]
    p = pid * 16 + lanes
    r = tl.arange(0, 64)[None, :]
    x = tl.load(x_ptr + (p * 64 + r))
    matmul = tl.load(matmul_ptr + (p * 64 + r))
    out_bias = tl.load(out_bias_ptr + r)
    addmm = matmul + out_bias
    x_1 = x + addmm
    tl.store(x_out_ptr + (p * 64 + r), x_1)
    reduce = tl.sum(x_1, axis=1, keep_dims=True)
    getitem = reduce * 0.015625
    sub = x_1 - getitem
    mul = sub * sub
    reduce_1 = tl.sum(mul, axis=1, keep_dims=True)
    getitem_1 = reduce_1 * 0.015625
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    mul_1 = sub * rsqrt
    norm2_weight = tl.load(norm2_weight_ptr + r)
    mul_2 = mul_1 * norm2_weight
    norm2_bias = tl.load(norm2_bias_ptr + r)
    tl.store(add_out_ptr + (p * 64 + r), mul_2 + norm2_bias)


@triton.jit
def add_mul_tanh(matmul_ptr, up_bias_ptr, view_out_ptr):  # 1024 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    matmul = tl.load(matmul_ptr + p)
    up_bias = tl.load(up_bias_ptr + (p % 256))
    addmm = matmul + up_bias
    view = libdevice.tanh((addmm + (((addmm * addmm) * addmm) * 0.044715)) * 0.7978846)
    tl.store(view_out_ptr + p, (addmm * 0.5) * (view + 1.0))


@triton.jit
def add_1(matmul_ptr, down_bias_ptr, x_ptr, add_out_ptr):  # 512 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 512)
    p = pid * 512 + lanes
    x = tl.load(x_ptr + p)
    matmul = tl.load(matmul_ptr + p)
    down_bias = tl.load(down_bias_ptr + (p % 64))
    addmm = matmul + down_bias
    tl.store(add_out_ptr + p, x + addmm)
