"""Recomputing cheap values in the kernels that read them, where that moves fewer bytes than storing them.

A cast, a bias or a mask that two kernels need is often cheaper to compute in both: each then reads what
the value is computed from, which may be smaller or be read anyway, and nobody writes it. Runs after the
merges: what could be one kernel is one by then.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from mlc_dialects.elementwise_op import ElementwiseOp
from mlc_dialects.iteration import Refusal
from mlc_dialects.tensor_ops import CastOp
from passes.fusion.decision import Decision, op_flops, value_bytes
from passes.fusion.device import Device
from passes.fusion.graph import FusionGraph, Unit
from passes.fusion.policy import FusionPolicy

MAX_OPS = 32
"""Ops of one copy: what a kernel computes beside its own work should stay readable."""


@dataclass(frozen=True)
class Copy:
    """A value that all its readers could compute themselves."""

    value: SSAValue
    ops: tuple[Operation, ...]
    sources: tuple[SSAValue, ...]
    """What the ops read: values that are in memory anyway."""
    readers: tuple[Unit, ...]
    saved: int
    """Bytes less that are moved."""
    flops: int
    """Operations that are done again, in all readers."""

    def pays(self, device: Device) -> bool:
        """True if moving the bytes would take longer than computing the values again."""
        return device.traffic_us(self.saved, value_bytes(self.value)) > device.arithmetic_us(self.flops)


def duplicate(graph: FusionGraph, policy: FusionPolicy) -> None:
    """Lets kernels recompute what they read, the best first, as long as it saves traffic and is legal."""
    values = [v for unit in graph.units if unit.fusible for v in graph.outputs(unit)]
    found = [copy for v in values if (copy := _copy_of(graph, v)) is not None and copy.pays(policy.device)]
    for copy in sorted(found, key=lambda c: -c.saved):
        again = _copy_of(graph, copy.value)
        if again is None or not again.pays(policy.device) or not all(_is_legal(graph, u, again) for u in again.readers):
            continue
        for unit in again.readers:
            graph.copy_into(again.ops, unit)
            unit.iteration = None
            _note(graph, policy, again, unit)
        _drop_unread(graph, again.ops)


def _copy_of(graph: FusionGraph, value: SSAValue) -> Copy | None:
    """How the readers of `value` would do without it; None if one of them must have it in memory."""
    home = graph.unit_of[_owner(value)]
    readers = graph.loaders(value)
    if not readers or not all(unit.fusible for unit in readers) or home in readers:
        return None
    stored = set(graph.outputs(home)) - {value}
    ops: dict[Operation, None] = {}
    sources: dict[SSAValue, None] = {}
    work = [value]
    while work:
        one = work.pop()
        owner = one.owner
        if one is not value and (not graph.computes(home, one) or one in stored):
            if graph.effects.touches(one):
                return None
            sources[one] = None
            continue
        if not isinstance(owner, ElementwiseOp | CastOp) or len(ops) >= MAX_OPS:
            return None
        ops[owner] = None
        work += graph.roots_of(owner)
    saved = _saved(graph, value, tuple(sources), readers)
    flops = len(readers) * sum(op_flops(op) for op in ops)
    return Copy(value, tuple(ops), tuple(sources), tuple(readers), saved, flops)


def _saved(graph: FusionGraph, value: SSAValue, sources: tuple[SSAValue, ...], readers: list[Unit]) -> int:
    """The write and the reads of the value, less what the readers must read instead."""
    size = value_bytes(value)
    extra = sum(value_bytes(s) for unit in readers for s in sources if s not in set(graph.inputs(unit)))
    return size * (1 + len(readers)) - extra


def _is_legal(graph: FusionGraph, unit: Unit, copy: Copy) -> bool:
    """True if one kernel can compute the unit, which somebody reads, and the copy, whose sources are there before."""
    homes = [graph.unit_of[_owner(s)] for s in copy.sources if isinstance(s.owner, Operation)]
    if any(home is not unit and home.label >= unit.label for home in homes):
        return False
    outputs = graph.outputs(unit)
    return bool(outputs) and not isinstance(graph.iterate([*graph.members(unit), *copy.ops], outputs), Refusal)


def _note(graph: FusionGraph, policy: FusionPolicy, copy: Copy, unit: Unit) -> None:
    owner = _owner(copy.value)
    reader = next(r for r in graph.readers(copy.value) if r in unit.ops or r in unit.copies)
    why = f"computed again in each of {len(copy.readers)} kernels: moves {copy.saved} bytes less than storing it"
    decision = Decision(owner, reader, True, why, policy.saved_us(copy.saved))
    graph.decisions.pop((owner, reader), None)
    graph.decisions[owner, reader] = decision


def _drop_unread(graph: FusionGraph, ops: tuple[Operation, ...]) -> None:
    """Takes out of their own kernel the ops that nothing there needs any more."""
    for op in sorted(ops, key=graph.position.__getitem__, reverse=True):
        unit = graph.unit_of[op]
        inside = any(reader in unit.ops for v in op.results for reader in graph.readers(v))
        if op in unit.ops and not inside and not any(graph.loaders(v) for v in op.results):
            graph.drop(op)


def _owner(value: SSAValue) -> Operation:
    assert isinstance(value.owner, Operation)
    return value.owner
