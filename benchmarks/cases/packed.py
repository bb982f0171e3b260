"""Linear layers whose weights have 8 or 4 bits, with a scale for each output or for each group of 128 weights.

Those of 8 bits are integers, or floats; those of 4 bits are packed along inputs, or along outputs.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F

from benchmarks.case import BF16, Arg, Case, cases

Tensor = torch.Tensor
GROUP = 128
TOKENS = (1, 4, 16, 64, 256, 1024)
LAYERS = ((4096, 4096), (4096, 14336), (14336, 4096), (8192, 8192))
"""Inputs and outputs of language models' layers."""


def of_outputs(x: Tensor, w: Tensor, s: Tensor) -> Tensor:
    """A scale for each output."""
    return F.linear(x, w.to(x.dtype) * s[:, None])


def of_groups(x: Tensor, w: Tensor, s: Tensor) -> Tensor:
    """A scale for each group of weights."""
    return F.linear(x, (w.unflatten(1, (-1, GROUP)).to(x.dtype) * s[:, :, None]).flatten(1))


def of_pairs(x: Tensor, w: Tensor, s: Tensor) -> Tensor:
    """Two weights in each byte, and a scale for each group of them."""
    q = torch.stack([w & 15, w >> 4], -1).flatten(1).to(torch.int8) - 8
    return of_groups(x, q, s)


def of_words(x: Tensor, q: Tensor, z: Tensor, s: Tensor) -> Tensor:
    """Eight outputs in each word, in AWQ's order: `q` [inputs, outputs / 8], for each group zeros `z` and scales `s`."""
    eighth = torch.arange(8, dtype=torch.int32, device=q.device)
    bits = (eighth // 2) * 4 + (eighth % 2) * 16
    weights, zeros = (((words[:, :, None] >> bits) & 15).flatten(1) for words in (q, z))
    return x @ ((weights.unflatten(0, (-1, GROUP)) - zeros[:, None]).to(x.dtype) * s[:, None]).flatten(0, 1)


def signed(w: Tensor) -> Tensor:
    """Integers of 8 bits on both sides of 0."""
    return w - 64 if w.dtype == torch.int8 else w


def as_floats(w: Tensor) -> Tensor:
    """Bytes as 8-bit floats, NaN left out."""
    return (w & 0xF7).view(torch.float8_e4m3fn)


def _cases() -> list[Case]:
    kinds: tuple[tuple[str, Callable[..., Tensor], torch.dtype, int, bool], ...] = (
        ("8 bits", of_outputs, torch.int8, 1, False),
        ("8 bits, groups", of_groups, torch.int8, 1, True),
        ("4 bits, groups", of_pairs, torch.uint8, 2, True),
    )
    case, found = cases("packed"), list[Case]()
    for place, (k, n) in enumerate(LAYERS):
        for number, (title, function, dtype, count, grouped) in enumerate(kinds):
            for m in TOKENS[(place + number) % 2 :: 2]:
                scales, few = ((n, k // GROUP), (48, 2)) if grouped else ((n,), (48,))
                given = (
                    Arg((m, k), BF16, small=(min(m, 3), 2 * GROUP)),
                    Arg((n, k // count), dtype, high=256, small=(48, 2 * GROUP // count), view=signed),
                    Arg(scales, BF16, small=few),
                )
                found.append(case(f"{title} {m} x {k} x {n} bf16", function, *given))
    return found + _float_cases() + _word_cases()


def _float_cases() -> list[Case]:
    """The layers once more, with weights that are 8-bit floats, for few rows."""
    case, found = cases("packed"), list[Case]()
    for (k, n), rows in zip(LAYERS, ((1, 64), (4,), (16,), (1, 16)), strict=True):
        for m in rows:
            given = (
                Arg((m, k), BF16, small=(min(m, 3), 2 * GROUP)),
                Arg((n, k), torch.uint8, high=256, small=(48, 2 * GROUP), view=as_floats),
                Arg((n,), BF16, small=(48,)),
            )
            found.append(case(f"8-bit floats {m} x {k} x {n} bf16", of_outputs, *given))
    return found


def _word_cases() -> list[Case]:
    """The layers once more, with weights that are packed along outputs."""
    case, found = cases("packed"), list[Case]()
    for (k, n), rows in zip(LAYERS, ((1,), (1, 4), (16,), (1, 64)), strict=True):
        for m in rows:
            shapes = ((k, n // 8), (k // GROUP, n // 8)), ((2 * GROUP, 6), (2, 6))
            words = [Arg(shape, torch.int32, high=2**31 - 1, small=small) for shape, small in zip(*shapes, strict=True)]
            x = Arg((m, k), BF16, small=(min(m, 3), 2 * GROUP))
            scales = Arg((k // GROUP, n), BF16, small=(2, 48))
            found.append(case(f"4 bits, words of outputs {m} x {k} x {n} bf16", of_words, x, *words, scales))
    return found


CASES = tuple(_cases())
