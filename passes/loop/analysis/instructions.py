"""How many instructions of the arithmetic units the ops of a kernel take."""

from __future__ import annotations

from xdsl.dialects import arith, math
from xdsl.ir import Operation, SSAValue

from mlc_dialects.common.libdevice import LibdeviceOp
from mlc_dialects.common.types import byte_size
from mlc_dialects.loop.dialect import (
    AccumulateOp,
    AtomicOp,
    BarrierOp,
    ExclusivePrefixOp,
    IndexOp,
    IndirectIndexOp,
    LastBlockOp,
    LoadOp,
    LocalOp,
    LoopOp,
    RandomOp,
    ScanOp,
    SignalOp,
    StoreOp,
    WaitOp,
    YieldOp,
)

FREE = (
    arith.ConstantOp,
    arith.BitcastOp,
    LoadOp,
    LocalOp,
    IndirectIndexOp,
    StoreOp,
    LoopOp,
    YieldOp,
    BarrierOp,
    LastBlockOp,
    WaitOp,
    SignalOp,
    ExclusivePrefixOp,
    AtomicOp,
)
"""What takes no instruction of the arithmetic units, or is counted as memory or synchronisation."""
INSTRUCTIONS: dict[type[Operation], float] = {
    arith.DivfOp: 11,
    arith.DivSIOp: 20,
    arith.RemSIOp: 24,
    math.ExpOp: 8,
    math.LogOp: 24,
    math.RsqrtOp: 4,
    math.SqrtOp: 10,
    math.SinOp: 40,
    math.CosOp: 40,
    math.TanhOp: 22,
    math.ErfOp: 25,
    math.PowFOp: 64,
    math.ExpM1Op: 23,
    math.Log1pOp: 27,
    LibdeviceOp: 20,
    RandomOp: 70,
}
"""Instructions of functions that take more than one, as compiled for sm_90."""
PLAIN = 0.5
"""Instructions of other operations: of 16 bits two elements take one, and sums and products are fused."""
OF_ANY_WIDTH: dict[type[Operation], float] = {IndexOp: 1, ScanOp: 4, AccumulateOp: PLAIN, **dict.fromkeys(FREE, 0)}
"""Those of what takes as many for 64 bits as for fewer."""


def instructions(op: Operation) -> float:
    """Of the arithmetic units, for one element."""
    kind = type(op)
    if kind in OF_ANY_WIDTH:
        return OF_ANY_WIDTH[kind]
    if op.regions:
        return 0
    if max(map(words_of, (*op.operands, *op.results)), default=1) > 1:
        return INSTRUCTIONS.get(kind, 1) * 2
    return INSTRUCTIONS.get(kind, PLAIN)


def words_of(value: SSAValue) -> int:
    """Registers that hold an element: two where it has 64 bits."""
    return max(1, byte_size(value.type) // 4)
