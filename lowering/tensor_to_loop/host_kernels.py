"""Builds the kernels of a host program from groups of tensor ops, and launches them on buffers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lowering.host.block import HostBlock
from lowering.host.source import names_evaluated
from lowering.tensor_to_loop.free_strides import free_strides
from lowering.tensor_to_loop.kernel_builder import KernelBuilder
from lowering.tensor_to_loop.kernel_names import KernelNames
from lowering.tensor_to_loop.nested_kernel import NestedKernelBuilder, nested_iteration
from mlc_dialects.common.annotations import ROUNDED, promised_strides, result_annotations
from mlc_dialects.common.buffers import buffer_strides, buffer_type
from mlc_dialects.common.types import Shape, element_type, shape_of
from mlc_dialects.iteration.domain import Domain
from mlc_dialects.iteration.iterate import Iteration, Refusal, iterate
from mlc_dialects.loop.host import AllocOp, LaunchOp
from mlc_dialects.tensor.calls import ONLINE, FusionOp
from mlc_dialects.tensor.gather_scatter import ScatterOp, points_of
from mlc_dialects.tensor.ops import CastOp, ReduceOp
from mlc_support.errors import MlcError
from mlc_support.index_expr import product
from mlc_support.locations import location_of

Values = Mapping[SSAValue, SSAValue]
Types = Mapping[SSAValue, Attribute]


class HostKernels:
    """Inserts the kernels of `function` before it in `module`, and their launches into `host`.

    A group is a collection of ops in program order; `bindings` maps its inputs to outer values.
    """

    def __init__(self, module: ModuleOp, function: func.FuncOp, host: HostBlock):
        self._module = module
        self._function = function
        self._host = host
        taken = {op.sym_name.data for op in module.ops if hasattr(op, "sym_name")}  # pyright: ignore
        self._names = KernelNames(taken.union(*map(names_evaluated, function.body.block.ops)))

    def compute(
        self, origin: Operation, ops: Collection[Operation], bindings: Values, outputs: Sequence[SSAValue]
    ) -> None:
        """Computes `outputs` with `ops` into a buffer for each result of `origin`, with the promised strides if any.

        An output that is an input shares that input's buffer.
        """
        inputs = [self._host.buffers[outer].type for outer in bindings.values()]
        strides = {v: self._strides(result, inputs) for v, result in zip(outputs, origin.results, strict=True)}
        distinct = dict.fromkeys(v for v in outputs if v.owner in ops)
        targets = {v: buffer_type(shape_of(v.type), element_type(v.type), strides[v]) for v in distinct}
        written = self._write(origin, ops, bindings, targets)
        for result, inner in zip(origin.results, outputs, strict=True):
            if inner in written:
                self._host.define(result, written[inner])
            else:
                self._host.buffers[result] = self._host.buffers[bindings[inner]]

    def copy(
        self,
        value: SSAValue,
        strides: Shape | None,
        origin: Operation,
        ops: Collection[Operation] = (),
        bindings: Values | None = None,
    ) -> SSAValue:
        """A new buffer with a copy of `value`; `ops` compute it from `bindings` if it has no buffer yet."""
        copy, holder = _copy_of(value, origin)
        needed = {**_needed(ops, [value]), copy: None}
        type_ = buffer_type(shape_of(value.type), element_type(value.type), strides)
        written = self._write(copy, needed, bindings or {value: value}, {copy.result: type_})
        holder.erase(safe_erase=False)
        return written[copy.result]

    def overwrite(self, target: SSAValue, value: SSAValue, origin: Operation) -> None:
        """Copies `value` into the buffer `target`."""
        copy, holder = _copy_of(value, origin)
        iteration = iterate([copy], [copy.result])
        assert isinstance(iteration, Iteration), "a copy is one kernel"
        self._launch(origin, [copy], iteration, {value: value}, {copy.result: target})
        holder.erase(safe_erase=False)

    def _strides(self, value: SSAValue, inputs: Sequence[Attribute]) -> Shape | None:
        """The strides promised for `value` if it is returned, else those its readers want; None for row-major."""
        returned = [use.index for use in value.uses if isinstance(use.operation, func.ReturnOp)]
        if returned:
            return promised_strides(result_annotations(self._function, returned[0]))
        return free_strides(value, inputs)

    def _write(
        self, origin: Operation, ops: Collection[Operation], bindings: Values, targets: Types
    ) -> dict[SSAValue, SSAValue]:
        """Buffers of the types `targets` with the results of `ops`, computed by one kernel or two."""
        pointed = [v for v in targets if _has_points(v)]
        if _is_online(origin) and pointed:
            iteration = nested_iteration(ops, pointed, list(bindings))
        else:
            iteration = _iteration(ops, pointed, origin)
        ops = _needed(ops, list(targets))
        if iteration.over_rows:
            return self._write_in_two(origin, ops, iteration, bindings, targets)
        buffers = self._buffers(origin, ops, bindings, targets)
        self._launch(origin, ops, iteration, bindings, buffers)
        return buffers

    def _write_in_two(
        self, origin: Operation, ops: Collection[Operation], iteration: Iteration, bindings: Values, targets: Types
    ) -> dict[SSAValue, SSAValue]:
        """Like `_write`: the first kernel reduces over all rows, the second computes what needs those sums."""
        sums = [op.result for op in iteration.over_rows]
        early = dict.fromkeys(op for op in ops if op in iteration.over_rows or iteration.late.isdisjoint(op.results))
        first = {v: t for v, t in targets.items() if v not in iteration.late}
        first |= {v: buffer_type(shape_of(v.type), element_type(v.type)) for v in sums}
        rows = iterate(early, list(first))
        assert isinstance(rows, Iteration), "a part of what one kernel can compute"
        written = self._buffers(origin, early, bindings, first)
        self._launch(origin, early, rows, bindings, written)
        self._host.buffers |= {v: written[v] for v in sums}
        late = {v: t for v, t in targets.items() if v in iteration.late}
        rest = dict.fromkeys(op for op in ops if not isinstance(op, ReduceOp))
        finish = iterate(rest, list(late))
        assert isinstance(finish, Iteration), "late values have one element a column"
        outer = {**bindings, **{v: v for v in sums}}
        finished = self._buffers(origin, rest, outer, late)
        self._launch(origin, rest, finish, outer, finished, named=iteration.over_rows)
        return written | finished

    def _launch(
        self,
        origin: Operation,
        ops: Collection[Operation],
        iteration: Iteration,
        bindings: Values,
        written: Values,
        named: Collection[Operation] = (),
    ) -> None:
        """Builds one kernel and launches it; it is called after `named`, or else `ops`."""
        read = {v: self._host.buffers[outer] for v, outer in bindings.items() if v in iteration.reads}
        stored = {v: buffer for v, buffer in written.items() if _has_points(v)}
        if not stored:
            return
        build = NestedKernelBuilder if _is_online(origin) else KernelBuilder
        builder = build(self._names.fresh(named or ops), ops, iteration, {v: b.type for v, b in read.items()})
        kernel = builder.build({v: b.type for v, b in stored.items()})
        kernel.location = origin.location
        kernel.attributes |= {k: v for k, v in origin.attributes.items() if k == ROUNDED}
        self._module.body.block.insert_op_before(kernel, self._function)
        self._host.add(LaunchOp(kernel.sym_name.data, [*read.values(), *stored.values()]), origin)

    def _buffers(
        self, origin: Operation, ops: Collection[Operation], bindings: Values, targets: Types
    ) -> dict[SSAValue, SSAValue]:
        """The buffers that a kernel writes: new ones, except that a scatter writes its target or a copy of it."""
        return {
            v: self._scattered_into(v.owner, t, ops, bindings)
            if isinstance(v.owner, ScatterOp)
            else self._new(t, origin)
            for v, t in targets.items()
        }

    def _new(self, type_: Attribute, origin: Operation) -> SSAValue:
        op = AllocOp(type_)
        self._host.add(op, origin)
        return op.buffer

    def _scattered_into(
        self, op: ScatterOp, type_: Attribute, ops: Collection[Operation], bindings: Values
    ) -> SSAValue:
        """The target of the scatter `op`, or a copy of it if others read it too."""
        outer = bindings.get(op.into)
        if outer is not None and op.into.has_one_use() and self._is_last_use(outer, type_):
            return self._host.buffers[outer]
        return self.copy(op.into, buffer_strides(type_), op, ops, bindings)

    def _is_last_use(self, value: SSAValue, type_: Attribute) -> bool:
        """True if a kernel computed the buffer of `value`, of `type_`, and there is no other reader."""
        buffer = self._host.buffers[value]
        made = isinstance(buffer.owner, AllocOp) and isinstance(value.owner, FusionOp)
        return made and value.has_one_use() and buffer.type == type_


def _is_online(origin: Operation) -> bool:
    """True for a fusion of products that follow each other."""
    return isinstance(origin, FusionOp) and origin.kind.data == ONLINE


def _copy_of(value: SSAValue, origin: Operation) -> tuple[CastOp, Block]:
    """An op that copies `value`, in a block of its own."""
    copy = CastOp(value, element_type(value.type))
    copy.location = origin.location
    return copy, Block([copy])


def _iteration(ops: Collection[Operation], outputs: Sequence[SSAValue], origin: Operation) -> Iteration:
    """How one kernel computes `outputs`, if there are any. MlcError if it cannot.

    Reductions that nobody reads count only where the outputs would not be one kernel's without them: a number has its
    place beside two elements if those are the columns of a row.
    """
    if not outputs:
        return Iteration(Domain(()), {})
    needed = _needed(ops, outputs)
    iteration = iterate(needed, outputs)
    if isinstance(iteration, Refusal):
        iteration = iterate(ops, outputs)
    if isinstance(iteration, Refusal):
        raise MlcError(
            f"tensor-to-loop: one kernel cannot compute this group: {iteration.why}", location=location_of(origin)
        )
    iteration.over_rows = [op for op in iteration.over_rows if op in needed]
    return iteration


def _has_points(value: SSAValue) -> bool:
    """False if `value` has no elements."""
    return product(points_of(value)).constant != 0


def _needed(ops: Collection[Operation], values: Sequence[SSAValue]) -> dict[Operation, None]:
    """The ops that compute `values`, in program order."""
    found: set[Operation] = set()
    work = [v.owner for v in values]
    while work:
        op = work.pop()
        if isinstance(op, Operation) and op in ops and op not in found:
            found.add(op)
            work += [v.owner for v in op.operands]
    return dict.fromkeys(op for op in ops if op in found)
