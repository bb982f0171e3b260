"""A case compiled by XLA: its `mlc_tensor` graph as jax.numpy calls, one rule an op, under `jax.jit`.

Tensors go over to jax and back without a copy (DLPack), each side's stream waiting for the other's; int64 stays
int64. Needs jax, and on a GPU its CUDA plug-in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import Any

import jax
import jax.numpy as jnp
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from xdsl.dialects import func
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Attribute, Operation, SSAValue

from lowering.fx_to_tensor import import_callable
from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.common.types import BY_TYPE, element_type, shape_of
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, MatmulOp, ReduceOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, PadOp, PermuteOp, ReshapeOp, RollOp, SliceOp

jax.config.update("jax_enable_x64", True)

NAMES = {
    "sub": "subtract", "mul": "multiply", "div": "divide", "neg": "negative", "eq": "equal", "ne": "not_equal",
    "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "and": "bitwise_and",
    "or": "bitwise_or", "xor": "bitwise_xor", "not": "invert", "select": "where", "pow": "power",
}  # fmt: skip
"""Functions of jax.numpy under another name than ours."""
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sigmoid": jax.nn.sigmoid,
    "rsqrt": jax.lax.rsqrt,
    "erf": jax.scipy.special.erf,
    "erfc": jax.scipy.special.erfc,
}
REDUCTIONS = {"add": jnp.sum, "mul": jnp.prod, "max": jnp.max, "min": jnp.min, "and": jnp.all, "or": jnp.any}
SCANS = {"add": jnp.cumsum, "mul": jnp.cumprod, "max": jax.lax.cummax, "min": jax.lax.cummin}


def compile_xla(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` of torch tensors, compiled for the inputs of its first call; gives a list of tensors.

    NotImplementedError at that call names an op that has no rule here.
    """
    compiled: list[Callable[..., Any]] = []

    def call(*inputs: torch.Tensor) -> list[torch.Tensor]:
        if not compiled:
            compiled.append(jax.jit(_program(function, inputs)))
        outputs = compiled[0](*(jax.dlpack.from_dlpack(_plain(x)) for x in inputs))
        return [torch.from_dlpack(y) for y in outputs]

    return call


def _plain(x: torch.Tensor) -> torch.Tensor:
    """XLA takes row-major arrays: others are copied, as a user of jax would have to."""
    return x.detach().contiguous()


def _program(function: Callable[..., Any], inputs: Sequence[torch.Tensor]) -> Callable[..., Any]:
    """The graph of `function` as a function of jax arrays."""
    with FakeTensorMode():
        examples = [torch.empty_strided(x.shape, x.stride(), dtype=x.dtype) for x in inputs]
    module = import_callable(function, examples, name="case").module
    (main,) = (op for op in module.ops if isinstance(op, func.FuncOp))

    def run(*arrays: Any) -> list[Any]:
        values: dict[SSAValue, Any] = dict(zip(main.body.block.args, arrays, strict=True))
        for op in main.body.block.ops:
            operands = [values[v] for v in op.operands]
            if isinstance(op, func.ReturnOp):
                return operands
            values[op.results[0]] = evaluate(op, operands)
        raise AssertionError("a function ends in func.return")

    return run


@singledispatch
def evaluate(op: Operation, operands: Sequence[Any]) -> Any:
    """The result of an op on jax arrays."""
    raise NotImplementedError(f"no rule of jax for {op.name}")


def _shape(type_: Attribute) -> tuple[int, ...]:
    return tuple(size.evaluate({}) for size in shape_of(type_))


def _dtype(type_: Attribute) -> Any:
    name = BY_TYPE[element_type(type_)].torch_name
    return jnp.bool_ if name == "bool" else getattr(jnp, name)


@evaluate.register
def _(op: ElementwiseOp, operands: Sequence[Any]) -> Any:
    name = op.FUNCTION.name
    return (FUNCTIONS.get(name) or getattr(jnp, NAMES.get(name, name)))(*operands)


@evaluate.register
def _(op: CastOp, operands: Sequence[Any]) -> Any:
    return operands[0].astype(_dtype(op.result.type))


