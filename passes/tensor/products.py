"""Products of matrices as passes see them: ops, and calls of PyTorch's library that add something on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.annotations import OPERAND_STRIDES, STRIDES
from mlc_dialects.common.index_syntax import index_attribute
from mlc_dialects.common.types import Shape, byte_size, element_type, shape_of, with_shape
from mlc_dialects.tensor.calls import ExternOp, OperandAttr
from mlc_dialects.tensor.ops import MatmulOp
from mlc_support.index_expr import IndexExpr
from passes.common.device import WIDEST_BYTES
from passes.tensor.strides import strides_of

_ADDED = ("aten.addmm.default", "aten.baddbmm.default")
"""addend + lhs @ rhs, rounded once."""


@dataclass(frozen=True)
class Product:
    """lhs [.., m, k] @ rhs [.., k, n], and what the library adds on the way: `addend` of [n], [.., m, n] or ones."""

    op: MatmulOp | ExternOp
    lhs: SSAValue
    rhs: SSAValue
    addend: SSAValue | None = None

    @staticmethod
    def of(op: Operation) -> Product | None:
        """The product that `op` is."""
        if isinstance(op, MatmulOp):
            return Product(op, op.lhs, op.rhs)
        if not isinstance(op, ExternOp) or op.callee.data not in _ADDED or STRIDES in op.attributes:
            return None
        places = op.argument_list()
        values = [op.inputs[p.index] for p in places if isinstance(p, OperandAttr)]
        return Product(op, values[1], values[2], values[0]) if len(values) == len(places) == 3 else None

    @property
    def result(self) -> SSAValue:
        return self.op.results[0]

    @property
    def operands(self) -> list[tuple[SSAValue, str]]:
        """The operands, and the names of their last dimensions."""
        added = [] if self.addend is None else [(self.addend, "mn"[max(0, 2 - len(shape_of(self.addend.type))) :])]
        return [(self.lhs, "mk"), (self.rhs, "kn"), *added]

    def grown(self, value: SSAValue, dims: str, lengths: Mapping[str, IndexExpr]) -> Shape:
        """The shape of an operand where its dimensions grow; what is broadcast stays."""
        shape = shape_of(value.type)
        front, last = shape[: -len(dims)], shape[-len(dims) :]
        sizes = (size if size.constant == 1 else lengths.get(d, size) for d, size in zip(dims, last, strict=True))
        return (*front, *sizes)

    def of_operands(self, operands: Sequence[SSAValue]) -> MatmulOp | ExternOp:
        """The same of other operands."""
        if isinstance(self.op, MatmulOp):
            return MatmulOp(*operands)
        lhs, rhs, addend = operands
        inputs = [addend, lhs, rhs]
        shape = (*shape_of(lhs.type)[:-1], shape_of(rhs.type)[-1])
        places = [OperandAttr(StringAttr(str(k))) for k in range(len(inputs))]
        keywords = dict(self.op.keywords.data) if self.op.keywords is not None else None
        call = ExternOp(self.op.callee.data, inputs, [with_shape(self.result.type, shape)], places, keywords)
        call.attributes |= self.op.attributes
        call.attributes[OPERAND_STRIDES] = ArrayAttr([index_attribute(strides_of(v)) for v in inputs])
        return call


def rows_of(value: SSAValue) -> tuple[int, IndexExpr]:
    """The dimension that rows of memory run along, and how many elements one row is from the next."""
    *_, first, second = strides_of(value)
    last = len(shape_of(value.type)) - 1
    return (last - 1, second) if first.constant == 1 and second.constant != 1 else (last, first)


def is_unaligned(value: SSAValue) -> bool:
    """True if rows of memory do not begin at multiples of a vector, as far as is known."""
    _, row = rows_of(value)
    return bool((row.constant or 0) % (WIDEST_BYTES // byte_size(element_type(value.type))))
