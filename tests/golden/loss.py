# torch 2.13

# case: cross entropy bf16 8192x32000
def case(logits, target):
    device = logits.device
    logits = with_layout(logits, (8192, 32000), (32000, 1))
    target = with_layout(target, (8192,), (1,))
    ne = torch.empty_strided((8192,), (1,), dtype=torch.bool, device=device)
    where = torch.empty_strided((8192,), (1,), dtype=torch.float32, device=device)
    div = torch.empty_strided((), (), dtype=torch.float32, device=device)
    arrived = counters(1, device)
    max_sub_exp_mul_neg[(8192,)](logits, target, ne, where, div, arrived, num_warps=4, enable_fp_fusion=False, debug=True, sanitize_overflow=False)
    del where
    del ne
    return (div,)


@triton.jit
def max_sub_exp_mul_neg(logits_ptr, target_ptr, ne_out_ptr, where_out_ptr, div_out_ptr, arrived_ptr):  # a row of 32000, more than 16384: looped by 8192; the last of 8192 adds up
    p = tl.program_id(0)
    r = tl.arange(0, 8192)
    target = tl.load(target_ptr + p)
    ne = target != -100
    where = tl.where(ne, target, 0)
    where_1 = lib.checked(where, 32000, 'index out of range: <text>:18')
    logits = tl.load(logits_ptr + (p * 32000 + where_1.to(tl.int32)))
    amax = tl.full((), float("-inf"), tl.float32)
    acc = tl.full((), 0.0, tl.float32)
    for r_start in range(0, 32000, 8192):
        r_1 = r_start + r
        logits_1 = tl.load(logits_ptr + (p * 32000 + r_1), mask=r_1 < 32000, other=float("-inf"))
        to_copy = logits_1.to(tl.float32)
        t = tl.reduce(to_copy, 0, lib.max_nan)
        m = tl.maximum(amax, t, propagate_nan=tl.PropagateNan.ALL)
        base = tl.where(m == float("-inf"), 0.0, m)
        t_1 = tl.where(tl.abs(base) >= 1.0737418e+09, tl.full((), 1.0, tl.float32), tl.full((), 1.442695, tl.float32))
        t_2 = (base * t_1) * -1.0
        t_3 = tl.sum(tl.exp2(tl.fma(to_copy, t_1, t_2)), axis=0)
        t_4 = (acc * tl.exp(amax - base)) + (t_3 * tl.exp2(tl.fma(base, t_1, t_2) * -1.0))
        amax, acc = m, t_4
    tl.store(ne_out_ptr + p, ne)
    where_2 = ne.to(tl.float32)
    to_copy_1 = logits.to(tl.float32)
    sub = to_copy_1 - amax
    log = libdevice.log(tl.where(amax == float("-inf"), float("nan"), acc))
    sub_1 = sub - log
    mul = (where_2 * sub_1) * -1.0
    tl.store(where_out_ptr + p, tl.where(ne, mul, 0.0))
    if lib.is_last(arrived_ptr, 8192):
        r_2 = tl.arange(0, 2048)
        acc_1 = tl.full((2048,), 0.0, tl.float32)
        acc_2 = acc_1
        acc_3 = acc_1
        for r_start_1 in range(0, 8192, 2048):
            r_3 = r_start_1 + r_2
            ne_1 = tl.load(ne_out_ptr + r_3)
            where_3 = ne_1.to(tl.float32)
            where_4 = tl.load(where_out_ptr + r_3)
            acc_2, acc_3 = acc_2 + where_3, acc_3 + where_4
        reduce = tl.sum(acc_2, axis=0)
        reduce_1 = tl.sum(acc_3, axis=0)
        tl.store(div_out_ptr, tl.div_rn(reduce_1, reduce))


# case: cross entropy bf16 8192x128256
def case(logits, target):
    device = logits.device
    logits = with_layout(logits, (8192, 128256), (128256, 1))
    target = with_layout(target, (8192,), (1,))
    ne = torch.empty_strided((8192,), (1,), dtype=torch.bool, device=device)
    where = torch.empty_strided((8192,), (1,), dtype=torch.float32, device=device)
    div = torch.empty_strided((), (), dtype=torch.float32, device=device)
    arrived = counters(1, device)
    max_sub_exp_mul_neg[(8192,)](logits, target, ne, where, div, arrived, num_warps=4, enable_fp_fusion=False, debug=True, sanitize_overflow=False)
    del where
    del ne
    return (div,)


