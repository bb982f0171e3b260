"""The tests of rules, formulas and layouts find mistakes: one that is missing, and one that builds the wrong thing.

What is missing must make a FileCheck test fail. A mutant of a rule gives another of its operands, swaps
operands of what it builds, negates or replaces it, and the interpreter must see that. Mutants that mean the
same (x + y for y + x) are no mistakes: of the exact algebra each must be caught that is not named as such.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from lowering.interpreter.run import run_values
from mlc_dialects.common.types import element_type, is_bool
from mlc_dialects.semantics.numerics import Value, same_bits
from mlc_dialects.tensor.elementwise import NegOp, NotOp
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import ConstantOp
from mlc_support.rewriting import Rule, apply_rules
from passes.loop.approximate import ApproximatePass
from passes.loop.byte_floats import ByteFloatsPass
from passes.loop.contract import ContractPass
from passes.tensor.canonicalize.algebra import ALGEBRA, filled
from passes.tensor.freeze import FreezePass
from passes.tensor.layout.layout import LayoutPass
from passes.tensor.recompose.recompose import RecomposePass
from passes.tensor.recompose.sites import FINDERS
from passes.tensor.simplify.simplify import EXACT
from passes.triton.shared_divisors import SharedDivisorsPass
from passes.triton.sink_repeats import SinkRepeatsPass
from tests.unit.changed_rules import changed, missing
from tests.unit.mutations import (
    asked,
    at_work,
    broken,
    composites,
    form_missing,
    found_as,
    rules,
    turned_as,
    turned_kinds,
    with_attributes_changed,
    with_numbers_changed,
    with_operand_negated,
)
from tests.unit.pass_examples import Example, answers, differs, examples
from tests.unit.rule_cases import Case, build, inputs
from tests.unit.rule_cases_exact import EXACT_CASES

pytestmark = pytest.mark.slow
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
        wrong, mutant = module.clone(), broken(mutation)(rule)
        if apply_rules(wrong, (mutant,)):
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


def by_name(name: str) -> list[Example]:
    """The examples in which a rule fires, those named after it first."""
    return sorted(at_work()[name], key=lambda e: not e.name.startswith(name))


def test_the_examples_pass_as_they_are() -> None:
    """Function by function, as they do file by file."""
    assert [e.name for e in examples() if not e.accepts(e.run())] == []


def test_a_missing_rule_is_noticed() -> None:
    """Of every pass there is: a FileCheck test fails without it."""
    unnoticed: set[str] = set()
    for name in rules():
        found = by_name(name)
        with changed({name: missing}):
            if all(e.accepts(e.run()) for e in found):
                unnoticed.add(name)
    assert not unnoticed


EVERY = {"open_composite"}
"""Rules that fire on every op of their kind."""


@pytest.mark.parametrize("name", sorted(rules().keys() - EVERY))
def test_a_rule_has_a_case_that_it_leaves_alone(name: str) -> None:
    """A function that keeps something has an op that the rule is asked about, and comes out as before."""
    asked_about = rules()[name].op_types
    others = (e for e in examples() if "keeps" in e.name and name in e.rules and e not in at_work()[name])
    assert any(isinstance(op, asked_about) for example in others for op in example.module.walk())


OF_KERNELS = (ApproximatePass(), ByteFloatsPass(), ContractPass(), SharedDivisorsPass(), SinkRepeatsPass())
KERNELS = {rule.name for step in OF_KERNELS for rule in step.rules()}
"""Rules on kernels, which stand in no program here: test_approximate, test_byte_floats, test_shared_divisors,
test_narrow_weights and those of attention with gradients measure what they do."""
EMPTY = {"fold_empty"}
"""Rules whose results have no elements that could be wrong."""
ELSEWHERE = {rule.name for rule in (*ALGEBRA, *EXACT)} | KERNELS | EMPTY


@pytest.mark.parametrize("name", sorted(rules().keys() - ELSEWHERE))
def test_a_wrong_rule_is_seen(name: str) -> None:
    """What it builds, negated or replaced by ones, gives other results in a FileCheck test."""
    exact, caught = not rules()[name].inexact, set[str]()
    for example in filter(answers, by_name(name)):
        assert not differs(example, example.run(), exact and example.is_exact), f"{name} is wrong in {example.name}"
        for mutation in (negated, one):
            with changed({name: broken(mutation)}):
                wrong = example.run()
            if differs(example, wrong, exact and example.is_exact):
                caught.add(mutation.__name__)
        if len(caught) == 2:
            return
    assert caught


@pytest.mark.parametrize("name", [f.composite.name for f in FINDERS])
def test_a_missing_formula_is_noticed(name: str) -> None:
    """Each spelling of a composite, and each form of its operands and attributes: a FileCheck test fails without it."""
    unnoticed: set[str] = set()
    for form in asked(name):
        with form_missing(form):
            if all(e.accepts(e.run()) for e, forms in composites()[name].items() if form in forms):
                unnoticed.add(str(form))
    assert not unnoticed


@pytest.mark.parametrize("name", [f.composite.name for f in FINDERS])
def test_a_wrong_formula_is_seen(name: str) -> None:
    """A composite of other operands, numbers or attributes gives other results; the one that is found does not."""
    changes = [*map(with_operand_negated, range(4)), with_numbers_changed, with_attributes_changed]
    seen: dict[int, bool] = {}
    for example in filter(answers, composites()[name]):
        bare = tuple(RecomposePass(fast_math=True) if s.name == "recompose" else s for s in example.pipeline)
        right = example.run(bare)
        assert not differs(example, right, exact=False), f"{name} is wrong in {example.name}"
        for position, change in enumerate(changes):
            if not seen.get(position):
                with found_as(name, change):
                    wrong = example.run(bare)
                if str(wrong) != str(right):
                    seen[position] = differs(example, wrong, exact=False)
    assert all(seen.values()) and seen, seen


@pytest.mark.parametrize("kind", sorted(turned_kinds()))
def test_a_wrong_layout_is_seen(kind: str) -> None:
    """Ones in the place of an op that layout turned."""

    def ones(op: Operation, new: Operation) -> Operation:
        is_kind = kind in {c.__name__ for c in type(op).__mro__} and len(new.results) == 1
        return filled(1, new.results[0]) if is_kind else new

    caught = False
    for example in filter(answers, examples()):
        kinds = {type(step) for step in example.pipeline}
        if not caught and LayoutPass in kinds and FreezePass not in kinds:  # which takes weights out of the program
            assert not differs(example, example.run(), exact=False), f"layout is wrong in {example.name}"
            with turned_as(ones):
                caught = differs(example, example.run(), exact=False)
    assert caught
