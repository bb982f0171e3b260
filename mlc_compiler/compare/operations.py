"""What an op computes, in operations: those of products, which tensor cores take, apart from all others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import torch
from torch.utils.flop_counter import flop_registry
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lowering.export.formulas import open_region
from lowering.fx_to_tensor.sizes import DTYPE_OF
from lowering.host.call_text import argument_text
from lowering.tensor_to_loop.scalar_code import Emitter, compute
from mlc_dialects.common.types import element_type, shape_of, storage
from mlc_dialects.tensor.calls import ExternOp, FusionOp, OperandAttr
from mlc_dialects.tensor.composite_op import CompositeOp
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import CastOp, MatmulOp
from mlc_support.index_maps import assumed
from passes.loop.schedule.workload import instructions
from passes.tensor.fusion.decision import elements_of, op_flops

COUNTED = ("mm", "addmm", "bmm", "baddbmm", "_scaled_mm", "convolution", "convolution_backward")
"""The calls of aten whose operations PyTorch's own counter knows."""
ATTENTION = "scaled_dot_product"
"""Part of the name of every call of attention: it takes query, key and value, backward behind the gradient."""
BACKWARD_SHARE = 2.5
"""Attention computes its scores again on the way back: five products for the two of the forward pass."""


@dataclass(frozen=True)
class Operations:
    """Of one op. A multiply-add is two."""

    products: int = 0
    """Multiply-adds of products of matrices, convolutions and attention."""
    element: Attribute | None = None
    """The element type of the operands of products."""
    others: int = 0
    """float32 operations of all else."""
    instructions: float = 0
    """Those that a GPU takes for `others`, of all elements: of a product none, of a sine many."""


def operations(op: Operation) -> Operations:
    """The operations of `op`; of a call that nothing is known of, one for each element that it gives."""
    match op:
        case MatmulOp():
            return Operations(op_flops(op), element_type(op.lhs.type))
        case CompositeOp() | FusionOp():
            parts = [operations(part) for part in _parts(op)]
            element = next((p.element for p in parts if p.products), None)
            others, taken = sum(p.others for p in parts), sum(p.instructions for p in parts)
            return Operations(sum(p.products for p in parts), element, others, taken)
        case ExternOp():
            return _call(op)
        case ElementwiseOp() | CastOp():
            return Operations(others=op_flops(op), instructions=elements_of(op.result) * _of_an_element(op))
        case _:
            return Operations(others=op_flops(op), instructions=op_flops(op))


def _of_an_element(op: ElementwiseOp | CastOp) -> float:
    """Instructions of one element, by the table that schedules are chosen with."""
    block = Block(arg_types=[storage(element_type(v.type)) for v in op.operands])
    compute(op, block.args, Emitter(block, None, None))
    return sum(map(instructions, block.ops))


def _parts(op: CompositeOp | FusionOp) -> Sequence[Operation]:
    """The ops that one stands for."""
    if isinstance(op, FusionOp):
        return [part for part in op.body.block.ops if part.results]
    formula = open_region(op)
    return formula.ops if formula is not None else ()


def _call(op: ExternOp) -> Operations:
    name = op.callee.data.removeprefix("aten.").partition(".")[0]
    given = (op.inputs[a.index] for a in op.argument_list() if isinstance(a, OperandAttr))
    tensors = [v for v in given if isinstance(v.type, TensorType)]
    products = 0
    if ATTENTION in name:
        products = _attention(tensors, backward="backward" in name)
    elif name in COUNTED:
        products = _counted(op, name)
    if products:
        return Operations(products, element_type(tensors[0].type))
    elements = sum(prod(_sizes(r)) for r in op.outputs if isinstance(r.type, TensorType))
    return Operations(others=elements, instructions=elements)


def _attention(tensors: list[SSAValue], backward: bool) -> int:
    """query @ key and scores @ value, of every query and every key: what a causal mask hides is counted."""
    query, key, value = map(_sizes, tensors[1:4] if backward else tensors[:3])
    forward = 2 * prod(query[:-1]) * key[-2] * (query[-1] + value[-1])
    return int(forward * BACKWARD_SHARE) if backward else forward


def _counted(op: ExternOp, name: str) -> int:
    """What PyTorch's own counter says, asked with tensors without memory."""
    given: dict[str, Any] = {"torch": torch} | {f"d{k}": _tensor(v) for k, v in enumerate(op.inputs)}
    operands = list(given)[1:]
    arguments = [_value(argument_text(a, op, operands), given) for a in op.argument_list()]
    named = op.keywords.data if op.keywords is not None else {}
    keywords = {key: _value(argument_text(a, op, operands), given) for key, a in named.items()}
    outputs = [_tensor(r) for r in op.outputs]
    count: Any = flop_registry[getattr(torch.ops.aten, name)]
    return int(count(*arguments, **keywords, out_val=outputs[0] if len(outputs) == 1 else tuple(outputs)))


def _value(text: str, given: dict[str, Any]) -> Any:
    """What the text of an argument says: the dialect has verified that it is one."""
    return eval(text, dict(given))


def _tensor(value: SSAValue) -> torch.Tensor | None:
    if not isinstance(value.type, TensorType):
        return None
    return torch.empty(_sizes(value), dtype=DTYPE_OF.get(element_type(value.type)), device="meta")


def _sizes(value: SSAValue) -> list[int]:
    return [assumed(size) for size in shape_of(value.type)]
