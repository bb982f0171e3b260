"""The axes that a loop runs over, found where addresses divide its index, and how far accesses move along each.

    for p in 0 .. 2 * 384 * 81: out[p] = x[(p floordiv 81) mod 384 + (p floordiv 31104) * 31104 + (p mod 81) * 384]

divides p by 81 and by 31104: p runs over axes of 2, 384 and 81 places, along which x moves 31104, 1 and 384 elements.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise

from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.buffers import buffer_offset
from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.loop.dialect import AccumulateOp, IndexOp, IndirectIndexOp, KernelOp, LoadOp, LoopOp
from mlc_support.index_expr import IndexExpr, Quotient, Remainder, Var, integer, product
from mlc_support.index_maps import ASSUMED_SIZE, assumed, delinearize, linearize, row_major_strides
from mlc_support.walks import walk
from passes.loop.analysis.coalescing import PROBES, Access, accesses

Sizes = tuple[IndexExpr, ...]
"""The extents of axes, the outermost first."""
Address = tuple[Sequence[SSAValue], Sequence[IndexExpr]]
"""Index operands, and the numbers that are computed of them."""
Steps = tuple[int | None, ...]
"""Elements of memory between neighbours along each axis; None where they are not known."""


@dataclass(frozen=True)
class Axes:
    """The row-major axes that the index of `loops` runs over."""

    loops: tuple[LoopOp, ...]
    sizes: Sizes

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The extents as numbers: named sizes count as ASSUMED_SIZE."""
        return tuple(map(assumed, self.sizes))

    def steps(self, access: Access) -> Steps:
        """How far `access` moves along each axis, from where all loops begin: the usual step where it varies."""
        operands = access.op.indices
        steps = _steps(access.offset, len(operands), tuple(_names(operands, self.loops)), self.sizes)
        found = looked_up(operands)
        if not found:
            return steps
        strides = map(assumed, row_major_strides(self.sizes))
        varies = [any(self._varies(op, stride) for op in found) for stride in strides]
        return tuple(None if is_data else step for step, is_data in zip(steps, varies, strict=True))

    def is_uneven(self, access: Access) -> bool:
        """True if `access` stays at some places along the innermost axis and moves on at others."""
        operands = access.op.indices
        moves = _moves(access.offset, len(operands), tuple(_names(operands, self.loops)), self.sizes)[-1:]
        return any(0 in along and any(along) for along in moves)

    def _varies(self, op: LoadOp | IndexOp, stride: int) -> bool:
        """True if what `op` gives may be another number for the next place along the axis of `stride`."""
        exprs, names = index_exprs(op.index), _names(op.indices, self.loops)
        start = _origin(exprs, len(op.indices))
        after = start | dict.fromkeys(names, stride)
        return any(e.evaluate(start) != e.evaluate(after) for e in exprs)

    def joined(self, found: Sequence[Access]) -> Axes:
        """These with neighbours made one that lie next to each other in all of `found`."""
        steps = [self.steps(access) for access in found]
        sizes = list(self.sizes[:1])
        for axis in range(1, len(self.sizes)):
            if all(s[axis] is not None and s[axis - 1] == (s[axis] or 0) * self.counts[axis] for s in steps):
                sizes[-1] = sizes[-1] * self.sizes[axis]
            else:
                sizes.append(self.sizes[axis])
        return Axes(self.loops, tuple(sizes))

    def place(self, parts: Sequence[tuple[IndexExpr, Sequence[int]]]) -> IndexExpr:
        """The loop's index where the index of each of `parts` runs over those of the axes, the outermost first."""
        own: dict[int, IndexExpr] = {}
        for index, axes in parts:
            own |= zip(axes, delinearize(index, tuple(self.sizes[d] for d in axes)), strict=True)
        return linearize(tuple(own[d] for d in range(len(self.sizes))), self.sizes)


@lru_cache(maxsize=1 << 12)
def _steps(offset: IndexExpr, operands: int, names: tuple[str, ...], sizes: Sizes) -> tuple[int, ...]:
    """How far `offset` moves along each axis of these sizes, of whose loops the indices are called `names`.

    The usual step; of an axis along which it stays at some places, as `(2 * i) floordiv 3`, that between the others.
    """
    found = [[move for move in moves if move] or [0] for moves in _moves(offset, operands, names, sizes)]
    return tuple(max(moves, key=moves.count) for moves in found)


@lru_cache(maxsize=1 << 12)
def _moves(offset: IndexExpr, operands: int, names: tuple[str, ...], sizes: Sizes) -> tuple[Sequence[int], ...]:
    """How far `offset` moves between each two of the first places along an axis."""
    start, found = _origin((offset,), operands), list[Sequence[int]]()
    for stride, size in zip(map(assumed, row_major_strides(sizes)), map(assumed, sizes), strict=True):
        places = [start | dict.fromkeys(names, stride * k) for k in range(max(2, min(PROBES, size)))]
        found.append([after - before for before, after in pairwise(map(offset.evaluate, places))])
    return tuple(found)


def axes_of(kernel: KernelOp, loops: Sequence[LoopOp]) -> Axes | None:
    """The axes of `loops`, which have one extent; None where their cuts are no chain of divisors."""
    return axes_among(addressed(kernel), loops)


