"""How many programs of a kernel a multiprocessor is to run at once, as text: `resident 4`, and `uncapped` for one.

They share its registers, which is the only limit that the assembler is given on those of a lane. Without either it
decides itself: most often it saves registers, at the price of fewer loads in flight.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.parser import AttrParser
from xdsl.printer import Printer


def parse_residency(parser: AttrParser) -> IntegerAttr | None:
    """The programs that the text at hand asks for, if it does."""
    if parser.parse_optional_keyword("uncapped"):
        return IntegerAttr(1, i64)
    return IntegerAttr(parser.parse_integer(), i64) if parser.parse_optional_keyword("resident") else None


def print_residency(printer: Printer, programs: IntegerAttr | None) -> None:
    """What `parse_residency` reads, with a space before it."""
    if programs is not None:
        number = programs.value.data
        printer.print_string(" uncapped" if number == 1 else f" resident {number}")
