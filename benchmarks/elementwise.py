"""Elementwise chains against eager, Inductor and the copy bandwidth, in one run on the GPU.

    python -m benchmarks.elementwise [--size 8192] [--json FILE]

Every time is the median of repetitions with the L2 cache flushed in between. "of copy" is the
time a device-to-device copy of as many bytes takes, over the measured time; the bytes are the least
possible: each input read once, each output written once.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
import triton
from triton.testing import do_bench

from lowering.fx_to_tensor import import_callable
from mlc_compiler.executable import compile_imported


@dataclass(frozen=True)
class Result:
    """One case: bytes, seconds by backend, fraction of copy bandwidth by backend, error against float64."""

    name: str
    bytes: int
    seconds: dict[str, float]
    of_copy: dict[str, float]
    error: dict[str, float]


CASES: dict[str, Callable[..., Any]] = {
    "relu(x*2 + 1)": lambda x: torch.relu(x * 2 + 1),
    "relu(x*2 + bias)": lambda x, bias: torch.relu(x * 2 + bias),
    "gelu by hand": lambda x: 0.5 * x * (1 + torch.erf(x * 0.7071067811865476)),
    "silu(x*1.5) - x/4": lambda x: torch.nn.functional.silu(x * 1.5) - x / 4,
    "(x + y) * 0.5": lambda x, y: (x + y) * 0.5,
    "sin and cos": lambda x: (torch.sin(x), torch.cos(x)),
    "tanh(a*x + y) * x": lambda x, y: torch.tanh(0.7 * x + y) * x,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=8192, help="rows and columns of the float32 matrices")
    parser.add_argument("--json", type=Path, help="where to write the results")
    arguments = parser.parse_args()
    copy = copy_bandwidth(arguments.size)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, triton {triton.__version__}")
    print(f"copy of {arguments.size} x {arguments.size} float32: {copy / 1e12:.2f} TB/s, read and written")
    print(f"{'of copy':24}{'eager':>10}{'inductor':>10}{'mlc':>10}")
    results: list[Result] = []
    for name, function in CASES.items():
        result = measure(name, function, arguments.size, copy)
        results.append(result)
        print(f"{name:24}" + "".join(f"{f:>10.3f}" for f in result.of_copy.values()), flush=True)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(report(copy, results), indent=1) + "\n")


def report(copy: float, results: list[Result]) -> dict[str, Any]:
    """What the JSON file holds."""
    command = "python -m benchmarks.elementwise " + " ".join(sys.argv[1:])
    versions = {
        "torch": torch.__version__,
        "triton": triton.__version__,
        "device": torch.cuda.get_device_name(),
    }
    return {
        "command": command,
        **versions,
        "copy_bytes_per_second": copy,
        "cases": [asdict(r) for r in results],
    }


def measure(name: str, function: Callable[..., Any], size: int, copy: float) -> Result:
    """Checks and times one case on every backend."""
    count = function.__code__.co_argcount
    inputs = [torch.randn(size, size, device="cuda") for _ in range(count)]
    if "bias" in function.__code__.co_varnames:
        inputs[1] = torch.randn(size, device="cuda")
    compiled = compile_imported(import_callable(function, inputs))
    torch._dynamo.reset()
    backends: dict[str, Callable[[], Any]] = {
        "eager": lambda: function(*inputs),
        "inductor": lambda compiled=torch.compile(function): compiled(*inputs),
        "mlc": lambda: compiled(*inputs),
    }
    exact = leaves(function(*(x.double() for x in inputs)))
    error = {n: max(map(difference, leaves(run()), exact)) for n, run in backends.items()}
    moved = sum(t.numel() * t.element_size() for t in (*inputs, *leaves(function(*inputs))))
    seconds = {n: seconds_of(run) for n, run in backends.items()}
    return Result(name, moved, seconds, {n: moved / copy / s for n, s in seconds.items()}, error)


def copy_bandwidth(size: int) -> float:
    """Bytes a second, read plus written, of a copy of a float32 matrix."""
    source = torch.randn(size, size, device="cuda")
    target = torch.empty_like(source)
    return 2 * source.numel() * source.element_size() / seconds_of(lambda: target.copy_(source))


def seconds_of(run: Callable[[], Any]) -> float:
    """The median time of `run`, the L2 cache flushed before each repetition."""
    return do_bench(run, warmup=30, rep=200, return_mode="median") * 1e-3


def leaves(value: Any) -> list[torch.Tensor]:
    return list(value) if isinstance(value, tuple | list) else [value]


def difference(value: torch.Tensor, exact: torch.Tensor) -> float:
    """The norm of the error over the norm of the exact value."""
    return float((value.double() - exact).norm() / exact.norm())


if __name__ == "__main__":
    main()
