"""The reference interpreter on `mlc_loop`: what kernels compute, and what no program may do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import Func
from xdsl.dialects.math import Math

from lowering.interpreter.loops import run_op
from lowering.interpreter.run import run
from lowering.triton_to_source.expressions import BINARY, CALLS, DEVICE_FUNCTIONS
from mlc_dialects.common.philox import random_bits
from mlc_dialects.loop.dialect import KernelOp, MlcLoop, YieldOp
from mlc_dialects.semantics.scalar import SCALAR_RULES
from mlc_support.errors import MlcError
from mlc_support.parsing import parse_module
from mlc_support.verification import verify_module
from passes.loop.reduction.split_reduction import SplitReductionPass
from passes.loop.restructure.persistent_rows import PersistentRowsPass
from passes.loop.schedule.partition import PartitionRowsPass


def module_of(text: str) -> ModuleOp:
    """The module in `text`."""
    context = Context()
    for dialect in (Builtin, Func, Arith, Math, MlcLoop):
        context.load_dialect(dialect)
    module = parse_module(context, text)
    verify_module(module)
    return module


def kernel(body: str, out: str = "memref<4xf32>", x: str = "memref<4x6xf32>") -> ModuleOp:
    """A module with one kernel of %x and %out, launched once."""
    return module_of(
        f"mlc_loop.kernel @k(%x: {x}, %out: {out}) {{\n{body}\n}}\n"
        f"func.func @main(%x: {x}) -> {out} {{\n  %out = mlc_loop.alloc : {out}\n"
        f"  mlc_loop.launch @k(%x, %out) : {x}, {out}\n  func.return %out : {out}\n}}\n"
    )


X = np.arange(24, dtype=np.float32).reshape(4, 6) - 7


def result(module: ModuleOp, *inputs: Any) -> Any:
    (array,) = run(module, inputs or [X])
    return array


def test_reductions_run_over_rows() -> None:
    """Two kinds in one loop, and what is computed from both."""
    module = kernel("""
  mlc_loop.parallel %p = 0 to 4 {
    %s, %m = mlc_loop.reduce add, max %r = 0 to 6 -> f32, f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<4x6xf32>
      %w = arith.mulf %v, %v : f32
      mlc_loop.yield %v, %w : f32, f32
    }
    %t = arith.subf %s, %m : f32
    mlc_loop.store %t, %out[3 - %p] : memref<4xf32>
  }""")
    assert np.array_equal(result(module), (X.sum(1) - (X * X).max(1))[::-1])


def test_positions_count_from_the_loop() -> None:
    """argmax gives the first of equals, counted in all iterations, also where some give nothing."""
    module = kernel(
        """
  mlc_loop.parallel %p = 0 to 4 {
    %a = mlc_loop.reduce argmax %r = 0 to 8 -> i64 {
      %i = mlc_loop.index [%r] : i64
      %low = arith.constant 2 : i64
      %high = arith.constant 6 : i64
      %c = arith.cmpi sge, %i, %low : i64
      %d = arith.cmpi slt, %i, %high : i64
      %e = arith.andi %c, %d : i1
      %v = mlc_loop.load %x[%p, %r] if %e : memref<4x6xf32>
      mlc_loop.yield if %e %v : f32
    }
    mlc_loop.store %a, %out[%p] : memref<4xi64>
  }""",
        out="memref<4xi64>",
    )
    x = np.array([[9, 9, 1, 3, 3, 2], [0, 0, -5, -5, -6, -7], [0, 0, 1, 2, 3, np.nan], [1] * 6], np.float32)
    assert result(module, x).tolist() == [3, 2, 5, 2]


@pytest.mark.parametrize("kind", ["softmax", "welford"])
def test_pairs_are_the_two_reductions(kind: str) -> None:
    module = kernel(f"""
  mlc_loop.parallel %p = 0 to 4 {{
    %a, %b = mlc_loop.reduce {kind} %r = 0 to 6 -> f32, f32 {{
      %v = mlc_loop.load %x[%p, %r] : memref<4x6xf32>
      mlc_loop.yield %v : f32
    }}
    mlc_loop.store %b, %out[%p] : memref<4xf32>
  }}""")
    wide = X.astype(np.float64)
    expected = np.exp(wide - wide.max(1, keepdims=True)).sum(1) if kind == "softmax" else wide.var(1) * 6
    np.testing.assert_allclose(result(module), expected, rtol=1e-6)


def test_conditions_keep_points_from_memory() -> None:
    """Beyond the end nothing is read and nothing written; there the value counts as 0."""
    module = kernel(
        """
  mlc_loop.parallel %p = 0 to 3 {
    mlc_loop.parallel %r = 0 to 4 {
      %b = mlc_loop.index [%p * 4 + %r - 10] : i64
      %z = arith.constant 0 : i64
      %c = arith.cmpi slt, %b, %z : i64
      %v = mlc_loop.load %x[%p * 4 + %r] if %c : memref<10xbf16>
      mlc_loop.store %v, %out[9 - %p * 4 - %r] if %c : memref<10xbf16>
    }
  }""",
        "memref<10xbf16>",
        "memref<10xbf16>",
    )
    assert np.array_equal(result(module, np.arange(10)), np.arange(10, dtype=np.float32)[::-1])


@pytest.mark.parametrize(
    ("index", "fault"),
    [
        ("%x[%p, 6] : memref<4x6xf32>", "mlc_loop.load: index 6 leaves dimension 1, of size 6"),
        ("%x[%p - 1, 0] : memref<4x6xf32>", "mlc_loop.load: index -1 leaves dimension 0, of size 4"),
    ],
)
def test_addresses_outside_are_errors(index: str, fault: str) -> None:
    body = (
        f"mlc_loop.parallel %p = 0 to 4 {{ %v = mlc_loop.load {index} \n mlc_loop.store %v, %out[%p]: memref<4xf32> }}"
    )
    with pytest.raises(MlcError, match=fault):
        result(kernel(body))


def test_races_are_errors() -> None:
    """Equal values may meet in one element; others may not."""
    body = """
  mlc_loop.parallel %p = 0 to 4 {
    %v = mlc_loop.load %x[%p, 0] : memref<4x6xf32>
    mlc_loop.store %v, %out[%p floordiv 2] : memref<4xf32>
  }"""
    with pytest.raises(MlcError, match="iterations store different values to one element"):
        result(kernel(body))
    poisoned = result(kernel(body), np.ones((4, 6)))
    assert poisoned[:2].tolist() == [1, 1]
    assert np.isnan(poisoned[2:]).all()


LOOKS_UP = """
  mlc_loop.parallel %p = 0 to 4 {{
    %v = mlc_loop.load %x[%p] : memref<4xi64>
    %i = mlc_loop.index [%p] : i64
    %n = arith.constant 3 : i64
    %c = arith.cmpi slt, %i, %n : i64
    %j = mlc_loop.indirect_index %v below 4 {guard}: i64
    %f = mlc_loop.load %x[%j] {guard}: memref<4xi64>
    mlc_loop.{store} %i, %out[%j] {guard}: memref<4xi64>
  }}"""


def test_places_are_data() -> None:
    """Of several values that data send to one element the last is kept; atomics combine them."""
    size = "memref<4xi64>"
    last = result(kernel(LOOKS_UP.format(guard="", store="store"), size, size), np.array([2, 2, 0, 2]))
    assert last[0] == 2 and last[2] == 3
    initial = """
  mlc_loop.parallel %p = 0 to 4 {
    %t = arith.constant 10 : i64
    mlc_loop.store %t, %out[%p] : memref<4xi64>
  }"""
    summed = kernel(initial + LOOKS_UP.format(guard="", store="atomic add"), size, size)
    assert result(summed, np.array([2, 2, 0, 2])).tolist() == [12, 10, 14, 10]


def test_looked_up_indices_lie_inside() -> None:
    """Where a condition says that nothing is read, any number will do."""
    size, guarded = "memref<4xi64>", LOOKS_UP.format(guard="if %c ", store="store")
    assert result(kernel(guarded, size, size), np.array([3, 1, 2, 9]))[3] == 0
    with pytest.raises(MlcError, match="mlc_loop.indirect_index: index 9 is outside a dimension of size 4"):
        result(kernel(LOOKS_UP.format(guard="", store="store"), size, size), np.array([3, 1, 2, 9]))


def test_scans_run_along_their_loop() -> None:
    """Each row on its own, positions counted in iterations."""
    module = kernel(
        """
  mlc_loop.parallel %p = 0 to 4 {
    mlc_loop.parallel %r = 0 to 6 {
      %v = mlc_loop.load %x[%p, %r] : memref<4x6xf32>
      %m = mlc_loop.scan "argmax" %v : f32 -> i64
      mlc_loop.store %m, %out[%p, %r] : memref<4x6xi64>
    }
  }""",
        "memref<4x6xi64>",
    )
    x = np.random.default_rng(0).normal(size=(4, 6)).astype(np.float32)
    assert np.array_equal(result(module, x), [[np.argmax(row[: i + 1]) for i in range(6)] for row in x])


def test_random_bits_are_those_of_tensors() -> None:
    module = kernel(
        """
  mlc_loop.parallel %p = 0 to 4 {
    %s = mlc_loop.load %x[%p] : memref<4xi64>
    %i = mlc_loop.index [%p * 7] : i64
    %b = mlc_loop.random %s, %i word 3
    mlc_loop.store %b, %out[%p] : memref<4xi32>
  }""",
        "memref<4xi32>",
        "memref<4xi64>",
    )
    seeds = np.array([0, -1, 2**62 + 5, 7])
    wanted = [random_bits(int(s), np.array([7 * p]), 3)[0] for p, s in enumerate(seeds)]
    assert np.array_equal(result(module, seeds), wanted)


def test_each_iteration_has_its_own_scratch() -> None:
    """It begins as poison."""
    module = kernel("""
  mlc_loop.parallel %p = 0 to 4 {
    %e = mlc_loop.scratch : memref<6xf32>
    mlc_loop.parallel %r = 0 to 5 {
      %v = mlc_loop.load %x[%p, %r + 1] : memref<4x6xf32>
      mlc_loop.store %v, %e[%r + 1] : memref<6xf32>
    }
    %v = mlc_loop.load %e[%p] : memref<6xf32>
    mlc_loop.store %v, %out[%p] : memref<4xf32>
  }""")
    assert np.array_equal(result(module), [np.nan, X[1, 1], X[2, 2], X[3, 3]], equal_nan=True)


def test_every_op_of_kernels_has_a_meaning() -> None:
    """Those of the dialect, and the scalars that have a spelling in Triton."""
    structure = (KernelOp, YieldOp)
    known = {*run_op.registry, *SCALAR_RULES, *structure}
    assert {*MlcLoop.operations, *BINARY, *CALLS, *DEVICE_FUNCTIONS} <= known


def test_freed_buffers_are_not_read() -> None:
    module = module_of("""
