"""The functions of the FileCheck tests of passes, as examples that can be run under other rules.

for example in examples():
    example.accepts(example.run())        # True: the lines of the test match
    differs(example, example.run(), exact=example.is_exact)    # False: results are the same
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import DumpInputKind, Options
from filecheck.parser import Parser, pattern_for_opts
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute
from xdsl.passes import ModulePass, PassPipeline
from xdsl.universe import XDSL_UNIVERSE

from lowering.fx_to_tensor.imported import ResultOutput
from lowering.host.named_sizes import element_in
from lowering.interpreter.run import find_function, run_values
from mlc_dialects.common.types import is_float, is_half, shape_of
from mlc_dialects.loop.dialect import KernelOp
from mlc_dialects.semantics.numerics import Array, Value, same_bits, value_of
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.triton.dialect import KernelOp as TritonKernelOp
from mlc_support.errors import MlcError
from mlc_support.index_expr import product
from mlc_support.parsing import parse_module
from mlc_support.rewriting import Rule, RulePass
from passes.tensor.decompose import DecomposePass
from passes.tensor.layout import layout
from tests.shell import run_lines
from tests.unit.test_oracle import from_torch, to_torch
from tests.unit.torch_oracle import Oracle
from tools.run_inputs import random_inputs
from tools.universe import dialect_factories, pass_factories

FOLDER = Path(__file__).parents[1] / "filecheck" / "passes"
_RUN = re.compile(r"mlc-opt %s -p (\S+|'[^']+')(?: --split-input-file)? \| filecheck %s(?: --check-prefix=(\w+))?$")
_MOST_ELEMENTS = 1 << 16


@dataclass(eq=False)
class Example:
    """One function or kernel of a FileCheck test, the passes of a RUN line, and the lines that check it."""

    name: str
    module: ModuleOp
    pipeline: tuple[ModulePass, ...]
    prefix: str
    checks: str

    def run(self, pipeline: tuple[ModulePass, ...] | None = None) -> ModuleOp:
        """What the passes make of it."""
        module = self.module.clone()
        for step in pipeline or self.pipeline:
            step.apply(Context(), module)
        return module

    @property
    def is_exact(self) -> bool:
        """True if no rule of the passes changes a result."""
        return not any(rule.inexact for rule in self.rules.values())

    @cached_property
    def rules(self) -> dict[str, Rule]:
        """Those that the passes run."""
        return {r.name: r for step in self.pipeline if isinstance(step, RulePass) for r in step.rules()}

    def accepts(self, module: ModuleOp) -> bool:
        """True if the lines of the test match."""
        options = Options("checks", check_prefixes=[self.prefix], dump_input=DumpInputKind.NEVER)
        parser = Parser(options, io.StringIO(self.checks), *pattern_for_opts(options))
        return Matcher(options, FInput("output", f"{module}\n"), parser).run() == 0


@cache
def examples() -> tuple[Example, ...]:
    """Those of every FileCheck test of passes that rewrite by rules, by formulas, or by layout."""
    return tuple(e for path in sorted(FOLDER.rglob("*.mlir")) for e in _examples_in(path))


def _examples_in(path: Path) -> Iterator[Example]:
    text = path.read_text(encoding="utf-8")
    runs = [match for line in run_lines(path) if (match := _RUN.match(line))]
    pipelines = [PassPipeline.parse_spec(pass_factories(), run[1].strip("'")).passes for run in runs]
    kept = [k for k, p in enumerate(pipelines) if any(isinstance(s, RulePass | layout.LayoutPass) for s in p)]
    if not kept:
        return
    module = parse_module(_context(), text)
    symbols = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp | KernelOp | TritonKernelOp)}
    for k in kept:
        prefix = runs[k][2] or "CHECK"
        for name, checks in _labels(text, prefix):
            if name in symbols:
                yield Example(name, ModuleOp([symbols[name].clone()]), pipelines[k], prefix, checks)


def _labels(text: str, prefix: str) -> Iterator[tuple[str, str]]:
    """Each label's symbol, and the check lines up to the next."""
    lines = [line for line in text.splitlines() if re.search(rf"{prefix}(-[A-Z]+)?:", line)]
    starts = [i for i, line in enumerate(lines) if f"{prefix}-LABEL:" in line]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        symbol = re.search(r"@(\w+)", lines[start])
        if symbol is not None:
            yield symbol[1], "\n".join(lines[start:end])


def _context() -> Context:
    context = Context()
    for dialect, factory in (XDSL_UNIVERSE.all_dialects | dialect_factories()).items():
        context.register_dialect(dialect, factory)
    return context


@cache
def answers(example: Example) -> bool:
    """True if an interpreter takes it: no kernel, which needs a program, nothing large, no size that no input has."""
    values = [v for op in example.module.walk() for v in op.results]
    sizes = [product(shape_of(v.type)).constant or 0 for v in values if isinstance(v.type, TensorType)]
    if not isinstance(example.module.body.block.first_op, func.FuncOp) or max(sizes, default=0) > _MOST_ELEMENTS:
        return False
    try:
        return not differs(example, example.module, exact=False)
    except (MlcError, AttributeError, IndexError):  # by torch, of ops that it lacks, and of places outside
        return False


def differs(example: Example, module: ModuleOp, exact: bool) -> bool:
    """True if `module` gives other results, for some inputs; by more than rounding where it need not be `exact`."""
    (function,) = (op for op in example.module.ops if isinstance(op, func.FuncOp))
    types = [a.type for a in function.body.block.args]
    calls = any(isinstance(op, ExternOp) for m in (example.module, module) for op in m.walk())
    for seed in range(4):
        inputs = random_inputs(types, seed)
        if calls or not exact:
            inputs = [_plain(x, element_in(t), seed) for x, t in zip(inputs, types, strict=True)]
        run = _by_torch if calls else run_values
        same = _close if calls or not exact else same_bits
        found, expected = run(module, inputs, example.name), run(example.module, inputs, example.name)
        if not all(same(x, y) for x, y in zip(found, expected, strict=True)):
            return True
    return False


def _plain(array: Array, element: Attribute, seed: int) -> Array:
    """Numbers without surprises in the place of floats."""
    return np.random.default_rng(seed).uniform(0.25, 2, array.shape).astype(array.dtype) if is_float(element) else array


def _by_torch(module: ModuleOp, inputs: list[Array], name: str) -> list[Value]:
    """The results by PyTorch, which knows calls too."""
    plain = module.clone()
    DecomposePass().apply(Context(), plain)
    function = find_function(plain, name)
    outputs = [ResultOutput(i) for i in range(len(function.function_type.outputs))]
    program: Any = SimpleNamespace(module=plain, constants=(), outputs=outputs, objects={})
    elements = [element_in(a.type) for a in function.body.block.args]
    found = Oracle(program)(*(to_torch(x, e) for x, e in zip(inputs, elements, strict=True)))
    types = function.function_type.outputs.data
    return [value_of(from_torch(x), element_in(t)) for x, t in zip(found, types, strict=True)]


def _close(found: Value, expected: Value) -> bool:
    """True but for rounding; where NaN is expected anything will do, since inexact rules do not know it."""
    wanted, given = (v.array.astype(np.float64) for v in (expected, found))
    tolerance = 3e-2 if is_half(expected.element) else 1e-4
    same = np.isclose(given, wanted, rtol=tolerance, atol=tolerance) if given.shape == wanted.shape else np.False_
    return bool(np.all(same | np.isnan(wanted)))
