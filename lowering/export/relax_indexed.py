"""Relax of the ops whose indices are data, of scans, and of random bits."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue

from lowering.export.program import Program, element_of
from lowering.export.python_lines import Lines, tuple_text
from mlc_dialects.common.philox import KEY_STEPS, LOW, MULTIPLIERS, ROUNDS
from mlc_dialects.common.types import BY_TYPE
from mlc_dialects.tensor.gather_scatter import GatherOp, ScatterOp
from mlc_dialects.tensor.random import RandomOp
from mlc_dialects.tensor.scan import ScanOp

SCANS = {"add": "cumsum", "mul": "cumprod"}
SCATTERS = {"set": "update", "add": "add", "max": "max", "min": "min"}


def gather(program: Program, lines: Lines, op: GatherOp) -> str:
    """An element for each point."""
    name, points = program.names[op.input], program.sizes(op.result)
    if not op.indices:
        return f"R.broadcast_to({name}, R.shape({points}))"
    return f"R.gather_nd({name}, {_places(program, lines, op.indices, points)})"


def scatter(program: Program, lines: Lines, op: ScatterOp) -> str:
    """One update for each point."""
    into, updates, points = program.names[op.into], program.names[op.updates], program.sizes(op.updates)
    if not op.indices:
        program.refuse(op, "it scatters into a single number")
    places = _places(program, lines, op.indices, points)
    return f'R.scatter_nd({into}, {places}, {updates}, reduction="{SCATTERS[op.kind.data]}")'


def _places(program: Program, lines: Lines, indices: Sequence[SSAValue], points: Sequence[int]) -> str:
    """The indices of each point along a last dimension."""
    columns = [f"R.reshape({program.names[i]}, R.shape({[*points, 1]}))" for i in indices]
    parts = [lines.let(f'R.astype({lines.let(c)}, "int64")') for c in columns]
    return lines.let(f"R.concat({tuple_text(parts)}, axis={len(points)})")


def scan(program: Program, lines: Lines, op: ScanOp) -> str:
    """Each element with those before it: sums and products."""
    kind = op.kind.data
    if kind not in SCANS:
        program.refuse(op, f"Relax has no {kind} scan")
    dtype = BY_TYPE[element_of(op.result)].torch_name
    return f'R.{SCANS[kind]}({program.names[op.input]}, axis={op.axis}, dtype="{dtype}")'


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
