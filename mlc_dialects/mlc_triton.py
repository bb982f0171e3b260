"""The dialect `mlc_triton`: one op a Triton statement, on scalars and blocks.

A block is a builtin tensor whose sizes are powers of two. Arithmetic is upstream `arith` and `math`
on blocks; what those cannot say of tensors (comparisons, selection, conversions) is here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolNameConstraint,
    TensorType,
    UnitAttr,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Dialect, ParametrizedAttribute, Region, SSAValue, TypeAttribute
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_attr_definition,
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
    MemoryWriteEffect,
    NoTerminator,
    Pure,
    RecursiveMemoryEffect,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.index_syntax import IndexReader, print_index, print_indices
from mlc_dialects.types import storage


@irdl_attr_definition
class PointerType(ParametrizedAttribute, TypeAttribute):
    """The address of elements in device memory."""

    name = "mlc_triton.ptr"
    element: Attribute


def block_type(shape: Sequence[int], element: Attribute) -> Attribute:
    """A block of `shape`, or the scalar type itself for no dimensions."""
    return TensorType(element, list(shape)) if shape else element


def block_shape(type_: Attribute) -> tuple[int, ...]:
    """The sizes of a block; () for a scalar."""
    return tuple(type_.get_shape()) if isinstance(type_, TensorType) else ()


def block_element(type_: Attribute) -> Attribute:
    return type_.element_type if isinstance(type_, TensorType) else type_


@irdl_op_definition
class KernelOp(IRDLOperation):
    """One `@triton.jit` function. Arguments are pointers, then the named sizes it computes with.

    `grid` is the number of programs, an expression over sizes. No pointer is both read and written.
    """

    name = "mlc_triton.kernel"
    sym_name = prop_def(SymbolNameConstraint())
    grid = prop_def(StringAttr)
    sizes = prop_def(ArrayAttr[StringAttr])
    warps = prop_def(IntegerAttr)
    stages = prop_def(IntegerAttr)
    schedule = opt_prop_def(StringAttr)
    body = region_def("single_block")
    traits = traits_def(IsolatedFromAbove(), SymbolOpInterface(), NoTerminator())

    def __init__(self, name: str, grid: str, sizes: Sequence[str], warps: int, stages: int, body: Region):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "grid": StringAttr(grid),
                "sizes": ArrayAttr([StringAttr(s) for s in sizes]),
                "warps": IntegerAttr(warps, i64),
                "stages": IntegerAttr(stages, i64),
            },
            regions=[body],
        )

    @property
    def pointers(self) -> list[SSAValue]:
        return [a for a in self.body.block.args if isinstance(a.type, PointerType)]

    def verify_(self) -> None:
        if len(self.body.block.args) != len(self.pointers) + len(self.sizes.data):
            raise VerifyException("arguments must be the pointers, then one integer for each named size")
        read = {op.pointer for op in self.walk() if isinstance(op, LoadOp)}
        written = {op.pointer for op in self.walk() if isinstance(op, StoreOp)}
        if read & written:
            raise VerifyException("a pointer is both read and written: loads could not be merged or moved")

    @classmethod
    def parse(cls, parser: Parser) -> KernelOp:
        name = parser.parse_symbol_name()
        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
        parser.parse_keyword("grid")
        grid = IndexReader(parser).bracketed_list().data[0]
        parser.parse_keyword("sizes")
        sizes = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_str_literal)
        parser.parse_keyword("num_warps")
        warps = parser.parse_integer()
        parser.parse_keyword("num_stages")
        stages = parser.parse_integer()
        why = parser.parse_str_literal() if parser.parse_optional_keyword("schedule") else None
        op = cls(name.data, grid.data, sizes, warps, stages, parser.parse_region(arguments))
        op.schedule = None if why is None else StringAttr(why)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        with printer.in_parens():
            printer.print_list(self.body.block.args, printer.print_block_argument)
        printer.print_string(f" grid [{self.grid.data}] sizes [")
        printer.print_list(self.sizes.data, lambda s: printer.print_string_literal(s.data))
        printer.print_string(f"] num_warps {self.warps.value.data} num_stages {self.stages.value.data}")
        if self.schedule is not None:
            printer.print_string(" schedule ")
            printer.print_string_literal(self.schedule.data)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_block_terminators=False)


@irdl_op_definition
class ProgramIdOp(IRDLOperation):
    """The number of this program in the grid."""

    name = "mlc_triton.program_id"
    result = result_def(IntegerType)
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, type_: Attribute):
        super().__init__(result_types=[type_])


@irdl_op_definition
class ArangeOp(IRDLOperation):
    """0, 1, ... along the one dimension of the block that is not 1."""

    name = "mlc_triton.arange"
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, shape: Sequence[int], element: Attribute):
        super().__init__(result_types=[block_type(shape, element)])


@irdl_op_definition
class IndexOp(IRDLOperation):
    """An index expression over integers and blocks of them: `mlc_triton.index [%p * 4 + %i] : tensor<4xi32>`."""

    name = "mlc_triton.index"
    operands_ = var_operand_def()
    index = prop_def(ArrayAttr[StringAttr])
    result = result_def()
    traits = traits_def(Pure())

    def __init__(self, operands: Sequence[SSAValue], index: ArrayAttr[StringAttr], type_: Attribute):
        super().__init__(operands=[list(operands)], properties={"index": index}, result_types=[type_])

    @classmethod
    def parse(cls, parser: Parser) -> IndexOp:
        reader = IndexReader(parser)
        index = reader.bracketed_list()
        parser.parse_punctuation(":")
        types, result = _parse_types(parser)
        return cls(parser.resolve_operands(reader.operands, types, parser.pos), index, result)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_indices(printer, self.index, self.operands_)
        _print_types(printer, self.operands_, self.result.type)


@irdl_op_definition
class MaskOp(IRDLOperation):
    """True where every index is below its bound: `mlc_triton.mask %p < 40, %r < N : (...) -> tensor<4x64xi1>`."""

    name = "mlc_triton.mask"
    indices = var_operand_def()
    bounds = var_operand_def()
    limits = prop_def(ArrayAttr[StringAttr])
    """One bound an index, an expression whose d0, d1, ... are `bounds`."""
    result = result_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())

    def __init__(
        self,
        indices: Sequence[SSAValue],
        limits: ArrayAttr[StringAttr],
        bounds: Sequence[SSAValue],
        type_: Attribute,
    ):
        super().__init__(operands=[list(indices), list(bounds)], properties={"limits": limits}, result_types=[type_])

    @classmethod
    def parse(cls, parser: Parser) -> MaskOp:
        reader = IndexReader(parser)
        indices: list[Any] = []
        limits: list[StringAttr] = []

        def bound() -> None:
            indices.append(parser.parse_unresolved_operand())
            parser.parse_punctuation("<")
            limits.append(StringAttr(str(reader.expression())))

        parser.parse_comma_separated_list(parser.Delimiter.NONE, bound)
        parser.parse_punctuation(":")
        types, result = _parse_types(parser)
        count = len(indices)
        return cls(
            parser.resolve_operands(indices, types[:count], parser.pos),
            ArrayAttr(limits),
            parser.resolve_operands(reader.operands, types[count:], parser.pos),
            result,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")

        def bound(pair: tuple[SSAValue, StringAttr]) -> None:
            printer.print_ssa_value(pair[0])
            printer.print_string(" < ")
            print_index(printer, pair[1].data, self.bounds)

        printer.print_list(list(zip(self.indices, self.limits.data, strict=True)), bound)
        _print_types(printer, self.operands, self.result.type)


@irdl_op_definition
class LoadOp(IRDLOperation):
    """Reads pointer[index]; where the mask is false nothing is read and the value is 0.

    `evict` is Triton's eviction policy: "first" for what is read once, "last" for what is read again.
    """

    name = "mlc_triton.load"
    pointer = operand_def(PointerType)
    indices = var_operand_def()
    mask = opt_operand_def()
    index = prop_def(ArrayAttr[StringAttr])
    evict = opt_prop_def(StringAttr)
    result = result_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())

    def __init__(
        self,
        pointer: SSAValue,
        indices: Sequence[SSAValue],
        index: ArrayAttr[StringAttr],
        mask: SSAValue | None,
        type_: Attribute,
    ):
        super().__init__(
            operands=[pointer, list(indices), mask], properties={"index": index}, result_types=[type_]
        )

    def verify_(self) -> None:
        assert isinstance(self.pointer.type, PointerType)
        if storage(self.pointer.type.element) != block_element(self.result.type):
            raise VerifyException(f"reads {self.result.type} through {self.pointer.type}")

    @classmethod
    def parse(cls, parser: Parser) -> LoadOp:
        pointer = parser.parse_unresolved_operand()
        reader = IndexReader(parser)
        index = reader.bracketed_list()
        mask = [parser.parse_unresolved_operand()] if parser.parse_optional_keyword("mask") else []
        evict = parser.parse_str_literal() if parser.parse_optional_keyword("evict") else None
        parser.parse_punctuation(":")
        types, result = _parse_types(parser)
        values = parser.resolve_operands([pointer, *reader.operands, *mask], types, parser.pos)
        op = cls(values[0], values[1 : 1 + len(reader.operands)], index, values[-1] if mask else None, result)
        op.evict = None if evict is None else StringAttr(evict)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.pointer)
        print_indices(printer, self.index, self.indices)
        if self.mask is not None:
            printer.print_string(" mask ")
            printer.print_operand(self.mask)
        if self.evict is not None:
            printer.print_string(" evict ")
            printer.print_string_literal(self.evict.data)
        _print_types(printer, self.operands, self.result.type)


@irdl_op_definition
class StoreOp(IRDLOperation):
    """Writes pointer[index] where the mask is true."""

    name = "mlc_triton.store"
    pointer = operand_def(PointerType)
    value = operand_def()
    indices = var_operand_def()
    mask = opt_operand_def()
    index = prop_def(ArrayAttr[StringAttr])
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self,
        pointer: SSAValue,
        value: SSAValue,
        indices: Sequence[SSAValue],
        index: ArrayAttr[StringAttr],
        mask: SSAValue | None,
    ):
        super().__init__(operands=[pointer, value, list(indices), mask], properties={"index": index})

    @classmethod
    def parse(cls, parser: Parser) -> StoreOp:
        pointer = parser.parse_unresolved_operand()
        reader = IndexReader(parser)
        index = reader.bracketed_list()
        parser.parse_punctuation("=")
        value = parser.parse_unresolved_operand()
        mask = [parser.parse_unresolved_operand()] if parser.parse_optional_keyword("mask") else []
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        values = parser.resolve_operands([pointer, value, *reader.operands, *mask], types, parser.pos)
        return cls(values[0], values[1], values[2 : 2 + len(reader.operands)], index, values[-1] if mask else None)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.pointer)
        print_indices(printer, self.index, self.indices)
        printer.print_string(" = ")
        printer.print_operand(self.value)
        if self.mask is not None:
            printer.print_string(" mask ")
            printer.print_operand(self.mask)
        printer.print_string(" : ")
        with printer.in_parens():
            printer.print_list([v.type for v in self.operands], printer.print_attribute)


@irdl_op_definition
class FullOp(IRDLOperation):
    """One value in every place of a block."""

    name = "mlc_triton.full"
    value = prop_def(IntegerAttr | FloatAttr)
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$value attr-dict `:` type($result)"

    def __init__(self, value: Attribute, type_: Attribute):
        super().__init__(properties={"value": value}, result_types=[type_])


@irdl_op_definition
class BroadcastOp(IRDLOperation):
    """A scalar, or a block with sizes 1, repeated to a block."""

    name = "mlc_triton.broadcast"
    input = operand_def()
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, type_: Attribute):
        super().__init__(operands=[input], result_types=[type_])


@irdl_op_definition
class CastOp(IRDLOperation):
    """Each element in another type; `unsigned` reads the integers of the operand as unsigned."""

    name = "mlc_triton.cast"
    input = operand_def()
    unsigned = opt_prop_def(UnitAttr)
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "(`unsigned` $unsigned^)? $input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, type_: Attribute, unsigned: bool = False):
        properties = {"unsigned": UnitAttr() if unsigned else None}
        super().__init__(operands=[input], properties=properties, result_types=[type_])


@irdl_op_definition
class CompareOp(IRDLOperation):
    """lt, le, gt, ge, eq, ne of two blocks; false where an operand is NaN, save ne."""

    name = "mlc_triton.cmp"
    predicate = prop_def(StringAttr)
    lhs = operand_def()
    rhs = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$predicate $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)"

    def __init__(self, predicate: str, lhs: SSAValue, rhs: SSAValue):
        super().__init__(
            operands=[lhs, rhs],
            properties={"predicate": StringAttr(predicate)},
            result_types=[block_type(block_shape(lhs.type), i1)],
        )


@irdl_op_definition
class WhereOp(IRDLOperation):
    """The second operand where the first is true, else the third."""

    name = "mlc_triton.where"
    condition = operand_def()
    on_true = operand_def()
    on_false = operand_def()
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = (
        "$condition `,` $on_true `,` $on_false attr-dict `:` type($condition) `,` type($on_true) `,`"
        " type($on_false) `->` type($result)"
    )

    def __init__(self, condition: SSAValue, on_true: SSAValue, on_false: SSAValue):
        super().__init__(operands=[condition, on_true, on_false], result_types=[on_true.type])


@irdl_op_definition
class ReduceOp(IRDLOperation):
    """Combines a block along its last dimension, which goes (rank 1) or stays with size 1 (rank 2).

    argmax and argmin take the values and their indices, and give the values' and the indices' winners.
    """

    name = "mlc_triton.reduce"
    kind = prop_def(StringAttr)
    inputs = var_operand_def(TensorType)
    outputs = var_result_def()
    traits = traits_def(Pure())
    assembly_format = "$kind $inputs attr-dict `:` functional-type($inputs, $outputs)"

    def __init__(self, kind: str, inputs: Sequence[SSAValue]):
        shape = block_shape(inputs[0].type)
        reduced = (*shape[:-1], 1) if len(shape) > 1 else ()
        super().__init__(
            operands=[list(inputs)],
            properties={"kind": StringAttr(kind)},
            result_types=[[block_type(reduced, block_element(v.type)) for v in inputs]],
        )


@irdl_op_definition
class LibdeviceOp(IRDLOperation):
    """A call of CUDA's device function `function`."""

    name = "mlc_triton.libdevice"
    function = prop_def(StringAttr)
    inputs = var_operand_def()
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$function $inputs attr-dict `:` type($inputs) `->` type($result)"

    def __init__(self, function: str, inputs: Sequence[SSAValue]):
        super().__init__(
            operands=[list(inputs)], properties={"function": StringAttr(function)}, result_types=[inputs[0].type]
        )


