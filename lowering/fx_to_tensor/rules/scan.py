"""Rules for scans: sums, products and extremes of each element and those before it. Halves accumulate in float32."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Attribute, SSAValue

from lowering.fx_to_tensor.call import Call, normalized, rule, wide
from mlc_dialects.common.types import element_type, is_bool, shape_of
from mlc_dialects.tensor.scan import ScanOp


def _counted(element: Attribute) -> Attribute:
    """The type that a scan of `element` is computed in: booleans as 0 and 1."""
    return i32 if is_bool(element) else wide(element)


def _scanned(kind: str, call: Call, x: SSAValue, dim: int, dtype: Any = None) -> SSAValue:
    """The scan computed in the type that sums take, in the type of the result; a number is its own."""
    value = call.cast(x, _counted(call.element))
    rank = len(shape_of(x.type))
    scanned = call.op(ScanOp(kind, value, normalized(dim, rank))) if rank else value
    return call.cast(scanned, call.element)


rule("cumsum.default")(partial(_scanned, "add"))
rule("cumprod.default")(partial(_scanned, "mul"))
rule("logcumsumexp.default")(partial(_scanned, "logaddexp"))


def _extreme(kind: str, call: Call, x: SSAValue, dim: int) -> Sequence[SSAValue]:
    """(values, indices): the last of equals."""
    values = _scanned(kind, call, x, dim)
    shape = shape_of(x.type)
    if not shape:
        return [values, call.full(0, shape, i64)]
    source = call.cast(x, _counted(element_type(x.type)))
    return [values, call.op(ScanOp(f"arg{kind}", source, normalized(dim, len(shape))))]


rule("cummax.default")(partial(_extreme, "max"))
rule("cummin.default")(partial(_extreme, "min"))
