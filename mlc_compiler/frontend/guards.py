"""What Dynamo's guards tell about the arguments of a program."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, TensorType, UnitAttr

from lowering.fx_to_tensor.imported import Imported
from mlc_dialects.common.annotations import GUARDED, argument_entries, promised_strides
from mlc_dialects.common.types import shape_of


def guard_arguments(imported: Imported, positions: Iterable[int]) -> None:
    """Marks the arguments at `positions` as guarded: those whose sizes and strides are numbers.

    Dynamo guards the type, the device, the sizes and the strides of such an input of its graph, each by itself.
    """
    (function,) = (op for op in imported.module.ops if isinstance(op, func.FuncOp))
    entries = argument_entries(function)
    for position in positions:
        type_ = function.body.block.args[position].type
        if isinstance(type_, TensorType):
            numbers = (*shape_of(type_), *(promised_strides(entries[position]) or ()))
            entries[position] |= {GUARDED: UnitAttr()} if all(n.constant is not None for n in numbers) else {}
    function.arg_attrs = ArrayAttr([DictionaryAttr(e) for e in entries])
