"""keep-in-scratch: what loops of a row compute twice, at some cost, is kept between them.

    s = sum over j of exp(x[i, j] - m)                s = sum over j of (k[j] = exp(x[i, j] - m))
    for j: y[i, j] = exp(x[i, j] - m) / s        ->   for j: y[i, j] = k[j] / s

Kernels are lowered as for a GPU, whose registers hold a row. A CPU has a cache for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import math
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import is_side_effect_free

from mlc_dialects.common.buffers import buffer_type
from mlc_dialects.common.libdevice import LibdeviceOp
from mlc_dialects.common.types import byte_size
from mlc_dialects.loop.accesses import stored_in
from mlc_dialects.loop.dialect import KernelOp, LoadOp, LoopOp, ScratchOp, StoreOp
from mlc_support.cpu import CPU
from mlc_support.index_expr import variable
from passes.loop.analysis.kernel_rewriter import index_of
from passes.loop.reduction.same_iteration import is_alike

_CHEAP = (
    math.AbsFOp, math.AbsIOp, math.CeilOp, math.CopySignOp, math.FloorOp, math.FmaOp, math.RoundEvenOp, math.TruncOp,
)  # fmt: skip
"""Functions that are single instructions."""


@dataclass(frozen=True)
class KeepInScratchPass(ModulePass):
    """Stores elementary functions of a row's elements where a loop computes them first, and loads them afterwards."""

    name = "keep-in-scratch"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp) and kernel.rows.lanes is None:
                loops = [loop for loop in kernel.rows.loops if loop.size.constant is not None]
                for position, later in enumerate(loops):
                    for earlier in [loop for loop in loops[:position] if loop.extents == later.extents]:
                        _Pair(kernel, earlier, later).keep()


class _Pair:
    """Two loops over the same points, one after the other."""

    def __init__(self, kernel: KernelOp, earlier: LoopOp, later: LoopOp):
        self._rows, self._earlier, self._later = kernel.rows, earlier, later
        self._same: dict[tuple[SSAValue, SSAValue], bool] = dict.fromkeys(
            zip(earlier.indices, later.indices, strict=True), True
        )
        self._written = stored_in(kernel)

    def keep(self) -> None:
        """Keeps what both compute, from the last op of the later loop on: what that alone is made of goes with it."""
        dear = _dear(self._later)
        for op in reversed([*self._later.body.block.ops]):
            if op in dear and op.results[0].uses and self._fits(op.results[0]):
                found = next((o for o in self._earlier.body.block.ops if self._is_same_op(o, op)), None)
                if found is not None:
                    self._replace(found.results[0], op.results[0])
            plain = isinstance(op, LoadOp) or is_side_effect_free(op)
            if op.results and plain and not any(r.uses for r in op.results):
                Rewriter.erase_op(op)

    def _fits(self, value: SSAValue) -> bool:
        return self._later.size.evaluate({}) * byte_size(value.type) <= CPU.kept_bytes

    def _is_same(self, a: SSAValue, b: SSAValue) -> bool:
        """True if `a` has in an iteration of the earlier loop what `b` has in that of the later one."""
        if (a, b) not in self._same:
            self._same[a, b] = self._is_of_row(a) if a is b else self._are_same_results(a, b)
        return self._same[a, b]

    def _is_of_row(self, value: SSAValue) -> bool:
        return not self._earlier.is_ancestor(value.owner)

    def _are_same_results(self, a: SSAValue, b: SSAValue) -> bool:
        first, second = a.owner, b.owner
        if not isinstance(first, Operation) or not isinstance(second, Operation):
            return False
        return self._is_same_op(first, second) and first.results.index(a) == second.results.index(b)

    def _is_same_op(self, a: Operation, b: Operation) -> bool:
        if not is_alike(a, b) or a.regions or not (self._is_constant_load(a) or is_side_effect_free(a)):
            return False
        return all(self._is_same(x, y) for x, y in zip(a.operands, b.operands, strict=True))

    def _is_constant_load(self, op: Operation) -> bool:
        return isinstance(op, LoadOp) and op.buffer not in self._written

    def _replace(self, made: SSAValue, again: SSAValue) -> None:
        """`made` is stored where it is computed, and loaded in place of `again`."""
        scratch = ScratchOp(buffer_type(self._later.sizes, made.type))
        scratch.buffer.name_hint = made.name_hint
        Rewriter.insert_op(scratch, InsertPoint.before(self._earlier))
        assert isinstance(made.owner, Operation) and isinstance(again.owner, Operation)
        Rewriter.insert_op(StoreOp(made, scratch.buffer, *_place(self._earlier)), InsertPoint.after(made.owner))
        load = LoadOp(scratch.buffer, *_place(self._later))
        load.result.name_hint = again.name_hint
        Rewriter.insert_op(load, InsertPoint.before(again.owner))
        again.replace_all_uses_with(load.result)


def _dear(loop: LoopOp) -> set[Operation]:
    """The elementary functions of a loop, and the scalars that are computed of them."""
    found: set[Operation] = set()
    for op in loop.body.block.ops:
        function = isinstance(op, LibdeviceOp) or (op.name.startswith("math.") and not isinstance(op, _CHEAP))
        made = not op.regions and is_side_effect_free(op) and not found.isdisjoint(v.owner for v in op.operands)
        if (function or made) and len(op.results) == 1:
            found.add(op)
    return found


def _place(loop: LoopOp) -> tuple[list[SSAValue], ArrayAttr[StringAttr]]:
    """The operands and the index of the iteration's own place."""
    names = [f"k{axis}" for axis in range(len(loop.indices))]
    places = [variable(name, size) for name, size in zip(names, loop.sizes, strict=True)]
    return index_of(places, dict(zip(names, loop.indices, strict=True)))
