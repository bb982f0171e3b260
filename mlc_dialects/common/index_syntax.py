"""Reads and prints index expressions inside op assembly: `%x[%p * 4096 + %r, N floordiv 2]`.

In an attribute the operands are called d0, d1, ... in the order they are given, and any
other name is a size: `["d0 * 4096 + d1", "N floordiv 2"]`.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from mlc_support.index_expr import IndexExpr, integer, variable
from mlc_support.index_parse import parse

_OPERAND = re.compile(r"\b(d[0-9]+)\b")
_AXES = "ijklmno"
_LOOP_INDEX = re.compile(r"p|r|[dg]\d+")
RESERVED = frozenset(
    {"torch", "triton", "tl", "libdevice", "lib", "device", "with_layout", "parts", "objects", "counters"}
    | {"range", "float", "complex", "leaves", "single", "operator", "math"}
    | {"arguments", "linear_gradients", "expect", "allocator", "allocate", "reinterpret", "named_device"}
)
"""Names that generated Python gives a meaning."""


def index_attribute(exprs: Sequence[IndexExpr | int]) -> ArrayAttr[StringAttr]:
    """The attribute that holds `exprs`."""
    return ArrayAttr([StringAttr(str(e)) for e in exprs])


def index_exprs(attribute: ArrayAttr[StringAttr]) -> tuple[IndexExpr, ...]:
    """The expressions that `index_attribute` wrote."""
    return tuple(parse(a.data) for a in attribute.data)


def operand_name(position: int) -> str:
    """How an expression calls the operand at `position`."""
    return f"d{position}"


def axis_names(first: int, count: int) -> tuple[str, ...]:
    """The names of `count` axes of a kernel from `first` on: i, j, k, l, m, n, o, and then i7, i8, ...

    The parallel ones are counted first, then the reduced or scanned ones.
    """
    return tuple(_AXES[k] if k < len(_AXES) else f"{_AXES[0]}{k}" for k in range(first, first + count))


def is_size_name(name: str) -> bool:
    """True if a size may be called so: p, r, d0, g0, ... are indices, and Python has words of its own."""
    taken = name in RESERVED or keyword.iskeyword(name) or _LOOP_INDEX.fullmatch(name)
    return name.isidentifier() and not taken


def verify_indices(texts: Iterable[StringAttr], operands: int) -> tuple[IndexExpr, ...]:
    """The expressions; VerifyException where a text is none, or uses an operand beyond the first `operands`."""
    try:
        exprs = tuple(parse(text.data) for text in texts)
    except ValueError as error:
        raise VerifyException(str(error)) from error
    used = [int(v.name[1:]) for e in exprs for v in e.variables() if _OPERAND.fullmatch(v.name)]
    if max(used, default=-1) >= operands:
        raise VerifyException(f"the index uses d{max(used)}, but has {operands} operand(s)")
    return exprs


def verify_address(index: ArrayAttr[StringAttr], operands: Sequence[SSAValue]) -> None:
    """VerifyException unless `index` is one expression over `operands`."""
    if len(verify_indices(index, len(operands))) != 1:
        raise VerifyException(f"{len(index)} expressions, where there is one place: give one")


class IndexReader:
    """Parses index expressions, numbering the SSA operands as they appear; `sizes` have none."""

    def __init__(self, parser: Parser, sizes: bool = False):
        self._parser = parser
        self._sizes = sizes
        self.operands: list[UnresolvedOperand] = []
        self._numbers: dict[tuple[str, int], int] = {}

    def bracketed_list(self) -> ArrayAttr[StringAttr]:
        """`[` expr (`,` expr)* `]`"""
        parser = self._parser
        return index_attribute(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, self.expression))

    def expression(self) -> IndexExpr:
        """term ((`+` | `-`) term)*"""
        value = self._term()
        while True:
            if self._parser.parse_optional_punctuation("+"):
                value = value + self._term()
            elif self._parser.parse_optional_punctuation("-"):
                value = value - self._term()
            else:
                return value

    def _term(self) -> IndexExpr:
        value = self._primary()
        while True:
            if self._parser.parse_optional_punctuation("*"):
                value = value * self._primary()
            elif self._parser.parse_optional_keyword("floordiv"):
                value = value // self._primary()
            elif self._parser.parse_optional_keyword("mod"):
                value = value % self._primary()
            else:
                return value

    def _primary(self) -> IndexExpr:
        parser = self._parser
        if parser.parse_optional_punctuation("("):
            value = self.expression()
            parser.parse_punctuation(")")
            return value
        if parser.parse_optional_punctuation("-"):
            return -self._primary()
        start = parser.pos
        if (operand := parser.parse_optional_unresolved_operand()) is not None:
            if self._sizes:
                message = f"%{operand.operand_name} is a value: a size is written with numbers and names, such as N * 4"
                parser.raise_error(message, start, parser.pos)
            key = (operand.operand_name, operand.index)
            if key not in self._numbers:
                self._numbers[key] = len(self.operands)
                self.operands.append(operand)
            return variable(operand_name(self._numbers[key]))
        if (number := parser.parse_optional_integer(allow_boolean=False, allow_negative=False)) is not None:
            return integer(number)
        return variable(parser.parse_identifier())


def print_indices(printer: Printer, indices: ArrayAttr[StringAttr], operands: Sequence[SSAValue]) -> None:
    """`[` the expressions with operand names in place of d0, d1, ... `]`"""
    with printer.in_square_brackets():
        printer.print_list(indices.data, lambda e: print_index(printer, e.data, operands))


def print_index(printer: Printer, text: str, operands: Sequence[SSAValue]) -> None:
    """One expression, without brackets."""
    for part in _OPERAND.split(text):
        if _OPERAND.fullmatch(part):
            printer.print_ssa_value(operands[int(part[1:])])
        else:
            printer.print_string(part)


def parse_evict(parser: Parser) -> StringAttr | None:
    """`evict "first"`, if that is what comes next."""
    return StringAttr(parser.parse_str_literal()) if parser.parse_optional_keyword("evict") else None


def print_evict(printer: Printer, evict: StringAttr | None) -> None:
    """What `parse_evict` reads."""
    if evict is not None:
        printer.print_string(" evict ")
        printer.print_string_literal(evict.data)
