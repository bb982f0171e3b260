"""What a function that runs rows has while it is written: the builder, and where values are."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from llvmlite import ir
from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from lowering.loop_to_llvm.index import index_value
from lowering.loop_to_llvm.metadata import LoopMetadata
from lowering.loop_to_llvm.scalars import scalar
from lowering.loop_to_llvm.types import I64, POINTER, VOID
from mlc_dialects.common.buffers import buffer_offset
from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.loop.dialect import AccumulateOp, AtomicOp, KernelOp, LoopOp
from mlc_support.errors import MlcError
from mlc_support.index_expr import IndexExpr, integer, variable
from mlc_support.index_maps import is_injective
from mlc_support.locations import location_of
from mlc_support.walks import walk

ZERO, ONE = ir.Constant(I64, 0), ir.Constant(I64, 1)


@dataclass(frozen=True)
class Lanes:
    """Iterations of the last axis of the rows that run together."""

    begin: ir.Value
    count: ir.Value
    """How many there are, at most `most`."""
    most: int
    index: SSAValue
    """The axis."""


def _no_mark(branch: ir.Value) -> None:
    """Says nothing of a loop."""


@contextmanager
def counted(
    builder: ir.IRBuilder, begin: ir.Value, end: ir.Value, mark: Callable[[ir.Value], None] = _no_mark
) -> Generator[ir.Value]:
    """A loop from `begin` to `end`; `mark` is given its branch back to the head."""
    before = builder.block
    head, body, after = (builder.append_basic_block(name) for name in ("head", "body", "after"))
    builder.branch(head)
    builder.position_at_end(head)
    index = builder.phi(I64)
    index.add_incoming(begin, before)
    builder.cbranch(builder.icmp_signed("<", index, end), body, after)
    builder.position_at_end(body)
    yield index
    following = builder.add(index, ONE, flags=("nsw",))
    index.add_incoming(following, builder.block)
    mark(builder.branch(head))
    builder.position_at_end(after)


def _has_own_place(op: AccumulateOp, loop: LoopOp) -> bool:
    """True if each iteration of `loop` accumulates elsewhere."""
    names = [variable(f"i{k}", size) for k, size in enumerate(loop.sizes)]
    own = dict[SSAValue, IndexExpr](zip(loop.indices, names, strict=True))
    meaning = {operand_name(k): own.get(value, integer(0)) for k, value in enumerate(op.indices)}
    place = buffer_offset(op.buffer.type, [expr.substitute(meaning) for expr in index_exprs(op.index)])
    return is_injective(place, names)


class Frame:
    """The function `@kernel.rows(buffers, sizes, failed, begin, end)`, as yet empty, and its values."""

    def __init__(self, module: ir.Module, kernel: KernelOp, sizes: Sequence[str]):
        types = [POINTER] * len(kernel.buffers) + [I64] * len(sizes) + [POINTER, I64, I64]
        self.function = ir.Function(module, ir.FunctionType(VOID, types), f"{kernel.sym_name.data}.rows")
        self.function.linkage = "internal"
        arguments = self.function.args
        self.buffers: dict[SSAValue, ir.Value] = dict(zip(kernel.buffers, arguments, strict=False))
        self._sizes = dict(zip(sizes, arguments[len(kernel.buffers) :], strict=False))
        self.failed, self.begin, self.end = arguments[-3:]
        self._entry = self.function.append_basic_block("entry")
        self.builder = ir.IRBuilder(self.function.append_basic_block("body"))
        self.exit = self.function.append_basic_block("exit")
        ir.IRBuilder(self.exit).ret_void()
        self.values: dict[SSAValue, ir.Value] = {}
        """Of this lane, where there are lanes, and this run of ops."""
        self.arrays: dict[SSAValue, ir.Value] = {}
        """Values of all lanes."""
        self.lanes: Lanes | None = None
        self._lane: ir.Value = ZERO
        self.metadata = LoopMetadata(module)
        self._scatters = any(isinstance(op, AtomicOp) for op in walk(kernel))
        self._has_parallel_lanes = self.is_parallel(kernel.rows)

    def is_parallel(self, loop: LoopOp) -> bool:
        """True if no iteration of `loop` reads or changes what another one writes."""
        added = [op for op in walk(loop) if isinstance(op, AccumulateOp)]
        alone = len({op.buffer for op in added}) == len(added)
        return not self._scatters and alone and all(_has_own_place(op, loop) for op in added)

    def finish(self) -> ir.Function:
        """The function, which ends here."""
        self.builder.branch(self.exit)
        ir.IRBuilder(self._entry).branch(self.function.blocks[1])
        return self.function

    def index(self, expr: IndexExpr, operands: Iterable[SSAValue] = ()) -> ir.Value:
        """The value of an expression over named sizes and `operands`."""
        names = {operand_name(k): self.value(v) for k, v in enumerate(operands)}
        return index_value(self.builder, expr, {**self._sizes, **names})

    def value(self, value: SSAValue) -> ir.Value:
        """What `value` is, in this lane."""
        if isinstance(value.owner, arith.ConstantOp):
            return scalar(self.builder, value.owner, [])
        if value in self.values:
            return self.values[value]
        return self.kept(self.arrays, value)

    def memory(self, kind: ir.Type, count: int) -> ir.Value:
        """Memory of the function, for `count` values."""
        return ir.IRBuilder(self._entry).alloca(kind, ir.Constant(I64, count))

    def keep(self, memory: dict[SSAValue, ir.Value], value: SSAValue, found: ir.Value) -> None:
        """Keeps `found` of this lane as what `memory` has for `value`."""
        if value not in memory:
            memory[value] = self.memory(found.type, 1 if self.lanes is None else self.lanes.most)
        self._of_lane(self.builder.store(found, self._element(memory[value])))

    def kept(self, memory: dict[SSAValue, ir.Value], value: SSAValue) -> ir.Value:
        """What `memory` has for `value` in this lane. MlcError where nothing of a CPU made it."""
        if value not in memory:
            place = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
            what = f"llvm: %{value.name_hint or 'value'} is no number that a kernel for CPUs computes"
            raise MlcError(what, location_of(place) if place else None, "mlc-opt -p cpu makes kernels for CPUs")
        return self._of_lane(self.builder.load(self._element(memory[value])))

    def _of_lane(self, access: Any) -> Any:
        """An access of what a lane has: that of another lane is elsewhere, that of loops around is the same."""
        inside = self._lane is not ZERO and self._has_parallel_lanes
        return self.metadata.access(access, self.metadata.depth - 1) if inside else access

    def _element(self, array: ir.Value) -> ir.Value:
        return self.builder.gep(array, [self._lane], inbounds=True)

    @contextmanager
    def loop(self, begin: ir.Value, end: ir.Value, parallel: bool, unrolled: bool = True) -> Generator[ir.Value]:
        """A loop from `begin` to `end`; of a `parallel` one all iterations may run at once."""
        with self.metadata.loop(parallel, unrolled) as mark, counted(self.builder, begin, end, mark) as index:
            yield index

    @contextmanager
    def each_lane(self) -> Generator[None]:
        """What is emitted inside is done for each lane; once, if there are none."""
        lanes = self.lanes
        if lanes is None:
            yield
            return
        around = self.values
        with self.loop(ZERO, lanes.count, self._has_parallel_lanes) as lane:
            self._lane = lane
            self.values = {**around, lanes.index: self.builder.add(lanes.begin, lane, flags=("nsw",))}
            yield
        self._lane, self.values = ZERO, around
