"""The arguments of a call of PyTorch, by the names of its parameters."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, FloatAttr, IntegerAttr, NoneAttr, UnitAttr
from xdsl.ir import Attribute, SSAValue

from mlc_dialects.tensor.calls import ExternOp, OperandAttr


class Arguments:
    """Of one call; `names` are those of its parameters in order. An argument that is None counts as left out."""

    def __init__(self, op: ExternOp, names: Sequence[str]):
        given = dict(zip(names, op.argument_list(), strict=False))
        given |= op.keywords.data if op.keywords is not None else {}
        self._op = op
        self._given = {k: v for k, v in given.items() if not isinstance(v, UnitAttr | NoneAttr)}

    def has(self, name: str) -> bool:
        """True if it is given."""
        return name in self._given

    def value(self, name: str) -> SSAValue | None:
        """A tensor; None if there is none."""
        given = self._given.get(name)
        return self._op.inputs[given.index] if isinstance(given, OperandAttr) else None

    def values(self, *names: str) -> list[SSAValue] | None:
        """Several tensors; None where one is left out."""
        found = [v for v in map(self.value, names) if v is not None]
        return found if len(found) == len(names) else None

    def number(self, name: str, otherwise: float = 0.0) -> float:
        """A number or a truth."""
        return number(self._given.get(name), otherwise)

    def integers(self, name: str) -> tuple[int, ...]:
        """A list of integers, or one."""
        return integers(self._given.get(name))


def number(attribute: Attribute | None, otherwise: float = 0.0) -> float:
    """The number or the truth that an attribute is."""
    return attribute.value.data if isinstance(attribute, FloatAttr | IntegerAttr) else otherwise


def integers(attribute: Attribute | None) -> tuple[int, ...]:
    """The list of integers that an attribute is, or the one."""
    entries = attribute.data if isinstance(attribute, ArrayAttr) else [attribute]
    return tuple(e.value.data for e in entries if isinstance(e, IntegerAttr))
