"""A pattern taken apart: its operands and open numbers, its products and sums, each once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.ir import BlockArgument, Operation, SSAValue

from mlc_dialects.common.types import element_type, is_bool, is_float, shape_of
from passes.tensor.matching import adds_ones
from passes.tensor.recompose.looks import same_type
from passes.tensor.recompose.nodes import Factor, Term, constant, core, products, sums
from passes.tensor.recompose.pattern import AFFINE, ANYTHING, EXACTLY, Pattern

_WIDEST = 8
"""Factors or terms that a pattern may have."""


@dataclass(frozen=True)
class Product:
    """A product, taken apart as far as it goes: number, open numbers, factors."""

    scale: float
    holes: list[Factor]
    factors: list[Factor]
    degree: float
    """What the sizes of the factors' exponents add up to."""


class Anatomy:
    """What the parts of a pattern are."""

    def __init__(self, pattern: Pattern):
        fits = pattern.site.fits
        self.fits = {p: fits[min(i, len(fits) - 1)] for i, p in enumerate(pattern.operands)}
        """The operands, and how each fits."""
        self.holes = pattern.holes
        """The open numbers, and their names."""
        self.filled = {v: h for v in _values(pattern) if isinstance(h := core(v), SSAValue) and h in self.holes}
        """The values that show an open number, and that number."""
        self._products: dict[SSAValue, Product] = {}
        self._sums: dict[SSAValue, tuple[float, list[Term], list[Term]]] = {}

    def text(self, value: SSAValue) -> str:
        """All that decides what `value` of the pattern matches."""
        if isinstance(value, BlockArgument):
            return f"{self.holes.get(value, value.index)} {self.fits.get(value)} {value.type}"
        op = value.owner
        assert isinstance(op, Operation)
        operands = ", ".join(self.text(v) for v in op.operands)
        return f"{op.name} {op.properties} ({operands}) {value.type}"

    def product(self, p: SSAValue) -> Product:
        """What `p` is the product of."""
        if p not in self._products:
            *_, (scale, parts) = products(p, _WIDEST)
            parts = [(core(n), e) for n, e in parts]
            holes = [f for f in parts if f[0] in self.holes]
            factors = sorted((f for f in parts if f[0] not in self.holes), key=lambda f: f[0] in self.fits)
            self._products[p] = Product(scale, holes, factors, float(sum(abs(e) for _, e in factors)))
        return self._products[p]

    def sum(self, p: SSAValue) -> tuple[float, list[Term], list[Term]]:
        """What `p` is the sum of, taken apart as far as it goes: number, open numbers, terms."""
        if p not in self._sums:
            *_, (total, terms) = sums(p, _WIDEST)
            terms = [(sign, core(n)) for sign, n in terms]
            holes = [t for t in terms if t[1] in self.holes]
            rigid = sorted((t for t in terms if t[1] not in self.holes), key=lambda t: t[1] in self.fits)
            self._sums[p] = total, holes, rigid
        return self._sums[p]

    def may_be(self, p: SSAValue, value: SSAValue) -> bool:
        """True if the operand `p` may be `value`."""
        fit = self.fits[p]
        if fit == EXACTLY:
            return same_type(p, value)
        element = element_type(value.type)
        if is_bool(element) != is_bool(element_type(p.type)) or not (is_float(element) or is_bool(element)):
            return False
        if fit == AFFINE:
            return adds_ones(shape_of(p.type), shape_of(value.type)) or adds_ones(
                shape_of(value.type), shape_of(p.type)
            )
        assert fit == ANYTHING
        return constant(value) is None


def _values(pattern: Pattern) -> Iterator[SSAValue]:
    """All of a pattern's values."""
    block = pattern.function.body.block
    yield from block.args
    yield from (v for op in block.ops for v in op.results)
