"""Runs `mlc_tensor` modules op by op in torch: what the importer's tests compare with eager."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_leaves
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue

from lowering.fx_to_tensor.extern import decode, evaluate_sizes, resolve
from lowering.fx_to_tensor.imported import Imported, ResultOutput, SizeOutput
from lowering.fx_to_tensor.sizes import DTYPE_OF
from mlc_dialects.common.annotations import CHANNELS_LAST
from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.common.types import element_type, is_half, shape_of
from mlc_dialects.tensor import gather_scatter as indexing
from mlc_dialects.tensor import ops as ops
from mlc_dialects.tensor import views as views
from mlc_dialects.tensor.calls import ExternOp, channels_first, channels_last
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.random import RandomOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_support.index_expr import IndexExpr
from mlc_support.index_parse import parse

FUNCTIONS = {
    "fma": lambda x, y, z: (x.double() * y.double() + z.double()).to(z.dtype),
    "and": torch.bitwise_and, "or": torch.bitwise_or, "xor": torch.bitwise_xor, "not": torch.bitwise_not,
    "select": torch.where, "floordiv": torch.floor_divide,
    "shl": torch.bitwise_left_shift, "shr": torch.bitwise_right_shift,
    "ndtri": torch.special.ndtri, "erfcx": torch.special.erfcx,
    "truncdiv": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
}  # fmt: skip


class Oracle:
    """One run of an imported graph: values by SSA value, sizes by name."""

    def __init__(self, imported: Imported):
        self.imported = imported
        self.function = next(op for op in imported.module.body.block.ops if isinstance(op, FuncOp))
        self.values: dict[SSAValue, Any] = {}
        self.sizes: dict[str, int] = {}

    def __call__(self, *inputs: Any) -> list[Any]:
        self._bind([*inputs, *self.imported.constants])
        for op in self.function.body.block.ops:
            if isinstance(op, ReturnOp):
                return self._outputs([self.values[v] for v in op.arguments])
            results = self._run(op, [self.values[v] for v in op.operands])
            for value, result in zip(op.results, results, strict=True):
                self._check(value, result)
                self.values[value] = result
        raise AssertionError("no return")

    def _bind(self, inputs: Sequence[Any]) -> None:
        arguments = self.function.body.block.args
        for position, (argument, value) in enumerate(zip(arguments, inputs, strict=True)):
            self.values[argument] = value
            if isinstance(value, torch.Tensor):
                self._learn(shape_of(argument.type), value.shape)
            elif isinstance(value, int) and self.function.arg_attrs is not None:
                symbol = self.function.arg_attrs.data[position].data.get("mlc.symbol")
                self._learn([parse(symbol.data)], [value])

    def _learn(self, exprs: Sequence[IndexExpr], numbers: Sequence[int]) -> None:
        for expr, number in zip(exprs, numbers, strict=True):
            if len(expr.variables()) == 1 and str(expr) == next(iter(expr.variables())).name:
                self.sizes[str(expr)] = int(number)

    def _size(self, expr: IndexExpr) -> int:
        return expr.evaluate(self.sizes)

    def _shape(self, type_: Attribute) -> list[int]:
        return [self._size(s) for s in shape_of(type_)]

    def _check(self, value: SSAValue, result: Any) -> None:
        if isinstance(value.type, TensorType):
            assert list(result.shape) == self._shape(value.type), f"{value}: {result.shape}"
            assert result.dtype == DTYPE_OF[element_type(value.type)], f"{value}: {result.dtype}"

    def _outputs(self, results: Sequence[Any]) -> list[Any]:
        outputs: list[Any] = []
        for spec in self.imported.outputs:
            if isinstance(spec, ResultOutput):
                outputs.append(results[spec.index])
            else:
                outputs.append(self._size(spec.expression) if isinstance(spec, SizeOutput) else spec.value)
        return outputs

    def _run(self, op: Operation, args: Sequence[Any]) -> Sequence[Any]:
        if isinstance(op, ExternOp):
            return self._extern(op, args)
        return [self._compute(op, args)]

    def _extern(self, op: ExternOp, args: Sequence[Any]) -> Sequence[Any]:
        if CHANNELS_LAST not in op.attributes:
            return self._called(op, args)
        return [_turned(r, channels_last) for r in self._called(op, [_turned(a, channels_first) for a in args])]

    def _called(self, op: ExternOp, args: Sequence[Any]) -> Sequence[Any]:
        objects = self.imported.objects
        arguments = [decode(a, args, self.sizes, objects) for a in op.argument_list()]
        keywords = op.keywords.data.items() if op.keywords else ()
        named = {k: decode(a, args, self.sizes, objects) for k, a in keywords}
        if op.callee.data == "mlc.eval":
            results = [evaluate_sizes(arguments[0], self.sizes)]
        else:
            found = resolve(op.callee.data, objects)(*arguments, **named)
            results = [] if not op.results else tree_leaves(found)
        for symbol, result in zip(op.attributes.get("mlc.symbols", ()), results, strict=False):
            self.sizes |= {symbol.data: result} if symbol.data else {}
        for value, result in zip(op.results, results, strict=True):
            if isinstance(value.type, TensorType) and CHANNELS_LAST not in op.attributes:
                self._learn(shape_of(value.type), result.shape)
        return results

    def _compute(self, op: Operation, args: Sequence[Any]) -> torch.Tensor:
        match op:
            case ElementwiseOp():
                return _elementwise(op, args)
            case ops.ConstantOp():
                shape, dtype = self._shape(op.result.type), DTYPE_OF[element_type(op.result.type)]
                if op.splat_value is not None:
                    value = op.splat_value.value.data
                    return torch.full(shape, value % 256 if dtype == torch.uint8 else value, dtype=dtype)
                return torch.tensor(list(op.value.get_values()), dtype=dtype).reshape(shape)
            case ops.IotaOp():
                shape = self._shape(op.result.type)
                index = torch.arange(shape[op.axis]).reshape([-1 if d == op.axis else 1 for d in range(len(shape))])
                return index.expand(shape).to(DTYPE_OF[element_type(op.result.type)])
            case ops.SizeOp():
                return torch.tensor(self._size(op.expr), dtype=DTYPE_OF[element_type(op.result.type)])
            case ops.CastOp():
                return args[0].to(DTYPE_OF[element_type(op.result.type)])
            case ops.ReduceOp():
                return _reduce(op.kind.data, args[0], op.reduced)
            case RandomOp():
                shape = self._shape(op.result.type)
                return torch.ops.mlc.random_bits(args[0], op.index.value.data, shape, op.word.value.data)
            case ScanOp():
                return _scan(op.kind.data, args[0], op.axis)
            case ops.MatmulOp():
                return torch.matmul(*args)
            case indexing.GatherOp():
                source, *indices = args
                return source.clone() if not indices else source[tuple(i.long() for i in indices)]
            case indexing.ScatterOp():
                return _scatter(op.kind.data, args[0], [i.long() for i in args[1:-1]], args[-1])
            case _:
                return self._view(op, args)

    def _view(self, op: Operation, args: Sequence[Any]) -> torch.Tensor:
        shape = self._shape(op.results[0].type)
        match op:
            case views.BroadcastOp():
                return args[0].expand(shape)
            case views.ReshapeOp():
                return args[0].reshape(shape)
            case views.PermuteOp():
                return args[0].permute(op.order)
            case views.CatOp():
                return torch.cat(list(args), op.axis)
            case views.SliceOp():
                result = args[0]
                starts = [self._size(s) for s in index_exprs(op.starts)]
                for dim, (start, step, count) in enumerate(zip(starts, op.strides, shape, strict=True)):
                    result = result.index_select(dim, start + step * torch.arange(count))
                return result
            case views.RollOp():
                starts = [self._size(s) for s in index_exprs(op.starts)]
                return torch.roll(args[0], [-s for s in starts], list(range(len(starts)))) if starts else args[0]
            case views.PadOp():
                result = torch.full(shape, op.value.value.data, dtype=args[0].dtype)
                for dim, (low, size) in enumerate(zip(op.lows, args[0].shape, strict=True)):
                    result = result if dim else result.clone()
                    assert low + size <= shape[dim]
                place = tuple(slice(low, low + n) for low, n in zip(op.lows, args[0].shape, strict=True))
                result[place] = args[0]
                return result
            case _:
                raise AssertionError(f"no meaning for {op}")


def _scatter(kind: str, into: torch.Tensor, indices: Sequence[torch.Tensor], updates: torch.Tensor) -> torch.Tensor:
    if kind in ("set", "add"):
        return into.index_put(tuple(indices), updates, accumulate=kind == "add")
    flat = torch.zeros_like(indices[0])
    for size, index in zip(into.shape, indices, strict=True):
        flat = flat * size + index
    return into.flatten().scatter_reduce(0, flat.flatten(), updates.flatten(), f"a{kind}").reshape(into.shape)


def _turned(value: Any, order: Callable[[int], list[int]]) -> Any:
    """A picture, or a volume, in another layout."""
    moves = isinstance(value, torch.Tensor) and value.dim() >= 4
    return value.permute(order(value.dim())).contiguous() if moves else value


def _elementwise(op: ElementwiseOp, args: Sequence[torch.Tensor]) -> torch.Tensor:
    """Halves are computed in float32 and rounded once."""
    name = op.FUNCTION.name
    function = FUNCTIONS.get(name) or getattr(torch, name)
    half = is_half(element_type(op.operands[-1].type))
    result = function(*(a.float() if half and a.dtype != torch.bool else a for a in args))
    return result if op.FUNCTION.predicate else result.to(args[-1].dtype)


def _scan(kind: str, x: torch.Tensor, dim: int) -> torch.Tensor:
    match kind:
        case "add" | "mul":
            return (torch.cumsum if kind == "add" else torch.cumprod)(x, dim, dtype=x.dtype)
        case "logaddexp":
            return torch.logcumsumexp(x, dim)
        case _:
            found = (torch.cummax if kind.endswith("max") else torch.cummin)(x, dim)
            return found.indices if kind.startswith("arg") else found.values


def _reduce(kind: str, x: torch.Tensor, dims: Sequence[int]) -> torch.Tensor:
    """Reduced dimensions are moved to the back and flattened, then kept with size 1."""
    kept = [d for d in range(x.dim()) if d not in dims]
    shape = [1 if d in dims else n for d, n in enumerate(x.shape)]
    rows = x.permute([*kept, *dims]).reshape([*(x.shape[d] for d in kept), -1 if x.numel() else _count(x, dims)])
    match kind:
        case "add":
            result = rows.sum(-1, dtype=x.dtype)
        case "mul":
            result = rows.prod(-1, dtype=x.dtype)
        case "max" | "min":
            result = getattr(rows, f"a{kind}")(-1)
        case "and" | "or":
            assert x.dtype == torch.bool
            result = rows.all(-1) if kind == "and" else rows.any(-1)
        case _:
            result = getattr(rows, kind)(-1)
    return result.reshape(shape)


def _count(x: torch.Tensor, dims: Sequence[int]) -> int:
    count = 1
    for d in dims:
        count *= x.shape[d]
    return count
