"""Builds StableHLO text line by line, in MLIR's generic form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import Attribute

from mlc_dialects.common.types import element_type, is_bool, is_float, with_element


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

    def second(
        self,
        name: str,
        operands: Sequence[Val],
        types: tuple[TensorType[Any], TensorType[Any]],
        properties: str,
        region: str,
    ) -> Val:
        """Writes an op of two results: its second."""
        result = self._fresh()
        text = f"({types[0]}, {types[1]})"
        self._line(f"{result}:2", f"stablehlo.{name}", operands, text, properties, region)
        return Val(f"{result}#1", types[1])

    def constant(self, literal: str, type_: TensorType[Any]) -> Val:
        """A constant whose elements are written as `literal`."""
        return self.op("constant", [], type_, f"value = dense<{literal}> : {type_}")

    def splat(self, number: float, type_: TensorType[Any]) -> Val:
        """`number` everywhere; it must be exact in decimals."""
        element = element_type(type_)
        text = str(bool(number)).lower() if is_bool(element) else str(number)
        return self.constant(f"{float(number)!r}" if is_float(element) else text, type_)

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
