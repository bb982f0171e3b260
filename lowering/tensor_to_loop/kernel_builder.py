"""Builds the loops of one kernel from the tensor ops of a group.

    mlc_loop.parallel (%i, %j) = 0 to the extents of the parallel axes {
      one mlc_loop.reduce over the reduced axes for each level of reductions; the first stores results that need none
      stores of row results
      mlc_loop.parallel (%k, %l) = 0 to those of the reduced axes {
        stores of full results; accumulation into reductions over the rows
      }
    }

Each value is computed where it is needed, at the index it is needed at: f(x, y)[i] == f(x[i], y[i]), a view changes the
index, and a group input becomes a load. A value whose index has no reduced axis is computed once a row, outside the
loops over columns.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, LocationAttr, StringAttr, UnitAttr, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lowering.tensor_to_loop.scalar_code import Emitter, compute, orders_unsigned
from lowering.tensor_to_loop.unguarded import Unguarded
from mlc_dialects.common.index_syntax import axis_names, index_attribute, is_size_name, operand_name
from mlc_dialects.common.types import element_type, shape_of, storage
from mlc_dialects.iteration.domain import Axis, Domain, Index
from mlc_dialects.iteration.indirect_index import expression
from mlc_dialects.iteration.iterate import Iteration, reached, sources
from mlc_dialects.loop.dialect import (
    AccumulateOp,
    AtomicOp,
    IndexOp,
    IndirectIndexOp,
    KernelOp,
    LoadOp,
    ParallelOp,
    StoreOp,
    YieldOp,
)
from mlc_dialects.loop.dialect import ReduceOp as LoopReduceOp
from mlc_dialects.loop.random import RandomOp as LoopRandomOp
from mlc_dialects.loop.scan import ScanOp as LoopScanOp
from mlc_dialects.tensor.elementwise import FloorDivOp, RemainderOp
from mlc_dialects.tensor.gather_scatter import GatherOp, ScatterOp
from mlc_dialects.tensor.ops import ConstantOp, IotaOp, ReduceOp, SizeOp
from mlc_dialects.tensor.random import RandomOp
from mlc_dialects.tensor.scan import ScanOp
from mlc_dialects.tensor.views import CatOp, PadOp, ViewOp
from mlc_support.index_expr import IndexExpr, integer, variable
from mlc_support.index_maps import assumed, linearize

Key = tuple[SSAValue | str, Index, SSAValue | None]


@dataclass(frozen=True)
class Scope:
    """The body of a loop that is being built, its axes, and what it has computed."""

    block: Block
    axes: Sequence[Axis]
    known: dict[Key, SSAValue] = field(default_factory=dict[Key, SSAValue])


class KernelBuilder:
    """Builds one kernel; `buffers` has the type of each group input and output."""

    def __init__(self, name: str, ops: Collection[Operation], iteration: Iteration, inputs: dict[SSAValue, Attribute]):
        self._ops = ops
        self._iteration = iteration
        block = Block(arg_types=list(inputs.values()))
        self._buffers = dict(zip(inputs, block.args, strict=True))
        for value, argument in self._buffers.items():
            argument.name_hint = value.name_hint
        self.kernel = KernelOp(name, Region(block))
        self._rows = iteration.domain.parallel_axes
        self._columns = iteration.domain.reduced_axes
        points = assumed(iteration.domain.rows) * assumed(iteration.domain.columns)
        self._unguarded = Unguarded(ops, points, iteration.indirect)
        row_loop = ParallelOp(_extents(self._rows))
        block.add_op(row_loop)
        self._row = row_loop.body.block
        _name(self._row, 0)
        self._scopes = [Scope(self._row, self._rows)]
        """Of the loops around what is being built, the outermost first: the rows, then perhaps the columns."""

    @property
    def domain(self) -> Domain:
        return self._iteration.domain

    def build(self, outputs: Mapping[SSAValue, Attribute]) -> KernelOp:
        """The kernel that writes `outputs`, each to a buffer of the given type."""
        over_rows: dict[SSAValue, ReduceOp] = {op.result: op for op in self._iteration.over_rows}
        levels = _levels([op for op in self._ops if op not in over_rows.values()])
        targets = self._targets(outputs)
        full = [v for v in outputs if v in self._iteration.full]
        early = self._before_reductions(full) if levels else []
        for position, level in enumerate(levels):
            self._reduce(level, [(v, targets[v]) for v in early] if position == 0 else [])
        for value in outputs:
            if value not in full and value not in over_rows:
                self._store(value, targets[value])
        late = [v for v in outputs if v in over_rows or (v in full and v not in early)]
        if late:
            loop = ParallelOp(_extents(self._columns))
            self._enter(loop.body.block)
            for value in late:
                if value in over_rows:
                    self._accumulate(over_rows[value], targets[value])
                else:
                    self._store(value, targets[value])
            self._leave(loop)
        return self.kernel

    def _targets(self, outputs: Mapping[SSAValue, Attribute]) -> dict[SSAValue, SSAValue]:
        """The kernel's arguments for its outputs, after those for its inputs."""
        block = self.kernel.body.block
        targets: dict[SSAValue, SSAValue] = {
            value: block.insert_arg(type_, len(block.args)) for value, type_ in outputs.items()
        }
        for value, target in targets.items():
            target.name_hint = f"{value.name_hint or 'out'}_out"
        return targets

    def _before_reductions(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """Those of `values` that depend on no reduction: the first loop over the columns can store them."""
        needing: set[SSAValue] = set()
        for op in self._ops:
            if isinstance(op, ReduceOp | ScanOp | ScatterOp) or not needing.isdisjoint(op.operands):
                needing.update(op.results)
        return [v for v in values if v not in needing]

    @property
    def _column(self) -> Block | None:
        """The body of the loop over the columns, if it is being built."""
        return self._scopes[1].block if len(self._scopes) > 1 else None

    def _accumulate(self, reduce: ReduceOp, target: SSAValue) -> None:
        """Accumulates this row's part of a reduction over all rows."""
        assert self._column is not None
        points = self._iteration.own(reduce)
        value = self.value(reduce.input, points.point, None)
        operands, attribute = self._indices(points.row)
        op = AccumulateOp(reduce.kind.data, value, target, operands, attribute)
        op.location = reduce.location
        self._column.add_op(op)

    def _enter(self, block: Block) -> None:
        self._scopes.append(Scope(block, self._columns))
        _name(block, len(self._row.args))

    def _leave(self, loop: ParallelOp | LoopReduceOp) -> None:
        self._scopes.pop()
        self._row.add_op(loop)

    def _reduce(self, reductions: Sequence[ReduceOp], stored: Sequence[tuple[SSAValue, SSAValue]]) -> None:
        """One loop over the columns for independent reductions; it also stores `values`."""
        kinds = [op.kind.data for op in reductions]
        types = [storage(element_type(op.result.type)) for op in reductions]
        wide = [i32 if orders_unsigned(op) and t != i64 else t for op, t in zip(reductions, types, strict=True)]
        loop = LoopReduceOp(kinds, _extents(self._columns), wide)
        loop.tf32 = UnitAttr() if all(op.tf32 is not None for op in reductions) else None
        self._enter(loop.body.block)
        yielded = [self._reduced(op, loop.body.block) for op in reductions]
        for value, target in stored:
            self._store(value, target)
        loop.body.block.add_op(YieldOp(yielded))
        loop.location = reductions[-1].location
        self._leave(loop)
        for op, result, type_ in zip(reductions, loop.outputs, types, strict=True):
            result.name_hint = op.result.name_hint
            emit = Emitter(self._row, op.location, op.result.name_hint)
            self._scopes[0].known[op.result, self._iteration.own(op).row, None] = emit.scalars.convert(result, type_)

    def _reduced(self, op: ReduceOp, block: Block) -> SSAValue:
        """The input of a reduction; unsigned integers are widened to a signed type where their order matters."""
        value = self.value(op.input, self._iteration.own(op).point, None)
        if not orders_unsigned(op):
            return value
        return Emitter(block, op.location, value.name_hint).scalars.convert(value, i32, unsigned_from=True)

    def _store(self, value: SSAValue, target: SSAValue) -> None:
        index = self._iteration.stores[value]
        block = self._column if value in self._iteration.full else self._row
        assert block is not None
        op, kind = value.owner, "set"
        if isinstance(op, ScatterOp) and op in self._ops:
            value, kind = op.updates, op.kind.data
        stored = self.value(value, index, None)
        place = self._iteration.indirect.coordinates(op, index) if isinstance(op, ScatterOp) else index
        operands, attribute = self._indices(place)
        if kind == "set":
            store = StoreOp(stored, target, operands, attribute)
        else:
            store = AtomicOp(kind, stored, target, operands, attribute)
        store.location = _location(op.results[0] if isinstance(op, ScatterOp) else value) or store.location
        block.add_op(store)

    def value(self, value: SSAValue, index: Index, guard: SSAValue | None) -> SSAValue:
        """The scalar `value[index]`; where `guard` is false, nothing is read and the value is arbitrary."""
        if isinstance(value.owner, ConstantOp | SizeOp) and value.owner in self._ops:
            index, guard = (), None  # the same everywhere
        elif guard is not None and self._unguarded.holds(value, index):
            guard = None
        for key in ((value, index, None), (value, index, guard)):
            for scope in self._scopes:
                if key in scope.known:
                    return scope.known[key]
        scope = self._scope(index, guard)
        built = scope.known[value, index, guard] = self._build(value, index, guard, scope.block)
        return built

    def _scope(self, index: Index, guard: SSAValue | None) -> Scope:
        """Where a value at `index` is computed: in the innermost loop that it depends on, else once a row."""
        loops = self._iteration.indirect.loops(index)
        missing = {n for n in loops if not is_size_name(n)} - {a.unknown for s in self._scopes for a in s.axes}
        assert not missing, f"a value is needed outside the loop over {missing}"
        for scope in reversed(self._scopes):
            varies = not loops.isdisjoint(axis.unknown for axis in scope.axes)
            if varies or (guard is not None and guard.owner.parent is scope.block):
                return scope
        return self._scopes[0]

    def _build(self, value: SSAValue, index: Index, guard: SSAValue | None, block: Block) -> SSAValue:
        op = value.owner
        emit = Emitter(block, _location(value), value.name_hint)
        if op not in self._ops or not isinstance(op, Operation):
            operands, attribute = self._indices(index, guard)
            return emit.op(LoadOp(self._buffers[value], operands, attribute, guard))
        match op:
            case PadOp():
                return self._pad(op, index, guard, emit)
            case CatOp():
                return self._cat(op, index, guard, emit)
            case ViewOp():
                return self.value(op.input, op.source_index(index), guard)
            case GatherOp():
                return self.value(op.input, self._iteration.indirect.coordinates(op, index), guard)
            case ConstantOp():
                assert op.splat_value is not None
                return emit.op(arith.ConstantOp(op.splat_value))  # pyright: ignore[reportArgumentType]
            case RandomOp():
                return self._random(op, index, guard, emit)
            case ScanOp():
                return self._scan(op, emit)
            case IotaOp():
                return self._number(index[op.axis], op.result.type, guard, emit)
            case SizeOp():
                return self._number(op.expr, op.result.type, None, emit)
            case FloorDivOp() | RemainderOp() if (known := expression(value, index)) is not None:
                return self._number(known, op.result.type, guard, emit)  # of numbers that are not negative
            case _:
                operands = [self.value(v, i, guard) for v, i in sources(op, index)]
                return compute(op, operands, emit)

    def _random(self, op: RandomOp, index: Index, guard: SSAValue | None, emit: Emitter) -> SSAValue:
        """Random bits of the element's row-major position, in whatever order the kernel visits elements."""
        ((_, place),) = sources(op, index)
        seed = self.value(op.seeds, place, None)
        operands, attribute = self._indices((linearize(index, shape_of(op.result.type)),), guard)
        position = emit.op(IndexOp(operands, attribute))
        return emit.op(LoopRandomOp(seed, position, op.word.value.data))

    def _scan(self, op: ScanOp, emit: Emitter) -> SSAValue:
        """The inclusive prefix over the columns, computed for every column whatever the guard."""
        value = self.value(op.input, self._iteration.own(op).point, None)
        if self.domain.columns.constant == 1:
            return emit.scalars.constant(0, i64) if op.kind.data.startswith("arg") else value
        if orders_unsigned(op):
            value = emit.scalars.convert(value, i32, unsigned_from=True)
        scanned = emit.op(LoopScanOp(op.kind.data, value))
        return emit.scalars.convert(scanned, storage(element_type(op.result.type)))

    def _number(self, expr: IndexExpr, type_: Attribute, guard: SSAValue | None, emit: Emitter) -> SSAValue:
        operands, attribute = self._indices((expr,), guard)
        integer_value = emit.op(IndexOp(operands, attribute))
        return emit.scalars.convert(integer_value, storage(element_type(type_)))

    def _pad(self, op: PadOp, index: Index, guard: SSAValue | None, emit: Emitter) -> SSAValue:
        source = op.source_index(index)
        conditions: list[SSAValue] = []
        sizes = zip(op.input_shape, op.lows, op.shape, strict=True)
        for place, position, (size, low, padded) in zip(index, source, sizes, strict=True):
            if low and not position.is_non_negative():
                conditions.append(self._compare("ge", position, integer(0), guard, emit))
            if padded != size + low and not place.is_below(size + low):
                conditions.append(self._compare("lt", position, size, guard, emit))
        inside = self._all([*([guard] if guard else []), *conditions], emit)
        value = self.value(op.input, source, inside)
        padding = emit.op(arith.ConstantOp(op.value))  # pyright: ignore[reportArgumentType]
        padded = self._all(conditions, emit)
        return value if padded is None else emit.scalars.select(padded, value, padding)

    def _cat(self, op: CatOp, index: Index, guard: SSAValue | None, emit: Emitter) -> SSAValue:
        """The last input, replaced by an earlier one where the index is before that one's end.

        Only that one input is read, but for a stack that `_is_read_whole`, and none where the index never is.
        """
        inputs, stacked = reached(op, index), self._is_read_whole(op)
        ends = [op.offsets()[k + 1] for k in inputs[:-1]]
        before = [self._compare("lt", index[op.axis], end, guard, emit) for end in ends]
        result: SSAValue | None = None
        for position, (operand, source) in reversed([*enumerate(sources(op, index))]):
            own = [before[position]] if position < len(before) and not stacked else []
            own += [emit.scalars.not_(before[position - 1])] if position and not stacked else []
            value = self.value(operand, source, self._all([*([guard] if guard else []), *own], emit))
            result = value if result is None else emit.scalars.select(before[position], value, result)
        assert result is not None
        return result

    def _is_read_whole(self, op: CatOp) -> bool:
        """True if all inputs of a stack are read for each index, and one is taken.

        So where they are of one tensor, which is then read once, and where lanes next to each other take another input:
        conditions that differ from lane to lane keep loads from being vectors.
        """
        if not op.is_stack:
            return False
        if all(size.constant == 1 for size in shape_of(op.result.type)[op.axis + 1 :]):
            return True
        read = [self._read_for(value) for value in op.inputs]
        return len(set[SSAValue]().union(*read)) < sum(map(len, read))

    def _read_for(self, value: SSAValue) -> set[SSAValue]:
        """The inputs of the kernel that a value is computed from."""
        found, left = {value}, [value]
        while left:
            op = left.pop().owner
            if isinstance(op, Operation) and op in self._ops:
                new = set(op.operands) - found
                found |= new
                left.extend(new)
        return found & self._buffers.keys()

    def _compare(self, predicate: str, a: IndexExpr, b: IndexExpr, guard: SSAValue | None, emit: Emitter) -> SSAValue:
        operands, attribute = self._indices((a - b,), guard)
        difference = emit.op(IndexOp(operands, attribute))
        return emit.scalars.compare(predicate, difference, emit.scalars.constant(0, i64))

    def _all(self, conditions: Sequence[SSAValue], emit: Emitter) -> SSAValue | None:
        result: SSAValue | None = None
        for condition in conditions:
            result = condition if result is None else emit.op(arith.AndIOp(result, condition))
        return result

    def _indices(self, index: Index, guard: SSAValue | None = None) -> tuple[list[SSAValue], ArrayAttr[StringAttr]]:
        """The loop indices and indirect indices that `index` uses, and the attribute with its expressions."""
        used = {v.name for i in index for v in i.variables()}
        known: dict[str, SSAValue] = {}
        for scope in self._scopes:
            known |= _indices(scope.block, scope.axes)
        known |= {n: self._indirect_index(n, guard) for n in sorted(used) if n in self._iteration.indirect}
        names = [n for n in known if n in used]
        renamed = {n: variable(operand_name(k)) for k, n in enumerate(names)}
        return [known[n] for n in names], index_attribute([i.substitute(renamed) for i in index])

    def _indirect_index(self, name: str, guard: SSAValue | None) -> SSAValue:
        """The coordinate `name` as an index; unchecked where `guard` is false."""
        for scope in self._scopes:
            for key in ((name, (), None), (name, (), guard)):
                if key in scope.known:
                    return scope.known[key]
        coordinate = self._iteration.indirect[name]
        scope = self._scope(coordinate.at, guard)
        number = self.value(coordinate.indices, coordinate.at, guard)
        emit = Emitter(scope.block, self._iteration.indirect.reader(name).location, coordinate.indices.name_hint)
        found = emit.op(IndirectIndexOp(number, coordinate.size, guard))
        scope.known[name, (), guard] = found
        return found


def _extents(axes: Sequence[Axis]) -> list[IndexExpr]:
    """The extents of a loop over `axes`; without any it has one iteration."""
    return [axis.extent for axis in axes] or [integer(1)]


def _indices(block: Block, axes: Sequence[Axis]) -> dict[str, SSAValue]:
    """The indices of a loop over `axes` by their names in expressions."""
    return {axis.unknown: index for axis, index in zip(axes, block.args, strict=False)}


def _name(block: Block, first: int) -> None:
    """Names the indices of a loop, `first` being the number of those outside."""
    for name, index in zip(axis_names(first, len(block.args)), block.args, strict=True):
        index.name_hint = name


def _levels(ops: Collection[Operation]) -> list[list[ReduceOp]]:
    """Reductions by level: those of a level depend only on lower levels."""
    depth: dict[SSAValue, int] = {}

    def level(value: SSAValue) -> int:
        if value not in depth:
            op = value.owner
            inside = isinstance(op, Operation) and op in ops
            below = max((level(v) for v in op.operands), default=0) if inside else 0  # pyright: ignore
            depth[value] = below + (1 if isinstance(op, ReduceOp) and inside else 0)
        return depth[value]

    levels: dict[int, list[ReduceOp]] = {}
    for op in ops:
        if isinstance(op, ReduceOp):
            levels.setdefault(level(op.result), []).append(op)
    return [levels[k] for k in sorted(levels)]


def _location(value: SSAValue) -> LocationAttr | None:
    return value.owner.location if isinstance(value.owner, Operation) else None
