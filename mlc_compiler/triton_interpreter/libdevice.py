"""CUDA's libdevice for interpreted kernels: a name, its arity and a numpy or PyTorch function per line.

Upstream, a libdevice function called from an interpreted kernel returns None. Results agree with the GPU to a few units
in the last place, not bit for bit. Functions take and return f32 or f64; bf16 and f16 compute in f32 and round once.
"""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import triton.language as tl
from triton.language.semantic import TritonSemantic
from triton.runtime.interpreter import TensorHandle

from mlc_compiler.triton_interpreter import numerics as numerics
from mlc_compiler.triton_interpreter.builder import narrow, numpy_type, wide
from mlc_compiler.triton_interpreter.numerics import Array


def _torch(function: Callable[..., torch.Tensor]) -> Callable[..., Array]:
    """A PyTorch function on numpy arrays."""
    return lambda *arrays: function(*(torch.from_numpy(np.array(array)) for array in arrays)).numpy()


def _in_double(function: Callable[..., Array]) -> Callable[..., Array]:
    """A function computed in float64, for those that lose digits in float32."""
    return lambda *arrays: function(*(array.astype(np.float64) for array in arrays)).astype(arrays[0].dtype)


def _round_half_away(x: Array) -> Array:
    """C `round`: halves go away from zero; 0.5 - one ulp goes to zero."""
    whole = np.trunc(x)
    return np.copysign(np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1.0, x), whole), x).astype(x.dtype)


def _ldexp(x: Array, exponent: Array) -> Array:
    """x * 2 ** exponent"""
    return np.ldexp(x, exponent.astype(np.int32))


def _fma(x: Array, y: Array, z: Array) -> Array:
    """x * y + z, rounded once for float32."""
    return numerics.fma_exact(x, y, z).astype(np.float32) if x.dtype == np.float32 else x * y + z


def _gamma(x: Array) -> Array:
    """gamma(x), with the sign that lgamma drops: negative on (-1, 0), positive on (-2, -1), ...; NaN at -1, -2, ..."""
    magnitude = np.exp(_torch(torch.lgamma)(x))
    sign = np.where((x < 0) & (np.floor(x) % 2 != 0), -1.0, 1.0)
    pole = (x < 0) & (x == np.floor(x))
    return np.where(pole, np.nan, np.where(x == 0, np.copysign(np.inf, x), sign * magnitude))


SAME_TYPE: dict[str, Callable[..., Array]] = {
    # Roots, powers, exponentials and logarithms.
    "sqrt": np.sqrt,
    "sqrt_rn": np.sqrt,
    "cbrt": np.cbrt,
    "pow": np.power,
    "fast_powf": np.power,
    "rsqrt": _in_double(lambda x: 1 / np.sqrt(x)),
    "rsqrt_rn": _in_double(lambda x: 1 / np.sqrt(x)),
    "rcbrt": _in_double(lambda x: 1 / np.cbrt(x)),
    "rcp_rn": lambda x: (1 / x).astype(x.dtype),
    "exp": np.exp,
    "fast_expf": np.exp,
    "exp2": np.exp2,
    "exp10": _in_double(lambda x: 10.0**x),
    "fast_exp10f": _in_double(lambda x: 10.0**x),
    "expm1": np.expm1,
    "log": np.log,
    "fast_logf": np.log,
    "log2": np.log2,
    "fast_log2f": np.log2,
    "log10": np.log10,
    "fast_log10f": np.log10,
    "log1p": np.log1p,
    # Trigonometry.
    "sin": np.sin,
    "fast_sinf": np.sin,
    "cos": np.cos,
    "fast_cosf": np.cos,
    "tan": np.tan,
    "fast_tanf": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "sinpi": _in_double(lambda x: np.sin(np.pi * np.fmod(x, 2.0))),
    "cospi": _in_double(lambda x: np.cos(np.pi * np.fmod(x, 2.0))),
    # Rounding, remainders and bits.
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
    "nearbyint": np.rint,
    "round": _round_half_away,
    "fmod": np.fmod,
    "remainder": _in_double(lambda x, y: x - y * np.rint(x / y)),
    "abs": np.abs,
    "copysign": np.copysign,
    "nextafter": np.nextafter,
    "ldexp": _ldexp,
    "scalbn": _ldexp,
    "logb": lambda x: (np.frexp(x)[1] - 1).astype(x.dtype),
    "saturatef": lambda x: np.fmin(np.fmax(x, 0), 1).astype(x.dtype),
    # Arithmetic with a stated rounding.
    "add_rn": np.add,
    "sub_rn": np.subtract,
    "mul_rn": np.multiply,
    "div_rn": np.divide,
    "fast_dividef": np.divide,
    "fma": _fma,
    "fma_rn": _fma,
    "fdim": lambda x, y: np.where(x > y, x - y, np.where(x <= y, 0, x + y)),
    "hypot": np.hypot,
    "rhypot": _in_double(lambda x, y: 1 / np.hypot(x, y)),
    "norm3d": _in_double(lambda x, y, z: np.sqrt(x * x + y * y + z * z)),
    "rnorm3d": _in_double(lambda x, y, z: 1 / np.sqrt(x * x + y * y + z * z)),
    # Special functions.
    "erf": _torch(torch.erf),
    "erfc": _torch(torch.erfc),
    "erfinv": _torch(torch.erfinv),
    "erfcinv": _in_double(lambda x: -_torch(torch.special.ndtri)(x / 2) / np.sqrt(2.0)),
    "erfcx": _torch(torch.special.erfcx),
    "normcdf": _torch(torch.special.ndtr),
    "normcdfinv": _torch(torch.special.ndtri),
    "lgamma": _torch(torch.lgamma),
    "tgamma": _in_double(_gamma),
    "j0": _torch(torch.special.bessel_j0),
    "j1": _torch(torch.special.bessel_j1),
    "y0": _torch(torch.special.bessel_y0),
    "y1": _torch(torch.special.bessel_y1),
    "cyl_bessel_i0": _torch(torch.special.i0),
    "cyl_bessel_i1": _torch(torch.special.i1),
}
"""Functions whose result has the type of their first argument."""

