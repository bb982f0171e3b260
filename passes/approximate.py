"""approximate: the coarser, quicker form of a function where 16-bit results cannot show the difference.

The hardware's `ex2.approx` gives e ** x with a relative error below 2**-17 over the whole range: 2**-22
of its own, and |x| * 2**-24 from rounding x * log2(e), where |x| < 104. Where all that a kernel makes of
the result is rounded to bfloat16 or float16 (errors of 2**-9 and 2**-12), `math.exp` gets the upstream
flag `fastmath<afn>`. Division stays exact: `div.full` gives 0 for divisors above 2**126.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from mlc_dialects.buffers import buffer_element
from mlc_dialects.mlc_loop import AccumulateOp, KernelOp, ReduceOp, StoreOp
from mlc_dialects.scalar import APPROXIMATE
from mlc_dialects.types import is_half


@dataclass(frozen=True)
class ApproximatePass(ModulePass):
    """Marks each exp whose result only ever reaches memory in 16-bit floats."""

    name = "approximate"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                exact = _needs_exactness(kernel)
                for inner in kernel.walk():
                    if isinstance(inner, math.ExpOp) and inner.result not in exact:
                        inner.fastmath = APPROXIMATE


def _needs_exactness(kernel: KernelOp) -> set[SSAValue]:
    """The values that reach a store of 32 bits or more, an index or a condition."""
    exact: set[SSAValue] = set()
    work: list[SSAValue] = []
    for op in kernel.walk():
        if isinstance(op, StoreOp | AccumulateOp) and not is_half(buffer_element(op.buffer.type)):
            work.append(op.value)
        elif isinstance(op, arith.CmpfOp | arith.FPToSIOp):
            work.extend(op.operands)
    while work:
        value = work.pop()
        if value not in exact:
            exact.add(value)
            work.extend(_inputs(value))
    return exact


def _inputs(value: SSAValue) -> list[SSAValue]:
    """The values that `value` is computed from; a reduction's result from what its body yields."""
    op = value.owner
    if not isinstance(op, Operation):
        return []
    if isinstance(op, ReduceOp):
        return [given for _, given, results in op.parts if value in results]
    return list(op.operands)
