"""`mlc-opt`: read IR, run a pipeline of passes, print IR or what a target makes of it.

    mlc-opt graph.mlir -p simplified,fuse --print-ir-after-change

It reads and runs as MLIR's `mlir-opt` does, on the dialects, passes and targets of mlc, of xDSL and of plug-ins.
Whatever is wrong with the input or the command line is a report on stderr and exit code 1, with no traceback and no
half-written file. The module is checked more strictly than xDSL's `verify()` does (`mlc_support.verification`), at the
start and after every pass. Neither torch nor triton is ever imported.

Registries, the syntax of pipelines, passes, targets and printers are xDSL's. Its driver `xDSLOptMain` is not: it exits
on a mistake, patches classes for --disable-verify, writes what it prints of passes into the output, and takes 20 ms to
load.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.target import Target

from mlc_support.collector import collector_paused
from mlc_support.errors import Location, MlcError
from mlc_support.parsing import parse_module
from mlc_support.verification import verify_module
from tools.diagnostics import expected_in, unexpected
from tools.driver import Arguments, as_mlc_error, check_output, read_input, report, run_reporting, write_output
from tools.instruments import Runner
from tools.ir_printing import Form
from tools.options import MLC_OPT, READING, add_options, given, instruments_of, with_values
from tools.specs import build, parse_pipeline, parse_specs, parse_target
from tools.universe import STAGES, all_passes, all_targets, context, load
from tools.watching import OtherLevel

_MARKER = re.compile(rb"(?m)^[ \t]*// -----[ \t\r]*$")
_SEPARATOR = "// -----\n"
_PAGES = {
    "help": "tools.help:page",
    "help_options": "tools.help:options_page",
    "list_targets": "tools.help:targets_page",
    "version": "tools.reproducer:versions",
}
"""Options that print a page and stop, and what makes it."""
_PAGES_ABOUT = {
    "list_passes": "tools.help:passes_page",
    "help_pass": "tools.help:pass_page",
    "completion": "tools.completion:script",
}
"""The same, of options that say about what."""


class MlcOpt:
    """One run of the tool on one command line. Raises `MlcError` for a mistake on it."""

    def __init__(self, arguments: Sequence[str]) -> None:
        options = list(chain.from_iterable(MLC_OPT.values()))
        parser = Arguments(prog="mlc-opt", add_help=False, allow_abbrev=False)
        parser.add_argument("input_file", nargs="?")
        add_options(parser, options)
        self.args: Any = parser.parse_args(with_values(arguments, options))
        self._context = context(allow_unregistered=self.args.allow_unregistered_dialect)
        self._input = b""
        self._target: Target | None = None
        self._passes: tuple[ModulePass, ...] = ()
        self._page: Any = None
        """What --html asks for, a `tools.view.Page`."""
        self._form = Form(self.args.print_op_generic, self.args.print_debuginfo)

    def run(self) -> int:
        """Read, transform and write: the number of modules that failed, each with its report on stderr."""
        text = self._help()
        if text is not None:
            write_output(self.args.output_file, text.rstrip("\n") + "\n")
            return 0
        for path in (self.args.output_file, self.args.html):
            check_output(path)
        self._passes = parse_pipeline(all_passes(), self.args.passes)
        self._target = parse_target(all_targets(), self.args.target)
        self._input = read_input(self.args.input_file)
        if self.args.reduce is not None or self.args.generate_checks:
            write_output(self.args.output_file, self._rewritten())
            return 0
        if self.args.html is None:
            return self._run_chunks()
        self._page = load("tools.view:Page")(self._name, self._lines_of)
        try:
            return self._run_chunks()
        finally:
            write_output(self.args.html, self._page.text())

    def _help(self) -> str | None:
        """What --help and its like print, if one of them is asked for."""
        for name, path in _PAGES.items():
            if getattr(self.args, name):
                return load(path)()
        for name, path in _PAGES_ABOUT.items():
            if getattr(self.args, name) is not None:
                return load(path)(getattr(self.args, name))
        return None

    def _rewritten(self) -> str:
        """The input as --reduce or --generate-checks has it."""
        if self.args.reduce is None:
            assert self._target is not None
            if self._target.name != "mlir":
                what = f"--generate-checks pins IR, not what the target {self._target.name} makes of it"
                raise MlcError(what, None, "leave -t out")
            arguments = ["-p", self.args.passes] if self._passes else []
            arguments += given(self.args, [option.names[0] for option in READING])
            pieces = self._chunks(self._input)
            made = [(text.decode("utf-8", "replace"), self._transformed(self._parse(text, k))) for text, k in pieces]
            return load("tools.generate_checks:with_checks")(made, arguments)
        if self._passes:
            raise MlcError("--reduce runs no passes itself", None, "give them to its command: 'mlc-opt %s -p ...'")
        return load("tools.reduce:reduced")(self._parse(self._input, 1), self.args.reduce)

    def _run_chunks(self) -> int:
        """Every piece of the input; a file is written when all is well, stdout as far as it goes."""
        failures, outputs = 0, list[str]()
        live = self.args.output_file in (None, "-")
        for place, (text, line) in enumerate(self._chunks(self._input)):
            output, errors = self._chunk(text, line)
            failures += bool(errors)
            outputs.append((_SEPARATOR if place else "") + output)
            if live:
                write_output(None, outputs[-1])
                sys.stdout.flush()
            for error in errors:
                report(error)
        if not live and not failures:
            write_output(self.args.output_file, "".join(outputs))
        return failures

    def _chunks(self, data: bytes) -> Iterator[tuple[bytes, int]]:
        """The pieces of the input, each with the number of its first line."""
        line = 1
        for piece in _MARKER.split(data) if self.args.split_input_file else [data]:
            yield piece, line
            line += piece.count(b"\n")

    def _chunk(self, text: bytes, first_line: int) -> tuple[str, list[MlcError]]:
        """The output of a piece, and what is wrong with it, expected errors left out."""
        output, errors = "", list[MlcError]()
        try:
            output = self._process(text, first_line)
        except Exception as error:
            if self.args.traceback and not self.args.verify_diagnostics:
                raise
            errors.append(self._with_source(as_mlc_error(error)))
        if not self.args.verify_diagnostics:
            return output, errors
        try:
            expected = expected_in(text.decode("utf-8", "replace"), self._name, first_line)
        except MlcError as error:
            return output, [*errors, error]
        return output, unexpected(errors, expected)

    def _process(self, text: bytes, first_line: int) -> str:
        """The output of one piece: IR, a target's text, or what it computes."""
        return self._output(self._transformed(self._parse(text, first_line)))

    def _parse(self, text: bytes, first_line: int) -> ModuleOp:
        """The module in `text`."""
        implicit = not self.args.no_implicit_module
        return parse_module(self._context, text, self._name, implicit_module=implicit, first_line=first_line)

    @property
    def _name(self) -> str:
        """What locations and errors call the input."""
        name = self.args.input_file
        return "<stdin>" if name in (None, "-") else str(name)

    def _lines_of(self, file: str) -> list[str]:
        """The lines of a file that locations name: of the input alone, since IR may name any file."""
        return self._input.decode("utf-8", "replace").splitlines() if file == self._name else []

    def _with_source(self, error: MlcError) -> MlcError:
        """The error, with the text of its line where that is a line of the input."""
        place = error.location
        if not isinstance(place, Location) or place.source is not None or place.line is None:
            return error
        lines = self._input.decode("utf-8", "replace").splitlines()
        if place.file != self._name or place.line > len(lines):
            return error
        return MlcError(error.message, replace(place, source=lines[place.line - 1]), error.hint)

    def _transformed(self, module: ModuleOp) -> ModuleOp:
        """The module after all passes, with a check before the first and after each."""
        if not self.args.disable_verify:
            verify_module(module)
        names = [step.name for step in self._passes]
        asked = frozenset(spec.name for spec in parse_specs(self.args.passes)).difference(STAGES)
        instruments = instruments_of(self.args, names, sys.stderr, self._form)
        instruments.append(OtherLevel(sys.stderr, asked))
        if self._page is not None:
            instruments.append(self._page.recorder(module))
        runner = Runner(instruments, not self.args.disable_verify, self.args.traceback)
        for step in self._passes:
            runner(step, self._context, module)
        runner.finish()
        return module

    def _output(self, module: ModuleOp) -> str:
        """What the target prints for the module, or what the module computes."""
        if self.args.run:
            return load("tools.semantics:run_report")(module, self.args.seed, self.args.npy)
        assert self._target is not None
        options = {
            "print_generic_format": self.args.print_op_generic,
            "print_properties_as_attributes": self.args.print_no_properties,
            "print_debuginfo": self.args.print_debuginfo,
            "syntax_highlight": self.args.syntax_highlight,
        }
        return build(self._target, self._context, module, options)


def main(argv: Sequence[str] | None = None) -> int:
    """The console script: exit code 0, or 1 with reports on stderr."""
    arguments = sys.argv[1:] if argv is None else argv
    failures: list[int] = []
    with collector_paused():  # what is loaded lives to the end
        code = run_reporting(lambda: failures.append(MlcOpt(arguments).run()), traceback="--traceback" in arguments)
    return code or int(any(failures))


if __name__ == "__main__":
    sys.exit(main())
