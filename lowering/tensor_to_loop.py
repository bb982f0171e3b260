"""tensor-to-loop: every fusion becomes a kernel, every function a host program on buffers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FunctionType,
    MemRefType,
    ModuleOp,
    TensorType,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from lowering.host_layout import Order, Place, channels_last_strides, permuted_buffer, same_layout, view_of
from lowering.host_source import OPERAND_STRIDES, SYMBOLS
from lowering.kernel_builder import KernelBuilder
from lowering.kernel_names import KernelNames
from mlc_dialects.buffers import buffer_strides, buffer_type
from mlc_dialects.domains import Domain
from mlc_dialects.index_syntax import index_exprs, is_size_name
from mlc_dialects.iteration import Iteration, Refusal, is_free, iterate
from mlc_dialects.loop_host import AllocOp, CallOp, FreeOp, LaunchOp, ViewOp
from mlc_dialects.loop_host import ConstantOp as BufferConstantOp
from mlc_dialects.tensor_calls import CHANNELS_LAST, ExternOp, FusionOp, channels_first, channels_last
from mlc_dialects.tensor_indexing import ScatterOp, points_of
from mlc_dialects.tensor_ops import CastOp, ConstantOp, MatmulOp, ReduceOp
from mlc_dialects.types import Shape, element_type, shape_of
from mlc_support.errors import MlcError
from mlc_support.index_expr import integer, product
from mlc_support.index_maps import row_major_strides
from mlc_support.locations import location_of

STRIDES = "mlc.strides"
"""Argument, result and call attribute: strides in elements, where they are not row-major."""
ALIAS = "mlc.alias"
"""Result attribute: the program itself says that the result shares memory with an argument or an earlier
result. All others have memory of their own, also where they are the value of an argument."""
KERNEL = "mlc.kernel"
"""Call attribute: a kernel does it (`aten.copy_` of tensors alike)."""
VIEW = "mlc.view"
"""Call attribute: the results look at the memory of the first operand."""


@dataclass(frozen=True)
class TensorToLoopPass(ModulePass):
    """Lowers functions of tensors to kernels and host programs.

    A group's outputs get buffers of their own. Views become views of buffers where strides can
    express them and copies where not. Results have the strides that the function promises.
    """

    name = "tensor-to-loop"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(op.ops):
            if isinstance(function, func.FuncOp) and function.body.blocks:
                HostProgram(op, function).lower()


class HostProgram:
    """The host program of one function, written op by op into a new block."""

    def __init__(self, module: ModuleOp, function: func.FuncOp):
        self._module = module
        self._function = function
        self._old = function.body.block
        self._buffers: dict[SSAValue, SSAValue] = {}
        self._kernel_names = KernelNames(op.sym_name.data for op in module.ops if hasattr(op, "sym_name"))  # pyright: ignore
        self._block = Block()
        self._roots: dict[SSAValue, SSAValue] = {}
        self._kept: dict[int, SSAValue] = {}
        self._given: set[SSAValue] = set()

    def lower(self) -> None:
        """Replaces the function's body."""
        for position, argument in enumerate(self._old.args):
            type_ = argument.type
            if isinstance(type_, TensorType):
                self._check_sizes(type_)
                type_ = buffer_type(shape_of(type_), type_.element_type, self._promised(position, "arg_attrs"))
            new = self._block.insert_arg(type_, position)
            new.name_hint, new.location = argument.name_hint, argument.location
            self._buffers[argument] = new
        for op in self._old.ops:
            self._lower_op(op)
        self._function.body.detach_block(self._old)
        self._function.body.add_block(self._block)
        self._add_frees()
        last = self._block.last_op
        assert last is not None
        inputs = [a.type for a in self._block.args]
        self._function.function_type = FunctionType.from_lists(inputs, list(last.operand_types))

    def _check_sizes(self, type_: Attribute) -> None:
        for name in sorted(v.name for size in shape_of(type_) for v in size.variables()):
            if not is_size_name(name):
                raise MlcError(
                    f"tensor-to-loop: a size cannot be called {name}, which means something else in kernels",
                    location=location_of(self._function),
                    hint="p, r, d0, g0, ... are indices; call it N",
                )

    def _promised(self, position: int, key: str) -> Shape | None:
        """The strides that an argument or result has by its attribute; None for row-major."""
        attributes = self._function.properties.get(key)
        if not isinstance(attributes, ArrayAttr) or not isinstance(attributes.data[position], DictionaryAttr):
            return None
        strides = attributes.data[position].data.get(STRIDES)
        return None if strides is None else index_exprs(strides)

    def _lower_op(self, op: Operation) -> None:
        match op:
            case func.ReturnOp():
                results = [self._returned(v, i) for i, v in enumerate(op.operands)]
                self._add(func.ReturnOp(*results), op)
            case FusionOp():
                self._kernel(
                    op,
                    dict.fromkeys(op.body.block.ops),
                    dict(zip(op.body.block.args, op.inputs, strict=True)),
                    op.yielded,
                )
            case ExternOp():
                self._extern(op)
            case MatmulOp():
                self._matmul(op)
            case ConstantOp() if isinstance(op.value, DenseIntOrFPElementsAttr):
                type_ = buffer_type(shape_of(op.result.type), element_type(op.result.type))
                self._define(op.result, self._add(BufferConstantOp(op.value, type_), op))
            case _ if is_free(op):
                if op.results[0] not in self._buffers:
                    self._free_op(op)
            case _ if op.name.startswith("mlc_tensor."):
                self._kernel(op, {op}, {v: v for v in op.operands}, op.results)
            case _:
                raise MlcError(f"tensor-to-loop: no lowering for {op.name}", location=location_of(op))

    def _add(self, op: Operation, origin: Operation) -> SSAValue | None:
        op.location = origin.location
        self._block.add_op(op)
        return op.results[0] if op.results else None

    def _define(self, value: SSAValue, buffer: SSAValue | None) -> None:
        assert buffer is not None
        buffer.name_hint = value.name_hint
        self._buffers[value] = buffer

    def _kernel(
        self,
        origin: Operation,
        ops: Collection[Operation],
        bindings: dict[SSAValue, SSAValue],
        outputs: Sequence[SSAValue],
        strides: Shape | None = None,
    ) -> list[SSAValue]:
        """A kernel for `ops`, its launch, and the new buffers it writes; `bindings` maps inputs to outer values."""
        distinct = list(dict.fromkeys(v for v in outputs if v.owner in ops))
        results = dict(zip(outputs, origin.results, strict=False))
        targets: dict[SSAValue, Attribute] = {
            v: buffer_type(shape_of(v.type), element_type(v.type), strides or self._wanted(results.get(v)))
            for v in distinct
        }
        written = self._launches(origin, ops, bindings, targets)
        for result, inner in zip(origin.results, outputs, strict=False):
            if inner in written:
                self._define(result, written[inner])
            else:
                self._buffers[result] = self._buffers[bindings[inner]]
        return list(written.values())

    def _launches(
        self,
        origin: Operation,
        ops: Collection[Operation],
        bindings: dict[SSAValue, SSAValue],
        targets: dict[SSAValue, Attribute],
    ) -> dict[SSAValue, SSAValue]:
        """The buffers of `targets`, which one kernel writes; a second one finishes what needs sums over all rows."""
        visited = [v for v in targets if product(points_of(v)).constant != 0]
        ops = _needed(ops, list(targets))
        iteration = iterate(ops, visited) if visited else Iteration(Domain(()), {})
        if isinstance(iteration, Refusal):
            raise MlcError(f"tensor-to-loop: this group is no kernel: {iteration.why}", location=location_of(origin))
        if not iteration.across:
            return self._launch(origin, ops, iteration, bindings, targets)
        sums = [op.result for op in iteration.across]
        early = dict.fromkeys(op for op in ops if op in iteration.across or iteration.late.isdisjoint(op.results))
        first = {v: t for v, t in targets.items() if v not in iteration.late}
        first |= {v: buffer_type(shape_of(v.type), element_type(v.type)) for v in sums}
        rows = iterate(early, list(first))
        assert isinstance(rows, Iteration), "a part of what one kernel can compute"
        written = self._launch(origin, early, rows, bindings, first)
        self._buffers |= {v: written[v] for v in sums}
        late = {v: t for v, t in targets.items() if v in iteration.late}
        rest = dict.fromkeys(op for op in ops if not isinstance(op, ReduceOp))
        finish = iterate(rest, list(late))
        assert isinstance(finish, Iteration), "late values have one element a column"
        outer = bindings | {v: v for v in sums}
        return written | self._launch(origin, rest, finish, outer, late, named=iteration.across)

    def _launch(
        self,
        origin: Operation,
        ops: Collection[Operation],
        iteration: Iteration,
        bindings: dict[SSAValue, SSAValue],
        targets: dict[SSAValue, Attribute],
        named: Sequence[Operation] = (),
    ) -> dict[SSAValue, SSAValue]:
        """One kernel that writes `targets`, its launch, and the buffers; `bindings` maps inputs to outer values.

        Its name says what `named`, or else `ops`, compute.
        """
        read = [v for v in bindings if v in iteration.reads]
        types = {v: self._buffers[bindings[v]].type for v in read}
        written = {v: self._target(v, t, ops, bindings, origin) for v, t in targets.items()}
        stored = {v: t for v, t in targets.items() if product(points_of(v)).constant != 0}
        if stored:
            kernel = KernelBuilder(self._kernel_names.fresh(named or ops), ops, iteration, types).build(stored)
            kernel.location = origin.location
            self._module.body.block.insert_op_before(kernel, self._function)
            arguments = [self._buffers[bindings[v]] for v in read] + [written[v] for v in stored]
            self._add(LaunchOp(kernel.sym_name.data, arguments), origin)
        return written

    def _target(
        self,
        value: SSAValue,
        type_: Attribute,
        ops: Collection[Operation],
        bindings: dict[SSAValue, SSAValue],
        origin: Operation,
    ) -> SSAValue:
        """The buffer that a kernel writes `value` to: a new one, which for a scatter holds what is scattered into."""
        op = value.owner
        if not isinstance(op, ScatterOp):
            buffer = self._add(AllocOp(type_), origin)
            assert buffer is not None
            return buffer
        outer = bindings.get(op.into)
        if outer is not None and op.into.has_one_use() and self._is_last_use(outer, type_):
            return self._buffers[outer]
        copy = CastOp(op.into, element_type(op.into.type))
        copy.location = op.location
        holder = Block([copy])
        needed = {**_needed(ops, [op.into]), copy: None}
        (filled,) = self._kernel(copy, needed, bindings, copy.results, buffer_strides(type_))
        holder.erase(safe_erase=False)
        return filled

    def _is_last_use(self, value: SSAValue, type_: Attribute) -> bool:
        """True if nothing else ever sees the buffer of `value`, of `type_`: a kernel made it, for one reader."""
        buffer = self._buffers[value]
        made = isinstance(buffer.owner, AllocOp) and isinstance(value.owner, FusionOp)
        return made and value.has_one_use() and buffer.type == type_

    def _wanted(self, value: SSAValue | None) -> Shape | None:
        """The strides that the function promises for `value`, if it returns it; None for row-major."""
        for use in value.uses if value is not None else ():
            if isinstance(use.operation, func.ReturnOp):
                return self._promised(use.index, "res_attrs")
        return None

    def _free_op(self, op: Operation) -> None:
        """A view of the operand's buffer where strides can say it; else a kernel that copies."""
        result = op.results[0]
        if op.operands:
            source = self._buffers[op.operands[0]]
            place = view_of(op, Place.of(source.type))
            if place is not None:
                type_ = buffer_type(shape_of(result.type), element_type(result.type), place.strides)
                self._define(result, self._add(ViewOp(source, place.offset, type_), op))
                self._roots[self._buffers[result]] = self._root(source)
                return
        self._kernel(op, {op}, {v: v for v in op.operands}, op.results)

    def _matmul(self, op: MatmulOp) -> None:
        shape = shape_of(op.result.type)
        callee = {2: "aten.mm.default", 3: "aten.bmm.default"}.get(len(shape), "aten.matmul.default")
        type_ = buffer_type(shape, element_type(op.result.type))
        call = CallOp(callee, [self._buffers[op.lhs], self._buffers[op.rhs]], [type_])
        self._define(op.result, self._add(call, op))

    def _extern(self, op: ExternOp) -> None:
        last = CHANNELS_LAST in op.attributes
        promised = op.attributes.get(STRIDES)
        types: list[Attribute] = []
        for position, result in enumerate(op.outputs):
            strides = promised.data[position] if isinstance(promised, ArrayAttr) else None
            explicit = index_exprs(strides) if isinstance(strides, ArrayAttr) else None
            is_tensor = isinstance(result.type, TensorType)
            types.append(_buffer_of(result.type, explicit) if is_tensor else result.type)
        inputs = [self._buffers[v] for v in op.inputs]
        if op.impure is not None:
            self._keep_results(op, {self._root(b) for b in inputs})
        if KERNEL in op.attributes and len(inputs) == 1:  # a tensor written to itself
            self._buffers[op.outputs[0]] = inputs[0]
            return
        if KERNEL in op.attributes and self._root(inputs[0]) is not self._root(inputs[1]):
            self._write(op)
            return
        if last:
            inputs = [self._permuted(b, channels_first, op) for b in inputs]
            types = [permuted_buffer(t, channels_first) for t in types]
        call = CallOp(op.callee.data, inputs, types, op.arguments, op.keywords)
        call.attributes |= {k: v for k, v in op.attributes.items() if k in (SYMBOLS, OPERAND_STRIDES)}
        if last:
            call.attributes[OPERAND_STRIDES] = ArrayAttr([channels_last_strides(b.type) for b in inputs])
        self._add(call, op)
        for result, output in zip(op.outputs, call.outputs, strict=True):
            buffer = self._permuted(output, channels_last, op) if last else output
            self._define(result, buffer)
            if VIEW in op.attributes and inputs:
                self._roots[buffer] = self._root(inputs[0])

    def _write(self, op: ExternOp) -> None:
        """A kernel that copies the second operand to the memory of the first, which is also the result."""
        place, value = op.inputs
        target = self._buffers[place]
        copy = CastOp(value, element_type(value.type))
        holder = Block([copy])
        iteration = iterate([copy], [copy.result])
        assert not isinstance(iteration, Refusal), "a copy is one kernel"
        if product(shape_of(value.type)).constant != 0:
            kernel = KernelBuilder(
                self._kernel_names.fresh([copy]), [copy], iteration, {value: self._buffers[value].type}
            )
            built = kernel.build({copy.result: target.type})
            built.location = op.location
            self._module.body.block.insert_op_before(built, self._function)
            self._add(LaunchOp(built.sym_name.data, [self._buffers[value], target]), op)
        holder.erase(safe_erase=False)
        for result in op.outputs:
            self._buffers[result] = target

    def _permuted(self, buffer: SSAValue, order: Order, origin: Operation) -> SSAValue:
        """A view of a buffer of four or more dimensions in another order; others as they are."""
        type_ = permuted_buffer(buffer.type, order)
        if type_ == buffer.type:
            return buffer
        view = self._add(ViewOp(buffer, integer(0), type_), origin)
        assert view is not None
        view.name_hint = buffer.name_hint
        self._roots[view] = self._root(buffer)
        return view

    def _root(self, buffer: SSAValue) -> SSAValue:
        """The buffer whose memory `buffer` looks at."""
        return self._roots.get(buffer, buffer)

    def _keep_results(self, call: ExternOp, read: Collection[SSAValue]) -> None:
        """Copies the results that lie in memory which `call` may write: arguments, or what `op_` is given."""
        writes = call.callee.data.split(".")[-2:][0].endswith("_")
        last = self._old.last_op
        for position, value in enumerate(last.operands if isinstance(last, func.ReturnOp) else ()):
            root = self._root_of_value(value)
            written = root in read and (writes or isinstance(root, BlockArgument))
            if written and position not in self._kept and not self._is_alias(position):
                self._lower_views(value)
                self._kept[position] = self._copied(value, position)

    def _root_of_value(self, value: SSAValue) -> SSAValue | None:
        """The buffer that holds a value, also if it is a view that comes later; None if it is not computed yet."""
        while value not in self._buffers:
            if not isinstance(value.owner, Operation) or not is_free(value.owner) or not value.owner.operands:
                return None
            value = value.owner.operands[0]
        return self._root(self._buffers[value])

    def _lower_views(self, value: SSAValue) -> None:
        """Lowers the views that lead to a value, unless they are."""
        if value not in self._buffers and isinstance(value.owner, Operation):
            self._lower_views(value.owner.operands[0])
            self._free_op(value.owner)

    def _is_alias(self, position: int) -> bool:
        attributes = self._function.properties.get("res_attrs")
        entry = attributes.data[position] if isinstance(attributes, ArrayAttr) else None
        return isinstance(entry, DictionaryAttr) and ALIAS in entry.data

    def _returned(self, value: SSAValue, position: int) -> SSAValue:
        """The buffer of a result, copied if its strides are not the ones promised or its memory is another's."""
        buffer = self._kept.get(position, self._buffers[value])
        if position in self._kept or not isinstance(value.type, TensorType):
            return buffer
        root, alias = self._root(buffer), self._is_alias(position)
        if alias and isinstance(buffer, BlockArgument):
            return buffer
        shape = shape_of(value.type)
        shared = not alias and (isinstance(root, BlockArgument) or root in self._given)
        if not shared and same_layout(buffer_strides(buffer.type), self._result_strides(value, position), shape):
            self._given.add(root)
            return buffer
        return self._copied(value, position)

    def _result_strides(self, value: SSAValue, position: int) -> Shape:
        return self._promised(position, "res_attrs") or row_major_strides(shape_of(value.type))

    def _copied(self, value: SSAValue, position: int) -> SSAValue:
        """A buffer of its own for result `position`."""
        copy = CastOp(value, element_type(value.type))
        if self._old.last_op is not None:
            copy.location = self._old.last_op.location
        holder = Block([copy])
        (copied,) = self._kernel(copy, {copy}, {value: value}, copy.results, self._result_strides(value, position))
        holder.erase(safe_erase=False)
        return copied

    def _add_frees(self) -> None:
        """Says after which op each buffer is read no more; views keep what they look at."""
        last: dict[SSAValue, Operation] = {}
        root: dict[SSAValue, SSAValue] = {}
        for op in self._block.ops:
            if isinstance(op, ViewOp):
                root[op.result] = root.get(op.input, op.input)
            for operand in op.operands:
                last[root.get(operand, operand)] = op
        for buffer, op in last.items():
            held = isinstance(buffer.owner, Operation) and isinstance(buffer.type, MemRefType)
            if held and not isinstance(op, func.ReturnOp):
                self._block.insert_op_after(FreeOp(buffer), op)


def _buffer_of(type_: Attribute, strides: Shape | None = None) -> Attribute:
    """The type of a tensor's buffer."""
    return buffer_type(shape_of(type_), element_type(type_), strides)


def _needed(ops: Collection[Operation], values: Sequence[SSAValue]) -> dict[Operation, None]:
    """Those of `ops` that `values` are computed by, in their order."""
    found: set[Operation] = set()
    work = [v.owner for v in values]
    while work:
        op = work.pop()
        if isinstance(op, Operation) and op in ops and op not in found:
            found.add(op)
            work += [v.owner for v in op.operands]
    return dict.fromkeys(op for op in ops if op in found)
