"""The one error type of mlc, and the place in a program it points at.

An error says what is wrong, where, and what to do about it:

    error: mlc_tensor.matmul: inner sizes differ: lhs is 128x64 (f16), rhs is 32x256 (f16)
      --> model.py:41  y = self.proj(x)
      lhs.shape[1] must equal rhs.shape[0]; transpose the weight?
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Location:
    """A place in a program: a line of a model in Python, or of IR text.

    `line` and `column` count from one. `source` is the text of that line. With a
    `width` above zero the text gets a line of its own, `width` carets under `column`.
    """

    file: str
    line: int | None = None
    column: int | None = None
    source: str | None = None
    width: int = 0

    def __str__(self) -> str:
        """`file:line:column`, as far as it is known."""
        parts = [self.file, self.line, self.column]
        return ":".join(str(part) for part in parts if part is not None)

    def render(self) -> str:
        """The place and its source text, over several lines where there are carets."""
        if self.source is None:
            return str(self)
        if self.width == 0 or self.column is None:
            return f"{self}  {self.source.strip()}"
        before = self.source[: self.column - 1]
        margin = "".join("\t" if character == "\t" else " " for character in before)
        return f"{self}\n   | {self.source.rstrip()}\n   | {margin}{'^' * self.width}"


class MlcError(Exception):
    """Something its user can mend: what is wrong, where, and what to do.

    `location` is the place in the user's program, `hint` the remedy or what was
    expected instead. `render()` is the text a command-line driver prints.
    """

    message: str
    location: Location | str | None
    hint: str | None

    def __init__(
        self,
        message: str,
        location: Location | str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, location, hint)
        self.message = message
        self.location = location
        self.hint = hint

    def __str__(self) -> str:
        """The message, and a line each for the place and the hint."""
        lines = [self.message]
        if isinstance(self.location, Location):
            lines.append(f"  --> {self.location.render()}")
        elif self.location:
            lines.append(f"  --> {self.location}")
        if self.hint:
            lines.extend(f"  {line}" for line in self.hint.splitlines())
        return "\n".join(lines)

    def render(self) -> str:
        """The whole report, as printed on stderr."""
        return f"error: {self}"
