"""The compilers that are measured, each as a function from a case's function to a compiled one.

Beside them stand what a case itself says of other ways to compute it: the library's products alone, PyTorch's fused
attention by each of its kernels, and flex_attention.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Any

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.profiler import ProfilerActivity, profile

from benchmarks.case import Case, differentiated
from benchmarks.flex import compile_flex
from mlc_compiler.frontend.backend import compile_graph_module

Function = Callable[..., Any]


def _compiled(function: Function, **options: Any) -> Function:
    """`torch.compile` for these very sizes, whatever ran before."""
    torch._dynamo.reset()
    return torch.compile(function, dynamic=False, **options)


def _as_it_is(function: Function) -> Function:
    return function


def _attention_by(kernel: SDPBackend, function: Function) -> Function:
    """`function` where PyTorch's attention runs by this kernel, or not at all."""

    def call(*inputs: torch.Tensor) -> Any:
        with sdpa_kernel(kernel):
            return function(*inputs)

    return call


def _xla(function: Function, gradients: Sequence[int] = ()) -> Function:
    # jax reads these when it is imported: memory is shared with torch, and everything compiled is kept on disk.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
    from benchmarks.xla import Compiled  # noqa: PLC0415  jax is not always there

    return Compiled(function, gradients)


BACKENDS: dict[str, Callable[[Function], Function]] = {
    "eager": _as_it_is,
    "inductor": _compiled,
    # Without CUDA graphs, which would copy the inputs.
    "max-autotune": partial(_compiled, mode="max-autotune-no-cudagraphs"),
    "xla": _xla,
    "mlc": partial(_compiled, backend=compile_graph_module),
    "mlc-generated": partial(_compiled, backend=compile_graph_module, options={"products": "generated"}),
    "mlc-max-autotune": partial(_compiled, backend=compile_graph_module, mode="max-autotune-no-cudagraphs"),
}
BESIDE: dict[str, tuple[str, Callable[[Any], Function]]] = {
    "library": ("products", _as_it_is),
    "sdpa": ("sdpa", _as_it_is),
    "sdpa-flash": ("sdpa", partial(_attention_by, SDPBackend.FLASH_ATTENTION)),
    "sdpa-cudnn": ("sdpa", partial(_attention_by, SDPBackend.CUDNN_ATTENTION)),
    "flex": ("flex", compile_flex),
}
"""What runs something else than a case's function: its name in `Case.beside`, and how that becomes a call."""
OTHER_RESULTS = ("library",)
"""Its products alone: less than the case computes."""
DEFAULT = ("eager", "inductor", "mlc")


def on_backend(case: Case, backend: str) -> Function:
    """The case as a function of its inputs on a backend, with the gradients that it asks for."""
    if backend == "xla":
        return _xla(case.function, case.gradients)
    if backend in BESIDE:
        name, made = BESIDE[backend]
        return differentiated(made(case.beside[name]), case.gradients)
    return differentiated(BACKENDS[backend](case.function), case.gradients)


def applicable(case: Case, backends: Iterable[str]) -> list[str]:
    """Those of the backends that have something to run for the case."""
    return [b for b in backends if b not in BESIDE or BESIDE[b][0] in case.beside]


def available(names: Sequence[str], among: Collection[str] = tuple(BACKENDS)) -> list[str]:
    """Those of `names` that can run here; SystemExit for a name that is none, or where none is left."""
    if unknown := [n for n in names if n not in among]:
        raise SystemExit(f"no backend {', '.join(unknown)}; there are {', '.join(among)}")
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
