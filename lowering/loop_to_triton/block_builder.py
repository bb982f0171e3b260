"""Emits the statements of a kernel on blocks: arithmetic, masks and addresses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, IntegerType, StringAttr, i1
from xdsl.ir import Attribute, Block, Operation, SSAValue

from mlc_dialects.common.buffers import buffer_offset
from mlc_dialects.common.index_syntax import index_attribute, index_exprs, operand_name
from mlc_dialects.common.scalar_builder import scalar_attribute
from mlc_dialects.loop import dialect as mlc_loop
from mlc_dialects.loop.memory import is_row_update
from mlc_dialects.triton.indirect import AtomicOp, CheckedOp
from mlc_dialects.triton.memory import IndexOp, LoadOp, MaskOp, StoreOp
from mlc_dialects.triton.random import RandomOp
from mlc_dialects.triton.rearranged import RepeatOp
from mlc_dialects.triton.types import block_element, block_shape, block_type
from mlc_dialects.triton.values import ArangeOp, BroadcastOp, CastOp, CompareOp, FullOp, LibdeviceOp, WhereOp
from mlc_support.index_expr import IndexExpr, integer, variable
from mlc_support.index_maps import divided_names, divisions

PREDICATES = ("eq", "ne", "lt", "le", "gt", "ge", "lt", "le", "gt", "ge")
"""arith.cmpi's predicates by number. The unsigned ones compare booleans only, where signedness does not matter."""
FLOAT_PREDICATES = {1: "eq", 2: "gt", 3: "ge", 4: "lt", 5: "le", 13: "ne"}
"""arith.cmpf's predicates by number: ordered, except une."""
CASTS = (
    arith.ExtFOp,
    arith.TruncFOp,
    arith.ExtSIOp,
    arith.ExtUIOp,
    arith.TruncIOp,
    arith.SIToFPOp,
    arith.UIToFPOp,
    arith.FPToSIOp,
)
UNSIGNED = (arith.ExtUIOp, arith.UIToFPOp)


@dataclass
class Axis:
    """A loop as an axis of blocks: its index, and whether lanes beyond the extent need a mask."""

    extent: IndexExpr
    index: SSAValue
    masked: bool
    base: IndexExpr | None = None
    """The part of the index that all lanes share, if it is base + lane: a multiple of `apart`, with d0 = `start`."""
    start: SSAValue | None = None
    lanes: SSAValue | None = None
    apart: int = 1
    """An upper bound of `lanes`."""
    steps: bool = False
    """True if a loop changes `start`: it is the start of a step."""
    own: tuple[SSAValue, SSAValue] | None = None
    """An index, and that from which on no block before has the lanes too; None where blocks do not overlap."""


