"""The graphs of the fusion corpus, at small sizes: kernels that copy, move sums and write across rows stay right."""

from __future__ import annotations

import random

import numpy as np
import pytest
from xdsl.dialects import func

from benchmarks import fusion_corpus
from benchmarks.fusion_corpus import Generator, simplified
from lowering.tensor_to_loop.lower import TensorToLoopPass
from mlc_dialects.common.types import shape_of
from passes.loop.restructure.linearize_axes import LinearizeAxesPass
from passes.loop.restructure.tile_transpose import TileTransposePass
from passes.loop.schedule.schedule import SchedulePass
from passes.tensor.fusion.fuse import FusePass
from tests.unit.random_graphs import Graph
from tests.unit.test_passes_random import check


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(24))
def test_fused_corpus_keeps_the_answer(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fusion_corpus, "SIZES", (32, 64))
    monkeypatch.setattr(fusion_corpus, "ROWS", (2, 8, 32))
    module = simplified(Generator(random.Random(seed)).module())
    (function,) = module.ops
    assert isinstance(function, func.FuncOp)
    generator = np.random.default_rng(seed)
    sizes = [[s.evaluate({}) for s in shape_of(t)] for t in function.function_type.inputs]
    inputs = [generator.normal(size=shape).astype(np.float32) for shape in sizes]
    check(
        Graph(module, inputs),
        [FusePass(), TensorToLoopPass(), LinearizeAxesPass(), TileTransposePass(), SchedulePass()],
    )
