"""Locations that tell the ops of one line apart.

The importer gives every op of a user's line the same location, with column 0: not known. While a run is recorded the
column is the number of the op. It goes wherever the location goes, through all levels, so that a line of Triton leads
back to the op that it computes. No kernel and no comment shows columns; `without_numbers` takes them away at the end.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    ModuleOp,
    NameLoc,
)
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from mlc_support.locations import merged
from mlc_support.walks import walk

FIRST = 1 << 20
"""The number of the first op: greater than columns that a file has."""


def with_numbers(module: ModuleOp) -> None:
    """Gives the locations without a column the numbers of their ops."""
    for number, op in enumerate(walk(module), FIRST):
        op.location = _changed(op.location, lambda column, number=number: column or number)


def without_numbers(module: ModuleOp) -> None:
    """Takes the numbers away; what is then equal is one location again."""
    for op in walk(module):
        op.location = _changed(op.location, lambda column: 0 if column >= FIRST else column)


def _changed(location: Attribute, change: Callable[[int], int]) -> LocationAttr:
    """The location with other columns."""
    match location:
        case FileLineColLoc():
            column = change(location.column.data)
            return location if column == location.column.data else _at(location, column)
        case NameLoc():
            return NameLoc(location.desc, _changed(location.location, change))
        case CallSiteLoc():
            return CallSiteLoc(_changed(location.callee, change), _changed(location.caller, change))
        case FusedLoc() if isa(location.locations, ArrayAttr):
            return merged(_changed(part, change) for part in location.locations)
        case _:
            assert isinstance(location, LocationAttr)
            return location


def _at(location: FileLineColLoc, column: int) -> FileLineColLoc:
    return FileLineColLoc(location.filename, location.line, IntAttr(column))