func.func @main(%x: memref<4x6xf32>) -> memref<6x4xf32> {
  %a = mlc_loop.alloc : memref<24xf32>
  mlc_loop.free %a : memref<24xf32>
  %v = mlc_loop.view %a offset ["0"] : memref<24xf32> -> memref<6x4xf32>
  func.return %v : memref<6x4xf32>
}""")
    with pytest.raises(MlcError, match="mlc_loop.view: the buffer was freed before"):
        result(module)


def test_host_programs_view_and_multiply() -> None:
    """x @ x.T from column 1 on, with a dynamic number of rows."""
    module = module_of("""
func.func @main(%x: memref<?x6xf32, {sizes = ["N", "6"], strides = ["6", "1"]}>)
    -> memref<?x?xf32, {sizes = ["N", "N"], strides = ["N", "1"]}> {
  %a = mlc_loop.view %x offset ["1"] : memref<?x6xf32, {sizes = ["N", "6"], strides = ["6", "1"]}>
      -> memref<?x5xf32, strided<[6, 1]>, {sizes = ["N", "5"], strides = ["6", "1"]}>
  %b = mlc_loop.view %x offset ["1"] : memref<?x6xf32, {sizes = ["N", "6"], strides = ["6", "1"]}>
      -> memref<5x?xf32, strided<[1, 6]>, {sizes = ["5", "N"], strides = ["1", "6"]}>
  %c = mlc_loop.call "aten.mm.default"(%a, %b) :
      (memref<?x5xf32, strided<[6, 1]>, {sizes = ["N", "5"], strides = ["6", "1"]}>,
       memref<5x?xf32, strided<[1, 6]>, {sizes = ["5", "N"], strides = ["1", "6"]}>)
      -> memref<?x?xf32, {sizes = ["N", "N"], strides = ["N", "1"]}>
  func.return %c : memref<?x?xf32, {sizes = ["N", "N"], strides = ["N", "1"]}>
}""")
    assert np.array_equal(result(module), X[:, 1:] @ X[:, 1:].T)


def test_calls_that_only_pytorch_knows() -> None:
    module = module_of("""
