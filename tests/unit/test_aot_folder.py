"""Models compiled ahead of time into folders, and loaded without the compiler."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import Dim, export

import mlc_runtime
from mlc_compiler.ahead import cpu_code
from mlc_compiler.ahead.folder import compile_folder
from mlc_compiler.options import CompilerOptions
from mlc_runtime import cubins, native
from mlc_runtime.folder import HOST, MANIFEST
from mlc_runtime.manifest import KernelEntry
from mlc_support.errors import MlcError
from tests.unit.ahead_models import compiled_mlp, mlp
from tests.unit.transformer import WIDTH, Layer
from tools import mlc_compile

ROOT = Path(__file__).parents[2]
CHILD = """
import sys, torch, mlc_runtime
model = mlc_runtime.load(sys.argv[1])
inputs, want = torch.load(sys.argv[2])
found = model(*inputs)
heavy = ("xdsl", "mlc_dialects", "passes", "lowering", "mlc_compiler", "torch._dynamo", "torch._inductor", "triton",
         "llvmlite")
print([name for name in heavy if name in sys.modules])
torch.testing.assert_close(found, want, rtol=1e-5, atol=1e-5)
"""


def compiled(folder: Path, module: nn.Module, inputs: Sequence[Any], options: Any = None, **how: Any) -> Any:
    """A module through a folder."""
    keywords = {name: how.pop(name) for name in ("device", "cpu") if name in how}
    compile_folder(export(module.eval(), tuple(inputs), **how), folder, options, **keywords)
    return mlc_runtime.load(folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled_mlp(tmp_path_factory.mktemp("compiled") / "mlp")


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    """One that may be damaged."""
    return Path(shutil.copytree(folder, tmp_path / "copy"))


# Numbers


def test_a_process_without_the_compiler_gives_the_same(folder: Path, tmp_path: Path) -> None:
    x = torch.randn(7, 16)
    torch.save(((x,), mlp()(x).detach()), tmp_path / "data.pt")
    command = [sys.executable, "-c", CHILD, str(folder), str(tmp_path / "data.pt")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_one_folder_serves_all_batches(folder: Path) -> None:
    ours, theirs = mlc_runtime.load(folder), mlp()
    for batch in (2, 4, 33, 64):
        x = torch.randn(batch, 16)
        torch.testing.assert_close(ours(x), theirs(x), rtol=1e-5, atol=1e-6)
        torch.testing.assert_close(ours(x.T.contiguous().T), theirs(x), rtol=1e-5, atol=1e-6)


def test_transformer(tmp_path: Path) -> None:
    torch.manual_seed(0)
    theirs = nn.Sequential(nn.Embedding(50, WIDTH), Layer(), nn.Linear(WIDTH, 50)).eval()
    length = {"input": {1: Dim("length")}}
    ours = compiled(tmp_path / "m", theirs, [torch.randint(50, (2, 16))], dynamic_shapes=length)
    for tokens in (torch.randint(50, (2, 5)), torch.randint(50, (2, 31))):
        torch.testing.assert_close(ours(tokens), theirs(tokens), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("freeze", [False, True])
def test_convolutions_with_batch_norm(freeze: bool, tmp_path: Path) -> None:
    torch.manual_seed(0)
    theirs = nn.Sequential(
        nn.Conv2d(3, 8, 3),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 4, 3, stride=2),
        nn.BatchNorm2d(4),
    )
    with torch.no_grad():
        theirs(torch.randn(8, 3, 20, 20) * 3 + 1)  # running statistics that are not 0 and 1
    x = torch.randn(2, 3, 20, 20)
    ours = compiled(tmp_path / "m", theirs, [x], CompilerOptions(freeze=freeze))
    torch.testing.assert_close(ours(x), theirs.eval()(x), rtol=1e-4, atol=1e-5)
    assert any(name.startswith("frozen.") for name in ours.weights) is freeze


class Structured(nn.Module):
    """Nested inputs and outputs, numbers, a counter, tied weights, a call of the library, a view of an input."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)
        self.second.weight = self.first.weight
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))
        self.table = torch.randn(40)

    def forward(self, pair: dict[str, Any], scale: int, *, mode: str, extra: Any = None) -> Any:
        self.count.add_(1)
        x, y = pair["x"], pair["y"]
        values, places = torch.sort(self.second(self.first(x)) * scale + self.table[:4], -1)
        return {"sorted": (values, [places]), "size": x.shape[0], "none": extra, "count": self.count + 0}, y.reshape(-1)


