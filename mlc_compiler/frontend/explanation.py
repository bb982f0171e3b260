"""`explain(model, *inputs)`: graphs, graph breaks, kernels by the user's lines, and what libraries compute, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch._dynamo.backends.debugging import ExplainWithBackend
from torch.utils._pytree import tree_leaves

from mlc_compiler.frontend.account import Account, traffic
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.options import CompilerOptions


@dataclass(frozen=True)
class Break:
    """A place where Dynamo ends a graph, and runs what follows in Python."""

    why: str
    line: str
    """The user's, as `model.py:12  print(x.sum())`."""


@dataclass(frozen=True)
class Explanation:
    """What `explain` found; `print` shows it."""

    graphs: tuple[Account, ...]
    breaks: tuple[Break, ...]

    def __str__(self) -> str:
        return "\n".join(line for part in (*map(_graph, self.graphs), self._breaks()) for line in part)

    def _breaks(self) -> Iterator[str]:
        yield f"{len(self.breaks)} graph break(s)"
        for found in self.breaks:
            yield from (f"  {found.why}", f"      {found.line}")


def explain(
    model: Callable[..., Any], *inputs: Any, options: CompilerOptions | dict[str, Any] | None = None
) -> Explanation:
    """How mlc compiles `model(*inputs)`, which runs once, and its gradients where a result has some.

    Gradients are computed and dropped: `.grad` of parameters stays as it is. `options` are those of `torch.compile`.
    """
    graphs: list[Account] = []
    backend = ExplainWithBackend(partial(compile_graph_module, options=options, tell=graphs.append))  # pyright: ignore[reportArgumentType]
    results = tree_leaves(torch.compile(model, backend=backend)(*inputs))
    with_gradients = [r for r in results if isinstance(r, torch.Tensor) and r.requires_grad]
    if with_gradients:
        leaves = [*getattr(model, "parameters", list)(), *tree_leaves(inputs)]
        wanted = [x for x in leaves if isinstance(x, torch.Tensor) and x.requires_grad]
        ones = [torch.ones_like(r) for r in with_gradients]
        torch.autograd.grad(with_gradients, wanted, ones, allow_unused=True)
    return Explanation(tuple(graphs), tuple(map(_break, backend.break_reasons)))


def _break(found: Any) -> Break:
    """The innermost line of the user's, and the first line of Dynamo's reason."""
    frames = list(found.user_stack)
    line = f"{frames[-1].filename.rsplit('/', 1)[-1]}:{frames[-1].lineno}  {frames[-1].line}" if frames else "?"
    return Break(next(iter(str(found.reason).strip().splitlines()), "?"), line)


def _graph(graph: Account) -> Iterator[str]:
    launches, calls = sum(k.launches for k in graph.kernels), sum(c.count for c in graph.calls)
    yield f"{graph.name}: {launches} launch(es) of {len(graph.kernels)} kernel(s), {calls} call(s) of libraries"
    for kernel in graph.kernels:
        yield f"  kernel {kernel.name}: {traffic(kernel)}"
        yield from (f"      {line}" for line in kernel.lines)
    for call in graph.calls:
        yield f"  {call.count} x {call.callee}: {call.why}"
        yield from (f"      {line}" for line in call.lines)
    for fusion in graph.fusions:
        yield f"  fused {fusion.name}: {fusion.kind}, {fusion.ops} op(s): {fusion.why}"
        yield from (f"      not fused {refusal}" for refusal in fusion.refused)
