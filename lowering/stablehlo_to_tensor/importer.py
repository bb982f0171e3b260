"""A StableHLO text to one function of `mlc_tensor`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.transforms.dead_code_elimination import is_trivially_dead
from xdsl.utils.exceptions import VerifyException

from lowering.stablehlo_to_tensor.emitter import RULES, Emitter, Outside
from lowering.stablehlo_to_tensor.rules import elementwise, indexed, products, reduce, views
from lowering.stablehlo_to_tensor.syntax import HloOp, read
from mlc_dialects.common.types import BY_NAME, is_native, shape_of
from mlc_support.errors import MlcError
from mlc_support.locations import location_of

RULE_MODULES = (elementwise, views, reduce, products, indexed)
"""The modules that fill RULES."""
STRUCTURE = ("stablehlo.return", "stablehlo.composite")
"""Ops that are read and have no rule: a region's end, and a call of the function that says what it means."""
MAIN = "main"
_DEEPEST = 64


def import_stablehlo(text: str | bytes, name: str = "<text>", sources: bool = False) -> ModuleOp:
    """The function `main` of a StableHLO text, or its only one, as a function of `mlc_tensor`; calls are inlined.

    `name` is the file in locations and errors. With `sources` the files of Python that locations name are opened, for
    their lines: a text of strangers may name any. MlcError names what is outside: an op, a form of it, a type.
    """
    module = read(text, name, [*RULES, *STRUCTURE], sources)
    functions = {f.sym_name.data: f for f in module.ops if isinstance(f, func.FuncOp) and f.body.blocks}
    main = functions.get(MAIN) or (next(iter(functions.values())) if len(functions) == 1 else None)
    if main is None:
        known = ", ".join(f"@{f}" for f in functions) or "no function"
        raise MlcError(f"{name}: which function is to be imported?", None, f"it has {known}: call one of them @{MAIN}")
    return _Importer(functions).run(main)


class _Importer:
    """The state of one import."""

    def __init__(self, functions: Mapping[str, func.FuncOp]):
        self.functions = functions
        self.block = Block()
        self.emitter = Emitter(self.block)

    def run(self, main: func.FuncOp) -> ModuleOp:
        arguments: list[SSAValue] = [self._argument(a, main) for a in main.body.block.args]
        results = self._inline(main, arguments, 0)
        self.block.add_op(func.ReturnOp(*results))
        for op in reversed([*self.block.ops]):
            if is_trivially_dead(op):
                self.block.erase_op(op)
        types = ([a.type for a in arguments], [r.type for r in results])
        return ModuleOp([func.FuncOp(MAIN, types, Region(self.block))])

    def _argument(self, argument: BlockArgument, main: func.FuncOp) -> SSAValue:
        try:
            _check_type(argument.type)
        except Outside as reason:
            raise MlcError(f"argument %{argument.name_hint} is outside: {reason}", location_of(main)) from None
        copy = self.block.insert_arg(argument.type, len(self.block.args))
        copy.name_hint = argument.name_hint
        return copy

    def _inline(self, function: func.FuncOp, arguments: Sequence[SSAValue], depth: int) -> list[SSAValue]:
        """The results of `function`, whose ops are added to the block."""
        if depth > _DEEPEST:
            raise MlcError(f"@{function.sym_name.data} calls itself", location_of(function))
        values: dict[SSAValue, SSAValue] = dict(zip(function.body.block.args, arguments, strict=True))
        for op in function.body.block.ops:
            operands = [values[v] for v in op.operands]
            if isinstance(op, func.ReturnOp):
                return operands
            values |= zip(op.results, self._results(op, operands, depth), strict=True)
        raise MlcError(f"@{function.sym_name.data} returns nothing", location_of(function))

    def _results(self, op: Operation, operands: Sequence[SSAValue], depth: int) -> Sequence[SSAValue]:
        callee = op.callee.root_reference.data if isinstance(op, func.CallOp) else None
        if isinstance(op, HloOp) and op.name == "stablehlo.composite":
            callee = str(op.stated.get("decomposition", ""))
        if callee is not None:
            if callee not in self.functions:
                raise MlcError(f"{op.name} calls @{callee}, which the text does not define", location_of(op))
            return self._inline(self.functions[callee], operands, depth + 1)
        if not isinstance(op, HloOp):
            raise MlcError(f"{op.name} cannot be imported", location_of(op))
        return self._rule(op, operands)

    def _rule(self, op: HloOp, operands: Sequence[SSAValue]) -> Sequence[SSAValue]:
        self.emitter.location = op.location
        try:
            for result in op.results:
                _check_type(result.type)
            found = RULES[op.name](self.emitter, op, *operands)
            results = [found] if isinstance(found, SSAValue) else list(found)
            _check(op, results, self.block)
        except Outside as reason:
            raise MlcError(f"{op.name} is outside: {reason}", op.place, _python_line(op)) from None
        except (KeyError, TypeError, IndexError, ValueError, VerifyException) as error:
            raise MlcError(f"{op.name} is malformed: {_said(error)}", op.place, _python_line(op)) from error
        for result, named in zip(results, op.results, strict=True):
            if named.name_hint is not None and isinstance(result.owner, Operation):
                result.name_hint = named.name_hint
        return results


def _python_line(op: HloOp) -> str | None:
    """Where an op comes from, if its text says so."""
    place = location_of(op)
    return (
        f"it comes from {place}" if place is not None and op.place is not None and place.file != op.place.file else None
    )


def _said(error: Exception) -> str:
    return f"it states no {error.args[0]}" if isinstance(error, KeyError) else str(error)


def _check(op: HloOp, results: Sequence[SSAValue], block: Block) -> None:
    """VerifyException unless a rule gave what the text promises."""
    found, wanted = [r.type for r in results], [r.type for r in op.results]
    if found != wanted:
        raise VerifyException(f"its operands give {_types(found)}, and it says {_types(wanted)}")
    for result in results:
        if isinstance(result.owner, Operation):
            result.owner.verify(verify_nested_ops=False)


def _types(types: Sequence[Any]) -> str:
    return ", ".join(map(str, types))


def _check_type(type_: Attribute) -> None:
    """Outside unless kernels know the type."""
    if not isinstance(type_, TensorType):
        raise Outside(f"a value of type {type_}")
    if not is_native(type_.element_type):
        raise Outside(f"elements of type {type_.element_type}: supported are {', '.join(BY_NAME)}")
    try:
        shape_of(type_)
    except ValueError:
        raise Outside(f"the dynamic size in {type_}: give every size a number") from None
