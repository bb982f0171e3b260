"""Reductions and scans: what each has so far is in memory of one value a lane, which LLVM keeps in registers."""

from __future__ import annotations

from llvmlite import ir
from xdsl.ir import Operation, SSAValue

from lowering.loop_to_llvm.combine import (
    accumulator,
    as_accumulator,
    combined,
    from_accumulator,
    is_before,
)
from lowering.loop_to_llvm.frame import ZERO, Frame
from lowering.loop_to_llvm.scalars import narrowed, widened
from lowering.loop_to_llvm.types import DOUBLE, FLOAT, constant, is_narrow, llvm_type
from mlc_dialects.common.reduction_kinds import identity
from mlc_dialects.common.types import is_float
from mlc_dialects.loop.dialect import IndirectIndexOp, LoadOp, LoopOp, ReduceOp, ScanOp, YieldOp
from mlc_support.errors import MlcError
from mlc_support.locations import location_of

RUN, SERIAL_RUN = 1024, 64
"""Iterations of a sum of float32 before it goes to a total in float64: some vectors share a run.

Lanes have runs of their own, and loops that LLVM makes no vectors of have a single sum.
"""


class Reductions:
    """The reductions and scans of the rows of one frame."""

    def __init__(self, frame: Frame):
        self._frame = frame
        self._states: dict[SSAValue, ir.Value] = {}
        """What the reduction or scan with this result has so far."""
        self._totals: dict[SSAValue, ir.Value] = {}
        """Sums of float32 have in float64 what they had before the present run of iterations."""
        self._best: dict[SSAValue, ir.Value] = {}
        """The value at the position that argmax or argmin has so far."""

    def forget(self) -> None:
        """Other lanes begin."""
        self._states, self._totals, self._best = {}, {}, {}

    def start(self, op: ReduceOp) -> None:
        """Each result begins with what changes nothing."""
        frame = self._frame
        with frame.each_lane():
            for kind, value, (result, *more) in op.parts:
                if more:
                    raise MlcError(f"llvm: cannot reduce by {kind}", location=location_of(op))
                first = constant(identity(kind, value.type), value.type)
                if kind.startswith("arg"):
                    frame.keep(self._states, result, ZERO)
                    frame.keep(self._best, result, first)
                else:
                    frame.keep(self._states, result, widened(frame.builder, first, value.type))
            for result in self.long_sums(op):
                frame.keep(self._totals, result, ir.Constant(DOUBLE, 0.0))

    def finish(self, op: ReduceOp) -> None:
        """The results are values from here on."""
        frame = self._frame
        with frame.each_lane():
            for result in self.long_sums(op):
                frame.keep(self._states, result, frame.builder.fptrunc(frame.kept(self._totals, result), FLOAT))
            for result in [r for r in op.outputs if is_narrow(r.type)]:
                frame.keep(frame.arrays, result, narrowed(frame.builder, frame.kept(self._states, result), result.type))
        for result in op.outputs:
            frame.arrays[result] = frame.arrays[result] if is_narrow(result.type) else self._states[result]
            if frame.lanes is None:
                frame.values[result] = frame.kept(frame.arrays, result)

    def run_length(self, loop: LoopOp) -> int:
        """The iterations after which partial sums go to the totals."""
        return RUN if self._frame.lanes is None and not any(map(_is_serial, loop.body.block.ops)) else SERIAL_RUN

    def long_sums(self, op: LoopOp) -> list[SSAValue]:
        """The results that are sums of so many float32 that one alone would lose digits."""
        if not isinstance(op, ReduceOp) or (op.size.constant is not None and op.size.constant <= self.run_length(op)):
            return []
        return [r for kind, value, (r, *_) in op.parts if kind == "add" and llvm_type(value.type) == FLOAT]

    def end_run(self, op: LoopOp) -> None:
        """Adds partial sums to the totals, and starts them anew."""
        frame, builder = self._frame, self._frame.builder
        with frame.each_lane():
            for result in self.long_sums(op):
                part = builder.fpext(frame.kept(self._states, result), DOUBLE)
                frame.keep(self._totals, result, builder.fadd(frame.kept(self._totals, result), part))
                frame.keep(self._states, result, ir.Constant(FLOAT, 0.0))

    def take(self, end: YieldOp) -> None:
        """One more value of a reduction."""
        frame, builder, loop = self._frame, self._frame.builder, end.parent_op()
        assert isinstance(loop, ReduceOp)
        condition = None if end.condition is None else frame.value(end.condition)
        for kind, value, (result,) in loop.parts:
            if kind.startswith("arg"):
                found = self._position(kind, value, result, loop, condition, last=False)
            else:
                old = frame.kept(self._states, result)
                found = combined(builder, kind, old, frame.value(value), value.type)
                found = found if condition is None else builder.select(condition, found, old)
            frame.keep(self._states, result, found)

    def _position(
        self, kind: str, value: SSAValue, result: SSAValue, loop: LoopOp, condition: ir.Value | None, last: bool
    ) -> ir.Value:
        """The row-major position that argmax or argmin has with one more value, that of this iteration."""
        frame, builder = self._frame, self._frame.builder
        new, best = frame.value(value), frame.kept(self._best, result)
        better = is_before(builder, kind, new, best, value.type, last)
        better = better if condition is None else builder.and_(better, condition)
        frame.keep(self._best, result, builder.select(better, new, best))
        place = frame.value(loop.indices[0])
        for index, size in zip(loop.indices[1:], loop.sizes[1:], strict=True):
            place = builder.add(builder.mul(place, frame.index(size)), frame.value(index))
        return builder.select(better, place, frame.kept(self._states, result))

    def start_scan(self, op: ScanOp) -> None:
        """A scan begins with what changes nothing."""
        frame, kind, element = self._frame, op.kind.data, op.input.type
        lowest = "max" if kind == "logaddexp" else kind
        first = constant(identity(lowest, element), element)
        with frame.each_lane():
            if kind.startswith("arg"):
                frame.keep(self._best, op.result, first)
                frame.keep(self._states, op.result, ZERO)
                return
            target = accumulator(kind, element)
            neutral = as_accumulator(frame.builder, first, element, target)
            exact = ir.Constant(target, -0.0) if kind == "add" and is_float(element) else neutral  # 0 + -0 is 0
            frame.keep(self._states, op.result, exact)

    def scan(self, op: ScanOp) -> ir.Value:
        """The prefix with the value of this iteration."""
        frame, kind, element, loop = self._frame, op.kind.data, op.input.type, op.parent_op()
        assert isinstance(loop, LoopOp)
        if kind.startswith("arg"):
            place = self._position(kind, op.input, op.result, loop, None, last=True)
            frame.keep(self._states, op.result, place)
            return place
        old = frame.kept(self._states, op.result)
        new = as_accumulator(frame.builder, frame.value(op.input), element, accumulator(kind, element))
        found = combined(frame.builder, kind, old, new, element, ordered=True)
        frame.keep(self._states, op.result, found)
        return from_accumulator(frame.builder, found, element)


def _is_serial(op: Operation) -> bool:
    """True if LLVM makes no vectors of a loop with `op`, which may end it, not happen, or need the last value."""
    return isinstance(op, IndirectIndexOp | ScanOp) or (isinstance(op, LoadOp) and op.condition is not None)
