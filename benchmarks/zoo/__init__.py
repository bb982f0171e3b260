"""Architectures of real programs, built from their configurations with random weights: nothing is downloaded."""

from __future__ import annotations

from benchmarks.zoo import diffusion, hugging_face, more, pictures
from benchmarks.zoo.model import Model

TIMED: tuple[Model, ...] = (*hugging_face.MODELS, *pictures.MODELS, *diffusion.MODELS)
"""Those that `benchmarks.models` measures."""
ALL: tuple[Model, ...] = (*TIMED, *more.MODELS)
"""Those whose regions `benchmarks.capture` keeps."""


def named(name: str) -> Model:
    """The model of that name."""
    return next(m for m in ALL if m.name == name)
