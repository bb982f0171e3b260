"""fold-weights: scales and shifts after a convolution or a product of matrices go into its weights and bias.

Batch norm in inference is such a chain: ((y - mean) * rstd) * weight + bias, each one number a channel.
Where all of them are frozen parameters, and nothing else reads what lies between, the chain
disappears. Inexact: the sum is taken of scaled products instead of scaled itself, and scaled
weights are rounded to their type. Only frozen parameters are touched: without any nothing happens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.ir import SSAValue

from mlc_dialects.common.annotations import OPERAND_STRIDES
from mlc_dialects.common.types import element_type, is_half, shape_of
from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.calls import ExternOp, OperandAttr
from mlc_dialects.tensor.composites import cast, wide
from mlc_dialects.tensor.ops import CastOp, MatmulOp
from mlc_dialects.tensor.views import BroadcastOp, ReshapeOp
from mlc_support.index_expr import IndexExpr
from mlc_support.rewriting import Observer, Rule, RulePass, apply_rules, rule
from passes.tensor.frozen import Frozen
from passes.tensor.matching import Pair, both_orders

CONVOLUTION = "aten.convolution.default"
_BIAS, _TRANSPOSED = 2, 6
_CHANNELS = 1
_Call = TypeVar("_Call", ExternOp, MatmulOp)


@dataclass(frozen=True)
class FoldWeightsPass(RulePass):
    """Fold frozen scales and shifts into the weights before them. Inexact by reassociation."""

    name = "fold-weights"

    def rules(self) -> tuple[Rule, ...]:
        """Those of a function that has no frozen parameters: for their names."""
        return folding_rules(func.FuncOp("none", ((), ())))

    def rewrite(self, module: ModuleOp, observer: Observer | None = None) -> Counter[str]:
        """Function by function: each has frozen parameters of its own."""
        counts: Counter[str] = Counter()
        for function in module.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                counts += apply_rules(function, folding_rules(function), observer=observer)
        return counts


def folding_rules(function: func.FuncOp) -> tuple[Rule, ...]:
    """The rules, for values frozen in `function`."""
    frozen = Frozen(function)

    @rule(inexact=True)
    def fold_into_convolution(op: ew.MulOp | ew.DivOp | ew.AddOp | ew.SubOp) -> SSAValue | None:
        """convolution(x, w, b) * s + t == convolution(x, w * s, b * s + t), one s and t a channel"""
        for call, vector in _calls_and_vectors(op, ExternOp, _CHANNELS, frozen):
            if _is_foldable(call, frozen):
                return cast(_convolution(call, op, _vector(vector)), element_type(op.result.type))
        return None

    @rule(inexact=True)
    def fold_into_matmul(op: ew.MulOp | ew.DivOp) -> SSAValue | None:
        """(x @ w) * s == x @ (w * s), one s a column"""
        last = len(shape_of(op.result.type)) - 1
        for product, vector in _calls_and_vectors(op, MatmulOp, last, frozen):
            if frozen(product.rhs):
                weight = _applied(op, product.rhs, _vector(vector))
                return cast(MatmulOp(product.lhs, weight).result, element_type(op.result.type))
        return None

    @rule(inexact=True)
    def distribute_scale(op: ew.MulOp | ew.DivOp) -> SSAValue | None:
        """((x @ w) + b) * s == (x @ w) * s + b * s, one b and s a column"""
        for value, other in _operands(op):
            found = _shifted_product(value, other, frozen)
            if found is not None:
                product, bias, vector = found
                scaled = BroadcastOp(_applied(op, _vector(bias), _vector(vector)), shape_of(op.result.type)).result
                return ew.AddOp(type(op)(product, other).result, scaled).result
        return None

    @rule(inexact=True)
    def join_shifts(op: ew.AddOp | ew.SubOp) -> SSAValue | None:
        """((x @ w) + b) + t == (x @ w) + (b + t), one b and t a column"""
        for value, other in _operands(op):
            found = _shifted_product(value, other, frozen)
            if found is not None:
                product, bias, vector = found
                return ew.AddOp(
                    product, BroadcastOp(_applied(op, _vector(bias), _vector(vector)), shape_of(op.result.type)).result
                ).result
        return None

    return (fold_into_convolution, fold_into_matmul, distribute_scale, join_shifts)


def _operands(op: ew.MulOp | ew.DivOp | ew.AddOp | ew.SubOp) -> Sequence[Pair]:
    """(value, what it is scaled or shifted by)"""
    return both_orders(op) if isinstance(op, ew.MulOp | ew.AddOp) else [(op.operands[0], op.operands[1])]


def _calls_and_vectors(
    op: ew.MulOp | ew.DivOp | ew.AddOp | ew.SubOp, kind: type[_Call], dim: int, frozen: Frozen
) -> Iterator[tuple[_Call, SSAValue]]:
    """The calls or products, as `kind` says, that `op` scales or shifts by a frozen vector along `dim`; the vector."""
    for value, other in _operands(op):
        call = _single(value)
        if isinstance(call, kind) and (vector := _along(other, dim, frozen)) is not None:
            yield call, vector


def _single(value: SSAValue) -> ExternOp | MatmulOp | None:
    """The call or product that `value` is, alone in reading it, through a cast to a wider float."""
    if isinstance(value.owner, CastOp) and is_half(element_type(value.owner.input.type)) and value.has_one_use():
        value = value.owner.input
    return value.owner if isinstance(value.owner, ExternOp | MatmulOp) and value.has_one_use() else None


def _shifted_product(value: SSAValue, other: SSAValue, frozen: Frozen) -> tuple[SSAValue, SSAValue, SSAValue] | None:
    """(x @ w, b, t), where `value` is x @ w + b and `other` is t, both frozen and one number a column."""
    last = len(shape_of(value.type)) - 1
    if isinstance(value.owner, ew.AddOp) and value.has_one_use() and (vector := _along(other, last, frozen)):
        for product, shift in both_orders(value.owner):
            if isinstance(_single(product), MatmulOp) and (bias := _along(shift, last, frozen)):
                return product, bias, vector
    return None


def _along(value: SSAValue, dim: int, frozen: Frozen) -> SSAValue | None:
    """The frozen tensor that `value` repeats in all dimensions but `dim`; None for plain constants.

    It may have dimensions of size 1: `_vector` is without. Nothing is built here, where a rule may yet decline.
    """
    if not isinstance(value.owner, BroadcastOp):
        return None
    source, from_right = value.owner.input, len(shape_of(value.type)) - dim
    if not frozen(source) or not frozen.reads_argument(source):
        return None
    sizes = shape_of(source.type)
    others = [s for d, s in enumerate(sizes) if len(sizes) - d != from_right]
    if len(sizes) < from_right or any(s.constant != 1 for s in others):
        return None
    return source


def _vector(value: SSAValue) -> SSAValue:
    """`value` without its dimensions of size 1, but for one dimension."""
    shape = shape_of(value.type)
    long = [s for s in shape if s.constant != 1] or [shape[0]]
    return value if len(shape) == 1 else ReshapeOp(value, long).result


def _is_foldable(call: ExternOp, frozen: Frozen) -> bool:
    """A convolution of the plain direction, whose weight and bias are frozen."""
    arguments = call.argument_list()
    if call.callee.data != CONVOLUTION or len(call.outputs) != 1:
        return False
    forward = isinstance(flag := arguments[_TRANSPOSED], IntegerAttr) and flag.value.data == 0
    return forward and all(frozen(v) for v in call.inputs[1:])


def _convolution(call: ExternOp, op: ew.MulOp | ew.DivOp | ew.AddOp | ew.SubOp, vector: SSAValue) -> SSAValue:
    """The call with `op` by `vector` done to its weights and bias."""
    x, weight, *rest = call.inputs
    element = element_type(weight.type)
    if isinstance(op, ew.MulOp | ew.DivOp):
        rank = len(shape_of(weight.type))
        column = ReshapeOp(vector, [shape_of(vector.type)[0], *[1] * (rank - 1)]).result
        weight = _applied(op, weight, column)
        bias = [_applied(op, rest[0], vector)] if rest else []
    elif rest:
        bias = [_applied(op, rest[0], vector)]
    else:
        bias = [cast(ew.NegOp(vector).result if isinstance(op, ew.SubOp) else vector, element)]
    arguments = [*call.argument_list()]
    arguments[_BIAS] = OperandAttr(StringAttr("2")) if bias else UnitAttr()
    new = ExternOp(call.callee.data, [x, weight, *bias], [call.outputs[0].type], arguments)
    new.attributes |= call.attributes
    _add_row_major_entry(new)
    return new.outputs[0]


def _add_row_major_entry(call: ExternOp) -> None:
    """The list of the operands' strides is as long as the operands, unit for row-major."""
    strides = call.attributes.get(OPERAND_STRIDES)
    if isinstance(strides, ArrayAttr):
        missing = [UnitAttr()] * (len(call.inputs) - len(strides.data))
        call.attributes[OPERAND_STRIDES] = ArrayAttr([*strides.data, *missing])


def _applied(op: ew.MulOp | ew.DivOp | ew.AddOp | ew.SubOp, value: SSAValue, by: SSAValue) -> SSAValue:
    """value `op` by, computed wide and rounded to the type of `value` once."""
    left, right = wide(value), wide(by)
    right = cast(right, element_type(left.type))
    shape: Sequence[IndexExpr] = shape_of(left.type)
    if shape_of(right.type) != (*shape,):
        right = BroadcastOp(right, shape).result
    return cast(type(op)(left, right).result, element_type(value.type))
