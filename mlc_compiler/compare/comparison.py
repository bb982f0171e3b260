"""One graph under many strategies: the rows that every output form is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from lowering.interpreter.run import find_function
from mlc_compiler.compare.cost import Cost, plan_costs
from mlc_compiler.compare.measurement import Measurement
from mlc_compiler.compare.repeats import Run, kernel_key, runs
from mlc_compiler.compare.sizes import check_sizes, names_of_sizes
from mlc_compiler.execution.report import cost_of
from mlc_compiler.options import CompilerOptions
from mlc_compiler.peers.client import Failure
from mlc_compiler.peers.gpus import GPUS
from mlc_compiler.peers.peer import PEERS, Peer, installed
from mlc_compiler.peers.record import CUT, Cut, Record, compute_edges, plan_of
from mlc_support.errors import MlcError
from mlc_support.parsing import nearest
from mlc_support.python_files import SEPARATOR
from passes.common.device import Device, device_named
from passes.tensor.fusion.plan import (
    EMULATED,
    STRATEGIES,
    Decision,
    Group,
    Knobs,
    Plan,
    op_names,
    plan,
    strategies,
    value_bytes,
)

MOST_LOWERED = 300
BASELINE = "none"
"""The policy that fuses nothing."""
Turned = Mapping[str, Mapping[str, str]]
"""Strategy to option to value; a real compiler is called `real-xla`."""
PEER_KNOBS: dict[str, Callable[[Mapping[str, str]], dict[str, object]]] = {
    "xla": lambda given: {"flags": {k: _value(v) for k, v in given.items()}},
    "tvm": lambda given: {k.replace("-", "_"): _value(v) for k, v in given.items()},
    "inductor": lambda given: {"settings": {k.replace("-", "_"): _value(v) for k, v in given.items()}},
}
"""What a peer's worker is given for its knobs: XLA debug flags, `max-depth`, entries of torch._inductor.config."""


@dataclass(frozen=True)
class Graph:
    """A graph to be compared: a function of `mlc_tensor`, and what it is called."""

    name: str
    module: ModuleOp
    times: int = 1
    """How often it is found in what it comes from."""


@dataclass(frozen=True)
class Strategy:
    """One row: a strategy and the kernels it makes."""

    name: str
    policy: str
    """What it is called on the command line: its name, or FILE.py:NAME."""
    real: bool
    """False for an emulation of another compiler's rules."""
    version: str
    plan: Plan
    codes: tuple[str, ...] = ()
    """The code that a real compiler wrote for each kernel."""
    programs: tuple[str, ...] = ()
    """For each kernel the whole text that its code is a part of; empty where there is none."""
    knobs: Mapping[str, str] = field(default_factory=dict[str, str])
    measured: Measurement | None = None
    """What the clock says; None where nobody asked."""
    extra: int = 0
    """Launches beyond one a kernel: two for a reduction of few rows; below 0 where kernels share launches."""
    cuts: tuple[Cut, ...] = ()
    """Ops that a real compiler was not given: each is a kernel of kind `cut`."""
    python: str = ""
    """The interpreter of a real compiler of another virtual environment."""

    @property
    def launches(self) -> int:
        """How often the host starts a kernel or calls a library."""
        return self.plan.kernels + self.extra

    @property
    def label(self) -> str:
        """The name as it is shown: no two rows share one."""
        emulated = "" if self.real else " emulated"
        turned = "".join(f" {k}={v}" for k, v in self.knobs.items())
        return f"{self.name}{emulated}{turned}"

    @cached_property
    def verdicts(self) -> dict[tuple[Operation, Operation], Decision]:
        """The last verdict on each pair of ops."""
        return {(d.producer, d.consumer): d for d in self.plan.decisions}

    @property
    def remark(self) -> str:
        """What must be known beside its time; empty if nothing, or nobody asked for one."""
        return "" if self.measured is None else self.measured.remark(self.plan.kernels)


