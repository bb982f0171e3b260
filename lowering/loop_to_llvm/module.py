"""A module of `mlc_loop` kernels as one module of LLVM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO

from llvmlite import ir
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.utils.target import Target

from lowering.host.names import python_name
from lowering.loop_to_llvm.frame import ONE, ZERO, counted
from lowering.loop_to_llvm.index import index_value
from lowering.loop_to_llvm.kernel import RowsFunction, units
from lowering.loop_to_llvm.types import I32, I64, POINTER, VOID, constant, memory_type
from mlc_dialects.common.buffers import buffer_element, buffer_offset, buffer_shape, buffer_strides
from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.common.reduction_kinds import identity
from mlc_dialects.common.types import storage
from mlc_dialects.loop.dialect import (
    AccumulateOp,
    AtomicOp,
    IndexOp,
    IndirectIndexOp,
    KernelOp,
    LoadOp,
    LoopOp,
    StoreOp,
)
from mlc_support.cpu import CPU
from mlc_support.index_expr import IndexExpr, integer, product, variable
from mlc_support.walks import walk


@dataclass(frozen=True)
class LlvmTarget(Target):
    """`-t llvm`: the kernels of a module as LLVM IR."""

    name = "llvm"
    level = "cpu"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(str(llvm_module(module)))


def llvm_module(module: ModuleOp) -> ir.Module:
    """The kernels of `module`: each a function of its buffers, its named sizes, a place for failures, and threads."""
    made = ir.Module("mlc")
    for kernel in module.ops:
        if isinstance(kernel, KernelOp):
            _kernel(made, kernel)
    return made


def symbol(name: str) -> str:
    """What the function of the kernel `name` is called: unlike every function of C, `pow` among them."""
    return f"kernel.{name}"


def size_names(kernel: KernelOp) -> list[str]:
    """The named sizes that a kernel takes, in the order it takes them."""
    found: set[str] = set()
    for buffer in kernel.buffers:
        found |= _names((*buffer_shape(buffer.type), *buffer_strides(buffer.type)))
    for op in walk(kernel):
        if isinstance(op, LoopOp):
            found |= _names(op.sizes)
        elif isinstance(op, IndirectIndexOp):
            found |= _names([op.size])
        elif isinstance(op, LoadOp | StoreOp | AtomicOp | AccumulateOp | IndexOp):
            found |= _names(index_exprs(op.index))
    return sorted(found)


def _names(exprs: Sequence[IndexExpr]) -> set[str]:
    names = {v.name for expr in exprs for v in expr.variables()}
    return {n for n in names if not (n[0] == "d" and n[1:].isdigit())}


def _kernel(module: ir.Module, kernel: KernelOp) -> None:
    sizes = size_names(kernel)
    rows = RowsFunction(module, kernel, sizes).build()
    count = len(kernel.buffers) + len(sizes)
    types = [*(a.type for a in rows.args[:count]), POINTER, I64]
    function = ir.Function(module, ir.FunctionType(VOID, types), symbol(python_name(kernel, kernel.sym_name.data)))
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    named = dict(zip(sizes, function.args[len(kernel.buffers) :], strict=False))
    total = index_value(builder, product(units(kernel.rows)), named)
    work = index_value(builder, kernel.rows.size * _points(kernel), named)
    arguments = [*function.args[: count + 1]]
    _fill(builder, kernel, dict(zip(kernel.buffers, function.args, strict=False)), named)
    adds = [op for op in walk(kernel) if isinstance(op, AtomicOp | AccumulateOp)]
    if any(isinstance(op, AtomicOp) for op in adds) or (adds and kernel.rows.shares is None):
        builder.call(rows, [*arguments, ZERO, total])
        builder.ret_void()
        return
    _shared(module, builder, rows, arguments, total, work, function.args[-1])


def _fill(
    builder: ir.IRBuilder, kernel: KernelOp, buffers: Mapping[SSAValue, ir.Value], sizes: Mapping[str, ir.Value]
) -> None:
    """Buffers that a kernel accumulates in, filled with what changes nothing."""
    for buffer, kind in {op.buffer: op.kind.data for op in walk(kernel) if isinstance(op, AccumulateOp)}.items():
        shape, element = buffer_shape(buffer.type), buffer_element(buffer.type)
        indices = [variable(f"i{k}") for k in range(len(shape))]
        names = dict(sizes)
        with ExitStack() as loops:
            for index, size in zip(indices, shape, strict=True):
                names[str(index)] = loops.enter_context(counted(builder, ZERO, index_value(builder, size, names)))
            place = index_value(builder, buffer_offset(buffer.type, indices), names)
            first = constant(identity(kind, storage(element)), storage(element))
            kind_ = memory_type(element)
            wide = builder.zext(first, kind_) if first.type != kind_ else first
            builder.store(wide, builder.gep(buffers[buffer], [place], inbounds=True, source_etype=kind_))


def _points(kernel: KernelOp) -> IndexExpr:
    """How many points a row has, all loops together."""
    total = integer(0)
    for loop in kernel.rows.loops:
        total = total + loop.size
    return total if kernel.rows.loops else integer(1)


def _shared(
    module: ir.Module,
    builder: ir.IRBuilder,
    rows: ir.Function,
    arguments: Sequence[ir.Value],
    total: ir.Value,
    work: ir.Value,
    threads: ir.Value,
) -> None:
    """The rows on several threads, if there is work for them: those of OpenMP, which PyTorch uses as well."""
    shares = builder.udiv(work, ir.Constant(I64, CPU.points_a_thread))
    for most in (threads, total):
        shares = builder.select(builder.icmp_unsigned("<", shares, most), shares, most)
    with builder.if_else(builder.icmp_unsigned("<=", shares, ONE)) as (alone, together):
        with alone:
            builder.call(rows, [*arguments, ZERO, total])
        with together:
            given = ir.LiteralStructType([a.type for a in (*arguments, total)])
            with builder.goto_entry_block():
                context = builder.alloca(given)
            for k, value in enumerate((*arguments, total)):
                builder.store(value, builder.gep(context, [ir.Constant(I32, 0), ir.Constant(I32, k)]))
            start = _declared(module, "GOMP_parallel", VOID, [POINTER, POINTER, I32, I32])
            share = _share(module, rows, given)
            builder.call(
                start, [share, builder.bitcast(context, POINTER), builder.trunc(shares, I32), ir.Constant(I32, 0)]
            )
    builder.ret_void()


def _share(module: ir.Module, rows: ir.Function, given: ir.LiteralStructType) -> ir.Function:
    """What each thread runs: an equal part of the rows."""
    function = ir.Function(module, ir.FunctionType(VOID, [POINTER]), rows.name.replace(".rows", ".share"))
    function.linkage = "internal"
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    values = [
        builder.load(
            builder.gep(function.args[0], [ir.Constant(I32, 0), ir.Constant(I32, k)], source_etype=given), typ=kind
        )
        for k, kind in enumerate(given.elements)
    ]
    *arguments, total = values
    number, count = (
        builder.zext(builder.call(_declared(module, name, I32, []), []), I64)
        for name in ("omp_get_thread_num", "omp_get_num_threads")
    )
    begin = builder.udiv(builder.mul(total, number), count)
    end = builder.udiv(builder.mul(total, builder.add(number, ONE)), count)
    builder.call(rows, [*arguments, begin, end])
    builder.ret_void()
    return function


def _declared(module: ir.Module, name: str, result: ir.Type, parameters: Sequence[ir.Type]) -> ir.Function:
    known = module.globals.get(name)
    return known if isinstance(known, ir.Function) else ir.Function(module, ir.FunctionType(result, parameters), name)
