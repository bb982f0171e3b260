"""Recordings of runs: they change nothing, their differences add up, and their lines lead through all levels."""

from __future__ import annotations

import json
import linecache
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from mlc_compiler.frontend.backend import _reported, compile_graph_module
from mlc_compiler.pipeline import lower_to
from mlc_compiler.view.graph import as_data
from mlc_compiler.view.page import as_page
from mlc_compiler.view.patches import patch, patched
from mlc_compiler.view.recording import Recording
from mlc_dialects.loop.dialect import KernelOp
from mlc_support.errors import MlcError
from passes.loop.schedule.schedule import SchedulePass
from tests.unit.seven import seven
from tests.unit.test_page import TEXT, read
from tools import mlc_opt, mlc_translate
from tools.ir_printing import Form
from tools.mlc_translate import import_target

SEVEN = ("chain", "softmax", "layer_norm", "gelu_linear", "div_sum", "sin_cos", "mse")
LINES = st.lists(st.sampled_from("abcd{}"), max_size=12)
GRAPH = """\
func.func @f(%x: tensor<64x512xf32>) -> tensor<64x1xf32> {
  %n = mlc_tensor.neg %x : tensor<64x512xf32>
  %m = mlc_tensor.neg %n : tensor<64x512xf32>
  %e = mlc_tensor.exp %m : tensor<64x512xf32>
  %s = mlc_tensor.reduce add %e dims [1] : tensor<64x512xf32> -> tensor<64x1xf32>
  func.return %s : tensor<64x1xf32>
}
"""


def recorded(module: ModuleOp, level: str = "source", name: str = "graph") -> tuple[Recording, Any]:
    """A finished recording of a module on its way to `level`, and what became of it."""
    recording = Recording(name, linecache.getlines)
    lowered = lower_to(module, level, run=recording.run)
    recording.finish()
    return recording, lowered


def lit(data: dict[str, Any], spots: set[int]) -> dict[str, list[str]]:
    """By level, the lines that some of these spots light up."""
    return {
        level["name"]: [line for line, own in zip(level["lines"], level["spots"], strict=True) if spots & {*own}]
        for level in data["levels"]
    }


@given(before=LINES, after=LINES)
def test_patches_lead_from_text_to_text(before: list[str], after: list[str]) -> None:
    assert patched(before, patch(before, after)) == after


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", SEVEN)
def test_recording_changes_nothing(name: str) -> None:
    """The source is the same, and so are the locations of the module before it."""
    form = Form(debuginfo=True)
    assert recorded(seven(name))[1] == lower_to(seven(name), "source")
    plain = lower_to(seven(name), "fused")
    assert isinstance(plain, ModuleOp)
    assert form.text(recorded(seven(name), "fused")[1]) == form.text(plain)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", SEVEN)
def test_differences_add_up_to_what_is_printed(name: str) -> None:
    recording, lowered = recorded(seven(name), "triton")
    lines = [*recording.first]
    for step in recording.passes:
        lines = patched(lines, step.changes)
    assert "\n".join(lines) == str(lowered) or "\n".join(lines).rstrip() == str(lowered).rstrip()


def test_an_op_leads_to_its_lines_on_every_level() -> None:
    """Of one line of PyTorch, the subtraction and the division of a softmax become different lines of Triton."""
    data = as_data(recorded(seven("softmax"))[0])
    tensor = data["levels"][0]
    found = {}
    for op in ("sub", "exp", "div"):
        position = next(k for k, line in enumerate(tensor["lines"]) if f"mlc_tensor.{op} " in line)
        found[op] = lit(data, {*tensor["spots"][position]})
    assert any("arith.subf" in line for line in found["sub"]["loop"])
    assert not any("arith.divf" in line for line in found["exp"]["loop"])
    assert any("lib.quotient" in line for line in found["div"]["source"])
    assert not any("lib.quotient" in line for line in found["sub"]["source"])
    every = lit(data, {*range(len(data["spots"]))})
    assert any("tl.load" in line for line in every["source"]), "a load stands for what reads it"
    (file,) = data["files"]
    (line,) = {line for _, line in data["spots"]}
    assert "torch.softmax(x, -1)" in dict(map(tuple, file["lines"]))[line]


def test_firings_say_where_and_by_which_identity() -> None:
    module = import_target("examples/compare.py:softmax", "512x1024xf32").module
    data = as_data(recorded(module)[0])
    fired = {(step["name"], rule): spots for step in data["passes"] for rule, _, spots in step["firings"]}
    assert fired["recompose", "recompose_softmax"]
    assert data["rules"]["recompose_softmax"]["identity"].startswith("e ** (x - max x) / sum")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", SEVEN)
