"""Reductions of StableHLO: over dimensions, over windows, and of pairs of an element and its position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from lowering.stablehlo_to_tensor.emitter import (
    Emitter,
    Outside,
    element,
    known,
    known_scalar,
    named,
    result_shape,
    rule,
    shape,
)
from lowering.stablehlo_to_tensor.rules.views import padded, reversed_along
from lowering.stablehlo_to_tensor.syntax import HloOp
from mlc_dialects.common.reduction_kinds import identity
from mlc_dialects.common.types import is_bool, is_float, shape_of, storage
from mlc_dialects.semantics.numerics import scalar_value
from mlc_dialects.tensor.elementwise import AddOp, MulOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, ReduceOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import PadOp, ViewOp
from mlc_support.index_expr import IndexExpr, integer, variable
from mlc_support.index_maps import linearize

KINDS = {"add": "add", "multiply": "mul", "maximum": "max", "minimum": "min", "and": "and", "or": "or"}
"""The op that combines two elements to the kind of reduction."""
COMBINES = {"add": "add", "mul": "mul", "max": "maximum", "min": "minimum", "and": "and", "or": "or"}
"""The kind of reduction to the elementwise function that combines two elements."""
OF_TRUTHS = {"add": "or", "max": "or", "mul": "and", "min": "and"}
MOST_TAPS = 512
"""Elements of a window along one dimension that are combined one by one."""


def combined_kind(op: HloOp, type_: object) -> str:
    """The kind of reduction whose elements the region combines. Outside if it is more than one op."""
    name = str(op.stated.get("applies", ""))
    if not name:
        block = op.regions[0].block
        first, *others = block.ops
        plain = {*first.operands} == {*block.args} and [[*o.operands] for o in others] == [[*first.results]]
        name = first.name if plain else ""
    kind = KINDS.get(name.partition(".")[2])
    if kind is None:
        raise Outside(f"a region that is not one of {', '.join(KINDS)}" + (f", but {name}" if name else ""))
    return OF_TRUTHS.get(kind, kind) if is_bool(type_) else kind  # pyright: ignore[reportArgumentType]


@rule("reduce")
def reduce(e: Emitter, op: HloOp, *operands: SSAValue) -> SSAValue | Sequence[SSAValue]:
    dims = sorted(op.stated["dimensions"])
    if len(operands) == 4:
        return _arg_reduce(e, op, operands, dims)
    if len(operands) != 2:
        raise Outside(f"a reduction of {len(operands) // 2} operands at once")
    x, start = operands
    kind = combined_kind(op, element(x))
    result = e.reshape(_reduced(e, kind, x, dims) if dims else x, result_shape(op))
    return from_start(e, kind, result, start)


def _reduced(e: Emitter, kind: str, x: SSAValue, dims: Sequence[int]) -> SSAValue:
    result = e.op(ReduceOp(kind, x, dims))
    result.name_hint = named({"add": "sum", "mul": "prod"}.get(kind, kind))
    return result


def from_start(e: Emitter, kind: str, result: SSAValue, start: SSAValue) -> SSAValue:
    """A reduction that begins with `start`, which is most often the identity of its kind."""
    if begins_plainly(kind, start):
        return result
    return e.apply(COMBINES[kind], e.broadcast(start, shape(result)), result)


def begins_plainly(kind: str, start: SSAValue) -> bool:
    """True if `start` changes nothing when it is combined."""
    found = known_scalar(start)
    wanted = scalar_value(identity(kind, storage(element(start))), element(start))
    return found is not None and bool(scalar_value(found, element(start)).array == wanted.array)


# Positions of extremes


def _arg_reduce(e: Emitter, op: HloOp, operands: Sequence[SSAValue], dims: Sequence[int]) -> Sequence[SSAValue]:
    """The greatest or least elements and the first position of each, as `argmax` and `argmin` of jax reduce pairs."""
    x, places, start, first = operands
    kind = _arg_kind(op)
    if kind is None or not dims:
        raise Outside("a reduction of two operands that is neither argmax nor argmin")
    if not _are_positions(places, dims):
        raise Outside("a reduction of two operands whose second does not count the first's elements")
    if not begins_plainly(kind, start) or known(first) is None:
        raise Outside(f"an {kind} that begins with an element")
    values = _reduced(e, kind.removeprefix("arg"), x, dims)
    found = e.cast(_reduced(e, kind, x, dims), element(places))
    return e.reshape(values, result_shape(op)), e.reshape(found, result_shape(op, 1))


def _are_positions(value: SSAValue, dims: Sequence[int]) -> bool:
    """True if each element of `value` is its row-major position along `dims`."""
    sizes = shape_of(value.type)
    index = tuple(variable(f"i{d}", size) for d, size in enumerate(sizes))
    wanted = linearize(tuple(index[d] for d in dims), tuple(sizes[d] for d in dims))
    return _element(value, index) == wanted


def _element(value: SSAValue, index: Sequence[IndexExpr]) -> IndexExpr | None:
    """The element of an integer tensor at `index`, as an expression over it; None where data tells."""
    op = value.owner
    if isinstance(op, IotaOp):
        return index[op.axis]
    if isinstance(op, ViewOp) and not isinstance(op, PadOp):
        return _element(op.input, op.source_index(index))
    if isinstance(op, CastOp) and isinstance(element(op.input), IntegerType):
        return _element(op.input, index)
    if isinstance(op, ConstantOp):
        number = known_scalar(value)
        return integer(int(number.value.data)) if number is not None else None
    if not isinstance(op, AddOp | MulOp):
        return None
    left, right = (_element(v, index) for v in op.operands)
    if left is None or right is None:
        return None
    return left + right if isinstance(op, AddOp) else left * right


_LOGIC = ("compare", "select", "and", "or", "not", "xor", "return")


def _arg_kind(op: HloOp) -> str | None:
    """The kind of a region of two (element, position) pairs, found by trying it.

    A region of comparisons and choices alone can tell its operands apart by their order only, so that one
    try for each order that two pairs can have shows what it does.
    """
    block = op.regions[0].block if op.regions else None
    if block is None or any(o.name.partition(".")[2] not in _LOGIC for o in block.ops):
        return None
    floats = is_float(element(block.args[0]))
    numbers = [1.0, 2.0, float("nan")] if floats else [1, 2]
    tries = [*product(numbers, (3, 4), numbers, (3, 4))]
    for kind in ("argmax", "argmin"):
        if all(_picks(kind, pairs, _outcome(block.ops, dict(zip(block.args, pairs, strict=True)))) for pairs in tries):
            return kind
    return None


def _picks(kind: str, pairs: Sequence[float], outcome: Sequence[float]) -> bool:
    """True if `outcome` is the pair that an argmax or argmin keeps: NaN before all, of equals the earlier."""
    x, i, y, j = pairs
    if x != x and y != y:
        return outcome[0] != outcome[0]  # which of two NaNs is nobody's promise
    if x == y:
        return [*outcome] == [x, min(i, j)]
    first = x != x or (y == y and (x > y if kind == "argmax" else x < y))
    wanted = (x, i) if first else (y, j)
    return outcome[1] == wanted[1] and (outcome[0] == wanted[0] or wanted[0] != wanted[0] != outcome[0])


def _outcome(ops: Iterable[Operation], values: dict[SSAValue, float]) -> list[float]:
    """What a region of comparisons and choices returns for these arguments."""
    for op in ops:
        assert isinstance(op, HloOp)
        given = [values[v] for v in op.operands]
        match op.name.partition(".")[2]:
            case "return":
                return given
            case "compare":
                x, y = given
                how = op.stated["comparison_direction"]
                result = {"EQ": x == y, "NE": x != y, "LT": x < y, "LE": x <= y, "GT": x > y, "GE": x >= y}[how]
            case "select":
                result = given[1] if given[0] else given[2]
            case "and":
                result = bool(given[0]) and bool(given[1])
            case "or":
                result = bool(given[0]) or bool(given[1])
            case "not":
                result = not given[0]
            case _:
                result = given[0] != given[1]
        values[op.results[0]] = result
    return []


# Windows


@rule("reduce_window")
def reduce_window(e: Emitter, op: HloOp, *operands: SSAValue) -> SSAValue:
    """A window that reaches back to the first element is a scan; others are combined dimension by dimension."""
    if len(operands) != 2:
        raise Outside(f"a reduction of {len(operands) // 2} operands at once")
    (x, start), stated, rank = operands, op.stated, len(shape(operands[0]))
    kind = combined_kind(op, element(x))
    window: Sequence[int] = stated["window_dimensions"]
    strides, spaced, apart = (
        stated.get(name) or [1] * rank for name in ("window_strides", "window_dilations", "base_dilations")
    )
    edges = edge_padding(stated.get("padding"), rank)
    plain = all(n == 1 for n in (*strides, *spaced, *apart))
    if plain and (found := _scanned(e, kind, x, window, edges)) is not None:
        return from_start(e, kind, found, start)
    filler = identity(kind, storage(element(x)))
    low, high = zip(*edges, strict=True) if edges else ((), ())
    x = padded(e, x, filler, low, high, [n - 1 for n in apart])
    for dim in range(rank):
        x = _windowed(e, kind, x, dim, (window[dim], strides[dim], spaced[dim]))
    return from_start(e, kind, x, start)


def edge_padding(stated: object, rank: int) -> list[tuple[int, int]]:
    """The elements before and after each dimension: a list of pairs, or a dense constant of them."""
    if stated is None:
        return [(0, 0)] * rank
    if isinstance(stated, list):
        return [(low, high) for low, high in stated]
    numbers = [int(n) for n in stated.get_values()]  # pyright: ignore[reportAttributeAccessIssue]
    numbers *= 2 * rank // len(numbers) if numbers else 1  # a splat holds one
    return [(numbers[2 * d], numbers[2 * d + 1]) for d in range(rank)]


def _scanned(
    e: Emitter, kind: str, x: SSAValue, window: Sequence[int], edges: Sequence[tuple[int, int]]
) -> SSAValue | None:
    """The scan that windows over one whole dimension are, from its front or from its end."""
    dims = [d for d, n in enumerate(window) if n != 1]
    if len(dims) != 1 or kind in ("and", "or") or any(edges[d] != (0, 0) for d in range(len(window)) if d not in dims):
        return None
    (dim,) = dims
    size = shape(x)[dim]
    if window[dim] != size or edges[dim] not in ((size - 1, 0), (0, size - 1)):
        return None
    back = edges[dim] == (0, size - 1)
    x = reversed_along(e, x, [dim]) if back else x
    result = e.op(ScanOp(kind, x, dim))
    return reversed_along(e, result, [dim]) if back else result


def _windowed(e: Emitter, kind: str, x: SSAValue, dim: int, window: tuple[int, int, int]) -> SSAValue:
    """Windows along one dimension: shifted slices, combined; a window over all of it is a reduction."""
    taps, stride, spaced = window
    sizes = shape(x)
    if taps == sizes[dim] > 1 and spaced == 1:
        return _reduced(e, kind, x, [dim])
    if taps > MOST_TAPS:
        raise Outside(f"a window of {taps} elements along a dimension: {MOST_TAPS} at most")
    count = (sizes[dim] - (taps - 1) * spaced - 1) // stride + 1
    kept, steps = [*sizes], [1] * len(sizes)
    kept[dim], steps[dim] = max(count, 0), stride
    result: SSAValue | None = None
    for tap in range(taps):
        starts = [0] * len(sizes)
        starts[dim] = tap * spaced if count > 0 else 0
        part = e.slice(x, starts, kept, steps)
        result = part if result is None else e.apply(COMBINES[kind], result, part)
    assert result is not None, "a window has an element"
    return result
