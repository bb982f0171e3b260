"""shifted-sums: what a program of many sums up for a variance are plain sums of distances from a number near the mean.

    t, q = reduce welford over k of x[k]                                   t their sum, q the squares about t / n
 -> K = (reduce add over j of x[j]) / B                                    j in 0 .. B, the first columns
    d, e = reduce add, add over k of x[k] - K, (x[k] - K) ** 2
    t = d + n * K;  q = max(e - d * d / n, 0)

Welford's rule keeps a sum and a square of every lane until all are known. Plain sums, of few blocks each, are added up
as they come: fewer registers, so that a multiprocessor works on more programs, of which some await others.

K is the mean of B of the n columns, so that n * (K - t / n) ** 2 is at most n / B times q: the difference above loses
no more than a factor 1 + n / B of a unit roundoff (the shifted data algorithm: Chan, Golub and LeVeque, "Algorithms for
computing the sample variance", 1983, whose bound is in terms of n * (K - mean) ** 2 / q).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from mlc_dialects.loop_before import told_in
from mlc_dialects.loop_memory import divisors
from mlc_dialects.mlc_loop import KernelOp, LoopOp, ReduceOp
from mlc_dialects.scalar import Scalars, fma
from mlc_support.index_expr import integer, variable
from mlc_support.powers import power_of_two
from passes.loop_copy import LoopCopy, with_loops
from passes.online_reduction import rebuilt


@dataclass(frozen=True)
class ShiftedSumsPass(ModulePass):
    """Shifts reductions over more than `held` columns, or over planes, of kernels whose programs await each other.

    Others go the way of Welford, or hold their columns and go over them twice. K is the mean of up to `first` columns,
    all of one plane; loops of which a condition leaves columns out stay as they are.
    """

    name = "shifted-sums"
    rounds_otherwise: ClassVar[bool] = True
    held: int = 8192
    first: int = 1024

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [k for k in op.ops if isinstance(k, KernelOp) and k.warps is None]:
            loops = [op for op in kernel.rows.body.block.ops if isinstance(op, ReduceOp)]
            found = {loop: self._first(loop) for loop in loops}
            if told_in(kernel.rows) is not None and any(found.values()):
                Rewriter.replace_op(kernel, _shifted(kernel, found), [])

    def _first(self, loop: ReduceOp) -> int:
        """How many columns give the number near the mean; 0 to leave the loop as it is."""
        columns, planes = loop.size.constant, divisors(loop)
        if columns is None or "welford" not in {k.data for k in loop.kinds} or loop.end.condition is not None:
            return 0
        if columns <= self.held and not planes:
            return 0
        most = min(self.first, columns, *planes)
        return power_of_two(most + 1) // 2


def _shifted(kernel: KernelOp, first: dict[ReduceOp, int]) -> KernelOp:
    """`kernel` with the reductions of which `first` columns are given shifted."""

    def shifted(copy: LoopCopy, op: LoopOp, block: Block) -> Sequence[SSAValue]:
        columns = first.get(op, 0) if isinstance(op, ReduceOp) else 0
        near = copy.loop(op, "j", integer(columns), variable("j", columns)) if columns else None
        if near is not None:
            block.add_op(near)
        name = op.index.name_hint or "r"
        loop = copy.loop(op, name, op.size, variable(name, op.size))
        block.add_op(loop)
        if isinstance(near, ReduceOp) and isinstance(loop, ReduceOp):
            return _shift(near, loop, Scalars(block.add_op))
        return loop.results

    return with_loops(kernel, shifted)


def _shift(near: ReduceOp, loop: ReduceOp, behind: Scalars) -> list[SSAValue]:
    """Rebuilds two copies of a loop, of its first columns and of all; gives what `loop` gave."""
    pairs = [(x, results[0]) for kind, x, results in near.parts if kind == "welford"]
    columns, size = near.size.constant or 1, loop.size.constant or 1
    sums = rebuilt(near, ["add"] * len(pairs), [r for _, r in pairs], [x for x, _ in pairs])
    pivots = iter([_finite_mean(total, columns, loop) for total in sums.outputs])
    inside = Scalars(lambda op: Rewriter.insert_op(op, InsertPoint.before(loop.end)))
    kinds: list[str] = []
    given: list[SSAValue] = []
    shifts: list[SSAValue | None] = []
    for kind, x, results in loop.parts:
        if kind != "welford":
            kinds, given, shifts = [*kinds, kind], [*given, x], [*shifts, *([None] * len(results))]
            continue
        pivot = next(pivots)
        distance = inside.op(arith.SubfOp(x, pivot))
        kinds, given = [*kinds, "add", "add"], [*given, distance, inside.op(arith.MulfOp(distance, distance))]
        shifts += [pivot, pivot]
    done: list[SSAValue] = list(rebuilt(loop, kinds, list(loop.outputs), given).outputs)
    for k in [k for k, pivot in enumerate(shifts) if pivot is not None][::2]:
        pivot = shifts[k]
        assert pivot is not None
        done[k : k + 2] = _unshifted(done[k], done[k + 1], pivot, size, behind)
    return done


def _finite_mean(total: SSAValue, columns: int, before: ReduceOp) -> SSAValue:
    """total / columns, a power of two; 0 if that is not finite: then what is shifted by it is what it was."""
    scalars = Scalars(lambda op: Rewriter.insert_op(op, InsertPoint.before(before)))
    mean = scalars.op(arith.MulfOp(total, scalars.constant(1 / columns, total.type)))
    finite = scalars.compare("lt", scalars.op(math.AbsFOp(mean)), scalars.constant(float("inf"), total.type))
    return scalars.select(finite, mean, scalars.constant(0.0, total.type))


def _unshifted(d: SSAValue, e: SSAValue, pivot: SSAValue, size: int, scalars: Scalars) -> tuple[SSAValue, SSAValue]:
    """The sum, and the sum of squares about the mean, of `size` numbers, out of those of their distances."""
    count, zero = (scalars.constant(v, d.type) for v in (size, 0.0))
    total = scalars.op(fma(count, pivot, d))
    square = scalars.op(arith.MulfOp(d, scalars.op(arith.DivfOp(d, count))))
    return total, scalars.op(arith.MaximumfOp(scalars.op(arith.SubfOp(e, square)), zero))
