"""The iteration of two kernels as one, found from theirs where that is plain.

A kernel without reductions walks the elements of its outputs, and can as well compute each of them where the
other kernel wants it: its indices are replaced by that place. Then both walk the same points, and are one loop if
what one hands to the other is read at the very place where it is made. All else is for `iterate` to tell, which
follows every value through every op.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from xdsl.ir import Operation, SSAValue

from mlc_dialects.iteration.domain import Domain, Index, row_indices, row_major_index
from mlc_dialects.iteration.iterate import VISITS_PER_VALUE, Iteration, Refusal, repeated_at
from mlc_dialects.tensor.gather_scatter import ScatterOp, points_of
from mlc_dialects.tensor.ops import CastOp
from mlc_support.index_expr import IndexExpr, product
from mlc_support.index_maps import linearize


def joined(one: Iteration, two: Iteration, outputs: Sequence[SSAValue]) -> Iteration | Refusal | None:
    """The iteration of both kernels as one that writes `outputs`; None where it takes `iterate` to tell."""
    if any(i.over_rows or i.domain.order is not None for i in (one, two)):
        return None
    if one.domain == two.domain:
        return _same_points(one, two, outputs) or _repeated(one, two) or _repeated(two, one)
    for leader, other in ((one, two), (two, one)):
        moved = None if other.domain.reduced else _walked_by(leader, other, outputs)
        found = None if moved is None else _same_points(leader, moved, outputs)
        if found is not None:
            return found
    return None


def _walked_by(leader: Iteration, other: Iteration, outputs: Sequence[SSAValue]) -> Iteration | None:
    """`other`, which reduces nothing, at the points of `leader`; None where an output has no place there."""
    place = _place(leader, other)
    if place is None:
        return None
    stores = {v: _said(index, other.domain, place) for v, index in other.stores.items()}
    full: set[SSAValue] = set()
    for value in stores.keys() & set(outputs):
        found = row_major_index(leader.domain, points_of(value))
        if found is None or found[0] != stores[value]:
            return None
        if found[1]:
            full.add(value)
    reads = {v: [_said(index, other.domain, place) for index in indices] for v, indices in other.reads.items()}
    return Iteration(leader.domain, stores, full, reads, before=other.before)


def _place(leader: Iteration, other: Iteration) -> IndexExpr | None:
    """The element of its own that `other` computes at a point of `leader`; None if data tells it."""
    axes = {axis.unknown for axis in leader.domain.axes}
    for value in other.stores:
        for index in leader.reads.get(value, ()):
            if isinstance(value.owner, ScatterOp):
                return None
            known = {v.name for i in index for v in i.variables() if v.extent is not None} <= axes
            return linearize(index, points_of(value)) if known else None
    return element_at(leader.domain, other.domain.rows)


def element_at(domain: Domain, count: IndexExpr) -> IndexExpr | None:
    """The element, of `count`, that belongs to a point of `domain`: one a row, or one a point."""
    if count == domain.rows:
        return domain.row_number
    return domain.position if count == product(domain.shape) else None


@lru_cache(maxsize=4096)
def _said(index: Index, domain: Domain, place: IndexExpr) -> Index:
    places = row_indices(domain, place)
    return tuple(i.substitute(places) for i in index)


def _same_points(one: Iteration, two: Iteration, outputs: Sequence[SSAValue]) -> Iteration | None:
    """The iteration of two loops over the same points, if each reads what the other makes where it is made."""
    if not _meet(one, two) or not _meet(two, one):
        return None
    made = one.stores | two.stores
    reads = {v: list(indices) for v, indices in one.reads.items() if v not in made}
    for value, indices in two.reads.items():
        if value not in made:
            known = reads.setdefault(value, [])
            known += [index for index in indices if index not in known]
    stores = {v: made[v] for v in outputs}
    full = {v for v in outputs if v in one.full or v in two.full}
    return Iteration(one.domain, stores, full, reads, before=one.before | two.before)


def _repeated(producer: Iteration, consumer: Iteration) -> Refusal | None:
    """Why what `producer` stores is not computed wherever `consumer` reads it, as windows do: at too many places."""
    for stored in producer.stores:
        value = stored
        while isinstance(value.owner, CastOp) and value not in producer.reads:
            value = value.owner.input
        owner, places = value.owner, len(consumer.reads.get(stored, ()))
        if isinstance(owner, Operation) and value not in producer.reads and places > VISITS_PER_VALUE:
            return repeated_at(owner)
    return None


def _meet(producer: Iteration, consumer: Iteration) -> bool:
    """True if `consumer` reads what `producer` stores at its place alone, after it is complete."""
    for value, place in producer.stores.items():
        if consumer.reads.get(value, [place]) != [place] or value in consumer.before:
            return False
        if value in consumer.reads and isinstance(value.owner, ScatterOp):
            return False
    return True