def test_structures_numbers_and_buffers(tmp_path: Path) -> None:
    theirs, rows = Structured(), Dim("rows")
    pair = {"x": torch.randn(3, 4), "y": torch.randn(3, 2)}
    shapes = {"pair": {"x": {0: rows}, "y": {0: rows}}, "scale": None, "mode": None, "extra": None}
    program = export(theirs, (pair, 3), {"mode": "plain", "extra": None}, dynamic_shapes=shapes)
    compile_folder(program, tmp_path / "m")
    ours = mlc_runtime.load(tmp_path / "m")
    assert ours.weights["first.weight"].data_ptr() == ours.weights["second.weight"].data_ptr()
    for rows in (3, 5):
        given = {"y": torch.randn(rows, 2), "x": torch.randn(rows, 4)}
        torch.testing.assert_close(
            ours(given, 3, extra=None, mode="plain"), theirs(given, 3, mode="plain"), rtol=1e-5, atol=1e-6
        )
    assert ours.weights["count"] == theirs.count == 2
    again = mlc_runtime.load(tmp_path / "m")
    assert again.weights["count"] == 0, "a call must not change the files"
    x, y = torch.randn(3, 4), torch.randn(3, 2)
    assert again({"x": x, "y": y}, 3, extra=None, mode="plain")[1].data_ptr() == y.data_ptr()
    for call, message in (
        (lambda: ours(pair, 4, extra=None, mode="plain"), "input scale: expected 3, found 4"),
        (lambda: ours(pair, 3, extra=None, mode="other"), "input mode: expected 'plain', found 'other'"),
        (lambda: ours(pair, 3, mode="plain"), "another structure of inputs"),
        (lambda: ours({"x": x, "y": torch.randn(4, 2)}, 3, extra=None, mode="plain"), "input pair_y: expected .*3, 2"),
        (lambda: ours({"x": x, "y": y.T.contiguous().T}, 3, extra=None, mode="plain"), "pair_y: expected strides"),
    ):
        with pytest.raises(MlcError, match=message):
            call()


class Changes(nn.Module):
    """It writes its input."""

    def forward(self, x: Tensor) -> Tensor:
        x.mul_(2)
        return x.sum(0)


def test_an_input_that_is_written_is_not_copied(tmp_path: Path) -> None:
    ours = compiled(tmp_path / "m", Changes(), [torch.randn(3, 4)])
    x = torch.ones(3, 4)
    assert ours(x).tolist() == [6.0] * 4 and x.unique().tolist() == [2.0]
    with pytest.raises(MlcError, match=r"input x: expected strides \(4, 1\), found strides \(1, 3\)\n.*writes this"):
        ours(torch.ones(4, 3).T)


class Cases(nn.Module):
    def forward(self, x: Tensor, i: Tensor, c: Tensor) -> Any:
        return torch.rand_like(x).ge(0) & (x == x), x[i], torch.sqrt(x), c * 2, x.to(torch.float16).sum(), x.bool()


def test_random_numbers_indices_and_special_values(tmp_path: Path) -> None:
    x = torch.tensor([float("nan"), -0.0, float("inf"), -1.0, 4.0])
    i, c = torch.tensor([4, 0, 1]), torch.randn(3, dtype=torch.complex64)
    ours = compiled(tmp_path / "m", Cases(), [x, i, c])
    torch.testing.assert_close(ours(x, i, c), Cases()(x, i, c), equal_nan=True)
    assert torch.signbit(ours(x, i, c)[1]).tolist()[2]
    with pytest.raises(IndexError, match="out of range"):
        ours(x, torch.tensor([5, 0, 0]), c)


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (1,)])
def test_scalars_and_empty_tensors(shape: tuple[int, ...], tmp_path: Path) -> None:
    x = torch.randn(shape)
    module = nn.Sequential(nn.ReLU(), nn.Softsign())
    torch.testing.assert_close(compiled(tmp_path / "m", module, [x])(x), module(x))


def test_multiples_have_ranges_too(tmp_path: Path) -> None:
    class Halves(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x.reshape(2, -1).sum(0).exp()

    half = Dim("half", min=1, max=8)
    ours = compiled(tmp_path / "m", Halves(), [torch.randn(6)], dynamic_shapes=({0: 2 * half},))
    x = torch.randn(10)
    torch.testing.assert_close(ours(x), Halves()(x))
    for size in (7, 18):
        with pytest.raises(MlcError, match="input x: expected"):
            ours(torch.randn(size))


# What a call may not give


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (torch.randn(4, 15), r"input input: expected a tensor of torch.float32 \[4, 16\] on cpu .*, found .*\[4, 15\]"),
        (torch.randn(4), r"expected a tensor of torch.float32 \[\w+, 16\], found a tensor of torch.float32 \[4\]"),
        (torch.randn(4, 16).double(), "found a tensor of torch.float64"),
        (torch.randn(65, 16), r"expected a size with 2 <= \w+ <= 64, found \w+ = 65"),
        (torch.randn(1, 16), r"expected a size with 2 <= \w+ <= 64, found \w+ = 1"),
        (torch.randn(4, 16, device="meta"), "found a tensor of .* on meta"),
        (torch.randn(4, 16).to_sparse(), "found a tensor of layout torch.sparse_coo"),
        (torch.randn(4, 16, requires_grad=True), "requires gradients"),
        (3.0, "found float"),
    ],
)
def test_wrong_inputs(folder: Path, value: Any, message: str) -> None:
    with pytest.raises(MlcError, match=message):
        mlc_runtime.load(folder)(value)


