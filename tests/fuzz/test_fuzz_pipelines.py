"""Passes in any order on any program: a valid module that computes the same, or a refusal."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import note
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException

from lowering.interpreter.run import run_values
from lowering.triton_to_source.kernels import module_source
from mlc_dialects.common.types import element_type, is_float, is_half, shape_of
from mlc_dialects.semantics.numerics import Array, Value
from mlc_support.errors import MlcError
from mlc_support.index_expr import product
from mlc_support.parsing import parse_module
from mlc_support.verification import verify_module
from tests.fuzz.fuzzing import fuzz
from tests.fuzz.programs import programs
from tools.run_inputs import random_inputs
from tools.specs import parse_pipeline
from tools.universe import PASSES, STAGES, all_passes, context

NAMES = (*PASSES, *STAGES)
MOST_ELEMENTS = 1 << 12


def parsed(names: Sequence[str]) -> tuple[ModulePass, ...] | None:
    """The passes of a pipeline; None where it is none."""
    try:
        return parse_pipeline(all_passes(), ",".join(names))
    except MlcError:
        return None


def answer(module: ModuleOp) -> tuple[list[Array], list[Value]] | None:
    """Inputs of the only function of a module and what it computes; None where the oracle does not run it."""
    functions = [op for op in module.ops if isinstance(op, func.FuncOp)]
    sizes = [product(shape_of(v.type)).constant for op in module.walk() for v in op.results if _is_tensor(v.type)]
    if len(functions) != 1 or any(n is None or n > MOST_ELEMENTS for n in sizes):
        return None
    try:
        inputs = [_plain(x) for x in random_inputs(functions[0].function_type.inputs.data, 0)]
        return inputs, run_values(module, inputs)
    except (MlcError, IndexError):  # ops of PyTorch, places outside
        return None


def _is_tensor(type_: object) -> bool:
    return isinstance(type_, TensorType)


def _plain(array: Array) -> Array:
    """Numbers without surprises in the place of floats: passes may round."""
    numbers = np.random.default_rng(0).uniform(0.25, 2, array.shape)
    return numbers.astype(array.dtype) if array.dtype.kind == "f" else array


def rounding_of(module: ModuleOp) -> float:
    """How far results may be apart: floats of 16 bits round anywhere between the arguments and a result of 32."""
    types = (value.type for op in module.walk() for value in op.results if _is_tensor(value.type))
    return 5e-2 if any(is_half(element_type(type_)) for type_ in types) else 2e-3


def alike(found: Value, expected: Value, rounding: float) -> bool:
    """Equal but for rounding."""
    new, old = found.array, expected.array
    if new.shape != old.shape or not is_float(expected.element):
        return new.shape == old.shape and bool(np.array_equal(new, old))
    return bool(np.allclose(new.astype(np.float64), old.astype(np.float64), rounding, rounding, equal_nan=True))


def check(number: int, names: list[str]) -> None:
    """A program, and passes on it."""
    note(f"-p {','.join(names)}\n{programs()[number % len(programs())]}")
    check_pipeline(number, names)


def check_pipeline(number: int, names: list[str]) -> None:
    """A valid module that computes the same and can be printed, or a refusal."""
    start = programs()[number % len(programs())]
    steps = parsed(names)
    if steps is None:
        return
    module = start.clone()
    if not carried_out(module, steps):
        return
    known = answer(start)
    if known is not None and any(isinstance(op, func.FuncOp) for op in module.ops):
        compare(module, *known, rounding_of(start))
    printed(module)


def carried_out(module: ModuleOp, steps: Sequence[ModulePass]) -> bool:
    """Runs the passes, each of which leaves a valid module; False if one refuses."""
    for step in steps:
        try:
            step.apply(Context(), module)
        except (MlcError, DiagnosticException):
            return False
        verify_module(module)
    return True


def compare(module: ModuleOp, inputs: list[Array], expected: list[Value], rounding: float) -> None:
    """The module computes what is expected, if the oracle runs it."""
    try:
        found = run_values(module, inputs, None if single(module) else "main")
    except MlcError:  # of kernels of Triton, and of frozen parts
        return
    assert all(alike(x, y, rounding) for x, y in zip(found, expected, strict=True)), module


def single(module: ModuleOp) -> bool:
    """One function."""
    return sum(isinstance(op, func.FuncOp) for op in module.ops) == 1


def printed(module: ModuleOp) -> None:
    """Its source is Python, or is refused."""
    with suppress(MlcError):
        ast.parse(module_source(module))


FOUND = (
    ("large_beside_small", "reverse-order"),  # launches of kernels of another piece
    ("held", "cpu"),  # an index that something else than an access uses
    ("last", "loop"),  # an op of the last block, whose index became two
    ("cumsum", "share-rows"),  # programs that wait for each other, renumbered
    ("groups", "cpu,linearize-axes"),  # axes that are mapped
    ("decided", "cpu,last-block,partition-rows"),  # kernels of several parts have no rows
    ("call_safe_wide_result", "tensor-to-loop"),  # a composite has no loops
    ("keeps_foreign", "tensor-to-loop"),  # buffers of complex numbers
    ("fold_into_convolution_of_bfloat16", "simplified"),  # a result of 32 bits, computed in 16
    ("weighted", "triton"),  # a softmax of what is loaded, and sums with its weights
    ("overwritten", "triton"),  # what a kernel has stored is loaded by other lanes
    ("bits", "triton"),  # a bitcast, which had no form in Triton
    ("much", "cpu"),  # parts of rows, where a kernel already has the name that theirs gets
    ("accumulating", "schedule,triton"),  # rows that are mapped cannot be given to persistent programs
    ("scans", "canonicalize"),  # a kernel that stores nothing has no statements
)
"""What the fuzzer has found: a function or kernel of the FileCheck tests, and the passes."""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "pipeline"), FOUND)
def test_what_was_found_stays_mended(name: str, pipeline: str) -> None:
    """Of all the programs that have the name."""
    numbers = [
        k for k, m in enumerate(programs()) if any(op.properties["sym_name"] == StringAttr(name) for op in m.ops)
    ]
    assert numbers
    for number in numbers:
        check_pipeline(number, pipeline.split(","))


SUM = """
func.func @main(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %r = mlc_tensor.add %x, %x : tensor<8x16xf32>
  func.return %r : tensor<8x16xf32>
}
"""
SOFTMAX_BY_HAND = """
func.func @main(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %m = mlc_tensor.reduce max %x dims [1] : tensor<8x16xf32> -> tensor<8x1xf32>
  %mb = mlc_tensor.broadcast %m : tensor<8x1xf32> -> tensor<8x16xf32>
  %d = mlc_tensor.sub %x, %mb : tensor<8x16xf32>
  %e = mlc_tensor.exp %d : tensor<8x16xf32>
  %s = mlc_tensor.reduce add %e dims [1] : tensor<8x16xf32> -> tensor<8x1xf32>
  %sb = mlc_tensor.broadcast %s : tensor<8x1xf32> -> tensor<8x16xf32>
  %r = mlc_tensor.div %e, %sb : tensor<8x16xf32>
  func.return %r : tensor<8x16xf32>
}
"""


@pytest.mark.parametrize(
    ("text", "pipeline", "message"),
    [
        (SUM, "triton,in-place", None),
        (SUM, "triton,reverse-order", None),
        (SOFTMAX_BY_HAND, "recompose,fuse,tensor-to-loop", "mlc_tensor.softmax has no loops"),
    ],
)
def test_passes_of_another_level_are_refused_or_do_nothing(text: str, pipeline: str, message: str | None) -> None:
    module, before = parse_module(context(), text), ""
    for step in parsed(pipeline.split(",")) or ():
        before = str(module)
        if step.name in ("in-place", "reverse-order", "tensor-to-loop") and message:
            with pytest.raises(MlcError, match=message):
                step.apply(Context(), module)
            return
        step.apply(Context(), module)
        verify_module(module)
    assert message is None and str(module) == before  # the last one did nothing


@pytest.mark.slow
def test_passes_in_any_order_are_right_or_refuse() -> None:
    fuzz(check, st.integers(0, 1 << 20), st.lists(st.sampled_from(NAMES), min_size=1, max_size=6), examples=60)
