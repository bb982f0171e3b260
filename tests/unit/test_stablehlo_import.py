"""StableHLO text means what our own export meant by it, and what jax meant by what it printed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from lowering.export.stablehlo import stablehlo_text
from lowering.interpreter.run import find_function, run
from lowering.stablehlo_to_tensor import import_stablehlo
from mlc_dialects.common.types import element_type
from mlc_support.errors import MlcError
from mlc_support.locations import location_of
from mlc_support.verification import verify_module
from tests.unit.export_cases import CASES, INDEXED
from tests.unit.test_exports import agree, inputs_of, module_of
from tools import mlc_translate
from tools.graphs import load_graph

TEXTS = Path(__file__).parent / "stablehlo"
ALL = {**CASES, **INDEXED}
OUTSIDE = {
    "scan-logaddexp": "a region that is not one of add, multiply",
    "random-scalar": "elements of type ui64",
}
"""Programs whose own text is not read again."""


@pytest.mark.parametrize("name", ALL)
def test_an_export_comes_back(name: str) -> None:
    module = module_of(ALL[name])
    text = stablehlo_text(module)
    if name in OUTSIDE:
        with pytest.raises(MlcError, match=OUTSIDE[name]):
            import_stablehlo(text)
        return
    again = import_stablehlo(text, "again.mlir")
    verify_module(again)
    inputs = inputs_of(module)
    agree(run(again, inputs), run(module, inputs))


def test_8_bit_floats_come_back() -> None:
    """`convert` has NaN beyond the largest f8E4M3FN, where PyTorch and our cast have the largest: exports say so."""
    text = """func.func @main(%x: tensor<10xf32>) -> (tensor<10xf8E4M3FN>, tensor<10xf8E5M2>, tensor<2xf8E5M2>) {
  %a = mlc_tensor.cast %x : tensor<10xf32> -> tensor<10xf8E4M3FN>
  %b = mlc_tensor.cast %x : tensor<10xf32> -> tensor<10xf8E5M2>
  %c = mlc_tensor.constant dense<[-1.5, 0.25]> : tensor<2xf8E5M2>
  func.return %a, %b, %c : tensor<10xf8E4M3FN>, tensor<10xf8E5M2>, tensor<2xf8E5M2>
}"""
    numbers = [0.0, -0.0, 1.1, 464.0, 465.0, -1e9, 61440.0, float("inf"), float("-inf"), float("nan")]
    module, inputs = module_of(text), [np.array(numbers, np.float32)]
    exported = stablehlo_text(module)
    for found, wanted in zip(run(import_stablehlo(exported), inputs), run(module, inputs), strict=True):
        np.testing.assert_array_equal(found, wanted)
    plain = "func.func @main(%x: tensor<10xf32>) -> tensor<10xf8E4M3FN> {\n"
    plain += "  %r = stablehlo.convert %x : (tensor<10xf32>) -> tensor<10xf8E4M3FN>\n"
    (found,) = run(import_stablehlo(f"{plain}  return %r : tensor<10xf8E4M3FN>\n}}"), inputs)
    np.testing.assert_array_equal(np.isnan(found), ~(np.abs(inputs[0]) <= 464))


# What jax prints


def _attention(q: Any, k: Any, v: Any) -> Any:
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def _conv_bn_relu(x: Any, w: Any, scale: Any, shift: Any, mean: Any) -> Any:
    y = F.conv2d(F.pad(x.permute(0, 3, 1, 2), (0, 1, 0, 1)), w.permute(3, 2, 0, 1), stride=2).permute(0, 2, 3, 1)
    variance = y.var((0, 1, 2), correction=0)
    return torch.relu((y - mean) * torch.rsqrt(variance + 1e-5) * scale + shift)


def _mlp_gradient(*args: Any) -> Any:
    w1, b1, w2, b2, x, y = (a.clone().requires_grad_() for a in args)
    ((torch.tanh(x @ w1 + b1) @ w2 + b2 - y) ** 2).mean().backward()
    return [p.grad for p in (w1, b1, w2, b2)]


def _embedding_gradient(table: Any, rows: Any) -> Any:
    table = table.clone().requires_grad_()
    (table[rows] ** 2).sum().backward()
    return table.grad


def _max_pool(x: Any) -> Any:
    return F.max_pool2d(x.permute(0, 3, 1, 2), 3, 2, padding=1).permute(0, 2, 3, 1)


def _views(x: Any) -> Any:
    padded = F.pad(x, (0, 2, 1, 0), value=0.5)
    return padded, x.flip(0)[:, 1::2], torch.cat([x, x.T.reshape(x.shape)], 1), x.cumsum(1)


def _cache(x: Any, place: Any, new: Any) -> Any:
    updated, first = x.clone(), min(int(place), 2)
    updated[first : first + 2, 1:4] = new
    return updated, x[first : first + 2, 2:5]


MEANT: dict[str, Callable[..., Any]] = {
    "softmax": lambda x: x.softmax(-1),
    "layer_norm": lambda x, scale, shift: F.layer_norm(x, (8,), scale, shift),
    "gelu": lambda x: (F.gelu(x), F.gelu(x, approximate="tanh")),
    "attention": _attention,
    "cross_entropy": F.cross_entropy,
    "conv_bn_relu": _conv_bn_relu,
    "mlp_gradient": _mlp_gradient,
    "embedding": lambda table, rows: table[rows],
    "embedding_gradient": _embedding_gradient,
    "extremes": lambda x: (x.argmax(1).int(), x.argmin().int(), x.amax(0), x.amin()),
    "max_pool": _max_pool,
    "views": _views,
    "cache": _cache,
}
"""Each text and its function in PyTorch."""


def _inputs(function: Any, seed: int) -> list[torch.Tensor]:
    """Normal numbers, and integers from 0 to 3."""
    generator = torch.Generator().manual_seed(seed)
    types: list[Any] = [a.type for a in function.body.block.args]
    return [
        torch.randn(t.get_shape(), generator=generator)
        if str(element_type(t)) == "f32"
        else torch.randint(0, 4, t.get_shape(), generator=generator, dtype=torch.int32)
        for t in types
    ]


def test_every_text_has_its_meaning() -> None:
    assert {path.name.partition(".")[0] for path in TEXTS.glob("*.mlir")} == MEANT.keys()


@pytest.mark.parametrize("name", MEANT)
def test_what_jax_prints_is_read(name: str) -> None:
    module = load_graph(str(TEXTS / f"{name}.stablehlo.mlir"))
    inputs = _inputs(find_function(module), 0)
    wanted = MEANT[name](*(i.long() if name == "cross_entropy" and i.dtype == torch.int32 else i for i in inputs))
    wanted = [wanted] if isinstance(wanted, torch.Tensor) else wanted
    agree(run(module, [i.numpy() for i in inputs]), [w.numpy() for w in wanted])


def test_nan_and_equals_among_extremes() -> None:
    module = load_graph(str(TEXTS / "extremes.stablehlo.mlir"))
    x = torch.tensor([[1, np.nan, 3, np.nan], [np.nan] * 4, [2, 2, 1, 0], [-np.inf, np.inf, 0, -0.0]])
    agree(run(module, [x.numpy()]), [w.numpy() for w in MEANT["extremes"](x)])


# What is outside


def _function(*lines: str, arguments: str = "%x: tensor<4x6xf32>", result: str = "tensor<4x6xf32>") -> str:
    body = "\n".join(f"  {line}" for line in lines)
    return f"func.func public @main({arguments}) -> ({result}) {{\n{body}\n  return %r : {result}\n}}\n"


PAIR = """%c = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = DIM : tensor<4x6xi32>
  %v, %r = stablehlo.reduce(%x init: %c), (%i init: %z) across dimensions = [1] : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%k: tensor<i32>, %l: tensor<i32>)  {
    %g = stablehlo.compare HOW, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %m = stablehlo.select %g, %a, %b : tensor<i1>, tensor<f32>
    %p = stablehlo.select %g, %k, %l : tensor<i1>, tensor<i32>
    stablehlo.return %m, %p : tensor<f32>, tensor<i32>
  }"""  # noqa: E501

NEITHER = "".join(_function("%r = stablehlo.abs %x : tensor<4x6xf32>").replace("@main", f) for f in ("@f", "@g"))
REFUSED = {
    "op": (
        _function('%r = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({}) : (tensor<4x6xf32>) -> tensor<4x6xf32>'),
        r"stablehlo.sort cannot be imported\n  --> f.mlir:2:9",
    ),
    "short op": (
        _function("%r = stablehlo.custom_call @f(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>"),
        r"stablehlo.custom_call cannot be imported\n  --> f.mlir:2:8",
    ),
    "type": (
        _function("%r = stablehlo.abs %x : tensor<4xui32>", arguments="%x: tensor<4xui32>", result="tensor<4xui32>"),
        r"argument %x is outside: elements of type ui32: supported are i1, ui8",
    ),
    "dynamic": (
        _function("%r = stablehlo.abs %x : tensor<?xf32>", arguments="%x: tensor<?xf32>", result="tensor<?xf32>"),
        "the dynamic size in tensor<.*>: give every size a number",
    ),
    "complex": (
        _function(
            '%r = "stablehlo.convert"(%x) : (tensor<4x6xf32>) -> tensor<4x6xcomplex<f32>>',
            result="tensor<4x6xcomplex<f32>>",
        ),
        r"stablehlo.convert is outside: elements of type complex<f32>.*\n  --> f.mlir:2:3",
    ),
    "not first of equals": (
        _function(PAIR.replace("DIM", "1").replace("HOW", "GT"), result="tensor<4xi32>"),
        r"stablehlo.reduce is outside: a reduction of two operands that is neither argmax nor argmin\n  --> f.mlir:5:3",
    ),
    "callee": (
        _function("%r = call @g(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>"),
        r"func.call calls @g, which the text does not define",
    ),
    "own caller": (
        _function("%r = call @main(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>"),
        "@main calls itself",
    ),
    "wrong type": (
        _function(
            "%r = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x5xf32>",
            result="tensor<6x5xf32>",
        ),
        r"transpose is malformed: its operands give tensor<6x4xf32>, and it says tensor<6x5xf32>",
    ),
    "operands": (
        _function('%r = "stablehlo.add"(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>'),
        "stablehlo.add is malformed: takes 2 operands, found 1",
    ),
    "unstated": (
        _function('%r = "stablehlo.transpose"(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>'),
        "stablehlo.transpose is malformed: it states no permutation",
    ),
    "no main": (NEITHER, "which function is to be imported.*it has @f, @g"),
    "not the text": ("func.func @main(", "expected"),
}  # fmt: skip
"""A text, and what is said of it."""


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_outside_is_named_with_its_line(name: str) -> None:
    text, message = REFUSED[name]
    with pytest.raises(MlcError, match=f"(?s){message}"):
        import_stablehlo(text, "f.mlir")


def test_positions_that_are_not_counted_along_the_reduced_dimension() -> None:
    whole = (TEXTS / "extremes.stablehlo.mlir").read_text()
    with pytest.raises(MlcError, match="whose second does not count the first's elements"):
        import_stablehlo(whole.replace("iota dim = 1 : tensor<4x4xi32>", "iota dim = 0 : tensor<4x4xi32>"))


@pytest.mark.parametrize(
    ("line", "numbers", "wanted"),
    [
        ("%r = stablehlo.round_nearest_afz %x : tensor<4xf32>", [0.5, -0.5, 2.5, 0.49999997], [1, -1, 3, 0]),
        ("%r = stablehlo.sign %x : tensor<4xf32>", [np.nan, -0.0, 3, -np.inf], [np.nan, -0.0, 1, -1]),
        ("%r = stablehlo.reduce_precision %x, format = e8m7 : tensor<4xf32>", [1.001, 2, 3, 255.9], [1, 2, 3, 256]),
        ("%r = stablehlo.reverse %x, dims = [0] : tensor<4xf32>", [1, 2, 3, 4], [4, 3, 2, 1]),
        (
            "%r = chlo.is_inf %x : tensor<4xf32> -> tensor<4xi1>",
            [np.inf, -np.inf, np.nan, 1],
            [True, True, False, False],
        ),
        ("%r = stablehlo.optimization_barrier %x : tensor<4xf32>", [1, 2, 3, 4], [1, 2, 3, 4]),
        (
            '%r = stablehlo.composite "chlo.f" %x {decomposition = @twice} : (tensor<4xf32>) -> tensor<4xf32>',
            [1, 2, 3, 4],
            [2, 4, 6, 8],
        ),
    ],
)
def test_single_ops(line: str, numbers: list[float], wanted: list[float]) -> None:
    """Bit for bit where the sign of zero counts."""
    result = "tensor<4xi1>" if "xi1" in line else "tensor<4xf32>"
    twice = _function(
        "%r = stablehlo.add %x, %x : tensor<4xf32>", arguments="%x: tensor<4xf32>", result="tensor<4xf32>"
    )
    text = _function(line, arguments="%x: tensor<4xf32>", result=result) + twice.replace(
        "public @main", "private @twice"
    )
    (found,) = run(import_stablehlo(text), [np.array(numbers, np.float32)])
    np.testing.assert_array_equal(found, np.array(wanted, found.dtype))
    assert found.dtype == np.bool_ or (np.signbit(found) == np.signbit(np.array(wanted, found.dtype))).all()


def test_a_dense_text_of_bytes_is_read() -> None:
    line = '%r = stablehlo.constant dense<"0x0000803F0000004000004040"> : tensor<3xf32>'
    (found,) = run(import_stablehlo(_function(line, arguments="", result="tensor<3xf32>")), [])
    np.testing.assert_array_equal(found, [1, 2, 3])


WITH_LOCATIONS = """#loc1 = loc("x")
module @jit_f {
  func.func public @main(%x: tensor<4xf32> loc("x")) -> (tensor<4xf32> {jax.result_info = "result"}) {
    %start = stablehlo.constant dense<0.000000e+00> : tensor<f32> loc(#loc)
    %0 = stablehlo.sine %x : tensor<4xf32> loc(#loc9)
    %r = stablehlo.LAST %0 : tensor<4xf32> loc(#loc8)
    return %r : tensor<4xf32> loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc = loc(unknown)
#loc2 = loc("FILE":5:8 to :18)
#loc3 = loc("other.py":7:2 to 9:4)
#loc4 = loc("f"(#loc2))
#loc8 = loc(callsite(#loc4 at #loc3))
#loc9 = loc("jit(f)/sin"(#loc8))
"""
"""As jax prints it with `debug_info=True`."""


def _located(sources: bool, last: str = "cosine") -> Any:
    text = WITH_LOCATIONS.replace("FILE", __file__).replace("LAST", last)
    return import_stablehlo(text, "f.mlir", sources)


def test_locations_of_python_are_kept() -> None:
    (sine,) = (op for op in _located(True).walk() if op.name == "mlc_tensor.sin")
    place = location_of(sine)
    assert place is not None and (place.file, place.line, place.source) == (
        __file__,
        5,
        "from collections.abc import Callable",
    )


def test_a_file_that_a_text_names_is_not_opened_unasked() -> None:
    (sine,) = (op for op in _located(False).walk() if op.name == "mlc_tensor.sin")
    place = location_of(sine)
    assert place is not None and (place.file, place.line, place.source) == (__file__, 5, None)


def test_an_error_names_the_line_of_the_text_and_that_of_python() -> None:
    with pytest.raises(
        MlcError, match=r"(?s)power is malformed.*--> f.mlir:6:5  %r = .*xf32>\n  it comes from .*import.py:5:8$"
    ):
        _located(False, "power")


# The tools


def test_the_language_of_a_file_is_read_off_its_name_or_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (TEXTS / "softmax.stablehlo.mlir").read_text()
    (tmp_path / "f.mlir").write_text(text)
    assert mlc_translate.main([str(TEXTS / "softmax.stablehlo.mlir"), "--to", "fused"]) == 0
    assert "mlc_tensor.fusion" in capsys.readouterr().out
    assert mlc_translate.main([str(tmp_path / "f.mlir"), "--from", "stablehlo", "--to", "source"]) == 0
    assert "@triton.jit" in capsys.readouterr().out
    assert mlc_translate.main([str(tmp_path / "f.mlir")]) == 1
    assert "mlc-translate --from stablehlo reads it" in capsys.readouterr().err
