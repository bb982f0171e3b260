"""Calls that other compilers are given otherwise: attention and biased products as formulas, seeds and updates."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, ModuleOp, NoneAttr, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue

from mlc_dialects.common.annotations import SEEDS
from mlc_dialects.common.types import shape_of
from mlc_dialects.tensor.calls import ExternOp, OperandAttr
from mlc_dialects.tensor.composite_op import CompositeOp, Parameter, owner_op, results_of
from mlc_dialects.tensor.composites import scaled_dot_product_attention
from mlc_dialects.tensor.elementwise import AddOp
from mlc_dialects.tensor.ops import MatmulOp
from mlc_dialects.tensor.views import BroadcastOp
from mlc_support.rewriting import unplaced_ops

ATTENTION = "aten.scaled_dot_product_attention.default"
_DROPOUT = {ATTENTION: 4} | {
    f"aten._scaled_dot_product_{kernel}.default": place
    for kernel, place in {
        "flash_attention": 3,
        "flash_attention_for_cpu": 3,
        "efficient_attention": 5,
        "cudnn_attention": 5,
        "fused_attention_overrideable": 4,
    }.items()
}
"""The calls of attention, and which argument is the share that they drop."""
COPY = "aten.copy_.default"
BIASED = ("aten.addmm.default", "aten.baddbmm.default")
_PARAMETERS = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")


def copied(module: ModuleOp) -> ModuleOp:
    """A copy of `module` whose ops keep their places in the user's program."""
    copy = module.clone()
    for old, new in zip(module.walk(), copy.walk(), strict=True):
        new.location = old.location
    return copy


def is_seeds(op: Operation) -> bool:
    """True for the call that draws seeds: an input of what is exported, so that it is pure."""
    return isinstance(op, ExternOp) and op.callee.data == SEEDS


def is_update(op: Operation) -> bool:
    """True for a copy into a whole argument: what is copied becomes one more result."""
    if not isinstance(op, ExternOp) or op.callee.data != COPY or len(op.inputs) != 2:
        return False
    target, source = op.inputs
    return not isinstance(target.owner, Operation) and target.type == source.type


def is_pure(op: ExternOp) -> bool:
    """True for a call without effects, attention without dropout among them."""
    return op.impure is None or (op.callee.data in _DROPOUT and not _number(_dropout(op)))


def _dropout(op: ExternOp) -> Attribute | None:
    """How much a call of attention drops; None where it does not say."""
    arguments, place = op.argument_list(), _DROPOUT[op.callee.data]
    return arguments[place] if place < len(arguments) else _arguments(op).get("dropout_p")


def open_call(op: Operation) -> list[Operation] | None:
    """The ops of the formula of a composite, of attention or of a product with a bias, in no block yet; else None.

    The last of them computes the result; an op of several results has none.
    """
    if len(op.results) != 1:
        return None
    result = op.opened(op.inputs)[0] if isinstance(op, CompositeOp) else _attention(op) or _biased(op)
    owner = owner_op(result) if result is not None else None
    return unplaced_ops([owner]) if owner is not None else None


def _attention(op: Operation) -> SSAValue | None:
    """The formula of a call of attention; None for other ops and forms.

    Grouped heads and masks that are broadcast have none.
    """
    if not isinstance(op, ExternOp) or op.callee.data != ATTENTION or not is_pure(op):
        return None
    given = _arguments(op)
    operands = [op.inputs[a.index] for a in given.values() if isinstance(a, OperandAttr)]
    query, *_ = operands
    masked = len(operands) == 4
    head = shape_of(query.type)[-1].constant
    if _number(given.get("enable_gqa")) or head is None or (masked and shape_of(operands[3].type) != _scores(operands)):
        return None
    scale = given.get("scale")
    parameters: dict[str, Parameter] = {"scale": _number(scale) if isinstance(scale, FloatAttr) else head**-0.5}
    parameters |= {"causal": 1} if _number(given.get("is_causal")) else {}
    parameters |= {"safe": 1} if masked else {}  # PyTorch weighs a row that is hidden whole with 0
    return results_of(scaled_dot_product_attention.MEANING, operands, parameters)[0]


def _biased(op: Operation) -> SSAValue | None:
    """bias + lhs @ rhs, of a call of a product with a bias; None for other ops, and where one of them is scaled."""
    if not isinstance(op, ExternOp) or op.callee.data not in BIASED:
        return None
    scales = [*op.argument_list()[3:], *(op.keywords.data.values() if op.keywords is not None else ())]
    operands = [op.inputs[a.index] for a in op.argument_list()[:3] if isinstance(a, OperandAttr)]
    if len(operands) != 3 or any(_number(scale) != 1 for scale in scales):
        return None
    bias, lhs, rhs = operands
    product = MatmulOp(lhs, rhs).result
    same = shape_of(bias.type) == shape_of(product.type)
    return AddOp(product, bias if same else BroadcastOp(bias, shape_of(product.type)).result).result


def _scores(operands: Sequence[SSAValue]) -> object:
    """The shape of the scores."""
    return (*shape_of(operands[0].type)[:-1], shape_of(operands[1].type)[-2])


def _arguments(op: ExternOp) -> dict[str, Attribute]:
    """The arguments of a call of attention by name; those that are None are left out."""
    named = dict(zip(_PARAMETERS, op.argument_list(), strict=False))
    named |= op.keywords.data if op.keywords is not None else {}
    return {k: v for k, v in named.items() if not isinstance(v, UnitAttr | NoneAttr)}


def _number(attribute: Attribute | None) -> float:
    """A number or a truth; 0 where there is none."""
    return attribute.value.data if isinstance(attribute, FloatAttr | IntegerAttr) else 0.0


def inputs_of(function: func.FuncOp) -> list[SSAValue]:
    """The arguments of what is exported: those of the function, and its seeds."""
    block = function.body.block
    return [*block.args, *(r for op in block.ops if is_seeds(op) for r in op.results)]
