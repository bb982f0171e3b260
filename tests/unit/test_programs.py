"""Generated programs on disk: who may take one, and which files count."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import torch
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import Func

from lowering.fx_to_tensor import import_callable
from mlc_compiler.execution import executable
from mlc_compiler.execution.executable import compile_imported
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.kernels import programs
from mlc_compiler.kernels.manifest import manifest_of
from mlc_compiler.machine import Machine
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from mlc_dialects.tensor.dialect import MlcTensor
from mlc_runtime.manifest import HostEntry, Manifest
from mlc_support.parsing import parse_module

CHILD = """
import sys, torch, mlc_compiler
from mlc_compiler.pipeline import lower_to
from mlc_runtime.manifest import HostEntry, Manifest
from mlc_compiler.execution import executable

count = []
executable.lower_to = lambda *a, **k: (count.append(1), lower_to(*a, **k))[1]

def loss(x, w, i, factor):
    return torch.softmax(torch.tanh(x @ w)[i] * factor, -1).square().sum()

torch.manual_seed(0)
x, w, i = torch.randn(9, 5, requires_grad=True), torch.randn(5, 7), torch.tensor([3, 0, 3])
run = torch.compile(loss, backend=mlc_compiler.compile_graph_module, dynamic=False)
for factor in map(float, sys.argv[1:]):
    found, want = (torch.autograd.grad(f(x, w, i, factor), [x])[0] for f in (run, loss))
    torch.testing.assert_close(found, want)
    print(len(count))
"""


pytestmark = pytest.mark.usefixtures("kept_programs")


@pytest.fixture
def lowered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The levels to which graphs are lowered from now on."""
    found: list[str] = []

    def lower(module: ModuleOp, level: str, *args: Any, **kwargs: Any) -> Any:
        found.append(level)
        return lower_to(module, level, *args, **kwargs)

    monkeypatch.setattr(executable, "lower_to", lower)
    return found


def two(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x, -1) @ x.T + 2.5


def check(function: Callable[..., Any] = two, options: CompilerOptions | None = None, **dynamic: Any) -> None:
    x = torch.randn(6, 8)
    (found,) = compile_imported(import_callable(function, [x], **dynamic), options)(x)
    torch.testing.assert_close(found, function(x))


