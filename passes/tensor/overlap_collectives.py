"""overlap-collectives: transfers between processes begin early and are waited for late, so that kernels run meanwhile.

    %a = all_reduce(%g)                     %a = all_reduce(%g)
    %b = wait(%a)                 ->        %k = kernel(%x)
    %k = kernel(%x)                         %b = wait(%a)
    %u = kernel(%b, %k)                     %u = kernel(%b, %k)

A collective moves up to what computes its operands, a wait down to what reads its result; kernels keep their order.
Collectives keep theirs as well, on which all processes must agree, and neither passes a call that writes memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from mlc_dialects.iteration.iterate import is_free
from mlc_dialects.tensor.calls import is_impure
from mlc_dialects.tensor.collectives import is_collective, is_wait

Place = tuple[float, float]
"""Where an op shall stand: behind the op of that number, and there in the order of the second figure."""


@dataclass(frozen=True)
class OverlapCollectivesPass(ModulePass):
    """Begins collectives early and waits for them late."""

    name = "overlap-collectives"
    in_flight: int = 4
    """How many collectives may be on their way at once: the results of each take memory meanwhile."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                overlap(function.body.block, self.in_flight)


def overlap(block: Block, in_flight: int) -> None:
    """Moves the collectives and the waits of one block."""
    ops = list(block.ops)
    if not any(map(is_collective, ops)):
        return
    places: dict[Operation, Place] = {op: (k, 0.0) for k, op in enumerate(ops)}
    _begin_early(ops, places, in_flight)
    _wait_late(ops, places, in_flight)
    for op in sorted(ops, key=places.__getitem__):
        op.detach()
        block.add_op(op)


def _begin_early(ops: Sequence[Operation], places: dict[Operation, Place], in_flight: int) -> None:
    """Puts each collective, and the views that it looks through, behind what they need."""
    begun: list[Operation] = []
    last_write: Place = (-1.0, 0.0)
    for op in ops:
        if is_collective(op):
            behind = [last_write, *(places[before] for before in begun[-1:])]
            if len(begun) >= in_flight:
                behind += [places[wait] for wait in _waits_for(begun[-in_flight])]
            _raise(op, max(behind), places)
            begun.append(op)
        elif _writes(op):
            last_write = places[op]


def _raise(op: Operation, behind: Place, places: dict[Operation, Place]) -> None:
    """Puts `op` as early as its operands allow, but behind `behind`; views that give them come along."""
    owners = [v.owner for v in op.operands if isinstance(v.owner, Operation)]
    for owner in owners:
        if is_free(owner) and places[owner] > behind:
            _raise(owner, behind, places)
    needed = max([behind, *(places[owner] for owner in owners)])
    if needed < places[op]:
        places[op] = (needed[0], needed[1] + 1 / 1024)


def _wait_late(ops: Sequence[Operation], places: dict[Operation, Place], in_flight: int) -> None:
    """Puts each wait, and the views of its result, before what first reads them, next writes memory or is too many."""
    begun = [op for op in ops if is_collective(op)]
    too_many: dict[Operation | Block, Operation] = dict(zip(begun, begun[in_flight:], strict=False))
    waited = _waited(ops)
    following: Place = (len(ops), 0.0)
    for op in reversed(ops):
        if _writes(op):
            following = places[op]
        elif op in waited:
            found = [following, *(places[use.operation] for result in op.results for use in result.uses)]
            found += [places[too_many[v.owner]] for v in op.operands if v.owner in too_many]
            late = min(place for place in found if place > places[op])
            places[op] = (late[0], late[1] - 1 / 2048)


def _waited(ops: Sequence[Operation]) -> set[Operation]:
    """The waits, and the views of what they give."""
    found: set[Operation] = set()
    for op in ops:
        if is_wait(op) or (is_free(op) and not found.isdisjoint(v.owner for v in op.operands)):
            found.add(op)
    return found


def _waits_for(collective: Operation) -> list[Operation]:
    return [use.operation for result in collective.results for use in result.uses if is_wait(use.operation)]


def _writes(op: Operation) -> bool:
    """True for a call that may write memory or draw random numbers."""
    return is_impure(op) and not is_collective(op)
