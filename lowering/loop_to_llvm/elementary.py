"""Elementary functions of scalars, by their names in C or CUDA.

Those of float32 have formulas in straight-line code, which LLVM computes by vectors: in float32 those that neural
networks are full of (`single`), in both those of angles (`angles`), in float64 and rounded once the others (`double`,
`normal`). 16-bit floats compute in float32. The other functions, and nearly all of float64, are those of the C library.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llvmlite import ir
from xdsl.dialects import math
from xdsl.ir import Operation

from lowering.loop_to_llvm.angles import ANGLES
from lowering.loop_to_llvm.double import DOUBLE_STEPS
from lowering.loop_to_llvm.floats import Floats, called, intrinsic
from lowering.loop_to_llvm.normal import NORMAL_DOUBLE, NORMAL_SINGLE
from lowering.loop_to_llvm.single import SINGLE
from lowering.loop_to_llvm.types import DOUBLE, FLOAT

__all__ = ["ERRORS", "ERRORS_DOUBLE", "FUNCTIONS", "call", "intrinsic"]

FUNCTIONS: dict[type[Operation], str] = {
    math.AcosOp: "acos", math.AcoshOp: "acosh", math.AsinOp: "asin", math.AsinhOp: "asinh", math.AtanOp: "atan",
    math.Atan2Op: "atan2", math.AtanhOp: "atanh", math.CosOp: "cos", math.CoshOp: "cosh", math.ErfOp: "erf",
    math.ExpOp: "exp", math.Exp2Op: "exp2", math.ExpM1Op: "expm1", math.LogOp: "log", math.Log10Op: "log10",
    math.Log1pOp: "log1p", math.Log2Op: "log2", math.PowFOp: "pow", math.RsqrtOp: "rsqrt", math.SinOp: "sin",
    math.SinhOp: "sinh", math.TanOp: "tan", math.TanhOp: "tanh",
}  # fmt: skip
"""What the C library calls the ops of `math`."""


def _rsqrt(f: Floats, x: ir.Value) -> ir.Value:
    return f.div(1.0, f.sqrt(x))


_FORMULAS: dict[tuple[ir.Type, str], Callable[..., ir.Value]] = {
    (FLOAT, name): formula for name, formula in (SINGLE | ANGLES | {"rsqrt": _rsqrt}).items()
} | {(DOUBLE, name): formula for name, formula in (NORMAL_DOUBLE | {"rsqrt": _rsqrt}).items()}
_WIDER = DOUBLE_STEPS | NORMAL_SINGLE
"""Functions of float32 whose formulas are in float64."""


def call(builder: ir.IRBuilder, name: str, operands: Sequence[ir.Value]) -> ir.Value:
    """The function `name` of floats of 32 or 64 bits; one of the C library where there is no formula."""
    kind = operands[0].type
    if (kind, name) in _FORMULAS:
        return _FORMULAS[kind, name](Floats(builder, kind), *operands)
    if kind == FLOAT and name in _WIDER:
        wide = [builder.fpext(v, DOUBLE) for v in operands]
        return builder.fptrunc(_WIDER[name](Floats(builder, DOUBLE), *wide), FLOAT)
    symbol = f"{name}f" if kind == FLOAT else name
    return called(builder, symbol, ir.FunctionType(kind, [kind] * len(operands)), operands)


ERRORS: dict[str, float] = {
    "acos": 0.51, "acosh": 0.51, "asin": 0.51, "asinh": 0.51, "atan": 0.51, "atan2": 0.51, "atanh": 0.51, "cos": 1.6,
    "cosh": 0.51, "erf": 1.5, "erfc": 0.51, "erfcx": 0.51, "erfinv": 0.51, "exp": 1.1, "exp2": 1.0, "expm1": 1.8,
    "fmod": 0.0, "hypot": 0.51, "lgamma": 0.51, "log": 0.9, "log10": 0.51, "log1p": 1.6, "log2": 0.51,
    "normcdfinv": 0.51, "pow": 0.52, "rsqrt": 1.5, "sin": 1.6, "sinh": 0.51, "tan": 2.6, "tanh": 1.4,
}  # fmt: skip
"""The greatest error of each function of float32, in units in the last place, for all operands."""
ERRORS_DOUBLE: dict[str, float] = {"erfcx": 9.0, "erfinv": 2.0, "normcdfinv": 3.0, "rsqrt": 1.5}
"""That of the functions of float64 that the C library has not."""
