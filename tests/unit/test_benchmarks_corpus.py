"""The corpus of regions: what is captured is what models compute, and a sample of it runs from end to end."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from benchmarks import capture, corpus, corpus_report, fusion_agreement, regret
from benchmarks.case import Arg
from benchmarks.measuring import compiled, measured
from benchmarks.records import Measured, Result, load
from benchmarks.region_cases import case_of, ordered
from benchmarks.regions import Region, merged, numbers, regions_of, save, strides_of
from benchmarks.regions import load as load_regions
from benchmarks.regret_records import load as load_regret
from benchmarks.zoo import ALL, diffusion
from benchmarks.zoo.fakes import NoRandomNumbers
from benchmarks.zoo.model import Model
from mlc_compiler.pipeline import lower_to
from mlc_dialects.common.types import shape_of
from mlc_support.errors import MlcError
from mlc_support.index_expr import variable
from tools.graphs import load_graph

OWN = [m.name for m in diffusion.MODELS]
SHAPE = (2, 3, 4, 5)


class Attenuated(nn.Module):
    """One region: a softmax over channels, then a weight."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.linspace(-1, 2, SHAPE[1])[:, None, None])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x, 1) * self.weight + 1.5


class Convolved(nn.Module):
    """Two convolutions, with a function between them whose gradient reads the result of the first."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = (nn.Conv2d(16, 16, 3) for _ in range(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(nn.functional.silu(self.first(x))).mean((1, 2, 3))


def attenuated(channels_last: bool = False) -> Model:
    return Model("attenuated", "zoo", lambda _: Attenuated(), (Arg(SHAPE),), (Arg(SHAPE),), channels_last)


def captured(model: Model, variant: str) -> capture.Captured:
    found = capture.Captured(model.name)
    capture.trace(model, capture.VARIANTS[variant], partial(capture._keep, found))
    assert not found.failures
    return found


def function_of(region: Region) -> func.FuncOp:
    (function,) = (op for op in region.module().ops if isinstance(op, func.FuncOp))
    return function


def test_schedules_of_regions_are_compared(
    tiny: list[Region], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`benchmarks.regret --regions` takes those that match, by seed, as often as it is asked the same ones."""
    save(tiny, tmp_path / "regions.jsonl.gz")
    small = (region for region in tiny if 2**8 <= region.bytes <= 2**12)
    wanted = [region.name for region in small if region.expansion() <= 1][:2]  # no products: these have other tilings
    asked = ["--regions", str(tmp_path / "regions.jsonl.gz"), "--cases", "|".join(wanted), "--tiny", "--dry"]
    for name in ("one.json", "again.json"):
        assert regret.main([*asked, "--candidates", "2", "--processes", "0", "--json", str(tmp_path / name)]) == 0
    capsys.readouterr()
    one, again = (load_regret(tmp_path / name).results for name in ("one.json", "again.json"))
    assert one == again and {drawing.name for drawing in one} == set(wanted)
    assert all(kernel.tried for drawing in one for kernel in drawing.kernels)


@pytest.fixture(scope="module")
def tiny() -> list[Region]:
    """The regions of a small model, forward and backward."""
    found = capture.captured((OWN[0], "training"), tiny=True)
    assert found.graphs == 2 and not found.failures
    return found.regions


@pytest.mark.parametrize("channels_last", [False, True])
def test_a_region_computes_what_its_model_does(channels_last: bool) -> None:
    """With the numbers of the model, in the order of its arguments, and with the strides of its input and result."""
    model = attenuated(channels_last)
    (region,) = captured(model, "inference-f32").regions
    module, (x,) = model.make("cpu"), model.inputs("cpu")
    expected = module(x)
    arguments, (strides,) = strides_of(function_of(region))
    by_shape = {tuple(x.shape): x, (3, 1, 1): module.weight.detach()}  # pyright: ignore
    shapes = [tuple(numbers(shape_of(a.type))) for a in function_of(region).body.block.args]
    assert set(shapes) == set(by_shape) and numbers(strides) == list(expected.stride())
    assert numbers(arguments[shapes.index(SHAPE)]) == list(x.stride())
    case = case_of(region, "cpu")
    (found,) = case.function(*(by_shape[s] for s in shapes))
    torch.testing.assert_close(found, expected)
    assert found.stride() == expected.stride()
    assert [tuple(i.stride()) for i in case.make("cpu") if i.shape == SHAPE] == [x.stride()]


def test_training_gives_regions_of_forward_and_backward(tiny: list[Region]) -> None:
    assert {r.kind for r in tiny} >= {"pointwise", "reduction"}
    assert all(r.programs == (f"{OWN[0]}, training",) and r.bytes > 0 for r in tiny)
    assert len({r.text for r in tiny}) == len(tiny) == len({r.name for r in tiny})
    assert any("mlc.strides" in r.text for r in tiny)
    assert not any("loc(" in r.text or "mlc_tensor.matmul" in r.text or "extern" in r.text for r in tiny)


