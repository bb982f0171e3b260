"""Numbers for named sizes: the same program with static shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, FunctionType, IntegerAttr, ModuleOp, StringAttr, TensorType, i64
from xdsl.ir import Attribute, Operation, SSAValue

from mlc_dialects.common.index_syntax import index_attribute, index_exprs
from mlc_dialects.common.types import shape_of, with_shape
from mlc_dialects.tensor.calls import SizeAttr
from mlc_dialects.tensor.ops import SizeOp
from mlc_dialects.tensor.views import RollOp, SliceOp
from mlc_support.errors import MlcError
from mlc_support.index_expr import IndexExpr, integer
from mlc_support.walks import walk


def bind_sizes(module: ModuleOp, sizes: Mapping[str, int]) -> None:
    """Puts numbers for the names in every type, slice and size of `module`; names that are not given stay.

    MlcError for a name that no argument of a function has.
    """
    values = {name: integer(number) for name, number in sizes.items()}
    _check(module, values)
    for op in walk(module):
        for value in _defined(op):
            _retype(value, values)
        match op:
            case SliceOp() | RollOp():
                op.properties["starts"] = index_attribute([e.substitute(values) for e in index_exprs(op.starts)])
            case SizeOp():
                op.properties["expression"] = StringAttr(str(op.expr.substitute(values)))
            case func.FuncOp():
                op.properties["function_type"] = _bound_signature(op.function_type, values)
            case _:
                pass
        for key, attribute in op.properties.items():
            op.properties[key] = _in_arguments(attribute, values)


def _defined(op: Operation) -> Iterator[SSAValue]:
    """The results of `op` and the arguments of its blocks."""
    yield from op.results
    for region in op.regions:
        for block in region.blocks:
            yield from block.args


def _bound_signature(type_: FunctionType, values: Mapping[str, IndexExpr]) -> FunctionType:
    inputs, outputs = ([_bound(t, values) for t in types] for types in (type_.inputs, type_.outputs))
    return FunctionType.from_lists(inputs, outputs)


def _check(module: ModuleOp, values: Mapping[str, IndexExpr]) -> None:
    known: set[str] = set()
    for op in module.ops:
        if isinstance(op, func.FuncOp):
            known |= {str(s) for t in op.function_type.inputs if isinstance(t, TensorType) for s in shape_of(t)}
    names = sorted(n for n in known if n.isidentifier())
    for name in values:
        if name not in names:
            raise MlcError(f"no size is named {name!r}", None, f"the inputs name {', '.join(names) or 'none'}")


def _bound(type_: Attribute, values: Mapping[str, IndexExpr]) -> Attribute:
    if not isinstance(type_, TensorType):
        return type_
    return with_shape(type_, [size.substitute(values) for size in shape_of(type_)])


def _retype(value: SSAValue, values: Mapping[str, IndexExpr]) -> None:
    value._type = _bound(value.type, values)  # pyright: ignore[reportPrivateUsage]


def _in_arguments(attribute: Attribute, values: Mapping[str, IndexExpr]) -> Attribute:
    """Sizes in the argument list of a call; one that is a number now is written as one."""
    if isinstance(attribute, ArrayAttr):
        return ArrayAttr([_in_arguments(a, values) for a in attribute.data])
    if not isinstance(attribute, SizeAttr):
        return attribute
    (expression,) = index_exprs(ArrayAttr([attribute.expression]))
    bound = expression.substitute(values)
    if bound.constant is not None:
        return IntegerAttr(bound.constant, i64)
    return SizeAttr(StringAttr(str(bound)))
