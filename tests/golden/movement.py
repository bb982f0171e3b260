# torch 2.13

# case: movement: transpose f32
def case(arguments):
    (x,) = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (8192, 8192), (8192, 1), torch.float32, device)
    t = reinterpret(x, (8192, 8192), (1, 8192), 0)
    buf = allocate((8192, 8192), (8192, 1), torch.float32)
    copy[(128, 64)](t, buf, num_warps=8, enable_fp_fusion=False)
    return (buf,)


@triton.jit
def copy(t_ptr, out_out_ptr):  # tiles of 64 x 128; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 64)[:, None]
    p = pid * 64 + lanes
    pid_r = tl.program_id(1)
    lanes_r = tl.arange(0, 128)[None, :]
    r = pid_r * 128 + lanes_r
    t = tl.load(t_ptr + (p * 8192 + r), eviction_policy="evict_last")
    tl.store(out_out_ptr + (p + r * 8192), t)


# case: movement: concatenate 3 f32
def case(arguments):
    x, y, z = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (8192, 4096), (4096, 1), torch.float32, device)
    y = expect(y, (8192, 2048), (2048, 1), torch.float32, device)
    z = expect(z, (8192, 1024), (1024, 1), torch.float32, device)
    cat_1 = allocate((8192, 7168), (7168, 1), torch.float32)
    cat[(57344,)](x, y, z, cat_1, num_warps=4, enable_fp_fusion=False)
    return (cat_1,)


