"""Contractions: kernels that sum, for each row and column, products of a factor of the row and one of the column.

    for h, i, j: out[h, i, j] = f(sum over k of a(h, i, k) * b(h, k, j), h, i, j)

A matrix product with what fusion has added to it is one: `f` is the epilogue, `a` and `b` may be computed. Several
sums over the same k may share factors. Axes that both factors depend on are those of a batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import gcd

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.buffers import buffer_element, buffer_offset, buffer_shape, buffer_strides
from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.common.philox import WORDS
from mlc_dialects.common.types import byte_size
from mlc_dialects.loop.accesses import loaded_in
from mlc_dialects.loop.dialect import KernelOp, LoadOp, RandomOp, ReduceOp, StoreOp
from mlc_dialects.loop.matrices import matrix_of
from mlc_dialects.loop.products import computed_for, depends_on, narrowed, on_tensor_cores
from mlc_support.index_expr import product, variable
from mlc_support.walks import walk
from passes.common.product_tiling import DEPTHS, LEAST, Blocks, Sizes
from passes.loop.analysis.axis_change import is_as_lowered
from passes.loop.analysis.instructions import instructions

MOST = 64
"""Neighbours that may be given the same element, as far as it is asked for."""
FREE = (arith.ExtFOp, arith.TruncFOp, arith.ExtUIOp, arith.ExtSIOp, arith.TruncIOp, arith.SelectOp)
"""What takes no instruction on the way to tensor cores: 16-bit floats are multiplied as such, lanes take the bytes that
they need, and what a condition chooses is masked as it is loaded, or known for each lane."""
HALF = 2
"""Bytes of the factors that tensor cores take from shared memory whichever of their axes is contiguous (wgmma)."""


@dataclass(frozen=True)
class Sides:
    """The axes of a kernel that one factor of its products depends on, those of the other, and those of both."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    batch: tuple[int, ...]


@dataclass(frozen=True)
class Contraction:
    """The loop that sums, the axes of the kernel that its factors depend on, and how long these are."""

    loop: ReduceOp
    sides: Sides
    sizes: Sizes


def contraction_of(kernel: KernelOp) -> Contraction | None:
    """The kernel as a contraction of factors that tensor cores multiply; None where it is none.

    All sizes are known. Only rows or columns may be fewer than a block has, which is then not full. A single row is no
    axis, and a matter for tensor cores where the other factor is unpacked from words that hold several of its columns:
    else sums of vectors read memory as quickly.
    """
    loop = _sum(kernel)
    sides = None if loop is None else _worthwhile_sides(loop, kernel.rows.indices)
    if loop is None or sides is None:
        return None
    sizes, all_axes = kernel.rows.sizes, (sides.rows, sides.columns, sides.batch)
    if sum(map(len, all_axes)) < len(sizes):  # an axis that is none of either
        return None
    counts = [*(product(sizes[d] for d in axes).constant for axes in all_axes), loop.size.constant]
    known = [count for count in counts if count is not None]
    if len(known) < len(counts) or known[-1] < LEAST or max(known[:2]) < LEAST:
        return None
    return Contraction(loop, sides, _sizes(kernel, loop, sides, *known))


def _sizes(kernel: KernelOp, loop: ReduceOp, sides: Sides, m: int, n: int, batch: int, k: int) -> Sizes:
    """What the time of the kernel depends on."""
    indices = kernel.rows.indices
    first, second = _factors(loop, [indices[d] for d in sides.columns])
    behind = [op for op in kernel.rows.body.block.ops if isinstance(op, LoadOp | StoreOp) and _is_of_both(op, kernel)]
    loads, stores = ([op for op in behind if isinstance(op, StoreOp) == stored] for stored in (False, True))
    return Sizes(
        m,
        n,
        k,
        products=len(loop.yielded),
        firsts=len(first),
        batch=batch,
        row_step=_row_step(kernel),
        element_bytes=width_of_factors(loop),
        run=_run(loop),
        read=_bytes(loaded_in(loop)),
        computed=(_work(first, loop), _work(second, loop)),
        beside=sum(_element_bytes(op) for op in loads),
        written=sum(_element_bytes(op) for op in stores),
        work=_behind(kernel, loop, sides),
        held=_held(kernel, loop),
        blocks=(_blocks(first, loop, indices), _blocks(second, loop, indices)),
        described=not sides.batch and _are_described(kernel, loop, sides.rows, (first, second)),
    )


def _behind(kernel: KernelOp, loop: ReduceOp, sides: Sides) -> float:
    """Instructions behind the sum for each element of the results; what rows or columns share takes next to none."""
    of_rows, of_columns = (set[SSAValue](kernel.rows.indices[d] for d in axes) for axes in (sides.rows, sides.columns))
    both, work = set[SSAValue](loop.results), 0.0
    for op in kernel.rows.body.block.ops:
        read = {*op.operands}
        if read & both or (read & of_rows and read & of_columns):
            both.update(op.results)
            work += instructions(op)
        of_rows.update(op.results if read & of_rows else ())
        of_columns.update(op.results if read & of_columns else ())
    return work


