"""What the exports share: the function to export, its names, its sizes, and its constants."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NoReturn, TypeVar

from xdsl.dialects import func
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from lowering.export.formulas import Formula, Open
from lowering.export.opened import copied, inputs_of, is_seeds, is_update
from lowering.export.python_lines import HELPER
from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.common.types import element_type, shape_of
from mlc_dialects.semantics.numerics import Value, dense_value, scalar_value
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.composite_op import owner_op
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import ConstantOp, SizeOp
from mlc_dialects.tensor.views import RollOp, SliceOp
from mlc_support.errors import MlcError
from mlc_support.locations import location_of
from mlc_support.value_names import value_names

T = TypeVar("T")


class Program:
    """The one function of a module, on its way to another compiler.

    MlcError where the module has several functions, or sizes that are not numbers.
    """

    def __init__(self, module: ModuleOp, language: str, reserved: Collection[str] = (), opened: Open | None = None):
        self.language = language
        module = copied(module) if opened else module
        functions = [op for op in module.ops if isinstance(op, func.FuncOp) and op.body.blocks]
        if len(functions) != 1:
            raise MlcError(f"{language}: expected one function with a body, found {len(functions)}")
        self.function = functions[0]
        self.block = self.function.body.block
        self.names = value_names(self.block, reserved)
        self.sources: dict[SSAValue, str] = {}
        """Of the ops that a call was opened into: the name of the call."""
        if opened:
            self._open(opened)
        for op in self.block.ops:
            if is_update(op):
                self.names[op.results[0]] = self.names[op.operands[1]]

    def _open(self, opened: Open) -> None:
        """Puts the formula of each op that has one in its place, as helpers of its name."""
        work, helpers = list(self.block.ops), dict[str, int]()
        while work:
            op = work.pop()
            if (formula := opened(op)) is None:
                continue
            source = self.source(op.results[0])
            self.block.insert_ops_before(formula.ops, op)
            for result in (r for part in formula.ops for r in part.results):
                helpers[source] = helpers.get(source, 0) + 1
                self.names[result] = f"{source}{HELPER}{helpers[source]}"
                self.sources[result] = source
            for part in formula.ops:
                part.location = op.location
            self._replace(op, formula)
            work += formula.ops

    def _replace(self, op: Operation, formula: Formula) -> None:
        """The results of a formula instead of those of its op, the first under its name: that is the name of the op."""
        first = formula.results[0]
        if first is not None and owner_op(first) in formula.ops:
            self.names[first] = self.names[op.results[0]]
        for old, new in zip(op.results, formula.results, strict=True):
            if new is not None:
                old.replace_all_uses_with(new)
        self.block.erase_op(op)

    @property
    def inputs(self) -> list[SSAValue]:
        """The arguments, and the seeds of random numbers."""
        return inputs_of(self.function)

    @property
    def ops(self) -> list[Operation]:
        """The ops that compute."""
        return [op for op in self.block.ops if not (isinstance(op, func.ReturnOp) or is_seeds(op) or is_update(op))]

    @property
    def results(self) -> list[SSAValue]:
        """What the function returns, and behind it what it writes into its arguments."""
        last = self.block.last_op
        assert isinstance(last, func.ReturnOp)
        updates = [op.operands[1] for op in self.block.ops if is_update(op)]
        return [self.actual(v) for v in (*last.operands, *updates)]

    def actual(self, value: SSAValue) -> SSAValue:
        """The value that an update of an argument stands for."""
        while isinstance(value.owner, Operation) and is_update(value.owner):
            value = value.owner.operands[1]
        return value

    def source(self, value: SSAValue) -> str:
        """The name of the op of the program that `value` belongs to."""
        return self.sources.get(value, self.names[value])

    def sizes(self, value: SSAValue) -> list[int]:
        """The shape of `value`, in numbers."""
        sizes: list[int] = []
        if not isinstance(value.type, TensorType):
            raise MlcError(f"{self.language}: no export of {value.type}", None, "export a program before it has loops")
        for size in shape_of(value.type):
            if size.constant is None:
                place = location_of(value.owner) if isinstance(value.owner, Operation) else None
                raise MlcError(
                    f"{self.language}: %{self.names[value]} has the dynamic size {size}",
                    place,
                    "only static shapes are exported: give the size a number",
                )
            sizes.append(size.constant)
        return sizes

    def rule(self, rules: Mapping[type[Operation], T], op: Operation) -> T:
        """The rule of `op` in a table by classes, where one serves all elementwise ops. MlcError if there is none."""
        found = rules.get(type(op)) or (rules[ElementwiseOp] if isinstance(op, ElementwiseOp) else None)
        if found is None:
            self.refuse(op)
        return found

    def entry(self, functions: Mapping[str, T], op: ElementwiseOp) -> T:
        """The entry of an elementwise op in a table by names. MlcError if the language lacks it."""
        name = op.FUNCTION.name
        if name not in functions:
            self.refuse(op, f"{self.language} has no such function")
        return functions[name]

    def refuse(self, op: Operation, why: str = "") -> NoReturn:
        """Says that `op` has no export."""
        called = f" ({op.callee.data})" if isinstance(op, ExternOp) else ""
        detail = f"{called}: {why}" if why else called
        raise MlcError(f"{op.name} has no export to {self.language}{detail}", location_of(op))


def constant_value(op: ConstantOp | SizeOp) -> Value:
    """The elements of a constant; one, of shape [], where it is the same everywhere."""
    element = element_type(op.result.type)
    if isinstance(op, SizeOp):
        return scalar_value(IntegerAttr(_static_size(op), 64), element)
    if isinstance(op.value, DenseIntOrFPElementsAttr):
        return dense_value(op.value)
    return scalar_value(op.value, element)


def _static_size(op: SizeOp) -> int:
    number = op.expr.constant
    if number is None:
        raise MlcError(f"{op.name} depends on a dynamic size", location_of(op), "give the size a number")
    return number


def element_of(value: SSAValue) -> Attribute:
    """The element type of a tensor value."""
    return element_type(value.type)


def slice_bounds(program: Program, op: SliceOp) -> tuple[list[int], list[int]]:
    """First and past-the-last index of each dimension, ascending also where the step is negative."""
    starts: list[int] = []
    ends: list[int] = []
    for expr, step, count in zip(index_exprs(op.starts), op.strides, program.sizes(op.result), strict=True):
        first = expr.constant
        if first is None:
            program.refuse(op, f"it starts at the dynamic index {expr}")
        last = first + (count - 1) * step
        starts.append(min(first, last) if count else first)
        ends.append(max(first, last) + 1 if count else first)
    return starts, ends


def roll_starts(program: Program, op: RollOp) -> list[tuple[int, int, int]]:
    """Of each dimension that is rolled: which it is, where it begins, and its size."""
    starts = index_exprs(op.starts)
    for start in starts:
        if start.constant is None:
            program.refuse(op, f"it starts at the dynamic index {start}")
    sizes = program.sizes(op.result)
    return [(dim, s.constant, size) for dim, (s, size) in enumerate(zip(starts, sizes, strict=True)) if s.constant]
