# torch 2.13

# case: reduction: sum of all f32
def case(arguments):
    (x,) = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (8192, 8192), (8192, 1), torch.float32, device)
    reduce = allocate((1, 1), (1, 1), torch.float32)
    partial = allocate((1, 2048), (2048, 1), torch.float32)
    arrived = counters(1, device)
    sum[(2048,)](x, partial, reduce, arrived, num_warps=8, enable_fp_fusion=False)
    del x
    del partial
    sum_1 = reinterpret(reduce, (), (), 0)
    return (sum_1,)


@triton.jit
def sum(x_ptr, partial_ptr, reduce_out_ptr, arrived_ptr):  # 1 row(s) looped by 4096 columns; the last of 2048 adds up
    q = tl.program_id(0)
    r = tl.arange(0, 4096)
    acc = tl.full((4096,), 0.0, tl.float32)
    acc_1 = acc
    for r_start in range(0, 32768, 4096):
        x = tl.load(x_ptr + (q * 32768 + (r_start + r)))
        acc_1 = acc_1 + x
    t = tl.sum(acc_1, axis=0)
    tl.store(partial_ptr + q, t)
    if lib.is_last(arrived_ptr, 2048):
        r_1 = tl.arange(0, 2048)
        t_1 = tl.load(partial_ptr + r_1)
        reduce = tl.sum(t_1, axis=0)
        tl.store(reduce_out_ptr, reduce)


# case: reduction: x / x.sum() f32
def case(arguments):
    (x,) = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (8192, 8192), (8192, 1), torch.float32, device)
    div = allocate((8192, 8192), (8192, 1), torch.float32)
    partial = allocate((1, 2048), (2048, 1), torch.float32)
    sum_div_parts[(2048,)](x, partial, num_warps=8, enable_fp_fusion=False)
    sum_div[(4096,)](x, div, partial, num_warps=8, enable_fp_fusion=False, launch_pdl=True)
    del partial
    return (div,)


@triton.jit
def sum_div_parts(x_ptr, partial_ptr):  # 1 row(s) looped by 4096 columns
    q = tl.program_id(0)
    r = tl.arange(0, 4096)
    acc = tl.full((4096,), 0.0, tl.float32)
    acc_1 = acc
    for r_start in range(0, 32768, 4096):
        x = tl.load(x_ptr + (q * 32768 + (r_start + r)))
        acc_1 = acc_1 + x
    t = tl.sum(acc_1, axis=0)
    tl.store(partial_ptr + q, t)


@triton.jit
def sum_div(x_ptr, div_out_ptr, partial_ptr):  # 1 row(s) looped by 8192 columns
    tl.extra.cuda.gdc_wait()
    q = tl.program_id(0)
    q_1 = -q + 4095
    r = tl.arange(0, 2048)
    t = tl.load(partial_ptr + r)
    reduce = tl.sum(t, axis=0)
    r_1 = tl.arange(0, 8192)
    for r_start in range(0, 16384, 8192):
        r_2 = r_start + r_1
        x = tl.load(x_ptr + (q_1 * 16384 + r_2))
        tl.store(div_out_ptr + (q_1 * 16384 + r_2), tl.div_rn(x, reduce))


# case: reduction: sum of columns f32
def case(arguments):
    (x,) = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (8192, 8192), (8192, 1), torch.float32, device)
    reduce = allocate((1, 8192), (8192, 1), torch.float32)
    sum[(512,)](x, reduce, num_warps=8, enable_fp_fusion=False, maxnreg=64)
    del x
    sum_1 = reinterpret(reduce, (8192,), (1,), 0)
    return (sum_1,)


@triton.jit
def sum(x_ptr, reduce_out_ptr):  # 16 row(s) looped by 256 columns
    pid = tl.program_id(0)
    lanes = tl.arange(0, 16)[:, None]
    p = pid * 16 + lanes
    r = tl.arange(0, 256)[None, :]
    acc = tl.full((16, 256), 0.0, tl.float32)
    acc_1 = acc
    for r_start in range(0, 8192, 256):
        x = tl.load(x_ptr + (p + (r_start + r) * 8192))
        acc_1 = acc_1 + x
    reduce = tl.sum(acc_1, axis=1, keep_dims=True)
    tl.store(reduce_out_ptr + p, reduce)


# case: reduction: argmax of rows f32
def case(arguments):
    (x,) = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (65536, 2048), (2048, 1), torch.float32, device)
    reduce = allocate((65536, 1), (1, 1), torch.int64)
    argmax[(65536,)](x, reduce, num_warps=2, enable_fp_fusion=False)
    del x
    argmax_1 = reinterpret(reduce, (65536,), (1,), 0)
    return (argmax_1,)


@triton.jit
def argmax(x_ptr, reduce_out_ptr):  # 1 row(s) in registers; what it reads leaves the cache first
    p = tl.program_id(0)
    r = tl.arange(0, 2048)
    x = tl.load(x_ptr + (p * 2048 + r), eviction_policy="evict_first")
    t = tl.reduce(x, 0, lib.max_nan)
    t_1 = tl.reduce(tl.where((x == t) | (x != x), r, 2147483647), 0, lib.min_nan)
    tl.store(reduce_out_ptr + p, t_1.to(tl.int64))


