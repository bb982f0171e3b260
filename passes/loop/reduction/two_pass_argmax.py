"""two-pass-argmax: in rows too long for one program, the place of an extreme is looked for when the extreme is known.

    i = reduce argmax over r of x[r]                                      N columns
 -> m = reduce max over r of x[r]
    i = reduce min over r of (x[r] == m or x[r] != x[r] ? r : N)

Both are plain reductions, of which several programs can do parts (split-reduction); a place alone does not tell which
of two parts it is in. A row is read twice, by the whole device, and not once, by one program of it. If there is a NaN
the extreme is NaN, and each NaN is one of its places; of all places the first counts, as argmax has it.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc_dialects.common.index_syntax import index_attribute
from mlc_dialects.common.scalar_builder import Scalars
from mlc_dialects.common.types import is_bool, is_float
from mlc_dialects.loop.dialect import IndexOp, KernelOp, ReduceOp, YieldOp
from mlc_dialects.loop.loops import result_types
from mlc_support.index_expr import variable
from passes.common.device import DevicePass
from passes.loop.analysis.coalescing import accesses, is_coalesced_along_rows, loaded_bytes
from passes.loop.reduction.online_reduction import reductions

EXTREMES = {"argmax": "max", "argmin": "min"}
"""What each search gives the place of."""


@dataclass(frozen=True)
class TwoPassArgmaxPass(DevicePass):
    """Takes searches apart where up to `most` rows load `shortest` bytes each, or more.

    `most` is half of the multiprocessors by default: so many programs do as well with whole rows, which are read once.
    Where rows lie side by side each program has many of them.
    """

    name = "two-pass-argmax"
    most: int | None = None
    shortest: int = 512 << 10

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in [k for k in op.ops if isinstance(k, KernelOp) and k.warps is None]:
            if self._is_long(kernel):
                for loop in reductions(kernel):
                    if _searched(loop):
                        take_apart(loop)

    @property
    def _most(self) -> int:
        return self.target.multiprocessors // 2 if self.most is None else self.most

    def _is_long(self, kernel: KernelOp) -> bool:
        rows, loops = kernel.rows, reductions(kernel)
        if not loops or rows.size.constant is None or rows.size.constant > self._most:
            return False
        columns = min(loop.size.constant or 0 for loop in loops)
        return columns * loaded_bytes(loops) >= self.shortest and not is_coalesced_along_rows(
            rows, list(accesses(kernel))
        )


def _searched(loop: ReduceOp) -> list[int]:
    """Which of the results of `loop` are places of numbers: of booleans there is no extreme to compare with."""
    return [k for k, (kind, value, _) in enumerate(loop.parts) if kind in EXTREMES and not is_bool(value.type)]


def take_apart(loop: ReduceOp) -> None:
    """Puts two loops in the place of `loop`: one with extremes instead of their places, and one for these."""
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
    """Lets `loop` yield its index where a value is the extreme of its row, else what is behind all of them."""
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
