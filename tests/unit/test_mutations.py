"""The tests of the rules find mistakes: a rule that is missing, and a rule that builds the wrong thing.

A mutant of a rule gives another of its operands, swaps operands of what it builds, negates or
replaces it. Mutants that mean the same (x + y for y + x) are no mistakes, so each rule needs
all of those caught whose result differs at a first look, on random numbers of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

from lowering.oracle import run_values
from mlc_dialects.elementwise import NegOp, NotOp
from mlc_dialects.elementwise_op import ElementwiseOp
from mlc_dialects.numerics import Value, same_bits
from mlc_dialects.tensor_ops import ConstantOp
from mlc_dialects.types import element_type, is_bool
from mlc_support.errors import MlcError
from mlc_support.rewriting import Replacement, Rule, apply_rules
from passes.canonical_algebra import ALGEBRA, filled
from passes.canonical_moves import MOVES
from passes.canonical_reductions import CASTS, REDUCTIONS
from passes.canonical_views import VIEWS
from passes.canonicalize import RULES
from passes.simplify import EXACT
from passes.simplify_fast import FAST
from tests.unit.rule_cases import Case, build, inputs
from tests.unit.rule_cases_exact import EXACT_CASES
from tests.unit.test_rules import modules
from tools.run_inputs import random_inputs

Mutation = Callable[[ElementwiseOp, SSAValue], SSAValue | None]


def negated(op: ElementwiseOp, result: SSAValue) -> SSAValue | None:
    """Every element is another one, save zeros of integers."""
    if isinstance(result.owner, ConstantOp):
        return None
    return (NotOp if is_bool(element_type(result.type)) else NegOp)(result).result


def swapped(op: ElementwiseOp, result: SSAValue) -> SSAValue | None:
    """The last two operands of the new op change places."""
    made = result.owner
    if not isinstance(made, ElementwiseOp) or made.parent is not None or made.FUNCTION.arity < 2:
        return None
    *first, x, y = made.operands
    return None if x == y or made.FUNCTION.commutative or x.type != y.type else type(made)(*first, y, x).result


def operand(op: ElementwiseOp, result: SSAValue) -> SSAValue | None:
    """The op's first operand stands for its result."""
    x = op.operands[0]
    return x if x.type == result.type and x != result else None


def zero(op: ElementwiseOp, result: SSAValue) -> SSAValue | None:
    """0, where the rule has something else."""
    return None if isinstance(result.owner, ConstantOp) else filled(0, result).result


def one(op: ElementwiseOp, result: SSAValue) -> SSAValue:
    """1, or 2 where the rule gives 1."""
    was_one = str(result.owner) == str(filled(1, result))
    return filled(0 if was_one else 1, result).result


MUTATIONS: tuple[Mutation, ...] = (negated, swapped, operand, zero, one)


def mutant(rule: Rule, mutation: Mutation) -> Rule:
    """`rule`, wrong the first time that it fires."""
    fired: list[Operation] = []

    def function(op: ElementwiseOp) -> Replacement:
        result = rule.function(op)
        if result is None or fired:
            return None
        value = result if isinstance(result, SSAValue) else SSAValue.get(result)
        wrong = mutation(op, value)
        fired.append(op)
        return wrong

    return replace(rule, function=function)


@cache
def before(case: Case, element: object) -> tuple[ModuleOp, list[object], list[Value]]:
    """A case, special values, and the answer."""
    module = build(case, element)
    assert module is not None
    values = inputs(case, element)
    return module, values, run_values(module, values)


def verdicts(rule: Rule, mutation: Mutation) -> Iterator[bool]:
    """Of each case that the mutant changes: whether the oracle sees it."""
    for case in EXACT_CASES[rule.name]:
        module, values, expected = before(case, case.elements[0])
        wrong = module.clone()
        if apply_rules(wrong, (mutant(rule, mutation),)):
            found = run_values(wrong, values)
            yield not all(same_bits(x, y) for x, y in zip(found, expected, strict=True))