@triton.jit
def max_sub_exp_mul_neg(logits_ptr, target_ptr, ne_out_ptr, where_out_ptr, div_out_ptr, arrived_ptr):  # a row of 128256, more than 16384: looped by 8192; the last of 8192 adds up
    p = tl.program_id(0)
    r = tl.arange(0, 8192)
    target = tl.load(target_ptr + p)
    ne = target != -100
    where = tl.where(ne, target, 0)
    where_1 = lib.checked(where, 128256, 'index out of range: <text>:18')
    logits = tl.load(logits_ptr + (p * 128256 + where_1.to(tl.int32)))
    amax = tl.full((), float("-inf"), tl.float32)
    acc = tl.full((), 0.0, tl.float32)
    for r_start in range(0, 128256, 8192):
        r_1 = r_start + r
        logits_1 = tl.load(logits_ptr + (p * 128256 + r_1), mask=r_1 < 128256, other=float("-inf"))
        to_copy = logits_1.to(tl.float32)
        t = tl.reduce(to_copy, 0, lib.max_nan)
        m = tl.maximum(amax, t, propagate_nan=tl.PropagateNan.ALL)
        base = tl.where(m == float("-inf"), 0.0, m)
        t_1 = tl.where(tl.abs(base) >= 1.0737418e+09, tl.full((), 1.0, tl.float32), tl.full((), 1.442695, tl.float32))
        t_2 = (base * t_1) * -1.0
        t_3 = tl.sum(tl.exp2(tl.fma(to_copy, t_1, t_2)), axis=0)
        t_4 = (acc * tl.exp(amax - base)) + (t_3 * tl.exp2(tl.fma(base, t_1, t_2) * -1.0))
        amax, acc = m, t_4
    tl.store(ne_out_ptr + p, ne)
    where_2 = ne.to(tl.float32)
    to_copy_1 = logits.to(tl.float32)
    sub = to_copy_1 - amax
    log = libdevice.log(tl.where(amax == float("-inf"), float("nan"), acc))
    sub_1 = sub - log
    mul = (where_2 * sub_1) * -1.0
    tl.store(where_out_ptr + p, tl.where(ne, mul, 0.0))
    if lib.is_last(arrived_ptr, 8192):
        r_2 = tl.arange(0, 2048)
        acc_1 = tl.full((2048,), 0.0, tl.float32)
        acc_2 = acc_1
        acc_3 = acc_1
        for r_start_1 in range(0, 8192, 2048):
            r_3 = r_start_1 + r_2
            ne_1 = tl.load(ne_out_ptr + r_3)
            where_3 = ne_1.to(tl.float32)
            where_4 = tl.load(where_out_ptr + r_3)
            acc_2, acc_3 = acc_2 + where_3, acc_3 + where_4
        reduce = tl.sum(acc_2, axis=0)
        reduce_1 = tl.sum(acc_3, axis=0)
        tl.store(div_out_ptr, tl.div_rn(reduce_1, reduce))


# case: cross entropy backward bf16 8192x32000
def case(logits, target):
    device = logits.device
    logits = with_layout(logits, (8192, 32000), (32000, 1))
    target = with_layout(target, (8192,), (1,))
    to_copy = torch.empty_strided((8192, 32000), (32000, 1), dtype=torch.bfloat16, device=device)
    max_sub_exp_eq_mul[(8192,)](logits, target, to_copy, num_warps=8, enable_fp_fusion=False)
    return (to_copy,)


