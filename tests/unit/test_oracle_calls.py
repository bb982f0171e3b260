"""Calls of PyTorch that the interpreter runs: their numbers beside its own, and passes that rewrite them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, UnitAttr, bf16, f32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lowering.fx_to_tensor import import_callable
from lowering.interpreter.run import run, run_values
from mlc_dialects.common.annotations import CHANNELS_LAST, FROZEN
from mlc_dialects.common.types import shape_of, tensor_type
from mlc_dialects.semantics.numerics import same_bits, value_of
from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.views import BroadcastOp, ReshapeOp
from mlc_support.errors import MlcError
from mlc_support.verification import verify_module
from passes.tensor.fold_weights import FoldWeightsPass
from passes.tensor.layout.layout import LayoutPass
from tests.unit.random_calls import call_of
from tools.semantics import close

WINDOWS = [
    ((1, 1), (0, 0), (1, 1), 1),
    ((2, 1), (1, 2), (1, 2), 1),
    ((1, 2), (2, 0), (2, 1), 2),
    ((1, 1), (1, 1), (1, 1), 4),
]
FUNCTIONS = {"mul": ew.MulOp, "add": ew.AddOp, "sub": ew.SubOp, "div": ew.DivOp}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_convolution_is_torch_s(
    window: tuple[tuple[int, int], tuple[int, int], tuple[int, int], int], biased: bool
) -> None:
    """Strides, padding, dilation and groups, beside PyTorch in float64."""
    generator = torch.Generator().manual_seed(1)
    shapes = [(2, 4, 7, 8), (8, 4 // window[3], 3, 2), (8,)][: 2 + biased]
    inputs = [torch.randn(s, generator=generator) for s in shapes]

    def convolve(x: torch.Tensor, w: torch.Tensor, *b: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.conv2d(x, w, *(b or (None,)), *window)

    (found,) = run(import_callable(convolve, inputs).module, [x.numpy() for x in inputs])
    np.testing.assert_allclose(found, convolve(*(x.double() for x in inputs)).numpy(), rtol=1e-5, atol=1e-5)


def test_other_calls_stay_with_torch() -> None:
    """A convolution backwards has no meaning here."""
    inputs = [torch.randn(1, 2, 4, 4), torch.randn(2, 3, 3, 3)]
    module = import_callable(torch.nn.functional.conv_transpose2d, inputs).module
    with pytest.raises(MlcError, match="cannot run aten.convolution"):
        run(module, [x.numpy() for x in inputs])


def _convolution(element: Attribute, chain: tuple[str, ...]) -> ModuleOp:
    """A convolution, and a chain of arithmetic with one frozen number a channel each."""
    picture, weight, vector = (tensor_type(s, element) for s in ((2, 8, 6, 6), (16, 8, 3, 3), (16,)))
    types = [picture, weight, *[vector] * len(chain)]
    block = Block(arg_types=types)
    x, w, *vectors = block.args
    shape = [2, 16, 6, 6]
    value: SSAValue = call_of([x, w], ([1, 1], [1, 1], [1, 1]), 1, shape).outputs[0]
    ops: list[Operation] = []
    assert isinstance(value.owner, Operation)
    ops.append(value.owner)
    for name, v in zip(chain, vectors, strict=True):
        column = ReshapeOp(v, [16, 1, 1])
        by = BroadcastOp(column, shape)
        result = FUNCTIONS[name](value, by)
        ops += [column, by, result]
        value = result.result
    block.add_ops([*ops, func.ReturnOp(value)])
    marks = ArrayAttr([DictionaryAttr({FROZEN: UnitAttr()} if i else {}) for i in range(len(types))])
    return ModuleOp([func.FuncOp("f", (types, [value.type]), Region(block), arg_attrs=marks)])


def _inputs(module: ModuleOp, element: Attribute) -> list[np.ndarray]:
    (function,) = (op for op in module.ops if isinstance(op, func.FuncOp))
    generator = np.random.default_rng(0)
    shapes = [[s.constant or 0 for s in shape_of(t)] for t in function.function_type.inputs]
    return [value_of(generator.uniform(0.5, 2, shape), element).array for shape in shapes]


@pytest.mark.parametrize("chain", [("mul",), ("add",), ("sub", "mul", "mul", "add"), ("div", "sub")], ids=str)
def test_folded_weights_keep_the_answer(chain: tuple[str, ...]) -> None:
    """Up to rounding, and nothing is left behind the convolution."""
    module = _convolution(f32, chain)
    inputs = _inputs(module, f32)
    (expected,) = run_values(module, inputs)
    counts = FoldWeightsPass().rewrite(module)
    verify_module(module)
    (found,) = run_values(module, inputs)
    assert counts.total() == len(chain) and isinstance(module.body.block.first_op, func.FuncOp)
    last = module.body.block.first_op.body.block.last_op
    assert last is not None and isinstance(last.operands[0].owner, ExternOp)
    assert close(found, expected)


def test_channels_last_keep_the_answer() -> None:
    """Every bit: the call is told to turn what it is given."""
    module = _convolution(bf16, ("mul", "add"))
    inputs = _inputs(module, bf16)
    (expected,) = run_values(module, inputs)
    LayoutPass().apply(Context(), module)
    verify_module(module)
    (call,) = (op for op in module.walk() if isinstance(op, ExternOp))
    assert CHANNELS_LAST in call.attributes
    assert same_bits(run_values(module, inputs)[0], expected)
