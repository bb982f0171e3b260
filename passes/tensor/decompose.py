"""decompose: composite ops become plain ones again, as the program spelled them or by their reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from mlc_dialects.tensor.composite_op import CompositeOp
from mlc_support.rewriting import Rule, RulePass, rule
from passes.tensor.batched_products import JOIN_BATCHES


@rule
def open_composite(op: CompositeOp) -> Sequence[SSAValue]:
    """A composite is its spelling, or else its reference decomposition"""
    return op.opened(op.inputs)


@dataclass(frozen=True)
class DecomposePass(RulePass):
    """Open every composite op, those inside others too."""

    name = "decompose"

    def rules(self) -> tuple[Rule, ...]:
        """Products of matrices are brought to one batch dimension on the way."""
        return (open_composite, *JOIN_BATCHES)
