"""The Triton Python text of a module: it prints, and decides nothing but names and line breaks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import IO

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.target import Target

from lowering.host.call_text import index_text
from lowering.host.launched import Launched
from lowering.host.lines import Lines
from lowering.host.names import python_name
from lowering.host.source import host_lines
from lowering.triton_to_source.expressions import BINARY, expression, takes_factors
from lowering.triton_to_source.names import Names
from lowering.triton_to_source.texts import along_text, bare, is_atom, number_text
from mlc_dialects.common.index_syntax import index_exprs, operand_name
from mlc_dialects.common.types import BY_NAME, BY_TYPE, is_float, storage
from mlc_dialects.triton.descriptors import DescriptorLoadOp, DescriptorOp
from mlc_dialects.triton.dialect import ForOp, KernelOp, YieldOp
from mlc_dialects.triton.dot import DotOp
from mlc_dialects.triton.indirect import AtomicOp, CheckedOp
from mlc_dialects.triton.inter_block import DoneOp, EpochOp, SignalOp, WaitOp
from mlc_dialects.triton.last_block import LastBlockOp
from mlc_dialects.triton.memory import BarrierOp, GdcWaitOp, IndexOp, LoadOp, MaskOp, StoreOp
from mlc_dialects.triton.rearranged import HalvesOp
from mlc_dialects.triton.scan import CombineOp, ScanOp
from mlc_dialects.triton.types import PointerType, block_element, block_shape
from mlc_dialects.triton.values import (
    ArangeOp,
    BroadcastOp,
    CompareOp,
    FullOp,
    ProgramIdOp,
    ReduceOp,
    WhereOp,
    constant_of,
)
from mlc_support.errors import MlcError
from mlc_support.index_expr import IndexExpr
from mlc_support.index_parse import parse
from mlc_support.locations import source_line
from mlc_support.python_text import comment, quoted

HEADER = """import math
import operator

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

from mlc_compiler import triton_library as lib
from mlc_runtime.gradients import linear_gradients
from mlc_runtime.host import (
    Counters, allocator, expect, leaves, named_device, parts, reinterpret, single, with_layout
)