# case: regions: bias gradient of images f16 64x256x56x56
def case(arguments):
    (dy,) = arguments
    arguments.clear()
    device = dy.device
    allocate = allocator(device)
    dy = expect(dy, (64, 256, 56, 56), (802816, 3136, 56, 1), torch.float16, device)
    cast = allocate((1, 256, 1, 1), (256, 1, 1, 1), torch.float16)
    partial = allocate((256, 8), (8, 1), torch.float32)
    arrived = counters(256, device)
    sum[(2048,)](dy, partial, cast, arrived, num_warps=4, enable_fp_fusion=False)
    del dy
    del partial
    sum_1 = reinterpret(cast, (256,), (1,), 0)
    return (sum_1,)


@triton.jit
def sum(dy_ptr, partial_ptr, cast_out_ptr, arrived_ptr):  # 1 row(s) looped by 4096 columns; the last of 8 adds up
    q = tl.program_id(0)
    r = tl.arange(0, 4096)
    t = (r - 3136) < 0
    acc = tl.full((4096,), 0.0, tl.float32)
    acc_1 = acc
    for r_start in tl.range(0, 32768, 4096, num_stages=4):
        base = (q // 8) * 3136 + (q % 8) * 6422528 + (r_start // 4096) * 802816
        dy = tl.load(dy_ptr + (base + r), mask=t, other=0)
        cast = dy.to(tl.float32)
        acc_1 = acc_1 + cast
    t_1 = tl.sum(tl.where(t, acc_1, 0.0), axis=0)
    tl.store(partial_ptr + q, t_1)
    if lib.is_last(arrived_ptr + (q // 8), 8):
        r_1 = tl.arange(0, 8)
        t_2 = tl.load(partial_ptr + ((q // 8) * 8 + r_1))
        reduce = tl.sum(t_2, axis=0)
        tl.store(cast_out_ptr + (q // 8), reduce.to(tl.float16))


# case: scan: cumsum f32 65536x1024
def case(arguments):
    (x,) = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (65536, 1024), (1024, 1), torch.float32, device)
    cumsum_1 = allocate((65536, 1024), (1024, 1), torch.float32)
    cumsum[(65536,)](x, cumsum_1, num_warps=2, enable_fp_fusion=False)
    return (cumsum_1,)


@triton.jit
def cumsum(x_ptr, cumsum_out_ptr):  # 1 row(s) in registers; what it reads leaves the cache last
    p = tl.program_id(0)
    r = tl.arange(0, 1024)
    x = tl.load(x_ptr + (p * 1024 + r), eviction_policy="evict_last")
    cumsum = tl.associative_scan(x, 0, lib.add)
    tl.store(cumsum_out_ptr + (p * 1024 + r), cumsum)


# case: scan: cumsum f32 64x1048576
def case(arguments):
    (x,) = arguments
    arguments.clear()
    device = x.device
    allocate = allocator(device)
    x = expect(x, (64, 1048576), (1048576, 1), torch.float32, device)
    cumsum_1 = allocate((64, 1048576), (1048576, 1), torch.float32)
    told = counters.kept("cumsum", 16385, device)
    cumsum[(16384,)](x, cumsum_1, told, num_warps=4, enable_fp_fusion=False)
    return (cumsum_1,)


@triton.jit
def cumsum(x_ptr, cumsum_out_ptr, told_ptr):  # 1 row(s) looped by 2048 columns
    mark = lib.epoch(told_ptr, 16384)
    q = tl.program_id(0)
    r = tl.arange(0, 2048)
    acc = tl.full((2048,), 0.0, tl.float32)
    base = (q // 64) * 4096 + (q % 64) * 1048576
    acc_1 = acc
    for r_start in tl.static_range(0, 4096, 2048):
        r_start = tl.full((), r_start, tl.int32)
        x = tl.load(x_ptr + (base + (r_start + r)), eviction_policy="evict_last")
        acc_1 = acc_1 + x
    total = tl.sum(acc_1, axis=0)
    part = q // 64
    place = part % 128
    lib.publish(told_ptr + ((q // 64) + (q % 64) * 256 + 1), total, mark, place != 127)
    lanes = tl.arange(0, 128)
    i = (part // 128) * 128 + lanes - 1
    mask = (i < part) & (i >= 0)
    told = lib.awaited(told_ptr + ((q % 64) * 256 + i + 1), mask, mark, tl.float32)
    before = tl.sum(tl.where(mask, told, 0.0), axis=0)
    lib.publish(told_ptr + ((q // 64) + (q % 64) * 256 + 1), before + total, mark, place == 127)
    t = r == 2047
    acc_2 = tl.full((), 0.0, tl.float32)
    for r_start_1 in range(0, 4096, 2048):
        r_1 = r_start_1 + r
        x_1 = tl.load(x_ptr + (base + r_1), eviction_policy="evict_first")
        cumsum = tl.associative_scan(x_1, 0, lib.add)
        cumsum_1 = lib.add(acc_2, cumsum)
        carry = tl.sum(tl.where(t, cumsum_1, 0.0), axis=0)
        tl.store(cumsum_out_ptr + (base + r_1), before + cumsum_1)
        acc_2 = carry
    lib.done(told_ptr)
