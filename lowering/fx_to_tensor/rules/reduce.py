"""Rules for reductions. Halves are summed in float32; dimensions of size 1 stay inside."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from xdsl.dialects.builtin import i1, i32, i64
from xdsl.ir import Attribute, SSAValue

from lowering.fx_to_tensor.call import Call, NotNative, normalized, rule, wide
from lowering.fx_to_tensor.rules.elementwise import as_float
from mlc_dialects.common.types import element_type, is_bool, is_float, shape_of
from mlc_dialects.tensor.ops import ReduceOp
from mlc_support.index_expr import IndexExpr, product

Dims = int | Sequence[int] | None


def _dims(x: SSAValue, dims: Dims) -> list[int]:
    """The dimensions to reduce, ascending; None and [] name all."""
    rank = len(shape_of(x.type))
    named = [dims] if isinstance(dims, int) else list(dims or range(rank))
    return sorted(normalized(d, rank) for d in named) if rank else []


def _kept(call: Call, kind: str, x: SSAValue, dims: Dims, element: Attribute) -> SSAValue:
    """The reduction computed in `element`, reduced dimensions kept with size 1."""
    axes = _dims(x, dims)
    value = call.cast(x, element)
    if axes:
        return call.op(ReduceOp(kind, value, axes))
    return call.full(0, (), i64) if kind.startswith("arg") else value


def _reduced(call: Call, kind: str, x: SSAValue, dims: Dims, element: Attribute) -> SSAValue:
    """The reduction computed in `element`, in the shape and type of the result."""
    return finished(call, _kept(call, kind, x, dims, element))


def finished(call: Call, value: SSAValue, position: int = 0) -> SSAValue:
    """A value in the shape and type of the result at `position`."""
    out = call.sizes.type(call.outs[position])
    return call.reshape(call.cast(value, element_type(out)), shape_of(out))


def _count(x: SSAValue, dims: Dims) -> IndexExpr:
    shape = shape_of(x.type)
    return product(shape[d] for d in _dims(x, dims))


@rule("sum.default")
def _sum_all(call: Call, x: SSAValue, dtype: Any = None) -> SSAValue:
    return _reduced(call, "add", x, None, wide(call.element))


@rule("sum.dim_IntList")
def _sum(call: Call, x: SSAValue, dims: Dims, keepdim: bool = False, dtype: Any = None) -> SSAValue:
    return _reduced(call, "add", x, dims, wide(call.element))


@rule("prod.default")
def _prod_all(call: Call, x: SSAValue, dtype: Any = None) -> SSAValue:
    return _product(call, x, None)


@rule("prod.dim_int")
def _prod(call: Call, x: SSAValue, dim: int, keepdim: bool = False, dtype: Any = None) -> SSAValue:
    return _product(call, x, dim)


def _product(call: Call, x: SSAValue, dims: Dims) -> SSAValue:
    """Of booleans, as of numbers: not false where none is."""
    return _reduced(call, "and" if is_bool(call.element) else "mul", x, dims, wide(call.element))


def _mean_kept(call: Call, x: SSAValue, dims: Dims, element: Attribute) -> SSAValue:
    total = _kept(call, "add", x, dims, element)
    shape = shape_of(total.type)
    count = as_float(call, _count(x, dims), element, shape)
    return call.apply("div", total, count, element=element, shape=shape)


@rule("mean.dim")
def _mean(call: Call, x: SSAValue, dims: Dims, keepdim: bool = False, dtype: Any = None) -> SSAValue:
    return finished(call, _mean_kept(call, x, dims, wide(call.element)))


@rule("mean.default")
def _mean_all(call: Call, x: SSAValue, dtype: Any = None) -> SSAValue:
    return finished(call, _mean_kept(call, x, None, wide(call.element)))


def _extreme(kind: str, call: Call, x: SSAValue, dims: Dims = None, keepdim: bool = False) -> SSAValue:
    element = element_type(x.type)
    if is_bool(element):
        return _reduced(call, "or" if kind == "max" else "and", x, dims, i1)
    return _reduced(call, kind, x, dims, element if is_float(element) else wide(element))


for _kind in ("max", "min"):
    rule(f"a{_kind}.default", f"{_kind}.default")(partial(_extreme, _kind))


def _ordered(element: Attribute) -> Attribute:
    """The type that positions of extremes are found in."""
    return element if is_float(element) else i32 if is_bool(element) else wide(element)


def _extreme_with_index(kind: str, call: Call, x: SSAValue, dim: int, keepdim: bool = False) -> Sequence[SSAValue]:
    """(values, indices): the index of the first of equals."""
    value = _extreme(kind, call, x, dim)
    element = element_type(x.type)
    index = _kept(call, f"arg{kind}", x, dim, _ordered(element))
    return [value, finished(call, index, 1)]


for _kind in ("max", "min"):
    rule(f"{_kind}.dim")(partial(_extreme_with_index, _kind))


def _position(kind: str, call: Call, x: SSAValue, dim: int | None = None, keepdim: bool = False) -> SSAValue:
    return _reduced(call, kind, x, dim, _ordered(element_type(x.type)))


for _kind in ("argmax", "argmin"):
    rule(f"{_kind}.default")(partial(_position, _kind))


def _quantifier(kind: str, call: Call, x: SSAValue, dims: Dims = None, keepdim: bool = False) -> SSAValue:
    return _reduced(call, kind, x, _nothing_means_nothing(x, dims), i1)


def _nothing_means_nothing(x: SSAValue, dims: Dims) -> Dims:
    if isinstance(dims, Sequence) and not dims:
        raise NotNative("any and all over no dimension")
    return dims


for _name, _kind in (("any", "or"), ("all", "and")):
    rule(f"{_name}.default", f"{_name}.dim", f"{_name}.dims")(partial(_quantifier, _kind))


def variance_and_mean(call: Call, x: SSAValue, dims: Dims, correction: Any) -> tuple[SSAValue, SSAValue]:
    """(variance, mean), dimensions kept: mean((x - mean)^2) * n / max(n - correction, 0)."""
    element = wide(call.element)
    value = call.cast(x, element)
    shape = shape_of(x.type)
    mean = _mean_kept(call, value, dims, element)
    centered = call.apply("sub", value, mean, element=element, shape=shape)
    squares = call.apply("mul", centered, centered, element=element, shape=shape)
    total = _kept(call, "add", squares, dims, element)
    kept = shape_of(total.type)
    freedom = _degrees(call, _count(x, dims), 1 if correction is None else correction, element, kept)
    return call.apply("div", total, freedom, element=element, shape=kept), mean


def _degrees(call: Call, count: IndexExpr, correction: Any, element: Attribute, shape: Any) -> SSAValue:
    """max(count - correction, 0) as a float tensor."""
    if count.constant is not None and not isinstance(correction, IndexExpr):
        return call.full(float(max(count.constant - correction, 0)), shape, element)
    number = as_float(call, count, element, shape)
    left = call.apply("sub", number, correction, element=element, shape=shape)
    return call.apply("maximum", left, 0.0, element=element, shape=shape)


def _moments(root: bool, with_mean: bool, call: Call, x: SSAValue, dims: Dims = None, correction: Any = None,
             keepdim: bool = False) -> Any:  # fmt: skip
    variance, mean = variance_and_mean(call, x, dims, correction)
    if root:
        shape = shape_of(variance.type)
        variance = call.apply("sqrt", variance, element=wide(call.element), shape=shape)
    spread = finished(call, variance)
    return [spread, finished(call, mean, 1)] if with_mean else spread


rule("var.correction")(partial(_moments, False, False))
rule("std.correction")(partial(_moments, True, False))
rule("var_mean.correction")(partial(_moments, False, True))
rule("std_mean.correction")(partial(_moments, True, True))