def axes_among(addresses: Iterable[Address], loops: Sequence[LoopOp]) -> Axes | None:
    """`axes_of` by what is `addressed` in their kernel."""
    (extent,) = {loop.size for loop in loops}
    found = list(_cuts_of(addresses, loops))
    if None in found:
        return None
    inner = [cut for cut in found if cut is not None and not (cut - extent).is_non_negative()]
    cuts = {integer(1), extent, *inner}
    chain = sorted(cuts, key=lambda cut: (assumed(cut), str(cut)), reverse=True)
    sizes = [_exact(outer, inner) for outer, inner in pairwise(chain)]
    known = tuple(size for size in sizes if size is not None)
    return Axes(tuple(loops), known) if len(known) == len(sizes) else None


def _cuts_of(addresses: Iterable[Address], loops: Sequence[LoopOp]) -> Iterator[IndexExpr | None]:
    """The places at which `addresses` begin a new axis of `loops`; None for one that is none."""
    for operands, exprs in addresses:
        for name in _names(operands, loops):
            for expr in exprs:
                yield from _cuts(expr, name)


def addressed(kernel: KernelOp) -> Iterator[Address]:
    """The index operands of each access and index op, and the numbers that are computed of them."""
    for access in accesses(kernel):
        yield access.op.indices, (access.offset,)
    for op in walk(kernel):
        if isinstance(op, AccumulateOp):
            yield op.indices, (buffer_offset(op.buffer.type, index_exprs(op.index)),)
        elif isinstance(op, IndexOp):
            yield op.indices, index_exprs(op.index)


def looked_up(values: Collection[SSAValue]) -> list[LoadOp | IndexOp]:
    """What gives the numbers that become indices among `values`, and what those depend on."""
    work = [v.owner for v in values if isinstance(v.owner, IndirectIndexOp)]
    seen: dict[Operation, None] = {}
    while work:
        op = work.pop()
        if isinstance(op, Operation) and op not in seen:
            seen[op] = None
            work += [v.owner for v in op.operands]
    return [op for op in seen if isinstance(op, LoadOp | IndexOp)]


def _names(operands: Sequence[SSAValue], loops: Sequence[LoopOp]) -> list[str]:
    """What an op with these index operands calls the index of its loop among `loops`."""
    own = {loop.index for loop in loops}
    return [operand_name(k) for k, value in enumerate(operands) if value in own]


def _origin(exprs: Sequence[IndexExpr], operands: int) -> dict[str, int]:
    """Numbers for the names of `exprs`: sizes as assumed, and the index operands all 0."""
    sizes = {v.name: ASSUMED_SIZE for e in exprs for v in e.variables()}
    return sizes | {operand_name(k): 0 for k in range(operands)}


def _exact(dividend: IndexExpr, divisor: IndexExpr) -> IndexExpr | None:
    """dividend / divisor where that is whole for sure."""
    quotient = dividend // divisor
    return quotient if quotient * divisor == dividend else None


@lru_cache(maxsize=1 << 12)
def _cuts(expr: IndexExpr, name: str) -> tuple[IndexExpr | None, ...]:
    """`_every_cut`, found once."""
    return tuple(_every_cut(expr, name))


def _every_cut(expr: IndexExpr, name: str) -> Iterator[IndexExpr | None]:
    """The places at which quotients and remainders in `expr` begin a new axis of `name`; None for one that is none.

    Of one term, as (16 * i) floordiv 25, there may be none: it goes along the axis of `i`, and not evenly.
    """
    for monomial, _ in expr.terms:
        for atom in monomial:
            if isinstance(atom, Quotient | Remainder):
                yield from _cuts(atom.dividend, name)
                if _reads(atom.divisor, name):
                    yield None
                units = list(_units(atom.dividend, name))
                for unit, factor in units:
                    cut = None if unit is None else _exact(atom.divisor * unit, factor)
                    if cut is not None or unit is None or len(units) > 1:
                        yield cut


def _units(expr: IndexExpr, name: str) -> Iterator[tuple[IndexExpr | None, IndexExpr]]:
    """For each term of `expr` with `name`, how far that goes until the term grows, and by how much it does."""
    for monomial, coefficient in expr.terms:
        own = [atom for atom in monomial if _reads(_atom(atom), name)]
        if own:
            rest = product(_atom(atom) for atom in monomial if atom not in own) * coefficient
            yield (_unit(own[0], name) if len(own) == 1 else None), rest if coefficient > 0 else -rest


def _unit(atom: Var | Quotient | Remainder, name: str) -> IndexExpr | None:
    """How far `name` goes until `atom` grows by one; None where that is no one number."""
    if isinstance(atom, Var):
        return integer(1)
    match list(_units(atom.dividend, name)):
        case [(IndexExpr() as unit, factor)]:
            return _exact(atom.divisor * unit if isinstance(atom, Quotient) else unit, factor)
        case _:
            return None


def _atom(atom: Var | Quotient | Remainder) -> IndexExpr:
    return IndexExpr((((atom,), 1),))


def _reads(expr: IndexExpr, name: str) -> bool:
    return any(v.name == name for v in expr.variables())
