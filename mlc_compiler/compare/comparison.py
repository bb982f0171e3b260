"""One graph under many strategies: the rows that every output form is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from lowering.interpreter.run import find_function
from mlc_compiler.compare.cost import Cost, kernel_cost
from mlc_compiler.execution.report import cost_of
from mlc_compiler.options import CompilerOptions
from mlc_compiler.peers.client import Failure
from mlc_compiler.peers.gpus import GPUS
from mlc_compiler.peers.peer import PEERS
from mlc_compiler.peers.record import plan_of
from mlc_support.errors import MlcError
from mlc_support.parsing import nearest
from passes.common.device import Device, device_named
from passes.tensor.fusion.plan import EMULATED, STRATEGIES, Decision, Knobs, Plan, op_names, plan, strategies

MOST_LOWERED = 300
Turned = Mapping[str, Mapping[str, str]]
"""Strategy to option to value; a real compiler is called `real-xla`."""
PEER_KNOBS: dict[str, Callable[[Mapping[str, str]], dict[str, object]]] = {
    "xla": lambda given: {"flags": {k: _value(v) for k, v in given.items()}},
    "tvm": lambda given: {k.replace("-", "_"): _value(v) for k, v in given.items()},
    "inductor": lambda given: {"settings": {k.replace("-", "_"): _value(v) for k, v in given.items()}},
}
"""What a peer's worker is given for its knobs: XLA debug flags, `max-depth`, entries of torch._inductor.config."""


@dataclass(frozen=True)
class Strategy:
    """One row: a strategy and the kernels it makes."""

    name: str
    real: bool
    """False for an emulation of another compiler's rules."""
    version: str
    plan: Plan
    codes: tuple[str, ...] = ()
    """The code that a real compiler wrote for each kernel."""
    knobs: Mapping[str, str] = field(default_factory=dict[str, str])
    measured_us: float | None = None
    extra: int = 0
    """Launches beyond one a kernel: two for a reduction of few rows; below 0 where kernels share launches."""

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


@dataclass(frozen=True)
class Comparison:
    """A graph, the device, one row for each strategy, and why some have none."""

    name: str
    module: ModuleOp
    device_name: str
    rows: tuple[Strategy, ...]
    failures: Mapping[str, str]

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
        return {row.label: tuple(kernel_cost(row.plan, g, self.device) for g in row.plan.groups) for row in self.rows}

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

    A knob adds a row beside the one it changes. MlcError for a name that is not known; a real compiler
    that is missing or fails is a failure of the comparison and not an error.
    """
    given = {strategy: dict(options) for strategy, options in (knobs or {}).items()}
    _check(policies, strategies(), "policy")
    _check(peers, tuple(PEERS), "peer")
    _check(tuple(given), (*policies, *(f"real-{p}" for p in peers)), "strategy in --knob")
    device_named(device)
    rows: list[Strategy] = []
    failures: dict[str, str] = {}
    for policy in policies:
        rows += _planned(module, policy, device, given)
    for peer in peers:
        for turned in _variants(given, f"real-{peer}"):
            found = _asked(module, peer, device, turned)
            if isinstance(found, Failure):
                failures[peer] = found.why
            else:
                rows.append(found)
    order = {strategy: position for position, strategy in enumerate(dict.fromkeys((*policies, *peers)))}
    rows.sort(key=lambda row: order[row.name])  # the real compiler beside its emulation
    return Comparison(name, module, device, tuple(rows), failures)


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
        rows.append(Strategy(policy, ours, f"mlc {_version()}", made, knobs=turned, extra=extra))
    return rows


def _extra(module: ModuleOp, policy: str, made: Plan) -> int:
    """How many more launches our own lowering needs; a plan of very many kernels is not lowered to tell."""
    if made.kernels > MOST_LOWERED:
        return 0
    cost = cost_of(module, CompilerOptions(policy=policy, canonicalize=False))
    return cost.launches + cost.calls - made.kernels


def _asked(module: ModuleOp, peer: str, device: str, knobs: Mapping[str, str]) -> Strategy | Failure:
    """The row of a real compiler."""
    if device not in GPUS:
        return Failure(f"{peer} is not told of the device {device!r}: one of {', '.join(GPUS)}")
    record = PEERS[peer].records([module], device, PEER_KNOBS[peer](knobs) if knobs else None)[0]
    if isinstance(record, Failure):
        return record
    made = plan_of(record, find_function(module).body.block)
    return Strategy(peer, True, record.version, made, tuple(k.code for k in record.kernels), knobs)


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