@irdl_op_definition
class YieldOp(IRDLOperation):
    """The values a loop carries into its next iteration."""

    name = "mlc_triton.yield"
    values = var_operand_def()
    traits = traits_def(Pure(), IsTerminator())
    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, values: Sequence[SSAValue]):
        super().__init__(operands=[list(values)])


@irdl_op_definition
class ForOp(IRDLOperation):
    """`for %i in range(0, extent, step)`, carrying values from one iteration to the next."""

    name = "mlc_triton.for"
    initial = var_operand_def()
    bounds = var_operand_def()
    extent = prop_def(StringAttr)
    """An expression whose d0, d1, ... are `bounds`."""
    step = prop_def(IntegerAttr)
    body = region_def("single_block")
    outputs = var_result_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self, initial: Sequence[SSAValue], extent: str, bounds: Sequence[SSAValue], step: int, index: Attribute = i32
    ):
        types = [v.type for v in initial]
        super().__init__(
            operands=[list(initial), list(bounds)],
            properties={"extent": StringAttr(extent), "step": IntegerAttr(step, i64)},
            regions=[Region(Block(arg_types=[index, *types]))],
            result_types=[types],
        )


def _parse_types(parser: Parser) -> tuple[list[Attribute], Attribute]:
    types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    parser.parse_punctuation("->")
    return list(types), parser.parse_type()


def _print_types(printer: Printer, operands: Sequence[SSAValue], result: Attribute) -> None:
    printer.print_string(" : ")
    with printer.in_parens():
        printer.print_list([v.type for v in operands], printer.print_attribute)
    printer.print_string(" -> ")
    printer.print_attribute(result)


MlcTriton = Dialect(
    "mlc_triton",
    [
        KernelOp,
        ProgramIdOp,
        ArangeOp,
        IndexOp,
        MaskOp,
        LoadOp,
        StoreOp,
        FullOp,
        BroadcastOp,
        CastOp,
        CompareOp,
        WhereOp,
        ReduceOp,
        LibdeviceOp,
        ForOp,
        YieldOp,
    ],
    [PointerType],
)
