"""Patterns: what a composite means, built on free operands and open numbers, in canonical spelling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, f64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from mlc_dialects.common.types import tensor_type
from mlc_dialects.tensor.composite_op import CompositeOp, Meaning, Parameter, results_of
from mlc_support.rewriting import apply_rules, unplaced_ops
from passes.tensor.canonicalize.canonicalize import RULES
from passes.tensor.const_fold import fold_splat_elementwise
from passes.tensor.simplify.simplify import EXACT

NORMAL = (*RULES, *EXACT, fold_splat_elementwise)
"""Rules that pattern and program are brought to one spelling with, all exact."""

EXACTLY, AFFINE, ANYTHING = "exactly", "affine", "anything"
"""What an operand may be: of the pattern's type; any float of its shape; whatever is there."""


@dataclass(frozen=True)
class Site:
    """A guess: operands of such types and these attributes, numbers left open."""

    types: tuple[Attribute, ...]
    parameters: tuple[tuple[str, Parameter], ...] = ()
    fits: tuple[str, ...] = (EXACTLY,)
    """How each operand fits; the last counts for the rest."""
    open: tuple[str, ...] = ()
    """Numbers that the program tells."""


@dataclass(frozen=True, eq=False)
class Pattern:
    """The plain ops of a composite, in a function of their own."""

    composite: type[CompositeOp]
    site: Site
    function: func.FuncOp
    count: int
    is_reference: bool

    @property
    def operands(self) -> Sequence[SSAValue]:
        return self.function.body.block.args[: self.count]

    @property
    def holes(self) -> Mapping[SSAValue, str]:
        """The arguments that stand for numbers, and their names."""
        return dict(zip(self.function.body.block.args[self.count :], self.site.open, strict=True))

    @property
    def results(self) -> Sequence[SSAValue]:
        last = self.function.body.block.last_op
        assert last is not None
        return last.operands


def patterns(composite: type[CompositeOp], site: Site) -> list[Pattern]:
    """The pattern of the reference, and those of the other spellings that have one at this site."""
    found: list[Pattern] = []
    for position, meaning in enumerate((composite.MEANING, *composite.SPELLINGS)):
        function = _function(meaning, site)
        if function is not None:
            found.append(Pattern(composite, site, function, len(site.types), position == 0))
    return found


def _function(meaning: Meaning, site: Site) -> func.FuncOp | None:
    holes = [tensor_type([], f64)] * len(site.open)
    block = Block(arg_types=[*site.types, *holes])
    operands, open_numbers = block.args[: len(site.types)], block.args[len(site.types) :]
    parameters = dict(site.parameters) | dict(zip(site.open, open_numbers, strict=True))
    try:
        results = results_of(meaning, operands, parameters)
    except (ValueError, IndexError, AssertionError):
        return None
    block.add_ops(unplaced_ops([v.owner for v in results if isinstance(v.owner, Operation)]))
    block.add_op(func.ReturnOp(*results))
    function = func.FuncOp("pattern", ([a.type for a in block.args], [v.type for v in results]), Region(block))
    apply_rules(ModuleOp([function]), NORMAL)
    return function
