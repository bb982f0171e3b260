"""How ops are built of which passes make thousands, and what the verifiers of tensor ops share.

IRDL's own way takes three times as long: `IRDLOperation.__init__` sorts operands into the groups of the definition, and
looks at each again. An op whose signature says what goes where needs none of that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, i32, i64
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.irdl import AttrSizedOperandSegments
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.common.types import Shape, shape_of


def value_of(given: SSAValue | Operation) -> SSAValue:
    """The value, or the result of an op that has one. ValueError for other ops."""
    # Asked of every operand: an exact class is quick to tell, an abstract one slow.
    if type(given) is OpResult or not isinstance(given, Operation):
        return given
    if len(given.results) != 1:
        raise ValueError(f"{given.name} has {len(given.results)} results: say which is meant")
    return given.results[0]


def build(
    op: Operation,
    operands: Sequence[SSAValue],
    result: Attribute,
    properties: Mapping[str, Attribute] | None = None,
) -> None:
    """Fills `op`, from its own `__init__`, with its operands in order and one result."""
    Operation.__init__(op, operands=operands, result_types=(result,), properties=properties or {})


def build_in_groups(
    op: Operation,
    groups: Sequence[Sequence[SSAValue]],
    results: Sequence[Attribute],
    properties: Mapping[str, Attribute],
) -> None:
    """Fills `op`, which keeps the sizes of its groups of operands as a property: 0 for an operand that is absent."""
    sizes = _segment_sizes(tuple(map(len, groups)))
    operands = [operand for group in groups for operand in group]
    named = {**properties, AttrSizedOperandSegments.attribute_name: sizes}
    Operation.__init__(op, operands=operands, result_types=results, properties=named)


@lru_cache(maxsize=1024)
def _segment_sizes(sizes: tuple[int, ...]) -> DenseArrayBase[IntegerType]:
    return DenseArrayBase.from_list(i32, sizes)


def checked_shape(type_: Attribute) -> Shape:
    """The shape of a tensor type; VerifyException says what is wrong with it."""
    try:
        return shape_of(type_)
    except ValueError as error:
        raise VerifyException(str(error)) from error


def integers(numbers: Sequence[int]) -> DenseArrayBase[IntegerType]:
    """The attribute that holds dimensions, steps or paddings."""
    return _integers(tuple(numbers))


@lru_cache(maxsize=1024)
def _integers(numbers: tuple[int, ...]) -> DenseArrayBase[IntegerType]:
    return DenseArrayBase.from_list(i64, list(numbers))
