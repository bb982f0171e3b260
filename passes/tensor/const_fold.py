"""const-fold: compute at compile time what depends on constants alone.

A splat stays a splat, whatever its shape; a dense constant is made only where it is small
(`max-bytes`), since weights and masks do not belong in the program text. Values come from
the rules of the reference interpreter, rounded to the element type. What has no single
answer is left to run: integers divided by zero, floats outside an integer's range, sums
of floats that round on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.types import byte_size, element_type, is_bool, is_float, is_native, shape_of
from mlc_dialects.semantics import numerics
from mlc_dialects.semantics.numerics import Value, value_of
from mlc_dialects.semantics.tensor import evaluate
from mlc_dialects.tensor.elementwise import AddOp, FloorDivOp, FmodOp, RemainderOp, TruncDivOp
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp, ScatterOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, ReduceOp, SizeOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, PadOp, PermuteOp, ReshapeOp, RollOp, SliceOp, ViewOp
from mlc_support.index_expr import IndexExpr, integer, product
from mlc_support.rewriting import Rule, RulePass, rule
from passes.tensor.canonicalize.reductions import DIGITS
from passes.tensor.matching import splat

MOST_PLACES, MOST_STEPS = 4096, 64
"""Places along a dimension that are computed to see how a gather goes, and the steps that lead to them."""
MOST_COUNTED = 1 << 18
"""Elements that are computed to see whether they are all the same: the positions of a batch of sequences."""
_DIVISIONS = (FloorDivOp, TruncDivOp, FmodOp, RemainderOp)


@dataclass(frozen=True)
class ConstFoldPass(RulePass):
    """Compute what depends on constants alone, exactly as the program would."""

    name = "const-fold"

    max_bytes: int = 512
    """What a dense constant made here may take; one that is read, four times as much."""

    def rules(self) -> tuple[Rule, ...]:
        """Those for dense constants obey `max_bytes`."""
        return folding_rules(self.max_bytes)


def folding_rules(max_bytes: int) -> tuple[Rule, ...]:
    """The rules of the pass; those for dense constants make at most `max_bytes` bytes."""

    @rule
    def fold_dense(
        op: ElementwiseOp | CastOp | ReduceOp | ViewOp | CatOp | GatherOp | ScanOp,
    ) -> ConstantOp | None:
        """f(constants) is a constant, element by element, where it is small; a gather's places may be counts"""
        size = _bytes(op.results[0])
        if size is None or size > max_bytes:
            return None
        operands = [_constant_value(v, 4 * max_bytes) for v in op.operands]
        if isinstance(op, GatherOp):
            operands = [o or _counted(v, 4 * max_bytes) for o, v in zip(operands, op.operands, strict=True)]
        values = [v for v in operands if v is not None]
        return None if None in operands or _rounds_per_order(op, values) else _folded(op, values)

    splats = (fold_splat_elementwise, fold_splat_view, fold_splat_reduction)
    places = (view_by_known_places, pad_by_known_places)
    return (*splats, fold_size, fold_iota, fold_empty, fold_dense, fold_uniform, *places)


@rule
def fold_splat_elementwise(op: ElementwiseOp | CastOp) -> ConstantOp | None:
    """f(c, c', ...) everywhere is one value everywhere"""
    splats = [splat(v) for v in op.operands]
    if None in splats:
        return None
    return _folded(op, [s for s in splats if s is not None])


@rule
def fold_splat_view(op: BroadcastOp | ReshapeOp | PermuteOp | SliceOp | RollOp) -> ConstantOp | None:
    """Moving equal elements gives equal elements"""
    source = op.input.owner
    if not isinstance(source, ConstantOp) or isinstance(source.value, DenseIntOrFPElementsAttr):
        return None
    return ConstantOp(source.value, op.result.type)


