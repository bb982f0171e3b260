"""The recorded decisions of the real compilers are of the corpus as it stands."""

from __future__ import annotations

import pytest

from benchmarks.fusion_corpus import generated
from benchmarks.fusion_records import real_plans, regions
from mlc_compiler.peers import peer as peers
from mlc_compiler.peers.client import Failure
from passes.tensor.fusion.plan import Plan

GRAPHS = list(generated(12))


@pytest.fixture(autouse=True)
def no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler that is asked fails with the device that it was asked for."""
    for peer in peers.PEERS.values():
        monkeypatch.setattr(type(peer), "records", lambda self, modules, device: [Failure(device)] * len(modules))


@pytest.mark.parametrize("peer", ["xla", "tvm", "inductor"])
def test_nobody_is_asked_for_what_is_recorded(peer: str) -> None:
    """A generator that has changed fails here: run `python -m benchmarks.fusion_records`."""
    version, plans = real_plans(peer, GRAPHS)
    assert version and list(plans) == [g.name for g in GRAPHS]
    for graph in GRAPHS:
        plan = plans[graph.name]
        assert isinstance(plan, Plan), plan
        assert plan.kernels >= 1 and plan.decisions


def test_another_device_is_asked_for() -> None:
    _, plans = real_plans("xla", GRAPHS[:2], "a100")
    assert set(plans.values()) == {Failure("a100")}


@pytest.mark.parametrize("peer", ["xla", "tvm", "inductor"])
def test_regions_are_recorded(peer: str) -> None:
    found = regions()
    _, plans = real_plans(peer, found[::25], of="regions")
    assert len(found) == 500 and all(isinstance(plan, Plan) for plan in plans.values())
