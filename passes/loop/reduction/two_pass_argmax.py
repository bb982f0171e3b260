"""two-pass-argmax: an argmax over rows too long for one program becomes a max and then a search for its index.

    i = reduce argmax over r of x[r]                                      N columns
 -> m = reduce max over r of x[r]
    i = reduce min over r of (x[r] == m or x[r] != x[r] ? r : N)

Both are plain reductions, which split-reduction can cut into parts. The row is read twice by the whole device instead
of once by one program. If there is a NaN, m is NaN, and the index of the first NaN is found, as argmax wants.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from mlc_dialects.common.index_syntax import index_attribute
from mlc_dialects.common.scalar_builder import Scalars
from mlc_dialects.common.types import is_bool, is_float
from mlc_dialects.loop.dialect import IndexOp, KernelOp, ReduceOp, YieldOp
from mlc_dialects.loop.reduce import result_types
from mlc_support.index_expr import variable
from passes.loop.analysis.partial_results import asked_part
from passes.loop.reduction.online_reduction import reductions

EXTREMES = {"argmax": "max", "argmin": "min"}
"""Each search, and the reduction that finds the value it looks for."""


@dataclass(frozen=True)
class TwoPassArgmaxPass(ModulePass):
    """Replaces argmax and argmin in kernels whose schedule gives a `part` of their rows."""

    name = "two-pass-argmax"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [k for k in op.ops if isinstance(k, KernelOp) and asked_part(k) is not None]:
            take_all_apart(kernel)


def take_all_apart(kernel: KernelOp) -> None:
    """Replaces every argmax and argmin of numbers in a kernel by two loops."""
    for loop in reductions(kernel):
        if _searched(loop):
            take_apart(loop)


def _searched(loop: ReduceOp) -> list[int]:
    """The results of `loop` that are indices of numbers; booleans have no max."""
    return [k for k, (kind, value, _) in enumerate(loop.parts) if kind in EXTREMES and not is_bool(value.type)]


def take_apart(loop: ReduceOp) -> None:
    """Replaces `loop` by two loops: one with extremes in place of their indices, and one that finds the indices."""
    parts, searched = loop.parts, _searched(loop)
    kinds = [EXTREMES[kind] if k in searched else kind for k, (kind, _, _) in enumerate(parts)]
    types = [t for kind, (_, v, _) in zip(kinds, parts, strict=True) for t in result_types(kind, v.type)]
    first = ReduceOp(kinds, loop.size, types, loop.body.clone())
    second = ReduceOp(["min"] * len(searched), loop.size, [i64] * len(searched), loop.body.clone())
    first.approx, first.location, second.location = loop.approx, loop.location, loop.location
    Rewriter.insert_op([first, second], InsertPoint.before(loop))
    found = [list(results) for _, _, results in first.parts]
    _yield_places(second, [second.yielded[k] for k in searched], [found[k][0] for k in searched])
    for k, place in zip(searched, second.outputs, strict=True):
        found[k] = [place]
    Rewriter.replace_op(loop, [], [v for results in found for v in results])


def _yield_places(loop: ReduceOp, values: list[SSAValue], extremes: list[SSAValue]) -> None:
    """Makes `loop` yield its index where a value is the extreme of its row, else N."""
    old = loop.end
    scalars = Scalars(lambda op: Rewriter.insert_op(op, InsertPoint.before(old)))
    place = scalars.op(IndexOp([loop.index], index_attribute([variable("d0")])))
    behind = scalars.constant(loop.size.constant or 0, i64)
    given: list[SSAValue] = []
    for value, extreme in zip(values, extremes, strict=True):
        there = scalars.compare("eq", value, extreme)
        if is_float(value.type):
            there = scalars.op(arith.OrIOp(there, scalars.compare("ne", value, value)))
        given.append(scalars.select(there, place, behind))
    Rewriter.replace_op(old, YieldOp(given, old.condition), [])
