"""Copies kernels whose loops change: each old loop index becomes an expression over new ones."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import copy
from functools import lru_cache

from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, StringAttr, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from mlc_dialects.common.index_syntax import index_attribute, index_exprs, operand_name
from mlc_dialects.common.scalar_builder import Scalars
from mlc_dialects.loop.dialect import (
    AccumulateOp,
    AtomicOp,
    IndexOp,
    IndirectIndexOp,
    KernelOp,
    LoadOp,
    LoopOp,
    ParallelOp,
    ReduceOp,
    SignalOp,
    StoreOp,
    WaitOp,
    YieldOp,
)
from mlc_support.index_expr import IndexExpr, product, variable
from mlc_support.index_maps import delinearize
from mlc_support.locations import merged
from mlc_support.walks import walk
from passes.common.cse import op_key

Place = tuple[list[SSAValue], ArrayAttr[StringAttr]]
"""Loop indices, and expressions over them."""
ROW = "row"
"""What index expressions call the row of a kernel that keeps its rows."""


class LoopCopy:
    """Copies ops of one kernel into another whose loop indices differ."""

    def __init__(self, kernel: KernelOp, name: str, extra: Sequence[SSAValue] = ()):
        """`extra` are buffers of the host program that the copy has besides the original's."""
        old = kernel.body.block
        self.block = Block(arg_types=[*old.arg_types, *(b.type for b in extra)])
        self.kernel = KernelOp(name, Region(self.block))
        self.kernel.location, self._outer_location = kernel.location, kernel.rows.location
        self.kernel.schedule, self.kernel.why = kernel.schedule, kernel.why
        self.kernel.attributes |= kernel.attributes
        self.extra = self.block.args[len(old.args) :]
        self.values: dict[SSAValue, SSAValue] = dict(zip(old.args, self.block.args, strict=False))
        for argument, new in zip(old.args, self.block.args, strict=False):
            new.name_hint = argument.name_hint
        for argument in self.extra:
            argument.name_hint = "partial"
        self._old, self._outer = list(old.args), list(extra)
        self._meaning: dict[SSAValue, IndexExpr] = {}
        self._indices: dict[str, SSAValue] = {}
        self._late: dict[str, IndexExpr] = {}

    @property
    def indices(self) -> Mapping[str, SSAValue]:
        """The new loops' indices by name."""
        return self._indices

    def outer(self, size: IndexExpr, name: str) -> ParallelOp:
        """The loop over the programs, `size` of them, as yet empty; its index is called `name`."""
        return self.nest({name: size})[name]

    def nest(self, sizes: Mapping[str, IndexExpr]) -> dict[str, ParallelOp]:
        """A perfect nest of loops over the programs, the outermost first, as yet empty: their sizes by their names."""
        loops: dict[str, ParallelOp] = {}
        block = self.block
        for name, size in sizes.items():
            loop = loops[name] = ParallelOp(size)
            loop.index.name_hint, loop.location = name, self._outer_location
            block.add_op(loop)
            block = loop.body.block
        return loops

    def axes(self, sizes: Mapping[str, IndexExpr]) -> ParallelOp:
        """One loop over the programs along several axes, as yet empty: their sizes by their names."""
        loop = ParallelOp(tuple(sizes.values()))
        self._indices |= zip(sizes, loop.indices, strict=True)
        loop.location = self._outer_location
        self.block.add_op(loop)
        return loop

    def twin(self) -> LoopCopy:
        """Another copy of what is copied from here on, into the same kernel: its indices may mean something else."""
        twin = copy(self)
        twin.values, twin._meaning, twin._late = dict(self.values), dict(self._meaning), dict(self._late)
        return twin

    def nest_along(self, rows: ParallelOp, axes: Mapping[str, Sequence[int]]) -> dict[str, ParallelOp]:
        """The nest that takes the place of `rows`: each of its loops goes along some axes of it as if they were one."""
        sizes = {name: product(rows.sizes[d] for d in own) for name, own in axes.items()}
        loops = self.nest(sizes)
        for name, own in axes.items():
            places = delinearize(variable(name, sizes[name]), tuple(rows.sizes[d] for d in own))
            for d, place in zip(own, places, strict=True):
                self.bind(rows.indices[d], place, {name: loops[name].index})
        return loops

    def bind(self, index: SSAValue, meaning: IndexExpr, indices: dict[str, SSAValue]) -> None:
        """From here on the old loop index `index` is `meaning`, whose variables are the new loops' indices."""
        self._meaning[index] = meaning
        self._indices |= indices

    def indexed(self, expr: IndexExpr, block: Block) -> SSAValue:
        """The value of an expression over the new loops' indices."""
        operands, attribute = index_of([expr], self._indices)
        op = IndexOp(operands, attribute)
        block.add_op(op)
        return op.result

    def op(self, op: Operation, block: Block, inside: SSAValue | None = None) -> None:
        """Copies `op` to the end of `block`; loads and stores only happen where `inside` is true.

        A loop keeps its iterations, all of them.
        """
        new = self._rebuilt(op, block, inside)
        self._add(op, new, block)
        if isinstance(new, IndirectIndexOp):
            name = self._new_name()
            self.bind(op.results[0], variable(name, new.size), {name: new.result})

    def op_once(self, op: Operation, block: Block, made: dict[Hashable, Operation]) -> None:
        """As `op`, for one without effects, regions or names: an equal copy that is `made` already stands for it."""
        place: Place | None = None
        if isinstance(op, LoadOp | IndexOp):
            place = self._place(op.index, op.indices)
            others = [self.values[v] for v in op.operands if v not in op.indices]
            key: Hashable = (type(op), op.results[0].type, place[1], *place[0], *others)
        else:
            key = op_key(op, self.values)
        same = made.get(key)
        if same is None:
            made[key] = self._rebuilt(op, block, None, place)
            self._add(op, made[key], block)
            return
        if same.location != op.location:
            same.location = merged((same.location, op.location))
        self.values |= zip(op.results, same.results, strict=True)

    def _add(self, op: Operation, new: Operation, block: Block) -> None:
        """Adds `new`, the copy of `op`, to the end of `block`."""
        new.location = op.location
        block.add_op(new)
        for old, result in zip(op.results, new.results, strict=True):
            self.values[old] = result
            result.name_hint = old.name_hint

    def define_late(self, name: str, expr: IndexExpr) -> None:
        """The variable `name` stands for `expr`, but only once indices are simplified by what its extent tells."""
        self._late[name] = expr

    def _new_name(self) -> str:
        """What no index is called in expressions."""
        return f"g{len(self._indices)}"

    def loop(
        self, op: LoopOp, name: str, size: IndexExpr, position: IndexExpr, beyond: IndexExpr | None = None
    ) -> LoopOp:
        """The loop `op` with `size` iterations, whose index is called `name`; the old index is `position`.

        Iterations where `beyond` is not negative do nothing.
        """
        loop: LoopOp = ParallelOp(size)
        if isinstance(op, ReduceOp):
            loop = ReduceOp([k.data for k in op.kinds], size, op.result_types)
            loop.approx, loop.tf32 = op.approx, op.tf32
            if op.span is not None:
                loop.operands, loop.span = self._place(op.span, op.near)
        loop.index.name_hint, loop.location = name, op.location
        self.bind(op.index, position, {name: loop.index})
        body = loop.body.block
        inside = None if beyond is None else self._negative(beyond, body)
        for inner in op.body.block.ops:
            if isinstance(inner, YieldOp):
                own = None if inner.condition is None else self.values[inner.condition]
                body.add_op(YieldOp([self.values[v] for v in inner.values], _both(body, own, inside)))
            else:
                self.op(inner, body, inside)
        return loop

    def _negative(self, expr: IndexExpr, block: Block) -> SSAValue:
        scalars = Scalars(block.add_op)
        return scalars.compare("lt", self.indexed(expr, block), scalars.constant(0, i64))

    def _rebuilt(self, op: Operation, block: Block, inside: SSAValue | None, place: Place | None = None) -> Operation:
        """The copy of `op`, in no block as yet; `place` is where it loads or what it computes, if that is known."""
        if isinstance(op, LoopOp):
            name = self._new_name()
            whole = self.loop(op, name, op.size, variable(name, op.size))
            whole.index.name_hint = op.index.name_hint
            return whole
        if isinstance(op, IndirectIndexOp):
            return IndirectIndexOp(self.values[op.value], op.size, self._condition(op, inside, block), op.unchecked)
        if not isinstance(op, LoadOp | StoreOp | AtomicOp | AccumulateOp | IndexOp | SignalOp | WaitOp):
            return op.clone(self.values)
        place = place or self._place(op.index, op.indices)
        match op:
            case IndexOp():
                return IndexOp(*place, op.result.type)
            case SignalOp():
                return SignalOp(self.values[op.value], self.values[op.flags], *place)
            case WaitOp():
                return WaitOp(self.values[op.flags], *place, op.result.type)
            case LoadOp():
                return LoadOp(self.values[op.buffer], *place, self._condition(op, inside, block))
            case StoreOp():
                value, buffer = self.values[op.value], self.values[op.buffer]
                return StoreOp(value, buffer, *place, self._condition(op, inside, block))
            case AccumulateOp():
                assert inside is None, "accumulates in all iterations"
                return AccumulateOp(op.kind.data, self.values[op.value], self.values[op.buffer], *place)
            case AtomicOp():
                value, buffer = self.values[op.value], self.values[op.buffer]
                return AtomicOp(op.kind.data, value, buffer, *place, self._condition(op, inside, block))

    def _place(self, index: ArrayAttr[StringAttr], operands: Sequence[SSAValue]) -> Place:
        """Expressions over the old loops' indices, as such over those of the new ones."""
        renamed = {operand_name(k): self._meaning[v] for k, v in enumerate(operands)}
        return index_of([e.substitute(renamed).substitute(self._late) for e in index_exprs(index)], self._indices)

    def _condition(
        self, op: LoadOp | StoreOp | AtomicOp | IndirectIndexOp, inside: SSAValue | None, block: Block
    ) -> SSAValue | None:
        """Where the op's own condition and `inside` are true; None where neither is given."""
        return _both(block, None if op.condition is None else self.values[op.condition], inside)

    def finish(self) -> tuple[KernelOp, list[SSAValue]]:
        """The kernel without dead ops and unused buffers, and those of the original and `extra` that it has."""
        for op in reversed(list(walk(self.kernel))):
            unused = op.results and not any(r.uses for r in op.results) and not _stores(op)
            if unused and op.parent is not None:
                Rewriter.erase_op(op)
        kept: list[SSAValue] = []
        for old, new in zip([*self._old, *self._outer], list(self.block.args), strict=True):
            if new.uses:
                kept.append(old)
            else:
                self.block.erase_arg(new)
        return self.kernel, kept


