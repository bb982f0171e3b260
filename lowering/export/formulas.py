"""Ops that other compilers are given as what they mean: composites, fusions, and calls that have a formula."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from lowering.export import attention, convolution, products, special
from mlc_dialects.tensor.calls import ExternOp, FusionOp, YieldOp
from mlc_dialects.tensor.composite_op import CompositeOp, owner_op
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_support.rewriting import unplaced_ops

CALLS: Mapping[str, Callable[[ExternOp], Sequence[SSAValue | None] | None]] = {
    **attention.FORMULAS,
    **products.FORMULAS,
    convolution.BACKWARD: convolution.gradients,
}
"""The callee to what builds its results."""


@dataclass(frozen=True)
class Formula:
    """The ops that an op stands for, in no block yet, and what its results are of theirs; None where it has none."""

    ops: Sequence[Operation]
    results: Sequence[SSAValue | None]


Open = Callable[[Operation], Formula | None]


def open_region(op: Operation) -> Formula | None:
    """The formula of a composite, or of a fusion; else None."""
    if isinstance(op, CompositeOp):
        return _formula(op.opened(op.inputs))
    return _of_fusion(op) if isinstance(op, FusionOp) else None


def open_call(op: Operation) -> Formula | None:
    """The same, and that of a call of PyTorch which has one."""
    if not isinstance(op, ExternOp) or op.callee.data not in CALLS:
        return open_region(op)
    results = CALLS[op.callee.data](op)
    if results is None:
        return None
    formula = _formula(results)
    if _are_all(op, results):
        return formula
    for part in reversed(formula.ops):
        part.erase()
    return None


def opening(functions: Collection[str]) -> Open:
    """The same for a language with these elementwise functions: others that have a formula are opened, too."""

    def opened(op: Operation) -> Formula | None:
        if not isinstance(op, ElementwiseOp):
            return open_call(op)
        name = op.FUNCTION.name
        return _formula(special.special(op)) if name in special.FORMULAS and name not in functions else None

    return opened


def _are_all(op: Operation, results: Sequence[SSAValue | None]) -> bool:
    """True if each result that somebody reads is there, and has its type."""
    pairs = zip(op.results, results, strict=True)
    return all(not old.uses if new is None else new.type == old.type for old, new in pairs)


def _formula(results: Sequence[SSAValue | None]) -> Formula:
    owners = [owner_op(v) for v in results if v is not None]
    return Formula(unplaced_ops([o for o in owners if o is not None]), results)


def _of_fusion(op: FusionOp) -> Formula:
    """The ops of the region."""
    values: dict[SSAValue, SSAValue] = dict(zip(op.body.block.args, op.inputs, strict=True))
    copies: list[Operation] = []
    for part in op.body.block.ops:
        if isinstance(part, YieldOp):
            continue
        copy = part.clone(values)
        copies.append(copy)
        values |= zip(part.results, copy.results, strict=True)
    return Formula(copies, [values[v] for v in op.yielded])
