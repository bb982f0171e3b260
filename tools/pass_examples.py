"""An example of a pass: a function of its FileCheck test, before and after."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.passes import ModulePass

from mlc_support.errors import MlcError
from mlc_support.parsing import parse_module
from tools.specs import parse_pipeline, parse_specs
from tools.universe import all_passes, context

TESTS = Path(__file__).parents[1] / "tests" / "filecheck"
_MOST_LINES, _MOST_TRIALS, _SHORT = 80, 24, 16


@dataclass(frozen=True)
class Example:
    """What a pass makes of a module."""

    step: ModulePass
    file: str
    before: str
    after: str

    def text(self) -> str:
        """The example as a page shows it."""
        return f"example, of {self.file}:\n\n{self.before}\n\n-p '{self.step}'\n\n{self.after}"

    @property
    def lines(self) -> int:
        """How long it is."""
        return self.before.count("\n") + self.after.count("\n")


@cache
def example_of(name: str) -> Example | None:
    """The first short example in the tests of a pass, or the shortest of the first; None where no test is installed."""
    found: list[Example] = []
    for trial, (file, steps, module) in enumerate(_cases(name)):
        if trial == _MOST_TRIALS:
            break
        example = _changed(str(file.relative_to(TESTS.parents[1])), steps, module)
        if example is not None and example.lines <= _MOST_LINES:
            found.append(example)
            if example.lines <= _SHORT:
                break
    return min(found, key=lambda e: e.lines, default=None)


def _cases(name: str) -> Iterator[tuple[Path, tuple[ModulePass, ...], ModuleOp]]:
    """Modules of tests, with pipelines that end in the pass; those of the test that is called like it come first."""
    for file in sorted(TESTS.rglob("*.mlir"), key=lambda f: (f.stem != name, not f.stem.startswith(name), f)):
        text = file.read_text(encoding="utf-8")
        if name not in text:
            continue
        steps = next((steps for line in text.splitlines() if (steps := _pipeline(line, name))), ())
        for piece in text.split("// -----") if steps else ():
            try:
                yield from ((file, steps, unit) for unit in _units(parse_module(context(), piece)))
            except MlcError:  # a piece that is wrong on purpose
                continue


def _pipeline(line: str, name: str) -> tuple[ModulePass, ...]:
    """The passes of a RUN line, up to the pass."""
    head, _, command = line.partition("RUN: mlc-opt ")
    if not command or head.strip() != "//":
        return ()
    arguments = shlex.split(command.partition("|")[0])
    specs = [s for flag, text in pairwise(arguments) if flag == "-p" for s in parse_specs(text)]
    place = next((k for k, spec in enumerate(specs) if spec.name == name), None)
    return () if place is None else parse_pipeline(all_passes(), ",".join(map(str, specs[: place + 1])))


def _units(module: ModuleOp) -> Iterator[ModuleOp]:
    """Each function or kernel by itself, where none names another; otherwise the module."""
    attributes = chain.from_iterable((*op.attributes.values(), *op.properties.values()) for op in module.walk())
    if any(isinstance(attribute, SymbolRefAttr) for attribute in attributes):
        yield module
        return
    for op in module.ops:
        yield ModuleOp([op.clone()])


def _changed(file: str, steps: tuple[ModulePass, ...], module: ModuleOp) -> Example | None:
    """What the last of the passes does after the others; None where it does nothing, or one fails."""
    *first, last = steps
    try:
        for step in first:
            step.apply(Context(), module)
        before = _text(module)
        last.apply(Context(), module)
    except Exception:  # a test may show what fails
        return None
    after = _text(module)
    return None if before == after else Example(last, file, before, after)


def _text(module: ModuleOp) -> str:
    return "\n".join(str(op) for op in module.ops)
