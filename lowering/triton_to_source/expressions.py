"""How each op of a kernel reads in Triton Python: one line an op."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f8E4M3FN, f8E5M2, f32
from xdsl.ir import Attribute, Operation

from mlc_dialects.common.types import BY_NAME, BY_TYPE, is_half
from mlc_dialects.triton.descriptors import DescriptorLoadOp, DescriptorOp
from mlc_dialects.triton.dot import DotOp
from mlc_dialects.triton.random import RandomOp
from mlc_dialects.triton.rearranged import ByColumnOp, HalvesOp, InterleaveOp, RepeatOp, TransposeOp
from mlc_dialects.triton.scan import CombineOp, ScanOp
from mlc_dialects.triton.types import block_element, block_shape
from mlc_dialects.triton.values import (
    CastOp,
    CompareOp,
    LibdeviceOp,
    QuotientOp,
    ReduceOp,
    RoundedOp,
    WhereOp,
    constant_of,
)
from mlc_support.errors import MlcError
from mlc_support.locations import location_of

COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}

BINARY: dict[type[Operation], str] = {
    arith.AddfOp: "+",
    arith.AddiOp: "+",
    arith.SubfOp: "-",
    arith.SubiOp: "-",
    arith.MulfOp: "*",
    arith.MuliOp: "*",
    arith.DivSIOp: "//",
    arith.RemSIOp: "%",
    arith.AndIOp: "&",
    arith.OrIOp: "|",
    arith.XOrIOp: "^",
    arith.ShLIOp: "<<",
    arith.ShRSIOp: ">>",
}
"""Ops that are Python operators. Triton's // and % of integers round towards zero, as C's do."""

CALLS: dict[type[Operation], str] = {
    arith.MaxSIOp: "tl.maximum({}, {})",
    arith.MinSIOp: "tl.minimum({}, {})",
    arith.MaximumfOp: "tl.maximum({}, {}, propagate_nan=tl.PropagateNan.ALL)",
    arith.MinimumfOp: "tl.minimum({}, {}, propagate_nan=tl.PropagateNan.ALL)",
    arith.MaxnumfOp: "tl.maximum({}, {})",
    arith.MinnumfOp: "tl.minimum({}, {})",
    arith.NegfOp: "{} * -1.0",  # Triton 3.6 computes -x as 0 - x, which loses -0.0
    math.AbsFOp: "tl.abs({})",
    math.AbsIOp: "tl.abs({})",
    math.FloorOp: "tl.floor({})",
    math.CeilOp: "tl.ceil({})",
    math.TruncOp: "libdevice.trunc({})",
    math.RoundEvenOp: "libdevice.rint({})",
    math.CopySignOp: "libdevice.copysign({}, {})",
    math.PowFOp: "libdevice.pow({}, {})",
    math.Atan2Op: "libdevice.atan2({}, {})",
    math.FmaOp: "tl.fma({}, {}, {})",
}

WIDENED = (arith.MinimumfOp, arith.MaxnumfOp, arith.MinnumfOp)
"""Ops that Triton 3.6 gives a float32 for two bfloat16: as exact, but no more the type that a loop carries on."""

DEVICE_FUNCTIONS: tuple[type[Operation], ...] = (
    math.ExpOp,
    math.Exp2Op,
    math.ExpM1Op,
    math.LogOp,
    math.Log2Op,
    math.Log10Op,
    math.Log1pOp,
    math.RsqrtOp,
    math.SinOp,
    math.CosOp,
    math.TanOp,
    math.AsinOp,
    math.AcosOp,
    math.AtanOp,
    math.SinhOp,
    math.CoshOp,
    math.TanhOp,
    math.AsinhOp,
    math.AcoshOp,
    math.AtanhOp,
    math.ErfOp,
)
"""Functions that libdevice has under the op's own name. `tl.exp` and its like approximate more coarsely than eager."""

COMBINERS = {
    "add": "lib.add",
    "mul": "lib.mul",
    "max": "lib.max_nan",
    "min": "lib.min_nan",
    "and": "lib.bitwise_and",
    "or": "lib.bitwise_or",
}

