"""Sizes of a traced graph as index expressions, and element types of its tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from math import gcd
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx import Graph
from torch.utils._pytree import tree_leaves
from torch.utils._sympy.functions import FloorDiv, Mod, PythonMod
from torch.utils._sympy.printers import PythonPrinter
from xdsl.dialects.builtin import (
    ArrayAttr,
    ComplexType,
    IndexType,
    IntegerType,
    Signedness,
    StringAttr,
    TensorType,
    f8E4M3FNUZ,
    f8E5M2FNUZ,
    f8E8M0FNU,
    f16,
    f32,
    f64,
)
from xdsl.ir import Attribute, Block
from xdsl.utils.hints import isa

from mlc_dialects.common.annotations import EVALUATE, SYMBOLS
from mlc_dialects.common.index_syntax import index_attribute, is_size_name
from mlc_dialects.common.types import DTYPES, tensor_type
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.named_sizes import sizes_read, sizes_told
from mlc_support.errors import MlcError
from mlc_support.index_expr import IndexExpr, integer, product, variable
from mlc_support.index_maps import Line, known_divisors, row_major_strides

ELEMENT_OF: dict[torch.dtype, Attribute] = {
    **{getattr(torch, d.torch_name): d.type for d in DTYPES},
    torch.uint16: IntegerType(16, Signedness.UNSIGNED),
    torch.uint32: IntegerType(32, Signedness.UNSIGNED),
    torch.uint64: IntegerType(64, Signedness.UNSIGNED),
    torch.complex32: ComplexType(f16),
    torch.complex64: ComplexType(f32),
    torch.complex128: ComplexType(f64),
    torch.float8_e4m3fnuz: f8E4M3FNUZ,
    torch.float8_e5m2fnuz: f8E5M2FNUZ,
    torch.float8_e8m0fnu: f8E8M0FNU,
}
DTYPE_OF = {element: dtype for dtype, element in ELEMENT_OF.items()}


def element_of(dtype: torch.dtype) -> Attribute:
    """The element type for `dtype`. MlcError for one that has none (quantized, sub-byte)."""
    if dtype not in ELEMENT_OF:
        raise MlcError(f"tensors of {dtype} cannot be compiled", None, "keep them out of the compiled function")
    return ELEMENT_OF[dtype]


class Sizes:
    """Turns the SymInts of one graph into index expressions.

    `names` renames symbols. `equalities` are SymPy's Eq(x, y) that hold: where Eq(Mod(N, 16), 0) is one, N is
    written N_16s * 16, and what divides it by 2, 4, 8 or 16 cancels by itself. A size that index expressions lack (a
    maximum of two sizes, say) gets a name of its own, computed by an extern call `mlc.eval` that `take_pending` hands
    out for insertion.
    """

    def __init__(self, names: Mapping[str, str] | None = None, equalities: Sequence[Any] = ()):
        self._names = {k: n if is_size_name(n) else f"{n}_size" for k, n in (names or {}).items()}
        self._fresh: dict[Any, str] = {}
        self._pending: list[ExternOp] = []
        self._factors: dict[str, int] = {}
        while any([self._learn(e) for e in equalities]):  # each may simplify the others
            pass

    def expr(self, size: Any) -> IndexExpr:
        """The index expression of an int, a SymInt or a SymPy expression."""
        if isinstance(size, IndexExpr):
            return size
        if isinstance(size, int):
            return integer(int(size))
        symbolic = size.node.expr if isinstance(size, torch.SymInt) else size
        found = _convert(symbolic, self._symbol)
        return variable(self._name_fresh(symbolic)) if found is None else found

    def name(self, symbol: Any) -> str:
        """The name a SymPy symbol goes by."""
        return self._names.get(str(symbol), str(symbol))

    def _learn(self, equality: Any) -> bool:
        """Notes what Eq(x, y) says of what divides a symbol; True if that was not known."""
        sides = [_convert(side, self._symbol) for side in equality.args]
        for dividend, divisor in known_divisors(*sides) if isa(sides, list[IndexExpr]) else ():
            line, count = Line.of(dividend), divisor.constant
            if line is None or not count:
                continue
            count = gcd(count, line.rest)
            same = (s for s in equality.free_symbols if self._symbol(s).variables() == dividend.variables())
            name, factor = self.name(next(same)), count // gcd(line.factor, count)
            if factor > 1:
                self._factors[name] = self._factors.get(name, 1) * factor
                return True
        return False

    def _symbol(self, symbol: Any) -> IndexExpr:
        """The size that a SymPy symbol stands for."""
        name = self.name(symbol)
        factor = self._factors.get(name, 1)
        return variable(name if factor == 1 else f"{name}_{factor}s") * factor

    def shape(self, tensor: torch.Tensor) -> tuple[IndexExpr, ...]:
        return tuple(self.expr(s) for s in tensor.shape)

    def type(self, tensor: torch.Tensor) -> TensorType[Attribute]:
        return tensor_type(self.shape(tensor), element_of(tensor.dtype))

    def strides(self, tensor: torch.Tensor) -> ArrayAttr[StringAttr] | None:
        """Strides in elements, or None where the tensor is row-major (or has no strides)."""
        if tensor.layout != torch.strided:
            return None
        shape = self.shape(tensor)
        strides = [self.expr(s) for s in tensor.stride()]
        if product(shape).constant == 0:
            return None
        pairs = zip(shape, strides, row_major_strides(shape), strict=True)
        if all(size.constant == 1 or stride == wanted for size, stride, wanted in pairs):
            return None
        return index_attribute(strides)

    def text(self, symbolic: Any) -> str:
        """A SymPy expression as Python, over the names that sizes go by here."""
        lines = {s: Line.of(self._symbol(s)) for s in symbolic.free_symbols}
        renamed = {s: type(s)(line.name, integer=True) * line.factor for s, line in lines.items() if line}
        return PythonPrinter().doprint(symbolic.subs(renamed))

    def take_pending(self) -> list[ExternOp]:
        """The calls that compute sizes first met since the last time."""
        pending, self._pending = self._pending, []
        return pending

    def _name_fresh(self, symbolic: Any) -> str:
        if symbolic not in self._fresh:
            name = f"size_{len(self._fresh)}"
            self._fresh[symbolic] = name
            call = eval_call(self.text(symbolic), IndexType())
            call.attributes[SYMBOLS] = ArrayAttr([StringAttr(name)])
            self._pending.append(call)
        return self._fresh[symbolic]


def equalities_in(graph: Graph) -> list[Any]:
    """What guards of the trace or assertions of the graph say of divisions: each a SymPy Eq(x, y) that holds."""
    values = [n.meta.get("val") for n in graph.nodes]
    environment = next((v.fake_mode.shape_env for v in tree_leaves(values) if isinstance(v, FakeTensor)), None)
    if environment is None:
        return []
    asserts = graph.find_nodes(op="call_function", target=torch.ops.aten._assert_scalar.default)
    asserted = [condition.meta.get("val") for n in asserts for condition in n.all_input_nodes]
    facts = [*(g.expr for g in environment.guards), *(v.node.expr for v in asserted if isinstance(v, torch.SymBool))]
    found = [environment.replace(fact) for fact in facts if fact.has(FloorDiv, Mod, PythonMod)]
    return [e for e in found if e.is_Relational and e.rel_op == "=="]


def insert_early(call: ExternOp, block: Block) -> None:
    """Puts a call of `eval_call` where all that it reads is known: what is there named by its result may move."""
    read = sizes_read(call)
    calls = [op for op in block.ops if isinstance(op, ExternOp)]
    before = next((op for op in reversed(calls) if sizes_told(op) & read), None)
    if before is not None:
        block.insert_op_after(call, before)
    elif block.first_op is not None:
        block.insert_op_before(call, block.first_op)
    else:
        block.add_op(call)


def eval_call(text: str, result: Attribute) -> ExternOp:
    """A call that evaluates Python `text` over the named sizes (and `math`) at run time."""
    return ExternOp(EVALUATE, [], [result], [StringAttr(text)])


def _convert(expr: Any, symbol: Callable[[Any], IndexExpr]) -> IndexExpr | None:
    """The index expression of a SymPy expression, None where there is none.

    Classes are told by name: SymPy's own, and those torch adds to it.
    """
    if expr.is_Integer:
        return integer(int(expr))
    if expr.is_Symbol:
        return symbol(expr)
    parts = [_convert(a, symbol) for a in expr.args]
    return _combine(type(expr).__name__, parts) if isa(parts, list[IndexExpr]) else None


def _combine(function: str, parts: Sequence[IndexExpr]) -> IndexExpr | None:
    match function:
        case "Add":
            return reduce(lambda a, b: a + b, parts)
        case "Mul":
            return product(parts)
        case "Pow" if (parts[1].constant or 0) > 0:
            return product([parts[0]] * (parts[1].constant or 0))
        case "FloorDiv" | "CleanDiv":
            return parts[0] // parts[1]
        case "Mod" | "PythonMod":
            return parts[0] % parts[1]
        case "ModularIndexing":
            return (parts[0] // parts[1]) % parts[2]
        case "Max" | "Min":
            return _extreme(parts, 1 if function == "Max" else -1)
        case "Identity":
            return parts[0]
        case _:
            return None


def _extreme(parts: Sequence[IndexExpr], sign: int) -> IndexExpr | None:
    """The part that is provably never below (or above) the others, if there is one."""

    def wins(part: IndexExpr) -> bool:
        return all((sign * (part - other)).is_non_negative() or part == other for other in parts)

    return next((part for part in parts if wins(part)), None)


__all__ = ["DTYPE_OF", "ELEMENT_OF", "Sizes", "element_of", "eval_call"]
