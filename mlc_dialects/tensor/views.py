"""Ops of `mlc_tensor` that only move elements: each says where a result's element comes from."""

from __future__ import annotations

import abc
from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, IntegerType, StringAttr, i64
from xdsl.ir import Attribute, Operation, SSAValue, TypedAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.common.assembly import parse_conversion, parse_integers, parse_types, print_conversion, print_types
from mlc_dialects.common.index_syntax import IndexReader, index_attribute, index_exprs, print_indices, verify_indices
from mlc_dialects.common.op_building import build, checked_shape, integers, value_of
from mlc_dialects.common.types import Shape, element_type, shape_of, storage, with_shape
from mlc_support.index_expr import IndexExpr, integer, product
from mlc_support.index_maps import blocks_of_reshape, delinearize, linearize

Index = tuple[IndexExpr, ...]


def viewed(value: SSAValue) -> SSAValue:
    """What a view, or a view of a view, looks at; other values as they are."""
    while isinstance(value.owner, ViewOp):
        value = value.owner.input
    return value


class ViewOp(IRDLOperation, abc.ABC):
    """result[index] = input[source_index(index)]"""

    input = operand_def()
    result = result_def()
    traits = traits_def(Pure())

    @abc.abstractmethod
    def source_index(self, index: Sequence[IndexExpr]) -> Index:
        """The element of the input that lands at `index` of the result."""

    @property
    def shape(self) -> Shape:
        return shape_of(self.results[0].type)

    @property
    def input_shape(self) -> Shape:
        return shape_of(self.operands[0].type)

    def verify_(self) -> None:
        source, target = checked_shape(self.input.type), checked_shape(self.result.type)
        if element_type(self.input.type) != element_type(self.result.type):
            raise VerifyException(f"changes the element type: {self.input.type} to {self.result.type}")
        self.verify_shape(source, target)

    @abc.abstractmethod
    def verify_shape(self, source: Shape, target: Shape) -> None:
        """VerifyException unless `target` is what the op makes of `source`."""

    @classmethod
    def parse(cls, parser: Parser) -> ViewOp:
        operand = parser.parse_unresolved_operand()
        properties = cls.parse_parameters(parser)
        value, target, attributes = parse_conversion(parser, operand)
        return cls.create(operands=[value], result_types=[target], properties=properties, attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.input)
        self.print_parameters(printer)
        print_conversion(printer, self)

    @classmethod
    def parse_parameters(cls, parser: Parser) -> dict[str, Attribute]:
        return {}

    def print_parameters(self, printer: Printer) -> None:
        return None


@irdl_op_definition
class BroadcastOp(ViewOp):
    """Repeats dimensions of size 1, and adds dimensions in front: shapes align at the right."""

    name = "mlc_tensor.broadcast"

    def __init__(self, input: SSAValue | Operation, shape: Sequence[IndexExpr | int]):
        value = value_of(input)
        build(self, [value], with_shape(value.type, shape))

    def source_index(self, index: Sequence[IndexExpr]) -> Index:
        source, target = self.input_shape, self.shape
        kept = index[len(target) - len(source) :]
        ones = [s.constant == 1 for s in source]
        return tuple(integer(0) if one else i for one, i in zip(ones, kept, strict=True))

    def verify_shape(self, source: Shape, target: Shape) -> None:
        aligned = target[len(target) - len(source) :] if len(target) >= len(source) else None
        if aligned is None or any(s.constant != 1 and s != t for s, t in zip(source, aligned, strict=True)):
            raise VerifyException(
                f"cannot broadcast {self.input.type} to {self.result.type}: "
                "sizes must agree from the right, or be 1 in the operand"
            )


@irdl_op_definition
class ReshapeOp(ViewOp):
    """The same elements in row-major order under another shape."""

    name = "mlc_tensor.reshape"

    def __init__(self, input: SSAValue | Operation, shape: Sequence[IndexExpr | int]):
        value = value_of(input)
        build(self, [value], with_shape(value.type, shape))

    def source_index(self, index: Sequence[IndexExpr]) -> Index:
        found: list[IndexExpr] = []
        # Blocks stay apart: an index that is too large, behind a mask, carries nothing into another.
        for source, target, at in blocks_of_reshape(self.input_shape, self.shape):
            found += delinearize(linearize(tuple(index[at : at + len(target)]), target), source)
        return tuple(found)

    def verify_shape(self, source: Shape, target: Shape) -> None:
        if product(source) != product(target):
            raise VerifyException(
                f"{self.input.type} has {product(source)} elements and {self.result.type} has {product(target)}"
            )


