"""exchange-halves: in the gradient of halves that change places both are read at once, and one of them is taken.

    %a = pad (neg (slice %x [0, 0])) low [0, 32]       %r = roll %x [0, 32] : tensor<8x64>
    %b = pad (slice %x [0, 32]) low [0, 0]       ->    %c = select (iota dim 1) < 32, %r, neg %r
    %c = add %a, %b : tensor<8x64>                     %d = add %c, 0.0

So is that of a rotary embedding: autograd pads the gradients of slices with zeros, and adds them up. A kernel would
load both slices, each by a condition. What is rolled it loads once, in vectors.

Where programs join slices themselves, as the rotary embedding does, they stay as they are: `unroll-and-jam` and
`program-swizzle` find what heads share there, and do not where places are remainders.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import copysign

from xdsl.dialects.builtin import FloatAttr, i64
from xdsl.ir import Attribute, Operation, SSAValue

from mlc_dialects.common.types import element_type, shape_of, with_element
from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.ops import CastOp, IotaOp
from mlc_dialects.tensor.views import PadOp, RollOp, SliceOp
from mlc_support.index_expr import integer
from mlc_support.rewriting import Rule, RulePass, rule
from passes.tensor.canonicalize.algebra import filled
from passes.tensor.canonicalize.moves import joined_slices


@dataclass(frozen=True)
class ExchangeHalvesPass(RulePass):
    """Takes two zero-padded parts of one tensor, in exchanged order, from what is rolled, where they are added up."""

    name = "exchange-halves"

    def rules(self) -> tuple[Rule, ...]:
        """The rule."""
        return (sum_of_exchanged_parts,)


@rule
def sum_of_exchanged_parts(op: ew.AddOp) -> Operation | None:
    """pad(f(x[a:])) + pad(g(x[:a])) == pad(0 + select(i < n - a, f(r), g(r))), r = x rolled to begin at a: zeros
    surround both, and one begins where the other ends; f or g negates or casts, and the other does the same, or not"""
    first, second = (v.owner for v in op.operands)
    if not isinstance(first, PadOp) or not isinstance(second, PadOp) or not _is_zero(first.value, second.value):
        return None
    moved = [d for d, (a, b) in enumerate(zip(first.lows, second.lows, strict=True)) if a != b]
    if len(moved) != 1:
        return None
    front, back = sorted((first, second), key=lambda pad: pad.lows[moved[0]])
    if front.input_shape[moved[0]] + front.lows[moved[0]] != integer(back.lows[moved[0]]):
        return None
    parts = _exchanged(front.input, back.input, moved[0])
    if parts is None:
        return None
    added = ew.AddOp(parts, filled(0, parts))
    return added if parts.type == op.result.type else PadOp(added, front.lows, front.shape, front.value)


def _is_zero(*values: Attribute) -> bool:
    """True if all are +0.0: only its sum with itself is the same."""
    return all(isinstance(v, FloatAttr) and v.value.data == 0 and copysign(1, v.value.data) > 0 for v in values)


def _exchanged(first: SSAValue, second: SSAValue, dim: int) -> SSAValue | None:
    """The first part and behind it the second along `dim`; None unless the second of them is the one in front, of one
    tensor."""
    (back, f), (front, g) = _seen_through(first), _seen_through(second)
    whole, boundary = joined_slices(front, back, dim), shape_of(back.type)[dim].constant
    if whole is None or boundary is None or not isinstance(front.owner, SliceOp) or first.type != _like(second, first):
        return None
    if isinstance(joint := whole.owner, SliceOp) and whole.type == joint.input.type and set(joint.strides) == {1}:
        whole = joint.input
    starts = [size if d == dim else 0 for d, size in enumerate(front.owner.shape)]
    rolled = RollOp(whole, starts).result
    one, other = (rolled if h is None else _again(h, rolled) for h in (f, g))
    if type(f) is type(g):
        return one
    places = IotaOp(dim, with_element(one.type, i64)).result
    return ew.SelectOp(ew.LtOp(places, filled(boundary, places)), one, other).results[0]


def _like(value: SSAValue, other: SSAValue) -> Attribute:
    """The type of `other` with the element type of `value`."""
    return with_element(other.type, element_type(value.type))


def _seen_through(value: SSAValue) -> tuple[SSAValue, ew.NegOp | CastOp | None]:
    """What `value` negates or casts, and the op; or itself."""
    op = value.owner
    return (op.operands[0], op) if isinstance(op, ew.NegOp | CastOp) else (value, None)


def _again(op: ew.NegOp | CastOp, value: SSAValue) -> SSAValue:
    """What `op` does, done with `value`."""
    new = ew.NegOp(value) if isinstance(op, ew.NegOp) else CastOp(value, element_type(op.result.type))
    return new.results[0]
