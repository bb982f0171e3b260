"""Random ops whose places are data, and scans and random bits: the makers that `random_graphs` draws from besides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st
from xdsl.dialects.builtin import TensorType, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from mlc_dialects.common.types import element_type, is_bool, is_float, shape_of, tensor_type, with_element
from mlc_dialects.loop.scan import SCAN_KINDS
from mlc_dialects.tensor.elementwise import AddOp, FmodOp, LtOp, RemainderOp, SelectOp, SubOp
from mlc_dialects.tensor.gather_scatter import SCATTER_KINDS, GatherOp, ScatterOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, SizeOp
from mlc_dialects.tensor.random import RandomOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import BroadcastOp
from mlc_support.index_expr import IndexExpr

if TYPE_CHECKING:
    from tests.unit.random_graphs import Builder

SEEDS = TensorType(i64, [2])


def gather(builder: Builder, source: SSAValue) -> Operation | None:
    """Elements of `source`, at places that are positions, numbers or data."""
    if 0 in builder.numbers(source):
        return None
    points = tensor_type(builder.several(builder.dims, 0, 2), i64)
    return GatherOp(source, _indices(builder, source, points), shape_of(points))


def scatter(builder: Builder, source: SSAValue) -> Operation | None:
    """Updates put into `source`. Several are combined in one place; of those that are `set` there all are equal."""
    element = element_type(source.type)
    kinds = [k for k in SCATTER_KINDS if k == "set" or not (is_bool(element) or (k == "min" and is_float(element)))]
    if 0 in builder.numbers(source):
        return None
    kind, shape = builder.pick(kinds), builder.several(builder.dims, 0, 2)
    if kind == "set" and builder.chance():
        updates = builder.partner(source.type)
        places = [_mirrored(builder, source.type, dim) for dim in range(len(shape_of(source.type)))]
        return ScatterOp(kind, source, places, updates)
    if kind == "set":
        updates = builder.add(BroadcastOp(builder.partner(tensor_type([], element)), shape))
    else:
        updates = builder.partner(tensor_type(shape, element))
    return ScatterOp(kind, source, _indices(builder, source, tensor_type(shape, i64)), updates)


def _mirrored(builder: Builder, type_: Attribute, dim: int) -> SSAValue:
    """The position along a dimension, or the one counted from its end."""
    place = builder.add(IotaOp(dim, with_element(type_, i64)))
    if builder.chance():
        return place
    last = builder.add(BroadcastOp(builder.add(SizeOp(shape_of(type_)[dim] - 1)), shape_of(type_)))
    return builder.add(SubOp(last, place))


def _indices(builder: Builder, indexed: SSAValue, points: Attribute) -> list[SSAValue]:
    """A place inside `indexed` for each of `points`: one integer tensor a dimension, all of one width."""
    sizes = zip(shape_of(indexed.type), builder.numbers(indexed), strict=True)
    found = [_coordinate(builder, size, number, points) for size, number in sizes]
    return [builder.add(CastOp(i, i32)) for i in found] if builder.draw(st.integers(0, 3)) == 3 else found


def _coordinate(builder: Builder, size: IndexExpr, number: int, points: Attribute) -> SSAValue:
    """An integer in [0, size), which is `number` today, for each of `points`."""
    shape = shape_of(points)
    along = [d for d, s in enumerate(shape) if s == size or s.evaluate(builder.sizes) <= number]
    if along and builder.chance():
        return builder.add(IotaOp(builder.pick(along), points))
    if builder.draw(st.integers(0, 3)) == 3:
        return builder.add(ConstantOp.splat(builder.draw(st.integers(0, number - 1)), shape, i64))
    bound = builder.add(BroadcastOp(builder.add(SizeOp(size)), shape))
    given = builder.partner(points)
    if builder.chance():
        return builder.add(RemainderOp(given, bound))
    # As torch has it: negative ones count from the end.
    rest = builder.add(FmodOp(given, bound))
    zero = builder.add(ConstantOp.splat(0, shape, i64))
    return builder.add(SelectOp(builder.add(LtOp(rest, zero)), builder.add(AddOp(rest, bound)), rest))


def scan(builder: Builder, source: SSAValue) -> Operation | None:
    """Each element combined with those before it."""
    rank, element = len(shape_of(source.type)), element_type(source.type)
    if not rank or is_bool(element):
        return None
    kind = builder.pick([k for k, kinds in SCAN_KINDS.items() if ("f" if is_float(element) else "i") in kinds])
    return ScanOp(kind, source, builder.draw(st.integers(0, rank - 1)))


def random_bits(builder: Builder, source: SSAValue) -> Operation:
    """Bits for each element of a tensor of the shape of `source`."""
    seeds = builder.partner(SEEDS)
    type_ = tensor_type(shape_of(source.type), i32)
    return RandomOp(seeds, builder.draw(st.integers(0, 1)), builder.draw(st.integers(0, 3)), type_)


MAKERS = (gather, scatter, scan, random_bits)
