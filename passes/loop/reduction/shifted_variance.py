"""shifted-variance: the variance of a long row is computed from its distances to a number near its mean.

    t, q = reduce welford over r of x[r]                                   t their sum, q the squares about t / n
 -> K = (reduce add over j of x[s(j)]) / B                                 B columns from all over the row; or 0
    d, e = reduce add, add over r of x[r] - K, (x[r] - K) ** 2
    t = d + n * K;  q = max(e - d * d / n, 0)

Each part of the row adds to d and e what its columns come to, and what programs tell is small where the mean is not:
sums of x itself are rounded by as much as distances from a mean of 10,000 standard deviations have to say. Welford's
rule keeps a sum and a square of every lane until all are known; plain sums, of few blocks each, are added up as they
come: fewer registers, so that a multiprocessor works on more programs, of which some await others.

K is the mean of B of the n columns, so that n * (K - t / n) ** 2 is at most n / B times q: the difference above loses
no more than a factor 1 + n / B of a unit roundoff, and about 1 + 1 / B if those columns are like all others (the
shifted data algorithm: Chan, Golub and LeVeque, "Algorithms for computing the sample variance", 1983, whose bound is in
terms of n * (K - mean) ** 2 / q). They are short runs from all over the row, whose begin may be like nothing else.

A mean that is small beside the numbers themselves has nothing to lose: 0 stands for K where K ** 2 is less than a 16th
of their mean square. Distances from another number would sum up to more than they do, and be rounded by as much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from mlc_dialects.common.index_syntax import index_attribute, index_exprs, operand_name
from mlc_dialects.common.scalar_builder import Scalars, fma
from mlc_dialects.loop.dialect import AtomicOp, IndexOp, KernelOp, LoadOp, ReduceOp, StoreOp
from mlc_dialects.loop.memory import divisors
from mlc_dialects.triton.types import LANES
from mlc_support.index_expr import variable
from mlc_support.powers import power_of_two_up_to
from passes.loop.reduction.online_reduction import rebuilt, reductions

RUNS = 16
"""From how many places of a row the columns are that a number near the mean is made of."""
NEAR = 16.0
"""How many times the square of a mean is less than the mean square where the mean is as good as 0."""


@dataclass(frozen=True)
class ShiftedVariancePass(ModulePass):
    """Shifts the variances of rows that a program loops over; K is the mean of as many columns as a warp has lanes.

    Each warp sums them up for itself: it need not wait for others, and goes on to the row meanwhile.
    """

    name = "shifted-variance"
    rounds_otherwise: ClassVar[bool] = True
    few: int = LANES

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [k for k in op.ops if isinstance(k, KernelOp) and k.warps is not None and k.rows.block_size == 1]:
            if shift_sums([loop for loop in reductions(kernel) if loop.blocks.constant != 1], self.few):
                kernel.explain("variances are sums of distances")


def shift_sums(loops: Sequence[ReduceOp], few: int, resident: bool = False) -> bool:
    """Makes plain sums of the variances of known numbers of columns, and True if there are such.

    K is the mean of up to `few` columns. Where all columns of a loop are register-resident (`resident`), distances are
    computed twice, the second time as K - x: if both sums shared x - K, it would occupy registers between them.
    Loops of which a condition leaves columns out stay as they are.
    """
    known = [loop for loop in loops if loop.size.constant is not None and loop.end.condition is None]
    found = [loop for loop in known if "welford" in {kind.data for kind in loop.kinds}]
    for loop in found:
        _shift(loop, power_of_two_up_to(few), resident)
    return bool(found)


def _shift(loop: ReduceOp, few: int, resident: bool) -> None:
    """Puts two loops, over a `few` columns and over all, in the place of `loop`."""
    pivots = iter(_pivots(loop, few))
    inside = Scalars(lambda op: Rewriter.insert_op(op, InsertPoint.before(loop.end)))
    kinds: list[str] = []
    given: list[SSAValue] = []
    for kind, x, results in loop.parts:
        if kind != "welford":
            kinds, given = [*kinds, kind], [*given, x]
            continue
        pivot = next(pivots)
        distance = inside.op(arith.SubfOp(x, pivot))
        other = inside.op(arith.SubfOp(pivot, x)) if resident else distance
        kinds, given = [*kinds, "add", "add"], [*given, distance, inside.op(arith.MulfOp(other, other))]
        _unshift(loop, results, pivot)
    rebuilt(loop, kinds, loop.outputs, given)


def _pivots(loop: ReduceOp, few: int) -> list[SSAValue]:
    """Of each variance, the mean of a `few` columns, a power of two, or 0."""
    near = loop.clone()
    Rewriter.insert_op(near, InsertPoint.before(loop))
    near.extent, near.index.name_hint, near.location = StringAttr(str(few)), "j", loop.location
    if loop.block is not None:
        near.set_mapping(block=few)
    _spread(near, few, loop.size.constant or 0)
    inside = Scalars(lambda op: Rewriter.insert_op(op, InsertPoint.before(near.end)))
    found = [(x, inside.op(arith.MulfOp(x, x)), *results) for kind, x, results in near.parts if kind == "welford"]
    given, results = [v for x, square, *_ in found for v in (x, square)], [r for _, _, *pair in found for r in pair]
    sums = rebuilt(near, ["add"] * len(given), results, given).outputs
    scalars = Scalars(lambda op: Rewriter.insert_op(op, InsertPoint.before(loop)))
    return [_far_mean(total, square, few, scalars) for total, square in zip(sums[::2], sums[1::2], strict=True)]


def _spread(near: ReduceOp, few: int, columns: int) -> None:
    """Lets `near`, which goes over the first columns, read as many others and store nothing.

    Runs lie as far apart as they can, in the middle of planes, of which they cross no edge, where there are enough.
    """
    run = max(1, few // RUNS)
    planes = [size for size in divisors(near) if size >= 2 * run and size * RUNS <= columns]
    unit = max(planes, default=run)
    apart, start = columns // RUNS // unit * unit, unit // 2 // run * run
    for op in list(near.walk()):
        match op:
            case StoreOp() | AtomicOp():
                Rewriter.erase_op(op)
            case LoadOp() | IndexOp():
                names = [operand_name(k) for k, index in enumerate(op.indices) if index is near.index]
                spread = {name: variable(name) // run * apart + variable(name) % run + start for name in names}
                op.index = index_attribute([expr.substitute(spread) for expr in index_exprs(op.index)])
            case _:
                pass


def _far_mean(total: SSAValue, square: SSAValue, count: int, scalars: Scalars) -> SSAValue:
    """The mean of `count` numbers; 0 if it is near 0 beside them, or if it is not finite.

    Then what is shifted by it is what it was. Numbers whose squares are not finite are far from 0.
    """
    total.name_hint = square.name_hint = None
    zero = scalars.constant(0.0, total.type)
    mean = scalars.op(arith.MulfOp(total, scalars.constant(1 / count, total.type)))
    share = scalars.op(arith.MulfOp(mean, scalars.op(arith.MulfOp(total, scalars.constant(NEAR, total.type)))))
    far = scalars.select(scalars.compare("lt", share, square), zero, mean)
    finite = scalars.compare("lt", scalars.op(math.AbsFOp(mean)), scalars.constant(float("inf"), total.type))
    pivot = scalars.select(finite, far, zero)
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
