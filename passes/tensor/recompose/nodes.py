"""Values as a matcher sees them: without casts between floats and without broadcasts, products and sums flat.

A product is a number times powers of factors, a sum a number plus signed terms. How far a chain
of multiplications or additions is taken apart is a choice, so both come as alternatives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf

from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from mlc_dialects.common.types import element_type, is_bool, is_float, shape_of
from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, MatmulOp
from mlc_dialects.tensor.views import BroadcastOp, PadOp, PermuteOp, ReshapeOp, ViewOp
from mlc_support.index_expr import IndexExpr, integer
from passes.tensor.matching import adds_ones, number


@dataclass(frozen=True)
class Moved:
    """What `op` would give for other operands: of a product, the part without its scale."""

    op: Operation
    operands: tuple[Node, ...]


Node = SSAValue | Moved
Factor = tuple[Node, float]
"""A value and its exponent, a multiple of a power of 1/2."""
Term = tuple[int, Node]
"""A sign and a value."""
MOST_OPS = 64
"""Ops that one composite may stand for: nothing is taken apart or seen through any further."""
_DEEPEST_POSITION = 12
"""Ops one after another that arithmetic on positions may take."""


def made(node: Node) -> tuple[Operation | None, tuple[Node, ...]]:
    """The op that gives a node, and its operands; no op for an argument."""
    if isinstance(node, OpResult):
        return node.op, (*node.op.operands,)
    return (node.op, node.operands) if isinstance(node, Moved) else (None, ())


def type_of(node: Node) -> Attribute:
    return node.op.results[0].type if isinstance(node, Moved) else node.type


def layers(node: Node) -> list[Node]:
    """The node, and what it is without its casts and broadcasts, one layer less at a time."""
    found = [node]
    while isinstance(node, OpResult) and (inner := _inside(node.op)) is not None and len(found) <= MOST_OPS:
        node = inner
        found.append(node)
    return found


def core(node: Node) -> Node:
    """The node without casts between floats, broadcasts and added dimensions of size 1."""
    for _ in range(MOST_OPS):
        if not isinstance(node, OpResult) or (inner := _inside(node.op)) is None:
            break
        node = inner
    return node


def _inside(op: Operation) -> SSAValue | None:
    """What a cast between floats, a broadcast, or a reshape that adds dimensions of size 1 is made of."""
    kind = type(op)  # asked more often than anything else: isinstance is slow for abstract classes
    if kind not in _LAYERS:
        return None
    source = op.operands[0]
    if kind is CastOp and not (is_float(element_type(source.type)) and is_float(element_type(op.results[0].type))):
        return None
    if kind is ReshapeOp and not adds_ones(shape_of(source.type), shape_of(op.results[0].type)):
        return None
    return source


_LAYERS = frozenset({BroadcastOp, CastOp, ReshapeOp})


def constant(node: Node) -> float | None:
    """The number that fills a float node."""
    inner = core(node)
    if not isinstance(inner, OpResult) or type(inner.op) is not ConstantOp:
        return None
    filling = inner.op.properties["value"]
    return filling.value.data if isinstance(filling, FloatAttr) else None


def products(node: Node, width: int, degree: float = inf) -> Iterator[tuple[float, list[Factor]]]:
    """Ways to write a node as a number times at most `width` powers, the least taken apart first.

    `degree` is the most that the sizes of the exponents may add up to.
    """
    inner = core(node)
    if isinstance(inner, OpResult) and type(inner.op) not in PRODUCTS and type(inner.op) is not ConstantOp:
        yield 1.0, [(node, 1.0)]
    elif (start := _numbers_out([(node, 1.0)], 1.0)) is not None:
        yield from _products(start[1], {}, start[0], (width, degree, MOST_OPS))


def _numbers_out(factors: list[Factor], exponent: float) -> tuple[float, list[Factor]] | None:
    """A power of a product: the number in it and the other factors; None where the number has no such power."""
    scale, others = 1.0, list[Factor]()
    for node, power in factors:
        filling, power = constant(node), power * exponent
        if filling is None:
            others.append((node, power))
        elif filling > 0 or (filling != 0 and power.is_integer()):
            scale *= filling**power
        else:
            return None
    return scale, others


def _products(
    pending: list[Factor], done: dict[Node, Factor], scale: float, limits: tuple[int, float, int]
) -> Iterator[tuple[float, list[Factor]]]:
    """No node of `pending` is a number; what is `done` is kept by its core, so that equal factors become one."""
    if not pending:
        yield scale, [*done.values()]
        return
    (node, exponent), *rest = pending
    inner, (width, degree, left) = core(node), limits
    factor = (done[inner][0], done[inner][1] + exponent) if inner in done else (node, exponent)
    if (inner in done or len(done) < width) and not _is_scaled_matmul(inner):
        yield from _products(rest, {**done, inner: factor}, scale, limits)
    parts = _factors(inner) if exponent.is_integer() and left else None
    opened = None if parts is None else _numbers_out(parts[1], exponent)
    if parts is not None and opened is not None:
        more = [*opened[1], *rest]
        if _least_degree(done.values(), more) <= degree:
            scale *= parts[0] ** int(exponent) * opened[0]
            yield from _products(more, done, scale, (width, degree, left - 1))


def _least_degree(done: Iterable[Factor], pending: Iterable[Factor]) -> float:
    """What the sizes of the exponents add up to at least; a root is all that makes one of `pending` smaller."""
    return sum([abs(e) for _, e in done]) + sum([abs(e) for _, e in pending]) / 2


def _is_scaled_matmul(node: Node) -> bool:
    """True for a product of matrices with a number in it, which always comes out."""
    if isinstance(node, OpResult) and type(node.op) is not MatmulOp:
        return False  # as most are: their operands need not be collected
    op, operands = made(node)
    return type(op) is MatmulOp and _scaled_matmul(op, operands) is not None


_EXPONENTS: dict[type[Operation], tuple[float, tuple[float, ...]]] = {
    ew.MulOp: (1.0, (1.0, 1.0)),
    ew.DivOp: (1.0, (1.0, -1.0)),
    ew.NegOp: (-1.0, (1.0,)),
    ew.SqrtOp: (1.0, (0.5,)),
    ew.RsqrtOp: (1.0, (-0.5,)),
}
"""The number and the exponents of the operands, of an op that is a product."""
PRODUCTS = frozenset({*_EXPONENTS, ew.PowOp, MatmulOp})
"""Ops that may be taken apart."""


def _factors(node: Node) -> tuple[float, list[Factor]] | None:
    """One product taken apart; None for what is no product."""
    if isinstance(node, OpResult) and type(node.op) not in PRODUCTS:
        return None
    op, operands = made(node)
    if (found := _EXPONENTS.get(type(op)) if op is not None else None) is not None:
        return found[0], list(zip(operands, found[1], strict=True))
    if type(op) is ew.PowOp:
        power = constant(operands[1])
        small = power is not None and power * 2 == int(power * 2) and 0 < abs(power) <= 4
        return (1.0, [(operands[0], float(power))]) if small and power is not None else None
    return _scaled_matmul(op, operands) if type(op) is MatmulOp else None


def _scaled_matmul(op: MatmulOp, operands: tuple[Node, ...]) -> tuple[float, list[Factor]] | None:
    """A product of matrices with a number in it, and what it is without; None where it has none."""
    parts = [_unscaled(v) for v in operands]
    scale = parts[0][0] * parts[1][0]
    return (scale, [(Moved(op, (parts[0][1], parts[1][1])), 1.0)]) if scale != 1.0 else None


def _unscaled(node: Node) -> tuple[float, Node]:
    """(c, x) for c * x, with x of the element type of the node; (1, node) where there is none."""
    scale, inner = _without_scale(node)
    element = element_type(type_of(node))
    fits = [v for v in layers(inner) if element_type(type_of(v)) == element]
    return (scale, fits[0]) if fits and scale != 1.0 else (1.0, node)


def _without_scale(node: Node, left: int = MOST_OPS) -> tuple[float, Node]:
    """(c, x) for c * x, seen through permutations and casts between floats."""
    op, operands = made(node)
    if isinstance(op, PermuteOp):
        scale, inner = _without_scale(operands[0])
        return (scale, Moved(op, (inner,))) if scale != 1.0 else (1.0, node)
    if isinstance(op, CastOp) and is_float(element_type(op.input.type)) and is_float(element_type(op.result.type)):
        scale, inner = _without_scale(operands[0], left)
        return (scale, inner) if scale != 1.0 else (1.0, node)
    if isinstance(op, ew.MulOp | ew.DivOp) and left and (factor := constant(operands[1])):
        scale, inner = _without_scale(operands[0], left - 1)
        return (scale * factor if isinstance(op, ew.MulOp) else scale / factor), inner
    return 1.0, node


_SIGNS: dict[type[Operation], tuple[int, ...]] = {ew.AddOp: (1, 1), ew.SubOp: (1, -1), ew.NegOp: (-1,)}
"""The signs of the operands, of an op that is a sum."""


def sums(node: Node, width: int) -> Iterator[tuple[float, list[Term]]]:
    """Ways to write a node as a number plus at most `width` terms, the least taken apart first."""
    yield from _sums([(1, node)], [], 0.0, width, MOST_OPS)


def _sums(
    pending: list[Term], done: list[Term], total: float, width: int, left: int
) -> Iterator[tuple[float, list[Term]]]:
    if not pending:
        yield total, done
        return
    (sign, node), rest = pending[0], pending[1:]
    filling = constant(node)
    if filling is not None:
        yield from _sums(rest, done, total + sign * filling, width, left)
        return
    if len(done) < width:
        yield from _sums(rest, [*done, (sign, node)], total, width, left)
    opened = [*_terms(sign, core(node)), *rest] if left else rest
    if len(opened) > len(rest) and len(done) + sum(constant(n) is None for _, n in opened) <= width:
        yield from _sums(opened, done, total, width, left - 1)


def _terms(sign: int, node: Node) -> list[Term]:
    """One sum taken apart; nothing for what is no sum."""
    op, operands = made(node)
    signs = _SIGNS.get(type(op), ()) if op is not None else ()
    return [(sign * s, v) for s, v in zip(signs, operands, strict=False)]


def threshold(node: Node, index: tuple[IndexExpr, ...], left: int = _DEEPEST_POSITION) -> IndexExpr | None:
    """e, where a comparison of positions says e >= 0 at `index` of its result."""
    op, operands = made(node)
    if left == 0:
        return None
    if isinstance(op, ViewOp) and not isinstance(op, PadOp):
        return threshold(operands[0], op.source_index(index), left - 1)
    if isinstance(op, ew.NotOp):
        inner = threshold(operands[0], index, left - 1)
        return None if inner is None else integer(0) - inner - 1
    if isinstance(op, ew.EqOp | ew.NeOp) and constant(operands[1]) == 0:
        return _nonzero(operands[0], index, isinstance(op, ew.EqOp), left - 1)
    if isinstance(op, ew.LtOp | ew.LeOp | ew.GtOp | ew.GeOp):
        return _compared(op, operands, index, left - 1)
    return None


def _compared(
    op: ew.LtOp | ew.LeOp | ew.GtOp | ew.GeOp, operands: Sequence[Node], index: tuple[IndexExpr, ...], left: int
) -> IndexExpr | None:
    """e, where `op` says e >= 0 of two positions."""
    first, second = (_position(v, index, left) for v in operands)
    if first is None or second is None:
        return None
    greater = first - second if isinstance(op, ew.GtOp | ew.GeOp) else second - first
    return greater if isinstance(op, ew.GeOp | ew.LeOp) else greater - 1


def _nonzero(node: Node, index: tuple[IndexExpr, ...], negated: bool, left: int) -> IndexExpr | None:
    """The comparison that a float says in 1.0 and 0.0; with `negated` the opposite."""
    op, operands = made(node)
    if isinstance(op, ViewOp) and not isinstance(op, PadOp):
        return _nonzero(operands[0], op.source_index(index), negated, left - 1) if left else None
    if not isinstance(op, CastOp) or not is_bool(element_type(op.input.type)):
        return None
    inner = threshold(operands[0], index, left - 1) if left else None
    return inner if inner is None or not negated else integer(0) - inner - 1


def _position(node: Node, index: tuple[IndexExpr, ...], left: int) -> IndexExpr | None:
    """The value of sums of positions and integers, at `index`."""
    op, operands = made(node)
    match op:
        case _ if left == 0:
            return None
        case IotaOp():
            return index[op.axis]
        case ConstantOp() if isinstance(found := number(op.result), int):
            return integer(found)
        case ViewOp() if not isinstance(op, PadOp):
            return _position(operands[0], op.source_index(index), left - 1)
        case CastOp() if not is_float(element_type(op.result.type)):
            return _position(operands[0], index, left - 1)
        case ew.AddOp() | ew.SubOp():
            first, second = (_position(v, index, left - 1) for v in operands)
            if first is None or second is None:
                return None
            return first + second if isinstance(op, ew.AddOp) else first - second
        case _:
            return None
