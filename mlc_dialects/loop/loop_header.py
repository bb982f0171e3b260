"""The header of a loop in assembly: its axes, and the mapping to a GPU or a CPU that a schedule gives it.

header  ::= (%i `= 0 to` extent | `(` %i, %j, ... `) = 0 to (` extent, extent, ... `)`) mapping?
mapping ::= (`program` axis)? (`block` size)? (`overlap` iterations)? (`stages` count)?
            (`swizzle` rows `by` columns)? (`group` blocks)? (`persistent` programs)? (`slices` count)? (`lanes` count)?
            (`tile` axis)? (`shares` count)? `backwards`? `unrolled`? `peeled`?
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from xdsl.dialects.builtin import ArrayAttr, IndexType, IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer

from mlc_dialects.common.index_syntax import IndexReader, index_attribute, print_index

T = TypeVar("T")
MAPPING_SYNTAX = {
    "program": ("program",),
    "block": ("block",),
    "overlap": ("overlap",),
    "stages": ("stages",),
    "swizzle": ("swizzle_rows", "swizzle_columns"),
    "group": ("group",),
    "persistent": ("persistent",),
    "slices": ("slices",),
}
"""Keywords of a mapping, in order, to the properties that hold their numbers: `swizzle 8 by 100`."""
MAPPING = tuple(name for names in MAPPING_SYNTAX.values() for name in names)
"""The properties of a mapping that are numbers."""
CPU_SYNTAX = {"lanes": ("lanes",), "tile": ("tile",), "shares": ("shares",)}
"""As `MAPPING_SYNTAX`, of a mapping to CPUs."""
MODIFIERS = ("backwards", "unrolled", "peeled")
"""The flags of a mapping, by property."""


def print_axes(printer: Printer, indices: Sequence[SSAValue], extents: ArrayAttr[StringAttr]) -> None:
    """`%i = 0 to 8`, or `(%i, %j) = 0 to (8, N)`"""
    _print_tuple(printer, indices, printer.print_ssa_value)
    printer.print_string(" = 0 to ")
    _print_tuple(printer, extents.data, lambda extent: print_index(printer, extent.data, ()))


def parse_axes(parser: Parser) -> tuple[list[Any], ArrayAttr[StringAttr]]:
    """What `print_axes` writes: the indices, as arguments of a region, and the extents."""
    several = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, lambda: parse_index(parser))
    indices = [parse_index(parser)] if several is None else several
    parser.parse_punctuation("=")
    start = parser.pos
    if parser.parse_integer() != 0:
        message = "a loop begins at 0: shorten the extent, and add the start where the index is used"
        parser.raise_error(message, start, parser.pos)
    parser.parse_keyword("to")
    extent = IndexReader(parser, sizes=True).expression
    extents = [extent()] if several is None else parser.parse_comma_separated_list(parser.Delimiter.PAREN, extent)
    if len(extents) != len(indices):
        parser.raise_error(f"the indices are {len(indices)} and the extents {len(extents)}: give an extent for each")
    return indices, index_attribute(extents)


def parse_index(parser: Parser) -> Any:
    """The index of one axis, as an argument of a region."""
    return parser.parse_argument(expect_type=False).resolve(IndexType())


def print_mapping(printer: Printer, properties: Mapping[str, Attribute]) -> None:
    """What is given of ` program 0 block 64 overlap 96 stages 3 swizzle 8 by 100 backwards unrolled peeled`."""
    for keyword, names in (MAPPING_SYNTAX | CPU_SYNTAX).items():
        numbers = [str(n.value.data) for name in names if isinstance(n := properties.get(name), IntegerAttr)]
        if numbers:
            printer.print_string(f" {keyword} {' by '.join(numbers)}")
    for keyword in MODIFIERS:
        if keyword in properties:
            printer.print_string(f" {keyword}")


def parse_mapping(parser: Parser) -> dict[str, Attribute]:
    """What `print_mapping` writes, as properties."""
    found: dict[str, Attribute] = {}
    for keyword, names in (MAPPING_SYNTAX | CPU_SYNTAX).items():
        if parser.parse_optional_keyword(keyword):
            for position, name in enumerate(names):
                if position:
                    parser.parse_keyword("by")
                found[name] = IntegerAttr(parser.parse_integer(), i64)
    return found | {keyword: UnitAttr() for keyword in MODIFIERS if parser.parse_optional_keyword(keyword)}


def _print_tuple(printer: Printer, items: Sequence[T], print_one: Callable[[T], object]) -> None:
    """One item as it is, several in parentheses."""
    if len(items) == 1:
        print_one(items[0])
    else:
        with printer.in_parens():
            printer.print_list(items, print_one)
