"""program-swizzle: orders programs so that those that read the same memory run close together, and share it in L2.

    s[8, 16, 1024, 1024] + bias[16, 1024, 1024]: 100 MB are touched before the 33 MB of bias are read again
 -> block 0 of each of the 8 batches, then block 1 of each, ...             swizzle 8 by 16384
    table[token[r], p]: 131072 tokens read rows of a table of 64 MB
 -> all tokens for 128 columns of the table, then for the next 128          the axes of the grid are swapped

The order of programs does not change results. The traffic of each order is estimated: data that is touched again comes
from memory again if more than L2 retains was touched in between.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from math import inf, prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr

from mlc_dialects.common.index_syntax import operand_name
from mlc_dialects.loop.dialect import IndirectIndexOp, KernelOp, LoopOp, StoreOp
from mlc_dialects.loop.memory import divisors
from mlc_support.index_expr import IndexExpr, variable
from mlc_support.walks import walk
from passes.common.device import DevicePass
from passes.loop.analysis.coalescing import Access, accesses, around, buffer_bytes
from passes.loop.analysis.legality import block_order_refusal

RETAINED = Fraction(2, 5)
"""The share of L2 that retains what other programs read again.

Less than half, since data that all multiprocessors read may be in both partitions of L2.
"""


@dataclass(frozen=True)
class ProgramSwizzlePass(DevicePass):
    """Gives scheduled kernels the order of programs with the least traffic from and to memory.

    Kernels of unknown size and persistent kernels keep theirs.
    """

    name = "program-swizzle"
    cache: int | None = None
    """Bytes that L2 retains until other programs read them again; none is two fifths of it."""
    worth: int = 5
    """Percent of the traffic of the plain order that another one must save."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if not isinstance(kernel, KernelOp) or kernel.warps is None:
                continue
            if isinstance(asked := kernel.decided("swizzle"), tuple):
                if asked != (1, 1):
                    kernel.rows.set_swizzle(*asked)
                kernel.carried_out("swizzle")
            elif _is_plain(kernel):
                nest = Nest.of(kernel)
                if nest is not None and len(nest.spread) == 1:
                    self._evict_results_first(kernel, nest, self._swizzle(kernel, nest))
                elif nest is not None and len(nest.spread) == 2:
                    self._swap_grid_axes(kernel, nest)

    @property
    def _cache(self) -> int:
        return int(RETAINED * self.target.l2_bytes) if self.cache is None else self.cache

    def _most(self, nest: Nest) -> float:
        """The most bytes that another order than the plain one may move."""
        return nest.moved(nest.axes, self._cache) * (1 - self.worth / 100)

    def _swizzle(self, kernel: KernelOp, nest: Nest) -> tuple[Axis, ...]:
        """Swizzles the programs of one loop if that pays; returns their order."""
        found = [
            (nest.moved(order, self._cache), swizzle_rows, swizzle_columns, order)
            for order, swizzle_rows, swizzle_columns in _swizzles(nest.axes)
        ]
        moved, swizzle_rows, swizzle_columns, order = min(found, default=(inf, 1, 1, nest.axes), key=lambda f: f[:3])
        if moved > self._most(nest):
            return nest.axes
        kernel.rows.set_swizzle(swizzle_rows, swizzle_columns)
        kernel.explain(f"swizzled: {swizzle_rows} programs in a row read the same")
        return order

    def _evict_results_first(self, kernel: KernelOp, nest: Nest, order: Sequence[Axis]) -> None:
        """Marks stores `evict_first` when their data exceeds the L2 cache and other data is read again from it."""
        moved, once = nest.moved(order, self._cache), nest.moved(order, 1 << 62)
        stores = [op for op in walk(kernel) if isinstance(op, StoreOp) and buffer_bytes(op.buffer) > self._cache]
        stores = [op for op in stores if op.evict is None]
        if stores and once <= moved * (1 - self.worth / 100):
            for op in stores:
                op.evict = StringAttr("first")
            kernel.explain("results are evicted first: other data is read again")

    def _swap_grid_axes(self, kernel: KernelOp, nest: Nest) -> None:
        """Lets consecutive programs of a tiled kernel go along the second axis of tiles, if that pays."""
        slabs = _slabs(kernel, nest.spread, self.target.grid_limits[1])
        found = [(n.moved(n.swapped, self._cache), -rank, n) for rank, n in enumerate(slabs)]
        moved, _, best = min(found, default=(inf, 0, nest), key=lambda f: f[:2])
        if moved <= self._most(nest):
            rows, columns = (best.blocks[loop] for loop in nest.spread)
            for program, loop in enumerate(reversed(nest.spread)):
                loop.set_mapping(program=program, block=best.blocks[loop])
            why = f"tiles of {rows} x {columns}, column tiles first: they read the same"
            kernel.why = StringAttr(why)


@dataclass(frozen=True)
class Axis:
    """A part of a loop that is mapped to programs."""

    name: str
    size: int
    step: int
    """Iterations of the loop between neighbours on the axis."""


