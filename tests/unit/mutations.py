"""Rules that are missing or wrong, and the functions of the FileCheck tests, which must notice.

    for example in examples():
        with changed({"drop_unit": missing}):
            example.accepts(example.run())    # False, for one of them

Whatever finds its rules in `mlc_support.rewriting.Rule`, its formulas in `passes.tensor.recompose` or its ops in
`passes.tensor.layout` is covered by being there: nothing is listed here.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import cache
from typing import Any
from unittest import mock

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc_dialects.common.types import element_type, is_bool
from mlc_dialects.tensor.elementwise import NegOp, NotOp
from mlc_support.rewriting import Replacement, Rule, RulePass
from passes.tensor.layout import layout
from passes.tensor.recompose import recompose
from passes.tensor.recompose.pattern import Pattern
from passes.tensor.recompose.sites import FINDERS
from tests.unit.changed_rules import Change, changed
from tests.unit.pass_examples import Example, examples
from tools.universe import pass_factories

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
"""What recompose found: `passes.tensor.recompose.recompose._Found`."""


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
