"""What functions, arguments, results and calls say beside their types: each attribute called `mlc.`, and who has it."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.common.types import Shape

# Of functions

DEVICE = "mlc.device"
"""The device its kernels run on, where the first tensor it takes is not there."""

# Of arguments and results of a function

STRIDES = "mlc.strides"
"""Strides in elements, where they are not row-major. On a call: a list with one entry a result, unit if row-major."""
ALIAS = "mlc.alias"
"""Of a result: the program itself says that it shares memory with an argument or an earlier result.
All others have memory of their own, also where they are the value of an argument."""
ANY_LAYOUT = "mlc.any_layout"
"""Of a result: the caller takes any strides without gaps, and asks which they are."""
SYMBOL = "mlc.symbol"
"""Of an integer argument: the named size it is, or an expression in one."""
FROZEN = "mlc.frozen"
"""Of an argument: every call passes the same tensor, which nobody writes."""
GUARDED = "mlc.guarded"
"""Of an argument: whoever calls the function has made sure of its element type, its device, its sizes and its strides,
which are numbers; the host program does not look at them."""
DONATED = "mlc.donated"
"""Of an argument: its memory is no other argument's, and nobody reads it after the program has begun."""

# Of calls (`STRIDES` too)

OPERAND_STRIDES = "mlc.operand_strides"
"""For each operand its strides in eager, unit where they are row-major."""
SYMBOLS = "mlc.symbols"
"""For each result the named size (or expression in one) that it is, or an empty string."""
TOLD = "mlc.told"
"""For each result the dimensions that only the call tells, where a check may have said what they are."""
VIEW = "mlc.view"
"""The results look at the memory of the first operand."""
KERNEL = "mlc.kernel"
"""A kernel does it (`aten.copy_` of tensors alike)."""
WHY = "mlc.why"
"""Why the op is not native."""
CHANNELS_LAST = "mlc.channels_last"
"""Operands and results of four and more dimensions are [N, H, W, C] where PyTorch's op has [N, C, H, W].
In memory that is PyTorch's channels_last format, so the call copies nothing. Its value says why."""
CHANNELS_FIRST = "mlc.channels_first"
"""Why a call that could have been `CHANNELS_LAST` is not."""

# Of fusions

REFUSED = "mlc.refused"
"""The fusions with its neighbours that were refused, and why."""

# Of fusions and their kernels

ROUNDED = "mlc.rounded"
"""The program rounds products to 16 bits that the kernel keeps in float32, and what it computes of them has that error.
Functions of them may be as coarse as if all results had 16 bits."""

# Callees that are not PyTorch's

EVALUATE = "mlc.eval"
"""Stands for a Python expression over named sizes."""
SEEDS = "mlc.seeds.default"
"""Draws the seeds of random numbers."""


def argument_annotations(function: FuncOp, position: int) -> Mapping[str, Attribute]:
    """What `function` says of an argument."""
    return _annotations(function.arg_attrs, position)


def argument_entries(function: FuncOp) -> list[dict[str, Attribute]]:
    """What `function` says of each argument: copies, to be changed and written back."""
    return [dict(argument_annotations(function, k)) for k in range(len(function.body.block.args))]


def result_annotations(function: FuncOp, position: int) -> Mapping[str, Attribute]:
    """What `function` says of a result."""
    return _annotations(function.res_attrs, position)


def _annotations(attributes: ArrayAttr[DictionaryAttr] | None, position: int) -> Mapping[str, Attribute]:
    return attributes.data[position].data if attributes is not None else {}


def promised_strides(annotations: Mapping[str, Attribute]) -> Shape | None:
    """The strides of an argument or a result with `annotations`; None for row-major."""
    return _strides(annotations.get(STRIDES))


def listed_strides(call: Operation, key: str, position: int) -> Shape | None:
    """The strides of a result (`key` is STRIDES) or an operand (OPERAND_STRIDES) of a call; None for row-major."""
    entries = call.attributes.get(key)
    return _strides(entries.data[position]) if isinstance(entries, ArrayAttr) else None


def _strides(attribute: Attribute | None) -> Shape | None:
    return index_exprs(attribute) if isa(attribute, ArrayAttr[StringAttr]) else None
