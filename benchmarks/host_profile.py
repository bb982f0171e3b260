"""One call of a function that mlc has compiled, taken to pieces."""

from __future__ import annotations

import cProfile
import io
import pstats
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import nn
from torch._dynamo.backends.common import aot_autograd
from torch._subclasses.fake_tensor import unset_fake_temporarily

from mlc_compiler.execution.executable import Executable
from mlc_compiler.frontend.backend import compile_graph_module

Function = Callable[..., Any]
CALLS = 2000
"""Of those that Python's profiler looks at."""
LINES = 20


class NoLaunch:
    """A kernel that does nothing."""

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        return self.launch

    def launch(self, *arguments: Any, **options: Any) -> None:
        """Nothing."""


def compile_mlc(function: Function, device: str) -> tuple[Function, list[Executable]]:
    """A function compiled by mlc and, once it has run, its executables; on the CPU no kernels are launched."""
    seen: list[Executable] = []

    def observe(_: Any, executable: Executable) -> None:
        seen.append(executable)
        if device == "cpu":
            leave_out_kernels(executable)

    torch._dynamo.reset()
    backend = partial(compile_graph_module, observe=observe)
    return torch.compile(function, dynamic=False, backend=backend), seen


def leave_out_kernels(executable: Executable) -> None:
    """From now on its host program launches nothing."""
    names: dict[str, Any] = executable.host.__globals__  # pyright: ignore[reportFunctionMemberAccess]
    names.update(dict.fromkeys(executable.kernels, NoLaunch()))


def profiled(
    function: Function,
    inputs: Sequence[torch.Tensor],
    device: str,
    time_of: Callable[[Callable[[], Any]], float],
    call_of: Callable[[Function], Callable[[], Any]],
) -> str:
    """Host microseconds of the pieces of a call, and the functions that Python's profiler saw.

    `time_of` times a call, and `call_of` makes one of the compiled function.
    """
    compiled, executables = compile_mlc(function, device)
    call = call_of(compiled)
    found = {"all of it": time_of(call)}
    report = _python_profile(call)
    if not isinstance(function, nn.Module):
        found |= _pieces(executables[0], inputs, found["all of it"], time_of)
        found["a backend that computes nothing, to compare"] = time_of(call_of(_compile_nothing(function)))
    lines = [f"{1e6 * seconds:9.2f}  {what}" for what, seconds in found.items()]
    return "\n".join((*lines, "", report))


@torch.no_grad()
def _pieces(
    executable: Executable,
    inputs: Sequence[torch.Tensor],
    whole: float,
    time_of: Callable[[Callable[[], Any]], float],
) -> dict[str, float]:
    """The parts that a call is made of; the host program launches nothing afterwards."""
    program = time_of(lambda: executable.run([*inputs]))
    host = time_of(lambda: executable.host([*inputs]))
    leave_out_kernels(executable)
    bare = time_of(lambda: executable.host([*inputs]))
    return {
        "  PyTorch around the program: guards and AOTAutograd": whole - program,
        "  which device, whether anybody listens": program - host,
        "  launches": host - bare,
        "  the rest of the host program: buffers, checks": bare,
    }


def _compile_nothing(function: Function) -> Function:
    """The function by a backend whose programs give tensors that were there before."""

    def compiler(graph: torch.fx.GraphModule, _: Sequence[Any]) -> Function:
        (results,) = graph.graph.output_node().args
        fakes: list[Any] = [n.meta["val"] for n in results]  # pyright: ignore
        with unset_fake_temporarily():
            ready = [torch.empty_strided(f.shape, f.stride(), dtype=f.dtype, device=f.device) for f in fakes]

        def call(inputs: list[Any]) -> list[Any]:
            inputs.clear()
            return ready

        call._boxed_call = True  # pyright: ignore[reportFunctionMemberAccess]
        return call

    torch._dynamo.reset()
    return torch.compile(function, dynamic=False, backend=aot_autograd(fw_compiler=compiler))


def _python_profile(call: Callable[[], Any]) -> str:
    """The functions with the most time of their own."""
    profiler, text = cProfile.Profile(), io.StringIO()
    profiler.enable()
    for _ in range(CALLS):
        call()
    profiler.disable()
    pstats.Stats(profiler, stream=text).sort_stats("tottime").print_stats(LINES)
    return text.getvalue()
