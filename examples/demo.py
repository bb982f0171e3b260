"""`make demo`: compiles the functions of the fusion literature and a transformer block, and shows every step.

python -m examples.demo [--device cpu|cuda] [--only NAME] [--brief]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from xdsl.dialects.builtin import ModuleOp

from examples.functions import EXAMPLES, Example
from examples.gpt import Block
from lowering.fx_to_tensor import import_callable
from mlc_compiler.execution.executable import Executable, compile_imported
from mlc_compiler.execution.report import cost_of, reasons
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from passes.tensor.fusion.decision import human_bytes

UNFUSED = CompilerOptions(policy="none")
LEVELS = ("tensor", "fused", "cpu", "loop", "triton", "source")
"""What is shown of a function: the loops for a CPU, and all that leads to Triton."""


class Clock:
    """Adds up seconds by the name of what they were spent on."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def time(self, name: str) -> Iterator[None]:
        """Counts the body's time for `name`."""
        start = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

    def summary(self) -> str:
        """One line: where the time went."""
        total = sum(self.seconds.values())
        return f"time {total:.1f} s: " + ", ".join(f"{name} {s:.1f}" for name, s in self.seconds.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = "cuda" if torch.cuda.is_available() else "cpu"
    parser.add_argument(
        "--device",
        default=default,
        help="where kernels run: cpu is machine code, or Triton's interpreter with MLC_CPU=interpret",
    )
    parser.add_argument("--only", help="only the example whose name contains this")
    parser.add_argument("--brief", action="store_true", help="no IR and no kernels, only the numbers")
    arguments = parser.parse_args()
    clock = Clock()
    rows = [
        show(example, arguments.device, arguments.brief, clock)
        for example in EXAMPLES
        if arguments.only is None or arguments.only in example.name
    ]
    if arguments.only is None or arguments.only in "transformer block":
        rows += show_block(arguments.device, arguments.brief, clock)
    print(banner("summary"))
    print(f"{'':34}{'launches':>16}{'bytes moved':>24}{'error':>12}")
    for row in rows:
        print(row)
    print(clock.summary())


def show(example: Example, device: str, brief: bool, clock: Clock) -> str:
    """Compiles and runs one function, prints every level, and gives its line of the summary."""
    print(banner(f"{example.name}: {example.point}"))
    inputs = example.inputs(device)
    with clock.time("import"):
        imported = import_callable(example.function, inputs)
    levels = {level: lower_to(imported.module.clone(), level) for level in LEVELS}
    before, after = cost_of(imported.module, UNFUSED), cost_of(imported.module)
    with clock.time("compile"):
        executable = compile_imported(imported)
    with clock.time("run"):
        result = imported.rebuild(executable(*inputs))
    if not brief:
        for level, module in levels.items():
            print(f"\n--- {level}\n{module!s}")
    fused = levels["fused"]
    assert isinstance(fused, ModuleOp)
    print("--- why\n" + "\n".join(reasons(fused)))
    error = largest_error(result, example.function(*inputs))
    return summary_line(example.name, before, after, error)


def show_block(device: str, brief: bool, clock: Clock) -> list[str]:
    """Trains one step of a transformer block through torch.compile, and compares output and gradients."""
    print(banner("transformer block, forward and backward, through torch.compile"))
    torch.manual_seed(0)
    block = Block().to(device)
    x = torch.randn(2, 32, 64, device=device, requires_grad=True)
    costs: list[tuple[str, Any, Any]] = []
    compiled = torch.compile(block, backend=partial(compile_graph_module, observe=partial(note, costs, brief)))
    with clock.time("transformer block"):
        result = run(compiled, block, x)
    expected = run(block, block, x)
    errors = {
        "forward": largest_error(result[:1], expected[:1]),
        "backward": largest_error(result[1:], expected[1:]),
    }
    return [
        summary_line(f"transformer block {name}", before, after, error)
        for (_, before, after), (name, error) in zip(costs, errors.items(), strict=True)
    ]


def note(costs: list[tuple[str, Any, Any]], brief: bool, module: ModuleOp, _: Executable) -> None:
    """Keeps the costs of one graph that torch.compile hands over, and shows its program."""
    costs.append((module.name, cost_of(module, UNFUSED), cost_of(module)))
    if not brief:
        print(lower_to(module.clone(), "source"))
    fused = lower_to(module.clone(), "fused")
    assert isinstance(fused, ModuleOp)
    print("--- why\n" + "\n".join(reasons(fused)))


def run(model: Callable[[torch.Tensor], torch.Tensor], block: torch.nn.Module, x: torch.Tensor) -> list[torch.Tensor]:
    """The output of one step, then the gradients of the input and of every parameter."""
    block.zero_grad()
    x.grad = None
    y = model(x)
    (y * y).sum().backward()
    gradients = [x.grad, *(p.grad for p in block.parameters())]
    return [y.detach(), *(g.clone() for g in gradients if g is not None)]


def largest_error(result: Any, expected: Any) -> float:
    """The greatest difference, relative to the greatest expected value."""
    pairs = list(zip(torch.utils._pytree.tree_leaves(result), torch.utils._pytree.tree_leaves(expected), strict=True))
    scale = max(float(e.abs().max()) for _, e in pairs)
    return max(float((r.double() - e.double()).abs().max()) for r, e in pairs) / scale


def summary_line(name: str, before: Any, after: Any, error: float) -> str:
    """Launches (and library calls) and bytes, unfused and fused, and the error against eager."""
    calls = f" +{after.calls}" if after.calls else ""
    launches = f"{before.launches} -> {after.launches}{calls}"
    moved = f"{human_bytes(before.bytes)} -> {human_bytes(after.bytes)}"
    return f"{name:34}{launches:>16}{moved:>24}{error:>12.1e}"


def banner(title: str) -> str:
    return f"\n{'=' * 100}\n{title}\n{'=' * 100}"


if __name__ == "__main__":
    main()
