"""Random PyTorch programs, grown while eager runs them: `program(seed, count)` is the first `count` ops of one.

Inputs differ in shape (broadcasting against each other), strides and type. A value is exact if eager
and a kernel must agree on it to the last bit; only exact ones are rounded, compared or counted, where
an error of one bit would decide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

FLOATS = (torch.float32, torch.float32, torch.bfloat16, torch.float16, torch.float64)
INTEGERS = (torch.int64, torch.int32, torch.uint8, torch.int8)
SIZES = (1, 2, 3, 5, 8)
LARGEST = 1e3
"""Floats beyond this leave the program: sums of them would differ by more than their results say."""
MOST = 2000
"""Elements of the largest tensor."""


@dataclass(frozen=True)
class Step:
    """One op: a function of earlier values, and how it reads."""

    function: Callable[..., Any]
    operands: tuple[int, ...]
    text: str


@dataclass
class Value:
    tensor: Tensor
    exact: bool


@dataclass
class Program:
    """Inputs, steps and the values that are returned."""

    inputs: list[Tensor]
    steps: list[Step] = field(default_factory=list[Step])
    returned: list[int] = field(default_factory=list[int])
    largest: float = 1.0
    """The largest size of a float on the way, which errors are relative to."""

    def __call__(self, *inputs: Tensor) -> list[Tensor]:
        values = list(inputs)
        for step in self.steps:
            values.append(step.function(*(values[k] for k in step.operands)))
        return [values[k] for k in self.returned]

    def dtypes(self) -> set[torch.dtype]:
        """The float types on the way."""
        values = list(self.inputs)
        for step in self.steps:
            values.append(step.function(*(values[k] for k in step.operands)))
        return {v.dtype for v in values if v.is_floating_point()}

    def __repr__(self) -> str:
        lines = [f"v{k} = {_described(x)}" for k, x in enumerate(self.inputs)]
        first = len(self.inputs)
        for k, step in enumerate(self.steps):
            lines.append(f"v{first + k} = {step.text}({', '.join(f'v{o}' for o in step.operands)})")
        return "\n".join([*lines, f"return {', '.join(f'v{k}' for k in self.returned)}"])


def _described(x: Tensor) -> str:
    return f"input of {x.dtype}, shape {list(x.shape)}, strides {list(x.stride())}"


def program(seed: int, count: int) -> Program:
    """A program of up to `count` ops; of one seed each is the start of the longer ones."""
    return _Writer(Random(seed)).write(count)


class _Writer:
    def __init__(self, random: Random):
        self.random = random
        self.values: list[Value] = []
        shape = [random.choice(SIZES) for _ in range(random.randint(0, 3))]
        self.program = Program([self._input(shape) for _ in range(random.randint(1, 3))])
        self.values = [Value(x, True) for x in self.program.inputs]

    def write(self, count: int) -> Program:
        makers = (
            self._unary,
            self._unary,
            self._binary,
            self._binary,
            self._view,
            self._view,
            self._reduce,
            self._integer,
            self._predicate,
            self._where,
            self._cast,
            self._join,
            self._scan,
            self._pad,
        )
        for _ in range(count):
            self.random.choice(makers)()
        used = {k for step in self.program.steps for k in step.operands}
        last = [k for k in range(len(self.values)) if k not in used][-3:]
        self.program.returned = last or [len(self.values) - 1]
        return self.program

    # Values

    def _input(self, shape: list[int]) -> Tensor:
        """Of `shape`, or one that broadcasts to it; dense, transposed, strided or expanded."""
        random = self.random
        sizes = [1 if random.random() < 0.2 else n for n in shape]
        if random.random() < 0.2:
            sizes = sizes[1:]
        dtype = random.choice((*FLOATS, *FLOATS, *INTEGERS, torch.bool))
        generator = torch.Generator().manual_seed(random.randint(0, 2**30))
        wide = [2 * n for n in sizes]
        if dtype.is_floating_point:
            dense = torch.randn(wide, generator=generator).to(dtype)
        else:
            low = 0 if dtype in (torch.uint8, torch.bool) else -9
            dense = torch.randint(low, 2 if dtype == torch.bool else 10, wide, generator=generator).to(dtype)
        layout = random.choice(("dense", "dense", "strided", "turned"))
        part = dense[tuple(slice(0, 2 * n, 2) for n in sizes)]
        if layout == "turned":
            order = list(reversed(range(len(sizes))))
            return part.permute(order).contiguous().permute(order)
        return part if layout == "strided" else part.contiguous()

    def _pick(self, wanted: Callable[[Value], bool] = lambda v: True) -> int | None:
        fitting = [k for k, v in enumerate(self.values) if wanted(v)]
        recent = fitting[-4:] if self.random.random() < 0.7 else fitting
        return self.random.choice(recent) if recent else None

    def _add(self, text: str, function: Callable[..., Any], operands: tuple[int | None, ...], exact: bool) -> None:
        """Appends the op, unless eager refuses it or its result is too large."""
        if None in operands:
            return
        known = tuple(k for k in operands if k is not None)
        try:
            result = function(*(self.values[k].tensor for k in known))
        except (RuntimeError, IndexError, NotImplementedError, ValueError):
            return
        if not isinstance(result, Tensor) or result.numel() > MOST or result.dim() > 5:
            return
        if result.is_floating_point() and result.numel():
            size = result.double().abs().max().item()
            if not size <= LARGEST:
                return
            self.program.largest = max(self.program.largest, size)
        self.program.steps.append(Step(function, known, text))
        self.values.append(Value(result, exact and all(self.values[k].exact for k in known)))

    # Ops

    def _unary(self) -> None:
        name, function, exact = self.random.choice(UNARY)
        self._add(name, function, (self._pick(lambda v: v.tensor.is_floating_point()),), exact)

    def _binary(self) -> None:
        name, function, exact = self.random.choice(BINARY)
        self._add(name, function, (self._pick(_is_number), self._pick(_is_number)), exact)

    def _integer(self) -> None:
        name, function = self.random.choice(INTEGER)
        whole = lambda v: not v.tensor.is_floating_point()  # noqa: E731
        operands = (self._pick(whole), self._pick(whole))
        self._add(name, function, operands[: 1 if name == "bitwise_not" else 2], True)

    def _predicate(self) -> None:
        """Comparisons of exact values, and what rounds or tells signs."""
        name, function, count = self.random.choice(DECIDING)
        operands = tuple(self._pick(lambda v: v.exact and _is_number(v)) for _ in range(count))
        self._add(name, function, operands, True)

    def _where(self) -> None:
        condition = self._pick(lambda v: v.tensor.dtype == torch.bool)
        self._add("where", torch.where, (condition, self._pick(_is_number), self._pick(_is_number)), True)

    def _cast(self) -> None:
        """To another float, or out of exact numbers of no great size."""
        source = self._pick(lambda v: v.exact or v.tensor.is_floating_point())
        if source is None:
            return
        inexact = self.values[source].tensor.is_floating_point() and not self.values[source].exact
        dtype = self.random.choice(FLOATS if inexact else (*FLOATS, torch.int64, torch.int32, torch.bool))
        self._add(f"to[{dtype}]", lambda x: x.to(dtype), (source,), True)

    def _reduce(self) -> None:
        source = self._pick(_is_number)
        if source is None or not self.values[source].tensor.dim():
            return
        x = self.values[source]
        name = self.random.choice(("sum", "mean", "amax", "amin", "var", "prod", "any", "argmax", "logsumexp", "norm"))
        dim, keep = self.random.randrange(x.tensor.dim()), self.random.random() < 0.5
        if name in ("any", "argmax") and not x.exact:
            return
        function = getattr(torch, name)
        self._add(f"{name}[{dim}]", lambda x: function(x, dim=dim, keepdim=keep), (source,), name in EXACT_REDUCTIONS)

    def _scan(self) -> None:
        source = self._pick(lambda v: _is_number(v) and v.tensor.dim() > 0)
        name = self.random.choice(("cumsum", "cumprod", "cummax", "flip"))
        if source is None:
            return
        dim = self.random.randrange(self.values[source].tensor.dim())
        function = {"flip": torch.flip, "cummax": lambda x, d: torch.cummax(x, d[0]).values}.get(name)
        call = function or (lambda x, d: getattr(torch, name)(x, d[0]))
        self._add(f"{name}[{dim}]", lambda x: call(x, [dim]), (source,), name in ("flip", "cummax"))

    def _view(self) -> None:
        source = self._pick(lambda v: v.tensor.dim() > 0)
        if source is None:
            return
        x, random = self.values[source].tensor, self.random
        dim, other = random.randrange(x.dim()), random.randrange(x.dim())
        size = x.shape[dim]
        start, step = random.randrange(size + 1), random.choice((1, 1, 2))
        text, function = random.choice(
            (
                (f"transpose[{dim},{other}]", lambda x: x.transpose(dim, other)),
                (f"narrow[{dim},{start}]", lambda x: x.narrow(dim, start, (size - start))),
                (f"slice[{dim}::{step}]", lambda x: x[(slice(None),) * dim + (slice(start, None, step),)]),
                (f"select[{dim}]", lambda x: x.select(dim, size - 1)),
                (f"unsqueeze[{dim}]", lambda x: x.unsqueeze(dim)),
                ("flatten", lambda x: x.flatten()),
                (f"expand[{dim}]", lambda x: x.unsqueeze(dim).expand(*x.shape[:dim], 3, *x.shape[dim:])),
                (f"roll[{dim}]", lambda x: x.roll(1, dim)),
                (f"diagonal[{dim},{other}]", lambda x: x.diagonal(1, dim, other)),
                (f"repeat[{dim}]", lambda x: x.repeat(*(2 if d == dim else 1 for d in range(x.dim())))),
                ("tril", lambda x: x.tril()),
                ("contiguous", lambda x: x.contiguous()),
            )
        )
        self._add(text, function, (source,), True)

    def _join(self) -> None:
        source = self._pick(lambda v: v.tensor.dim() > 0)
        if source is None:
            return
        shape = self.values[source].tensor.shape
        other = self._pick(lambda v: v.tensor.shape == shape)
        dim = self.random.randrange(len(shape))
        name = self.random.choice(("cat", "stack"))
        self._add(f"{name}[{dim}]", lambda x, y: getattr(torch, name)([x, y], dim), (source, other), True)

    def _pad(self) -> None:
        source = self._pick(lambda v: v.tensor.dim() in (2, 3))
        mode = self.random.choice(("constant", "reflect", "replicate"))
        pads = [self.random.randint(0, 2), self.random.randint(0, 2)]
        self._add(f"pad[{mode},{pads}]", lambda x: F.pad(x, pads, mode=mode), (source,), True)


def _is_number(value: Value) -> bool:
    return value.tensor.dtype != torch.bool


EXACT_REDUCTIONS = ("amax", "amin", "any", "argmax")
UNARY: tuple[tuple[str, Callable[..., Any], bool], ...] = (
    ("neg", torch.neg, True),
    ("abs", torch.abs, True),
    ("relu", torch.relu, True),
    ("square", torch.square, True),
    ("clamp", lambda x: x.clamp(-1, 2), True),
    ("sqrt", lambda x: torch.sqrt(x.abs()), True),
    ("add_number", lambda x: x + 0.1, True),
    ("mul_number", lambda x: x * -1.7, True),
    ("rsub", lambda x: 1 - x, True),
    ("exp", torch.exp, False),
    ("sigmoid", torch.sigmoid, False),
    ("tanh", torch.tanh, False),
    ("sin", torch.sin, False),
    ("erf", torch.erf, False),
    ("gelu", F.gelu, False),
    ("silu", F.silu, False),
    ("softplus", F.softplus, False),
    ("log1p", lambda x: torch.log1p(x.abs()), False),
    ("leaky_relu", F.leaky_relu, False),
    ("softmax", lambda x: torch.softmax(x, -1), False),
    ("hardtanh", F.hardtanh, True),
    ("layer_norm", lambda x: F.layer_norm(x.float(), x.shape[-1:], eps=0.1), False),
    ("frexp", lambda x: torch.frexp(x)[0], True),
    ("digamma", lambda x: torch.digamma(x.abs() + 1), False),
    ("nan_to_num", torch.nan_to_num, True),
)
BINARY: tuple[tuple[str, Callable[..., Any], bool], ...] = (
    ("add", torch.add, True),
    ("sub", torch.sub, True),
    ("mul", torch.mul, True),
    ("maximum", torch.maximum, True),
    ("minimum", torch.minimum, True),
    ("fmax", torch.fmax, True),
    ("div", lambda x, y: x / (y.abs() + 1), True),
    ("hypot", torch.hypot, False),
    ("addcmul", lambda x, y: torch.addcmul(x, x, y, value=2), False),
    ("lerp", lambda x, y: torch.lerp(x, y, 0.3), False),
    ("atan2", torch.atan2, False),
    ("logaddexp", torch.logaddexp, False),
    ("add_scaled", lambda x, y: torch.add(x, y, alpha=2), False),
)
INTEGER: tuple[tuple[str, Callable[..., Any]], ...] = (
    ("bitwise_and", torch.bitwise_and),
    ("bitwise_or", torch.bitwise_or),
    ("bitwise_xor", torch.bitwise_xor),
    ("bitwise_not", torch.bitwise_not),
    ("add", torch.add),
    ("mul", torch.mul),
    ("floor_divide", lambda x, y: torch.div(x, y.abs() + 1, rounding_mode="floor") if x.dtype != torch.bool else x & y),
    ("remainder", lambda x, y: torch.remainder(x.int(), y.int().abs() + 1)),
    ("shift", lambda x, y: x.int() << (y.int() & 7)),
)
DECIDING: tuple[tuple[str, Callable[..., Any], int], ...] = (
    ("lt", torch.lt, 2),
    ("ge", torch.ge, 2),
    ("eq", torch.eq, 2),
    ("ne", torch.ne, 2),
    ("sign", torch.sign, 1),
    ("floor", torch.floor, 1),
    ("round", torch.round, 1),
    ("trunc", torch.trunc, 1),
    ("isfinite", torch.isfinite, 1),
    ("heaviside", lambda x: torch.heaviside(x, x), 1),
    ("logical_not", torch.logical_not, 1),
    ("signbit", torch.signbit, 1),
)
