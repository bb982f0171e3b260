"""Traffic: how a load or store moves through memory, and what its address takes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd, prod

from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.loop.dialect import IndexOp, LoadOp, LoopOp
from mlc_dialects.loop.whole_parts import end_of
from mlc_support.index_expr import Atom, IndexExpr, Quotient, Remainder, Var
from mlc_support.index_maps import assumed
from mlc_support.powers import power_of_two
from passes.common.device import WIDEST_BYTES
from passes.loop.analysis.axes import Axes
from passes.loop.analysis.coalescing import Access, span

ODD = 3
"""A divisor that is not known."""
DIVISION, SHIFT = 6, 1
"""Instructions of an index divided by a number: a multiplication, shifts and additions; by a power of two."""
FAR = (1 << 24) + 1
"""The step of what lies where data says: odd, for it is as likely to be in one bank of memory as in another."""


@dataclass(frozen=True)
class Division:
    """A quotient or remainder in an address."""

    text: str
    loops: frozenset[LoopOp]
    """The loops whose indices it is of."""
    divisors: tuple[tuple[int, int], ...]
    """What is divided by, the innermost first, and how many neighbours the divided number counts as one."""

    def instructions(self, together: int = 1) -> int:
        """Of the arithmetic units; `together` neighbours that all give the same quotient divide once, as a scalar."""
        alike = [together > 1 and counted * divisor % together == 0 for divisor, counted in self.divisors]
        costs = [SHIFT if divisor == power_of_two(divisor) else DIVISION for divisor, _ in self.divisors]
        return sum(cost for cost, is_alike in zip(costs, alike, strict=True) if not is_alike)


@dataclass(frozen=True, eq=False)
class Traffic:
    """A load or store as it moves through memory. Each is equal to itself alone."""

    access: Access
    buffer: int
    """The number of its buffer."""
    place: int
    """Equal for loads that a program merges if registers hold the block."""
    row_step: int | None
    """Elements between neighbouring rows; None if that is data."""
    column_step: int | None
    """Elements between neighbouring columns; 0 where there are none."""

    row_axes: tuple[tuple[int, int], ...] = ()
    """Extent and step of each axis that the rows run over, the innermost first."""
    column_axes: tuple[tuple[int, int], ...] = ()
    """The same of the columns."""
    divisions: frozenset[Division] = frozenset()
    """The quotients and remainders in its address: equal ones are computed once."""
    alike: int = WIDEST_BYTES
    """How many neighbours surely are, by its condition and its address, side by side: one instruction moves no more."""

    @staticmethod
    def of(
        access: Access,
        rows: LoopOp,
        loop: LoopOp | None,
        axes: Mapping[LoopOp, Axes | None],
        places: dict[Hashable, int],
    ) -> Traffic:
        """An access of a loop over columns, or of the rows alone, with the `axes` that these loops run over.

        `places` numbers what a kernel accesses.
        """
        buffer, place = (places.setdefault(key, len(places)) for key in (access.op.buffer, _place(access)))
        row_axes = _axes(access, axes[rows], rows)
        column_axes = () if loop is None else _axes(access, axes[loop], loop)
        condition = access.op.condition
        peeled = condition is not None and loop is not None and end_of(rows, loop, condition) is not None
        inner = axes[rows if loop is None else loop]
        is_uneven = inner is not None and inner.is_uneven(access)
        alike = 1 if is_uneven else _masked_alike(None if peeled else condition)
        divisions = frozenset(_divisions(access))
        return Traffic(
            access, buffer, place, _first(row_axes), _first(column_axes), row_axes, column_axes, divisions, alike
        )

    @cached_property
    def moves_rows(self) -> bool:
        """True if some rows lie elsewhere than others, be it one row in four."""
        return any(step for _, step in self.row_axes)

    @cached_property
    def moves_columns(self) -> bool:
        """True if some columns lie elsewhere than others."""
        return any(step for _, step in self.column_axes)

    @cached_property
    def moves_both(self) -> bool:
        """True for what differs from row to row and from column to column."""
        return self.moves_rows and self.moves_columns

    @cached_property
    def is_conditional(self) -> bool:
        """True if something decides whether an element is read or written at all."""
        return self.access.op.condition is not None

    @cached_property
    def is_load(self) -> bool:
        return isinstance(self.access.op, LoadOp)

    @cached_property
    def is_aligned(self) -> bool:
        return self.access.is_aligned

    @cached_property
    def bytes(self) -> int:
        """Of an element."""
        return self.access.element_bytes

    @cached_property
    def footprint(self) -> int:
        """The memory from the first to the last element of the buffer, in bytes; 0 if that is not known."""
        return (span(self.access.op.buffer.type).constant or 0) * self.bytes

    @cached_property
    def distinct(self) -> int:
        """The elements of the buffer that the launch moves, each counted once, in bytes; 0 if data tells which."""
        moving = [(extent, step) for extent, step in (*self.row_axes, *self.column_axes) if step]
        return 0 if any(step == FAR for _, step in moving) else prod(extent for extent, _ in moving) * self.bytes

    @cached_property
    def shape(self) -> object:
        """What lanes take an access by: equal for those that move alike from rows to rows and columns to columns."""
        return self.row_step, self.column_step, self.row_axes, self.column_axes, self.bytes, self.is_aligned


def _place(access: Access) -> Hashable:
    """Equal for accesses of the same elements in loops of the same sizes."""
    return access.op.buffer, access.offset, tuple(loop.extents for loop in access.loops)


def _axes(access: Access, axes: Axes | None, loop: LoopOp) -> tuple[tuple[int, int], ...]:
    """Extent and step of each axis of `loop`, the innermost first; FAR where the next place is data."""
    if axes is None:
        found = access.step(loop)
        return ((assumed(loop.size), FAR if found is None else abs(found)),)
    steps = zip(axes.counts, axes.steps(access), strict=True)
    return tuple((count, FAR if step is None else abs(step)) for count, step in reversed(list(steps)) if count > 1)


def _first(axes: Sequence[tuple[int, int]]) -> int | None:
    """The step along the innermost axis; 0 where there is none, None where it is data."""
    step = axes[0][1] if axes else 0
    return None if step == FAR else step


def _masked_alike(condition: SSAValue | None) -> int:
    """How many neighbours one condition lets through together, at the most WIDEST_BYTES.

    Triton tells by the numbers in it: `i * 4096 + j < n` is the same for 8 neighbours if 8 divides n, and what depends
    on `i floordiv 64` is for 64.
    """
    if condition is None:
        return WIDEST_BYTES
    found, seen = WIDEST_BYTES, [condition]
    while seen:
        op = seen.pop().owner
        if isinstance(op, IndexOp):
            for expr in index_exprs(op.index):
                found = gcd(found, *_dividing(expr))
        elif isinstance(op, LoadOp):
            return 1
        elif isinstance(op, Operation):
            seen.extend(op.operands)
    return found


def _dividing(expr: IndexExpr) -> Iterator[int]:
    """Numbers whose common divisors are numbers of neighbours that `expr` counts together, or side by side."""
    atoms = [atom for monomial, _ in expr.terms for atom in monomial]
    yield from (atom.divisor.constant or 1 for atom in atoms if isinstance(atom, Quotient))
    for atom in atoms:
        if isinstance(atom, Remainder):
            yield from _dividing(atom.dividend)
    if any(map(_counts, atoms)):
        yield from (c for monomial, c in expr.terms if abs(c) != 1 or not monomial)


def _counts(atom: Atom) -> bool:
    """True if neighbours differ in `atom`."""
    if isinstance(atom, Remainder):
        return any(isinstance(a, Var) for monomial, _ in atom.dividend.terms for a in monomial)
    return isinstance(atom, Var)


def _divisions(access: Access) -> Iterator[Division]:
    """The quotients and remainders in an address."""
    loops = {operand_name(k): loop for k, loop in enumerate(access.loops)}
    for atom in (a for monomial, _ in access.offset.terms for a in monomial if not isinstance(a, Var)):
        of = {loops[v.name] for v in atom.dividend.variables() if v.name in loops}
        yield Division(str(atom), frozenset(of), _divisors(atom))


def _divisors(atom: Atom) -> tuple[tuple[int, int], ...]:
    """Each divisor in a quotient or remainder of an index, with what the index was divided by before."""
    if isinstance(atom, Var):
        return ()
    terms = atom.dividend.terms
    inner = terms[0][0][0] if len(terms) == 1 and terms[0][1] == 1 and len(terms[0][0]) == 1 else None
    before = () if inner is None else _divisors(inner)
    counted = before[-1][0] * before[-1][1] if before and isinstance(inner, Quotient) else 1
    return (*before, (atom.divisor.constant or ODD, counted))
