"""nested-reductions: a reduction over all dimensions of values that depend on row reductions goes row by row first.

    t = sum over i, j of f(x[i, j], m[i]),  m[i] = max over j of x[i, j]
      = sum over i of (sum over j of f(x[i, j], m[i]))

The inner sum has the rows of m, so that one kernel computes both and the input of f stays in registers; the outer one
adds up one number a row. An example is a loss that is the mean over a softmax.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from xdsl.dialects.builtin import BFloat16Type, Float16Type
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.types import element_type, shape_of
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import CastOp, ReduceOp
from mlc_dialects.tensor.views import BroadcastOp
from mlc_support.index_expr import product
from mlc_support.index_maps import assumed
from mlc_support.rewriting import Rule, RulePass, rule

LOOKED_AT = 64
"""The most ops that are searched for a reduction over the same rows."""
LEAST_ROWS = 512
"""Fewer rows do not fill a device: splitting one long reduction is faster."""


@dataclass(frozen=True)
class NestedReductionsPass(RulePass):
    """Splits reductions over more dimensions than one that they depend on."""

    name = "nested-reductions"

    def rules(self) -> tuple[Rule, ...]:
        return (reduce_rows_first,)


@rule
def reduce_rows_first(op: ReduceOp) -> list[Operation] | None:
    """Over i and j == over i of (over j), where the input needs a reduction over j of the same points"""
    if op.kind.data.startswith("arg") or isinstance(element_type(op.input.type), BFloat16Type | Float16Type):
        return None  # positions are not combined; a 16-bit float would be rounded once more
    shape = shape_of(op.input.type)
    for other in islice(_behind(op.input), LOOKED_AT):
        if not isinstance(other, ReduceOp) or shape_of(other.input.type) != shape:
            continue
        if set(other.reduced) < set(op.reduced) and len(shape) - 1 in other.reduced:
            rows = assumed(product(shape[d] for d in op.reduced if d not in other.reduced))
            if rows >= LEAST_ROWS:
                inner = ReduceOp(op.kind.data, op.input, other.reduced)
                return [inner, ReduceOp(op.kind.data, inner, op.reduced)]
    return None


def _behind(value: SSAValue) -> Iterator[Operation]:
    """The ops from which `value` is computed elementwise, nearest first, up to reductions."""
    seen: set[Operation] = set()
    work = [value]
    for one in work:
        op = one.owner
        if isinstance(op, Operation) and op not in seen:
            seen.add(op)
            yield op
            if isinstance(op, ElementwiseOp | CastOp | BroadcastOp):
                work += op.operands
