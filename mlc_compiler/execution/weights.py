"""Weights: the results of frozen parameters, which a host program takes at every call and nobody changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, MemRefType, UnitAttr

from mlc_dialects.common.annotations import GUARDED, argument_entries
from mlc_dialects.common.buffers import buffer_shape, buffer_strides
from mlc_runtime.host import with_layout

Layout = tuple[tuple[int, ...], tuple[int, ...]]


def guard_weights(function: func.FuncOp, count: int) -> Callable[[Sequence[Any]], list[Any]]:
    """Marks the last `count` arguments of a host program as guarded, where their sizes and strides are numbers.

    What it gives makes sure of it: it takes the weights, and gives them with the layouts that the program expects.
    """
    arguments, entries = function.body.block.args, argument_entries(function)
    layouts: dict[int, Layout] = {}
    for position, argument in enumerate(arguments[len(arguments) - count :]):
        if isinstance(argument.type, MemRefType) and (layout := constant_layout(argument.type)) is not None:
            layouts[position] = layout
            entries[len(arguments) - count + position][GUARDED] = UnitAttr()
    function.arg_attrs = ArrayAttr([DictionaryAttr(e) for e in entries])

    def settled(weights: Sequence[Any]) -> list[Any]:
        return [with_layout(w, *layouts[k]) if k in layouts else w for k, w in enumerate(weights)]

    return settled


def constant_layout(type_: Any) -> Layout | None:
    """Sizes and strides of a buffer; None if they are not all numbers."""
    sizes, strides = ([e.constant for e in f(type_)] for f in (buffer_shape, buffer_strides))
    if None in sizes or None in strides:
        return None
    return tuple(s for s in sizes if s is not None), tuple(s for s in strides if s is not None)