def _run(loop: ReduceOp) -> int:
    """Elements of the innermost of several axes that are summed; else 0.

    A short axis within the numbers of another is one with that: `w[k] >> 4 * h`, with k to 64 and h to 2, is of 128.
    """
    sizes, loads = [size.constant or 0 for size in loop.sizes], [op for op in walk(loop) if isinstance(op, LoadOp)]
    while len(sizes) > 1 and sizes[-1] < min(DEPTHS):
        outer, inner = loop.indices[len(sizes) - 2 : len(sizes)]
        if not any(outer in op.indices and inner not in op.indices for op in loads):
            break
        sizes[-2:] = [sizes[-2] * sizes[-1]]
    return sizes[-1] if len(sizes) > 1 else 0


def _factors(loop: ReduceOp, columns: Sequence[SSAValue]) -> tuple[list[SSAValue], list[SSAValue]]:
    """The different factors of the products but for those that depend on the indices `columns`, and these."""
    factors = {v: _depends_on_any(v, columns) for both in _factors_of_terms(loop) for v in both}
    return [v for v, of_columns in factors.items() if not of_columns], [v for v, of in factors.items() if of]


def _blocks(factors: Sequence[SSAValue], loop: ReduceOp, indices: Sequence[SSAValue]) -> Blocks:
    """What waits of these factors: those that are loaded, and what the others are computed of.

    A load that does not depend on both the summed axis and an axis of the kernel gives no block, but a few elements.
    """
    loaded = [v.owner for v in factors if isinstance(v.owner, LoadOp)]
    computed = [v for v in factors if not isinstance(v.owner, LoadOp)]
    parts = [op for needed in computed_for(computed, loop) for op in walk(needed) if isinstance(op, LoadOp)]
    parts = [op for op in parts if all(_depends_on_any(op.result, some) for some in (loop.indices, indices))]
    return Blocks(
        sum(map(_element_bytes, loaded)),
        sum(map(_element_bytes, parts)),
        sum(byte_size(v.type) for v in computed),
    )


def _work(factors: Sequence[SSAValue], loop: ReduceOp) -> float:
    """Instructions to compute an element of one of these factors of what is loaded.

    Those on an integer that holds several elements are shared by these. Beside padding nothing is computed.
    """
    computed = [v for v in factors if not isinstance(v.owner, LoadOp)]
    alike, work = dict[SSAValue, int](), 0.0
    for op in computed_for(computed, loop):
        shared = [alike[v] for v in op.operands if v in alike]
        if isinstance(op, LoadOp):
            alike[op.result] = min(_alike(op, loop.indices[-1]), loop.sizes[-1].constant or MOST)
        elif shared:
            alike |= dict.fromkeys(op.results, min(shared))
            work += 0 if isinstance(op, FREE) else instructions(op) / min(shared)
    return work / max(1, len(factors))


def _unpacks(loop: ReduceOp, columns: Sequence[SSAValue]) -> bool:
    """True if factors are computed of integers that hold several neighbours each, along the indices `columns`."""
    computed = [v for v in _factors(loop, columns)[1] if not isinstance(v.owner, LoadOp)]
    for op in computed_for(computed, loop):
        if isinstance(op, LoadOp) and isinstance(buffer_element(op.buffer.type), IntegerType):
            along = [index for index in columns if index in op.indices]
            if along and (len(along) < len(columns) or any(_alike(op, index) > 1 for index in along)):
                return True
    return False


def _alike(load: LoadOp, index: SSAValue) -> int:
    """How many neighbours along `index` are given the same element by `load`."""
    indices = [*load.indices]
    if index not in indices or load.condition is not None:
        return MOST if index not in indices else 1
    name = operand_name(indices.index(index))
    offset = buffer_offset(load.buffer.type, index_exprs(load.index))
    for count in (2**k for k in range(MOST.bit_length() - 1, 0, -1)):
        place = variable(name) * count + variable("one", count)
        if "one" not in {v.name for v in offset.substitute({name: place}).variables()}:
            return count
    return 1


def _are_described(
    kernel: KernelOp, loop: ReduceOp, rows: Sequence[int], both: tuple[Sequence[SSAValue], Sequence[SSAValue]]
) -> bool:
    """True if tensor descriptors can tell all factors, which are loaded as they are multiplied."""
    summed = [*zip(loop.indices, loop.sizes, strict=True)]
    axes = [*enumerate(zip(kernel.rows.indices, kernel.rows.sizes, strict=True))]
    sides = [axis for d, axis in axes if d in rows], [axis for d, axis in axes if d not in rows]
    for factors, side in zip(both, sides, strict=True):
        loads = [v.owner for v in factors if isinstance(v.owner, LoadOp) and byte_size(v.type) == HALF]
        if len(loads) < len(factors) or any(matrix_of(load, side, summed) is None for load in loads):
            return False
    return True


