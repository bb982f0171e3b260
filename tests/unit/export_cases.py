"""Programs that the exports must say right: the elementwise table, and every other op of `mlc_tensor`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mlc_dialects.semantics.numerics import Array
from mlc_dialects.tensor.elementwise import OPS

INPUTS = {"f": "f32", "i": "i32", "b": "i1"}
X, Y, C = "%x: tensor<4x6xf32>", "%y: tensor<4x6xf32>", "%c: tensor<4x6xi1>"


def table() -> Iterator[tuple[str, str]]:
    """Name and text of a function for each entry and element kind."""
    for op in OPS:
        function = op.FUNCTION
        for kind in filter(INPUTS.get, function.kinds):  # numpy has no 8-bit floats
            element = INPUTS[kind]
            names = ["%x", "%y", "%z"][: function.arity]
            arguments = [f"{n}: tensor<4x6x{element}>" for n in names]
            if function.name == "select":
                names, arguments = ["%c", "%x", "%y"], [C, *(f"%{n}: tensor<4x6x{element}>" for n in "xy")]
            result = "i1" if function.predicate else element
            yield (
                f"{function.name}-{element}",
                f"""func.func @main({", ".join(arguments)}) -> tensor<4x6x{result}> {{
  %r = mlc_tensor.{function.name} {", ".join(names)} : tensor<4x6x{element}>
  func.return %r : tensor<4x6x{result}>
}}""",
            )


def _one(arguments: str, text: str, result: str) -> str:
    return f"func.func @main({arguments}) -> {result} {{\n  {text}\n  func.return %r : {result}\n}}"


def _reduce(kind: str, dims: str, shape: str, element: str = "f32", to: str | None = None) -> str:
    result = f"tensor<{shape}x{to or element}>"
    text = f"%r = mlc_tensor.reduce {kind} %x dims {dims} : tensor<4x6x{element}> -> {result}"
    return _one(f"%x: tensor<4x6x{element}>", text, result)


def _view(text: str, result: str) -> str:
    return _one(X, f"%r = mlc_tensor.{text} : tensor<4x6xf32> -> {result}", result)


OTHERS = {
    "cast-down": _one(X, "%r = mlc_tensor.cast %x : tensor<4x6xf32> -> tensor<4x6xi32>", "tensor<4x6xi32>"),
    "cast-half": _one(X, "%r = mlc_tensor.cast %x : tensor<4x6xf32> -> tensor<4x6xf16>", "tensor<4x6xf16>"),
    "cast-truth": _one(X, "%r = mlc_tensor.cast %x : tensor<4x6xf32> -> tensor<4x6xi1>", "tensor<4x6xi1>"),
    "cast-up": _one(C, "%r = mlc_tensor.cast %c : tensor<4x6xi1> -> tensor<4x6xf32>", "tensor<4x6xf32>"),
    "sum": _reduce("add", "[1]", "4x1"),
    "sum-all": _reduce("add", "[0, 1]", "1x1"),
    "product": _reduce("mul", "[0]", "1x6"),
    "max": _reduce("max", "[1]", "4x1"),
    "min": _reduce("min", "[0]", "1x6", "i32"),
    "every": _reduce("and", "[1]", "4x1", "i1"),
    "any": _reduce("or", "[0, 1]", "1x1", "i1"),
    "argmax": _reduce("argmax", "[1]", "4x1", to="i64"),
    "argmin-all": _reduce("argmin", "[0, 1]", "1x1", to="i64"),
    "broadcast": _one(
        "%b: tensor<6xf32>", "%r = mlc_tensor.broadcast %b : tensor<6xf32> -> tensor<4x6xf32>", "tensor<4x6xf32>"
    ),
    "reshape": _view("reshape %x", "tensor<3x8xf32>"),
    "permute": _view("permute %x [1, 0]", "tensor<6x4xf32>"),
    "slice": _view("slice %x [1, 1] step [1, 2]", "tensor<3x2xf32>"),
    "slice-backwards": _view("slice %x [3, 0] step [-1, 1]", "tensor<4x6xf32>"),
    "roll": _view("roll %x [3, 2]", "tensor<4x6xf32>"),
    "pad": _view("pad %x low [1, 0] value 2.5 : f32", "tensor<6x9xf32>"),
    "cat": _one(
        f"{X}, {Y}",
        "%r = mlc_tensor.cat %x, %y dim 1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>",
        "tensor<4x12xf32>",
    ),
    "iota": _one(X, "%r = mlc_tensor.iota dim 1 : tensor<4x6xi64>", "tensor<4x6xi64>"),
    "splat": _one(X, "%r = mlc_tensor.constant 0.1 : tensor<4x6xf32>", "tensor<4x6xf32>"),
    "infinity": _one(X, "%r = mlc_tensor.constant 0xFF800000 : tensor<4x6xf32>", "tensor<4x6xf32>"),
    "nan": _one(X, "%r = mlc_tensor.constant 0x7FC00000 : tensor<4x6xf32>", "tensor<4x6xf32>"),
    "dense": _one(X, "%r = mlc_tensor.constant dense<[[1, -2], [3, 4]]> : tensor<2x2xi64>", "tensor<2x2xi64>"),
    "matmul": _one(
        "%x: tensor<4x6xf32>, %w: tensor<6x3xf32>",
        "%r = mlc_tensor.matmul %x, %w : tensor<4x6xf32>, tensor<6x3xf32> -> tensor<4x3xf32>",
        "tensor<4x3xf32>",
    ),
    "matmul-batched": _one(
        "%x: tensor<2x3x4x6xf32>, %w: tensor<2x3x6x2xf32>",
        "%r = mlc_tensor.matmul %x, %w : tensor<2x3x4x6xf32>, tensor<2x3x6x2xf32> -> tensor<2x3x4x2xf32>",
        "tensor<2x3x4x2xf32>",
    ),
    "implicit-broadcast": """func.func @main(%x: tensor<4x6xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %k = mlc_tensor.constant 2.0 : tensor<6xf32>
  %kb = mlc_tensor.broadcast %k : tensor<6xf32> -> tensor<4x6xf32>
  %bb = mlc_tensor.broadcast %b : tensor<6xf32> -> tensor<4x6xf32>
  %p = mlc_tensor.mul %bb, %kb : tensor<4x6xf32>
  %r = mlc_tensor.add %x, %p : tensor<4x6xf32>
  func.return %r : tensor<4x6xf32>
}""",
    **{
        f"{function}-f16": _one(
            "%x: tensor<4x6xf16>", f"%r = mlc_tensor.{function} %x : tensor<4x6xf16>", "tensor<4x6xf16>"
        )
        for function in ("acos", "sinh")
    },
    **{
        f"{function}-i1": _one(
            "%a: tensor<4x6xi1>, %b: tensor<4x6xi1>",
            f"%r = mlc_tensor.{function} %a, %b : tensor<4x6xi1>",
            "tensor<4x6xi1>",
        )
        for function in ("eq", "le")
    },
    **{
        f"{function}-by-zero": _one(
            X,
            f"%k = mlc_tensor.constant 0.0 : tensor<4x6xf32>\n  %r = mlc_tensor.{function} %x, %k : tensor<4x6xf32>",
            "tensor<4x6xf32>",
        )
        for function in ("div", "fmod", "remainder")
    },
}
"""Name to text of a function of each op that is not in the table."""

CASES = {**dict(table()), **OTHERS}


def _placed(text: str) -> str:
    """`text` with the rows 2, 0, 2 of six columns as %rows and %columns, three times six of them."""
    return f"""func.func @main(%x: tensor<4x6xf32>, %u: tensor<3x6xf32>) -> tensor<{"4" if "scatter" in text else "3"}x6xf32> {{
  %r0 = mlc_tensor.constant dense<[[2], [0], [2]]> : tensor<3x1xi64>
  %rows = mlc_tensor.broadcast %r0 : tensor<3x1xi64> -> tensor<3x6xi64>
  %columns = mlc_tensor.iota dim 1 : tensor<3x6xi64>
  %r = mlc_tensor.{text}
  func.return %r : tensor<{"4" if "scatter" in text else "3"}x6xf32>
}}"""  # noqa: E501


def _gathers() -> dict[str, str]:
    """Gathers of windows: of all dimensions, of a batch, of the last but one, in another order, and of none."""

    def text(shape: str, *indices: str) -> str:
        """Elements of 4x5x6 by indices of 4x5x6, or of 5x4x6, where `iota D` is one; `rows` are 3, 0, 1, ..."""
        places = [f"%i{k}" for k in range(len(indices))]
        made = [
            f"  %i{k} = mlc_tensor.iota dim {i} : tensor<{shape}xi64>"
            if i.isdigit()
            else f"  %i{k} = mlc_tensor.broadcast %{i} : tensor<{ROWS[i]}xi64> -> tensor<{shape}xi64>"
            for k, i in enumerate(indices)
        ]
        types = ", ".join([f"tensor<{shape}xi64>"] * len(indices))
        return "\n".join([
            f"func.func @main(%x: tensor<4x5x6xf32>) -> tensor<{shape}xf32> {{",
            "  %front = mlc_tensor.constant dense<[[[3]], [[0]], [[1]], [[3]]]> : tensor<4x1x1xi64>",
            "  %middle = mlc_tensor.constant dense<[[3], [0], [1], [3], [2]]> : tensor<5x1xi64>",
            "  %back = mlc_tensor.constant dense<[3, 0, 1, 3, 2, 2]> : tensor<6xi64>",
            *made,
            f"  %r = mlc_tensor.gather %x[{', '.join(places)}] : tensor<4x5x6xf32>, ({types}) -> tensor<{shape}xf32>",
            f"  func.return %r : tensor<{shape}xf32>",
            "}",
        ])  # fmt: skip

    return {
        "whole": text("4x5x6", "0", "1", "2"),
        "rows": text("4x5x6", "front", "1", "2"),
        "batch": text("4x5x6", "0", "middle", "2"),
        "columns": text("4x5x6", "0", "1", "back"),
        "one-window": text("4x5x6", "front", "middle", "2"),
        "first-window": text("4x5x6", "0", "middle", "back"),
        "none": text("4x5x6", "front", "middle", "back"),
        "crossed": text("5x4x6", "1", "0", "2"),
        "diagonal": text("4x4x6", "0", "0", "2"),
        "shorter": text("3x5x6", "0", "1", "2"),
    }


ROWS = {"front": "4x1x1", "middle": "5x1", "back": "6"}
PLACES = "(tensor<3x6xi64>, tensor<3x6xi64>)"
INDEXED = {
    "gather": _placed(f"gather %x[%rows, %columns] : tensor<4x6xf32>, {PLACES} -> tensor<3x6xf32>"),
    "scatter-add": _placed(f"scatter add %x[%rows, %columns], %u : tensor<4x6xf32>, {PLACES}, tensor<3x6xf32>"),
    "scatter-set": _placed(
        f"scatter set %x[%rows, %columns], %same : tensor<4x6xf32>, {PLACES}, tensor<3x6xf32>"
    ).replace(
        "  %r = ",
        "  %k = mlc_tensor.constant 2.5 : tensor<6xf32>\n"
        "  %same = mlc_tensor.broadcast %k : tensor<6xf32> -> tensor<3x6xf32>\n  %r = ",
    ),
    "random-scalar": _one(
        "%s: tensor<2xi64>",
        "%r = mlc_tensor.random %s[1] word 2 : tensor<2xi64> -> tensor<i32>",
        "tensor<i32>",
    ),
    **{f"gather-{name}": text for name, text in _gathers().items()},
    "scan-add": _view("scan add %x dim 1", "tensor<4x6xf32>"),
    "scan-mul": _view("scan mul %x dim 0", "tensor<4x6xf32>"),
    "scan-logaddexp": _view("scan logaddexp %x dim 1", "tensor<4x6xf32>"),
    "scan-integers": _one(
        "%x: tensor<4x6xi32>", "%r = mlc_tensor.scan add %x dim 1 : tensor<4x6xi32> -> tensor<4x6xi32>",
        "tensor<4x6xi32>",
    ),
    "scatter-max": _placed(f"scatter max %x[%rows, %columns], %u : tensor<4x6xf32>, {PLACES}, tensor<3x6xf32>"),
    "scan-max": _view("scan max %x dim 1", "tensor<4x6xf32>"),
    **{
        f"scatter-{kind}-scalar": _one(
            f"%x: tensor<{element}>, %u: tensor<3x2x{element}>",
            f"%r = mlc_tensor.scatter {kind} %x[], %u : tensor<{element}>, (), tensor<3x2x{element}>",
            f"tensor<{element}>",
        )
        for kind, element in (("add", "f32"), ("max", "f32"), ("min", "i32"))
    },
    "scatter-min": _one(
        "%x: tensor<4xi32>, %u: tensor<3xi32>",
        "%i = mlc_tensor.constant dense<[2, 0, 2]> : tensor<3xi64>\n"
        "  %r = mlc_tensor.scatter min %x[%i], %u : tensor<4xi32>, (tensor<3xi64>), tensor<3xi32>",
        "tensor<4xi32>",
    ),
}  # fmt: skip
"""Gathers, scatters and scans."""


def numbers(shape: tuple[int, ...], element: str, seed: int) -> Array:
    """Inputs inside the domain of every function: (0.1, 0.9) for floats, 1 to 9 for integers, both signs in y."""
    generator = np.random.default_rng(seed)
    if element == "i1":
        return generator.random(shape) < 0.5
    if element in ("i32", "i64"):
        values = generator.integers(1, 10, size=shape) * (1 if seed == 0 else -1)
        return np.asarray(values, f"int{element[1:]}")
    return generator.uniform(0.1, 0.9, size=shape).astype(np.float16 if element == "f16" else np.float32)
