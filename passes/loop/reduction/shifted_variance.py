"""shifted-variance: the variance of a long row is computed from its distances to a number near its mean.

    t, q = reduce welford over r of x[r]                                   t the sum, q the sum of (x[r] - t / n) ** 2
 -> K = (reduce add over j of x[s(j)]) / B                                 B columns sampled from the row; or 0
    d, e = reduce add, add over r of x[r] - K, (x[r] - K) ** 2
    t = d + n * K;  q = max(e - d * d / n, 0)

This is the shifted data algorithm of Chan, Golub and LeVeque, "Algorithms for computing the sample variance" (1983).
Plain sums of x and x * x would lose all digits where the mean is 10,000 standard deviations. Welford's rule is as
accurate, but each lane keeps a sum and squares until the end; plain sums need fewer registers, so that more programs
fit a multiprocessor, and partial sums of parts are simply added.

Accuracy: K is the mean of B of the n columns, so that n * (K - t / n) ** 2 is at most n / B times q. The difference
above loses at most a factor 1 + n / B of a unit roundoff, and about 1 + 1 / B if the sample is typical of the row.
Samples are short runs spread over the whole row, since its beginning may be unusual.

If K ** 2 is less than a 16th of the mean square of the sample, 0 replaces K: x itself is then as accurate, and the
distances would be rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import ModuleOp
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
from mlc_support.walks import walk
from passes.loop.reduction.online_reduction import reductions
from passes.loop.reduction.same_iteration import rebuilt

RUNS = 16
"""The number of runs that a sample consists of."""
NEAR = 16.0
"""The mean counts as 0 if its square is less than the mean square divided by this."""


@dataclass(frozen=True)
class ShiftedVariancePass(ModulePass):
    """Shifts the variances of looped rows.

    Each warp computes the shift K for itself, without a barrier, while the loads of the row are in flight.
    """

    name = "shifted-variance"
    rounds_otherwise: ClassVar[bool] = True
    few: int = LANES
    """Columns whose mean is K: one for each lane of a warp."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [k for k in op.ops if isinstance(k, KernelOp) and k.warps is not None and k.rows.block_size == 1]:
            if shift_sums([loop for loop in reductions(kernel) if loop.blocks.constant != 1], self.few):
                kernel.explain("variances are sums of distances")


def shift_sums(loops: Sequence[ReduceOp], few: int, resident: bool = False) -> bool:
    """Replaces variances over known numbers of columns by shifted sums; True if there was one.

    K is the mean of up to `few` columns. Where all columns of a loop are register-resident (`resident`), distances are
    computed twice, the second time as K - x: if both sums shared x - K, it would occupy registers between them. Loops
    with a condition stay as they are.
    """
    known = [loop for loop in loops if loop.size.constant is not None and loop.end.condition is None]
    found = [loop for loop in known if "welford" in {kind.data for kind in loop.kinds}]
    for loop in found:
        _shift(loop, power_of_two_up_to(few), resident)
    return bool(found)


def _shift(loop: ReduceOp, few: int, resident: bool) -> None:
    """Replaces `loop` by two loops: over a sample of `few` columns, and over all columns."""
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
    """K for each variance: the mean of `few` columns, a power of two, or 0."""
    near = loop.clone()
    Rewriter.insert_op(near, InsertPoint.before(loop))
    near.extents, near.index.name_hint, near.location = index_attribute([few]), "j", loop.location
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
    """Makes `near`, a loop over the first columns, read its columns from the whole row, and store nothing.

    Runs are as far apart as possible, and within one spatial extent each where there are enough of those.
    """
    run = max(1, few // RUNS)
    planes = [size for size in divisors(near) if size >= 2 * run and size * RUNS <= columns]
    unit = max(planes, default=run)
    apart, start = columns // RUNS // unit * unit, unit // 2 // run * run
    for op in list(walk(near)):
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
    """The mean of `count` numbers; 0 if it is near 0 relative to them, or not finite.

    A shift by 0 changes nothing. Numbers whose squares are not finite count as far from 0.
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
    """Replaces the sum and the variance in all readers by their values from the shifted `results`."""
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