@dataclass(frozen=True)
class Comparison:
    """A graph, the device, one row for each strategy, and why some have none."""

    name: str
    module: ModuleOp
    device_name: str
    rows: tuple[Strategy, ...]
    failures: Mapping[str, str]
    times: int = 1
    """How often the graph is found in what it comes from."""
    waiting: tuple[str, ...] = ()
    """The compilers that have not answered yet."""

    @property
    def function(self) -> func.FuncOp:
        return find_function(self.module)

    @property
    def block(self) -> Block:
        return self.function.body.block

    @property
    def device(self) -> Device:
        return device_named(self.device_name)

    @cached_property
    def assumed(self) -> list[str]:
        """Sizes that only the running program tells: they count as ASSUMED_SIZE."""
        return names_of_sizes(r for op in self.block.ops for r in op.results)

    @cached_property
    def ops(self) -> tuple[Operation, ...]:
        """Every op but the return."""
        return tuple(op for op in self.block.ops if not isinstance(op, func.ReturnOp))

    @cached_property
    def names(self) -> dict[Operation, str]:
        """A name for each op."""
        return op_names(self.ops)

    def op(self, name: str) -> Operation:
        """The op of that name. MlcError names a near one."""
        by_name = {n: op for op, n in self.names.items()}
        if name not in by_name:
            near = nearest(name, by_name)
            raise MlcError(f"the graph has no op {name!r}", None, near or f"ops are {', '.join(by_name)}")
        return by_name[name]

    @cached_property
    def costs(self) -> dict[str, tuple[Cost, ...]]:
        """Label of a row to the cost of each of its kernels."""
        return {row.label: plan_costs(row.plan, self.device) for row in self.rows}

    @cached_property
    def runs(self) -> dict[str, tuple[Run, ...]]:
        """Label of a row to its kernels in order: runs of equal layers, and what is not repeated."""
        return {row.label: tuple(runs([kernel_key(g) for g in row.plan.groups])) for row in self.rows}

    @cached_property
    def edges(self) -> tuple[tuple[Operation, Operation], ...]:
        """Pairs of computed ops of which the second reads the first."""
        return tuple(compute_edges(self.block))

    def apart(self, producer: Operation, consumer: Operation) -> list[Strategy]:
        """The strategies that have the two ops in no one kernel."""
        return [row for row in self.rows if not row.plan.together(producer, consumer)]

    @cached_property
    def disputed(self) -> tuple[tuple[Operation, Operation], ...]:
        """The edges that some strategies fuse and others do not; that `none` does not is no dispute between others."""
        voters = [row for row in self.rows if row.policy != BASELINE]
        voters = voters if len(voters) > 1 else list(self.rows)
        fused = {edge: sum(row.plan.together(*edge) for row in voters) for edge in self.edges}
        return tuple(edge for edge, count in fused.items() if 0 < count < len(voters))

    def value_name(self, value: SSAValue) -> str:
        """The name of an input, of a parameter as the user wrote it; else that of the op that computes the value."""
        if not isinstance(value.owner, Operation):
            return value.name_hint or f"arg{self.block.args.index(value)}"
        several = f"[{value.owner.results.index(value)}]" if len(value.owner.results) > 1 else ""
        return f"{self.names[value.owner]}{several}"

    def traffic(self, row: Strategy, group: Group) -> tuple[dict[str, int], dict[str, int]]:
        """What a kernel reads and what it writes: name to bytes, in order of size."""
        sides = row.plan.reads(group), {v: value_bytes(v) for v in row.plan.outputs(group)}
        found = [{self.value_name(v): size for v, size in side.items()} for side in sides]
        reads, writes = (dict(sorted(side.items(), key=lambda item: -item[1])) for side in found)
        return reads, writes

    def predicted_us(self, row: Strategy) -> float:
        """All kernels of a row, one after the other."""
        return sum(cost.us for cost in self.costs[row.label]) + row.extra * self.device.launch_us


def compare(
    name: str,
    module: ModuleOp,
    policies: Sequence[str] = STRATEGIES,
    peers: Sequence[str] = tuple(PEERS),
    device: str = "h200",
    knobs: Turned | None = None,
) -> Comparison:
    """Plans `module`, one function of unfused `mlc_tensor` ops, under every strategy.

    A knob adds a row beside the one it changes. MlcError for a name that is not known, and for sizes without numbers;
    a real compiler that is missing or fails is a failure of the comparison and not an error.
    """
    return compare_all([Graph(name, module)], policies, peers, device, knobs)[0]


def compare_all(
    graphs: Sequence[Graph],
    policies: Sequence[str] = STRATEGIES,
    peers: Sequence[str] = tuple(PEERS),
    device: str = "h200",
    knobs: Turned | None = None,
    heard: Callable[[Sequence[Comparison]], None] = lambda comparisons: None,
) -> list[Comparison]:
    """`compare` for several graphs: each real compiler starts once for all.

    `heard` is called with what is known before each of them is asked, and with all of it at the end.
    """
    given = {strategy: dict(options) for strategy, options in (knobs or {}).items()}
    _check([p for p in policies if SEPARATOR not in p], strategies(), "policy")
    asked = [installed(peer) for peer in dict.fromkeys(peers)]
    _check(tuple(given), (*policies, *(f"real-{p.name}" for p in asked)), "strategy in --knob")
    device_named(device)
    for graph in graphs:
        check_sizes(graph.module)
    found = [_Found(graph, device) for graph in graphs]
    for one in found:
        for policy in policies:
            one.rows += _planned(one.graph.module, policy, device, given)
    for position, peer in enumerate(asked):
        heard([one.comparison(asked[position:]) for one in found])
        for turned in _variants(given, f"real-{peer.name}"):
            for one, answer in zip(found, _asked(graphs, peer, device, turned), strict=True):
                one.hear(peer, answer)
    comparisons = [one.comparison(()) for one in found]
    heard(comparisons)
    return comparisons


