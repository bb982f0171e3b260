"""The page of `--html`: runs of passes, recorded and written as HTML (docs/mlc-view.md)."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from mlc_compiler.view.graph import as_data
from mlc_compiler.view.page import as_page
from mlc_compiler.view.recording import ReadLines, Recording
from mlc_support.errors import MlcError
from mlc_support.rewriting import Rule
from tools.instruments import Instrument


@dataclass(frozen=True)
class Recorder(Instrument):
    """Records the passes of one module."""

    recording: Recording

    def before(self, step: ModulePass, module: ModuleOp) -> None:
        self.recording.before(step, module)

    def fired(self, step: ModulePass, rule: Rule, op: Operation) -> None:
        self.recording.fired(step, rule, op)

    def ran(self, step: ModulePass) -> None:
        self.recording.ran(step)

    def after(self, step: ModulePass, module: ModuleOp) -> None:
        self.recording.after(step, module)

    def failed(self, step: ModulePass, module: ModuleOp, error: MlcError) -> None:
        self.recording.failed(step, module, error)

    def finish(self) -> None:
        self.recording.finish()


@dataclass
class Page:
    """One page of all modules of a command."""

    title: str
    read: ReadLines
    recordings: list[Recording] = field(default_factory=list[Recording])

    def recorder(self, module: ModuleOp) -> Recorder:
        """Watches the passes on `module` from here on."""
        number = len(self.recordings) + 1
        recording = Recording(self.title if number == 1 else f"{self.title} {number}", self.read)
        recording.start(module)
        self.recordings.append(recording)
        return Recorder(recording)

    def text(self) -> str:
        """The HTML."""
        return as_page(self.title, [as_data(recording) for recording in self.recordings])
