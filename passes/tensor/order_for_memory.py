"""order-for-memory: what frees more memory than it takes runs as soon as it can, where that lowers the peak.

    %d = matmul(%g, %w)                     %w2 = matmul(%g^T, %h)     frees %h
    %e = kernel(%d)                  ->     %d = matmul(%g, %w)
    %w2 = matmul(%g^T, %h)                  %e = kernel(%d)

So it is in the backward of a model: the gradient of a weight is small, and the last to read a large activation. All
else keeps its order; nothing passes a call that writes memory or draws random numbers. Views cost nothing, and stand
before what first reads them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from mlc_dialects.common.annotations import DONATED, VIEW, argument_annotations
from mlc_dialects.common.types import byte_size, shape_of
from mlc_dialects.iteration.iterate import is_free
from mlc_dialects.tensor.calls import is_impure
from mlc_support.index_expr import product
from mlc_support.index_maps import assumed
from passes.common.liveness import most_alive

Place = tuple[int, int]
"""Where a step stands: behind the step of that number, and there in the order of the second figure."""


@dataclass(frozen=True)
class OrderForMemoryPass(ModulePass):
    """Brings the calls and kernels of a function into an order that needs less memory at once."""

    name = "order-for-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                _order(function)


def _order(function: func.FuncOp) -> None:
    block = function.body.block
    steps = [op for op in block.ops if not _is_carried(op) or not any(result.uses for result in op.results)]
    memory = Memory(function, steps)
    ordered = memory.ordered()
    if memory.peak(ordered) < memory.peak(steps):
        _arrange(block, ordered)


def _arrange(block: Block, steps: Sequence[Operation]) -> None:
    """Brings steps into this order, each behind what it is the first to need of views and constants."""
    for op in [*block.ops]:
        op.detach()
    for step in steps:
        needed = [step]
        for op in needed:
            needed += [v.owner for v in op.operands if isinstance(v.owner, Operation) and v.owner.parent is None]
        for op in dict.fromkeys(reversed(needed)):
            block.add_op(op)


@dataclass
class Memory:
    """The memory that the steps of a function write, read and free."""

    function: func.FuncOp
    steps: Sequence[Operation]
    readers: dict[SSAValue, list[Operation]] = field(default_factory=lambda: defaultdict(list))
    """The steps that read each value, or a view of it."""
    kept: set[SSAValue] = field(default_factory=set[SSAValue])
    """Values that live on behind the function: its results, and arguments that are not donated to it."""

    def __post_init__(self) -> None:
        for step in self.steps:
            for value in dict.fromkeys(_read(step)):
                self.readers[value].append(step)
        for value in self.readers:
            donated = isinstance(value, BlockArgument) and DONATED in argument_annotations(self.function, value.index)
            returned = isinstance(self.readers[value][-1], func.ReturnOp)
            if returned or (isinstance(value, BlockArgument) and not donated):
                self.kept.add(value)

    def ordered(self) -> list[Operation]:
        """The steps, each that frees more than it takes as early as it does so."""
        places: dict[Operation, Place] = {}
        fence: Place = (-1, 0)  # of the last step that nothing may pass
        for number, step in enumerate(self.steps):
            places[step] = (number, 0)
            if is_impure(step) or isinstance(step, func.ReturnOp):
                fence = places[step]
            elif (early := self._early(step, places)) is not None:
                owners = [v.owner for v in _read(step) if isinstance(v.owner, Operation)]
                behind = max([fence, early, *(places[owner] for owner in owners if owner in places)])
                places[step] = (behind[0], number + 1)
        return sorted(self.steps, key=places.__getitem__)

    def _early(self, step: Operation, places: dict[Operation, Place]) -> Place | None:
        """The first place behind which `step` frees more bytes than it takes; None if there is none."""
        freed = [v for v in dict.fromkeys(_read(step)) if v not in self.kept and self.readers[v][-1] is step]
        others = [max((places[r] for r in self.readers[v][:-1]), default=(-1, 0)) for v in freed]
        balance = -sum(map(_bytes, step.results))
        for place, value in sorted(zip(others, freed, strict=True), key=lambda pair: pair[0]):
            balance += _bytes(value)
            if balance > 0:
                return place
        return None

    def peak(self, steps: Sequence[Operation]) -> int:
        """The most bytes alive at once in this order of the steps."""
        at = {step: k for k, step in enumerate(steps)}
        lives: list[tuple[int, int, int]] = []
        for value in (*self.function.body.block.args, *(result for step in steps for result in step.results)):
            first = at.get(value.owner, 0) if isinstance(value.owner, Operation) else 0
            last = len(steps) - 1 if value in self.kept else max([first, *(at[r] for r in self.readers[value])])
            lives.append((first, last, _bytes(value)))
        return most_alive(lives, len(steps))


def _is_carried(op: Operation) -> bool:
    """True for views and constants: they take no time, and stand where they are read."""
    return is_free(op) or (VIEW in op.attributes and not is_impure(op))


def _read(step: Operation) -> Iterator[SSAValue]:
    """The values whose memory a step reads, of views those that they look at."""
    for value in step.operands:
        if isinstance(value.owner, Operation) and _is_carried(value.owner):
            yield from _read(value.owner)
        else:
            yield value


def _bytes(value: SSAValue) -> int:
    """What a tensor takes; sizes that are not known are assumed."""
    if not isinstance(value.type, TensorType):
        return 0
    return assumed(product(shape_of(value.type))) * byte_size(value.type.element_type)
