"""Every exact rule keeps every bit on special values, and every inexact rule changes some."""

from __future__ import annotations

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from lowering.interpreter.run import run_values
from mlc_dialects.semantics.numerics import Array, same_bits
from mlc_support.rewriting import Rule, apply_rules
from mlc_support.verification import verify_module
from passes.tensor.canonicalize.algebra import ALGEBRA
from passes.tensor.simplify.fast_math import FAST
from passes.tensor.simplify.simplify import EXACT, SimplifyPass
from tests.unit.rule_cases import Case, build, firing, inputs, others
from tests.unit.rule_cases_exact import EXACT_CASES
from tests.unit.rule_cases_fast import FAST_CASES

CASES = EXACT_CASES | FAST_CASES
RULES = (*ALGEBRA, *EXACT, *FAST)


def differs(before: ModuleOp, after: ModuleOp, values: list[Array]) -> bool:
    """True if a result has other bits; NaN is NaN."""
    pairs = zip(run_values(before, values), run_values(after, values), strict=True)
    return not all(same_bits(x, y) for x, y in pairs)


def name_of(rule: Rule) -> str:
    return rule.name


def test_every_rule_has_cases() -> None:
    assert {r.name for r in RULES} == CASES.keys()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("rule", [*ALGEBRA, *EXACT], ids=name_of)
def test_exact(rule: Rule) -> None:
    """The rule alone rewrites each case, and the results keep every bit."""
    for case, element, module in firing(CASES[rule.name]):
        before = module.clone()
        assert apply_rules(module, (rule,))[rule.name], f"{rule.name} does not fire for {element}:\n{before}"
        verify_module(module)
        assert not differs(before, module, inputs(case, element)), f"{rule.name} is wrong for {element}:\n{module}"


@pytest.mark.parametrize("rule", FAST, ids=name_of)
def test_inexact(rule: Rule) -> None:
    """The rule rewrites each case under fast-math, not without, and some bit of some result changes."""
    changed = False
    for case, element, module in firing(CASES[rule.name]):
        default, fast = module.clone(), module.clone()
        SimplifyPass().apply(Context(), default)
        assert not differs(module, default, inputs(case, element))
        assert apply_rules(fast, (rule,))[rule.name], f"{rule.name} does not fire for {element}:\n{module}"
        verify_module(fast)
        changed |= differs(module, fast, inputs(case, element))
    assert rule.inexact
    assert changed, f"{rule.name} is exact on all values: say so"


@pytest.mark.parametrize("rule", RULES, ids=name_of)
def test_only_for_the_elements_it_names(rule: Rule) -> None:
    """Where the program has a meaning for other elements, the rule leaves it alone."""
    for _, element, module in others(CASES[rule.name]):
        assert not apply_rules(module, (rule,)), f"{rule.name} fires for {element}"


@pytest.mark.sampled(4)
@pytest.mark.parametrize("rule", [r for r in RULES if r.name in CASES], ids=name_of)
def test_all_rules_together(rule: Rule) -> None:
    """The whole pass ends on each case, keeps the answer, and a second run changes nothing."""
    for case, element, module in firing(CASES[rule.name]):
        before = module.clone()
        SimplifyPass().apply(Context(), module)
        verify_module(module)
        assert not differs(before, module, inputs(case, element))
        once = str(module)
        SimplifyPass().apply(Context(), module)
        assert str(module) == once
        small: Case = case
        fast = build(small, element)
        assert fast is not None
        SimplifyPass(fast_math=True).apply(Context(), fast)
        verify_module(fast)