@pytest.mark.parametrize("rule", [*ALGEBRA, *EXACT], ids=lambda r: r.name)
def test_wrong_results_are_caught(rule: Rule) -> None:
    """Every wrong result that can be built from the right one."""
    killed = {m.__name__: [*verdicts(rule, m)] for m in MUTATIONS}
    survivors = {name for name, seen in killed.items() if not all(seen)}
    assert any(any(seen) for seen in killed.values())
    assert survivors <= EQUIVALENT.get(rule.name, set()), survivors


EQUIVALENT: dict[str, set[str]] = {
    "join_bit_constants": {"operand"},  # min(min(x, -0.0), 0.0) is its operand, since -0.0 is the lesser
    "cast_of_select": {"operand"},  # a cast to the same type is its operand
    "power_of_one": {"operand"},  # 1 ** x is its operand
}
"""Mutations that do not change what the rule means, with the reason beside each."""


def text(module: ModuleOp, rules: tuple[Rule, ...]) -> str:
    """What `rules` make of the module."""
    copy = module.clone()
    apply_rules(copy, rules)
    return str(copy)


def missed(rules: tuple[Rule, ...], wanted: tuple[Rule, ...], pattern: str) -> set[str]:
    """Those of `wanted` whose own functions in the tests `pattern` come out the same without them."""
    functions = [op for module in modules(pattern) for op in module.ops if isinstance(op, func.FuncOp)]
    found: set[str] = set()
    for gone in wanted:
        own = ModuleOp([f.clone() for f in functions if f.sym_name.data.startswith(gone.name)])
        if text(own, rules) == text(own, tuple(r for r in rules if r is not gone)):
            found.add(gone.name)
    return found


def test_a_missing_rule_is_noticed() -> None:
    """A FileCheck test named after the rule fails without it."""
    assert not missed((*ALGEBRA, *EXACT), EXACT, "passes/simplify-[!f]*.mlir")


def test_a_missing_inexact_rule_is_noticed() -> None:
    """Likewise for the rules of fast-math."""
    assert not missed((*ALGEBRA, *EXACT, *FAST), FAST, "passes/simplify-fast-math.mlir")


STRUCTURE = (*VIEWS, *MOVES, *CASTS, *REDUCTIONS)


def functions(pattern: str) -> Iterator[tuple[func.FuncOp, ModuleOp]]:
    """The functions of the FileCheck tests `pattern`, each in a module of its own."""
    for module in modules(pattern):
        for op in module.ops:
            if isinstance(op, func.FuncOp):
                yield op, ModuleOp([op.clone()])


def test_a_missing_canonical_rule_is_noticed() -> None:
    """A FileCheck test of canonicalize comes out otherwise without it."""
    whole = [*modules("passes/canonicalize-*.mlir")]
    expected = [text(m, RULES) for m in whole]
    for gone in (*ALGEBRA, *STRUCTURE):
        rest = tuple(r for r in RULES if r is not gone)
        assert [text(m, rest) for m in whole] != expected, gone.name


def differences(right: ModuleOp, wrong: ModuleOp, types: list[Attribute]) -> Iterator[bool]:
    """Whether results differ, for some inputs; for none where there is no element to differ in."""
    for seed in range(6):
        values = random_inputs(types, seed)
        found, expected = run_values(wrong, values), run_values(right, values)
        if any(v.array.size for v in expected):
            yield not all(same_bits(x, y) for x, y in zip(found, expected, strict=True))


@pytest.mark.parametrize("rule", STRUCTURE, ids=lambda r: r.name)
def test_wrong_structure_is_caught(rule: Rule) -> None:
    """What a rule of views, casts or reductions builds, negated or replaced by ones, is seen by the oracle."""
    caught = 0
    for function, module in functions("passes/canonicalize-[!a]*.mlir"):
        for mutation in (negated, one):
            wrong = module.clone()
            try:
                if not apply_rules(wrong, (mutant(rule, mutation),)):
                    continue
                seen = [*differences(module, wrong, [a.type for a in function.body.block.args])]
            except MlcError:
                continue  # elements that only pass through
            if seen:
                assert any(seen), str(wrong)
                caught += 1
    assert caught
