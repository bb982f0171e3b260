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
def mul_add_div_sqrt_sub(m_ptr, g_ptr, v_ptr, p_ptr, m_out_ptr, v_out_ptr, sub_out_ptr):  # 512 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 512)
    p = pid * 512 + lanes
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
def mul_add_div_sqrt_sub(g_ptr, m_ptr, v_ptr, p_ptr, m_out_ptr, v_out_ptr, sub_out_ptr):  # 512 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 512)
    p = pid * 512 + lanes
    m = tl.load(m_ptr + p, eviction_policy="evict_last")
    mul = m * 0.9
    g = tl.load(g_ptr + p, eviction_policy="evict_last")
    d = g.to(tl.float32)
    mul_1 = d * 0.1
    m_1 = mul + mul_1
    tl.store(m_out_ptr + p, m_1)
    v = tl.load(v_ptr + p, eviction_policy="evict_last")
    mul_2 = v * 0.999
    mul_3 = d * d
    mul_4 = mul_3 * 0.001
    v_1 = mul_2 + mul_4
    tl.store(v_out_ptr + p, v_1)
    p_1 = tl.load(p_ptr + p, eviction_policy="evict_last")
    mul_5 = p_1 * 0.99999
    div = tl.div_rn(m_1, tl.full((512,), 0.65132153, tl.float32))
    div_1 = tl.div_rn(v_1, tl.full((512,), 0.009955119, tl.float32))
    sqrt = tl.sqrt_rn(div_1)
    add = sqrt + 1e-08
    step = tl.div_rn(div, add)
    mul_6 = step * 0.001
    tl.store(sub_out_ptr + p, mul_5 - mul_6)


