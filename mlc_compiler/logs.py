"""The log of the compiler, which speaks of the user's lines.

`TORCH_LOGS="mlc"` and `"+mlc"` (more of it) show it as PyTorch shows its own logs, beside `output_code`, the generated
programs. `MLC_LOG=fusion,schedule,kernels,cache` shows these areas alone, and "all" of them, as plain lines on stderr.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterable

from torch._logging import _internal

from mlc_support.errors import MlcError
from mlc_support.parsing import nearest

ROOT = "mlc"
CHOICE = "MLC_LOG"
AREAS = ("fusion", "schedule", "kernels", "cache")
ALL = "all"

_internal.register_log(ROOT, ROOT)
_internal._init_logs()  # PyTorch's own set-up once more, which now knows of ours
_output_code = _internal.getArtifactLogger(ROOT, "output_code")


def log_of(area: str) -> logging.Logger:
    """The log of one of `AREAS`."""
    return logging.getLogger(f"{ROOT}.{area}")


def heard(areas: Iterable[str] = AREAS) -> bool:
    """True where somebody listens to one of `areas`."""
    return any(log_of(area).isEnabledFor(logging.INFO) for area in areas)


def traced() -> bool:
    """True where `TORCH_TRACE` names a folder for what tlparse shows: PyTorch's handler has it."""
    return any(getattr(handler, "root_dir", None) for handler in _internal.trace_log.handlers)


def trace(name: str, text: str, encoding: str = "string") -> None:
    """Adds a text to the trace, or data as JSON; nothing where there is none."""
    if traced():
        about = {"name": name, "encoding": encoding}
        _internal.trace_structured(
            "artifact", metadata_fn=lambda: about, payload_fn=lambda: text, expect_trace_id=False
        )


def show_output(name: str, path: object, source: str) -> None:
    """Adds a generated program to `TORCH_LOGS=output_code` and to the trace."""
    _output_code.debug("Output code of %s, written to %s:\n%s", name, path, source)
    trace(f"mlc_{name}_source", source)


class _Lines(logging.Handler):
    """Writes each record on stderr, after its area; further lines are indented."""

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage().replace("\n", "\n    ")
        print(f"{record.name.replace('.', ' ')}: {text}", file=sys.stderr)


def listen(choice: str | None = None) -> None:
    """Shows the areas that `choice`, by default MLC_LOG, names, and no others. MlcError for one that does not exist."""
    told = os.environ.get(CHOICE, "") if choice is None else choice
    names = {name for part in told.split(",") if (name := part.strip())}
    for name in sorted(names - {*AREAS, ALL}):
        hint = nearest(name, AREAS) or f"logs are {', '.join((*AREAS, ALL))}"
        raise MlcError(f"{CHOICE}: no log {name!r}", hint=hint)
    for area in AREAS:
        _show(log_of(area), area in names or ALL in names)


def _show(log: logging.Logger, wanted: bool) -> None:
    """Gives a log a handler of ours, which is then its only one, or takes it."""
    ours = [handler for handler in log.handlers if isinstance(handler, _Lines)]
    if wanted == bool(ours):
        return
    for handler in ours:
        log.removeHandler(handler)
    if wanted:
        log.addHandler(_Lines())
    log.propagate = not wanted
    log.setLevel(logging.DEBUG if wanted else logging.NOTSET)