func.func @main(%x: memref<4xf32>) -> memref<4xf32> {
  %y = mlc_loop.call "aten.sort.default"(%x) : (memref<4xf32>) -> memref<4xf32>
  func.return %y : memref<4xf32>
}""")
    with pytest.raises(MlcError, match="cannot run aten.sort.default: only PyTorch can"):
        result(module, np.ones(4))


def test_split_rows_add_up() -> None:
    """A sum in parts, the last one short, is the sum but for its order."""
    module = module_of("""
mlc_loop.kernel @total(%x: memref<5000xf32>, %out: memref<1xf32>) {
  mlc_loop.parallel %p = 0 to 1 {
    %s = mlc_loop.reduce add %r = 0 to 5000 -> f32 {
      %v = mlc_loop.load %x[%r] : memref<5000xf32>
      %e = math.exp %v : f32
      mlc_loop.yield %e : f32
    }
    mlc_loop.store %s, %out[0] : memref<1xf32>
  }
}
func.func @main(%x: memref<5000xf32>) -> memref<1xf32> {
  %out = mlc_loop.alloc : memref<1xf32>
  mlc_loop.launch @total(%x, %out) : memref<5000xf32>, memref<1xf32>
  func.return %out : memref<1xf32>
}""")
    x = np.random.default_rng(0).normal(size=5000).astype(np.float32)
    for step in (PartitionRowsPass(part=128), SplitReductionPass()):
        step.apply(Context(), module)
    assert "@total_parts" in str(module)
    np.testing.assert_allclose(result(module, x), [np.exp(x.astype(np.float64)).sum()], rtol=1e-6)


@pytest.mark.parametrize("block", [1, 8])
def test_rows_walked_in_turn_add_up(block: int) -> None:
    """Sums over the rows beside row results: as one parallel loop, and as programs that walk their share."""
    module = module_of("""
