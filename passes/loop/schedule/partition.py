"""partition-rows: whether a program takes whole rows or parts of them, by the time that the model predicts.

    64 rows of 1,000,000 columns are summed               64 programs leave most of the device idle
 -> schedule <part = 15625>                               4,096 programs; the last of a row's to arrive adds up
    softmax of 2,048 rows of 131,072 columns              each row is read twice, from memory
 -> schedule <online = true, part = 8192, exchange = flags>   16 programs share a row; parts stay in registers
    group norm of channels-last images, channels-first    what it stores is not contiguous along the rows that it sums
 -> schedule <fission = behind, part = 16384>               a second kernel normalises, in tiles

A partition is the fields `online`, `fission`, `part` and `exchange` of a schedule. The passes behind this one carry it
out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from xdsl.passes import ModulePass

from mlc_dialects.common.types import byte_size
from mlc_dialects.loop.dialect import AccumulateOp, KernelOp, LoadOp, ParallelOp, ScanOp, SerialOp
from mlc_dialects.loop.memory import divisors
from mlc_dialects.loop.schedule import PARTITION, ScheduleAttr
from mlc_support.walks import walk
from passes.common.device import LINE_BYTES, Device
from passes.loop.analysis.coalescing import (
    Access,
    accesses,
    buffer_bytes,
    is_coalesced_along_rows,
    is_known,
    kinds,
    lies_along_rows,
    longest_register_row,
    reread_bytes,
    scans,
    widest_element,
)
from passes.loop.analysis.legality import split_refusal
from passes.loop.analysis.registers import resident_columns
from passes.loop.reduction.cooperative_reduction import CooperativeReductionPass, cooperation_refusal
from passes.loop.reduction.last_block import LastBlockPass
from passes.loop.reduction.loop_fission import LoopFissionPass, fission_refusal, stores_ahead
from passes.loop.reduction.online_reduction import OnlineReductionPass, join_reductions
from passes.loop.reduction.split_reduction import SplitReductionPass
from passes.loop.reduction.split_scan import SplitScanPass, scan_split_refusal
from passes.loop.reduction.two_pass_argmax import TwoPassArgmaxPass, take_all_apart
from passes.loop.restructure.pad_columns import PadColumnsPass
from passes.loop.restructure.peel_alignment import PeelAlignmentPass
from passes.loop.schedule.forms import FormPass, Ranked
from passes.loop.schedule.model import FITTED
from passes.loop.schedule.part_lengths import EVEN, balanced_length, part_length
from passes.loop.schedule.tiling import LONGEST_MEAN

PROGRAMS, STRIDED_PROGRAMS = (1, 4, 16), (1, 2, 4)
"""Programs for each multiprocessor that parts are made for, of contiguous rows and of strided ones."""
SPLIT_LENGTHS = 2
"""Lengths of parts of which loop fission is predicted."""
STRIDED_SHARED = (1, 2)
"""Programs for each multiprocessor that share blocks of strided rows by flags."""
SHORTEST = 256
"""The fewest columns of a part."""
DEEPEST = 32
"""Columns of strided rows that registers hold."""
SCANNED = (4096, 8192)
"""Lengths of parts of which four bytes a column are scanned; shorter where more are."""
SHARED, WORK_A_WAIT = (4, 8, 16, 32), 512
"""Programs that share a row by flags, and the fewest columns of a part for each of them: all wait for the slowest."""


@dataclass(frozen=True)
class PartitionRowsPass(FormPass):
    """Sets `online`, `fission`, `part` and `exchange` of kernels whose schedule leaves them open.

    Rows of unknown length stay whole, and their reductions are joined.
    """

    name = "partition-rows"
    running: int | None = None
    """Multiprocessors that can be counted on: programs that await each other must all run at once. None is all of the
    device's."""
    online: bool = False
    """Predict nothing: join the dependent reductions of every kernel that can."""
    fission: str | None = None
    """Predict nothing: split every kernel that can, `behind` its reductions or `ahead` of them."""
    part: int | None = None
    """Predict nothing: cut the rows of every kernel that can into parts of about so many columns."""
    exchange: str = "memory"
    """How such parts combine: through `memory`, or by inter-block `flags`."""
    most: int | None = None
    """The most parts of a row, with `part`."""
    margin: int = 5
    """Percent of time that parts through memory must gain over whole rows."""
    flip_margin: int = 30
    """Percent of time that other reductions than usual must gain: joined ones where registers hold the row, one loop
    for each where they do not."""

    def is_open(self, kernel: KernelOp) -> bool:
        """True unless the schedule says a part of it, or a persistent loop takes the rows."""
        decided = any(kernel.decided(name) is not None for name in PARTITION)
        return not decided and not any(isinstance(op, AccumulateOp | SerialOp) for op in walk(kernel))

    def carry_out(self) -> tuple[ModulePass, ...]:
        return carry_out(self.device)

    def ranked(self, kernel: KernelOp) -> Ranked:
        """The legal partitions of a kernel of known sizes.

        Parts are not predicted where whole rows take at most `margin` percent longer than a launch that moves the
        kernel's buffers once. Loop fission is predicted with the lengths that are quickest without it.
        """
        found, columns = list(partitions(kernel, self.target, self.running)), _columns(kernel)
        one = [p for p in found if p.word("fission") is None]
        whole = [p for p in one if p.number("part") in (None, columns)]
        if len(whole) == len(found):
            return self.by_time(kernel, found)
        ranked = [(self.us(kernel, p), p) for p in whole]
        if min(ranked, key=_us)[0] > least_us_of_any(kernel, self.target) * (1 + self.margin / 100):
            ranked += [(self.us(kernel, p), p) for p in one if p not in whole]
            lengths = _quickest_lengths(ranked)
            ranked += [(self.us(kernel, p), p) for p in found if p not in one and p.number("part") in lengths]
        return sorted(ranked, key=_us)

    def chosen(self, kernel: KernelOp) -> ScheduleAttr:
        if not is_known(kernel):
            return ScheduleAttr.of(online=join_reductions(kernel.clone()) or None)
        if self.fission is not None and fission_refusal(kernel, self.fission) is None:
            return ScheduleAttr.of(online=self.online or None, fission=self.fission, part=self.part)
        if self.online or self.fission is not None or self.part is not None:
            return self._asked(kernel)
        return self._cautious(kernel, self.ranked(kernel))

    def _cautious(self, kernel: KernelOp, ranked: Sequence[tuple[float, ScheduleAttr]]) -> ScheduleAttr:
        """The quickest, where what is not usual must gain some percent.

        Usual are whole rows, and contiguous rows shared by flags; loop fission, where rows are cut and it is worth a
        try; joined reductions, where registers do not hold the rows. To have it otherwise with these must gain
        `flip_margin` percent, for registers are counted roughly; else `margin` percent are enough.
        """
        shared = None if _is_strided(kernel) else "flags"
        apart = any(partition.values.get("online") is False for _, partition in ranked)
        online = not (apart and is_resident(kernel, self.target))
        tried = any(partition.word("fission") == "behind" for _, partition in ranked)

        def cautious(pair: tuple[float, ScheduleAttr]) -> float:
            us, partition = pair
            part, fission = partition.number("part"), partition.word("fission") == "behind"
            flips = partition.values.get("online", online) != online
            cut = part not in (None, _columns(kernel)) and partition.values.get("exchange", "memory") != shared
            unusual = cut + (tried and cut != fission)
            return us * (1 + (self.flip_margin * flips + self.margin * unusual) / 100)

        return min(ranked, key=cautious)[1]

    def _asked(self, kernel: KernelOp) -> ScheduleAttr:
        """What the options ask for, as far as it is legal."""
        online = self.online or None
        ordered, shared = scans(kernel), self.exchange == "flags"
        refusal = scan_split_refusal if ordered else cooperation_refusal if shared else part_refusal
        if self.part is None or refusal(kernel) is not None:
            return ScheduleAttr.of(online=online)
        columns = _columns(kernel)
        most = most_sharing(self.target, self.running) if shared and not ordered else columns
        count = min(-(-columns // self.part), self.most or columns, most)
        length = part_length(columns, max(1, count), _planes(kernel))
        if length >= columns:
            return ScheduleAttr.of(online=online)
        return ScheduleAttr.of(online=online, part=length, exchange="flags" if shared and not ordered else None)


def _quickest_lengths(ranked: Ranked) -> list[int | None]:
    """The lengths of parts through memory that take least time."""
    lengths = (p.number("part") for _, p in sorted(ranked, key=_us) if p.word("exchange") is None)
    return list(dict.fromkeys(lengths))[:SPLIT_LENGTHS]


def _us(pair: tuple[float, ScheduleAttr]) -> float:
    """The predicted microseconds."""
    return pair[0]


def is_resident(kernel: KernelOp, device: Device) -> bool:
    """True if registers hold a row that several loops read; of strided rows a program has many."""
    if _is_strided(kernel):
        return _columns(kernel) <= DEEPEST
    return _columns(kernel) <= min(resident_columns(device), longest_register_row(kernel.rows.loops, device))


def _is_strided(kernel: KernelOp) -> bool:
    """True if the rows lie side by side in memory, and their columns apart."""
    return is_coalesced_along_rows(kernel.rows, list(accesses(kernel)))


def _columns(kernel: KernelOp) -> int:
    """The columns of a row; 1 without loops over them."""
    loops = kernel.rows.loops
    return (loops[0].size.constant or 0) if loops else 1


def _planes(kernel: KernelOp) -> set[int]:
    """The spatial extents that the columns run over."""
    return {size for loop in kernel.rows.loops for size in divisors(loop)}


def partitions(kernel: KernelOp, device: Device, running: int | None = None) -> Iterator[ScheduleAttr]:
    """The legal partitions of a kernel of known sizes, whole rows (a part of all columns) first."""
    joined = kernel.clone()
    online = True if join_reductions(joined) else None
    far = "welford" in kinds(joined.rows.loops) and _columns(kernel) > LONGEST_MEAN
    lengths, shared = _lengths(kernel, device), _shared_lengths(kernel, device, running)
    whole = _columns(kernel) if lengths or shared else None
    joins = [None] if online is None else [True] if far else [False, True]
    yield from (ScheduleAttr.of(online=join, part=whole) for join in joins)
    yield from (ScheduleAttr.of(part=length) for length in lengths)
    for where in _worth_fission(kernel, device):
        spelled = product(joins if where == "ahead" else [online], (whole, *lengths))
        yield from (ScheduleAttr.of(online=join, fission=where, part=length) for join, length in spelled)
    yield from (ScheduleAttr.of(part=length, exchange="flags") for length in shared)


def _worth_fission(kernel: KernelOp, device: Device) -> Iterator[str]:
    """Where a kernel of its own for what is pointwise is worth a prediction."""
    if _gains_behind(kernel, device):
        yield "behind"
    if _gains_ahead(kernel):
        yield "ahead"


def _gains_behind(kernel: KernelOp, device: Device) -> bool:
    """True if the loops that only compute and store read rows again, and not as they lie in memory."""
    if fission_refusal(kernel, "behind") is not None or is_resident(kernel, device):
        return False
    pointwise = {op for op in kernel.rows.loops if isinstance(op, ParallelOp)}
    return any(a.loops and a.loops[-1] in pointwise and a.step(a.loops[-1]) not in (0, 1) for a in accesses(kernel))


def _gains_ahead(kernel: KernelOp) -> bool:
    """True if what reductions load, where they store it for each element, lies otherwise than other loads, or is
    conditional, or at two places of a buffer: then no block suits all."""
    loops = list(stores_ahead(kernel))
    found = [a for a in accesses(kernel) if isinstance(a.op, LoadOp) and a.op.parent_op() in loops]
    lies = {(a.step(kernel.rows) == 1, a.step(loop) == 1) for a in found for loop in loops if loop in a.loops}
    again = len({a.op.buffer for a in found}) < len({(a.op.buffer, a.op.index, *a.op.indices) for a in found})
    return again or any(a.op.condition is not None for a in found) or len(lies) > 1


def part_refusal(kernel: KernelOp) -> str | None:
    """Why the rows of a kernel cannot be cut into parts; None if they can: an argmax takes two passes then."""
    copy = kernel.clone()
    take_all_apart(copy)
    return split_refusal(copy)


def _lengths(kernel: KernelOp, device: Device) -> list[int]:
    """Lengths of parts: for scans some that registers hold, else those of so many PROGRAMS a multiprocessor."""
    columns = _columns(kernel)
    if scans(kernel):
        legal = scan_split_refusal(kernel) is None
        lengths = [4 * length // _scanned_bytes(kernel) for length in SCANNED]
        return [length for length in lengths if legal and 2 * length <= columns]
    if part_refusal(kernel) is not None:
        return []
    found, lengths = list(accesses(kernel)), list[int]()
    if not is_coalesced_along_rows(kernel.rows, found):
        lengths += _contiguous_lengths(kernel, device)
    if lies_along_rows(kernel.rows, found):
        lengths += _strided_lengths(kernel, found, device)
    return [length for length in dict.fromkeys(lengths) if length < columns]


def _scanned_bytes(kernel: KernelOp) -> int:
    """What a column takes of the registers: twice what is scanned where unaligned addresses take registers too."""
    scanned = sum(byte_size(op.input.type) for op in walk(kernel) if isinstance(op, ScanOp))
    return scanned if all(a.is_aligned for a in accesses(kernel)) else 2 * scanned


def _strided_lengths(kernel: KernelOp, found: Sequence[Access], device: Device) -> Iterator[int]:
    """Lengths of parts of rows of which a program takes a line of memory: of whole planes, or of even work."""
    columns, planes = _columns(kernel), _planes(kernel)
    blocks = max(1, -(-(kernel.rows.size.constant or 0) * widest_element(found) // LINE_BYTES))
    for count in _counts(STRIDED_PROGRAMS, blocks, columns, device):
        if planes:
            yield part_length(columns, count, planes, EVEN)
        else:
            yield balanced_length(columns, count, blocks, device.multiprocessors)


def _contiguous_lengths(kernel: KernelOp, device: Device) -> Iterator[int]:
    """Lengths of parts of rows that programs take one by one."""
    columns, planes = _columns(kernel), _planes(kernel)
    blocks = max(1, kernel.rows.size.constant or 0)
    return (part_length(columns, count, planes) for count in _counts(PROGRAMS, blocks, columns, device))


def _counts(programs: Sequence[int], blocks: int, columns: int, device: Device) -> Iterator[int]:
    """How many parts each of `blocks` is cut into for so many programs a multiprocessor, where it is cut at all."""
    counts = (min(each * device.multiprocessors // blocks, columns // SHORTEST) for each in programs)
    return (count for count in counts if count > 1)


def _shared_lengths(kernel: KernelOp, device: Device, running: int | None) -> list[int]:
    """Lengths of parts whose programs share a row by flags: where it is read again, and all of them run at once."""
    if scans(kernel) or not reread_bytes(kernel.rows.loops) or cooperation_refusal(kernel) is not None:
        return []
    columns, planes, most = _columns(kernel), _planes(kernel), most_sharing(device, running)
    found = list(accesses(kernel))
    if is_coalesced_along_rows(kernel.rows, found):
        counts = _strided_counts(kernel, found, min(most, SHARED[-1]), device)
        lengths = dict.fromkeys(part_length(columns, count, planes, EVEN) for count in counts)
        return [length for length in lengths if length < columns]
    lengths = dict.fromkeys(part_length(columns, count, planes) for count in SHARED if count <= most)
    return [length for length in lengths if columns * WORK_A_WAIT <= length * length < columns * columns]


def _strided_counts(kernel: KernelOp, found: Sequence[Access], most: int, device: Device) -> Iterator[int]:
    """Programs that share a block of strided rows, for one or two on each multiprocessor: blocks are whole sectors."""
    rows, columns, size = kernel.rows.size.constant or 0, _columns(kernel), widest_element(found)
    for piece in (device.sector_bytes, 2 * device.sector_bytes, LINE_BYTES):
        blocks = max(1, -(-rows * size // piece))
        for each in STRIDED_SHARED:
            count = min(most, each * device.multiprocessors // blocks, columns // EVEN)
            if count > 1:
                yield count


def most_sharing(device: Device, running: int | None) -> int:
    """The most programs that may share a row by flags: all must run at once, beside those of other launches."""
    return min(device.multiprocessors, running or device.multiprocessors) // 4


def least_us_of_any(kernel: KernelOp, device: Device) -> float:
    """Microseconds of a launch that moves each buffer once, and does nothing else."""
    return FITTED.launch + 1e6 * sum(map(buffer_bytes, kernel.buffers)) / (device.bandwidth * FITTED.memory)


def carry_out(device: str) -> tuple[ModulePass, ...]:
    """The passes that carry a partition out, and bring the loops that it leads to into their last form."""
    return (
        LoopFissionPass(device=device),  # first: the reductions of what it leaves can be cut, joined or shared
        TwoPassArgmaxPass(),  # before the split, which cannot cut an argmax
        OnlineReductionPass(),
        CooperativeReductionPass(device=device),
        SplitReductionPass(),
        SplitScanPass(),
        PadColumnsPass(device=device),  # after the split, whose parts are whole spatial extents
        PeelAlignmentPass(device=device),  # before last-block, whose loops behind the rows are not to be peeled
        LastBlockPass(),  # after the split, whose second stages it absorbs, and after passes that rebuild kernels
    )
