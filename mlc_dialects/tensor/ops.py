"""Ops of `mlc_tensor` that make, convert, reduce and multiply tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    UnitAttr,
    f32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.common.assembly import parse_conversion, parse_integers, print_conversion
from mlc_dialects.common.index_syntax import IndexReader, print_index, verify_indices
from mlc_dialects.common.op_building import build, checked_shape, integers, value_of
from mlc_dialects.common.scalar_builder import scalar_attribute
from mlc_dialects.common.types import (
    Shape,
    element_type,
    is_bool,
    is_byte_float,
    is_native,
    is_signed,
    kind_of,
    shape_of,
    storage,
    tensor_type,
    with_element,
    with_shape,
)
from mlc_support.index_expr import IndexExpr, integer
from mlc_support.index_parse import parse

REDUCTIONS: dict[str, str] = {
    "add": "fi",
    "mul": "fi",
    "max": "fi",
    "min": "fi",
    "and": "ib",
    "or": "ib",
    "argmax": "fi",
    "argmin": "fi",
}
"""Kind of reduction to the element kinds it takes. Max, min, argmax and argmin let NaN win, as torch does."""


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """A tensor known at compile time: one value everywhere, or a small dense list.

    A single value stands as a scalar attribute, which keeps inf, NaN and -0.0 through text.
    """

    name = "mlc_tensor.constant"
    value = prop_def(IntegerAttr | FloatAttr | DenseIntOrFPElementsAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure(), ConstantLike())

    def __init__(self, value: Attribute, type_: Attribute):
        build(self, (), type_, {"value": value})

    @staticmethod
    def splat(value: float, shape: Sequence[IndexExpr | int], element: Attribute) -> ConstantOp:
        """`value`, rounded or wrapped to `element`, in every place of `shape`."""
        return ConstantOp(scalar_attribute(value, storage(element)), tensor_type(shape, element))

    @property
    def splat_value(self) -> Attribute | None:
        """The scalar attribute, when one value fills the tensor."""
        return None if isinstance(self.value, DenseIntOrFPElementsAttr) else self.value

    def _integer(self) -> int:
        """The integer as a person reads it: the attribute is signless, the elements may be unsigned."""
        assert isinstance(self.value, IntegerAttr)
        number, element = self.value.value.data, element_type(self.result.type)
        if not isinstance(element, IntegerType) or is_bool(element) or is_signed(element):
            return number
        return number % (1 << element.width.data)

    def verify_(self) -> None:
        checked_shape(self.result.type)
        element = element_type(self.result.type)
        if isinstance(self.value, DenseIntOrFPElementsAttr):
            if self.value.type != self.result.type:
                raise VerifyException(f"the dense value has type {self.value.type} and the result {self.result.type}")
        elif self.value.type != storage(element):
            raise VerifyException(f"the value has type {self.value.type} and the elements {element}")

    @classmethod
    def parse(cls, parser: Parser) -> ConstantOp:
        attributes = parser.parse_optional_attr_dict()
        if parser.parse_optional_keyword("dense"):
            value = parser.parse_dense_int_or_fp_elements_attr(None)
            type_ = value.type
        else:
            value, type_ = _parse_splat(parser)
        op = cls(value, type_)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)
        printer.print_string(" ")
        if isinstance(self.value, DenseIntOrFPElementsAttr):
            printer.print_attribute(self.value)
            return
        if isinstance(self.value, FloatAttr):
            printer.print_float(self.value.value.data, self.value.type)
        else:
            printer.print_int(self._integer(), self.value.type)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class IotaOp(IRDLOperation):
    """result[index] = index[dim]"""

    name = "mlc_tensor.iota"
    dim = prop_def(IntegerAttr.constr(i64))
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "`dim` $dim attr-dict `:` type($result)"

    def __init__(self, dim: int, type_: Attribute):
        super().__init__(properties={"dim": IntegerAttr(dim, i64)}, result_types=[type_])

    @property
    def axis(self) -> int:
        return self.dim.value.data

    def verify_(self) -> None:
        shape = checked_shape(self.result.type)
        if not 0 <= self.axis < len(shape):
            raise VerifyException(f"dimension {self.axis} is not one of {self.result.type}")
        element = element_type(self.result.type)
        if not is_native(element) or kind_of(element) not in "fi":
            raise VerifyException("counts in integers or floats")


@irdl_op_definition
class SizeOp(IRDLOperation):
    """The value of an expression over named sizes, as a tensor of rank 0: `mlc_tensor.size [N * 4] : tensor<i64>`."""

    name = "mlc_tensor.size"
    expression = prop_def(StringAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    def __init__(self, expression: IndexExpr, element: Attribute = i64):
        super().__init__(
            properties={"expression": StringAttr(str(expression))}, result_types=[tensor_type([], element)]
        )

    @property
    def expr(self) -> IndexExpr:
        return parse(self.expression.data)

    def verify_(self) -> None:
        verify_indices([self.expression], 0)
        if checked_shape(self.result.type):
            raise VerifyException(f"gives a tensor of rank 0, not {self.result.type}")

    @classmethod
    def parse(cls, parser: Parser) -> SizeOp:
        parser.parse_punctuation("[")
        expression = IndexReader(parser, sizes=True).expression()
        parser.parse_punctuation("]")
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls(expression, element_type(parser.parse_type()))
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        with printer.in_square_brackets():
            print_index(printer, self.expression.data, ())
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class CastOp(IRDLOperation):
    """Each element in another type: floats round to nearest even, to integers towards zero; integers wrap.

    To i1: anything but zero is true, NaN included. To 8-bit floats by way of float32; what is beyond the largest
    f8E4M3FN, which has no infinity, becomes that, and beyond the largest f8E5M2 infinite.
    """

    name = "mlc_tensor.cast"
    input = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue | Operation, element: Attribute):
        value = value_of(input)
        build(self, [value], with_element(value.type, element))

    def verify_(self) -> None:
        if checked_shape(self.input.type) != checked_shape(self.result.type):
            raise VerifyException(f"changes the shape: {self.input.type} to {self.result.type}")
        for type_ in (self.input.type, self.result.type):
            if not is_native(element_type(type_)):
                raise VerifyException(f"does not know elements of type {element_type(type_)}")


@irdl_op_definition
class ReduceOp(IRDLOperation):
    """Combines the elements along `dims`, one or more, which stay with size 1.

    Kinds: add, mul, max, min, and, or; argmax and argmin give the row-major position among
    the reduced elements (i64), the first of equals. Sums are taken in the element type: cast before.
    An empty sum is 0, product 1, and -1 (all bits), or 0; an empty max is -inf or the least integer.

    `tf32`: what is added are products of a matrix product, whose factors may be rounded to 11 bits (TF32).
    """

    name = "mlc_tensor.reduce"
    input = operand_def(TensorType)
    kind = prop_def(StringAttr)
    dims = prop_def(DenseArrayBase[IntegerType])
    tf32 = opt_prop_def(UnitAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure())

    def __init__(self, kind: str, input: SSAValue | Operation, dims: Sequence[int], tf32: bool = False):
        value, properties = value_of(input), {"kind": StringAttr(kind), "dims": integers(dims)}
        build(self, [value], reduced_type(kind, value.type, dims), properties | ({"tf32": UnitAttr()} if tf32 else {}))

    @property
    def reduced(self) -> tuple[int, ...]:
        """The dimensions that are combined, ascending."""
        return self.dims.get_values()

    def verify_(self) -> None:
        kind, dims = self.kind.data, self.reduced
        shape = checked_shape(self.input.type)
        if kind not in REDUCTIONS:
            raise VerifyException(f"{kind!r} is not a reduction: one of {', '.join(REDUCTIONS)}")
        if not dims:
            raise VerifyException("reduces nothing: give the dimensions, of size 1 if need be, or leave the op out")
        if list(dims) != sorted(set(dims)) or any(not 0 <= d < len(shape) for d in dims):
            raise VerifyException(f"dims {list(dims)} must ascend and be dimensions of {self.input.type}")
        element = element_type(self.input.type)
        if not is_native(element) or kind_of(element) not in REDUCTIONS[kind]:
            raise VerifyException(f"{kind} has no meaning for elements of type {element}")
        if self.tf32 is not None and (kind != "add" or element != f32):
            raise VerifyException(f"tf32 rounds the factors of sums of f32: this is {kind} of {element}")
        if self.result.type != reduced_type(kind, self.input.type, dims):
            raise VerifyException(
                f"result is {self.result.type} and must be {reduced_type(kind, self.input.type, dims)}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> ReduceOp:
        kind = parser.parse_identifier()
        tf32 = parser.parse_optional_keyword("tf32") is not None
        operand = parser.parse_unresolved_operand()
        parser.parse_keyword("dims")
        dims = parse_integers(parser)
        value, target, attributes = parse_conversion(parser, operand)
        return cls.create(
            operands=[value],
            result_types=[target],
            properties={"kind": StringAttr(kind), "dims": dims} | ({"tf32": UnitAttr()} if tf32 else {}),
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.kind.data} " + ("tf32 " if self.tf32 is not None else ""))
        printer.print_operand(self.input)
        printer.print_string(f" dims {list(self.reduced)}")
        print_conversion(printer, self)


@irdl_op_definition
class MatmulOp(IRDLOperation):
    """result[..., m, n] = sum over k of lhs[..., m, k] * rhs[..., k, n]; batch dimensions are equal.

    Products of 16-bit floats are summed in float32 and rounded once. A library call runs it.
    """

    name = "mlc_tensor.matmul"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        left, right = value_of(lhs), value_of(rhs)
        shape = [*shape_of(left.type)[:-1], shape_of(right.type)[-1]]
        build(self, [left, right], with_shape(left.type, shape))

    def verify_(self) -> None:
        left, right = checked_shape(self.lhs.type), checked_shape(self.rhs.type)
        if len(left) != len(right) or len(left) < 2 or left[:-2] != right[:-2]:
            raise VerifyException(f"needs equal batch dimensions: {self.lhs.type} and {self.rhs.type}")
        if left[-1] != right[-2]:
            raise VerifyException(
                f"inner sizes differ: lhs is {self.lhs.type}, rhs is {self.rhs.type}; transpose one of them?"
            )
        elements = {element_type(t) for t in (self.lhs.type, self.rhs.type, self.result.type)}
        if len(elements) != 1:
            raise VerifyException(f"element types differ: {self.lhs.type}, {self.rhs.type}, {self.result.type}")
        if any(map(is_byte_float, elements)):
            raise VerifyException(f"has no meaning for elements of type {elements.pop()}: cast the operands first")
        if checked_shape(self.result.type) != (*left[:-1], right[-1]):
            raise VerifyException(f"result is {self.result.type} and must have shape {_text((*left[:-1], right[-1]))}")


def _parse_splat(parser: Parser) -> tuple[Attribute, Attribute]:
    """number `:` tensor type. As in MLIR a float is decimal with a point, or the bits in hexadecimal."""
    position = parser.pos
    truth = parser.parse_optional_boolean()
    is_hex = truth is None and parser._current_token.text[:2].lower() == "0x"  # pyright: ignore[reportPrivateUsage]
    number = truth if truth is not None else parser.parse_number()
    parser.parse_punctuation(":")
    type_ = parser.parse_type()
    if not isinstance(type_, TensorType):
        parser.raise_error("expected a tensor type", position)
    element = storage(element_type(type_))
    if isinstance(element, AnyFloat):
        if is_hex:
            raw = int(number).to_bytes(element.compile_time_size, "little")
            return FloatAttr(next(element.iter_unpack(raw)), element), type_
        if isinstance(number, int):
            parser.raise_error(f"a value of type {element} needs a decimal point: {number}.0", position)
        return FloatAttr(number, element), type_
    if isinstance(number, float):
        parser.raise_error(f"{number} is no value of type {element}", position)
    return scalar_attribute(number, element), type_


def reduced_type(kind: str, type_: Attribute, dims: Sequence[int]) -> TensorType[Any]:
    """The result type of a reduction: sizes along `dims` become 1."""
    shape = [integer(1) if d in dims else s for d, s in enumerate(shape_of(type_))]
    return tensor_type(shape, i64 if kind.startswith("arg") else element_type(type_))


def _text(shape: Shape) -> str:
    return "x".join(str(s) for s in shape)
