"""What a kernel asks of each part of the device under a tiling: bytes, requests, instructions, waits, registers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from math import log2

from mlc_dialects.loop.loops import PREFETCHED
from mlc_dialects.triton.types import LANES
from mlc_support.powers import power_of_two
from passes.common.device import BANK_BYTES, Device
from passes.loop.schedule.blocks import (
    Pieces,
    Request,
    Share,
    in_sectors,
    is_along_rows,
    laid_by,
    pieces_of,
    request_of,
    shares_of,
    summed_by_column,
    vector_of,
)
from passes.loop.schedule.tiling import Tiling
from passes.loop.schedule.traffic import Division, Traffic
from passes.loop.schedule.words import words_of
from passes.loop.schedule.workload import Workload

OWN_REGISTERS = 22
"""Registers of a thread beside what it holds of blocks: addresses, counters, numbers."""
MORE_REGISTERS = (1, 1, 1.25, 1.5)
"""Registers that ptxas takes for a block of rows and columns, over those that are counted: each of these as likely. The
time is the mean, so that no tiling is taken which just fits, and takes twice as long where it does not. Of 352 kernels
of real programs what is taken is 1.08 times as slow as the best, and not 1.11. Of pointwise kernels the count is near,
and of persistent loops it has bad luck in it: see PERSISTENT_WORDS in words.py."""
ADDRESS = 2
"""Instructions for the address of each load and store."""
TURNED = 4
"""Instructions for each element of a tile that is loaded along one axis and stored along the other."""
CONFLICTS, FEW = 0.2, 2
"""Words that warps exchange for each lane of a warp along the columns, when such a block of a reduction is turned.

Where lanes take up to FEW neighbours at once: then they meet in a bank of shared memory.
"""
FROM_L1 = 8
"""Of so many reads of what all programs read, one goes to L2."""
SHUFFLE = 2
"""Instructions of one step of a reduction across the lanes of a warp."""
PARTIAL = 3
"""Instructions by which a scan adds to what a lane has what one warp has of the columns before."""
INDEPENDENT = 4
"""Elements of a lane whose arithmetic hides the latency of one another's."""
MASKED = 2
"""Instructions for each load and store of a block that holds more columns than there are."""
PARTLY = 4
"""Sectors that memory moves for one that a piece covers in part and whose rest another program stores later."""
WRITTEN_AND_READ = 2
"""Requests to shared memory for what lanes exchange through it."""
MERGED = 3
"""Sectors in whose time L2 takes one that an instruction writes at most half of: it keeps the rest of what is there. By
kernels that write single elements, on an H200 (benchmarks/results/schedules_slow_h200.jsonl.gz)."""
ASYNC_BARRIER = 0.5
"""What a step of a pipelined loop waits for the others of its program, as a share of a cross-lane reduction."""


@dataclass
class Demand:
    """What one launch asks for. Figures of a program are for one round of a persistent loop."""

    programs: int
    memory: float = 0
    """Bytes from and to device memory, of the launch."""
    pieces: float = 0
    """The same bytes, each weighed by the root of a sector over the contiguous piece that it is part of."""
    sectors: float = 0
    """Bytes of the sectors that a program moves through L2."""
    requests: float = 0
    """Cycles that the load and store instructions of a program take."""
    instructions: float = 0
    """Instructions of a program's warps."""
    chain: float = 0
    """Cycles of arithmetic of one warp by itself: its lanes' elements are independent, what is done to one is not."""
    waits: float = 0
    """How often a program waits for memory."""
    cross_lane: float = 0
    """How often the lanes of a program combine what they have."""
    in_steps: float = 0
    """Of `sectors`, those of loops in each step of which they do so: the next step loads when they have done."""
    turned: float = 0
    """How often they turn what they have loaded of a block, through shared memory."""
    shuffles: float = 0
    """Shuffles of its warps."""
    exchanged: float = 0
    """Requests of its warps to exchange words through shared memory, for that and to turn blocks."""
    words: float = 0
    """32-bit words of blocks that a thread holds."""
    wanted: float = 0
    """The same, if all that it loads were to be in flight at once, but for what a persistent loop adds up."""
    spilled: float = 0
    """Words for which it has no register."""
    residents: tuple[int, ...] = (1,)
    """Programs that a multiprocessor holds at once, by registers as they are counted, and by as many more as may be."""

    @property
    def registers(self) -> float:
        """Registers of a thread, as they are counted."""
        return OWN_REGISTERS + self.words

    @property
    def resident(self) -> int:
        """Programs that a multiprocessor holds at once, if ptxas takes the registers that are counted."""
        return self.residents[0]