@dataclass
class _Found:
    """What is known of a graph so far."""

    graph: Graph
    device: str
    rows: list[Strategy] = field(default_factory=list[Strategy])
    failures: dict[str, str] = field(default_factory=dict[str, str])

    def hear(self, peer: Peer, answer: Strategy | Failure) -> None:
        """What a real compiler says."""
        if isinstance(answer, Failure):
            self.failures[peer.label] = answer.why
        else:
            self.rows.append(answer)

    def comparison(self, waiting: Sequence[Peer]) -> Comparison:
        """The real compiler beside its emulation."""
        order = list(dict.fromkeys(row.policy for row in self.rows))
        rows = tuple(sorted(self.rows, key=lambda row: order.index(row.policy)))
        graph, labels = self.graph, tuple(peer.label for peer in waiting)
        return Comparison(graph.name, graph.module, self.device, rows, dict(self.failures), graph.times, labels)


def _variants(knobs: Turned, strategy: str) -> list[Mapping[str, str]]:
    """As it is, and with its knobs turned."""
    return [{}, knobs[strategy]] if strategy in knobs else [{}]


def turn(policy: str, options: Mapping[str, str], device: str) -> Knobs:
    """The knobs of a policy that the command line spells. MlcError for one that does not exist."""
    kinds = {f.name.replace("_", "-"): f.default for f in fields(Knobs) if f.name != "device"}
    values: dict[str, Any] = {}
    for option, text in options.items():
        if option not in kinds:
            raise MlcError(f"no knob {policy}.{option}", None, nearest(option, kinds) or f"knobs: {', '.join(kinds)}")
        many = isinstance(kinds[option], tuple)
        if not many and not text.isdigit():
            raise MlcError(f"--knob {policy}.{option}={text}: {text!r} is not a number")
        values[option.replace("-", "_")] = tuple(text.split(",")) if many else int(text)
    return Knobs(device=device, **values)


def _planned(module: ModuleOp, policy: str, device: str, knobs: Turned) -> list[Strategy]:
    """The rows of one of our policies."""
    block = find_function(module).body.block
    ours = policy not in EMULATED
    rows: list[Strategy] = []
    for turned in _variants(knobs, policy):
        made = plan(block, policy, turn(policy, turned, device))
        extra = _extra(module, policy, made) if ours and not turned else 0
        own = policy.rpartition(":")[2]  # of FILE.py:NAME
        name = policy if own in STRATEGIES else own
        rows.append(Strategy(name, policy, ours, f"mlc {_version()}", made, knobs=turned, extra=extra))
    return rows


def _extra(module: ModuleOp, policy: str, made: Plan) -> int:
    """How many more launches our own lowering needs; a plan of very many kernels is not lowered to tell."""
    if made.kernels > MOST_LOWERED:
        return 0
    cost = cost_of(module, CompilerOptions(policy=policy, canonicalize=False))
    return cost.launches + cost.calls - made.kernels


def _asked(graphs: Sequence[Graph], peer: Peer, device: str, knobs: Mapping[str, str]) -> Sequence[Strategy | Failure]:
    """The row of a real compiler for each graph."""
    if device not in GPUS:
        return [Failure(f"{peer.name} is not told of the device {device!r}: one of {', '.join(GPUS)}")] * len(graphs)
    settings = PEER_KNOBS[peer.name](knobs) if knobs else None
    records = peer.records([graph.module for graph in graphs], device, settings)
    return [_real(graph.module, record, peer, knobs) for graph, record in zip(graphs, records, strict=True)]


def _real(module: ModuleOp, record: Record | Failure, peer: Peer, knobs: Mapping[str, str]) -> Strategy | Failure:
    if isinstance(record, Failure):
        return record
    made = plan_of(record, find_function(module).body.block)
    codes = tuple("" if k.kind == CUT else k.code for k in record.kernels)
    programs = tuple("" if k.kind == CUT else "".join(record.programs[k.program :][:1]) for k in record.kernels)
    python = peer.python if peer.place else ""
    return Strategy(
        peer.label, peer.name, True, record.version, made, codes, programs, knobs, cuts=record.cuts, python=python
    )


def _value(text: str) -> object:
    """A knob's value: a truth, a number, or text."""
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.lstrip("-").isdigit() else text


def _check(names: Sequence[str], known: Sequence[str], what: str) -> None:
    for name in names:
        if name not in known:
            raise MlcError(f"no {what} {name!r}", None, nearest(name, known) or f"one of {', '.join(known)}")


def _version() -> str:
    try:
        return version("mlc")
    except PackageNotFoundError:
        return "from a checkout"
