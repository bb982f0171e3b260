"""Sums of products of two factors, one of the rows and one of the columns: matrix products, as loops have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, Operation, SSAValue

from mlc_dialects.common.buffers import buffer_offset
from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.common.types import is_half
from mlc_dialects.loop.loops import LoopOp
from mlc_dialects.loop.memory import LoadOp
from mlc_dialects.loop.reduce import ReduceOp
from mlc_support.errors import MlcError
from mlc_support.index_expr import integer
from mlc_support.locations import location_of
from mlc_support.walks import walk


@dataclass(frozen=True)
class Factors:
    """One product of a loop with `dot`: the scalars whose blocks are multiplied, and what computes each in the loop."""

    rows: SSAValue
    columns: SSAValue

    @property
    def both(self) -> tuple[SSAValue, SSAValue]:
        return self.rows, self.columns


def factors_of(loop: ReduceOp, rows: SSAValue, columns: SSAValue) -> list[Factors]:
    """The factors of each product that `loop` adds; that of the rows does not depend on the index `columns`.

    Factors that a cast to float32 has widened are those in 16 bits: tensor cores multiply them exactly. MlcError where
    a factor depends on both indices.
    """
    found: list[Factors] = []
    for value in loop.yielded:
        product = value.owner
        assert isinstance(product, arith.MulfOp)
        sides = [product.lhs, product.rhs]
        if depends_on(sides[0], columns) or depends_on(sides[1], rows):
            sides.reverse()
        if depends_on(sides[0], columns) or depends_on(sides[1], rows):
            raise MlcError(
                "loop-to-triton: `dot` needs a factor of the rows and one of the columns",
                location=location_of(loop),
                hint="the pass `tile-products` gives it to loops that have them",
            )
        found.append(Factors(*narrowed(*sides)))
    return found


def factors_in(value: SSAValue) -> list[SSAValue]:
    """The factors of a product of products; `value` itself if it is none."""
    op = value.owner
    return [*factors_in(op.lhs), *factors_in(op.rhs)] if isinstance(op, arith.MulfOp) else [value]


def narrowed(a: SSAValue, b: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Both factors as they were in 16 bits, if they were; else both in float32."""
    sources = [v.owner.input for v in (a, b) if isinstance(v.owner, arith.ExtFOp) and v.type == f32]
    halves = len(sources) == 2 and sources[0].type == sources[1].type and is_half(sources[0].type)
    return (sources[0], sources[1]) if halves else (a, b)


def on_tensor_cores(loop: ReduceOp, element: Attribute) -> bool:
    """True if tensor cores may multiply factors of this type in `loop`: 16-bit floats, or float32 where it is tf32."""
    return is_half(element) or (loop.tf32 is not None and element == f32)


def depends_on(value: SSAValue, index: SSAValue) -> bool:
    """True if `index` takes part in computing `value`."""
    seen: set[SSAValue] = set()
    work = [value]
    while work:
        known = work.pop()
        if known == index:
            return True
        if known not in seen and isinstance(known.owner, Operation):
            seen.add(known)
            work.extend(read_by(known.owner))
    return False


def read_by(op: Operation) -> list[SSAValue]:
    """What `op` reads, the ops inside it included."""
    return [v for inner in walk(op) for v in inner.operands]


def computed_for(values: Sequence[SSAValue], loop: LoopOp) -> list[Operation]:
    """The ops of the body of `loop` that compute `values`, in order."""
    needed: set[Operation] = set()
    work = list(values)
    while work:
        owner = work.pop().owner
        if isinstance(owner, Operation) and owner.parent is loop.body.block and owner not in needed:
            needed.add(owner)
            work.extend(read_by(owner))
    return [op for op in loop.body.block.ops if op in needed]


def is_unpacked_along(values: Sequence[SSAValue], loop: ReduceOp, around: LoopOp) -> bool:
    """True if `values` are computed from what lies in memory along the axis of `loop`, not along that of `around`."""
    loads = [op for op in computed_for(values, loop) if isinstance(op, LoadOp)]
    blocks = [op for op in loads if {loop.index, around.index} <= {*op.indices}]
    computed = all(not isinstance(v.owner, LoadOp) for v in values)
    return computed and bool(blocks) and all(_runs_along(op, loop, around) for op in blocks)


def _runs_along(load: LoadOp, loop: ReduceOp, around: LoopOp) -> bool:
    """True if neighbours along `loop` are nearer in memory than those along `around`, a block of `loop` at a time."""
    offset, block = buffer_offset(load.buffer.type, index_exprs(load.index)), integer(loop.block_size)
    start = {operand_name(k): integer(0) for k in range(len(load.indices))}
    names = {index: operand_name(k) for k, index in enumerate(load.indices)}
    places = [start, start | {names[loop.index]: block}, start | {names[around.index]: block}]
    first, along, across = (offset.substitute(place) for place in places)
    near, far = (along - first).constant, (across - first).constant
    return near is not None and far is not None and near < far
