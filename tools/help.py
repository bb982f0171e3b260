"""What `mlc-opt` says of itself: `--help`, `--help-options`, `--list-passes`, `--help-pass`, `--list-targets`.

The text of a pass is the docstring of its file: `name: what it does` and the rest. It is read, not imported.
"""

from __future__ import annotations

import dataclasses
import inspect
import shutil
import sys
import textwrap
from pathlib import Path

from xdsl.utils.arg_spec import ArgSpecConvertible
from xdsl.utils.hints import type_repr

from mlc_support.errors import MlcError
from mlc_support.field_docs import field_docs
from mlc_support.parsing import nearest
from tools.options import MLC_OPT
from tools.universe import (
    LEVELS,
    PASSES,
    STAGES,
    TARGETS,
    all_passes,
    all_targets,
    level_of,
    load,
    pass_factories,
    plug_ins,
)

ROOT = Path(__file__).parents[1]
_NAMES, _LEVELS = 23, 9
"""Columns of names, and of levels."""
SHORT = ("cpu", "any")
"""Levels beside the way to a GPU, whose passes the screen has one line for."""


def page() -> str:
    """`--help`: one screen."""
    width = shutil.get_terminal_size((120, 60)).columns if sys.stdout.isatty() else 120
    usage = "usage: mlc-opt [FILE] [-p PASSES] [-t TARGET] [-o FILE] [OPTION ...]"
    head = [f"{usage}   stages: {' | '.join(STAGES)}"]
    passes = [_line(name, level, width) for level in LEVELS if level not in SHORT for name in of_level(level)]
    passes.append("  ".join(f"{level:{_LEVELS}}{'  '.join(of_level(level))}" for level in SHORT))
    options = [
        line
        for topic, group in MLC_OPT.items()
        for line in textwrap.wrap(
            "  ".join(option.names[0] for option in group), width, initial_indent=f"{topic:{_LEVELS}}",
            subsequent_indent=" " * _LEVELS, break_on_hyphens=False,
        )
    ]  # fmt: skip
    return "\n".join([*head, *passes, *options])


def options_page() -> str:
    """`--help-options`: every option, with the width of a terminal in mind."""
    lines: list[str] = []
    for topic, group in MLC_OPT.items():
        lines += [f"{topic}:", *(f"  {option.spelled():38} {option.help}" for option in group)]
    return "\n".join(lines)


def passes_page(which: str) -> str:
    """`--list-passes`: those of mlc and of plug-ins, by level; for `all` those of xDSL behind them."""
    if which not in ("ours", "all"):
        raise MlcError(f"--list-passes={which}: not known", None, "--list-passes, or --list-passes=all")
    others, ours = plug_ins().all_passes, pass_factories()
    lines = [_line(name, level, None) for level in LEVELS for name in of_level(level)]
    lines += [_line(name, "plug-in", None) for name in others if name not in ours]
    if which == "all":
        lines += [f"{'xDSL':{_LEVELS}}{name}" for name in all_passes() if name not in ours and name not in others]
    return "\n".join(lines)


def targets_page() -> str:
    """`--list-targets`: every target, with its first sentence."""
    targets = all_targets()
    names = [*TARGETS, *(name for name in targets if name not in TARGETS)]
    return "\n".join(f"{name:{_NAMES}} {_first_line(own_text(targets[name]()))}".rstrip() for name in names)


def pass_page(name: str) -> str:
    """`--help-pass`: what a pass or a stage does, its options and an example."""
    if name in STAGES:
        return _stage_page(name)
    passes = all_passes()
    if name not in passes:
        raise MlcError(f"unknown pass `{name}`", None, nearest(name, (*passes, *STAGES)) or "--list-passes has them")
    cls = passes[name]()
    parts = [documentation(name) or f"{name}: {own_text(cls)}".rstrip(": "), _options_text(cls)]
    if name in PASSES and (own := own_text(cls)) not in parts[0]:
        parts.insert(1, own)
    found = load("tools.pass_examples:example_of")(name)
    return "\n\n".join([*(part for part in parts if part), *([found.text()] if found else [])])


def _stage_page(name: str) -> str:
    """A stage: its passes, and what it may be asked for."""
    stages = load("tools.stages:Stages")
    steps = ", ".join(str(step) for step in stages().passes((name,)))
    before = f", after {', '.join(STAGES[name])}" if STAGES[name] else ""
    return f"{name}: a stage of the compiler{before}\n\n{textwrap.fill(steps, 120)}\n\n{_options_text(stages)}"


def summary(name: str) -> str:
    """What a pass does, in one sentence."""
    text = documentation(name)
    if not text:
        return _first_line(own_text(all_passes()[name]()))
    return " ".join(text.split("\n\n")[0].partition(": ")[2].split())


def of_level(level: str) -> list[str]:
    """The passes of mlc that read one level, in the order of the pipeline."""
    return [name for name in pass_factories() if level_of(name) == level]


def _line(name: str, level: str, width: int | None) -> str:
    line = f"{level:{_LEVELS}}{name:{_NAMES}} {summary(name)}"
    return line if width is None or len(line) <= width else f"{line[: width - 3].rstrip(' ,:;')}..."


def documentation(name: str) -> str:
    """The docstring of the file of a pass of mlc; nothing for other passes."""
    if name not in PASSES:
        return ""
    file = ROOT / (PASSES[name].partition(":")[0].replace(".", "/") + ".py")
    return file.read_text(encoding="utf-8").split('"""')[1].strip() if file.is_file() else ""


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]


def own_text(cls: type) -> str:
    """The docstring of a class, unless a dataclass made it."""
    text = inspect.getdoc(cls) or ""
    return "" if text.startswith(f"{cls.__name__}(") else text


@dataclasses.dataclass(frozen=True)
class PassOption:
    """An option of a pass, as `-p` spells it."""

    name: str
    type: str
    default: str | None
    """None where it must be given."""
    text: str
    """What it is."""


def options_of(cls: type[ArgSpecConvertible]) -> list[PassOption]:
    """The options of a pass, in order: the fields of its class, with the strings that stand under them."""
    told = {name: text for base in reversed(cls.__mro__) for name, text in field_docs(base)}
    found: list[PassOption] = []
    for field in dataclasses.fields(cls):
        if field.init and not _is_internal(field):
            type_ = field.type if isinstance(field.type, str) else type_repr(field.type)
            needed = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
            default = None if needed else _spelled(field.default)
            found.append(PassOption(field.name.replace("_", "-"), type_, default, told.get(field.name, "")))
    return found


def _options_text(cls: type[ArgSpecConvertible]) -> str:
    """A table of the options of a pass: spelled as `-p` takes them, with types, defaults and what they are."""
    lines = ["options:"]
    for option in options_of(cls):
        default = "no default" if option.default is None else f"default {option.default}"
        lines.append(f"  {option.name}={option.type} ({default})")
        lines += textwrap.wrap(option.text, 112, initial_indent=" " * 6, subsequent_indent=" " * 6)
    return "\n".join(lines) if len(lines) > 1 else "options: none"


def _is_internal(field: dataclasses.Field[object]) -> bool:
    """A field that a pipeline in Python sets and text cannot."""
    return "Callable" in str(field.type) or not field.compare


def _spelled(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value)) or "empty"  # pyright: ignore[reportUnknownArgumentType]
    return str(value).lower() if isinstance(value, bool) or value is None else str(value) or "empty"
