"""Random programs of `mlc_tensor`, for properties that every pass must have.

    @given(graphs())
    def test(graph): graph.module, graph.inputs

Graphs have 1 to 30 ops of every kind, shared values, several results, sizes 0 and 1, and
constants and inputs with NaN, infinities, both zeros, denormals and the limits of integers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType, bf16, f16, f32, f64, i1, i8, i16, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from mlc_dialects.elementwise import OPS, NotOp, SelectOp
from mlc_dialects.elementwise_op import ElementwiseOp
from mlc_dialects.numerics import Array, dense_attribute, value_of
from mlc_dialects.scalar import scalar_attribute
from mlc_dialects.tensor_calls import FusionOp, YieldOp
from mlc_dialects.tensor_ops import REDUCTIONS, CastOp, ConstantOp, IotaOp, MatmulOp, ReduceOp
from mlc_dialects.tensor_views import BroadcastOp, CatOp, PadOp, PermuteOp, ReshapeOp, SliceOp
from mlc_dialects.types import element_type, is_bool, is_float, storage, tensor_type, ui8

Draw = Callable[[st.SearchStrategy[Any]], Any]

ELEMENTS = (f32, f32, f16, bf16, i32, i64, i1, f64, i8, i16, ui8)
"""Every type of the type table, the simplest to read first."""
SIZES = (1, 2, 3, 4, 0, 1, 2, 3)
FLOATS = (
    1.0, 0.0, -0.0, -1.0, 2.0, 0.5, 3.0, float("nan"), float("inf"), -float("inf"),
    1e-40, 6e-8, 60000.0, -65504.0, 1e30, 0.1, 7.75, -2.5,
)  # fmt: skip
INTEGERS = (1, 0, -1, 2, 3, 7, -8, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63))


@dataclass(frozen=True)
class Graph:
    """A module with one function, and inputs for it."""

    module: ModuleOp
    inputs: list[Array]

    def __repr__(self) -> str:
        return f"{self.module}\ninputs: {self.inputs}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What hypothesis prints of a failure."""
        printer.text(repr(self))


@st.composite
def graphs(draw: Draw, max_ops: int = 30, plain: bool = False) -> Graph:
    """A valid random function, and inputs; a `plain` one has no fusions, and nothing of it is undefined on a GPU."""
    types = draw(st.lists(tensor_types(), min_size=1, max_size=3))
    block = Block(arg_types=types)
    builder = _Builder(draw, block, [*block.args], plain=plain)
    builder.grow(draw(st.integers(1, max_ops)))
    results = builder.several(builder.values[::-1], 1, 3)
    block.add_op(func.ReturnOp(*results))
    function = func.FuncOp("main", (types, [r.type for r in results]), Region(block))
    seed = draw(st.integers(0, 2**16))
    return Graph(ModuleOp([function]), [random_input(t, seed + i) for i, t in enumerate(types)])


@st.composite
def tensor_types(draw: Draw) -> TensorType[Attribute]:
    """A static tensor type of rank 0 to 3."""
    shape = draw(st.lists(st.sampled_from(SIZES), max_size=3))
    return tensor_type(shape, draw(st.sampled_from(ELEMENTS)))


def random_input(type_: TensorType[Attribute], seed: int) -> Array:
    """Numbers of the type, a third of them special."""
    generator = np.random.default_rng(seed)
    shape, element = type_.get_shape(), type_.element_type
    if is_float(element):
        plain, special = generator.normal(size=shape) * 3, generator.choice(FLOATS, size=shape)
    else:
        plain, special = generator.integers(-5, 6, size=shape), generator.choice(np.array(INTEGERS), size=shape)
    return value_of(np.where(generator.random(shape) < 0.33, special, plain), element).array


