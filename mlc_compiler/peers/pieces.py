"""A program that a compiler takes only in part: cut at the ops that have no export, into programs that have.

What is computed between two cuts is one piece, a function of its own. No kernel may reach across a cut: it would wait
for the call that stands there. An op stands in the piece of its first reader, as late as may be; views and constants
are copied into every piece that reads them, as kernels do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

from lowering.export.opened import is_seeds, is_update
from lowering.interpreter.run import find_function
from mlc_dialects.iteration.iterate import is_free
from mlc_support.errors import MlcError
from mlc_support.value_names import name_of, value_names

Check = Callable[[ModuleOp], object]
"""Raises MlcError for a program that cannot be exported."""


@dataclass(frozen=True)
class Piece:
    """A part of a program as a program of its own. Equal parts have equal texts, whatever their values were called."""

    module: ModuleOp
    names: Mapping[str, str]
    """Of its ops, to those of the whole program."""


def cut_ops(module: ModuleOp, check: Check) -> dict[Operation, MlcError]:
    """The ops of `module` that cannot be exported even alone, and what `check` says; equal ops are asked once."""
    said: dict[str, MlcError | None] = {}
    found: dict[Operation, MlcError] = {}
    for op in find_function(module).body.block.ops:
        if not _is_exported(op):
            continue
        alone = function_of([op], list(dict.fromkeys(op.operands)), list(op.results))
        text = str(alone)
        if text not in said:
            said[text] = _refusal(alone, check)
        if (error := said[text]) is not None:
            found[op] = error
    return found


def _refusal(module: ModuleOp, check: Check) -> MlcError | None:
    try:
        check(module)
    except MlcError as error:
        return error
    return None


def pieces_of(module: ModuleOp, cuts: Collection[Operation]) -> Iterator[Piece]:
    """The programs that are left of `module` between `cuts`, in order; those that give nothing are left out."""
    block = find_function(module).body.block
    whole, members = value_names(block), _members(block, cuts)
    for level in sorted(members):
        piece = _piece(block, members[level], cuts, whole)
        if piece is not None:
            yield piece


def _members(block: Block, cuts: Collection[Operation]) -> dict[int, list[Operation]]:
    """The number of each piece to what it computes, in program order: so many cuts stand before it.

    Free ops are computed where a cut or the return reads them.
    """
    ops = [op for op in block.ops if _is_exported(op)]
    earliest: dict[Operation, int] = {}
    for op in ops:
        owners = [o for o in (actual(v).owner for v in op.operands) if isinstance(o, Operation) and o in earliest]
        before = max((earliest[o] + (o in cuts) for o in owners), default=-1)
        earliest[op] = before if op in cuts or is_free(op) else max(before, 0)
    latest: dict[Operation, int] = {}
    found: dict[int, list[Operation]] = {}
    for op in reversed(ops):
        readers = [u.operation for r in op.results for u in r.uses]
        levels = [latest[reader] for reader in readers if reader in latest]
        latest[op] = earliest[op] if op in cuts or not levels else max(earliest[op], min(levels))
        is_asked_for = any(reader in cuts or reader not in latest for reader in readers)
        if op not in cuts and (is_asked_for or not is_free(op)):
            found.setdefault(max(latest[op], 0), []).insert(0, op)
    return found


def _is_exported(op: Operation) -> bool:
    """True for what is an op of the exported program: no input or result of it."""
    return not (isinstance(op, func.ReturnOp) or is_seeds(op) or is_update(op))


def actual(value: SSAValue) -> SSAValue:
    """The value that an update of an argument stands for."""
    while isinstance(value.owner, Operation) and is_update(value.owner):
        value = value.owner.operands[1]
    return value


def _piece(
    block: Block, members: list[Operation], cuts: Collection[Operation], whole: dict[SSAValue, str]
) -> Piece | None:
    """`members`, and the free ops that they read, as a function; None where nobody reads what it computes."""
    inside, needed = set(members), set(members)
    work = [actual(v).owner for op in members for v in op.operands]
    while work:
        owner = work.pop()
        if isinstance(owner, Operation) and owner not in needed and owner not in cuts and is_free(owner):
            needed.add(owner)
            work += [actual(v).owner for v in owner.operands]
    ops = [op for op in block.ops if op in needed]
    made = {r for op in ops for r in op.results}
    inputs = list(dict.fromkeys(v for op in ops for v in map(actual, op.operands) if v not in made))
    outputs = [r for op in members for r in op.results if _is_read_outside(r, inside, cuts)]
    if not outputs:
        return None
    module = function_of(ops, inputs, outputs)
    mine = find_function(module).body.block
    names = value_names(mine)
    copies = [op for op in mine.ops if not isinstance(op, func.ReturnOp)]
    return Piece(module, {name_of(copy, names): name_of(op, whole) for copy, op in zip(copies, ops, strict=True)})


def _is_read_outside(value: SSAValue, inside: Collection[Operation], cuts: Collection[Operation]) -> bool:
    """True if someone who is not `inside` reads `value`, through free ops or directly."""
    readers = [use.operation for use in value.uses if use.operation not in inside]
    return any(
        any(_is_read_outside(r, inside, cuts) for r in reader.results)
        if _is_exported(reader) and reader not in cuts and is_free(reader)
        else True
        for reader in readers
    )


def function_of(ops: Sequence[Operation], inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> ModuleOp:
    """A module with one function: `outputs` out of `inputs` by copies of `ops`, their values without names."""
    block = Block(arg_types=[v.type for v in inputs])
    values: dict[SSAValue, SSAValue] = dict(zip(inputs, block.args, strict=True))
    for op in ops:
        for operand in op.operands:
            if (stands_for := actual(operand)) is not operand:
                values[operand] = values[stands_for]
        copy = op.clone(values)
        copy.location = op.location
        for result in copy.results:
            result.name_hint = None
        block.add_op(copy)
        values |= zip(op.results, copy.results, strict=True)
    block.add_op(func.ReturnOp(*(values[v] for v in outputs)))
    types = [v.type for v in inputs], [v.type for v in outputs]
    return ModuleOp([func.FuncOp("piece", types, Region(block))])
