"""The files that results are written to."""

from __future__ import annotations

import json
import os
from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any


def write_json(path: Path, data: Any) -> None:
    """Writes the file whole, or not at all: a run that is stopped leaves what it had."""
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(data, indent=1) + "\n")
    partial.replace(path)


def file_to_write(name: str) -> Path:
    """The type of an option of argparse: a file that is written after the work. Its folder is made before."""
    path = Path(name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentTypeError(f"no file can be written in {path.parent}: {error.strerror}") from error
    if not os.access(path.parent, os.W_OK) or path.is_dir():
        raise ArgumentTypeError(f"{path} cannot be written")
    return path
