"""Where a composite may stand: the op that gives it away, and the guesses of operands and attributes there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from math import inf

from xdsl.dialects.builtin import f32, i1
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from mlc_dialects.common.types import Shape, element_type, is_bool, is_float, shape_of, tensor_type
from mlc_dialects.tensor import composites as composites
from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.composite_op import CompositeOp, Parameter
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, MatmulOp, ReduceOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, ReshapeOp
from mlc_support.index_expr import integer
from passes.tensor.recompose.nodes import constant
from passes.tensor.recompose.pattern import AFFINE, ANYTHING, EXACTLY, Site

_MOST_VALUES = 48
"""Values around the op that gives a composite away that are looked at."""
_MOST_USES = 8
"""Readers of a value inside a composite, with those of a backward pass."""

_SCORES = 12
"""Ops that attention has between its first product and its softmax."""

_ROOTS = (ew.RsqrtOp, ew.SqrtOp, ew.PowOp)
_PRODUCTS = (ew.MulOp, ew.DivOp)
_SUMS = (ew.AddOp, ew.SubOp)
_TANH = ew.ELEMENTWISE["tanh"]
_SCALED = frozenset({*_ROOTS, *_PRODUCTS, ew.NegOp, CastOp, BroadcastOp, ReshapeOp})
"""What may lie between any two ops of a composite: products that differ by a number are matched up to it."""
_ADDED = _SCALED | {*_SUMS}
"""The same between ops of a composite that has a sum there."""


@dataclass(frozen=True)
class Finder:
    """How to look for one composite: at ops `anchors`, the sites that `guess` makes for a possible result.

    An anchor counts that is, or is computed from, a `source`, at most `since` ops away; `guess` is told the nearest.
    Guesses go by the result's type alone. The result is given by an op of `ends`, at most `reach` ops
    after the anchor. Only ops of `between` lead from one to the other, and no more than `joins` of them
    bring another value in: as many as the composite has factors and terms there, whatever their order.
    """

    composite: type[CompositeOp]
    anchors: tuple[type[Operation], ...]
    source: type[Operation]
    since: int
    ends: tuple[type[Operation], ...]
    between: frozenset[type[Operation]]
    reach: int
    joins: int
    guess: Callable[[Operation, Operation, SSAValue], Iterator[Site]]

    def source_of(self, anchor: Operation) -> Operation | None:
        """The source that `anchor` is nearest to; None where it cannot be part of the composite."""
        return _nearest(anchor, self.source, self.since)


def roots(finder: Finder, anchor: Operation) -> list[SSAValue]:
    """The values computed from `anchor` that may be the composite's result, the farthest first."""
    joins: dict[SSAValue, int] = dict.fromkeys(anchor.results, 0)
    front = list(joins)
    for _ in range(finder.reach):
        users = _users(front, joins, finder.between)
        front: list[SSAValue] = []
        for op, count in users.items():
            if (count := count + _joins(op)) <= finder.joins:
                new = [r for r in op.results if r not in joins]
                joins |= dict.fromkeys(new, count)
                front += new
        if len(joins) > _MOST_VALUES:
            break
    return [v for v in reversed(joins) if is_float(element_type(v.type)) and _ends_in(v, finder.ends)]


def _users(
    front: Iterable[SSAValue], joins: Mapping[SSAValue, int], between: Collection[type[Operation]]
) -> dict[Operation, int]:
    """The ops of `between` that read one of `front`, and how many other values that one has been joined with."""
    uses = ((u.operation, joins[v]) for v in front for u in islice(v.uses, _MOST_USES))
    return {op: count for op, count in uses if type(op) in between}


def _joins(op: Operation) -> bool:
    """True for an op of two values and more, numbers not counted."""
    return sum([type(v.owner) is not ConstantOp for v in op.operands]) > 1


def _ends_in(value: SSAValue, ends: tuple[type[Operation], ...]) -> bool:
    """True if one of `ends` gives `value`, but for a cast."""
    op = value.owner
    return type(op) in ends or (isinstance(op, CastOp) and _ends_in(op.input, ends))


def _before(start: Operation, steps: int) -> Iterator[Operation]:
    """`start` and the ops that it is computed from, at most so many steps away, the nearest first."""
    seen, front = {start}, [start]
    yield start
    for _ in range(steps):
        made = {v.op: None for op in front for v in op.operands if isinstance(v, OpResult)}
        front = [op for op in made if op not in seen]
        seen.update(front)
        yield from front