@irdl_op_definition
class PermuteOp(ViewOp):
    """Dimension d of the result is dimension dims[d] of the input."""

    name = "mlc_tensor.permute"
    dims = prop_def(DenseArrayBase[IntegerType])

    def __init__(self, input: SSAValue | Operation, dims: Sequence[int]):
        value = value_of(input)
        shape = shape_of(value.type)
        build(self, [value], with_shape(value.type, [shape[d] for d in dims]), {"dims": integers(dims)})

    @property
    def order(self) -> tuple[int, ...]:
        return self.dims.get_values()

    def source_index(self, index: Sequence[IndexExpr]) -> Index:
        source = [integer(0)] * len(index)
        for position, dim in enumerate(self.order):
            source[dim] = index[position]
        return tuple(source)

    def verify_shape(self, source: Shape, target: Shape) -> None:
        if sorted(self.order) != list(range(len(source))):
            raise VerifyException(f"{list(self.order)} does not order the {len(source)} dimensions of the input")
        if target != tuple(source[d] for d in self.order):
            raise VerifyException(f"permuting {self.input.type} by {list(self.order)} does not give {self.result.type}")

    @classmethod
    def parse_parameters(cls, parser: Parser) -> dict[str, Attribute]:
        return {"dims": parse_integers(parser)}

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f" {list(self.order)}")


@irdl_op_definition
class SliceOp(ViewOp):
    """result[i] = input[start + i * step] in every dimension; a negative step walks backwards."""

    name = "mlc_tensor.slice"
    starts = prop_def(ArrayAttr[StringAttr])
    steps = prop_def(DenseArrayBase[IntegerType])

    def __init__(
        self,
        input: SSAValue | Operation,
        starts: Sequence[IndexExpr | int],
        steps: Sequence[int],
        shape: Sequence[IndexExpr | int],
    ):
        value = value_of(input)
        build(
            self,
            [value],
            with_shape(value.type, shape),
            {"starts": index_attribute(starts), "steps": integers(steps)},
        )

    @property
    def strides(self) -> tuple[int, ...]:
        return self.steps.get_values()

    def source_index(self, index: Sequence[IndexExpr]) -> Index:
        starts = index_exprs(self.starts)
        return tuple(s + i * step for s, i, step in zip(starts, index, self.strides, strict=True))

    def verify_shape(self, source: Shape, target: Shape) -> None:
        starts, steps = verify_indices(self.starts, 0), self.strides
        if not len(source) == len(target) == len(starts) == len(steps):
            raise VerifyException("needs one start, one step and one size a dimension")
        for dim, (size, start, step, count) in enumerate(zip(source, starts, steps, target, strict=True)):
            last = start + (count - 1) * step
            if step == 0 or any(_provably_outside(i, size) for i in (start, last) if count.constant != 0):
                raise VerifyException(f"dimension {dim}: {count} elements from {start} by {step} leave the size {size}")

    @classmethod
    def parse_parameters(cls, parser: Parser) -> dict[str, Attribute]:
        starts = IndexReader(parser, sizes=True).bracketed_list()
        parser.parse_keyword("step")
        return {"starts": starts, "steps": parse_integers(parser)}

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_indices(printer, self.starts, ())
        printer.print_string(f" step {list(self.strides)}")


@irdl_op_definition
class RollOp(ViewOp):
    """result[i] = input[(start + i) mod size] in every dimension: torch.roll by -start, or by size - start."""

    name = "mlc_tensor.roll"
    starts = prop_def(ArrayAttr[StringAttr])

    def __init__(self, input: SSAValue | Operation, starts: Sequence[IndexExpr | int]):
        value = value_of(input)
        build(self, [value], value.type, {"starts": index_attribute(starts)})

    def source_index(self, index: Sequence[IndexExpr]) -> Index:
        places = zip(index_exprs(self.starts), index, self.shape, strict=True)
        return tuple(i if start.constant == 0 else (start + i) % size for start, i, size in places)

    def verify_shape(self, source: Shape, target: Shape) -> None:
        starts = verify_indices(self.starts, 0)
        if source != target or len(starts) != len(source):
            raise VerifyException("needs one start a dimension and keeps the shape")
        for dim, (start, size) in enumerate(zip(starts, source, strict=True)):
            if start.constant != 0 and _provably_outside(start, size):
                raise VerifyException(f"dimension {dim}: the start {start} is outside the size {size}")

    @classmethod
    def parse_parameters(cls, parser: Parser) -> dict[str, Attribute]:
        return {"starts": IndexReader(parser, sizes=True).bracketed_list()}

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_indices(printer, self.starts, ())


