"""Executables: a lowered module as a Python function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily
from xdsl.dialects import func
from xdsl.dialects.builtin import IndexType, ModuleOp, TensorType

from lowering.fx_to_tensor.imported import Imported, ResultOutput
from lowering.host.source import argument_size
from mlc_compiler.decisions import WorkersContext
from mlc_compiler.execution.freezing import mark_frozen
from mlc_compiler.execution.program import Kinds, placed
from mlc_compiler.execution.target import CompileTarget, target_for
from mlc_compiler.execution.weights import guard_weights
from mlc_compiler.kernels.cache import keep_source
from mlc_compiler.kernels.compilation import Pending
from mlc_compiler.kernels.manifest import compile_costs, manifest_of
from mlc_compiler.kernels.programs import Generated, program_key, read_program, write_program
from mlc_compiler.logs import log_of
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import Reached, Run, lower_to, steps_to
from mlc_compiler.progress import shown
from mlc_compiler.stopwatch import Stopwatch
from mlc_compiler.workers import workers_ready
from mlc_dialects.common.types import shape_of
from mlc_runtime.program import Program, graph_program, place_of
from mlc_support.index_maps import Line
from passes.tensor.freeze import SUFFIX

log = log_of("cache")
Settle = Callable[[Sequence[Any]], list[Any]]
"""It takes the weights of a program, and gives them with the layouts that the program expects."""


@dataclass(frozen=True)
class Executable:
    """A compiled graph. Called with the graph's inputs it gives the flat list of its outputs."""

    imported: Imported
    source: str
    """The Triton Python text that runs."""
    path: Path
    """The file that holds it, where the cache folder could be written."""
    kernels: tuple[str, ...]
    host: Program
    """The host program, whose arguments are the inputs of the graph and then its constants."""
    pending: Pending
    run: Program
    """The graph: it takes the list of its inputs, which it empties, and gives its flat outputs."""
    free_strides: tuple[tuple[int, ...] | None, ...] = ()
    """The strides (elements) of outputs whose layout the caller left to the compiler; None for other outputs."""
    key: str | None = None
    """By what its program is kept on disk."""

    def __call__(self, *inputs: Any) -> list[Any]:
        return list(self.run([*inputs]))


