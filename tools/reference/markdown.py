"""Docstrings, tables and blocks of code as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

_SPECIAL = re.compile(r"[\\*_<>\[\]#]")


def prose(text: str) -> str:
    """A docstring: what is special in Markdown stands for itself, but for `code`, lists and indented code.

    Code is what is indented by four, or tells ` -> ` what becomes of the line above.
    """
    parts = groupby(re.split(r"\n\n+", text), key=_is_code)
    return page(*(code(_dedent("\n\n".join(group))) if is_code else _plain(group) for is_code, group in parts))[:-1]


def _is_code(paragraph: str) -> bool:
    return paragraph.startswith(("    ", " ->"))


def _dedent(text: str) -> str:
    """`text` without the indentation that its lines share."""
    least = min(len(line) - len(line.lstrip()) for line in text.splitlines() if line.strip())
    return "\n".join(line[least:] for line in text.splitlines())


def _plain(paragraphs: Iterable[str]) -> str:
    return "\n\n".join("\n".join(map(_line, paragraph.splitlines())) for paragraph in paragraphs)


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
