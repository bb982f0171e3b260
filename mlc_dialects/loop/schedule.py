"""`#mlc_loop.schedule`: what a kernel's schedule decides, as a person can write it, or a tuner.

    mlc_loop.kernel @sums(%x: memref<64x65536xf32>, ...) schedule <part = 8192, columns = 2048> { ... }

A field that is missing is left to the pass that decides it. A pass that has carried a field out removes it: then the
loops are as it said.

- `unroll`: `R by C`: an iteration of a pointwise kernel computes so many neighbouring results, R along one axis and C
  along the next, and loads what they share once. Of the axes along which nothing is contiguous these are the innermost.
- `tile`: the axes of a pointwise kernel with transposed accesses are one, `flat`, or rows and columns of tiles. Stores
  are contiguous along the rows, which take no other axes (`stored`) or all but those along which a transposed load is
  contiguous (`batched`); or stores are contiguous along the columns, and rows take all other axes (`loaded`).
- `online`: `true` makes one loop of dependent reductions of a row (online softmax, Welford); `false` keeps them apart.
- `fission`: a second kernel, `behind` the reductions, of the loops that only compute and store; or, `ahead` of them, of
  what their loops store for each element, which the reductions then load.
- `part`: columns of a row that one program takes; the whole row where it is missing.
- `exchange`: how the programs of a row combine their parts: through `memory`, read by another kernel or by the
  last-arriving block; or by inter-block `flags`, for which all of them run at once.
- `programs`: programs of a persistent (grid-stride) loop over rows; `block`: rows that it takes at once.
- `rows`, `columns`: what a program holds at once of the rows and of the columns; powers of two.
- `depth`: what it holds at once of the summed axis of a matrix product; a power of two.
- `group`: blocks of rows that consecutive programs take with one block of columns.
- `warps`: warps of a program; a power of two.
- `stages`: steps of a loop whose loads are in flight at once; 1 is no software pipelining.
- `tail`: the last, partial block of rows is a `mask`, an `overlap` with the block before it, or `peel`ed off.
- `swizzle`: `R by C`: consecutive programs take blocks C apart, R of them; `1 by 1` for none.
- `cache`: the eviction hint of what is loaded once: `first`, `last` or `none`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, DictionaryAttr, IntAttr, IntegerAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

Value = bool | int | str | tuple[int, int]
"""What a field may hold."""
Kind = Literal["flag", "count", "power", "pair"]

TILES = ("flat", "stored", "batched", "loaded")
"""The axes that a pointwise kernel with transposed accesses may have, those first that are usual."""
FIELDS: Mapping[str, Kind | tuple[str, ...]] = MappingProxyType(
    {
        "unroll": "pair",
        "tile": TILES,
        "online": "flag",
        "fission": ("behind", "ahead"),
        "part": "count",
        "exchange": ("memory", "flags"),
        "programs": "count",
        "block": "power",
        "rows": "power",
        "columns": "power",
        "depth": "power",
        "group": "count",
        "descriptors": "flag",
        "warps": "power",
        "stages": "count",
        "tail": ("mask", "overlap", "peel"),
        "swizzle": "pair",
        "cache": ("first", "last", "none"),
    }
)
"""The fields in the order in which they print, each with its kind, or its words."""
PARTITION = ("online", "fission", "part", "exchange")
"""The fields of a partition."""
TILING = ("rows", "columns", "warps", "stages")
"""The fields of a tiling."""


@irdl_attr_definition
class ScheduleAttr(ParametrizedAttribute):
    """Fields of a schedule by name; see the top of this file."""

    name = "mlc_loop.schedule"
    fields: DictionaryAttr

    @classmethod
    def of(cls, **fields: Value | None) -> ScheduleAttr:
        """The schedule with these fields; None leaves one out. VerifyException names one that is wrong."""
        return cls(DictionaryAttr({name: _attribute(v) for name, v in fields.items() if v is not None}))

    @property
    def values(self) -> dict[str, Value]:
        """The fields that are given, in the order of FIELDS."""
        return {name: _value(self.fields.data[name]) for name in FIELDS if name in self.fields.data}

    def number(self, name: str) -> int | None:
        """A field that is a number; None where it is missing."""
        found = self.values.get(name)
        return found if isinstance(found, int) else None

    def word(self, name: str) -> str | None:
        """A field that is a word; None where it is missing."""
        found = self.values.get(name)
        return found if isinstance(found, str) else None

    def having(self, **fields: Value | None) -> ScheduleAttr:
        """This schedule with other values of some fields; None leaves one out."""
        return ScheduleAttr.of(**(self.values | fields))

    def verify(self) -> None:
        for name, value in self.fields.data.items():
            if name not in FIELDS:
                raise VerifyException(f"schedule: no field {name}; fields are {', '.join(FIELDS)}")
            wanted = _refusal(FIELDS[name], _value(value))
            if wanted is not None:
                raise VerifyException(f"schedule: {name} is {_text(_value(value))} and must be {wanted}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        found: dict[str, Attribute] = {}
        with parser.in_angle_brackets():
            while not found or parser.parse_optional_punctuation(",") is not None:
                name = parser.parse_identifier()
                if name not in FIELDS or name in found:
                    parser.raise_error(f"one of {', '.join(f for f in FIELDS if f not in found)} expected")
                parser.parse_punctuation("=")
                found[name] = _attribute(_parsed(parser, FIELDS[name]))
        return [DictionaryAttr(found)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(", ".join(f"{name} = {_text(value)}" for name, value in self.values.items()))


def _parsed(parser: AttrParser, kind: Kind | tuple[str, ...]) -> Value:
    if kind == "flag":
        return parser.parse_boolean()
    if kind == "pair":
        first = parser.parse_integer()
        parser.parse_keyword("by")
        return first, parser.parse_integer()
    return parser.parse_identifier() if isinstance(kind, tuple) else parser.parse_integer()


def _refusal(kind: Kind | tuple[str, ...], value: Value) -> str | None:
    """What a value should have been; None if it is that."""
    if isinstance(kind, tuple):
        return None if value in kind else f"one of {', '.join(kind)}"
    match kind, value:
        case ("flag", bool()):
            return None
        case ("pair", (int(first), int(second))) if first > 0 and second > 0:
            return None
        case ("count", int()) if value > 0:
            return None
        case ("power", int()) if value > 0 and not value & (value - 1):
            return None
        case _:
            kinds = {"flag": "true or false", "pair": "two positive numbers", "count": "a positive number"}
            return kinds.get(kind, "a power of two")


def _attribute(value: Value) -> Attribute:
    match value:
        case bool():
            return BoolAttr.from_bool(value)
        case int():
            return IntAttr(value)
        case str():
            return StringAttr(value)
        case (first, second):
            return ArrayAttr([IntAttr(first), IntAttr(second)])


def _value(attribute: Attribute) -> Value:
    match attribute:
        case IntAttr():
            return attribute.data
        case StringAttr():
            return attribute.data
        case ArrayAttr():
            first, second = (entry.data for entry in attribute.data if isinstance(entry, IntAttr))
            return first, second
        case _:
            assert isinstance(attribute, IntegerAttr)
            return bool(attribute.value.data)


def _text(value: Value) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case (first, second):
            return f"{first} by {second}"
        case _:
            return str(value)
