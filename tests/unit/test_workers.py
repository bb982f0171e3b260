"""Work in PyTorch's compile workers."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from torch._inductor.async_compile import AsyncCompile

from mlc_compiler import workers

PROGRAM = """
import os, sys, time
from mlc_compiler.workers import in_worker, result_of, workers_exist, workers_ready

assert not workers_ready() and workers_exist()
end = time.monotonic() + 100
while not workers_ready():
    assert time.monotonic() < end, "no worker answers"
    time.sleep(0.05)
os.environ["MLC_OF_THE_CALLER"] = "here"
places = [in_worker(os.getpid) for _ in range(4)]
assert os.getpid() not in {p.result() for p in places}
assert in_worker(os.getenv, "MLC_OF_THE_CALLER").result() == "here"
del os.environ["MLC_OF_THE_CALLER"]
assert in_worker(os.getenv, "MLC_OF_THE_CALLER").result() is None
assert isinstance(in_worker(int, "none").exception(), Exception)

from tests.unit.test_decisions import lowered  # a program whose decisions cross to workers and back
from mlc_compiler import decisions
from mlc_compiler.decisions import WorkersContext
decisions.ALONE = 0.0
assert lowered(WorkersContext()) == lowered()

from torch._inductor.async_compile import AsyncCompile  # the workers end, and the program is the same
late = in_worker(time.sleep, 100)
AsyncCompile.process_pool().process.kill()
try:
    result_of(late)
except RuntimeError as error:
    print(error)
assert not workers_ready() and not workers_exist()
assert lowered(WorkersContext()) == lowered()
print("all is well")
"""


def test_workers_run_functions_with_the_environment_of_their_caller() -> None:
    environment = os.environ | {"TORCHINDUCTOR_COMPILE_THREADS": "2"}
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=200, check=False
    )
    assert ran.stdout == "PyTorch's compile workers have ended\nall is well\n", ran.stderr


@pytest.mark.parametrize("error", [AttributeError, OSError, RuntimeError])
def test_no_workers_are_no_error(monkeypatch: pytest.MonkeyPatch, error: type[Exception]) -> None:
    def refuse() -> bool:
        raise error("no workers")

    monkeypatch.setattr(AsyncCompile, "use_process_pool", refuse)
    monkeypatch.setattr(AsyncCompile, "_ready_future", None)
    assert not workers.workers_ready() and not workers.workers_exist()
