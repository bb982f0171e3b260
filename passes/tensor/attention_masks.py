"""attention-masks: fused attention without a mask that hides nothing, or hides just what `is_causal` does.

PyTorch picks a fused kernel when the graph is traced, and a mask rules out the fastest. Models pass one in every
call: zeros, since no token is padding, or what comparisons of positions say. Here, behind const-fold and
canonicalize, it is known what the mask is. The calls of forward and backward pass change each by itself, for they
compute the same either way. A forward call that keeps nothing for a backward pass leaves the choice to PyTorch again,
with a mask or without. PyTorch then sees no mask, and takes queries, keys and values as they lie: some models copy
them to the layout that a graph's kernel was picked for.

What a mask hides is not read: under a mask that is added, a score of NaN would hide nothing and spoil its row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, FloatAttr, IntegerAttr, ModuleOp, StringAttr, UnitAttr, i1
from xdsl.ir import Attribute, Operation, SSAValue

from mlc_dialects.common.annotations import OPERAND_STRIDES
from mlc_dialects.common.types import Shape, element_type, is_bool, shape_of
from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.calls import ExternOp, OperandAttr
from mlc_dialects.tensor.ops import CastOp
from mlc_dialects.tensor.views import BroadcastOp
from mlc_support.index_expr import integer, variable
from mlc_support.walks import walk
from passes.common.device import Processor, ProcessorPass
from passes.tensor.attention_call import CALLEE, attention_call
from passes.tensor.matching import number
from passes.tensor.recompose.nodes import constant, threshold

_NAME = "aten._scaled_dot_product_{}.default"
_BACKWARD = "grad_out query key value"
_SAVED = "out logsumexp"
_SEEDS = "philox_seed philox_offset"
_LENGTHS = "cum_seq_q cum_seq_k max_q max_k"
_POSITIONAL = {
    "efficient_attention": "query key value attn_bias compute_log_sumexp dropout_p is_causal",
    "cudnn_attention": "query key value attn_bias compute_log_sumexp dropout_p is_causal return_debug_mask",
    "flash_attention": "query key value dropout_p is_causal return_debug_mask",
    "fused_attention_overrideable": "query key value attn_bias dropout_p is_causal return_debug_mask",
    "flash_attention_for_cpu": "query key value dropout_p is_causal",
    "efficient_attention_backward":
        f"grad_out_ query key value attn_bias {_SAVED} {_SEEDS} dropout_p grad_input_mask is_causal",
    "cudnn_attention_backward": f"{_BACKWARD} {_SAVED} {_SEEDS} attn_bias {_LENGTHS} dropout_p is_causal",
    "fused_attention_overrideable_backward":
        f"{_BACKWARD} attn_bias grad_input_mask {_SAVED} {_LENGTHS} dropout_p is_causal {_SEEDS}",
    "flash_attention_for_cpu_backward": f"{_BACKWARD} {_SAVED} dropout_p is_causal",
}  # fmt: skip
_PARAMETERS = {_NAME.format(name): tuple(parameters.split()) for name, parameters in _POSITIONAL.items()} | {
    CALLEE: ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")
}
"""The parameters that PyTorch's fused kernels with a mask, and the op that picks one, take by position."""
_MASKS = ("attn_bias", "attn_mask")
_HIDDEN_BY_CUDNN = (-65504.0, -65536.0)
"""What PyTorch writes for -inf in a mask that cuDNN adds, where booleans are given: in float16, and in bfloat16."""


