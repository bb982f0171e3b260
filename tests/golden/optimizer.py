# torch 2.13

# case: adamw step f32
def case(p, g, m, v):
    device = p.device
    p = with_layout(p, (8192, 8192), (8192, 1))
    g = with_layout(g, (8192, 8192), (8192, 1))
    m = with_layout(m, (8192, 8192), (8192, 1))
    v = with_layout(v, (8192, 8192), (8192, 1))
    m_1 = torch.empty_strided((8192, 8192), (8192, 1), dtype=torch.float32, device=device)
    v_1 = torch.empty_strided((8192, 8192), (8192, 1), dtype=torch.float32, device=device)
    sub = torch.empty_strided((8192, 8192), (8192, 1), dtype=torch.float32, device=device)
    mul_add_div_sqrt_sub[(131072,)](m, g, v, p, m_1, v_1, sub, num_warps=4, enable_fp_fusion=False)
    return (sub, m_1, v_1,)


@triton.jit
def mul_add_div_sqrt_sub(m_ptr, g_ptr, v_ptr, p_ptr, m_out_ptr, v_out_ptr, sub_out_ptr):  # 512 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 512)
    p = pid * 512 + lanes
    m = tl.load(m_ptr + p)
    mul = m * 0.9
    g = tl.load(g_ptr + p)
    mul_1 = g * 0.1
    m_1 = mul + mul_1
    tl.store(m_out_ptr + p, m_1)
    v = tl.load(v_ptr + p)
    mul_2 = v * 0.999
    mul_3 = g * g
    mul_4 = mul_3 * 0.001
    v_1 = mul_2 + mul_4
    tl.store(v_out_ptr + p, v_1)
    p_1 = tl.load(p_ptr + p)
    mul_5 = p_1 * 0.99999
    div = tl.div_rn(m_1, tl.full((512,), 0.65132153, tl.float32))
    div_1 = tl.div_rn(v_1, tl.full((512,), 0.009955119, tl.float32))
    sqrt = tl.sqrt_rn(div_1)
    add = sqrt + 1e-08
    step = tl.div_rn(div, add)
    mul_6 = step * 0.001
    tl.store(sub_out_ptr + p, mul_5 - mul_6)


# case: adamw step, bf16 gradients
def case(p, g, m, v):
    device = p.device
    p = with_layout(p, (8192, 8192), (8192, 1))
    g = with_layout(g, (8192, 8192), (8192, 1))
    m = with_layout(m, (8192, 8192), (8192, 1))
    v = with_layout(v, (8192, 8192), (8192, 1))
    m_1 = torch.empty_strided((8192, 8192), (8192, 1), dtype=torch.float32, device=device)
    v_1 = torch.empty_strided((8192, 8192), (8192, 1), dtype=torch.float32, device=device)
    sub = torch.empty_strided((8192, 8192), (8192, 1), dtype=torch.float32, device=device)
    mul_add_div_sqrt_sub[(131072,)](g, m, v, p, m_1, v_1, sub, num_warps=4, enable_fp_fusion=False)
    return (sub, m_1, v_1,)


@triton.jit
def mul_add_div_sqrt_sub(g_ptr, m_ptr, v_ptr, p_ptr, m_out_ptr, v_out_ptr, sub_out_ptr):  # 512 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 512)
    p = pid * 512 + lanes
    m = tl.load(m_ptr + p)
    mul = m * 0.9
    g = tl.load(g_ptr + p)
    d = g.to(tl.float32)
    mul_1 = d * 0.1
    m_1 = mul + mul_1
    tl.store(m_out_ptr + p, m_1)
    v = tl.load(v_ptr + p)
    mul_2 = v * 0.999
    mul_3 = d * d
    mul_4 = mul_3 * 0.001
    v_1 = mul_2 + mul_4
    tl.store(v_out_ptr + p, v_1)
    p_1 = tl.load(p_ptr + p)
    mul_5 = p_1 * 0.99999
    div = tl.div_rn(m_1, tl.full((512,), 0.65132153, tl.float32))
    div_1 = tl.div_rn(v_1, tl.full((512,), 0.009955119, tl.float32))
    sqrt = tl.sqrt_rn(div_1)
    add = sqrt + 1e-08
    step = tl.div_rn(div, add)
    mul_6 = step * 0.001
    tl.store(sub_out_ptr + p, mul_5 - mul_6)


# case: momentum step f32
def case(p, g, m):
    device = p.device
    p = with_layout(p, (8192, 8192), (8192, 1))
    g = with_layout(g, (8192, 8192), (8192, 1))
    m = with_layout(m, (8192, 8192), (8192, 1))
    m_1 = torch.empty_strided((8192, 8192), (8192, 1), dtype=torch.float32, device=device)
    sub = torch.empty_strided((8192, 8192), (8192, 1), dtype=torch.float32, device=device)
    mul_add_sub[(131072,)](m, g, p, m_1, sub, num_warps=4, enable_fp_fusion=False)
    return (sub, m_1,)


@triton.jit
def mul_add_sub(m_ptr, g_ptr, p_ptr, m_out_ptr, sub_out_ptr):  # 512 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 512)
    p = pid * 512 + lanes
    m = tl.load(m_ptr + p)
    mul = m * 0.9
    g = tl.load(g_ptr + p)
    m_1 = mul + g
    tl.store(m_out_ptr + p, m_1)
    p_1 = tl.load(p_ptr + p)
    mul_1 = m_1 * 0.01
    tl.store(sub_out_ptr + p, p_1 - mul_1)
