"""What a compiled graph costs: launches, calls and bytes, read off the host program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr
from xdsl.ir import SSAValue

from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from mlc_dialects.common.annotations import REFUSED
from mlc_dialects.common.buffers import buffer_element, buffer_shape
from mlc_dialects.common.types import byte_size
from mlc_dialects.loop.host import CallOp, LaunchOp
from mlc_dialects.tensor.calls import FusionOp
from mlc_support.index_expr import product
from mlc_support.index_maps import assumed
from mlc_support.walks import walk


@dataclass(frozen=True)
class Cost:
    """Kernel launches, calls of PyTorch, and bytes moved if each reads and writes its tensors once."""

    launches: int
    calls: int
    bytes: int


def cost_of(module: ModuleOp, options: CompilerOptions | None = None) -> Cost:
    """The cost of an imported `module` when compiled with `options`; the module is left as it is.

    Dynamic sizes count as 1024.
    """
    lowered = lower_to(module.clone(), "triton", options)
    assert isinstance(lowered, ModuleOp)
    launches = [op for op in walk(lowered) if isinstance(op, LaunchOp)]
    calls = [op for op in walk(lowered) if isinstance(op, CallOp)]
    moved = sum(buffer_bytes(v) for op in launches for v in op.buffers)
    moved += sum(buffer_bytes(v) for op in calls for v in (*op.inputs, *op.outputs))
    return Cost(len(launches), len(calls), moved)


def reasons(fused: ModuleOp) -> Iterator[str]:
    """Why each kernel of a fused module was formed, and which merges were refused."""
    for op in walk(fused):
        if isinstance(op, FusionOp):
            name = op.outputs[0].name_hint or "?"
            yield f"{name}: {op.kind.data}: {op.why.data}"
            for refusal in getattr(op.attributes.get(REFUSED), "data", ()):
                if isinstance(refusal, StringAttr):
                    yield f"  not fused {refusal.data}"


def buffer_bytes(value: SSAValue) -> int:
    """Bytes of a buffer's elements; 0 for what is no buffer."""
    if not isinstance(value.type, MemRefType):
        return 0
    count = product(buffer_shape(value.type))
    return assumed(count) * byte_size(buffer_element(value.type))
