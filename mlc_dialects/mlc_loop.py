"""The dialect `mlc_loop`: kernels as loops over buffers, and the host program that launches them.

    kernel  ::= `mlc_loop.kernel` @name `(` (%buffer `:` memref),* `)` body
    loop    ::= `mlc_loop.parallel` %i `= 0 to` extent mapping? body
              | `mlc_loop.reduce` kinds %i `= 0 to` extent mapping? `->` types body
    mapping ::= (`program` axis)? (`block` size)?

Scalars inside are upstream `arith` and `math`. A schedule gives loops their mapping: `program`
spreads iterations over the programs of the launch grid, `block` handles that many at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, IndexType, IntegerAttr, StringAttr, SymbolNameConstraint, i1, i64
from xdsl.ir import Attribute, Block, Dialect, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    IsolatedFromAbove,
    IsTerminator,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoTerminator,
    Pure,
    RecursiveMemoryEffect,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.buffers import buffer_element, buffer_shape
from mlc_dialects.index_syntax import IndexReader, index_exprs, print_index, print_indices
from mlc_dialects.loop_host import HOST_OPS
from mlc_dialects.types import storage
from mlc_support.index_expr import IndexExpr
from mlc_support.index_parse import parse

REDUCE_KINDS = ("add", "mul", "max", "min", "and", "or", "argmax", "argmin")


@irdl_op_definition
class KernelOp(IRDLOperation):
    """One kernel. Its arguments are buffers; those it stores to are its outputs.

    `warps` and `stages` are launch options; `index` is the type of address arithmetic (i32 or i64).
    A schedule sets all three.
    """

    name = "mlc_loop.kernel"
    sym_name = prop_def(SymbolNameConstraint())
    schedule = opt_prop_def(StringAttr)
    """Why this schedule: the policy's reason."""
    warps = opt_prop_def(IntegerAttr)
    stages = opt_prop_def(IntegerAttr)
    index_bits = opt_prop_def(IntegerAttr)
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface(), NoTerminator())

    def __init__(self, name: str, body: Region):
        super().__init__(properties={"sym_name": StringAttr(name)}, regions=[body])

    @property
    def buffers(self) -> Sequence[SSAValue]:
        return self.body.block.args

    @classmethod
    def parse(cls, parser: Parser) -> KernelOp:
        name = parser.parse_symbol_name()
        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
        properties: dict[str, Attribute] = {"sym_name": name}
        for keyword, key in (("warps", "warps"), ("stages", "stages"), ("index", "index_bits")):
            if parser.parse_optional_keyword(keyword):
                properties[key] = IntegerAttr(parser.parse_integer(), i64)
        if parser.parse_optional_keyword("schedule"):
            properties["schedule"] = StringAttr(parser.parse_str_literal())
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = parser.parse_region(arguments)
        op = cls.create(properties=properties, regions=[body])
        op.attributes |= attributes.data if attributes else {}
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        with printer.in_parens():
            printer.print_list(self.body.block.args, printer.print_block_argument)
        for keyword, value in (("warps", self.warps), ("stages", self.stages), ("index", self.index_bits)):
            if value is not None:
                printer.print_string(f" {keyword} {value.value.data}")
        if self.schedule is not None:
            printer.print_string(" schedule ")
            printer.print_string_literal(self.schedule.data)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_block_terminators=False)


class LoopOp(IRDLOperation):
    """What both loops have: an index in [0, extent) and the mapping that a schedule gives it."""

    extent = prop_def(StringAttr)
    program = opt_prop_def(IntegerAttr)
    block = opt_prop_def(IntegerAttr)
    body = region_def("single_block")

    @property
    def index(self) -> SSAValue:
        return self.body.block.args[0]

    @property
    def size(self) -> IndexExpr:
        """The number of iterations."""
        return parse(self.extent.data)

    @property
    def block_size(self) -> int:
        return 1 if self.block is None else self.block.value.data

    def set_mapping(self, program: int | None = None, block: int | None = None) -> None:
        """Spreads the loop over grid axis `program`, `block` iterations at once."""
        self.program = None if program is None else IntegerAttr(program, i64)
        self.block = None if block is None else IntegerAttr(block, i64)

    def verify_(self) -> None:
        if [a.type for a in self.body.block.args] != [IndexType()]:
            raise VerifyException("the body takes the loop index, of type index")
        if self.block is not None and self.block_size & (self.block_size - 1):
            raise VerifyException(f"block {self.block_size} is not a power of two, as Triton needs")

    def print_header(self, printer: Printer) -> None:
        printer.print_ssa_value(self.index)
        printer.print_string(" = 0 to ")
        print_index(printer, self.extent.data, ())
        if self.program is not None:
            printer.print_string(f" program {self.program.value.data}")
        if self.block is not None:
            printer.print_string(f" block {self.block.value.data}")