counters = Counters()
"""
STATEMENTS = (
    *(LoadOp, DescriptorOp, DescriptorLoadOp, WaitOp, CheckedOp),
    *(DotOp, ReduceOp, ScanOp, ProgramIdOp, ArangeOp),
)
"""Ops whose values always have names."""
CALLS = {BarrierOp: "tl.debug_barrier()", GdcWaitOp: "tl.extra.cuda.gdc_wait()"}
"""Ops that take and give nothing."""
LONGEST_INLINE = 60
"""An expression longer than this gets a statement of its own."""


@dataclass(frozen=True)
class TritonTarget(Target):
    """`-t triton`: the host functions and kernels of a module as Python."""

    name = "triton"
    level = "triton"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(module_source(module))


def module_source(module: ModuleOp) -> str:
    """The Python text of `module`: imports, host functions, then one `@triton.jit` function a kernel."""
    return str(module_lines(module))


def module_lines(module: ModuleOp) -> Lines:
    """The lines of `module_source`, each with the op of `module` that it is written for."""
    kernels = [op for op in module.ops if isinstance(op, KernelOp)]
    hosts = [op for op in module.ops if isinstance(op, func.FuncOp)]
    for op in module.ops:
        if not isinstance(op, KernelOp | func.FuncOp):
            name = op.op_name.data if isinstance(op, UnregisteredOp) else op.name
            raise MlcError(
                f"triton: cannot print {name}",
                hint="lower it first: -p fuse,tensor-to-loop,schedule,loop-to-triton",
            )
    named = {k.sym_name.data: _launched(k) for k in kernels}
    lines = Lines([*HEADER.splitlines()])
    for part in (*(host_lines(h, named) for h in hosts), *(KernelPrinter(k).lines() for k in kernels)):
        lines.add("", "")
        lines.extend(part)
    return lines


def _launched(kernel: KernelOp) -> Launched:
    sizes = tuple(size.data for size in kernel.sizes)
    return Launched(kernel.sym_name.data, sizes, tuple(index_exprs(kernel.grid)), kernel.launch_options)


class KernelPrinter:
    """The text of one kernel. A value read once, from the same source line, is written where it is read."""

    def __init__(self, kernel: KernelOp):
        self._kernel = kernel
        self._names = Names()
        self._text: dict[SSAValue, str] = {}
        self._lines = Lines()

    def lines(self) -> Lines:
        """The `@triton.jit` function."""
        parameters: list[str] = []
        for argument in self._kernel.body.block.args:
            pointer = isinstance(argument.type, PointerType)
            name = self._names.fresh(f"{argument.name_hint or 'arg'}_ptr" if pointer else argument.name_hint)
            self._text[argument] = name
            wide = "" if pointer else ": tl.int64"
            parameters.append(name + wide)
        why = f"  # {comment(self._kernel.why.data)}" if self._kernel.why is not None else ""
        called = python_name(self._kernel, self._kernel.sym_name.data)
        self._lines.add("@triton.jit", f"def {called}({', '.join(parameters)}):{why}")
        self._suite(self._kernel.body.block, "    ")
        self._lines.belong(self._kernel, 0)
        return self._lines

    def _suite(self, block: Block, indent: str) -> None:
        """The statements below a line that ends in a colon, of which Python needs one."""
        first = len(self._lines.texts)
        self._block(block.ops, indent)
        if len(self._lines.texts) == first:
            self._lines.add(f"{indent}pass")

    def _block(self, ops: Iterable[Operation], indent: str) -> None:
        for op in ops:
            first = len(self._lines.texts)
            match op:
                case StoreOp() | AtomicOp():
                    self._statement(self._store(op), op, indent)
                case SignalOp():
                    told = [v for v in (op.value, op.epoch, op.condition) if v is not None]
                    texts = [self._address(op), *(bare(self._text[v]) for v in told)]
                    self._statement(f"lib.publish({', '.join(texts)})", op, indent)
                case EpochOp():
                    epoch = f"lib.epoch({self._text[op.pointer]}, {op.programs.value.data})"
                    self._statement(f"{self._name(op.epoch)} = {epoch}", op, indent)
                case BarrierOp() | GdcWaitOp():
                    self._statement(CALLS[type(op)], op, indent)
                case DoneOp():
                    self._statement(f"lib.done({self._text[op.pointer]})", op, indent)
                case ForOp():
                    self._loop(op, indent)
                case LastBlockOp():
                    self._last(op, indent)
                case scf.IfOp() if not op.output:
                    self._branches(op, indent)
                case YieldOp() | scf.YieldOp():
                    pass
                case FullOp() if not block_shape(op.result.type):
                    self._text[op.result] = number_text(op.value)
                case ScanOp() | CombineOp() | HalvesOp() if len(op.results) == 2:
                    names = [self._name(r) for r in op.results]
                    self._statement(f"{', '.join(names)} = {self._expression(op)}", op, indent)
                case _:
                    self._value(op, indent)
            self._lines.belong(op, first)

    def _name(self, value: SSAValue) -> str:
        name = self._names.fresh(value.name_hint)
        self._text[value] = name
        return name

    def _value(self, op: Operation, indent: str) -> None:
        (result,) = op.results
        text = self._expression(op)
        if _is_inline(op, text):
            self._text[result] = text if is_atom(text) else f"({text})"
        else:
            self._statement(f"{self._name(result)} = {text}", op, indent)

    def _statement(self, text: str, op: Operation, indent: str) -> None:
        place = _comment(op)
        self._lines.add(f"{indent}{text}{'  # ' + place if place else ''}")

    def _loop(self, op: ForOp, indent: str) -> None:
        names: list[str] = []
        for initial, argument, result in zip(op.initial, op.body.block.args[1:], op.outputs, strict=True):
            name = self._names.fresh(argument.name_hint or result.name_hint or "acc")
            self._lines.add(f"{indent}{name} = {self._initial(initial)}")
            self._text[argument] = self._text[result] = name
            names.append(name)
        start = self._name(op.body.block.args[0])
        extent = self._index_text(op.extent.data, op.bounds)
        first = "0" if op.start is None else bare(self._text[op.start])
        steps = f"{first}, {extent}, {op.step.value.data}"
        options = [] if op.stages is None else [f"num_stages={op.stages.value.data}"]
        options += [] if op.flattened is None else ["flatten=True"]
        text = f"tl.range({', '.join((steps, *options))})" if options else f"range({steps})"
        if op.unrolled is not None:
            index = BY_TYPE[op.body.block.args[0].type].triton_name
            self._lines.add(f"{indent}for {start} in tl.static_range({steps}):")
            self._lines.add(f"{indent}    {start} = tl.full((), {start}, tl.{index})")
        else:
            self._lines.add(f"{indent}for {start} in {text}:")
        if not names:
            self._suite(op.body.block, indent + "    ")
            return
        self._block(op.body.block.ops, indent + "    ")
        last = op.body.block.last_op
        assert isinstance(last, YieldOp)
        values = ", ".join(bare(self._text[v]) for v in last.values)
        self._lines.add(f"{indent}    {', '.join(names)} = {values}")

    def _last(self, op: LastBlockOp, indent: str) -> None:
        self._lines.add(f"{indent}if lib.is_last({self._address(op)}, {op.count.value.data}):")
        self._suite(op.body.block, indent + "    ")

    def _branches(self, op: scf.IfOp, indent: str) -> None:
        for head, region in zip((f"if {bare(self._text[op.cond])}:", "else:"), op.regions, strict=True):
            if region.blocks:
                self._lines.add(f"{indent}{head}")
                self._suite(region.block, indent + "    ")

    def _initial(self, value: SSAValue) -> str:
        """What a loop starts with: a number says its type, which is that of what the loop makes of it."""
        constant = None if block_shape(value.type) else constant_of(value)
        return self._spread(value) if constant is None else self._full(value, constant)

    def _spread(self, value: SSAValue) -> str:
        """The text of a value in all of its shape."""
        text = bare(self._text[value])
        return text if spans(value) else f"tl.broadcast_to({text}, {block_shape(value.type)})"

    def _expression(self, op: Operation) -> str:
        match op:
            case ProgramIdOp():
                return f"tl.program_id({op.axis.value.data}){_widened(op.result.type)}"
            case ArangeOp():
                return _arange(op)
            case IndexOp():
                return self._index_text(op.index.data[0].data, op.operands_)
            case MaskOp():
                return self._mask(op)
            case LoadOp():
                return self._load(op)
            case CheckedOp():
                return self._checked(op)
            case WaitOp():
                dtype = BY_TYPE[block_element(op.result.type)].triton_name
                mask, epoch = bare(self._text[op.mask]), self._text[op.epoch]
                return f"lib.awaited({self._address(op)}, {mask}, {epoch}, tl.{dtype})"
            case FullOp():
                return self._full(op.result, op.value)
            case BroadcastOp():
                return self._text[op.input]
            case _:
                return expression(op, lambda k: self._operand(op, k))

    def _operand(self, op: Operation, position: int) -> str:
        """An operand's text. Numbers take the type of the operand beside them, and blocks broadcast by themselves."""
        value = op.operands[position]
        constant = constant_of(value)
        if constant is not None:
            beside = [
                v for k, v in enumerate(op.operands) if k != position and not (k == 0 and isinstance(op, WhereOp))
            ]
            literal = isinstance(op, CompareOp | WhereOp) or type(op) in BINARY or op.name.startswith("arith.m")
            # Triton 3.6 takes a bare number as float32 first, which a float64 beside it would show.
            exact = block_element(value.type) != BY_NAME["f64"].type
            if literal and exact and any(constant_of(v) is None for v in beside):
                return number_text(constant)
            return self._full(value, constant)
        if isinstance(op, ReduceOp | ScanOp | DotOp):
            return self._spread(value)
        text = self._text[value]
        return text if takes_factors(op) else bare(text)

    def _index_text(self, expr: str, operands: Sequence[SSAValue]) -> str:
        """An index expression, with scalars before blocks.

        Then they are added once and not for each element. ptxas even serializes tensor cores in loops that do that.
        """
        blocks = {operand_name(k) for k, v in enumerate(operands) if block_shape(v.type)}
        terms = parse(expr).terms
        late = [any(v.name in blocks for v in IndexExpr((term,)).variables()) or not term[0] for term in terms]
        ordered = sorted(zip(late, terms, strict=True), key=itemgetter(0))
        text = str(IndexExpr(tuple(term for _, term in ordered))) if sorted(late) != late else expr
        return index_text(text, [self._text[v] for v in operands], self._kernel)

    def _mask(self, op: MaskOp) -> str:
        tests = [
            f"{self._text[index]} < {self._index_text(limit.data, op.bounds)}"
            for index, limit in zip(op.indices, op.limits.data, strict=True)
        ]
        return tests[0] if len(tests) == 1 else " & ".join(f"({t})" for t in tests)

    def _checked(self, op: CheckedOp) -> str:
        limit = self._index_text(op.limit.data[0].data, op.bounds)
        place = f"index out of range: {_comment(op)}" if _comment(op) else "index out of range"
        mask = f", {bare(self._text[op.mask])}" if op.mask is not None else ""
        return f"lib.checked({self._operand(op, 0)}, {limit}, {place!r}{mask})"

    def _address(self, op: LoadOp | StoreOp | AtomicOp | LastBlockOp | SignalOp | WaitOp) -> str:
        offset = self._index_text(op.index.data[0].data, op.indices)
        base = self._text[op.pointer]
        if offset == "0":
            return base
        if isinstance(op, LoadOp | StoreOp) and op.along is not None:
            block = (op.result if isinstance(op, LoadOp) else op.value).type
            return f"{base} + {along_text(offset, op.along.value.data, len(block_shape(block)))}"
        return f"{base} + {offset}" if offset.isidentifier() else f"{base} + ({offset})"

    def _load(self, op: LoadOp) -> str:
        other = "0" if op.other is None else number_text(op.other)
        mask = "" if op.mask is None else bare(self._text[op.mask])
        address, place = self._address(op), ""
        if op.as_vector is not None:
            shape = block_shape(op.result.type)
            address, mask = (f"tl.reshape({text}, ({max(shape)},))" if text else "" for text in (address, mask))
            place = f"[{', '.join(':' if size > 1 else 'None' for size in shape)}]"
        options = f", mask={mask}, other={other}" if mask else ""
        text = f"tl.load({address}{options}{_evict(op)}){place}"
        pointee = op.pointer.type.element  # pyright: ignore
        if storage(pointee) != pointee:
            text += f".to(tl.{BY_TYPE[storage(pointee)].triton_name}, bitcast=True)"
        return text

    def _store(self, op: StoreOp | AtomicOp) -> str:
        constant = constant_of(op.value)
        pointee = op.pointer.type.element  # pyright: ignore
        value = bare(self._text[op.value]) if constant is None else self._full(op.value, constant)
        if storage(pointee) != pointee:
            bits = self._text[op.value] if constant is None else value
            value = f"{bits}.to(tl.{BY_TYPE[pointee].triton_name}, bitcast=True)"
        options = f", mask={bare(self._text[op.mask])}" if op.mask is not None else ""
        if isinstance(op, AtomicOp) and op.kind.data == "max" and is_float(block_element(op.value.type)):
            mask = bare(self._text[op.mask]) if op.mask is not None else "True"
            return f"lib.atomic_max_nan({self._address(op)}, {value}, {mask})"
        if isinstance(op, AtomicOp):
            return f'tl.atomic_{op.kind.data}({self._address(op)}, {value}{options}, sem="relaxed")'
        return f"tl.store({self._address(op)}, {value}{options}{_evict(op)})"

    def _full(self, value: SSAValue, constant: Attribute) -> str:
        shape, number = block_shape(value.type), number_text(constant)
        if not shape and number.startswith("tl."):
            return number
        return f"tl.full({shape}, {number}, tl.{BY_TYPE[block_element(value.type)].triton_name})"