@irdl_op_definition
class PadOp(ViewOp):
    """`value` around the input: low[d] elements before dimension d, and what the result's size leaves after."""

    name = "mlc_tensor.pad"
    low = prop_def(DenseArrayBase[IntegerType])
    value = prop_def(Attribute)

    def __init__(
        self,
        input: SSAValue | Operation,
        low: Sequence[int],
        shape: Sequence[IndexExpr | int],
        value: Attribute,
    ):
        operand = value_of(input)
        build(self, [operand], with_shape(operand.type, shape), {"low": integers(low), "value": value})

    @property
    def lows(self) -> tuple[int, ...]:
        return self.low.get_values()

    def source_index(self, index: Sequence[IndexExpr]) -> Index:
        """May lie outside the input: there the result is `value`."""
        return tuple(i - low for i, low in zip(index, self.lows, strict=True))

    def verify_shape(self, source: Shape, target: Shape) -> None:
        if not len(source) == len(target) == len(self.lows):
            raise VerifyException("needs one low padding and one size a dimension")
        if not isinstance(self.value, TypedAttribute) or self.value.get_type() != storage(
            element_type(self.input.type)
        ):
            raise VerifyException(f"fills {element_type(self.input.type)} with {self.value}")
        for dim, (size, low, padded) in enumerate(zip(source, self.lows, target, strict=True)):
            high = padded - size - low
            if low < 0 or (high.constant is not None and high.constant < 0):
                raise VerifyException(f"dimension {dim}: padding is negative ({low} before, {high} after); use slice")

    @classmethod
    def parse_parameters(cls, parser: Parser) -> dict[str, Attribute]:
        parser.parse_keyword("low")
        low = parse_integers(parser)
        parser.parse_keyword("value")
        return {"low": low, "value": parser.parse_attribute()}

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f" low {list(self.lows)} value ")
        printer.print_attribute(self.value)


@irdl_op_definition
class CatOp(IRDLOperation):
    """The inputs one after the other along `dim`."""

    name = "mlc_tensor.cat"
    inputs = var_operand_def()
    dim = prop_def(IntegerAttr)
    result = result_def()
    traits = traits_def(Pure())

    def __init__(self, inputs: Sequence[SSAValue | Operation], dim: int):
        values = [value_of(i) for i in inputs]
        shape = list(shape_of(values[0].type))
        for value in values[1:]:
            shape[dim] = shape[dim] + shape_of(value.type)[dim]
        build(self, values, with_shape(values[0].type, shape), {"dim": IntegerAttr(dim, i64)})

    @property
    def axis(self) -> int:
        return self.dim.value.data

    @property
    def is_stack(self) -> bool:
        """True if each input has one element along `dim`."""
        return all(shape_of(value.type)[self.axis].constant == 1 for value in self.inputs)

    def offsets(self) -> list[IndexExpr]:
        """Where each input begins along `dim`, and where the last ends."""
        ends = [integer(0)]
        for value in self.inputs:
            ends.append(ends[-1] + shape_of(value.type)[self.axis])
        return ends

    def verify_(self) -> None:
        target = checked_shape(self.result.type)
        if not self.inputs or not 0 <= self.axis < len(target):
            raise VerifyException("needs an input and a dimension of it")
        for value in self.inputs:
            source = checked_shape(value.type)
            same = [s == t for s, t in zip(source, target, strict=True)] if len(source) == len(target) else [False]
            if not all(same[: self.axis] + same[self.axis + 1 :]) or len(source) != len(target):
                raise VerifyException(f"{value.type} does not fit {self.result.type} outside dimension {self.axis}")
            if element_type(value.type) != element_type(self.result.type):
                raise VerifyException(f"{value.type} and {self.result.type} differ in element type")
        if self.offsets()[-1] != target[self.axis]:
            raise VerifyException(
                f"the inputs fill {self.offsets()[-1]} of {target[self.axis]} along dimension {self.axis}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> CatOp:
        operands = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        parser.parse_keyword("dim")
        dim = parser.parse_integer()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        types = parse_types(parser)
        parser.parse_punctuation("->")
        target = parser.parse_type()
        values = parser.resolve_operands(operands, types, position)
        properties = {"dim": IntegerAttr(dim, i64)}
        return cls.create(operands=values, result_types=[target], properties=properties, attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.inputs, printer.print_ssa_value)
        printer.print_string(f" dim {self.axis}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        print_types(printer, self.inputs)
        printer.print_string(" -> ")
        printer.print_attribute(self.result.type)


def _provably_outside(index: IndexExpr, size: IndexExpr) -> bool:
    below = index.constant is not None and index.constant < 0
    beyond = (index - size).constant
    return below or (beyond is not None and beyond >= 0)


VIEWS = (BroadcastOp, ReshapeOp, PermuteOp, SliceOp, RollOp, PadOp, CatOp)