def test_a_backward_graph_gets_the_layout_that_its_forward_graph_computes() -> None:
    """Convolutions give channels last: the gradient between them reads all in one order."""
    shape = (2, 16, 8, 8)
    found = captured(Model("convolved", "zoo", lambda _: Convolved(), (Arg(shape),), (Arg(shape),)), "training")
    (gradient,) = (r for r in found.regions if "sigmoid" in r.text and "mlc_tensor.sub" in r.text)
    function = function_of(gradient)
    sizes = [numbers(shape_of(a.type)) for a in function.body.block.args]
    strides = [numbers(s) for s in strides_of(function)[0]]
    channels = [own[size.index(16)] for size, own in zip(sizes, strides, strict=True)]
    assert found.graphs == 2 and channels == [1, 1]


def test_regions_on_mlc_are_near_float64(tiny: list[Region]) -> None:
    """Each as `torch.compile` compiles it, on Triton's interpreter; eager is beside it."""
    small = sorted(tiny, key=lambda r: r.bytes)[::4][:6]
    for region in small:
        made = compiled(case_of(region, "cpu"), ("eager", "mlc"), "cpu")
        result = measured(made, 1e9, "cpu", ())
        assert all(m.failure is None and m.error is not None for m in result.backends.values())
        assert corpus_report.wrong(result) == ""


def test_errors_are_those_against_float64() -> None:
    """float32 in the text of a region is no limit to what it is compared with."""
    (region,) = captured(attenuated(), "inference").regions
    inputs = case_of(region, "cpu").make("cpu")
    assert {x.dtype for x in inputs} == {torch.bfloat16}
    (exact,) = case_of(region, "cpu").function(*(x.double() for x in inputs))
    x, weight = sorted((x.double() for x in inputs), key=lambda x: -x.ndim)
    expected = torch.softmax(x, 1) * weight + 1.5
    assert exact.dtype == torch.float64
    torch.testing.assert_close(exact, expected, rtol=1e-13, atol=0)


def test_sizes_that_are_no_numbers_are_left_out() -> None:
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2 + x.sum()

    seen: list[ModuleOp] = []

    def keep(imported: Any, _: bool) -> Any:
        module = imported.module.clone()
        lower_to(module, "fused")
        seen.append(module)
        return partial(capture.outputs_of, imported)

    def backend(gm: Any, inputs: Any) -> Any:
        return capture.compile_with(gm, inputs, keep)

    x = torch.ones(7, 3)
    torch._dynamo.mark_dynamic(x, 0)
    torch._dynamo.reset()
    with pytest.raises(MlcError, match="expected sizes that are numbers"):  # what stands in for it has no sizes either
        torch.compile(twice, backend=backend)(x)
    assert len(seen) == 1 and not list(regions_of(seen[0]))
    with pytest.raises(ValueError, match="expected numbers, found the sizes N"):
        numbers((variable("N"),))


def test_equal_regions_are_one(tiny: list[Region], tmp_path: Path) -> None:
    first, second = tiny[:2]
    again = replace(first, programs=("another",))
    found = merged([first, second, again])
    assert [r.name for r in found] == sorted({first.name, second.name})
    one = next(r for r in found if r.name == first.name)
    assert one.count == 2 * first.count and one.programs == tuple(sorted((*first.programs, "another")))
    save(found, tmp_path / "a.gz")
    save(found, tmp_path / "b.gz")
    assert load_regions(tmp_path / "a.gz") == found
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_comparisons_take_the_same_file(tiny: list[Region], tmp_path: Path) -> None:
    file = tmp_path / "regions.jsonl.gz"
    save(tiny, file)
    assert str(load_graph(f"{file}:{tiny[1].name}")).strip() == tiny[1].text.strip()
    with pytest.raises(MlcError, match="has no region 'nothing'"):
        load_graph(f"{file}:nothing")
    with pytest.raises(MlcError, match="no such file"):
        load_graph(f"{tmp_path}/none.jsonl.gz:{tiny[1].name}")
    names = [g.name for g in fusion_agreement.chosen(3, 5, file)]
    assert len(set(names)) == 3 and set(names) <= {r.name for r in tiny}
    assert names == [g.name for g in fusion_agreement.chosen(3, 5, file)]
    assert names != [g.name for g in fusion_agreement.chosen(3, 6, file)]