@dataclass(frozen=True)
class Touched:
    """What an access touches: `block` bytes in a program, and others along the axes `moves`, of `whole` bytes.

    Its address depends on the axes `own`; with an indirect index it also moves along others.
    """

    block: int
    whole: int
    own: frozenset[Axis]
    moves: frozenset[Axis]

    def most(self, inside: Sequence[Axis]) -> int:
        """The most bytes that programs along the axes `inside` touch."""
        return max(1, self.whole // prod(axis.size for axis in self.own if axis not in inside))


@dataclass(frozen=True)
class Nest:
    """The programs of a kernel as a nest of axes, and what they touch."""

    blocks: Mapping[LoopOp, int]
    parts: Mapping[LoopOp, tuple[Axis, ...]]
    touched: tuple[Touched, ...]

    @classmethod
    def of(cls, kernel: KernelOp, blocks: Mapping[LoopOp, int] | None = None) -> Nest | None:
        """The nest of a kernel, optionally with other `blocks`; None if a size is unknown."""
        loops = [loop for loop in walk(kernel) if isinstance(loop, LoopOp)]
        found = list({(a.op.buffer, a.op.index): a for a in accesses(kernel)}.values())
        if not all(loop.size.constant for loop in loops) or not all(buffer_bytes(a.op.buffer) for a in found):
            return None
        held = {loop: _block(loop) for loop in loops} | dict(blocks or {})
        parts = {loop: _parts(loop, held[loop], f"a{k}") for k, loop in enumerate(loops)}
        return cls(held, parts, tuple(_touched(access, held, parts) for access in found))

    @property
    def spread(self) -> list[LoopOp]:
        """The loops that are mapped to programs; first that along which consecutive programs go."""
        return sorted((loop for loop in self.parts if loop.program is not None), key=lambda loop: loop.grid_axis)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The plain order."""
        return tuple(axis for loop in self.spread for axis in self.parts[loop])

    @property
    def swapped(self) -> tuple[Axis, ...]:
        """The order with the axes of the grid swapped."""
        return tuple(axis for loop in reversed(self.spread) for axis in self.parts[loop])

    def moved(self, order: Sequence[Axis], cache: int) -> int:
        """Bytes of memory traffic if programs run along the first axis of `order`, then the second, ...

        After `size / again` steps along an axis, an access touches the same bytes again.
        """
        held = [t.block for t in self.touched]
        total = list(held)
        for k, axis in enumerate(order):
            steps = [h * axis.size if axis in t.moves else h for h, t in zip(held, self.touched, strict=True)]
            after = [min(s, t.most(order[: k + 1])) for s, t in zip(steps, self.touched, strict=True)]
            for n, h in enumerate(held):
                again = max(1.0, h * axis.size / after[n])
                between = sum(s / again if s > b else b for s, b in zip(steps, held, strict=True))
                total[n] = int(total[n] * (axis.size / again if between <= cache else axis.size))
            held = after
        return sum(total)


def _block(loop: LoopOp) -> int:
    """How many iterations of `loop`, of known size, a program takes."""
    return loop.block_size if loop.program is not None else loop.size.constant or 1


def _parts(loop: LoopOp, block: int, name: str) -> tuple[Axis, ...]:
    """The axes along which the blocks of `loop` go, by how addresses divide its index; the innermost first."""
    size = loop.size.constant or 1
    steps = [block]
    for step in sorted(divisors(loop)):
        if steps[-1] < step < size and step % steps[-1] == 0 and size % step == 0:
            steps.append(step)
    ends = [*steps[1:], -(-size // block) * block]
    return tuple(Axis(f"{name}_{k}", e // s, s) for k, (s, e) in enumerate(zip(steps, ends, strict=True)) if e > s)


def _touched(access: Access, held: Mapping[LoopOp, int], parts: Mapping[LoopOp, tuple[Axis, ...]]) -> Touched:
    """What one access touches of its buffer, whose size is known."""
    lanes = {loop: variable(f"l{k}", held[loop]) for k, loop in enumerate(held)}
    known, scattered = dict[str, IndexExpr](), set[LoopOp]()
    for k, (value, loop) in enumerate(zip(access.op.indices, access.loops, strict=True)):
        if isinstance(value.owner, IndirectIndexOp):
            scattered |= set(around(value.owner))
        else:
            places = (variable(axis.name, axis.size) * axis.step for axis in parts[loop])
            known[operand_name(k)] = sum(places, lanes[loop])
    present = {v.name for v in access.offset.substitute(known).variables()}
    own = frozenset(axis for axis in chain.from_iterable(parts.values()) if axis.name in present)
    moves = own.union(*(parts[loop] for loop in scattered))
    wide = [held[loop] for k, loop in enumerate(held) if f"l{k}" in present or loop in scattered]
    touched = Touched(prod(wide) * access.element_bytes, buffer_bytes(access.op.buffer), own, moves)
    return replace(touched, block=min(touched.block, touched.most(())))


def _swizzles(axes: Sequence[Axis]) -> Iterator[tuple[tuple[Axis, ...], int, int]]:
    """Each order in which some of `axes` come before those inside them, as rows and columns of a swizzle."""
    for low in range(1, len(axes)):
        for high in range(low + 1, len(axes) + 1):
            order = (*axes[low:high], *axes[:low], *axes[high:])
            yield order, prod(a.size for a in axes[low:high]), prod(a.size for a in axes[:low])


def _slabs(kernel: KernelOp, spread: Sequence[LoopOp], most: int) -> Iterator[Nest]:
    """The nest with its tiles and, if memory is contiguous only along `outer`, with ever longer tiles of the same size.

    The second axis of the grid has up to `most` programs.
    """
    outer, inner = spread
    tiles = [a for a in accesses(kernel) if outer in a.loops and inner in a.loops]
    rows, columns = outer.block_size, inner.block_size
    while columns and rows <= (outer.size.constant or 1):
        nest = Nest.of(kernel, {outer: rows, inner: columns})
        if nest is not None and prod(axis.size for axis in nest.parts[outer]) <= most:
            yield nest
        if any(a.step(inner) == 1 for a in tiles):
            return
        rows, columns = rows * 2, columns // 2


def _is_plain(kernel: KernelOp) -> bool:
    """True if each program takes a block of the outer loop, and none needs or has been given an order."""
    outer = kernel.rows
    is_ordered = outer.swizzle_rows is not None or outer.overlap is not None
    return not is_ordered and outer.grid_axis == 0 and block_order_refusal(kernel) is None
