"""A module as text, each line with the places of the user's program that it comes from, and with its kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from io import StringIO

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.printer import Printer

from lowering.host.lines import Lines
from mlc_dialects.loop import dialect as loop
from mlc_dialects.loop.host import LaunchOp
from mlc_dialects.triton import dialect as triton
from mlc_support.locations import places
from mlc_support.walks import walk

MOST_SPOTS = 16
"""Spots of one line: more say nothing."""
Spots = tuple[int, ...]


@dataclass
class SpotTable:
    """The spots of a program: ops of the user's program by file, line and column, each with a number."""

    keys: dict[tuple[str, int, int], int] = field(default_factory=dict[tuple[str, int, int], int])
    texts: dict[tuple[str, int], str] = field(default_factory=dict[tuple[str, int], str])
    """What locations say stands on a line."""
    _known: dict[int, tuple[Attribute, Spots]] = field(default_factory=dict[int, tuple[Attribute, Spots]])

    def of(self, location: Attribute) -> Spots:
        """The spots of a location, in order and once each."""
        known = self._known.get(id(location))
        if known is None:
            known = (location, tuple(dict.fromkeys(self._read(location))))
            self._known[id(location)] = known  # the location lives as long as its id is a key
        return known[1]

    def _read(self, location: Attribute) -> Iterable[int]:
        for place in places(location):
            if place.line is not None:
                if place.source:
                    self.texts.setdefault((place.file, place.line), place.source)
                yield self.keys.setdefault((place.file, place.line, place.column or 0), len(self.keys))


@dataclass(frozen=True)
class Snapshot:
    """The lines of a text, with the spots of each and the name of its kernel, empty for none."""

    lines: tuple[str, ...]
    spots: tuple[Spots, ...] = ()
    kernels: tuple[str, ...] = ()


def ir_snapshot(module: ModuleOp, table: SpotTable) -> Snapshot:
    """The module as it is printed."""
    printer = _Printer()
    printer.print_op(module)
    lines = printer.out.getvalue().split("\n")
    return _linked(lines, printer.ops, module, table)


def source_snapshot(written: Lines, module: ModuleOp, table: SpotTable) -> Snapshot:
    """The program that `module` was written as. A line has the spots of the ops that are written inside it."""
    own = set(written.ops.values())
    return _linked(written.texts, written.ops, module, table, lambda op: _inlined(op, own))


def text_snapshot(text: str) -> Snapshot:
    """A text of which nothing is known."""
    return Snapshot(tuple(text.splitlines()))


class _Counting(StringIO):
    """Text in memory that knows the number of its last line."""

    line = 0

    def write(self, text: str) -> int:
        self.line += text.count("\n")
        return super().write(text)


class _Printer(Printer):
    """A printer that notes on which line each op begins."""

    def __init__(self) -> None:
        self.out = _Counting()
        super().__init__(self.out)
        self.ops: dict[int, Operation] = {}

    def print_op(self, op: Operation) -> None:
        self.ops.setdefault(self.out.line, op)
        super().print_op(op)


def _linked(
    lines: Iterable[str],
    ops: Mapping[int, Operation],
    module: ModuleOp,
    table: SpotTable,
    beside: Callable[[Operation], Iterable[Operation]] = lambda op: (),
) -> Snapshot:
    """Lines with the spots of their ops, and of those `beside` them."""
    origin, kernel = origins(module, table), _kernels(module)
    texts = tuple(lines)
    spots, kernels = [Spots()] * len(texts), [""] * len(texts)
    for position, op in ops.items():
        every = (op, *beside(op))
        spots[position] = _union(origin.get(each, ()) for each in every)
        kernels[position] = kernel.get(op, "")
    return Snapshot(texts, tuple(spots), tuple(kernels))


def _inlined(op: Operation, own: set[Operation]) -> list[Operation]:
    """The ops written inside the line of `op`: those it reads, and they read, that have no line of their own."""
    found: dict[Operation, None] = {}
    stack: list[SSAValue] = [*op.operands]
    while stack and len(found) < MOST_SPOTS:
        reader = stack.pop().owner
        if isinstance(reader, Operation) and reader not in own and reader not in found:
            found[reader] = None
            stack += reader.operands
    return list(found)


def origins(module: ModuleOp, table: SpotTable) -> dict[Operation, Spots]:
    """The spots of each op: its own location's, or else its readers', or else those of the ops inside it or read."""
    found: dict[Operation, Spots] = {}
    ops = [op for op in walk(module) if not isinstance(op, ModuleOp | func.FuncOp)]
    for op in reversed(ops):  # readers before what they read, inner ops before outer ones
        own = table.of(op.location)
        own = own or _union(found.get(use.operation, ()) for result in op.results for use in result.uses)
        found[op] = own or _union(
            found.get(inner, ()) for region in op.regions for block in region.blocks for inner in block.ops
        )
    for op in ops:
        if not found[op]:
            found[op] = _union(found.get(v.owner, ()) for v in op.operands if isinstance(v.owner, Operation))
    return found


def _union(parts: Iterable[Spots]) -> Spots:
    return tuple(dict.fromkeys(spot for part in parts for spot in part))[:MOST_SPOTS]


def _kernels(module: ModuleOp) -> dict[Operation, str]:
    """The name of the kernel that each op is in, or launches."""
    found: dict[Operation, str] = {}
    for op in walk(module):
        if isinstance(op, loop.KernelOp | triton.KernelOp):
            found |= dict.fromkeys(walk(op), op.sym_name.data)
        elif isinstance(op, LaunchOp):
            found[op] = op.kernel.string_value()
    return found
