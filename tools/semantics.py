"""Runs functions of tensors or of buffers on the reference interpreter: around passes, or for their results.

Results must keep every bit, any NaN being one. A pass that takes sums in another order, or functions in a
coarser form, says so by an attribute `rounds_otherwise`; it may change last bits, and what it gives is what
the passes after it must keep. What the interpreter cannot run is not checked, and said so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TextIO

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, bf16, f8E4M3FN, f8E5M2, f16, f32, f64
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from lowering.interpreter.run import find_function, run_values
from mlc_dialects.semantics.numerics import Array, Value, same_bits, value_of
from mlc_support.errors import MlcError
from tools.instruments import Instrument
from tools.run_inputs import random_inputs, read_inputs

_SEEDS = range(8)
_MOST_TRIALS = 400
_ROUNDING: dict[Attribute, float] = {
    f8E4M3FN: 2**-2, f8E5M2: 2**-1, f16: 2**-8, bf16: 2**-5, f32: 2**-18, f64: 2**-44,
}  # fmt: skip
Comparison = Callable[[Sequence[Value], Sequence[Value]], bool]


def functions(module: ModuleOp) -> list[func.FuncOp]:
    """Those that have a body."""
    return [op for op in module.ops if isinstance(op, func.FuncOp) and not op.is_declaration]


def _inputs_of(function: func.FuncOp, seed: int) -> list[Array]:
    return random_inputs([a.type for a in function.body.block.args], seed)


def run_report(module: ModuleOp, seed: int, files: Sequence[str] = ()) -> str:
    """Inputs and results of each function, as text; of the only one, on the arrays in `files`."""
    lines: list[str] = []
    for function in [find_function(module)] if files else functions(module):
        name = function.sym_name.data
        types = [a.type for a in function.body.block.args]
        inputs = read_inputs(types, files) if files else random_inputs(types, seed)
        lines.append(f"@{name}, " + (", ".join(files) if files else f"seed {seed}"))
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


class Semantics(Instrument):
    """Compares what functions give after each pass with what they gave at the start."""

    def __init__(self, stream: TextIO):
        self._stream = stream
        self._reference: ModuleOp | None = None
        self._samples: list[_Sample] = []

    @property
    def _before(self) -> ModuleOp:
        """The module that results are compared with."""
        assert self._reference is not None, "no pass has begun"
        return self._reference

    def before(self, step: ModulePass, module: ModuleOp) -> None:
        """Before the first pass, run every function."""
        if self._reference is None:
            self._reference = module.clone()
            for function in functions(module):
                self._sample(function)

    def after(self, step: ModulePass, module: ModuleOp) -> None:
        """Raises `MlcError` naming `step` if a result is another one now, with inputs that show it."""
        differ = _far_apart if getattr(step, "rounds_otherwise", False) else _differ
        kept: list[_Sample] = []
        present = {f.sym_name.data for f in functions(module)}
        for sample in self._samples:
            if sample.name not in present:
                self._unchecked(f"after {step.name}", sample.name, "it is no function any more")
                continue
            try:
                found = run_values(module, sample.inputs, sample.name)
            except (MlcError, ValueError) as error:
                self._unchecked(f"after {step.name}", sample.name, str(error).splitlines()[0])
                kept.append(sample)
                continue
            if differ(found, sample.results):
                raise self._failure(step.name, module, sample, differ)
            kept.append(replace(sample, results=found))
        self._samples = kept
        if differ is _far_apart:
            self._reference = module.clone()

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
        print("  (it runs mlc_tensor and mlc_loop, without calls that only PyTorch knows)", file=self._stream)

    def _failure(self, step: str, module: ModuleOp, sample: _Sample, differ: Comparison) -> MlcError:
        def fails(inputs: list[Array]) -> bool:
            try:
                return differ(run_values(module, inputs, sample.name), run_values(self._before, inputs, sample.name))
            except MlcError:
                return False

        small = shrink(sample.inputs, fails)
        old, new = (run_values(m, small, sample.name) for m in (self._before, module))
        place = next(i for i, (x, y) in enumerate(zip(old, new, strict=True)) if differ([x], [y]))
        shown = [f"input {i}:\n{_text(a)}" for i, a in enumerate(small)]
        shown += [f"result {place} before:\n{_text(old[place].array)}", f"and after:\n{_text(new[place].array)}"]
        return MlcError(f"pass `{step}` changes the results of @{sample.name}", None, "\n".join(shown))


def _differ(found: Sequence[Value], expected: Sequence[Value]) -> bool:
    return len(found) != len(expected) or not all(same_bits(x, y) for x, y in zip(found, expected, strict=True))


def _far_apart(found: Sequence[Value], expected: Sequence[Value]) -> bool:
    """True if results differ by more than sums taken in another order do."""
    return len(found) != len(expected) or not all(map(close, found, expected))


def close(found: Value, expected: Value) -> bool:
    """True if elements differ by no more than a few roundings of the greatest one; integers not at all."""
    if found.shape != expected.shape or found.element not in _ROUNDING:
        return same_bits(found, expected)
    x, y = found.array.astype(np.float64), expected.array.astype(np.float64)
    whole = ~(np.isfinite(x) & np.isfinite(y))
    if not same_bits(value_of(x[whole], found.element), value_of(y[whole], found.element)):
        return False
    x, y = x[~whole], y[~whole]
    return bool(np.all(np.abs(x - y) <= _ROUNDING[found.element] * np.max(np.abs(y), initial=1.0)))


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
