"""`mlc-compare --model`: a whole module, forward and backward, equal layers once, and what is cut."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from lowering.interpreter.run import find_function
from mlc_compiler.compare.comparison import Graph
from mlc_compiler.compare.model import graphs_of
from mlc_compiler.peers import peer as peers
from mlc_compiler.peers.client import Failure
from mlc_dialects.tensor.calls import ExternOp
from mlc_support.errors import MlcError
from tools.mlc_compare import main

MODEL = '''
import torch
from torch import nn
from torch.nn import functional


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up = nn.LayerNorm(64), nn.Linear(64, 64)

    def forward(self, x):
        return x + functional.gelu(self.up(self.norm(x)))


class Tower(nn.Module):
    def __init__(self, count=5):
        super().__init__()
        self.layers = nn.Sequential(*(Layer() for _ in range(count)))
        self.head = nn.Linear(64, 10)

    def forward(self, x, labels=None):
        scores = self.head(self.layers(x))
        return {"loss": functional.cross_entropy(scores, labels), "scores": scores} if labels is not None else scores


def build():
    return Tower(), {"x": torch.zeros(32, 64), "labels": torch.zeros(32, dtype=torch.int64)}


def one():
    return nn.ReLU(), torch.zeros(8, 8)


def wrong():
    return nn.ReLU()


def inputs():
    return nn.ReLU(), 3


def fails():
    raise ValueError("no weights")


def needs(x):
    return x
'''  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "model.py"
    path.write_text(MODEL)
    return path


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `mlc-compare`."""
    code = main([*argv, *([] if "--peers" in argv else ["--peers", "none"])])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.slow