@dataclass(frozen=True)
class Sizes:
    """Where the value of each named size is found: an integer argument, or a dimension of a tensor."""

    places: tuple[tuple[Line, int, int | None], ...]

    def bind(self, inputs: Sequence[Any]) -> dict[str, int]:
        """The named sizes of one call."""
        told = ((line, inputs[k] if d is None else inputs[k].shape[d]) for line, k, d in self.places)
        return {line.name: (int(size) - line.rest) // line.factor for line, size in told}

    @staticmethod
    def of(function: func.FuncOp) -> Sizes:
        """The sizes that a function of tensors names in its arguments."""
        places: dict[str, tuple[Line, int, int | None]] = {}
        for position, argument in enumerate(function.body.block.args):
            told: list[tuple[int | None, Line | None]] = []
            if isinstance(argument.type, TensorType):
                told = [(dim, Line.of(size)) for dim, size in enumerate(shape_of(argument.type))]
            elif isinstance(argument.type, IndexType):
                told = [(None, argument_size(function, position))]
            for dim, line in told:
                if line is not None:
                    places.setdefault(line.name, (line, position, dim))
        return Sizes(tuple(places.values()))


def compile_imported(
    imported: Imported,
    options: CompilerOptions | None = None,
    recorded: bool = False,
    watch: Stopwatch | None = None,
    run: Run | None = None,
    reached: Reached | None = None,
) -> Executable:
    """Lowers an imported graph to Triton, or to machine code of the CPU, and loads it; its module is used up.

    A program that is `recorded` in CUDA graphs keeps no memory between its calls.

    With `freeze` the constants of the graph are frozen: what depends on them alone is computed here. `watch` is told
    what takes time; `run` runs the passes, and `reached` is told of each level. With either no pass is left out.
    """
    watch, options = watch or Stopwatch(), options or CompilerOptions()
    (function,) = (op for op in imported.module.ops if isinstance(op, func.FuncOp))
    sizes, name = Sizes.of(function), function.sym_name.data
    frozen = mark_frozen(function, imported.constants) if options.freeze else []
    target = target_for(imported.device, options)
    produced = generate(imported, options, target, name, watch, run, reached)
    generated = produced.program
    path, loaded = _loaded(generated, target, imported.objects, recorded, watch)
    if produced.costs:
        loaded.pending.start(produced.costs)
    if (split := generated.manifest.hosts.get(name + SUFFIX)) is not None:
        imported = with_weights(imported, frozen, produced.settle, loaded.program(split))
    made = _executable(imported, generated, path, loaded, name, sizes, watch)
    return replace(made, key=produced.key)


def load_program(
    generated: Generated,
    name: str,
    options: CompilerOptions,
    device: torch.device,
    outputs: tuple[ResultOutput, ...],
    recorded: bool,
    watch: Stopwatch,
) -> Executable:
    """A program from disk whose graph nobody has imported: its outputs are results, and it has no constants."""
    path, loaded = _loaded(generated, target_for(device, options), (), recorded, watch)
    imported = Imported(ModuleOp([]), outputs=outputs, device=device)
    return _executable(imported, generated, path, loaded, name, Sizes(()), watch)


def _loaded(
    generated: Generated, target: CompileTarget, objects: Sequence[Any], recorded: bool, watch: Stopwatch
) -> tuple[Path, Any]:
    with watch.during(target.loading):
        path = keep_source(generated.source)
        return path, target.load(generated, path, objects, recorded)


def _executable(
    imported: Imported, generated: Generated, path: Path, loaded: Any, name: str, sizes: Sizes, watch: Stopwatch
) -> Executable:
    main = generated.manifest.hosts[name]
    hosts = loaded.hosts(main)
    kinds = Kinds(*(graph_program(host, imported.constants, imported.outputs, sizes.bind) for host in hosts))

    def compile_kernels() -> None:
        with watch.during("Triton"):
            loaded.pending.compile()

    whole = placed(kinds, place_of(main, imported.constants), compile_kernels)
    strides = imported.of_outputs(main.free_strides)
    return Executable(
        imported, generated.source, path, tuple(loaded.kernels), hosts.direct, loaded.pending, whole, strides
    )


def with_weights(imported: Imported, frozen: Sequence[bool], settle: Settle, split: Program) -> Imported:
    """`imported` with what `split` computes of its frozen constants in place of these, behind the others."""
    pairs = [*zip(imported.constants, frozen, strict=True)]
    with unset_fake_temporarily(), torch.no_grad():  # AOTAutograd is tracing, this is run
        weights = settle(split([c.detach() for c, is_frozen in pairs if is_frozen]))
    return replace(imported, constants=(*[c for c, is_frozen in pairs if not is_frozen], *weights))


@dataclass(frozen=True)
class Produced:
    """The program of a graph, and how it came to be."""

    program: Generated
    key: str | None
    """By what it is kept for other processes; None if it is not."""
    settle: Settle
    """What settles its weights, if it has some."""
    costs: Mapping[str, int]
    """`compile_costs` of it, if it is new and for a GPU; else empty."""


def generate(
    imported: Imported,
    options: CompilerOptions,
    target: CompileTarget,
    name: str,
    watch: Stopwatch,
    run: Run | None,
    reached: Reached | None,
) -> Produced:
    """The program of a graph whose function is called `name`, from disk if it is there."""
    with watch.during("cache"):
        key = program_key(imported, options, target.level) if run is None and reached is None else None
        kept = None if key is None else read_program(key)
    if kept is not None:
        log.info("%s: the program of an equal graph is used", name)
        return Produced(kept, key, list, {})
    on_gpu = imported.device.type == "cuda"
    if on_gpu:
        workers_ready()  # the question starts them, so that they are when there is work
    log.info("%s: the passes run: %s", name, "no equal graph is known" if key is not None else "it is not kept")
    context = WorkersContext() if on_gpu else None
    with shown("compiling", len(steps_to(target.level, options)), run or watch.apply) as shown_run:
        lowered = lower_to(imported.module, target.level, options, run=shown_run, reached=reached, context=context)
    assert isinstance(lowered, ModuleOp)
    hosts = {op.sym_name.data: op for op in lowered.ops if isinstance(op, func.FuncOp)}
    split = hosts.get(name + SUFFIX)
    settle = guard_weights(hosts[name], len(split.function_type.outputs)) if split is not None else list
    with watch.during("code generation"):
        generated = Generated(target.source(lowered), manifest_of(lowered))
    if key is not None:
        with watch.during("cache"):
            write_program(key, generated)
    return Produced(generated, key, settle, compile_costs(lowered) if on_gpu else {})
