"""The formulas of products with a bias and of groups of rows, and of the histogram that tells how long groups are."""

from __future__ import annotations

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc_dialects.common.scalar_builder import scalar_attribute
from mlc_dialects.common.types import element_type, shape_of, storage, tensor_type
from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.arguments import Arguments
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.composites import cast, full, spread, wide
from mlc_dialects.tensor.gather_scatter import ScatterOp
from mlc_dialects.tensor.ops import ConstantOp, IotaOp, MatmulOp, ReduceOp
from mlc_dialects.tensor.views import BroadcastOp, PadOp, ReshapeOp, SliceOp
from mlc_support.index_expr import integer, product


def biased(op: ExternOp) -> list[SSAValue] | None:
    """bias + lhs @ rhs; None where one of them is scaled."""
    given = Arguments(op, ("bias", "lhs", "rhs"))
    operands = given.values("bias", "lhs", "rhs")
    if operands is None or any(given.number(scale, 1.0) != 1 for scale in ("alpha", "beta")):
        return None
    bias, lhs, rhs = operands
    product = MatmulOp(lhs, rhs).result
    same = shape_of(bias.type) == shape_of(product.type)
    return [ew.AddOp(product, bias if same else BroadcastOp(bias, shape_of(product.type)).result).result]


def grouped(op: ExternOp) -> list[SSAValue] | None:
    """A product for each group of consecutive rows, of which `ends` says where each ends.

    Rows lhs [S, K] with their group's rhs [G, K, N] give [S, N], and lhs [K, S] with rows rhs [S, N] give [G, K, N]: in
    both, the products of all groups with the rows of others at 0. What stands behind the last group is 0.
    """
    given = Arguments(op, ("lhs", "rhs", "ends"))
    operands = given.values("lhs", "rhs", "ends")
    if operands is None or given.has("bias"):
        return None
    lhs, rhs, ends = operands
    (groups,), left, right = shape_of(ends.type), shape_of(lhs.type), shape_of(rhs.type)
    rows = left[-2] if len(right) == 3 else left[-1]
    if len(left) != 2 or groups.constant is None or rows.constant is None:
        return None
    inside = _of_groups(ends, groups.constant, rows.constant)
    if len(right) == 3:
        kept = _where(ReshapeOp(inside, [groups, rows, 1]).result, lhs)
        total = ReduceOp("add", wide(MatmulOp(kept, rhs).result), [0]).result
        return [cast(ReshapeOp(total, [rows, right[-1]]).result, element_type(lhs.type))]
    kept = _where(ReshapeOp(inside, [groups, 1, rows]).result, lhs)
    return [MatmulOp(kept, BroadcastOp(rhs, [groups, *right]).result).result]


def _of_groups(ends: SSAValue, groups: int, rows: int) -> SSAValue:
    """Of each group, whether each row is its own."""
    zero = scalar_attribute(0, storage(element_type(ends.type)))
    starts = PadOp(SliceOp(ends, [0], [1], [groups - 1]).result, [1], [groups], zero).result
    place = IotaOp(1, tensor_type([groups, rows], element_type(ends.type))).result
    first, last = (spread(ReshapeOp(v, [groups, 1]).result, place) for v in (starts, ends))
    return ew.AndOp(ew.GeOp(place, first).result, ew.LtOp(place, last).result).result


def _where(inside: SSAValue, x: SSAValue) -> SSAValue:
    """`x` once for each group, 0 where it is not inside."""
    shape = [shape_of(inside.type)[0], *shape_of(x.type)]
    many = BroadcastOp(x, shape).result
    return ew.SelectOp(spread(inside, many), many, full(0.0, many)).result


def histogram(op: ExternOp) -> list[SSAValue] | None:
    """How many elements lie in each of equal parts of a range; None where the range is that of the data."""
    given = Arguments(op, ("x", "bins", "min", "max"))
    x, bins, low, high = given.value("x"), int(given.number("bins", 100)), given.number("min"), given.number("max")
    if x is None or high <= low:
        return None
    flat = ReshapeOp(wide(x), [product(shape_of(x.type))]).result
    inside = ew.AndOp(ew.GeOp(flat, full(low, flat)).result, ew.LeOp(flat, full(high, flat)).result).result
    above = ew.MulOp(ew.SubOp(flat, full(low, flat)).result, full(float(bins), flat)).result
    part = ew.SelectOp(inside, ew.DivOp(above, full(high - low, flat)).result, full(0.0, flat)).result
    place = cast(ew.MinimumOp(part, full(bins - 1.0, part)).result, i64)  # the end of the range is in its last part
    none = ConstantOp.splat(0.0, [integer(bins)], element_type(x.type)).result
    return [ScatterOp("add", none, [place], cast(inside, element_type(x.type))).result]


FORMULAS = {
    "aten.addmm.default": biased,
    "aten.baddbmm.default": biased,
    "aten._grouped_mm.default": grouped,
    "aten.histc.default": histogram,
}
"""Call to what builds its result."""
