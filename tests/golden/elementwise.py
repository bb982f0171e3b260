# torch 2.13

# case: pointwise: relu(x*2 + 1) f32
def case(arguments):
    (x,) = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (8192, 8192), (8192, 1), torch.float32, device)
    relu = allocate((8192, 8192), (8192, 1), torch.float32)
    mul_add_maximum[(32768,)](x, relu, num_warps=8, enable_fp_fusion=False)
    return (relu,)


@triton.jit
def mul_add_maximum(x_ptr, relu_out_ptr):  # 2048 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 2048)
    p = pid * 2048 + lanes
    x = tl.load(x_ptr + p, eviction_policy="evict_last")
    mul = x * 2.0
    add = mul + 1.0
    tl.store(relu_out_ptr + p, tl.maximum(add, 0.0, propagate_nan=tl.PropagateNan.ALL))


# case: broadcast: channel scale and shift bf16
def case(arguments):
    x, s, b = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (64, 256, 56, 56), (802816, 3136, 56, 1), torch.bfloat16, device)
    s = expect(s, (256,), (1,), torch.bfloat16, device)
    b = expect(b, (256,), (1,), torch.bfloat16, device)
    relu = allocate((64, 256, 56, 56), (802816, 3136, 56, 1), torch.bfloat16)
    mul_add_maximum[(25088,)](x, s, b, relu, num_warps=4, enable_fp_fusion=False)
    return (relu,)


