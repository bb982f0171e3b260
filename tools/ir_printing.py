"""Prints the module around passes, on stderr: before, after, what changed, what a failure leaves."""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection
from dataclasses import dataclass
from io import StringIO
from typing import TextIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.printer import Printer

from mlc_support.errors import MlcError
from mlc_support.parsing import nearest
from tools.instruments import Instrument

ALL = "all"
_COLOURS = {"+": "\033[32m", "-": "\033[31m", "@": "\033[36m"}
_PLAIN = "\033[0m"


@dataclass(frozen=True)
class Form:
    """How a module is printed."""

    generic: bool = False
    debuginfo: bool = False

    def text(self, module: ModuleOp) -> str:
        """The module, with a line break behind it."""
        stream = StringIO()
        Printer(stream, print_generic_format=self.generic, print_debuginfo=self.debuginfo).print_op(module)
        return stream.getvalue() + "\n"


@dataclass
class IrPrinter(Instrument):
    """Prints before and after the passes of these names, `all` being every pass."""

    stream: TextIO
    form: Form
    names_before: Collection[str] = ()
    names_after: Collection[str] = ()
    between: bool = False
    """After every pass but the last."""
    changes: bool = False
    """After every pass that changed something, the difference that it made."""
    failures: bool = False
    previous: str | None = None
    text: str = ""

    def before(self, step: ModulePass, module: ModuleOp) -> None:
        if self.between and self.previous is not None:
            self._print(f"after {self.previous}", self.form.text(module))
        self.previous = step.name
        if _has(self.names_before, step):
            self._print(f"before {step.name}", self.form.text(module))
        if self.changes:
            self.text = self.form.text(module)

    def after(self, step: ModulePass, module: ModuleOp) -> None:
        if _has(self.names_after, step):
            self._print(f"after {step.name}", self.form.text(module))
        if self.changes and (text := self.form.text(module)) != self.text:
            self._print(f"changed by {step.name}", difference(self.text, text, coloured=has_colours(self.stream)))

    def failed(self, step: ModulePass, module: ModuleOp, error: MlcError) -> None:
        if self.failures:
            self._print(f"after {step.name} failed", _as_far_as_it_goes(self.form, module))

    def _print(self, what: str, text: str) -> None:
        print(f"// -----// IR {what} //----- //\n{text}", file=self.stream)


def chosen_passes(option: str, text: str | None, pipeline: Collection[str]) -> tuple[str, ...]:
    """The passes that `--print-ir-after=a,b` names. MlcError for one that the pipeline has not."""
    names = tuple(name.strip() for name in text.split(",")) if text else ()
    for name in names:
        if name != ALL and name not in pipeline:
            hint = nearest(name, pipeline) or "it names passes of -p"
            raise MlcError(f"{option}={name}: no such pass in this pipeline", None, hint)
    return names


def difference(before: str, after: str, *, coloured: bool = False) -> str:
    """The lines that differ, `-` and `+`, with three lines around them."""
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=3))[2:]
    if coloured:
        lines = [f"{_COLOURS[line[0]]}{line}{_PLAIN}" if line[:1] in _COLOURS else line for line in lines]
    return "".join(f"{line}\n" for line in lines)


def has_colours(stream: TextIO) -> bool:
    """True for a terminal whose user has not turned colours off (`NO_COLOR`)."""
    return stream.isatty() and not os.environ.get("NO_COLOR")


def _has(names: Collection[str], step: ModulePass) -> bool:
    return ALL in names or step.name in names


def _as_far_as_it_goes(form: Form, module: ModuleOp) -> str:
    """The text of a module that may be broken."""
    try:
        return form.text(module)
    except Exception:  # the printer of an op may fail on what a failing pass has left
        try:
            return Form(generic=True).text(module)
        except Exception as error:
            return f"// it cannot be printed: {type(error).__name__}: {error}\n"
