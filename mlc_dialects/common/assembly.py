"""Pieces of assembly that several ops share: each parser stands before the printer of what it reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import DenseArrayBase, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from mlc_dialects.common.op_building import integers


def parse_integers(parser: Parser) -> DenseArrayBase[IntegerType]:
    """`[` integer (`,` integer)* `]`"""
    return integers(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer))


def parse_types(parser: Parser) -> list[Attribute]:
    """`(` type (`,` type)* `)`"""
    return list(parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type))


def print_types(printer: Printer, values: Sequence[SSAValue]) -> None:
    """The types of `values`."""
    with printer.in_parens():
        printer.print_list([v.type for v in values], printer.print_attribute)


def parse_conversion(parser: Parser, operand: UnresolvedOperand) -> tuple[SSAValue, Attribute, Mapping[str, Attribute]]:
    """attr-dict `:` type `->` type: the operand, the type of the result, and the attributes."""
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    source = parser.parse_type()
    parser.parse_punctuation("->")
    target = parser.parse_type()
    return parser.resolve_operand(operand, source), target, attributes


def print_conversion(printer: Printer, op: Operation) -> None:
    """Of an op with one operand and one result."""
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_attribute(op.operands[0].type)
    printer.print_string(" -> ")
    printer.print_attribute(op.results[0].type)


def parse_mask(parser: Parser) -> list[UnresolvedOperand]:
    """(`mask` operand)?"""
    return [parser.parse_unresolved_operand()] if parser.parse_optional_keyword("mask") else []


def print_mask(printer: Printer, mask: SSAValue | None) -> None:
    """Nothing for None."""
    if mask is not None:
        printer.print_string(" mask ")
        printer.print_operand(mask)
