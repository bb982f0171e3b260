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