@dataclass(frozen=True)
class AttentionMasksPass(ProcessorPass):
    """Take masks out of fused attention where it is known that they hide nothing, or what comes later."""

    name = "attention-masks"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite every call of a fused attention kernel."""
        for call in [c for c in walk(op) if isinstance(c, ExternOp) and c.callee.data in _PARAMETERS]:
            new = _without_mask(call, self.processor)
            if new is not None:
                _replace(call, new)


def _replace(call: ExternOp, new: Operation) -> None:
    """Puts `new`, which has the first results of `call`, in its place."""
    assert call.parent is not None
    new.location = call.location
    call.parent.insert_op_before(new, call)
    for old, result in zip(call.results, new.results, strict=False):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    call.detach()
    call.erase()


def _without_mask(call: ExternOp, processor: Processor) -> ExternOp | None:
    """The call with `is_causal` or nothing instead of its mask; None where the mask may hide something else."""
    given = _arguments(call)
    name = next((n for n in _MASKS if isinstance(given.get(n), OperandAttr)), None)
    if name is None:
        is_picked = call.callee.data == CALLEE
        return None if is_picked or not _keeps_nothing(call, given) else _chosen_again(call, given, processor)
    place = given[name]
    mask, causal = _unbroadcast(_operand(call, place)), _is_true(given.get("is_causal"))
    if number(mask) != is_bool(element_type(mask.type)):  # true keeps a score, or 0 is added to it
        lengths = tuple(shape_of(_operand(call, given[name]).type)[-2] for name in ("query", "key"))
        if causal or not _hides_later(mask, lengths, _hidden(call)):
            return None
        causal = True
    given = {**given, name: UnitAttr(), "is_causal": IntegerAttr(int(causal), i1)}
    return _chosen_again(call, given, processor) if _keeps_nothing(call, given) else _called(call, given)


def _arguments(call: ExternOp) -> dict[str, Attribute]:
    """The arguments of `call` by name."""
    keywords = call.keywords.data if call.keywords is not None else {}
    return {**dict(zip(_PARAMETERS[call.callee.data], call.argument_list(), strict=False)), **keywords}


def _is_true(flag: Attribute | None) -> bool:
    return isinstance(flag, IntegerAttr) and flag.value.data != 0


def _operand(call: ExternOp, place: Attribute) -> SSAValue:
    assert isinstance(place, OperandAttr)
    return call.inputs[place.index]


def _unbroadcast(mask: SSAValue) -> SSAValue:
    """What `mask` repeats, before it was cast; a number made of a boolean is no boolean."""
    inner = mask.owner.input if isinstance(mask.owner, CastOp | BroadcastOp) else mask
    if inner is mask or is_bool(element_type(inner.type)) != is_bool(element_type(mask.type)):
        return mask
    return _unbroadcast(inner)


def _hidden(call: ExternOp) -> tuple[float, ...]:
    """The numbers that hide a score where they are added to it."""
    return (-inf, *(_HIDDEN_BY_CUDNN if "cudnn" in call.callee.data else ()))


def _hides_later(mask: SSAValue, lengths: Shape, hidden: Sequence[float]) -> bool:
    """True for a mask that keeps scores of keys that are not after the query, and hides the others.

    It is true where it keeps one, or it adds 0 there and one of the numbers `hidden` elsewhere. Queries and keys must
    have one length.
    """
    shape = shape_of(mask.type)
    if lengths[0] != lengths[1] or shape[-2:] != lengths:
        return False
    index = tuple(integer(0) if size.constant == 1 else variable(f"i{d}", size) for d, size in enumerate(shape))
    earlier = index[-2] - index[-1]
    if is_bool(element_type(mask.type)):
        return threshold(mask, index) == earlier
    if not isinstance(mask.owner, ew.SelectOp):
        return False
    condition, *filling = mask.owner.operands
    match [constant(v) for v in filling]:
        case [0, other] if other in hidden:
            return threshold(condition, index) == earlier
        case [other, 0] if other in hidden:
            return threshold(condition, index) == integer(-1) - earlier
        case _:
            return False


def _keeps_nothing(call: ExternOp, given: dict[str, Attribute]) -> bool:
    """True for a forward call of which the result alone is read, without dropout."""
    dropout = given.get("dropout_p", FloatAttr(0.0, 64))
    plain = isinstance(dropout, FloatAttr) and dropout.value.data == 0
    return plain and "out" not in given and not any(r.uses for r in call.outputs[1:])


def _chosen_again(call: ExternOp, given: dict[str, Attribute], processor: Processor) -> ExternOp:
    """The same by the op that picks a kernel."""
    operands = [_operand(call, given[name]) for name in ("query", "key", "value")]
    scale, causal = given.get("scale", UnitAttr()), _is_true(given.get("is_causal"))
    return attention_call(operands, call.outputs[0].type, scale, processor, causal=causal)


def _called(call: ExternOp, given: dict[str, Attribute]) -> ExternOp:
    """The same kernel with these arguments; operands that it takes no longer are gone."""
    taken = [a.index for a in given.values() if isinstance(a, OperandAttr)]
    kept = sorted(set(taken))
    places = {old: OperandAttr(StringAttr(str(new))) for new, old in enumerate(kept)}
    given = {name: places[a.index] if isinstance(a, OperandAttr) else a for name, a in given.items()}
    positional: list[Attribute] = []
    for name in _PARAMETERS[call.callee.data]:
        if name not in given:
            break
        positional.append(given.pop(name))
    types = [r.type for r in call.outputs]
    impure = call.impure is not None
    new = ExternOp(call.callee.data, [call.inputs[k] for k in kept], types, positional, given, impure)
    new.attributes |= call.attributes
    strides = call.attributes.get(OPERAND_STRIDES)
    if isinstance(strides, ArrayAttr):
        new.attributes[OPERAND_STRIDES] = ArrayAttr([strides.data[k] for k in kept])
    return new
