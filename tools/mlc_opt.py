"""`mlc-opt`: read IR, run a pipeline of passes, print IR or what a target makes of it.

xDSL's driver, with three differences. The passes of mlc win over xDSL's of the same name.
Whatever is wrong with the input or the command line is one report on stderr and exit code
1, with no traceback and no half-written output. And the module is checked more strictly
(`mlc_support.verification`), at the start and after every pass. Neither torch nor triton is
ever imported.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.printer import Printer
from xdsl.universe import XDSL_UNIVERSE
from xdsl.utils.exceptions import DiagnosticException, ShrinkException
from xdsl.utils.target import Target
from xdsl.xdsl_opt_main import xDSLOptMain

from mlc_support.collector import collector_paused
from mlc_support.errors import Location, MlcError
from mlc_support.parsing import parse_module
from mlc_support.verification import verify_module
from tools.driver import INTERNAL_HINT, Arguments, read_input, run_reporting, write_output
from tools.specs import build, parse_pipeline, parse_target
from tools.universe import dialect_factories, load, pass_factories, target_factories
from tools.watching import Watch

_WATCHING = {
    "--trace-rewrites": "Say on stderr which rule rewrites which op, and how often each did",
    "--pass-statistics": "Say on stderr how many ops each pass leaves, and how often its rules fired",
    "--verify-semantics": "Run the functions before and after each pass; stop where results differ",
    "--run": "Print what the functions give for random inputs, or for --npy, instead of the module",
}
_MARKER = re.compile(rb"(?m)^[ \t]*// -----[ \t\r]*$")


class MlcOpt(xDSLOptMain):
    """The driver. `MlcOpt(arguments).run()` raises `MlcError`; `main` reports it."""

    version_format = "mlc-opt, with xdsl {xdsl_version}"

    def __init__(self, args: Sequence[str] | None = None) -> None:
        # Not super().__init__(): it exits on an unknown target, and --disable-verify
        # patches a class of xDSL for the rest of the process.
        self.available_frontends = {}
        self.available_passes = {}
        self.available_targets = {}
        self.ctx = Context()
        self.register_all_dialects()
        self.register_all_frontends()
        self.register_all_passes()
        self.register_all_targets()
        arguments = Arguments(prog="mlc-opt", description="Run passes of mlc over IR.")
        self.register_all_arguments(arguments)
        self.args = arguments.parse_args(args)
        self.ctx.allow_unregistered = self.args.allow_unregistered_dialect
        self._input = b""

    def register_all_dialects(self) -> None:
        """The dialects of mlc and of xDSL, none of them loaded yet."""
        for name, factory in (XDSL_UNIVERSE.all_dialects | dialect_factories()).items():
            self.ctx.register_dialect(name, factory)

    def register_all_passes(self) -> None:
        """The passes of mlc, and those of xDSL under the names that are left."""
        ours = pass_factories()
        self.available_passes = ours | {
            name: factory for name, factory in XDSL_UNIVERSE.all_passes.items() if name not in ours
        }

    def register_all_targets(self) -> None:
        """The targets of xDSL and of mlc."""
        self.available_targets = {**_targets()}

    def register_all_frontends(self) -> None:
        """IR text, whatever the file is called."""
        self.available_frontends["mlir"] = self._read_mlir

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        """The options of xDSL's driver, and `--traceback`."""
        super().register_all_arguments(arg_parser)
        arg_parser.add_argument("--traceback", action="store_true", help="Let exceptions through, to debug mlc itself")
        for name, text in _WATCHING.items():
            arg_parser.add_argument(name, action="store_true", help=text)
        arg_parser.add_argument("--seed", type=int, default=0, help="Which random inputs --run takes (default 0)")
        arg_parser.add_argument(
            "--npy", action="append", default=[], metavar="FILE", help="An input of --run; once for each argument"
        )

    def run(self) -> None:
        """Read, transform and write; every chunk of the input or none."""
        self.setup_pipeline()
        self.target = parse_target(_targets(), self.args.target)
        self._input = read_input(self.args.input_file)
        try:
            outputs = [self._process(text, line) for text, line in self._chunks(self._input)]
        except ShrinkException:
            if not self.args.shrink:
                raise
            print("Success, can shrink")
            return
        if self.args.shrink:
            raise MlcError("no pass asked to shrink the input")
        write_output(self.args.output_file, "// -----\n".join(outputs))

    def setup_pipeline(self) -> None:
        """Read `-p`; an unknown pass or option is an error before any input is read."""
        self.pipeline = PassPipeline(parse_pipeline(self.available_passes, self.args.passes))

    def _chunks(self, data: bytes) -> list[tuple[bytes, int]]:
        """The pieces of the input, each with the number of its first line."""
        if not self.args.split_input_file:
            return [(data, 1)]
        pieces: list[tuple[bytes, int]] = []
        line = 1
        for piece in _MARKER.split(data):
            pieces.append((piece, line))
            line += piece.count(b"\n")
        return pieces

    @collector_paused()
    def _process(self, text: bytes, first_line: int) -> str:
        """The output of one chunk: IR, a target's text, or an error that was asked for."""
        try:
            module = self._parse(text, first_line)
        except MlcError as error:
            if not self.args.parsing_diagnostics:
                raise
            return f"{error.render()}\n"
        try:
            self.apply_passes(module)
            return self.output_resulting_program(module)
        except MlcError as error:
            placed = self._with_source(error)
            if not self.args.verify_diagnostics:
                raise placed from error
            return f"{placed.render()}\n"

    def _read_mlir(self, stream: IO[bytes]) -> ModuleOp:
        """The frontend for IR text, as xDSL's interface has it."""
        return self._parse(stream.read(), 1)

    def _parse(self, text: bytes, first_line: int) -> ModuleOp:
        """The module in `text`."""
        name = self.get_input_name()
        implicit = not self.args.no_implicit_module
        return parse_module(self.ctx, text, name, implicit_module=implicit, first_line=first_line)

    def get_input_name(self) -> str:
        """What locations and errors call the input."""
        name = self.args.input_file
        return "<stdin>" if name in (None, "-") else str(name)

    def _with_source(self, error: MlcError) -> MlcError:
        """The error, with the text of its line where that is a line of the input."""
        place = error.location
        if not isinstance(place, Location) or place.source is not None or place.line is None:
            return error
        lines = self._input.decode("utf-8", "replace").splitlines()
        if place.file != self.get_input_name() or place.line > len(lines):
            return error
        return MlcError(error.message, replace(place, source=lines[place.line - 1]), error.hint)

    def apply_passes(self, prog: ModuleOp) -> None:
        """Run the passes in order, with a check before the first and after each."""
        self._verify(prog)
        check = load("tools.semantics:Semantics")(prog, sys.stderr) if self.args.verify_semantics else None
        for position, step in enumerate(self.pipeline.passes, start=1):
            start = time.perf_counter()
            self._apply(step, prog)
            if self.args.time_passes:
                print(f"{step.name}: {time.perf_counter() - start:.6f} s", file=sys.stderr)
            self._verify(prog, step)
            if check:
                check.after(step, prog)
            if self.args.print_between_passes and position < len(self.pipeline.passes):
                self._dump(prog, step)

    def _apply(self, step: ModulePass, module: ModuleOp) -> None:
        """Run one pass; whatever goes wrong inside is reported under its name."""
        watch = Watch(step.name, sys.stderr, self.args.trace_rewrites, self.args.pass_statistics)
        try:
            watch.run(step, self.ctx, module)
        except (MlcError, ShrinkException):
            raise
        except DiagnosticException as error:
            raise MlcError(f"{step.name}: {error}") from error
        except Exception as error:
            if self.args.traceback:
                raise
            what = f"internal: pass `{step.name}` raised {type(error).__name__}: {error}"
            raise MlcError(what, None, INTERNAL_HINT) from error

    def _verify(self, module: ModuleOp, after: ModulePass | None = None) -> None:
        """Check the module unless told not to; a failure names the pass that caused it."""
        if self.args.disable_verify:
            return
        try:
            verify_module(module)
        except MlcError as error:
            if after is None:
                raise
            message = f"after pass `{after.name}`: {error.message}"
            raise MlcError(message, error.location, error.hint) from error

    def _dump(self, module: ModuleOp, after: ModulePass) -> None:
        """Print the module on stderr, so that stdout holds the result alone."""
        print(f"// -----// IR after {after.name} //----- //", file=sys.stderr)
        Printer(stream=sys.stderr, print_debuginfo=self.args.print_debuginfo).print_op(module)
        print(file=sys.stderr)

    def output_resulting_program(self, prog: ModuleOp) -> str:
        """What the target prints for the module, or what the module computes."""
        if self.args.run:
            return load("tools.semantics:run_report")(prog, self.args.seed, self.args.npy)
        options = {"print_generic_format": self.args.print_op_generic}
        options["print_properties_as_attributes"] = self.args.print_no_properties
        options["print_debuginfo"] = self.args.print_debuginfo
        options["syntax_highlight"] = self.args.syntax_highlight
        return build(self.target, self.ctx, prog, options)


def _targets() -> dict[str, Callable[[], type[Target]]]:
    """The targets of xDSL and of mlc, by name."""
    return XDSL_UNIVERSE.all_targets | target_factories()


def main(argv: Sequence[str] | None = None) -> int:
    """The console script: exit code 0, or 1 with a report on stderr."""
    arguments = sys.argv[1:] if argv is None else argv
    return run_reporting(lambda: MlcOpt(arguments).run(), traceback="--traceback" in arguments)


if __name__ == "__main__":
    sys.exit(main())
