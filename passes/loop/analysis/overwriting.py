"""Whether a kernel may write a result into the memory of a buffer that it reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.buffers import buffer_offset, buffer_shape
from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.loop.dialect import KernelOp, LoadOp, LoopOp, ParallelOp, ReduceOp, SerialOp, StoreOp
from mlc_support.index_expr import IndexExpr, product, variable
from passes.loop.analysis.legality import waiting_refusal

Names = Mapping[SSAValue, IndexExpr]
"""What loop indices are called: the same for those that take the same values."""


def overwrite_refusal(kernel: KernelOp, read: SSAValue, result: SSAValue) -> str | None:
    """Why `result` of a scheduled kernel cannot lie in the memory of its buffer `read`; None if it can.

    Each element must be stored once, by the only iteration that loads it, after the load. An iteration of a row's loop
    over columns may store what reductions of the same row have loaded. The stored value must depend on all that is
    loaded: so no thread of a program stores before the others have loaded.
    """
    match [use.operation for use in result.uses]:
        case [StoreOp(condition=None) as store]:
            return _repeat_refusal(kernel, store) or _order_refusal([use.operation for use in read.uses], store)
        case _:
            return "not one op stores the result, or not always"


def _order_refusal(readers: Sequence[Operation], store: StoreOp) -> str | None:
    """Why `store` may overwrite what one of `readers` has not read; None if all have read the element before."""
    loads = [op for op in readers if isinstance(op, LoadOp) and _is_read_before(op, store)]
    if not loads or loads != readers:
        return "an element is not read where it is overwritten, or not before"
    return None if all(store in _dependents(load) for load in loads) else "what is stored does not depend on it"


def _repeat_refusal(kernel: KernelOp, store: StoreOp) -> str | None:
    """Why an element may be stored more than once; None if each is stored once.

    Where there are as many iterations as elements, all of which are stored, none is stored twice.
    """
    around = _ops_around(store)
    chain = [loop for loop in around if isinstance(loop, ParallelOp | SerialOp)]
    if chain != around:
        return "the store is in a reduction, a scan, or the last block"
    if any(loop.overlap is not None for loop in chain):
        return "blocks overlap: rows are done twice"
    if any(isinstance(op, LoopOp) and op.program is not None and op not in chain for op in kernel.walk()):
        return "several programs share a row"
    iterations = product(loop.size for loop in chain if not _is_cut(loop, chain))
    if iterations != product(buffer_shape(store.buffer.type)):
        return "there are more iterations than elements"
    return waiting_refusal(kernel)


def _ops_around(op: Operation) -> list[Operation]:
    """The ops around `op` in its kernel, the innermost first."""
    found: list[Operation] = []
    outer = op.parent_op()
    while outer is not None and not isinstance(outer, KernelOp):
        found.append(outer)
        outer = outer.parent_op()
    return found


def _is_cut(loop: LoopOp, chain: Sequence[Operation]) -> bool:
    """True for the loop over programs among which a persistent loop of `chain` shares its iterations."""
    serial = (other for other in chain if isinstance(other, SerialOp) and other.start in loop.indices)
    return any(other.step.value.data == loop.size.constant for other in serial)


def _is_read_before(load: LoadOp, store: StoreOp) -> bool:
    """True if an iteration loads the element that it stores, before it does; or a reduction of its row loads it."""
    inner, own = store.parent_op(), load.parent_op()
    assert isinstance(inner, LoopOp) and isinstance(own, Operation)
    names: dict[SSAValue, IndexExpr] = {
        index: variable(f"axis{depth}_{k}", size)
        for depth, loop in enumerate(_ops_around(store))
        if isinstance(loop, LoopOp)
        for k, (index, size) in enumerate(zip(loop.indices, loop.sizes, strict=True))
    }
    first: Operation = load
    if isinstance(own, ReduceOp) and own.parent is inner.parent and own.sizes == inner.sizes:
        names |= {index: names[same] for index, same in zip(own.indices, inner.indices, strict=True)}
        first, last = own, inner
    else:
        last = store
    if first.parent is not last.parent or not first.is_before_in_block(last):
        return False
    place = _place(load, names)
    return place is not None and place == _place(store, names)


def _place(op: LoadOp | StoreOp, names: Names) -> IndexExpr | None:
    """Which element `op` addresses, counted from the start of its buffer; None if that is not a matter of loops."""
    if not all(index in names for index in op.indices):
        return None
    offset = buffer_offset(op.buffer.type, index_exprs(op.index))
    return offset.substitute({operand_name(k): names[index] for k, index in enumerate(op.indices)})


def _dependents(load: LoadOp) -> set[Operation]:
    """What depends on `load`, also by the results of loops around it."""
    reached: set[Operation] = set()
    work: list[Operation] = [load]
    while work:
        op = work.pop()
        if op in reached:
            continue
        reached.add(op)
        work += [use.operation for result in op.results for use in result.uses]
        outer = op.parent_op()
        if isinstance(outer, ReduceOp) and op is outer.body.block.last_op:
            work.append(outer)
    return reached