# case: adamw step of a layer f32
def case(args, args_1, args_2, args_3, args_4, args_5, args_6, args_7, args_8, args_9, args_10, args_11, args_12, args_13, args_14, args_15, args_16, args_17, args_18, args_19, args_20, args_21, args_22, args_23, args_24, args_25, args_26, args_27, args_28, args_29, args_30, args_31, args_32, args_33, args_34, args_35, args_36, args_37, args_38, args_39):
    device = args.device
    args = with_layout(args, (1024,), (1,))
    args_1 = with_layout(args_1, (3072, 1024), (1024, 1))
    args_2 = with_layout(args_2, (3072,), (1,))
    args_3 = with_layout(args_3, (1024, 1024), (1024, 1))
    args_4 = with_layout(args_4, (1024,), (1,))
    args_5 = with_layout(args_5, (1024,), (1,))
    args_6 = with_layout(args_6, (4096, 1024), (1024, 1))
    args_7 = with_layout(args_7, (4096,), (1,))
    args_8 = with_layout(args_8, (1024, 4096), (4096, 1))
    args_9 = with_layout(args_9, (1024,), (1,))
    args_10 = with_layout(args_10, (1024,), (1,))
    args_11 = with_layout(args_11, (3072, 1024), (1024, 1))
    args_12 = with_layout(args_12, (3072,), (1,))
    args_13 = with_layout(args_13, (1024, 1024), (1024, 1))
    args_14 = with_layout(args_14, (1024,), (1,))
    args_15 = with_layout(args_15, (1024,), (1,))
    args_16 = with_layout(args_16, (4096, 1024), (1024, 1))
    args_17 = with_layout(args_17, (4096,), (1,))
    args_18 = with_layout(args_18, (1024, 4096), (4096, 1))
    args_19 = with_layout(args_19, (1024,), (1,))
    args_20 = with_layout(args_20, (1024,), (1,))
    args_21 = with_layout(args_21, (3072, 1024), (1024, 1))
    args_22 = with_layout(args_22, (3072,), (1,))
    args_23 = with_layout(args_23, (1024, 1024), (1024, 1))
    args_24 = with_layout(args_24, (1024,), (1,))
    args_25 = with_layout(args_25, (1024,), (1,))
    args_26 = with_layout(args_26, (4096, 1024), (1024, 1))
    args_27 = with_layout(args_27, (4096,), (1,))
    args_28 = with_layout(args_28, (1024, 4096), (4096, 1))
    args_29 = with_layout(args_29, (1024,), (1,))
    args_30 = with_layout(args_30, (1024,), (1,))
    args_31 = with_layout(args_31, (3072, 1024), (1024, 1))
    args_32 = with_layout(args_32, (3072,), (1,))
    args_33 = with_layout(args_33, (1024, 1024), (1024, 1))
    args_34 = with_layout(args_34, (1024,), (1,))
    args_35 = with_layout(args_35, (1024,), (1,))
    args_36 = with_layout(args_36, (4096, 1024), (1024, 1))
    args_37 = with_layout(args_37, (4096,), (1,))
    args_38 = with_layout(args_38, (1024, 4096), (4096, 1))
    args_39 = with_layout(args_39, (1024,), (1,))
    m = torch.empty_strided((1024,), (1,), dtype=torch.float32, device=device)
    v = torch.empty_strided((1024,), (1,), dtype=torch.float32, device=device)
    sub = torch.empty_strided((1024,), (1,), dtype=torch.float32, device=device)
    m_1 = torch.empty_strided((3072, 1024), (1024, 1), dtype=torch.float32, device=device)
    v_1 = torch.empty_strided((3072, 1024), (1024, 1), dtype=torch.float32, device=device)
    sub_1 = torch.empty_strided((3072, 1024), (1024, 1), dtype=torch.float32, device=device)
    m_2 = torch.empty_strided((3072,), (1,), dtype=torch.float32, device=device)
    v_2 = torch.empty_strided((3072,), (1,), dtype=torch.float32, device=device)
    sub_2 = torch.empty_strided((3072,), (1,), dtype=torch.float32, device=device)
    m_3 = torch.empty_strided((1024, 1024), (1024, 1), dtype=torch.float32, device=device)
    v_3 = torch.empty_strided((1024, 1024), (1024, 1), dtype=torch.float32, device=device)
    sub_3 = torch.empty_strided((1024, 1024), (1024, 1), dtype=torch.float32, device=device)
    m_4 = torch.empty_strided((1024,), (1,), dtype=torch.float32, device=device)
    v_4 = torch.empty_strided((1024,), (1,), dtype=torch.float32, device=device)
    sub_4 = torch.empty_strided((1024,), (1,), dtype=torch.float32, device=device)
    m_5 = torch.empty_strided((1024,), (1,), dtype=torch.float32, device=device)
    v_5 = torch.empty_strided((1024,), (1,), dtype=torch.float32, device=device)
    sub_5 = torch.empty_strided((1024,), (1,), dtype=torch.float32, device=device)
    m_6 = torch.empty_strided((4096, 1024), (1024, 1), dtype=torch.float32, device=device)
    v_6 = torch.empty_strided((4096, 1024), (1024, 1), dtype=torch.float32, device=device)
    sub_6 = torch.empty_strided((4096, 1024), (1024, 1), dtype=torch.float32, device=device)
    m_7 = torch.empty_strided((4096,), (1,), dtype=torch.float32, device=device)
    v_7 = torch.empty_strided((4096,), (1,), dtype=torch.float32, device=device)
    sub_7 = torch.empty_strided((4096,), (1,), dtype=torch.float32, device=device)
    m_8 = torch.empty_strided((1024, 4096), (4096, 1), dtype=torch.float32, device=device)
    v_8 = torch.empty_strided((1024, 4096), (4096, 1), dtype=torch.float32, device=device)
    sub_8 = torch.empty_strided((1024, 4096), (4096, 1), dtype=torch.float32, device=device)
    m_9 = torch.empty_strided((1024,), (1,), dtype=torch.float32, device=device)
    v_9 = torch.empty_strided((1024,), (1,), dtype=torch.float32, device=device)
    sub_9 = torch.empty_strided((1024,), (1,), dtype=torch.float32, device=device)
    mul_add_div_sqrt_sub_and_9_more[(24598,)](args_20, args_10, args_30, args, m, v, sub, args_21, args_11, args_31, args_1, m_1, v_1, sub_1, args_22, args_12, args_32, args_2, m_2, v_2, sub_2, args_23, args_13, args_33, args_3, m_3, v_3, sub_3, args_24, args_14, args_34, args_4, m_4, v_4, sub_4, args_25, args_15, args_35, args_5, m_5, v_5, sub_5, args_26, args_16, args_36, args_6, m_6, v_6, sub_6, args_27, args_17, args_37, args_7, m_7, v_7, sub_7, args_28, args_18, args_38, args_8, m_8, v_8, sub_8, args_29, args_19, args_39, args_9, m_9, v_9, sub_9, num_warps=4, enable_fp_fusion=False)
    return (sub, m, v, sub_1, m_1, v_1, sub_2, m_2, v_2, sub_3, m_3, v_3, sub_4, m_4, v_4, sub_5, m_5, v_5, sub_6, m_6, v_6, sub_7, m_7, v_7, sub_8, m_8, v_8, sub_9, m_9, v_9,)