SCANS = {
    "add": "lib.add",
    "mul": "lib.mul",
    "max": "lib.latest_max",
    "min": "lib.latest_min",
    "logaddexp": "lib.logaddexp",
    "argmax": "lib.latest_argmax",
    "argmin": "lib.latest_argmin",
}

WITHOUT_BRANCHES = (math.TanhOp, math.ErfOp)
"""Functions of float32 that `lib` has as well, in straight code."""

Operand = Callable[[int], str]
"""The text of operand k as a factor: a name, a literal, a call, or in parentheses."""


def takes_factors(op: Operation) -> bool:
    """True if operands stand beside an operator or before a method; else inside of a call's parentheses."""
    return (
        type(op) in BINARY
        or isinstance(op, CompareOp | CastOp | arith.BitcastOp | arith.NegfOp)
        or _is_inline_quotient(op)
    )


def _is_inline_quotient(op: Operation) -> bool:
    """True for a division that is written with an operator: of float64, or one that a coarse reciprocal will do for."""
    double = BY_NAME["f64"].type
    return isinstance(op, arith.DivfOp) and (block_element(op.result.type) == double or bool(op.fastmath.data))


def _descriptor(op: DescriptorOp, pointer: str) -> str:
    first, rows, columns, step = (n.value.data for n in (op.first, op.rows, op.columns, op.step))
    place = f"{pointer} + {first}" if first else pointer
    block = [*block_shape(op.result.type.block)]  # pyright: ignore[reportAttributeAccessIssue]
    return f"tl.make_tensor_descriptor({place}, [{rows}, {columns}], [{step}, 1], {block})"


def _quotient(op: arith.DivfOp, operand: Operand) -> str:
    """`/` rounds float64 to nearest, tl.div_rn float32. Assembly is for blocks; of numbers there are few."""
    if not _is_inline_quotient(op):
        numerator = constant_of(op.lhs)
        inverse = numerator is not None and numerator.value.data == 1.0 and block_shape(op.result.type)
        return f"lib.inverse({operand(1)})" if inverse else f"tl.div_rn({operand(0)}, {operand(1)})"
    coarse = block_element(op.result.type) == BY_NAME["f32"].type and block_shape(op.result.type)
    return f"{operand(0)} * lib.reciprocal({operand(1)})" if coarse else f"{operand(0)} / {operand(1)}"


def _is_bfloat16(op: Operation) -> bool:
    return block_element(op.results[0].type) == BY_NAME["bf16"].type


