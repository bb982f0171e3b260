# torch 2.13

# case: column scale f32
def case(x, c):
    device = x.device
    x = with_layout(x, (8192, 8192), (8192, 1))
    c = with_layout(c, (8192, 1), (1, 1))
    mul_1 = torch.empty_strided((8192, 8192), (8192, 1), dtype=torch.float32, device=device)
    mul[(65536,)](x, c, mul_1, num_warps=4, enable_fp_fusion=False)
    return (mul_1,)


@triton.jit
def mul(x_ptr, c_ptr, mul_out_ptr):  # 1024 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    x = tl.load(x_ptr + p, eviction_policy="evict_last")
    c = tl.load(c_ptr + (pid // 8))
    tl.store(mul_out_ptr + p, x * c)


# case: channel scale and shift bf16
def case(x, s, b):
    device = x.device
    x = with_layout(x, (64, 256, 56, 56), (802816, 3136, 56, 1))
    s = with_layout(s, (256,), (1,))
    b = with_layout(b, (256,), (1,))
    relu = torch.empty_strided((64, 256, 56, 56), (802816, 3136, 56, 1), dtype=torch.bfloat16, device=device)
    mul_add_maximum[(50176,)](x, s, b, relu, num_warps=4, enable_fp_fusion=False)
    return (relu,)


@triton.jit
def mul_add_maximum(x_ptr, s_ptr, b_ptr, relu_out_ptr):  # 1024 elements a program; what it reads leaves the cache last
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    x = tl.load(x_ptr + p, eviction_policy="evict_last")
    s = tl.load(s_ptr + ((p // 3136) % 256))
    mul = (x.to(tl.float32) * s.to(tl.float32)).to(tl.bfloat16)
    b = tl.load(b_ptr + ((p // 3136) % 256))
    add = (mul.to(tl.float32) + b.to(tl.float32)).to(tl.bfloat16)
    relu = tl.maximum(add.to(tl.float32), tl.full((), 0.0, tl.bfloat16).to(tl.float32), propagate_nan=tl.PropagateNan.ALL)
    tl.store(relu_out_ptr + p, relu.to(tl.bfloat16))


# case: outer difference bf16
def case(x, y):
    device = x.device
    x = with_layout(x, (16384,), (1,))
    y = with_layout(y, (16384,), (1,))
    abs = torch.empty_strided((16384, 16384), (16384, 1), dtype=torch.bfloat16, device=device)
    sub_abs[(131072,)](x, y, abs, num_warps=4, enable_fp_fusion=False)
    return (abs,)


@triton.jit
def sub_abs(x_ptr, y_ptr, abs_out_ptr):  # 2048 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 2048)
    x = tl.load(x_ptr + (pid // 8))
    y = tl.load(y_ptr + (lanes + (pid % 8) * 2048))
    sub = (x.to(tl.float32) - y.to(tl.float32)).to(tl.bfloat16)
    tl.store(abs_out_ptr + ((pid * 2048 + lanes)), tl.abs(sub.to(tl.float32)).to(tl.bfloat16))


# case: attention bias and mask bf16
def case(s, bias, mask):
    device = s.device
    s = with_layout(s, (8, 16, 1024, 1024), (16777216, 1048576, 1024, 1))
    bias = with_layout(bias, (16, 1024, 1024), (1048576, 1024, 1))
    mask = with_layout(mask, (8, 1024), (1024, 1))
    where = torch.empty_strided((8, 16, 1024, 1024), (16777216, 1048576, 1024, 1), dtype=torch.bfloat16, device=device)
    mul_add_select[(131072,)](s, bias, mask, where, num_warps=4, enable_fp_fusion=False)
    return (where,)


@triton.jit
def mul_add_select(s_ptr, bias_ptr, mask_ptr, where_out_ptr):  # 1024 elements a program; in turns of 8 that read the same
    turn = tl.program_id(0)
    pid = (turn // 8) + (turn % 8) * 16384
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    mask = tl.load(mask_ptr + (lanes + (pid // 16384) * 1024))
    s = tl.load(s_ptr + p)
    mul = s.to(tl.float32) * tl.full((), 0.125, tl.bfloat16).to(tl.float32)
    mul_1 = mul.to(tl.bfloat16)
    bias = tl.load(bias_ptr + (lanes + (pid % 16384) * 1024))
    add = (mul_1.to(tl.float32) + bias.to(tl.float32)).to(tl.bfloat16)
    tl.store(where_out_ptr + p, tl.where(mask, add, -9984.0))
