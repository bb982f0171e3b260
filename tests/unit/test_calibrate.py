"""The entry that calibration prints; the measurements themselves, in small, on the interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from benchmarks.calibrate import BY_TORCH, BY_TRITON, Bench, entry, main, pointers, provenance, shortened, told, written
from passes.common.device import DEVICES, Device, device_named

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", DEVICES)
def test_an_entry_is_the_device(name: str) -> None:
    text = entry(DEVICES[name])
    assert eval(text, {"Device": Device}) == DEVICES[name]
    assert "lanes=" not in text and all(len(line) <= 120 for line in text.splitlines())


def test_an_entry_is_written_as_people_do() -> None:
    text = entry(device_named("h200"))
    assert "    l2_bytes=50 << 20,\n" in text and "    shared_per_block=227 << 10,\n" in text
    assert "    bandwidth=4.25e12,\n" in text and '"bf16": 989e12' in text
    odd = replace(device_named("h200"), name='a "GPU"', l2_bytes=(50 << 20) + 1, flops=12.5, lanes=64)
    assert eval(entry(odd), {"Device": Device}) == odd and "    lanes=64,\n" in entry(odd)


def test_a_long_provenance_goes_over_lines() -> None:
    device = replace(device_named("a100"), provenance=provenance(sorted(BY_TRITON), ["l2_bytes"] * 20, "a100"))
    assert eval(entry(device), {"Device": Device}) == device
    assert "all else as in the entry a100" in device.provenance and torch.__version__ in device.provenance


def test_rates_have_three_digits() -> None:
    assert shortened({"bf16": 987654321e6}) == {"bf16": 9.88e14} and shortened(0.123456) == 0.123


def test_what_the_driver_tells() -> None:
    """Properties that a version of PyTorch lacks leave what the entry has."""
    properties = SimpleNamespace(
        name="NVIDIA H100 PCIe", major=9, minor=0, multi_processor_count=114, L2_cache_size=50 << 20,
        max_threads_per_multi_processor=2048, clock_rate=1755000,
    )  # fmt: skip
    device = replace(device_named("h100"), **told(properties, device_named("h100")))
    assert (device.multiprocessors, device.clock_ghz, device.warps_per_multiprocessor) == (114, 1.755, 64)
    assert device.shared_per_block == device_named("h100").shared_per_block and device.name == "NVIDIA H100 PCIe"


def test_pointers_are_one_cycle() -> None:
    """Every line is met once before the first comes again."""
    bench = Bench(device_named("generic"), "cpu", tiny=True)
    chain, place, seen = pointers(bench), 0, list[int]()
    for _ in range(16):
        place = int(chain[place])
        seen.append(place)
    assert sorted(seen) == [16 * k for k in range(16)] and seen[-1] == 0


def test_every_measured_field_is_one_of_a_device() -> None:
    assert {*BY_TORCH, *BY_TRITON} <= {f for f in Device.__dataclass_fields__}
    assert json.loads(json.dumps(written(device_named("h200"))))["device"]["multiprocessors"] == 132


def test_without_a_gpu_it_says_so() -> None:
    if torch.cuda.is_available():
        pytest.skip("there is one")
    with pytest.raises(SystemExit, match="no CUDA device here"):
        main([])


@pytest.mark.slow
def test_a_smoke_run(tmp_path: Path) -> None:
    """In a process of its own: kernels are interpreted from their import on."""
    command = [sys.executable, "-m", "benchmarks.calibrate", "--tiny", "--json", str(tmp_path / "made" / "device.json")]
    environment = os.environ | {"TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    text = done.stdout[done.stdout.index("Device(") :]
    device = eval(text, {"Device": Device})
    measured = json.loads((tmp_path / "made" / "device.json").read_text())["device"]
    assert all(measured[field] for field in (*BY_TORCH, *BY_TRITON)) and "left out" not in done.stdout
    assert device.dram_latency_ns == measured["dram_latency_ns"]
    assert "all else as in the entry generic" in device.provenance