def test_samples_are_the_same_for_a_seed(tiny: list[Region], capsys: pytest.CaptureFixture[str]) -> None:
    bytes_ = sorted(r.bytes for r in tiny)
    least, most = bytes_[3], bytes_[-3]
    chosen = corpus.sample(tiny, 1, 5, least, most)
    assert chosen == corpus.sample(tiny, 1, 5, least, most) and len(chosen) == 5
    assert chosen != corpus.sample(tiny, 2, 5, least, most)
    assert all(least <= r.bytes <= most for r in chosen)
    assert len(corpus.sample(tiny, 1, 10**6, 0, 1e18)) == len(tiny)
    lacking = replace(tiny[0], text=NOT_IN_ATEN)
    assert corpus.sample([lacking], 0, 5, 0, 1e18) == []
    assert "left out 1 regions: MlcError: mlc_tensor.extern has no export to aten" in capsys.readouterr().out


def test_products_written_out_are_no_sample() -> None:
    """As single multiplications they would run on other backends; sums of what was loaded stay."""

    def region(columns: int) -> Region:
        text = f"""
        func.func @region(%x: tensor<64x64xf32>, %w: tensor<64x{columns}xf32>) -> tensor<64x1x{columns}xf32> {{
          %a = mlc_tensor.reshape %x : tensor<64x64xf32> -> tensor<64x64x1xf32>
          %b = mlc_tensor.reshape %w : tensor<64x{columns}xf32> -> tensor<1x64x{columns}xf32>
          %c = mlc_tensor.broadcast %a : tensor<64x64x1xf32> -> tensor<64x64x{columns}xf32>
          %d = mlc_tensor.broadcast %b : tensor<1x64x{columns}xf32> -> tensor<64x64x{columns}xf32>
          %e = mlc_tensor.mul %c, %d : tensor<64x64x{columns}xf32>
          %s = mlc_tensor.reduce add %e dims [1] : tensor<64x64x{columns}xf32> -> tensor<64x1x{columns}xf32>
          func.return %s : tensor<64x1x{columns}xf32>
        }}"""
        return Region(f"columns-{columns}", "reduction", 1, 1, (), text)

    assert region(4).expansion() < 4 and region(512).expansion() > 16
    assert [r.name for r in corpus.sample([region(4), region(512)], 0, 2, 0, 10)] == ["columns-4"]


NOT_IN_ATEN = """func.func @region(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = mlc_tensor.extern "aten.bernoulli.default"(%x) impure : (tensor<8xf32>) -> (tensor<8xf32>)
  func.return %r : tensor<8xf32>
}
"""


def test_results_have_the_order_of_their_strides() -> None:
    x = torch.arange(24.0).reshape(2, 3, 4)
    found = ordered(x, [1, 0, 2])
    assert found.stride() == (4, 8, 1) and found.equal(x)
    assert ordered(x.expand(2, 3, 4)[:, :1].expand(2, 3, 4), [0, 1, 2]).stride() == (12, 4, 1)
    assert ordered(torch.tensor(3.0), []).shape == ()


def test_random_numbers_are_zeros_for_fakes() -> None:
    """Also where a truncated normal distribution is drawn until all numbers are inside."""
    with NoRandomNumbers():
        value = nn.Parameter(torch.ones(4))
        assert nn.init.trunc_normal_(value, a=-1e-6, b=1e-6) is value and value.eq(0).all()
        assert nn.init.kaiming_uniform_(torch.ones(2, 2)).eq(0).all() and torch.ones(4).normal_().eq(0).all()
        assert nn.init.ones_(value).eq(1).all() and value.requires_grad
    assert not torch.zeros(4).normal_().eq(0).any()


def test_the_zoo_has_architectures_of_every_kind() -> None:
    assert len(ALL) >= 100 and len({m.name for m in ALL}) == len(ALL)