@pytest.mark.slow
@pytest.mark.parametrize("cpu", ["native", "interpret"])
def test_a_second_process_runs_no_pass(cpu: str, tmp_path: Path) -> None:
    script = tmp_path / "child.py"
    script.write_text(CHILD)
    environment = os.environ | {"MLC_CPU": cpu, "PYTHONPATH": str(Path(__file__).parents[2])}

    def child(*factors: str) -> str:
        command = [sys.executable, str(script), *factors]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    assert [child("2.5"), child("2.5", "2.75")] == ["2\n", "0\n2\n"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("cpu", ["native", "interpret"])
def test_equal_graphs_are_lowered_once(cpu: str, lowered: list[str]) -> None:
    for _ in range(2):
        check(two, CompilerOptions(cpu=cpu))
        check(two, CompilerOptions(cpu=cpu), dynamic=[{0: "N"}])
    assert len(lowered) == 2


def test_other_options_machines_sources_and_targets_are_other_programs(
    lowered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for options in (
        CompilerOptions(),
        CompilerOptions(policy="none"),
        CompilerOptions(device="a100"),
        CompilerOptions(fast_math=True),
        CompilerOptions(cpu="native"),
    ):
        check(two, options)
        check(two, replace(options, time=True))
    assert len(lowered) == 5
    for name, other in (("_own_sources", "another"), ("_versions", ("torch 1.0",))):
        monkeypatch.setattr(programs, name, lambda other=other: other)
        check()
    assert len(lowered) == 7
    monkeypatch.setattr(programs, "this_machine", lambda device: Machine(tf32_products=True))
    check()
    assert len(lowered) == 8


def test_programs_that_hold_tensors_are_frozen_or_timed_are_not_kept(lowered: list[str]) -> None:
    weight = torch.randn(8, 5000)
    for _ in range(2):
        check(lambda x: x @ weight)
        check(two, CompilerOptions(freeze=True))
        check(two, CompilerOptions(mode="max-autotune"))
    assert len(lowered) == 6


def test_the_switch_turns_it_off(lowered: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    check()
    monkeypatch.setenv(programs.SWITCH, "0")
    check()
    assert len(lowered) == 2


def _resealed(text: str, change: Callable[[Any], Any]) -> str:
    """The content of a file, changed, behind a hash that is right."""
    data = json.loads(text.partition("\n")[2])
    body = json.dumps(change(data))
    return f"{sha256(body.encode()).hexdigest()}\n{body}"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[:-1],
        lambda text: text.replace("exp", "log"),
        lambda text: _resealed(text, lambda data: data | {"key": "0" * 64}),
        lambda text: _resealed(text, lambda data: data | {"source": 3}),
        lambda text: _resealed(text, lambda data: data | {"manifest": {"kernels": [{"name": "exp"}], "hosts": {}}}),
        lambda text: _resealed(text, lambda data: data | {"manifest": []}),
        lambda text: _resealed(text, lambda data: []),
        lambda text: _resealed(text, lambda data: None),
    ],
)
def test_what_is_damaged_or_foreign_is_made_again(damage: Callable[[str], str], lowered: list[str]) -> None:
    check()
    (path,) = Path(os.environ["MLC_CACHE_DIR"]).glob("*.json")
    whole = path.read_text()
    path.write_text(damage(whole))
    check()
    assert len(lowered) == 2 and path.read_text() == whole
    path.write_bytes(b"\xff\xfe")
    check()
    check()
    assert len(lowered) == 3


def test_constants_that_print_alike_are_told_apart() -> None:
    def key(number: float) -> str | None:
        imported = import_callable(lambda x: x * number, [torch.randn(4, dtype=torch.float64)])
        return programs.program_key(imported, CompilerOptions(), "triton")

    assert key(0.1) == key(0.1) != key(0.1 + 2**-54) and key(0.0) != key(-0.0)


def test_whatever_a_graph_says_is_part_of_its_key() -> None:
    """Operands in their order, names, sizes, types, attributes, results and lines."""

    def key(text: str) -> str | None:
        imported = import_callable(lambda x: x, [torch.zeros(1)])
        context = Context()
        for dialect in (Builtin, Func, MlcTensor):
            context.load_dialect(dialect)
        module = parse_module(context, text)
        return programs.program_key(replace(imported, module=module), CompilerOptions(), "triton")

    graph = """
    func.func @main(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %z = mlc_tensor.sub %x, %y : tensor<4x4xf32> loc("m.py":1:1)
      %r = mlc_tensor.permute %z [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
      func.return %r : tensor<4x4xf32>
    }"""
    changes = [("%x, %y :", "%y, %x :"), ("%z", "%w"), ("%x", "%v"), ("4x4", "5x5"), ("f32", "f16"), ("sub", "add")]
    changes += [("[1, 0]", "[0, 1]"), ("return %r", "return %z"), (":1:1", ":2:1"), ("@main", "@other")]
    keys = [key(graph), *(key(graph.replace(old, new)) for old, new in changes)]
    assert keys[0] == key(graph)
    assert len({*keys}) == len(keys)


def test_small_tensors_are_part_of_the_graph_bit_by_bit() -> None:
    def key(weight: torch.Tensor) -> str | None:
        return programs.program_key(
            import_callable(lambda x: x * weight, [torch.randn(6, 8)]), CompilerOptions(), "cpu"
        )

    weight, other = torch.randn(8), torch.randn(8)
    other[:7], other[7] = weight[:7], torch.nextafter(weight[7], torch.tensor(9.0))
    assert key(weight) == key(weight.clone()) != key(other)


def test_a_manifest_survives_its_file() -> None:
    module = lower_to(import_callable(lambda x: x[(x[0] * 9).long()], [torch.randn(64, 64)]).module, "triton")
    assert isinstance(module, ModuleOp)
    manifest = manifest_of(module)
    again = Manifest.of_data(json.loads(json.dumps(manifest.to_data())))
    assert again == manifest and any(kernel.options.get("debug") is True for kernel in again.kernels)


def test_free_strides_of_results_survive_too() -> None:
    host = HostEntry("forward", 2, (0, 1), "cpu", (None, (12, 1, 4), ()))
    manifest = Manifest((), {"forward": host})
    assert Manifest.of_data(json.loads(json.dumps(manifest.to_data()))) == manifest


def test_gradients_of_convolutions_agree_when_both_passes_come_from_disk(lowered: list[str]) -> None:
    """The backward pass counts on the strides that the forward pass gives what it saves."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.Conv2d(8, 4, 3)
    )
    x, parameters, found = torch.randn(2, 3, 12, 12), [*model.parameters()], list[Any]()
    for _ in range(2):
        torch._dynamo.reset()
        run = torch.compile(model, backend=compile_graph_module)
        found.append(torch.autograd.grad(run(x).square().sum(), parameters))
    want = torch.autograd.grad(model(x).square().sum(), parameters)
    for gradients in found:
        torch.testing.assert_close(gradients, want, rtol=1e-3, atol=1e-3)
    assert len(lowered) == 2
