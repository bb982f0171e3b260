"""Two loops over the same columns: which of their values are equal, and one loop in the place of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, math
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from mlc_dialects.loop.dialect import ReduceOp, StoreOp, YieldOp
from mlc_dialects.loop.loop_header import MAPPING, MODIFIERS
from mlc_dialects.loop.products import computed_for, read_by
from mlc_support.walks import walk

Both = tuple[SSAValue, SSAValue]


@dataclass(frozen=True)
class SameIteration:
    """Two loops over the same columns, at equal columns."""

    first: ReduceOp
    second: ReduceOp

    def equal(self, a: SSAValue, b: SSAValue) -> bool:
        """True if `a` in the first loop and `b` in the second are equal."""
        met: set[Both] = {*zip(self.first.indices, self.second.indices, strict=True)}
        work, seen = [(a, b)], {(a, b)}
        while work:
            pair = work.pop()
            operands = () if pair[0] is pair[1] or pair in met else _operands(*pair, met)
            if operands is None:
                return False
            work += [both for both in operands if both not in seen]
            seen.update(operands)
        return True

    def is_exp(self, value: SSAValue, x: SSAValue, most: SSAValue) -> bool:
        """True if `value` in the second loop is exp(x - most), with `x` as in the first."""
        exp = value.owner
        difference = exp.operand.owner if isinstance(exp, math.ExpOp) else None
        return isinstance(difference, arith.SubfOp) and difference.rhs is most and self.equal(x, difference.lhs)

    def adopt(self, values: Sequence[SSAValue]) -> list[SSAValue] | None:
        """`values` of the second loop as the first one computes them too, at the end of its body.

        None where they need results of the first loop, or what an op behind it computes from those.
        """
        block, needed = self.first.parent, computed_for(values, self.second)
        late = _behind([*values, *(v for op in needed for v in read_by(op))], self.first)
        if block is None or late is None:
            return None
        for op in late:
            op.detach()
            block.insert_op_before(op, self.first)
        known: dict[SSAValue, SSAValue] = dict(zip(self.second.indices, self.first.indices, strict=True))
        mine = [v for op in self.first.body.block.ops for v in op.results]
        for op in needed:
            self._adopt(op, known, mine)
        return [known.get(v, v) for v in values]

    def _adopt(self, op: Operation, known: dict[SSAValue, SSAValue], mine: Sequence[SSAValue]) -> None:
        """Tells `known` what the results of `op` are in the first loop: one of `mine`, or computed at its end."""
        equals = [next((v for v in mine if self.equal(v, result)), None) for result in op.results]
        same = [v for v in equals if v is not None]
        if len(same) == len(op.results):
            known.update(zip(op.results, same, strict=True))
            return
        copy = op.clone(known)
        copy.location = op.location
        for old, new in zip(op.results, copy.results, strict=True):
            new.name_hint = old.name_hint
        self.first.body.block.insert_op_before(copy, self.first.end)


def is_alike(a: Operation, b: Operation) -> bool:
    """True for ops that would compute the same of the same operands, regions aside."""
    same = type(a) is type(b) and a.properties == b.properties and a.result_types == b.result_types
    return same and len(a.operands) == len(b.operands)


def _operands(a: SSAValue, b: SSAValue, met: set[Both]) -> Sequence[Both] | None:
    """What has to be equal for `a` and `b` to be; None where they are computed otherwise. `met` are equal indices."""
    x, y = a.owner, b.owner
    if not isinstance(x, Operation) or not isinstance(y, Operation) or not is_alike(x, y):
        return None
    if x.results.index(a) != y.results.index(b):  # pyright: ignore[reportArgumentType]
        return None
    operands = [*zip(x.operands, y.operands, strict=True)]
    if not x.regions:
        return operands
    if not isinstance(x, ReduceOp) or not isinstance(y, ReduceOp) or (x.end.condition or y.end.condition) is not None:
        return None
    met.update(zip(x.indices, y.indices, strict=True))
    return [*operands, *zip(x.yielded, y.yielded, strict=True)]


def _behind(values: Sequence[SSAValue], loop: ReduceOp) -> list[Operation] | None:
    """The ops behind `loop`, in its block, that compute `values`, in order; None if one of them needs the loop."""
    block = loop.parent
    assert block is not None
    later = _after(loop, block)
    found: set[Operation] = set()
    work = list(values)
    while work:
        owner = work.pop().owner
        if owner is loop:
            return None
        if isinstance(owner, Operation) and owner in later and owner not in found:
            found.add(owner)
            work.extend(read_by(owner))
    return None if any(isinstance(op, StoreOp) for op in found) else [op for op in later if op in found]


def _after(op: Operation, block: Block) -> dict[Operation, None]:
    """The ops of `block` behind `op`."""
    ops = list(block.ops)
    return dict.fromkeys(ops[ops.index(op) + 1 :])


def without(loop: ReduceOp, result: SSAValue) -> None:
    """Removes the reduction with the unused `result` from `loop`."""
    left = [part for part in loop.parts if result not in part[2]]
    if not left and not any(isinstance(op, StoreOp) for op in walk(loop)):
        Rewriter.erase_op(loop)
        return
    rebuilt(
        loop, [kind for kind, _, _ in left], [r for _, _, results in left for r in results], [v for _, v, _ in left]
    )


def rebuilt(loop: ReduceOp, kinds: Sequence[str], results: Sequence[SSAValue], given: Sequence[SSAValue]) -> ReduceOp:
    """`loop` with other kinds, whose results replace `results`."""
    Rewriter.replace_op(loop.end, YieldOp(given, loop.end.condition))
    new = ReduceOp(kinds, loop.sizes, [r.type for r in results], loop.detach_region(loop.body))
    new.properties |= {name: loop.properties[name] for name in (*MAPPING, *MODIFIERS) if name in loop.properties}
    new.location, new.approx, new.tf32 = loop.location, loop.approx, loop.tf32
    block = loop.parent
    assert block is not None
    block.insert_op_before(new, loop)
    for old, fresh in zip(results, new.outputs, strict=True):
        fresh.name_hint = old.name_hint
        old.replace_all_uses_with(fresh)
    Rewriter.erase_op(loop)
    return new