@evaluate.register
def _(op: ReduceOp, operands: Sequence[Any]) -> Any:
    kind = op.kind.data
    if kind in ("argmax", "argmin"):
        (axis,) = op.reduced
        return getattr(jnp, kind)(operands[0], axis=axis, keepdims=True)
    reduced = REDUCTIONS[kind](operands[0], axis=op.reduced, keepdims=True)
    return reduced.astype(_dtype(op.result.type))


@evaluate.register
def _(op: ConstantOp, operands: Sequence[Any]) -> Any:
    shape, dtype = _shape(op.result.type), _dtype(op.result.type)
    if isinstance(op.value, DenseIntOrFPElementsAttr):
        return jnp.array(list(op.value.get_values()), dtype).reshape(shape)
    return jnp.full(shape, op.value.value.data, dtype)


@evaluate.register
def _(op: IotaOp, operands: Sequence[Any]) -> Any:
    return jax.lax.broadcasted_iota(_dtype(op.result.type), _shape(op.result.type), op.axis)


@evaluate.register
def _(op: MatmulOp, operands: Sequence[Any]) -> Any:
    return jnp.matmul(*operands)


@evaluate.register
def _(op: BroadcastOp, operands: Sequence[Any]) -> Any:
    return jnp.broadcast_to(operands[0], _shape(op.result.type))


@evaluate.register
def _(op: ReshapeOp, operands: Sequence[Any]) -> Any:
    return operands[0].reshape(_shape(op.result.type))


@evaluate.register
def _(op: PermuteOp, operands: Sequence[Any]) -> Any:
    return jnp.transpose(operands[0], op.order)


@evaluate.register
def _(op: SliceOp, operands: Sequence[Any]) -> Any:
    cuts: list[slice] = []
    for start, step, count in zip(index_exprs(op.starts), op.strides, _shape(op.result.type), strict=True):
        first = start.evaluate({})
        end = first + step * count
        cuts.append(slice(first, end if end >= 0 else None, step))
    return operands[0][tuple(cuts)]


@evaluate.register
def _(op: RollOp, operands: Sequence[Any]) -> Any:
    starts = [s.evaluate({}) for s in index_exprs(op.starts)]
    return jnp.roll(operands[0], [-s for s in starts], tuple(range(len(starts)))) if starts else operands[0]


@evaluate.register
def _(op: PadOp, operands: Sequence[Any]) -> Any:
    sizes = zip(op.lows, operands[0].shape, _shape(op.result.type), strict=True)
    widths = [(low, padded - low - size) for low, size, padded in sizes]
    return jnp.pad(operands[0], widths, constant_values=op.value.value.data)  # pyright: ignore


@evaluate.register
def _(op: CatOp, operands: Sequence[Any]) -> Any:
    return jnp.concatenate(operands, axis=op.axis)


@evaluate.register
def _(op: ScanOp, operands: Sequence[Any]) -> Any:
    if op.kind.data not in SCANS:
        raise NotImplementedError(f"no rule of jax for a scan by {op.kind.data}")
    return SCANS[op.kind.data](operands[0], axis=op.axis)


@evaluate.register
def _(op: GatherOp, operands: Sequence[Any]) -> Any:
    """Of rows that are looked up whole XLA is told so; of others, the place of each element."""
    table, *places = operands
    looked_up = _looked_up(op)
    if looked_up:
        first = (..., *(0 for _ in range(looked_up, len(places))))
        places = [place[first] for place in places[:looked_up]]
    return table.at[tuple(places)].get(mode="promise_in_bounds")


def _looked_up(op: GatherOp) -> int:
    """How many of the first dimensions have a place that is the same for all of the others; 0 if none has."""
    shape, rank = _shape(op.result.type), len(op.indices)
    whole = [isinstance(i.owner, IotaOp) and i.owner.axis == len(shape) - rank + d for d, i in enumerate(op.indices)]
    first = next((d for d in range(rank) if all(whole[d:])), 0)
    return first if all(_repeats(place.owner, len(shape) - rank + first) for place in op.indices[:first]) else 0


def _repeats(op: Any, axis: int) -> bool:
    """True if what `op` gives is the same along `axis` and those behind it."""
    return isinstance(op, BroadcastOp) and all(n == 1 for n in _shape(op.input.type)[axis:])