def _parse_header(parser: Parser) -> tuple[Any, dict[str, Attribute]]:
    index = parser.parse_argument(expect_type=False).resolve(IndexType())
    parser.parse_punctuation("=")
    parser.parse_integer()
    parser.parse_keyword("to")
    properties: dict[str, Attribute] = {"extent": StringAttr(str(IndexReader(parser).expression()))}
    for keyword in ("program", "block"):
        if parser.parse_optional_keyword(keyword):
            properties[keyword] = IntegerAttr(parser.parse_integer(), i64)
    return index, properties


@irdl_op_definition
class YieldOp(IRDLOperation):
    """The values that one iteration gives to its reduction."""

    name = "mlc_loop.yield"
    values = var_operand_def()
    traits = traits_def(Pure(), IsTerminator())
    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, values: Sequence[SSAValue]):
        super().__init__(operands=[list(values)])


@irdl_op_definition
class ParallelOp(LoopOp):
    """Runs its body for every index, in any order."""

    name = "mlc_loop.parallel"
    traits = traits_def(RecursiveMemoryEffect(), NoTerminator())

    def __init__(self, extent: IndexExpr, body: Region | None = None):
        region = Region(Block(arg_types=[IndexType()])) if body is None else body
        super().__init__(properties={"extent": StringAttr(str(extent))}, regions=[region])

    @classmethod
    def parse(cls, parser: Parser) -> ParallelOp:
        index, properties = _parse_header(parser)
        return cls.create(properties=properties, regions=[parser.parse_region([index])])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        self.print_header(printer)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_block_terminators=False)


@irdl_op_definition
class ReduceOp(LoopOp):
    """Combines what the iterations yield, one kind a value, starting from each kind's identity.

    argmax and argmin yield the value and give the index (i64) of its first occurrence; NaN wins.
    """

    name = "mlc_loop.reduce"
    kinds = prop_def(ArrayAttr[StringAttr])
    outputs = var_result_def()
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self,
        kinds: Sequence[str],
        extent: IndexExpr,
        result_types: Sequence[Attribute],
        body: Region | None = None,
    ):
        region = Region(Block(arg_types=[IndexType()])) if body is None else body
        super().__init__(
            properties={
                "kinds": ArrayAttr([StringAttr(k) for k in kinds]),
                "extent": StringAttr(str(extent)),
            },
            result_types=[list(result_types)],
            regions=[region],
        )

    @property
    def yielded(self) -> tuple[SSAValue, ...]:
        last = self.body.block.last_op
        assert isinstance(last, YieldOp)
        return tuple(last.values)

    def verify_(self) -> None:
        super().verify_()
        if not isinstance(self.body.block.last_op, YieldOp):
            raise VerifyException("the body must end in mlc_loop.yield")
        kinds = [k.data for k in self.kinds]
        if any(k not in REDUCE_KINDS for k in kinds):
            raise VerifyException(f"kinds are among {', '.join(REDUCE_KINDS)}, found {', '.join(kinds)}")
        if len(kinds) != len(self.yielded):
            raise VerifyException(f"{len(kinds)} kinds and {len(self.yielded)} yielded values: one kind a value")
        wanted = [i64 if k.startswith("arg") else v.type for k, v in zip(kinds, self.yielded, strict=True)]
        if [r.type for r in self.outputs] != wanted:
            raise VerifyException(f"results must be {', '.join(map(str, wanted))}")

    @classmethod
    def parse(cls, parser: Parser) -> ReduceOp:
        kinds = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_identifier)
        index, properties = _parse_header(parser)
        properties["kinds"] = ArrayAttr([StringAttr(k) for k in kinds])
        parser.parse_punctuation("->")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        return cls.create(properties=properties, result_types=types, regions=[parser.parse_region([index])])

    def print(self, printer: Printer) -> None:
        printer.print_string(" " + ", ".join(k.data for k in self.kinds) + " ")
        self.print_header(printer)
        printer.print_string(" -> ")
        printer.print_list([r.type for r in self.outputs], printer.print_attribute)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)


@irdl_op_definition
class LoadOp(IRDLOperation):
    """buffer[index]; where a condition is given and false nothing is read and the value is 0."""

    name = "mlc_loop.load"
    buffer = operand_def()
    indices = var_operand_def(IndexType)
    condition = opt_operand_def(i1)
    index = prop_def(ArrayAttr[StringAttr])
    result = result_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(MemoryReadEffect())

    def __init__(
        self,
        buffer: SSAValue,
        indices: Sequence[SSAValue],
        index: ArrayAttr[StringAttr],
        condition: SSAValue | None = None,
    ):
        super().__init__(
            operands=[buffer, list(indices), condition],
            properties={"index": index},
            result_types=[storage(buffer_element(buffer.type))],
        )

    def verify_(self) -> None:
        _verify_access(self.buffer, self.index, self.indices)
        if self.result.type != storage(buffer_element(self.buffer.type)):
            raise VerifyException(f"loads {self.result.type} from {self.buffer.type}")

    @classmethod
    def parse(cls, parser: Parser) -> LoadOp:
        buffer = parser.parse_unresolved_operand()
        reader = IndexReader(parser)
        index = reader.bracketed_list()
        condition = parser.parse_unresolved_operand() if parser.parse_optional_keyword("if") else None
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        return cls(
            parser.resolve_operand(buffer, type_),
            [parser.resolve_operand(o, IndexType()) for o in reader.operands],
            index,
            None if condition is None else parser.resolve_operand(condition, i1),
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.buffer)
        print_indices(printer, self.index, self.indices)
        if self.condition is not None:
            printer.print_string(" if ")
            printer.print_operand(self.condition)
        printer.print_string(" : ")
        printer.print_attribute(self.buffer.type)


