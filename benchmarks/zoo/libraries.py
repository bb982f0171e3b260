"""The libraries that models come from: imported when a model is built, since they are not always there."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
from types import ModuleType

import torch


def library(name: str) -> ModuleType:
    """transformers or timm; ImportError says how to install it."""
    if importlib.util.find_spec(name) is None:
        raise ImportError(f"{name} is not installed: pip install 'mlc[benchmarks]'")
    _import_torchvision()
    return importlib.import_module(name)


def _import_torchvision() -> None:
    """Imports torchvision, which timm asks for, also where its binary was built for another kind of torch.

    The one on the index is for CUDA. Beside a torch for the CPU its import fails, since it describes two operators
    that its binary would have declared. No model uses them.
    """
    if importlib.util.find_spec("torchvision") is None:
        return
    try:
        importlib.import_module("torchvision")
    except RuntimeError:
        for operator in ("nms", "qnms"):
            torch.library.define(f"torchvision::{operator}", "(Tensor boxes, Tensor scores, float iou) -> Tensor")
        importlib.import_module("torchvision")


def versions() -> dict[str, str]:
    """Which of the libraries are there."""
    found: dict[str, str] = {}
    for name in ("transformers", "timm"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "missing"
    return found