@pytest.mark.slow
def test_the_corpus_runs_from_end_to_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From the model to the report: in a process, with two backends, and again from the file."""
    regions, file = tmp_path / "regions.jsonl.gz", tmp_path / "corpus.json"
    command = ["--out", str(regions), "--cases", OWN[0], "--variants", "inference", "--tiny", "--processes", "0"]
    assert capture.main(command) == 0
    assert "distinct regions of" in capsys.readouterr().out
    command = ["--regions", str(regions), "--min-bytes", "1", "--max-regions", "2", "--processes", "1"]
    assert corpus.main([*command, "--backends", "eager,mlc", "--json", str(file)]) == 0
    text = capsys.readouterr().out
    run = load(file)
    assert len(run.results) == 2 and "2 of 2 regions" in text and "the slowest beside eager" in text
    assert all(r.backends["mlc"].failure is None and r.backends["mlc"].error is not None for r in run.results)
    assert corpus.main(["--regions", str(regions), "--show", str(file)]) == 0
    assert run.results[0].name in capsys.readouterr().out


def test_wrong_commands_say_what_there_is(tmp_path: Path, tiny: list[Region]) -> None:
    save(tiny, tmp_path / "regions.gz")
    with pytest.raises(SystemExit, match=r"no region of \d+ moves 8000000 to 500000000 bytes"):
        corpus.main(["--regions", str(tmp_path / "regions.gz")])
    with pytest.raises(SystemExit, match="no backend nothing"):
        corpus.main(["--regions", str(tmp_path / "regions.gz"), "--backends", "nothing"])
    with pytest.raises(SystemExit, match="no variant half; there are inference"):
        capture.main(["--out", str(tmp_path / "x.gz"), "--variants", "half"])
    with pytest.raises(SystemExit, match="no model matches 'nothing'"):
        capture.main(["--out", str(tmp_path / "x.gz"), "--cases", "nothing"])


def result(name: str, inductor: float, mlc: float, error: float = 1e-3, failure: str | None = None) -> Result:
    own = Measured(mlc, 0.5, 1e-5, error, 2, 1.0) if failure is None else Measured(failure=failure)
    return Result("pointwise", name, 10**7, {"inductor": Measured(inductor, 0.25, 2e-5, 1e-3, 1, 1.0), "mlc": own})


def test_the_report_has_the_worst_first_and_every_failure(tiny: list[Region]) -> None:
    known = replace(tiny[0], name="slow")
    results = [
        result("fast", 4e-6, 1e-6), result("slow", 1e-6, 4e-6), result("level", 1e-6, 1e-6, error=0.5),
        result("gone", 1e-6, 1e-6, failure="Oh: no"),
    ]  # fmt: skip
    text = corpus_report.summary(results, [known], 2)
    assert "device: inductor takes 1.00 times what mlc does, under 0.9 of it in 1 of 3" in text
    assert "host: inductor takes 2.00 times what mlc does, under 0.9 of it in 0 of 3" in text
    assert "mlc: 0.50 of the copy, 1.6 us, host 10.0 us, 2.00 kernels (3 regions)" in text
    worst = [line for line in text.splitlines() if line.startswith("  ")]
    assert [line.split()[:2] for line in worst] == [["0.25", "slow"], ["1.00", "level"]]
    assert known.programs[0] in worst[0] and "inductor 1 us in 1 kernels" in worst[0]
    assert "wrong: level" in text and "error 5.0e-01, inductor 1.0e-03" in text
    assert "failed 1 times on mlc: Oh: no" in text
    assert corpus_report.summary([], [], 2) == ""


@pytest.mark.parametrize(("ours", "eager", "is_wrong"), [(2e-3, 2e-3, False), (2e-3, 1e-7, True), (inf, 1e-7, True)])
def test_what_the_program_rounds_is_not_wrong(ours: float, eager: float, is_wrong: bool) -> None:
    """Inductor may keep float32 where the program says bfloat16, and is nearer to float64 then."""
    found = {"eager": Measured(error=eager), "inductor": Measured(error=5e-8), "mlc": Measured(error=ours)}
    assert bool(corpus_report.wrong(Result("reduction", "bias", 1, found))) == is_wrong


def test_a_region_is_described_by_its_types_and_ops() -> None:
    text = corpus_report.text_of("""builtin.module {
  func.func @region(%0: tensor<4x6xbf16> {mlc.strides = ["1", "4"]}, %1: tensor<6xf32>) -> tensor<4x1xf32> {
    %2 = mlc_tensor.cast %0 : tensor<4x6xbf16> -> tensor<4x6xf32>
    %3 = mlc_tensor.exp %2 : tensor<4x6xf32>
    %4 = mlc_tensor.reduce add %3 dims [1] : tensor<4x6xf32> -> tensor<4x1xf32>
    func.return %4 : tensor<4x1xf32>
  }
}
""")
    assert text == "4x6xbf16 6xf32; reduces add dims [1]; 1 exp; strided"


def test_integers_are_places_in_what_is_scattered_into() -> None:
    """Gradients of two token types: places among two rows, whatever the sizes of the inputs are."""
    text = """func.func @region(%g: tensor<64x32xf32>, %t: tensor<64x32xi64>) -> tensor<2x32xf32> {
      %zero = mlc_tensor.constant 0.0 : tensor<2x32xf32>
      %c = mlc_tensor.iota dim 1 : tensor<64x32xi64>
      %s = mlc_tensor.scatter add %zero[%t, %c], %g
        : tensor<2x32xf32>, (tensor<64x32xi64>, tensor<64x32xi64>), tensor<64x32xf32>
      func.return %s : tensor<2x32xf32>
    }"""
    case = case_of(Region("types", "pointwise", 1, 1, (), text), "cpu")
    gradients, types = case.make("cpu")
    assert set(types.unique().tolist()) == {0, 1}
    (found,) = case.function(gradients, types)
    torch.testing.assert_close(found[1], torch.where(types == 1, gradients, 0).sum(0))
