"""mlc_compiler.kernels.aot: kernels compiled for sm_90 without a GPU, and what they use."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from mlc_compiler.kernels import aot
from mlc_compiler.kernels.aot import (
    SPILLED,
    CompileError,
    Request,
    _with_warps,
    compile_kernel,
    compile_many,
)
from mlc_compiler.kernels.kernel_files import load_kernels
from mlc_compiler.triton_interpreter.launch import interpret

KERNELS = """
import triton
import triton.language as tl
from triton.language.extra import libdevice
from mlc_compiler import triton_library as lib


@triton.jit
def row_max(x_ptr, out_ptr, N, BLOCK: tl.constexpr):
    j = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * N + j, mask=j < N, other=-float("inf"))
    tl.store(out_ptr + tl.program_id(0), tl.reduce(x, 0, lib.max_nan))


@triton.jit
def row_argmax(x_ptr, out_ptr):
    j = tl.arange(0, 256)
    value, index = tl.reduce((tl.load(x_ptr + j), j), 0, lib.latest_argmax)
    tl.store(out_ptr, index)


@triton.jit
def sine(x_ptr, out_ptr):
    j = tl.arange(0, 128)
    tl.store(out_ptr + j, libdevice.sin(tl.load(x_ptr + j)))


@triton.jit
def softmax(x_ptr, out_ptr):
    j = tl.arange(0, 32768)
    x = tl.load(x_ptr + j).to(tl.float32)
    e = tl.exp(x - tl.max(x, 0))
    tl.store(out_ptr + j, e / tl.sum(e, 0))
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A generated file."""
    path = tmp_path_factory.mktemp("kernels") / "generated.py"
    path.write_text(KERNELS)
    return str(path)


def row_max(source: str, aligned: tuple[str, ...] = ()) -> Request:
    """The request for `row_max`, with 1024 columns to a block."""
    signature = {"x_ptr": "*fp32", "out_ptr": "*fp32", "N": "i32", "BLOCK": "constexpr"}
    return Request(source, "row_max", signature, {"BLOCK": 1024}, aligned)


def test_alignment_makes_vector_loads(source: str) -> None:
    plain, aligned = compile_many([row_max(source), row_max(source, ("x_ptr", "out_ptr", "N"))])
    assert (plain.vector_loads, plain.warps) == (0, 4)
    assert plain.loads >= aligned.loads > 0 and aligned.vector_loads == 2
    assert aligned.stores == 1 and aligned.instructions > 0 and 0 < aligned.registers <= 255
    assert aligned.shared_bytes > 0 and aligned.spill_bytes == 0 and aligned.local_accesses == 0


def test_stack_without_spills(source: str) -> None:
    """The sine of a large float64 reads a table on the stack; no register is spilled."""
    resources = compile_kernel(Request(source, "sine", {"x_ptr": "*fp64", "out_ptr": "*fp64"}))
    assert resources.stack_bytes > 0 and resources.local_accesses > 0 and resources.spill_bytes == 0


def test_spill_is_seen(source: str) -> None:
    """32768 values in four warps are 256 for a thread, of which 255 find a register."""
    resources = compile_kernel(Request(source, "softmax", {"x_ptr": "*bf16", "out_ptr": "*fp32"}))
    assert resources.stack_bytes > 0 and resources.spill_bytes > 0 and resources.local_accesses > 0


def test_what_spills_has_more_warps_where_it_may(source: str) -> None:
    """Eight warps hold 128 values a thread. Where nothing spills, and without leave, warps are what was asked for."""
    spills = Request(source, "softmax", {"x_ptr": "*bf16", "out_ptr": "*fp32"})
    kept, widened, little = compile_many(
        [spills, replace(spills, may_widen=True), replace(row_max(source), may_widen=True)]
    )
    assert (kept.warps, widened.warps, little.warps) == (4, 8, 4)
    assert 2 * widened.stack_bytes <= kept.stack_bytes and kept.stack_bytes >= SPILLED


def test_what_compiles_is_kept_where_more_warps_do_not(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(request: Request) -> Any:
        if request.options["num_warps"] > 4:
            raise CompileError("too many warps")
        return compiled(request)

    compiled = aot._compiled
    monkeypatch.setattr(aot, "_compiled", refused)
    spills = Request(source, "softmax", {"x_ptr": "*bf16", "out_ptr": "*fp32"}, may_widen=True)
    assert compile_kernel(spills).warps == 4


def test_fewer_programs_run_at_once_where_a_thread_would_spill_much(source: str) -> None:
    """Most of 256 values find none of the registers that eight programs leave. What spills nothing stays as it is."""
    options = {"num_warps": 4, "enable_fp_fusion": False}
    wide = Request(source, "softmax", {"x_ptr": "*bf16", "out_ptr": "*fp32"}, options=options | {"maxnreg": 64})
    alone = replace(wide, options=options | {"maxnreg": 248})
    narrow = replace(row_max(source), options=options | {"maxnreg": 64})
    found, most, little = compile_many([wide, alone, narrow])
    assert (found.registers, found.stack_bytes) == (most.registers, most.stack_bytes) and found.registers > 128
    assert little.registers <= 64 and little.spill_bytes == 0


def test_wider_kernels_have_fewer_registers_a_thread() -> None:
    """`maxnreg` of a launch is for its warps: 16 have 128 registers at the most."""
    options = {"num_warps": 8, "maxnreg": 248, "enable_fp_fusion": False}
    assert _with_warps(options, 16) == options | {"num_warps": 16, "maxnreg": 128}
    assert _with_warps({"num_warps": 8}, 16) == {"num_warps": 16}


def test_compiles_between_interpreted_launches(source: str) -> None:
    """One function, interpreted and compiled in one process, in either order."""
    request = Request(source, "row_argmax", {"x_ptr": "*fp32", "out_ptr": "*i32"})
    kernel = interpret(load_kernels(source)["row_argmax"])
    x, out = torch.randn(256), torch.zeros(1, dtype=torch.int32)
    kernel[(1,)](x, out)
    assert out.item() == x.argmax().item()
    assert compile_kernel(request).loads > 0
    x[77] = float("nan")
    kernel[(1,)](x, out)
    assert out.item() == 77


def test_interpreter_flag_does_not_reach_workers(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    assert compile_many([row_max(source)], processes=1)[0].registers > 0
    assert os.environ["TRITON_INTERPRET"] == "1"


def test_content_decides_the_module(tmp_path: Path) -> None:
    """A file written anew is loaded anew."""
    path = tmp_path / "again.py"
    path.write_text(KERNELS)
    first = load_kernels(path)
    assert load_kernels(path)["row_max"] is first["row_max"]
    path.write_text(KERNELS + "\n")
    assert load_kernels(path)["row_max"] is not first["row_max"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kernel": "missing"}, "no such @triton.jit function"),
        ({"aligned": ("y_ptr",)}, "aligned names \\['y_ptr'\\]"),
        ({"signature": {"x_ptr": "*fp32"}}, "signature lacks \\['out_ptr', 'N', 'BLOCK'\\]"),
        ({"constexprs": {}}, "constexprs lacks \\['BLOCK'\\]"),
    ],
)
def test_wrong_requests(source: str, change: dict[str, object], message: str) -> None:
    with pytest.raises(CompileError, match=message):
        compile_kernel(Request(**{**vars(row_max(source)), **change}))
