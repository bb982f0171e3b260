"""Loads of what a loop of a row has stored, in place of what computes it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from mlc_dialects.common.types import byte_size
from mlc_dialects.loop.accesses import stored_in
from mlc_dialects.loop.dialect import KernelOp, LoadOp, LoopOp, ReduceOp, StoreOp
from mlc_support.walks import walk
from passes.loop.analysis.value_numbers import ValueNumbers
from passes.loop.reduction.stored_values import stores_of


def load_stored(kernel: KernelOp, stores: Sequence[StoreOp]) -> None:
    """Replaces `stores` in loops of a kernel, and all that computes what they store there, by loads.

    What a row knows already, such as a constant, is not loaded.
    """
    numbers = ValueNumbers(stored_in(kernel))
    loops = {loop: numbers.of(loop) for loop in kernel.rows.loops}
    for store in stores:
        for loop, value in _stored(store, loops) or [(store.parent_op(), store.value)]:
            assert isinstance(loop, LoopOp) and isinstance(value.owner, Operation)
            if value.owner.parent is loop.body.block:
                _load_instead(value, loop, store, None)
        Rewriter.erase_op(store)


def load_again(kernel: KernelOp, behind: Callable[[LoopOp], bool], conditional: bool = False) -> list[LoopOp]:
    """Makes loops behind reductions load what these store, where that is less to load; gives the loops that do.

    Those do which `behind` says may. A store with a condition counts if `conditional`: they load by the same.
    """
    written = [op.buffer for op in walk(kernel) if isinstance(op, StoreOp)]
    numbers = ValueNumbers(written)
    loops = {loop: numbers.of(loop) for loop in kernel.rows.loops}
    order, changed = [*loops], dict[LoopOp, None]()
    for loop in [op for op in loops if isinstance(op, ReduceOp)]:
        later = set(filter(behind, order[order.index(loop) + 1 :]))
        for store in [op for op in stores_of(loop, kernel, conditional) if written.count(op.buffer) == 1]:
            for other, value in _stored(store, loops):
                if other in later and _replaced(value, other, store, loops):
                    changed[other] = None
    return [*changed]


def _replaced(value: SSAValue, loop: LoopOp, store: StoreOp, loops: Mapping[LoopOp, Mapping[SSAValue, int]]) -> bool:
    """Loads `value` in `loop`, by the condition of `store`, if that is less to load than what it is computed from."""
    own = store.parent_op()
    assert isinstance(own, LoopOp)
    condition = _same(store.condition, loops[own], loops[loop])
    unread = _needed_for(value, loop)
    if _read_by(unread, loop) <= byte_size(value.type) or (condition is None) != (store.condition is None):
        return False
    _load_instead(value, loop, store, condition)
    for op in unread:
        Rewriter.erase_op(op)
    return True


def _stored(store: StoreOp, loops: Mapping[LoopOp, Mapping[SSAValue, int]]) -> list[tuple[LoopOp, SSAValue]]:
    """The value of a store, and those of other `loops`, with the numbers of what they compute, that are the same."""
    loop = store.parent_op()
    assert isinstance(loop, LoopOp)
    stored = loops[loop].get(store.value)
    alike = [(other, numbers) for other, numbers in loops.items() if other.size == loop.size]
    return [(other, value) for other, numbers in alike for value, n in numbers.items() if n == stored]


def _same(value: SSAValue | None, own: Mapping[SSAValue, int], other: Mapping[SSAValue, int]) -> SSAValue | None:
    """What another loop computes that is the same as `value`; None if it does not."""
    number = None if value is None else own.get(value)
    return None if number is None else next((v for v, n in other.items() if n == number), None)


def _load_instead(value: SSAValue, loop: LoopOp, store: StoreOp, condition: SSAValue | None) -> None:
    """Loads in `loop` what `store` has stored, in place of `value`."""
    own, computing = store.parent_op(), value.owner
    assert isinstance(own, LoopOp) and isinstance(computing, Operation) and computing.parent is not None
    load = LoadOp(store.buffer, [loop.index if v is own.index else v for v in store.indices], store.index, condition)
    load.location, load.result.name_hint = store.location, value.name_hint
    computing.parent.insert_op_after(load, computing)
    value.replace_all_uses_with(load.result)


def _needed_for(value: SSAValue, loop: LoopOp) -> dict[Operation, None]:
    """The ops of `loop` that nothing needs but what computes `value`, the last first."""
    found: dict[Operation, None] = {}
    for op in reversed([*loop.body.block.ops]):
        read = {use.operation for result in op.results for use in result.uses}
        if op is value.owner or (read and read <= found.keys()):
            found[op] = None
    return found


def _read_by(ops: Collection[Operation], loop: LoopOp) -> int:
    """Bytes of an element that `loop` reads by these ops alone; what all rows, or all columns, share does not count."""
    rows = loop.parent_op()
    assert isinstance(rows, LoopOp)
    own = [op for op in loop.body.block.ops if isinstance(op, LoadOp)]
    loads = [op for op in own if loop.index in op.indices and any(v in rows.indices for v in op.indices)]
    others = {op.buffer for op in loads if op not in ops}
    alone = {op.buffer: byte_size(op.result.type) for op in loads if op.buffer not in others}
    return sum(alone.values())
