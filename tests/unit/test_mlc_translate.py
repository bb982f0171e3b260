"""`mlc-translate`: levels, dynamic sizes, and one report for each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.mlc_translate import main

MODEL = """
import torch

def rows(x, bias):
    h = torch.relu(x * 2 + bias)
    return torch.softmax(h, -1)

def unlucky(x):
    raise ValueError("no luck")

def heads(x):
    return x.view(x.shape[0], 4, x.shape[1] // 4).softmax(-1)

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.proj(x)

net = Net()
number = 3
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "model.py"
    path.write_text(MODEL)
    return str(path)


def test_tensors(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([f"{model}:rows", "--args", "Nx8xbf16,8xbf16"]) == 0
    text = capsys.readouterr().out
    assert 'func.func @rows(%x: tensor<?x8xbf16, ["N", "8"]>, %bias: tensor<8xbf16>)' in text
    assert "%h = mlc_tensor.maximum" in text


def test_an_example_of_a_size(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Not every N can be split into four heads: one that can is given, and N is known as a multiple of 4."""
    assert main([f"{model}:heads", "--args", "MxN=64xf32"]) == 0
    assert 'func.func @heads(%x: tensor<?x?xf32, ["M", "N_4s * 4"]>)' in capsys.readouterr().out


@pytest.mark.parametrize("name", ["Net", "net"])
def test_modules(model: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([f"{model}:{name}", "--args", "2x4xf32"]) == 0
    assert "%proj_weight: tensor<4x4xf32>" in capsys.readouterr().out


def test_triton_source(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.py"
    assert main([f"{model}:rows", "--args", "4x8xf32,8xf32", "--to", "source", "-o", str(out)]) == 0
    assert "model.py:5  h = torch.relu(x * 2 + bias)" in out.read_text()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("target", "args", "report"),
    [
        ("row", "f32", "did you mean 'rows'?"),
        ("rows", "2x4xf33,f32", "'f33' is not an element type"),
        ("rows", "2xf32,2*4xf32", "'2*4' is not a size"),
        ("rows", "2xf32,N=xf32", "'N=' is not a size"),
        ("rows", "2xf32,2=4xf32", "'2=4' is not a size"),
        ("number", "f32", "is a int, not a function"),
        ("unlucky", "f32", 'model.py:9  raise ValueError("no luck")'),
    ],
)
def test_a_mistake_is_reported(
    model: str, target: str, args: str, report: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"{model}:{target}", "--args", args]) == 1
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.startswith("error: ") and report in captured.err
    assert "Traceback" not in captured.err


def test_no_such_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nowhere.py:f"]) == 1
    assert capsys.readouterr().err == "error: no such file: nowhere.py\n"


def test_a_file_with_dataclasses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A module that looks itself up while it is read, as dataclasses do."""
    path = tmp_path / "settings.py"
    path.write_text(
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "@dataclass\nclass Settings:\n    scale: float = 2.0\n"
        "def scaled(x):\n    return x * Settings().scale\n"
    )
    assert main([f"{path}:scaled", "--args", "Nx4xf32"]) == 0
    assert "mlc_tensor.mul" in capsys.readouterr().out


IR = """\
func.func @f(%x: tensor<8x64xf32>) -> tensor<8x1xf32> {
  %e = mlc_tensor.exp %x : tensor<8x64xf32>
  %n = mlc_tensor.neg %e : tensor<8x64xf32>
  %m = mlc_tensor.neg %n : tensor<8x64xf32>
  %s = mlc_tensor.reduce add %m dims [1] : tensor<8x64xf32> -> tensor<8x1xf32>
  func.return %s : tensor<8x1xf32>
}
"""


@pytest.fixture
def ir(tmp_path: Path) -> str:
    path = tmp_path / "graph.mlir"
    path.write_text(IR)
    return str(path)


def test_files_of_ir(ir: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each level's text is input again, and ends in the same program."""
    assert main([ir, "--to", "source"]) == 0
    source = capsys.readouterr().out
    assert "@triton.jit" in source
    for level in ("simplified", "fused", "loop", "triton"):
        path = tmp_path / f"{level}.mlir"
        assert main([ir, "--to", level, "-o", str(path)]) == 0
        assert main([str(path), "--to", "source"]) == 0
        again = capsys.readouterr().out
        assert [line.partition("  #")[0] for line in again.splitlines()] == [
            line.partition("  #")[0] for line in source.splitlines()
        ], level


def test_a_level_lies_behind(ir: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "triton.mlir")
    assert main([ir, "--to", "triton", "-o", path]) == 0
    assert main([path, "--to", "fused"]) == 1
    error = capsys.readouterr().err
    assert error == "error: the module is at the level triton\n  it cannot go back up to fused\n"


def test_policies_and_devices(ir: str, capsys: pytest.CaptureFixture[str]) -> None:
    texts: dict[str, str] = {}
    for policy in ("mlc", "none"):
        assert main([ir, "--to", "fused", "--policy", policy]) == 0
        texts[policy] = capsys.readouterr().out
    assert texts["mlc"].count("mlc_tensor.fusion (") == 1
    assert texts["none"].count("mlc_tensor.fusion (") == 2
    assert main([ir, "--to", "fused", "--policy", "best"]) == 1
    assert "no policy 'best'" in capsys.readouterr().err
    assert main([ir, "--to", "loop", "--device", "h300"]) == 1
    assert "h300" in capsys.readouterr().err
    assert main([ir, "--to", "loop", "--device", "a100"]) == 0


def test_passes_are_watched(ir: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--print-ir-before=fuse", "--print-ir-after-change", "--time-passes", "--pass-statistics"]
    assert main([ir, "--to", "fused", *options]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("builtin.module {")
    assert "// -----// IR before fuse //----- //\nbuiltin.module {" in err
    assert "-    %n = mlc_tensor.neg %e : tensor<8x64xf32>" in err
    assert "canonicalize: 6 ops -> 4 ops" in err
    assert main([ir, "--to", "fused", "--print-ir-after=schedule"]) == 1
    assert "--print-ir-after=schedule: no such pass in this pipeline" in capsys.readouterr().err


def test_targets(ir: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([ir, "--to", "stablehlo"]) == 0
    assert "stablehlo.exponential" in capsys.readouterr().out
    loops = str(tmp_path / "loop.mlir")
    assert main([ir, "--to", "loop", "-o", loops]) == 0
    for arguments, report in (
        ([ir, "--to", "stablehol"], "--to stablehol: no such level or target\n  did you mean `stablehlo`?"),
        ([ir, "--to", "wgsl"], "--to wgsl: this target does not say which level it reads"),
        ([ir, "--to", "aten{x=1}"], "target `aten` has no option `x`"),
        ([loops, "--to", "aten"], "the module is at the level loop\n  it cannot go back up to tensor"),
    ):
        assert main(arguments) == 1
        assert report in capsys.readouterr().err


def test_the_command_line_is_checked(ir: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([ir, "--args", "4xf32"]) == 1
    assert "IR has its own" in capsys.readouterr().err
    assert main([]) == 1
    assert capsys.readouterr().err == (
        "error: what is to be translated?\n  FILE.py:FUNCTION with --args, or FILE.mlir\n"
    )
    assert main(["--help"]) == 0
    assert "--print-ir-after-change" in capsys.readouterr().out


def test_a_folder_is_looked_for_before_the_work(ir: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    absent = tmp_path / "absent" / "out"
    for option in ("-o", "--crash-reproducer"):
        assert main([ir, "--to", "fused", option, str(absent), "--time-passes"]) == 1
        assert capsys.readouterr().err == f"error: no such folder: {absent.parent}\n  make it, or write elsewhere\n"


def test_a_folder_is_no_file(ir: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("-o", "--html"):
        assert main([ir, "--to", "fused", option, str(tmp_path)]) == 1
        assert capsys.readouterr().err == f"error: {tmp_path} is a folder\n  name a file in it\n"