@triton.jit
def mul_add_div_sqrt_sub_and_9_more(args_ptr, args_ptr_1, args_ptr_2, args_ptr_3, m_out_ptr, v_out_ptr, sub_out_ptr, args_ptr_4, args_ptr_5, args_ptr_6, args_ptr_7, m_out_ptr_1, v_out_ptr_1, sub_out_ptr_1, args_ptr_8, args_ptr_9, args_ptr_10, args_ptr_11, m_out_ptr_2, v_out_ptr_2, sub_out_ptr_2, args_ptr_12, args_ptr_13, args_ptr_14, args_ptr_15, m_out_ptr_3, v_out_ptr_3, sub_out_ptr_3, args_ptr_16, args_ptr_17, args_ptr_18, args_ptr_19, m_out_ptr_4, v_out_ptr_4, sub_out_ptr_4, args_ptr_20, args_ptr_21, args_ptr_22, args_ptr_23, m_out_ptr_5, v_out_ptr_5, sub_out_ptr_5, args_ptr_24, args_ptr_25, args_ptr_26, args_ptr_27, m_out_ptr_6, v_out_ptr_6, sub_out_ptr_6, args_ptr_28, args_ptr_29, args_ptr_30, args_ptr_31, m_out_ptr_7, v_out_ptr_7, sub_out_ptr_7, args_ptr_32, args_ptr_33, args_ptr_34, args_ptr_35, m_out_ptr_8, v_out_ptr_8, sub_out_ptr_8, args_ptr_36, args_ptr_37, args_ptr_38, args_ptr_39, m_out_ptr_9, v_out_ptr_9, sub_out_ptr_9):  # 10 kernels side by side: 512 elements a program
    program = tl.program_id(0)
    if program < 8202:
        if program < 6146:
            if program < 2:
                lanes = tl.arange(0, 512)
                p = program * 512 + lanes
                args = tl.load(args_ptr + p)
                mul = args * 0.9
                args_1 = tl.load(args_ptr_1 + p)
                mul_1 = args_1 * 0.1
                m = mul + mul_1
                tl.store(m_out_ptr + p, m)
                args_2 = tl.load(args_ptr_2 + p)
                mul_2 = args_2 * 0.999
                mul_3 = args_1 * args_1
                mul_4 = mul_3 * 0.001
                v = mul_2 + mul_4
                tl.store(v_out_ptr + p, v)
                args_3 = tl.load(args_ptr_3 + p)
                mul_5 = args_3 * 0.99999
                div = tl.div_rn(m, tl.full((512,), 0.65132153, tl.float32))
                div_1 = tl.div_rn(v, tl.full((512,), 0.009955119, tl.float32))
                sqrt = tl.sqrt_rn(div_1)
                add = sqrt + 1e-08
                step = tl.div_rn(div, add)
                mul_6 = step * 0.001
                tl.store(sub_out_ptr + p, mul_5 - mul_6)
            else:
                lanes_1 = tl.arange(0, 512)
                p_1 = (program - 2) * 512 + lanes_1
                args_4 = tl.load(args_ptr_4 + p_1)
                mul_7 = args_4 * 0.9
                args_5 = tl.load(args_ptr_5 + p_1)
                mul_8 = args_5 * 0.1
                m_1 = mul_7 + mul_8
                tl.store(m_out_ptr_1 + p_1, m_1)
                args_6 = tl.load(args_ptr_6 + p_1)
                mul_9 = args_6 * 0.999
                mul_10 = args_5 * args_5
                mul_11 = mul_10 * 0.001
                v_1 = mul_9 + mul_11
                tl.store(v_out_ptr_1 + p_1, v_1)
                args_7 = tl.load(args_ptr_7 + p_1)
                mul_12 = args_7 * 0.99999
                div_2 = tl.div_rn(m_1, tl.full((512,), 0.65132153, tl.float32))
                div_3 = tl.div_rn(v_1, tl.full((512,), 0.009955119, tl.float32))
                sqrt_1 = tl.sqrt_rn(div_3)
                add_1 = sqrt_1 + 1e-08
                step_1 = tl.div_rn(div_2, add_1)
                mul_13 = step_1 * 0.001
                tl.store(sub_out_ptr_1 + p_1, mul_12 - mul_13)
        else:
            if program < 6152:
                lanes_2 = tl.arange(0, 512)
                p_2 = (program - 6146) * 512 + lanes_2
                args_8 = tl.load(args_ptr_8 + p_2)
                mul_14 = args_8 * 0.9
                args_9 = tl.load(args_ptr_9 + p_2)
                mul_15 = args_9 * 0.1
                m_2 = mul_14 + mul_15
                tl.store(m_out_ptr_2 + p_2, m_2)
                args_10 = tl.load(args_ptr_10 + p_2)
                mul_16 = args_10 * 0.999
                mul_17 = args_9 * args_9
                mul_18 = mul_17 * 0.001
                v_2 = mul_16 + mul_18
                tl.store(v_out_ptr_2 + p_2, v_2)
                args_11 = tl.load(args_ptr_11 + p_2)
                mul_19 = args_11 * 0.99999
                div_4 = tl.div_rn(m_2, tl.full((512,), 0.65132153, tl.float32))
                div_5 = tl.div_rn(v_2, tl.full((512,), 0.009955119, tl.float32))
                sqrt_2 = tl.sqrt_rn(div_5)
                add_2 = sqrt_2 + 1e-08
                step_2 = tl.div_rn(div_4, add_2)
                mul_20 = step_2 * 0.001
                tl.store(sub_out_ptr_2 + p_2, mul_19 - mul_20)
            else:
                if program < 8200:
                    lanes_3 = tl.arange(0, 512)
                    p_3 = (program - 6152) * 512 + lanes_3
                    args_12 = tl.load(args_ptr_12 + p_3)
                    mul_21 = args_12 * 0.9
                    args_13 = tl.load(args_ptr_13 + p_3)
                    mul_22 = args_13 * 0.1
                    m_3 = mul_21 + mul_22
                    tl.store(m_out_ptr_3 + p_3, m_3)
                    args_14 = tl.load(args_ptr_14 + p_3)
                    mul_23 = args_14 * 0.999
                    mul_24 = args_13 * args_13
                    mul_25 = mul_24 * 0.001
                    v_3 = mul_23 + mul_25
                    tl.store(v_out_ptr_3 + p_3, v_3)
                    args_15 = tl.load(args_ptr_15 + p_3)
                    mul_26 = args_15 * 0.99999
                    div_6 = tl.div_rn(m_3, tl.full((512,), 0.65132153, tl.float32))
                    div_7 = tl.div_rn(v_3, tl.full((512,), 0.009955119, tl.float32))
                    sqrt_3 = tl.sqrt_rn(div_7)
                    add_3 = sqrt_3 + 1e-08
                    step_3 = tl.div_rn(div_6, add_3)
                    mul_27 = step_3 * 0.001
                    tl.store(sub_out_ptr_3 + p_3, mul_26 - mul_27)
                else:
                    lanes_4 = tl.arange(0, 512)
                    p_4 = (program - 8200) * 512 + lanes_4
                    args_16 = tl.load(args_ptr_16 + p_4)
                    mul_28 = args_16 * 0.9
                    args_17 = tl.load(args_ptr_17 + p_4)
                    mul_29 = args_17 * 0.1
                    m_4 = mul_28 + mul_29
                    tl.store(m_out_ptr_4 + p_4, m_4)
                    args_18 = tl.load(args_ptr_18 + p_4)
                    mul_30 = args_18 * 0.999
                    mul_31 = args_17 * args_17
                    mul_32 = mul_31 * 0.001
                    v_4 = mul_30 + mul_32
                    tl.store(v_out_ptr_4 + p_4, v_4)
                    args_19 = tl.load(args_ptr_19 + p_4)
                    mul_33 = args_19 * 0.99999
                    div_8 = tl.div_rn(m_4, tl.full((512,), 0.65132153, tl.float32))
                    div_9 = tl.div_rn(v_4, tl.full((512,), 0.009955119, tl.float32))
                    sqrt_4 = tl.sqrt_rn(div_9)
                    add_4 = sqrt_4 + 1e-08
                    step_4 = tl.div_rn(div_8, add_4)
                    mul_34 = step_4 * 0.001
                    tl.store(sub_out_ptr_4 + p_4, mul_33 - mul_34)
    else:
        if program < 16396:
            if program < 8204:
                lanes_5 = tl.arange(0, 512)
                p_5 = (program - 8202) * 512 + lanes_5
                args_20 = tl.load(args_ptr_20 + p_5)
                mul_35 = args_20 * 0.9
                args_21 = tl.load(args_ptr_21 + p_5)
                mul_36 = args_21 * 0.1
                m_5 = mul_35 + mul_36
                tl.store(m_out_ptr_5 + p_5, m_5)
                args_22 = tl.load(args_ptr_22 + p_5)
                mul_37 = args_22 * 0.999
                mul_38 = args_21 * args_21
                mul_39 = mul_38 * 0.001
                v_5 = mul_37 + mul_39
                tl.store(v_out_ptr_5 + p_5, v_5)
                args_23 = tl.load(args_ptr_23 + p_5)
                mul_40 = args_23 * 0.99999
                div_10 = tl.div_rn(m_5, tl.full((512,), 0.65132153, tl.float32))
                div_11 = tl.div_rn(v_5, tl.full((512,), 0.009955119, tl.float32))
                sqrt_5 = tl.sqrt_rn(div_11)
                add_5 = sqrt_5 + 1e-08
                step_5 = tl.div_rn(div_10, add_5)
                mul_41 = step_5 * 0.001
                tl.store(sub_out_ptr_5 + p_5, mul_40 - mul_41)
            else:
                lanes_6 = tl.arange(0, 512)
                p_6 = (program - 8204) * 512 + lanes_6
                args_24 = tl.load(args_ptr_24 + p_6)
                mul_42 = args_24 * 0.9
                args_25 = tl.load(args_ptr_25 + p_6)
                mul_43 = args_25 * 0.1
                m_6 = mul_42 + mul_43
                tl.store(m_out_ptr_6 + p_6, m_6)
                args_26 = tl.load(args_ptr_26 + p_6)
                mul_44 = args_26 * 0.999
                mul_45 = args_25 * args_25
                mul_46 = mul_45 * 0.001
                v_6 = mul_44 + mul_46
                tl.store(v_out_ptr_6 + p_6, v_6)
                args_27 = tl.load(args_ptr_27 + p_6)
                mul_47 = args_27 * 0.99999
                div_12 = tl.div_rn(m_6, tl.full((512,), 0.65132153, tl.float32))
                div_13 = tl.div_rn(v_6, tl.full((512,), 0.009955119, tl.float32))
                sqrt_6 = tl.sqrt_rn(div_13)
                add_6 = sqrt_6 + 1e-08
                step_6 = tl.div_rn(div_12, add_6)
                mul_48 = step_6 * 0.001
                tl.store(sub_out_ptr_6 + p_6, mul_47 - mul_48)
        else:
            if program < 16404:
                lanes_7 = tl.arange(0, 512)
                p_7 = (program - 16396) * 512 + lanes_7
                args_28 = tl.load(args_ptr_28 + p_7)
                mul_49 = args_28 * 0.9
                args_29 = tl.load(args_ptr_29 + p_7)
                mul_50 = args_29 * 0.1
                m_7 = mul_49 + mul_50
                tl.store(m_out_ptr_7 + p_7, m_7)
                args_30 = tl.load(args_ptr_30 + p_7)
                mul_51 = args_30 * 0.999
                mul_52 = args_29 * args_29
                mul_53 = mul_52 * 0.001
                v_7 = mul_51 + mul_53
                tl.store(v_out_ptr_7 + p_7, v_7)
                args_31 = tl.load(args_ptr_31 + p_7)
                mul_54 = args_31 * 0.99999
                div_14 = tl.div_rn(m_7, tl.full((512,), 0.65132153, tl.float32))
                div_15 = tl.div_rn(v_7, tl.full((512,), 0.009955119, tl.float32))
                sqrt_7 = tl.sqrt_rn(div_15)
                add_7 = sqrt_7 + 1e-08
                step_7 = tl.div_rn(div_14, add_7)
                mul_55 = step_7 * 0.001
                tl.store(sub_out_ptr_7 + p_7, mul_54 - mul_55)
            else:
                if program < 24596:
                    lanes_8 = tl.arange(0, 512)
                    p_8 = (program - 16404) * 512 + lanes_8
                    args_32 = tl.load(args_ptr_32 + p_8)
                    mul_56 = args_32 * 0.9
                    args_33 = tl.load(args_ptr_33 + p_8)
                    mul_57 = args_33 * 0.1
                    m_8 = mul_56 + mul_57
                    tl.store(m_out_ptr_8 + p_8, m_8)
                    args_34 = tl.load(args_ptr_34 + p_8)
                    mul_58 = args_34 * 0.999
                    mul_59 = args_33 * args_33
                    mul_60 = mul_59 * 0.001
                    v_8 = mul_58 + mul_60
                    tl.store(v_out_ptr_8 + p_8, v_8)
                    args_35 = tl.load(args_ptr_35 + p_8)
                    mul_61 = args_35 * 0.99999
                    div_16 = tl.div_rn(m_8, tl.full((512,), 0.65132153, tl.float32))
                    div_17 = tl.div_rn(v_8, tl.full((512,), 0.009955119, tl.float32))
                    sqrt_8 = tl.sqrt_rn(div_17)
                    add_8 = sqrt_8 + 1e-08
                    step_8 = tl.div_rn(div_16, add_8)
                    mul_62 = step_8 * 0.001
                    tl.store(sub_out_ptr_8 + p_8, mul_61 - mul_62)
                else:
                    lanes_9 = tl.arange(0, 512)
                    p_9 = (program - 24596) * 512 + lanes_9
                    args_36 = tl.load(args_ptr_36 + p_9)
                    mul_63 = args_36 * 0.9
                    args_37 = tl.load(args_ptr_37 + p_9)
                    mul_64 = args_37 * 0.1
                    m_9 = mul_63 + mul_64
                    tl.store(m_out_ptr_9 + p_9, m_9)
                    args_38 = tl.load(args_ptr_38 + p_9)
                    mul_65 = args_38 * 0.999
                    mul_66 = args_37 * args_37
                    mul_67 = mul_66 * 0.001
                    v_9 = mul_65 + mul_67
                    tl.store(v_out_ptr_9 + p_9, v_9)
                    args_39 = tl.load(args_ptr_39 + p_9)
                    mul_68 = args_39 * 0.99999
                    div_18 = tl.div_rn(m_9, tl.full((512,), 0.65132153, tl.float32))
                    div_19 = tl.div_rn(v_9, tl.full((512,), 0.009955119, tl.float32))
                    sqrt_9 = tl.sqrt_rn(div_19)
                    add_9 = sqrt_9 + 1e-08
                    step_9 = tl.div_rn(div_18, add_9)
                    mul_69 = step_9 * 0.001
                    tl.store(sub_out_ptr_9 + p_9, mul_68 - mul_69)


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
def mul_add_sub(m_ptr, g_ptr, p_ptr, m_out_ptr, sub_out_ptr):  # 512 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 512)
    p = pid * 512 + lanes
    m = tl.load(m_ptr + p, eviction_policy="evict_last")
    mul = m * 0.9
    g = tl.load(g_ptr + p, eviction_policy="evict_last")
    m_1 = mul + g
    tl.store(m_out_ptr + p, m_1)
    p_1 = tl.load(p_ptr + p, eviction_policy="evict_last")
    mul_1 = m_1 * 0.01
    tl.store(sub_out_ptr + p, p_1 - mul_1)
