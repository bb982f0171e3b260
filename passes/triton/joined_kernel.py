"""Builds the joint kernel of horizontal fusion: each program runs the body of one of the kernels.

    @a: grid [65536]                    program = program_id 0
    @b: grid [16384]             ->     if program < 65536: the body of @a
                                        else: the body of @b, whose program_id is program - 65536

With more kernels the tests form a binary tree. The programs of a grid with two axes are numbered in the order in which
the hardware starts them: along the first axis first.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, StringAttr, i1, i32, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from mlc_dialects.common.index_syntax import index_attribute, index_exprs, operand_name
from mlc_dialects.loop.host import LaunchOp
from mlc_dialects.triton.dialect import CastOp, IndexOp, KernelOp, MaskOp, ProgramIdOp
from mlc_support.index_expr import IndexExpr, integer, product, variable
from mlc_support.locations import merged
from mlc_support.walks import walk

Pair = tuple[LaunchOp, KernelOp]
"""A launch and its kernel."""


def programs_of(kernel: KernelOp) -> IndexExpr:
    """The number of programs in a launch of `kernel`."""
    return product(index_exprs(kernel.grid))


def joined_launch(pairs: Sequence[Pair], name: str, warps: int) -> Pair:
    """One launch for several independent ones, and its kernel, called `name`; the old ones are unchanged."""
    joint = JointKernel(pairs)
    kernel = joint.kernel(name, warps)
    launch = LaunchOp(name, list(joint.pointers))
    launch.location = merged([old.location for old, _ in pairs])
    return launch, kernel


class JointKernel:
    """The arguments and the body of the joint kernel."""

    def __init__(self, pairs: Sequence[Pair]):
        self._kernels = [kernel for _, kernel in pairs]
        self._block = Block()
        self._starts = list(accumulate((programs_of(k) for k in self._kernels), initial=integer(0)))
        """The first program of each kernel, and at the end the number of all programs."""
        self.pointers: dict[SSAValue, SSAValue] = {}
        """Buffers of the host program, in the order of the launch, and the pointer to each."""
        self._sizes: dict[str, SSAValue] = {}
        for launch, kernel in pairs:
            for buffer, pointer in zip(launch.buffers, kernel.pointers, strict=True):
                if buffer not in self.pointers:
                    self.pointers[buffer] = self._argument(pointer)
        for kernel in self._kernels:
            for name, size in zip(kernel.sizes, kernel.size_arguments, strict=True):
                if name.data not in self._sizes:
                    self._sizes[name.data] = self._argument(size)
        self._arguments = [
            [*(self.pointers[b] for b in launch.buffers), *(self._sizes[s.data] for s in kernel.sizes)]
            for launch, kernel in pairs
        ]

    def _argument(self, like: SSAValue) -> SSAValue:
        argument = self._block.insert_arg(like.type, len(self._block.args))
        argument.name_hint = like.name_hint
        return argument

    def kernel(self, name: str, warps: int) -> KernelOp:
        """The kernel."""
        asked = {op.result.type for kernel in self._kernels for op in walk(kernel) if isinstance(op, ProgramIdOp)}
        program = ProgramIdOp(0, i64 if self._sizes or i64 in asked else i32)
        program.result.name_hint = "program"
        self._block.add_op(program)
        self._program = program.result
        self._branch(0, len(self._kernels), self._block)
        kernel = KernelOp(name, [str(self._starts[-1])], list(self._sizes), warps, Region(self._block))
        reasons = dict.fromkeys(k.why.data for k in self._kernels if k.why is not None)
        count = f"{len(self._kernels)} kernels side by side"
        kernel.why = StringAttr(f"{count}: {' | '.join(reasons)}" if reasons else count)
        kernel.resident = self._resident()
        kernel.location = merged([k.location for k in self._kernels])
        return kernel

    def _resident(self) -> IntegerAttr | None:
        """The fewest programs that a kernel asks for; none, where some ask for several and others do not say."""
        asked = [k.resident.value.data for k in self._kernels if k.resident is not None]
        said = 1 in asked or len(asked) == len(self._kernels)
        return IntegerAttr(min(asked), i64) if said else None

    def _branch(self, first: int, end: int, block: Block) -> None:
        """Appends to `block` the bodies of the kernels `first` to `end`, selected by program id."""
        if end - first == 1:
            self._copy(first, block)
            return
        middle = (first + end) // 2
        operands, limit = self._with_sizes([], self._starts[middle])
        test = MaskOp([self._program], index_attribute([limit]), operands, i1)
        sides = Block(), Block()
        for side, span in zip(sides, ((first, middle), (middle, end)), strict=True):
            self._branch(*span, side)
            side.add_op(scf.YieldOp())
        block.add_ops([test, scf.IfOp(test, [], [sides[0]], [sides[1]])])

    def _copy(self, number: int, block: Block) -> None:
        """Appends to `block` a copy of a kernel's body, with its program ids offset."""
        kernel = self._kernels[number]
        values: dict[SSAValue, SSAValue] = dict(zip(kernel.body.block.args, self._arguments[number], strict=True))
        for op in kernel.body.block.ops:
            block.add_op(op.clone(values))
        for op in [op for op in block.walk() if isinstance(op, ProgramIdOp)]:
            self._renumber(op, kernel, self._starts[number])

    def _renumber(self, op: ProgramIdOp, kernel: KernelOp, start: IndexExpr) -> None:
        """Replaces a program id of the kernel's own grid by its value in the joint grid."""
        grid, axis = index_exprs(kernel.grid), op.axis.value.data
        program = variable("d0", self._starts[-1])
        place = (program - start) // product(grid[:axis])
        place = place % grid[axis] if axis + 1 < len(grid) else place
        steps: list[Operation] = []
        result = self._program
        if place != program:
            operands, place = self._with_sizes([result], place)
            steps.append(IndexOp(operands, index_attribute([place]), result.type))
            result = steps[-1].results[0]
        if result.type != op.result.type:
            steps.append(CastOp(result, op.result.type))
            result = steps[-1].results[0]
        for step in steps:
            step.results[0].name_hint = op.result.name_hint
        Rewriter.replace_op(op, steps, [result])

    def _with_sizes(self, operands: Sequence[SSAValue], expr: IndexExpr) -> tuple[list[SSAValue], IndexExpr]:
        """`expr` over `operands` (d0, d1, ...) and named sizes, which become operands too."""
        names = sorted({v.name for v in expr.variables()} & self._sizes.keys())
        renamed = {name: variable(operand_name(len(operands) + k)) for k, name in enumerate(names)}
        return [*operands, *(self._sizes[n] for n in names)], expr.substitute(renamed)
