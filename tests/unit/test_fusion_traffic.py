"""What the mlc policy moves beside the emulated strategies, on a part of the corpus."""

from __future__ import annotations

from statistics import geometric_mean

import pytest

from benchmarks.fusion_corpus import generated
from benchmarks.fusion_traffic import lines, traffic
from passes.common.device import DEVICES, name_of


def test_mlc_moves_no_more_than_the_best() -> None:
    """`make fusion-agreement` prints the whole corpus; docs/compare.md says what is lost and why."""
    found = list(traffic(generated(40)))
    lost = [t for t in found if t.why == "policy"]
    assert len(lost) <= 2, "\n".join(lines(found, 40))
    assert geometric_mean(t.ratio for t in found) < 0.99


def test_what_is_lost_has_a_reason() -> None:
    for one in traffic(generated(10)):
        assert (one.why is None) == (one.ratio <= 1)
        assert set(one.bytes) == {"mlc", "xla", "tvm", "inductor"}


@pytest.mark.parametrize(
    ("product", "name"),
    [
        ("NVIDIA H200", "h200"),
        ("NVIDIA H100 80GB HBM3", "h100"),
        ("NVIDIA A100-SXM4-40GB", "a100"),
        ("NVIDIA GeForce RTX 4090", "rtx4090"),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", "generic"),
        ("NVIDIA A10", "generic"),
    ],
)
def test_devices_by_what_drivers_call_them(product: str, name: str) -> None:
    assert name_of(product) == name


def test_what_l2_holds_is_quicker() -> None:
    device = DEVICES["h200"]
    half = device.l2_bytes // 2
    assert device.traffic_us(1 << 20, half) == pytest.approx(1e6 * (1 << 20) / device.l2_bandwidth)
    assert device.traffic_us(1 << 20, half + 1) == pytest.approx(1e6 * (1 << 20) / device.bandwidth)
