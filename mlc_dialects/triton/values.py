"""Ops of `mlc_triton` that create and convert scalars and blocks, and combine their lanes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    Float32Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    UnitAttr,
    f32,
    i1,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import (
    Pure,
)
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.common.libdevice import verify_function
from mlc_dialects.triton.types import block_element, block_shape, block_type

PREDICATES = ("eq", "ne", "lt", "le", "gt", "ge")
KINDS = ("add", "mul", "max", "min", "and", "or")


@irdl_op_definition
class ProgramIdOp(IRDLOperation):
    """The index of this program along an axis of the launch grid."""

    name = "mlc_triton.program_id"
    axis = prop_def(IntegerAttr.constr(i64))
    result = result_def(IntegerType)
    traits = traits_def(Pure())
    assembly_format = "$axis attr-dict `:` type($result)"

    def __init__(self, axis: int, type_: Attribute):
        super().__init__(properties={"axis": IntegerAttr(axis, i64)}, result_types=[type_])


@irdl_op_definition
class ArangeOp(IRDLOperation):
    """0, 1, ... along the one dimension of the block that is larger than 1."""

    name = "mlc_triton.arange"
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, shape: Sequence[int], element: Attribute):
        super().__init__(result_types=[block_type(shape, element)])

    def verify_(self) -> None:
        shape = block_shape(self.result.type)
        if any(size & (size - 1) or size < 1 for size in shape):
            raise VerifyException(f"sizes of a block must be powers of two, not {self.result.type}")
        if sum(size > 1 for size in shape) > 1:
            raise VerifyException(f"only one dimension may be larger than 1: {self.result.type}")


@irdl_op_definition
class FullOp(IRDLOperation):
    """A constant scalar, or a block filled with one."""

    name = "mlc_triton.full"
    value = prop_def(IntegerAttr | FloatAttr)
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$value attr-dict `:` type($result)"

    def __init__(self, value: Attribute, type_: Attribute):
        super().__init__(properties={"value": value}, result_types=[type_])


@irdl_op_definition
class BroadcastOp(IRDLOperation):
    """A scalar, or a block with dimensions of size 1, repeated to a larger block."""

    name = "mlc_triton.broadcast"
    input = operand_def()
    result = result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: SSAValue, type_: Attribute):
        super().__init__(operands=[input], result_types=[type_])

    def verify_(self) -> None:
        source, target = block_shape(self.input.type), block_shape(self.result.type)
        fits = not source or len(source) == len(target)
        alike = block_element(self.input.type) == block_element(self.result.type)
        if not alike or not fits or any(s not in (1, t) for s, t in zip(source, target, strict=False)):
            raise VerifyException(f"cannot broadcast {self.input.type} to {self.result.type}")


@irdl_op_definition
class CastOp(IRDLOperation):
    """Conversion to another element type; `unsigned` reads integer operands as unsigned."""

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
class RoundedOp(IRDLOperation):
    """Each float32 of a block rounded to the nearest bfloat16, as a float32."""

    name = "mlc_triton.rounded"
    T: ClassVar = VarConstraint("T", base(TensorType[Float32Type]))
    input = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input)"

    def __init__(self, input: SSAValue):
        super().__init__(operands=[input], result_types=[input.type])


@irdl_op_definition
class QuotientOp(IRDLOperation):
    """A float32 block divided by a number, or by a block that is broadcast to it: rounded to nearest."""

    name = "mlc_triton.quotient"
    T: ClassVar = VarConstraint("T", base(TensorType[Float32Type]))
    input = operand_def(T)
    divisor = operand_def()
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$input `by` $divisor attr-dict `:` type($input) `,` type($divisor)"

    def __init__(self, input: SSAValue, divisor: SSAValue):
        super().__init__(operands=[input, divisor], result_types=[input.type])

    def verify_(self) -> None:
        shape, divisor = block_shape(self.input.type), block_shape(self.divisor.type)
        fits = not divisor or (
            len(divisor) == len(shape) and all(d in (1, n) for d, n in zip(divisor, shape, strict=True))
        )
        if block_element(self.divisor.type) != f32 or not fits:
            raise VerifyException(f"cannot divide {self.input.type} by {self.divisor.type}")


@irdl_op_definition
class CompareOp(IRDLOperation):
    """lt, le, gt, ge, eq or ne of two blocks. With NaN, ne is true and all others are false."""

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

    def verify_(self) -> None:
        if self.predicate.data not in PREDICATES:
            raise VerifyException(f'no predicate "{self.predicate.data}": use one of {", ".join(PREDICATES)}')
        if self.lhs.type != self.rhs.type:
            raise VerifyException(f"cannot compare {self.lhs.type} with {self.rhs.type}")
        if self.result.type != block_type(block_shape(self.lhs.type), i1):
            raise VerifyException(
                f"the result must be {block_type(block_shape(self.lhs.type), i1)}, not {self.result.type}"
            )


@irdl_op_definition
class WhereOp(IRDLOperation):
    """`on_true` where the condition is true, else `on_false`."""

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

    def verify_(self) -> None:
        truth = block_type(block_shape(self.result.type), i1)
        values = {self.on_true.type, self.on_false.type, self.result.type}
        if self.condition.type != truth or len(values) != 1:
            raise VerifyException(
                f"needs a condition of type {truth} and two values of one type, found "
                f"{self.condition.type}, {self.on_true.type} and {self.on_false.type}"
            )


@irdl_op_definition
class ReduceOp(IRDLOperation):
    """Reduces a block along one dimension, the last by default, which vanishes from rank 1 and else keeps size 1."""

    name = "mlc_triton.reduce"
    kind = prop_def(StringAttr)
    axis = opt_prop_def(IntegerAttr)
    input = operand_def(TensorType)
    result = result_def()
    traits = traits_def(Pure())
    assembly_format = "$kind (`axis` $axis^)? $input attr-dict `:` functional-type($input, $result)"

    def __init__(self, kind: str, value: SSAValue, axis: int | None = None):
        super().__init__(
            operands=[value],
            properties={"kind": StringAttr(kind), "axis": None if axis is None else IntegerAttr(axis, i64)},
            result_types=[reduced_type(value.type, axis)],
        )

    @property
    def dimension(self) -> int:
        """The dimension that is reduced."""
        return len(block_shape(self.input.type)) - 1 if self.axis is None else self.axis.value.data

    def verify_(self) -> None:
        if self.kind.data not in KINDS:
            raise VerifyException(f'no reduction "{self.kind.data}": use one of {", ".join(KINDS)}')
        reduced = reduced_type(self.input.type, self.dimension)
        if self.result.type != reduced:
            raise VerifyException(f"the result of reducing {self.input.type} must be {reduced}, not {self.result.type}")


@irdl_op_definition
class LibdeviceOp(IRDLOperation):
    """A call of the CUDA libdevice function `function`, elementwise."""

    name = "mlc_triton.libdevice"
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

    def verify_(self) -> None:
        verify_function(self.function)


def reduced_type(type_: Attribute, axis: int | None) -> Attribute:
    """The type of a block reduced along one dimension, by default the last: a scalar for a block of rank 1."""
    shape = list(block_shape(type_))
    shape[-1 if axis is None else axis] = 1
    return block_type(shape if len(shape) > 1 else (), block_element(type_))


def constant_of(value: SSAValue) -> IntegerAttr | FloatAttr | None:
    """The constant that a scalar, or each element of a block, is, through broadcasts; None if it is not constant."""
    owner = value.owner
    while isinstance(owner, BroadcastOp):
        owner = owner.input.owner
    return owner.value if isinstance(owner, FullOp) else None
