"""From the location attributes of IR to places a person can open.

The importer writes `NameLoc("y = self.proj(x)", FileLineColLoc("model.py", 41, 0))`: the
source text, and where it stands. The IR parser writes a plain `FileLineColLoc`. An op that
a rewrite made from several ops carries a `FusedLoc` of theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    LocationAttr,
    NameLoc,
    NoneAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from mlc_support.errors import Location

_MOST_MERGED = 8
"""Locations that one op carries at most: a long chain that folds into one op would name every line of a model."""


def merged(locations: Iterable[Attribute]) -> LocationAttr:
    """One location for an op that stands for several: theirs, in order and once each."""
    distinct: dict[Attribute, None] = {}
    for location in locations:
        if isinstance(location, FusedLoc) and isa(location.locations, ArrayAttr):
            distinct |= dict.fromkeys(location.locations)
        elif not isinstance(location, UnknownLoc):
            distinct[location] = None
    kept = list(distinct)[:_MOST_MERGED]
    if len(kept) > 1:
        return FusedLoc((*kept,), NoneAttr())
    return kept[0] if kept and isinstance(kept[0], LocationAttr) else UNKNOWN_LOC


def places(location: Attribute) -> Iterator[Location]:
    """The places a location attribute speaks of, in order; none for `loc(unknown)`."""
    match location:
        case FileLineColLoc():
            column = location.column.data or None
            yield Location(location.filename.data, location.line.data, column)
        case NameLoc():
            yield from _named_places(location)
        case CallSiteLoc():
            yield from places(location.callee)
            yield from places(location.caller)
        case FusedLoc():
            if isa(location.locations, ArrayAttr):
                for part in location.locations:
                    yield from places(part)
        case _:
            pass


def _named_places(location: NameLoc) -> Iterator[Location]:
    """`"text"(place)` is the place with its source text; `"text"` alone names itself."""
    inner = list(places(location.location))
    if not inner:
        yield Location(location.desc.data)
    for place in inner:
        yield Location(place.file, place.line, place.column, source=location.desc.data)


def location_of(op: Operation) -> Location | None:
    """The first known place of `op`, or of the nearest op around it that has one."""
    current: Operation | None = op
    while current is not None:
        place = next(places(current.location), None)
        if place is not None:
            return place
        current = current.parent_op()
    return None


def location_text(op: Operation) -> str | None:
    """`file:line` of every place of `op`, in order and once each, without columns.

    None where `op` itself has no known location.
    """
    texts = [str(Location(place.file, place.line)) for place in places(op.location)]
    return ", ".join(dict.fromkeys(texts)) or None


def source_line(op: Operation) -> str:
    """The user's line that `op` comes from, `model.py:12  y = torch.softmax(x, -1)`; empty where that is not known."""
    return next(iter(user_lines([op], most=1)), "")


def user_lines(ops: Iterable[Operation], most: int | None = None) -> tuple[str, ...]:
    """The user's lines that `ops` come from, each once and as `model.py:12  y = torch.softmax(x, -1)`."""
    found = (place for op in ops for place in places(op.location) if place.line is not None)
    return tuple(islice(dict.fromkeys(map(_line, found)), most))


def _line(place: Location) -> str:
    name = place.file.rsplit("/", 1)[-1]
    return f"{name}:{place.line}" + (f"  {place.source}" if place.source else "")
