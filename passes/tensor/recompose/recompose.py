"""recompose: one composite op where a program spells softmax, layer norm, attention, ... in plain ones.

Each pattern is built from the composite's own meaning, so there is nothing to keep in step. A program
that is the reference up to the order of commuting operands becomes the bare op. One that differs by
rounding (other grouping, other scale, 16-bit intermediates) keeps its own ops in the op's region, and
decompose gives those back: no bit changes. With `fast-math` the region is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc_dialects.iteration.iterate import is_free
from mlc_dialects.tensor.calls import ExternOp, FusionOp, YieldOp
from mlc_dialects.tensor.composite_op import CompositeOp, Parameter
from mlc_dialects.tensor.ops import CastOp
from mlc_support.rewriting import Observer, Rule, RulePass, apply_rules
from passes.tensor.batched_products import MERGE_BATCHES, SPLIT_TRANSPOSES
from passes.tensor.canonicalize.views import compose_permutes
from passes.tensor.recompose.matcher import Bindings, Matcher, Start
from passes.tensor.recompose.nodes import MOST_OPS
from passes.tensor.recompose.pattern import NORMAL, Pattern, Site, patterns
from passes.tensor.recompose.sites import FINDERS, Finder, roots

Known = dict[tuple[type[CompositeOp], Site], list[Matcher]]
"""The patterns that were built in one run of the pass."""

_OPAQUE = (ExternOp, FusionOp)
"""What no composite stands for."""


@dataclass(frozen=True)
class RecomposePass(RulePass):
    """Find composite ops in plain ones."""

    name = "recompose"

    fast_math: bool = False
    """Keep no spelling: composites found differ from the program by rounding."""
    keep: bool = False
    """Keep every spelling, the reference's too: decompose then gives back names and lines of the user."""

    def rules(self) -> tuple[Rule, ...]:
        """Those that bring the program to the spelling of the patterns, all exact."""
        return (*NORMAL, *MERGE_BATCHES)

    def rewrite(self, module: ModuleOp, observer: Observer | None = None) -> Counter[str]:
        """As `apply`; counts each composite under its name."""
        counts = apply_rules(module, self.rules(), observer=observer)
        turned = apply_rules(module, SPLIT_TRANSPOSES, observer=observer)
        known: Known = {}
        for function in module.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                counts += _Search(function.body.block, self, known).run(observer)
        if turned:
            counts += turned + apply_rules(module, (compose_permutes,), observer=observer)
        return counts

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite every function of the module."""
        self.rewrite(op)


@dataclass(frozen=True)
class _Found:
    """A composite in the program."""

    pattern: Pattern
    bindings: Bindings
    results: tuple[SSAValue, ...]
    """What stands for the first results of the pattern."""
    ops: tuple[Operation, ...]
    exact: bool
    place: Operation
    """The op that the composite goes before."""


class _Search:
    """Looks for composites in one block."""

    def __init__(self, block: Block, options: RecomposePass, known: Known):
        self._block = block
        self._options = options
        self._known = known
        self._place = {op: i for i, op in enumerate(block.ops)}
        self._anchors: dict[type[Operation], list[Operation]] = {a: [] for f in FINDERS for a in f.anchors}
        for op in block.ops:
            if (same := self._anchors.get(type(op))) is not None:
                same.append(op)

    def run(self, observer: Observer | None) -> Counter[str]:
        """Every finder in order, every op that may give its composite away."""
        counts: Counter[str] = Counter()
        for finder in FINDERS:
            anchors = [op for kind in finder.anchors for op in self._anchors[kind] if op.parent is self._block]
            for anchor in sorted(anchors, key=self._place.__getitem__):
                found = self._at(finder, anchor) if anchor.parent is self._block else None
                if found is not None:
                    name = f"recompose_{finder.composite.name.partition('.')[2]}"
                    counts[name] += 1
                    if observer is not None:
                        observer(Rule(name, finder.composite.__doc__ or "", (), lambda op: None), anchor)
                    self._replace(found)
        return counts

    def _at(self, finder: Finder, anchor: Operation) -> _Found | None:
        """The largest composite that `anchor` is part of."""
        if (source := finder.source_of(anchor)) is None:
            return None
        matchers: dict[Attribute, list[tuple[Matcher, Start]]] = {}
        known: dict[str, Start | None] = {}
        for root in roots(finder, anchor):
            begun = matchers.get(root.type)
            if begun is None:
                starts = [(m, m.begun(anchor, known)) for m in self._matchers(finder, anchor, source, root)]
                begun = matchers[root.type] = [(m, start) for m, start in starts if start is not None]
            for matcher, start in begun:
                found = self._match(matcher, root, start)
                if found is not None:
                    return found
        return None

    def _matchers(self, finder: Finder, anchor: Operation, source: Operation, root: SSAValue) -> Iterator[Matcher]:
        """One for each spelling of the composite, at each site that is guessed."""
        for site in finder.guess(anchor, source, root):
            key = (finder.composite, site)
            known = self._known.get(key)
            if known is None:
                known = self._known[key] = [Matcher(p) for p in patterns(*key)]
            yield from known

    def _match(self, matcher: Matcher, root: SSAValue, start: Start) -> _Found | None:
        pattern, found = matcher.pattern, matcher.whole(root, start)
        if found is None or len(found[0].operands) != pattern.count:
            return None
        bindings, exact = found
        inputs = [bindings.operands[i] for i in range(pattern.count)]
        ops = self._between(inputs, root)
        if ops is None:
            return None
        results = self._results(matcher, root, ops, bindings, exact)
        place = None if results is None else self._insertion(inputs, results, ops)
        if results is None or place is None:
            return None
        return _Found(pattern, bindings, results, ops, exact, place)

    def _results(
        self,
        matcher: Matcher,
        root: SSAValue,
        ops: Sequence[Operation],
        known: Bindings,
        exact: bool,
    ) -> tuple[SSAValue, ...] | None:
        """What the composite must give, and what comes before that in its list; None if it does not give all."""
        match = matcher.strictly if exact else matcher.loosely
        found = [root]
        needed = [*self._needed(ops, root)]
        for result in matcher.pattern.results[1:]:
            if all(v in found for v in needed):
                break
            same = [v for op in ops for v in op.results if v.type == result.type]
            found += [v for v in (*needed, *same) if v in same and match(result, v, known) is not None][:1]
        return tuple(found) if all(v in found for v in needed) else None

    def _between(self, inputs: Sequence[SSAValue], root: SSAValue) -> tuple[Operation, ...] | None:
        """The ops that compute `root` from `inputs`, in order; None if they read anything else."""
        seen: set[Operation] = set()
        work = [root]
        while work:
            value = work.pop()
            if value in inputs:
                continue
            if not isinstance(value, OpResult) or type(op := value.op) in _OPAQUE or len(seen) > MOST_OPS:
                return None
            if op not in seen:
                seen.add(op)
                work += op.operands
        return tuple(sorted(seen, key=self._place.__getitem__))

    def _needed(self, ops: Sequence[Operation], root: SSAValue) -> Iterator[SSAValue]:
        """Values of `ops` that others read, save what is as cheap to make again."""
        inside = set(ops)
        closed: set[Operation] = set()
        for op in ops:
            if all([v.owner in closed for v in op.operands]):
                closed.add(op)
                continue
            read = [v for v in op.results if v != root and any(u.operation not in inside for u in v.uses)]
            if read and not is_free(op) and not isinstance(op, CastOp):
                yield from read

    def _replace(self, found: _Found) -> None:
        """Puts the composite where its root was; what nobody else reads goes into its spelling, or is erased."""
        root = found.results[0]
        assert isinstance(root.owner, Operation)
        inputs = [found.bindings.operands[i] for i in range(found.pattern.count)]
        bare = self._options.fast_math or (found.exact and not self._options.keep)
        block = None if bare else Block(arg_types=[v.type for v in inputs])
        op = _composite(found, inputs, block)
        op.location = root.owner.location
        Rewriter().insert_op(op, InsertPoint.before(found.place))
        self._place[op] = self._place[found.place]
        self._anchors.get(type(op), []).append(op)
        inside = set(found.ops)
        for new, old in zip(op.outputs, found.results, strict=True):
            new.name_hint = old.name_hint
            old.replace_uses_with_if(new, lambda use: use.operation not in inside)
        unread = _unread_outside(found.ops)
        if block is not None:
            _spell(block, found, inputs, unread)
            return
        for op in reversed(found.ops):
            if op in unread:
                Rewriter.erase_op(op)

    def _insertion(
        self, inputs: Sequence[SSAValue], results: Sequence[SSAValue], ops: Sequence[Operation]
    ) -> Operation | None:
        """An op that gives a result, with all inputs before it and whoever else reads the results behind it."""
        readers = {u.operation for v in results[1:] for u in v.uses} - {*ops}
        made = [self._place[v.owner] for v in inputs if isinstance(v.owner, Operation)]
        for op in (v.owner for v in results):
            assert isinstance(op, Operation)
            place = self._place[op]
            if max(made, default=-1) < place and all(self._place[r] > place for r in readers if r in self._place):
                return op
        return None


def _composite(found: _Found, inputs: Sequence[SSAValue], block: Block | None) -> CompositeOp:
    """The composite that is found, with a region of `block` if that is given."""
    numbers = {name: found.bindings.numbers[name] for name in found.pattern.site.open}
    parameters: dict[str, Parameter] = {**dict(found.pattern.site.parameters), **numbers}
    types = [v.type for v in found.pattern.results[: len(found.results)]]
    return found.pattern.composite(inputs, parameters, None if block is None else Region(block), types)


def _unread_outside(ops: Sequence[Operation]) -> set[Operation]:
    """Those of `ops` that nobody else reads: what stays has a reader that stays."""
    inside = set(ops)
    for op in reversed(ops):
        if any(use.operation not in inside for result in op.results for use in result.uses):
            inside.remove(op)
    return inside


def _spell(block: Block, found: _Found, inputs: Sequence[SSAValue], movable: set[Operation]) -> None:
    """Fills `block`, of the composite's operands, with the program's own ops: `movable` ones, copies of others."""
    values: dict[SSAValue, SSAValue] = dict(zip(inputs, block.args, strict=True))
    for argument, value in zip(block.args, inputs, strict=True):
        argument.name_hint = value.name_hint
    for op in found.ops:
        if op in movable:
            op.detach()
            operands = op.operands
            for position, value in enumerate(operands):
                if value in values:
                    operands[position] = values[value]
            block.add_op(op)
        else:
            copy = op.clone(values)
            copy.location = op.location
            block.add_op(copy)
    block.add_op(YieldOp([values.get(v, v) for v in found.results]))
