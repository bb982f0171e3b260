"""Where the compiler keeps what it made, for the next process.

What lies there can be made again. So a file that is missing, damaged or somebody else's counts as not there, and one
that cannot be written costs a warning and time. Processes that share the folder may be killed at any moment.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
import time
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path

from mlc_support.errors import MlcError

PARTIAL = ".tmp"
"""How the names of files end that are being written."""
ABANDONED = 3600.0
"""Seconds after which nobody writes such a file any more: who did was killed."""
HINT = "MLC_CACHE_DIR names the folder for what the compiler makes: one that can be written"


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


def read_bytes(path: Path) -> bytes | None:
    """The content of a file; None if there is none that can be read, or others than this user and root could write it.

    What is no file, as a pipe, is not waited for.
    """
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            found = os.fstat(file.fileno())
            private = found.st_uid in (os.getuid(), 0) and not found.st_mode & 0o022
            return file.read() if stat.S_ISREG(found.st_mode) and private else None
    except OSError:
        return None


def read(path: Path) -> str | None:
    """`read_bytes` as text; None where it is none."""
    content = read_bytes(path)
    try:
        return None if content is None else content.decode()
    except UnicodeDecodeError:
        return None


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a file, its folder too, so that nobody ever sees a part of it, whoever else writes it at the same time.

    MlcError if it cannot be written.
    """
    try:
        _write(path, content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise MlcError(f"cannot write {path}: {error.strerror}", hint=HINT) from error


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    _remove_abandoned(path.parent)
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=PARTIAL, delete=False) as partial:
        try:
            partial.write(content)
            partial.close()
            Path(partial.name).replace(path)
        except BaseException:
            Path(partial.name).unlink(missing_ok=True)
            raise


@cache
def _remove_abandoned(folder: Path) -> None:
    """Removes what killed processes left half written; once a process."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.name.endswith(PARTIAL) and time.time() - entry.stat().st_mtime > ABANDONED:
                    os.unlink(entry)


def keep(path: Path, content: str | bytes) -> None:
    """`write_whole` for the next process: where it cannot be, a warning says so, and this one goes on."""
    try:
        write_whole(path, content)
    except MlcError as error:
        why = error.__cause__.strerror if isinstance(error.__cause__, OSError) else error.message
        warnings.warn(f"mlc keeps nothing in {path.parent}: {why}. {HINT}", stacklevel=2)


def source_path(source: str) -> Path:
    """Where generated text is kept: named by its content."""
    return cache_folder() / f"mlc_{hashlib.sha256(source.encode()).hexdigest()[:20]}.py"


def write_source(source: str) -> Path:
    """Puts generated text into the cache, for a process that reads it there; MlcError if it cannot be written."""
    path = source_path(source)
    if read(path) != source:
        write_whole(path, source)
    return path


def keep_source(source: str) -> Path:
    """Puts generated text into the cache if it can be, for people and debuggers to read; gives where it belongs."""
    path = source_path(source)
    if read(path) != source:
        keep(path, source)
    return path