@pytest.mark.parametrize("arguments", [(), (torch.ones(4, 16), torch.ones(4, 16)), ([torch.ones(4, 16)],)])
def test_another_structure(folder: Path, arguments: Any) -> None:
    with pytest.raises(MlcError, match="structure|found list"):
        mlc_runtime.load(folder)(*arguments)


# Folders


def test_a_folder_moves_and_is_replaced(copy: Path) -> None:
    """A process keeps a loaded library by its path: another model at the same place must be another library."""
    x, first = torch.randn(4, 16), mlc_runtime.load(copy)
    moved = copy.rename(copy.parent / "moved")
    torch.testing.assert_close(mlc_runtime.load(moved)(x), first(x))
    ours = compiled(moved, nn.Tanh(), [x])
    torch.testing.assert_close(ours(x), torch.tanh(x))
    torch.testing.assert_close(first(x), mlp()(x), rtol=1e-5, atol=1e-6)
    assert {p.name for p in moved.parent.iterdir()} == {"moved"}, "nothing is left beside it"


def test_only_model_folders_are_replaced(tmp_path: Path) -> None:
    program = export(nn.Tanh(), (torch.randn(3),))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("")
    with pytest.raises(MlcError, match="no model folder"):
        compile_folder(program, tmp_path / "mine")
    with pytest.raises(MlcError, match="no such folder"):
        compile_folder(program, tmp_path / "nowhere" / "m")
    assert [*(tmp_path / "mine").iterdir()] == [tmp_path / "mine" / "thesis.tex"]


# What cannot be compiled, and for what


def test_what_no_file_can_hold(tmp_path: Path) -> None:
    class Branch(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))

    program = export(Branch(), (torch.randn(3),))
    with pytest.raises(MlcError, match="Python objects"):
        compile_folder(program, tmp_path / "m")
    assert not [*tmp_path.iterdir()]


def test_levels_of_cpus(tmp_path: Path) -> None:
    missing = set(cpu_code.LEVELS["x86-64-v3"]) - native.cpu_flags()
    if missing:
        pytest.skip(f"this CPU has no {missing}")
    x = torch.randn(5, 16)
    torch.testing.assert_close(compiled(tmp_path / "m", mlp(), [x], cpu="x86-64-v3")(x), mlp()(x), rtol=1e-5, atol=1e-6)
    assert json.loads((tmp_path / "m" / MANIFEST).read_text())["target"]["cpu"] == "x86-64-v3"
    with pytest.raises(MlcError, match="no CPU 'z80'"):
        compiled(tmp_path / "n", mlp(), [x], cpu="z80")


def test_a_level_without_wide_vectors_has_none() -> None:
    """A level is what code may use, not what this CPU has."""
    machine_code = pytest.importorskip("mlc_compiler.cpu.machine_code")
    text = "define void @f(ptr %p) {\n %x = load <8 x float>, ptr %p\n %y = fadd <8 x float> %x, %x\n"
    text += " store <8 x float> %y, ptr %p\n ret void\n}"
    if "avx2" not in native.cpu_flags():
        pytest.skip("this CPU has no AVX2")
    codes = [
        machine_code.Relocatable.of(text, machine_code.CpuModel(level, "")).code for level in ("x86-64-v2", "x86-64-v3")
    ]
    assert codes[0] != codes[1]


def test_no_linker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_code, "LINKERS", (("no-such-linker",),))
    with pytest.raises(MlcError, match="no linker"):
        cpu_code.linked(b"")
    monkeypatch.setattr(cpu_code, "LINKERS", (("cc", "-nostdlib"),))
    with pytest.raises(MlcError, match="cannot link"):
        cpu_code.linked(b"this is no object file")


# GPUs


