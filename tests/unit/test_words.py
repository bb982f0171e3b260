"""Words: what a thread is expected to hold of the blocks of a program."""

from __future__ import annotations

import pytest

from benchmarks.regret_kernels import Written
from passes.common.device import device_named
from passes.loop.schedule.blocks import Share, is_along_rows, shares_of
from passes.loop.schedule.demand import demand
from passes.loop.schedule.model import predict
from passes.loop.schedule.tiling import Tiling
from passes.loop.schedule.words import COMMON_WORDS, words_of
from passes.loop.schedule.workload import Workload, workload

H200 = device_named("h200")
SCALED = """
mlc_loop.kernel @k(%x: memref<4096x512xf32>, %y: memref<4096x512xf32>, {buffers}) {{
  mlc_loop.parallel %p = 0 to 512 {{
    {loads}
    mlc_loop.parallel %r = 0 to 4096 {{
      %v = mlc_loop.load %x[%r, %p] : memref<4096x512xf32>
      {sums}
      mlc_loop.store {result}, %y[%r, %p] : memref<4096x512xf32>
    }}
  }}
}}
"""
"""An image, channels last, to which numbers of each channel are added."""
ADDED = """
mlc_loop.kernel @k(%x: memref<{x}xf32>, %z: memref<{z}xf32>, %i: memref<512xi64>, %y: memref<512x512xf32>) {{
  mlc_loop.parallel %p = 0 to 512 {{
    mlc_loop.parallel %r = 0 to 512 {{
      {index}
      %v = mlc_loop.load %x[{place}] : memref<{x}xf32>
      %w = mlc_loop.load %z[{other}] : memref<{z}xf32>
      %s = arith.addf %v, %w : f32
      mlc_loop.store %s, %y[%p, %r] : memref<512x512xf32>
    }}
  }}
}}
"""


def scaled(count: int) -> Workload:
    """The kernel with so many numbers of each channel."""
    names = [f"%n{k}" for k in range(count)]
    loads = [f"%v{k}_ = mlc_loop.load {n}[%p] : memref<512xf32>" for k, n in enumerate(names)]
    before = ["%v", *(f"%s{k}" for k in range(1, count))]
    sums = [f"%s{k + 1} = arith.addf {before[k]}, %v{k}_ : f32" for k in range(count)]
    text = SCALED.format(
        buffers=", ".join(f"{n}: memref<512xf32>" for n in names),
        loads="\n    ".join(loads),
        sums="\n      ".join(sums),
        result=f"%s{count}",
    )
    return workload(Written(text).kernel)


def added(place: str, other: str, index: str = "") -> Workload:
    """The sum of two matrices, each read at its own place."""
    text = ADDED.format(x="512x512", z="512x512", place=place, other=other, index=index)
    return workload(Written(text).kernel)


def block(work: Workload, tiling: Tiling) -> Share:
    return next(share for share in shares_of(work, tiling, H200) if share.body.loop is not None)


def held(work: Workload, tiling: Tiling) -> float:
    return words_of(work, list(shares_of(work, tiling, H200)), prefetched=False).held


@pytest.mark.parametrize(("tiling", "rows"), [(Tiling(64, 32, 4), 4), (Tiling(64, 32, 16), 4), (Tiling(64, 16, 16), 2)])
def test_what_columns_have_in_common_takes_words_for_each_row_of_a_lane(tiling: Tiling, rows: int) -> None:
    """A lane has four neighbouring channels, if it has as many elements, whatever its columns are."""
    few, many = (held(scaled(count), tiling) for count in (2, 10))
    assert many - few == pytest.approx(COMMON_WORDS * rows * 8)


def test_numbers_of_one_row_are_held_once() -> None:
    """They are the same for all lanes: no words beside those of the numbers."""
    assert held(scaled(10), Tiling(1, 1024, 4)) == 10


def test_more_of_each_channel_leaves_room_for_fewer_programs() -> None:
    few, many = (demand(scaled(count), Tiling(64, 32, 8), H200) for count in (1, 16))
    assert many.resident < few.resident


def test_what_lies_otherwise_is_turned() -> None:
    tiling = Tiling(32, 32, 4)
    straight, turned = added("%p, %r", "%p, %r"), added("%p, %r", "%r, %p")
    assert block(straight, tiling).block.turns == 0
    assert block(turned, tiling).block.turns == 1
    assert demand(straight, tiling, H200).turned == 0 < demand(turned, tiling, H200).turned
    assert predict(turned, tiling, H200).us > predict(straight, tiling, H200).us


def test_a_place_that_data_says_for_each_column_is_not_along_the_rows() -> None:
    index = "%q = mlc_loop.load %i[%r] : memref<512xi64>\n      %j = mlc_loop.indirect_index %q below 512 : i64"
    work, tiling = added("%p, %r", "%j, %p", index), Tiling(32, 32, 4)
    share = block(work, tiling)
    assert not any(is_along_rows(share, t) for t in share.body.traffic)
