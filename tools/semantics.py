"""Runs `mlc_tensor` functions on the reference interpreter: before and after passes, or for their results.

Results must keep every bit, any NaN being one. Inputs are random and a third of them special;
named sizes get small numbers. What the interpreter cannot run is not checked, and said so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TextIO

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

from lowering.oracle import run_values
from mlc_dialects.numerics import Array, Value, same_bits, value_of
from mlc_dialects.types import element_type, is_float, shape_of
from mlc_support.errors import MlcError

_SPECIAL_FLOATS = (float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1.0, -1.0, 1e-40, 6e-8, 65504.0)
_SPECIAL_INTEGERS = (0, 1, -1, 2, -(2**31), 2**31 - 1, -(2**63), 2**63 - 1)
_SEEDS = range(8)
_MOST_ELEMENTS = 1 << 24
_MOST_TRIALS = 400


def random_inputs(types: Sequence[Attribute], seed: int) -> list[Array]:
    """An array for each tensor type; a name has one size everywhere. Raises `MlcError` for what is no tensor."""
    generator = np.random.default_rng(seed)
    try:
        names = sorted({v.name for t in types for s in shape_of(t) for v in s.variables()})
        sizes = {name: int(n) for name, n in zip(names, generator.permutation(len(names)) + 2, strict=True)}
        shapes = [tuple(s.evaluate(sizes) for s in shape_of(t)) for t in types]
    except ValueError as error:
        raise MlcError(str(error)) from error
    if sum(prod(s) for s in shapes) > _MOST_ELEMENTS:
        raise MlcError("the inputs are too large for the reference interpreter")
    return [_random(shape, element_type(t), generator) for shape, t in zip(shapes, types, strict=True)]


def _random(shape: tuple[int, ...], element: Attribute, generator: np.random.Generator) -> Array:
    if is_float(element):
        plain: Any = generator.normal(size=shape) * 3
        special: Any = generator.choice(np.array(_SPECIAL_FLOATS), size=shape)
    else:
        plain = generator.integers(-5, 6, size=shape)
        special = generator.choice(np.array(_SPECIAL_INTEGERS), size=shape)
    try:
        return value_of(np.where(generator.random(shape) < 0.33, special, plain), element).array
    except ValueError as error:
        raise MlcError(str(error)) from error


def functions(module: ModuleOp) -> list[func.FuncOp]:
    """Those that have a body."""
    return [op for op in module.ops if isinstance(op, func.FuncOp) and not op.is_declaration]


def _inputs_of(function: func.FuncOp, seed: int) -> list[Array]:
    return random_inputs([a.type for a in function.body.block.args], seed)


def run_report(module: ModuleOp, seed: int) -> str:
    """Inputs and results of each function, as text."""
    lines: list[str] = []
    for function in functions(module):
        name = function.sym_name.data
        inputs = _inputs_of(function, seed)
        lines.append(f"@{name}, seed {seed}")
        for argument, array in zip(function.body.block.args, inputs, strict=True):
            lines.append(f"  %{argument.name_hint or argument.index} : {argument.type} =\n{_text(array)}")
        results = run_values(module, inputs, name)
        for position, (value, type_) in enumerate(zip(results, function.function_type.outputs, strict=True)):
            lines.append(f"  result {position} : {type_} =\n{_text(value.array)}")
    return "\n".join(lines) + "\n"


def _text(array: Array) -> str:
    shown = np.array2string(array, separator=", ", floatmode="unique", threshold=200)
    return "\n".join(f"    {line}" for line in shown.splitlines())


@dataclass(frozen=True)
class _Sample:
    """One run of one function."""

    name: str
    seed: int
    inputs: list[Array]
    results: list[Value]


class Semantics:
    """Compares what functions give after each pass with what they gave at the start."""

    def __init__(self, module: ModuleOp, stream: TextIO):
        self._stream = stream
        self._before = module.clone()
        self._samples: list[_Sample] = []
        for function in functions(module):
            self._sample(function)

    def after(self, step: str, module: ModuleOp) -> None:
        """Raises `MlcError` naming `step` if a result is another one now, with inputs that show it."""
        present = {f.sym_name.data for f in functions(module)}
        for sample in self._samples:
            if sample.name not in present:
                self._unchecked(f"after {step}", sample.name, "it is no function any more")
                continue
            try:
                found = run_values(module, sample.inputs, sample.name)
            except (MlcError, ValueError) as error:
                self._unchecked(f"after {step}", sample.name, str(error).splitlines()[0])
                continue
            if _differ(found, sample.results):
                raise self._failure(step, module, sample)
        self._samples = [s for s in self._samples if s.name in present]

    def _sample(self, function: func.FuncOp) -> None:
        name = function.sym_name.data
        for seed in _SEEDS:
            try:
                inputs = _inputs_of(function, seed)
                self._samples.append(_Sample(name, seed, inputs, run_values(self._before, inputs, name)))
            except MlcError as error:
                self._unchecked("at the start", name, error.message)
                return

    def _unchecked(self, when: str, name: str, why: str) -> None:
        print(f"verify-semantics: {when}: @{name} is not checked: {why}", file=self._stream)
        print("  (only functions of mlc_tensor ops can be)", file=self._stream)

    def _failure(self, step: str, module: ModuleOp, sample: _Sample) -> MlcError:
        def fails(inputs: list[Array]) -> bool:
            try:
                return _differ(run_values(module, inputs, sample.name), run_values(self._before, inputs, sample.name))
            except MlcError:
                return False

        small = shrink(sample.inputs, fails)
        old, new = (run_values(m, small, sample.name) for m in (self._before, module))
        place = next(i for i, (x, y) in enumerate(zip(old, new, strict=True)) if not same_bits(x, y))
        shown = [f"input {i}:\n{_text(a)}" for i, a in enumerate(small)]
        shown += [f"result {place} before:\n{_text(old[place].array)}", f"and after:\n{_text(new[place].array)}"]
        return MlcError(f"pass `{step}` changes the results of @{sample.name}", None, "\n".join(shown))


def _differ(found: Sequence[Value], expected: Sequence[Value]) -> bool:
    return len(found) != len(expected) or not all(same_bits(x, y) for x, y in zip(found, expected, strict=True))


def shrink(inputs: list[Array], fails: Callable[[list[Array]], bool]) -> list[Array]:
    """`inputs` with as many elements 0, and the rest 1 where it will do, as still make it fail."""
    best, trials = inputs, 0
    for simple in (0, 1):
        for position in range(len(best)):
            block = best[position].size
            while block >= 1 and trials < _MOST_TRIALS:
                for start in range(0, best[position].size, block):
                    array = best[position].copy()
                    part = array.reshape(-1)[start : start + block]
                    if trials >= _MOST_TRIALS or np.all((part == 0) | (part == simple)):
                        continue
                    part[...] = simple
                    trials += 1
                    candidate = [*best[:position], array, *best[position + 1 :]]
                    best = candidate if fails(candidate) else best
                block //= 2
    return best
