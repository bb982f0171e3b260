"""Rules and the driver that applies them."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import FileLineColLoc, FusedLoc, IntAttr, ModuleOp, NoneAttr, StringAttr, f32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker

from mlc_dialects.common.types import tensor_type
from mlc_dialects.tensor.elementwise import AbsOp, AddOp, ExpOp, NegOp, SqrtOp, SubOp
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import ConstantOp
from mlc_dialects.tensor.views import PermuteOp
from mlc_support.errors import MlcError
from mlc_support.rewriting import Rule, apply_rules, rule, rule_of
from passes.tensor.canonicalize.canonicalize import RULES

TYPE = tensor_type([4, 8], f32)
PLACE = FileLineColLoc(StringAttr("model.py"), IntAttr(7), IntAttr(3))


@rule
def cancel_double_negation(op: NegOp) -> SSAValue | None:
    """-(-x) == x"""
    inner = op.operands[0].owner
    return inner.operands[0] if isinstance(inner, NegOp) else None


@rule
def expand_subtraction(op: SubOp) -> Operation | None:
    """x - y == x + (-y)"""
    return AddOp(op.operands[0], NegOp(op.operands[1]))


@rule
def swap(op: AddOp) -> Operation:
    """x + y == y + x, for ever"""
    return AddOp(op.operands[1], op.operands[0])


def program(ops: Sequence[Operation], block: Block) -> ModuleOp:
    """A module with `ops`, returning what the last gives."""
    block.add_ops(ops)
    block.add_op(func.ReturnOp(ops[-1].results[0]))
    types = [a.type for a in block.args], [ops[-1].results[0].type]
    return ModuleOp([func.FuncOp("main", types, Region(block))])


def test_a_rule_knows_its_name_identity_and_ops() -> None:
    """What traces print, and what the driver dispatches on."""
    assert cancel_double_negation.name == "cancel_double_negation"
    assert cancel_double_negation.identity == "-(-x) == x"
    assert cancel_double_negation.op_types == (NegOp,)


def test_a_rule_needs_an_annotated_op_and_a_docstring() -> None:
    """A rule without an identity is a mistake found when it is written."""
    with pytest.raises(TypeError, match="needs the identity"):

        @rule
        def nameless(op: NegOp) -> None:
            return None

    with pytest.raises(TypeError, match="annotated"):

        @rule
        def untyped(op) -> None:
            """x == x"""


def test_a_rule_may_take_options_before_its_op() -> None:
    """It has the types of the op, and of the options what it was given."""

    def chosen(wanted: bool, op: NegOp | AddOp) -> Operation | None:
        """-x == x, for one who wants that"""
        return NegOp(op.operands[0]) if wanted else None

    block = Block(arg_types=[TYPE])
    neg = NegOp(block.args[0])
    block.add_op(neg)
    for wanted in (True, False):
        made = rule_of(chosen, wanted, inexact=True)
        assert (made.name, made.identity, made.inexact) == ("chosen", "-x == x, for one who wants that", True)
        assert made.op_types == (NegOp, AddOp) and (made.function(neg) is not None) is wanted
    with pytest.raises(TypeError, match="annotated"):
        rule_of(chosen)


def test_new_ops_come_in_order_with_location_and_name() -> None:
    """Inputs before the op that uses them, all at the place of the op they replace."""
    block = Block(arg_types=[TYPE, TYPE])
    sub = SubOp(*block.args)
    sub.location, sub.result.name_hint = PLACE, "difference"
    module = program([sub], block)
    assert apply_rules(module, (expand_subtraction,)) == {"expand_subtraction": 1}
    neg, add, _ = block.ops
    assert isinstance(neg, NegOp) and isinstance(add, AddOp)
    assert neg.location == PLACE and add.location == PLACE
    assert add.result.name_hint == "difference"
    module.verify()


def test_a_location_of_its_own_is_kept() -> None:
    """Only what has no place gets the place of the op it replaces."""
    other = FileLineColLoc(StringAttr("other.py"), IntAttr(1), IntAttr(1))

    @rule
    def placed(op: SubOp) -> Operation:
        """x - y == x + (-y)"""
        neg = NegOp(op.operands[1])
        neg.location = other
        return AddOp(op.operands[0], neg)

    block = Block(arg_types=[TYPE, TYPE])
    sub = SubOp(*block.args)
    sub.location = PLACE
    program([sub], block)
    apply_rules(block.parent_op().parent_op(), (placed,))
    assert [op.location for op in block.ops][:2] == [other, PLACE]


def test_an_op_for_several_has_their_locations() -> None:
    """x - -y == x + y stands for both, but not for a negation that is read elsewhere."""
    other = FileLineColLoc(StringAttr("other.py"), IntAttr(1), IntAttr(1))

    @rule
    def subtract_negated(op: SubOp) -> Operation | None:
        """x - -y == x + y"""
        neg = op.operands[1].owner
        return AddOp(op.operands[0], neg.operands[0]) if isinstance(neg, NegOp) else None

    for read_twice in (False, True):
        block = Block(arg_types=[TYPE, TYPE])
        neg = NegOp(block.args[1])
        sub = SubOp(block.args[0], neg)
        neg.location, sub.location = other, PLACE
        program([neg, sub, ExpOp(neg), AddOp(sub, neg)] if read_twice else [neg, sub], block)
        apply_rules(block.parent_op().parent_op(), (subtract_negated,))
        added = next(op for op in block.ops if isinstance(op, AddOp))
        assert added.location == (PLACE if read_twice else FusedLoc((PLACE, other), NoneAttr()))


def test_rules_of_a_base_class_see_every_op_of_it() -> None:
    """The annotation may be a base class or a union."""
    seen: list[str] = []

    @rule
    def look(op: ElementwiseOp | PermuteOp) -> None:
        """x == x"""
        seen.append(op.name)

    block = Block(arg_types=[TYPE])
    exp = ExpOp(block.args[0])
    module = program([exp, PermuteOp(exp, [1, 0])], block)
    apply_rules(module, (look,))
    assert seen == ["mlc_tensor.exp", "mlc_tensor.permute"]


def test_replacement_by_a_list_of_ops_is_the_results_of_the_last() -> None:
    """What a lowering returns."""

    @rule
    def lower(op: SubOp) -> list[Operation]:
        """x - y == x + (-y)"""
        neg = NegOp(op.operands[1])
        return [neg, AddOp(op.operands[0], neg)]

    block = Block(arg_types=[TYPE, TYPE])
    apply_rules(program([SubOp(*block.args)], block), (lower,))
    assert [op.name for op in block.ops] == ["mlc_tensor.neg", "mlc_tensor.add", "func.return"]


def test_dead_ops_are_erased() -> None:
    """What a rewrite leaves unused goes, with what only it used."""
    block = Block(arg_types=[TYPE])
    dead = ConstantOp.splat(1.0, [4, 8], f32)
    neg = NegOp(block.args[0])
    apply_rules(program([dead, ExpOp(dead), neg, NegOp(neg)], block), (cancel_double_negation,))
    assert [op.name for op in block.ops] == ["func.return"]


def test_rules_that_never_end_are_named() -> None:
    """A swap fires for ever: the error says which rule, and where."""
    block = Block(arg_types=[TYPE, TYPE])
    add = AddOp(*block.args)
    add.location = PLACE
    with pytest.raises(MlcError, match=r"does not end: .* by swap \(100\)") as error:
        apply_rules(program([add], block), (swap, cancel_double_negation))
    assert "model.py:7:3" in str(error.value)


def test_the_observer_sees_every_firing() -> None:
    """For traces: the rule, and the op while it is still there."""
    fired: list[tuple[str, str]] = []

    def observe(fired_rule: Rule, op: Operation) -> None:
        fired.append((fired_rule.name, op.name))

    block = Block(arg_types=[TYPE])
    neg = NegOp(block.args[0])
    apply_rules(program([neg, NegOp(neg)], block), (cancel_double_negation,), observer=observe)
    assert fired == [("cancel_double_negation", "mlc_tensor.neg")]


def test_a_rule_is_a_pattern_of_xdsl() -> None:
    """So that xDSL's own canonicalizer and walker can use it."""
    block = Block(arg_types=[TYPE])
    neg = NegOp(block.args[0])
    module = program([neg, NegOp(neg)], block)
    PatternRewriteWalker(GreedyRewritePatternApplier([cancel_double_negation])).rewrite_module(module)
    assert [op.name for op in block.ops] == ["func.return"]


