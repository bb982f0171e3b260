"""Processes that live long: many sizes, calls and compilations, threads, forks. SOAK asks for the long form."""

from __future__ import annotations

import ctypes
import gc
import linecache
import logging
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.torch_version import TorchVersion

from mlc_compiler.cpu.machine_code import MachineCode
from mlc_compiler.execution.executable import Executable
from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.kernels.kernel_files import load_module

pytestmark = pytest.mark.usefixtures("machine_code")

SOAK = "SOAK" in os.environ
LENGTHS = range(100, 0, -1) if SOAK else [100, 99, 57, 8, 2, 1, 64, 3]
CALLS = 10_000 if SOAK else 300
COMPILES = 200 if SOAK else 20
THREADS = 16 if SOAK else 4
ROUNDS = 100 if SOAK else 6
FORKS = 20 if SOAK else 1
ROOT = Path(__file__).parents[2]


class Attention(nn.Module):
    """Tokens, a causal attention over them, and their next ones."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens, self.norm = nn.Embedding(20, 8), nn.LayerNorm(8)
        self.qkv, self.head = nn.Linear(8, 24), nn.Linear(8, 20)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.tokens(tokens)
        q, k, v = self.qkv(self.norm(x)).chunk(3, -1)
        return self.head(x + functional.scaled_dot_product_attention(q, k, v, is_causal=True))


def mixed(x: Tensor, w: Tensor) -> Tensor:
    """A product, rows and a sum over all."""
    return torch.softmax(torch.tanh(x @ w) * 2, -1) + x.mean()


def resident_bytes() -> int:
    """The memory of this process, without what it could give back at once."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.fixture
def recompiles() -> Iterator[list[str]]:
    """What PyTorch says of recompilations, as TORCH_LOGS=recompiles shows it."""
    said: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())
    logger = logging.getLogger("torch._dynamo.guards.__recompiles")
    torch._logging.set_logs(recompiles=True)
    logger.addHandler(handler)
    yield said
    logger.removeHandler(handler)
    torch._logging.set_logs()


@pytest.mark.slow
@pytest.mark.parametrize("gradients", [False, True] if SOAK else [True])
def test_sequence_lengths_take_at_most_two_compiles(gradients: bool, recompiles: list[str]) -> None:
    """A length of one is another graph, by a rule of PyTorch; the recompilation says so."""
    torch.compiler.reset()
    torch.manual_seed(0)
    seen: list[Executable] = []
    model = Attention()
    backend = partial(compile_graph_module, observe=lambda _, executable: seen.append(executable))
    run = torch.compile(model, backend=backend, dynamic=True, fullgraph=True)
    for length in LENGTHS:
        tokens = torch.randint(20, (2, length))
        with torch.set_grad_enabled(gradients):
            found, want = run(tokens), model(tokens)
        torch.testing.assert_close(found, want, rtol=1e-4, atol=1e-5)
        if gradients:
            parameters = [*model.parameters()]
            ours, theirs = (torch.autograd.grad(y.square().sum(), parameters) for y in (found, want))
            torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-4)
    assert len(seen) <= (4 if gradients else 2)  # forward and backward
    assert len(recompiles) == 1 and "2 <= tokens.size()[1]" in recompiles[0]


@pytest.mark.parametrize(
    ("first", "second", "guard"),
    [
        (torch.ones(4, 8), torch.ones(4, 9), "size mismatch at index 1. expected 8, actual 9"),
        (torch.ones(4, 8), torch.ones(8, 4).t(), "stride mismatch at index 0"),
        (torch.ones(4, 8), torch.ones(4, 8, dtype=torch.float64), "dtype mismatch. expected Float, actual Double"),
        (torch.ones(4, 8), torch.ones(4, 8, requires_grad=True), "requires_grad mismatch"),
    ],
)
def test_a_recompilation_names_its_guard(first: Tensor, second: Tensor, guard: str, recompiles: list[str]) -> None:
    torch.compiler.reset()
    run = torch.compile(lambda x: x * 2 + 1, backend=compile_graph_module)
    for x in (first, first, second):
        torch.testing.assert_close(run(x), x * 2 + 1)
    assert len(recompiles) == 1 and guard in recompiles[0]


@pytest.mark.slow
def test_calls_do_not_gather_memory() -> None:
    torch.compiler.reset()
    model = nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.LayerNorm(64))
    run, x = torch.compile(model, backend=compile_graph_module), torch.randn(64, 64)

    def call(times: int) -> int:
        for _ in range(times):
            run(x).sum().backward()
            model.zero_grad()
        return resident_bytes()

    call(200)
    before, objects = call(50), len(gc.get_objects())
    grown = call(CALLS) - before
    print(f"{CALLS} calls: {grown / 1024:.0f} KB more")
    assert grown < 2 << 20 and len(gc.get_objects()) - objects < 100


def scaled_softmax(factor: float) -> Callable[[Tensor], Tensor]:
    """A function of its own, which Dynamo has not seen with other factors."""

    def scaled(x: Tensor) -> Tensor:
        return torch.softmax(x * factor, -1) + x.sum(0)

    scaled.__code__ = scaled.__code__.replace(co_firstlineno=scaled.__code__.co_firstlineno)
    return scaled