@rule
def fold_splat_reduction(op: ReduceOp) -> ConstantOp | None:
    """max, min, and, or of c, ..., c are c; their sum is n * c where no part rounds, the integer product c ** n"""
    filling, kind = splat(op.input), op.kind.data
    count = product(shape_of(op.input.type)[d] for d in op.reduced)
    if filling is None or count.constant == 0:
        return None
    if kind in ("add", "mul") and is_float(filling.element):
        return _float_sum(op, filling, count.constant) if kind == "add" and count.constant is not None else None
    if kind in ("max", "min", "and", "or"):
        return ConstantOp(numerics.splat_attribute(filling), op.result.type)
    if kind.startswith("arg"):
        return ConstantOp.splat(0, shape_of(op.result.type), element_type(op.result.type))
    number, bits = filling.array.item(), 8 * filling.array.itemsize
    if count.constant is None:
        return None
    total = number * count.constant if kind == "add" else pow(number, count.constant, 1 << bits)
    return ConstantOp.splat(total, shape_of(op.result.type), filling.element)


@rule
def fold_size(op: SizeOp) -> ConstantOp | None:
    """The value of an expression without names is a number"""
    number = op.expr.constant
    return None if number is None else ConstantOp.splat(number, (), element_type(op.result.type))


@rule
def fold_iota(op: IotaOp) -> ConstantOp | None:
    """Counting to one gives 0; longer counts are cheaper made than read"""
    shape = shape_of(op.result.type)
    return ConstantOp.splat(0, shape, element_type(op.result.type)) if shape[op.axis].constant == 1 else None


@rule
def fold_empty(op: ElementwiseOp | CastOp | ReduceOp | ViewOp | CatOp | GatherOp | IotaOp) -> ConstantOp | None:
    """A tensor without elements is a constant"""
    type_ = op.results[0].type
    if not is_native(element_type(type_)) or product(shape_of(type_)).constant != 0:
        return None
    return ConstantOp.splat(0, shape_of(type_), element_type(type_))


@rule
def fold_uniform(op: ElementwiseOp | ScanOp) -> ConstantOp | None:
    """A comparison or running sum of counts that gives the same everywhere is one value: no sequence starts anew"""
    compares = isinstance(op, ElementwiseOp) and is_bool(element_type(op.result.type))
    if is_float(element_type(op.result.type)) or not (compares or isinstance(op, ScanOp)):
        return None
    value = _known(op.result, {}, MOST_COUNTED)
    if value is None or not value.array.size or np.any(value.array != value.array.flat[0]):
        return None
    return _constant(op.result, value)


@rule
def view_by_known_places(op: GatherOp) -> Operation | SSAValue | None:
    """x[i // 2, 3 * j + 1], of counts i and j, repeats rows and takes every third column: a view"""
    sizes, shape = shape_of(op.input.type), shape_of(op.result.type)
    if len(sizes) != len(shape):
        return None
    walks = [_walk(index, axis, sizes[axis], shape[axis]) for axis, index in enumerate(op.indices)]
    known = [walk for walk in walks if walk is not None]
    return _walked(op.input, known) if len(known) == len(walks) else None


@rule
def pad_by_known_places(op: ScatterOp) -> Operation | None:
    """u set into c everywhere, at [a + i, b + j] of counts i and j, is u with c around it; added to c it is u + c"""
    source, sizes, shape = op.into.owner, shape_of(op.into.type), shape_of(op.updates.type)
    if splat(op.into) is None or op.kind.data not in ("set", "add") or len(sizes) != len(shape):
        return None
    walks = [_walk(index, axis, sizes[axis], shape[axis]) for axis, index in enumerate(op.indices)]
    starts = [walk.start for walk in walks if walk is not None and walk.step == walk.times == 1]
    if len(starts) < len(walks):
        return None
    assert isinstance(source, ConstantOp)
    added = op.kind.data == "add"
    inner = AddOp(op.updates, ConstantOp(source.value, op.updates.type)) if added else op.updates
    return PadOp(inner, starts, sizes, source.value)


def _float_sum(op: ReduceOp, filling: Value, count: int) -> ConstantOp | None:
    """`count` times the filling; None if a part of the sum rounds."""
    if not adds_up(filling, count):
        return None
    return ConstantOp.splat(filling.array.item() * count, shape_of(op.result.type), filling.element)


