# torch 2.13

# case: cumsum f32 65536x1024
def case(x):
    device = x.device
    x = with_layout(x, (65536, 1024), (1024, 1))
    cumsum = single(torch.ops.aten.cumsum.default(x, -1))
    cumsum = with_layout(cumsum, (65536, 1024), (1024, 1))
    return (cumsum,)


# case: cumsum bf16 16384x8192
def case(x):
    device = x.device
    x = with_layout(x, (16384, 8192), (8192, 1))
    to_copy = torch.empty_strided((16384, 8192), (8192, 1), dtype=torch.float32, device=device)
    cast[(131072,)](x, to_copy, num_warps=4, num_stages=2, enable_fp_fusion=False)
    cumsum = single(torch.ops.aten.cumsum.default(to_copy, -1))
    cumsum = with_layout(cumsum, (16384, 8192), (8192, 1))
    del to_copy
    to_copy_1 = torch.empty_strided((16384, 8192), (8192, 1), dtype=torch.bfloat16, device=device)
    cast_1[(131072,)](cumsum, to_copy_1, num_warps=4, num_stages=2, enable_fp_fusion=False)
    del cumsum
    return (to_copy_1,)


@triton.jit
def cast(x_ptr, to_copy_out_ptr):  # 1024 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    x = tl.load(x_ptr + p)
    tl.store(to_copy_out_ptr + p, x.to(tl.float32))


@triton.jit
def cast_1(cumsum_ptr, to_copy_out_ptr):  # 1024 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    cumsum = tl.load(cumsum_ptr + p)
    tl.store(to_copy_out_ptr + p, cumsum.to(tl.bfloat16))


# case: cumsum f32 64x1048576
def case(x):
    device = x.device
    x = with_layout(x, (64, 1048576), (1048576, 1))
    cumsum = single(torch.ops.aten.cumsum.default(x, -1))
    cumsum = with_layout(cumsum, (64, 1048576), (1048576, 1))
    return (cumsum,)


# case: cumsum of columns f32
def case(x):
    device = x.device
    x = with_layout(x, (8192, 8192), (8192, 1))
    cumsum = single(torch.ops.aten.cumsum.default(x, 0))
    cumsum = with_layout(cumsum, (8192, 8192), (8192, 1))
    return (cumsum,)


# case: exclusive cumsum of a mask f32
def case(x):
    device = x.device
    x = with_layout(x, (32768, 2048), (2048, 1))
    to_copy = torch.empty_strided((32768, 2048), (2048, 1), dtype=torch.float32, device=device)
    gt[(65536,)](x, to_copy, num_warps=4, num_stages=2, enable_fp_fusion=False)
    cumsum = single(torch.ops.aten.cumsum.default(to_copy, -1))
    cumsum = with_layout(cumsum, (32768, 2048), (2048, 1))
    del to_copy
    sub_1 = torch.empty_strided((32768, 2048), (2048, 1), dtype=torch.float32, device=device)
    sub[(65536,)](cumsum, sub_1, num_warps=4, num_stages=2, enable_fp_fusion=False)
    del cumsum
    return (sub_1,)


@triton.jit
def gt(x_ptr, to_copy_out_ptr):  # 1024 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    x = tl.load(x_ptr + p)
    gt = x > 0.0
    tl.store(to_copy_out_ptr + p, gt.to(tl.float32))


@triton.jit
def sub(cumsum_ptr, sub_out_ptr):  # 1024 elements a program
    pid = tl.program_id(0)
    lanes = tl.arange(0, 1024)
    p = pid * 1024 + lanes
    cumsum = tl.load(cumsum_ptr + p)
    tl.store(sub_out_ptr + p, cumsum - 1.0)
