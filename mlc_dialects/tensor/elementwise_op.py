"""What an elementwise op is: one class, one decorator, and the facts an entry of the table states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np
from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Commutative, Pure
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.common.op_building import build, checked_shape, value_of
from mlc_dialects.common.scalar_builder import Scalars
from mlc_dialects.common.types import is_native, kind_of, with_element

ScalarRule = Callable[[Scalars, Sequence[SSAValue]], SSAValue]
Reference = Callable[..., np.ndarray]


@dataclass(frozen=True)
class Elementwise:
    """One function of the table.

    `kinds` says which elements it takes: "f" floats, "i" signed integers, "b" booleans, "8" 8-bit floats.
    `scalar` builds the function of scalars as arith and math ops. `reference` is the
    function on numpy arrays. `flops` is its cost next to an addition. `unit` is the right
    operand that changes nothing, bit for bit, and `absorber` the one that decides alone,
    both for integers and booleans only where a float would differ (x + 0.0 changes -0.0).
    """

    name: str
    arity: int
    kinds: str
    scalar: ScalarRule
    reference: Reference
    predicate: bool = False
    """The result is i1, whatever the operands."""
    flops: int = 1
    commutative: bool = False
    idempotent: bool = False
    """f(x, x) == x, or f(f(x)) == f(x) when it has one operand."""
    involution: bool = False
    """f(f(x)) == x"""
    unit: float | None = None
    float_unit: float | None = None
    absorber: float | None = None
    inverse: str | None = None
    aten: tuple[str, ...] = ()
    """Names of the aten overloads that mean exactly this function, after type promotion."""


class ElementwiseOp(IRDLOperation):
    """result[i] = f(operands[0][i], operands[1][i], ...), all of one shape.

    The text gives one type: that of the last operand, which all operands have save the
    condition of `select`. The result has it too, with element i1 for a predicate.
    """

    FUNCTION: ClassVar[Elementwise]

    inputs = var_operand_def()
    result = result_def()

    def __init__(self, *operands: SSAValue | Operation):
        values = [value_of(o) for o in operands]
        build(self, values, self.result_type(values[-1].type))

    @classmethod
    def result_type(cls, operand: Attribute) -> Attribute:
        return with_element(operand, i1) if cls.FUNCTION.predicate else operand

    @classmethod
    def expected_types(cls, last: Attribute) -> list[Attribute]:
        """The operands' types, given the last one's."""
        return [last] * cls.FUNCTION.arity

    def verify_(self) -> None:
        definition = self.FUNCTION
        if len(self.operands) != definition.arity:
            raise VerifyException(f"takes {definition.arity} operands, found {len(self.operands)}")
        last = self.operands[-1].type
        if not isinstance(last, TensorType):
            raise VerifyException(f"works on tensors, found {last}")
        checked_shape(last)
        element = cast(Attribute, last.element_type)
        if not is_native(element) or kind_of(element) not in definition.kinds:
            raise VerifyException(f"has no meaning for elements of type {element}: cast the operands first")
        for position, (operand, wanted) in enumerate(zip(self.operands, self.expected_types(last), strict=True)):
            if operand.type != wanted:
                raise VerifyException(
                    f"operand {position} is {operand.type} and must be {wanted}: "
                    "broadcast or cast it first, elementwise ops do neither"
                )
        if self.result.type != self.result_type(last):
            raise VerifyException(f"result is {self.result.type} and must be {self.result_type(last)}")

    @classmethod
    def parse(cls, parser: Parser) -> ElementwiseOp:
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand, " in operand list"
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        last = parser.parse_type()
        if len(operands) != cls.FUNCTION.arity:
            parser.raise_error(f"{cls.name} takes {cls.FUNCTION.arity} operands", position)
        if not isinstance(last, TensorType):
            parser.raise_error(f"{cls.name} works on tensors", position)
        values = parser.resolve_operands(operands, cls.expected_types(last), position)
        op = cls(*values)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operands[-1].type)


class SelectOpBase(ElementwiseOp):
    """An elementwise op whose first operand is a condition."""

    @classmethod
    def expected_types(cls, last: Attribute) -> list[Attribute]:
        return [with_element(last, i1), last, last]


ELEMENTWISE: dict[str, type[ElementwiseOp]] = {}
"""The table: function name to op, filled by `mlc_dialects.tensor.elementwise`."""


def elementwise(
    name: str,
    arity: int,
    kinds: str,
    scalar: ScalarRule,
    reference: Reference,
    **facts: object,
) -> Callable[[type[ElementwiseOp]], type[ElementwiseOp]]:
    """Makes a class the op `mlc_tensor.<name>` and enters it in the table."""

    def define(cls: type[ElementwiseOp]) -> type[ElementwiseOp]:
        definition = Elementwise(name, arity, kinds, scalar, reference, **facts)  # pyright: ignore[reportArgumentType]
        cls.name = f"mlc_tensor.{name}"
        cls.traits = traits_def(Pure(), Commutative()) if definition.commutative else traits_def(Pure())
        op = irdl_op_definition(cls)
        op.FUNCTION = definition
        ELEMENTWISE[name] = op
        return op

    return define


__all__ = ["ELEMENTWISE", "Elementwise", "ElementwiseOp", "SelectOpBase", "elementwise"]
