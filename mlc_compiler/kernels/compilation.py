"""Triton's compiler in several threads: most of its time is spent outside of Python's lock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import torch
from xdsl.dialects.builtin import ModuleOp

from mlc_dialects.common.types import BY_TYPE
from mlc_dialects.triton.dialect import KernelOp
from mlc_dialects.triton.types import PointerType


@dataclass(frozen=True)
class Compilation:
    """A kernel without sizes among its arguments, and how it is launched."""

    function: Any
    """The `@triton.jit` function."""
    dtypes: tuple[torch.dtype, ...]
    """Of its pointers, which are aligned to 16 bytes."""
    options: dict[str, Any]
    """What a launch says beside the arguments."""

    @staticmethod
    def of(kernel: KernelOp, function: Any) -> Compilation:
        """A kernel of a lowered module, as its host program launches it."""
        types = [a.type for a in kernel.body.block.args]
        dtypes = tuple(getattr(torch, BY_TYPE[t.element].torch_name) for t in types if isinstance(t, PointerType))
        return Compilation(function, dtypes, kernel.launch_options)

    def run(self, device: int) -> Any:
        """The compiled kernel, or the exception that a launch would raise as well."""
        try:
            with torch.cuda.device(device):
                return self.function.warmup(*self.dtypes, grid=(1,), **self.options)
        except Exception as error:
            return error


def compile_together(compilations: Sequence[Compilation]) -> list[Any]:
    """Compiles for the current CUDA device, one thread a kernel; gives kernels and exceptions, in order."""
    if not compilations:
        return []
    device = torch.cuda.current_device()
    with ThreadPoolExecutor(min(32, len(compilations))) as pool:
        return list(pool.map(lambda c: c.run(device), compilations))


class Pending:
    """The kernels of a graph, to be compiled together when it first runs on a GPU, not one by one as it launches."""

    def __init__(self, module: ModuleOp, functions: Mapping[str, Any]):
        kernels = [op for op in module.ops if isinstance(op, KernelOp) and not op.sizes.data]
        self._kernels = [Compilation.of(k, functions[k.sym_name.data]) for k in kernels]

    def compile(self) -> None:
        """Compiles them for the current CUDA device, without running anything; one alone is left to its launch."""
        if len(self._kernels) > 1:
            compile_together(self._kernels)
