"""online-reduction: two reductions of which the second needs the first become one pass over the row.

    m = max over r of x        s = sum over r of exp(x - m)              ->  m, s = softmax over r of x
    m, s = softmax over r of x       o = sum over r of exp(x - m) * v    ->  m, s, o = softmax x, weighted v over r
    t = sum over r of x        q = sum over r of (x - t / n) ** 2        ->  t, q = welford over r of x

(Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018; Welford, 1962.) Register-resident rows are
read once anyway. Where x is a sum itself, a loop inside, the values of a row are never all known at once: then loops
that need nothing of each other are joined too, so that x is computed once. Attention becomes one loop over the keys.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, ModuleOp, UnitAttr, i64
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.loop.dialect import IndexOp, KernelOp, ReduceOp
from passes.loop.reduction.same_iteration import SameIteration, rebuilt, without
from passes.loop.reduction.weighted_sums import join_sums

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
    pairs = [pair for pair in combinations(reductions(kernel), 2) if pair[0].sizes == pair[1].sizes]
    return any(join_sums(*pair) for pair in pairs) or any(_join(*pair) is not pair[0] for pair in pairs)


def reductions(kernel: KernelOp) -> list[ReduceOp]:
    """The reducing loops over the columns of a kernel."""
    return [loop for loop in kernel.rows.loops if isinstance(loop, ReduceOp)]


def _join(first: ReduceOp, second: ReduceOp) -> ReduceOp:
    """`first` joined with what `second` computes from it; `first` itself if there is nothing."""
    same = SameIteration(first, second)
    for kind, given, (result, *_) in first.parts:
        if kind not in FIRSTS:
            continue
        matches = {"max": _is_exp_sum, "add": _is_square_sum}[kind]
        for other_kind, other, (other_result, *_) in second.parts:
            if other_kind == "add" and matches(same, given, result, other):
                approx = isinstance(other.owner, math.ExpOp) and bool(other.owner.fastmath.data)
                return _joined(first, second, result, other_result, approx)
    return first


def _is_exp_sum(same: SameIteration, given: SSAValue, most: SSAValue, value: SSAValue) -> bool:
    """value == exp(x - m)"""
    return same.is_exp(value, given, most)


def _is_square_sum(same: SameIteration, given: SSAValue, total: SSAValue, value: SSAValue) -> bool:
    """value == (x - t / n) ** 2"""
    square = value.owner
    if not isinstance(square, arith.MulfOp) or square.lhs is not square.rhs:
        return False
    difference = square.lhs.owner
    if not isinstance(difference, arith.SubfOp) or not same.equal(given, difference.lhs):
        return False
    return _is_mean(difference.rhs, total, same.first)


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
    without(second, other_result)
    return new
