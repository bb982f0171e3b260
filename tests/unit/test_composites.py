"""Composite ops: what they mean, that programs which spell them are found, and that no bit changes on the way."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType, bf16, f32
from xdsl.ir import Attribute, Block, Region

import mlc_compiler
from lowering.fx_to_tensor import import_callable
from lowering.interpreter.run import run_values
from mlc_dialects.semantics.numerics import same_bits, value_of
from mlc_dialects.tensor import composites as composites
from mlc_dialects.tensor.composite_op import CompositeOp
from mlc_support.verification import verify_module
from passes.common.cse import CsePass
from passes.common.dce import DcePass
from passes.tensor.canonicalize.canonicalize import CanonicalizePass
from passes.tensor.decompose import DecomposePass
from passes.tensor.recompose.recompose import RecomposePass

HEADS = (2, 3, 5, 8)


def tensors(*shapes: tuple[int, ...]) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    return [torch.randn(s, generator=generator) * 2 for s in shapes]


def _rms(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * w


def _rotary(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat((-second, first), -1) * sin


def _rotary_pairs(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    even, odd = x[..., ::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)


def _attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(q, k, v, mask, scale=0.3)


def _capped(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    scores = 5 * torch.tanh(q @ k.mT * 0.3 / 5)
    hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return torch.softmax(scores.masked_fill(hidden, float("-inf")), -1) @ v


MEANINGS: list[tuple[type[CompositeOp], dict[str, Any], Callable[..., torch.Tensor], list[tuple[int, ...]]]] = [
    (composites.gelu, {"approximate": "none"}, F.gelu, [(4, 6)]),
    (composites.gelu, {"approximate": "tanh"}, lambda x: F.gelu(x, approximate="tanh"), [(4, 6)]),
    (composites.silu, {}, F.silu, [(4, 6)]),
    (composites.softmax, {"dim": 1}, lambda x: torch.softmax(x, 1), [(4, 6, 3)]),
    (composites.log_softmax, {"dim": 0}, lambda x: torch.log_softmax(x, 0), [(4, 6)]),
    (
        composites.layer_norm, {"dims": (1,), "eps": 1e-5},
        lambda x, w, b: F.layer_norm(x, (6,), w, b), [(4, 6), (6,), (6,)],
    ),
    (composites.rms_norm, {"dims": (1,), "eps": 1e-6}, _rms, [(4, 6), (6,)]),
    (composites.rotary_embedding, {}, _rotary, [(3, 4, 6), (4, 6), (4, 6)]),
    (composites.rotary_embedding, {"pairs": 1}, _rotary_pairs, [(3, 4, 6), (4, 3), (4, 3)]),
    (composites.scaled_dot_product_attention, {"scale": 0.3}, _attention, [HEADS, HEADS, HEADS, (5, 5)]),
    (composites.scaled_dot_product_attention, {"scale": 0.3, "causal": 1, "softcap": 5.0}, _capped, [HEADS] * 3),
    (composites.scaled_dot_product_attention, {"scale": 0.3, "safe": 1}, _attention, [HEADS, HEADS, HEADS, (5, 5)]),
]  # fmt: skip
IDS = [f"{op.name.partition('.')[2]}-{i}" for i, (op, *_) in enumerate(MEANINGS)]


def module_of(composite: type[CompositeOp], parameters: dict[str, Any], types: list[Attribute]) -> ModuleOp:
    """A function that is one composite."""
    block = Block(arg_types=types)
    op = composite(block.args, parameters)
    block.add_ops([op, func.ReturnOp(*op.outputs)])
    return ModuleOp([func.FuncOp("f", (types, [r.type for r in op.outputs]), Region(block))])


def ops_in(module: ModuleOp) -> list[str]:
    return [op.name for op in module.walk() if isinstance(op, CompositeOp)]


@pytest.mark.parametrize(("composite", "parameters", "torch_function", "shapes"), MEANINGS, ids=IDS)
def test_meaning_is_torch_s(
    composite: type[CompositeOp], parameters: dict[str, Any], torch_function: Any, shapes: Any
) -> None:
    """In float32, beside torch in float64."""
    module = module_of(composite, parameters, [TensorType(f32, s) for s in shapes])
    verify_module(module)
    inputs = tensors(*shapes)
    (found,) = run_values(module, [x.numpy() for x in inputs])
    expected = torch_function(*(x.double() for x in inputs))
    np.testing.assert_allclose(found.array, expected.numpy(), rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("safe", [False, True])
def test_rows_with_every_score_hidden(safe: bool) -> None:
    """NaN by the formula; 0 where PyTorch's op is meant."""
    shapes = [HEADS, HEADS, HEADS, (5, 5)]
    given = {"scale": 0.3, "safe": 1} if safe else {"scale": 0.3}
    module = module_of(composites.scaled_dot_product_attention, given, [TensorType(f32, s) for s in shapes])
    inputs = tensors(*shapes)
    inputs[3][2] = -torch.inf
    (found,) = run_values(module, [x.numpy() for x in inputs])
    expected = _attention(*(x.double() for x in inputs))
    assert not expected[:, :, 2].any()
    expected[:, :, 2] = 0.0 if safe else torch.nan
    np.testing.assert_allclose(found.array, expected.numpy(), rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("element", [f32, bf16], ids=str)
@pytest.mark.parametrize(("composite", "parameters", "torch_function", "shapes"), MEANINGS, ids=IDS)
def test_round_trip(
    composite: type[CompositeOp], parameters: dict[str, Any], torch_function: Any, shapes: Any, element: Attribute
) -> None:
    """Opened and found again: the same op without a region, and the same bits at each step."""
    module = module_of(composite, parameters, [TensorType(element, s) for s in shapes])
    inputs = [value_of(x.numpy(), element).array for x in tensors(*shapes)]
    expected = run_values(module, inputs)
    DecomposePass().apply(Context(), module)
    assert not ops_in(module)
    assert same_bits(run_values(module, inputs)[0], expected[0])
    RecomposePass().apply(Context(), module)
    verify_module(module)
    assert same_bits(run_values(module, inputs)[0], expected[0])
    assert ops_in(module) == [composite.name]
    assert "spelled" not in str(module)


def test_not_every_operand_has_a_meaning() -> None:
    """The verifier says what is missing."""
    with pytest.raises(ValueError, match="even"):
        module_of(composites.rotary_embedding, {}, [TensorType(f32, (4, 5))] * 3)
    with pytest.raises(ValueError, match="approximate"):
        module_of(composites.gelu, {"approximate": "sine"}, [TensorType(f32, (4,))])


def gelu_by_hand(x: torch.Tensor) -> torch.Tensor:
    return x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))


