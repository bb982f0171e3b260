"""Where the compiler keeps what it made, for the next process."""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from mlc_support.errors import MlcError


def cache_folder() -> Path:
    """MLC_CACHE_DIR, or one of the user's own among the temporary files; made if it can be.

    What lies there is run: MlcError where another user could have written it.
    """
    path = Path(os.environ.get("MLC_CACHE_DIR") or Path(tempfile.gettempdir()) / f"mlc_{os.getuid()}")
    with suppress(OSError):
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        _check_private(path)
    return path


def _check_private(path: Path) -> None:
    """The folder, and a link that leads there, are of this user or of root, and no others can write."""
    found = (path.lstat(), path.stat())
    stranger = next((s.st_uid for s in found if s.st_uid not in (os.getuid(), 0)), None)
    if stranger is not None:
        hint = "MLC_CACHE_DIR names the folder for what the compiler makes: one of your own"
        raise MlcError(f"{path} belongs to user {stranger}, who could change what is run from it", hint=hint)
    if found[1].st_mode & 0o022:
        what = f"others than its owner can write into {path}, and change what is run from it"
        raise MlcError(what, hint=f"chmod go-w {path}, or name another folder by MLC_CACHE_DIR")


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
