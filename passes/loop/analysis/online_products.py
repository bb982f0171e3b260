"""Products that follow each other in one kernel, as loops have them.

    for each b, i, n:  m, s, o = softmax x, weighted v over j,   x = f(sum over k of q(b, i, k) * k(b, j, k), b, i, j)

The scores x are sums in a loop over the keys j, in which the maximum, the sum and the weighted sums are online.

    for each b, i, j:  s = sum over a of f(sum over k of q(a, b, i, k) * k(a, b, j, k), a, b, i, j)

Here scores of a part of the batch are added up one by one, as for the gradient of a bias that they have in common.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, starmap

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.common.reduction_kinds import WEIGHTED
from mlc_dialects.common.types import byte_size, is_half
from mlc_dialects.loop.dialect import IndexOp, KernelOp, LoadOp, LoopOp, ParallelOp, ReduceOp
from mlc_dialects.loop.products import depends_on, factors_in, narrowed
from mlc_support.index_expr import IndexExpr, integer, product, variable
from mlc_support.index_maps import assumed, constants, divided_by
from mlc_support.walks import walk
from passes.common.online_tiling import WIDEST, OnlineSizes
from passes.loop.analysis.contraction import Sides, sides_of, width_of_factors

AXIS, WITHIN = "axis", "within"
"""What expressions call an axis of the batch, and the place among those of its iterations that read the same."""


@dataclass(frozen=True)
class OnlineProducts:
    """The loop over the keys, and the axes of the kernel by what depends on them."""

    loop: ReduceOp
    batch: tuple[int, ...]
    """Those that rows and keys depend on."""
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    """Those that only what is summed depends on."""
    sizes: OnlineSizes
    of_keys: tuple[SSAValue, ...]
    """The factors that depend on keys."""


def online_products_of(kernel: KernelOp) -> OnlineProducts | None:
    """The kernel as such; None where it is none. How deep products are, and how many columns there are, is known."""
    loop = _over_keys(kernel)
    scores = [] if loop is None else [op for op in loop.body.block.ops if isinstance(op, ReduceOp)]
    sides = _all_sides(loop, scores)
    if loop is None or not sides:
        return None
    (of_rows, of_keys), indices = zip(*sides, strict=True), kernel.rows.indices
    columns = _columns(loop, indices)
    summed = _summed(loop, indices, columns)
    shared = {*_axes([*of_keys, *summed], indices), *columns}
    rows = tuple(d for d in _axes(of_rows, indices) if d not in shared)
    batch = tuple(d for d in range(len(indices)) if d not in rows + columns)
    factors = [*chain.from_iterable(starmap(narrowed, sides)), *summed]
    sizes = _sizes(kernel, (batch, rows, columns), loop, scores, factors)
    return None if sizes is None else OnlineProducts(loop, batch, rows, columns, sizes, (*of_keys, *summed))


@dataclass(frozen=True)
class BatchSum:
    """The loop that adds up scores, and the axes of the kernel by what the factors of these depend on."""

    loop: ReduceOp
    sides: Sides
    sizes: OnlineSizes


def batch_sum_of(kernel: KernelOp) -> BatchSum | None:
    """The kernel as such; None where it is none, or sizes are not known."""
    loop = _over_keys(kernel)
    if loop is None or [kind.data for kind in loop.kinds] != ["add"]:
        return None
    scores = [op for op in loop.body.block.ops if isinstance(op, ReduceOp)]
    sides = _common_sides(scores, kernel) if all(map(_adds_products, scores)) else None
    sizes = None if sides is None else _sizes_of_sum(kernel, loop, scores, sides)
    return None if sides is None or sizes is None else BatchSum(loop, sides, sizes)


def _common_sides(scores: Sequence[ReduceOp], kernel: KernelOp) -> Sides | None:
    """The axes of the factors of all `scores`; None where a factor has rows and columns, or an axis has no factor."""
    sides = [found for op in scores if (found := sides_of(op, kernel.rows.indices)) is not None]
    batch = set[int]().union(*(found.batch for found in sides))
    rows = set[int]().union(*(found.rows for found in sides)) - batch
    columns = set[int]().union(*(found.columns for found in sides)) - batch
    known = len(sides) == len(scores) and len(batch | rows | columns) == len(kernel.rows.sizes)
    if not known or not rows or rows & columns:
        return None
    return Sides(tuple(sorted(rows)), tuple(sorted(columns)), tuple(sorted(batch)))


def _sizes_of_sum(kernel: KernelOp, loop: ReduceOp, scores: Sequence[ReduceOp], sides: Sides) -> OnlineSizes | None:
    """The sizes of the products; None where they are not known, or too deep to be held."""
    counts = [product(kernel.rows.sizes[d] for d in own) for own in (sides.batch, sides.rows, sides.columns)]
    known = constants([*counts, loop.size, *(op.size for op in scores)])
    if known is None or max(known[4:]) > WIDEST:
        return None
    batch, rows, columns, added, *depths = known
    width, tf32 = max(map(width_of_factors, scores)), _is_tf32(loop, scores, sums=False)
    return OnlineSizes(batch, rows, columns, tuple(depths), 0, width, _pointwise(loop), tf32=tf32, added=added)


def _adds_products(loop: ReduceOp) -> bool:
    """True for a sum of products, without loops inside."""
    sums = [kind.data for kind in loop.kinds] == ["add"] and _is_plain(loop) and not loop.loops
    return sums and isinstance(loop.yielded[0].owner, arith.MulfOp)


def shared_heads(kernel: KernelOp, found: OnlineProducts) -> tuple[int, int] | None:
    """An axis of the batch, of which so many neighbours read the same keys, as heads do; None without one."""
    for axis in found.batch:
        index, size = kernel.rows.indices[axis], kernel.rows.sizes[axis]
        places = [place for value in found.of_keys for place in _places(value, index)]
        divisors = set[int]().union(*(divided_by(place, [AXIS]) for place in places))
        for count in sorted(divisors, reverse=True):
            head = variable(AXIS, size // count) * count + variable(WITHIN, integer(count))
            same = all(v.name != WITHIN for p in places for v in p.substitute({AXIS: head}).variables())
            if (size % count).constant == 0 and same:
                return axis, count
    return None


def _places(value: SSAValue, index: SSAValue) -> Iterator[IndexExpr]:
    """The expressions in `AXIS`, which stands for `index`, by which what `value` is computed of is read."""
    work, seen = [value], set[SSAValue]()
    while work:
        op = (current := work.pop()).owner
        if current in seen or not isinstance(op, Operation):
            continue
        seen.add(current)
        if isinstance(op, LoadOp | IndexOp):
            names = {operand_name(k): variable(AXIS) for k, v in enumerate(op.indices) if v is index}
            yield from (expr.substitute(names) for expr in index_exprs(op.index)) if names else ()
        work += op.operands


def nested_loop(kernel: KernelOp) -> ReduceOp | None:
    """A loop of an unscheduled kernel that reduces inside another such loop."""
    loops = [op for op in walk(kernel) if isinstance(op, ReduceOp) and isinstance(op.parent_op(), ReduceOp)]
    return loops[0] if loops and kernel.warps is None else None


def _over_keys(kernel: KernelOp) -> ReduceOp | None:
    """The one loop over the columns of an unscheduled kernel, if it reduces along one axis, with loops inside."""
    outer = [op for op in kernel.body.block.ops if isinstance(op, ParallelOp)]
    mapped = any(isinstance(op, LoopOp) and op.is_mapped for op in walk(kernel))
    if kernel.warps is not None or len(outer) != 1 or mapped or len(outer[0].loops) != 1:
        return None
    (loop,) = outer[0].loops
    return loop if isinstance(loop, ReduceOp) and loop.loops and _is_plain(loop) else None


def _is_plain(loop: ReduceOp) -> bool:
    """True for a loop along one axis, without a condition, whose reductions need no place or count of an iteration."""
    counts = any(kind.data.startswith("arg") or kind.data == "welford" for kind in loop.kinds)
    return not counts and len(loop.indices) == 1 and loop.end.condition is None


def _all_sides(loop: ReduceOp | None, scores: Sequence[ReduceOp]) -> list[tuple[SSAValue, SSAValue]]:
    """The factors of all `scores`; none where one is no product of a row and a key."""
    sides = [] if loop is None else [found for op in scores if (found := _sides(op, loop.index)) is not None]
    return sides if len(sides) == len(scores) else []


def _sides(loop: ReduceOp, key: SSAValue) -> tuple[SSAValue, SSAValue] | None:
    """The factors of a sum of products: the one that does not depend on the key, and the one that does."""
    term = loop.yielded[0].owner
    if not _adds_products(loop) or not isinstance(term, arith.MulfOp):
        return None
    for one, other in ((term.lhs, term.rhs), (term.rhs, term.lhs)):
        if not depends_on(one, key) and depends_on(other, key):
            return one, other
    return None


def _columns(loop: ReduceOp, indices: Sequence[SSAValue]) -> tuple[int, ...]:
    """The axes that nothing depends on but what is summed: not the scores, nor what else is made of them."""
    multiplied = [v for kind, v, _ in loop.parts if is_multiplied(kind, v)]
    others = [v for _, v, _ in loop.parts if v not in multiplied]
    scores = [result for op in loop.loops for result in op.results]
    factors = [f for v in multiplied for f in factors_in(v)]
    taken = _axes([*others, *_depending(factors, scores), *scores], indices)
    return tuple(d for d in _axes(multiplied, indices) if d not in taken and _is_of_factor(multiplied, indices[d]))


def is_multiplied(kind: str, value: SSAValue) -> bool:
    """True for what a kernel may sum as a product of blocks: with weights, or a product itself."""
    return kind == WEIGHTED or (kind == "add" and isinstance(value.owner, arith.MulfOp))


def _is_of_factor(values: Sequence[SSAValue], index: SSAValue) -> bool:
    """True if every value is a product of which only one factor depends on `index`."""
    return all(sum(depends_on(f, index) for f in factors_in(v)) <= 1 for v in values)


def _summed(loop: ReduceOp, indices: Sequence[SSAValue], columns: Sequence[int]) -> list[SSAValue]:
    """The factors that depend on columns."""
    every = [f for kind, v, _ in loop.parts if is_multiplied(kind, v) for f in factors_in(v)]
    return _depending(every, [indices[d] for d in columns])


def _depending(values: Sequence[SSAValue], on: Sequence[SSAValue]) -> list[SSAValue]:
    """Those of `values` that depend on any value of `on`."""
    return [v for v in values if any(depends_on(v, one) for one in on)]


def _axes(values: Sequence[SSAValue], indices: Sequence[SSAValue]) -> tuple[int, ...]:
    """The axes that any of `values` depends on."""
    return tuple(d for d, index in enumerate(indices) if any(depends_on(v, index) for v in values))


def _sizes(
    kernel: KernelOp,
    axes: tuple[tuple[int, ...], ...],
    loop: ReduceOp,
    scores: Sequence[ReduceOp],
    factors: Sequence[SSAValue],
) -> OnlineSizes | None:
    """The sizes of the products; None where depths or columns are not known, or too many to be held."""
    batch, rows, columns = (product(kernel.rows.sizes[d] for d in side) for side in axes)
    held = constants([columns, *(op.size for op in scores)])
    if held is None or held[0] > WIDEST:
        return None
    columns, *depths = held
    halves = all(is_half(narrowed(f, f)[0].type) for f in factors)
    width = 2 if halves else max(byte_size(f.type) for f in factors)
    tf32 = _is_tf32(loop, scores, bool(axes[2]))
    sums = sum(is_multiplied(kind, v) for kind, v, _ in loop.parts) if axes[2] else 1
    shared = _shared(factors, len(scores)) if halves else 0
    columns = columns if axes[2] else 0
    batch, rows, keys = map(assumed, (batch, rows, loop.size))
    return OnlineSizes(batch, rows, keys, tuple(depths), columns, width, _pointwise(loop), sums, shared, tf32)


def _is_tf32(loop: ReduceOp, scores: Sequence[ReduceOp], sums: bool) -> bool:
    """True if all products may be computed in TF32: the scores, and `sums` where there are such."""
    return all(op.tf32 is not None for op in (*scores, *([loop] if sums else [])))


def _shared(factors: Sequence[SSAValue], scores: int) -> int:
    """How many factors of sums are loaded from where those of as many `scores` are; there are two of each."""
    of_scores, of_sums = factors[: 2 * scores], factors[2 * scores :]
    loaded = {b for f in of_scores if (b := _buffer(f)) is not None}
    return sum(_buffer(f) in loaded for f in of_sums)


def _buffer(value: SSAValue) -> SSAValue | None:
    """What a value is loaded from, in 16 bits or widened; None where it is computed."""
    op = value.owner.input.owner if isinstance(value.owner, arith.ExtFOp) else value.owner
    return op.buffer if isinstance(op, LoadOp) else None


def _pointwise(loop: ReduceOp) -> int:
    """What is computed of each score, in instructions, as far as it is not computed of its row."""
    free = (arith.ConstantOp, arith.ExtFOp, arith.TruncFOp)
    return sum(op.dialect_name() in ("arith", "math") and not isinstance(op, free) for op in loop.body.block.ops)
