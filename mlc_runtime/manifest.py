"""What loading a generated program asks about it, beside its text: plain data, which a file can hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any


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
    described: tuple[int, ...] = ()
    """The positions of buffers that tensor descriptors describe, which begin at multiples of 16 bytes."""
    may_widen: bool = False
    """True if it may run with more warps than `options` say: no program waits for another, which must run as well."""


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


@dataclass(frozen=True)
class Manifest:
    """The kernels of a generated program, and its host programs by the names of their functions."""

    kernels: tuple[KernelEntry, ...]
    hosts: Mapping[str, HostEntry]

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
                tuple(int(position) for position in k["described"]),
                bool(k["may_widen"]),
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
