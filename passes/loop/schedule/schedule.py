"""schedule: maps the loops of each kernel to programs and blocks, and says why.

Decides, for every `mlc_loop.kernel`, how many rows a program takes, how many columns it holds at
once (all of them: the row stays in registers; fewer: it loops), the number of warps, and
whether addresses need 64 bits. A kernel that has a schedule already keeps it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from mlc_dialects.loop.dialect import (
    KernelOp,
    LoadOp,
    LoopOp,
    ParallelOp,
    ReduceOp,
    SerialOp,
)
from mlc_dialects.loop.exclusive_prefix import flags_of
from mlc_dialects.loop.memory import divisors
from mlc_dialects.loop.schedule import TILING
from mlc_dialects.triton.types import LANES
from mlc_support.errors import MlcError
from mlc_support.locations import location_of
from mlc_support.powers import holds_little_more, power_of_two, power_of_two_up_to
from passes.common.device import LINE_BYTES, SECTOR_BYTES, WIDEST_BYTES, DevicePass
from passes.loop.analysis.coalescing import (
    Access,
    accesses,
    are_aligned,
    are_contiguous,
    coalesced_bytes,
    has_scan,
    is_coalesced_along_rows,
    kinds,
    loaded_bytes,
    longest,
    longest_register_row,
    most_columns,
    reread_bytes,
    sector_rows,
    stores,
    widest_element,
)
from passes.loop.analysis.registers import (
    carried_bytes,
    is_crowded,
    lane_bytes,
    uncrowded,
    warps_for,
)
from passes.loop.locality.cache_hints import stays_cached
from passes.loop.schedule.elements import Schedule, pointwise, tiles
from passes.loop.schedule.mapping import apply
from passes.loop.schedule.model import predict
from passes.loop.schedule.overlapping_tail import allow_overlapping_tail, last_blocks_of
from passes.loop.schedule.tiling import Structure, Tiling, tilings
from passes.loop.schedule.workload import workload

IDLE = 12
"""Columns of a row for each lane that its last block may leave idle; else blocks of half the size are better."""
LOOPED_WARPS = 8
"""Warps of a program that loops over a row, or half or twice as many."""
BESIDE_BYTES = 2 * LINE_BYTES
"""How much of a line of memory a program takes where rows lie side by side."""
NARROWEST = 16
"""How many rows side by side a program takes at least: fewer would waste parts of memory transactions."""
MOST_ROWS = 1024
"""A limit for the rows of a program where nothing else sets one."""
PIECE_BYTES = 2 * SECTOR_BYTES
"""How much of a line of memory is worth reading by itself."""
FILLED = 8192
"""Elements that the programs of a multiprocessor should hold, all together."""
LOOKED_UP = 2
"""How many times as many rows a lane holds where rows are looked up: it waits for all their places at once."""
SCANNED_BYTES = 512
"""What a lane holds of what is scanned down columns: lanes wait for each other, so that few of them should."""
READ_BYTES = 2 * WIDEST_BYTES
"""What a lane holds of a row that is only read: two of the widest loads, for as many lanes as there are."""
SEARCHING = {"argmax", "argmin"}
"""Reductions that carry a place along: where lanes meet there is much to compare, so that few of them should."""


@dataclass(frozen=True)
class SchedulePass(DevicePass):
    """Gives every kernel a mapping to programs and blocks.

    `elements` is how many elements a pointwise program takes, `persistent` the longest row that is kept in registers
    (one whose variance is summed up as it comes: `looped`), `looped` how many columns a longer row is read in at once,
    `tile` the side of a tile where memory runs along two axes; all powers of two. `stages` is the most steps of a loop
    whose loads are on their way at once; more where columns run over planes, of which a step has short pieces.
    The kernel's own schedule decides instead, as far as it goes. So does the model of time
    (passes/loop/schedule/model.py), if what it would take is predicted to be `margin` percent quicker; of contiguous
    rows, where its error is larger, `margin_of_rows` percent.
    With `predict` the reason says what the model expects, what bounds the kernel, and which tiling it would take.
    """

    name = "schedule"
    elements: int = 1024
    persistent: int = 16384
    looped: int = 8192
    tile: int = 64
    stages: int = 3
    stages_of_planes: int = 5
    margin: int = 15
    margin_of_rows: int = 30
    predict: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp) and kernel.warps is None:
                self._schedule(kernel)

    def _schedule(self, kernel: KernelOp) -> None:
        asked = Tiling.asked(kernel) or self._asked_in_part(kernel)
        if asked is not None:
            apply(kernel, asked, "as asked for", self.target)
            return
        outer, found = kernel.rows, list(accesses(kernel))
        inner = outer.loops
        allow_overlapping_tail(outer)  # before it is asked how many rows meet as one
        walks = [op for op in inner if isinstance(op, SerialOp)]
        if walks:
            schedule = self._walk(outer, walks[0], found)
        elif inner and not any(isinstance(op, ReduceOp) or has_scan(op) for op in inner):
            schedule = tiles(outer, inner[0], found, self.tile)
        elif inner:
            schedule = self._reduction(outer, inner, found)
        else:
            schedule = pointwise(outer, found, self.elements)
        why = schedule.why
        for last in last_blocks_of(outer):
            why = f"{why}; the last of {last.count} adds up"
        stages = self.stages if are_contiguous(longest(inner)) else self.stages_of_planes
        choice = Tiling(schedule.rows, schedule.columns or 1, schedule.warps, stages)
        better = self._better(kernel, choice)
        if better is not None:
            choice, why = better
        apply(kernel, choice, why + self._predicted(kernel, choice), self.target)

    def _asked_in_part(self, kernel: KernelOp) -> Tiling | None:
        """The quickest tiling, as predicted, of those that suit what is decided of it; None if nothing is."""
        if all(kernel.decided(name) is None for name in TILING):
            return None
        work = workload(kernel)
        suiting = [t for t in tilings(kernel, work) if t.suits(kernel)]
        if not suiting:
            raise MlcError(
                f"schedule: no tiling of {kernel.sym_name.data} is as its schedule asks",
                location=location_of(kernel),
                hint="give rows, columns and warps: then they are taken as they are",
            )
        best = min(suiting, key=lambda t: predict(work, t, self.target).us)
        stages = kernel.decided("stages")
        return replace(best, stages=stages) if isinstance(stages, int) else best

    def _better(self, kernel: KernelOp, choice: Tiling) -> tuple[Tiling, str] | None:
        """The tiling of the least predicted time and why, if the model of time expects clearly more of it.

        It is not asked where sizes are unknown or 0, or places are data: what is looked up may be near or far.
        """
        unknown = any(not op.size.constant for op in kernel.walk() if isinstance(op, LoopOp))
        if unknown or any(a.is_indirect for a in accesses(kernel)):
            return None
        work = workload(kernel)
        own = predict(work, choice, self.target)
        ranked = [(predict(work, tiling, self.target), tiling) for tiling in tilings(kernel, work)]
        best, tiling = min(ranked, key=lambda pair: pair[0].us, default=(own, choice))
        at = Structure(kernel)
        rows = bool(at.columns) and not at.is_tile and not is_coalesced_along_rows(at.outer, list(accesses(kernel)))
        if own.us <= best.us * (1 + (self.margin_of_rows if rows else self.margin) / 100):
            return None
        blocks = f"{tiling.rows} rows and {tiling.columns} columns at once"
        return tiling, f"{blocks}: {best.us:.1f} us predicted, bound by {best.bound}, instead of {own.us:.1f}"

    def _predicted(self, kernel: KernelOp, choice: Tiling) -> str:
        """What the model of time says of the choice, and of the tiling that it would take; empty unless asked for."""
        if not self.predict:
            return ""
        work = workload(kernel)
        ranked = sorted((predict(work, t, self.target).us, t) for t in tilings(kernel, work))
        own = predict(work, choice, self.target)
        text = f"; {own.us:.1f} us predicted, bound by {own.bound}"
        if not ranked:
            return text
        us, best = ranked[0]
        return f"{text}; {us:.1f} us with {best.rows} rows, {best.columns} columns, {best.warps} warps"

    def _walk(self, outer: ParallelOp, serial: SerialOp, found: Sequence[Access]) -> Schedule:
        """Programs that walk the rows hold whole rows, and as wide accumulators, in registers.

        Of a row that begins anywhere a lane asks for each element by itself: for PIECE_BYTES, of up to LOOPED_WARPS.
        """
        columns = [op for op in outer.walk() if isinstance(op, ParallelOp | ReduceOp) and op is not outer]
        width = max(power_of_two(loop.size.constant) for loop in columns)
        rows = serial.block_size
        why = f"{outer.size} programs walk the rows, {rows} at once; sums over the rows stay in registers"
        loads = [a for a in found if isinstance(a.op, LoadOp)]
        warps = warps_for(rows * width, 32)
        if not are_aligned(columns, found):
            piece = warps_for(rows * width, PIECE_BYTES // widest_element(loads))
            warps = max(warps, min(LOOPED_WARPS, piece))
        return Schedule(1, width, warps, why)

    def _reduction(self, outer: ParallelOp, inner: Sequence[LoopOp], reads: Sequence[Access]) -> Schedule:
        rows, columns, most = outer.size.constant, most_columns(inner), _most_rows(outer)
        if is_coalesced_along_rows(outer, reads):
            long = [a for a in reads if any(loop is not outer and loop.size.constant == columns for loop in a.loops)]
            return self._across(outer, columns, long, inner, most)
        if columns is not None and flags_of(outer) is not None and not any(map(has_scan, inner)):
            return self._together(columns, not are_contiguous(longest(inner)))
        held = self._longest_held(inner, reads)
        if columns is not None and columns <= held:
            block, a_register = power_of_two(columns), 4 // min(4, widest_element(reads))
            only_read = not stores(inner)
            # What only reads takes few registers: as many bytes at once, whatever the type.
            elements = self.elements * (a_register if only_read else 1)
            looked_up = LOOKED_UP if any(_looks_rows_up(a, outer) for a in reads) else 1
            take = max(1, min(power_of_two(rows), most, looked_up * elements // block))
            take = max(take, min(most, self._rows_of_sectors(outer, block, reads)))
            aligned = are_aligned(inner, reads)
            narrow = only_read or block >= self.persistent or (block != columns and not aligned)
            warps = warps_for(take * block, (32 * a_register if narrow else 32) * min(take, looked_up))
            if only_read and aligned and take == 1 and not kinds(inner) & SEARCHING:
                # Fewer lanes where they wait twice, with their elements in registers.
                most = self.target.warps_per_block if len(inner) == 1 else LOOPED_WARPS
                warps = max(warps, min(most, warps_for(block, READ_BYTES // widest_element(reads))))
            return Schedule(take, block, warps, f"{take} row(s) of {columns} kept in registers")
        why = "of unknown length" if columns is None else f"of {columns}, more than {held}"
        block, warps = self._looped(inner, reads)
        block = min(block, longest_register_row(inner, self.target)) if are_contiguous(inner) else block
        return Schedule(1, block, min(warps, warps_for(block, 1)), f"a row {why}: looped by {block}")

    def _longest_held(self, inner: Sequence[LoopOp], reads: Sequence[Access]) -> int:
        """The longest row that is kept in registers: if it is in one piece, they have room for what is read again.

        A variance that is summed up as it comes is quicker from the cache, which the row is read from again. Where
        nothing is, there is nothing to keep: of a row that begins anywhere a lane asks for each element by itself.
        """
        if stores(inner) and not reread_bytes(inner) and not are_aligned(inner, reads):
            return self.looped // (8 if any(map(has_scan, inner)) else 2)
        if not are_contiguous(inner):
            return self.persistent
        return min(
            self.looped if "welford" in kinds(inner) else self.persistent, longest_register_row(inner, self.target)
        )

    def _together(self, columns: int, planes: bool) -> Schedule:
        """Programs that await each other are small: a multiprocessor works on some of many while others wait.

        Registers hold a part, if it is a piece of memory and not long; else it is read again, from the cache.
        """
        held = not planes and columns <= self.looped
        block = power_of_two(columns) if held else self.looped // 2
        why = f"a part of {columns}, {'kept in registers' if held else f'looped by {block}'}"
        return Schedule(1, block, warps_for(block, 64 if held else 32), f"{why}; awaits those of the other programs")

    def _rows_of_sectors(self, outer: ParallelOp, block: int, reads: Sequence[Access]) -> int:
        """Rows of `block` columns that a program takes to move whole sectors of what lies along the rows; or 1.

        Whole lines, if no more than FILLED elements are held; one row, if registers would not hold even sectors.
        """
        rows, sectors = outer.size.constant, sector_rows(outer, reads)
        if rows is None or sectors == 1 or sectors * block > self.persistent:
            return 1
        take = min(BESIDE_BYTES // 2 // SECTOR_BYTES * sectors, max(sectors, FILLED // block))
        while take > 1 and rows < take * self.target.multiprocessors:
            take //= 2
        return take

    def _looped(self, inner: Sequence[LoopOp], reads: Sequence[Access]) -> tuple[int, int]:
        """How many columns of a long row are read at once, and by how many warps."""
        aligned = are_aligned(inner, reads)
        if "softmax" in kinds(inner):
            return self._meeting(inner, aligned)
        if any(map(has_scan, inner)) and not aligned:
            # Lanes wait for each other for each of the elements that they hold: there is little to do at once.
            block = self.looped // 16
            return block, warps_for(block, READ_BYTES // widest_element(reads))
        return self._apart(inner, reads)

    def _meeting(self, inner: Sequence[LoopOp], aligned: bool) -> tuple[int, int]:
        """Lanes that meet at each block: few of them, with much to do between.

        What is read again must stay in the cache until then: of longer rows there are fewer at a time. Blocks that
        lie across what memory gives at once ask for each element by itself, of which a lane has room for fewer; blocks
        of which the last would be idle for the most part are smaller as well.
        """
        columns, only_read = most_columns(inner), not stores(inner)
        if only_read:
            full = holds_little_more(columns or 0, self.looped, IDLE)
            return self.looped // (1 if aligned and full else 2), LOOPED_WARPS // 2
        if aligned and columns is not None and columns % (2 * self.looped) == 0:
            return 2 * self.looped, min(2 * LOOPED_WARPS, power_of_two(columns // self.looped))
        return self.looped, LOOPED_WARPS

    def _apart(self, inner: Sequence[LoopOp], reads: Sequence[Access]) -> tuple[int, int]:
        """Lanes that gather each for itself: more of them where another loop reads the row again and stores.

        Whole planes, if the columns run over such: then each lane is inside, or past the end, in every block; many at
        once where the cache keeps what is read again, else few, so that programs have some on their way from memory.
        Fewer columns where registers run out, but no fewer than make loads of 16 bytes a lane. Where rows that have a
        variance are read again, registers hold what is loaded in the width that it is computed in, and of longer rows
        there are fewer at a time, by more lanes each.
        """
        only_read, welford = not stores(inner), "welford" in kinds(inner)
        aligned, scans = are_aligned(inner, reads), any(has_scan(loop) for loop in inner)
        warps = 2 * LOOPED_WARPS if welford or not only_read else LOOPED_WARPS
        once = not reread_bytes(inner) and not aligned  # each element by itself: few of them a lane
        block = self.looped // ((2 if once else 1) if not only_read else 4 if not aligned else 2 if welford else 1)
        carried, loaded = carried_bytes(inner), 0 if scans else loaded_bytes(inner)  # a scan waits once a block
        planes = [size for loop in longest(inner) for size in divisors(loop) if size >= LANES * warps]
        if welford and not only_read and aligned and not planes:
            warps = self.target.warps_per_block if (most_columns(inner) or 0) > self.persistent else warps
            block, loaded = LANES * warps * WIDEST_BYTES, loaded_bytes(inner, least=4)
        elif planes and max(planes) == power_of_two(max(planes)):
            again = stays_cached(inner, self.target)
            block = min(max(planes), self.looped // 2) if only_read else self.persistent if again else self.looped
            warps = warps // 2 if only_read or not again else warps
            warps = uncrowded(block, warps, carried, loaded, self.target)
        elif reread_bytes(inner) and not only_read and not planes:
            block //= 2 if welford else 1
            warps = uncrowded(block, warps, carried, loaded, self.target)
        lanes, narrowest = LANES * warps, min((a.element_bytes for a in reads if len(a.loops) > 1), default=4)
        wide = lanes * WIDEST_BYTES // narrowest if aligned else lanes
        across = [size for size in planes if size % block and block % size]
        while block > wide and (
            is_crowded(block // lanes, carried, loaded, self.target) or any(size % block for size in across)
        ):
            block //= 2
        return max(block, min(wide, self.looped)), warps

    def _across(
        self, outer: ParallelOp, columns: int | None, reads: Sequence[Access], inner: Sequence[LoopOp], limit: int
    ) -> Schedule:
        """The reduced axis is strided in memory: neighbouring lanes take neighbouring rows, up to `limit` of them.

        Where something runs along the columns as well, blocks are about as deep as they are wide.
        """
        rows, (_, along_columns) = outer.size.constant, coalesced_bytes(outer, reads)
        scans, aligned = any(has_scan(loop) for loop in inner), all(a.is_aligned for a in reads)
        beside = BESIDE_BYTES // (2 if along_columns else 1) // widest_element(reads) if aligned else self.tile
        take = min(beside, limit, power_of_two(rows))
        searches = bool(kinds(inner) & SEARCHING)
        fewest = self.target.multiprocessors * (LOOPED_WARPS // 2 if searches else 1)
        while take > NARROWEST and rows is not None and (rows < take * fewest or _leaves_idle(outer, take)):
            take //= 2
        tile = 2 * self.elements if {"welford", "softmax", *SEARCHING} & kinds(inner) else 4 * self.elements
        tile = max(tile, take * take if along_columns else 0)
        computes = searches or "welford" in kinds(inner)  # much for each element: more programs, not larger ones
        most = tile if rows is None or scans or computes else 8 * self.elements
        while tile < most and (rows or 0) * tile < take * FILLED * self.target.multiprocessors:
            tile *= 2  # few programs: more warps, to have as much of memory on its way
        held = self._held(rows, columns, reads, inner, limit)
        even = aligned and columns is not None and columns % (tile // take) == 0
        a_lane = 8 if searches else 32 if even and not computes else 16
        if scans:
            a_lane = SCANNED_BYTES // (1 if aligned else 2) // max(4, widest_element(reads))
        if reread_bytes(inner) and not scans:  # from memory: wide pieces of it, and much on its way
            take, tile, a_lane = min(take, self.tile), FILLED, 32
        take, tile, warps = held or (take, tile, warps_for(min(tile, take * power_of_two(columns)), a_lane))
        while tile > take and tile // (LANES * warps) * carried_bytes(inner) > lane_bytes(self.target):
            tile //= 2
        block = max(1, min(power_of_two(columns), tile // take))
        where = ", kept in registers" if block == power_of_two(columns) else ""
        why = f"reduces down columns of memory: {take} of them side by side, {block} deep{where}"
        return Schedule(take, block, warps, why)

    def _held(
        self, rows: int | None, columns: int | None, reads: Sequence[Access], inner: Sequence[LoopOp], limit: int
    ) -> tuple[int, int, int] | None:
        """Rows and elements at once, and warps, where registers hold whole columns that several loops read; or None.

        Programs are as large as a multiprocessor takes, two or one. None where nothing is read again, or where no more
        than pieces of lines would fit.
        """
        widest = widest_element(reads)
        if not rows or not columns or not reread_bytes(inner):
            return None
        deep, most = power_of_two(columns), min(limit, BESIDE_BYTES // 2 // widest)
        a_lane = 8 if "welford" in kinds(inner) else 32
        for warps, resident in ((16, 2), (32, 1)):
            tile = a_lane * LANES * warps
            take = min(power_of_two_up_to(tile // deep), most)
            if take * widest >= PIECE_BYTES and rows >= take * resident * self.target.multiprocessors:
                return take, take * deep, min(warps, warps_for(take * deep, a_lane))
        return None


def _leaves_idle(outer: ParallelOp, block: int) -> bool:
    """True if blocks of the rows, or of those of a part, hold over a quarter more: what is idle, or done twice."""
    each = outer.size.constant if outer.overlap is None else outer.overlap.value.data
    return each is not None and each >= block and not holds_little_more(each, block, 4)


def _most_rows(outer: ParallelOp) -> int:
    """How many rows a program may take so that all of them meet others as one, or tell others of one."""
    if flags_of(outer) is not None:
        return 1
    return min(
        (op.coalesced_rows(MOST_ROWS) for op in last_blocks_of(outer) if op.group.constant is None), default=MOST_ROWS
    )


def _looks_rows_up(access: Access, outer: ParallelOp) -> bool:
    """True if the access reads a row whose place is data."""
    return access.is_indirect and any(loop is not outer for loop in access.loops)