def test_forward_and_backward(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both graphs, each layer once, parameters by their names; the table, CSV and JSON say the same of them."""
    files = [tmp_path / name for name in ("out.json", "out.csv", "out.html")]
    options = [
        word for option, path in zip(("--json", "--csv", "--html"), files, strict=True) for word in (option, str(path))
    ]
    code, out, err = run(capsys, "--model", f"{file}:build", "--train", "--policies", "mlc,tvm", *options)
    assert code == 0, err
    assert out.startswith("forward: ") and "\nbackward: " in out
    assert " times, kernels " in out and "layers_0_norm_weight 256 B" in out
    data = json.loads(files[0].read_text())
    assert [c["graph"]["name"] for c in data["comparisons"]] == ["forward", "backward"]
    repeated = [max(run["count"] for run in s["runs"]) for c in data["comparisons"] for s in c["strategies"]]
    assert min(repeated) >= 3, "five layers, of which the first and the last may differ"
    for comparison, graph in zip(data["comparisons"], data["graphs"], strict=True):
        assert [s["kernels"] for s in comparison["strategies"]] == [s["kernels"] for s in graph["strategies"]]
    assert data["totals"][0]["bytes"] == sum(g["strategies"][0]["bytes"] for g in data["graphs"])
    lines = files[1].read_text().splitlines()
    assert len(lines) == 1 + 2 * 2 and lines[1].startswith("forward,1,")
    assert files[2].read_text().count('"graph":{"name":') == 2


def test_inference_on_one_tensor(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--model", f"{file}:one", "--policies", "mlc")
    assert code == 0 and out.startswith("inference: ") and "1. pointwise: " in out


def test_a_module_with_args(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "--model", f"{file}:Tower", "--args", "16x64xf32", "--policies", "mlc")
    assert code == 0, err
    assert "head_weight" in out


@pytest.mark.parametrize(
    ("name", "more", "message"),
    [
        ("wrong", [], "wrong returned a ReLU"),
        ("inputs", [], "inputs returned inputs that are a int"),
        ("fails", [], "fails failed: ValueError: no weights"),
        ("needs", [], "needs takes arguments"),
        ("build", ["--args", "8x8xf32"], "--args has types for a module"),
        ("Tower", ["--args", "Nx64xf32"], "--args: N is no number"),
        ("Tower", ["--args", "16x65xf32"], "PyTorch cannot trace Tower: Dynamo failed to run FX node"),
        ("one", ["--train"], "--train: no output depends on anything that wants a gradient"),
        ("absent", [], "has no 'absent'"),
    ],
)
def test_mistakes(name: str, more: list[str], message: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "--model", f"{file}:{name}", *more)
    assert code == 1 and message in err.splitlines()[0], err


class Attention(nn.Module):
    """Attention with a product behind it; dropout only in training."""

    def __init__(self, dropout: float = 0.0):
        super().__init__()
        self.weight, self.dropout = nn.Parameter(torch.zeros(16, 16)), dropout

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        dropout = self.dropout if self.training else 0.0
        return nn.functional.scaled_dot_product_attention(x, x, x, dropout_p=dropout, is_causal=True) @ self.weight


def calls(graph: Graph) -> list[str]:
    return [op.callee.data for op in find_function(graph.module).body.block.ops if isinstance(op, ExternOp)]


def test_attention_is_the_call_that_picks_a_kernel() -> None:
    """Forward alone, whichever kernel this machine has picked; what is kept for the way back names the kernel."""
    x = torch.zeros(2, 4, 32, 16, dtype=torch.bfloat16, requires_grad=True)
    (graph,) = graphs_of(Attention().bfloat16(), (x,))
    assert calls(graph) == ["aten.scaled_dot_product_attention.default"]
    forward, backward = graphs_of(Attention().bfloat16(), (x,), train=True)
    assert any("_scaled_dot_product_" in name for name in calls(forward))
    assert any("_backward" in name for name in calls(backward))


def test_a_model_of_any_size_costs_no_memory() -> None:
    """Parameters of a terabyte on the meta device: only their shapes are asked for."""
    with torch.device("meta"):
        module = nn.Linear(2**19, 2**19)
    (graph,) = graphs_of(module, (torch.empty(8, 2**19, device="meta"),))
    assert "524288x524288" in str(graph.module)


def test_graph_breaks_are_graphs() -> None:
    class Broken(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = x.sin()
            torch._dynamo.graph_break()
            return x.cos()

    assert [g.name for g in graphs_of(Broken(), (torch.zeros(8),))] == ["inference.1", "inference.2"]


def test_tied_weights_stay_tied() -> None:
    class Tied(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Embedding(10, 8)
            self.head = nn.Linear(8, 10, bias=False)
            self.head.weight = self.table.weight

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.head(self.table(x))

    (graph,) = graphs_of(Tied(), (torch.zeros(4, dtype=torch.int64),))
    assert len(find_function(graph.module).body.block.args) == 2


def test_what_has_no_gradient() -> None:
    with pytest.raises(MlcError, match="no output depends"):
        graphs_of(nn.Flatten(), (torch.zeros(2, 3),), train=True)


def test_cuts_are_said(file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A model with a call that StableHLO lacks: the rest is compared, and the report names op, line and reason."""
    file.write_text("""
import torch

class Inverse(torch.nn.Module):
    def forward(self, x):
        return torch.linalg.inv(x * 2).exp() + 1

def build():
    return Inverse(), torch.zeros(8, 8)
""")

    def ask(_: str, requests: list[dict[str, Any]], python: str) -> list[Any]:
        kernels = [
            [{"name": "loop", "kind": "loop", "ops": [name for e in r["edges"] for name in e]}] for r in requests
        ]
        return [{"version": "1", "kernels": k, "verdicts": []} for k in kernels]

    monkeypatch.setattr(peers, "ask", ask)
    monkeypatch.setattr(peers.Peer, "available", lambda self: None if self.name == "xla" else Failure("absent"))
    code, out, err = run(capsys, "--model", f"{file}:build", "--policies", "none", "--peers", "xla")
    assert code == 0, err
    assert "xla: cut at 1 x aten.linalg_inv_ex" in out and "has no export to StableHLO" in out
    assert "model.py:6  return torch.linalg.inv(x * 2).exp() + 1" in out
    assert "cut: " in out and "xla was not given it" in out
