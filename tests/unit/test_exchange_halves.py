"""Gradients of rotary embeddings: as eager's to the last bit, of the sign of zeros too."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from tests.unit.test_end_to_end import DEVICES
from tests.unit.test_split_scan import compiled_once


def rotated(x: Tensor, parts: int) -> Tensor:
    """The last `parts` elements of a row in front of the others, and negated."""
    rest = x.shape[-1] - parts
    return torch.cat((-x[..., rest:], x[..., :rest]), -1)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("parts", [16, 12, 31, 1])
def test_gradient(parts: int, dtype: torch.dtype, device: str) -> None:
    def gradient(x: Tensor, given: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        (found,) = torch.autograd.grad(rotated(x, parts) * sin + x * cos, x, given)
        return found

    torch.manual_seed(0)
    x, given = (torch.randn(3, 5, 32, device=device).to(dtype).requires_grad_(k == 0) for k in range(2))
    cos, sin = torch.randn(2, 5, 32, device=device).to(dtype)
    given[0, :, ::3], given[1, 2, 7], given[2, 3, 30], given[1, 4] = -0.0, float("nan"), float("inf"), 0.0

    def compiled(x: Tensor) -> Tensor:
        return rotated(x, parts) * sin + x * cos

    function = torch.compile(compiled, backend="mlc")
    (found,) = torch.autograd.grad(function(x), x, given)
    true = gradient(x, given, cos, sin)
    torch.testing.assert_close(found, true, rtol=0, atol=0, equal_nan=True)
    finite = ~true.isnan()
    assert torch.equal(torch.signbit(found)[finite], torch.signbit(true)[finite])


@pytest.mark.parametrize("device", DEVICES)
def test_what_is_rolled_is_loaded_once(device: str) -> None:
    def padded(x: Tensor) -> Tensor:
        return torch.nn.functional.pad(-x[:, :8], (8, 0)) + torch.nn.functional.pad(x[:, 8:], (0, 8))

    x = torch.randn(6, 16, device=device)
    compiled, seen = compiled_once(padded)
    torch.testing.assert_close(compiled(x), padded(x), rtol=0, atol=0)
    assert seen[-1].source.count("tl.load(") == 1


@pytest.mark.parametrize("device", DEVICES)
def test_gradient_of_running_sums_of_rows_that_change_places(device: str) -> None:
    """It is turned round and back: parts of what is turned round are not parts of what is not."""

    def summed(x: Tensor) -> Tensor:
        return torch.cat([x[1:], x[:1]]).cumsum(1)

    torch.manual_seed(0)
    x, given = torch.randn(6, 4, device=device, requires_grad=True), torch.randn(6, 4, device=device)
    (found,) = torch.autograd.grad(torch.compile(summed, backend="mlc")(x), x, given)
    torch.testing.assert_close(found, torch.autograd.grad(summed(x), x, given)[0])
