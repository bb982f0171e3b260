"""What loading a generated program asks about it, beside its text: plain data, which a file can hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr

from lowering.host.names import host_name
from mlc_dialects.common.annotations import ANY_LAYOUT, DEVICE, result_annotations
from mlc_dialects.common.buffers import buffer_element, buffer_strides
from mlc_dialects.common.types import BY_TYPE
from mlc_dialects.loop import dialect as loop
from mlc_dialects.loop.host import LaunchOp
from mlc_dialects.loop.indirect import IndirectIndexOp
from mlc_dialects.triton import dialect as triton
from mlc_dialects.triton.types import PointerType
from mlc_support.locations import user_lines


@dataclass(frozen=True)
class KernelEntry:
    """A kernel as its launches see it."""

    name: str
    dtypes: tuple[str, ...]
    """PyTorch's names of the element types of its buffers."""
    sizes: int
    """How many named sizes follow the buffers."""
    options: Mapping[str, int]
    """What a launch through Triton says beside the arguments."""
    checks: bool
    """True if it may find an index out of range: on a CPU the launch then says so."""
    lines: tuple[str, ...] = ()
    """The user's lines that it computes, as `model.py:12  y = x + 1`."""

    @staticmethod
    def of(kernel: triton.KernelOp | loop.KernelOp, launches: Iterable[LaunchOp] = ()) -> KernelEntry:
        """A kernel of a lowered module, and its launches there."""
        name = kernel.sym_name.data
        if isinstance(kernel, triton.KernelOp):
            elements = [a.type.element for a in kernel.pointers if isinstance(a.type, PointerType)]
            sizes, options, checks = len(kernel.size_arguments), kernel.launch_options, False
        else:
            elements = [buffer_element(buffer.type) for buffer in kernel.buffers]
            sizes, options = 0, dict[str, int]()
            checks = any(isinstance(op, IndirectIndexOp) for op in kernel.walk())
        lines = user_lines((*launches, *kernel.walk()))
        return KernelEntry(name, tuple(BY_TYPE[e].torch_name for e in elements), sizes, options, checks, lines)


@dataclass(frozen=True)
class HostEntry:
    """A host program: what its text calls it, and where it runs."""

    name: str
    arguments: int
    tensors: tuple[int, ...]
    """The positions of those that are tensors."""
    device: str | None
    """Where it runs; None for the device of its tensors."""
    free_strides: tuple[tuple[int, ...] | None, ...] = ()
    """The strides (elements) of results whose layout the caller left to the compiler; None for other results."""

    @staticmethod
    def of(function: func.FuncOp) -> HostEntry:
        """A host program of a lowered module."""
        arguments, told = function.body.block.args, function.attributes.get(DEVICE)
        tensors = tuple(k for k, a in enumerate(arguments) if isinstance(a.type, MemRefType))
        device = told.data if isinstance(told, StringAttr) else None
        free = (_free_strides(function, position) for position in range(len(function.function_type.outputs)))
        return HostEntry(host_name(function), len(arguments), tensors, device, tuple(free))


def _free_strides(function: func.FuncOp, position: int) -> tuple[int, ...] | None:
    """The strides of a result that may have any; None of others."""
    if ANY_LAYOUT not in result_annotations(function, position):
        return None
    return tuple(s.evaluate({}) for s in buffer_strides(function.function_type.outputs.data[position]))


@dataclass(frozen=True)
class Manifest:
    """The kernels of a generated program, and its host programs by the names of their functions."""

    kernels: tuple[KernelEntry, ...]
    hosts: Mapping[str, HostEntry]

    @staticmethod
    def of(lowered: ModuleOp) -> Manifest:
        """That of a lowered module."""
        kernels = [op for op in lowered.ops if isinstance(op, triton.KernelOp | loop.KernelOp)]
        functions = [op for op in lowered.ops if isinstance(op, func.FuncOp)]
        launches: dict[str, list[LaunchOp]] = {}
        for op in (op for function in functions for op in function.walk() if isinstance(op, LaunchOp)):
            launches.setdefault(op.kernel.string_value(), []).append(op)
        return Manifest(
            tuple(KernelEntry.of(kernel, launches.get(kernel.sym_name.data, ())) for kernel in kernels),
            {f.sym_name.data: HostEntry.of(f) for f in functions if f.body.blocks},
        )

    def to_data(self) -> dict[str, Any]:
        """Lists, dictionaries, texts and numbers."""
        return asdict(self)

    @staticmethod
    def of_data(data: Any) -> Manifest:
        """What `to_data` gave. KeyError, TypeError or ValueError for anything else."""
        kernels = (
            KernelEntry(
                str(k["name"]),
                _texts(k["dtypes"]),
                int(k["sizes"]),
                _numbers(k["options"]),
                bool(k["checks"]),
                _texts(k["lines"]),
            )
            for k in data["kernels"]
        )
        return Manifest(tuple(kernels), {str(name): _host(host) for name, host in dict(data["hosts"]).items()})


def _host(data: Any) -> HostEntry:
    device = data["device"]
    tensors = tuple(int(k) for k in data["tensors"])
    free = tuple(None if strides is None else tuple(map(int, strides)) for strides in data["free_strides"])
    return HostEntry(str(data["name"]), int(data["arguments"]), tensors, None if device is None else str(device), free)


def _texts(data: Sequence[Any]) -> tuple[str, ...]:
    return tuple(map(str, data))


def _numbers(data: Any) -> dict[str, int]:
    """Flags stay flags."""
    return {str(name): value if isinstance(value, bool) else int(value) for name, value in dict(data).items()}
