"""Graphs by the hundreds: the files of a folder, `.mlir` or `.stablehlo.mlir`, and what `benchmarks.capture` writes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlc_support.errors import MlcError

STABLEHLO = ".stablehlo.mlir"
REGIONS = ".jsonl.gz"


@dataclass(frozen=True)
class Entry:
    """One graph as text, and how often it is found in what it comes from."""

    name: str
    text: str
    times: int = 1
    stablehlo: bool = False
    """It is StableHLO, not `mlc_tensor`."""


def entries(path: Path) -> Iterator[Entry]:
    """The graphs of a file, or of all files below a folder, in the order of their names. MlcError if there is none."""
    if not path.exists():
        raise MlcError(f"no such file or folder: {path}")
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.name.endswith((".mlir", REGIONS)))
    if not files or not files[0].name.endswith((".mlir", REGIONS)):
        expected = f"expected files of mlc_tensor, *.mlir, of StableHLO, *{STABLEHLO}, or of regions, *{REGIONS}"
        raise MlcError(f"{path} has no graphs", None, expected)
    for file in files:
        if file.name.endswith(REGIONS):
            yield from (Entry(r["name"], r["text"], r.get("count", 1)) for r in regions(file))
        else:
            foreign = file.name.endswith(STABLEHLO)
            name = str(file.relative_to(path)) if path.is_dir() else file.name
            name = name.removesuffix(STABLEHLO if foreign else ".mlir")
            yield Entry(name, file.read_text(encoding="utf-8"), stablehlo=foreign)


def regions(path: Path) -> Iterator[dict[str, Any]]:
    """The entries of a file of regions. MlcError where it is something else."""
    if not path.is_file():
        raise MlcError(f"no such file: {path}")
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for entry in map(json.loads, lines):
                if "name" not in entry or "text" not in entry:
                    raise MlcError(f"{path} holds no regions: an entry lacks its name or its text")
                yield entry
    except (OSError, ValueError, TypeError) as error:
        raise MlcError(f"{path} holds no regions: {error}", None, "benchmarks.capture writes them") from error
