"""Loops over several axes: what the reference interpreter computes, and what the GPU passes make of them."""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType
from typing import Any

import numpy as np
import pytest
import torch
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from lowering.interpreter.run import run
from lowering.triton_to_source.kernels import module_source
from mlc_compiler.kernel_passes import to_triton
from mlc_compiler.kernels.cache import write_source
from mlc_compiler.kernels.kernel_files import load_module
from mlc_compiler.machine import Machine
from mlc_compiler.pipeline import loops_of_gpu
from mlc_compiler.triton_interpreter.launch import portable
from mlc_dialects.loop.dialect import KernelOp, LoopOp
from mlc_support.errors import MlcError
from mlc_support.verification import verify_module
from passes.loop.restructure.linearize_axes import LinearizeAxesPass
from passes.loop.restructure.memory_order import MemoryOrderPass
from tests.unit.test_end_to_end import DEVICES
from tests.unit.test_loop_oracle import module_of

X = np.random.default_rng(0).normal(size=(3, 4, 5)).astype(np.float32)


def result(module: ModuleOp, *inputs: Any) -> Any:
    (array,) = run(module, inputs)
    return array


def one_kernel(body: str, out: str, x: str = "memref<3x4x5xf32>") -> ModuleOp:
    """A module with one kernel of %x and %out, launched once."""
    return module_of(
        f"mlc_loop.kernel @k(%x: {x}, %out: {out}) {{\n{body}\n}}\n"
        f"func.func @main(%x: {x}) -> {out} {{\n  %out = mlc_loop.alloc : {out}\n"
        f"  mlc_loop.launch @k(%x, %out) : {x}, {out}\n  func.return %out : {out}\n}}\n"
    )


def after(module: ModuleOp, *passes: ModulePass) -> ModuleOp:
    """`module` after passes, each of which leaves what verifies."""
    for step in passes:
        step.apply(Context(), module)
        verify_module(module)
    return module


MATMUL = """
mlc_loop.kernel @matmul(%a: memref<BxMx7xf32>, %b: memref<Bx7x5xf32>, %c: memref<BxMx5xf32>) {
  mlc_loop.parallel (%i, %j, %k) = 0 to (B, M, 5) {
    %s = mlc_loop.reduce add %l = 0 to 7 -> f32 {
      %x = mlc_loop.load %a[%i, %j, %l] : memref<BxMx7xf32>
      %y = mlc_loop.load %b[%i, %l, %k] : memref<Bx7x5xf32>
      %z = arith.mulf %x, %y : f32
      mlc_loop.yield %z : f32
    }
    mlc_loop.store %s, %c[%i, %j, %k] : memref<BxMx5xf32>
  }
}
func.func @main(%a: memref<BxMx7xf32>, %b: memref<Bx7x5xf32>) -> memref<BxMx5xf32> {
  %c = mlc_loop.alloc : memref<BxMx5xf32>
  mlc_loop.launch @matmul(%a, %b, %c) : memref<BxMx7xf32>, memref<Bx7x5xf32>, memref<BxMx5xf32>
  func.return %c : memref<BxMx5xf32>
}"""


def matmul(batch: int, rows: int) -> ModuleOp:
    """batch x rows x 7 by batch x 7 x 5, as a kernel with parallel %i, %j, %k and reduced %l."""
    text = MATMUL.replace("(B, M, 5)", f"({batch}, {rows}, 5)")
    return module_of(text.replace("<Bx", f"<{batch}x").replace("xMx", f"x{rows}x"))


@pytest.mark.parametrize(("batch", "rows"), [(2, 6), (1, 6), (2, 1)])
def test_a_contraction(batch: int, rows: int) -> None:
    """Three parallel axes, of which one may have one place, and a reduced one."""
    a, b = (np.random.default_rng(1).normal(size=s).astype(np.float32) for s in ((batch, rows, 7), (batch, 7, 5)))
    np.testing.assert_allclose(result(matmul(batch, rows), a, b), a @ b, rtol=1e-5)


def test_reductions_over_several_axes() -> None:
    """Sums, and the row-major position of the first maximum."""
    body = """
  mlc_loop.parallel %i = 0 to 4 {
    %s, %m = mlc_loop.reduce add, argmax (%j, %k) = 0 to (3, 5) -> f32, i64 {
      %v = mlc_loop.load %x[%j, %i, %k] : memref<3x4x5xf32>
      mlc_loop.yield %v, %v : f32, f32
    }
    %f = arith.sitofp %m : i64 to f32
    %t = arith.addf %s, %f : f32
    mlc_loop.store %t, %out[%i] : memref<4xf32>
  }"""
    rows = X.transpose(1, 0, 2).reshape(4, 15)
    np.testing.assert_allclose(result(one_kernel(body, "memref<4xf32>"), X), rows.sum(1) + rows.argmax(1), rtol=1e-5)