@triton.jit
def cat(x_ptr, y_ptr, z_ptr, cat_out_ptr):  # 1024 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    cat = ((pid % 7) * 1024 + lanes - 4096) < 0
    cat_1 = ((pid % 7) * 1024 + lanes - 6144) < 0
    cat_2 = cat_1 ^ True
    z = tl.load(z_ptr + (((pid // 7) * 1024 + (pid % 7) * 1024) + lanes - 6144), mask=cat_2, other=0, eviction_policy="evict_last")
    cat_3 = cat_1 & (cat ^ True)
    y = tl.load(y_ptr + (((pid // 7) * 2048 + (pid % 7) * 1024) + lanes - 4096), mask=cat_3, other=0, eviction_policy="evict_last")
    x = tl.load(x_ptr + (((pid // 7) * 4096 + (pid % 7) * 1024) + lanes), mask=cat, other=0, eviction_policy="evict_last")
    tl.store(cat_out_ptr + ((pid * 1024 + lanes)), tl.where(cat, x, tl.where(cat_1, y, z)))


# case: movement: pad and relu f32
def case(arguments):
    (x,) = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (8192, 8192), (8192, 1), torch.float32, device)
    relu = allocate((8194, 8200), (8200, 1), torch.float32)
    maximum[(32809,)](x, relu, num_warps=8, enable_fp_fusion=False)
    return (relu,)


@triton.jit
def maximum(x_ptr, relu_out_ptr):  # 2048 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 2048)
    p = pid * 2048 + lanes
    constant_pad_nd = ((((p // 8200) - 2) >= 0) & (((p % 8200) - 3) >= 0)) & (((p % 8200) - 8195) < 0)
    mask = p < 67190800
    x = tl.load(x_ptr + ((p // 8200) * 8192 + (p % 8200) - 16387), mask=mask & constant_pad_nd, other=0, eviction_policy="evict_last")
    tl.store(relu_out_ptr + p, tl.maximum(x, 0.0, propagate_nan=tl.PropagateNan.ALL), mask=mask)


# case: movement: rotary q and k bf16
def case(arguments):
    q, k, cos, sin = arguments
    arguments.clear()
    device = q.device
    allocate = allocator(device)
    q = expect(q, (4, 32, 4096, 128), (16777216, 524288, 128, 1), torch.bfloat16, device)
    k = expect(k, (4, 8, 4096, 128), (4194304, 524288, 128, 1), torch.bfloat16, device)
    cos = expect(cos, (4096, 128), (128, 1), torch.bfloat16, device)
    sin = expect(sin, (4096, 128), (128, 1), torch.bfloat16, device)
    add = allocate((4, 32, 4096, 128), (16777216, 524288, 128, 1), torch.bfloat16)
    add_1 = allocate((4, 8, 4096, 128), (4194304, 524288, 128, 1), torch.bfloat16)
    mul_neg_add_and_mul_neg_add_1[(40960,)](q, cos, sin, add, k, add_1, num_warps=8, enable_fp_fusion=False)
    return (add, add_1,)


@triton.jit
def mul_neg_add_and_mul_neg_add_1(q_ptr, cos_ptr, sin_ptr, add_out_ptr, k_ptr, add_out_ptr_1):  # 2 kernels side by side: 2048 elements a program
    program = tl.program_id(0)
    if program < 32768:
        lanes = tl.arange(0, 2048)
        p = program * 2048 + lanes
        q = tl.load(q_ptr + p)
        cos = tl.load(cos_ptr + ((program % 256) * 2048 + lanes))
        mul = (q.to(tl.float32) * cos.to(tl.float32)).to(tl.bfloat16)
        cat = ((p % 128) - 64) < 0
        cat_1 = cat ^ True
        q_1 = tl.load(q_ptr + (p - 64), mask=cat_1, other=0)
        q_2 = tl.load(q_ptr + (p + 64), mask=cat, other=0)
        neg = (q_2.to(tl.float32) * -1.0).to(tl.bfloat16)
        cat_2 = tl.where(cat, neg, q_1)
        sin = tl.load(sin_ptr + ((program % 256) * 2048 + lanes))
        mul_1 = (cat_2.to(tl.float32) * sin.to(tl.float32)).to(tl.bfloat16)
        tl.store(add_out_ptr + p, (mul.to(tl.float32) + mul_1.to(tl.float32)).to(tl.bfloat16))
    else:
        pid = program - 32768
        lanes_1 = tl.arange(0, 2048)
        p_1 = pid * 2048 + lanes_1
        k = tl.load(k_ptr + p_1)
        cos_1 = tl.load(cos_ptr + ((pid % 256) * 2048 + lanes_1))
        mul_2 = (k.to(tl.float32) * cos_1.to(tl.float32)).to(tl.bfloat16)
        cat_3 = ((p_1 % 128) - 64) < 0
        cat_4 = cat_3 ^ True
        k_1 = tl.load(k_ptr + (p_1 - 64), mask=cat_4, other=0)
        k_2 = tl.load(k_ptr + (p_1 + 64), mask=cat_3, other=0)
        neg_1 = (k_2.to(tl.float32) * -1.0).to(tl.bfloat16)
        cat_5 = tl.where(cat_3, neg_1, k_1)
        sin_1 = tl.load(sin_ptr + ((pid % 256) * 2048 + lanes_1))
        mul_3 = (cat_5.to(tl.float32) * sin_1.to(tl.float32)).to(tl.bfloat16)
        add = (mul_2.to(tl.float32) + mul_3.to(tl.float32)).to(tl.bfloat16)
        tl.store(add_out_ptr_1 + p_1, add)


# case: gather: embedding bf16
def case(arguments):
    tokens, table = arguments
    arguments.clear()
    device = tokens.device
    allocate = allocator(device)
    tokens = expect(tokens, (128, 1024), (1024, 1), torch.int64, device)
    table = expect(table, (32000, 1024), (1024, 1), torch.bfloat16, device)
    mul_1 = allocate((128, 1024, 1024), (1048576, 1024, 1), torch.bfloat16)
    mul[(8192, 2)](table, tokens, mul_1, num_warps=4, enable_fp_fusion=False, debug=True, sanitize_overflow=False)
    return (mul_1,)


@triton.jit
def mul(table_ptr, tokens_ptr, mul_out_ptr):  # tiles of 16 x 512
    pid = tl.program_id(0)
    lanes = tl.arange(0, 16)[:, None]
    p = pid * 16 + lanes
    tokens = tl.load(tokens_ptr + p)
    tokens_1 = lib.checked(tokens, 32000, 'index out of range: <text>')
    pid_r = tl.program_id(1)
    lanes_r = tl.arange(0, 512)[None, :]
    r = pid_r * 512 + lanes_r
    table = tl.load(table_ptr + (r + tokens_1.to(tl.int32) * 1024))
    mul = table.to(tl.float32) * tl.full((), 2.0, tl.bfloat16).to(tl.float32)
    tl.store(mul_out_ptr + (p * 1024 + r), mul.to(tl.bfloat16))


# case: gather: take along columns f32
def case(arguments):
    x, i = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (8192, 2048), (2048, 1), torch.float32, device)
    i = expect(i, (8192, 2048), (2048, 1), torch.int64, device)
    gather_1 = allocate((8192, 2048), (2048, 1), torch.float32)
    gather[(32768,)](x, i, gather_1, num_warps=4, enable_fp_fusion=False, debug=True, sanitize_overflow=False)
    return (gather_1,)


@triton.jit
def gather(x_ptr, i_ptr, gather_out_ptr):  # 512 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 512)
    p = pid * 512 + lanes
    i = tl.load(i_ptr + p)
    i_1 = lib.checked(i, 2048, 'index out of range: <text>')
    x = tl.load(x_ptr + ((pid // 4) * 2048 + i_1.to(tl.int32)))
    tl.store(gather_out_ptr + p, x)


# case: more: index_add f32
def case(arguments):
    x, at = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (131072, 1024), (1024, 1), torch.float32, device)
    at = expect(at, (131072,), (1,), torch.int64, device)
    index_add = allocate((32000, 1024), (1024, 1), torch.float32)
    constant[(16000,)](index_add, num_warps=8, enable_fp_fusion=False)
    scatter[(131072,)](at, x, index_add, num_warps=8, enable_fp_fusion=False, debug=True, sanitize_overflow=False, launch_pdl=True)
    return (index_add,)


@triton.jit
def constant(out_out_ptr):  # 2048 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 2048)
    tl.store(out_out_ptr + ((pid * 2048 + lanes)), tl.full((2048,), 0.0, tl.float32))


@triton.jit
def scatter(at_ptr, x_ptr, index_add_out_ptr):  # 1024 elements a program
    tl.extra.cuda.gdc_wait()
    pid = tl.program_id(0)
    pid_1 = -pid + 131071
    at = tl.load(at_ptr + pid_1)
    at_1 = lib.checked(at, 32000, 'index out of range: <text>')
    lanes = tl.arange(0, 1024)
    x = tl.load(x_ptr + ((pid_1 * 1024 + lanes)))
    tl.atomic_add(index_add_out_ptr + (at_1.to(tl.int32) * 1024 + lanes), x, sem="relaxed")
