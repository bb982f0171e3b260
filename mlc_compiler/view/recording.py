"""A run of the compiler on one graph, recorded: the IR after each pass, rewrites, levels, kernels, and seconds.

A recording is told of the moments around passes, as an instrument of `mlc-opt` is; `run` runs passes for `lower_to`.
It changes nothing of the program but columns of locations while it is recorded (`numbering`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException

from lowering.tensor_to_loop.lower import TensorToLoopPass
from lowering.triton_to_source.kernels import module_lines
from mlc_compiler.view.calls import LibraryCall, library_calls
from mlc_compiler.view.forecast import Forecast, forecasts
from mlc_compiler.view.numbering import with_numbers, without_numbers
from mlc_compiler.view.patches import Patch, patch
from mlc_compiler.view.snapshot import Snapshot, Spots, SpotTable, ir_snapshot, source_snapshot, text_snapshot
from mlc_support.errors import MlcError
from mlc_support.rewriting import Rule, RulePass
from mlc_support.walks import walk
from passes.common.device import DEFAULT_DEVICE, DevicePass, device_named
from passes.loop.schedule.schedule import SchedulePass

ReadLines = Callable[[str], Sequence[str]]
"""The lines of a file by its name; none where it cannot, or should not, be read."""


@dataclass(frozen=True)
class Firing:
    """A rewrite: which rule, of which op, from which spots."""

    rule: str
    op: str
    spots: Spots


@dataclass
class PassRun:
    """One pass as it ran."""

    name: str
    start: float
    """Seconds since the recording began, what recording takes left out."""
    seconds: float = 0.0
    ops: int = 0
    """Ops that it left."""
    changes: Patch = field(default_factory=Patch)
    firings: list[Firing] = field(default_factory=list[Firing])
    error: str = ""


@dataclass
class Recording:
    """Of one graph. `start`, then the moments of each pass, then `finished`."""

    name: str
    read: ReadLines = lambda name: ()
    began: float = field(default_factory=time.time)
    """Seconds since the epoch."""
    passes: list[PassRun] = field(default_factory=list[PassRun])
    levels: dict[str, Snapshot] = field(default_factory=dict[str, Snapshot])
    """The last text of each level: tensor, loop, triton; and source."""
    first: tuple[str, ...] = ()
    """The IR before the first pass."""
    rules: dict[str, Rule] = field(default_factory=dict[str, Rule])
    forecasts: dict[str, Forecast] = field(default_factory=dict[str, Forecast])
    calls: list[LibraryCall] = field(default_factory=list[LibraryCall])
    device: str = DEFAULT_DEVICE
    spots: SpotTable = field(default_factory=SpotTable)
    seconds: float = 0.0
    """All that was done of the graph, by passes and by others."""
    own: float = 0.0
    """Seconds that recording took."""
    final: ModuleOp | None = None
    _text: tuple[str, ...] = ()
    _clock: float = field(default_factory=time.perf_counter)

    def start(self, module: ModuleOp) -> None:
        """`module` is what the passes begin with."""
        entered = time.perf_counter()
        with_numbers(module)
        self._look(module)
        self.first = self._text
        self.own += time.perf_counter() - entered

    def before(self, step: ModulePass, module: ModuleOp) -> None:
        """`step` is about to run."""
        entered = time.perf_counter()
        with suppress(MlcError, VerifyException):  # the pass raises it as well
            self._foresee(step, module)
        now = time.perf_counter()
        self.own += now - entered
        self.passes.append(PassRun(step.name, now - self._clock - self.own))

    def fired(self, step: ModulePass, rule: Rule, op: Operation) -> None:
        """`rule` is about to replace `op`."""
        self.rules[rule.name] = rule
        self.passes[-1].firings.append(Firing(rule.name, op.name, self.spots.of(op.location)))

    def ran(self, step: ModulePass) -> None:
        """`step` has run, and nothing is checked yet."""
        self.passes[-1].seconds = time.perf_counter() - self._clock - self.own - self.passes[-1].start

    def after(self, step: ModulePass, module: ModuleOp) -> None:
        """`step` has run, and the module is valid."""
        entered = time.perf_counter()
        text = self._text
        self._look(module)
        self.passes[-1].changes = patch(text, self._text)
        self.passes[-1].ops = sum(1 for _ in walk(module)) - 1
        self.own += time.perf_counter() - entered

    def failed(self, step: ModulePass, module: ModuleOp, error: MlcError) -> None:
        """`step` raised `error`: nothing is known of what it left."""
        self.passes[-1].error = error.message
        self.final = None

    def run(self, step: ModulePass, context: Context, module: ModuleOp) -> None:
        """Runs `step`, recorded: for `lower_to`. The first one is shown what it begins with."""
        if not self.passes:
            self.start(module)
        self.before(step, module)
        if isinstance(step, RulePass):
            step.rewrite(module, lambda rule, op: self.fired(step, rule, op))
        else:
            step.apply(context, module)
        self.ran(step)
        self.after(step, module)

    def finish(self) -> None:
        """All passes have run: the last module is written as source, and loses the numbers of its ops."""
        entered = time.perf_counter()
        module = self.final
        if module is not None:
            self.levels |= _source(module, self.spots)
            if "loop" not in self.levels:
                self.calls = library_calls(module, self.spots)
            without_numbers(module)
        self.own += time.perf_counter() - entered
        self.seconds = time.perf_counter() - self._clock - self.own

    def loaded(self, source: str) -> None:
        """The program is loaded; `source` is its text, which has LLVM IR where loops became that."""
        self.seconds = time.perf_counter() - self._clock - self.own
        if "source" not in self.levels:
            self.levels["machine"] = text_snapshot(source)

    def _foresee(self, step: ModulePass, module: ModuleOp) -> None:
        """What cannot be seen any more once `step` has run."""
        if isinstance(step, TensorToLoopPass):
            self.calls = library_calls(module, self.spots)
        if isinstance(step, SchedulePass):
            self.forecasts |= forecasts(module, step)
        if isinstance(step, DevicePass):
            device_named(step.device)
            self.device = step.device

    def _look(self, module: ModuleOp) -> None:
        snapshot = ir_snapshot(module, self.spots)
        self.levels[level_of(module)] = snapshot
        self.final, self._text = module, snapshot.lines


def level_of(module: ModuleOp) -> str:
    """The level of a module by its ops: tensor, loop or triton."""
    if any(op.name.startswith("mlc_triton.") for op in module.ops):
        return "triton"
    return "loop" if any(op.name.startswith("mlc_loop.") for op in walk(module)) else "tensor"


def _source(module: ModuleOp, spots: SpotTable) -> dict[str, Snapshot]:
    """The source of a module of kernels, or of calls alone; nothing where it is not far enough."""
    if level_of(module) == "tensor":
        return {}
    try:
        return {"source": source_snapshot(module_lines(module), module, spots)}
    except MlcError:  # loops without a schedule, or ops of others: no text yet
        return {}
