"""Well-known models, as their authors spell them: every norm, activation, rotation and attention is recomposed."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import torch
from xdsl.context import Context

from lowering.fx_to_tensor import import_callable
from lowering.interpreter.run import run_values
from mlc_dialects.semantics.numerics import same_bits
from mlc_dialects.tensor.composite_op import CompositeOp
from mlc_support.verification import verify_module
from passes.tensor.recompose.recompose import RecomposePass
from tests.unit.model_spellings import BATCH, EXPECTED, LENGTH, WIDTH


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", EXPECTED)
def test_composites_of_models(name: str, dtype: torch.dtype) -> None:
    """As many as the layer has; in float32 the oracle says what eager says, and recompose keeps every bit."""
    torch.manual_seed(0)
    make, expected = EXPECTED[name]
    layer = make().to(dtype).eval()
    hidden = torch.randn(BATCH, LENGTH, WIDTH, dtype=dtype)
    imported = import_callable(layer, [hidden])
    module, before = imported.module, imported.module.clone()
    RecomposePass().apply(Context(), module)
    verify_module(module)
    composites = [op for op in module.walk() if isinstance(op, CompositeOp)]
    outermost = [op for op in composites if not isinstance(op.parent_op(), CompositeOp)]
    assert Counter(op.name.partition(".")[2] for op in outermost) == expected
    if dtype == torch.float32:
        arrays = [x.detach().numpy() for x in (hidden, *imported.constants)]
        (wanted,), (result,) = run_values(before, arrays), run_values(module, arrays)
        assert same_bits(result, wanted)
        np.testing.assert_allclose(result.array, layer(hidden).detach().numpy(), rtol=1e-4, atol=1e-4)
