"""Builds StableHLO text line by line, in MLIR's generic form."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.builtin import TensorType, bf16, i1
from xdsl.ir import Attribute

from mlc_dialects.common.reduction_kinds import identity
from mlc_dialects.common.types import (
    BY_TYPE,
    element_type,
    is_bool,
    is_byte_float,
    is_float,
    tensor_type,
    with_element,
)
from mlc_dialects.semantics import byte_floats
from mlc_dialects.semantics.numerics import Value, scalar_value


@dataclass(frozen=True)
class Val:
    """An SSA value of the text."""

    name: str
    type: TensorType[Any]

    @property
    def element(self) -> Attribute:
        """The element type."""
        return element_type(self.type)


@dataclass
class Writer:
    """The lines so far; `source` names the op of ours that the next ones come from."""

    lines: list[str] = field(default_factory=list[str])
    source: str = ""
    _uses: dict[str, int] = field(default_factory=dict[str, int])

    def op(
        self,
        name: str,
        operands: Sequence[Val],
        type_: TensorType[Any] | None = None,
        properties: str = "",
        region: str = "",
        dialect: str = "stablehlo",
    ) -> Val:
        """Writes an op of one result; its type is the first operand's unless told."""
        target = type_ or operands[0].type
        result = self._fresh()
        self._line(result, f"{dialect}.{name}", operands, str(target), properties, region)
        return Val(result, target)

    def several(
        self, name: str, operands: Sequence[Val], types: Sequence[TensorType[Any]], properties: str, region: str
    ) -> list[Val]:
        """Writes an op of two results or more."""
        result = self._fresh()
        text = f"({', '.join(map(str, types))})"
        self._line(f"{result}:{len(types)}", f"stablehlo.{name}", operands, text, properties, region)
        return [Val(f"{result}#{place}", type_) for place, type_ in enumerate(types)]

    def constant(self, literal: str, type_: TensorType[Any]) -> Val:
        """A constant whose elements are written as `literal`."""
        return self.op("constant", [], type_, f"value = dense<{literal}> : {type_}")

    def splat(self, number: float, type_: TensorType[Any]) -> Val:
        """`number` everywhere; it must be exact in decimals."""
        element = element_type(type_)
        text = str(bool(number)).lower() if is_bool(element) else str(number)
        return self.constant(f"{float(number)!r}" if is_float(element) else text, type_)

    def identity(self, kind: str, element: Attribute) -> Val:
        """The scalar that a combination of this kind begins with."""
        return self.constant(literal(scalar_value(identity(kind, element), element)), tensor_type([], element))

    def compare(self, direction: str, a: Val, b: Val) -> Val:
        """a `direction` b: EQ, NE, LT, LE, GT, GE."""
        how = f"comparison_direction = #stablehlo<comparison_direction {direction}>"
        return self.op("compare", [a, b], self.like(a, i1), how)

    def select(self, condition: Val, a: Val, b: Val) -> Val:
        """a where `condition` holds, else b."""
        return self.op("select", [condition, a, b], a.type)

    def like(self, value: Val, element: Attribute) -> TensorType[Any]:
        """The type of `value` with another element."""
        return with_element(value.type, element)

    def _fresh(self) -> str:
        count = self._uses.get(self.source, 0)
        self._uses[self.source] = count + 1
        return f"%{self.source}" if count == 0 else f"%{self.source}.{count}"

    def _line(self, result: str, name: str, operands: Sequence[Val], target: str, properties: str, region: str) -> None:
        names, types = ", ".join(v.name for v in operands), ", ".join(str(v.type) for v in operands)
        stated = f" <{{{properties}}}>" if properties else ""
        body = f" {region}" if region else ""
        self.lines.append(f'{result} = "{name}"({names}){stated}{body} : ({types}) -> {target} loc("{self.source}")')


def body(type_: TensorType[Any], build: Callable[[Writer, Val, Val], Val]) -> str:
    """The region of two scalars of `type_` whose result `build` writes."""
    a, b = Val("%$a", type_), Val("%$b", type_)
    return region([a, b], lambda writer: [build(writer, a, b)])


def region(arguments: Sequence[Val], build: Callable[[Writer], Sequence[Val]]) -> str:
    """The region of `arguments` whose results `build` writes; its names are its own."""
    inner = Writer(source="$c")
    results, place = build(inner), ' loc("$c")'
    lines = "".join(f"      {line.removesuffix(place)}\n" for line in inner.lines)
    names, types = ", ".join(r.name for r in results), ", ".join(str(r.type) for r in results)
    given = ", ".join(f"{a.name}: {a.type}" for a in arguments)
    return f'({{\n    ^bb0({given}):\n{lines}      "stablehlo.return"({names}) : ({types}) -> ()\n  }})'


def literal(value: Value) -> str:
    """The elements as MLIR writes them in `dense<...>`: floats by their bits."""
    texts = [_element_text(v, value) for v in np.atleast_1d(value.array).ravel()]
    if value.array.ndim == 0:
        return texts[0]
    if not texts:
        return ""
    return _nested(texts, value.array.shape)


def _nested(texts: list[str], shape: Sequence[int]) -> str:
    for size in reversed(shape):
        texts = [f"[{', '.join(texts[i : i + size])}]" for i in range(0, len(texts), size)]
    return texts[0]


def _element_text(number: Any, value: Value) -> str:
    if value.element == i1:
        return "true" if number else "false"
    if not is_float(value.element):
        return str(int(number))
    if is_byte_float(value.element):
        bits = byte_floats.encoded(np.asarray(number), value.element).view(np.uint8)
        return f"0x{bits.item():02X}"
    width = 2 * BY_TYPE[value.element].bytes
    raw = int.from_bytes(number.tobytes(), sys.byteorder)
    return f"0x{(raw >> 16 if value.element == bf16 else raw):0{width}X}"


def array(numbers: Sequence[int] | range) -> str:
    """The attribute that lists `numbers`."""
    values = ", ".join(str(n) for n in numbers)
    return f"array<i64: {values}>" if values else "array<i64>"
