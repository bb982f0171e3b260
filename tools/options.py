"""The options of `mlc-opt` and `mlc-translate`, as tables: what parses a command line is what `--help` prints."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TextIO

from tools.instruments import Instrument
from tools.ir_printing import ALL, Form, IrPrinter, chosen_passes
from tools.universe import STAGES, load
from tools.watching import Clock, Rules


@dataclass(frozen=True)
class Option:
    """One option: a flag, or with `value` what takes a value."""

    names: tuple[str, ...]
    help: str
    value: str | None = None
    """What its value is called."""
    default: Any = None
    bare: str | None = None
    """The value of the bare flag; another one follows a `=`."""
    choices: tuple[str, ...] = ()
    many: bool = False
    """It may be given again and again."""
    type: type = str

    def add_to(self, parser: argparse.ArgumentParser) -> None:
        """Teach `parser` the option."""
        if self.value is None:
            parser.add_argument(*self.names, action="store_true")
        elif self.many:
            parser.add_argument(*self.names, action="append", default=[])
        else:
            parser.add_argument(*self.names, default=self.default, type=self.type, choices=self.choices or None)

    def spelled(self) -> str:
        """`-o, --output-file FILE`"""
        value = f"[={self.value}]" if self.bare is not None else f" {self.value}"
        return ", ".join(self.names) + (value if self.value is not None else "")


def flag(name: str, help: str) -> Option:
    """An option without a value."""
    return Option((name,), help)


READING = (
    flag("--split-input-file", "each piece between lines `// -----` is a module of its own; a bad one stops no other"),
    flag("--allow-unregistered-dialect", "ops of dialects that nobody knows are read as they are"),
    flag("--no-implicit-module", "the file spells its `builtin.module`"),
    flag("--disable-verify", "no check of the module, neither at the start nor after passes"),
)
PASSES = (
    Option(("-p", "--passes"), "passes and stages in order: 'simplified,fuse{policy=none}'", "PASSES", ""),
    Option(("--list-passes",), "the passes of mlc and of plug-ins; `=all`: those of xDSL too", ALL, bare="ours"),
    Option(("--help-pass",), "what a pass does, its options, and an example", "PASS"),
    flag("--list-targets", "what -t takes"),
)
PRINTING = (
    Option(("--print-ir-before",), "the IR before every pass, or those named", "PASS,...", bare=ALL),
    Option(("--print-ir-after",), "the IR after every pass, or those named", "PASS,...", bare=ALL),
    flag("--print-ir-after-change", "what each pass changed, as a diff"),
    flag("--print-ir-after-failure", "the IR as a failing pass left it"),
    flag("--print-between-passes", "the IR after every pass but the last"),
)
WATCHING = (
    flag("--time-passes", "seconds of each pass"),
    flag("--pass-statistics", "how many ops each pass leaves, and how often its rules fired"),
    flag("--trace-rewrites", "which rule rewrites which op, and how often each did"),
    flag("--verify-semantics", "run the functions before and after each pass; stop where results differ"),
    Option(("--html",), "a page of the run: levels side by side, what passes changed, rewrites, kernels", "FILE"),
    Option(("--crash-reproducer",), "where a pass fails, write what replays it", "FILE"),
)
OUTPUT = (
    Option(("-o", "--output-file"), "a file in place of stdout", "FILE"),
    Option(("-t", "--target"), "the form of the output; --list-targets has them", "TARGET", "mlir"),
    flag("--print-op-generic", "ops in the generic form of MLIR"),
    flag("--print-no-properties", "properties as attributes, for older tools"),
    flag("--print-debuginfo", "where each op comes from"),
    flag("--syntax-highlight", "colours"),
)
RUNNING = (
    flag("--run", "what the functions give for random inputs, or for --npy, in place of the module"),
    Option(("--seed",), "which random inputs --run takes", "N", 0, type=int),
    Option(("--npy",), "an input of --run; once for each argument", "FILE", many=True),
)
TESTING = (
    flag("--verify-diagnostics", "errors are just those of `// expected-error {{text}}` in the input"),
    flag("--generate-checks", "a FileCheck test of the input: a RUN line, and CHECK lines for what the passes give"),
    Option(("--reduce",), "the least module on which COMMAND still fails; its file replaces %s", "COMMAND"),
)
GENERAL = (
    flag("--traceback", "let exceptions through, to debug mlc itself"),
    Option(("--completion",), "a script that completes command lines in bash, zsh or fish", "SHELL"),
    Option(("--version", "-v"), "the versions of mlc and of what it stands on"),
    flag("--help-options", "every option, one a line"),
    Option(("--help", "-h"), "this page"),
)
MLC_OPT: Mapping[str, tuple[Option, ...]] = {
    "reading": READING,
    "printing": PRINTING,
    "watching": WATCHING,
    "output": OUTPUT,
    "testing": (*RUNNING, *TESTING),
    "general": (*PASSES, *GENERAL),
}
"""The options of `mlc-opt`, by what they are about."""

DEVICE_HELP = "the device to compile for: h200, h100, a100, rtx4090 or generic; by default the GPU here, or h200"
LEVELS = ("tensor", *STAGES, "source")
"""The levels of `mlc_compiler.pipeline`."""
MLC_TRANSLATE = (
    Option(("--args",), "types of the inputs: 512x1024xf32,Nx1024xbf16,M=64xf32", "TYPES"),
    Option(("--from",), "the language of a file: stablehlo, or read off its name", "LANGUAGE", choices=("stablehlo",)),
    Option(("--to",), f"{', '.join(LEVELS)}; or a target: stablehlo, ... (tensor, with --html source)", "LEVEL"),
    Option(("--policy",), "the fusion policy: mlc, pointwise or none; or xla, tvm or inductor", "POLICY", "mlc"),
    Option(("--products",), "who multiplies matrices: quicker, library or generated", "WHO", "quicker"),
    Option(("--device",), DEVICE_HELP, "DEVICE"),
    Option(("-o", "--output"), "a file in place of stdout", "FILE"),
    flag("--explain", "what PyTorch runs itself, and why, in place of the program"),
    flag("--print-op-generic", "ops in the generic form of MLIR"),
    flag("--print-debuginfo", "where each op comes from"),
    *PRINTING,
    *WATCHING,
    flag("--traceback", "let exceptions through, to debug mlc itself"),
    Option(("--help", "-h"), "this page"),
)
"""The options of `mlc-translate`."""
MLC_COMPILE = (
    Option(("-o", "--output"), "the folder to write; a model folder that is there is replaced", "FOLDER"),
    Option(("--args",), "types of the inputs of FILE.py:NAME: 512x1024xf32,Nx1024xbf16", "TYPES"),
    Option(
        ("--device",), "cpu, or a GPU: h200, h100, a100, rtx4090 or generic; by default where it was exported", "DEVICE"
    ),
    Option(("--cpu",), "the CPU that code is for: native, x86-64-v2, x86-64-v3 or x86-64-v4", "CPU", "native"),
    Option(("--policy",), "the fusion policy: mlc, pointwise or none", "POLICY", "mlc"),
    flag("--freeze", "compute what depends on weights alone now, batch norm included"),
    flag("--traceback", "let exceptions through, to debug mlc itself"),
    Option(("--help", "-h"), "this page"),
)
"""The options of `mlc-compile`."""


def add_options(parser: argparse.ArgumentParser, options: Iterable[Option]) -> None:
    """Teach `parser` options; `--help` is a flag of the driver, as the others are."""
    for option in options:
        option.add_to(parser)


def with_values(arguments: Iterable[str], options: Iterable[Option]) -> list[str]:
    """The arguments, bare options that may have a value with theirs: `--print-ir-after` is `--print-ir-after=all`."""
    bare = {name: f"{name}={o.bare}" for o in options if o.bare is not None for name in o.names}
    return [bare.get(argument, argument) for argument in arguments]


def given(options: Any, flags: Iterable[str]) -> tuple[str, ...]:
    """Those of `flags` that are set."""
    return tuple(name for name in flags if getattr(options, name[2:].replace("-", "_"), False))


def instruments_of(options: Any, names: Collection[str], stream: TextIO, form: Form) -> list[Instrument]:
    """What the options of PRINTING and WATCHING ask for, around a pipeline of these passes."""
    found: list[Instrument] = []
    before = chosen_passes("--print-ir-before", options.print_ir_before, names)
    after = chosen_passes("--print-ir-after", options.print_ir_after, names)
    changes, failures = options.print_ir_after_change, options.print_ir_after_failure
    if options.trace_rewrites or options.pass_statistics:
        found.append(Rules(stream, options.trace_rewrites, options.pass_statistics))
    if options.time_passes:
        found.append(Clock(stream))
    if options.verify_semantics:
        found.append(load("tools.semantics:Semantics")(stream))
    if options.crash_reproducer:
        flags = given(options, ("--verify-semantics", "--disable-verify", "--allow-unregistered-dialect"))
        found.append(load("tools.reproducer:Reproducer")(stream, options.crash_reproducer, flags))
    if before or after or changes or failures or options.print_between_passes:
        printer = IrPrinter(stream, form, before, after, options.print_between_passes, changes, failures)
        found.append(printer)
    return found
