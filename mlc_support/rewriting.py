"""Rewrites as data: a rule is a function from an op to what replaces it, and its name.

    @rule
    def cancel_double_negation(op: NegOp) -> SSAValue | None:
        \"\"\"-(-x) == x\"\"\"
        inner = op.operands[0].owner
        return inner.operands[0] if isinstance(inner, NegOp) else None

    apply_rules(module, (cancel_double_negation, ...))

A rule looks and builds; it never changes the program itself. What it returns stands for the
op's results: values, an op (its results), or a list of new ops (the last one's results).
New ops are inserted before the op, in the order of their operands, with its location and those
of the ops that go with it.
"""

from __future__ import annotations

import inspect
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from types import UnionType
from typing import Any, Union, get_args, get_origin, overload

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.transforms.dead_code_elimination import is_trivially_dead
from xdsl.utils.worklist import Worklist

from mlc_support.errors import MlcError
from mlc_support.locations import location_of, merged
from mlc_support.walks import walk

Replacement = SSAValue | Operation | Sequence[SSAValue] | Sequence[Operation] | None
Observer = Callable[["Rule", Operation], object]

_FIRINGS_AN_OP = 16
_LEAST_BUDGET = 1000
_SEEN_FROM, _SEEN_ALONG = 2, 9
"""How many ops further down a rule may see that an op reads something else; and how many where each is read once."""
_FEW = 4
"""Uses of a value that are looked at to find its last reader; one op may read it more than once."""
_MOST_GONE = 16
"""Ops that one firing looks at for their locations."""


