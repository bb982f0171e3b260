"""Blocks: how lanes take them, and what their loads and stores ask of memory, as the model of time counts it."""

from __future__ import annotations

import pytest

from benchmarks.regret_kernels import Written
from passes.common.device import device_named
from passes.loop.schedule.blocks import Request, Share, is_along_rows, request_of, shares_of
from passes.loop.schedule.demand import MERGED, demand
from passes.loop.schedule.overlapping_tail import allow_overlapping_tail
from passes.loop.schedule.tiling import Tiling, tilings
from passes.loop.schedule.traffic import Traffic
from passes.loop.schedule.workload import Workload, workload

H200 = device_named("h200")
SUM = """
mlc_loop.kernel @k(%x: memref<{size}xf32>, %y: memref<{rows}xf32>) {{
  mlc_loop.parallel %p = 0 to {rows} {{
    %s = mlc_loop.reduce {kind} %r = 0 to {columns} -> f32 {{
      %v = mlc_loop.load %x[{place}] : memref<{size}xf32>
      mlc_loop.yield %v : f32
    }}
    mlc_loop.store %s, %y[%p] : memref<{rows}xf32>
  }}
}}
"""


def summed(rows: int, columns: int, place: str, size: int, overlap: bool = False) -> Workload:
    """A sum of `columns` elements for each row, which lie at `place`."""
    kernel = Written(SUM.format(rows=rows, columns=columns, place=place, size=size, kind="add")).kernel
    if overlap:
        allow_overlapping_tail(kernel)
    return workload(kernel)


def loaded(work: Workload, tiling: Tiling) -> tuple[Share, Traffic]:
    """The block of the loop, and its load."""
    share = next(share for share in shares_of(work, tiling, H200) if share.body.loop is not None)
    return share, next(t for t in share.body.traffic if t.is_load)


def asked(work: Workload, tiling: Tiling, vector: int = 1, stretch: int = 1) -> Request:
    share, load = loaded(work, tiling)
    return request_of(load, share, vector, stretch)


def test_lanes_go_along_what_triton_knows_to_be_contiguous() -> None:
    """Rows 729 apart in lines of 729: nothing is known of `p mod 729`, but all of blocks within lines."""
    place, tiling = "(%p floordiv 729) * 729000 + %r * 729 + %p mod 729", Tiling(64, 32, 4)
    even, known = "(%p floordiv 736) * 736000 + %r * 736 + %p mod 736", []
    for work in (summed(7290, 1000, place, 7290000), summed(7360, 1000, even, 7360000)):
        known.append(is_along_rows(*loaded(work, tiling)))
    assert known == [False, True]
    lines = summed(729, 1000, "%r * 729 + %p mod 729", 729000, overlap=True)
    assert lines.overlap == 729
    assert is_along_rows(*loaded(lines, tiling))


@pytest.mark.parametrize(
    "place, vector, stretch, cycles, sectors",
    [
        pytest.param("%p * 4096 + %r", 1, 1, 1, 4, id="a line"),
        pytest.param("%p * 4096 + %r", 4, 4, 4, 16, id="16 bytes a lane"),
        pytest.param("%p * 4096 + %r", 1, 4, 4, 16, id="lanes 16 bytes apart meet in banks"),
        pytest.param("%p * 4096 + %r * 32", 1, 1, 32, 32, id="all in one bank"),
        pytest.param("%p * 4097 + %r * 33", 1, 1, 8, 32, id="32 lines in as many banks"),
        pytest.param("%p * 4096", 1, 1, 1, 1, id="one element"),
    ],
)
def test_a_request_takes_as_long_as_banks_and_tags_need(
    place: str, vector: int, stretch: int, cycles: float, sectors: int
) -> None:
    found = asked(summed(64, 1024, place, 1 << 20), Tiling(1, 1024, 1), vector, stretch)
    assert (found.cycles, found.sectors) == (pytest.approx(cycles, rel=0.04), sectors)


def test_unaligned_rows_are_spread_over_warps() -> None:
    """73 columns in a block of 128: by one element a lane, four warps have columns of each row, and each shuffles."""
    work = summed(100000, 73, "%p * 73 + %r", 7300000)
    share, _ = loaded(work, Tiling(32, 128, 4))
    assert (share.spread.lanes, share.spread.warps) == (32, 4)
    many, one = (demand(work, Tiling(32, 128, warps), H200) for warps in (4, 1))
    assert many.shuffles == 4 * one.shuffles
    aligned, _ = loaded(summed(100000, 128, "%p * 128 + %r", 12800000), Tiling(32, 128, 4))
    assert aligned.spread.warps == 1


def test_overlapping_blocks_are_more_programs() -> None:
    """Blocks of 64 take 96 rows in two, and there are 10 times 96."""
    place = "(%p floordiv 96) * 48000 + %r * 96 + %p mod 96"
    text = SUM.format(rows=960, columns=500, size=480000, kind="add", place=place)
    kernel = Written(text.replace("0 to 960 {", "0 to 960 overlap 96 {")).kernel
    work = workload(kernel)
    assert [demand(work, Tiling(rows, 32, 4), H200).programs for rows in (32, 64)] == [30, 20]


def test_stores_send_their_sectors_each_for_itself() -> None:
    """Elements 4096 apart: a sector for each of them, which L2 merges, though a later store fills its rest."""
    text = """
mlc_loop.kernel @k(%x: memref<4096x4096xf32>, %y: memref<4096x4096xf32>) {
  mlc_loop.parallel %p = 0 to 4096 {
    mlc_loop.parallel %r = 0 to 4096 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x4096xf32>
      mlc_loop.store %v, %y[STORED] : memref<4096x4096xf32>
    }
  }
}
"""
    straight, across = (workload(Written(text.replace("STORED", place)).kernel) for place in ("%p, %r", "%r, %p"))
    tiling = Tiling(1, 4096, 4)
    assert demand(straight, tiling, H200).sectors == 2 * 4 * 4096
    assert demand(across, tiling, H200).sectors == 4 * 4096 + MERGED * 32 * 4096


def test_what_is_written_of_a_sector_is_merged() -> None:
    """Eight rows of four bytes fill a sector; up to four leave half of it as it is."""
    text = """
mlc_loop.kernel @k(%x: memref<4096x64xf32>, %y: memref<64x4096xf32>) {
  mlc_loop.parallel %p = 0 to 4096 {
    mlc_loop.parallel %r = 0 to 64 {
      %v = mlc_loop.load %x[%p, %r] : memref<4096x64xf32>
      mlc_loop.store %v, %y[%r, %p] : memref<64x4096xf32>
    }
  }
}
"""
    work, loaded = workload(Written(text).kernel), 4 * 64

    def written(rows: int) -> float:
        return demand(work, Tiling(rows, 64, 1), H200).sectors - rows * loaded

    assert [written(rows) for rows in (1, 4, 8, 16)] == [MERGED * 32 * 64, MERGED * 32 * 64, 32 * 64, 2 * 32 * 64]


def test_rows_that_share_sectors_are_taken_together() -> None:
    """Columns three elements apart; whole sectors apart they are not, nor where the columns are as near."""
    several = {
        step: any(t.rows > 1 and t.columns < 1024 for t in tilings_of(f"%r * 120000 + %p * {step}")) for step in (3, 8)
    }
    assert several == {3: True, 8: False}


def tilings_of(place: str) -> list[Tiling]:
    kernel = Written(SUM.format(rows=10000, columns=1000, place=place, size=1 << 28, kind="add")).kernel
    return list(tilings(kernel, workload(kernel)))