class BlockBuilder:
    """Emits statements on blocks; maps each scalar of the loops to its block."""

    def __init__(self, integer_type: IntegerType):
        self._int = integer_type
        self._block = Block()
        self._insert = self._block
        self._values: dict[SSAValue, SSAValue] = {}
        self._axes: list[Axis] = []
        self._sizes: dict[str, SSAValue] = {}

    def put(self, op: Operation, origin: Operation | None = None) -> None:
        """Appends a statement; `origin` gives its location."""
        if origin is not None:
            op.location = origin.location
        self._insert.add_op(op)

    def add(self, op: Operation, name: str | None = None, origin: Operation | None = None) -> SSAValue:
        """Appends a statement and returns its result, called `name`."""
        self.put(op, origin)
        if not op.results:
            raise AssertionError(f"{op.name} has no result")
        op.results[0].name_hint = name
        return op.results[0]

    def indices(
        self, operands: Sequence[SSAValue], expr: IndexExpr, type_: Attribute, name: str | None = None
    ) -> SSAValue:
        return self.add(IndexOp(operands, index_attribute([expr]), type_), name)

    def converted(self, value: SSAValue, element: Attribute, name: str | None = None) -> SSAValue:
        """`value` with another element type; itself if it has that type."""
        if block_element(value.type) == element:
            return value
        return self.add(CastOp(value, block_type(block_shape(value.type), element)), name)

    def full(self, number: float, type_: Attribute, name: str | None = None) -> SSAValue:
        """`number` as a scalar, or in each element of a block."""
        return self.add(FullOp(scalar_attribute(number, block_element(type_)), type_), name)

    def _full_shape(self) -> tuple[int, ...]:
        shapes = [block_shape(a.index.type) for a in self._axes]
        return _join_shapes(shapes)

    def _mask_of(self, axes: Sequence[Axis]) -> SSAValue:
        """True on the lanes inside the extents of `axes`."""
        names = sorted({v.name for a in axes for v in a.extent.variables()})
        renamed = {n: variable(operand_name(k)) for k, n in enumerate(names)}
        limits = index_attribute([a.extent.substitute(renamed) for a in axes])
        shape = _join_shapes([block_shape(a.index.type) for a in axes])
        bounds = [self._sizes[n] for n in names]
        return self.add(MaskOp([a.index for a in axes], limits, bounds, block_type(shape, i1)), "mask")

    def mask(self, operands: Sequence[SSAValue], condition: SSAValue | None) -> SSAValue | None:
        """The mask of an access that is indexed by `operands`; None if all lanes are inside."""
        axes = [
            a
            for a in self._axes
            if a.masked and (a.lanes in operands or any(_varies_along(v, a.index) for v in operands))
        ]
        mask = self._mask_of(axes) if axes else None
        if condition is None:
            return mask
        return self._joint(mask, self._values[condition])

    def _joint(self, a: SSAValue | None, b: SSAValue | None) -> SSAValue | None:
        """The lanes of both masks; None stands for all lanes."""
        if a is None or b is None:
            return a or b
        shape = _join_shapes([block_shape(a.type), block_shape(b.type)])
        return self.add(arith.AndIOp(self.broadcast(a, shape), self.broadcast(b, shape)), "mask")

    def first_of_overlapping(self) -> SSAValue | None:
        """The mask of the rows that no block before has too; None if no blocks of rows overlap."""
        own = next((axis.own for axis in self._axes if axis.own is not None), None)
        if own is None:
            return None
        index, first = own
        return self.add(CompareOp("ge", index, self.broadcast(first, block_shape(index.type))), "mask")

    def lanes_inside(self, operands: Sequence[SSAValue]) -> SSAValue:
        """The mask of an access in the innermost loop, indexed by `operands`; a mask even if all lanes are inside."""
        mask = self.mask(operands, None) or self._mask_of(self._axes[-1:])
        return self.broadcast(mask, self._full_shape())

    def place(self, op: mlc_loop.SignalOp | mlc_loop.WaitOp) -> tuple[list[SSAValue], ArrayAttr[StringAttr]]:
        """The operands and the index of a flag."""
        expr = index_exprs(op.index)[0]
        operands, expr = self._with_sizes(*self._shared_out([self._values[v] for v in op.indices], expr))
        return operands, index_attribute([expr])

    def _indirect_index(self, op: mlc_loop.IndirectIndexOp) -> None:
        """Integers as indices, checked on the lanes that are inside if they are not known to be good."""
        value, name = self._values[op.value], op.result.name_hint
        if op.unchecked is None:
            mask = self.mask([value], op.condition)
            shape = _join_shapes([block_shape(v.type) for v in (value, mask) if v is not None])
            bounds, limit = self._with_sizes([], op.size)
            checked = CheckedOp(self.broadcast(value, shape), bounds, index_attribute([limit]), mask)
            value = self.add(checked, name, op)
        self._values[op.result] = self.converted(value, self._int, name)

    def _address(self, op: mlc_loop.LoadOp | mlc_loop.StoreOp | mlc_loop.AtomicOp) -> tuple[list[SSAValue], IndexExpr]:
        """The operands and the expression of an element's offset, with sizes among the operands."""
        offset = buffer_offset(op.buffer.type, index_exprs(op.index))
        return self._based(*self._with_sizes(*self._shared_out([self._values[v] for v in op.indices], offset)))

    def _based(self, operands: list[SSAValue], expr: IndexExpr) -> tuple[list[SSAValue], IndexExpr]:
        """`expr` with the part that is the same in all lanes as one scalar, if it is a sum.

        Triton adds from left to right: each lane would keep the first sum in registers and add the rest again.
        """
        blocks = {operand_name(k) for k, v in enumerate(operands) if block_shape(v.type)}
        shared = expr.substitute({name: integer(0) for name in blocks})
        shared = shared - shared.substitute({v.name: integer(0) for v in shared.variables()})
        lanes = expr - shared
        if len(shared.terms) < 2 or not blocks or any(v.name not in blocks for v in lanes.variables()):
            return operands, expr
        base = self.indices(*self._with_sizes(operands, shared), self._int, "base")
        return self._with_sizes([base, *operands], variable("d0") + _moved(lanes, len(operands)))

    def _shared_out(self, operands: list[SSAValue], expr: IndexExpr) -> tuple[list[SSAValue], IndexExpr]:
        """`expr` with block indices split into base + lane, where that leaves fewer divisions for each lane.

        In a loop also where lanes are divided without what a step changes: the same in each step, they leave the loop.
        """
        divided = divided_names(expr)
        for axis in self._axes:
            place = operands.index(axis.index) if axis.index in operands else len(operands)
            name, start, lane = (operand_name(k) for k in (place, len(operands), len(operands) + 1))
            if axis.base is None or axis.start is None or axis.lanes is None or name not in divided:
                continue
            base = axis.base.substitute({"d0": variable(start)})
            told = expr.substitute({name: base + variable(lane, axis.apart)})
            before, left = divisions(expr, name), divisions(told, lane)
            if left < before or (axis.steps and left == before and not divisions(told, start, lane)):
                operands, expr = [*operands, axis.start, axis.lanes], told
        return operands, expr

    def _with_sizes(self, operands: list[SSAValue], expr: IndexExpr) -> tuple[list[SSAValue], IndexExpr]:
        """`expr` with named sizes as operands, and unused operands removed."""
        given = {operand_name(k): v for k, v in enumerate(operands)}
        used = sorted({v.name for v in expr.variables()}, key=lambda n: (n not in given, n))
        renamed = {n: variable(operand_name(k)) for k, n in enumerate(used)}
        return [given.get(n) or self._sizes[n] for n in used], expr.substitute(renamed)

    def _spread(
        self, operands: list[SSAValue], offset: IndexExpr, shape: tuple[int, ...]
    ) -> tuple[list[SSAValue], IndexExpr]:
        """The address as a block of `shape`: Triton broadcasts masks and values to addresses, not the reverse."""
        if _join_shapes([block_shape(v.type) for v in operands]) == shape:
            return operands, offset
        zeros = self.full(0, block_type(shape, self._int), "zeros")
        return [*operands, zeros], offset + variable(operand_name(len(operands)))

    def _load(self, op: mlc_loop.LoadOp) -> None:
        operands, offset = self._address(op)
        mask = self.mask(operands, op.condition)
        guard = block_shape(mask.type) if mask is not None else ()
        own = _join_shapes([guard, *(block_shape(v.type) for v in operands)])
        shape = own if op.each_row is None else self._full_shape()
        operands, offset = self._spread(operands, offset, shape)
        as_vector = op.as_vector if sum(size > 1 for size in shape) == 1 else None  # a condition may tell rows apart
        if as_vector is not None and mask is not None:
            mask = self.broadcast(mask, shape)
        axis, count = 0, 1
        if mask is None and op.each_row is None and as_vector is None and isinstance(op.parent_op(), mlc_loop.ReduceOp):
            operands, offset, shape, axis, count = self._packed(operands, offset, shape)
        type_ = block_type(shape, op.result.type)
        load = LoadOp(self._values[op.buffer], operands, index_attribute([offset]), mask, type_)
        load.evict, load.as_vector = op.evict, as_vector
        loaded = self.add(load, op.result.name_hint, op)
        self._values[op.result] = loaded if count == 1 else self.add(RepeatOp(loaded, axis, count), loaded.name_hint)

    def _packed(
        self, operands: list[SSAValue], offset: IndexExpr, shape: tuple[int, ...]
    ) -> tuple[list[SSAValue], IndexExpr, tuple[int, ...], int, int]:
        """The address, with fewer lanes where neighbours along an axis of the block load the same element.

        So they do where it holds several numbers of few bits, or is the scale of several. Also gives the axis, and how
        many lanes have one element.
        """
        for axis in self._axes:
            lanes = axis.index if axis.lanes is None else axis.lanes
            index, own = lanes if lanes in operands else axis.index, block_shape(lanes.type)
            if index not in operands or not isinstance(lanes.owner, ArangeOp):
                continue
            along, name, block = own.index(max(own)), operand_name(operands.index(index)), max(own)
            if any(v is not index and block_shape(v.type)[along : along + 1] == (block,) for v in operands):
                continue  # each lane looks up a place of its own
            start, lane = (operand_name(len(operands) + k) for k in range(2))
            base = integer(0) if index is lanes or axis.base is None else axis.base.substitute({"d0": variable(start)})
            for count in (2**k for k in range(block.bit_length() - 2, 0, -1)):
                few = variable(name, block // count) * count
                told = offset.substitute({name: base + few + variable(lane, count)})
                if lane in {v.name for v in told.variables()}:
                    continue
                fewer = [min(size, block // count) for size in own]
                operands[operands.index(index)] = self.add(ArangeOp(fewer, self._int), lanes.name_hint)
                operands = [*operands, axis.start] if axis.start is not None else operands
                kept = (*shape[:along], block // count, *shape[along + 1 :])
                return *self._with_sizes(operands, told), kept, along, count
        return operands, offset, shape, 0, 1

    def _store(self, op: mlc_loop.StoreOp | mlc_loop.AtomicOp) -> None:
        operands, offset = self._address(op)
        mask = self.mask([a.index for a in self._axes], op.condition)
        if isinstance(op, mlc_loop.StoreOp) and is_row_update(op):
            mask = self._joint(mask, self.first_of_overlapping())
        value = self._values[op.value]
        own = _join_shapes([block_shape(v.type) for v in (*operands, value, *([] if mask is None else [mask]))])
        # What is the same for all columns is stored once; what is added is added for each.
        shape = own if isinstance(op, mlc_loop.StoreOp) else self._full_shape()
        operands, offset = self._spread(operands, offset, shape)
        value = self.broadcast(value, shape)
        if mask is not None:
            mask = self.broadcast(mask, shape)
        target, index = self._values[op.buffer], index_attribute([offset])
        if isinstance(op, mlc_loop.AtomicOp):
            store = AtomicOp(op.kind.data, target, value, operands, index, mask)
        else:
            store = StoreOp(target, value, operands, index, mask)
            store.evict = op.evict
        store.location = op.location
        self._insert.add_op(store)

    def _index(self, op: mlc_loop.IndexOp) -> None:
        operands = [self._values[v] for v in op.indices]
        operands, expr = self._with_sizes(*self._shared_out(operands, index_exprs(op.index)[0]))
        if expr.constant is not None:
            self._values[op.result] = self.full(expr.constant, op.result.type, op.result.name_hint)
            return
        shape = _join_shapes([block_shape(v.type) for v in operands])
        value = self.indices(operands, expr, block_type(shape, self._int), op.result.name_hint)
        self._values[op.result] = self.converted(value, op.result.type, op.result.name_hint)

    def number(self, expr: IndexExpr, operands: Sequence[SSAValue], type_: Attribute) -> SSAValue:
        """An expression over `operands` (d0, d1, ...) and sizes as floats, with the element type of `type_`."""
        element = block_element(type_)
        values, expr = self._with_sizes(list(operands), expr)
        if expr.constant is not None:
            return self.full(expr.constant, element)
        shape = _join_shapes([block_shape(v.type) for v in values])
        count = self.indices(values, expr, block_type(shape, self._int), "count")
        return self.add(CastOp(count, block_type(shape, element)), "count")

    def _scalar(self, op: Operation) -> SSAValue:
        """The same op on blocks, all broadcast to one shape."""
        name = op.results[0].name_hint
        if isinstance(op, arith.ConstantOp):
            return self.add(FullOp(op.value, op.result.type), name, op)  # pyright: ignore[reportArgumentType]
        operands = [self._values[v] for v in op.operands]
        shape = _join_shapes([block_shape(v.type) for v in operands])
        operands = [self.broadcast(v, shape) for v in operands]
        type_ = block_type(shape, op.results[0].type)
        return self.add(_on_blocks(op, operands, type_), name, op)

    def broadcast(self, value: SSAValue, shape: tuple[int, ...]) -> SSAValue:
        if block_shape(value.type) == shape:
            return value
        return self.add(BroadcastOp(value, block_type(shape, block_element(value.type))), value.name_hint)


def _moved(expr: IndexExpr, count: int) -> IndexExpr:
    """`expr` with one more operand before its `count` operands."""
    return expr.substitute({operand_name(k): variable(operand_name(k + 1)) for k in range(count)})


def _on_blocks(op: Operation, operands: list[SSAValue], type_: Attribute) -> Operation:
    match op:
        case arith.CmpfOp():
            return CompareOp(FLOAT_PREDICATES[op.predicate.value.data], *operands)
        case arith.CmpiOp():
            return CompareOp(PREDICATES[op.predicate.value.data], *operands)
        case arith.SelectOp():
            return WhereOp(*operands)
        case mlc_loop.RandomOp():
            return RandomOp(operands[0], operands[1], op.word.value.data)
        case mlc_loop.LibdeviceOp():
            return LibdeviceOp(op.function.data, operands)
        case _ if isinstance(op, CASTS):
            return CastOp(operands[0], type_, unsigned=isinstance(op, UNSIGNED))
        case _:
            return type(op).create(operands=operands, result_types=[type_], properties=dict(op.properties))


def _varies_along(value: SSAValue, index: SSAValue) -> bool:
    """True if `value` differs between the lanes of the axis `index`."""
    sizes = zip(block_shape(value.type), block_shape(index.type), strict=False)
    return value is index or any(a > 1 and b > 1 for a, b in sizes)


def _join_shapes(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape to which all of `shapes` broadcast."""
    blocks = [s for s in shapes if s]
    return tuple(max(sizes) for sizes in zip(*blocks, strict=True)) if blocks else ()
