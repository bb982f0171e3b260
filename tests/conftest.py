"""Skips what this machine cannot run, draws the same random programs every time, and times each kind of test."""

from __future__ import annotations

import gc
import os
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

PATIENT: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
"""What a busy machine does is no failure."""
settings.register_profile("other-each-time", **PATIENT)
settings.register_profile("same-every-time", derandomize=True, database=None, **PATIENT)
settings.load_profile("other-each-time")
if not os.environ.keys() & {"MLC_RANDOM_EXAMPLES", "FUZZ_GRAPHS"}:
    settings.load_profile("same-every-time")
"""What lands must not hang on the graphs of the day: who asks for more of them gets new ones."""


os.environ.setdefault("OMP_WAIT_POLICY", "passive")
"""Threads that wait leave their core to the other workers."""
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # each process would start workers of its own
"""There is a worker for each core."""

os.environ.setdefault("MLC_CPU", "interpret")
"""Tests are of the kernels for GPUs, unless they ask for machine code."""
os.environ.setdefault("MLC_CACHE_PROGRAMS", "0")
"""Tests change passes and watch them: what runs is compiled here and now."""


@pytest.fixture
def kept_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs are kept, in a folder of the test's own."""
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("MLC_CACHE_PROGRAMS", "1")


@pytest.fixture(scope="module")
def machine_code() -> Iterator[None]:
    """Kernels are machine code, where llvmlite is: for files whose tests are of numbers, and not of Triton."""
    with pytest.MonkeyPatch.context() as patch:
        if find_spec("llvmlite") is not None:
            patch.setenv("MLC_CPU", "native")
        yield


def _has_cuda() -> bool:
    """A CUDA device is there. Imports torch, so it is asked only for `gpu` tests."""
    if find_spec("torch") is None:
        return False
    import torch

    return torch.cuda.is_available()


@cache
def _shares_fixtures(file: str) -> bool:
    """Whether the tests of a file wait for something that is made once for all of them."""
    return 'scope="module"' in (Path(__file__).parents[1] / file).read_text(encoding="utf-8")


def _unit_of_work(test: str) -> str:
    """What one worker does by itself: a test with all its parameters, or a file whose tests share fixtures."""
    file = test.partition("::")[0]
    return file if _shares_fixtures(file) else test.partition("[")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Workers make no fixture twice. What has the most tests goes first."""
    from xdist.scheduler import LoadScopeScheduling

    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = _unit_of_work
    return scheduler


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip `gpu` tests where there is no device; all but the samples of `sampled` tests are slow and unsampled."""
    needing = [item for item in items if item.get_closest_marker("gpu")]
    if needing and not _has_cuda():
        for item in needing:
            item.add_marker(pytest.mark.skip(reason="no CUDA device"))
    places: dict[tuple[str, bool], int] = defaultdict(int)
    for item in items:
        if (sampled := item.get_closest_marker("sampled")) is not None:
            kind = item.nodeid.partition("[")[0], item.get_closest_marker("gpu") is None
            if places[kind] % sampled.args[0]:
                item.add_marker(pytest.mark.slow)
                item.add_marker(pytest.mark.unsampled)
            places[kind] += 1


def pytest_collection_finish() -> None:
    """The collector leaves alone what stays: modules, and thousands of tests."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    gc.unfreeze()


def _kind(nodeid: str) -> str:
    """`filecheck`, `unit`, `conformance`: where a test stands under `tests/`."""
    parts = Path(nodeid.partition("::")[0]).parts
    name = parts[1] if len(parts) > 1 else parts[0]
    return name.removeprefix("test_").removesuffix(".py")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line a kind: its tests and the seconds they took, added up over the workers."""
    seconds: dict[str, float] = defaultdict(float)
    tests: dict[str, set[str]] = defaultdict(set)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[_kind(report.nodeid)] += report.duration
                tests[_kind(report.nodeid)].add(report.nodeid)
    for kind in sorted(tests):
        terminalreporter.write_line(f"time: {kind}: {len(tests[kind])} tests, {seconds[kind]:.1f} s")
