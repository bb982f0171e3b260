"""Ops of `mlc_tensor` that hold other work: calls of PyTorch ops, and fused regions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeGuard

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    EffectInstance,
    IsolatedFromAbove,
    IsTerminator,
    MemoryEffect,
    MemoryEffectKind,
    Pure,
    RecursiveMemoryEffect,
    SingleBlockImplicitTerminator,
)
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.common.annotations import EVALUATE, SYMBOLS
from mlc_dialects.common.assembly import parse_types, print_types
from mlc_dialects.common.types import element_type, is_native
from mlc_support.index_parse import parse
from mlc_support.python_text import is_callee, is_expression, is_identifier


def channels_last(rank: int) -> list[int]:
    """The order that takes [N, C, H, W] to [N, H, W, C]."""
    return [0, *range(2, rank), 1]


def channels_first(rank: int) -> list[int]:
    """The order that takes [N, H, W, C] to [N, C, H, W]."""
    return [0, rank - 1, *range(1, rank - 1)]


@irdl_attr_definition
class OperandAttr(ParametrizedAttribute):
    """Stands for operand `position` of the call, in its argument list."""

    name = "mlc_tensor.operand"
    position: StringAttr

    def verify(self) -> None:
        if not (self.position.data.isascii() and self.position.data.isdigit()):
            raise VerifyException(f"an operand has a number, not {self.position.data!r}")

    @property
    def index(self) -> int:
        return int(self.position.data)


@irdl_attr_definition
class PythonAttr(ParametrizedAttribute):
    """A Python constant by its text: `#mlc_tensor.py<"torch.float32">`."""

    name = "mlc_tensor.py"
    text: StringAttr

    def verify(self) -> None:
        if not is_expression(self.text.data):
            raise VerifyException(f"not the text of a constant: {self.text.data!r}")


@irdl_attr_definition
class SizeAttr(ParametrizedAttribute):
    """An integer argument that is an expression over named sizes: `#mlc_tensor.size_of<"N * 4">`."""

    name = "mlc_tensor.size_of"
    expression: StringAttr

    def verify(self) -> None:
        parse(self.expression.data)


def sizes_in(arguments: ArrayAttr | None, keywords: DictionaryAttr | None) -> Iterator[SizeAttr]:
    """The sizes among the arguments of a call, however deep."""
    work: list[Attribute] = [*(arguments.data if arguments else ()), *(keywords.data.values() if keywords else ())]
    while work:
        attribute = work.pop()
        if isinstance(attribute, SizeAttr):
            yield attribute
        elif isinstance(attribute, ArrayAttr):
            work.extend(attribute.data)


def verify_call(callee: StringAttr, arguments: ArrayAttr | None, keywords: DictionaryAttr | None) -> None:
    """VerifyException where what is called, or an argument, could be other code than a call of an operator."""
    if not is_callee(callee.data):
        raise VerifyException(f"a call names an operator as `aten.relu.default` does, not {callee.data!r}")
    for name in keywords.data if keywords is not None else ():
        if not is_identifier(name):
            raise VerifyException(f"{name!r} is no name of an argument")
    if callee.data == EVALUATE:
        match arguments:
            case ArrayAttr(data=[StringAttr(data=text)]) if is_expression(text):
                return
            case _:
                raise VerifyException(f"{EVALUATE} takes the text of one expression over sizes, found {arguments}")


class ExternEffects(MemoryEffect):
    """A call is pure unless it is marked `impure`: it writes an argument, or draws random numbers.

    One that tells a named size stays as well: what needs the size names it and does not use a result.
    """

    @classmethod
    def get_effects(cls, op: Operation) -> set[EffectInstance]:
        impure = isinstance(op, ExternOp) and (op.impure is not None or SYMBOLS in op.attributes)
        return {EffectInstance(MemoryEffectKind.WRITE), EffectInstance(MemoryEffectKind.READ)} if impure else set()


@irdl_op_definition
class ExternOp(IRDLOperation):
    """A call of a PyTorch op that is not native: `mlc_tensor.extern "aten.cumsum.default"(%x) args [...]`.

    `arguments` is the Python argument list: operands by position, numbers, strings, lists,
    None (unit), Python constants and sizes. Left out, it is the operands in order.
    """

    name = "mlc_tensor.extern"
    inputs = var_operand_def()
    callee = prop_def(StringAttr)
    arguments = opt_prop_def(ArrayAttr)
    keywords = opt_prop_def(DictionaryAttr)
    impure = opt_prop_def(UnitAttr)
    outputs = var_result_def()
    traits = traits_def(ExternEffects())

    def __init__(
        self,
        callee: str,
        inputs: Sequence[SSAValue],
        result_types: Sequence[Attribute],
        arguments: Sequence[Attribute] | None = None,
        keywords: dict[str, Attribute] | None = None,
        impure: bool = False,
    ):
        properties: dict[str, Attribute | None] = {
            "callee": StringAttr(callee),
            "arguments": None if arguments is None else ArrayAttr(arguments),
            "keywords": DictionaryAttr(keywords) if keywords else None,
            "impure": UnitAttr() if impure else None,
        }
        Operation.__init__(  # a group of operands and one of results: nothing for IRDL to sort
            self,
            operands=inputs,
            result_types=result_types,
            properties={name: value for name, value in properties.items() if value is not None},
        )

    def argument_list(self) -> tuple[Attribute, ...]:
        """The Python arguments, operands standing as OperandAttr."""
        if self.arguments is not None:
            return tuple(self.arguments.data)
        return tuple(OperandAttr(StringAttr(str(i))) for i in range(len(self.inputs)))

    def verify_(self) -> None:
        verify_call(self.callee, self.arguments, self.keywords)
        for reference in _operands_in((*self.argument_list(), *(self.keywords.data.values() if self.keywords else ()))):
            if not 0 <= reference.index < len(self.inputs):
                raise VerifyException(f"argument list names operand {reference.index} of {len(self.inputs)}")

    @classmethod
    def parse(cls, parser: Parser) -> ExternOp:
        callee = parser.parse_str_literal()
        operands = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        properties: dict[str, Attribute] = {"callee": StringAttr(callee)}
        if parser.parse_optional_keyword("args"):
            properties["arguments"] = parser.parse_attribute()
        if parser.parse_optional_keyword("kwargs"):
            properties["keywords"] = parser.parse_attribute()
        if parser.parse_optional_keyword("impure"):
            properties["impure"] = UnitAttr()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        types = parse_types(parser)
        parser.parse_punctuation("->")
        results = parse_types(parser)
        values = parser.resolve_operands(operands, types, position)
        return cls.create(operands=values, result_types=results, properties=properties, attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.callee.data)
        with printer.in_parens():
            printer.print_list(self.inputs, printer.print_ssa_value)
        if self.arguments is not None:
            printer.print_string(" args ")
            printer.print_attribute(self.arguments)
        if self.keywords is not None:
            printer.print_string(" kwargs ")
            printer.print_attribute(self.keywords)
        if self.impure is not None:
            printer.print_string(" impure")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        print_types(printer, self.inputs)
        printer.print_string(" -> ")
        print_types(printer, self.outputs)


def is_impure(op: Operation) -> TypeGuard[ExternOp]:
    """True for calls that change memory or draw random numbers: their order stays."""
    return isinstance(op, ExternOp) and op.impure is not None


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Gives a region's values to the op that holds it."""

    name = "mlc_tensor.yield"
    values = var_operand_def()
    traits = traits_def(Pure(), IsTerminator())
    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, values: Sequence[SSAValue] = ()):
        super().__init__(operands=[list(values)])