def _depends_on_any(value: SSAValue, indices: Sequence[SSAValue]) -> bool:
    return any(depends_on(value, index) for index in indices)


def _held(kernel: KernelOp, loop: ReduceOp) -> int:
    """Numbers that are computed of loads behind `loop`, or drawn, for each element of the results, until they meet its
    sums.

    What is only loaded in 16 bits and widened is no such: it waits until it is needed, two in a register. What is drawn
    counts as the words that its generator works on.
    """
    of_sums, beside, computed = set(loop.results), set[SSAValue](), set[SSAValue]()
    met, drawn = set[SSAValue](), set[SSAValue]()
    for op in kernel.rows.body.block.ops:
        if not of_sums.isdisjoint(op.operands):
            met |= computed.intersection(op.operands)
            of_sums.update(op.results)
        elif _begins_beside(op, kernel) or not beside.isdisjoint(op.operands):
            beside.update(op.results)
            if isinstance(op, RandomOp) or not drawn.isdisjoint(op.operands):
                drawn.update(op.results)
            widened = isinstance(op, arith.ExtFOp) and op.input not in computed
            waits = widened or (isinstance(op, LoadOp) and _element_bytes(op) <= HALF)
            computed.update(() if waits else op.results)
    return len(met) + (WORDS - 1) * len(met & drawn)


def _begins_beside(op: Operation, kernel: KernelOp) -> bool:
    """True for what gives each element of the results a number that no sum takes part in."""
    return isinstance(op, RandomOp) or (isinstance(op, LoadOp) and _is_of_both(op, kernel))


def _is_of_both(op: LoadOp | StoreOp, kernel: KernelOp) -> bool:
    """True if each element of the results has its own."""
    return {*op.indices} == {*kernel.rows.indices}


def _element_bytes(op: LoadOp | StoreOp) -> int:
    return byte_size(buffer_element(op.buffer.type))


def _bytes(buffers: Iterable[SSAValue]) -> int:
    """How many bytes the elements of the buffers have together; 0 where that is not known."""
    sizes = [(product(buffer_shape(b.type)) * byte_size(buffer_element(b.type))).constant for b in buffers]
    return sum(size for size in sizes if size is not None) if None not in sizes else 0


def width_of_factors(loop: ReduceOp) -> int:
    """Bytes of an element of the widest factors."""
    return max(byte_size(factor.type) for factor, _ in _factors_of_terms(loop))


def _row_step(kernel: KernelOp) -> int:
    """Rows of the results begin at multiples of so many elements."""
    buffers = [op.buffer.type for op in walk(kernel) if isinstance(op, StoreOp)]
    return gcd(*(s.constant or 0 for buffer in buffers for s in buffer_strides(buffer) if s.constant != 1))


def _sum(kernel: KernelOp) -> ReduceOp | None:
    """The one loop of a kernel, if it adds products."""
    if not is_as_lowered(kernel) or len(kernel.rows.loops) != 1:
        return None
    (loop,) = kernel.rows.loops
    if not isinstance(loop, ReduceOp) or loop.end.condition is not None:
        return None
    adds = all(kind.data == "add" for kind in loop.kinds)
    return loop if adds and all(isinstance(v.owner, arith.MulfOp) for v in loop.yielded) else None


def _worthwhile_sides(loop: ReduceOp, indices: Sequence[SSAValue]) -> Sides | None:
    """The axes of both factors; None if tensor cores cannot multiply them, or rows have none and nothing is unpacked
    for a single row."""
    sides = sides_of(loop, indices)
    if sides is None or not all(on_tensor_cores(loop, lhs.type) for lhs, _ in _factors_of_terms(loop)):
        return None
    return sides if sides.rows or _unpacks(loop, [indices[d] for d in sides.columns]) else None


def _factors_of_terms(loop: ReduceOp) -> list[tuple[SSAValue, SSAValue]]:
    """The factors of each product that is added, in 16 bits where they were."""
    terms = [op for v in loop.yielded if isinstance(op := v.owner, arith.MulfOp)]
    return [narrowed(op.lhs, op.rhs) for op in terms]


def sides_of(loop: ReduceOp, indices: Sequence[SSAValue]) -> Sides | None:
    """The axes that the factors of each product depend on; None unless columns have one of their own."""
    found: Sides | None = None
    for value in loop.yielded:
        term = value.owner
        assert isinstance(term, arith.MulfOp)
        first, second = (
            tuple(d for d, index in enumerate(indices) if depends_on(v, index)) for v in (term.lhs, term.rhs)
        )
        batch = tuple(d for d in first if d in second)
        rows, columns = sorted(tuple(d for d in side if d not in batch) for side in (first, second))
        sides = Sides(rows, columns, batch)
        if not columns or found not in (None, sides):
            return None
        found = sides
    return found
