"""Rules of rewriting that are others, or none, for a while."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest import mock

from mlc_support import rewriting
from mlc_support.rewriting import Rule

Change = Callable[[Rule], Rule | None]


@contextmanager
def changed(changes: Mapping[str, Change]) -> Iterator[None]:
    """Rules of these names are others while this lasts."""

    class Driver(rewriting._Driver):  # pyright: ignore[reportPrivateUsage]
        def __init__(self, rules: Any, budget: Any, observer: Any):
            new = [changes[r.name](r) if r.name in changes else r for r in rules]
            super().__init__([r for r in new if r is not None], budget, observer)

    with mock.patch.object(rewriting, "_Driver", Driver):
        yield


def missing(rule: Rule) -> None:
    """No rule."""
