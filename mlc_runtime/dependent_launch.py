"""Launches that begin while the one before ends: programmatic dependent launch (CUDA programming guide).

PyTorch's static launcher gives launches no attributes. So these go to the driver's `cuLaunchKernelEx`, with one
attribute. Kernels launched so begin with `gdc_wait`; others would read what is not yet stored.
"""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Callable, Sequence
from functools import cache

import torch

from mlc_support.errors import MlcError

MOST_ARGUMENTS = 4096
"""Arguments of a kernel, at the most: the driver takes 32 KiB."""
PROGRAMMATIC_STREAM_SERIALIZATION = 6
"""The driver's number of the attribute (`CUlaunchAttributeID`)."""
ARGUMENTS, SIZE = 1, 2
"""The driver's names for a buffer of arguments, and for its size (`CU_LAUNCH_PARAM_BUFFER_POINTER` and `_SIZE`)."""
INVALID_CONTEXT = 201
"""What the driver says in a thread that PyTorch has not used on this GPU yet."""
WORD = 8
"""Bytes of a pointer or an int64: each argument is one of the two."""
_CONFIG, _ATTRIBUTE, _EXTRA, _GIVEN = 0, 7, 16, 21
"""Where the words of the four parts of `_Call` begin."""
_HEAD = struct.Struct("7I4xQ")
"""The first fields of a `CUlaunchConfig`: grid, block, bytes of shared memory, stream."""


class _Call(threading.local):
    """The memory in which a thread tells the driver of a launch: the driver reads it while other threads run.

    A `CUlaunchConfig`, its one `CUlaunchAttribute`, the five words that say where the arguments are; their size, and
    the arguments.
    """

    def __init__(self) -> None:
        self.words = (ctypes.c_uint64 * (_GIVEN + 1 + MOST_ARGUMENTS))()
        config, attribute, extra, given = (
            ctypes.addressof(self.words) + WORD * k for k in (_CONFIG, _ATTRIBUTE, _EXTRA, _GIVEN)
        )
        self.words[5:7] = attribute, 1
        self.words[_ATTRIBUTE : _ATTRIBUTE + 2] = PROGRAMMATIC_STREAM_SERIALIZATION, 1
        self.words[_EXTRA : _EXTRA + 5] = ARGUMENTS, given + WORD, SIZE, given, 0
        self.config, self.extra = config, extra


_call = _Call()


def launch_dependent(
    function: int,
    x: int,
    y: int,
    z: int,
    warps: int,
    shared: int,
    types: str,
    arguments: Sequence[int],
    stream: int,
) -> None:
    """Launches x * y * z programs of a `function` of the driver, as PyTorch's `_launch_kernel` does, but dependent.

    `shared` is in bytes; each of `arguments` is an address or an int64. RuntimeError where the driver refuses.
    """
    call, count = _call, len(arguments)
    _HEAD.pack_into(call.words, 0, x, y, z, 32 * warps, 1, 1, shared, stream)
    _packed(count)(call.words, WORD * _GIVEN, WORD * count, *arguments)
    start = _driver()
    status = start(call.config, function, None, call.extra)
    if status == INVALID_CONTEXT:
        torch.cuda.current_stream().query()  # the first call of its kind in a thread makes the GPU's context current
        status = start(call.config, function, None, call.extra)
    if status:
        raise RuntimeError(f"CUDA driver error: {_told(status)} (cuLaunchKernelEx)")


@cache
def _packed(count: int) -> Callable[..., None]:
    """Writes a size and so many arguments into memory."""
    return struct.Struct(f"{count + 1}q").pack_into


@cache
def _library() -> ctypes.CDLL:
    """The driver. MlcError where this machine has none."""
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise MlcError(f"no driver of NVIDIA GPUs: {error}", hint="install one, or compile for the CPU") from error


@cache
def _driver() -> Callable[..., int]:
    """`cuLaunchKernelEx` (configuration, function, no array of arguments, where they are)."""
    pointer = ctypes.c_void_p
    return ctypes.CFUNCTYPE(ctypes.c_int, *[pointer] * 4)(("cuLaunchKernelEx", _library()))


def _told(status: int) -> str:
    """What the driver calls a status."""
    text = ctypes.c_char_p()
    _library().cuGetErrorString(status, ctypes.byref(text))
    return text.value.decode() if text.value else f"status {status}"
