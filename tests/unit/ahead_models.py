"""A model compiled ahead of time, for the tests of folders."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn
from torch.export import Dim, export

from mlc_compiler.ahead.folder import compile_folder


def mlp() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 8), nn.Softmax(-1)).eval()


def compiled_mlp(path: Path) -> Path:
    """A folder of the MLP, of a dynamic batch."""
    batch = {"input": {0: Dim("batch", min=2, max=64)}}
    compile_folder(export(mlp(), (torch.randn(4, 16),), dynamic_shapes=batch), path)
    return path
