"""Calls of PyTorch that StableHLO and Relax have as formulas or as ops of their own, beside PyTorch's own results."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch

from lowering.export.aten import aten_source
from lowering.export.relax import relax_source
from lowering.export.stablehlo import stablehlo_text
from mlc_support.errors import MlcError
from tests.unit.test_exports import module_of, run_aten, run_relax, run_stablehlo

pytest.importorskip("jaxlib", reason="needs the compare extra")
TYPES = {torch.float32: "f32", torch.int64: "i64", torch.int32: "i32", torch.bool: "i1"}


def type_of(value: torch.Tensor) -> str:
    """`tensor<4x6xf32>`"""
    return f"tensor<{''.join(f'{n}x' for n in value.shape)}{TYPES[value.dtype]}>"


def text_of(value: Any, places: dict[int, int]) -> str:
    """An argument of a call, as the dialect writes it."""
    match value:
        case torch.Tensor():
            return f'#mlc_tensor.operand<"{places[id(value)]}">'
        case None:
            return "unit"
        case bool():
            return str(value).lower()
        case int():
            return f"{value} : i64"
        case float():
            return f"{value:e} : f64"
        case _:
            return f"[{', '.join(text_of(v, places) for v in value)}]"


def program(
    name: str, *arguments: Any, last: bool = False, wanted: Sequence[bool] | None = None, **keywords: Any
) -> tuple[Any, list[Any], list[Any]]:
    """A program of one call of aten, its inputs, and what PyTorch computes, without results that are None.

    `last` says it with the channels last of all that has four dimensions, `wanted` which results are not None.
    """
    tensors = [v for v in (*arguments, *keywords.values()) if isinstance(v, torch.Tensor)]
    operator: Any = torch.ops
    for part in name.split("."):
        operator = getattr(operator, part)
    found = operator(*arguments, **keywords)
    results = list(found) if isinstance(found, tuple | list) else [found]
    if wanted is not None:  # on the CPU PyTorch computes more than it is asked for
        results = [r if w else None for r, w in zip(results, wanted, strict=True)]
    places = {id(v): k for k, v in enumerate(tensors)}
    turned = [v.movedim(1, -1) if last and v is not None and v.ndim > 3 else v for v in (*tensors, *results)]
    inputs, outputs = turned[: len(tensors)], turned[len(tensors) :]
    types = [type_of(v) if v is not None else "none" for v in outputs]
    given = [v for v, t in zip(outputs, types, strict=True) if t != "none"]
    names = [f"%r{k}" for k in range(len(types))]
    returned = [n for n, t in zip(names, types, strict=True) if t != "none"]
    named = ", ".join(f"{k} = {text_of(v, places)}" for k, v in keywords.items())
    header = ", ".join(f"%x{k}: {type_of(v)}" for k, v in enumerate(inputs))
    signature = ", ".join(map(type_of, given))
    module = module_of(f"""func.func @main({header}) -> ({signature}) {{
  {", ".join(names)} = mlc_tensor.extern "{name}"({", ".join(f"%x{k}" for k in range(len(inputs)))}) args {text_of(arguments, places)}{f" kwargs {{{named}}}" if named else ""}{' {mlc.channels_last = "once"}' if last else ""} : ({", ".join(map(type_of, inputs))}) -> ({", ".join(types)})
  func.return {", ".join(returned)} : {signature}
}}""")  # noqa: E501
    return module, [v.contiguous().numpy() for v in inputs], [v.numpy() for v in given]


def check(made: tuple[Any, list[Any], list[Any]], relax: bool = True, rtol: float = 2e-4, atol: float = 2e-5) -> None:
    """Each language gives what PyTorch does."""
    module, inputs, expected = made
    before = str(module)
    found = {
        "StableHLO": run_stablehlo(stablehlo_text(module), inputs),
        "aten": run_aten(aten_source(module), inputs),
    }
    if relax and importlib.util.find_spec("tvm") is not None:
        found["Relax"] = run_relax(relax_source(module), inputs)
    assert str(module) == before, "an export changes the program"
    for language, results in found.items():
        for new, old in zip(results, expected, strict=True):
            assert new.dtype == old.dtype and new.shape == old.shape, language
            np.testing.assert_allclose(new, old, rtol=rtol, atol=atol, err_msg=language)


def normal(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))


# ---------------------------------------------------------------- convolutions

FORMS: dict[str, tuple[Sequence[int], Sequence[int], tuple[Any, ...]]] = {
    "plain": ((2, 3, 9, 8), (4, 3, 3, 2), ([1, 1], [0, 0], [1, 1], False, [0, 0], 1)),
    "strided": ((2, 3, 9, 8), (4, 3, 3, 2), ([2, 3], [1, 0], [1, 1], False, [0, 0], 1)),
    "dilated": ((2, 3, 9, 8), (4, 3, 3, 2), ([2, 1], [2, 2], [1, 3], False, [0, 0], 1)),
    "grouped": ((2, 4, 9, 8), (6, 2, 3, 3), ([1, 2], [1, 1], [1, 1], False, [0, 0], 2)),
    "depthwise": ((2, 4, 7, 7), (4, 1, 3, 3), ([2, 2], [1, 1], [1, 1], False, [0, 0], 4)),
    "transposed": ((2, 4, 5, 4), (4, 3, 3, 2), ([2, 1], [1, 0], [1, 2], True, [1, 0], 1)),
    "transposed-grouped": ((2, 4, 5, 4), (4, 3, 3, 3), ([2, 2], [1, 1], [1, 1], True, [1, 1], 2)),
    "transposed-more": ((2, 4, 5, 4), (4, 3, 3, 2), ([3, 1], [1, 0], [4, 3], True, [3, 2], 1)),
    "line": ((2, 4, 9), (6, 2, 3), ([2], [1], [1], False, [0], 2)),
    "line-transposed": ((2, 4, 5), (4, 3, 3), ([2], [1], [1], True, [1], 1)),
    "solid": ((1, 2, 4, 5, 4), (3, 2, 2, 3, 2), ([1, 2, 1], [0, 1, 1], [1, 1, 2], False, [0, 0, 0], 1)),
}


@pytest.mark.parametrize("bias", [False, True], ids=["", "bias"])
@pytest.mark.parametrize("name", FORMS)
def test_convolutions(name: str, bias: bool) -> None:
    x, weight, rest = FORMS[name]
    outputs = weight[1] * rest[-1] if rest[3] else weight[0]
    check(program("aten.convolution.default", normal(*x), normal(*weight), normal(outputs) if bias else None, *rest))


@pytest.mark.parametrize("last", [False, True], ids=["", "channels-last"])
@pytest.mark.parametrize("name", ["strided", "grouped", "transposed"])
def test_convolutions_in_both_layouts(name: str, last: bool) -> None:
    x, weight, rest = FORMS[name]
    check(program("aten.convolution.default", normal(*x), normal(*weight), None, *rest, last=last))


def gradients(name: str, mask: Sequence[bool] = (True, True, True), last: bool = False) -> Any:
    x, weight, rest = FORMS[name]
    tensors = normal(*x), normal(*weight)
    result = torch.ops.aten.convolution.default(*tensors, None, *rest)
    sizes = [weight[1] * rest[-1] if rest[3] else weight[0]]
    given = (normal(*result.shape), *tensors, sizes, *rest, mask)
    return program("aten.convolution_backward.default", *given, last=last, wanted=mask)


@pytest.mark.parametrize("name", FORMS)
def test_gradients_of_convolutions(name: str) -> None:
    check(gradients(name))


@pytest.mark.parametrize("name", ["strided", "grouped", "depthwise", "transposed"])
def test_gradients_of_convolutions_with_channels_last(name: str) -> None:
    check(gradients(name, last=True))


@pytest.mark.parametrize("mask", [(False, True, False), (True, False, False), (False, False, True)])
def test_gradients_that_nobody_asks_for_are_left_out(mask: Sequence[bool]) -> None:
    made = gradients("strided", mask)
    assert len(made[2]) == 1
    check(made)


# ---------------------------------------------------------------- attention


@pytest.mark.parametrize("hides", [False, True], ids=["added", "hides"])
@pytest.mark.parametrize("mask", [(2, 4, 6, 6), (2, 1, 6, 6), (6, 6), (1, 1, 1, 6)], ids=str)
def test_masks_of_attention_are_broadcast(mask: tuple[int, ...], hides: bool) -> None:
    q, k, v = (normal(2, 4, 6, 8) + n for n in range(3))
    seen = normal(*mask)
    check(program("aten.scaled_dot_product_attention.default", q, k, v, seen > -0.5 if hides else seen, 0.0, scale=0.3))


def test_heads_of_a_group_share_keys() -> None:
    q, k, v = normal(2, 6, 5, 8), normal(2, 2, 7, 8), normal(2, 2, 7, 4)
    mask = normal(5, 7)
    check(program("aten.scaled_dot_product_attention.default", q, k, v, mask, 0.0, False, enable_gqa=True))


KEPT = "aten._scaled_dot_product_flash_attention_for_cpu"


def kept(causal: bool, mask: torch.Tensor | None) -> list[torch.Tensor]:
    q, k, v = (normal(2, 3, 6, 8) * (n + 1) for n in range(3))
    out, logarithm = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default(
        q, k, v, 0.0, causal, attn_mask=mask, scale=0.4
    )
    return [q, k, v, out, logarithm]


@pytest.mark.parametrize(("causal", "masked"), [(False, False), (True, False), (False, True)],
                         ids=["", "causal", "mask"])  # fmt: skip
def test_attention_that_keeps_what_its_gradient_reads(causal: bool, masked: bool) -> None:
    mask = normal(2, 1, 6, 6) if masked else None
    if mask is not None:
        mask[0, 0, 2, :4] = -torch.inf
    q, k, v, out, logarithm = kept(causal, mask)
    named = {"attn_mask": mask, "scale": 0.4} if mask is not None else {"scale": 0.4}
    check(program(f"{KEPT}.default", q, k, v, 0.0, causal, **named))
    given = (normal(2, 3, 6, 8), q, k, v, out, logarithm, 0.0, causal)
    check(program(f"{KEPT}_backward.default", *given, **named))


KERNELS: dict[str, tuple[str, str]] = {
    "flash_attention": ("q k v 0.0 true", "g q k v o l unit unit 6 6 0.0 true s s"),
    "efficient_attention": ("q k v m true 0.0 false", "g q k v m o p s s 0.0 [true,true,true,false] false"),
    "cudnn_attention": ("q k v unit true 0.0 true", "g q k v o c s s unit unit unit 6 6 0.0 true"),
}
"""Kernel to its arguments and those of its gradient: logarithms are flat (l), a column (c), or rounded up (p)."""


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_of_attention_on_a_gpu(name: str) -> None:
    """What they keep beside the result is in shapes of their own; numbers are those of the kernel on the CPU."""
    forward, backward = KERNELS[name]
    mask = normal(2, 1, 6, 6) if name == "efficient_attention" else None
    q, k, v, out, logarithm = kept(mask is None, mask)
    gradient = normal(2, 3, 6, 8)
    how = {"attn_mask": mask, "scale": 0.4} if mask is not None else {"scale": 0.4}
    expected = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default(
        gradient, q, k, v, out, logarithm, 0.0, mask is None, **how
    )
    shapes = {"l": logarithm, "c": logarithm[..., None], "p": torch.nn.functional.pad(logarithm, (0, 26))}
    saved = next(part for part in backward.split() if part in shapes)
    values = {
        "g": gradient,
        "q": q,
        "k": k,
        "v": v,
        "m": mask,
        "o": out,
        "s": torch.zeros(2, dtype=torch.int64),
        **shapes,
    }
    kept_ = _run_kernel(f"{name}.default", forward, values, [out, shapes[saved], values["s"]])
    for results in kept_:
        rows = results[1].reshape(2, 3, -1)[..., :6]
        np.testing.assert_allclose(results[0], out, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(rows, logarithm, rtol=1e-4, atol=1e-5)
    for results in _run_kernel(f"{name}_backward.default", backward, values, list(expected)):
        for new, old in zip(results, expected, strict=True):
            np.testing.assert_allclose(new, old, rtol=1e-4, atol=1e-5)


def _run_kernel(name: str, form: str, values: dict[str, Any], results: list[torch.Tensor]) -> list[list[Any]]:
    """What StableHLO and Relax give for a call, whose results are like these."""
    parts = form.split()
    given = list(dict.fromkeys(part for part in parts if part in values))
    numbers = {"true": "true", "false": "false", "unit": "unit", "0.0": "0.0 : f64", "6": "6 : i64"}
    texts = [
        f'#mlc_tensor.operand<"{given.index(part)}">' if part in values else numbers.get(part, part) for part in parts
    ]
    header = ", ".join(f"%{part}: {type_of(values[part])}" for part in given)
    types = ", ".join(map(type_of, results))
    names = [f"%r{n}" for n in range(len(results))]
    module = module_of(f"""func.func @main({header}) -> ({types}) {{
  {", ".join(names)} = mlc_tensor.extern "aten._scaled_dot_product_{name}"({", ".join(f"%{p}" for p in given)}) args [{", ".join(texts)}] kwargs {{scale = 0.4 : f64}} : ({", ".join(type_of(values[p]) for p in given)}) -> ({types})
  func.return {", ".join(names)} : {types}
}}""")  # noqa: E501
    return _both(module, [values[part].contiguous().numpy() for part in given])


# ---------------------------------------------------------------- groups of rows


@pytest.mark.parametrize("ends", [[2, 5, 7], [0, 7, 7], [0, 0, 0], [3, 3, 5]], ids=str)
def test_products_of_groups_of_rows(ends: list[int]) -> None:
    """Rows behind the last group are nobody's: nothing is said of them."""
    x, weight, places = normal(7, 4), normal(3, 4, 5), torch.tensor(ends, dtype=torch.int32)
    module, inputs, _ = _grouped(x, weight, places, (7, 5))
    expected = torch.zeros(7, 5)
    for group, (first, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        expected[first:end] = x[first:end] @ weight[group]
    for found in _both(module, inputs):
        np.testing.assert_allclose(found[0][: ends[-1]], expected[: ends[-1]], rtol=1e-4, atol=1e-5)


def test_products_over_groups_of_rows() -> None:
    x, y, ends = normal(7, 4), normal(7, 5), [2, 2, 7]
    turned = x.T.contiguous()
    module, inputs, _ = _grouped(turned, y, torch.tensor(ends, dtype=torch.int32), (3, 4, 5))
    expected = torch.stack([x[:2].T @ y[:2], torch.zeros(4, 5), x[2:].T @ y[2:]])
    for found in _both(module, inputs):
        np.testing.assert_allclose(found[0], expected, rtol=1e-4, atol=1e-5)


def _grouped(x: torch.Tensor, y: torch.Tensor, ends: torch.Tensor, shape: tuple[int, ...]) -> Any:
    """The program of a product by groups: PyTorch computes it of bfloat16 alone, so there is no result of its own."""
    inputs = (x, y, ends)
    header = ", ".join(f"%x{k}: {type_of(v)}" for k, v in enumerate(inputs))
    result = type_of(torch.empty(shape))
    module = module_of(f"""func.func @main({header}) -> {result} {{
  %r = mlc_tensor.extern "aten._grouped_mm.default"(%x0, %x1, %x2) : ({", ".join(map(type_of, inputs))}) -> ({result})
  func.return %r : {result}
}}""")
    return module, [v.numpy() for v in inputs], None


def _both(module: Any, inputs: list[Any]) -> list[list[Any]]:
    """What StableHLO and Relax give."""
    found = [run_stablehlo(stablehlo_text(module), inputs)]
    if importlib.util.find_spec("tvm") is not None:
        found.append(run_relax(relax_source(module), inputs))
    return found


@pytest.mark.parametrize("x", [
    torch.tensor([0.0, 0.99, 1.0, 2.5, 4.0, -0.1, 4.1, torch.nan, -0.0, torch.inf]), torch.zeros(0), torch.tensor(2.0),
    torch.arange(6.0).reshape(2, 3),
], ids=["edges", "empty", "scalar", "rows"])  # fmt: skip
def test_histograms(x: torch.Tensor) -> None:
    """The end of the range is in the last part; what is outside, or no number, is in none. TVM divides by no size."""
    check(program("aten.histc.default", x, 4, 0, 4), relax=bool(x.numel()))


def test_a_histogram_of_the_range_of_its_data_has_no_formula() -> None:
    module, _, _ = program("aten.histc.default", torch.arange(6.0), 4, 0, 0)
    for export in (stablehlo_text, relax_source):
        with pytest.raises(MlcError, match=r"has no export to \w+ \(aten.histc.default\)"):
            export(module)


# ---------------------------------------------------------------- sorting

EDGES = torch.tensor([[3.0, -torch.inf, 0.0, torch.inf, -2.5], [torch.nan, 1.0, -0.0, 7.0, torch.inf]])


@pytest.mark.parametrize("descending", [False, True], ids=["", "descending"])
@pytest.mark.parametrize("x", [EDGES, torch.tensor([[5, 2, 2, 9], [1, 1, 0, 1]]), torch.zeros(2, 0), torch.tensor(3.0),
                               torch.tensor([[True, False, True], [False, False, True]])],
                         ids=["floats", "equal", "empty", "scalar", "booleans"])  # fmt: skip
def test_sorting(x: torch.Tensor, descending: bool) -> None:
    """Equal elements stay in order; NaN is the greatest, but for TVM."""
    relax = bool(x.numel()) and not x.isnan().any().item()
    check(program("aten.sort.stable", x, stable=True, dim=-1, descending=descending), relax)
    if relax and x.ndim:
        check(program("aten.sort.default", x, 0, descending), relax)


@pytest.mark.parametrize("largest", [False, True], ids=["least", "largest"])
@pytest.mark.parametrize("dim", [0, 1])
def test_the_first_few(dim: int, largest: bool) -> None:
    x = torch.randperm(30, generator=torch.Generator().manual_seed(0)).reshape(5, 6).float()
    check(program("aten.topk.default", x, 3, dim, largest))
    check(program("aten.topk.default", EDGES, 2, 1, largest), relax=False)
