"""Gives the loops of a kernel other axes: the indices of the old ones become expressions over the new."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, IndexType, StringAttr
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from mlc_dialects.common.index_syntax import index_attribute, index_exprs, operand_name
from mlc_dialects.loop.dialect import (
    AccumulateOp,
    AtomicOp,
    ExclusivePrefixOp,
    IndexOp,
    IndirectIndexOp,
    KernelOp,
    LastBlockOp,
    LoadOp,
    LoopOp,
    ParallelOp,
    ReduceOp,
    SignalOp,
    StoreOp,
    WaitOp,
)
from mlc_support.errors import MlcError
from mlc_support.index_expr import IndexExpr, integer, variable
from mlc_support.index_maps import delinearize, linearize
from mlc_support.locations import location_of
from mlc_support.walks import walk
from passes.loop.analysis.kernel_rewriter import index_of

ROWS = "p"
"""The name of the row-major position among the parallel axes of a kernel."""
COLUMNS = "r"
"""That among the axes of a loop inside."""
Indices = dict[str, SSAValue]
"""The new indices of a loop, by their names in expressions."""
_Indexed = LoadOp | StoreOp | AtomicOp | AccumulateOp | IndexOp
"""What has a place over indices that can be told the new ones."""


@dataclass(frozen=True)
class NewAxes:
    """The axes that a loop gets, the outermost first."""

    names: tuple[str, ...]
    sizes: tuple[IndexExpr, ...]

    @property
    def position(self) -> IndexExpr:
        """The row-major position at the new indices."""
        indices = (variable(_unknown(name), size) for name, size in zip(self.names, self.sizes, strict=True))
        return linearize(tuple(indices), self.sizes)


def change_axes(kernel: KernelOp, changes: Mapping[LoopOp, NewAxes]) -> None:
    """Gives loops the axes that `changes` has for them, in place; the row-major position of an iteration stays.

    Loops inside one another need different names. An op keeps the order of its index operands.
    """
    _check_uses(changes)
    meaning: dict[SSAValue, IndexExpr] = {}
    indices: dict[SSAValue, Indices] = {}
    old: list[BlockArgument] = []
    for loop, axes in changes.items():
        before = list(loop.indices)
        meaning |= zip(before, delinearize(axes.position, loop.sizes), strict=True)
        indices |= dict.fromkeys(before, _insert(loop, axes))
        old += before
    for op in list(walk(kernel)):
        if isinstance(op, _Indexed) and indices.keys() & op.indices:
            _move(op, meaning, indices)
    for index in old:
        index.block.erase_arg(index)


def _check_uses(loops: Collection[LoopOp]) -> None:
    """MlcError where a loop is mapped by its axes, or an index is used by what cannot be told the new ones."""
    mapped = next((loop for loop in loops if loop.tile is not None or loop.lanes is not None), None)
    if mapped is not None:
        raise MlcError(f"{mapped.name}: axes that are mapped cannot change", location_of(mapped), "map them afterwards")
    for use in (use for loop in loops for index in loop.indices for use in index.uses):
        op = use.operation
        if not isinstance(op, _Indexed) or op.operands[use.index] not in op.indices:
            around = op.parent_op()
            raise MlcError(
                f"{op.name} uses an index of {around.name if around else 'a loop'}, whose axes change",
                location_of(op),
                "passes that change axes come before those that make programs wait for each other",
            )


def linearize_axes(kernel: KernelOp) -> None:
    """Gives each loop of a kernel as lowered one axis: the rows are %p, and the columns of each loop in them %r."""
    loops = {kernel.rows: ROWS} | dict.fromkeys(kernel.rows.loops, COLUMNS)
    change_axes(kernel, {loop: NewAxes((n,), (loop.size,)) for loop, n in loops.items() if len(loop.indices) > 1})
    for loop, name in loops.items():
        loop.indices[0].name_hint = name


def is_as_lowered(kernel: KernelOp) -> bool:
    """True for a kernel of rows and loops over columns, not scheduled yet, whose programs do not wait for others."""
    loops = [op for op in walk(kernel) if isinstance(op, LoopOp)]
    plain = all(isinstance(loop, ParallelOp | ReduceOp) and not loop.is_mapped for loop in loops)
    outer = [op for op in kernel.body.block.ops if isinstance(op, ParallelOp)]
    waits = any(isinstance(op, ExclusivePrefixOp | LastBlockOp | SignalOp | WaitOp) for op in walk(kernel))
    return kernel.warps is None and plain and not waits and len(outer) == 1 and len(loops) == 1 + len(kernel.rows.loops)


def _insert(loop: LoopOp, axes: NewAxes) -> Indices:
    """Appends new indices to those of `loop`, and gives it their extents."""
    block, found = loop.body.block, Indices()
    for name in axes.names:
        found[_unknown(name)] = index = block.insert_arg(IndexType(), len(block.args))
        index.name_hint = name
    loop.extents = index_attribute(axes.sizes)
    return found


def _unknown(name: str) -> str:
    """What expressions call the index `name`. No size is called so."""
    return f"%{name}"


def _move(
    op: _Indexed,
    meaning: Mapping[SSAValue, IndexExpr],
    indices: Mapping[SSAValue, Indices],
) -> None:
    """Replaces `op` by the same at the new indices."""
    known, renamed = Indices(), dict[str, IndexExpr]()
    for k, value in enumerate(op.indices):
        own = operand_name(k)
        known |= indices.get(value, {own: value})
        renamed[own] = meaning[value] if value in meaning else variable(own, _extent(value))
    exprs = [expr.substitute(renamed) for expr in index_exprs(op.index)]
    new = _at(op, *index_of(exprs, known))
    new.location = op.location
    names = [result.name_hint for result in op.results]
    Rewriter.replace_op(op, new)
    for result, name in zip(new.results, names, strict=True):
        result.name_hint = name


def _extent(index: SSAValue) -> IndexExpr:
    """The extent of an index that stays. That of a dimension of one place is not known, lest it go unchecked."""
    owner = index.owner
    if isinstance(owner, IndirectIndexOp):
        return integer(2) if owner.size.constant == 1 else owner.size
    assert isinstance(index, BlockArgument)
    loop = owner.parent_op()
    assert isinstance(loop, LoopOp)
    return loop.sizes[index.index]


def _at(op: _Indexed, indices: list[SSAValue], index: ArrayAttr[StringAttr]) -> Operation:
    """`op` at another place."""
    match op:
        case LoadOp():
            load = LoadOp(op.buffer, indices, index, op.condition)
            load.evict = op.evict
            return load
        case StoreOp():
            store = StoreOp(op.value, op.buffer, indices, index, op.condition)
            store.evict = op.evict
            return store
        case AtomicOp():
            return AtomicOp(op.kind.data, op.value, op.buffer, indices, index, op.condition)
        case AccumulateOp():
            return AccumulateOp(op.kind.data, op.value, op.buffer, indices, index)
        case IndexOp():
            return IndexOp(indices, index, op.result.type)
