# torch 2.13

# case: cumsum f32 65536x1024
def case(x):
    device = x.device
    x = with_layout(x, (65536, 1024), (1024, 1))
    cumsum_1 = torch.empty_strided((65536, 1024), (1024, 1), dtype=torch.float32, device=device)
    cumsum[(65536,)](x, cumsum_1, num_warps=1, enable_fp_fusion=False)
    return (cumsum_1,)


@triton.jit
def cumsum(x_ptr, cumsum_out_ptr):  # 1 row(s) of 1024 kept in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 1024)
    x = tl.load(x_ptr + (p * 1024 + r), eviction_policy="evict_last")
    cumsum = tl.associative_scan(x, 0, lib.add)
    tl.store(cumsum_out_ptr + (p * 1024 + r), cumsum)


# case: cumsum bf16 16384x8192
def case(x):
    device = x.device
    x = with_layout(x, (16384, 8192), (8192, 1))
    to_copy = torch.empty_strided((16384, 8192), (8192, 1), dtype=torch.bfloat16, device=device)
    cumsum[(16384,)](x, to_copy, num_warps=8, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def cumsum(x_ptr, to_copy_out_ptr):  # 1 row(s) of 8192 kept in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 8192)
    x = tl.load(x_ptr + (p * 8192 + r), eviction_policy="evict_last")
    to_copy = x.to(tl.float32)
    cumsum = tl.associative_scan(to_copy, 0, lib.add)
    tl.store(to_copy_out_ptr + (p * 8192 + r), cumsum.to(tl.bfloat16))


# case: cumsum f32 64x1048576
def case(x):
    device = x.device
    x = with_layout(x, (64, 1048576), (1048576, 1))
    cumsum_1 = torch.empty_strided((64, 1048576), (1048576, 1), dtype=torch.float32, device=device)
    told = counters.kept("cumsum", 8193, device)
    cumsum[(8192,)](x, cumsum_1, told, num_warps=8, enable_fp_fusion=False)
    return (cumsum_1,)


@triton.jit
def cumsum(x_ptr, cumsum_out_ptr, told_ptr):  # 1 row(s) of 8192 kept in registers; what it reads leaves the cache last
    q, mark = lib.ticket(told_ptr, 8192)
    r = tl.arange(0, 8192)
    base = (q // 64) * 8192 + (q % 64) * 1048576
    x = tl.load(x_ptr + (base + r), eviction_policy="evict_last")
    total = tl.sum(x, axis=0)
    lib.publish(told_ptr + ((q // 64) + (q % 64) * 128 + 1), total, mark)
    lanes = tl.arange(0, 128)
    mask = lanes < (q // 64)
    told = lib.awaited(told_ptr + (lanes + (q % 64) * 128 + 1), mask, mark, tl.float32)
    before = tl.sum(tl.where(mask, told, 0.0), axis=0)
    cumsum = tl.associative_scan(x, 0, lib.add)
    tl.store(cumsum_out_ptr + (base + r), before + cumsum)


# case: cumsum of columns f32
def case(x):
    device = x.device
    x = with_layout(x, (8192, 8192), (8192, 1))
    cumsum_1 = torch.empty_strided((8192, 8192), (8192, 1), dtype=torch.float32, device=device)
    cumsum[(256,)](x, cumsum_1, num_warps=1, enable_fp_fusion=False)
    return (cumsum_1,)


@triton.jit
def cumsum(x_ptr, cumsum_out_ptr):  # reduces down columns of memory: 32 of them side by side, 128 deep
    pid = tl.program_id(0)
    lanes = tl.arange(0, 32)[:, None]
    p = pid * 32 + lanes
    r = tl.arange(0, 128)[None, :]
    carry = tl.full((32, 1), 0.0, tl.float32)
    t = r == 127
    acc = carry
    for r_start in tl.range(0, 8192, 128, num_stages=3):
        r_1 = r_start + r
        x = tl.load(x_ptr + (p + r_1 * 8192))
        cumsum = tl.associative_scan(x, 1, lib.add)
        cumsum_1 = lib.add(acc, cumsum)
        carry_1 = tl.sum(tl.where(t, cumsum_1, 0.0), axis=1, keep_dims=True)
        tl.store(cumsum_out_ptr + (p + r_1 * 8192), cumsum_1)
        acc = carry_1


# case: exclusive cumsum of a mask f32
def case(x):
    device = x.device
    x = with_layout(x, (32768, 2048), (2048, 1))
    sub = torch.empty_strided((32768, 2048), (2048, 1), dtype=torch.float32, device=device)
    gt_cumsum_add[(32768,)](x, sub, num_warps=2, enable_fp_fusion=False)
    return (sub,)


@triton.jit
def gt_cumsum_add(x_ptr, sub_out_ptr):  # 1 row(s) of 2048 kept in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 2048)
    x = tl.load(x_ptr + (p * 2048 + r), eviction_policy="evict_last")
    gt = x > 0.0
    to_copy = gt.to(tl.float32)
    cumsum = tl.associative_scan(to_copy, 0, lib.add)
    tl.store(sub_out_ptr + (p * 2048 + r), cumsum + -1.0)
