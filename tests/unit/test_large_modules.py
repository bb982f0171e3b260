"""The modules that `benchmarks.passes` times, small: they verify, and every pass keeps them so. And deep ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import bf16, f16, f32
from xdsl.ir import Block, SSAValue

from benchmarks.pass_shapes import SHAPES, SIZES, Large, Ops, Program
from lowering.triton_to_source.kernels import spans
from mlc_compiler.pipeline import lower_to
from mlc_dialects.common.types import element_type
from mlc_dialects.tensor import composites as composites
from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.composite_op import CompositeOp, Parameter, results_of
from mlc_dialects.tensor.ops import CastOp, ConstantOp, MatmulOp
from mlc_dialects.triton.dialect import BroadcastOp, KernelOp
from mlc_dialects.triton.types import block_type
from mlc_support.rewriting import unplaced_ops
from mlc_support.verification import verify_module
from passes.tensor.freeze import FreezePass
from passes.tensor.layout.layout import LayoutPass
from passes.tensor.recompose.recompose import RecomposePass

NORM: dict[str, Parameter] = {"dims": (1,), "eps": 1e-6}
DEEP = 1500
"""More ops one after another than Python lets functions call each other."""


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.name)
def test_shapes_are_programs(shape: Large) -> None:
    """Of at least the size that is asked for; the passes that build most leave a program."""
    module = shape.build(150)
    assert sum(1 for _ in module.walk()) > 150
    verify_module(module)
    for step in (RecomposePass(keep=True), LayoutPass(), FreezePass()):
        step.apply(Context(), module)
        verify_module(module)


def _scaled(x: SSAValue, y: SSAValue) -> SSAValue:
    return ew.MulOp(x, ConstantOp.splat(0.3, SIZES, element_type(x.type))).result


def _rounded(x: SSAValue, y: SSAValue) -> SSAValue:
    return CastOp(CastOp(CastOp(x, f16), bf16), element_type(x.type)).result


STEPS: dict[str, Callable[[SSAValue, SSAValue], SSAValue]] = {
    "sum": lambda x, y: ew.AddOp(x, y).result,
    "product": lambda x, y: ew.MulOp(x, y).result,
    "quotient": lambda x, y: ew.DivOp(y, x).result,
    "scale": _scaled,
    "cast": _rounded,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_recompose_of_deep_chains(step: Callable[[SSAValue, SSAValue], SSAValue]) -> None:
    """A norm and a product at the end of a long chain: found, in the time that its own ops take."""

    def chain(program: Program) -> Ops:
        value, y = program.argument(), program.argument()
        for _ in range(DEEP):
            value = step(value, y)
        result = ew.AddOp(MatmulOp(value, y), results_of(composites.rms_norm.MEANING, (value,), NORM)[0])
        yield tuple(unplaced_ops([result]))

    module = Large(chain).build(1)
    RecomposePass().apply(Context(), module)
    assert [op.name for op in module.walk() if isinstance(op, CompositeOp)] == ["mlc_tensor.rms_norm"]


def test_loops_of_chains_that_use_each_value_twice() -> None:
    """What reads a kernel's body follows values, not the paths between them: there are 2 ** 80 here."""

    def chain(program: Program) -> Ops:
        last = ew.MulOp(program.argument(), program.argument())
        for _ in range(79):
            last = ew.MulOp(last.result, last.result)
        yield tuple(unplaced_ops([last]))

    module = Large(chain).build(1)
    lower_to(module, "triton")
    (kernel,) = (op for op in module.walk() if isinstance(op, KernelOp))
    assert sum(op.name == "arith.mulf" for op in kernel.walk()) == 80


def test_texts_of_chains_that_use_each_value_twice() -> None:
    """Whether the text of a value has its whole shape is seen in the time that its ops take."""
    kernel = Block(arg_types=[f32, block_type((64,), f32)])
    value: SSAValue = BroadcastOp(kernel.args[0], block_type((64,), f32)).result
    for _ in range(80):
        value = arith.MulfOp(value, value).result
    assert not spans(value)
    assert spans(arith.AddfOp(value, kernel.args[1]).result)
