"""Which kernels need which, while kernels are joined: the same answers as a search of all uses."""

from __future__ import annotations

import random

import pytest

from passes.tensor.fusion.paths import Paths

Uses = dict[int, set[int]]


def leads(uses: Uses, start: set[int], end: int) -> bool:
    """True if some use after another leads from one of `start` to `end`."""
    seen, work = set(start), list(start)
    while work:
        for user in uses[work.pop()]:
            if user not in seen:
                seen.add(user)
                work.append(user)
    return end in seen


@pytest.mark.parametrize("seed", range(12))
def test_paths_are_those_of_a_search(seed: int) -> None:
    rng = random.Random(seed)
    count = rng.choice((8, 30, 60))
    uses: Uses = {a: {b for b in range(a + 1, count) if rng.random() < 2 / count} for a in range(count)}
    paths = Paths(list(uses), uses.__getitem__)
    while len(uses) > 3:
        for a, b in (rng.sample(list(uses), 2) for _ in range(20)):
            assert paths.reaches(a, b) == leads(uses, uses[a], b)
            around = leads(uses, uses[a] - {b}, b) or leads(uses, uses[b] - {a}, a)
            assert paths.around(a, b) == around
        kept, gone = rng.sample(list(uses), 2)
        if paths.around(kept, gone):
            continue
        paths.join(kept, gone)
        uses[kept] = (uses[kept] | uses.pop(gone)) - {kept, gone}
        for users in uses.values():
            if gone in users:
                users ^= {gone}
                users |= {kept}
        uses[kept].discard(kept)
