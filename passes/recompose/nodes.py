"""Values as a matcher sees them: without casts between floats and without broadcasts, products and sums flat.

A product is a number times powers of factors, a sum a number plus signed terms. How far a chain
of multiplications or additions is taken apart is a choice, so both come as alternatives.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from mlc_dialects import elementwise as ew
from mlc_dialects.tensor_ops import CastOp, ConstantOp, IotaOp, MatmulOp
from mlc_dialects.tensor_views import BroadcastOp, PadOp, PermuteOp, ReshapeOp, ViewOp
from mlc_dialects.types import Shape, element_type, is_bool, is_float
from mlc_support.index_expr import IndexExpr, integer
from passes.matching import number


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
    if isinstance(node, Moved):
        return node.op, node.operands
    return (node.owner, tuple(node.owner.operands)) if isinstance(node.owner, Operation) else (None, ())


def type_of(node: Node) -> Attribute:
    return node.op.results[0].type if isinstance(node, Moved) else node.type


def layers(node: Node) -> list[Node]:
    """The node, and what it is without its casts and broadcasts, one layer less at a time."""
    found = [node]
    while not isinstance(node, Moved) and (inner := _inside(node.owner)) is not None and len(found) <= MOST_OPS:
        node = inner
        found.append(node)
    return found


def core(node: Node) -> Node:
    """The node without casts between floats, broadcasts and added dimensions of size 1."""
    for _ in range(MOST_OPS):
        if isinstance(node, Moved) or type(op := node.owner) not in _LAYERS or (inner := _inside(op)) is None:
            break
        node = inner
    return node


_LAYERS = frozenset({BroadcastOp, CastOp, ReshapeOp})  # looked up before all else: `core` is what a search asks most


def _inside(op: Operation | Block) -> SSAValue | None:
    """What a cast between floats, a broadcast, or a reshape that adds dimensions of size 1 is made of."""
    kind = type(op)  # asked more often than anything else: isinstance is slow for abstract classes
    if kind is BroadcastOp:
        return op.operands[0]  # pyright: ignore[reportAttributeAccessIssue]
    if kind is CastOp and isinstance(op, CastOp):
        floats = is_float(element_type(op.input.type)) and is_float(element_type(op.result.type))
        return op.input if floats else None
    if kind is ReshapeOp and isinstance(op, ReshapeOp):
        return op.input if adds_ones(op.input_shape, op.shape) else None
    return None


def adds_ones(source: Shape, target: Shape) -> bool:
    """True if `target` is `source` behind dimensions of size 1."""
    added = len(target) - len(source)
    return added >= 0 and target[added:] == source and all(s.constant == 1 for s in target[:added])


def constant(node: Node) -> float | None:
    """The number that fills a float node."""
    inner = core(node)
    if isinstance(inner, Moved) or not isinstance(inner.owner, ConstantOp):
        return None
    filling = inner.owner.value
    return filling.value.data if isinstance(filling, FloatAttr) else None


def products(node: Node, width: int, degree: float = inf) -> Iterator[tuple[float, list[Factor]]]:
    """Ways to write a node as a number times at most `width` powers, the least taken apart first.

    `degree` is the most that the sizes of the exponents may add up to.
    """
    yield from _products([(node, 1.0)], [], 1.0, (width, degree, MOST_OPS))


def _products(
    pending: list[Factor], done: list[Factor], scale: float, limits: tuple[int, float, int]
) -> Iterator[tuple[float, list[Factor]]]:
    if not pending:
        yield scale, done
        return
    (node, exponent), rest = pending[0], pending[1:]
    filling = constant(node)
    if filling is not None:
        if filling > 0 or (filling != 0 and exponent.is_integer()):
            yield from _products(rest, done, scale * filling**exponent, limits)
        return
    width, degree, left = limits
    if len(kept := joined(done, node, exponent)) <= width and not _is_scaled_matmul(core(node)):
        yield from _products(rest, kept, scale, limits)
    parts = _factors(core(node)) if exponent.is_integer() and left else None
    if parts is not None:
        opened = [*((n, e * exponent) for n, e in parts[1]), *rest]
        if _least_degree(done, opened) <= degree:
            yield from _products(opened, done, scale * parts[0] ** int(exponent), (width, degree, left - 1))


def _least_degree(done: list[Factor], pending: list[Factor]) -> float:
    """What the sizes of the exponents add up to at least; a root is all that makes one of `pending` smaller."""
    left = sum([abs(e) for n, e in pending if constant(n) is None])
    return sum([abs(e) for _, e in done]) + left / 2


def _is_scaled_matmul(node: Node) -> bool:
    """True for a product of matrices with a number in it, which always comes out."""
    op, operands = made(node)
    return isinstance(op, MatmulOp) and _scaled_matmul(op, operands) is not None


def joined(factors: list[Factor], node: Node, exponent: float) -> list[Factor]:
    """The factors times a power of `node`; equal ones become one."""
    for position, (known, power) in enumerate(factors):
        if core(known) == core(node):
            return [*factors[:position], (known, power + exponent), *factors[position + 1 :]]
    return [*factors, (node, exponent)]


_EXPONENTS: dict[type[Operation], tuple[float, tuple[float, ...]]] = {
    ew.MulOp: (1.0, (1.0, 1.0)),
    ew.DivOp: (1.0, (1.0, -1.0)),
    ew.NegOp: (-1.0, (1.0,)),
    ew.SqrtOp: (1.0, (0.5,)),
    ew.RsqrtOp: (1.0, (-0.5,)),
}
"""The number and the exponents of the operands, of an op that is a product."""


def _factors(node: Node) -> tuple[float, list[Factor]] | None:
    """One product taken apart; None for what is no product."""
    op, operands = made(node)
    if (found := _EXPONENTS.get(type(op)) if op is not None else None) is not None:
        return found[0], list(zip(operands, found[1], strict=True))
    if type(op) is ew.PowOp:
        power = constant(operands[1])
        small = power is not None and power * 2 == int(power * 2) and 0 < abs(power) <= 4
        return (1.0, [(operands[0], float(power))]) if small and power is not None else None
    return _scaled_matmul(op, operands) if isinstance(op, MatmulOp) else None


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
    if not isinstance(op, ew.LtOp | ew.LeOp | ew.GtOp | ew.GeOp):
        return None
    first, second = (_position(v, index, left - 1) for v in operands)
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
