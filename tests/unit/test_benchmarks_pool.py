"""Jobs of benchmarks in processes: none takes another along, and all end in time."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path

import pytest

from benchmarks.pool import alone, in_processes

pytestmark = pytest.mark.slow


def tenfold(number: int) -> int:
    """A job; 3 kills its process, and 7 takes minutes."""
    if number == 3:
        os._exit(1)
    if number == 7:
        time.sleep(600)
    return 10 * number


def test_a_job_that_kills_its_process_takes_no_other_along() -> None:
    found = dict(in_processes(tenfold, [1, 2, 3, 4, 5], 1, time.monotonic() + 100))
    assert {k: v for k, v in found.items() if k != 3} == {1: 10, 2: 20, 4: 40, 5: 50}
    assert isinstance(found[3], Exception)


def test_jobs_end_when_the_time_is_over() -> None:
    found, seconds = [], 2.0
    while not found and seconds < 200:  # a busy machine takes its time to begin
        start, seconds = time.monotonic(), 3 * seconds
        found = list(in_processes(tenfold, [1, 7, 2], 1, start + seconds))
        assert time.monotonic() - start < seconds + 60
    assert found == [(1, 10)]
    assert list(in_processes(tenfold, [1, 2], 0, time.monotonic())) == []
    assert list(in_processes(tenfold, [1, 2], 0, time.monotonic() + 10)) == [(1, 10), (2, 20)]


def test_one_process_at_a_time_is_alone(tmp_path: Path) -> None:
    lock = str(tmp_path / "lock")
    spans = sorted(r for _, r in in_processes(partial(waits, lock), [1, 2], 2, time.monotonic() + 100))  # pyright: ignore
    assert spans[0][1] <= spans[1][0]  # pyright: ignore


def waits(lock: str, _: int) -> tuple[float, float]:
    with alone(lock):
        start = time.monotonic()
        time.sleep(0.3)
        return start, time.monotonic()
