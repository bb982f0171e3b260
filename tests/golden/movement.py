# torch 2.13

# case: transpose f32
def case(x):
    device = x.device
    x = with_layout(x, (8192, 8192), (8192, 1))
    t = x.as_strided((8192, 8192), (1, 8192), x.storage_offset())
    buf = torch.empty_strided((8192, 8192), (8192, 1), dtype=torch.float32, device=device)
    cast[(128, 128)](t, buf, num_warps=8, enable_fp_fusion=False)
    return (buf,)


@triton.jit
def cast(t_ptr, out_out_ptr):  # tiles of 64 x 64: memory runs along both axes; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 64)[:, None]
    p = pid * 64 + lanes
    pid_r = tl.program_id(1)
    lanes_r = tl.arange(0, 64)[None, :]
    r = pid_r * 64 + lanes_r
    t = tl.load(t_ptr + (p * 8192 + r), eviction_policy="evict_last")
    tl.store(out_out_ptr + (p + r * 8192), t)


# case: transposed add f32
def case(x, y):
    device = x.device
    x = with_layout(x, (8192, 8192), (8192, 1))
    y = with_layout(y, (8192, 8192), (8192, 1))
    add_1 = torch.empty_strided((8192, 8192), (1, 8192), dtype=torch.float32, device=device)
    add[(128, 128)](x, y, add_1, num_warps=8, enable_fp_fusion=False)
    return (add_1,)


@triton.jit
def add(x_ptr, y_ptr, add_out_ptr):  # tiles of 64 x 64: memory runs along both axes; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 64)[:, None]
    p = pid * 64 + lanes
    pid_r = tl.program_id(1)
    lanes_r = tl.arange(0, 64)[None, :]
    r = pid_r * 64 + lanes_r
    x = tl.load(x_ptr + (p + r * 8192), eviction_policy="evict_last")
    y = tl.load(y_ptr + (p * 8192 + r), eviction_policy="evict_last")
    tl.store(add_out_ptr + (p + r * 8192), x + y)


# case: transpose + relu f16
def case(x):
    device = x.device
    x = with_layout(x, (64, 1024, 2048), (2097152, 2048, 1))
    relu = torch.empty_strided((64, 2048, 1024), (2097152, 1024, 1), dtype=torch.float16, device=device)
    maximum[(16, 2048)](x, relu, num_warps=8, enable_fp_fusion=False)
    return (relu,)


