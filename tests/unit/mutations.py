"""Rules that are missing or wrong, and the functions of the FileCheck tests, which must notice.

    for example in examples():
        with changed({"drop_unit": missing}):
            example.accepts(example.run())    # False, for one of them

Whatever finds its rules in `mlc_support.rewriting.Rule`, its formulas in `passes.recompose` or its ops in
`passes.layout` is covered by being there: nothing is listed here.
"""

from __future__ import annotations

import ast
import inspect
import io
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import DumpInputKind, Options
from filecheck.parser import Parser, pattern_for_opts
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass, PassPipeline
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.universe import XDSL_UNIVERSE

from lowering.fx_to_tensor.imported import ResultOutput
from lowering.named_sizes import element_in
from lowering.oracle import find_function, run_values
from mlc_dialects.elementwise import NegOp, NotOp
from mlc_dialects.mlc_loop import KernelOp
from mlc_dialects.numerics import Array, Value, same_bits, value_of
from mlc_dialects.tensor_calls import ExternOp
from mlc_dialects.types import element_type, is_bool, is_float, is_half, shape_of
from mlc_support import rewriting
from mlc_support.errors import MlcError
from mlc_support.index_expr import product
from mlc_support.parsing import parse_module
from mlc_support.rewriting import Replacement, Rule, RulePass
from passes.decompose import DecomposePass
from passes.layout import layout
from passes.recompose import recompose
from passes.recompose.pattern import Pattern
from passes.recompose.sites import FINDERS
from tests.shell import run_lines
from tests.unit.test_oracle import from_torch, to_torch
from tests.unit.torch_oracle import Oracle
from tools.run_inputs import random_inputs
from tools.universe import dialect_factories, pass_factories

FOLDER = Path(__file__).parents[1] / "filecheck" / "passes"
_RUN = re.compile(r"mlc-opt %s -p (\S+|'[^']+')(?: --split-input-file)? \| filecheck %s(?: --check-prefix=(\w+))?$")
Change = Callable[[Rule], Rule | None]


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
    symbols = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp | KernelOp)}
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


# Rules


@cache
def rules() -> dict[str, Rule]:
    """Every rule of every pass that `mlc-opt` knows, under every option that is a switch."""
    found: dict[str, Rule] = {}
    for name, factory in pass_factories().items():
        step = factory()
        switches = [f.name for f in fields(step) if f.type == "bool"] if issubclass(step, RulePass) else []
        for options in ({}, *({switch: True} for switch in switches)) if issubclass(step, RulePass) else ():
            for rule in step(**options).rules():
                assert found.setdefault(rule.name, rule).identity == rule.identity, f"{name}: two {rule.name}"
    return found


@contextmanager
def changed(changes: Mapping[str, Change]) -> Iterator[None]:
    """Rules of these names are others while this lasts."""

    class Driver(rewriting._Driver):  # pyright: ignore[reportPrivateUsage]
        def __init__(self, rules: Any, budget: Any, observer: Any):
            new = [changes[r.name](r) if r.name in changes else r for r in rules]
            super().__init__([r for r in new if r is not None], budget, observer)

    with mock.patch.object(rewriting, "_Driver", Driver):
        yield


def missing(rule: Rule) -> None:
    """No rule."""


def recording(fired: set[str]) -> Change:
    """The rule, which notes that it fires."""

    def change(rule: Rule) -> Rule:
        def function(op: Operation) -> Replacement:
            result = rule.function(op)
            if result is not None:
                fired.add(rule.name)
            return result

        return replace(rule, function=function)

    return change


@cache
def at_work() -> dict[str, list[Example]]:
    """The examples in which each rule fires."""
    found: dict[str, list[Example]] = {name: [] for name in rules()}
    for example in examples():
        fired: set[str] = set()
        with changed(dict.fromkeys(rules(), recording(fired))):
            example.run()
        for name in fired:
            found[name].append(example)
    return found


def broken(mutation: Callable[[Operation, SSAValue], SSAValue | None]) -> Change:
    """The rule, wrong the first time that it fires: `mutation` of the op and of its first result."""

    def change(rule: Rule) -> Rule:
        fired: list[Operation] = []

        def function(op: Operation) -> Replacement:
            result = rule.function(op)
            if result is None or fired:
                return None
            first, *rest = results_of(result)
            wrong = mutation(op, first)
            fired.append(op)
            return None if wrong is None else [wrong, *rest]

        return replace(rule, function=function)

    return change


def results_of(replacement: Replacement) -> list[SSAValue]:
    """The values that a rule puts in the place of an op's results."""
    if isinstance(replacement, SSAValue):
        return [replacement]
    if isinstance(replacement, Operation):
        return [*replacement.results]
    parts = [*(replacement or ())]
    if isinstance(parts[-1], Operation):
        return [*parts[-1].results]
    return [v for v in parts if isinstance(v, SSAValue)]


# Formulas

Form = tuple[str, Any]
"""A composite, and a spelling of its by number, or what a site asks: operands, attributes, open numbers."""
Found = Any
"""What recompose found: `passes.recompose.recompose._Found`."""


