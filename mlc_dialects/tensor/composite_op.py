"""What a composite op is: one name for several plain ops, with its meaning as a function that builds them.

    @composite("silu")
    def silu(x: SSAValue) -> SSAValue:
        \"\"\"x * sigmoid(x)\"\"\"

Positional parameters are operands, those after `*` are attributes: numbers (`Number`), which a matcher
may leave open, and integers, strings and lists, which decide the form. Verifier, interpreter,
decompose and recompose all call the function.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, IntegerAttr, StringAttr, f64, i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, Pure
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.common.assembly import parse_types, print_types
from mlc_dialects.tensor.calls import YieldOp
from mlc_support.rewriting import unplaced_ops

Number = float | SSAValue
"""A number, or in a pattern a tensor of rank 0 that stands for one."""
Parameter = Number | int | str | tuple[int, ...]
Meaning = Callable[..., SSAValue | tuple[SSAValue, ...]]


class CompositeOp(IRDLOperation):
    """outputs = meaning(inputs, attributes), in one op; of several results the first few, as many as are asked for.

    A region, where there is one, is how the program spelled it: it computes the same up to rounding,
    and opening the op gives those very ops back.
    Built without `types` it has one result, of the type that the meaning gives it.
    """

    MEANING: ClassVar[Meaning]
    SPELLINGS: ClassVar[tuple[Meaning, ...]] = ()
    """Other ways to write the meaning, that differ from it by rounding alone."""

    inputs = var_operand_def()
    parameters = prop_def(DictionaryAttr)
    spelling = region_def()
    outputs = var_result_def()
    traits = traits_def(Pure(), IsolatedFromAbove())

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        parameters: Mapping[str, Parameter] | None = None,
        spelling: Region | None = None,
        types: Sequence[Attribute] | None = None,
    ):
        given = {k: encoded(v) for k, v in (parameters or {}).items()}
        if types is None:
            block = Block(arg_types=[v.type for v in inputs])
            types = [results_of(self.MEANING, block.args, parameters or {})[0].type]
        Operation.__init__(  # a group of operands, one of results and one region: nothing for IRDL to sort
            self,
            operands=inputs,
            result_types=types,
            properties={"parameters": DictionaryAttr(given)},
            regions=[spelling or Region()],
        )

    @property
    def values(self) -> dict[str, Parameter]:
        """The attributes as Python values."""
        return {k: decoded(v) for k, v in self.parameters.data.items()}

    def reference(self, inputs: Sequence[SSAValue]) -> tuple[SSAValue, ...]:
        """The meaning on `inputs`, in plain ops that are in no block yet."""
        return results_of(self.MEANING, inputs, self.values)[: len(self.outputs)]

    def opened(self, inputs: Sequence[SSAValue]) -> tuple[SSAValue, ...]:
        """As the program spelled it, else the reference: ops that are in no block yet."""
        if not self.spelling.blocks:
            return self.reference(inputs)
        values: dict[SSAValue, SSAValue] = dict(zip(self.spelling.block.args, inputs, strict=True))
        for op in self.spelling.block.ops:
            if isinstance(op, YieldOp):
                return tuple(values[v] for v in op.values)
            copy = op.clone(values)
            copy.location = op.location
            values |= zip(op.results, copy.results, strict=True)
        raise AssertionError("verified: the region ends in a yield")

    def decomposition(self) -> Block:
        """A block with the ops that `opened` gives, for its own arguments."""
        block = Block(arg_types=[v.type for v in self.inputs])
        results = self.opened(block.args)
        block.add_ops(unplaced_ops([op for op in map(owner_op, results) if op is not None]))
        block.add_op(YieldOp(results))
        return block

    def verify_(self) -> None:
        problem = self._signature_problem()
        if problem:
            raise VerifyException(problem)
        block = Block(arg_types=[v.type for v in self.inputs])
        try:
            wanted = [v.type for v in self.reference(block.args)]
        except (ValueError, IndexError, AssertionError) as error:
            raise VerifyException(f"has no meaning for these operands: {error}") from error
        if not wanted or [v.type for v in self.outputs] != wanted:
            found = ", ".join(str(v.type) for v in self.outputs)
            raise VerifyException(f"results are {found or 'none'} and must be {', '.join(map(str, wanted))}")
        if self.spelling.blocks:
            self._verify_spelling(wanted)

    def _signature_problem(self) -> str | None:
        try:
            inspect.signature(self.MEANING).bind(*self.inputs, **self.values)
        except (TypeError, ValueError) as error:
            return str(error)
        return None

    def _verify_spelling(self, wanted: Sequence[Attribute]) -> None:
        block = self.spelling.block
        if [a.type for a in block.args] != [v.type for v in self.inputs]:
            raise VerifyException("the region's arguments must have the types of the operands")
        if not isinstance(block.last_op, YieldOp) or [v.type for v in block.last_op.values] != wanted:
            raise VerifyException("the region must yield values of the result types")

    @classmethod
    def parse(cls, parser: Parser) -> CompositeOp:
        operands = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        given = parser.parse_optional_attr_dict()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        parser.parse_punctuation(":")
        position = parser.pos
        types = parse_types(parser)
        parser.parse_punctuation("->")
        results = parse_types(parser)
        spelling = Region()
        if parser.parse_optional_keyword("spelled"):
            arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
            spelling = parser.parse_region(arguments)
        return cls.create(
            operands=parser.resolve_operands(operands, types, position),
            result_types=results,
            properties={"parameters": DictionaryAttr(given)},
            attributes=attributes.data if attributes else {},
            regions=[spelling],
        )

    def print(self, printer: Printer) -> None:
        with printer.in_parens():
            printer.print_list(self.inputs, printer.print_ssa_value)
        if self.parameters.data:
            printer.print_string(" ")
            printer.print_attr_dict(self.parameters.data)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" : ")
        print_types(printer, self.inputs)
        printer.print_string(" -> ")
        print_types(printer, self.outputs)
        if self.spelling.blocks:
            printer.print_string(" spelled ")
            with printer.in_parens():
                printer.print_list(self.spelling.block.args, lambda a: _print_argument(printer, a))
            printer.print_string(" ")
            printer.print_region(self.spelling, print_entry_block_args=False)


def _print_argument(printer: Printer, argument: BlockArgument) -> None:
    printer.print_ssa_value(argument)
    printer.print_string(" : ")
    printer.print_attribute(argument.type)


COMPOSITES: dict[str, type[CompositeOp]] = {}
"""Name to op, filled by `mlc_dialects.tensor.composites`."""


def composite(name: str, *spellings: Meaning) -> Callable[[Meaning], type[CompositeOp]]:
    """Makes a function that builds plain ops the op `mlc_tensor.<name>`."""

    def define(meaning: Meaning) -> type[CompositeOp]:
        facts = {
            "name": f"mlc_tensor.{name}",
            "__doc__": meaning.__doc__,
            "__module__": meaning.__module__,
            "MEANING": staticmethod(meaning),
        }
        op = irdl_op_definition(type(f"{name.title().replace('_', '')}Op", (CompositeOp,), facts))
        op.SPELLINGS = spellings
        COMPOSITES[name] = op
        return op

    return define


def results_of(
    meaning: Meaning, inputs: Sequence[SSAValue], parameters: Mapping[str, Parameter]
) -> tuple[SSAValue, ...]:
    """What `meaning` builds, always as a tuple. ValueError for operands that it has no meaning for."""
    try:
        results = meaning(*inputs, **parameters)
    except TypeError as error:
        raise ValueError(str(error)) from error
    return results if isinstance(results, tuple) else (results,)


def encoded(value: Parameter) -> Attribute:
    """The attribute that holds a Python value."""
    match value:
        case bool() | int():
            return IntegerAttr(int(value), i64)
        case float():
            return FloatAttr(value, f64)
        case str():
            return StringAttr(value)
        case tuple():
            return ArrayAttr([IntegerAttr(v, i64) for v in value])
        case _:
            raise ValueError(f"{value} is no attribute of a composite op")


def decoded(attribute: Attribute) -> Parameter:
    """The Python value that `encoded` wrote. ValueError for other attributes."""
    match attribute:
        case IntegerAttr() | FloatAttr():
            return attribute.value.data
        case StringAttr():
            return attribute.data
        case ArrayAttr():
            return tuple(v.value.data for v in attribute.data if isinstance(v, IntegerAttr))
        case _:
            raise ValueError(f"{attribute} is no attribute of a composite op")


def owner_op(value: SSAValue) -> Operation | None:
    """The op that computes `value`; None for an argument."""
    return value.owner if isinstance(value.owner, Operation) else None