@triton.jit
def maximum(x_ptr, relu_out_ptr):  # tiles of 64 x 64: memory runs along both axes; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 64)[:, None]
    p = pid * 64 + lanes
    pid_r = tl.program_id(1)
    lanes_r = tl.arange(0, 64)[None, :]
    x = tl.load(x_ptr + (((pid_r // 32) * 2097152 + (pid_r % 32) * 64) + p * 2048 + lanes_r), eviction_policy="evict_last")
    relu = tl.maximum(x.to(tl.float32), tl.full((), 0.0, tl.float16).to(tl.float32), propagate_nan=tl.PropagateNan.ALL)
    tl.store(relu_out_ptr + (p + (pid_r * 64 + lanes_r) * 1024), relu.to(tl.float16))


# case: heads to rows bf16
def case(x):
    device = x.device
    x = with_layout(x, (32, 32, 2048, 128), (8388608, 262144, 128, 1))
    transpose = x.as_strided((32, 2048, 32, 128), (8388608, 128, 262144, 1), x.storage_offset())
    unsafe_view = torch.empty_strided((32, 2048, 4096), (8388608, 4096, 1), dtype=torch.bfloat16, device=device)
    reshape[(131072,)](transpose, unsafe_view, num_warps=4, enable_fp_fusion=False)
    return (unsafe_view,)


@triton.jit
def reshape(transpose_ptr, unsafe_view_out_ptr):  # 2048 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 2048)
    base = ((pid // 2) % 2048) * 128 + (pid // 4096) * 8388608 + (pid % 2) * 4194304
    transpose = tl.load(transpose_ptr + (base + (lanes // 128) * 262144 + (lanes % 128)), eviction_policy="evict_last")
    tl.store(unsafe_view_out_ptr + ((pid * 2048 + lanes)), transpose)


# case: channels to the end bf16
def case(x):
    device = x.device
    x = with_layout(x, (64, 256, 56, 56), (802816, 3136, 56, 1))
    permute = x.as_strided((64, 56, 56, 256), (802816, 56, 1, 3136), x.storage_offset())
    buf = torch.empty_strided((64, 56, 56, 256), (802816, 14336, 256, 1), dtype=torch.bfloat16, device=device)
    cast[(4, 3136)](permute, buf, num_warps=8, enable_fp_fusion=False)
    return (buf,)


@triton.jit
def cast(permute_ptr, out_out_ptr):  # tiles of 64 x 64: memory runs along both axes; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 64)[:, None]
    p = pid * 64 + lanes
    pid_r = tl.program_id(1)
    lanes_r = tl.arange(0, 64)[None, :]
    permute = tl.load(permute_ptr + (((pid_r // 49) * 802816 + (pid_r % 49) * 64) + p * 3136 + lanes_r), eviction_policy="evict_last")
    tl.store(out_out_ptr + (p + (pid_r * 64 + lanes_r) * 256), permute)


# case: concatenate 3 f32
def case(x, y, z):
    device = x.device
    x = with_layout(x, (8192, 4096), (4096, 1))
    y = with_layout(y, (8192, 2048), (2048, 1))
    z = with_layout(z, (8192, 1024), (1024, 1))
    cat_1 = torch.empty_strided((8192, 7168), (7168, 1), dtype=torch.float32, device=device)
    cat[(114688,)](x, y, z, cat_1, num_warps=4, enable_fp_fusion=False)
    return (cat_1,)


@triton.jit
def cat(x_ptr, y_ptr, z_ptr, cat_out_ptr):  # 512 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 512)
    cat = (lanes + (pid % 14) * 512 - 4096).to(tl.int64) < 0
    cat_1 = (lanes + (pid % 14) * 512 - 6144).to(tl.int64) < 0
    cat_2 = cat_1 ^ True
    z = tl.load(z_ptr + (((pid // 14) * 1024 + (pid % 14) * 512) + lanes - 6144), mask=cat_2, other=0, eviction_policy="evict_last")
    cat_3 = cat_1 & (cat ^ True)
    y = tl.load(y_ptr + (((pid // 14) * 2048 + (pid % 14) * 512) + lanes - 4096), mask=cat_3, other=0, eviction_policy="evict_last")
    x = tl.load(x_ptr + (((pid // 14) * 4096 + (pid % 14) * 512) + lanes), mask=cat, other=0, eviction_policy="evict_last")
    tl.store(cat_out_ptr + ((pid * 512 + lanes)), tl.where(cat, x, tl.where(cat_1, y, z)))


# case: pad and relu f32
def case(x):
    device = x.device
    x = with_layout(x, (8192, 8192), (8192, 1))
    relu = torch.empty_strided((8194, 8200), (8200, 1), dtype=torch.float32, device=device)
    maximum[(65617,)](x, relu, num_warps=4, enable_fp_fusion=False)
    return (relu,)


@triton.jit
def maximum(x_ptr, relu_out_ptr):  # 1024 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    constant_pad_nd = (((p // 8200) - 2).to(tl.int64) >= 0) & (((p % 8200) - 3).to(tl.int64) >= 0)
    constant_pad_nd_1 = constant_pad_nd & (((p % 8200) - 8195).to(tl.int64) < 0)
    mask = p < 67190800
    x = tl.load(x_ptr + ((p // 8200) * 8192 + (p % 8200) - 16387), mask=mask & constant_pad_nd_1, other=0, eviction_policy="evict_last")
    constant_pad_nd_2 = tl.where(constant_pad_nd_1, x, 0.0)
    relu = tl.maximum(constant_pad_nd_2, 0.0, propagate_nan=tl.PropagateNan.ALL)
    tl.store(relu_out_ptr + p, relu, mask=mask)


# case: slice and scale f32
def case(x):
    device = x.device
    x = with_layout(x, (8192, 8192), (8192, 1))
    mul_1 = torch.empty_strided((8192, 4096), (4096, 1), dtype=torch.float32, device=device)
    mul[(32768,)](x, mul_1, num_warps=4, enable_fp_fusion=False)
    return (mul_1,)


@triton.jit
def mul(x_ptr, mul_out_ptr):  # 1024 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    x = tl.load(x_ptr + (p * 2), eviction_policy="evict_last")
    tl.store(mul_out_ptr + p, x * 2.0)


# case: roll f32
def case(x):
    device = x.device
    x = with_layout(x, (8192, 8192), (8192, 1))
    add_1 = torch.empty_strided((8192, 8192), (8192, 1), dtype=torch.float32, device=device)
    add[(65536,)](x, add_1, num_warps=4, enable_fp_fusion=False)
    return (add_1,)


@triton.jit
def add(x_ptr, add_out_ptr):  # 1024 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    x = tl.load(x_ptr + ((((pid // 8) + 8187) % 8192) * 8192 + ((pid * 1024 + lanes + 3) % 8192)), eviction_policy="evict_last")
    tl.store(add_out_ptr + ((pid * 1024 + lanes)), x + 1.0)


# case: flip and add bf16
def case(x):
    device = x.device
    x = with_layout(x, (65536, 2048), (2048, 1))
    add_1 = torch.empty_strided((65536, 2048), (2048, 1), dtype=torch.bfloat16, device=device)
    add[(65536,)](x, add_1, num_warps=2, enable_fp_fusion=False)
    return (add_1,)


@triton.jit
def add(x_ptr, add_out_ptr):  # 2048 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 2048)
    p = pid * 2048 + lanes
    x = tl.load(x_ptr + p)
    x_1 = tl.load(x_ptr + (pid * 2048 - lanes + 2047))
    tl.store(add_out_ptr + p, (x.to(tl.float32) + x_1.to(tl.float32)).to(tl.bfloat16))


# case: channel shuffle bf16
def case(x):
    device = x.device
    x = with_layout(x, (64, 256, 56, 56), (802816, 3136, 56, 1))
    mul_1 = torch.empty_strided((64, 256, 56, 56), (802816, 3136, 56, 1), dtype=torch.bfloat16, device=device)
    mul[(25088,)](x, mul_1, num_warps=4, enable_fp_fusion=False)
    return (mul_1,)


@triton.jit
def mul(x_ptr, mul_out_ptr):  # 2048 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 2048)
    x = tl.load(x_ptr + ((((pid * 2048 + lanes) // 25088) % 32) * 3136 + (((pid * 2048 + lanes) // 3136) % 8) * 100352 + ((pid * 2048 + lanes) % 3136) + (pid // 392) * 802816), eviction_policy="evict_last")
    mul = x.to(tl.float32) * tl.full((), 2.0, tl.bfloat16).to(tl.float32)
    tl.store(mul_out_ptr + ((pid * 2048 + lanes)), mul.to(tl.bfloat16))


# case: repeat key heads bf16
def case(k):
    device = k.device
    k = with_layout(k, (8, 8, 4096, 128), (4194304, 524288, 128, 1))
    unsqueeze = k.as_strided((8, 8, 1, 4096, 128), (4194304, 524288, 524288, 128, 1), k.storage_offset())
    expand = unsqueeze.as_strided((8, 8, 4, 4096, 128), (4194304, 524288, 0, 128, 1), unsqueeze.storage_offset())
    unsafe_view = torch.empty_strided((8, 32, 4096, 128), (16777216, 524288, 128, 1), dtype=torch.bfloat16, device=device)
    reshape[(65536,)](expand, unsafe_view, num_warps=4, enable_fp_fusion=False)
    return (unsafe_view,)


@triton.jit
def reshape(expand_ptr, unsafe_view_out_ptr):  # 2048 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 2048)
    expand = tl.load(expand_ptr + (((pid // 1024) * 524288 + (pid % 256) * 2048) + lanes))
    tl.store(unsafe_view_out_ptr + ((pid * 2048 + lanes)), expand)


# case: rotary q and k bf16
def case(q, k, cos, sin):
    device = q.device
    q = with_layout(q, (4, 32, 4096, 128), (16777216, 524288, 128, 1))
    k = with_layout(k, (4, 8, 4096, 128), (4194304, 524288, 128, 1))
    cos = with_layout(cos, (4096, 128), (128, 1))
    sin = with_layout(sin, (4096, 128), (128, 1))
    add = torch.empty_strided((4, 32, 4096, 128), (16777216, 524288, 128, 1), dtype=torch.bfloat16, device=device)
    add_1 = torch.empty_strided((4, 8, 4096, 128), (4194304, 524288, 128, 1), dtype=torch.bfloat16, device=device)
    mul_neg_add_and_mul_neg_add_1[(81920,)](q, cos, sin, add, k, add_1, num_warps=4, enable_fp_fusion=False)
    return (add, add_1,)


@triton.jit
def mul_neg_add_and_mul_neg_add_1(q_ptr, cos_ptr, sin_ptr, add_out_ptr, k_ptr, add_out_ptr_1):  # 2 kernels side by side: 1024 elements a program
    program = tl.program_id(0)
    if program < 65536:
        lanes = tl.arange(0, 1024)
        p = program * 1024 + lanes
        q = tl.load(q_ptr + p)
        cos = tl.load(cos_ptr + (lanes + (program % 512) * 1024))
        mul = (q.to(tl.float32) * cos.to(tl.float32)).to(tl.bfloat16)
        cat = ((p % 128) - 64).to(tl.int64) < 0
        cat_1 = cat ^ True
        q_1 = tl.load(q_ptr + (p - 64), mask=cat_1, other=0)
        q_2 = tl.load(q_ptr + (p + 64), mask=cat, other=0)
        neg = (q_2.to(tl.float32) * -1.0).to(tl.bfloat16)
        cat_2 = tl.where(cat, neg, q_1)
        sin = tl.load(sin_ptr + (lanes + (program % 512) * 1024))
        mul_1 = (cat_2.to(tl.float32) * sin.to(tl.float32)).to(tl.bfloat16)
        tl.store(add_out_ptr + p, (mul.to(tl.float32) + mul_1.to(tl.float32)).to(tl.bfloat16))
    else:
        pid = program - 65536
        lanes_1 = tl.arange(0, 1024)
        p_1 = pid * 1024 + lanes_1
        k = tl.load(k_ptr + p_1)
        cos_1 = tl.load(cos_ptr + (lanes_1 + (pid % 512) * 1024))
        mul_2 = (k.to(tl.float32) * cos_1.to(tl.float32)).to(tl.bfloat16)
        cat_3 = ((p_1 % 128) - 64).to(tl.int64) < 0
        cat_4 = cat_3 ^ True
        k_1 = tl.load(k_ptr + (p_1 - 64), mask=cat_4, other=0)
        k_2 = tl.load(k_ptr + (p_1 + 64), mask=cat_3, other=0)
        neg_1 = (k_2.to(tl.float32) * -1.0).to(tl.bfloat16)
        cat_5 = tl.where(cat_3, neg_1, k_1)
        sin_1 = tl.load(sin_ptr + (lanes_1 + (pid % 512) * 1024))
        mul_3 = (cat_5.to(tl.float32) * sin_1.to(tl.float32)).to(tl.bfloat16)
        add = (mul_2.to(tl.float32) + mul_3.to(tl.float32)).to(tl.bfloat16)
        tl.store(add_out_ptr_1 + p_1, add)


# case: rotary q and k f32
def case(q, k, cos, sin):
    device = q.device
    q = with_layout(q, (2, 32, 4096, 128), (16777216, 524288, 128, 1))
    k = with_layout(k, (2, 32, 4096, 128), (16777216, 524288, 128, 1))
    cos = with_layout(cos, (4096, 128), (128, 1))
    sin = with_layout(sin, (4096, 128), (128, 1))
    add = torch.empty_strided((2, 32, 4096, 128), (16777216, 524288, 128, 1), dtype=torch.float32, device=device)
    add_1 = torch.empty_strided((2, 32, 4096, 128), (16777216, 524288, 128, 1), dtype=torch.float32, device=device)
    mul_neg_add_and_mul_neg_add_1[(131072,)](q, cos, sin, add, k, add_1, num_warps=4, enable_fp_fusion=False)
    return (add, add_1,)


@triton.jit
def mul_neg_add_and_mul_neg_add_1(q_ptr, cos_ptr, sin_ptr, add_out_ptr, k_ptr, add_out_ptr_1):  # 2 kernels side by side: 512 elements a program
    program = tl.program_id(0)
    if program < 65536:
        lanes = tl.arange(0, 512)
        p = program * 512 + lanes
        q = tl.load(q_ptr + p)
        cos = tl.load(cos_ptr + (lanes + (program % 1024) * 512))
        mul = q * cos
        cat = ((p % 128) - 64).to(tl.int64) < 0
        cat_1 = cat ^ True
        q_1 = tl.load(q_ptr + (p - 64), mask=cat_1, other=0)
        q_2 = tl.load(q_ptr + (p + 64), mask=cat, other=0)
        neg = q_2 * -1.0
        cat_2 = tl.where(cat, neg, q_1)
        sin = tl.load(sin_ptr + (lanes + (program % 1024) * 512))
        mul_1 = cat_2 * sin
        tl.store(add_out_ptr + p, mul + mul_1)
    else:
        pid = program - 65536
        lanes_1 = tl.arange(0, 512)
        p_1 = pid * 512 + lanes_1
        k = tl.load(k_ptr + p_1)
        cos_1 = tl.load(cos_ptr + (lanes_1 + (pid % 1024) * 512))
        mul_2 = k * cos_1
        cat_3 = ((p_1 % 128) - 64).to(tl.int64) < 0
        cat_4 = cat_3 ^ True
        k_1 = tl.load(k_ptr + (p_1 - 64), mask=cat_4, other=0)
        k_2 = tl.load(k_ptr + (p_1 + 64), mask=cat_3, other=0)
        neg_1 = k_2 * -1.0
        cat_5 = tl.where(cat_3, neg_1, k_1)
        sin_1 = tl.load(sin_ptr + (lanes_1 + (pid % 1024) * 512))
        mul_3 = cat_5 * sin_1
        tl.store(add_out_ptr_1 + p_1, mul_2 + mul_3)