@cache
def composites() -> dict[str, dict[Example, set[Form]]]:
    """The examples in which each composite is found, with the forms that it has there."""
    found: dict[str, dict[Example, set[Form]]] = {f.composite.name: {} for f in FINDERS}

    def note(example: Example) -> Callable[[Found], Found]:
        def change(match: Found) -> Found:
            pattern: Pattern = match.pattern
            name = pattern.composite.name
            spelled = {(name, -1)} if pattern.is_reference else {(name, k) for k in spellings(name)}
            found[name].setdefault(example, set()).update({site_of(pattern), *spelled})
            return match

        return change

    for example in examples():
        if any(isinstance(step, recompose.RecomposePass) for step in example.pipeline):
            with found_as(None, note(example)):
                example.run()
    return found


def spellings(name: str) -> range:
    """The numbers of a composite's other spellings."""
    return range(next(len(f.composite.SPELLINGS) for f in FINDERS if f.composite.name == name))


def asked(name: str) -> set[Form]:
    """The forms of a composite that its examples are compared with."""
    found: set[Form] = set()
    with patterns_kept(lambda p: bool(found.add(site_of(p)) or True)):
        for example in composites()[name]:
            example.run()
    return {form for form in found if form[0] == name} | {(name, k) for k in (-1, *spellings(name))}


def site_of(pattern: Pattern) -> Form:
    """The form of a pattern's site; dimensions are the program's own."""
    site = pattern.site
    parameters = tuple((k, v) for k, v in site.parameters if not k.startswith("dim"))
    return pattern.composite.name, (len(site.types), parameters, site.open)


@contextmanager
def form_missing(form: Form) -> Iterator[None]:
    """No pattern for a form, while this lasts: -1 is the reference."""
    name, which = form
    if which == -1:
        with patterns_kept(lambda p: not (p.is_reference and p.composite.name == name)):
            yield
    elif isinstance(which, int):
        composite = next(f.composite for f in FINDERS if f.composite.name == name)
        rest = tuple(s for k, s in enumerate(composite.SPELLINGS) if k != which)
        with mock.patch.object(composite, "SPELLINGS", rest):
            yield
    else:
        with patterns_kept(lambda p: site_of(p) != form):
            yield


@contextmanager
def patterns_kept(keep: Callable[[Pattern], bool]) -> Iterator[None]:
    """Only the patterns for which `keep` holds, while this lasts."""
    original = recompose.patterns
    with mock.patch.object(recompose, "patterns", lambda *site: [p for p in original(*site) if keep(p)]):
        yield


@contextmanager
def found_as(name: str | None, change: Callable[[Found], Found]) -> Iterator[None]:
    """The composites called `name`, or all, that recompose finds are others, while this lasts."""
    original = recompose._Search._replace  # pyright: ignore[reportPrivateUsage]

    def replaced(self: Any, found: Found) -> None:
        wrong = change(found) if name in (None, found.pattern.composite.name) else found
        for value in wrong.bindings.operands.values():
            if isinstance(value.owner, Operation):
                self._place.setdefault(value.owner, self._place[found.place] - 0.5)
        original(self, wrong)

    with mock.patch.object(recompose._Search, "_replace", replaced):  # pyright: ignore[reportPrivateUsage]
        yield


def with_operand_negated(position: int) -> Callable[[Found], Found]:
    """The composite of another value."""

    def change(found: Found) -> Found:
        operands = dict(found.bindings.operands)
        if position < found.pattern.count:
            value = operands[position]
            new = (NotOp if is_bool(element_type(value.type)) else NegOp)(value)
            Rewriter().insert_op(new, InsertPoint.before(found.place))
            operands[position] = new.result
        return replace(found, bindings=replace(found.bindings, operands=operands))

    return change


def with_numbers_changed(found: Found) -> Found:
    """Another scale, cap or epsilon."""
    numbers = {hole: 10 * number + 1 for hole, number in found.bindings.numbers.items()}
    return replace(found, bindings=replace(found.bindings, numbers=numbers))


def with_attributes_changed(found: Found) -> Found:
    """The other approximation, a mask that is not causal or shows what it hides, another dimension."""
    pattern = found.pattern
    other = {"none": "tanh", "tanh": "none", 1: 0}
    parameters = tuple((k, v if k.startswith("dim") else other[v]) for k, v in pattern.site.parameters)
    return replace(found, pattern=replace(pattern, site=replace(pattern.site, parameters=parameters)))


# Layouts


def turned_kinds() -> set[str]:
    """The classes of ops that `layout` knows channels last: the cases of its `match`."""
    source = textwrap.dedent(inspect.getsource(layout._Conversion._converted))  # pyright: ignore[reportPrivateUsage]
    patterns = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.MatchClass)]
    return {p.cls.id for p in patterns if isinstance(p.cls, ast.Name)} | {"ExternOp"}


@contextmanager
def turned_as(change: Callable[[Operation, Operation], Operation]) -> Iterator[None]:
    """`change` of each op and of what it is channels last, while this lasts."""
    original = layout._Conversion._converted  # pyright: ignore[reportPrivateUsage]

    def converted(self: Any, op: Operation, operands: list[SSAValue]) -> Operation:
        return change(op, original(self, op, operands))

    with mock.patch.object(layout._Conversion, "_converted", converted):  # pyright: ignore[reportPrivateUsage]
        yield


# Answers


_MOST_ELEMENTS = 1 << 16


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
