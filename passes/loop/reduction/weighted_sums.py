"""Sums that follow a maximum over the same columns, in one loop with it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import SSAValue

from mlc_dialects.common.reduction_kinds import WEIGHTED
from mlc_dialects.loop.dialect import ReduceOp
from mlc_dialects.loop.products import depends_on
from passes.loop.analysis.online_products import is_multiplied
from passes.loop.reduction.same_iteration import SameIteration, rebuilt, without


@dataclass(frozen=True)
class _Joining:
    """A reduction of the second loop as the first will have it."""

    kind: str
    value: SSAValue
    """Of the second loop."""
    result: SSAValue
    place: int
    """Before so many reductions of the first loop."""
    approx: bool


def join_sums(first: ReduceOp, second: ReduceOp) -> bool:
    """Moves one reduction of `second` into `first`, in which another loop is; True if there was one.

    sum of exp(x - m) * v  ->  weighted v            where `first` has the softmax of x
    any reduction that needs no result of `first`
    """
    if not any(isinstance(op, ReduceOp) for op in first.body.block.ops) or first.end.condition is not None:
        return False
    if second.end.condition is not None:
        return False
    same = SameIteration(first, second)
    for kind, value, results in second.parts:
        joining = _weighted(same, kind, value, results[0])
        if joining is None and len(results) == 1 and kind != WEIGHTED:
            joining = _Joining(kind, value, results[0], len(first.kinds), True)
        if joining is not None and _join(same, joining):
            return True
    return False


def _weighted(same: SameIteration, kind: str, value: SSAValue, result: SSAValue) -> _Joining | None:
    """The sum of exp(x - m) * v as that of v with the weights of the last softmax of the first loop."""
    kinds = [k.data for k in same.first.kinds]
    if kind != "add" or "softmax" not in kinds:
        return None
    last = max(k for k, other in enumerate(kinds) if other == "softmax")
    _, x, (most, *_) = same.first.parts[last]
    for exp in (op for op in same.second.body.block.ops if isinstance(op, math.ExpOp)):
        if same.is_exp(exp.result, x, most):
            weighted = _beside(value, exp.result)
            if weighted is not None:
                return _Joining(WEIGHTED, weighted, result, len(kinds), bool(exp.fastmath.data))
    return None


def _beside(value: SSAValue, weight: SSAValue) -> SSAValue | None:
    """v, where `value` is weight * v, or (weight * f) * v, and neither needs the weight otherwise."""
    product = value.owner
    if not isinstance(product, arith.MulfOp):
        return None
    for one, other in ((product.lhs, product.rhs), (product.rhs, product.lhs)):
        if depends_on(other, weight):
            continue
        if one is weight:
            return other
        inner = _beside(one, weight)
        if inner is not None:
            factor = arith.MulfOp(inner, other)
            assert product.parent is not None
            product.parent.insert_op_before(factor, product)
            return factor.result
    return None


def _precision(first: ReduceOp, second: ReduceOp, joining: _Joining) -> UnitAttr | None:
    """`tf32` if all products that are summed may be rounded so: those of the first loop, and the one that joins."""
    if not is_multiplied(joining.kind, joining.value):
        return first.tf32
    multiplies = any(is_multiplied(kind, value) for kind, value, _ in first.parts)
    return second.tf32 if first.tf32 is not None or not multiplies else None


def _join(same: SameIteration, joining: _Joining) -> bool:
    """Moves the reduction, unless it needs results of the first loop."""
    first, second = same.first, same.second
    found = same.adopt([joining.value])
    if found is None:
        return False
    parts = first.parts
    for kind, value, results in parts:
        if kind == joining.kind and value is found[0]:
            joining.result.replace_all_uses_with(results[0])
            without(second, joining.result)
            return True
    kinds = [k for k, _, _ in parts]
    results = [list(r) for _, _, r in parts]
    given = [v for _, v, _ in parts]
    kinds.insert(joining.place, joining.kind)
    results.insert(joining.place, [joining.result])
    given.insert(joining.place, found[0])
    tf32 = _precision(first, second, joining)  # of the first loop as it is
    new = rebuilt(first, kinds, [r for group in results for r in group], given)
    new.approx = new.approx if joining.approx else None
    new.tf32 = tf32
    without(second, joining.result)
    return True