def gelu_as_gpt(x: torch.Tensor) -> torch.Tensor:
    return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))


def silu_by_hand(x: torch.Tensor) -> torch.Tensor:
    return x / (1 + torch.exp(-x))


def norm_by_hand(x: torch.Tensor) -> torch.Tensor:
    return (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True, unbiased=False) + 1e-5)


def rms_as_llama(x: torch.Tensor) -> torch.Tensor:
    wide = x.float()
    return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype) * 1.5


def attention_by_hand(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    scores = (q @ k.transpose(-2, -1)) / math.sqrt(q.shape[-1])
    return torch.softmax(scores.masked_fill(mask, float("-inf")), -1) @ v


def attention_as_t5(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    scores = torch.matmul(q, k.transpose(3, 2)) + bias
    return torch.matmul(torch.softmax(scores.float(), -1).type_as(scores), v)


def attention_that_adds(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    hidden = torch.full((q.shape[-2], k.shape[-2]), float("-inf"), dtype=q.dtype).triu(1)
    return torch.softmax(q * 0.35 @ k.mT + hidden, -1) @ v


SPELLINGS: list[tuple[Callable[..., torch.Tensor], list[tuple[int, ...]], str]] = [
    (gelu_by_hand, [(4, 6)], "gelu"),
    (gelu_as_gpt, [(4, 6)], "gelu"),
    (silu_by_hand, [(4, 6)], "silu"),
    (norm_by_hand, [(4, 6)], "layer_norm"),
    (rms_as_llama, [(4, 6)], "rms_norm"),
    (_rotary, [(3, 4, 6), (4, 6), (4, 6)], "rotary_embedding"),
    (_rotary_pairs, [(3, 4, 6), (4, 3), (4, 3)], "rotary_embedding"),
    (attention_as_t5, [HEADS, HEADS, HEADS, (3, 5, 5)], "scaled_dot_product_attention"),
    (attention_that_adds, [HEADS] * 3, "scaled_dot_product_attention"),
    (_capped, [HEADS] * 3, "scaled_dot_product_attention"),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize(("function", "shapes", "name"), SPELLINGS, ids=lambda s: getattr(s, "__name__", None))
def test_spellings_are_found(function: Any, shapes: Any, name: str, dtype: torch.dtype) -> None:
    """As people write them; the oracle sees no difference, without its spelling only the rounding."""
    inputs = [x.to(dtype) for x in tensors(*shapes)]
    module = import_callable(function, inputs).module
    arrays = [x.float().numpy() for x in inputs]
    expected = run_values(module, arrays)
    loose = module.clone()
    RecomposePass().apply(Context(), module)
    assert ops_in(module)[0] == f"mlc_tensor.{name}"
    verify_module(module)
    assert same_bits(run_values(module, arrays)[0], expected[0])
    DecomposePass().apply(Context(), module)
    assert same_bits(run_values(module, arrays)[0], expected[0])
    RecomposePass(fast_math=True).apply(Context(), loose)
    assert "spelled" not in str(loose)
    (found,) = run_values(loose, arrays)
    tolerance = 2e-5 if dtype == torch.float32 else 6e-2
    np.testing.assert_allclose(found.array, expected[0].array, rtol=tolerance, atol=tolerance)


def test_mask_that_hides() -> None:
    """A boolean mask, true where the score is -inf."""
    q, k, v = tensors(*[HEADS] * 3)
    mask = torch.ones(5, 5, dtype=torch.bool).triu(2)
    module = import_callable(attention_by_hand, (q, k, v, mask)).module
    expected = run_values(module, [q.numpy(), k.numpy(), v.numpy(), mask.numpy()])
    RecomposePass().apply(Context(), module)
    assert ops_in(module)[0] == "mlc_tensor.scaled_dot_product_attention"
    assert same_bits(run_values(module, [q.numpy(), k.numpy(), v.numpy(), mask.numpy()])[0], expected[0])


def test_joined_products_come_back() -> None:
    """recompose and decompose leave products of matrices as they were."""
    module = import_callable(lambda x, y: x @ y, tensors((2, 3, 4, 5), (2, 3, 5, 4))).module
    for step in (CanonicalizePass(), CsePass()):
        step.apply(Context(), module)
    before = str(module)
    for step in (RecomposePass(), DecomposePass(), CanonicalizePass(), DcePass()):
        step.apply(Context(), module)
    assert before.count("reshape") == str(module).count("reshape")
    assert "tensor<6x4x5xf32>, tensor<6x5x4xf32>" in str(module)


def causal_by_hand(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
    return torch.softmax(scores.masked_fill(hidden, float("-inf")), -1) @ v


def by_the_library(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def check_attention(device: str, shape: tuple[int, ...], grad: bool) -> None:
    """Compiled attention is no farther from float64 than eager's, or than PyTorch's own, which it calls."""
    torch.manual_seed(0)
    inputs = [torch.randn(shape, device=device, dtype=torch.bfloat16, requires_grad=grad) for _ in range(3)]
    sources: list[str] = []

    def backend(gm: Any, examples: Any) -> Any:
        return mlc_compiler.compile_graph_module(gm, examples, observe=lambda _, e: sources.append(e.source))

    compiled = torch.compile(causal_by_hand, backend=backend)
    exact = [x.detach().double().requires_grad_(grad) for x in inputs]
    functions = (compiled, causal_by_hand, by_the_library, causal_by_hand)
    given = (inputs, inputs, inputs, exact)
    results = [f(*x) for f, x in zip(functions, given, strict=True)]
    if grad:
        weight = torch.randn_like(results[3])
        losses = [(r * weight.to(r.dtype)).sum() for r in results]
        results = [[r, *torch.autograd.grad(y, x)] for r, y, x in zip(results, losses, given, strict=True)]
    else:
        assert any("scaled_dot_product_attention" in source for source in sources)
        results = [[r] for r in results]
    for found, eager, fused, wanted in zip(*results, strict=True):
        assert found.stride() == eager.stride()
        error, *allowed = ((x.double() - wanted).abs().max().item() for x in (found, eager, fused))
        assert error <= 1.25 * max(allowed) + 1e-3


@pytest.mark.parametrize("grad", [False, True])
def test_attention_by_hand_on_the_cpu(grad: bool) -> None:
    """Forward, and forward and backward."""
    check_attention("cpu", (2, 3, 24, 16), grad)


@pytest.mark.gpu
@pytest.mark.parametrize("grad", [False, True])
def test_attention_by_hand_on_the_gpu(grad: bool) -> None:
    """The fused kernels of the device."""
    check_attention("cuda", (2, 8, 256, 64), grad)


def test_kept_spellings_give_back_the_program() -> None:
    """With `keep` a bare match has a region too: names, lines and order are the user's after decompose."""
    module = import_callable(lambda x: torch.softmax(x, -1), tensors((4, 6))).module
    before = str(module)
    lines = [str(op.location) for op in module.walk()]
    RecomposePass(keep=True).apply(Context(), module)
    assert ops_in(module) == ["mlc_tensor.softmax"]
    DecomposePass().apply(Context(), module)
    assert str(module) == before
    assert [str(op.location) for op in module.walk()] == lines