def test_kernels_for_a_gpu_that_is_not_here(tmp_path: Path) -> None:
    rows = Dim("rows")
    program = export(nn.Softmax(-1), (torch.randn(3, 64),), dynamic_shapes={"input": {0: rows}})
    compile_folder(program, tmp_path / "m", device="h200")
    data = json.loads((tmp_path / "m" / MANIFEST).read_text())
    assert data["target"] == {"kind": "cuda", "device": "h200", "capability": [9, 0]}
    (kernel,) = data["code"]["kernels"].values()
    for kind in ("aligned", "unaligned"):
        assert (tmp_path / "m" / kernel[kind]["file"]).read_bytes().startswith(b"\x7fELF")
    assert "triton" not in (tmp_path / "m" / HOST).read_text()
    if not torch.cuda.is_available():
        with pytest.raises(MlcError, match="compiled for sm_90, and this PyTorch finds no GPU"):
            mlc_runtime.load(tmp_path / "m")


def test_what_a_launch_of_machine_code_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cubins, "current_device", lambda: 0)
    monkeypatch.setattr(torch._C, "_cuda_getCurrentRawStream", lambda device: 77, raising=False)
    loads: list[Any] = []
    launches: list[Any] = []

    def load(path: str, name: str, shared: int, device: int) -> tuple[int, ...]:
        loads.append((Path(path).name, name, shared, device))
        return (1, 100 + len(loads), 32, 0)

    launcher = SimpleNamespace(_load_kernel=load, _launch_kernel=lambda *given: launches.append(given))
    entry = KernelEntry("k", ("float32", "float32"), 1, {"num_warps": 8}, False)
    kinds = [cubins.Cubin(Path(f"k.{kind}.cubin"), "k", 8, 512) for kind in ("aligned", "unaligned")]
    kernel = cubins.CubinKernel(entry, *kinds, launcher=launcher)
    x = torch.zeros(64)
    for offset in (0, 1, 0):
        kernel[(5,)](x[offset:], x, 63, num_warps=8)
    kernel[(0,)](x, x, 0, num_warps=8)
    assert [name for name, *_ in loads] == ["k.aligned.cubin", "k.unaligned.cubin"]
    p = x.data_ptr()
    assert launches == [
        (function, 5, 1, 1, 8, 512, "OOlOO", (p + 4 * offset, p, 63, 0, 0), 77)
        for function, offset in ((101, 0), (102, 1), (101, 0))
    ]


@pytest.mark.gpu
def test_a_gpu_gives_the_same(tmp_path: Path) -> None:
    theirs = mlp().cuda()
    batch = {"input": {0: Dim("batch")}}
    ours = compiled(tmp_path / "m", theirs, [torch.randn(4, 16, device="cuda")], dynamic_shapes=batch)
    for rows in (3, 17):
        x = torch.randn(rows * 16 + 1, device="cuda")[1:].view(rows, 16)  # not aligned
        torch.testing.assert_close(ours(x), theirs(x), rtol=1e-4, atol=1e-5)


# The tool


def test_mlc_compile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x = torch.randn(4, 16)
    torch.export.save(export(mlp(), (x,)), tmp_path / "m.pt2")
    assert mlc_compile.main([str(tmp_path / "m.pt2"), "-o", str(tmp_path / "m")]) == 0
    digest = capsys.readouterr().out.split()[-1]
    torch.testing.assert_close(mlc_runtime.load(tmp_path / "m", digest=digest)(x), mlp()(x), rtol=1e-5, atol=1e-6)
    (tmp_path / "f.py").write_text("def f(x, y):\n    return (x @ y).tanh()\n")
    command = [f"{tmp_path / 'f.py'}:f", "--args", "Nx8xf32,8x4xf32", "-o", str(tmp_path / "f")]
    assert mlc_compile.main(command) == 0
    x, y = torch.randn(9, 8), torch.randn(8, 4)
    torch.testing.assert_close(mlc_runtime.load(tmp_path / "f")(x, y), (x @ y).tanh())


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ([], "what is to be compiled"),
        (["nothing.pt2", "-o", "m"], "no such file"),
        (["nothing.pt2", "-o", "nowhere/m"], "no such folder"),  # before the model is read
        (["nothing.pt2", "-o", "/proc/m"], "no folder can be made in /proc"),
        (["bad.pt2", "-o", "m"], "cannot read"),
        (["bad.pt2", "--args", "4xf32", "-o", "m"], "leave it out"),
        (["bad.pt2", "-o", "m", "--fast"], "unrecognized"),
        (["f.py:f", "--args", "4xf32", "-o", "m", "--device", "abacus"], "no device 'abacus'"),
        (["f.py:f", "--args", "4xf32", "-o", "m", "--device", "h200", "--freeze"], "freeze computes weights"),
    ],
)
def test_mlc_compile_says_what_is_wrong(
    command: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.pt2").write_text("no archive")
    Path("f.py").write_text("def f(x):\n    return x + 1\n")
    assert mlc_compile.main(command) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: ") and message in error and "Traceback" not in error
    assert sorted({*os.listdir()} - {"__pycache__"}) == ["bad.pt2", "f.py"]