def _nearest(start: Operation, wanted: type[Operation], steps: int) -> Operation | None:
    """The first op of a kind among `start` and those that it is computed from, at most so many steps away."""
    return next((op for op in _before(start, steps) if isinstance(op, wanted)), None)


def _gelu(anchor: Operation, source: Operation, root: SSAValue) -> Iterator[Site]:
    kind = "none" if isinstance(anchor, ew.ELEMENTWISE["erf"]) else "tanh"
    if shape_of(root.type) == shape_of(anchor.results[0].type):
        yield Site((root.type,), (("approximate", kind),))


def _silu(anchor: Operation, source: Operation, root: SSAValue) -> Iterator[Site]:
    if shape_of(root.type) == shape_of(anchor.results[0].type):
        yield Site((root.type,))


def _softmax(anchor: Operation, source: Operation, root: SSAValue) -> Iterator[Site]:
    assert isinstance(anchor, ReduceOp)
    single = anchor.kind.data == "add" and len(anchor.reduced) == 1
    if single and shape_of(root.type) == shape_of(anchor.input.type):
        yield Site((root.type,), (("dim", anchor.reduced[0]),))


def _norm(most: int) -> Callable[[Operation, Operation, SSAValue], Iterator[Site]]:
    """Norms with `most` affine operands, the most of them first."""

    def guess(anchor: Operation, source: Operation, root: SSAValue) -> Iterator[Site]:
        assert isinstance(source, ReduceOp)
        if shape_of(root.type) != (whole := shape_of(source.input.type)):
            return
        shape = [s if d in source.reduced else integer(1) for d, s in enumerate(whole)]
        while len(shape) > 1 and shape[0].constant == 1:
            shape = shape[1:]
        affine = tensor_type(shape, element_type(root.type))
        for count in range(most, -1, -1):
            types = (root.type, *[affine] * count)
            yield Site(types, (("dims", source.reduced),), (EXACTLY, AFFINE), ("eps",))

    return guess


