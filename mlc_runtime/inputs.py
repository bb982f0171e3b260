"""The inputs of a model: what each must be, and what they tell of named sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from mlc_support.errors import MlcError
from mlc_support.index_expr import IndexExpr
from mlc_support.index_maps import Line
from mlc_support.index_parse import parse

Extent = int | IndexExpr
"""A size, or an expression over named ones."""
Sizes = Mapping[str, int]


@dataclass(frozen=True)
class TensorInput:
    """A tensor of these sizes, on the device of the model."""

    name: str
    dtype: torch.dtype
    shape: tuple[Extent, ...]
    strides: tuple[Extent, ...]
    """In elements."""
    fixed: bool
    """True if the strides must be these: the model writes the tensor, or gives a view of it. Others are copied."""

    def extents(self, value: Any) -> list[tuple[Extent, Any]]:
        """What the sizes of `value` are to be, and are. MlcError if it is no such tensor."""
        if not isinstance(value, torch.Tensor):
            raise _mismatch(self.name, str(self), type(value).__name__)
        if value.dtype is not self.dtype or value.layout is not torch.strided or value.dim() != len(self.shape):
            raise _mismatch(self.name, str(self), described(value))
        return [*zip(self.shape, value.shape, strict=True)]

    def check(self, value: torch.Tensor, sizes: Sizes, device: torch.device) -> None:
        """MlcError for another shape, another device, or other strides where they are fixed."""
        shape = tuple(_value(e, sizes) for e in self.shape)
        if tuple(value.shape) != shape or value.device != device:
            wanted = _tensor_text(self.dtype, shape, device)
            told = f" ({', '.join(f'{name} = {size}' for name, size in sizes.items())})" if self.is_dynamic else ""
            raise _mismatch(
                self.name, f"{self} on {device}" if not self.is_dynamic else wanted + told, described(value)
            )
        strides = [_value(e, sizes) for e in self.strides] if self.fixed else []
        pairs = zip(shape, strides, value.stride(), strict=True) if self.fixed and value.numel() else ()
        if any(size > 1 and want != have for size, want, have in pairs):
            hint = "the model writes this tensor, or gives a view of it, so it is not copied"
            raise _mismatch(self.name, f"strides {tuple(strides)}", f"strides {value.stride()}", hint)

    @property
    def is_dynamic(self) -> bool:
        """True if a size has a name."""
        return not all(isinstance(e, int) for e in self.shape)

    def __str__(self) -> str:
        return _tensor_text(self.dtype, self.shape)


@dataclass(frozen=True)
class NumberInput:
    """An integer that is a size, or has a part in one; or a float."""

    name: str
    size: IndexExpr | None
    """None for a float."""

    def extents(self, value: Any) -> list[tuple[Extent, Any]]:
        """What the number is to be, and is. MlcError if it is no number of the kind."""
        if isinstance(value, bool) or not isinstance(value, float if self.size is None else int):
            raise _mismatch(self.name, str(self), repr(value))
        return [] if self.size is None else [(self.size, value)]

    def check(self, value: Any, sizes: Sizes, device: torch.device) -> None:
        """MlcError for a number that contradicts other sizes."""
        if self.size is not None and (wanted := self.size.evaluate(sizes)) != value:
            raise _mismatch(self.name, f"{wanted} (it is {self.size})", str(value))

    def __str__(self) -> str:
        return "a float" if self.size is None else f"an int {self.size}"


@dataclass(frozen=True)
class ConstantInput:
    """A value that is part of the program, as it was when the model was exported."""

    name: str
    value: Any

    def extents(self, value: Any) -> list[tuple[Extent, Any]]:
        """MlcError for another value."""
        same_nan = isinstance(value, float) and isinstance(self.value, float) and math.isnan(value + self.value)
        if type(value) is not type(self.value) or not (value == self.value or same_nan):
            hint = "the model was exported for this value; export it again for another"
            raise _mismatch(self.name, repr(self.value), repr(value), hint)
        return []

    def check(self, value: Any, sizes: Sizes, device: torch.device) -> None:
        """Nothing is left to check."""

    def __str__(self) -> str:
        return repr(self.value)


Input = TensorInput | NumberInput | ConstantInput


class Inputs:
    """All inputs of a model, with the range of each named size."""

    def __init__(self, inputs: Sequence[Input], ranges: Mapping[str, tuple[int, int | None]], device: torch.device):
        self.inputs = tuple(inputs)
        self._ranges, self._device = dict(ranges), device

    def check(self, values: Sequence[Any]) -> Sizes:
        """The named sizes of a call. MlcError says which input is wrong, what was expected and what was found."""
        pairs = [(i.name, e, v) for i, value in zip(self.inputs, values, strict=True) for e, v in i.extents(value)]
        sizes: dict[str, int] = {}
        lines = [(name, line, v) for name, e, v in pairs if not isinstance(e, int) and (line := Line.of(e))]
        for name, line, value in sorted(lines, key=lambda entry: not entry[1].is_plain):
            if line.name not in sizes:
                sizes[line.name] = self._solved(name, line, value)
        for entry, value in zip(self.inputs, values, strict=True):
            entry.check(value, sizes, self._device)
            if isinstance(value, torch.Tensor) and value.requires_grad and torch.is_grad_enabled():
                hint = "call the model under torch.no_grad(), or give it a detached tensor"
                raise MlcError(f"input {entry.name} requires gradients, and a compiled folder computes none", hint=hint)
        return sizes

    def _solved(self, name: str, line: Line, value: int) -> int:
        """The named size in a line that has this value. MlcError if there is none, or it is out of range."""
        size, rest = divmod(value - line.rest, line.factor)
        if rest:
            raise _mismatch(name, f"a size {line.factor} * {line.name} + {line.rest}", str(value))
        low, high = self._ranges.get(line.name, (0, None))
        if size < low or (high is not None and size > high):
            wanted = f"{line.name} >= {low}" if high is None else f"{low} <= {line.name} <= {high}"
            hint = "these bounds are those that the model was exported with"
            raise _mismatch(name, f"a size with {wanted}", f"{line.name} = {size}", hint)
        return size

    @staticmethod
    def of_data(data: Any, device: torch.device) -> Inputs:
        """As the manifest has them. KeyError, TypeError, ValueError or AttributeError for anything else."""
        ranges = {str(n): (int(low), None if high is None else int(high)) for n, (low, high) in data["ranges"].items()}
        return Inputs([_READERS[entry["kind"]](entry) for entry in data["inputs"]], ranges, device)


def described(tensor: torch.Tensor) -> str:
    """A tensor as error messages have it."""
    if tensor.layout is not torch.strided:
        return f"a tensor of layout {tensor.layout}"
    return _tensor_text(tensor.dtype, tuple(tensor.shape), tensor.device)


def _tensor_text(dtype: torch.dtype, shape: Sequence[Extent], device: torch.device | None = None) -> str:
    sizes = ", ".join(map(str, shape))
    return f"a tensor of {dtype} [{sizes}]" + (f" on {device}" if device is not None else "")


def _mismatch(name: str, expected: str, found: str, hint: str | None = None) -> MlcError:
    return MlcError(f"input {name}: expected {expected}, found {found}", hint=hint)


def _value(extent: Extent, sizes: Sizes) -> int:
    return extent if isinstance(extent, int) else extent.evaluate(sizes)


def extent(text: str) -> Extent:
    """A number, or an expression over names."""
    expression = parse(text)
    return expression if expression.constant is None else expression.constant


def dtype_called(name: Any) -> torch.dtype:
    """The element type that PyTorch calls `name`. ValueError if there is none."""
    found = getattr(torch, str(name), None)
    if not isinstance(found, torch.dtype):
        raise ValueError(f"{name!r} is no element type")
    return found


def _tensor_input(data: Any) -> TensorInput:
    shape, strides = (tuple(extent(str(e)) for e in data[key]) for key in ("shape", "strides"))
    return TensorInput(str(data["name"]), dtype_called(data["dtype"]), shape, strides, bool(data["fixed"]))


def _number_input(data: Any) -> NumberInput:
    return NumberInput(str(data["name"]), None if data["size"] is None else parse(str(data["size"])))


_READERS: Mapping[str, Callable[[Any], Input]] = {
    "tensor": _tensor_input,
    "number": _number_input,
    "constant": lambda data: ConstantInput(str(data["name"]), data["value"]),
}
