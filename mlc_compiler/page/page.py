"""One self-contained page of HTML: a body, style sheets, scripts, and data as JSON.

All text of strangers is data: it enters the page as JSON, which cannot end its element, and the scripts put it into
text nodes. Only the title is written as HTML, escaped. A policy in the page itself forbids it to load anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from typing import Any

SHARED = "mlc_compiler.page"
"""The package whose assets all pages have: the style sheet, tables, the roofline."""
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_UNSAFE = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}
"""Letters that could end a script element, begin a comment, or end a line of JavaScript."""


def render(package: str, title: str, data: Mapping[str, Any]) -> str:
    """The page of `package`: its `assets/page.html` between the shared head and tail.

    Each package has `assets/*.css` and `assets/*.js` beside it, which follow the shared ones in the order of their
    names. The scripts find `data` as `data`.
    """
    parts = {
        "title": escape(title),
        "style": _joined(SHARED, ".css") + _joined(package, ".css"),
        "body": _asset(package, "page.html"),
        "data": embedded(data),
        "script": _joined(SHARED, ".js") + _joined(package, ".js"),
    }
    # At once: what is put in is not searched for placeholders again.
    return _PLACEHOLDER.sub(lambda found: parts[found.group(1)], _asset(SHARED, "frame.html"))


def embedded(data: Mapping[str, Any]) -> str:
    """JSON for a script element: text in it can neither end the element nor open a comment."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.translate(_UNSAFE)


def _asset(package: str, name: str) -> str:
    return (files(package) / "assets" / name).read_text(encoding="utf-8")


def _joined(package: str, ending: str) -> str:
    names = sorted(entry.name for entry in (files(package) / "assets").iterdir() if entry.name.endswith(ending))
    return "".join(_asset(package, name) for name in names)
