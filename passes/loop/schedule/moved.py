"""Moved: what loads and stores move of a block of rows and columns, however many lanes take it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import gcd, prod

from passes.loop.schedule.traffic import FAR, Traffic

Steps = tuple[tuple[int, int], ...]
"""Extent and step of each axis that rows or columns run over, the innermost first."""


@dataclass(frozen=True)
class Moved:
    """What an access moves of a block."""

    touched: int
    """Elements that lanes ask for: of what is the same for all rows, or all columns, one."""
    places: int
    """Elements that lie at places of their own: of `x[p floordiv 4]` a fourth of those asked for."""
    along_rows: bool
    """True if neighbouring lanes take neighbouring rows.

    As Triton lays it out: along the axis of which it knows more elements to be contiguous, of equals the columns. It
    knows nothing of the rows where data says the place of each column.
    """
    known: int
    """Neighbours along that axis that Triton knows to be contiguous."""
    extents: Steps
    """Extent and step of what the block covers of each axis, that of neighbouring lanes first."""
    memory: Steps
    """Step and extent of each axis that it moves along, but for columns that there are none of."""


@dataclass(frozen=True, eq=False)
class Block:
    """Rows and columns that a program holds at once of one body."""

    traffic: tuple[Traffic, ...]
    rows: int
    columns: int
    existing: int
    """Columns that the body has: of a block that holds more, the others are masked."""
    within_lines: bool
    """True if the rows of a block lie within a line of memory."""

    @cached_property
    def moved(self) -> dict[Traffic, Moved]:
        """What each access moves of it."""
        size = self.rows, self.columns, self.existing, self.within_lines
        return {t: _moved(t.row_axes, t.column_axes, *size) for t in self.traffic}

    @cached_property
    def runs_along_rows(self) -> bool:
        """True if lanes take some of what differs from row to row and column to column along the rows."""
        return any(self.moved[t].along_rows for t in self.traffic if t.moves_both)

    @cached_property
    def leading(self) -> tuple[Traffic, ...]:
        """What decides how lanes take all of that: one access of each shape that lies as they run."""
        own = [t for t in self.traffic if t.moves_both and self.moved[t].along_rows == self.runs_along_rows]
        return tuple({t.shape: t for t in own}.values())

    @cached_property
    def turns(self) -> int:
        """How many of the accesses are turned."""
        return self.turned(self.traffic)

    def turned(self, moved: Iterable[Traffic]) -> int:
        """How many loads and stores take it along its columns, where others take it along its rows; or the reverse.

        It is the fewer of them: lanes turn what these move, and compute with the layout of the others.
        """
        if self.rows == 1 or self.columns == 1:
            return 0
        along_rows = [self.moved[t].along_rows for t in moved if t.moves_both]
        return min(along_rows.count(True), along_rows.count(False))

    @cached_property
    def held(self) -> list[Traffic]:
        """The loads of which each lane holds an element of its own for each of the block's."""
        return [t for t in self.traffic if self.holds(t)]

    @cached_property
    def common(self) -> tuple[Traffic, ...]:
        """The loads of what all rows or all columns have in common."""
        return tuple(t for t in self.traffic if t.is_load and not t.moves_both)

    def shared_words(self, blocks: tuple[Block, ...]) -> tuple[float, float]:
        """Words that `blocks` load for each row of this one, and for each column, which its columns, or rows, share."""
        if blocks not in self._shared:
            loads = {t.place: t for block in blocks for t in block.common if not self.holds(t)}
            self._shared[blocks] = _words_along(loads.values(), True), _words_along(loads.values(), False)
        return self._shared[blocks]

    @cached_property
    def _shared(self) -> dict[tuple[Block, ...], tuple[float, float]]:
        """What has been asked for."""
        return {}

    def holds(self, t: Traffic) -> bool:
        """True for loads, of any body, of which each lane holds an element of its own for each of the block's."""
        touched = _touched(t.row_axes, self.rows) * _touched(t.column_axes, self.columns)
        return t.is_load and (self.columns == 1 or touched > self.rows)


def _words_along(loads: Iterable[Traffic], rows: bool) -> float:
    """Words of an element of each load that moves along the rows alone, or along the columns alone."""
    return sum(max(t.bytes, 2) / 4 for t in loads if t.moves_rows == rows and t.moves_columns != rows)


@lru_cache(maxsize=1 << 14)
def _moved(row_axes: Steps, column_axes: Steps, rows: int, columns: int, existing: int, within_lines: bool) -> Moved:
    """What an access along axes of some extents and steps moves of a block."""
    touched = _touched(row_axes, rows) * _touched(column_axes, columns)
    covered = (*_covered(row_axes, rows), *_covered(column_axes, columns))
    in_line = within_lines and row_axes and row_axes[0][1] == 1 and row_axes[0][0] >= rows
    rows_run = rows if in_line else _known_run(row_axes, rows)
    columns_run = _known_run(column_axes, columns)
    is_data = any(step == FAR for _, step in column_axes)
    along_rows = rows > 1 and not is_data and rows_run > columns_run
    rows_first = along_rows or columns == 1
    of_rows, of_columns = _extents(row_axes, rows), _extents(column_axes, columns)
    return Moved(
        touched=touched,
        places=min(touched, prod(extent for _, extent in covered)),
        along_rows=along_rows,
        known=rows_run if rows_first else columns_run,
        extents=(*of_rows, *of_columns) if rows_first else (*of_columns, *of_rows),
        memory=(*_covered(column_axes, min(columns, existing)), *_covered(row_axes, rows)),
    )


def _touched(axes: Steps, count: int) -> int:
    """How many of `count` neighbours lanes ask for: one where blocks lie within an axis that it does not move along."""
    if axes and not axes[0][1] and axes[0][0] % count == 0:
        return 1
    return count if any(step for _, step in axes) else 1


def _known_run(axes: Steps, count: int) -> int:
    """How many of `count` neighbours Triton knows to be contiguous: a power of two that divides a broken run."""
    run = 1
    for extent, step in axes:
        if step != run:
            return min(count, gcd(run, 1 << 30))
        run *= extent
    return count if run > 1 else 1


def _covered(axes: Steps, count: int) -> Iterator[tuple[int, int]]:
    """Step and extent of what `count` neighbours cover of each axis, where the access moves along it."""
    for extent, step in axes:
        if step and count > 1:
            yield step, min(extent, count)
        count = -(-count // max(1, extent))


def _extents(axes: Steps, count: int) -> Iterator[tuple[int, int]]:
    """Extent and step of what `count` neighbours cover of each axis, and of what they have in common."""
    for extent, step in axes:
        if count > 1:
            yield max(1, min(extent, count)), step
        count = -(-count // max(1, extent))
    if count > 1:
        yield count, 0
