"""Where the compiler keeps what it made, for the next process."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path


def cache_folder() -> Path:
    """The folder, which exists then: MLC_CACHE_DIR, or one of the user's own among the temporary files."""
    folder = Path(os.environ.get("MLC_CACHE_DIR") or Path(tempfile.gettempdir()) / f"mlc_{os.getuid()}")
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def write_whole(path: Path, text: str) -> None:
    """Writes a file so that nobody ever sees a part of it."""
    partial = path.with_suffix(f".{os.getpid()}.tmp")
    partial.write_text(text)
    partial.replace(path)


def write_source(source: str) -> Path:
    """Puts generated text into the cache, named by its content; gives the file."""
    path = cache_folder() / f"mlc_{hashlib.sha256(source.encode()).hexdigest()[:20]}.py"
    if not path.exists():
        write_whole(path, source)
    return path
