"""What other compilers are given otherwise: seeds are inputs, updates of arguments are results, calls are pure."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from mlc_dialects.common.annotations import SEEDS
from mlc_dialects.tensor.arguments import number
from mlc_dialects.tensor.calls import ExternOp
from mlc_support.walks import walk

ATTENTION = "aten.scaled_dot_product_attention.default"
_DROPOUT = {ATTENTION: 4} | {
    f"aten._scaled_dot_product_{kernel}.default": place
    for kernel, place in {
        "flash_attention": 3,
        "flash_attention_for_cpu": 3,
        "efficient_attention": 5,
        "cudnn_attention": 5,
        "fused_attention_overrideable": 4,
    }.items()
}
"""The calls of attention, and which argument is the share that they drop."""
COPY = "aten.copy_.default"


def copied(module: ModuleOp) -> ModuleOp:
    """A copy of `module` whose ops keep their places in the user's program."""
    copy = module.clone()
    for old, new in zip(walk(module), walk(copy), strict=True):
        new.location = old.location
    return copy


def is_seeds(op: Operation) -> bool:
    """True for the call that draws seeds: an input of what is exported, so that it is pure."""
    return isinstance(op, ExternOp) and op.callee.data == SEEDS


def seeds_as_arguments(block: Block) -> list[SSAValue]:
    """Makes the seeds that the block of a function draws its last arguments, and gives these: what it is then is pure.

    The type of the function is left as it is.
    """
    made: list[SSAValue] = []
    for op in [op for op in block.ops if is_seeds(op)]:
        (result,) = op.results
        made.append(block.insert_arg(result.type, len(block.args)))
        result.replace_all_uses_with(made[-1])
        block.erase_op(op)
    return made


def is_update(op: Operation) -> bool:
    """True for a copy into a whole argument: what is copied becomes one more result."""
    if not isinstance(op, ExternOp) or op.callee.data != COPY or len(op.inputs) != 2:
        return False
    target, source = op.inputs
    return not isinstance(target.owner, Operation) and target.type == source.type


def is_pure(op: ExternOp) -> bool:
    """True for a call without effects, attention without dropout among them."""
    return op.impure is None or (op.callee.data in _DROPOUT and not number(_dropout(op)))


def _dropout(op: ExternOp) -> Attribute | None:
    """How much a call of attention drops; None where it does not say."""
    arguments, place = op.argument_list(), _DROPOUT[op.callee.data]
    named = op.keywords.data if op.keywords is not None else {}
    return arguments[place] if place < len(arguments) else named.get("dropout_p")


def inputs_of(function: func.FuncOp) -> list[SSAValue]:
    """The arguments of what is exported: those of the function, and its seeds."""
    block = function.body.block
    return [*block.args, *(r for op in block.ops if is_seeds(op) for r in op.results)]
