"""A crash reproducer: one file with the IR, the pipeline, the versions, and the command that replays it."""

from __future__ import annotations

import platform
import shlex
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import TextIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mlc_support.errors import MlcError
from tools.driver import check_output, write_output
from tools.instruments import Instrument
from tools.ir_printing import Form

_PACKAGES = ("mlc", "xdsl", "numpy", "torch", "triton")


@dataclass
class Reproducer(Instrument):
    """Writes `path` when a pass fails: the module before the first pass, and all passes up to that one."""

    stream: TextIO
    path: str
    flags: tuple[str, ...] = ()
    """Options of `mlc-opt` that decide what is an error."""
    text: str | None = None
    steps: list[ModulePass] = field(default_factory=list[ModulePass])

    def __post_init__(self) -> None:
        check_output(self.path)

    def before(self, step: ModulePass, module: ModuleOp) -> None:
        if self.text is None:
            self.text = Form().text(module)
        self.steps.append(step)

    def failed(self, step: ModulePass, module: ModuleOp, error: MlcError) -> None:
        pipeline = ",".join(str(s) for s in self.steps)
        command = shlex.join(["mlc-opt", self.path, "-p", pipeline, *self.flags])
        report = [f"pass `{step.name}` fails", *error.render().splitlines(), f"with {versions()}", "replay:", command]
        write_output(self.path, "".join(f"// {line}\n" for line in report) + f"\n{self.text}")
        print(f"note: {self.path} replays the failure of {step.name}", file=self.stream)


def versions() -> str:
    """`mlc 0.1.0, xdsl 0.74.0, ...` of what is installed, and of Python. Nothing of it is imported."""
    found: list[str] = []
    for package in _PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return ", ".join([*found, f"Python {platform.python_version()}"])