@dataclass
class _Builder:
    """Appends random ops to a block; `values` are those they may use."""

    draw: Draw
    block: Block
    values: list[SSAValue]
    nested: bool = False
    plain: bool = False
    makers: list[Callable[[SSAValue], Operation | None]] = field(init=False)

    def __post_init__(self) -> None:
        self.makers = [
            self._elementwise, self._elementwise, self._elementwise, self._elementwise, self._constant,
            self._cast, self._broadcast, self._reshape, self._permute, self._slice, self._pad, self._cat,
            self._reduce, self._iota, self._matmul, self._again,
        ]  # fmt: skip
        if not self.nested and not self.plain:
            self.makers.append(self._fusion)

    def grow(self, count: int) -> None:
        """Add about `count` ops."""
        for _ in range(count):
            source = self._pick(self._pick((self.values[-1:], self.values[-6:], self.values)))
            op = (self._follow if self._chance() else self._pick(self.makers))(source)
            if op is not None and all(prod(max(1, s) for s in r.type.get_shape()) <= 256 for r in op.results):
                self._add(op)
            elif op is not None:
                op.erase()

    def _add(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        self.values += op.results
        return op.results[0] if op.results else self.values[-1]

    def _pick(self, options: Sequence[Any]) -> Any:
        # The number is drawn, not the option: failures print what was drawn.
        return options[self.draw(st.integers(0, len(options) - 1))]

    def several(self, options: Sequence[Any], least: int, most: int) -> list[Any]:
        return [self._pick(options) for _ in range(self.draw(st.integers(least, most)))]

    def _chance(self) -> bool:
        return self.draw(st.booleans())

    def _partner(self, type_: Attribute) -> SSAValue:
        """A value of `type_`: one there is, or a constant."""
        alike = [v for v in self.values if v.type == type_]
        return self._pick(alike) if alike and self._chance() else self._add(self._constant_of(type_))

    def _constant_of(self, type_: Any) -> Operation:
        numbers = FLOATS if is_float(type_.element_type) else INTEGERS
        if 0 < prod(type_.get_shape()) <= 8 and self._chance():
            data = [self._pick(numbers) for _ in range(prod(type_.get_shape()))]
            value = value_of(np.array(data).reshape(type_.get_shape()), type_.element_type)
            return ConstantOp(dense_attribute(value), type_)
        return ConstantOp.splat(self._pick(numbers), type_.get_shape(), type_.element_type)

    def _constant(self, source: SSAValue) -> Operation:
        return self._constant_of(source.type)

    def _again(self, source: SSAValue) -> Operation | None:
        """The op of `source` once more."""
        return source.owner.clone() if isinstance(source.owner, Operation) else None

    def _follow(self, source: SSAValue) -> Operation | None:
        """An op that rules might join with the one that made `source`."""
        made_by = source.owner
        if isinstance(made_by, ElementwiseOp) and not isinstance(made_by, SelectOp):
            if is_bool(element_type(source.type)):
                if self._chance():
                    return NotOp(source)
                other = self._add(self._constant_of(source.type))
                return SelectOp(source, other, self._partner(source.type))
            operands = [self._partner(source.type) for _ in range(type(made_by).FUNCTION.arity - 1)]
            return type(made_by)(source, *operands) if made_by.result.type == made_by.operands[-1].type else None
        by_type = {
            CastOp: self._cast, BroadcastOp: self._broadcast, ReshapeOp: self._reshape, PermuteOp: self._permute,
            SliceOp: self._slice, PadOp: self._pad, CatOp: self._pick((self._cat, self._slice)),
        }  # fmt: skip
        if isinstance(made_by, ReduceOp) and not made_by.kind.data.startswith("arg"):
            dims = [d for d in range(len(made_by.input.type.get_shape())) if self._chance()]
            return ReduceOp(made_by.kind.data, source, dims)
        return by_type.get(type(made_by), self._elementwise)(source)

    def _elementwise(self, source: SSAValue) -> Operation | None:
        element = element_type(source.type)
        kind = "b" if is_bool(element) else "f" if is_float(element) else "i"
        op = self._pick([o for o in OPS if kind in o.FUNCTION.kinds])
        if op is SelectOp:
            condition = self._partner(TensorType(i1, source.type.get_shape()))
            return SelectOp(condition, source, self._partner(source.type))
        operands = [source, *(self._partner(source.type) for _ in range(op.FUNCTION.arity - 1))]
        return op(*(operands[::-1] if self._chance() else operands))

    def _cast(self, source: SSAValue) -> Operation:
        integers = is_float(element_type(source.type)) and self.plain  # NaN and 1e30 are no integers
        return CastOp(source, self._pick([e for e in ELEMENTS if not integers or is_float(e) or is_bool(e)]))

    def _broadcast(self, source: SSAValue) -> Operation:
        shape = [self._pick(SIZES) if s == 1 and self._chance() else s for s in source.type.get_shape()]
        added = self.several(SIZES, 0, max(0, 3 - len(shape)))
        return BroadcastOp(source, [*added, *shape])

    def _reshape(self, source: SSAValue) -> Operation:
        shape = [s for s in source.type.get_shape() if s != 1]
        if shape and self._chance():
            shape = [prod(shape)]
        for _ in range(self.draw(st.integers(0, 2))):
            shape.insert(self.draw(st.integers(0, len(shape))), 1)
        return ReshapeOp(source, shape)

    def _permute(self, source: SSAValue) -> Operation:
        return PermuteOp(source, self.draw(st.permutations(range(len(source.type.get_shape())))))

    def _slice(self, source: SSAValue) -> Operation:
        starts, steps, counts = [], [], []
        for size in source.type.get_shape():
            start = self.draw(st.integers(0, max(size - 1, 0)))
            step = self._pick((1, 1, 2, -1, -2))
            room = (size - start - 1) // step + 1 if step > 0 else start // -step + 1
            starts.append(start if self._chance() else (0 if step > 0 else start))
            counts.append(0 if size == 0 else self.draw(st.integers(0, room)) if self._chance() else room)
            steps.append(step)
        return SliceOp(source, starts, steps, counts)

    def _pad(self, source: SSAValue) -> Operation:
        element = element_type(source.type)
        lows = [self.draw(st.integers(0, 2)) for _ in source.type.get_shape()]
        highs = [self.draw(st.integers(0, 1)) for _ in lows]
        sizes = zip(lows, source.type.get_shape(), highs, strict=True)
        value = scalar_attribute(self._pick((0, 1, float("inf")) if is_float(element) else (0, 1)), storage(element))
        return PadOp(source, lows, [low + size + high for low, size, high in sizes], value)

    def _cat(self, source: SSAValue) -> Operation | None:
        if not source.type.get_shape():
            return None
        axis = self.draw(st.integers(0, len(source.type.get_shape()) - 1))
        alike = [v for v in self.values if _fits(v.type, source.type, axis)]
        return CatOp([source, *self.several(alike, 0, 2)], axis)

    def _reduce(self, source: SSAValue) -> Operation | None:
        element, shape = element_type(source.type), source.type.get_shape()
        letter = "b" if is_bool(element) else "f" if is_float(element) else "i"
        kind = self._pick([k for k, kinds in REDUCTIONS.items() if letter in kinds])
        dims = [d for d in range(len(shape)) if self._chance()]
        if kind.startswith("arg") and any(shape[d] == 0 for d in dims):
            return None
        return ReduceOp(kind, source, dims)

    def _iota(self, source: SSAValue) -> Operation | None:
        rank = len(source.type.get_shape())
        if not rank or is_bool(element_type(source.type)):
            return None
        return IotaOp(self.draw(st.integers(0, rank - 1)), source.type)

    def _matmul(self, source: SSAValue) -> Operation | None:
        shape = source.type.get_shape()
        alike = [v for v in self.values if v.type == source.type]
        if len(shape) < 2 or is_bool(element_type(source.type)):
            return None
        other = self._add(PermuteOp(self._pick(alike), [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]))
        return MatmulOp(source, other)

    def _fusion(self, source: SSAValue) -> Operation:
        inputs = [source, *self.several(self.values, 0, 2)]
        block = Block(arg_types=[v.type for v in inputs])
        inner = _Builder(self.draw, block, [*block.args], nested=True)
        inner.grow(self.draw(st.integers(1, 5)))
        yielded = inner.several(inner.values[::-1], 1, 3)
        block.add_op(YieldOp(yielded))
        return FusionOp(inputs, [v.type for v in yielded], "random", "for a test", Region(block))


def _fits(type_: Any, like: Any, axis: int) -> bool:
    """True if tensors of both types can be joined along `axis`."""
    shape, wanted = [*type_.get_shape()], [*like.get_shape()]
    if type_.element_type != like.element_type or len(shape) != len(wanted):
        return False
    return shape[:axis] + shape[axis + 1 :] == wanted[:axis] + wanted[axis + 1 :]
