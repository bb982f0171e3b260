"""Docstrings, tables and blocks of code as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_SPECIAL = re.compile(r"[\\*_<>\[\]#]")


def prose(text: str) -> str:
    """A docstring: what is special in Markdown stands for itself, but for `code`, lists and indented code."""
    return "\n".join(line if line.startswith("    ") else _line(line) for line in text.splitlines())


def _line(line: str) -> str:
    parts = line.split("`")
    if len(parts) % 2 == 0:  # a backtick by itself
        return _SPECIAL.sub(_escaped, line).replace("`", "\\`")
    return "`".join(part if k % 2 else _SPECIAL.sub(_escaped, part) for k, part in enumerate(parts))


def _escaped(special: re.Match[str]) -> str:
    """Angle brackets are HTML's, the others Markdown's."""
    return {"<": "&lt;", ">": "&gt;"}.get(special[0], f"\\{special[0]}")


def code(text: str, language: str = "text") -> str:
    """A block of code."""
    return f"```{language}\n{text.rstrip()}\n```"


def literal(text: str) -> str:
    """`text`, as code inside a line."""
    return f"`{text}`" if text else ""


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, or nothing if it has no rows. Cells are Markdown of one line."""
    lines = [f"| {' | '.join(_cell(cell) for cell in row)} |" for row in rows]
    return "\n".join([f"| {' | '.join(titles)} |", f"|{' --- |' * len(titles)}", *lines]) if lines else ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def page(*parts: str) -> str:
    """Parts with a blank line between them; empty ones are left out."""
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"
