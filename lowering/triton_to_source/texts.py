"""Pieces of Python text: parentheses, and literals."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, bf16
from xdsl.ir import Attribute

from mlc_dialects.common.types import BY_TYPE, is_byte_float


def is_atom(text: str) -> bool:
    """True if `text` can stand beside an operator as it is: no operator lies outside its parentheses."""
    depth = 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == " " and depth == 0:
            return False
    return True


def bare(text: str) -> str:
    """`text` without the parentheses around all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for position, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and position < len(text) - 1:
            return text
    return text[1:-1]


def number_text(value: Attribute) -> str:
    """A Python literal; inf and NaN by name, and 8-bit floats as their bits.

    Triton 3.6 and 3.9 make a bfloat16 of six decimals: what needs more is cast from float32.
    """
    if isinstance(value, FloatAttr) and is_byte_float(value.type):
        return str(int.from_bytes(value.type.pack([value.value.data]), signed=True))
    if isinstance(value, FloatAttr):
        number = value.value.data
        if not abs(number) < float("inf"):
            return f'float("{number}")'
        if value.type == bf16 and bf16.pack([number]) != bf16.pack([float(f"{number:f}")]):
            return f"tl.full((), {number!r}, tl.float32).to(tl.bfloat16)"
        single = BY_TYPE[value.type].name == "f32"
        return str(np.float32(number)) if single else repr(number)  # the shortest text that reads back the same
    assert isinstance(value, IntegerAttr)
    return str(bool(value.value.data)) if BY_TYPE[value.type].name == "i1" else str(value.value.data)


def along_text(offset: str, axis: int, rank: int) -> str:
    """Offsets of a block of `rank` dimensions: Triton takes neighbours along an axis for contiguous, none for aligned.

    So lanes follow the axis, and each loads or stores its elements one by one: right wherever they are.
    """
    neighbours = [2 if d == axis else 1 for d in range(rank)]
    return f"tl.max_contiguous(tl.multiple_of({offset}, {[1] * rank}), {neighbours})"
