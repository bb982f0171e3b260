"""The manifest of a lowered module."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, prod

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr

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
        checks = any(isinstance(op, IndirectIndexOp) for op in walk(kernel))
    lines = user_lines((*launches, *walk(kernel)))
    dtypes = tuple(BY_TYPE[as_bits(e)].torch_name for e in elements)
    return KernelEntry(name, dtypes, sizes, options, checks, lines, described, may_widen)


def values_held(lowered: ModuleOp) -> dict[str, int]:
    """The values that a thread of each of Triton's kernels holds of the largest block there, by the kernel's name.

    The more there are, the longer Triton and ptxas take: code is unrolled for each.
    """
    found = dict[str, int]()
    for kernel in (op for op in lowered.ops if isinstance(op, triton.KernelOp)):
        blocks = (prod(block_shape(result.type)) for op in walk(kernel) for result in op.results)
        found[kernel.sym_name.data] = ceil(max(blocks, default=1) / (LANES * kernel.warps.value.data))
    return found


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
