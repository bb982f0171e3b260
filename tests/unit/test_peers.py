"""The real compilers, where they are installed, and what is told where they are not."""

from __future__ import annotations

import dataclasses
import functools
import json
from pathlib import Path

import pytest

from lowering.interpreter.run import find_function
from mlc_compiler.peers.client import Failure, ask
from mlc_compiler.peers.hlo import parse_hlo, parse_steps
from mlc_compiler.peers.peer import PEERS, Peer
from mlc_compiler.peers.record import Record, plan_of
from passes.tensor.fusion.plan import Plan, op_names
from tests.unit.seven import KERNELS, seven
from tests.unit.test_exports import module_of


@functools.cache
def records(peer: str) -> dict[str, Record | Failure]:
    """What a compiler makes of the seven functions, all asked at once."""
    return dict(zip(KERNELS, PEERS[peer].records([seven(name) for name in KERNELS]), strict=True))


def real_plan(peer: str, name: str) -> Plan:
    """The plan of one of the seven functions; skips where the compiler is missing."""
    missing = PEERS[peer].available()
    if missing:
        pytest.skip(missing)
    record = records(peer)[name]
    assert isinstance(record, Record), record
    return plan_of(record, find_function(seven(name)).body.block)


@pytest.mark.slow
@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("name", KERNELS)
def test_kernels_of_the_seven_functions(peer: str, name: str) -> None:
    """512 x 1024 float32, W 1024 x 2048, an H200."""
    assert real_plan(peer, name).kernels == KERNELS[name][peer]


def test_xla_says_what_an_edge_costs() -> None:
    plan = real_plan("xla", "softmax")
    names = op_names(op for group in plan.groups for op in group.ops)
    said = {(names[d.producer], names[d.consumer]): d for d in plan.decisions}
    assert said["exp", "sum"].fuse and (said["exp", "sum"].saves_us or 0) > 1
    assert "us apart" in said["exp", "sum"].why


def test_xla_says_which_rule_refused() -> None:
    plan = real_plan("xla", "div_sum")
    refused = [d for d in plan.decisions if not d.fuse]
    assert [d.why for d in refused] == [
        "priority-fusion: fusion into output of a reduce fusion would create a loop fusion"
    ]
    assert plan.groups[0].partial and plan.recomputed == 0


def test_tvm_says_the_patterns() -> None:
    plan = real_plan("tvm", "softmax")
    whys = [d.why for d in plan.decisions if not d.fuse]
    assert "FuseOps: CommReduce into ElemWise: nothing joins the group of a reduction behind it" in whys


def test_what_is_missing_is_told() -> None:
    absent = Peer("absent", {"no_such_module.inside": "no-such-package"}, "none", lambda module, gpu: {})
    assert absent.available() == "absent needs no-such-package: pip install '.[compare]'"
    assert dataclasses.replace(absent, needs={"no_such_module|json": "no-such-package"}).available() is None
    assert absent.real_plan(module_of(EXP)) == Failure("absent needs no-such-package: pip install '.[compare]'")


EXP = """func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = mlc_tensor.exp %x : tensor<8xf32>
  func.return %r : tensor<8xf32>
}"""
WORKER = """
import os
from mlc_compiler.peers.worker import serve

def answer(request):
    print("noise")
    if request["do"] == "crash":
        os._exit(3)
    return {"twice": 2 * request["n"]}

serve(answer)
"""


