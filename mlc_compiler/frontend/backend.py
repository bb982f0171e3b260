"""The `torch.compile` backend, which the entry point `torch_dynamo_backends` names."""

from __future__ import annotations

import linecache
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch._dynamo.utils import counters, get_metrics_context
from torch.fx import GraphModule
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from lowering.fx_to_tensor.imported import Imported
from mlc_compiler.execution.executable import Executable, compile_imported
from mlc_compiler.execution.target import TRITON, target_for
from mlc_compiler.frontend.account import Account
from mlc_compiler.frontend.autograd import compile_with
from mlc_compiler.frontend.cuda_graphs import reset
from mlc_compiler.frontend.explain import explanation
from mlc_compiler.frontend.known_graphs import KnownGraph
from mlc_compiler.frontend.library_attention import Simplify
from mlc_compiler.frontend.saved import report_strides
from mlc_compiler.logs import listen, show_output
from mlc_compiler.machine import this_machine
from mlc_compiler.options import WORTH, CompilerOptions
from mlc_compiler.pipeline import generates_tf32, lower_to
from mlc_compiler.stopwatch import Stopwatch
from mlc_compiler.view.folder import add_to_report, make_report
from mlc_compiler.view.recording import Recording
from mlc_runtime.program import Program
from mlc_support.collector import collector_paused
from passes.common.device import THE_CPU, device_named, processor_named
from passes.common.gradient_chunks import classes_at_once
from passes.common.online_tiling import OnlineSizes
from passes.tensor.online_products.costs import training_pays

Observer = Callable[[ModuleOp, Executable], None]
Teller = Callable[[Account], object]


@collector_paused()
def compile_graph_module(
    gm: GraphModule,
    example_inputs: Sequence[Any],
    *,
    mode: str | None = None,
    options: CompilerOptions | dict[str, Any] | None = None,
    observe: Observer | None = None,
    tell: Teller | None = None,
) -> Callable[..., Any]:
    """Dynamo's graph as a function that runs mlc's kernels; differentiable where eager is.

    `mode` and `options` are those of `torch.compile`; options are fields of `CompilerOptions`. `observe` is called for
    every graph (forward and backward are two) with its imported module and its executable, and `tell` with its account.
    """
    chosen = options if isinstance(options, CompilerOptions) else CompilerOptions.of(options)
    chosen = chosen if mode is None else replace(chosen, mode=mode)
    listen()
    watch = Stopwatch(sys.stderr.write if chosen.time else None)
    watch.add("Dynamo", _seconds_of_dynamo())
    watched = observe is not None or tell is not None or Account.asked_for() or chosen.explain or chosen.report
    known = None if watched else KnownGraph.of(gm, chosen)
    found = None if known is None else known.load(watch)
    if found is not None:
        return found
    compile_one = _GraphCompiler(chosen, watch, known, observe, tell)
    with watch.during("AOTAutograd"):
        compiled = compile_with(
            gm,
            example_inputs,
            compile_one,
            freeze=chosen.freeze,
            cuda_graphs=chosen.cuda_graphs,
            watch=watch,
            simplify=_simplify(chosen),
            scores_pay=partial(_scores_pay, chosen),
            chunk=partial(_chunk, chosen),
        )
    return compiled if known is None or known.program is None else known.program


@dataclass(frozen=True)
class _GraphCompiler:
    """Compiles each graph of a function (forward and backward are two), and shows it to whoever asked."""

    options: CompilerOptions
    watch: Stopwatch
    known: KnownGraph | None
    """Where the programs are kept for the next process."""
    observe: Observer | None
    tell: Teller | None

    def __call__(self, imported: Imported, recorded: bool) -> Program:
        name, options = _name(imported), self.options
        if options.explain:
            sys.stderr.write(explanation(imported.module))
        module = imported.module.clone() if self.observe is not None else None
        account = Account(name) if self.tell is not None or Account.asked_for() else None
        reached = account.reached if account is not None else None
        compile_ = partial(compile_imported, imported, options, recorded, self.watch, reached=reached)
        executable = compile_() if options.report is None else _reported(compile_, name, Path(options.report))
        show_output(name, executable.path, executable.source)
        if account is not None:
            account.finished(executable.source)
            if self.tell is not None:
                self.tell(account)
        report_strides(executable.free_strides)
        if self.known is not None:
            self.known.keep(executable, name, recorded)
        if self.observe is not None and module is not None:
            self.observe(module, executable)
        return executable.run


def _simplify(options: CompilerOptions) -> Simplify | None:
    """What calls the library's attention; None where the options rule that out."""
    return partial(_simplified, options) if options.canonicalize and options.products != "generated" else None


def _simplified(options: CompilerOptions, module: ModuleOp) -> ModuleOp:
    """The module before fusion, with the library's kernels for products that follow each other."""
    simplified = lower_to(module, "simplified", replace(options, products="library", freeze=False))
    assert isinstance(simplified, ModuleOp)
    return simplified


def _scores_pay(options: CompilerOptions, sizes: OnlineSizes, device: torch.device) -> bool:
    """True where kernels of ours compute attention and its gradients, and are predicted to be quicker than parts."""
    if options.products not in WORTH or not options.canonicalize or target_for(device, options) is not TRITON:
        return False
    machine = this_machine(options.device)
    sizes = replace(sizes, tf32=generates_tf32(options, machine))
    return training_pays(sizes, device_named(machine.device), WORTH[options.products])


def _chunk(
    options: CompilerOptions, tokens: int, width: int, classes: int, element_bytes: int, device: torch.device
) -> int | None:
    """The rows of a gradient of weights to compute at once, in the memory of the layer's result; None for elsewhere."""
    if options.products == "generated" or not options.canonicalize:
        return None
    processor = processor_named(THE_CPU if device.type == "cpu" else this_machine(options.device).device)
    return classes_at_once(tokens, width, classes, element_bytes, processor)


def _seconds_of_dynamo() -> float:
    """Since Dynamo began with the frame whose graph it gives; 0 where it is not at work."""
    context: Any = get_metrics_context()
    return (time.time_ns() - context._start_time_ns) / 1e9 if context.in_progress() else 0.0


def _name(imported: Imported) -> str:
    """What the graph is called: forward, backward or inference."""
    return next(op.sym_name.data for op in imported.module.ops if isinstance(op, FuncOp))


def _reported(compile_: Callable[..., Executable], name: str, folder: Path) -> Executable:
    """The executable that `compile_` makes, which leaves a record of how in the report in `folder`.

    MlcError, before anything is compiled, where that is no folder that can be written.
    """
    make_report(folder)
    recording = Recording(name, linecache.getlines)
    executable = compile_(run=recording.run)
    recording.finish()
    recording.loaded(executable.source)
    add_to_report(folder, recording, counters["graph_break"].most_common())
    return executable


compile_graph_module.reset = reset  # pyright: ignore[reportFunctionMemberAccess]  # torch.compiler.reset() calls it
