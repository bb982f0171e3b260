"""What programs are run on, and whether two of them compute the same."""

from __future__ import annotations

from collections.abc import Sequence

import torch

FAR = 1e-3
"""An element is off if it differs by more of its value and of the result's root mean square."""
MOST_OFF = 0.01
"""The share of elements that may be off: sums are taken in other orders, and then a floor may fall elsewhere."""


def numbers(shape: Sequence[int], dtype: torch.dtype, seed: int, device: str) -> torch.Tensor:
    """Normal numbers, or 0 and 1 where they are no floats: the same in every process on such a device."""
    generator = torch.Generator(device).manual_seed(seed)
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(*shape, device=device, generator=generator).to(dtype)
    return torch.randint(0, 2, (*shape,), device=device, generator=generator).to(dtype)


def off(value: torch.Tensor, expected: torch.Tensor, far: float = FAR) -> float:
    """The share of elements that are far from what they should be; NaN and infinities must be where they were.

    What are no floats must be equal; a result of another shape or type is off everywhere.
    """
    if value.shape != expected.shape or value.dtype != expected.dtype:
        return 1.0
    if not expected.numel():
        return 0.0
    same = (value == expected) | (value.isnan() & expected.isnan())
    if not expected.dtype.is_floating_point:
        return float((~same).float().mean())
    value, expected = value.double(), expected.double()
    finite = expected.isfinite()
    typical = expected[finite].square().mean().sqrt().nan_to_num(0.0)
    distant = (value - expected).abs() > far * (expected.abs() + typical)
    return float(torch.where(finite, distant | ~value.isfinite(), ~same).float().mean())


def far_between(dtype: torch.dtype) -> float:
    """What results of two compilers may differ by, of the value and of the root mean square.

    Some roundings of the element type; of float32 those of products by tensor cores (TF32), which XLA takes by default.
    """
    return max(5 * FAR, 4 * torch.finfo(dtype).eps) if dtype.is_floating_point else 0.0


def worst(values: Sequence[torch.Tensor], expected: Sequence[torch.Tensor]) -> float:
    """The largest share of elements of one result that are not as another compiler has them.

    What stands behind the `expected` results is not looked at: values that a program writes into its arguments.
    """
    if len(values) < len(expected):
        return 1.0
    return max((off(v, e, far_between(e.dtype)) for v, e in zip(values, expected, strict=False)), default=0.0)
