# torch 2.13

# case: embedding bf16
def case(tokens, table):
    device = tokens.device
    tokens = with_layout(tokens, (128, 1024), (1024, 1))
    table = with_layout(table, (32000, 1024), (1024, 1))
    mul_1 = torch.empty_strided((128, 1024, 1024), (1048576, 1024, 1), dtype=torch.bfloat16, device=device)
    mul[(4096, 8)](table, tokens, mul_1, num_warps=8, enable_fp_fusion=False, debug=True, sanitize_overflow=False)
    return (mul_1,)


@triton.jit
def mul(table_ptr, tokens_ptr, mul_out_ptr):  # tiles of 128 x 32, all columns before the next rows: they read the same
    pid = tl.program_id(1)
    lanes = tl.arange(0, 128)[:, None]
    p = pid * 128 + lanes
    pid_r = tl.program_id(0)
    lanes_r = tl.arange(0, 32)[None, :]
    r = pid_r * 32 + lanes_r
    tokens = tl.load(tokens_ptr + r)
    tokens_1 = lib.checked(tokens, 32000, 'index out of range: <text>:6')
    table = tl.load(table_ptr + (p + tokens_1.to(tl.int32) * 1024))
    mul = table.to(tl.float32) * tl.full((), 2.0, tl.bfloat16).to(tl.float32)
    tl.store(mul_out_ptr + (p + r * 1024), mul.to(tl.bfloat16))


# case: embedding + layer norm bf16
def case(tokens, table, w, b):
    device = tokens.device
    tokens = with_layout(tokens, (128, 1024), (1024, 1))
    table = with_layout(table, (32000, 1024), (1024, 1))
    w = with_layout(w, (1024,), (1,))
    b = with_layout(b, (1024,), (1,))
    to_copy = torch.empty_strided((128, 1024, 1024), (1048576, 1024, 1), dtype=torch.bfloat16, device=device)
    sum_mul_sub_add_rsqrt[(65536,)](table, tokens, w, b, to_copy, num_warps=1, enable_fp_fusion=False, debug=True, sanitize_overflow=False)
    return (to_copy,)


@triton.jit
def sum_mul_sub_add_rsqrt(table_ptr, tokens_ptr, w_ptr, b_ptr, to_copy_out_ptr):  # 2 row(s) of 1024 kept in registers; results leave the cache to what is read again
    pid = tl.program_id(0)
    lanes = tl.arange(0, 2)[:, None]
    p = pid * 2 + lanes
    tokens = tl.load(tokens_ptr + p)
    tokens_1 = lib.checked(tokens, 32000, 'index out of range: <text>:6')
    r = tl.arange(0, 1024)[None, :]
    table = tl.load(table_ptr + (r + tokens_1.to(tl.int32) * 1024))
    to_copy = table.to(tl.float32)
    reduce = tl.sum(to_copy, axis=1, keep_dims=True)
    getitem = reduce * 0.0009765625
    sub = to_copy - getitem
    mul = sub * sub
    reduce_1 = tl.sum(mul, axis=1, keep_dims=True)
    getitem_1 = reduce_1 * 0.0009765625
    add = getitem_1 + 1e-05
    rsqrt = libdevice.rsqrt(add)
    mul_1 = sub * rsqrt
    w = tl.load(w_ptr + r)
    cast = w.to(tl.float32)
    mul_2 = mul_1 * cast
    b = tl.load(b_ptr + r)
    cast_1 = b.to(tl.float32)
    add_1 = mul_2 + cast_1
    tl.store(to_copy_out_ptr + (p * 1024 + r), add_1.to(tl.bfloat16), eviction_policy="evict_first")


# case: permute rows bf16
def case(x, order, gate):
    device = x.device
    x = with_layout(x, (65536, 2048), (2048, 1))
    order = with_layout(order, (65536,), (1,))
    gate = with_layout(gate, (65536,), (1,))
    mul = torch.empty_strided((65536, 2048), (2048, 1), dtype=torch.bfloat16, device=device)
    lt_add_select_mul[(32, 1024)](order, x, gate, mul, num_warps=8, enable_fp_fusion=False, debug=True, sanitize_overflow=False)
    return (mul,)


@triton.jit
def lt_add_select_mul(order_ptr, x_ptr, gate_ptr, mul_out_ptr):  # tiles of 64 x 64: memory runs along both axes
    pid = tl.program_id(0)
    lanes = tl.arange(0, 64)[:, None]
    p = pid * 64 + lanes
    pid_r = tl.program_id(1)
    lanes_r = tl.arange(0, 64)[None, :]
    r = pid_r * 64 + lanes_r
    order = tl.load(order_ptr + r)
    lt = order < 0
    add = order + 65536
    select = tl.where(lt, add, order)
    select_1 = lib.checked(select, 65536, 'index out of range: <text>:11')
    x = tl.load(x_ptr + (p + select_1.to(tl.int32) * 2048))
    gate = tl.load(gate_ptr + r)
    tl.store(mul_out_ptr + (p + r * 2048), (x.to(tl.float32) * gate.to(tl.float32)).to(tl.bfloat16))


# case: take along columns f32
def case(x, i):
    device = x.device
    x = with_layout(x, (8192, 2048), (2048, 1))
    i = with_layout(i, (8192, 2048), (2048, 1))
    gather_1 = torch.empty_strided((8192, 2048), (2048, 1), dtype=torch.float32, device=device)
    gather[(8192,)](x, i, gather_1, num_warps=1, enable_fp_fusion=False, debug=True, sanitize_overflow=False)
    return (gather_1,)


@triton.jit
def gather(x_ptr, i_ptr, gather_out_ptr):  # 2048 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 2048)
    p = pid * 2048 + lanes
    i = tl.load(i_ptr + p)
    i_1 = lib.checked(i, 2048, 'index out of range: <text>:4')
    x = tl.load(x_ptr + (i_1.to(tl.int32) + pid * 2048))
    tl.store(gather_out_ptr + p, x)
