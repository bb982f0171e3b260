"""Integers in 32 bits are those in 64: random expressions of positions against eager, and bounds of their values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i64

from lowering.fx_to_tensor import import_callable
from lowering.interpreter.run import run
from mlc_compiler.execution.executable import compile_imported
from mlc_compiler.options import CompilerOptions
from mlc_dialects.loop.dialect import KernelOp, StoreOp
from passes.loop.analysis.value_ranges import signed, value_ranges
from passes.loop.narrow_integers import NarrowIntegersPass
from tests.unit.test_loop_oracle import kernel

ROWS, COLUMNS = 9, 16
NUMBERS = (0, 1, 2, 3, 7, 46340, 46341, 2**31 - 16, 2**31 - 1, 2**31, 2**32, 2**40, -1, -5, -(2**31), -(2**31) - 1)
DIVISORS = (1, 2, 3, 8, 46341, 2**31 - 1, 2**31, -1, -3)
Integers = Any
"""A tensor of int64."""
UNARY: Sequence[Callable[[Integers, Random], Integers]] = (
    lambda x, r: x + r.choice(NUMBERS),
    lambda x, r: r.choice(NUMBERS) - x,
    lambda x, r: x * r.choice(NUMBERS),
    lambda x, r: x // r.choice(DIVISORS),
    lambda x, r: x % r.choice(DIVISORS),
    lambda x, r: torch.fmod(x, r.choice(DIVISORS)),
    lambda x, r: torch.div(x, r.choice(DIVISORS), rounding_mode="trunc"),
    lambda x, r: x.clamp(*sorted(r.sample(NUMBERS, 2))),
    lambda x, r: x & r.choice(NUMBERS),
    lambda x, r: x << r.choice((0, 1, 4, 31, 33)),
    lambda x, r: x >> r.choice((0, 1, 4, 31, 33)),
    lambda x, r: x.abs(),
    lambda x, r: -x,
    lambda x, r: (x > r.choice(NUMBERS)).long(),
    lambda x, r: x.to(torch.int32).long(),
)
BINARY: Sequence[Callable[[Integers, Integers], Integers]] = (
    torch.add, torch.sub, torch.mul, torch.minimum, torch.maximum, torch.bitwise_or, torch.bitwise_xor,
    lambda x, y: torch.where(x < y, x, y + 1),
)  # fmt: skip


def expression(random: Random, depth: int) -> Integers:
    """Of the positions of rows and columns."""
    if depth == 0:
        rows = torch.arange(ROWS)[:, None].expand(ROWS, COLUMNS)
        return rows if random.random() < 0.5 else torch.arange(COLUMNS).expand(ROWS, COLUMNS)
    x = expression(random, depth - 1)
    if random.random() < 0.6:
        return random.choice(UNARY)(x, random)
    return random.choice(BINARY)(x, expression(random, random.randrange(depth)))


def readers(seed: int) -> Callable[..., Any]:
    """A function that reads expressions in every way."""

    def function(table: torch.Tensor, loaded: torch.Tensor) -> tuple[torch.Tensor, ...]:
        random = Random(seed)
        a, b, c, d, e = (expression(random, 1 + k % 4) for k in range(5))
        compared = [a < b, c == d, e >= loaded]
        looked_up = table[(a + b).clamp(0, 7)] + table[d % 8]
        return a.float() + looked_up, b.double(), c.to(torch.int32), d.to(torch.int8), *compared, e, e.float()

    return function


@pytest.mark.sampled(3)
@pytest.mark.parametrize("cpu", ["interpret", "native"])
@pytest.mark.parametrize("seed", range(12))
def test_is_what_eager_computes(seed: int, cpu: str) -> None:
    pytest.importorskip("llvmlite")
    inputs = (torch.arange(8.0) ** 2, torch.tensor(NUMBERS))
    function = readers(seed)
    imported = import_callable(function, inputs)
    found = imported.rebuild(list(compile_imported(imported, CompilerOptions(verify=True, cpu=cpu))(*inputs)))
    for ours, theirs in zip(found, function(*inputs), strict=True):
        assert ours.dtype == theirs.dtype and torch.equal(ours, theirs)


OPERATIONS = {
    "arith.addi", "arith.subi", "arith.muli", "arith.maxsi", "arith.minsi", "arith.divsi", "arith.remsi", "arith.andi",
    "arith.ori", "arith.xori", "arith.shli", "arith.shrsi", "math.absi",
}  # fmt: skip
STARTS = (0, 1, 3, -2, -9, 31, -(2**31) - 4, -(2**31), 2**31 - 8, 2**31 - 4, 2**62, -(2**63), 2**63 - 8)
"""Where ranges of 8 numbers begin: about 0, and at the limits of both types."""


def computed(name: str, starts: tuple[int, int]) -> ModuleOp:
    """A kernel that computes an operation on all pairs of two ranges, and reads it narrow."""
    operands = "%a" if name == "math.absi" else "%a, %b"
    return kernel(
        f"""
  mlc_loop.parallel (%p, %r) = 0 to (8, 8) {{
    %i = mlc_loop.index [%p] : i64
    %j = mlc_loop.index [%r] : i64
    %k = arith.constant {starts[0]} : i64
    %l = arith.constant {starts[1]} : i64
    %a = arith.addi %i, %k : i64
    %b = arith.addi %j, %l : i64
    %c = {name} {operands} : i64
    %d = arith.trunci %c : i64 to i32
    %f = arith.extsi %d : i32 to i64
    mlc_loop.store %f, %out[%p, %r] : memref<8x8xi64>
  }}""",
        "memref<8x8xi64>",
        "memref<8xf32>",
    )


def has_result(name: str, starts: tuple[int, int]) -> bool:
    """False where a divisor may be 0, or a shift by more bits than there are."""
    second = range(starts[1], starts[1] + 8)
    if name in ("arith.divsi", "arith.remsi"):
        return 0 not in second
    return not name.startswith("arith.sh") or (second[0] >= 0 and second[-1] < 64)


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_values_are_in_their_range(name: str) -> None:
    """Also where results wrap; and the low half is the same once the operation is narrow."""
    for starts in product(STARTS, STARTS):
        if not has_result(name, starts):
            continue
        module = computed(name, starts)
        (found,) = [op for op in module.ops if isinstance(op, KernelOp)]
        ranges = value_ranges(found)
        (operation,) = [op for op in found.walk() if op.name == name and op.results[0].name_hint == "c"]
        told, (before,) = ranges[operation.results[0]], run(module, [np.zeros(8, np.float32)])
        if told.is_within(signed(32)):
            assert told.low <= before.min() and before.max() <= told.high, starts
        NarrowIntegersPass().apply(Context(), module)
        (after,) = run(module, [np.zeros(8, np.float32)])
        assert np.array_equal(before, after), starts


def test_what_fits_is_narrow() -> None:
    module = computed("arith.muli", (-4, 2**28))
    NarrowIntegersPass().apply(Context(), module)
    (store,) = [op for op in module.walk() if isinstance(op, StoreOp)]
    wide = [op.name for op in module.walk() if any(result.type == i64 for result in op.results)]
    assert wide == ["arith.extsi"] and store.value.type == i64
