"""Kernels that are machine code of this CPU."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import torch

from mlc_runtime.manifest import KernelEntry
from mlc_support.cpu_info import cpu_info
from mlc_support.errors import MlcError

os.register_at_fork(after_in_child=partial(torch.set_num_threads, 1))
"""OpenMP's threads stay with the parent, and a child that counts on them waits forever, in a kernel or in eager."""
SUPPORT = "libgcc_s.so.1"
"""What generated code calls of its own accord, as to round a double to half. Elsewhere it is in the C library."""


class Code(Protocol):
    """Compiled functions; they live as long as this object."""

    def address(self, name: str) -> int:
        """Where the function `name` is."""
        ...


class NativeKernel:
    """A kernel as host programs call it: with its buffers, then its sizes."""

    def __init__(self, kernel: KernelEntry, code: Code, symbol: str):
        self._code = code  # lives as long as this
        self._buffers = len(kernel.dtypes)
        self._address = code.address(symbol)
        self._checks = kernel.checks
        self._function: Any = None

    def __call__(self, *arguments: Any) -> None:
        """Runs on the threads of PyTorch. IndexError where data leave a dimension that they index."""
        count, failed = self._buffers, ctypes.c_int64(0)
        tensors, sizes = arguments[:count], arguments[count:]
        if self._function is None:
            kinds = [ctypes.c_void_p] * count + [ctypes.c_int64] * len(sizes) + [ctypes.c_void_p, ctypes.c_int64]
            self._function = ctypes.CFUNCTYPE(None, *kinds)(self._address)
        places = [t.data_ptr() for t in tensors]
        self._function(*places, *sizes, ctypes.addressof(failed), torch.get_num_threads())
        if self._checks and failed.value:
            raise IndexError("index out of range in a compiled kernel")


class Library:
    """A shared library of kernels, which call functions of this process: of the C library, and PyTorch's OpenMP."""

    def __init__(self, path: Path, externals: Sequence[str]):
        """MlcError where the process lacks one of the functions `externals`, or the library cannot be loaded."""
        if sys.platform == "linux":
            ctypes.CDLL(SUPPORT, ctypes.RTLD_GLOBAL)
        process = ctypes.CDLL(None)
        if missing := [name for name in externals if not hasattr(process, name)]:
            hint = "its kernels call OpenMP of PyTorch and functions of the C library: compile the model on this system"
            raise MlcError(f"no function {', '.join(missing)} in this process", str(path), hint)
        try:
            self._library = ctypes.CDLL(str(path.resolve()))
        except OSError as error:
            raise MlcError(f"cannot load kernels: {error}", str(path), "compile the model on this system") from error

    def address(self, name: str) -> int:
        """Where the function `name` is. AttributeError if there is none."""
        address = ctypes.cast(getattr(self._library, name), ctypes.c_void_p).value
        assert address is not None
        return address


def cpu_flags() -> frozenset[str]:
    """The extensions of this CPU by the names of the Linux kernel; empty where the system does not tell."""
    told = cpu_info()
    return frozenset(told.get("flags", told.get("Features", "")).split())