def _rounds_per_order(op: Operation, operands: Sequence[Value]) -> bool:
    """True for float sums and products whose last bits depend on the order."""
    if not isinstance(op, ReduceOp | ScanOp) or not is_float(element_type(op.result.type)):
        return False
    if not operands[0].array.size:
        return False
    return op.kind.data in ("mul", "logaddexp") or (op.kind.data == "add" and not adds_up(operands[0]))


def adds_up(value: Value, times: int = 1) -> bool:
    """True if every sum of elements of `value`, each taken up to `times`, is a number of their type.

    Finite floats are integers times a common power of two: no sum rounds while the sum of
    their sizes has no more digits than the type.
    """
    if not np.all(np.isfinite(value.array)):
        return False
    numbers = [Fraction(x) for x in value.array.ravel().tolist()]
    common = max(n.denominator for n in numbers)
    sizes = [abs(n.numerator) * (common // n.denominator) for n in numbers]
    unit = gcd(*sizes) or 1
    total = sum(sizes) * times
    fits = total // (unit & -unit) <= 1 << DIGITS[type(value.element)]
    return fits and bool(np.isfinite(value_of(np.asarray(total / common), value.element).array))


def _folded(op: Operation, operands: Sequence[Value]) -> ConstantOp | None:
    """The constant that `op` computes from `operands`; None where that is not one answer."""
    element = element_type(op.results[0].type)
    if isinstance(op, CastOp) and not numerics.float_fits(operands[0], element):
        return None
    if isinstance(op, _DIVISIONS) and not is_float(element) and _overflows(*operands):
        return None
    try:
        value = evaluate(op, operands, {})
    except (ValueError, NotImplementedError):
        return None
    return _constant(op.results[0], value)


def _overflows(dividend: Value, divisor: Value) -> bool:
    """True if an integer division has no answer: by zero, or the least integer by -1."""
    least = np.iinfo(dividend.array.dtype).min
    signed = dividend.array.dtype.kind == "i"
    return bool(np.any((divisor.array == 0) | (signed & (divisor.array == -1) & (dividend.array == least))))


def _constant(result: SSAValue, value: Value) -> ConstantOp:
    """A constant of the type of `result`: a splat where all elements are the same."""
    flat = value.array.reshape(-1)
    first, repeated = (Value(a, value.element) for a in (flat[:1], np.broadcast_to(flat[:1], flat.shape)))
    if flat.size and numerics.same_bits(repeated, Value(flat, value.element)):
        return ConstantOp(numerics.splat_attribute(first), result.type)
    return ConstantOp(numerics.dense_attribute(value), result.type)


def _bytes(value: SSAValue) -> int | None:
    """What the elements take; None where a size has a name, were it that of nothing, or the element type is foreign."""
    shape, element = shape_of(value.type), element_type(value.type)
    count = product(shape).constant
    known = count is not None and all(s.constant is not None for s in shape) and is_native(element)
    return count * byte_size(element) if known and count is not None else None


def _constant_value(value: SSAValue, max_bytes: int) -> Value | None:
    """The elements of a constant that is dense, or would be no larger than `max_bytes`."""
    constant, size = value.owner, _bytes(value)
    if not isinstance(constant, ConstantOp) or size is None:
        return None
    if size > max_bytes and not isinstance(constant.value, DenseIntOrFPElementsAttr):
        return None
    return evaluate(constant, (), {})


def _counted(value: SSAValue, max_bytes: int) -> Value | None:
    """The elements of a count, or of one that is moved, that is no larger than `max_bytes`."""
    op, size = value.owner, _bytes(value)
    if size is None or size > max_bytes:
        return None
    if isinstance(op, IotaOp):
        return evaluate(op, (), {})
    inner = _counted(op.input, max_bytes) if isinstance(op, BroadcastOp | ReshapeOp) else None
    return None if inner is None or not isinstance(op, Operation) else evaluate(op, [inner], {})


@dataclass(frozen=True)
class Walk:
    """The places that a gather takes along one dimension: `count` from `start` on by `step`, each `times` over."""

    start: int
    step: int
    count: IndexExpr
    times: int = 1

    def is_whole(self, size: IndexExpr) -> bool:
        """True for each place of a dimension, in order."""
        return (self.start, self.step, self.count) == (0, 1, size)


def _walk(index: SSAValue, axis: int, size: IndexExpr, count: IndexExpr) -> Walk | None:
    """How `index` goes along a dimension of `size`; None if that is not known, no walk, or goes outside."""
    if isinstance(index.owner, IotaOp) and index.owner.axis == axis and size == count:
        return Walk(0, 1, size)
    places = _places(index, axis, count)
    if places is None or size.constant is None or not places.size:
        return None
    times = int(np.argmax(places != places[0])) or places.size
    taken = places[::times]
    step = int(taken[1] - taken[0]) if taken.size > 1 else 1
    walked = np.repeat(taken[0] + step * np.arange(taken.size), times)
    if not np.array_equal(places, walked) or places.min() < 0 or places.max() >= size.constant:
        return None
    return Walk(int(taken[0]), step, integer(taken.size), times)


def _places(index: SSAValue, axis: int, count: IndexExpr) -> npt.NDArray[np.int64] | None:
    """The numbers along dimension `axis`, if `index` depends on that alone, and is known."""
    filling, rank = splat(index), len(shape_of(index.type))
    if filling is not None:
        return None if count.constant is None else np.full(count.constant, filling.array.item())
    while isinstance(index.owner, BroadcastOp):
        index = index.owner.input
    if isinstance(index.owner, IotaOp) and len(shape_of(index.type)) == rank:
        return np.arange(count.constant) if index.owner.axis == axis and count.constant is not None else None
    value = _known(index, {})
    if value is None:
        return None
    numbers = value.array.reshape((1,) * (rank - value.array.ndim) + value.array.shape)
    line = numbers[tuple(slice(None) if d == axis else slice(1) for d in range(rank))]
    alone = line.size == count.constant and np.array_equal(numbers, np.broadcast_to(line, numbers.shape))
    return line.reshape(-1).astype(np.int64) if alone else None


_COUNTED = (ElementwiseOp, CastOp, ReshapeOp, BroadcastOp, PermuteOp, SliceOp, CatOp, ScanOp)


def _known(value: SSAValue, seen: dict[SSAValue, Value | None], most: int = MOST_PLACES) -> Value | None:
    """The elements of what a few steps make of counts and constants, each of `most` elements at the most."""
    op, size = value.owner, _bytes(value)
    if value in seen or size is None or size > 8 * most or len(seen) > MOST_STEPS:
        return seen.get(value)
    seen[value] = None
    if isinstance(op, IotaOp | ConstantOp):
        seen[value] = evaluate(op, (), {})
    elif isinstance(op, _COUNTED):
        operands: list[Value] = []
        for operand in op.operands:
            if (known := _known(operand, seen, most)) is None:
                return None
            operands.append(known)
        folded = None if _rounds_per_order(op, operands) else _folded(op, operands)
        seen[value] = None if folded is None else evaluate(folded, (), {})
    return seen[value]


def _walked(value: SSAValue, walks: Sequence[Walk]) -> Operation | SSAValue:
    """The elements of `value` that `walks` take, one for each dimension."""
    if not all(w.is_whole(size) for w, size in zip(walks, shape_of(value.type), strict=True)):
        value = SliceOp(value, [w.start for w in walks], [w.step for w in walks], [w.count for w in walks]).result
    if all(w.times == 1 for w in walks):
        return value
    apart = ReshapeOp(value, [size for w in walks for size in (w.count, integer(1))[: 1 + (w.times > 1)]])
    repeated = BroadcastOp(apart, [size for w in walks for size in (w.count, integer(w.times))[: 1 + (w.times > 1)]])
    return ReshapeOp(repeated, [w.count * w.times for w in walks])
