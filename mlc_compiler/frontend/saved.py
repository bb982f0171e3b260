"""What a forward graph saves for its backward graph: in the layout that the kernels compute.

Nobody else sees these tensors, so no copy brings them into eager's layout. AOTAutograd hears of the layout, and the
backward graph is compiled for it. AOTAutograd knows this of Inductor; the protocol is `TracingContext.output_strides`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch._guards import TracingContext
from torch.fx import Node
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, TensorType, UnitAttr

from lowering.fx_to_tensor.imported import Imported, ResultOutput
from mlc_dialects.common.annotations import (
    ALIAS,
    ANY_LAYOUT,
    DONATED,
    STRIDES,
    argument_entries,
    result_annotations,
)
from mlc_dialects.common.index_syntax import index_attribute
from mlc_dialects.common.types import shape_of
from mlc_support.index_expr import integer

Strides = tuple[int, ...]


def free_saved(imported: Imported) -> None:
    """Lets a forward graph give what it saves in any layout: tensors with memory of their own, sizes being numbers.

    Not of a graph with effects (an assertion in it, for instance): its results begin with their tokens, of which the
    positions that PyTorch gives and takes know nothing.
    """
    context = TracingContext.try_get()
    if context is None or context.fw_metadata is None or context.output_strides is None or context.fw_metadata.tokens:
        return
    saved = imported.outputs[context.fw_metadata.tensors_saved_for_backwards_slice]
    (function,) = (op for op in imported.module.ops if isinstance(op, func.FuncOp))
    types = function.function_type.outputs.data
    entries = [dict(result_annotations(function, k)) for k in range(len(types))]
    for output in saved:
        if isinstance(output, ResultOutput) and _is_free(types[output.index], entries[output.index]):
            entries[output.index][ANY_LAYOUT] = UnitAttr()
    function.res_attrs = ArrayAttr([DictionaryAttr(e) for e in entries])


def _is_free(type_: Any, annotations: dict[str, Any]) -> bool:
    fixed = isinstance(type_, TensorType) and all(size.constant is not None for size in shape_of(type_))
    return fixed and ALIAS not in annotations


def report_strides(strides: Sequence[Strides | None]) -> None:
    """Tells AOTAutograd the strides (elements) of the results of a forward graph, None where they are eager's."""
    context = TracingContext.try_get()
    if context is not None and context.output_strides is not None and any(strides):
        context.output_strides.extend(strides)


def lay_saved(imported: Imported, placeholders: Sequence[Node], given: Sequence[Any]) -> None:
    """Gives arguments of a backward graph the strides of the tensors that it is compiled for.

    The graph was traced with eager's strides. Calls of PyTorch in it still want those.
    """
    (function,) = (op for op in imported.module.ops if isinstance(op, func.FuncOp))
    entries = argument_entries(function)
    for position, (node, real) in enumerate(zip(placeholders, given, strict=True)):
        traced = node.meta.get("val")
        if isinstance(real, torch.Tensor) and isinstance(traced, torch.Tensor):
            strides: list[Any] = [*real.stride()]
            fixed = all(isinstance(s, int) for s in strides)  # sizes known at run time are symbols
            if fixed and strides != [*traced.stride()]:
                entries[position][STRIDES] = index_attribute([integer(s) for s in strides])
    function.arg_attrs = ArrayAttr([DictionaryAttr(e) for e in entries])


def donate_saved(imported: Imported, placeholders: Sequence[Node]) -> None:
    """Lets a backward graph overwrite what it is given, where its forward graph gave that to nobody else.

    PyTorch tells which tensors those are, and raises an error where such a graph shall run twice. Those that share
    memory with each other stay as they are.
    """
    context = TracingContext.try_get()
    donated = None if context is None or context.fw_metadata is None else context.fw_metadata.bw_donated_idxs
    memory = [_memory_of(node.meta.get("val")) for node in placeholders]
    (function,) = (op for op in imported.module.ops if isinstance(op, func.FuncOp))
    entries = argument_entries(function)
    for position in donated or ():
        if memory[position] is not None and memory.count(memory[position]) == 1:
            entries[position][DONATED] = UnitAttr()
    function.arg_attrs = ArrayAttr([DictionaryAttr(e) for e in entries])


def _memory_of(value: Any) -> int | None:
    """What tensors in the same memory have in common; None for what is no dense tensor."""
    dense = isinstance(value, torch.Tensor) and value.layout is torch.strided
    return value.untyped_storage()._cdata if dense else None