@triton.jit
def max_sub_exp_eq_mul(logits_ptr, target_ptr, to_copy_out_ptr):  # a row of 32000, more than 16384: looped by 8192
    p = tl.program_id(0)
    r = tl.arange(0, 8192)
    target = tl.load(target_ptr + p)
    amax = tl.full((), float("-inf"), tl.float32)
    acc = tl.full((), 0.0, tl.float32)
    for r_start in range(0, 32000, 8192):
        r_1 = r_start + r
        logits = tl.load(logits_ptr + (p * 32000 + r_1), mask=r_1 < 32000, other=float("-inf"), eviction_policy="evict_last")
        to_copy = logits.to(tl.float32)
        t = tl.reduce(to_copy, 0, lib.max_nan)
        m = tl.maximum(amax, t, propagate_nan=tl.PropagateNan.ALL)
        base = tl.where(m == float("-inf"), 0.0, m)
        t_1 = tl.where(tl.abs(base) >= 1.0737418e+09, tl.full((), 1.0, tl.float32), tl.full((), 1.442695, tl.float32))
        t_2 = (base * t_1) * -1.0
        t_3 = tl.sum(tl.exp2(tl.fma(to_copy, t_1, t_2)), axis=0)
        t_4 = (acc * tl.exp(amax - base)) + (t_3 * tl.exp2(tl.fma(base, t_1, t_2) * -1.0))
        amax, acc = m, t_4
    sum = tl.where(amax == float("-inf"), float("nan"), acc)
    p_1 = tl.where(tl.abs(sum) < 7.888609e-31, tl.full((), 1.6777216e+07, tl.float32), tl.full((), 1.0, tl.float32))
    p_2 = tl.div_rn(tl.full((), 1.0, tl.float32), sum * p_1)
    for r_start_1 in range(0, 32000, 8192):
        r_2 = (-r_start_1 + 24576) + r
        mask = r_2 < 32000
        logits_1 = tl.load(logits_ptr + (p * 32000 + r_2), mask=mask, other=0, eviction_policy="evict_first")
        to_copy_1 = logits_1.to(tl.float32)
        sub = to_copy_1 - amax
        exp = tl.exp(sub)
        p_3 = (exp * p_1) * p_2
        hit = target == r_2.to(tl.int64)
        to_copy_2 = hit.to(tl.float32)
        sub_1 = p_3 - to_copy_2
        div = sub_1 * 0.00012207031
        tl.store(to_copy_out_ptr + (p * 32000 + r_2), div.to(tl.bfloat16), mask=mask, eviction_policy="evict_first")


# case: binary cross entropy f32
def case(input, target):
    device = input.device
    input = with_layout(input, (8192, 8192), (8192, 1))
    target = with_layout(target, (8192, 8192), (8192, 1))
    div = torch.empty_strided((1, 1), (1, 1), dtype=torch.float32, device=device)
    partial = torch.empty_strided((1, 1024), (1024, 1), dtype=torch.float32, device=device)
    arrived = counters(1, device)
    sub_mul_minimum_log1p_sum[(1024,)](target, input, partial, div, arrived, num_warps=16, enable_fp_fusion=False)
    del partial
    mean = div.as_strided((), (), div.storage_offset())
    return (mean,)


@triton.jit
def sub_mul_minimum_log1p_sum(target_ptr, input_ptr, partial_ptr, div_out_ptr, arrived_ptr):  # a row of 65536, more than 16384: looped by 4096; the last of 1024 adds up
    q = tl.program_id(0)
    r = tl.arange(0, 4096)
    acc = tl.full((4096,), 0.0, tl.float32)
    acc_1 = acc
    for r_start in range(0, 65536, 4096):
        r_1 = r_start + r
        target = tl.load(target_ptr + (q * 65536 + r_1))
        rsub = 1.0 - target
        input = tl.load(input_ptr + (q * 65536 + r_1))
        mul = rsub * input
        minimum = tl.minimum(input, 0.0, propagate_nan=tl.PropagateNan.ALL)
        abs = tl.abs(input)
        neg = abs * -1.0
        exp = libdevice.exp(neg)
        log1p = libdevice.log1p(exp)
        sub = minimum - log1p
        sub_1 = mul - sub
        acc_1 = acc_1 + sub_1
    t = tl.sum(acc_1, axis=0)
    tl.store(partial_ptr + q, t)
    if lib.is_last(arrived_ptr, 1024):
        r_2 = tl.arange(0, 1024)
        t_1 = tl.load(partial_ptr + r_2)
        reduce = tl.sum(t_1, axis=0)
        tl.store(div_out_ptr, reduce * 1.4901161e-08)


