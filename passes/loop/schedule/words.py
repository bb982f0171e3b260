"""What a thread holds of the blocks of a program, in 32-bit words: kept, added up, in flight.

ptxas decides how many registers that takes. It has loads in flight early, unless there are too many, and computes some
of what is short again. What it does is fitted to the registers of compiled schedules: docs/schedule.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from passes.common.liveness import most_alive
from passes.loop.schedule.blocks import Share
from passes.loop.schedule.traffic import Traffic
from passes.loop.schedule.workload import Workload

STREAMED_WORDS = 112
"""Words that a thread holds, at the most, of what it loads and uses once: ptxas takes turns beyond, as far as the order
of the code lets it."""
BESIDE_KEPT = 0.4
"""Which share of these words it holds where it keeps others for a later loop: ptxas takes turns earlier."""
TURNED_WORDS = 0.42
"""Which share of the words that straight code holds at once of each element a thread holds of a turned block."""
COMMON_WORDS = 0.8
"""Which share of what rows or columns have in common a thread holds: ptxas loads some of it again, or later."""
PERSISTENT_WORDS = 48
"""Words that a persistent loop holds for loads and sums of its next step: as many as ptxas takes with bad luck, for a
program that has no room with the others begins when they end."""
PREFETCHING_WORDS = 28
"""The same beside what it loads ahead. By 570 times of 46 kernels of real programs, on an H200: of their forms and
tilings the choice takes 1.03 times as long as the best; without these words 1.06 times."""

UNPACKED_BYTES = 3
"""What a lane keeps at least of an element that a loop over columns loads ahead: 16 bits are unpacked meanwhile."""


@dataclass(frozen=True)
class Words:
    """32-bit words of blocks that a thread holds."""

    held: float
    """At once, at the most."""
    wanted: float
    """The same, if all that it loads were to be in flight at once, but for what a persistent loop adds up."""


def words_of(work: Workload, shares: Sequence[Share], prefetched: bool) -> Words:
    """What a thread keeps for a later loop, what it adds up, and some of what it loads and uses once.

    With `prefetched`, what it loads for the next step of a loop as well.
    """
    ahead = _ahead(work, shares, prefetched)
    again = _kept_loads(work, shares)
    whole = [share for share in shares if share.steps == 1]
    kept = max(_kept_words(whole, again), _computed_words(whole))
    held, wanted = 0.0, 0.0
    for share in shares:
        new = [t for t in share.block.held if not again or t.place not in again or share.steps > 1]
        loaded = share.each * sum(max(t.bytes, 2) for t in new) / 4 * (BESIDE_KEPT if kept else 1)
        streamed = max(loaded, _centered_words(share), _turned_words(share))
        carried = (kept if share.steps == 1 else share.carried) + share.each * share.body.is_ordered
        used = carried + ahead + _beside(share, shares) + min(streamed, _most_streamed(work, share))
        held = max(held, used, _combined_words(share))
        wanted = max(wanted, carried + streamed)
    return Words(held, wanted)


def _beside(share: Share, shares: Sequence[Share]) -> float:
    """Words of a thread that stay while blocks come and go: of a persistent loop, and what rows or columns share."""
    each_round = share.each * (share.body.accumulators + share.body.hoisted.words)
    return each_round + COMMON_WORDS * _common_words(share, shares)


def _ahead(work: Workload, shares: Sequence[Share], prefetched: bool) -> float:
    """Words of a thread for the next step of a loop; a word an element of unaligned rows."""
    if not prefetched:
        return PERSISTENT_WORDS if work.accumulates else 0.0
    columns = work.rounds == 1
    looped = [share for share in shares if share.steps > 1] if columns else shares
    held = ((share, t) for share in looped for t in share.block.held if t not in share.body.hoisted.loads)
    each = {t.place: share.each * _bytes_ahead(t, columns) / 4 for share, t in held if t.is_load}
    return sum(each.values()) + (PREFETCHING_WORDS if work.accumulates else 0)


def _bytes_ahead(t: Traffic, columns: bool) -> int:
    """Bytes of a lane for an element that is loaded ahead, of the next `columns` or of the next rows."""
    least = UNPACKED_BYTES if columns else 0
    return max(least, t.bytes if t.is_aligned else max(4, t.bytes))


def _most_streamed(work: Workload, share: Share) -> float:
    """The most words of a thread for what is used once: code without loops over columns needs some of them together."""
    return STREAMED_WORDS if work.has_columns else max(STREAMED_WORDS, share.each * share.body.alive)


def _combined_words(share: Share) -> float:
    """Words of a thread when the lanes combine what they have of each row."""
    return share.body.values * share.spread.rows if share.body.reductions else 0.0


def _centered_words(share: Share) -> float:
    """Words of a thread for a block in registers of which it sums squares, about a mean that it has summed before."""
    return share.each * share.body.reductions.count("welford") if share.steps == 1 else 0.0


def _turned_words(share: Share) -> float:
    """Words of a thread for a turned block: its loads go through shared memory one after the other, all of each."""
    return TURNED_WORDS * share.each * share.body.alive if share.block.turns else 0.0


def _common_words(share: Share, shares: Sequence[Share]) -> float:
    """Words that a thread loads, in front of a loop over columns or in it, of what rows or columns have in common.

    It has what is of a row for each row of which it has columns: for eight neighbours, where it loads a vector along
    the rows. Likewise what is of a column. What is of one row alone is the same for all lanes, and takes none.
    """
    if share.columns == 1 or share.rows == 1:
        return 0.0
    of_rows, of_columns = share.block.shared_words(tuple(s.block for s in shares if s is share or s.columns == 1))
    rows = share.spread.rows if of_rows or of_columns else 1.0
    return of_rows * rows + of_columns * max(1.0, share.each / rows)


def _kept_loads(work: Workload, shares: Sequence[Share]) -> dict[int, tuple[float, int]]:
    """The places that several loops load and registers hold from the first on: a lane's elements, and their bytes."""
    held = ((share, t) for share in shares if share.steps == 1 for t in share.block.held)
    return {t.place: (share.each, t.bytes) for share, t in held if t in work.loaded_again}


def _kept_words(shares: Sequence[Share], again: dict[int, tuple[float, int]]) -> float:
    """Words of a thread for what is kept, `again`, by `shares` of one block: widened if it is for a reduction."""
    reduced = sum(share.each * max(4, share.body.carried) for share in shares if share.body.reductions)
    widened = min(sum(each * max(4, size) for each, size in again.values()), reduced)
    return max(sum(each * size for each, size in again.values()), widened) / 4


def _computed_words(shares: Sequence[Share]) -> float:
    """Words of a thread for what one loop over a block in registers computes and a later one uses, at the most."""
    last = {value: k for k, share in enumerate(shares) for value in share.body.values_used}
    lives: list[tuple[int, int, int]] = []
    for value, k in last.items():
        makers = [first for first, share in enumerate(shares) if value in share.body.values_made]
        lives += [(first, k, ceil(shares[first].each)) for first in makers[:1]]
    return most_alive(lives, len(shares)) if lives else 0
