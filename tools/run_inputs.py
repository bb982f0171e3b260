"""Inputs for the reference interpreter: random ones, a third of them special, or arrays from files."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from xdsl.ir import Attribute

from lowering.host.named_sizes import element_in, sizes_in
from mlc_dialects.common.types import is_float
from mlc_dialects.semantics.numerics import Array, array_dtype, value_of
from mlc_support.errors import MlcError

_SPECIAL_FLOATS = (float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1.0, -1.0, 1e-40, 6e-8, 65504.0)
_SPECIAL_INTEGERS = (0, 1, -1, 2, -(2**31), 2**31 - 1, -(2**63), 2**63 - 1)
_MOST_ELEMENTS = 1 << 24


def random_inputs(types: Sequence[Attribute], seed: int) -> list[Array]:
    """An array for each type of tensor or buffer; a name has one size everywhere. `MlcError` for other types."""
    generator = np.random.default_rng(seed)
    try:
        names = sorted({v.name for t in types for s in sizes_in(t) for v in s.variables()})
        sizes = {name: int(n) for name, n in zip(names, generator.permutation(len(names)) + 2, strict=True)}
        shapes = [tuple(s.evaluate(sizes) for s in sizes_in(t)) for t in types]
    except ValueError as error:
        raise MlcError(str(error)) from error
    if sum(prod(s) for s in shapes) > _MOST_ELEMENTS:
        raise MlcError("the inputs are too large for the reference interpreter")
    return [_random(shape, element_in(t), generator) for shape, t in zip(shapes, types, strict=True)]


def _random(shape: tuple[int, ...], element: Attribute, generator: np.random.Generator) -> Array:
    if is_float(element):
        plain: Any = generator.normal(size=shape) * 3
        special: Any = generator.choice(np.array(_SPECIAL_FLOATS), size=shape)
    else:
        plain = generator.integers(-5, 6, size=shape)
        special = generator.choice(np.array(_SPECIAL_INTEGERS), size=shape)
    try:
        return value_of(np.where(generator.random(shape) < 0.33, special, plain), element).array
    except ValueError as error:
        raise MlcError(str(error)) from error


def read_inputs(types: Sequence[Attribute], files: Sequence[str]) -> list[Array]:
    """The arrays in `.npy` files, one for each type; bfloat16 comes as float32, and is rounded.

    Raises `MlcError` where there are more or fewer files than types, or elements of another kind.
    """
    if len(files) != len(types):
        raise MlcError(f"the function takes {len(types)} inputs, found {len(files)} files")
    return [_read(file, element_in(t)) for file, t in zip(files, types, strict=True)]


def _read(file: str, element: Attribute) -> Array:
    try:
        array = np.load(file, allow_pickle=False)
        wanted = array_dtype(element)
    except ValueError as error:
        raise MlcError(f"{file}: {error}") from error
    if array.dtype != wanted:
        raise MlcError(f"{file} holds {array.dtype}, and elements of type {element} come as {wanted}")
    return value_of(array, element).array
