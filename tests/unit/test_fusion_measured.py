"""Strategies by the clock: the benchmark runs from end to end at small sizes, and counts what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from benchmarks import fusion_measured
from benchmarks.fusion_blocks import block
from benchmarks.fusion_corpus import resized, seeded
from benchmarks.fusion_measured import Built, Result, load, ranked_as_predicted, summary
from mlc_compiler.timing.results import off


@pytest.mark.slow
def test_runs_from_end_to_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three graphs on the CPU: every strategy computes the same; a second run has nothing left to do."""
    file = tmp_path / "out.json"
    command = ["--tiny", "--limit", "3", "--processes", "0", "--json", str(file)]
    fusion_measured.main(command)
    found = load(file)
    assert [r.graph for r in found] == ["attention", "causal-attention", "mlp"]
    for result in found:
        assert set(result.strategies) == {"mlc", "xla", "tvm", "inductor"}
        for built in result.strategies.values():
            assert built.seconds and built.failure is None and built.off is not None and built.off < 0.01
    capsys.readouterr()
    fusion_measured.main([*command, "--resume"])
    printed = capsys.readouterr().out
    assert "3 of 3 graphs" in printed and "xla takes" in printed


def test_unknown_strategies_end_with_those_there_are() -> None:
    with pytest.raises(SystemExit, match="strategies are mlc and some of xla, tvm, inductor, real-inductor"):
        fusion_measured.main(["--tiny", "--strategies", "mlc,magic"])


def result(graph: str, mlc: float, xla: float, off: float = 0.0) -> Result:
    return Result(graph, False, {"mlc": Built(1, seconds=mlc), "xla": Built(2, seconds=xla, off=off)})


def test_what_computes_something_else_does_not_count() -> None:
    found = [result("a", 1, 4), result("b", 1, 1), result("c", 2, 1), result("d", 1, 100, off=0.5)]
    text = "\n".join(summary(found, ("mlc", "xla"), 5))
    assert "xla: d: 50.0% of elements differ" in text
    assert "xla takes 1.260 (3 graphs) of the time of mlc in geometric mean, mlc is faster on 1, slower on 1" in text
    assert "0.50 c: 1000000 us, 2 kernels; mlc 2000000 us, 1 kernels" in text


def test_elements_that_are_off() -> None:
    nan, inf = float("nan"), float("inf")
    expected = torch.tensor([1.0, 2.0, nan, inf])
    assert off(torch.tensor([1.0, 2.0001, nan, inf]), expected) == 0.0
    assert off(torch.tensor([1.0, nan, 2.0, -inf]), expected) == 0.75
    assert off(torch.tensor([nan]), torch.tensor([nan])) == 0.0


def test_graphs_grow_by_their_rows() -> None:
    assert resized(32, 64, None) == 32 and resized(32, 64, 256) == 128 and resized(32, 64, 8) == 4
    small, large = (seeded(0, n).block for n in (None, 1 << 22))
    assert [op.name for op in small.ops] == [op.name for op in large.ops]
    x, *_ = large.args
    assert str(x.type) != str(small.args[0].type)
    assert "tensor<2048x1024xf32>" in str(block("rms-norm", 1 << 21).module)
    assert "tensor<1024xf32>" in str(block("rms-norm", 1 << 21).module)


def test_order_of_strategies() -> None:
    """Predicted and measured times must name the same one of two programs, unless they take as long."""

    def result(*pairs: tuple[int, float]) -> Result:
        built = {
            f"s{k}": Built(1, predicted_us=size, source=f"{k}.py", seconds=seconds)
            for k, (size, seconds) in enumerate(pairs)
        }
        return Result("graph", False, built)

    assert ranked_as_predicted(result((1 << 30, 3e-4), (1 << 31, 6e-4)))
    assert not ranked_as_predicted(result((1 << 30, 6e-4), (1 << 31, 3e-4)))
    assert not ranked_as_predicted(result((1 << 30, 6e-4), (1 << 30, 3e-4)))
    assert ranked_as_predicted(result((1 << 30, 3.1e-4), (1 << 31, 3e-4)))
    assert ranked_as_predicted(result((1 << 30, 3e-4))) is None
