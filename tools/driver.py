"""What the command-line drivers share: how they fail and how they write a file."""

from __future__ import annotations

import argparse
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from mlc_support.errors import MlcError

INTERNAL_HINT = "this is a fault of mlc, not of its input; --traceback shows where it happened"


class Arguments(argparse.ArgumentParser):
    """A command-line parser that raises `MlcError` where argparse would exit."""

    def error(self, message: str) -> NoReturn:
        """Report a mistake on the command line."""
        raise MlcError(message, None, f"{self.prog} --help lists the options")


def run_reporting(action: Callable[[], object], *, traceback: bool = False) -> int:
    """Run a driver's `action`: exit code 0, or 1 with one `error:` report on stderr.

    With `traceback` an exception is let through instead.
    """
    try:
        action()
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has all it wants. Python would complain once more while it exits.
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if traceback:
            raise
        report(error)
        return 1
    return 0


def report(error: Exception) -> None:
    """An error on stderr, as people read it."""
    print(as_mlc_error(error).render(), file=sys.stderr)


def as_mlc_error(error: Exception) -> MlcError:
    """Any exception as an error with a message for the user."""
    match error:
        case MlcError():
            return error
        case OSError(filename=str(name), strerror=str(reason)):
            return MlcError(f"{reason.lower()}: {name}")
        case RecursionError():
            return MlcError("the nesting of the program is too deep", None, INTERNAL_HINT)
        case _:
            text = str(error).strip()
            kind = type(error).__name__
            return MlcError(f"internal: {kind}: {text}" if text else f"internal: {kind}", None, INTERNAL_HINT)


def run_tool(parser: Arguments, argv: Sequence[str] | None, run: Callable[[Any], object]) -> int:
    """Runs a tool on a command line, `--traceback` among its options: the exit code, 0 or 1."""
    parsed: list[Any] = []
    code = run_reporting(lambda: parsed.append(parser.parse_args(argv)))
    if code or not parsed:
        return code
    options = parsed[0]
    return run_reporting(lambda: run(options), traceback=options.traceback)


def read_input(path: str | None) -> bytes:
    """The bytes of a file, or of stdin for None and `-`."""
    if path is None or path == "-":
        return sys.stdin.buffer.read()
    return Path(path).read_bytes()


def check_output(path: str | None) -> None:
    """Raises `MlcError` where `write_output` could not write: before the work, not after."""
    if path is None or path == "-":
        return
    target = Path(path).resolve()
    if target.is_dir():
        raise MlcError(f"{path} is a folder", None, "name a file in it")
    if not target.parent.is_dir():
        raise MlcError(f"no such folder: {Path(path).parent}", None, "make it, or write elsewhere")
    if not os.access(target if _is_special(path) else target.parent, os.W_OK):
        raise MlcError(f"{path} cannot be written", None, "write elsewhere")


def write_output(path: str | None, text: str) -> None:
    """Write `text` to a file, in one piece or not at all, or to stdout for None and `-`."""
    if path is None or path == "-":
        sys.stdout.write(text)
    elif _is_special(path):
        Path(path).write_text(text, encoding="utf-8")
    else:
        _replace(Path(path), text)


def _is_special(path: str) -> bool:
    """A device or a pipe: written to, never replaced."""
    try:
        return not stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        return False


def _replace(path: Path, text: str) -> None:
    """Write a neighbour of `path`, then give it that name in one step."""
    check_output(str(path))
    target = path.resolve()
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
        os.chmod(temporary, _mode(target))
        os.replace(temporary, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _mode(path: Path) -> int:
    """The permissions a file has, or would get as a new one."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