def test_ten_thousand_ops_take_linear_time() -> None:
    """Ten times the ops take no more than twenty times as long."""

    def seconds(count: int) -> float:
        block = Block(arg_types=[TYPE])
        value: SSAValue = block.args[0]
        ops: list[Operation] = []
        for _ in range(count // 4):
            ops += [NegOp(value), PermuteOp(value, [0, 1])]
            ops += [NegOp(ops[-2].results[0]), ExpOp(ops[-1].results[0])]
            value = AddOp(ops[-2].results[0], ops[-1].results[0]).result
            ops.append(value.owner)
        module = program(ops, block)
        start = time.process_time()
        apply_rules(module, RULES)
        return time.process_time() - start

    assert seconds(10_000) < 20 * min(seconds(1_000) for _ in range(3))


@rule
def give_up_late(op: NegOp) -> Operation | None:
    """Builds a sum and then thinks better of it."""
    AddOp(op.operands[0], op.operands[0])
    return None


def test_what_a_rule_built_in_vain_reads_nothing() -> None:
    """Else what it reads could never be erased."""
    block = Block(arg_types=[TYPE])
    exp = ExpOp(block.args[0])
    negated = NegOp(exp)
    module = program([exp, negated], block)
    apply_rules(module, [give_up_late])
    assert [use.operation for use in exp.results[0].uses] == [negated]


def test_what_only_such_ops_read_is_erased() -> None:
    """In the same run: a second one changes nothing."""
    block = Block(arg_types=[TYPE])
    exp = ExpOp(block.args[0])
    NegOp(exp)
    module = program([exp, NegOp(block.args[0])], block)
    apply_rules(module, [give_up_late])
    assert not any(isinstance(op, ExpOp) for op in module.walk())


@rule
def forget_sign(op: ExpOp) -> Operation | None:
    """e ** -x == e ** |x|, which is not so, where -x is read once"""
    negative = op.operands[0].owner
    once = isinstance(negative, NegOp) and op.operands[0].has_one_use()
    return ExpOp(AbsOp(negative.operands[0])) if once else None


@rule
def look_far(op: SqrtOp) -> SSAValue | None:
    """sqrt(exp(exp(... |x|))) == x, which is not so"""
    value = op.operands[0]
    while isinstance(value.owner, ExpOp):
        value = value.owner.operands[0]
    return value.owner.operands[0] if isinstance(value.owner, AbsOp) else None


@pytest.mark.parametrize("between", [1, 2, 9])
def test_a_rule_that_looks_far_sees_what_changes_late(between: int) -> None:
    """The last reader of the negation is found when the other one, dead and behind, goes; what looks at that then."""
    block = Block(arg_types=[TYPE])
    ops: list[Operation] = [NegOp(block.args[0])]
    for _ in range(between):
        ops.append(ExpOp(ops[-1]))
    root = SqrtOp(ops[-1])
    module = program([*ops, root], block)
    block.insert_op_after(NegOp(ops[0]), root)
    assert apply_rules(module, [forget_sign, look_far]) == {"forget_sign": 1, "look_far": 1}
