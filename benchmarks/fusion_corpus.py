"""Graphs on which fusion strategies are compared: generated ones from seeds, and blocks of real models.

    for graph in generated(300): graph.name, graph.module
    for graph in blocks(): ...

Every graph is a module with one function of `mlc_tensor` ops, float32, static, and simplified as the
compiler has it before fusion. A generated one has 4 to 60 ops: pointwise, broadcasts, reductions,
transposes, products, shared inputs, and fragments that models are made of (softmax, norms, gelu).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Block, Operation, Region, SSAValue

from mlc_dialects.common.types import shape_of, tensor_type
from mlc_dialects.tensor.elementwise_op import ELEMENTWISE
from mlc_dialects.tensor.ops import ConstantOp, MatmulOp, ReduceOp
from mlc_dialects.tensor.views import BroadcastOp, PermuteOp, ReshapeOp
from passes.common.cse import CsePass
from passes.common.dce import DcePass
from passes.tensor.canonicalize.canonicalize import CanonicalizePass

UNARY = ("exp", "tanh", "sigmoid", "sin", "cos", "erf", "abs", "neg", "sqrt", "floor")
BINARY = ("add", "sub", "mul", "div", "maximum", "minimum")
SIZES = (64, 128, 256, 512, 768, 1024, 2048)
ROWS = (32, 128, 256, 512, 1024, 4096)


@dataclass(frozen=True)
class CorpusGraph:
    """A named module with one function."""

    name: str
    module: ModuleOp

    @property
    def block(self) -> Block:
        """The body of the function."""
        (function,) = self.module.ops
        assert isinstance(function, func.FuncOp)
        return function.body.block


def generated(count: int, first_seed: int = 0) -> Iterator[CorpusGraph]:
    """`count` graphs, the same at every call."""
    for seed in range(first_seed, first_seed + count):
        yield seeded(seed)


def seeded(seed: int, elements: int | None = None) -> CorpusGraph:
    """The graph of one seed; with `elements`, its rows are as many as give its values so many elements."""
    return CorpusGraph(f"seed-{seed}", simplified(Generator(random.Random(seed), elements).module()))


def resized(extent: int, size: int, elements: int | None) -> int:
    """A multiple or a part of `extent`, so that `size` elements become about `elements`."""
    if elements is None:
        return extent
    return extent * -(-elements // size) if elements > size else max(1, extent * elements // size)


def simplified(module: ModuleOp) -> ModuleOp:
    """The module as it is before fusion."""
    for step in (CanonicalizePass(), CsePass(), CanonicalizePass(), DcePass()):
        step.apply(Context(), module)
    return module


@dataclass
class Generator:
    """One random graph: values are (rows, columns), or smaller ones that broadcast to that."""

    rng: random.Random
    elements: int | None = None
    values: list[SSAValue] = field(default_factory=list[SSAValue])
    block: Block = field(default_factory=Block)
    shape: tuple[int, int] = (0, 0)

    def module(self) -> ModuleOp:
        """A module whose function returns every value that nothing reads, those of one shape added up."""
        rng = self.rng
        rows, columns = rng.choice(ROWS), rng.choice(SIZES)
        rows = resized(rows, rows * columns, self.elements)
        self.shape = (rows, columns)
        arguments = (
            [self.shape] * rng.randint(1, 3) + [(columns,)] * rng.randint(0, 2) + [(rows, 1)] * rng.randint(0, 1)
        )
        self.block = Block(arg_types=[tensor_type(s, f32) for s in arguments])
        for position, argument in enumerate(self.block.args):
            argument.name_hint = f"x{position}"
        self.values = [a for a in self.block.args if self._is_full(a)]
        self._grow(rng.randint(4, 60))
        results = self._results()
        self.block.add_op(func.ReturnOp(*results))
        types = ([a.type for a in self.block.args], [r.type for r in results])
        return ModuleOp([func.FuncOp("main", types, Region(self.block))])

    def _grow(self, budget: int) -> None:
        makers: list[tuple[int, Callable[[SSAValue], SSAValue]]] = [
            (8, self._unary), (10, self._binary), (4, self._with_number), (4, self._with_vector), (3, self._normalise),
            (2, self._softmax), (1, self._layer_norm), (1, self._gelu), (2, self._row_reduction),
            (1, self._column_reduction), (1, self._transposed), (1, self._product), (1, self._split),
        ]  # fmt: skip
        weights = [w for w, _ in makers]
        while self._size() < budget:
            (maker,) = self.rng.choices([m for _, m in makers], weights)
            value = maker(self._pick())
            if self._is_full(value):
                self.values.append(value)

    def _size(self) -> int:
        return len(list(self.block.ops))

    def _pick(self) -> SSAValue:
        """A value to go on from: mostly a late one, sometimes an input again."""
        return self.rng.choice(self.values[-3:] if self.rng.random() < 0.7 else self.values)

    def _add(self, op: Operation) -> SSAValue:
        op.results[0].name_hint = f"v{self._size()}"
        self.block.add_op(op)
        return op.results[0]

    def _is_full(self, value: SSAValue) -> bool:
        return _sizes(value) == self.shape

    def _apply(self, name: str, *operands: SSAValue) -> SSAValue:
        return self._add(ELEMENTWISE[name](*operands))

    def _broadcast(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        return self._add(BroadcastOp(value, shape))

    def _number(self, number: float, like: SSAValue) -> SSAValue:
        return self._add(ConstantOp.splat(number, shape_of(like.type), f32))

    def _reduce(self, kind: str, value: SSAValue, dims: Sequence[int]) -> SSAValue:
        return self._add(ReduceOp(kind, value, dims))

    def _unary(self, x: SSAValue) -> SSAValue:
        return self._apply(self.rng.choice(UNARY), x)

    def _binary(self, x: SSAValue) -> SSAValue:
        return self._apply(self.rng.choice(BINARY), x, self._pick())

    def _with_number(self, x: SSAValue) -> SSAValue:
        number = self._number(self.rng.choice((0.5, 2.5, 1.5, -0.75)), x)
        return self._apply(self.rng.choice(("add", "mul", "maximum")), x, number)

    def _with_vector(self, x: SSAValue) -> SSAValue:
        """An op with one of the arguments that are a vector of columns or rows."""
        vectors = [
            a for a in self.block.args if a not in self.values and _sizes(a) in (self.shape[1:], (self.shape[0], 1))
        ]
        if not vectors:
            return self._unary(x)
        return self._apply(self.rng.choice(("add", "mul")), x, self._broadcast(self.rng.choice(vectors), self.shape))

    def _normalise(self, x: SSAValue) -> SSAValue:
        """Rows against their maximum, their sum or their mean."""
        kind = self.rng.choice(("add", "max"))
        total = self._reduce(kind, x, [1])
        if self.rng.random() < 0.5:
            total = self._apply("mul", total, self._number(1 / self.shape[1], total))
        return self._apply(self.rng.choice(("sub", "div", "mul")), x, self._broadcast(total, self.shape))

    def _softmax(self, x: SSAValue) -> SSAValue:
        peak = self._broadcast(self._reduce("max", x, [1]), self.shape)
        e = self._apply("exp", self._apply("sub", x, peak))
        return self._apply("div", e, self._broadcast(self._reduce("add", e, [1]), self.shape))

    def _layer_norm(self, x: SSAValue) -> SSAValue:
        total = self._reduce("add", x, [1])
        share = self._number(1 / self.shape[1], total)
        d = self._apply("sub", x, self._broadcast(self._apply("mul", total, share), self.shape))
        variance = self._apply("mul", self._reduce("add", self._apply("mul", d, d), [1]), share)
        scale = self._apply("rsqrt", self._apply("add", variance, self._number(1e-5, variance)))
        return self._apply("mul", d, self._broadcast(scale, self.shape))

    def _gelu(self, x: SSAValue) -> SSAValue:
        e = self._apply("erf", self._apply("mul", x, self._number(0.70710678, x)))
        half = self._apply("mul", x, self._number(0.5, x))
        return self._apply("mul", half, self._apply("add", e, self._number(1.0, x)))

    def _row_reduction(self, x: SSAValue) -> SSAValue:
        """A result of one number a row, perhaps with a little more done to it."""
        total = self._reduce(self.rng.choice(("add", "max", "min")), x, [1])
        return self._unary(total) if self.rng.random() < 0.5 else total

    def _column_reduction(self, x: SSAValue) -> SSAValue:
        """A result of one number a column, or of all; used again half of the time."""
        total = self._reduce(self.rng.choice(("add", "max")), x, self.rng.choice(([0], [0], [0, 1])))
        if self.rng.random() < 0.5:
            return total
        return self._apply("mul", self._pick(), self._broadcast(total, self.shape))

    def _transposed(self, x: SSAValue) -> SSAValue:
        """Something done to the transpose; then it goes back half of the time."""
        y = self._unary(self._add(PermuteOp(x, [1, 0])))
        return self._add(PermuteOp(self._unary(y), [1, 0])) if self.rng.random() < 0.5 else y

    def _product(self, x: SSAValue) -> SSAValue:
        """x @ W, W square."""
        columns = self.shape[1]
        weight = self.block.insert_arg(tensor_type((columns, columns), f32), len(self.block.args))
        weight.name_hint = f"w{len(self.block.args) - 1}"
        return self._add(MatmulOp(x, weight))

    def _split(self, x: SSAValue) -> SSAValue:
        """Work on heads: the columns in groups."""
        rows, columns = self.shape
        y = self._unary(self._add(ReshapeOp(x, [rows, columns // 32, 32])))
        return self._add(ReshapeOp(y, [rows, columns]))

    def _results(self) -> list[SSAValue]:
        """What nothing reads; of one shape, two at most are left."""
        unread: dict[tuple[int, ...], list[SSAValue]] = {}
        for op in list(self.block.ops):
            if not op.results[0].uses:
                unread.setdefault(_sizes(op.results[0]), []).append(op.results[0])
        for values in unread.values():
            while len(values) > 2:
                values.append(self._apply("add", values.pop(0), values.pop(0)))
        return [v for values in unread.values() for v in values]


def _sizes(value: SSAValue) -> tuple[int, ...]:
    sizes = [s.constant for s in shape_of(value.type)]
    return tuple(s for s in sizes if s is not None)