@dataclass(frozen=True, eq=False)
class Rule(RewritePattern):
    """A named rewrite of ops of `op_types`; also a pattern for xDSL's own drivers."""

    name: str
    identity: str
    op_types: tuple[type[Operation], ...]
    function: Callable[[Any], Replacement]
    inexact: bool = False
    """Changes some results: for NaN, infinities, the sign of zero, or by rounding."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        """Replace `op` where the rule says so."""
        if isinstance(op, self.op_types):
            replacement = self.function(op)
            if replacement is not None:
                replace(op, replacement, rewriter)


@overload
def rule(function: Callable[[Any], Replacement], /) -> Rule: ...
@overload
def rule(*, inexact: bool) -> Callable[[Callable[[Any], Replacement]], Rule]: ...
def rule(
    function: Callable[[Any], Replacement] | None = None, *, inexact: bool = False
) -> Rule | Callable[[Callable[[Any], Replacement]], Rule]:
    """Makes `function` a rule: its annotation says which ops, its docstring is the identity."""
    return partial(_rule, inexact=inexact) if function is None else _rule(function, inexact)


def rule_of(function: Callable[..., Replacement], *options: Any, inexact: bool = False) -> Rule:
    """As `rule`, of a function that takes `options` of the pass before the op."""
    return _rule(function, inexact, options)


def _rule(function: Callable[..., Replacement], inexact: bool, options: tuple[Any, ...] = ()) -> Rule:
    parameters = [*inspect.signature(function, eval_str=True).parameters.values()]
    annotation = parameters[-1].annotation if len(parameters) == len(options) + 1 else None
    types: tuple[Any, ...] = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    if not all(isinstance(t, type) and issubclass(t, Operation) for t in types):
        raise TypeError(f"rule {function.__name__} must take one op, annotated with its type")
    if not function.__doc__:
        raise TypeError(f"rule {function.__name__} needs the identity it implements as its docstring")
    rewrite = partial(function, *options) if options else function
    return Rule(function.__name__, inspect.cleandoc(function.__doc__), types, rewrite, inexact)


def replace(op: Operation, replacement: Replacement, rewriter: PatternRewriter) -> None:
    """Put `replacement` in the place of `op`: new ops before it, locations and names kept."""
    new_ops, results = _resolved(replacement)
    location = merged(gone.location for gone in islice(_goes_with(op, new_ops), _MOST_GONE)) if new_ops else op.location
    for new in new_ops:
        for nested in walk(new):
            if isinstance(nested.location, UnknownLoc):
                nested.location = location
    rewriter.replace(op, new_ops, results)


def _goes_with(op: Operation, new_ops: Sequence[Operation]) -> Iterator[Operation]:
    """`op`, and the ops that nobody reads once `new_ops` stand for it; constants have nothing to say."""
    gone: dict[Operation, None] = {op: None}
    stack = [op]
    while stack:
        current = stack.pop()
        yield current
        for value in current.operands:
            owner = value.owner if isinstance(value, OpResult) else None
            if owner is None or owner in gone or len(owner.results) != 1 or not owner.operands:
                continue
            # A use in no block, and not new, is what a rule built and then threw away.
            uses = (use.operation for use in value.uses)
            if all(user in gone or (user.parent is None and user not in new_ops) for user in uses):
                gone[owner] = None
                stack.append(owner)


def _resolved(replacement: Replacement) -> tuple[list[Operation], list[SSAValue]]:
    """The ops to insert, in order, and the values that replace the results."""
    if isinstance(replacement, SSAValue):
        return _unplaced([replacement]), [replacement]
    if isinstance(replacement, Operation):
        results: list[SSAValue] = [*replacement.results]
        return unplaced_ops([replacement]), results
    parts = [*(replacement or ())]
    if parts and isinstance(parts[-1], Operation):
        ops = [part for part in parts if isinstance(part, Operation)]
        return unplaced_ops(ops), [*ops[-1].results]
    values = [part for part in parts if isinstance(part, SSAValue)]
    return _unplaced(values), values


def _unplaced(values: Sequence[SSAValue]) -> list[Operation]:
    """The ops in no block that `values` are computed by."""
    return unplaced_ops([v.op for v in values if isinstance(v, OpResult)])


def unplaced_ops(roots: Sequence[Operation]) -> list[Operation]:
    """Those of `roots` and of the ops they depend on that are in no block, definitions first."""
    ordered: dict[Operation, None] = {}
    stack = [(op, False) for op in reversed(roots)]
    while stack:
        op, done = stack.pop()
        if op.parent is not None or op in ordered:
            continue
        if done:
            ordered[op] = None
            continue
        stack.append((op, True))
        inputs = [v.op for v in op.operands if isinstance(v, OpResult)]
        stack += [(owner, False) for owner in reversed(inputs) if owner.parent is None]
    return [*ordered]


def apply_rules(
    root: Operation,
    rules: Sequence[Rule],
    *,
    budget: int | None = None,
    observer: Observer | None = None,
) -> Counter[str]:
    """Apply `rules` inside `root` until none fires, and erase ops whose results nobody uses.

    For each op the first rule in order that fires wins. Gives the number of firings a rule.
    `observer` is called with the rule and the op before each replacement. Raises `MlcError`
    naming the rules at work when more than `budget` fire: by default 16 for each op.
    """
    counts = _Driver(rules, budget, observer).run([op for op in walk(root) if op is not root])
    _Driver((), budget, None).run(_forget_unplaced(root))  # erases what only those ops read
    return counts


def _forget_unplaced(root: Operation) -> list[Operation]:
    """Ops that a rule built before it gave up read nothing: they would keep what they read from being erased.

    Gives the ops inside `root` whose results they read.
    """
    found: list[Operation] = []
    for op in walk(root):
        values: Sequence[SSAValue] = op.results
        if op.regions:
            values = [*values, *(a for region in op.regions for block in region.blocks for a in block.args)]
        for value in values:
            unplaced = [reader for use in value.uses if (reader := use.operation).parent is None]
            for reader in unplaced:
                reader.drop_all_references()
                found.append(op)
    return found


def _is_unread(op: Operation) -> bool:
    """True for an op of results that nobody reads."""
    for result in op.results:
        if result.first_use is not None:
            return False
    return len(op.results) > 0


class RulePass(ModulePass):
    """A pass that applies rules: who runs it may watch them."""

    def rules(self) -> tuple[Rule, ...]:
        """Those that run, in order."""
        raise NotImplementedError

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite everywhere in the module."""
        self.rewrite(op)

    def rewrite(self, module: ModuleOp, observer: Observer | None = None) -> Counter[str]:
        """As `apply`; gives the number of firings of each rule."""
        return apply_rules(module, self.rules(), observer=observer)