def test_reset_frees_what_was_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.compiler.reset()
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path))
    alive: weakref.WeakSet[Any] = weakref.WeakSet()
    make = MachineCode.__init__
    monkeypatch.setattr(MachineCode, "__init__", lambda self, text: (make(self, text), alive.add(self))[0])
    x = torch.randn(8, 8)

    def compile_and_call(number: int) -> None:
        function = scaled_softmax(number + 0.5)
        torch.testing.assert_close(torch.compile(function, backend=compile_graph_module)(x), function(x))

    compile_and_call(0)
    torch.compiler.reset()
    gc.collect()
    modules = len(sys.modules)
    for number in range(1, 4):
        compile_and_call(number)
    assert len(alive) == 3, "three kernels live until the reset"
    torch.compiler.reset()
    gc.collect()
    assert not alive and len(sys.modules) == modules
    assert not [name for name in linecache.cache if name.startswith(str(tmp_path))]


COMPILE = """
import ctypes, gc, os, sys
from pathlib import Path
import torch, mlc_compiler

x = torch.randn(64, 64)

def compile_(numbers):
    for number in numbers:
        scope = {"torch": torch}
        exec(f"def scaled(x): return torch.softmax(x * {number + 0.25}, -1) + x.sum(0)", scope)
        torch.compile(scope["scaled"], backend=mlc_compiler.compile_graph_module)(x)
        torch.compiler.reset()
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

count = int(sys.argv[1])
warm = compile_(range(20 + count // 4))
print((compile_(range(1000, 1000 + count)) - warm) / count / 1024)
"""


def run_child(script: str, *arguments: int) -> str:
    """What a script says that runs in a process of its own."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"MLC_CPU": "native"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_compilations_do_not_gather_memory() -> None:
    """Little stays beside the 30 KB that Dynamo itself keeps. (Here pytest would keep PyTorch's logs as well.)"""
    grown = float(run_child(COMPILE, COMPILES))
    print(f"{COMPILES} compilations: {grown:.0f} KB more each")
    assert grown < (100 if SOAK else 250)


@pytest.mark.skipif(TorchVersion(torch.__version__) < "2.12", reason="PyTorch 2.11 mixes up what threads trace")
@pytest.mark.sampled(3)
@pytest.mark.parametrize("gradients", [False, True])
@pytest.mark.parametrize("same", [True, False])
def test_threads_call_one_function(same: bool, gradients: bool) -> None:
    """All at once from the first call on, which compiles; with one shape, or each with its own."""
    torch.compiler.reset()
    run = torch.compile(mixed, backend=compile_graph_module)
    start = threading.Barrier(THREADS)

    def work(number: int) -> None:
        torch.manual_seed(number)
        rows = 300 if same else 299 + number
        start.wait(60)
        for _ in range(ROUNDS):
            x, w = (torch.randn(*s, dtype=torch.float64, requires_grad=gradients) for s in ((rows, 200), (200, 7)))
            found, want = run(x, w), mixed(x, w)
            torch.testing.assert_close(found, want)
            if gradients:
                torch.testing.assert_close(*(torch.autograd.grad(y.square().sum(), [x, w]) for y in (found, want)))

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, range(THREADS)))


def test_threads_load_one_source_once(tmp_path: Path) -> None:
    """Nobody sees a module half made."""
    path = tmp_path / "slow.py"
    path.write_text("import time\nfirst = object()\ntime.sleep(0.1)\nlast = 1\n")
    with ThreadPoolExecutor(4) as pool:
        loaded = [*pool.map(lambda _: load_module(path)[0], range(4))]
    assert all(module.last == 1 and module is loaded[0] for module in loaded)


FORK = """
import os, signal, sys, torch
import mlc_compiler

# A PyTorch built with CUDA refuses autograd in a forked child, whatever compiles.
GRADIENTS = torch.version.cuda is None

def mixed(x, w):
    return torch.softmax(torch.tanh(x @ w) * 2, -1) + x.sum(0)[:7]

def other(x, w):
    return torch.relu(x).sum(1) - w.amax()

def check(function, run, gradients):
    x = torch.randn(700, 300, dtype=torch.float64, requires_grad=gradients)
    w = torch.randn(300, 7, dtype=torch.float64, requires_grad=gradients)
    torch.testing.assert_close(run(x, w), function(x, w))
    if gradients:
        grads = [torch.autograd.grad(f(x, w).square().sum(), [x, w]) for f in (run, function)]
        torch.testing.assert_close(*grads)

def compiled(function):
    return torch.compile(function, backend=mlc_compiler.compile_graph_module)

def new():
    check(other, compiled(other), False)
    check(other, compiled(other), GRADIENTS)

torch.set_num_threads(4)
run = compiled(mixed)
check(mixed, run, False)
check(mixed, run, True)
for _ in range(int(sys.argv[1])):
    for work in (lambda: check(mixed, run, False), lambda: check(mixed, run, GRADIENTS), new):
        child = os.fork()
        if not child:
            signal.alarm(60)
            work()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    check(mixed, run, True)
assert torch.get_num_threads() == 4
"""


@pytest.mark.slow
def test_a_forked_child_calls_and_compiles() -> None:
    """The threads of OpenMP stay with the parent, and eager would wait for them: a child has one."""
    assert run_child(FORK, FORKS) == ""