def expression(op: Operation, operand: Operand) -> str:
    """The Triton expression of a pure op. MlcError for an op that has none."""
    kind = type(op)
    if kind in BINARY:
        return f"{operand(0)} {BINARY[kind]} {operand(1)}"
    if kind is arith.MaximumfOp and is_half(block_element(op.results[0].type)):
        return f"{COMBINERS['max']}({operand(0)}, {operand(1)})"
    if kind in CALLS:
        text = CALLS[kind].format(*(operand(k) for k in range(len(op.operands))))
        return f"{text}.to(tl.bfloat16)" if kind in WIDENED and _is_bfloat16(op) else text
    if isinstance(op, math.ExpOp | math.Exp2Op) and op.fastmath.data:
        return f"tl.{op.name.split('.')[1]}({operand(0)})"
    if kind in DEVICE_FUNCTIONS:
        own = kind in WITHOUT_BRANCHES and block_element(op.results[0].type) == f32
        return f"{'lib' if own else 'libdevice'}.{op.name.split('.')[1]}({operand(0)})"
    match op:
        case arith.DivfOp():
            return _quotient(op, operand)
        case math.SqrtOp():
            double = block_element(op.result.type) == BY_NAME["f64"].type
            return f"{'libdevice.sqrt' if double else 'tl.sqrt_rn'}({operand(0)})"
        case CompareOp():
            return f"{operand(0)} {COMPARISONS[op.predicate.data]} {operand(1)}"
        case WhereOp():
            return f"tl.where({operand(0)}, {operand(1)}, {operand(2)})"
        case LibdeviceOp():
            return f"libdevice.{op.function.data}({', '.join(operand(k) for k in range(len(op.inputs)))})"
        case CastOp():
            return _cast(op, operand)
        case TransposeOp():
            return f"tl.trans({operand(0)})"
        case ByColumnOp():
            return f"lib.by_column({operand(0)})"
        case HalvesOp():
            return f"lib.halves({operand(0)})"
        case InterleaveOp():
            return f"lib.interleaved({operand(0)}, {operand(1)}, {op.axis.value.data})"
        case RepeatOp():
            return f"lib.repeated({operand(0)}, {op.dimension}, {op.count})"
        case RoundedOp():
            return f"lib.rounded_to_bfloat16({operand(0)})"
        case QuotientOp():
            return f"lib.quotient({operand(0)}, {operand(1)})"
        case ReduceOp():
            return _reduce(op, operand(0))
        case DotOp():
            halves = block_element(op.lhs.type) != BY_NAME["f32"].type
            precision = "" if halves else f', input_precision="{op.precision.data}"'
            return f"tl.dot({operand(0)}, {operand(1)}, {operand(2)}{precision})"
        case DescriptorOp():
            return _descriptor(op, operand(0))
        case DescriptorLoadOp():
            return f"{operand(0)}.load([{operand(1)}, {operand(2)}])"
        case RandomOp():
            return f"lib.philox({operand(0)}, {operand(1)}, {op.word.value.data})"
        case ScanOp():
            return _scan(op, [operand(k) for k in range(len(op.inputs))])
        case CombineOp():
            return f"{SCANS[op.kind.data]}({', '.join(operand(k) for k in range(len(op.inputs)))})"
        case arith.BitcastOp():
            return _bitcast(operand(0), block_element(op.input.type), block_element(op.result.type))
        case _:
            raise MlcError(
                f"triton: {op.name} has no form in Triton",
                location=location_of(op),
                hint="use ops that loop-to-triton makes, of arith, math and mlc_triton",
            )


def _bitcast(value: str, *elements: Attribute) -> str:
    """The same bits in another type; 8-bit floats are bytes in kernels."""
    source, target = (BY_TYPE[element].triton_name for element in elements)
    return value if source == target else f"{value}.to(tl.{target}, bitcast=True)"


def _cast(op: CastOp, operand: Operand) -> str:
    elements = [block_element(v.type) for v in (op.input, op.result)]
    source, target = BY_TYPE[elements[0]], BY_TYPE[elements[1]].triton_name
    if f8E5M2 in elements:
        raise MlcError("triton: no device casts f8E5M2 as PyTorch does", location_of(op), "run byte-floats before")
    if elements[0] == f8E4M3FN:
        return f"{operand(0)}.to(tl.float8e4nv, bitcast=True).to(tl.{target})"
    if elements[1] == f8E4M3FN:
        return f"{operand(0)}.to(tl.float8e4nv).to(tl.int8, bitcast=True)"
    if op.unsigned is not None and source.name != "i1":
        return f"{operand(0)}.to(tl.u{source.triton_name}, bitcast=True).to(tl.{target})"
    return f"{operand(0)}.to(tl.{target})"


def _reduce(op: ReduceOp, value: str) -> str:
    axis, kind = op.dimension, op.kind.data
    keep = ", keep_dims=True" if len(block_shape(op.input.type)) > 1 else ""
    element = BY_TYPE[block_element(op.input.type)].name
    if kind == "add" and element in ("f32", "f64", "i32", "i64"):
        return f"tl.sum({value}, axis={axis}{keep})"
    return f"tl.reduce({value}, {axis}, {COMBINERS[kind]}{keep})"


def _scan(op: ScanOp, inputs: Sequence[str]) -> str:
    axis = len(op.inputs[0].type.get_shape()) - 1  # pyright: ignore
    values = inputs[0] if len(inputs) == 1 else f"({', '.join(inputs)})"
    return f"tl.associative_scan({values}, {axis}, {SCANS[op.kind.data]})"
