"""All generated pages: `python -m tools.reference.pages FOLDER` writes them; the documentation builds them itself."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tools.reference.dialects import dialect_page
from tools.reference.options import options_page
from tools.reference.passes import passes_page
from tools.universe import DIALECTS

PAGES: dict[str, Callable[[], str]] = {
    **{f"reference/{name}.md": partial(dialect_page, name) for name in DIALECTS},
    "reference/passes.md": passes_page,
    "reference/options.md": options_page,
}
"""The pages by their place among those that are written by hand."""


def main() -> None:
    for path, text in PAGES.items():
        file = Path(sys.argv[1]) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
