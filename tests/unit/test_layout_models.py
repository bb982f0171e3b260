"""Networks on pictures: conversions at the boundary alone, and the numbers of before."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from lowering.fx_to_tensor import import_callable
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from mlc_dialects.common.annotations import CHANNELS_LAST
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.views import PermuteOp
from mlc_support.verification import verify_module
from passes.tensor.layout.layout import LayoutPass
from tests.unit import pictures
from tests.unit.torch_oracle import Oracle

MODELS: dict[str, tuple[Callable[[], nn.Module], int]] = {
    "max_pool": (pictures.MaxPool, 4),
    "big_pool": (pictures.BigPool, 4),
    "squeeze_excite": (pictures.SqueezeExcite, 4),
    "gate": (pictures.Gate, 6),
    "spatial_gate": (pictures.SpatialGate, 5),
    "batch_norm": (pictures.BatchNorm, 4),
    "group_norm": (pictures.GroupNorm, 4),
    "inception": (pictures.Inception, 5),
    "dense": (pictures.Dense, 6),
    "nearest": (lambda: pictures.Upsample("nearest"), 4),
    "bilinear": (lambda: pictures.Upsample("bilinear"), 4),
    "block": (pictures.Block, 6),
    "shuffle": (pictures.Shuffle, 5),
    "classes": (pictures.Classes, 3),
    "patches": (pictures.Patches, 2),
}
"""How many permutations are left: of the picture, of each weight that is no 1 x 1 (and those of products of
matrices), of the result where it is a picture, and those that are the program's own."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("name", "training"), [*((name, False) for name in MODELS), ("batch_norm", True)])
def test_conversions_stand_at_the_boundary(name: str, training: bool) -> None:
    """Every convolution is channels last, and what is computed stays what it was."""
    torch.manual_seed(0)
    make, permutations = MODELS[name]
    model = make().train(training).to(torch.bfloat16)
    x = torch.randn(16, 8, 12, 12).to(torch.bfloat16)
    imported = import_callable(model, (x,))
    expected = Oracle(imported)(x)
    module = lower_to(imported.module.clone(), "simplified", CompilerOptions())
    LayoutPass().apply(Context(), imported.module)
    verify_module(imported.module)
    for found, wanted in zip(Oracle(imported)(x), expected, strict=True):
        torch.testing.assert_close(found, wanted, rtol=3e-2, atol=3e-2)
    assert isinstance(module, ModuleOp)
    calls = [op for op in module.walk() if isinstance(op, ExternOp) and "convolution" in op.callee.data]
    assert calls and all(CHANNELS_LAST in op.attributes for op in calls)
    assert sum(isinstance(op, PermuteOp) for op in module.walk()) == permutations
