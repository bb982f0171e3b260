"""Generated text, line by line, with the op that each line is written for."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Operation


@dataclass
class Lines:
    """Lines of a program. What a line is written for is the innermost op whose lines hold it; None for the frame."""

    texts: list[str] = field(default_factory=list[str])
    ops: dict[int, Operation] = field(default_factory=dict[int, Operation])

    def add(self, *texts: str) -> None:
        """More lines, none of an op yet."""
        self.texts += texts

    def belong(self, op: Operation, first: int) -> None:
        """Says that the lines from `first` on are those of `op`, but for those of ops inside it."""
        for position in range(first, len(self.texts)):
            self.ops.setdefault(position, op)

    def extend(self, other: Lines) -> None:
        """The lines of `other`, with their ops, behind these."""
        start = len(self.texts)
        self.texts += other.texts
        self.ops |= {start + position: op for position, op in other.ops.items()}

    def __str__(self) -> str:
        """The text, with a line break behind each line."""
        return "".join(f"{text}\n" for text in self.texts)