@triton.jit
def mul_add_maximum(x_ptr, s_ptr, b_ptr, relu_out_ptr):  # 2048 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 2048)
    p = pid * 2048 + lanes
    x = tl.load(x_ptr + p, eviction_policy="evict_last")
    s = tl.load(s_ptr + ((p // 3136) % 256))
    mul = (x.to(tl.float32) * s.to(tl.float32)).to(tl.bfloat16)
    b = tl.load(b_ptr + ((p // 3136) % 256))
    add = (mul.to(tl.float32) + b.to(tl.float32)).to(tl.bfloat16)
    relu = tl.maximum(add.to(tl.float32), tl.full((), 0.0, tl.bfloat16).to(tl.float32), propagate_nan=tl.PropagateNan.ALL)
    tl.store(relu_out_ptr + p, relu.to(tl.bfloat16))


# case: movement: slice and scale f32
def case(arguments):
    (x,) = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (8192, 8192), (8192, 1), torch.float32, device)
    mul_1 = allocate((8192, 4096), (4096, 1), torch.float32)
    mul[(16384,)](x, mul_1, num_warps=8, enable_fp_fusion=False)
    return (mul_1,)


@triton.jit
def mul(x_ptr, mul_out_ptr):  # 2048 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 2048)
    p = pid * 2048 + lanes
    x = tl.load(x_ptr + (p * 2), eviction_policy="evict_last")
    tl.store(mul_out_ptr + p, x * 2.0)


# case: awkward: x*y + 1 f32 16000x4097
def case(arguments):
    x, y = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (16000, 4097), (4097, 1), torch.float32, device)
    y = expect(y, (16000, 4097), (4097, 1), torch.float32, device)
    add = allocate((16000, 4097), (4097, 1), torch.float32)
    mul_add[(32008,)](x, y, add, num_warps=8, enable_fp_fusion=False)
    return (add,)


@triton.jit
def mul_add(x_ptr, y_ptr, add_out_ptr):  # 2048 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 2048)
    p = pid * 2048 + lanes
    mask = p < 65552000
    x = tl.load(x_ptr + p, mask=mask, other=0, eviction_policy="evict_last")
    y = tl.load(y_ptr + p, mask=mask, other=0, eviction_policy="evict_last")
    mul = x * y
    tl.store(add_out_ptr + p, mul + 1.0, mask=mask)


# case: pointwise: bias + erf-gelu bf16
def case(arguments):
    x, b = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (16384, 16384), (16384, 1), torch.bfloat16, device)
    b = expect(b, (16384,), (1,), torch.bfloat16, device)
    to_copy = allocate((16384, 16384), (16384, 1), torch.bfloat16)
    add_mul_erf[(131072,)](x, b, to_copy, num_warps=4, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def add_mul_erf(x_ptr, b_ptr, to_copy_out_ptr):  # 2048 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 2048)
    p = pid * 2048 + lanes
    x = tl.load(x_ptr + p, eviction_policy="evict_last")
    b = tl.load(b_ptr + ((pid % 8) * 2048 + lanes))
    add = (x.to(tl.float32) + b.to(tl.float32)).to(tl.bfloat16)
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
    tl.store(to_copy_out_ptr + p, mul_2.to(tl.bfloat16))


# case: more: dropout f32
def case(arguments):
    (x,) = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (4096, 4096), (4096, 1), torch.float32, device)
    seeds = single(torch.ops.mlc.seeds.default(1, torch.device(type='cpu')))
    seeds = with_layout(seeds, (1,), (1,))
    mul = allocate((4096, 4096), (4096, 1), torch.float32)
    shr_and_lt_mul[(32768,)](seeds, x, mul, num_warps=4, enable_fp_fusion=False)
    del seeds
    return (mul,)


@triton.jit
def shr_and_lt_mul(seeds_ptr, x_ptr, mul_out_ptr):  # 512 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 512)
    p = pid * 512 + lanes
    x = tl.load(x_ptr + p)
    seeds = tl.load(seeds_ptr)
    random_bits = lib.philox(seeds, p.to(tl.int64), 0)
    rshift = random_bits >> 8
    bitwise_and = rshift & 16777215
    lt = bitwise_and < 15099494
    cast = lt.to(tl.float32)
    mul = x * cast
    tl.store(mul_out_ptr + p, mul * 1.1111112)


# case: optimizer: adamw step f32
def case(arguments):
    p, g, m, v = arguments
    arguments.clear()
    device = p.device
    allocate = allocator(device)
    p = expect(p, (8192, 8192), (8192, 1), torch.float32, device)
    g = expect(g, (8192, 8192), (8192, 1), torch.float32, device)
    m = expect(m, (8192, 8192), (8192, 1), torch.float32, device)
    v = expect(v, (8192, 8192), (8192, 1), torch.float32, device)
    m_1 = allocate((8192, 8192), (8192, 1), torch.float32)
    v_1 = allocate((8192, 8192), (8192, 1), torch.float32)
    sub = allocate((8192, 8192), (8192, 1), torch.float32)
    mul_add_div_sqrt_sub[(65536,)](m, g, v, p, m_1, v_1, sub, num_warps=4, enable_fp_fusion=False)
    return (sub, m_1, v_1,)


@triton.jit
def mul_add_div_sqrt_sub(m_ptr, g_ptr, v_ptr, p_ptr, m_out_ptr, v_out_ptr, sub_out_ptr):  # 1024 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    m = tl.load(m_ptr + p, eviction_policy="evict_last")
    mul = m * 0.9
    g = tl.load(g_ptr + p, eviction_policy="evict_last")
    mul_1 = g * 0.1
    m_1 = mul + mul_1
    tl.store(m_out_ptr + p, m_1)
    v = tl.load(v_ptr + p, eviction_policy="evict_last")
    mul_2 = v * 0.999
    mul_3 = g * g
    mul_4 = mul_3 * 0.001
    v_1 = mul_2 + mul_4
    tl.store(v_out_ptr + p, v_1)
    p_1 = tl.load(p_ptr + p, eviction_policy="evict_last")
    mul_5 = p_1 * 0.99999
    div = lib.quotient(m_1, tl.full((), 0.65132153, tl.float32))
    div_1 = lib.quotient(v_1, tl.full((), 0.009955119, tl.float32))
    sqrt = tl.sqrt_rn(div_1)
    add = sqrt + 1e-08
    step = tl.div_rn(div, add)
    mul_6 = step * 0.001
    tl.store(sub_out_ptr + p, mul_5 - mul_6)
