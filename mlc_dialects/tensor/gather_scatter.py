"""Ops of `mlc_tensor` whose indices are data: elements are read or written where integer tensors say."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerType, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.common.assembly import parse_types, print_types
from mlc_dialects.common.op_building import checked_shape
from mlc_dialects.common.types import Shape, element_type, is_bool, is_float, is_signed, kind_of, shape_of, with_shape

SCATTER_KINDS = ("set", "add", "max", "min")
"""How a scatter combines an element with what is there: `set` replaces it, in no order where places repeat."""


@irdl_op_definition
class GatherOp(IRDLOperation):
    """result[j] = input[i0[j], i1[j], ...]: one integer tensor of the result's shape for each dimension of the input.

    Every index must lie in [0, size of its dimension): an IndexError, or an assertion on a GPU, where not.
    An iota for a dimension leaves it as it is, so `table[rows]` is `gather %table[%rows_broadcast, %iota]`.
    """

    name = "mlc_tensor.gather"
    input = operand_def()
    indices = var_operand_def()
    result = result_def()
    traits = traits_def(Pure())

    def __init__(self, input: SSAValue | Operation, indices: Sequence[SSAValue | Operation], shape: Shape):
        value = SSAValue.get(input)
        places = [SSAValue.get(i) for i in indices]
        super().__init__(operands=[value, places], result_types=[with_shape(value.type, shape)])

    def verify_(self) -> None:
        verify_indices(checked_shape(self.input.type), self.indices, checked_shape(self.result.type))
        if element_type(self.input.type) != element_type(self.result.type):
            raise VerifyException(f"changes the element type: {self.input.type} to {self.result.type}")

    @classmethod
    def parse(cls, parser: Parser) -> GatherOp:
        operand, indices = _parse_place(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source = parser.parse_type()
        places = _parse_index_types(parser, indices)
        parser.parse_punctuation("->")
        target = parser.parse_type()
        operands = [parser.resolve_operand(operand, source), *places]
        return cls.create(operands=operands, result_types=[target], attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        _print_place(printer, self.input, self.indices)
        printer.print_op_attributes(self.attributes)
        _print_place_types(printer, self.input, self.indices)
        printer.print_string(" -> ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class ScatterOp(IRDLOperation):
    """`into` with every updates[k] combined into the element [i0[k], i1[k], ...].

    Kinds: set, add, max, min. Where several updates meet in one element, `set` keeps one of them and
    the others combine in no particular order. Indices must lie inside, as a gather's. Of floats there is
    no min, and max lets NaN win: one among the updates, or a positive one in `into`.
    """

    name = "mlc_tensor.scatter"
    into = operand_def()
    indices = var_operand_def()
    updates = operand_def()
    kind = prop_def(StringAttr)
    result = result_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())

    def __init__(
        self,
        kind: str,
        into: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
        updates: SSAValue | Operation,
    ):
        value = SSAValue.get(into)
        places = [SSAValue.get(i) for i in indices]
        super().__init__(
            operands=[value, places, SSAValue.get(updates)],
            result_types=[value.type],
            properties={"kind": StringAttr(kind)},
        )

    def verify_(self) -> None:
        kind, element = self.kind.data, element_type(self.into.type)
        if kind not in SCATTER_KINDS:
            raise VerifyException(f"{kind!r} is no way to scatter: one of {', '.join(SCATTER_KINDS)}")
        verify_indices(checked_shape(self.into.type), self.indices, checked_shape(self.updates.type))
        if self.result.type != self.into.type or element_type(self.updates.type) != element:
            raise VerifyException(f"scatters {self.updates.type} into {self.into.type} and gives {self.result.type}")
        if kind != "set" and kind_of(element) not in "fi":
            raise VerifyException(f"{kind} has no meaning for elements of type {element}")
        if kind == "min" and is_float(element):
            raise VerifyException("floats have no atomic min: negate, take the max and negate again")

    @classmethod
    def parse(cls, parser: Parser) -> ScatterOp:
        kind = parser.parse_identifier()
        into, indices = _parse_place(parser)
        parser.parse_punctuation(",")
        updates = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        target = parser.parse_type()
        places = _parse_index_types(parser, indices)
        parser.parse_punctuation(",")
        source = parser.parse_type()
        op = cls(kind, parser.resolve_operand(into, target), places, parser.resolve_operand(updates, source))
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.kind.data} ")
        _print_place(printer, self.into, self.indices)
        printer.print_string(", ")
        printer.print_operand(self.updates)
        printer.print_op_attributes(self.attributes)
        _print_place_types(printer, self.into, self.indices)
        printer.print_string(", ")
        printer.print_attribute(self.updates.type)


def verify_indices(indexed: Shape, indices: Sequence[SSAValue], points: Shape) -> None:
    """VerifyException unless there is one integer tensor of shape `points` for each dimension of `indexed`."""
    if len(indices) != len(indexed):
        raise VerifyException(f"{len(indices)} indices for {len(indexed)} dimensions: one each, iota for a whole one")
    for value in indices:
        if checked_shape(value.type) != points:
            raise VerifyException(f"the index {value.type} must have the shape {'x'.join(map(str, points))}")
        element = element_type(value.type)
        if not isinstance(element, IntegerType) or is_bool(element) or not is_signed(element):
            raise VerifyException(f"indices are signed integers, not {element}")


def points_of(value: SSAValue) -> Shape:
    """The shape of the points at which a kernel computes `value`: a scatter's are those of its updates."""
    owner = value.owner
    return shape_of(owner.updates.type if isinstance(owner, ScatterOp) else value.type)


def _parse_place(parser: Parser) -> tuple[UnresolvedOperand, list[UnresolvedOperand]]:
    operand = parser.parse_unresolved_operand()
    indices = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_unresolved_operand)
    return operand, list(indices)


def _parse_index_types(parser: Parser, indices: Sequence[UnresolvedOperand]) -> list[SSAValue]:
    """`,` and the types of the indices in parentheses."""
    parser.parse_punctuation(",")
    position = parser.pos
    types = parse_types(parser)
    return list(parser.resolve_operands(indices, types, position))


def _print_place(printer: Printer, value: SSAValue, indices: Sequence[SSAValue]) -> None:
    printer.print_operand(value)
    with printer.in_square_brackets():
        printer.print_list(indices, printer.print_ssa_value)


def _print_place_types(printer: Printer, value: SSAValue, indices: Sequence[SSAValue]) -> None:
    printer.print_string(" : ")
    printer.print_attribute(value.type)
    printer.print_string(", ")
    print_types(printer, indices)
