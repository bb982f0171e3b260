"""Dialects, passes and targets by name, for `mlc-opt` and xDSL's own tools: modules load when a name is asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from xdsl.universe import Universe


def _later(module: str, name: str) -> Callable[[], Any]:
    return lambda: getattr(import_module(f"mlc_example.{module}"), name)


UNIVERSE = Universe(
    all_dialects={"example": _later("dialect", "Example")},
    all_passes={"expand-affine": _later("expand", "ExpandAffinePass")},
    all_targets={"dot": _later("dot", "DotTarget")},
)
