"""The manifest of a lowered module."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, prod

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr
from xdsl.ir import Operation

from lowering.host.names import host_name
from mlc_dialects.common.annotations import ANY_LAYOUT, DEVICE, result_annotations
from mlc_dialects.common.buffers import buffer_element, buffer_strides
from mlc_dialects.common.types import BY_TYPE, as_bits
from mlc_dialects.loop import dialect as loop
from mlc_dialects.loop.host import LaunchOp
from mlc_dialects.loop.indirect import IndirectIndexOp
from mlc_dialects.triton import dialect as triton
from mlc_dialects.triton.descriptors import DescriptorOp
from mlc_dialects.triton.inter_block import WaitOp
from mlc_dialects.triton.types import LANES, PointerType, block_shape
from mlc_runtime.manifest import HostEntry, KernelEntry, Manifest
from mlc_support.locations import user_lines
from mlc_support.walks import walk


def manifest_of(lowered: ModuleOp) -> Manifest:
    """The kernels and the host programs of a lowered module."""
    kernels = [op for op in lowered.ops if isinstance(op, triton.KernelOp | loop.KernelOp)]
    functions = [op for op in lowered.ops if isinstance(op, func.FuncOp)]
    hosts = {f.sym_name.data: host_entry(f) for f in functions if f.body.blocks}
    launches: dict[str, list[LaunchOp]] = {}
    for op in (op for function in functions for op in walk(function) if isinstance(op, LaunchOp)):
        launches.setdefault(op.kernel.string_value(), []).append(op)
    return Manifest(tuple(kernel_entry(k, launches.get(k.sym_name.data, ())) for k in kernels), hosts)


def kernel_entry(kernel: triton.KernelOp | loop.KernelOp, launches: Iterable[LaunchOp] = ()) -> KernelEntry:
    """A kernel of a lowered module, and its launches there."""
    name = kernel.sym_name.data
    if isinstance(kernel, triton.KernelOp):
        elements = [a.type.element for a in kernel.pointers if isinstance(a.type, PointerType)]
        sizes, options, checks = len(kernel.size_arguments), kernel.launch_options, False
        pointers = {op.pointer for op in walk(kernel) if isinstance(op, DescriptorOp)}
        described = tuple(k for k, pointer in enumerate(kernel.pointers) if pointer in pointers)
        may_widen = not any(isinstance(op, WaitOp) for op in walk(kernel))
    else:
        elements = [buffer_element(buffer.type) for buffer in kernel.buffers]
        sizes, options, described, may_widen = 0, dict[str, int](), (), False
        checks = any(isinstance(op, IndirectIndexOp) and op.unchecked is None for op in walk(kernel))
    lines = user_lines((*launches, *walk(kernel)))
    dtypes = tuple(BY_TYPE[as_bits(e)].torch_name for e in elements)
    return KernelEntry(name, dtypes, sizes, options, checks, lines, described, may_widen)


OPS_LIKE_A_VALUE = 6
"""So many ops of a kernel take Triton and ptxas as long as one value more that each thread holds."""
UNROLLED = 16
"""Steps up to which ptxas gives each step of a loop its own code, if it knows how many there are."""


def compile_costs(lowered: ModuleOp) -> dict[str, int]:
    """How long Triton and ptxas take for each of Triton's kernels, in no unit; to begin with the longest.

    Code is generated for each value that a thread holds of a block, and for each op. Of 285 kernels of six networks,
    five processes that begin with the longest by this number take 2 % longer than if the times were known.
    """
    kernels = [op for op in lowered.ops if isinstance(op, triton.KernelOp)]
    return {kernel.sym_name.data: _compile_cost(kernel) for kernel in kernels}


def _compile_cost(kernel: triton.KernelOp) -> int:
    ops = list(walk(kernel))
    values = max((prod(block_shape(result.type)) for op in ops for result in op.results), default=1)
    held = ceil(values / (LANES * kernel.warps.value.data))
    return max(held * max(map(_unrolled_steps, ops)), len(ops) // OPS_LIKE_A_VALUE)


def _unrolled_steps(op: Operation) -> int:
    """The steps of a loop over products that ptxas unrolls; else 1."""
    if not isinstance(op, triton.ForOp) or not any(isinstance(inner, triton.DotOp) for inner in op.body.block.ops):
        return 1
    around = op.parent_op()
    known = op.start is None and op.extent.data.isdecimal() and not isinstance(around, triton.ForOp)
    steps = -(-int(op.extent.data) // op.step.value.data) if known else 1
    return steps if steps <= UNROLLED else 1


def host_entry(function: func.FuncOp) -> HostEntry:
    """A host program of a lowered module."""
    arguments, told = function.body.block.args, function.attributes.get(DEVICE)
    tensors = tuple(k for k, a in enumerate(arguments) if isinstance(a.type, MemRefType))
    device = told.data if isinstance(told, StringAttr) else None
    free = (_free_strides(function, position) for position in range(len(function.function_type.outputs)))
    return HostEntry(host_name(function), len(arguments), tensors, device, tuple(free))


def _free_strides(function: func.FuncOp, position: int) -> tuple[int, ...] | None:
    """The strides of a result that may have any; None of others."""
    if ANY_LAYOUT not in result_annotations(function, position):
        return None
    return tuple(s.evaluate({}) for s in buffer_strides(function.function_type.outputs.data[position]))
