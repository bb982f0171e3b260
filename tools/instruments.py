"""What happens around passes: one runner, and instruments that look before and after each pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException

from mlc_support.errors import MlcError
from mlc_support.rewriting import Rule, RulePass
from mlc_support.verification import verify_module
from tools.driver import INTERNAL_HINT


class Instrument:
    """Something that looks at the module around passes. A subclass fills in the moments that it cares for."""

    def before(self, step: ModulePass, module: ModuleOp) -> None:
        """`step` is about to run."""

    def fired(self, step: ModulePass, rule: Rule, op: Operation) -> None:
        """`rule` is about to replace `op`."""

    def ran(self, step: ModulePass) -> None:
        """`step` has run, and nothing is checked yet."""

    def after(self, step: ModulePass, module: ModuleOp) -> None:
        """`step` has run, and the module is valid. Raises `MlcError` to stop."""

    def failed(self, step: ModulePass, module: ModuleOp, error: MlcError) -> None:
        """`step` raised `error`, or left what is not valid; the module is as it was then."""

    def finish(self) -> None:
        """All passes have run."""


@dataclass(frozen=True)
class Runner:
    """Runs passes, one call each; whatever goes wrong in one is a `MlcError` that names it."""

    instruments: Sequence[Instrument] = ()
    verify: bool = True
    traceback: bool = False
    """Let exceptions that are a fault of mlc through as they are."""

    def __call__(self, step: ModulePass, context: Context, module: ModuleOp) -> None:
        """Run `step`, with every instrument around it and a check of the module behind it."""
        for instrument in self.instruments:
            instrument.before(step, module)
        try:
            self._apply(step, context, module)
            for instrument in self.instruments:
                instrument.ran(step)
            self._verify(step, module)
            for instrument in self.instruments:
                instrument.after(step, module)
        except Exception as error:
            known = _named(step, error)
            for instrument in self.instruments:
                instrument.failed(step, module, known)
            if known is error or (self.traceback and not isinstance(error, DiagnosticException)):
                raise
            raise known from error

    def finish(self) -> None:
        """Say so to every instrument when all passes have run."""
        for instrument in self.instruments:
            instrument.finish()

    def _apply(self, step: ModulePass, context: Context, module: ModuleOp) -> None:
        if isinstance(step, RulePass):
            step.rewrite(module, partial(self._fired, step))
        else:
            step.apply(context, module)

    def _fired(self, step: ModulePass, rule: Rule, op: Operation) -> None:
        for instrument in self.instruments:
            instrument.fired(step, rule, op)

    def _verify(self, step: ModulePass, module: ModuleOp) -> None:
        if not self.verify:
            return
        try:
            verify_module(module)
        except MlcError as error:
            raise MlcError(f"after pass `{step.name}`: {error.message}", error.location, error.hint) from error


def _named(step: ModulePass, error: Exception) -> MlcError:
    """The error as one for the user, with the name of the pass."""
    match error:
        case MlcError():
            return error
        case DiagnosticException():
            return MlcError(f"{step.name}: {error}")
        case _:
            what = f"internal: pass `{step.name}` raised {type(error).__name__}: {error}"
            return MlcError(what, None, f"{INTERNAL_HINT}\n--crash-reproducer FILE writes what replays it")
