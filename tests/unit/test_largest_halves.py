"""Largest values of 16-bit rows that a block does not fill.

What a mask leaves is -inf. Where ptxas 12.8 knows two -inf, it takes inf for the larger one.
"""

from __future__ import annotations

import pytest
import torch

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("rows", [20, 33, 40, 1000])
def test_columns_of_rows_that_are_no_power_of_two(rows: int, dtype: torch.dtype, device: str) -> None:
    x = torch.randn(rows, 296, dtype=dtype)
    x[:, 9], x[:, 10], x[3, 5], x[:, 11], x[:, 12] = -torch.inf, torch.inf, torch.nan, -0.0, 0.0
    x[:-1, 12] = -0.0
    x = x.to(device)
    torch._dynamo.reset()
    found, place, alone = torch.compile(lambda x: (*x.max(0), x.amax(0)), backend="mlc")(x)
    want, first = x.max(0)
    torch.testing.assert_close(found, want, rtol=0, atol=0, equal_nan=True)
    torch.testing.assert_close(alone, want, rtol=0, atol=0, equal_nan=True)
    same = torch.gather(x, 0, place[None])[0]
    torch.testing.assert_close(same, want, rtol=0, atol=0, equal_nan=True)
    assert torch.equal(place[[5, 9]], torch.tensor([3, 0], device=device)) and first[5] == 3
    assert not torch.signbit(alone[12]) and torch.signbit(alone[11])
