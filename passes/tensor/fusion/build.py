"""Rewrites a block into the kernels that were decided: each group becomes a `mlc_tensor.fusion`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from mlc_dialects.common.annotations import REFUSED
from mlc_dialects.tensor.calls import FusionOp, YieldOp
from mlc_dialects.tensor.ops import ReduceOp
from mlc_dialects.tensor.scan import ScanOp
from passes.tensor.fusion.decision import human_bytes, value_bytes
from passes.tensor.fusion.graph import FusionGraph, Unit


def build(graph: FusionGraph, block: Block) -> None:
    """Rewrites `block` unit by unit, groups becoming fusions."""
    Builder(graph, block).run()


class Builder:
    """One rewrite of one block."""

    def __init__(self, graph: FusionGraph, block: Block):
        self.graph = graph
        assert block.last_op is not None
        self.terminator = block.last_op
        self.new: dict[SSAValue, SSAValue] = {}
        """Results to the results of the fusions that replace them."""
        self._waiting: Counter[Operation] = Counter()
        self._unblocks: dict[Operation, list[Operation]] = {}
        self._ready: list[Operation] = []

    def run(self) -> None:
        """Places fusions, calls and views in the order of the units."""
        computed = [op for op, unit in self.graph.unit_of.items() if unit.fusible]
        for op in self.graph.position:
            if self.graph.is_transparent(op):
                self._wait(op)
        for unit in self.graph.units:
            self._place_views()
            if unit.fusible:
                self._fusion(unit)
            elif not self.graph.is_transparent(unit.ops[0]) and unit.ops[0] is not self.terminator:
                self._move(unit.ops[0])
            if not self.graph.is_transparent(unit.ops[0]):
                for op in unit.ops:
                    self._done(op)
        for value, result in self.new.items():
            value.replace_all_uses_with(result)
        self._erase(computed)

    def _wait(self, free: Operation) -> None:
        """A free op stands as early as what it needs allows."""
        needs = self.graph.effects.needs(free)
        self._waiting[free] = len(needs)
        for op in needs:
            self._unblocks.setdefault(op, []).append(free)
        if not needs:
            self._ready.append(free)

    def _done(self, op: Operation) -> None:
        for free in self._unblocks.get(op, ()):
            self._waiting[free] -= 1
            if self._waiting[free] == 0:
                self._ready.append(free)

    def _place_views(self) -> None:
        while self._ready:
            batch, self._ready = sorted(self._ready, key=self.graph.position.__getitem__), []
            for free in batch:
                self._move(free)
                self._done(free)

    def _move(self, op: Operation) -> None:
        op.detach()
        assert self.terminator.parent is not None
        self.terminator.parent.insert_op_before(op, self.terminator)

    def _fusion(self, unit: Unit) -> None:
        """The fusion of `unit`, in front of what is still to come."""
        outputs = self.graph.outputs(unit)
        if not outputs:
            return
        inputs = self.graph.inputs(unit)
        body = self._body(unit, inputs, outputs)
        operands = [self.new.get(v, v) for v in inputs]
        fusion = FusionOp(operands, [v.type for v in outputs], kind_of(unit), why(unit, outputs), Region(body))
        if unit.refused:
            fusion.attributes[REFUSED] = ArrayAttr([StringAttr(r) for r in dict.fromkeys(unit.refused)])
        fusion.location = unit.ops[-1].location
        assert self.terminator.parent is not None
        self.terminator.parent.insert_op_before(fusion, self.terminator)
        for value, result in zip(outputs, fusion.outputs, strict=True):
            result.name_hint = value.name_hint
            self.new[value] = result

    def _body(self, unit: Unit, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Block:
        """The unit's ops and its own copies of what else they need, reading block arguments."""
        body = Block(arg_types=[v.type for v in inputs])
        mapping: dict[SSAValue, SSAValue] = dict(zip(inputs, body.args, strict=True))
        for value, argument in zip(inputs, body.args, strict=True):
            argument.name_hint = value.name_hint
        for op in sorted(self.graph.cone(self.graph.members(unit)), key=self.graph.position.__getitem__):
            clone = op.clone(mapping)
            for result, copied in zip(op.results, clone.results, strict=True):
                copied.name_hint = result.name_hint
            body.add_op(clone)
        body.add_op(YieldOp([mapping[v] for v in outputs]))
        return body

    def _erase(self, computed: Sequence[Operation]) -> None:
        """Removes the ops that fusions have copied, and free ops that nothing reads any more."""
        for op in computed:
            op.detach()
            op.drop_all_references()
        for op in reversed(self.graph.position):
            if self.graph.is_transparent(op) and not any(r.uses for r in op.results):
                Rewriter.erase_op(op)
        for op in computed:
            op.erase(drop_references=False)


def kind_of(unit: Unit) -> str:
    """The label of the unit's kernel."""
    if any(isinstance(op, ScanOp) for op in unit.ops):
        return "scan"
    return "reduction" if any(isinstance(op, ReduceOp) for op in unit.ops) else "pointwise"


def why(unit: Unit, outputs: Sequence[SSAValue]) -> str:
    """The reason of the whole group: the traffic that its inner values would have been."""
    copies = f"; computes {len(unit.copies)} op(s) again instead of reading them" if unit.copies else ""
    if len(unit.ops) == 1:
        return "a single op" + copies
    written = set(outputs)
    inner = [r for op in unit.ops for r in op.results if r not in written]
    total = 2 * sum(value_bytes(v) for v in inner)
    text = f"saves {human_bytes(total)}: {len(inner)} intermediates, each written and read, stay in registers"
    siblings = sum("shared input" in reason for reason in unit.merged)
    return text + (f"; {siblings} sibling(s) read their input once" if siblings else "") + copies