ONLINE = "online"
"""The kind of a fusion in which products of matrices follow each other, with reductions between them: each is computed
where the next one needs it."""


@irdl_op_definition
class FusionOp(IRDLOperation):
    """One region, one kernel. `kind` names its shape, `why` the reason it was formed.

    %r = mlc_tensor.fusion (%a = %x : tensor<8xf32>) -> (tensor<8xf32>) kind "pointwise" why "..." {
    """

    name = "mlc_tensor.fusion"
    inputs = var_operand_def()
    kind = prop_def(StringAttr)
    why = prop_def(StringAttr)
    body = region_def("single_block")
    outputs = var_result_def()
    traits = traits_def(IsolatedFromAbove(), RecursiveMemoryEffect(), SingleBlockImplicitTerminator(YieldOp))

    def __init__(
        self, inputs: Sequence[SSAValue], result_types: Sequence[Attribute], kind: str, why: str, body: Region
    ):
        super().__init__(
            operands=[list(inputs)],
            result_types=[list(result_types)],
            properties={"kind": StringAttr(kind), "why": StringAttr(why)},
            regions=[body],
        )

    @property
    def yielded(self) -> tuple[SSAValue, ...]:
        """The values inside the region that the results are."""
        last = self.body.block.last_op
        assert isinstance(last, YieldOp)
        return tuple(last.values)

    def verify_(self) -> None:
        arguments = self.body.block.args
        if [a.type for a in arguments] != [v.type for v in self.inputs]:
            raise VerifyException("the region's arguments must have the types of the operands")
        if not isinstance(self.body.block.last_op, YieldOp):
            raise VerifyException("the region must end in mlc_tensor.yield")
        if [v.type for v in self.yielded] != [r.type for r in self.outputs]:
            raise VerifyException("the region must yield values of the result types")
        for value in (*self.inputs, *self.outputs):
            if not is_native(element_type(value.type)):
                raise VerifyException(f"a kernel cannot hold {value.type}")

    @classmethod
    def parse(cls, parser: Parser) -> FusionOp:
        def binding():
            argument = parser.parse_argument(expect_type=False)
            parser.parse_punctuation("=")
            operand = parser.parse_unresolved_operand()
            parser.parse_punctuation(":")
            type_ = parser.parse_type()
            return argument.resolve(type_), parser.resolve_operand(operand, type_)

        bindings = parser.parse_comma_separated_list(parser.Delimiter.PAREN, binding)
        parser.parse_punctuation("->")
        results = parse_types(parser)
        parser.parse_keyword("kind")
        kind = parser.parse_str_literal()
        parser.parse_keyword("why")
        why = parser.parse_str_literal()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region([a for a, _ in bindings])
        op = cls([v for _, v in bindings], results, kind, why, body)
        op.attributes |= attributes.data if attributes else {}
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        with printer.in_parens():
            pairs = list(zip(self.body.block.args, self.inputs, strict=True))
            printer.print_list(pairs, lambda pair: _print_binding(printer, *pair))
        printer.print_string(" -> ")
        print_types(printer, self.outputs)
        printer.print_string(" kind ")
        printer.print_string_literal(self.kind.data)
        printer.print_string(" why ")
        printer.print_string_literal(self.why.data)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)


def _print_binding(printer: Printer, argument: SSAValue, operand: SSAValue) -> None:
    printer.print_ssa_value(argument)
    printer.print_string(" = ")
    printer.print_ssa_value(operand)
    printer.print_string(" : ")
    printer.print_attribute(operand.type)


def _operands_in(attributes: Sequence[Attribute]) -> list[OperandAttr]:
    found: list[OperandAttr] = []
    for attribute in attributes:
        if isinstance(attribute, OperandAttr):
            found.append(attribute)
        elif isinstance(attribute, ArrayAttr):
            found += _operands_in(attribute.data)
    return found