# case: smooth l1 f32
def case(input, target):
    device = input.device
    input = with_layout(input, (8192, 8192), (8192, 1))
    target = with_layout(target, (8192, 8192), (8192, 1))
    div = torch.empty_strided((1, 1), (1, 1), dtype=torch.float32, device=device)
    partial = torch.empty_strided((1, 1024), (1024, 1), dtype=torch.float32, device=device)
    arrived = counters(1, device)
    sub_abs_lt_select_sum[(1024,)](input, target, partial, div, arrived, num_warps=8, enable_fp_fusion=False)
    del partial
    mean = div.as_strided((), (), div.storage_offset())
    return (mean,)


@triton.jit
def sub_abs_lt_select_sum(input_ptr, target_ptr, partial_ptr, div_out_ptr, arrived_ptr):  # a row of 65536, more than 16384: looped by 4096; the last of 1024 adds up
    q = tl.program_id(0)
    r = tl.arange(0, 4096)
    acc = tl.full((4096,), 0.0, tl.float32)
    acc_1 = acc
    for r_start in range(0, 65536, 4096):
        r_1 = r_start + r
        input = tl.load(input_ptr + (q * 65536 + r_1))
        target = tl.load(target_ptr + (q * 65536 + r_1))
        sub = input - target
        abs = tl.abs(sub)
        lt = abs < 1.0
        pow = sub * sub
        mul = pow * 0.5
        sub_1 = abs + -0.5
        where = tl.where(lt, mul, sub_1)
        acc_1 = acc_1 + where
    t = tl.sum(acc_1, axis=0)
    tl.store(partial_ptr + q, t)
    if lib.is_last(arrived_ptr, 1024):
        r_2 = tl.arange(0, 1024)
        t_1 = tl.load(partial_ptr + r_2)
        reduce = tl.sum(t_1, axis=0)
        tl.store(div_out_ptr, reduce * 1.4901161e-08)


# case: kl divergence f32 16384x4096
def case(x, y):
    device = x.device
    x = with_layout(x, (16384, 4096), (4096, 1))
    y = with_layout(y, (16384, 4096), (4096, 1))
    reduce = torch.empty_strided((16384, 1), (1, 1), dtype=torch.float32, device=device)
    max_sub_exp_log_mul[(16384,)](x, y, reduce, num_warps=8, enable_fp_fusion=False)
    div = torch.empty_strided((), (), dtype=torch.float32, device=device)
    sum_mul[(1,)](reduce, div, num_warps=32, enable_fp_fusion=False)
    del reduce
    return (div,)


@triton.jit
def max_sub_exp_log_mul(x_ptr, y_ptr, reduce_out_ptr):  # 1 row(s) of 4096 kept in registers; what it reads leaves the cache first
    p = tl.program_id(0)
    r = tl.arange(0, 4096)
    x = tl.load(x_ptr + (p * 4096 + r), eviction_policy="evict_first")
    y = tl.load(y_ptr + (p * 4096 + r), eviction_policy="evict_first")
    amax = tl.reduce(x, 0, lib.max_nan)
    amax_1 = tl.reduce(y, 0, lib.max_nan)
    sub = x - amax
    exp = tl.exp(sub)
    sub_1 = y - amax_1
    exp_1 = tl.exp(sub_1)
    sum = tl.sum(exp, axis=0)
    sum_1 = tl.sum(exp_1, axis=0)
    log = libdevice.log(sum_1)
    log_1 = libdevice.log(sum)
    sub_2 = sub_1 - log
    exp_2 = libdevice.exp(sub_2)
    sub_3 = sub - log_1
    sub_4 = sub_2 - sub_3
    mul = exp_2 * sub_4
    reduce = tl.sum(mul, axis=0)
    tl.store(reduce_out_ptr + p, reduce)


@triton.jit
def sum_mul(reduce_ptr, div_out_ptr):  # 1 row(s) of 16384 kept in registers
    r = tl.arange(0, 16384)
    reduce = tl.load(reduce_ptr + r)
    reduce_1 = tl.sum(reduce, axis=0)
    tl.store(div_out_ptr, reduce_1 * 6.1035156e-05)
