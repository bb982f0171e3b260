"""Random programs of `mlc_tensor`, for properties that every pass must have.

    @given(graphs())
    def test(graph): graph.module, graph.inputs

Graphs have 1 to 30 ops of every kind, shared values, several results, sizes 0 and 1, sizes that have
names, and constants and inputs with NaN, infinities, both zeros, denormals and the limits of integers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import prod
from typing import Any

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType, bf16, f16, f32, f64, i1, i8, i16, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from mlc_dialects.common.scalar_builder import scalar_attribute
from mlc_dialects.common.types import element_type, is_bool, is_float, shape_of, storage, tensor_type, ui8, with_element
from mlc_dialects.semantics.numerics import Array, dense_attribute, value_of
from mlc_dialects.tensor.calls import FusionOp, YieldOp
from mlc_dialects.tensor.elementwise import OPS, AddOp, EqOp, GeOp, GtOp, LeOp, LtOp, NotOp, SelectOp
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import REDUCTIONS, CastOp, ConstantOp, IotaOp, MatmulOp, ReduceOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, PadOp, PermuteOp, ReshapeOp, RollOp, SliceOp
from mlc_support.index_expr import IndexExpr, integer, product, variable
from tests.unit import random_calls, random_indexing

Draw = Callable[[st.SearchStrategy[Any]], Any]

ELEMENTS = (f32, f32, f16, bf16, i32, i64, i1, f64, i8, i16, ui8)
"""Every type of the type table, the simplest to read first."""
WHOLE = (i32, i64, i1, ui8, i8, i16)
"""Those whose sums are the same in any order."""
SIZES = (1, 2, 3, 4, 0, 1, 2, 3)
NAMES = (("N", "M"), ("N",), (), (), ())
"""The sizes of a graph that have names."""
FLOATS = (
    1.0, 0.0, -0.0, -1.0, 2.0, 0.5, 3.0, float("nan"), float("inf"), -float("inf"),
    1e-40, 6e-8, 60000.0, -65504.0, 1e30, 0.1, 7.75, -2.5,
)  # fmt: skip
UNSIGNED_ZERO = ("fmax", "fmin")
"""Of 0.0 and -0.0 they give either: numpy by the layout of its inputs."""
COMPARISONS = (LtOp, LeOp, GtOp, GeOp, EqOp)
INTEGERS = (1, 0, -1, 2, 3, 7, -8, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63))


@dataclass(frozen=True)
class Graph:
    """A module with one function, and inputs for it."""

    module: ModuleOp
    inputs: list[Array]
    sizes: Mapping[str, int] = field(default_factory=dict[str, int])
    """The numbers of named sizes that the inputs have."""

    def __repr__(self) -> str:
        return f"{self.module}\ninputs: {self.inputs}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What hypothesis prints of a failure."""
        printer.text(repr(self))


@st.composite
def graphs(
    draw: Draw, max_ops: int = 30, plain: bool = False, elements: Sequence[Attribute] = ELEMENTS, calls: bool = False
) -> Graph:
    """A valid random function of `elements`, and inputs.

    A `plain` one has no fusions, and nothing of it is undefined on a GPU. With `calls` there are convolutions.
    """
    names = draw(st.sampled_from(NAMES))
    sizes = {name: draw(st.integers(1, 4)) for name in names}
    dims = (*map(integer, SIZES), *(variable(n) for n in names for _ in range(4)))
    types = draw(st.lists(tensor_types(dims, elements), min_size=1, max_size=3))
    named = {str(size) for t in types for size in shape_of(t)}
    types += [tensor_type([variable(n)], draw(st.sampled_from(elements))) for n in names if n not in named]
    block = Block(arg_types=types)
    builder = Builder(draw, block, [*block.args], dims, sizes, elements, plain=plain)
    if calls:
        builder.makers += [partial(maker, builder) for maker in random_calls.MAKERS]
    builder.grow(draw(st.integers(1, max_ops)))
    results = builder.several(builder.values[::-1], 1, 3)
    block.add_op(func.ReturnOp(*results))
    function = func.FuncOp("main", (types, [r.type for r in results]), Region(block))
    seed = draw(st.integers(0, 2**16))
    inputs = [random_input(builder.numbers(a), element_type(a.type), seed + i) for i, a in enumerate(block.args)]
    return Graph(ModuleOp([function]), inputs, sizes)


