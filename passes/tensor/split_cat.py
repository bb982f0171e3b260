"""split-cat: what is computed of joined values is computed of each piece, where nobody needs the pieces together.

    c = cat(s, t);  m = max(c);  p = exp(c - m);  l = sum(p);  w = p[.., : columns of s]
 -> m = maximum(max(s), max(t));  p = exp(s - m);  l = sum(p) + sum(exp(t - m));  w = p

Attention sinks are logits that a program joins to the scores, and cuts off behind the softmax. Scores that are joined
to something are in memory; those that are not may stay in registers (`fuse-products`). A sum is that of its pieces.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.common.types import Shape, element_type, shape_of, with_shape
from mlc_dialects.tensor.elementwise import AddOp, MaximumOp, MinimumOp
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, ReduceOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, SliceOp
from passes.tensor.online_products.region import computed_from_products

COMBINED: dict[str, type[ElementwiseOp]] = {"add": AddOp, "max": MaximumOp, "min": MinimumOp}
"""What combines the results of a reduction of two pieces."""


@dataclass(frozen=True)
class SplitCatPass(ModulePass):
    """Splits what is computed of joined scores."""

    name = "split-cat"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                for cat in [o for o in function.body.block.ops if isinstance(o, CatOp)]:
                    if any(map(computed_from_products, cat.inputs)):
                        split(cat)


def split(cat: CatOp) -> bool:
    """Splits all that reads `cat`; False where something needs it whole."""
    block = cat.parent
    assert isinstance(block, Block)
    readers = _readers(cat, block)
    if readers is None:
        return False
    pieces = _Pieces(cat)
    for op in readers:
        pieces.take(op)
    spread = dict.fromkeys(v.owner for op in readers for v in op.operands if isinstance(v.owner, BroadcastOp))
    for op in (*reversed(readers), cat):
        Rewriter.erase_op(op)
    for op in (*spread, *reversed(pieces.inserted)):  # what was the same for all pieces, and what a program cuts off
        if not any(result.uses for result in op.results):
            Rewriter.erase_op(op)
    return True


class _Pieces:
    """The pieces of what is computed of a `cat`."""

    def __init__(self, cat: CatOp):
        self._cat = cat
        self._known: dict[SSAValue, list[SSAValue]] = {cat.result: list(cat.inputs)}
        self.inserted: list[Operation] = []

    def take(self, op: Operation) -> None:
        """Computes what `op` does of each piece, before it."""
        match op:
            case ReduceOp():
                self._replace(op, self._reduced(op))
            case SliceOp():
                place = _place(op, self._cat)
                assert place is not None
                self._replace(op, self._known[op.input][place])
            case _:
                self._known[op.results[0]] = [self._of_piece(op, place) for place in range(len(self._cat.inputs))]

    def _of_piece(self, op: Operation, place: int) -> SSAValue:
        """An elementwise op of one piece."""
        shape = shape_of(self._cat.inputs[place].type)
        operands = [self._known[v][place] if v in self._known else self._add(_for(v, shape), op) for v in op.operands]
        if isinstance(op, CastOp):
            return self._add(CastOp(operands[0], element_type(op.result.type)), op)
        assert isinstance(op, ElementwiseOp)
        return self._add(type(op)(*operands), op)

    def _reduced(self, op: ReduceOp) -> SSAValue:
        """The results of all pieces, combined."""
        kind, total = op.kind.data, None
        for piece in self._known[op.input]:
            long = shape_of(piece.type)[self._cat.axis].constant != 1
            one = self._add(ReduceOp(kind, piece, op.reduced), op) if long else piece
            total = one if total is None else self._add(COMBINED[kind](total, one), op)
        assert total is not None
        return total

    def _add(self, new: Operation, before: Operation) -> SSAValue:
        block = before.parent
        assert block is not None
        block.insert_op_before(new, before)
        new.location = before.location
        self.inserted.append(new)
        return new.results[0]

    def _replace(self, op: ReduceOp | SliceOp, new: SSAValue) -> None:
        new.name_hint = op.result.name_hint
        op.result.replace_all_uses_with(new)


def _readers(cat: CatOp, block: Block) -> list[Operation] | None:
    """The ops that read `cat`, or what is computed of it, up to reductions and slices; None where another kind does."""
    joined: set[SSAValue] = {cat.result}
    found: list[Operation] = []
    for op in block.ops:
        if joined.isdisjoint(op.operands):
            continue
        found.append(op)
        if isinstance(op, ElementwiseOp | CastOp) and all(v in joined or _is_same(v, cat.axis) for v in op.operands):
            joined.add(op.results[0])
        elif not _is_reduction(op, cat) and not (isinstance(op, SliceOp) and _place(op, cat) is not None):
            return None
    return found


def _is_same(value: SSAValue, axis: int) -> bool:
    """True if `value` is the same all along an axis, and can be made for a piece."""
    op = value.owner
    if isinstance(op, ConstantOp):
        return op.splat_value is not None
    if not isinstance(op, BroadcastOp):
        return False
    given = shape_of(op.input.type)
    own = axis - (len(shape_of(op.result.type)) - len(given))  # what is broadcast may have fewer dimensions
    return own < 0 or given[own].constant == 1


def _is_reduction(op: Operation, cat: CatOp) -> bool:
    return isinstance(op, ReduceOp) and op.kind.data in COMBINED and list(op.reduced) == [cat.axis]


def _place(op: SliceOp, cat: CatOp) -> int | None:
    """The piece that a slice is of, all of it; None for another slice."""
    starts, offsets = index_exprs(op.starts), cat.offsets()
    along = starts[cat.axis]
    others = [s for d, s in enumerate(starts) if d != cat.axis]
    if any(step != 1 for step in op.strides) or any(s.constant != 0 for s in others):
        return None
    shapes = [shape_of(v.type) for v in cat.inputs]
    places = [k for k, shape in enumerate(shapes) if offsets[k] == along and shape == shape_of(op.result.type)]
    return places[0] if places else None


def _for(value: SSAValue, shape: Shape) -> Operation:
    """What is the same all along the axis, for a piece of that shape."""
    op = value.owner
    if isinstance(op, BroadcastOp):
        return BroadcastOp(op.input, shape)
    assert isinstance(op, ConstantOp)
    return ConstantOp(op.value, with_shape(op.result.type, shape))
