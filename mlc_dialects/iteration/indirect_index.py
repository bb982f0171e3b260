"""Indirect indices: coordinates that are read from index tensors, as variables of index expressions.

A gather reads its input at coordinates that index tensors hold. Only the range of such a coordinate is known, so it
becomes a variable g0, g1, ... in [0, size), and a table maps the variable to the element of the index tensor. An index
that is computed from iotas and constants alone is no variable but an ordinary expression, so that the compiler still
sees coalesced accesses.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.types import element_type, shape_of
from mlc_dialects.tensor.elementwise import AddOp, AndOp, FloorDivOp, LtOp, MulOp, RemainderOp, SelectOp, SubOp
from mlc_dialects.tensor.gather_scatter import GatherOp, ScatterOp
from mlc_dialects.tensor.ops import ConstantOp, IotaOp, SizeOp
from mlc_dialects.tensor.views import PadOp, ViewOp
from mlc_support.index_expr import IndexExpr, integer, variable

Index = tuple[IndexExpr, ...]


@dataclass(frozen=True)
class IndirectIndex:
    """The coordinate `indices[at]` along a dimension of `size`."""

    indices: SSAValue
    at: Index
    size: IndexExpr


class IndirectIndices:
    """The indirect indices of a group of ops, by the names of their variables."""

    def __init__(self, ops: Collection[Operation] = ()) -> None:
        self._ops = ops
        self._names: dict[IndirectIndex, str] = {}
        self._by_name: dict[str, IndirectIndex] = {}
        self._readers: dict[str, GatherOp | ScatterOp] = {}

    def __getitem__(self, name: str) -> IndirectIndex:
        return self._by_name[name]

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def coordinates(self, op: GatherOp | ScatterOp, at: Index) -> Index:
        """The index at which point `at` of a gather's result is read, or of a scatter's updates is written."""
        sizes = shape_of(op.input.type if isinstance(op, GatherOp) else op.into.type)
        return tuple(self._coordinate(op, i, at, size) for i, size in zip(op.indices, sizes, strict=True))

    def reader(self, name: str) -> GatherOp | ScatterOp:
        """The op that used the coordinate first."""
        return self._readers[name]

    def needs(self, coordinates: Sequence[IndexExpr]) -> list[tuple[SSAValue, Index]]:
        """The elements of index tensors that `coordinates` name."""
        names = {v.name for c in coordinates for v in c.variables()}
        return [(self[n].indices, self[n].at) for n in sorted(names) if n in self]

    def loops(self, index: Sequence[IndexExpr]) -> set[str]:
        """The loop indices that `index` depends on, directly or through indirect indices."""
        names = {v.name for i in index for v in i.variables()}
        found = {n for n in names if n not in self}
        return found.union(*(self.loops(self[n].at) for n in names if n in self))

    def _coordinate(self, op: GatherOp | ScatterOp, indices: SSAValue, at: Index, size: IndexExpr) -> IndexExpr:
        known = expression(indices, at)
        if known is not None and (known.is_below(size) or _is_always_below(indices, size)):
            return known
        while isinstance(view := indices.owner, ViewOp) and not isinstance(view, PadOp) and view in self._ops:
            indices, at = view.input, view.source_index(at)
        coordinate = IndirectIndex(indices, at, size)
        name = self._names.setdefault(coordinate, f"g{len(self._names)}")
        self._by_name[name] = coordinate
        self._readers.setdefault(name, op)
        # A variable in [0, 1) would be 0, and go unchecked.
        return variable(name, 2 if size.constant == 1 else size)


def _is_always_below(indices: SSAValue, size: IndexExpr) -> bool:
    """True if all elements of an index tensor are known to be in [0, size).

    `indices[at]` then is as well, also where what is known of `at` does not tell: behind an input of a concatenation
    an index is the joined one less an offset, and nothing is read where that is negative.
    """
    found = counts(indices)
    return found is not None and found.is_below(size)


def counts(value: SSAValue) -> IndexExpr | None:
    """The integers of a tensor as an expression of i0, i1, ..., its coordinates; None if it is not known as one."""
    return expression(value, tuple(variable(f"i{k}", extent) for k, extent in enumerate(shape_of(value.type))))


def expression(value: SSAValue, at: Index) -> IndexExpr | None:
    """The integer `value[at]` as an index expression, if it is computed from iotas, sizes and constants alone."""
    op = value.owner
    match op:
        case ConstantOp() if isinstance(op.splat_value, IntegerAttr):
            return integer(op.splat_value.value.data)
        case ViewOp() if not isinstance(op, PadOp):
            return expression(op.input, op.source_index(at))
        case _ if element_type(value.type) != i64:
            return None  # narrower ones may wrap
        case IotaOp():
            return at[op.axis]
        case SizeOp():
            return op.expr
        case AddOp() | SubOp() | MulOp():
            a, b = (expression(v, at) for v in op.operands)
            if a is None or b is None:
                return None
            return a + b if isinstance(op, AddOp) else a - b if isinstance(op, SubOp) else a * b
        case FloorDivOp() | RemainderOp() | AndOp():
            return _divided(op, at)
        case SelectOp():
            return _selected(op, at)
        case _:
            return None


def _divided(op: FloorDivOp | RemainderOp | AndOp, at: Index) -> IndexExpr | None:
    """x floordiv n and x mod n for x >= 0 and a constant n > 0; x and (2**k - 1) is x mod 2**k."""
    x, n = (expression(v, at) for v in op.operands)
    if x is None or n is None or n.constant is None or not x.is_non_negative():
        return None
    number = n.constant + 1 if isinstance(op, AndOp) else n.constant
    if number <= 0 or (isinstance(op, AndOp) and number & (number - 1)):
        return None
    return x // number if isinstance(op, FloorDivOp) else x % number


def _selected(op: SelectOp, at: Index) -> IndexExpr | None:
    """select(x < 0, _, y) == y, where x is at least 0: there, or everywhere."""
    condition, _, other = op.operands
    test = condition.owner
    if not isinstance(test, LtOp):
        return None
    x, bound = test.operands
    zero = expression(bound, at)
    never = any(a is not None and a.is_non_negative() for a in (expression(x, at), counts(x)))
    return expression(other, at) if never and zero is not None and zero.constant == 0 else None
