"""freeze: what depends on frozen parameters alone moves into a function that runs once, when the program is compiled.

`@f(%x, %w {mlc.frozen})` becomes `@f_weights(%w)`, which gives what `@f` needs of the parameters, and
`@f(%x, ...)`, which takes that instead of them. So no weight is ever part of the program text.
Broadcasts stay in `@f`, since memory for them would only be read; so do views of parameters,
unless a call needs them in memory of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, UnitAttr
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from mlc_dialects.common.annotations import (
    ALIAS,
    CHANNELS_LAST,
    FROZEN,
    OPERAND_STRIDES,
    argument_entries,
    listed_strides,
)  # fmt: skip
from mlc_dialects.iteration.iterate import is_free
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.views import BroadcastOp, PadOp
from passes.common.dce import DcePass
from passes.tensor.frozen import Frozen
from passes.tensor.strides import strides_of

SUFFIX = "_weights"
"""What the name of a function of weights ends in."""


@dataclass(frozen=True)
class FreezePass(ModulePass):
    """Split off the part of each function that its frozen parameters decide alone."""

    name = "freeze"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Functions without frozen parameters stay as they are."""
        functions = [f for f in op.ops if isinstance(f, func.FuncOp) and f.body.blocks]
        frozen = [f for f in functions if any(FROZEN in e for e in argument_entries(f))]
        for function in frozen:
            _split(op, function)
        if frozen:
            DcePass().apply(ctx, op)


def _split(module: ModuleOp, function: func.FuncOp) -> None:
    block, frozen = function.body.block, Frozen(function)
    entries = argument_entries(function)
    marked = [FROZEN in entry for entry in entries]
    parameters = [a for a, mark in zip(block.args, marked, strict=True) if mark]
    needed = _needed(block, frozen)
    attributes = {a: {k: v for k, v in e.items() if k != FROZEN} for a, e in zip(block.args, entries, strict=True)}
    weights = _weights(function, parameters, needed, attributes, frozen)
    module.body.block.insert_op_after(weights, function)
    kept = [a for a, mark in zip(block.args, marked, strict=True) if not mark]
    _give(function, [*kept, *needed])
    function.arg_attrs = ArrayAttr(
        [DictionaryAttr(attributes.get(v, {}) if isinstance(v, BlockArgument) else {}) for v in (*kept, *needed)]
    )
    outputs = function.function_type.outputs
    function.function_type = FunctionType.from_lists([v.type for v in (*kept, *needed)], [*outputs])


def _give(function: func.FuncOp, values: Sequence[SSAValue]) -> None:
    """Makes `values` the arguments of the function: a new block, since taking them one by one is quadratic."""
    old, new = function.body.block, Block(arg_types=[v.type for v in values])
    for value, argument in zip(values, new.args, strict=True):
        argument.name_hint = value.name_hint
        value.replace_all_uses_with(argument)
    for op in [*old.ops]:
        op.detach()
        new.add_op(op)
    function.body.detach_block(old)
    function.body.add_block(new)


def _needed(block: Block, frozen: Frozen) -> list[SSAValue]:
    """The frozen values that the rest of the function reads, each once."""
    found: dict[SSAValue, None] = {}
    work = [v for op in block.ops if not _is_frozen(op, frozen) for v in op.operands]
    for value in work:  # grows while it is walked
        if not frozen(value) or not frozen.reads_argument(value):
            continue
        if isinstance(value.owner, Operation) and _stays(value.owner):
            work += value.owner.operands
        else:
            found[value] = None
    return [*found]


def _is_frozen(op: Operation, frozen: Frozen) -> bool:
    return bool(op.results) and all(frozen(r) for r in op.results)


def _stays(op: Operation) -> bool:
    """True for what costs nothing where it is: broadcasts, and views of parameters as calls take them."""
    if isinstance(op, BroadcastOp):
        return True
    if isinstance(op, PadOp) or not is_free(op) or len(op.operands) != 1 or not _is_read_as_it_lies(op.results[0]):
        return False
    source = op.operands[0].owner
    return isinstance(source, Block | PadOp) or _stays(source)


def _is_read_as_it_lies(value: SSAValue) -> bool:
    """True if no call wants `value` in other memory: one that computes channels last does, or names other strides."""
    calls = [(u.operation, u.index) for u in value.uses if isinstance(u.operation, ExternOp)]
    return all(
        CHANNELS_LAST not in call.attributes and listed_strides(call, OPERAND_STRIDES, k) == strides_of(value)
        for call, k in calls
    )


def _weights(
    function: func.FuncOp,
    parameters: Sequence[BlockArgument],
    needed: Sequence[SSAValue],
    attributes: dict[BlockArgument, dict[str, Attribute]],
    frozen: Frozen,
) -> func.FuncOp:
    """The function of the parameters that gives what is needed of them."""
    block = Block(arg_types=[p.type for p in parameters])
    values: dict[SSAValue, SSAValue] = dict(zip(parameters, block.args, strict=True))
    for old, new in zip(parameters, block.args, strict=True):
        new.name_hint = old.name_hint
    for op in function.body.block.ops:
        if _is_frozen(op, frozen):
            block.add_op(op.clone(values))
    block.add_op(func.ReturnOp(*[values[v] for v in needed]))
    aliases = [
        DictionaryAttr(attributes[v] | {ALIAS: UnitAttr()}) if isinstance(v, BlockArgument) else DictionaryAttr({})
        for v in needed
    ]
    made = func.FuncOp(
        function.sym_name.data + SUFFIX,
        ([p.type for p in parameters], [v.type for v in needed]),
        Region(block),
        arg_attrs=ArrayAttr([DictionaryAttr(attributes[p]) for p in parameters]),
        res_attrs=ArrayAttr(aliases),
    )
    made.location = function.location
    return made
