"""Where a composite may stand: the op that gives it away, and the guesses of operands and attributes there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from xdsl.dialects.builtin import f32, i1
from xdsl.ir import Operation, SSAValue

from mlc_dialects import elementwise as ew
from mlc_dialects import tensor_composites as composites
from mlc_dialects.composite_op import CompositeOp, Parameter
from mlc_dialects.elementwise_op import ElementwiseOp
from mlc_dialects.tensor_ops import CastOp, MatmulOp, ReduceOp
from mlc_dialects.tensor_views import BroadcastOp, CatOp
from mlc_dialects.types import element_type, is_float, shape_of, tensor_type
from mlc_support.index_expr import integer
from passes.recompose.pattern import AFFINE, ANYTHING, EXACTLY, Site

_REACH = 12
"""Ops between the op that gives a composite away and its ends."""


@dataclass(frozen=True)
class Finder:
    """How to look for one composite: at ops `anchors`, the sites that `guess` makes for a possible result."""

    composite: type[CompositeOp]
    anchors: tuple[type[Operation], ...]
    guess: Callable[[Operation, SSAValue], Iterator[Site]]


def roots(anchor: Operation) -> list[SSAValue]:
    """The values computed from `anchor`, the farthest first: one of them may be the composite's result."""
    found: dict[SSAValue, None] = dict.fromkeys(anchor.results)
    front = list(found)
    for _ in range(_REACH):
        users = {u.operation: None for v in front for u in v.uses}
        steps = [op for op in users if isinstance(op, ElementwiseOp | CastOp | ReduceOp | BroadcastOp | MatmulOp)]
        front = [r for op in steps for r in op.results if r not in found]
        found |= dict.fromkeys(front)
        if len(found) > 4 * _REACH:
            break
    return [v for v in reversed(found) if is_float(element_type(v.type))]


def _nearest(start: Operation, wanted: type[Operation]) -> Operation | None:
    """The first op of a kind among those that `start` is computed from."""
    seen, front = {start}, [start]
    while front and len(seen) <= 4 * _REACH:
        front = [*dict.fromkeys(v.owner for op in front for v in op.operands if isinstance(v.owner, Operation))]
        front = [op for op in front if op not in seen]
        seen.update(front)
        for op in front:
            if isinstance(op, wanted):
                return op
    return None


def _same_shape(anchor: Operation, root: SSAValue) -> bool:
    return shape_of(anchor.results[0].type) == shape_of(root.type)


def _gelu(anchor: Operation, root: SSAValue) -> Iterator[Site]:
    kind = "none" if isinstance(anchor, ew.ELEMENTWISE["erf"]) else "tanh"
    if _same_shape(anchor, root):
        yield Site((root.type,), (("approximate", kind),))


def _silu(anchor: Operation, root: SSAValue) -> Iterator[Site]:
    if _same_shape(anchor, root):
        yield Site((root.type,))


def _softmax(anchor: Operation, root: SSAValue) -> Iterator[Site]:
    assert isinstance(anchor, ReduceOp)
    if anchor.kind.data == "max" and len(anchor.reduced) == 1 and shape_of(anchor.input.type) == shape_of(root.type):
        yield Site((root.type,), (("dim", anchor.reduced[0]),))


def _norm(most: int) -> Callable[[Operation, SSAValue], Iterator[Site]]:
    """Norms with `most` affine operands, the most of them first."""

    def guess(anchor: Operation, root: SSAValue) -> Iterator[Site]:
        reduce = _nearest(anchor, ReduceOp)
        if not isinstance(reduce, ReduceOp) or shape_of(reduce.input.type) != shape_of(root.type):
            return
        shape = [s if d in reduce.reduced else integer(1) for d, s in enumerate(shape_of(root.type))]
        while len(shape) > 1 and shape[0].constant == 1:
            shape = shape[1:]
        affine = tensor_type(shape, element_type(root.type))
        for count in range(most, -1, -1):
            types = (root.type, *[affine] * count)
            yield Site(types, (("dims", reduce.reduced),), (EXACTLY, AFFINE), ("eps",))

    return guess


def _rotary(anchor: Operation, root: SSAValue) -> Iterator[Site]:
    if _same_shape(anchor, root):
        yield Site((root.type,) * 3, (), (EXACTLY, ANYTHING))


def _attention(anchor: Operation, root: SSAValue) -> Iterator[Site]:
    scores, rank, element = anchor.results[0].type, len(shape_of(root.type)), element_type(root.type)
    first = _nearest(anchor, MatmulOp)
    if not isinstance(root.owner, MatmulOp) or not isinstance(first, MatmulOp) or rank < 3:
        return
    (*batch, rows, columns), inner = shape_of(scores), shape_of(first.lhs.type)[-1]
    types = (
        tensor_type([*batch, rows, inner], element),
        tensor_type([*batch, columns, inner], element),
        tensor_type([*batch, columns, shape_of(root.type)[-1]], element),
    )
    fits = (EXACTLY, EXACTLY, EXACTLY, ANYTHING)
    kinds: list[tuple[int, tuple[tuple[str, Parameter], ...]]] = [(0, ()), (1, ()), (1, (("hides", 1),)), (2, ())]
    for causal, (mask, hides), capped in product((1, 0), kinds, (False, True)):
        kind = {0: (), 1: (tensor_type(shape_of(scores), i1),), 2: (tensor_type(shape_of(scores), f32),)}[mask]
        parameters = (*((("causal", 1),) if causal else ()), *hides)
        yield Site((*types, *kind), parameters, fits, ("scale", "softcap") if capped else ("scale",))


FINDERS = (
    Finder(composites.gelu, (ew.ELEMENTWISE["erf"], ew.ELEMENTWISE["tanh"]), _gelu),
    Finder(composites.silu, (ew.SigmoidOp, ew.ExpOp), _silu),
    Finder(composites.softmax, (ReduceOp,), _softmax),
    Finder(composites.log_softmax, (ReduceOp,), _softmax),
    Finder(composites.layer_norm, (ew.RsqrtOp, ew.SqrtOp, ew.PowOp), _norm(2)),
    Finder(composites.rms_norm, (ew.RsqrtOp, ew.SqrtOp, ew.PowOp), _norm(1)),
    Finder(composites.rotary_embedding, (CatOp,), _rotary),
    Finder(composites.scaled_dot_product_attention, (composites.softmax,), _attention),
)
"""In order: attention is found by the softmax in it."""