def test_scans_over_several_axes() -> None:
    """In row-major order of the axes."""
    body = """
  mlc_loop.parallel %i = 0 to 4 {
    mlc_loop.parallel (%j, %k) = 0 to (3, 5) {
      %v = mlc_loop.load %x[%j, %i, %k] : memref<3x4x5xf32>
      %s = mlc_loop.scan "add" %v : f32 -> f32
      mlc_loop.store %s, %out[%j, %i, %k] : memref<3x4x5xf32>
    }
  }"""
    wanted = X.transpose(1, 0, 2).reshape(4, 15).cumsum(1).reshape(4, 3, 5).transpose(1, 0, 2)
    np.testing.assert_allclose(result(one_kernel(body, "memref<3x4x5xf32>"), X), wanted, atol=1e-5)


def test_an_axis_without_places() -> None:
    """The sum of nothing is 0."""
    body = """
  mlc_loop.parallel %i = 0 to 4 {
    %s = mlc_loop.reduce add (%j, %k) = 0 to (0, 5) -> f32 {
      %v = mlc_loop.load %x[%j, %i, %k] : memref<3x4x5xf32>
      mlc_loop.yield %v : f32
    }
    mlc_loop.store %s, %out[%i] : memref<4xf32>
  }"""
    assert result(one_kernel(body, "memref<4xf32>"), X).tolist() == [0, 0, 0, 0]


def test_indices_that_leave_a_dimension_are_found_along_every_axis() -> None:
    body = """
  mlc_loop.parallel (%i, %j) = 0 to (4, 6) {
    %v = mlc_loop.load %x[0, %i, %j] : memref<3x4x5xf32>
    mlc_loop.store %v, %out[%i, %j] : memref<4x6xf32>
  }"""
    with pytest.raises(MlcError, match="index 5 leaves dimension 2, of size 5"):
        result(one_kernel(body, "memref<4x6xf32>"), X)


def test_what_a_loop_says_of_its_axes() -> None:
    """Sizes and their product; there is no single index, and the error says what makes one."""
    (kernel,) = (op for op in matmul(2, 6).ops if isinstance(op, KernelOp))
    assert [size.constant for size in kernel.rows.sizes] == [2, 6, 5] and kernel.rows.size.constant == 60
    assert len(kernel.rows.indices) == 3
    with pytest.raises(MlcError, match=r"mlc_loop.parallel: needs a loop over one axis, not over 3"):
        _ = kernel.rows.index
    (inner,) = (op for op in kernel.rows.body.block.ops if isinstance(op, LoopOp))
    assert inner.index is inner.indices[0]


def on_triton(module: ModuleOp, *inputs: torch.Tensor) -> torch.Tensor:
    """What the kernels of a module of loops give as Triton source, on a GPU or on Triton's interpreter."""
    lowered = after(module, MemoryOrderPass(), *loops_of_gpu(Machine("h200")), *to_triton("h200"))
    program, kernels = load_module(write_source(module_source(lowered)))
    scope = vars(program) | {name: portable(kernel) for name, kernel in kernels.items()}
    (found,) = FunctionType(program.main.__code__, scope, "main")([*inputs])
    return found


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("batch", "rows"), [(2, 6), (1, 6), (3, 33)])
def test_a_contraction_becomes_triton(batch: int, rows: int, device: str) -> None:
    """Naively: a program takes elements of the result, and its lanes the axis that is summed."""
    a, b = (torch.randn(s, generator=torch.Generator().manual_seed(0)) for s in ((batch, rows, 7), (batch, 7, 5)))
    torch.testing.assert_close(on_triton(matmul(batch, rows), a.to(device), b.to(device)).cpu(), a @ b)


@pytest.mark.parametrize("passes", [(), (MemoryOrderPass(),)], ids=["as lowered", "in memory order"])
def test_flat_axes_compute_the_same(passes: Sequence[ModulePass]) -> None:
    a, b = (np.random.default_rng(2).normal(size=s).astype(np.float32) for s in ((2, 6, 7), (2, 7, 5)))
    flat = after(matmul(2, 6), *passes, LinearizeAxesPass())
    assert [len(op.indices) for op in flat.walk() if isinstance(op, LoopOp)] == [1, 1]
    np.testing.assert_array_equal(result(flat, a, b), result(matmul(2, 6), a, b))
