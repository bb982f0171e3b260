"""Every kernel of the end-to-end cases compiles for sm_90, no GPU needed, and keeps its values in registers."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from xdsl.dialects.builtin import ModuleOp

from lowering.fx_to_tensor import import_callable
from lowering.triton_to_source.kernels import module_source
from mlc_compiler.kernels.aot import Request, Resources, compile_many
from mlc_compiler.kernels.cache import write_source
from mlc_compiler.kernels.kernel_requests import kernel_requests
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from tests.unit.cases import CASES, Case, randn

STACK = ("sin", "cos", "tan", "lgamma")
"""Functions whose libdevice code keeps a table on the stack, and spills around its slow path."""
VECTORS = [
    Case(f"wide-{name}", lambda x, b: torch.relu(x * 2 + b), randn((2048, 4096), (2048, 4096), dtype=dtype))
    for name, dtype in (("f32", torch.float32), ("bf16", torch.bfloat16))
]
WIDE = [
    *VECTORS,
    Case("softmax-4096", lambda x: torch.softmax(x, -1), lambda: [torch.randn(128, 4096).bfloat16()]),
    Case("softmax-16384", lambda x: torch.softmax(x, -1), lambda: [torch.randn(128, 16384).bfloat16()]),
    Case(
        "layer_norm-8192",
        lambda x: torch.nn.functional.layer_norm(x, (8192,)),
        lambda: [torch.randn(128, 8192).bfloat16()],
    ),
    Case("column_sum-4096", lambda x: x.sum(0), lambda: [torch.randn(4096, 512).bfloat16()]),
    Case("long_scan", lambda x: x.cumsum(-1), randn((3, 40000))),
    Case("long_scan-wide", lambda x: (x.cumsum(-1), x.cumprod(-1)), randn((3, 40001), dtype=torch.float64)),
]
ALIKE = ("-f16", "-row", "-column")
"""Cases whose kernels tell a compiler nothing that those of bf16 and of primes do not."""


def requests(case: Case) -> list[Request]:
    """One request a kernel: pointers as the kernel's arguments say, all of them aligned, and sizes as i64."""
    imported = import_callable(case.function, case.inputs())
    module = lower_to(imported.module, "triton", CompilerOptions())
    assert isinstance(module, ModuleOp)
    path = write_source(module_source(module))
    return list(kernel_requests(module, path))


def report(request: Request, used: Resources) -> str:
    """What a person needs to see of a kernel that is not as it should be."""
    return f"{request.kernel} of {request.source}: {used}\n{Path(request.source).read_text()}"


@pytest.fixture(scope="module")
def compiled() -> dict[str, list[tuple[Request, Resources]]]:
    """Every kernel of every case, compiled once."""
    wanted = {case.name: requests(case) for case in (*CASES, *WIDE) if case.compiles and not case.name.endswith(ALIKE)}
    texts: dict[str, Request] = {}
    for found in wanted.values():
        for request in found:
            texts.setdefault(_text(request), request)
    resources = dict(zip(texts, compile_many(list(texts.values())), strict=True))
    return {name: [(r, resources[_text(r)]) for r in found] for name, found in wanted.items()}


def _text(request: Request) -> str:
    """The kernel's own source and launch, without comments: equal ones compile once."""
    source = Path(request.source).read_text().partition(f"\ndef {request.kernel}(")[2].partition("\n@triton.jit")[0]
    lines = [line.partition("  #")[0] for line in source.splitlines()]
    return "\n".join([*lines, str(request.options), str(request.signature)])


@pytest.mark.slow
def test_every_kernel_compiles_without_spills(compiled: dict[str, list[tuple[Request, Resources]]]) -> None:
    """Registers hold what kernels compute with."""
    for found in compiled.values():
        for request, used in found:
            tables = any(f"libdevice.{name}(" in Path(request.source).read_text() for name in STACK)
            assert tables or used.spill_bytes == used.local_accesses == 0, report(request, used)
            assert used.registers <= 255


@pytest.mark.slow
@pytest.mark.parametrize("name", [case.name for case in VECTORS])
def test_pointwise_kernels_move_128_bits(compiled: dict[str, list[tuple[Request, Resources]]], name: str) -> None:
    """Contiguous loads and stores are as wide as the machine has them."""
    ((request, used),) = compiled[name]
    assert used.loads == used.vector_loads > 0, report(request, used)
    assert used.stores == used.vector_stores > 0, report(request, used)
