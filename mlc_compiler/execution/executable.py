"""Executables: a lowered module as a Python function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import FunctionType
from typing import Any

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily
from xdsl.dialects import func
from xdsl.dialects.builtin import IndexType, ModuleOp, TensorType

from lowering.fx_to_tensor.imported import ConstantOutput, Imported, OutputSpec, ResultOutput, SizeOutput
from lowering.host.source import argument_size, host_name
from lowering.triton_to_source.kernels import module_source
from mlc_compiler.execution.freezing import mark_frozen
from mlc_compiler.kernels.cache import write_source
from mlc_compiler.kernels.compilation import Pending
from mlc_compiler.kernels.kernel_files import load_module
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from mlc_compiler.triton_interpreter.launch import portable
from mlc_dialects.common.types import shape_of
from mlc_support.index_maps import Line
from passes.tensor.freeze import SUFFIX


@dataclass(frozen=True)
class Executable:
    """A compiled graph. Called with the graph's inputs it gives the flat list of its outputs."""

    imported: Imported
    source: str
    """The Triton Python text that runs."""
    path: Path
    """The file that holds it."""
    kernels: tuple[str, ...]
    host: Callable[..., tuple[Any, ...]]
    sizes: Sizes
    pending: Pending

    def __call__(self, *inputs: Any) -> list[Any]:
        self.pending.run(inputs)
        results = self.host(*inputs, *self.imported.constants)
        return [self._output(spec, results, inputs) for spec in self.imported.outputs]

    def _output(self, spec: OutputSpec, results: Sequence[Any], inputs: Sequence[Any]) -> Any:
        match spec:
            case ResultOutput():
                return results[spec.index]
            case ConstantOutput():
                return spec.value
            case SizeOutput():
                return spec.expression.evaluate(self.sizes.bind(inputs))


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


def compile_imported(imported: Imported, options: CompilerOptions | None = None) -> Executable:
    """Lowers an imported graph to Triton and loads it; the module of `imported` is used up.

    With `freeze` the constants of the graph are frozen: what depends on them alone is computed here.
    """
    (function,) = (op for op in imported.module.ops if isinstance(op, func.FuncOp))
    sizes, name = Sizes.of(function), host_name(function)
    frozen = mark_frozen(function, imported.constants) if options is not None and options.freeze else []
    lowered = lower_to(imported.module, "triton", options)
    assert isinstance(lowered, ModuleOp)
    source = module_source(lowered)
    path = write_source(source)
    module, kernels = load_module(path)
    scope = vars(module) | {key: portable(kernel) for key, kernel in kernels.items()} | {"objects": imported.objects}
    pending = Pending(lowered, kernels)

    def host(name: str) -> Callable[..., tuple[Any, ...]]:
        return FunctionType(getattr(module, name).__code__, scope, name)

    if any(frozen):
        pairs = [*zip(imported.constants, frozen, strict=True)]
        with unset_fake_temporarily(), torch.no_grad():  # AOTAutograd is tracing, this is run
            parameters = [c.detach() for c, is_frozen in pairs if is_frozen]
            pending.run(parameters)
            weights = host(name + SUFFIX)(*parameters)
        imported = replace(imported, constants=(*[c for c, is_frozen in pairs if not is_frozen], *weights))
    return Executable(imported, source, path, tuple(kernels), host(name), sizes, pending)
