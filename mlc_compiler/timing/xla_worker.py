"""The process in which XLA's own program of a graph is timed: jax compiles StableHLO for its device.

Request: that of `worker`, with {"text": StableHLO, "flags": {XLA debug option: value}}. Tensors go over to jax and back
without a copy (DLPack), each side's stream waiting for the other's: so the clock of PyTorch times XLA's kernels.
Checked with jaxlib 0.10.2.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import torch

from mlc_compiler.peers.worker import serve
from mlc_compiler.timing.worker import timed

PLATFORMS = {"cuda": "cuda", "cpu": "cpu"}
"""What jax calls a device of PyTorch's."""


def device_of(name: str) -> Any:
    """jax's first device of a kind. RuntimeError says what is missing."""
    jax: Any = import_module("jax")
    try:
        return jax.devices(PLATFORMS[name])[0]
    except Exception as error:  # a plug-in that finds no driver raises what it likes
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise RuntimeError(f"jax {jax.__version__} has no {name} device: pip install 'jax[cuda12]' ({why})") from None


class Program:
    """The StableHLO of a graph, compiled for a device; called with tensors it gives tensors."""

    def __init__(self, text: str, device: Any, flags: dict[str, Any]):
        names = ("jax.dlpack", "jaxlib._jax", "jaxlib.mlir.ir", "jax._src.interpreters.mlir")
        self.dlpack, runtime, ir, mlir = (import_module(name) for name in names)
        options = runtime.CompileOptions()
        options.env_option_overrides = list(flags.items())
        with mlir.make_ir_context():
            module = ir.Module.parse(text)
            self.executable = device.client.compile_and_load(module, runtime.DeviceList((device,)), options)

    def __call__(self, *inputs: torch.Tensor) -> list[torch.Tensor]:
        """The results; the host does not wait for them."""
        results = self.executable.execute_sharded([self.dlpack.from_dlpack(x) for x in inputs])
        return [torch.from_dlpack(shards[0]) for shards in results.disassemble_into_single_device_arrays()]


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Its time, and the version of jax."""
    jax: Any = import_module("jax")
    jax.config.update("jax_enable_x64", True)
    return timed(Program(request["text"], device_of(request["device"]), request.get("flags") or {}), request)


if __name__ == "__main__":
    serve(answer)
