"""early-checks: the checks of indices come first, with what they need, and other loads follow them.

    %i = load p                              %i = load p
    %a = checked %i below 64                 %j = load q
    %x = load table[%a]                      %a = checked %i below 64
    %j = load q                        ->    %b = checked %j below 64
    %b = checked %j below 64                 %x = load table[%a]
    %y = load table[%b]                      %y = load table[%b]

A check stops the kernel where an index is out of range. So no compiler moves a load across one, and lanes wait for one
load after the other. Behind the pass they wait as often as indices depend on each other: here twice, not four times.
Where the other loads are issued, between the last check and what reads them, Triton's compiler decides by registers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import Pure

from mlc_dialects.triton.dialect import CheckedOp, LoadOp
from mlc_support.walks import walk


@dataclass(frozen=True)
class EarlyChecksPass(ModulePass):
    """Moves checks of indices, and what these are made of, in front of what does not depend on them."""

    name = "early-checks"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        checks = [inner for inner in walk(op) if isinstance(inner, CheckedOp)]
        for block in dict.fromkeys(check.parent for check in checks):
            assert block is not None
            for run in [*_runs(block)]:
                _reorder(run)


def _runs(block: Block) -> Iterator[list[Operation]]:
    """The longest sequences of ops without effects."""
    run: list[Operation] = []
    for op in block.ops:
        if op.has_trait(Pure) and not op.regions:
            run.append(op)
        else:
            yield run
            run = []
    yield run


def _reorder(run: Sequence[Operation]) -> None:
    """Puts the checks first that depend on no other, then those that depend on one, and so on, loads before checks."""
    depths = _depths(run)
    needed: dict[Operation, None] = {}
    for op in run:
        if isinstance(op, CheckedOp):
            _place(op, depths, needed)
    first = sorted(
        (op for op in needed if isinstance(op, LoadOp | CheckedOp)),
        key=lambda op: (depths[op], isinstance(op, CheckedOp)),
    )
    ordered: dict[Operation, None] = {}
    for op in (*first, *run):
        _place(op, depths, ordered)
    if first and [*ordered] != [*run]:
        _put(ordered, run[0].parent, run[-1].next_op)


def _depths(run: Sequence[Operation]) -> dict[Operation, int]:
    """How many checks, each of what the one before leads to, every op depends on."""
    found: dict[Operation, int] = {}
    for op in run:
        owners = [v.owner for v in op.operands if isinstance(v.owner, Operation) and v.owner in found]
        found[op] = max((found[owner] + isinstance(owner, CheckedOp) for owner in owners), default=0)
    return found


def _put(ops: Iterable[Operation], block: Block | None, behind: Operation | None) -> None:
    """Moves ops in this order in front of `behind`, or to the end of their block."""
    assert block is not None
    for op in ops:
        op.detach()
        Rewriter.insert_op(op, InsertPoint.at_end(block) if behind is None else InsertPoint.before(behind))


def _place(op: Operation, run: dict[Operation, int], ordered: dict[Operation, None]) -> None:
    """Puts an op of the run behind what it is computed from; without recursion, as chains of ops may be long."""
    waiting = [op]
    while waiting:
        owners = [v.owner for v in waiting[-1].operands]
        missing = [o for o in owners if isinstance(o, Operation) and o in run and o not in ordered]
        if missing:
            waiting.extend(reversed(missing))
        else:
            ordered.setdefault(waiting.pop())