def _evict(op: LoadOp | StoreOp) -> str:
    return "" if op.evict is None else f", eviction_policy={quoted('evict_' + op.evict.data)}"


def spans(value: SSAValue) -> bool:
    """True if the text of `value` has all of its shape: broadcasts are not written, nor is arithmetic on them alone."""
    todo, seen = [value], {value}
    while todo:
        op = todo.pop().owner
        if isinstance(op, WhereOp | CompareOp) or (
            isinstance(op, Operation) and op.name.startswith(("arith.", "math."))
        ):
            new = {v for v in op.operands if constant_of(v) is None} - seen
            seen |= new
            todo += new
        elif not isinstance(op, BroadcastOp):
            return True
    return False


def _is_inline(op: Operation, text: str) -> bool:
    """True if `op` is written inside its one reader: pure, near, and of the same source line."""
    if isinstance(op, BroadcastOp):
        return True
    if isinstance(op, FullOp):
        return all(isinstance(u.operation, WhereOp | BroadcastOp) for u in op.result.uses)
    uses = list(op.results[0].uses)
    if isinstance(op, STATEMENTS) or len(uses) != 1 or len(text) > LONGEST_INLINE:
        return False
    user = uses[0].operation
    while isinstance(user, BroadcastOp):
        readers = list(user.result.uses)
        if len(readers) != 1:
            return False
        user = readers[0].operation
    return user.parent is op.parent and (_comment(op) in ("", _comment(user)) or isinstance(op, MaskOp))


def _arange(op: ArangeOp) -> str:
    shape = block_shape(op.result.type)
    text = f"tl.arange(0, {max(shape)}){_widened(op.result.type)}"
    if len(shape) == 1:
        return text
    return f"{text}[:, None]" if shape[1] == 1 else f"{text}[None, :]"


def _widened(type_: Attribute) -> str:
    return ".to(tl.int64)" if BY_TYPE[block_element(type_)].name == "i64" else ""


def _comment(op: Operation) -> str:
    """The user's line that `op` comes from: `model.py:12  y = torch.softmax(x, -1)`."""
    return comment(source_line(op))
