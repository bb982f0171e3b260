"""passes.common.liveness: what is alive at once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from passes.common.liveness import most_alive

STEPS = 8
LIVES = st.tuples(st.integers(0, STEPS - 1), st.integers(0, STEPS - 1), st.integers(0, 5)).map(
    lambda life: (min(life[:2]), max(life[:2]), life[2])
)


@given(st.lists(LIVES, max_size=12))
def test_most_alive(lives: list[tuple[int, int, int]]) -> None:
    each = [sum(weight for first, last, weight in lives if first <= step <= last) for step in range(STEPS)]
    assert most_alive(lives, STEPS) == max(each)


def test_nothing_is_alive_in_no_step() -> None:
    assert most_alive([], 0) == 0
