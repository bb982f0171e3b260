"""narrow-integers: integers of 64 bits that provably fit 32 bits are computed in 32.

    %a = index [%p] : i64; %b = index [%j] : i64           %a = index [%p] : i32; %b = index [%j] : i32
    %d = arith.subi %a, %b : i64                      ->   %d = arith.subi %a, %b : i32
    %f = arith.sitofp %d : i64 to f32                      %f = arith.sitofp %d : i32 to f32

Positions of programs are int64. A GPU does each 64-bit operation on integers as two to four of 32 bits, and a CPU has
half as many lanes for them. What reads integers and gives none of 64 bits decides: a comparison, a conversion to floats
or to narrower integers, an indirect index. Where interval analysis bounds all that it reads, it reads 32 bits, and so
does what computes that for it alone. The numbers are the same. What is stored in 64 bits, summed, or compared with what
is loaded, is not narrowed; where it is also read narrow, its low half is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from mlc_dialects.loop.dialect import IndexOp, IndirectIndexOp, KernelOp
from mlc_support.walks import walk
from passes.loop.analysis.value_ranges import INT32, Range, value_ranges

READERS = (arith.CmpiOp, arith.SIToFPOp, arith.UIToFPOp, arith.TruncIOp, IndirectIndexOp)
"""They give the same for a number in 32 bits. Sign extension keeps the order, that without signs as well."""
SAME = (
    arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.MaxSIOp, arith.MinSIOp, arith.DivSIOp, arith.RemSIOp, arith.AndIOp,
    arith.OrIOp, arith.XOrIOp, arith.ShLIOp, arith.ShRSIOp, arith.SelectOp, math.AbsIOp,
)  # fmt: skip
"""They are the same op in 32 bits, where what they read and what they give fits."""
SOURCES = (IndexOp, arith.ConstantOp, arith.ExtSIOp, arith.ExtUIOp)
"""They make 64 bits of something else."""


@dataclass(frozen=True)
class NarrowIntegersPass(ModulePass):
    """Computes integers of 64 bits in 32, where they provably fit."""

    name = "narrow-integers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in walk(op):
            if isinstance(kernel, KernelOp):
                _narrow(kernel)


def _narrow(kernel: KernelOp) -> None:
    ops = list(walk(kernel))
    if not any(isinstance(op, READERS) and _wide(op) for op in ops):
        return
    demand = _Demand(value_ranges(kernel))
    for op in reversed(ops):
        demand.meet(op)
    narrow: dict[SSAValue, SSAValue] = {}
    for op in ops:
        if op in demand.readers:
            _read_narrow(op, narrow)
        elif op.results and op.results[0] in demand.wanted:
            narrow[op.results[0]] = _narrowed(op, narrow, op in demand.computed)
    for op in reversed(ops):
        if op in demand.computed and not op.results[0].uses:
            Rewriter.erase_op(op)


class _Demand:
    """Who reads integers in 32 bits, and what is computed so for them. It meets ops from the last one on."""

    def __init__(self, ranges: Mapping[SSAValue, Range]):
        self._ranges = ranges
        self._kept: set[SSAValue] = set()
        """What is read in 64 bits."""
        self.wanted: set[SSAValue] = set()
        """What is read in 32 bits."""
        self.readers: set[Operation] = set()
        self.computed: set[Operation] = set()
        """What gives something in 32 bits from operands in 32 bits."""

    def meet(self, op: Operation) -> None:
        """Decides how `op` reads integers, once all that reads its results is decided."""
        wide = _wide(op)
        fits = all(self._fits(v) for v in wide)
        if isinstance(op, READERS) and wide and fits and self._may_read(op):
            self.readers.add(op)
        elif self._is_computed(op) and fits:
            self.computed.add(op)
        else:
            self._kept.update(wide)
            return
        self.wanted.update(wide)

    def _may_read(self, op: Operation) -> bool:
        return not isinstance(op, arith.UIToFPOp) or self._ranges[op.input].low >= 0

    def _is_computed(self, op: Operation) -> bool:
        if len(op.results) != 1 or op.results[0] not in self.wanted:
            return False
        return isinstance(op, SOURCES) or (isinstance(op, SAME) and op.results[0] not in self._kept)

    def _fits(self, value: SSAValue) -> bool:
        return value in self._ranges and self._ranges[value].is_within(INT32)


def _wide(op: Operation) -> list[SSAValue]:
    """What an op reads in 64 bits."""
    return [value for value in op.operands if value.type == i64]


def _read_narrow(op: Operation, narrow: Mapping[SSAValue, SSAValue]) -> None:
    """Lets a reader read the narrow values."""
    for position, value in enumerate(op.operands):
        op.operands[position] = narrow.get(value, value)
    if isinstance(op, arith.TruncIOp) and op.input.type == op.result.type:
        op.result.replace_all_uses_with(op.input)
        Rewriter.erase_op(op)


def _narrowed(op: Operation, narrow: Mapping[SSAValue, SSAValue], computed: bool) -> SSAValue:
    """What `op` gives, in 32 bits: computed so, or the low half."""
    if isinstance(op, arith.ExtSIOp | arith.ExtUIOp) and op.input.type == i32:
        return op.input
    result = op.results[0]
    new = _in_32_bits(op, narrow) if computed else arith.TruncIOp(result, i32)
    new.location, new.results[0].name_hint = op.location, result.name_hint
    Rewriter.insert_op(new, InsertPoint.after(op))
    return new.results[0]


def _in_32_bits(op: Operation, narrow: Mapping[SSAValue, SSAValue]) -> Operation:
    """The same op in 32 bits."""
    properties = dict(op.properties)
    if isinstance(op, arith.ConstantOp):
        assert isinstance(op.value, IntegerAttr)
        properties["value"] = IntegerAttr(op.value.value.data, i32)
    operands = [narrow.get(v, v) for v in op.operands]
    return type(op).create(operands=operands, result_types=[i32], properties=properties, attributes=op.attributes)
