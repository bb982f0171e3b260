"""Builds the loops of a kernel in which reductions stand inside others: products that follow each other.

    mlc_loop.parallel (%i, %j, ...) = 0 to the dimensions of the output {
      for each reduction that the output needs, in order:
      %o = mlc_loop.reduce over its reduced axes {
        %s = mlc_loop.reduce ... { what is needed at one point of the loops around it }
      }
      stores
    }

A reduction is a loop where its result is needed, so that no value is in memory in between. One that is needed in
several loops is computed in each: `online-reduction` makes one loop of those over the same axis.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from xdsl.ir import Attribute, Block, Operation, SSAValue

from lowering.tensor_to_loop.kernel_builder import KernelBuilder, Scope
from lowering.tensor_to_loop.scalar_code import Emitter
from mlc_dialects.common.index_syntax import axis_names
from mlc_dialects.common.types import Shape, element_type, shape_of, storage
from mlc_dialects.iteration.domain import Axis, Domain, Index, points, row_major_index
from mlc_dialects.iteration.indirect_index import IndirectIndices
from mlc_dialects.iteration.iterate import Iteration
from mlc_dialects.loop.dialect import KernelOp, YieldOp
from mlc_dialects.loop.dialect import ReduceOp as LoopReduceOp
from mlc_dialects.tensor.ops import ReduceOp
from mlc_support.index_expr import integer, product


def nested_iteration(ops: Collection[Operation], outputs: Sequence[SSAValue], read: Collection[SSAValue]) -> Iteration:
    """The points of the largest output; `read` are the values from outside.

    Others have as many elements, or one for all points along a dimension that they have only one element of.
    """
    domain = points(max((shape_of(v.type) for v in outputs), key=lambda shape: product(shape).constant or 0))
    stores = {v: _place(domain, shape_of(v.type)) for v in outputs}
    return Iteration(domain, stores, reads={v: [] for v in read}, indirect=IndirectIndices(ops))


def _place(domain: Domain, shape: Shape) -> Index:
    """The element of an output of `shape` that is computed at a point."""
    found = row_major_index(domain, shape)
    if found is not None:
        return found[0]
    whole = zip(domain.point, domain.shape, shape, strict=True)
    assert all(own == size or own.constant == 1 for size, own in zip(domain.shape, shape, strict=True))
    return tuple(i if own == size else integer(0) for i, size, own in whole)


class NestedKernelBuilder(KernelBuilder):
    """Builds one such kernel."""

    def build(self, outputs: Mapping[SSAValue, Attribute]) -> KernelOp:
        """The kernel that writes `outputs`, each to a buffer of the given type."""
        targets = self._targets(outputs)
        for value in outputs:
            self._store(value, targets[value])
        self.kernel.decide(online=True)
        return self.kernel

    def _build(self, value: SSAValue, index: Index, guard: SSAValue | None, block: Block) -> SSAValue:
        if isinstance(value.owner, ReduceOp) and value.owner in self._ops:
            return self._nested(value.owner, index, guard, block)
        return super()._build(value, index, guard, block)

    def _nested(self, op: ReduceOp, index: Index, guard: SSAValue | None, block: Block) -> SSAValue:
        """The loop that reduces to the element `index`, at the end of `block`."""
        axes = self._axes_of(op)
        own = iter(axes)
        shape = shape_of(op.input.type)
        point = tuple(
            next(own).index if d in op.reduced and size.constant != 1 else i
            for d, (i, size) in enumerate(zip(index, shape, strict=True))
        )
        element = storage(element_type(op.result.type))
        loop = LoopReduceOp([op.kind.data], [axis.extent for axis in axes] or [integer(1)], [element])
        loop.tf32, body = op.tf32, loop.body.block
        for argument, axis in zip(body.args, axes, strict=False):
            argument.name_hint = axis.name
        self._scopes.append(Scope(body, axes))
        yielded = self.value(op.input, point, guard)
        self._scopes.pop()
        body.add_op(YieldOp([yielded]))
        return Emitter(block, op.location, op.result.name_hint).op(loop)

    def _axes_of(self, op: ReduceOp) -> list[Axis]:
        """The axes of a loop over the reduced dimensions, named like no other loop around it."""
        taken = sum(len(scope.axes) for scope in self._scopes)
        long = [size for d in op.reduced if (size := shape_of(op.input.type)[d]).constant != 1]
        return [Axis(name, size, "reduced") for name, size in zip(axis_names(taken, len(long)), long, strict=True)]
