"""online-reduction: two reductions of which the second needs the first become one pass over the row.

    m = max over r of x        s = sum over r of exp(x - m)              ->  m, s = softmax over r of x
    t = sum over r of x        q = sum over r of (x - t / n) ** 2        ->  t, q = welford over r of x

(Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018; Welford, 1962.) Register-resident rows are
read once anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, ModuleOp, UnitAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.loop.dialect import IndexOp, KernelOp, ReduceOp, StoreOp, YieldOp
from mlc_dialects.loop.loop_header import MAPPING, MODIFIERS

FIRSTS = ("max", "add")
"""The kinds of first reductions."""


@dataclass(frozen=True)
class OnlineReductionPass(ModulePass):
    """Joins dependent reductions of kernels whose schedule says `online = true`."""

    name = "online-reduction"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp) and kernel.decided("online") is not None:
                if kernel.decided("online"):
                    join_reductions(kernel)
                kernel.carried_out("online")


def join_reductions(kernel: KernelOp) -> bool:
    """Joins all pairs of dependent reductions of `kernel`; True if there was one."""
    joined = False
    while _join_one(kernel):
        joined = True
    return joined


def _join_one(kernel: KernelOp) -> bool:
    """Joins the first such pair; True if there was one."""
    pairs = combinations(reductions(kernel), 2)
    return any(first.size == second.size and _join(first, second) is not first for first, second in pairs)


def reductions(kernel: KernelOp) -> list[ReduceOp]:
    """The reducing loops over the columns of a kernel."""
    return [loop for loop in kernel.rows.loops if isinstance(loop, ReduceOp)]


def _join(first: ReduceOp, second: ReduceOp) -> ReduceOp:
    """`first` joined with what `second` computes from it; `first` itself if there is nothing."""
    for kind, given, (result, *_) in first.parts:
        if kind not in FIRSTS:
            continue
        matches = {"max": _is_exp_sum, "add": _is_square_sum}[kind]
        for other_kind, other, (other_result, *_) in second.parts:
            pair = _Pair(first, second, given, result)
            if other_kind == "add" and matches(pair, other):
                approx = isinstance(other.owner, math.ExpOp) and bool(other.owner.fastmath.data)
                return _joined(first, second, result, other_result, approx)
    return first


@dataclass(frozen=True)
class _Pair:
    """Two loops over the same columns; what the first reduces, and its result."""

    first: ReduceOp
    second: ReduceOp
    given: SSAValue
    result: SSAValue

    def same(self, a: SSAValue, b: SSAValue) -> bool:
        """True if `a` in the first loop and `b` in the second are equal at equal columns."""
        work, seen = [(a, b)], {(a, b)}
        while work:
            pair = work.pop()
            operands = () if self._meet(*pair) else self._operands(*pair)
            if operands is None:
                return False
            work += [both for both in operands if both not in seen]
            seen.update(operands)
        return True

    def _meet(self, a: SSAValue, b: SSAValue) -> bool:
        """True for one value of both loops, and for their indices."""
        return a is b or (a is self.first.index and b is self.second.index)

    @staticmethod
    def _operands(a: SSAValue, b: SSAValue) -> Sequence[tuple[SSAValue, SSAValue]] | None:
        """What has to be equal for `a` and `b` to be; None where they are computed otherwise."""
        x, y = a.owner, b.owner
        if not isinstance(x, Operation) or not isinstance(y, Operation) or type(x) is not type(y) or x.regions:
            return None
        if x.properties != y.properties or len(x.operands) != len(y.operands):
            return None
        if x.results.index(a) != y.results.index(b):  # pyright: ignore[reportArgumentType]
            return None
        return [*zip(x.operands, y.operands, strict=True)]


def _is_exp_sum(pair: _Pair, value: SSAValue) -> bool:
    """value == exp(x - m)"""
    exp = value.owner
    difference = exp.operand.owner if isinstance(exp, math.ExpOp) else None
    return (
        isinstance(difference, arith.SubfOp) and difference.rhs is pair.result and pair.same(pair.given, difference.lhs)
    )


def _is_square_sum(pair: _Pair, value: SSAValue) -> bool:
    """value == (x - t / n) ** 2"""
    square = value.owner
    if not isinstance(square, arith.MulfOp) or square.lhs is not square.rhs:
        return False
    difference = square.lhs.owner
    if not isinstance(difference, arith.SubfOp) or not pair.same(pair.given, difference.lhs):
        return False
    return _is_mean(difference.rhs, pair.result, pair.first)


def _is_mean(value: SSAValue, total: SSAValue, loop: ReduceOp) -> bool:
    """value == total / n, or total * (1 / n), where n is the number of columns."""
    op, count = value.owner, loop.size.constant
    if isinstance(op, arith.DivfOp) and op.lhs is total:
        number = _float(op.rhs)
        return number == count if count is not None else _is_count(op.rhs, loop)
    if isinstance(op, arith.MulfOp) and total in op.operands and count:
        number = _float(op.rhs if op.lhs is total else op.lhs)
        return number is not None and number == FloatAttr(1 / count, total.type).value.data  # pyright: ignore
    return False


def _float(value: SSAValue) -> float | None:
    op = value.owner
    return op.value.value.data if isinstance(op, arith.ConstantOp) and isinstance(op.value, FloatAttr) else None


def _is_count(value: SSAValue, loop: ReduceOp) -> bool:
    """True if `value` is the number of columns as a float."""
    op = value.owner
    inner = op.input.owner if isinstance(op, arith.SIToFPOp) else None
    return isinstance(inner, IndexOp) and inner.result.type == i64 and index_exprs(inner.index) == (loop.size,)


def _joined(first: ReduceOp, second: ReduceOp, result: SSAValue, other_result: SSAValue, approx: bool) -> ReduceOp:
    """Replaces `first` by a loop that also computes `other_result`, which `second` no longer does."""
    pair = {"max": "softmax", "add": "welford"}
    exact = any(kind == "softmax" for kind, _, _ in first.parts) and first.approx is None
    kinds: list[str] = []
    replaced: list[SSAValue] = []
    for kind, _, results in first.parts:
        taken = results[0] is result
        kinds.append(pair[kind] if taken else kind)
        replaced += [*results, other_result] if taken else results
    new = rebuilt(first, kinds, replaced, first.yielded)
    if "softmax" in kinds:
        new.approx = UnitAttr() if approx and not exact else None
    _without(second, other_result)
    return new


def _without(loop: ReduceOp, result: SSAValue) -> None:
    """Removes the reduction with the unused `result` from `loop`."""
    left = [part for part in loop.parts if result not in part[2]]
    if not left and not any(isinstance(op, StoreOp) for op in loop.walk()):
        Rewriter.erase_op(loop)
        return
    rebuilt(
        loop, [kind for kind, _, _ in left], [r for _, _, results in left for r in results], [v for _, v, _ in left]
    )


def rebuilt(loop: ReduceOp, kinds: Sequence[str], results: Sequence[SSAValue], given: Sequence[SSAValue]) -> ReduceOp:
    """`loop` with other kinds, whose results replace `results`."""
    Rewriter.replace_op(loop.end, YieldOp(given, loop.end.condition))
    new = ReduceOp(kinds, loop.size, [r.type for r in results], loop.detach_region(loop.body))
    new.properties |= {name: loop.properties[name] for name in (*MAPPING, *MODIFIERS) if name in loop.properties}
    new.location, new.approx = loop.location, loop.approx
    block = loop.parent
    assert block is not None
    block.insert_op_before(new, loop)
    for old, fresh in zip(results, new.outputs, strict=True):
        fresh.name_hint = old.name_hint
        old.replace_all_uses_with(fresh)
    Rewriter.erase_op(loop)
    return new