@irdl_op_definition
class StoreOp(IRDLOperation):
    """buffer[index] = value; where a condition is given and false nothing is written."""

    name = "mlc_loop.store"
    value = operand_def()
    buffer = operand_def()
    indices = var_operand_def(IndexType)
    condition = opt_operand_def(i1)
    index = prop_def(ArrayAttr[StringAttr])
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self,
        value: SSAValue,
        buffer: SSAValue,
        indices: Sequence[SSAValue],
        index: ArrayAttr[StringAttr],
        condition: SSAValue | None = None,
    ):
        super().__init__(operands=[value, buffer, list(indices), condition], properties={"index": index})

    def verify_(self) -> None:
        _verify_access(self.buffer, self.index, self.indices)
        if self.value.type != storage(buffer_element(self.buffer.type)):
            raise VerifyException(f"stores {self.value.type} to {self.buffer.type}")

    @classmethod
    def parse(cls, parser: Parser) -> StoreOp:
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        buffer = parser.parse_unresolved_operand()
        reader = IndexReader(parser)
        index = reader.bracketed_list()
        condition = parser.parse_unresolved_operand() if parser.parse_optional_keyword("if") else None
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        guard = None if condition is None else parser.resolve_operand(condition, i1)
        indices = [parser.resolve_operand(o, IndexType()) for o in reader.operands]
        element = storage(buffer_element(type_))
        stored, target = parser.resolve_operand(value, element), parser.resolve_operand(buffer, type_)
        return cls(stored, target, indices, index, guard)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.value)
        printer.print_string(", ")
        printer.print_operand(self.buffer)
        print_indices(printer, self.index, self.indices)
        if self.condition is not None:
            printer.print_string(" if ")
            printer.print_operand(self.condition)
        printer.print_string(" : ")
        printer.print_attribute(self.buffer.type)


@irdl_op_definition
class IndexOp(IRDLOperation):
    """The value of an index expression, as an integer: `mlc_loop.index [%p mod 4] : i64`."""

    name = "mlc_loop.index"
    indices = var_operand_def(IndexType)
    index = prop_def(ArrayAttr[StringAttr])
    result = result_def()
    traits = traits_def(Pure())

    def __init__(self, indices: Sequence[SSAValue], index: ArrayAttr[StringAttr], type_: Attribute = i64):
        super().__init__(operands=[list(indices)], properties={"index": index}, result_types=[type_])

    @classmethod
    def parse(cls, parser: Parser) -> IndexOp:
        reader = IndexReader(parser)
        index = reader.bracketed_list()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        return cls([parser.resolve_operand(o, IndexType()) for o in reader.operands], index, type_)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_indices(printer, self.index, self.indices)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class LibdeviceOp(IRDLOperation):
    """A call of CUDA's device function `function` on scalars of one float type."""

    name = "mlc_loop.libdevice"
    function = prop_def(StringAttr)
    inputs = var_operand_def()
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$function $inputs attr-dict `:` type($inputs) `->` type($result)"

    def __init__(self, function: str, inputs: Sequence[SSAValue]):
        super().__init__(
            operands=[list(inputs)],
            properties={"function": StringAttr(function)},
            result_types=[inputs[0].type],
        )


def _verify_access(buffer: SSAValue, index: ArrayAttr[StringAttr], operands: Sequence[SSAValue]) -> None:
    try:
        rank = len(buffer_shape(buffer.type))
        exprs = index_exprs(index)
    except ValueError as error:
        raise VerifyException(str(error)) from error
    if len(exprs) != rank:
        raise VerifyException(f"{len(exprs)} indices into {buffer.type}")
    used = {int(v.name[1:]) for e in exprs for v in e.variables() if v.name[1:].isdigit() and v.name[0] == "d"}
    if any(u >= len(operands) for u in used):
        raise VerifyException(f"the index names operand {max(used)} of {len(operands)}")


MlcLoop = Dialect(
    "mlc_loop",
    [KernelOp, ParallelOp, ReduceOp, YieldOp, LoadOp, StoreOp, IndexOp, LibdeviceOp, *HOST_OPS],
    [],
)
