"""Python identifiers for the values of a kernel."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass, field

from mlc_dialects.common.index_syntax import RESERVED


@dataclass
class Names:
    """Python identifiers for values, each used once."""

    taken: set[str] = field(default_factory=lambda: set(RESERVED))

    def fresh(self, hint: str | None) -> str:
        """An identifier like `hint`."""
        stem = re.sub(r"\W", "_", hint or "t", flags=re.ASCII).strip("_") or "t"
        if stem[0].isdigit() or keyword.iskeyword(stem):
            stem = f"v{stem}" if stem[0].isdigit() else f"{stem}_"
        stem = re.sub(r"_\d+$", "", stem) if re.sub(r"_\d+$", "", stem) not in ("", "_") else stem
        name, count = stem, 1
        while name in self.taken:
            name, count = f"{stem}_{count}", count + 1
        self.taken.add(name)
        return name