def test_a_crash_costs_one_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those behind it are answered by another process; an exception costs no process."""
    (tmp_path / "crashing_worker.py").write_text(WORKER)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    answers = ask("crashing_worker", [{"do": "it", "n": 1}, {"do": "crash"}, {"do": "fail"}, {"do": "it", "n": 4}])
    assert answers[0] == {"twice": 2} and answers[3] == {"twice": 8}
    assert answers[1] == Failure("the process ended with 3: noise")
    assert answers[2] == Failure("KeyError: 'n'")


def test_records_are_plain_data() -> None:
    kernels = [{"name": "k", "kind": "loop", "ops": ["r"], "moves": [], "code": "text"}]
    told = [{"producer": "a", "consumer": "r", "why": "because", "saves_us": 1.5}]
    data = {"peer": "xla", "version": "1", "device": "h200", "kernels": kernels, "told": told}
    record = Record.of(json.loads(json.dumps(data)))
    assert json.loads(json.dumps(record.to_json())) == data
    assert record.to_json(code=False)["kernels"][0]["code"] == ""
    plan = plan_of(record, find_function(module_of(EXP)).body.block)
    assert plan.kernels == 1 and len(plan.groups[0].ops) == 1
    whole = dataclasses.replace(record, programs=("all of it",))
    assert Record.of(json.loads(json.dumps(whole.to_json()))) == whole
    assert whole.to_json(code=False) == record.to_json(code=False)


HLO = """HloModule main

%fused (p: f32[8]) -> (f32[8], f32[8]) {
  %p = f32[8]{0} parameter(0)
  %c = f32[] constant(1), metadata={op_name="a"}
  %b = f32[8]{0} broadcast(%c), dimensions={}, metadata={op_name="a"}
  %s = f32[8]{0} add(%p, %b), metadata={op_name="a" source_line=3}
  ROOT %t = (f32[8]{0}, f32[8]{0}) tuple(%s, %s)
}

ENTRY %main (x: f32[8]) -> f32[8] {
  %x = f32[8]{0} parameter(0)
  %f = (f32[8]{0}, f32[8]{0}) fusion(%x), kind=kLoop, calls=%fused, metadata={op_name="a"}
  ROOT %g = f32[8]{0} get-tuple-element(%f), index=0
}
"""
LOG = """fusion_steps {
  update_priority {
    producer_name: "a"
    consumer_names: "b"
    consumer_names: "c"
    us_fused: 1.5
    us_unfused: 2.5
  }
}
fusion_steps {
  producer_ineligible {
    producer_name: "c"
    reason: "No users to fuse"
  }
}
fusion_steps {
  fusion {
    fusion_name: "f"
    producer_name: "a"
    consumer_name: "b"
  }
}
"""


def test_hlo_text() -> None:
    hlo = parse_hlo(HLO)
    (kernel,) = hlo.kernels()
    assert kernel.attribute("kind") == "kLoop"
    assert hlo.sources(kernel) == (["a"], [])
    assert "metadata" not in hlo.texts["fused"]
    assert hlo.text.startswith("ENTRY %main (") and hlo.text.endswith(hlo.texts["fused"])
    assert hlo.line(kernel) == "%f = (f32[8]{0}, f32[8]{0}) fusion(%x), kind=kLoop, calls=%fused"


def test_the_log_of_priority_fusion() -> None:
    cost, refusal, made = parse_steps(LOG)
    assert cost.consumers == ("b", "c") and (cost.fused_us, cost.unfused_us) == (1.5, 2.5)
    assert refusal.reason == "No users to fuse"
    assert made.made == "f" and made.consumers == ("b",)


def test_inductor_needs_no_device_for_rolls_and_odd_products() -> None:
    """Rolls are taken apart without an index in Python, and products of odd sizes are not timed with padding."""
    x, w, r = "tensor<4096x768xbf16>", "tensor<768x50257xbf16>", "tensor<4096x50257xbf16>"
    module = module_of(f"""func.func @main(%x: {x}, %w: {w}) -> {r} {{
  %a = mlc_tensor.roll %x [3, 0] : {x} -> {x}
  %p = mlc_tensor.matmul %a, %w : {x}, {w} -> {r}
  func.return %p : {r}
}}""")
    (record,) = PEERS["inductor"].records([module])
    assert isinstance(record, Record), record
    assert [k.kind for k in record.kernels] == ["pointwise", "extern"]
    assert record.kernels[-1].ops == ("p",)