def test_forecasts_are_those_of_the_schedule(name: str) -> None:
    """What the page says of a kernel is what `schedule{predict=true}` notes."""

    def predicting(step: ModulePass, context: Context, module: ModuleOp) -> None:
        (replace(step, predict=True) if isinstance(step, SchedulePass) else step).apply(context, module)

    forecasts = {kernel["name"]: kernel["forecast"] for kernel in as_data(recorded(seven(name))[0])["kernels"]}
    module = lower_to(seven(name), "loop", run=predicting)
    assert isinstance(module, ModuleOp)
    noted = {op.sym_name.data: op.why.data for op in module.ops if isinstance(op, KernelOp) and op.why is not None}
    assert noted.keys() == forecasts.keys()
    for kernel, forecast in forecasts.items():
        assert f"{forecast['us']:.1f} us predicted, bound by {forecast['bound']}" in noted[kernel]
        assert forecast["bytes"] > 0 and forecast["registers"] > 0


def test_library_calls_have_their_reason() -> None:
    (call,) = as_data(recorded(seven("gelu_linear"))[0])["calls"]
    assert (call["callee"], call["count"]) == ("mlc_tensor.matmul", 1) and call["spots"]


def test_ir_names_no_other_file(tmp_path: Path) -> None:
    """IR may name any file of the machine; the page of `mlc-opt` holds lines of its input alone."""
    secret = tmp_path / "secret.txt"
    secret.write_text("hush\n")
    text = GRAPH.replace("512xf32>\n", f'512xf32> loc("{secret}":1:1)\n', 1)
    (tmp_path / "graph.mlir").write_text(text)
    argv = [str(tmp_path / "graph.mlir"), "-p", "fused", "--html", str(tmp_path / "page.html"), "-o", "/dev/null"]
    assert mlc_opt.main(argv) == 0
    page = (tmp_path / "page.html").read_text()
    assert "secret.txt" in page and "hush" not in page


@pytest.mark.parametrize("option", ["rows=3", "device=nothing"])
def test_a_page_of_what_fails_ends_there(option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The page says which pass failed and how, and holds what was before."""
    (tmp_path / "graph.mlir").write_text(GRAPH)
    passes = f"fused,tensor-to-loop,memory-order,linearize-axes,schedule{{{option}}}"
    argv = [str(tmp_path / "graph.mlir"), "-p", passes, "--html", str(tmp_path / "page.html"), "-o", "/dev/null"]
    assert mlc_opt.main(argv) == 1
    (graph,) = json.loads(read((tmp_path / "page.html").read_text()).data)["graphs"]
    *before, last = graph["passes"]
    assert last["name"] == "schedule" and last["error"] in capsys.readouterr().err
    assert not any(step["error"] for step in before) and [x["name"] for x in graph["levels"]] == ["tensor", "loop"]


@given(name=TEXT, source=TEXT)
def test_strangers_add_no_element(name: str, source: str) -> None:
    """Names of graphs, files and kernels, and lines of programs, stay text in the page."""
    graph = {"name": name, "files": [{"name": source, "lines": [[1, source]]}], "passes": [{"error": source}]}
    page, plain = read(as_page(name, [graph], [(source, 1)])), read(as_page("", []))
    assert page.tags == plain.tags and page.attributes == plain.attributes
    assert json.loads(page.data) == {"title": name, "graphs": [graph], "breaks": [[source, 1]]}


def test_torch_compile_leaves_a_report(tmp_path: Path) -> None:
    """Every graph, forward and backward; graph breaks; and results as without."""

    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        z = torch.softmax(x @ y, -1)
        torch._dynamo.graph_break()
        return (z * 2).sum(1)

    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    x, y = torch.randn(16, 32, requires_grad=True), torch.randn(32, 32)
    compiled = torch.compile(function, backend=compile_graph_module, options={"report": str(tmp_path / "report")})
    result = compiled(x, y)
    torch.testing.assert_close(result, function(x, y))
    result.sum().backward()
    page = json.loads(read((tmp_path / "report/index.html").read_text()).data)
    assert len(page["graphs"]) == 4 and len(page["breaks"]) == 1
    assert all(graph["seconds"] > 0 and graph["passes"] for graph in page["graphs"])
    assert any("softmax(x @ y, -1)" in text for g in page["graphs"] for f in g["files"] for _, text in f["lines"])


def test_mlc_translate_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["examples/compare.py:chain", "--args", "64xf32", "--html", str(tmp_path / "page.html")]
    assert mlc_translate.main(argv) == 0 and "@triton.jit" in capsys.readouterr().out
    (graph,) = json.loads(read((tmp_path / "page.html").read_text()).data)["graphs"]
    assert [level["name"] for level in graph["levels"]] == ["tensor", "loop", "source"]


def test_tools_load_no_page_without_the_option() -> None:
    """`mlc-opt` starts as fast as before."""
    code = "import sys, tools.mlc_opt; print([m for m in sys.modules if '.view' in m or '.page' in m])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_folder_that_cannot_be_written_is_named_before_anything_is_compiled(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    compiled: list[str] = []
    with pytest.raises(MlcError, match="no report can be written") as caught:
        _reported(lambda **_: compiled.append("compiled"), "forward", tmp_path / "file")
    assert not compiled and "the option `report` names a folder" in caught.value.render()
