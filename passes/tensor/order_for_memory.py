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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

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
    memory = Memory(function)
    places = memory.early_places()
    ordered = sorted(memory.steps, key=places.__getitem__)
    if memory.peak(ordered) < memory.peak(memory.steps):
        _arrange(function.body.block, places)


def _arrange(block: Block, steps: Mapping[Operation, Place]) -> None:
    """Brings the steps of a block to their places, and all else before the first that needs it."""
    ops, places = [*block.ops], dict(steps)
    for op in reversed(ops):
        if op not in places:
            places[op] = min(places[use.operation] for result in op.results for use in result.uses)
    for op in sorted(ops, key=places.__getitem__):  # ops of one place stay in order, the step behind what it needs
        op.detach()
        block.add_op(op)


class Memory:
    """The memory that the steps of a function write, read and free."""

    def __init__(self, function: func.FuncOp):
        self.block = function.body.block
        self.reads = _reads(self.block)
        """The values whose memory each op reads: of views those that they look at."""
        self.steps = [op for op in self.block.ops if not _is_carried(op) or not any(r.uses for r in op.results)]
        """The ops but for views and constants that something needs."""
        self.readers: dict[SSAValue, list[Operation]] = defaultdict(list)
        """The steps that read each value, in order."""
        for step in self.steps:
            for value in self.reads[step]:
                self.readers[value].append(step)
        self.kept = {value for value, readers in self.readers.items() if _outlives(value, readers, function)}
        """Values that live on behind the function."""

    def early_places(self) -> dict[Operation, Place]:
        """A place for each step: for each that frees more than it takes, one as early as it does so."""
        places: dict[Operation, Place] = {}
        fence: Place = (-1, 0)  # of the last step that nothing may pass
        for number, step in enumerate(self.steps):
            places[step] = (number, 0)
            if is_impure(step) or isinstance(step, func.ReturnOp):
                fence = places[step]
            elif (early := self._early(step, places)) is not None:
                owners = [v.owner for v in self.reads[step] if isinstance(v.owner, Operation)]
                behind = max([fence, early, *(places[owner] for owner in owners)])
                places[step] = (behind[0], number + 1)
        return places

    def _early(self, step: Operation, places: dict[Operation, Place]) -> Place | None:
        """The first place behind which `step` frees more bytes than it takes; None if there is none."""
        freed = [v for v in self.reads[step] if v not in self.kept and self.readers[v][-1] is step]
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
        for value in (*self.block.args, *(result for step in steps for result in step.results)):
            first = at.get(value.owner, 0) if isinstance(value.owner, Operation) else 0
            last = len(steps) - 1 if value in self.kept else max([first, *(at[r] for r in self.readers[value])])
            lives.append((first, last, _bytes(value)))
        return most_alive(lives, len(steps))


def _is_carried(op: Operation) -> bool:
    """True for views and constants: they take no time, and stand where they are read."""
    return is_free(op) or (VIEW in op.attributes and not is_impure(op))


def _reads(block: Block) -> dict[Operation, tuple[SSAValue, ...]]:
    """The values whose memory each op of a block reads, of views those that they look at."""
    found: dict[Operation, tuple[SSAValue, ...]] = {}
    for op in block.ops:
        owners = [(v, v.owner) for v in op.operands]
        values = [found[o] if isinstance(o, Operation) and _is_carried(o) else (v,) for v, o in owners]
        found[op] = tuple(dict.fromkeys(chain.from_iterable(values)))
    return found


def _outlives(value: SSAValue, readers: Sequence[Operation], function: func.FuncOp) -> bool:
    """True for results of a function, and for arguments that are not donated to it."""
    if isinstance(value, BlockArgument) and DONATED not in argument_annotations(function, value.index):
        return True
    return isinstance(readers[-1], func.ReturnOp)


def _bytes(value: SSAValue) -> int:
    """What a tensor takes; sizes that are not known are assumed."""
    if not isinstance(value.type, TensorType):
        return 0
    return assumed(product(shape_of(value.type))) * byte_size(value.type.element_type)
