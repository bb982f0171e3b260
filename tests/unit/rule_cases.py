"""One instance or more of each algebraic rule: the program it rewrites, and the elements it holds for.

    CASES["add_negated"] == (Case(lambda x, y: o.add(x, o.neg(y)), "fi"),)

Parameters named p, q or r are conditions (i1); the others have the element at hand.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType, bf16, f8E4M3FN, f8E5M2, f16, f32, f64, i1, i8, i16, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.common.types import element_type, is_bool, is_float, shape_of, ui8
from mlc_dialects.semantics.numerics import Array, array_dtype, value_of
from mlc_dialects.tensor.elementwise import ELEMENTWISE
from mlc_dialects.tensor.ops import CastOp, ConstantOp
from tests.unit.rule_values import special

ELEMENTS = {
    "f": (f16, bf16, f32, f64), "w": (f32, f64), "h": (f16, bf16), "i": (i8, i16, i32, i64, ui8),
    "s": (i8, i16, i32, i64), "u": (ui8,), "b": (i1,), "8": (f8E4M3FN, f8E5M2),
}  # fmt: skip
EVERY = (f8E4M3FN, f8E5M2, f16, bf16, f32, f64, i8, i16, i32, i64, ui8, i1)


@dataclass(frozen=True)
class Case:
    """A program that a rule rewrites for `kinds` of elements: keys of ELEMENTS."""

    program: Callable[..., Any]
    kinds: str

    @property
    def parameters(self) -> list[str]:
        """The names of the inputs."""
        given = inspect.signature(self.program).parameters.values()
        return [p.name for p in given if p.default is inspect.Parameter.empty]

    @property
    def elements(self) -> tuple[Attribute, ...]:
        return tuple(e for kind in self.kinds for e in ELEMENTS[kind])


def _op(name: str) -> Callable[..., SSAValue]:
    return lambda *args: ELEMENTWISE[name](*args).result


o: Any = SimpleNamespace(**{f"{n}_" if n in ("and", "or", "not") else n: _op(n) for n in ELEMENTWISE})


def k(number: float, like: SSAValue) -> SSAValue:
    """A constant of the type of `like`."""
    return ConstantOp.splat(number, shape_of(like.type), element_type(like.type)).result


def limit(like: SSAValue, greatest: bool) -> SSAValue:
    """The greatest or least value there is: an infinity, for floats."""
    element = element_type(like.type)
    if is_float(element):
        return k(float("inf") if greatest else -float("inf"), like)
    if is_bool(element):
        return k(greatest, like)
    limits = np.iinfo(array_dtype(element))
    return k(int(limits.max if greatest else limits.min), like)


def cast(value: SSAValue, like: SSAValue | Attribute) -> SSAValue:
    return CastOp(value, element_type(like.type) if isinstance(like, SSAValue) else like).result


def build(case: Case, element: Attribute, size: int | None = None) -> ModuleOp | None:
    """The program as a function of tensors of `size` elements; None where it has no meaning for `element`."""
    names = case.parameters
    size = size or len(inputs(case, element)[0])
    types = [TensorType(i1 if n in "pqr" else element, [size]) for n in names]
    block = Block(arg_types=types)
    for argument, name in zip(block.args, names, strict=True):
        argument.name_hint = name
    try:
        made = case.program(*block.args)
    except ValueError:
        return None  # NaN is no integer
    results = made if isinstance(made, tuple) else (made,)
    _place(results, block)
    block.add_op(func.ReturnOp(*results))
    module = ModuleOp([func.FuncOp("main", (types, [r.type for r in results]), Region(block))])
    try:
        module.verify()
    except (VerifyException, ValueError):
        return None
    return module


def _place(values: tuple[SSAValue, ...], block: Block) -> None:
    """Put what `values` are computed by into `block`, definitions first."""
    for value in values:
        if isinstance(value.owner, Operation) and value.owner.parent is None:
            _place(tuple(value.owner.operands), block)
            block.add_op(value.owner)


def inputs(case: Case, element: Attribute) -> list[Array]:
    """Every combination of special values, one tensor a parameter."""
    names = case.parameters
    data = [n for n in names if n not in "pqr"]
    columns = [(False, True) if n in "pqr" else special(element, len(data)) for n in names]
    rows = [*product(*columns)]
    types = [i1 if n in "pqr" else element for n in names]
    wide = [np.float64 if is_float(t) else np.int64 for t in types]
    return [value_of(np.array([r[i] for r in rows], wide[i]), t).array for i, t in enumerate(types)]


def firing(cases: tuple[Case, ...]) -> Iterator[tuple[Case, Attribute, ModuleOp]]:
    """The programs that a rule must rewrite."""
    for case in cases:
        for element in case.elements:
            module = build(case, element)
            assert module is not None, f"a case has no meaning for {element}"
            yield case, element, module


def others(cases: tuple[Case, ...]) -> Iterator[tuple[Case, Attribute, ModuleOp]]:
    """The same programs for the elements that a rule does not hold for."""
    allowed = {e for case in cases for e in case.elements}
    for case in cases:
        for element in EVERY:
            module = build(case, element) if element not in allowed else None
            if module is not None:
                yield case, element, module


NAN, INF = float("nan"), float("inf")
