"""What the types of a function's inputs say: sizes, and the numbers that their names are for given shapes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute

from mlc_dialects.common.buffers import buffer_element, buffer_shape
from mlc_dialects.common.types import Shape, element_type, shape_of
from mlc_support.errors import MlcError
from mlc_support.index_expr import IndexExpr, integer
from mlc_support.index_maps import Line


def sizes_in(type_: Attribute) -> Shape:
    """The sizes of a tensor or of a buffer."""
    return buffer_shape(type_) if isinstance(type_, MemRefType) else shape_of(type_)


def element_in(type_: Attribute) -> Attribute:
    """The element type of a tensor or of a buffer."""
    return buffer_element(type_) if isinstance(type_, MemRefType) else element_type(type_)


def bind_sizes(types: Sequence[Attribute], shapes: Sequence[Sequence[int]]) -> dict[str, int]:
    """The number of each named size, given the shapes that tensors or buffers of `types` have.

    A name standing alone is bound first; then expressions in one unknown, such as `N * 4 + 1`.
    Raises `MlcError` where shapes contradict the types or each other.
    """
    pairs: list[tuple[IndexExpr, int]] = []
    for position, (type_, shape) in enumerate(zip(types, shapes, strict=True)):
        expected = sizes_in(type_)
        if len(expected) != len(shape):
            raise MlcError(f"input {position} has shape {list(shape)}, and its type is {type_}")
        pairs += zip(expected, shape, strict=True)
    sizes: dict[str, int] = {}
    alone_first = sorted(pairs, key=lambda pair: not str(pair[0]).isidentifier())
    for _ in range(len({v for expr, _ in pairs for v in expr.variables()})):
        for expr, size in alone_first:
            _solve(expr, size, sizes)
    for expr, size in pairs:
        if any(v.name not in sizes for v in expr.variables()):
            raise MlcError(f"the size {expr} == {size} does not say what its names are")
        if expr.evaluate(sizes) != size:
            raise MlcError(f"a size is {size} and must be {expr}" + (f" == {expr.evaluate(sizes)}" if sizes else ""))
    return sizes


def _solve(expr: IndexExpr, size: int, sizes: dict[str, int]) -> None:
    """Bind the only unknown of `expr` == `size`, where it stands there as a * N + b."""
    line = Line.of(expr.substitute({n: integer(value) for n, value in sizes.items()}))
    if line is not None and (size - line.rest) % line.factor == 0 and (size - line.rest) // line.factor >= 1:
        sizes[line.name] = (size - line.rest) // line.factor
