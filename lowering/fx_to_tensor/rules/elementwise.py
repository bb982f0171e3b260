"""Rules for functions of each element: the table itself, and what combines its entries."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

import torch
from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, SSAValue

from lowering.fx_to_tensor.call import RULES, Call, NotNative, Operand, rule, wide
from lowering.fx_to_tensor.sizes import DTYPE_OF
from mlc_dialects.common.types import Shape, element_type, is_bool, is_float, is_half, kind_of
from mlc_dialects.tensor.elementwise import ELEMENTWISE, OPS
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_support.index_expr import IndexExpr


def _takes(name: str, element: Attribute) -> bool:
    return kind_of(element) in ELEMENTWISE[name].FUNCTION.kinds


def _table_rule(cls: type[ElementwiseOp], call: Call, *arguments: Any) -> SSAValue:
    """f(x, y) on operands promoted as torch does; comparisons round numbers to that type."""
    function = cls.FUNCTION
    operands = arguments[: function.arity]
    element = call.promoted(*operands) if function.predicate else call.element
    if not _takes(function.name, element):
        raise NotNative(f"{function.name} has no meaning for {element}")
    return call.apply(function.name, *operands, element=element)


def _register_table() -> None:
    for cls in OPS:
        for name in cls.FUNCTION.aten:
            base, _, overload = name.partition(".")
            RULES[f"aten.{name}"] = partial(_table_rule, cls)
            if overload == "Tensor":
                for other in ("Scalar", "Scalar_Tensor"):
                    RULES[f"aten.{base}.{other}"] = partial(_table_rule, cls)


_register_table()


def _is_exact(value: Operand, element: Attribute) -> bool:
    if isinstance(value, SSAValue | IndexExpr):
        return isinstance(value, SSAValue)
    rounded = torch.tensor(value, dtype=torch.float64).to(DTYPE_OF[element]).item()
    return rounded == value or value != value


def _arithmetic(call: Call, name: str, *operands: Operand) -> SSAValue:
    """A function of one rounding: numbers that a half type would round enter in float32."""
    element = call.element
    if is_half(element) and not all(_is_exact(v, element) for v in operands):
        return call.cast(call.apply(name, *operands, element=wide(element)), element)
    return call.apply(name, *operands)


def _add_scaled(call: Call, name: str, x: Operand, y: Operand, alpha: Any) -> SSAValue:
    """x + alpha * y (or -), rounded once."""
    element = call.element
    if isinstance(alpha, int | float) and alpha == 1:
        return _arithmetic(call, name, x, y)
    compute = wide(element)
    scaled = call.apply("mul", y, alpha, element=compute)
    return call.cast(call.apply(name, x, scaled, element=compute), element)


@rule("prims.fma.default")
def _fma(call: Call, x: Operand, y: Operand, z: Operand) -> SSAValue:
    """x * y + z, rounded once: what `addcmul_` of a compiled function is."""
    return call.cast(call.apply("fma", x, y, z, element=wide(call.element)), call.element)


@rule("add.Tensor", "add.Scalar")
def _add(call: Call, x: Operand, y: Operand, alpha: Any = 1) -> SSAValue:
    if is_bool(call.element):
        if alpha not in (1, True):
            raise NotNative("a scaled sum of booleans")
        return call.apply("or", x, y)
    return _add_scaled(call, "add", x, y, alpha)


@rule("sub.Tensor", "sub.Scalar")
def _sub(call: Call, x: Operand, y: Operand, alpha: Any = 1) -> SSAValue:
    return _add_scaled(call, "sub", x, y, alpha)


@rule("rsub.Tensor", "rsub.Scalar")
def _rsub(call: Call, x: Operand, y: Operand, alpha: Any = 1) -> SSAValue:
    return _add_scaled(call, "sub", y, x, alpha)


@rule("mul.Tensor", "mul.Scalar")
def _mul(call: Call, x: Operand, y: Operand) -> SSAValue:
    return call.apply("and", x, y) if is_bool(call.element) else _arithmetic(call, "mul", x, y)


@rule("div.Tensor", "div.Scalar", "div.Tensor_mode", "div.Scalar_mode")
def _div(call: Call, x: Operand, y: Operand, rounding_mode: str | None = None) -> SSAValue:
    if is_bool(call.element):
        raise NotNative("a rounded quotient of booleans")
    if rounding_mode == "floor":
        return _arithmetic(call, "floordiv", x, y)
    if rounding_mode == "trunc" and not is_float(call.element):
        return call.apply("truncdiv", x, y)
    quotient = _arithmetic(call, "div", x, y)
    return call.apply("trunc", quotient) if rounding_mode == "trunc" else quotient


@rule("floor_divide.default", "floor_divide.Scalar")
def _floor_divide(call: Call, x: Operand, y: Operand) -> SSAValue:
    return _div(call, x, y, "floor")  # pyright: ignore[reportReturnType]


@rule("reciprocal.default")
def _reciprocal(call: Call, x: SSAValue) -> SSAValue:
    return call.apply("div", 1.0, x)


@rule("square.default")
def _square(call: Call, x: SSAValue) -> SSAValue:
    return call.apply("and" if is_bool(call.element) else "mul", x, x)


def _integer_power(call: Call, x: SSAValue, exponent: int, element: Attribute) -> SSAValue:
    """x ** exponent by squaring, exponent >= 1."""
    power: SSAValue | None = None
    while True:
        if exponent & 1:
            power = x if power is None else call.apply("mul", power, x, element=element)
        exponent >>= 1
        if not exponent:
            assert power is not None
            return power
        x = call.apply("mul", x, x, element=element)


@rule("pow.Tensor_Scalar")
def _pow_scalar(call: Call, x: SSAValue, exponent: Any) -> SSAValue:
    """x ** n as torch has it: products for small n, roots for halves, else the power function."""
    element, compute = call.element, wide(call.element)
    if isinstance(exponent, IndexExpr) or is_bool(element):
        return cast(SSAValue, _pow(call, x, exponent))
    if exponent == 0:
        return call.full(1, call.shape, element)
    base = call.cast(x, compute)
    if exponent == int(exponent) and 0 < exponent <= (3 if is_float(element) else 64):
        return call.cast(_integer_power(call, base, int(exponent), compute), element)
    if not is_float(element):
        raise NotNative("an integer to a negative or great power")
    if exponent in (0.5, -0.5):
        return call.apply("sqrt" if exponent > 0 else "rsqrt", x)
    if exponent in (-1, -2):
        divisor = base if exponent == -1 else call.apply("mul", base, base, element=compute)
        return call.cast(call.apply("div", 1.0, divisor, element=compute), element)
    return cast(SSAValue, _pow(call, x, exponent))


@rule("pow.Tensor_Tensor", "pow.Scalar")
def _pow(call: Call, x: Operand, exponent: Operand) -> SSAValue:
    if not is_float(call.element):
        raise NotNative("a power of integers")
    return _arithmetic(call, "pow", x, exponent)


@rule("relu.default")
def _relu(call: Call, x: SSAValue) -> SSAValue:
    return call.apply("maximum", x, 0)


@rule("clamp.default", "clamp.Tensor")
def _clamp(call: Call, x: SSAValue, low: Operand | None = None, high: Operand | None = None) -> SSAValue:
    """min(max(x, low), high): NaN stays, and high wins where low > high."""
    above, below = ("or", "and") if is_bool(call.element) else ("maximum", "minimum")
    result = call.operand(x, call.element, call.shape)
    if low is not None:
        result = call.apply(above, result, low)
    return result if high is None else call.apply(below, result, high)


@rule("clamp_min.default", "clamp_min.Tensor")
def _clamp_min(call: Call, x: SSAValue, low: Operand) -> SSAValue:
    return _clamp(call, x, low)  # pyright: ignore[reportReturnType]


@rule("clamp_max.default", "clamp_max.Tensor")
def _clamp_max(call: Call, x: SSAValue, high: Operand) -> SSAValue:
    return _clamp(call, x, None, high)  # pyright: ignore[reportReturnType]


def _extreme(name: str, of_booleans: str, call: Call, x: SSAValue, y: SSAValue) -> SSAValue:
    return call.apply(of_booleans if is_bool(call.element) else name, x, y)


rule("maximum.default")(partial(_extreme, "maximum", "or"))
rule("minimum.default")(partial(_extreme, "minimum", "and"))


def _numeric_extreme(name: str, of_integers: str, of_booleans: str, call: Call, x: SSAValue, y: SSAValue) -> SSAValue:
    """fmax and fmin, whose integers have no NaN to avoid."""
    chosen = of_booleans if is_bool(call.element) else name if is_float(call.element) else of_integers
    return call.apply(chosen, x, y)


rule("fmax.default")(partial(_numeric_extreme, "fmax", "maximum", "or"))
rule("fmin.default")(partial(_numeric_extreme, "fmin", "minimum", "and"))


@rule("where.self", "where.Scalar", "where.ScalarSelf", "where.ScalarOther")
def _where(call: Call, condition: SSAValue, x: Operand, y: Operand) -> SSAValue:
    chosen = call.operand(condition, i1, call.shape)
    values = [call.operand(v, call.element, call.shape) for v in (x, y)]
    return call.op(ELEMENTWISE["select"](chosen, *values))


@rule("masked_fill.Scalar", "masked_fill.Tensor")
def _masked_fill(call: Call, x: SSAValue, mask: SSAValue, value: Operand) -> SSAValue:
    return _where(call, mask, value, x)  # pyright: ignore[reportReturnType]


def _logical(name: str, call: Call, *operands: SSAValue) -> SSAValue:
    return call.apply(name, *operands, element=i1)


for _name in ("and", "or", "xor", "not"):
    rule(f"logical_{_name}.default")(partial(_logical, _name))


@rule("prims.convert_element_type.default", "_to_copy.default", "copy.default")
def _convert(call: Call, x: SSAValue, *arguments: Any) -> SSAValue:
    """Another element type; `copy` takes its elements from the second operand."""
    source = arguments[0] if arguments and isinstance(arguments[0], SSAValue) else x
    return call.operand(source, call.element, call.shape)


def _rounding(name: str, call: Call, x: SSAValue) -> SSAValue:
    """Integers are their own floor, ceiling, ..."""
    return call.apply(name, x) if is_float(call.element) else call.cast(x, call.element)


for _name in ("floor", "ceil", "trunc", "round"):
    rule(f"{_name}.default")(partial(_rounding, _name))


def _float_test(name: str, call: Call, x: SSAValue) -> SSAValue:
    """isnan, isinf and isfinite, which no integer leaves open."""
    element = element_type(x.type)
    if not is_float(element):
        return call.full(name == "isfinite", call.shape, i1)
    if name != "isfinite":
        return call.apply(name, x, element=element)
    return call.apply("lt", call.apply("abs", x, element=element), float("inf"), element=element)


for _name in ("isnan", "isinf", "isfinite"):
    rule(f"{_name}.default")(partial(_float_test, _name))


@rule("signbit.default")
def _signbit(call: Call, x: SSAValue) -> SSAValue:
    """True for -0.0 and for a NaN whose sign is set as well."""
    element = element_type(x.type)
    if is_bool(element):
        return call.full(False, call.shape, i1)
    if is_float(element):
        x = call.apply("copysign", call.full(1.0, call.shape, element), x, element=element)
    return call.apply("lt", x, 0, element=element)


@rule("sign.default", "sgn.default")
def _sign(call: Call, x: SSAValue) -> SSAValue:
    return call.cast(x, i1) if is_bool(call.element) else call.apply("sign", x)


def as_float(call: Call, size: IndexExpr, element: Attribute, shape: Shape) -> SSAValue:
    """A size as a float tensor of `shape`."""
    return call.full(float(size.constant) if size.constant is not None else size, shape, element)


__all__ = ["as_float"]