@st.composite
def tensor_types(draw: Draw, dims: Sequence[IndexExpr], elements: Sequence[Attribute]) -> TensorType[Attribute]:
    """A tensor type of rank 0 to 3, its sizes among `dims`."""
    shape = draw(st.lists(st.sampled_from(dims), max_size=3))
    return tensor_type(shape, draw(st.sampled_from(elements)))


def random_input(shape: Sequence[int], element: Attribute, seed: int) -> Array:
    """Numbers of the type, a third of them special."""
    generator = np.random.default_rng(seed)
    if is_float(element):
        plain, special = generator.normal(size=shape) * 3, generator.choice(FLOATS, size=shape)
    else:
        plain, special = generator.integers(-5, 6, size=shape), generator.choice(np.array(INTEGERS), size=shape)
    return value_of(np.where(generator.random(shape) < 0.33, special, plain), element).array


@dataclass
class Builder:
    """Appends random ops to a block; `values` are those they may use, `dims` the sizes of new dimensions."""

    draw: Draw
    block: Block
    values: list[SSAValue]
    dims: Sequence[IndexExpr]
    sizes: Mapping[str, int]
    elements: Sequence[Attribute]
    nested: bool = False
    plain: bool = False
    makers: list[Callable[[SSAValue], Operation | None]] = field(init=False)

    def __post_init__(self) -> None:
        self.makers = [
            self._elementwise, self._elementwise, self._elementwise, self._elementwise, self._constant,
            self._cast, self._broadcast, self._reshape, self._permute, self._slice, self._roll, self._pad, self._cat,
            self._reduce, self._iota, self._matmul, self._again, self._mask,
            *(partial(maker, self) for maker in random_indexing.MAKERS),
        ]  # fmt: skip
        if not self.nested and not self.plain:
            self.makers.append(self._fusion)

    def grow(self, count: int) -> None:
        """Add about `count` ops."""
        for _ in range(count):
            source = self.pick(self.pick((self.values[-1:], self.values[-6:], self.values)))
            op = (self._follow if self.chance() else self.pick(self.makers))(source)
            if op is not None and all(prod(max(1, s) for s in self.numbers(r)) <= 256 for r in op.results):
                self.add(op)
            elif op is not None:
                op.erase()

    def add(self, op: Operation) -> SSAValue:
        """Appends `op`; its first result."""
        self.block.add_op(op)
        self.values += op.results
        return op.results[0] if op.results else self.values[-1]

    def numbers(self, value: SSAValue) -> tuple[int, ...]:
        """The shape of a value, names replaced by their numbers."""
        return tuple(size.evaluate(self.sizes) for size in shape_of(value.type))

    def pick(self, options: Sequence[Any]) -> Any:
        """One of `options`."""
        # The number is drawn, not the option: failures print what was drawn.
        return options[self.draw(st.integers(0, len(options) - 1))]

    def several(self, options: Sequence[Any], least: int, most: int) -> list[Any]:
        """`least` to `most` of `options`."""
        return [self.pick(options) for _ in range(self.draw(st.integers(least, most)))]

    def chance(self) -> bool:
        """True or false."""
        return self.draw(st.booleans())

    def partner(self, type_: Attribute) -> SSAValue:
        """A value of `type_`: one there is, or a constant."""
        alike = [v for v in self.values if v.type == type_]
        return self.pick(alike) if alike and self.chance() else self.add(self._constant_of(type_))

    def _constant_of(self, type_: Attribute) -> Operation:
        shape, element = shape_of(type_), element_type(type_)
        numbers, count = FLOATS if is_float(element) else INTEGERS, product(shape).constant
        if count is not None and 0 < count <= 8 and self.chance():
            data = np.array([self.pick(numbers) for _ in range(count)]).reshape([s.constant or 0 for s in shape])
            return ConstantOp(dense_attribute(value_of(data, element)), type_)
        return ConstantOp.splat(self.pick(numbers), shape, element)

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
                if self.chance():
                    return NotOp(source)
                other = self.add(self._constant_of(source.type))
                return SelectOp(source, other, self.partner(source.type))
            operands = [self.partner(source.type) for _ in range(type(made_by).FUNCTION.arity - 1)]
            return type(made_by)(source, *operands) if made_by.result.type == made_by.operands[-1].type else None
        by_type = {
            CastOp: self._cast, BroadcastOp: self._broadcast, ReshapeOp: self._reshape, PermuteOp: self._permute,
            SliceOp: self._slice, PadOp: self._pad,
            RollOp: self.pick((self._roll, self._slice)), CatOp: self.pick((self._cat, self._slice)),
        }  # fmt: skip
        if isinstance(made_by, ReduceOp) and not made_by.kind.data.startswith("arg"):
            dims = [d for d in range(len(shape_of(made_by.input.type))) if self.chance()]
            return ReduceOp(made_by.kind.data, source, dims) if dims else None
        return by_type.get(type(made_by), self._elementwise)(source)

    def _elementwise(self, source: SSAValue) -> Operation | None:
        element = element_type(source.type)
        kind = "b" if is_bool(element) else "f" if is_float(element) else "i"
        op = self.pick([o for o in OPS if kind in o.FUNCTION.kinds and o.FUNCTION.name not in UNSIGNED_ZERO])
        if op is SelectOp:
            return SelectOp(self.partner(with_element(source.type, i1)), source, self.partner(source.type))
        operands = [source, *(self.partner(source.type) for _ in range(op.FUNCTION.arity - 1))]
        return op(*(operands[::-1] if self.chance() else operands))

    def _mask(self, source: SSAValue) -> Operation | None:
        """`source` where a comparison of positions holds, a triangle or a border, and one number elsewhere."""
        type_ = with_element(source.type, self.pick((i64, i32)))
        rank = len(shape_of(type_))
        if not rank:
            return None
        places = [self.add(IotaOp(self.draw(st.integers(0, rank - 1)), type_)) for _ in range(2)]
        border = self.add(ConstantOp.splat(self.draw(st.integers(-1, 3)), shape_of(type_), element_type(type_)))
        if self.chance():
            places[1] = border
        elif self.chance():
            places[1] = self.add(AddOp(places[1], border))
        inside = self.add(self.pick(COMPARISONS)(*places))
        values = [source, self.add(self._constant_of(source.type))]
        return SelectOp(inside, *(values[::-1] if self.chance() else values))

    def _cast(self, source: SSAValue) -> Operation:
        integers = is_float(element_type(source.type)) and self.plain  # NaN and 1e30 are no integers
        return CastOp(source, self.pick([e for e in self.elements if not integers or is_float(e) or is_bool(e)]))

    def _broadcast(self, source: SSAValue) -> Operation:
        shape = [self.pick(self.dims) if s.constant == 1 and self.chance() else s for s in shape_of(source.type)]
        added = self.several(self.dims, 0, max(0, 3 - len(shape)))
        return BroadcastOp(source, [*added, *shape])

    def _reshape(self, source: SSAValue) -> Operation:
        shape = [s for s in shape_of(source.type) if s.constant != 1]
        if shape and self.chance():
            shape = [product(shape)]
        for _ in range(self.draw(st.integers(0, 2))):
            shape.insert(self.draw(st.integers(0, len(shape))), integer(1))
        alike = [shape_of(v.type) for v in self.values if product(shape_of(v.type)) == product(shape)]
        return ReshapeOp(source, self.pick(alike) if alike and self.chance() else shape)

    def _permute(self, source: SSAValue) -> Operation:
        return PermuteOp(source, self.draw(st.permutations(range(len(shape_of(source.type))))))

    def _slice(self, source: SSAValue) -> Operation:
        starts, steps, counts = [], [], []
        for size, number in zip(shape_of(source.type), self.numbers(source), strict=True):
            start, count, step = self._part(size, number) if size.constant is None else self._static_part(number)
            starts.append(start)
            counts.append(count)
            steps.append(step)
        return SliceOp(source, starts, steps, counts)

    def _static_part(self, size: int) -> tuple[int, int, int]:
        """Start, count and step of a slice of a dimension."""
        start = self.draw(st.integers(0, max(size - 1, 0)))
        step = self.pick((1, 1, 2, -1, -2))
        room = (size - start - 1) // step + 1 if step > 0 else start // -step + 1
        count = 0 if size == 0 else self.draw(st.integers(0, room)) if self.chance() else room
        return (start if self.chance() else (0 if step > 0 else start)), count, step

    def _part(self, size: IndexExpr, number: int) -> tuple[IndexExpr, IndexExpr, int]:
        """The same for a dimension whose size is `number` today: most of it, from a border, or one element."""
        first = self.draw(st.integers(0, min(1, number)))
        forwards, backwards = (integer(first), size - first, 1), (size - 1, size - first, -1)
        single = (size - 1 if self.chance() else integer(0), integer(1), 1)
        every_second = (integer(0), (size + 1) // 2, 2)
        return self.pick((forwards, backwards, every_second, *([single] if number else [])))

    def _roll(self, source: SSAValue) -> Operation | None:
        """A rotation: one op, or along one dimension what is behind its start and what is before."""
        starts = [self.draw(st.integers(0, max(0, number - 1))) for number in self.numbers(source)]
        if not starts or self.chance():
            return RollOp(source, starts)
        axis, shape = self.draw(st.integers(0, len(starts) - 1)), shape_of(source.type)
        steps, parts = [1] * len(starts), list[SSAValue]()
        for start, count in ((starts[axis], shape[axis] - starts[axis]), (0, integer(starts[axis]))):
            sizes = [count if d == axis else size for d, size in enumerate(shape)]
            parts.append(
                self.add(SliceOp(source, [start if d == axis else 0 for d in range(len(shape))], steps, sizes))
            )
        return CatOp(parts, axis)

    def _pad(self, source: SSAValue) -> Operation:
        element, shape = element_type(source.type), shape_of(source.type)
        lows = [self.draw(st.integers(0, 2)) for _ in shape]
        highs = [self.draw(st.integers(0, 1)) for _ in lows]
        sizes = zip(lows, shape, highs, strict=True)
        value = scalar_attribute(self.pick((0, 1, float("inf")) if is_float(element) else (0, 1)), storage(element))
        return PadOp(source, lows, [size + low + high for low, size, high in sizes], value)

    def _cat(self, source: SSAValue) -> Operation | None:
        rank = len(shape_of(source.type))
        if not rank:
            return None
        axis = self.draw(st.integers(0, rank - 1))
        alike = [v for v in self.values if _fits(v.type, source.type, axis)]
        return CatOp([source, *self.several(alike, 0, 2)], axis)

    def _reduce(self, source: SSAValue) -> Operation | None:
        element, shape = element_type(source.type), self.numbers(source)
        letter = "b" if is_bool(element) else "f" if is_float(element) else "i"
        kind = self.pick([k for k, kinds in REDUCTIONS.items() if letter in kinds])
        dims = [d for d in range(len(shape)) if self.chance()]
        if not dims or (kind.startswith("arg") and any(shape[d] == 0 for d in dims)):
            return None
        return ReduceOp(kind, source, dims)

    def _iota(self, source: SSAValue) -> Operation | None:
        rank = len(shape_of(source.type))
        if not rank or is_bool(element_type(source.type)):
            return None
        return IotaOp(self.draw(st.integers(0, rank - 1)), source.type)

    def _matmul(self, source: SSAValue) -> Operation | None:
        rank = len(shape_of(source.type))
        alike = [v for v in self.values if v.type == source.type]
        if rank < 2 or is_bool(element_type(source.type)):
            return None
        other = self.add(PermuteOp(self.pick(alike), [*range(rank - 2), rank - 1, rank - 2]))
        return MatmulOp(source, other)

    def _fusion(self, source: SSAValue) -> Operation:
        inputs = [source, *self.several(self.values, 0, 2)]
        block = Block(arg_types=[v.type for v in inputs])
        inner = Builder(self.draw, block, [*block.args], self.dims, self.sizes, self.elements, nested=True)
        inner.grow(self.draw(st.integers(1, 5)))
        yielded = inner.several(inner.values[::-1], 1, 3)
        block.add_op(YieldOp(yielded))
        return FusionOp(inputs, [v.type for v in yielded], "random", "for a test", Region(block))


def _fits(type_: Attribute, like: Attribute, axis: int) -> bool:
    """True if tensors of both types can be joined along `axis`."""
    shape, wanted = shape_of(type_), shape_of(like)
    if element_type(type_) != element_type(like) or len(shape) != len(wanted):
        return False
    return shape[:axis] + shape[axis + 1 :] == wanted[:axis] + wanted[axis + 1 :]