@dataclass
class _Read:
    """What bodies before have read of each buffer, and which blocks registers hold."""

    bytes: dict[int, float] = field(default_factory=dict[int, float])
    places: set[int] = field(default_factory=set[int])
    here: set[int] = field(default_factory=set[int])
    """The buffers that the body at hand has accessed."""


def demand(work: Workload, choice: Tiling, device: Device) -> Demand:
    """What one launch of `work` asks for under `choice`."""
    shares = list(shares_of(work, choice, device))
    total = Demand(_programs(work, choice))
    words = words_of(work, shares, prefetched=choice.stages == PREFETCHED and work.rounds > 1)
    total.words, total.wanted = words.held, words.wanted
    _count_resident(total, work, choice, shares, device)
    read = _Read()
    laid = _laid(shares)
    for share in shares:
        again = work.loaded_again if share.steps == 1 else ()
        new = [t for t in share.body.traffic if t not in again or t.place not in read.places]
        moved = _moves(share, new, laid)
        before = total.sectors
        _count_accesses(total, work, share, moved, read)
        total.in_steps += (total.sectors - before) if share.meets_each_step and share.steps > 1 else 0
        _count_memory(total, work, share, moved, read, device)
        _count_instructions(total, work, share, moved)
        _count_conflicts(total, work, share)
        if any(t.is_load for t in moved):
            _count_waits(total, work, share, choice)
        _count_cross_lane(total, share)
        _count_sums_over_rows(total, work, share)
        read.places |= {t.place for t in moved if t in work.loaded_again}
    return total


def _laid(shares: Sequence[Share]) -> dict[bool, int]:
    """Neighbouring elements that a lane has of what is moved along the rows (True), or along the columns."""
    laid = {True: 1, False: 1}
    for share in shares:
        for t in share.body.shapes:
            along = is_along_rows(share, t)
            laid[along] = max(laid[along], laid_by(share, t))
    return laid


