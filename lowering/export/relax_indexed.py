"""Relax of the ops whose indices are data, of scans, and of random bits."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue

from lowering.export.program import Program, element_of
from lowering.export.python_lines import Lines, tuple_text
from mlc_dialects.common.philox import KEY_STEPS, LOW, MULTIPLIERS, ROUNDS
from mlc_dialects.common.types import BY_TYPE, is_float
from mlc_dialects.tensor.gather_scatter import GatherOp, ScatterOp
from mlc_dialects.tensor.random import RandomOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import BroadcastOp
from mlc_dialects.tensor.windows import Windows, windows

SCANS = {"add": "cumsum", "mul": "cumprod"}
SCATTERS = {"set": "update", "add": "add", "max": "max", "min": "min"}


def gather(program: Program, lines: Lines, op: GatherOp) -> str:
    """A window for each point, of the dimensions that indices leave as they are."""
    name, sizes, found = program.names[op.input], program.sizes(op.result), windows(op)
    order = [*found.points, *found.of.values()]
    points = [sizes[d] for d in found.points]
    if not found.indexed:
        apart = [size if d in found.of.values() else 1 for d, size in enumerate(sizes)]
        shaped = lines.let(f"R.reshape({name}, R.shape({apart}))")
        return f"R.broadcast_to({shaped}, R.shape({sizes}))"
    indices = [_of_points(program, lines, op.indices[k], found, points) for k in found.indexed]
    if len(indices) == 1:
        axis = found.indexed[0]
        before = [d for k, d in found.of.items() if k < axis]
        order = [*before, *found.points, *(d for k, d in found.of.items() if k > axis)]
        taken = f"R.take({name}, {indices[0]}, axis={axis})"
    else:
        turned = [*found.indexed, *found.of]
        name = _permuted(lines, name, turned)
        taken = f"R.gather_nd({name}, {_columns(lines, indices, points)})"
    back = [order.index(d) for d in range(len(order))]
    return taken if back == sorted(back) else f"R.permute_dims({lines.let(taken)}, axes={back})"


def read_by_gather(op: GatherOp) -> set[SSAValue]:
    """The indices that a gather has no need of, or broadcasts itself: windows, and what is the same along them."""
    found = windows(op)
    return {v for k, v in enumerate(op.indices) if k in found.of or isinstance(v.owner, BroadcastOp)}


def _of_points(program: Program, lines: Lines, index: SSAValue, found: Windows, points: Sequence[int]) -> str:
    """An index, which is the same all along the windows, once for each point."""
    source = index.owner.input if isinstance(index.owner, BroadcastOp) else index
    rank = len(found.points) + len(found.of)
    sizes = [1] * (rank - len(program.sizes(source))) + program.sizes(source)
    name = lines.let(f'R.astype({program.names[source]}, "int64")')
    along = [d - rank + len(program.sizes(source)) for d in found.of.values() if sizes[d] > 1]
    if along:
        ends = f"begin={[0] * len(along)}, end={[1] * len(along)}"
        name = lines.let(f"R.strided_slice({name}, axes={along}, {ends})")
    left = [sizes[d] for d in found.points]
    name = lines.let(f"R.reshape({name}, R.shape({left}))")
    return name if left == list(points) else lines.let(f"R.broadcast_to({name}, R.shape({list(points)}))")


def _permuted(lines: Lines, name: str, order: list[int]) -> str:
    return name if order == sorted(order) else lines.let(f"R.permute_dims({name}, axes={order})")


def scatter(program: Program, lines: Lines, op: ScatterOp) -> str:
    """One update for each point; a single number is a vector of one."""
    into, updates, points = program.names[op.into], program.names[op.updates], program.sizes(op.updates)
    reduction = f'reduction="{SCATTERS[op.kind.data]}"'
    if not op.indices:
        one = lines.let(f"R.reshape({into}, R.shape([1]))")
        place = lines.let(f'R.zeros(R.shape({[*points, 1]}), dtype="int64")')
        return f"R.reshape({lines.let(f'R.scatter_nd({one}, {place}, {updates}, {reduction})')}, R.shape([]))"
    names = [lines.let(f'R.astype({program.names[i]}, "int64")') for i in op.indices]
    places = _columns(lines, names, points)
    return f"R.scatter_nd({into}, {places}, {updates}, {reduction})"


def _columns(lines: Lines, indices: Sequence[str], points: Sequence[int]) -> str:
    """The indices of each point along a last dimension."""
    parts = [lines.let(f"R.reshape({i}, R.shape({[*points, 1]}))") for i in indices]
    return lines.let(f"R.concat({tuple_text(parts)}, axis={len(points)})")


def scan(program: Program, lines: Lines, op: ScanOp) -> str:
    """Each element with those before it: sums and products, and others step by step."""
    kind, name, sizes = op.kind.data, program.names[op.input], program.sizes(op.input)
    if kind in SCANS:
        return f'R.{SCANS[kind]}({name}, axis={op.axis}, dtype="{BY_TYPE[element_of(op.result)].torch_name}")'
    if not kind.startswith("arg"):
        return _doubled(lines, [name], op, sizes)[0]
    column = [size if d == op.axis else 1 for d, size in enumerate(sizes)]
    along = lines.let(f'R.arange(0, {sizes[op.axis]}, 1, dtype="int64")')
    shaped = lines.let(f"R.reshape({along}, R.shape({column}))")
    places = lines.let(f"R.broadcast_to({shaped}, R.shape({sizes}))")
    return _doubled(lines, [name, places], op, sizes)[1]


def _doubled(lines: Lines, values: list[str], op: ScanOp, sizes: Sequence[int]) -> list[str]:
    """Each element combined with that before it, then with that two before, then four: Relax has no such scan."""
    step = 1
    while step < sizes[op.axis]:
        bounds = (0, step), (0, sizes[op.axis] - step), (step, sizes[op.axis])
        first, earlier, later = ([_part(lines, v, op.axis, *ends) for v in values] for ends in bounds)
        combined = _combined(lines, op, earlier, later)
        pairs = zip(first, combined, strict=True)
        values = [lines.let(f"R.concat(({a}, {b}), axis={op.axis})") for a, b in pairs]
        step *= 2
    return values


def _part(lines: Lines, name: str, axis: int, begin: int, end: int) -> str:
    return lines.let(f"R.strided_slice({name}, axes=[{axis}], begin=[{begin}], end=[{end}])")


def _combined(lines: Lines, op: ScanOp, earlier: list[str], later: list[str]) -> list[str]:
    """The greater or lesser of two, the last of equals and NaN before all; or the logarithm of the sum of powers."""
    let, a, b = lines.let, earlier[0], later[0]
    element = element_of(op.input)
    compared = "less_equal" if op.kind.data in ("min", "argmin") else "greater_equal"
    picked = let(f"R.{compared}({b}, {a})")
    if is_float(element):
        picked = let(f"R.logical_or({picked}, {let(f'R.isnan({b})')})")
    chosen = [let(f"R.where({picked}, {y}, {x})") for x, y in zip(earlier, later, strict=True)]
    if op.kind.data != "logaddexp":
        return chosen
    zero, one = (f'R.const({n}, "{BY_TYPE[element].torch_name}")' for n in (0.0, 1.0))
    apart = let(f"R.abs({let(f'R.subtract({a}, {b})')})")
    apart = let(f"R.where({let(f'R.equal({a}, {b})')}, {zero}, {apart})")  # infinite ones, too
    power = let(f"R.exp({let(f'R.negative({apart})')})")
    more = let(f"R.log({let(f'R.add({power}, {one})')})")
    return [let(f"R.add({chosen[0]}, {more})")]


def random(program: Program, lines: Lines, op: RandomOp) -> str:
    """The rounds of Philox 4x32-10 over each element's row-major position, in words of 64 bits."""
    let, sizes, index = lines.let, program.sizes(op.result), op.index.value.data

    def low(x: str) -> str:
        return let(f'R.bitwise_and({x}, R.const({LOW}, "int64"))')

    def high(x: str) -> str:
        return low(let(f'R.right_shift({x}, R.const(32, "int64"))'))

    flat = let(f'R.arange(0, {prod(sizes)}, 1, dtype="int64")')
    place = let(f"R.reshape({flat}, R.shape({sizes}))")
    key = let(f"R.strided_slice({program.names[op.seeds]}, axes=[0], begin=[{index}], end=[{index + 1}])")
    key = let(f"R.reshape({key}, R.shape([]))")
    zero = let(f"R.zeros_like({place})")
    words, keys = [low(place), high(place), zero, zero], [low(key), high(key)]
    for _ in range(ROUNDS):
        first, second = (
            let(f'R.multiply({words[k]}, R.const({m}, "int64"))') for m, k in zip(MULTIPLIERS, (0, 2), strict=True)
        )
        mixed = [let(f"R.bitwise_xor({a}, {b})") for a, b in ((high(second), words[1]), (high(first), words[3]))]
        mixed = [let(f"R.bitwise_xor({m}, {k})") for m, k in zip(mixed, keys, strict=True)]
        words = [mixed[0], low(second), mixed[1], low(first)]
        steps = zip(keys, KEY_STEPS, strict=True)
        keys = [low(let(f'R.add({k}, R.const({step}, "int64"))')) for k, step in steps]
    return f'R.astype({words[op.word.value.data]}, "int32")'
