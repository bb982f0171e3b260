"""mlc_compiler.triton_interpreter.launch: launches, and the meaning of the kernel language."""

import itertools
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from triton.runtime.jit import JITFunction

from mlc_compiler.triton_interpreter.launch import interpret, portable
from mlc_compiler.triton_interpreter.shapes import init_block_type

SCALE = 3


@triton.jit
def double(x):
    return x * 2


@triton.jit
def scale_rows(x_ptr, out_ptr, factor, N, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    inside = column < N
    x = tl.load(x_ptr + row * N + column, mask=inside, other=0.0)
    tl.store(out_ptr + row * N + column, double(x) * factor, mask=inside)


@triton.jit
def logic(a_ptr, b_ptr, out_ptr):
    i = tl.arange(0, 4)
    a, b = tl.load(a_ptr + i), tl.load(b_ptr + i)
    tl.store(out_ptr + i, a > 0 and b > 0)
    tl.store(out_ptr + 4 + i, a > 0 or b > 0)
    tl.store(out_ptr + 8 + i, not (a > 0))
    tl.store(out_ptr + 12 + i, 0 < a < b)


@triton.jit
def loops(out_ptr, n):
    total = tl.zeros([1], tl.int64)
    for i in range(0, n, 2):
        total += i.to(tl.int64) * 3
    for j in tl.range(n, num_stages=2):
        total += (j + 2147483647).to(tl.int64)
    for k in tl.static_range(3):
        total += k
    while n > 0:
        n -= 1
        total += 1000 if n == 2 else 1
    tl.store(out_ptr + tl.arange(0, 1), total)


@triton.jit
def weak_float(x_ptr, out_ptr, factor):
    tl.store(out_ptr, tl.load(x_ptr) * factor)


@triton.jit
def annotated(out_ptr, n: tl.int64):
    tl.store(out_ptr, n * n)


@triton.jit
def branches_on_block(x_ptr):
    if tl.load(x_ptr + tl.arange(0, 4)) > 0:
        tl.store(x_ptr, 1.0)


@triton.jit
def calls_library(x_ptr, out_ptr):
    x = tl.load(x_ptr + tl.arange(0, 64))
    tl.store(out_ptr + tl.arange(0, 64), tl.softmax(x))
    tl.store(out_ptr + 64 + tl.arange(0, 64), tl.sort(x))
    tl.store(out_ptr + 128, x.sum())
    tl.store(out_ptr + 129, tl.argmax(x, 0))


@triton.jit
def reads(x_ptr, out_ptr, offset):
    tl.store(out_ptr + tl.arange(0, 4), tl.load(x_ptr + offset + tl.arange(0, 4)))


@triton.jit
def global_and_grid(out_ptr):
    tl.store(out_ptr + tl.program_id(2) * 6 + tl.program_id(1) * 2 + tl.program_id(0), tl.num_programs(1) * SCALE)


def test_launch_with_options_and_nested_helper() -> None:
    x, out = torch.randn(5, 100), torch.empty(5, 100)
    interpret(scale_rows)[(5,)](x, out, 1.5, N=100, BLOCK=128, num_warps=8, num_stages=3)
    assert torch.equal(out, x * 2 * 1.5)


def test_grid_forms() -> None:
    out = torch.zeros(12, dtype=torch.int32)
    interpret(global_and_grid)[(2, 3, 2)](out)
    assert out.tolist() == [9] * 12
    x, rows = torch.randn(3, 8), torch.zeros(3, 8)
    interpret(scale_rows)[lambda meta: (meta["N"] - 5,)](x, rows, 1.0, 8, BLOCK=8)
    assert torch.equal(rows, x * 2)


@pytest.mark.parametrize("grid", [(0,), (3, 0), (0, 4, 2)])
def test_empty_grid_runs_nothing(grid: tuple[int, ...]) -> None:
    x = torch.full((4,), 1.0)
    interpret(branches_on_block)[grid](x)
    assert x.tolist() == [1.0] * 4


def test_views_and_strides_need_no_copy() -> None:
    base, out = torch.arange(20.0), torch.zeros(4)
    interpret(reads)[(1,)](base[3:], out, 2)
    assert out.tolist() == [5.0, 6.0, 7.0, 8.0]


def test_block_logic_is_elementwise() -> None:
    """Plain Python makes `b` of `a and b`, and False of `not a`."""
    a, b, out = torch.tensor([1, 0, 2, -1]), torch.tensor([3, 1, 0, 0]), torch.zeros(16, dtype=torch.int32)
    interpret(logic)[(1,)](a, b, out)
    assert out.tolist() == [1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1, 0, 0, 0]


def test_loop_variables_are_int32_scalars() -> None:
    """They have methods, and wrap as 32 bits do."""
    out = torch.zeros(1, dtype=torch.int64)
    interpret(loops)[(1,)](out, 4)
    assert out.item() == (0 + 2) * 3 + (2147483647 + sum(-2147483648 + k for k in range(3))) + 3 + 1003


def test_float_argument_is_float32() -> None:
    """bf16 * f32 is f32; a Python number would have bent to bf16."""
    x, out = torch.tensor([1.0], dtype=torch.bfloat16), torch.zeros(1)
    interpret(weak_float)[(1,)](x, out, 1.001)
    assert out.item() == torch.tensor(1.001).item()


def test_annotation_widens_an_argument() -> None:
    out = torch.zeros(1, dtype=torch.int64)
    interpret(annotated)[(1,)](out, 100_000)
    assert out.item() == 10_000_000_000


def test_block_condition_is_refused() -> None:
    with pytest.raises(TypeError, match="no condition"):
        interpret(branches_on_block)[(1,)](torch.ones(4))


def test_triton_library_functions() -> None:
    x, out = torch.randn(64), torch.zeros(130)
    interpret(calls_library)[(1,)](x, out)
    torch.testing.assert_close(out[:64], x.softmax(0))
    assert torch.equal(out[64:128], x.sort().values)
    torch.testing.assert_close(out[128], x.sum())
    assert out[129].item() == x.argmax().item()


def test_closure_variables() -> None:
    offset = tl.constexpr(7)

    @triton.jit
    def adds(out_ptr):
        tl.store(out_ptr, offset + 1)

    out = torch.zeros(1, dtype=torch.int32)
    interpret(adds)[(1,)](out)
    assert out.item() == 8


@pytest.mark.parametrize("offset", [6, -1, 1 << 40])
def test_address_outside_is_an_error(offset: int) -> None:
    with pytest.raises(IndexError, match="outside every argument: byte .* of tensor argument"):
        interpret(reads)[(1,)](torch.zeros(8), torch.zeros(4), offset)


def test_store_outside_is_an_error() -> None:
    with pytest.raises(IndexError, match="byte 0 of tensor argument 1, which has 0 bytes"):
        interpret(reads)[(1,)](torch.zeros(8), torch.zeros(0), 0)
    with pytest.raises(IndexError, match="outside every argument"):
        interpret(reads)[(1,)](torch.zeros(8), torch.zeros(3), 0)


def test_wrong_launches() -> None:
    x = torch.zeros(8)
    with pytest.raises(TypeError, match="num_wraps"):
        interpret(reads)[(1,)](x, x, 0, num_wraps=4)
    with pytest.raises(ValueError, match="one to three sizes"):
        interpret(reads)[(1, 1, 1, 1)](x, x, 0)
    with pytest.raises(TypeError, match="CPU tensors"):
        interpret(reads)[(1,)](x.to("meta"), x, 0)


def test_errors_say_where() -> None:
    with pytest.raises(TypeError) as caught:
        interpret(branches_on_block)[(2,)](torch.ones(4))
    assert caught.value.__notes__ == ["in program (0, 0, 0) of grid (2, 1, 1) of kernel branches_on_block"]


def test_language_is_restored() -> None:
    """Also after an error: the next compilation finds triton.language as it was."""
    before = [dict(vars(owner)) for owner in (tl, tl.core, tl.math, tl.tensor, tl.dtype, JITFunction)]
    names = set(globals())
    interpret(reads)[(1,)](torch.zeros(8), torch.zeros(8), 0)
    with pytest.raises(TypeError):
        interpret(branches_on_block)[(1,)](torch.ones(4))
    assert before == [dict(vars(owner)) for owner in (tl, tl.core, tl.math, tl.tensor, tl.dtype, JITFunction)]
    assert names == set(globals())
    with pytest.raises(RuntimeError, match="outside of the scope of a kernel"):
        double(1)


def test_portable_interprets_cpu_tensors() -> None:
    x, out = torch.arange(8.0), torch.zeros(4)
    portable(reads)[(1,)](x, out, 3, num_warps=1)
    assert out.tolist() == [3.0, 4.0, 5.0, 6.0]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("flag", ["", "0", "1"])
def test_flag_and_import_order_do_not_matter(flag: str, tmp_path: Path) -> None:
    path = f"{tmp_path}/user.py"
    with open(path, "w") as file:
        file.write(
            textwrap.dedent("""
            import triton
            import triton.language as tl
            import torch
            from mlc_compiler.triton_interpreter.launch import interpret

            @triton.jit
            def total(x_ptr, out_ptr):
                tl.store(out_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, 8)), 0))

            out = torch.zeros(1)
            interpret(total)[(1,)](torch.arange(8.0), out)
            assert out.item() == 28.0
        """)
        )
    environment = {**os.environ, "TRITON_INTERPRET": flag}
    if not flag:
        del environment["TRITON_INTERPRET"]
    subprocess.run([sys.executable, path], check=True, env={**environment, "PYTHONPATH": os.pathsep.join(sys.path)})


def test_types_that_share_what_they_know_are_equal() -> None:
    """Blocks of other sizes, scalars or pointers share nothing; what a block knows is what upstream finds."""
    scalars = [tl.float32, tl.int1, tl.pointer_type(tl.float32), tl.pointer_type(tl.float32, const=True)]
    scalars += [tl.pointer_type(tl.float32, 2), tl.pointer_type(tl.bfloat16)]
    made = []
    for scalar, shape in itertools.product(scalars, ([8], [4, 2], [tl.constexpr(4), 8])):
        block = tl.block_type.__new__(tl.block_type)
        init_block_type(block, scalar, shape)
        again = tl.block_type.__new__(tl.block_type)
        init_block_type(again, scalar, tl.tuple(shape))
        upstream = tl.block_type(scalar, shape)
        assert block == again == upstream and block.__dict__ is again.__dict__
        assert (block.numel, block.name, block.shape) == (upstream.numel, upstream.name, upstream.shape)
        made.append(block)
    assert len({id(block.__dict__) for block in made}) == len(made)