def with_loops(kernel: KernelOp, replace: Callable[[LoopCopy, LoopOp, Block], Sequence[SSAValue]]) -> KernelOp:
    """`kernel` with other loops in its rows: `replace` adds those for one to the block, and gives its results."""
    copy, old = LoopCopy(kernel, kernel.sym_name.data), kernel.rows
    rows = copy.outer(old.size, old.index.name_hint or "p")
    copy.bind(old.index, variable(ROW, old.size), {ROW: rows.index})
    for op in old.body.block.ops:
        if not isinstance(op, LoopOp):
            copy.op(op, rows.body.block)
            continue
        for before, after in zip(op.results, replace(copy, op, rows.body.block), strict=True):
            copy.values[before] = after
            after.name_hint = before.name_hint
    return copy.finish()[0]


def index_of(
    exprs: Sequence[IndexExpr], indices: Mapping[str, SSAValue]
) -> tuple[list[SSAValue], ArrayAttr[StringAttr]]:
    """The loop indices that `exprs` name, and the attribute that says how."""
    used = {v.name for e in exprs for v in e.variables()}
    names = tuple(n for n in indices if n in used)
    return [indices[n] for n in names], index_attribute([_over_operands(e, names) for e in exprs])


@lru_cache(maxsize=1 << 12)
def _over_operands(expr: IndexExpr, names: tuple[str, ...]) -> IndexExpr:
    """The expression with what `names` says for the first operand, the second, ..."""
    return expr.substitute({name: variable(operand_name(k)) for k, name in enumerate(names)})


def _both(block: Block, a: SSAValue | None, b: SSAValue | None) -> SSAValue | None:
    """True where both conditions are; None stands for what is always true."""
    if a is None or b is None:
        return a or b
    both = arith.AndIOp(a, b)
    block.add_op(both)
    return both.result


def _stores(op: Operation) -> bool:
    """True if the op, or one inside it, writes memory."""
    return any(isinstance(inner, StoreOp) for inner in walk(op))