def _programs(work: Workload, choice: Tiling) -> int:
    rows = -(-work.rows // choice.rows)
    if work.overlap is not None and choice.rows <= work.overlap:
        rows = work.rows // work.overlap * -(-work.overlap // choice.rows)
    if not work.is_tile:
        return rows
    columns = max(b.columns for b in work.bodies)
    return rows * -(-columns // min(choice.columns, power_of_two(columns)))


def _count_resident(total: Demand, work: Workload, choice: Tiling, shares: Sequence[Share], device: Device) -> None:
    """Words without a register, and programs that a multiprocessor holds at once.

    Where programs wait for one another, words that may have none count as well: such a kernel keeps its warps, where
    another that spills has more.
    """
    exchanged = BANK_BYTES * max(summed_by_column(share) for share in shares)
    most = min(device.registers_per_thread, device.registers_per_multiprocessor // (LANES * choice.warps))
    more = MORE_REGISTERS[: _chances(work)]
    wanted = [OWN_REGISTERS + times * total.words for times in more]
    total.residents = tuple(device.resident(choice.warps, min(most, n), exchanged) for n in wanted)
    counted = wanted if work.between.waits else wanted[:1]
    total.spilled = sum(max(0.0, n - most) for n in counted) / len(counted)


def _chances(work: Workload) -> int:
    """How many of MORE_REGISTERS count. Of straight code and of loops that add up, whose words have bad luck in them
    already, it is the first; of other persistent loops all but the last."""
    if work.rounds == 1:
        return len(MORE_REGISTERS) if work.has_columns else 1
    return 1 if work.accumulates else 3


@dataclass(frozen=True)
class _Issued:
    """The instructions that one access takes of the warps of a program in a step: the same for all of its form."""

    vector: int
    """Elements that one instruction of a lane moves."""
    count: float
    request: Request
    pieces: Pieces
    sectors: float
    """Bytes of the sectors that L2 moves: of a store, of all requests; of a load, each once."""
    gaps: float
    """Bytes of whole sectors for each byte that all programs ask for."""

    @staticmethod
    def of(share: Share, t: Traffic, laid: dict[bool, int]) -> _Issued:
        """Of a load, lanes are `laid` elements apart along its axis."""
        vector, moved, sector = vector_of(share, t), share.block.moved[t], share.device.sector_bytes
        stretch = max(vector, min(laid[is_along_rows(share, t)], int(share.each))) if t.is_load else vector
        count, pieces = max(share.warps, moved.touched / (LANES * vector)), pieces_of(t, share)
        request = request_of(t, share, vector, stretch)
        if t.is_load:
            sectors = float(pieces.count * pieces.sectors * sector)
        else:
            merges = MERGED if 2 * LANES * vector * t.bytes / sector <= request.sectors else 1
            sectors = merges * count * request.sectors * share.filled * sector
        return _Issued(vector, count, request, pieces, sectors, in_sectors(t, share.device))


Moves = dict[Traffic, _Issued]
"""Loads and stores of a body in their order, with the instructions that they take."""


def _moves(share: Share, moved: Sequence[Traffic], laid: dict[bool, int]) -> Moves:
    """Some loads and stores of a share's body, with their instructions."""
    forms = share.body.forms
    known = {form: _Issued.of(share, form, laid) for form in {forms[t] for t in moved}}
    return {t: known[forms[t]] for t in moved}


def _count_accesses(total: Demand, work: Workload, share: Share, moved: Moves, read: _Read) -> None:
    """Sectors, requests and instructions of loads and stores."""
    rows_of_lane = share.spread.rows if any(t.divisions for t in moved) else 1.0
    read.here.clear()
    divided, addresses = set[Division](), 0.0
    hoisted, each_round = share.body.hoisted.loads, share.times
    for t, issued in moved.items():
        times = each_round / work.rounds if t in hoisted else each_round
        total.sectors += times * _sectors(total, work, share, t, issued, read)
        total.requests += times * issued.count * issued.request.cycles
        addresses += times * issued.count * ADDRESS
        if new := t.divisions - divided:
            addresses += times * _divided(work, share, t, issued, rows_of_lane, new)
            divided |= new
        read.here.add(t.buffer)
    total.instructions += addresses
    total.chain += addresses / share.warps


def _divided(
    work: Workload, share: Share, t: Traffic, issued: _Issued, rows_of_lane: float, divisions: Collection[Division]
) -> float:
    """Instructions of a program's warps for quotients of an address in a step: once a row, if they are of rows."""
    columns_of_lane = max(1.0, share.each / rows_of_lane)
    along_rows = is_along_rows(share, t)
    of_rows = issued.count / max(1.0, columns_of_lane if along_rows else columns_of_lane / issued.vector)
    of_columns = issued.count / max(1.0, rows_of_lane / issued.vector if along_rows else rows_of_lane)
    found = 0.0
    for division in divisions:
        if share.body.loop not in division.loops:
            often = of_rows
        else:
            often = of_columns if len(division.loops) == 1 else issued.count
        found += often * division.instructions(1 if work.has_columns else share.rows)
    return found


def _sectors(total: Demand, work: Workload, share: Share, t: Traffic, issued: _Issued, read: _Read) -> float:
    """Bytes of the sectors of a block that L2 moves: of a load, what L1 does not have, and a condition lets through."""
    if not t.is_load:
        return issued.sectors
    let = min(1.0, _brought(total, work, share, t, issued) / _every(total, work, share, t)) if t.is_conditional else 1.0
    return let * issued.sectors / (FROM_L1 if _hits_l1(t, share, total, read) else 1)


def _hits_l1(t: Traffic, share: Share, total: Demand, read: _Read) -> bool:
    """True if L1 has what a load asks for: the same for all rows, or near what the program has just loaded."""
    room = share.device.l1_bytes // 2
    block = share.block.moved[t].places * t.bytes
    if t.footprint <= room // 4 or (not t.moves_rows and share.rows * block <= room):
        return True
    if t.buffer in read.here:
        return block * total.resident <= room
    before = read.bytes.get(t.buffer, 0.0) / total.programs * total.resident
    return 0 < before <= room


def _every(total: Demand, work: Workload, share: Share, t: Traffic) -> float:
    """Bytes that all programs ask for."""
    rounds = 1 if t in share.body.hoisted.loads else work.rounds
    return float(share.block.moved[t].places) * t.bytes * share.times * total.programs * rounds


def _brought(total: Demand, work: Workload, share: Share, t: Traffic, issued: _Issued) -> float:
    """Those bytes, and what else lies in their sectors, each of the buffer once."""
    asked = _every(total, work, share, t)
    if t.is_load and t.distinct:
        asked = min(asked, float(t.distinct))
    return min(asked * issued.gaps, float(t.footprint or asked * issued.gaps))


def _count_memory(total: Demand, work: Workload, share: Share, moved: Moves, read: _Read, device: Device) -> None:
    """Bytes of device memory: each buffer once, and again what L2 has lost when a later loop reads it.

    L2 loses it to itself and to the other buffers. These count half: a later loop begins with what was read last. Of 20
    kernels of committed files whose prediction that changes the choice takes 1.058 times as long as the best, where it
    took 1.079 times as long by each buffer alone.
    """
    loaded: dict[int, tuple[float, float]] = {}
    for t, issued in moved.items():
        count = _brought(total, work, share, t, issued)
        if t.is_load:
            before, piece = loaded.get(t.buffer, (0.0, 0.0))
            most = float(t.footprint or before + count)
            loaded[t.buffer] = min(before + count, most), max(piece, issued.pieces.weight)
        else:
            length = issued.pieces.length
            ends = 1 / min(length, LANES * t.bytes) + (PARTLY / length if work.is_tile else 0)
            total.memory += count * (1 if t.is_aligned else 1 + device.sector_bytes * ends)
            total.pieces += count * issued.pieces.weight
    active = min(total.programs, device.multiprocessors * total.resident)
    every = sum(read.bytes.values())
    for buffer, (count, piece) in loaded.items():
        before = read.bytes.get(buffer, 0.0)
        share_of_cache = (before + every) / 2 / total.programs * active / device.l2_bytes
        lost = min(1.0, max(0.0, 2 * share_of_cache - 1)) if before >= count else 0.0
        fetched = max(count - before, count * lost, 0.0)
        total.memory += fetched
        total.pieces += fetched * piece
        read.bytes[buffer] = max(before, count)


def _count_instructions(total: Demand, work: Workload, share: Share, moved: Moves) -> None:
    """Arithmetic of elements and of their addresses, and what it takes to turn a tile."""
    body = share.body
    turns = share.block.turned(moved)
    total.turned += share.times * turns
    a_lane = body.instructions + (TURNED if turns else 0) - (body.repeated if share.steps == 1 else 0)
    if body.columns % share.columns:
        a_lane += len(body.reductions) + sum(MASKED / issued.vector for t, issued in moved.items() if t.moves_columns)
    a_lane -= body.hoisted.instructions * (1 - 1 / work.rounds)
    total.instructions += share.times * share.each * share.warps * a_lane
    total.chain += share.times * max(share.each, INDEPENDENT) * a_lane


def _count_conflicts(total: Demand, work: Workload, share: Share) -> None:
    """Words of shared memory that lanes wait for one by one, where a block is turned and no vectors are."""
    if work.is_tile or not share.block.turns:
        return
    laid = _laid([share])[False]
    if laid <= FEW:
        lanes = min(LANES, share.columns / laid)
        total.exchanged += CONFLICTS * share.times * share.rows * share.columns * lanes / LANES


def _count_waits(total: Demand, work: Workload, share: Share, choice: Tiling) -> None:
    """Waits for memory, less those that a pipelined loop has ahead of it."""
    body = share.body
    steps = share.steps if work.rounds == 1 else work.rounds
    is_pipelined = steps >= 4 and not body.reduces_across_lanes_each_step and body.loads_are_wide
    is_pipelined &= choice.stages != PREFETCHED or work.rounds == 1  # columns loaded ahead are not credited
    total.cross_lane += steps * ASYNC_BARRIER / work.rounds if is_pipelined else 0
    ahead = choice.stages if is_pipelined and choice.stages != PREFETCHED else 1
    total.waits += body.hoisted.lookups / work.rounds
    if not body.hoisted.loads or body.lookups:
        waits = max(1, body.lookups)
        total.waits += waits * (1 + (steps - 1) / ahead) / work.rounds
        total.waits -= 1 - 1 / work.rounds if choice.stages == PREFETCHED else 0  # what is not looked up is ahead


def _count_cross_lane(total: Demand, share: Share) -> None:
    """Shuffles of a reduction or a scan across lanes, and what its warps exchange through shared memory.

    A lane of a scan has several runs of neighbouring columns. It combines each across lanes, and adds to it what every
    warp before has of the run: of half the warps, on average.
    """
    body = share.body
    if not body.reductions and not body.is_ordered:
        return
    spread, often = share.spread, share.often * (share.steps if share.meets_each_step else 1)
    runs = spread.rows
    if body.is_ordered:
        runs = max(runs, share.each / _laid([share])[False])
    total.cross_lane += often * (2 if body.is_ordered else 1)
    shuffles = often * runs * log2(max(2, spread.lanes))
    instructions = shuffles * SHUFFLE * body.values
    if spread.warps > 1:
        words = runs * share.warps * spread.warps / 2 if body.is_ordered else share.rows * spread.warps
        total.exchanged += often * body.values * words
        instructions += often * runs * spread.warps * PARTIAL * body.is_ordered
    total.shuffles += shuffles * body.values * share.warps
    total.instructions += instructions * share.warps
    total.chain += instructions


def _count_sums_over_rows(total: Demand, work: Workload, share: Share) -> None:
    """What warps exchange behind a persistent loop, to bring all rows of a column to the lanes of one."""
    sums = summed_by_column(share)
    if sums:
        total.exchanged += WRITTEN_AND_READ * share.body.accumulators * sums / LANES / work.rounds
        total.cross_lane += share.body.accumulators / work.rounds