def _rotary(anchor: Operation, source: Operation, root: SSAValue) -> Iterator[Site]:
    """A cat of halves, or of pairs that a reshape makes one dimension of; tables as wide as x, or half as wide."""
    assert isinstance(anchor, CatOp)
    shape = shape_of(anchor.result.type)
    pairs = len(shape) > 1 and len(anchor.inputs) == 2 and shape[-1].constant == 2
    wanted: Shape = (*shape[:-2], *(s * 2 for s in shape[-2:-1])) if pairs else shape
    if shape_of(root.type) == wanted:
        narrow = tensor_type([*wanted[:-1], *(s // 2 for s in wanted[-1:])], element_type(root.type))
        table = narrow if isinstance(root.owner, CatOp | ReshapeOp) else root.type
        yield Site((root.type, table, table), (("pairs", 1),) if pairs else (), (EXACTLY, ANYTHING))


def _attention(anchor: Operation, source: Operation, root: SSAValue) -> Iterator[Site]:
    assert isinstance(source, MatmulOp)
    scores, last = anchor.results[0].type, _last_product(root)
    if last is None or not len(shape_of(root.type)) == len(shape_of(scores)) >= 3:
        return
    (*batch, rows, columns), element = shape_of(scores), element_type(root.type)
    inner, outer = shape_of(source.lhs.type)[-1], shape_of(root.type)[-1]
    sizes = ((rows, inner), (columns, inner), (columns, outer))
    types = [tensor_type([*batch, *size], element) for size in sizes]
    hidden = ("hidden",) if _hides_by_number(_nearest(anchor, ew.SelectOp, 6)) else ()
    kinds = {type(op) for op in _before(anchor, _SCORES)}
    safe = (("safe", 1),) if _is_safe(last.lhs) else ()
    for site in _attention_forms(types, shape_of(scores), kinds, _is_product(last.lhs)):
        if safe and site.parameters and (_masks(site) or "hides" in dict(site.parameters)):
            continue  # PyTorch, which alone writes safe ones, adds one mask, as numbers
        numbers = (*site.open, *hidden) if _has_mask(site) else site.open
        yield replace(site, open=numbers, parameters=(*site.parameters, *safe))


def _hides_by_number(op: Operation | None) -> bool:
    """True for a select that fills with another number than -inf."""
    fillings = {constant(v) for v in op.operands[1:]} - {None} if op is not None else set()
    return bool(fillings) and -inf not in fillings


def _has_mask(site: Site) -> bool:
    """True for a form that fills scores: causal, or with a boolean mask."""
    return bool(site.parameters) or any(is_bool(element_type(t)) for t in _masks(site))


def _masks(site: Site) -> tuple[Attribute, ...]:
    """The types of the masks that are operands: one, or none."""
    return tuple(site.types[3 : len(site.types) - ("dropout" in site.open)])


def _last_product(root: SSAValue) -> MatmulOp | None:
    """The product of matrices that gives `root`, up to a number and a cast."""
    op = root.owner
    if isinstance(op, CastOp):
        return _last_product(op.input)
    if isinstance(op, ew.MulOp) and isinstance(op.operands[1].owner, ConstantOp):
        return _last_product(op.operands[0])
    return op if isinstance(op, MatmulOp) else None


def _is_product(value: SSAValue) -> bool:
    """True for products of two values, in one type or another."""
    if isinstance(value.owner, CastOp | BroadcastOp):
        return _is_product(value.owner.input)
    return isinstance(value.owner, ew.MulOp | ew.DivOp)


def _is_safe(weights: SSAValue) -> bool:
    """True for weights that are 0 where every score of a row is hidden."""
    op = weights.owner
    if isinstance(op, CastOp | BroadcastOp):
        return _is_safe(op.input)
    if isinstance(op, ew.MulOp):
        return any(_is_safe(v) for v in op.operands)
    return isinstance(op, ew.SelectOp) and constant(op.operands[1]) == 0


def _attention_forms(
    types: Sequence[Attribute], scores: Shape, kinds: set[type[Operation]], dropped: bool
) -> Iterator[Site]:
    """Attention with each kind of mask, causal or not, with and without a soft cap, where ops of `kinds` make it.

    With `dropped` there is one operand more: what dropout keeps.
    """
    keeps, adds = tensor_type(scores, i1), tensor_type(scores, f32)
    masks: list[tuple[tuple[Attribute, ...], tuple[tuple[str, Parameter], ...]]] = [
        ((), ()), ((keeps,), ()), ((keeps,), (("hides", 1),)), ((adds,), ()),
    ]  # fmt: skip
    kept = (keeps,) if dropped else ()
    for causal, (mask, hides), capped in product((True, False), masks, (False, True)):
        needed = {
            *([IotaOp] if causal else []),
            *([_TANH] if capped else []),
            *([ew.SelectOp] if keeps in mask else []),
        }
        if needed <= kinds:
            parameters = (*((("causal", 1),) if causal else ()), *hides)
            numbers = ("scale", *(("softcap",) if capped else ()), *(("dropout",) if dropped else ()))
            yield Site((*types, *mask, *kept), parameters, (EXACTLY, EXACTLY, EXACTLY, ANYTHING), numbers)


FINDERS = (
    Finder(composites.gelu, (ew.ELEMENTWISE["erf"], _TANH), Operation, 0, _PRODUCTS, _ADDED, 8, 1, _gelu),
    Finder(composites.silu, (ew.SigmoidOp, ew.ExpOp), Operation, 0, _PRODUCTS, _ADDED, 5, 1, _silu),
    Finder(composites.softmax, (ReduceOp,), ew.ExpOp, 4, _PRODUCTS, _SCALED, 6, 1, _softmax),
    Finder(composites.log_softmax, (ReduceOp,), ew.ExpOp, 4, _SUMS, _ADDED | {ew.LogOp}, 8, 2, _softmax),
    Finder(composites.layer_norm, _ROOTS, ReduceOp, 8, (*_SUMS, *_PRODUCTS), _ADDED, 12, 3, _norm(2)),
    Finder(composites.rms_norm, _ROOTS, ReduceOp, 8, _PRODUCTS, _SCALED, 10, 2, _norm(1)),
    Finder(composites.rotary_embedding, (CatOp,), CatOp, 0, (*_SUMS, CatOp, ReshapeOp), _ADDED, 6, 2, _rotary),
    Finder(
        composites.scaled_dot_product_attention, (composites.softmax,), MatmulOp, _SCORES, (MatmulOp, ew.MulOp),
        _SCALED | {ew.SelectOp, MatmulOp}, 8, 2, _attention,
    ),
)  # fmt: skip
"""In order: attention is found by the softmax in it."""
