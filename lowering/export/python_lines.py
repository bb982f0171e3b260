"""What the exports in Python share: one statement for each op, helpers before it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

HELPER = "__"
"""Stands between the name of an op and the number of a helper: `expm1__1` belongs to `expm1`."""
_NUMBERS = re.compile(rf"({HELPER}\d+)+$")


def op_of(name: str) -> str:
    """The name of the op that a statement belongs to: `gelu` for `gelu__2__1`, a helper of a helper."""
    return _NUMBERS.sub("", name)


@dataclass
class Lines:
    """The statements so far; `source` names the op that the next ones compute."""

    taken: Collection[str] = ()
    """Names that are no helper's."""
    texts: list[str] = field(default_factory=list[str])
    source: str = ""
    _helpers: int = 0

    def start(self, source: str) -> None:
        """Begins the statements of another op."""
        self.source, self._helpers = source, 0

    def let(self, expression: str) -> str:
        """Binds a part of the op; its name."""
        name = ""
        while not name or name in self.taken:
            self._helpers += 1
            name = f"{self.source}{HELPER}{self._helpers}"
        self.texts.append(f"{name} = {expression}")
        return name

    def finish(self, expression: str, name: str = "") -> None:
        """Binds the op itself, or the one of its results that has another name."""
        self.texts.append(f"{name or self.source} = {expression}")


def tuple_text(items: Sequence[object]) -> str:
    """`(1,)`, `(1, 2)`"""
    texts = [str(i) for i in items]
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"


def number_text(number: float) -> str:
    """A number as an expression of Python and of TVMScript, where `float` is no function: inf is 1e999."""
    if not isinstance(number, float) or abs(number) < float("inf"):
        return repr(number)
    return "(1e999 - 1e999)" if number != number else repr(number).replace("inf", "1e999")