OTHER_TYPE: dict[str, tuple[tl.dtype, Callable[..., Array]]] = {
    "isnan": (tl.int1, np.isnan),
    "isinf": (tl.int1, np.isinf),
    "isfinited": (tl.int1, np.isfinite),
    "finitef": (tl.int1, np.isfinite),
    "signbit": (tl.int32, np.signbit),
    "ilogb": (tl.int32, lambda x: np.frexp(x)[1] - 1),
    "llrint": (tl.int64, np.rint),
    "llround": (tl.int64, _round_half_away),
    "float2int_rn": (tl.int32, np.rint),
    "float2int_rz": (tl.int32, np.trunc),
    "float2int_rd": (tl.int32, np.floor),
    "float2int_ru": (tl.int32, np.ceil),
    "float2ll_rn": (tl.int64, np.rint),
    "float2ll_rz": (tl.int64, np.trunc),
    "double2int_rn": (tl.int32, np.rint),
    "double2int_rz": (tl.int32, np.trunc),
    "double2ll_rn": (tl.int64, np.rint),
    "double2ll_rz": (tl.int64, np.trunc),
    "float_as_int": (tl.int32, lambda x: x.view(np.int32)),
    "int_as_float": (tl.float32, lambda x: x.view(np.float32)),
    "double_as_longlong": (tl.int64, lambda x: x.view(np.int64)),
    "longlong_as_double": (tl.float64, lambda x: x.view(np.float64)),
    "popc": (tl.int32, lambda x: np.bitwise_count(x.view(f"u{x.dtype.itemsize}"))),
}
"""Functions whose result has a type of its own."""

INTEGER_OPERANDS = frozenset(("ldexp", "scalbn"))
"""Functions whose last argument is an integer."""


def implementations(semantic: TritonSemantic[Any]) -> dict[str, Callable[..., Any]]:
    """Every libdevice function known here, on tensors and Python numbers."""
    found = {name: _on_tensors(semantic, name, function, None) for name, function in SAME_TYPE.items()}
    found |= {name: _on_tensors(semantic, name, function, dtype) for name, (dtype, function) in OTHER_TYPE.items()}
    return found


def refusal(name: str) -> Callable[..., Any]:
    """What stands for a libdevice function that is not known here, so that it cannot return None unnoticed."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"libdevice.{name} cannot be interpreted; add it to {__name__}")

    return refuse


def _on_tensors(
    semantic: TritonSemantic[Any], name: str, function: Callable[..., Array], result_type: tl.dtype | None
) -> Callable[..., Any]:
    """A function of arrays as one of tensors: operands broadcast and share a type, as libdevice demands."""

    def call(*operands: Any, **_: Any) -> Any:
        tensors: list[Any] = [semantic.to_tensor(operand) for operand in operands]
        count = len(tensors) - (name in INTEGER_OPERANDS)
        # Twice: what the last operand widens must reach the first ones.
        for left, right in 2 * list(itertools.pairwise(range(len(tensors)))):
            if right < count:
                tensors[left], tensors[right] = semantic.binary_op_type_checking_impl(
                    tensors[left], tensors[right], arithmetic_check=True
                )
            else:
                tensors[left], tensors[right] = semantic.broadcast_impl_value(tensors[left], tensors[right])
        dtype = result_type or tensors[0].dtype
        values = function(*(_operand(tensor.handle) for tensor in tensors))
        if dtype.is_int() and values.dtype.kind == "f":
            handle = TensorHandle(numerics.float_to_int(values, numpy_type(dtype)), dtype)
        else:
            handle = narrow(values, dtype)
        return tl.tensor(handle, tensors[0].type.with_element_ty(dtype) if tensors[0].type.is_block() else dtype)

    return call


def _operand(handle: TensorHandle) -> Array:
    """The values, at least float32 if floating."""
    values = wide(handle)
    return values.astype(np.float32) if values.dtype == np.float16 else np.ascontiguousarray(values)
