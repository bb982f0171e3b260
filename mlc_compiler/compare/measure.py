"""Times of the strategies: what each makes of a graph runs in a process of its own.

Our policies and the emulations of others are built by mlc, group by group. XLA and Inductor run what they compile
themselves. All get the same numbers, and their results are compared with those of mlc.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import SSAValue

from lowering.export.aten import aten_source
from lowering.export.attention import drops
from lowering.export.opened import copied, seeds_as_arguments
from lowering.export.stablehlo import stablehlo_text
from lowering.interpreter.run import find_function
from mlc_compiler.compare.comparison import PEER_KNOBS, Comparison, Strategy
from mlc_compiler.compare.measurement import Measurement
from mlc_compiler.peers.client import Answer, Failure, ask
from mlc_compiler.peers.joined import first_line
from mlc_dialects.common.types import BY_TYPE
from mlc_dialects.tensor.calls import ExternOp
from mlc_support.errors import MlcError
from mlc_support.progress import Progress
from passes.tensor.fusion.plan import EMULATED

OURS = "mlc"
"""The policy whose results are compared with."""
SECONDS_A_GRAPH = 300
"""After so long a program counts as one that hangs."""
WORKERS = "mlc_compiler.timing"
EXPORTS: dict[str, Callable[[ModuleOp], str]] = {
    "inductor": lambda module: aten_source(module, attention_draws=True),
    "xla": stablehlo_text,
}
"""The compilers that run what they compile, and what they are given."""
UNTUNED = "TVM is asked how it groups ops; its kernels are fast only after a search for their schedules"
RANDOM = "attention drops weights by numbers that each program draws for itself"
KNOBS = "a program is built with the options of a policy as they are by default"


def measured(comparison: Comparison, device: str = "cuda") -> Comparison:
    """`measured_all` of one graph."""
    return measured_all([comparison], device)[0]


def measured_all(comparisons: Sequence[Comparison], device: str = "cuda") -> list[Comparison]:
    """The comparisons with a Measurement for each strategy.

    A time is the median of calls, the L2 cache flushed before each, in microseconds; on the device "cpu", which is for
    tests, it is wall time. Each strategy has one process for all graphs: a program that crashes or hangs has no time.
    MlcError where there is no CUDA device, or sizes have no number.
    """
    if device == "cuda" and not torch.cuda.is_available():
        raise MlcError("--measure needs a CUDA device", None, "leave it out: times are predicted then")
    rows = list(dict.fromkeys(_Program.of(row) for comparison in comparisons for row in comparison.rows))
    reference = _Program(OURS)
    progress = Progress("measuring", len(rows) + 1, patience=0)
    with TemporaryDirectory(prefix="mlc_measure_") as folder:
        graphs = [_Graph.of(c, device, Path(folder, f"{k}.pt")) for k, c in enumerate(comparisons)]
        found: dict[_Program, list[Measurement]] = {}
        for program in (reference, *(row for row in rows if row != reference)):
            progress.step(program.label)
            found[program] = program.measurements(graphs, writes=program == reference)
    progress.end()
    return [
        replace(c, rows=tuple(replace(row, measured=found[_Program.of(row)][k]) for row in c.rows))
        for k, c in enumerate(comparisons)
    ]


@dataclass(frozen=True)
class _Graph:
    """A graph as every program of it gets it: seeds of random numbers are inputs."""

    comparison: Comparison
    module: ModuleOp
    request: dict[str, Any]
    dropping: int
    """Calls of attention that drop weights: each draws numbers of its own, and results differ from run to run."""

    @staticmethod
    def of(comparison: Comparison, device: str, results: Path) -> _Graph:
        module = copied(comparison.module)
        function = find_function(module)
        seeds_as_arguments(function.body.block)
        function.update_function_type()
        inputs = [_described(argument) for argument in function.body.block.args]
        dropping = sum(isinstance(op, ExternOp) and drops(op) for op in function.body.block.ops)
        request = {"inputs": inputs, "device": device, "results": None if dropping else str(results)}
        return _Graph(comparison, module, request, dropping)


def _described(argument: SSAValue) -> tuple[list[int], str]:
    """Shape and type of an input."""
    assert isinstance(argument.type, TensorType)
    shape = list(argument.type.get_shape())
    if any(size < 0 for size in shape):
        raise MlcError("--measure needs numbers for all sizes", None, "give them: --shapes N=512")
    return shape, BY_TYPE[argument.type.element_type].torch_name


@dataclass(frozen=True)
class _Program:
    """What is built of each graph: by mlc under a policy, or by a real compiler."""

    policy: str
    label: str = OURS
    python: str = ""
    knobs: tuple[tuple[str, str], ...] = ()
    real: bool = False
    """True for a real compiler."""

    @staticmethod
    def of(row: Strategy) -> _Program:
        real = row.real and row.policy in EMULATED
        return _Program(row.policy, row.label, row.python, tuple(row.knobs.items()), real)

    def measurements(self, graphs: Sequence[_Graph], writes: bool) -> list[Measurement]:
        """Its time for each graph; those that it cannot have cost the others nothing."""
        requests = [self._request(graph, writes) for graph in graphs]
        asked = [r for r in requests if not isinstance(r, Failure)]
        answers = iter(self._ask(asked))
        found = [Measurement.of(r if isinstance(r, Failure) else next(answers)) for r in requests]
        return [replace(m, why=m.why or RANDOM) if g.dropping else m for g, m in zip(graphs, found, strict=True)]

    def _ask(self, requests: Sequence[dict[str, Any]]) -> Sequence[Answer]:
        if not requests:
            return ()
        worker = f"{WORKERS}.{self.policy if self.real else OURS}_worker"
        environment = {"JAX_PLATFORMS": requests[0]["device"], "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
        python = {"python": self.python} if self.python else {}
        return ask(worker, requests, environment=environment, seconds=SECONDS_A_GRAPH, **python)

    def _request(self, graph: _Graph, writes: bool) -> dict[str, Any] | Failure:
        """What the worker is asked, or why it is not."""
        if not self.real:
            asked = {**graph.request, "text": str(graph.module), "policy": self.policy, "writes": writes}
            return Failure(KNOBS) if self.knobs else asked
        if self.policy not in EXPORTS:
            return Failure(UNTUNED)
        rows = [row for row in graph.comparison.rows if _Program.of(row) == self]
        if cuts := {cut.callee: cut.why for row in rows for cut in row.cuts}:
            return Failure("it has no program of the whole graph: " + "; ".join(cuts.values()))
        try:
            text = EXPORTS[self.policy](graph.module)
        except MlcError as error:
            return Failure(first_line(error))
        seeds = [([1], "int64")] * graph.dropping if self.policy == "xla" else []  # whose export draws none itself
        asked = {**graph.request, "inputs": [*graph.request["inputs"], *seeds], "text": text}
        return {**asked, **(PEER_KNOBS[self.policy](dict(self.knobs)) if self.knobs else {})}
