"""The compilers that are measured, each as a function from a case's function to a compiled one."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

from mlc_compiler.frontend.backend import compile_graph_module

Function = Callable[..., Any]


def _compiled(function: Function, **options: Any) -> Function:
    """`torch.compile` for these very sizes, whatever ran before."""
    torch._dynamo.reset()
    return torch.compile(function, dynamic=False, **options)


def _xla(function: Function) -> Function:
    # jax reads these when it is imported: memory is shared with torch, and everything compiled is kept on disk.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
    from benchmarks.xla import compile_xla  # noqa: PLC0415  jax is not always there

    return compile_xla(function)


BACKENDS: dict[str, Callable[[Function], Function]] = {
    "eager": lambda function: function,
    "inductor": _compiled,
    # Without CUDA graphs, which would copy the inputs.
    "max-autotune": partial(_compiled, mode="max-autotune-no-cudagraphs"),
    "xla": _xla,
    "mlc": partial(_compiled, backend=compile_graph_module),
    "mlc-generated": partial(_compiled, backend=compile_graph_module, options={"products": "generated"}),
    "mlc-max-autotune": partial(_compiled, backend=compile_graph_module, mode="max-autotune-no-cudagraphs"),
}
DEFAULT = ("eager", "inductor", "mlc")


def available(names: Sequence[str]) -> list[str]:
    """Those of `names` that can run here; SystemExit for a name that is none, or where none is left."""
    if unknown := [n for n in names if n not in BACKENDS]:
        raise SystemExit(f"no backend {', '.join(unknown)}; there are {', '.join(BACKENDS)}")
    if "xla" not in names or importlib.util.find_spec("jax") is not None:
        return list(names)
    missing = "xla is left out: jax is not installed (pip install jax)"
    if list(names) == ["xla"]:
        raise SystemExit(missing)
    print(missing)
    return [n for n in names if n != "xla"]


def configure() -> None:
    """Inductor tunes in the process that measures: beside others that compile, its timings would mislead it."""
    import torch._inductor.config as config  # noqa: PLC0415  eager and mlc do not need it

    config.autotune_local_cache = False


def launches(run: Callable[[], Any]) -> int:
    """Kernels, copies and fills that one call of `run` starts on the GPU."""
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as trace:
        run()
        torch.cuda.synchronize()
    on_device = torch.autograd.DeviceType.CUDA
    return sum(e.device_type == on_device for e in trace.events())
