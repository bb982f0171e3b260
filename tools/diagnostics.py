"""`--verify-diagnostics`: the errors of a module are those that its comments expect, no more and no fewer.

    // expected-error@+1 {{inner sizes differ}}
    %c = mlc_tensor.matmul %a, %b : ...

The comment stands on the line of the error, or says how many lines off it is: `@+2`, `@-1`, `@above`, `@below`;
`@unknown` expects an error that has no place in the file. The text is part of the message.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mlc_support.errors import Location, MlcError

_ANY = re.compile(r"//.*?\b(expected-(?:error|warning|remark|note))\b")
_EXPECTED = re.compile(r"expected-error(?:@(above|below|unknown|[+-]\d+))?\s*\{\{(.*?)\}\}")
_WORDS = {"above": -1, "below": 1, "": 0}


@dataclass(frozen=True)
class Expected:
    """An error that a comment asks for."""

    line: int | None
    """The line of the error; None for one without a place in the file."""
    text: str
    place: Location
    """Where the comment stands."""

    def accepts(self, error: MlcError) -> bool:
        """Whether `error` is the one that is expected."""
        return self.line == _line(error, self.place.file) and self.text in error.message


def expected_in(text: str, file: str, first_line: int = 1) -> list[Expected]:
    """What the comments of `text` ask for; its first line is `first_line` of `file`.

    Raises `MlcError` for a comment that asks in a way that is not read here, and so would be met by anything.
    """
    found: list[Expected] = []
    for number, line in enumerate(text.splitlines(), first_line):
        unread = _ANY.search(line)
        if unread and not _EXPECTED.search(line):
            place = Location(file, number, unread.start(1) + 1, line, len(unread[1]))
            hint = "it reads: // expected-error@+1 {{part of the message}}"
            raise MlcError("this comment expects nothing", place, hint)
        for match in _EXPECTED.finditer(line):
            where, message = match[1] or "", match[2]
            at = None if where == "unknown" else number + (_WORDS[where] if where in _WORDS else int(where))
            found.append(Expected(at, message, Location(file, number, match.start() + 1, line, len(match[0]))))
    return found


def unexpected(errors: Sequence[MlcError], expected: Sequence[Expected]) -> list[MlcError]:
    """What is wrong: errors that no comment expects, and comments whose error did not come."""
    left, wrong = list(expected), list[MlcError]()
    for error in errors:
        met = next((e for e in left if e.accepts(error)), None)
        if met is None:
            wrong.append(MlcError(f"unexpected error: {error.message}", error.location, error.hint))
        else:
            left.remove(met)
    return wrong + [MlcError(f"expected error was not reported: {e.text}", e.place) for e in left]


def _line(error: MlcError, file: str) -> int | None:
    """The line of `file` that an error is about, if it is about one."""
    place = error.location
    return place.line if isinstance(place, Location) and place.file == file else None
