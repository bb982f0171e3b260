"""Executables: a lowered module as a Python function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType

from lowering.fx_to_tensor.imported import ConstantOutput, Imported, OutputSpec, ResultOutput, SizeOutput
from lowering.host_source import argument_symbol, host_name
from lowering.triton_source import module_source
from mlc_compiler.cache import write_source
from mlc_compiler.compilation import Pending
from mlc_compiler.interpreter import portable
from mlc_compiler.kernel_files import load_module
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from mlc_dialects.types import shape_of


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

    places: tuple[tuple[str, int, int | None], ...]

    def bind(self, inputs: Sequence[Any]) -> dict[str, int]:
        """The named sizes of one call."""
        return {n: int(inputs[k]) if d is None else int(inputs[k].shape[d]) for n, k, d in self.places}

    @staticmethod
    def of(function: func.FuncOp) -> Sizes:
        """The sizes that a function of tensors names in its arguments."""
        places: dict[str, tuple[str, int, int | None]] = {}
        for position, argument in enumerate(function.body.block.args):
            if isinstance(argument.type, TensorType):
                for dim, size in enumerate(shape_of(argument.type)):
                    places.setdefault(str(size), (str(size), position, dim))
            elif (symbol := argument_symbol(function, position)) is not None:
                places[symbol] = (symbol, position, None)
        return Sizes(tuple(p for name, p in places.items() if name.isidentifier()))


def compile_imported(imported: Imported, options: CompilerOptions | None = None) -> Executable:
    """Lowers an imported graph to Triton and loads it; the module of `imported` is used up."""
    (function,) = (op for op in imported.module.ops if isinstance(op, func.FuncOp))
    sizes, name = Sizes.of(function), host_name(function)
    lowered = lower_to(imported.module, "triton", options)
    assert isinstance(lowered, ModuleOp)
    source = module_source(lowered)
    path = write_source(source)
    module, kernels = load_module(path)
    scope = vars(module) | {key: portable(kernel) for key, kernel in kernels.items()} | {"objects": imported.objects}
    host = FunctionType(getattr(module, name).__code__, scope, name)
    return Executable(imported, source, path, tuple(kernels), host, sizes, Pending(lowered, kernels))