class _Driver:
    """The worklist: every op once, then again each that a replacement may have given something new to see.

    Those are new ops; ops that read other values than before and, since rules look through what makes an
    operand, those that read what they give; and of a value that an op read which is gone the one reader
    that is left, or its maker where there is none. An op that still waits for its first visit, as do all that
    read it, has that only.
    """

    def __init__(self, rules: Sequence[Rule], budget: int | None, observer: Observer | None):
        self._rules = rules
        self._by_type: dict[type[Operation], tuple[Rule, ...]] = {}
        self._observer = observer
        self._counts: Counter[str] = Counter()
        self._recent: deque[str] = deque(maxlen=100)
        self._worklist: Worklist = Worklist()
        self._unseen: set[Operation] = set()
        self._left = budget
        self._rewriter = self._reporting_rewriter()

    def run(self, ops: Sequence[Operation]) -> Counter[str]:
        """Visit `ops`, in order, and others until nothing is left to visit."""
        if self._left is None:
            self._left = max(_LEAST_BUDGET, _FIRINGS_AN_OP * len(ops))
        ops = [op for op in ops if self._candidates(type(op)) or _is_unread(op)]
        for op in reversed(ops):
            self._worklist.push(op)
        self._unseen.update(ops)
        while self._worklist:
            op = self._worklist.pop()
            self._unseen.discard(op)
            self._visit(op)
        return self._counts

    def _visit(self, op: Operation) -> None:
        if op.parent is None:
            return
        if _is_unread(op) and is_trivially_dead(op):
            self._rewriter.erase(op)
            return
        for candidate in self._candidates(type(op)):
            replacement = candidate.function(op)
            if replacement is not None:
                self._fire(candidate, op, replacement)
                return

    def _candidates(self, op_type: type[Operation]) -> tuple[Rule, ...]:
        """The rules for ops of one class, in order."""
        found = self._by_type.get(op_type)
        if found is None:
            found = tuple(r for r in self._rules if issubclass(op_type, r.op_types))
            self._by_type[op_type] = found
        return found

    def _fire(self, fired: Rule, op: Operation, replacement: Replacement) -> None:
        assert self._left is not None
        self._counts[fired.name] += 1
        self._recent.append(fired.name)
        if self._left == 0:
            names = ", ".join(f"{name} ({n})" for name, n in Counter(self._recent).most_common())
            raise MlcError(
                f"the rewrite does not end: {self._counts.total()} firings, the last {len(self._recent)} by {names}",
                location_of(op),
                "these rules undo each other, or one of them builds what it matches",
            )
        self._left -= 1
        if self._observer is not None:
            self._observer(fired, op)
        replace(op, replacement, self._rewriter)

    def _reporting_rewriter(self) -> PatternRewriter:
        """A rewriter that tells the worklist what it does; it inserts nothing where it stands itself."""
        rewriter = PatternRewriter(InsertPoint.at_start(Block()))
        rewriter.operation_insertion_handler.append(self._worklist.push)
        rewriter.operation_modification_handler.append(self._revisit)
        rewriter.operation_removal_handler.append(self._forget)
        return rewriter

    def _revisit(self, op: Operation) -> None:
        """`op` reads something else, which those who read `op` may see through it."""
        front = [op]
        for steps in range(_SEEN_ALONG + 1):
            front = [reader for reader in front if reader not in self._unseen]
            if not front:
                return
            for reader in front:
                self._worklist.push(reader)
            values = [r for reader in front for r in reader.results if steps < _SEEN_FROM or r.has_one_use()]
            front = [use.operation for value in values for use in value.uses]

    def _forget(self, op: Operation) -> None:
        """`op` is about to go: what it read may be dead now, or read by one other op alone."""
        for nested in walk(op):
            self._worklist.remove(nested)
            for operand in nested.operands:
                readers = {use.operation for use in islice(operand.uses, _FEW)} - {nested}
                if len(readers) == 1:
                    self._revisit(*readers)
                elif not readers and isinstance(operand, OpResult) and not op.is_ancestor(operand.op):
                    self._worklist.push(operand.op)
