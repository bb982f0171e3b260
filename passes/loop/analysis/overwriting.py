"""Whether a kernel may write a result into the memory of a buffer that it reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.buffers import buffer_offset, buffer_shape
from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.loop.dialect import KernelOp, LoadOp, LoopOp, ParallelOp, ReduceOp, SerialOp, StoreOp
from mlc_dialects.triton.types import LANES
from mlc_support.index_expr import IndexExpr, product, variable
from mlc_support.index_maps import is_injective
from mlc_support.walks import walk
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
        case [StoreOp() as store]:
            return _repeat_refusal(kernel, store) or _order_refusal([use.operation for use in read.uses], store)
        case _:
            return "not one op stores the result"


def _order_refusal(readers: Sequence[Operation], store: StoreOp) -> str | None:
    """Why `store` may overwrite what one of `readers` has not read; None if all have read the element before."""
    loads = [op for op in readers if isinstance(op, LoadOp) and _is_read_before(op, store)]
    if not loads or loads != readers:
        return "an element is not read where it is overwritten, or not before"
    return None if all(store in _dependents(load) for load in loads) else "what is stored does not depend on it"


def _repeat_refusal(kernel: KernelOp, store: StoreOp) -> str | None:
    """Why an element may be stored more than once; None if none is.

    Where there are as many iterations as elements, all of which are stored, none is stored twice; nor where the index
    says which iteration stores.
    """
    around = _ops_around(store)
    chain = [loop for loop in around if isinstance(loop, ParallelOp | SerialOp | ReduceOp)]
    if chain != around:
        return "the store is in a scan, or the last block"
    if not _stores_all(store, chain) and not tells_iteration(store, chain):
        return "several iterations may store an element"
    return _sharing_refusal(kernel, chain) or waiting_refusal(kernel)


def _sharing_refusal(kernel: KernelOp, chain: Sequence[LoopOp]) -> str | None:
    """Why several threads or programs may run an iteration of these loops; None if one does."""
    if any(isinstance(loop, ReduceOp) for loop in chain) and _repeats_lanes(kernel, chain):
        return "threads that repeat others would reduce what those have stored"
    if any(loop.overlap is not None for loop in chain):
        return "blocks overlap: rows are done twice"
    if any(isinstance(op, LoopOp) and op.program is not None and op not in chain for op in walk(kernel)):
        return "several programs share a row"
    return None


def _stores_all(store: StoreOp, chain: Sequence[LoopOp]) -> bool:
    """True if there are as many iterations as elements, and each stores one."""
    iterations = product(loop.size for loop in chain if not _is_cut(loop, chain))
    return store.condition is None and iterations == product(buffer_shape(store.buffer.type))


def _repeats_lanes(kernel: KernelOp, chain: Sequence[LoopOp]) -> bool:
    """True if a program has more threads than elements of a block: some compute what others do."""
    return kernel.warps is not None and prod(loop.block_size for loop in chain) < LANES * kernel.warps.value.data


def tells_iteration(store: StoreOp, chain: Sequence[LoopOp]) -> bool:
    """True if no two iterations of the loops around `store` store the same element."""
    names = _names_around(store)
    place = _place(store, names)
    cut = {index for loop in chain if _is_cut(loop, chain) for index in loop.indices}
    return place is not None and is_injective(place, [name for index, name in names.items() if index not in cut])


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
    names = _names_around(store)
    first: Operation = load
    if own is not inner and isinstance(own, ReduceOp) and own.parent is inner.parent and own.sizes == inner.sizes:
        names |= {index: names[same] for index, same in zip(own.indices, inner.indices, strict=True)}
        first, last = own, inner
    else:
        last = store
    if first.parent is not last.parent or not first.is_before_in_block(last):
        return False
    place = _place(load, names)
    return place is not None and place == _place(store, names)


def _names_around(op: Operation) -> dict[SSAValue, IndexExpr]:
    """Variables for the indices of the loops around `op`."""
    return {
        index: variable(f"axis{depth}_{k}", size)
        for depth, loop in enumerate(_ops_around(op))
        if isinstance(loop, LoopOp)
        for k, (index, size) in enumerate(zip(loop.indices, loop.sizes, strict=True))
    }


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