mlc_loop.kernel @rows(%x: memref<37x8xf32>, %y: memref<37x8xf32>, %t_out: memref<1x8xf32>) {
  mlc_loop.parallel %p = 0 to 37 {
    %m = mlc_loop.reduce max %r = 0 to 8 -> f32 {
      %v = mlc_loop.load %x[%p, %r] : memref<37x8xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.parallel %r = 0 to 8 {
      %v = mlc_loop.load %x[%p, %r] : memref<37x8xf32>
      %w = arith.mulf %v, %m : f32
      mlc_loop.store %w, %y[%p, %r] : memref<37x8xf32>
      mlc_loop.accumulate add %w, %t_out[0, %r] : memref<1x8xf32>
    }
  }
}
mlc_loop.kernel @finish(%t: memref<1x8xf32>, %e: memref<1x8xf32>) {
  mlc_loop.parallel %p = 0 to 8 {
    %v = mlc_loop.load %t[0, %p] : memref<1x8xf32>
    mlc_loop.store %v, %e[0, %p] : memref<1x8xf32>
  }
}
func.func @main(%x: memref<37x8xf32>) -> (memref<37x8xf32>, memref<1x8xf32>) {
  %t = mlc_loop.alloc : memref<1x8xf32>
  %y = mlc_loop.alloc : memref<37x8xf32>
  %e = mlc_loop.alloc : memref<1x8xf32>
  mlc_loop.launch @rows(%x, %y, %t) : memref<37x8xf32>, memref<37x8xf32>, memref<1x8xf32>
  mlc_loop.launch @finish(%t, %e) : memref<1x8xf32>, memref<1x8xf32>
  func.return %y, %e : memref<37x8xf32>, memref<1x8xf32>
}""")
    x = np.random.default_rng(0).normal(size=(37, 8)).astype(np.float32)
    wide = x.astype(np.float64) * x.max(1, keepdims=True)
    for _ in range(2):
        y, total = run(module, [x])
        np.testing.assert_allclose(y, wide, rtol=1e-6)
        np.testing.assert_allclose(total, wide.sum(0, keepdims=True), rtol=1e-5)
        PersistentRowsPass(programs=3, block=block).apply(Context(), module)
        verify_module(module)
    assert "mlc_loop.serial" in str(module)
