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
from torch.utils._pytree import tree_leaves
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DenseIntOrFPElementsAttr, IntegerAttr, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue

from lowering.fx_to_tensor import import_callable
from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.common.types import BY_TYPE, element_type, shape_of
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, MatmulOp, ReduceOp
from mlc_dialects.tensor.random import RandomOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, PadOp, PermuteOp, ReshapeOp, RollOp, SliceOp

jax.config.update("jax_enable_x64", True)

NAMES = {
    "sub": "subtract", "mul": "multiply", "div": "divide", "neg": "negative", "eq": "equal", "ne": "not_equal",
    "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "and": "bitwise_and",
    "or": "bitwise_or", "xor": "bitwise_xor", "not": "invert", "select": "where", "pow": "power",
    "shl": "left_shift", "shr": "right_shift",
}  # fmt: skip
"""Functions of jax.numpy under another name than ours."""
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sigmoid": jax.nn.sigmoid,
    "rsqrt": jax.lax.rsqrt,
    "erf": jax.scipy.special.erf,
    "erfc": jax.scipy.special.erfc,
}
Order = tuple[int, ...]
REDUCTIONS = {"add": jnp.sum, "mul": jnp.prod, "max": jnp.max, "min": jnp.min, "and": jnp.all, "or": jnp.any}
SCANS = {"add": jnp.cumsum, "mul": jnp.cumprod, "max": jax.lax.cummax, "min": jax.lax.cummin}


class Compiled:
    """`function` of torch tensors, compiled for the inputs of its first call; gives a list of tensors.

    With `gradients` the list goes on with those of these inputs; the last input is then the gradient of the result.
    NotImplementedError at the first call names an op that has no rule here.
    """

    def __init__(self, function: Callable[..., Any], gradients: Sequence[int] = ()):
        self.function, self.gradients = function, gradients
        self.compiled: Any
        self.shapes: list[jax.ShapeDtypeStruct] = []
        self.orders: list[Order] = []

    def __call__(self, *inputs: torch.Tensor) -> list[torch.Tensor]:
        arrays = [jax.dlpack.from_dlpack(x.detach().permute(_order(x)).contiguous()) for x in inputs]
        if not self.shapes:
            self.compiled = self._compile(inputs)
            self.shapes = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in arrays]
        outputs = (torch.from_dlpack(y) for y in self.compiled(*arrays))
        return [y.permute(_inverse(order)) for y, order in zip(outputs, self.orders, strict=True)]

    def _compile(self, inputs: Sequence[torch.Tensor]) -> Any:
        """The jitted program on arrays in memory order, which gives such; notes the order of the results."""
        own = inputs[:-1] if self.gradients else inputs
        with FakeTensorMode():
            examples = [torch.empty_strided(x.shape, x.stride(), dtype=x.dtype) for x in own]
            results = tree_leaves(self.function(*examples))
        self.orders = [*map(_order, results), *(_order(inputs[k]) for k in self.gradients)]
        program = _differentiated(_program(self.function, examples), self.gradients)
        given = [_inverse(_order(x)) for x in inputs]

        def in_memory_order(*arrays: Any) -> list[Any]:
            values = program(*map(jnp.transpose, arrays, given))
            return list(map(jnp.transpose, values, self.orders))

        return jax.jit(in_memory_order)

    def peak_bytes(self) -> int | None:
        """Memory of a call beside its inputs, its results included, as XLA plans it; None where it does not say."""
        plan = self.compiled.lower(*self.shapes).compile().memory_analysis()
        return None if plan is None else plan.temp_size_in_bytes + plan.output_size_in_bytes


def _differentiated(program: Callable[..., list[Any]], gradients: Sequence[int]) -> Callable[..., list[Any]]:
    """The program followed by the gradients of these inputs, from that of its one result, its last input."""
    if not gradients:
        return program

    def step(*arrays: Any) -> list[Any]:
        *given, upstream = arrays

        def result(*wanted: Any) -> Any:
            chosen = dict(zip(gradients, wanted, strict=True))
            return program(*(chosen.get(k, x) for k, x in enumerate(given)))[0]

        value, pullback = jax.vjp(result, *(given[k] for k in gradients))
        return [value, *pullback(upstream)]

    return step


def _order(x: torch.Tensor) -> Order:
    """The dimensions as they lie in memory, the longest stride first; as they are where the tensor has gaps.

    XLA takes and gives row-major arrays, and so it does not see channels-last images copied.
    """
    order = tuple(sorted(range(x.ndim), key=lambda d: (-x.stride(d), d)))
    return order if x.permute(order).is_contiguous() else tuple(range(x.ndim))


def _inverse(order: Order) -> Order:
    return tuple(order.index(d) for d in range(len(order)))


def _program(function: Callable[..., Any], examples: Sequence[torch.Tensor]) -> Callable[..., Any]:
    """The graph of `function` on such inputs, as a function of jax arrays."""
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


@evaluate.register
def _(op: ExternOp, operands: Sequence[Any]) -> Any:
    name = op.callee.data
    if name not in CALLS:
        raise NotImplementedError(f"no rule of jax for a call of {name}")
    return CALLS[name](op, operands)


@evaluate.register
def _(op: RandomOp, operands: Sequence[Any]) -> Any:
    """XLA's own generator: other numbers, and no work for them while compiling."""
    key = jnp.full(4, operands[0][op.index.value.data], jnp.uint32)
    _, bits = jax.lax.rng_bit_generator(key, _shape(op.result.type), jnp.uint32)
    return jax.lax.bitcast_convert_type(bits, jnp.int32)


def _convolution(op: ExternOp, operands: Sequence[Any]) -> Any:
    """aten.convolution: input, weights, bias, strides, padding, dilation, transposed, output padding, groups."""
    _, _, bias, *numbers, groups = op.argument_list()
    strides, padding, dilation, transposed, _ = map(_python, numbers)
    if transposed:
        raise NotImplementedError("no rule of jax for a transposed convolution")
    x, w, *more = operands
    options = {"rhs_dilation": dilation, "feature_group_count": _python(groups)}
    y = jax.lax.conv_general_dilated(x, w, strides, [(p, p) for p in padding], **options)
    return y if isinstance(bias, UnitAttr) else y + more[0].reshape(-1, *[1] * len(strides))


def _python(attribute: Attribute) -> Any:
    """The number, truth value or list that an argument of a call is."""
    if isinstance(attribute, ArrayAttr):
        return [_python(a) for a in attribute.data]
    assert isinstance(attribute, IntegerAttr)
    return attribute.value.data


CALLS: dict[str, Callable[[ExternOp, Sequence[Any]], Any]] = {
    "aten.addmm.default": lambda op, operands: operands[0] + operands[1] @ operands[2],
    "aten.convolution.default": _convolution,
    "mlc.seeds.default": lambda op, operands: jnp.zeros(_shape(op.outputs[0].type), jnp.int64),
}
"""Calls of PyTorch ops that the compiler leaves as they are."""
