"""What programs that do a row together sum up for a variance: distances from one number near the mean of the row.

    t, q = reduce welford over r of x[r]                                   t their sum, q the squares about t / n
 -> K = (reduce add over j of x[j]) / B                                    j in 0 .. B, the first columns
    d, e = reduce add, add over r of x[r] - K, (x[r] - K) ** 2
    t = d + n * K;  q = max(e - d * d / n, 0)

Each part of the row adds to d and e what its columns come to, and what programs tell is small where the mean is not:
sums of x itself are rounded by as much as distances from a mean of 10,000 standard deviations have to say. Welford's
rule keeps a sum and a square of every lane until all are known; plain sums, of few blocks each, are added up as they
come: fewer registers, so that a multiprocessor works on more programs, of which some await others.

K is the mean of B of the n columns, so that n * (K - t / n) ** 2 is at most n / B times q: the difference above loses
no more than a factor 1 + n / B of a unit roundoff, and about 1 + 1 / B if the first columns are like all others (the
shifted data algorithm: Chan, Golub and LeVeque, "Algorithms for computing the sample variance", 1983, whose bound is in
terms of n * (K - mean) ** 2 / q).
"""

from __future__ import annotations

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc_dialects.loop_memory import divisors
from mlc_dialects.mlc_loop import KernelOp, ReduceOp
from mlc_dialects.scalar import Scalars, fma
from mlc_support.powers import power_of_two
from passes.online_reduction import rebuilt


def shift_sums(kernel: KernelOp, first: int, held: bool) -> None:
    """Makes plain sums of the variances of known numbers of columns; K is the mean of up to `first`, all of one plane.

    Where lanes hold all their columns (`held`) distances are computed twice, the second time the other way round: those
    that two sums share would be held beside the columns, from one sum to the next. Loops of which a condition leaves
    columns out stay as they are.
    """
    for loop in [op for op in kernel.rows.body.block.ops if isinstance(op, ReduceOp)]:
        known = loop.size.constant is not None and loop.end.condition is None
        if known and "welford" in {kind.data for kind in loop.kinds}:
            _shift(loop, power_of_two(min({first} | divisors(loop)) + 1) // 2, held)


def _shift(loop: ReduceOp, first: int, held: bool) -> None:
    """Puts two loops, over the `first` columns and over all, in the place of `loop`."""
    pivots = iter(_pivots(loop, first))
    inside = Scalars(lambda op: Rewriter.insert_op(op, InsertPoint.before(loop.end)))
    kinds: list[str] = []
    given: list[SSAValue] = []
    for kind, x, results in loop.parts:
        if kind != "welford":
            kinds, given = [*kinds, kind], [*given, x]
            continue
        pivot = next(pivots)
        distance = inside.op(arith.SubfOp(x, pivot))
        other = inside.op(arith.SubfOp(pivot, x)) if held else distance
        kinds, given = [*kinds, "add", "add"], [*given, distance, inside.op(arith.MulfOp(other, other))]
        _unshift(loop, results, pivot)
    rebuilt(loop, kinds, loop.outputs, given)


def _pivots(loop: ReduceOp, first: int) -> list[SSAValue]:
    """Of each variance, the mean of the `first` columns, a power of two; 0 if that is not finite.

    Then what is shifted by it is what it was.
    """
    near = loop.clone()
    Rewriter.insert_op(near, InsertPoint.before(loop))
    near.extent, near.index.name_hint, near.location = StringAttr(str(first)), "j", loop.location
    pairs = [(x, results[0]) for kind, x, results in near.parts if kind == "welford"]
    sums = rebuilt(near, ["add"] * len(pairs), [total for _, total in pairs], [x for x, _ in pairs])
    scalars = Scalars(lambda op: Rewriter.insert_op(op, InsertPoint.before(loop)))
    return [_finite_mean(total, first, scalars) for total in sums.outputs]


def _finite_mean(total: SSAValue, count: int, scalars: Scalars) -> SSAValue:
    total.name_hint = None
    mean = scalars.op(arith.MulfOp(total, scalars.constant(1 / count, total.type)))
    finite = scalars.compare("lt", scalars.op(math.AbsFOp(mean)), scalars.constant(float("inf"), total.type))
    pivot = scalars.select(finite, mean, scalars.constant(0.0, total.type))
    pivot.name_hint = "pivot"
    return pivot


def _unshift(loop: ReduceOp, results: tuple[SSAValue, ...], pivot: SSAValue) -> None:
    """Lets those who read a sum, and the squares about its mean, read what they are if `results` are of distances."""
    (d, e), size, ops = results, loop.size.constant or 0, list[Operation]()
    scalars = Scalars(ops.append)
    count, zero = (scalars.constant(v, d.type) for v in (size, 0.0))
    total = scalars.op(fma(count, pivot, d))
    square = scalars.op(arith.MulfOp(d, scalars.op(arith.DivfOp(d, count))))
    about = scalars.op(arith.MaximumfOp(scalars.op(arith.SubfOp(e, square)), zero))
    Rewriter.insert_op(ops, InsertPoint.after(loop))
    for old, new in ((d, total), (e, about)):
        new.name_hint, old.name_hint = old.name_hint, None
        old.replace_uses_with_if(new, lambda use: use.operation not in ops)
