"""Where the compiler keeps what it made, for the next process."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from mlc_support.errors import MlcError


def cache_folder() -> Path:
    """The folder, which may not exist yet: MLC_CACHE_DIR, or one of the user's own among the temporary files."""
    return Path(os.environ.get("MLC_CACHE_DIR") or Path(tempfile.gettempdir()) / f"mlc_{os.getuid()}")


def read(path: Path) -> str | None:
    """The text of a file; None if there is none that can be read."""
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError):
        return None


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a file, its folder too, so that nobody ever sees a part of it, whoever else writes it at the same time.

    MlcError if it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as partial:
            partial.write(content.encode() if isinstance(content, str) else content)
        Path(partial.name).replace(path)
    except OSError as error:
        hint = "MLC_CACHE_DIR names the folder for what the compiler makes: one that can be written"
        raise MlcError(f"cannot write {path}: {error.strerror}", hint=hint) from error


def write_source(source: str) -> Path:
    """Puts generated text into the cache, named by its content; gives the file. MlcError if it cannot be written."""
    path = cache_folder() / f"mlc_{hashlib.sha256(source.encode()).hexdigest()[:20]}.py"
    if read(path) != source:
        write_whole(path, source)
    return path
