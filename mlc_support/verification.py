"""Checks of a module that xDSL's own `verify()` leaves out."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, ShapedType, UnregisteredOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl.dominance import DominanceInfo
from xdsl.utils.exceptions import VerifyException

from mlc_support.errors import MlcError
from mlc_support.locations import location_of
from mlc_support.walks import walk


def verify_module(module: ModuleOp) -> None:
    """All checks of a module, at its own level: raises `MlcError` at the first failure.

    Every op's verifier, then SSA dominance, then the sizes of shaped types.
    """
    try:
        module.verify()
    except (VerifyException, ValueError) as error:
        raise _verifier_error(module, error) from error
    verify_dominance(module)
    reject_negative_dims(module)


def op_name(op: Operation) -> str:
    """The name of an op as its text has it, ops of unregistered dialects included."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def _verifier_error(module: ModuleOp, error: Exception) -> MlcError:
    """The failure of `module.verify()`, with the op that failed and its place."""
    for op in module.walk(reverse=True):
        try:
            op.verify(verify_nested_ops=False)
        except (VerifyException, ValueError) as found:
            return MlcError(f"{op_name(op)}: {_cause(found)}", location_of(op))
    return MlcError(_cause(error), location_of(module))


def _cause(error: Exception) -> str:
    """The text of a verifier exception on as few lines as it can have."""
    return str(error).strip() or type(error).__name__


def verify_dominance(module: ModuleOp) -> None:
    """Every operand is defined before its use, on every path to it.

    One walk of the module: a block sees the values of the blocks that dominate it, of the
    ops before it, and of the regions around it. Raises `MlcError` at the first use that
    sees no definition.
    """
    _check_op(module, set())


def _check_op(op: Operation, visible: set[SSAValue]) -> None:
    """The operands of `op` and of everything nested in it are in scope."""
    for index, operand in enumerate(op.operands):
        if operand not in visible:
            raise _dominance_error(op, index, operand)
    for region in op.regions:
        _check_region(region, visible)


def _check_region(region: Region, visible: set[SSAValue]) -> None:
    """Check each block with what it inherits; leave `visible` as it was."""
    if not region.blocks:
        return
    if region.first_block is region.last_block:
        _check_block(region.blocks[0], visible)
        return
    dominance = DominanceInfo(region)
    reachable = _reachable(region)
    for block in region.blocks:
        if block not in reachable:
            continue
        above = (b for b in region.blocks if dominance.strictly_dominates(b, block))
        inherited = {value for b in above for value in _definitions(b)}
        _check_block(block, visible | inherited)


def _check_block(block: Block, visible: set[SSAValue]) -> None:
    """Check the ops of one block in order, each seeing the results before it."""
    visible.update(block.args)
    for op in block.ops:
        _check_op(op, visible)
        visible.update(op.results)
    visible.difference_update(_definitions(block))


def _definitions(block: Block) -> Iterator[SSAValue]:
    """The values a block defines, those of nested regions left out."""
    yield from block.args
    for op in block.ops:
        yield from op.results


def _reachable(region: Region) -> set[Block]:
    """The blocks some path from the entry leads to; dominance says nothing of others."""
    seen: set[Block] = set()
    todo = [region.blocks[0]]
    while todo:
        block = todo.pop()
        if block in seen:
            continue
        seen.add(block)
        if block.last_op is not None:
            todo.extend(block.last_op.successors)
    return seen


def _dominance_error(op: Operation, index: int, operand: SSAValue) -> MlcError:
    """The error for operand `index` of `op`, whose definition is not in scope."""
    name = f"%{operand.name_hint}" if operand.name_hint else f"operand {index}"
    owner = operand.owner
    definer = owner if isinstance(owner, Operation) else owner.parent_op()
    place = location_of(definer) if definer is not None else None
    hint = None
    if definer is not None:
        kind = "defined" if isinstance(owner, Operation) else "a block argument"
        hint = f"it is {kind} by {op_name(definer)}" + (f" at {place}" if place else "")
    same_block = isinstance(owner, Operation) and owner.parent is op.parent
    problem = "is used before its definition" if same_block else "is not defined on every path to this use"
    return MlcError(f"{op_name(op)}: {name} {problem}", location_of(op), hint)


def reject_negative_dims(module: ModuleOp) -> None:
    """No shaped type of a value has a negative size; only `?` is below zero inside."""
    checked: set[Attribute] = set()
    for op in walk(module):
        for value in _values_of(op):
            if value.type not in checked:
                _check_sizes(op, value.type)
                checked.add(value.type)


def _values_of(op: Operation) -> Iterator[SSAValue]:
    """The values an op defines: results and the arguments of its blocks."""
    yield from op.results
    for region in op.regions:
        for block in region.blocks:
            yield from block.args


def _check_sizes(op: Operation, type: Attribute) -> None:
    """Raise `MlcError` where `type` has a size below zero other than `?`."""
    if not isinstance(type, ShapedType):
        return
    bad = next((n for n in type.get_shape() if n < 0 and n != DYNAMIC_INDEX), None)
    if bad is not None:
        raise MlcError(
            f"{op_name(op)}: negative dimension {bad} in {type}",
            location_of(op),
            "a size is 0 or more, or ? where it is unknown",
        )


def expect_only(module: ModuleOp, dialect_names: Collection[str], stage: str) -> None:
    """Nothing but ops of `dialect_names` is left inside `module` after `stage`.

    Raises `MlcError` naming the first leftover op, where it came from, and how many more
    there are. The module op itself is always allowed.
    """
    leftovers = [op for op in walk(module) if op is not module and _dialect(op) not in dialect_names]
    if not leftovers:
        return
    first, others = leftovers[0], len(leftovers) - 1
    more = f" (and {others} more)" if others else ""
    raise MlcError(
        f"{op_name(first)} is left over after {stage}{more}",
        location_of(first),
        f"only ops of {', '.join(sorted(dialect_names))} are expected here",
    )


def _dialect(op: Operation) -> str:
    """The dialect part of an op's name."""
    return op_name(op).partition(".")[0]
