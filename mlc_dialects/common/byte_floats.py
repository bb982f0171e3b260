"""The formats of 8-bit floats: one table, which the oracle and the arithmetic on bytes read."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, ldexp

from xdsl.dialects.builtin import f8E4M3FN, f8E5M2
from xdsl.ir import Attribute


@dataclass(frozen=True)
class ByteFloat:
    """A sign, an exponent and `digits` bits of significand, subnormal numbers, and NaN as 0x7F."""

    digits: int
    """Bits of the significand that are stored."""
    least: int
    """The exponent of the smallest normal number, and of all subnormal ones."""
    overflow: int
    """The bits that larger numbers become: infinity, or where there is none the largest, as in PyTorch 2.13."""
    bound: float
    """What numbers may be clamped to before they are rounded: the largest where there is no infinity."""

    @property
    def step(self) -> float:
        """The distance of subnormal numbers."""
        return ldexp(1.0, self.least - self.digits)


BYTE_FLOATS: dict[Attribute, ByteFloat] = {
    f8E4M3FN: ByteFloat(3, -6, 0x7E, 448.0),
    f8E5M2: ByteFloat(2, -14, 0x7C, inf),
}
NAN = 0x7F
BEYOND = 464.0
"""Numbers of larger magnitude round beyond the largest f8E4M3FN."""
