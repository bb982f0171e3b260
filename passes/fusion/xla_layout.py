"""Layout assignment: which results XLA keeps in memory the other way round.

Results of the function are row-major. A transpose is free if its operand lies so that it is a view, so
the layout of a transposed result spreads to all pointwise ops around, up to what is computed from
arguments alone, which are row-major too. Results are asked last first. Row reductions of such values
are column reductions, and Triton fusions want row-major values. Follows xla/service/layout_assignment.cc.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.ir import Operation, SSAValue

from mlc_dialects.elementwise_op import ElementwiseOp
from mlc_dialects.tensor_ops import CastOp
from mlc_dialects.tensor_views import BroadcastOp, PermuteOp

Views = Mapping[tuple[Operation, SSAValue], frozenset[type[Operation]]]


def transposed_ops(ops: list[Operation], views: Views, last: Operation | None) -> set[Operation]:
    """The pointwise ops whose results are column-major. `views` has the views between a reader and a value."""
    near: dict[Operation, list[tuple[Operation, bool]]] = {}
    results: list[tuple[Operation, bool]] = []
    readers: dict[Operation, list[tuple[SSAValue, frozenset[type[Operation]]]]] = {}
    for (reader, value), kinds in views.items():
        readers.setdefault(reader, []).append((value, kinds))
        owner = value.owner
        if not isinstance(owner, Operation) or not _is_pointwise(owner) or BroadcastOp in kinds:
            continue
        if reader is last:
            results.append((owner, PermuteOp in kinds))
        elif _is_pointwise(reader):
            near.setdefault(owner, []).append((reader, PermuteOp in kinds))
            near.setdefault(reader, []).append((owner, PermuteOp in kinds))
    fixed = set(_from_arguments(ops, readers))
    found: dict[Operation, bool] = dict.fromkeys(fixed, False)
    for start, turned in reversed(results):
        work = [(start, turned)]
        while work:
            op, turned = work.pop()
            if op not in found:
                found[op] = turned
                work += [(other, turned != flips) for other, flips in near.get(op, ())]
    return {op for op, turned in found.items() if turned}


def _from_arguments(
    ops: list[Operation], readers: Mapping[Operation, list[tuple[SSAValue, frozenset[type[Operation]]]]]
) -> Iterator[Operation]:
    """Pointwise ops of arguments as they are, and of such ops."""
    known: set[Operation] = set()
    for op in ops:
        reads = readers.get(op, [])
        plain = all(not kinds and (not isinstance(v.owner, Operation) or v.owner in known) for v, kinds in reads)
        if _is_pointwise(op) and reads and plain:
            known.add(op)
            yield op


def _is_pointwise(op: Operation) -> bool:
    return isinstance(op, ElementwiseOp | CastOp)
