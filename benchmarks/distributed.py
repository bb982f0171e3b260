"""A decoder on more than one GPU, compiled and by eager: seconds, memory, and what hides behind computation.

    torchrun --nproc-per-node 2 -m benchmarks.distributed [--cases '*FSDP*'] [--backends eager,inductor,mlc]
        [--device cpu] [--tiny] [--json FILE] [--traces FOLDER]

Trainings are a step of AdamW behind forward and backward; DDP computes under bfloat16 autocast, FSDP2 gathers weights
in bfloat16. DDP sends gradients as its buckets fill, for which Dynamo cuts the graph; or the backward pass is compiled
as one graph that sends them (`optimize_ddp="python_reducer"`). Tensor parallelism answers a prompt in bfloat16.
All backends begin with the same weights and are timed in turns, every process between two barriers; a step takes as
long as the slowest process.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import shlex
import statistics
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch._dynamo import compiled_autograd
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import DTensor
from torch.profiler import ProfilerActivity, profile, schedule

from benchmarks.decoder import TINY, Compile, Decoder, Size, replicated, sharded, split
from benchmarks.json_files import file_to_write, write_json
from benchmarks.timing import environment
from mlc_compiler.frontend.backend import compile_graph_module

Step = Callable[[], Tensor]
BACKENDS: dict[str, Any] = {"eager": None, "inductor": "inductor", "mlc": compile_graph_module}
"""What `torch.compile` takes; None where nothing is compiled."""
WARM = 3
"""Steps before the clock runs: the first compiles, the second makes the optimizer's state."""
ROUNDS, STEPS = 7, 6
TRACED = 2
"""Steps of a trace."""


@dataclass(frozen=True)
class Case:
    """One way to spread the decoder; `batch` and `length` of what one process gets, where not the size's own."""

    name: str
    spread: Callable[[Decoder, DeviceMesh, Compile], nn.Module]
    trains: bool
    batch: int | None = None
    length: int | None = None
    one_graph: bool = False
    """The backward pass is compiled as one graph that sends the gradients, but for eager."""


CASES = (
    Case("DDP, training", replicated, trains=True),
    Case("DDP, a backward pass of one graph, training", replicated, trains=True, one_graph=True),
    Case("FSDP2, training", sharded, trains=True),
    Case("tensor parallel, prompts of 4 x 2048 words", split, trains=False),
    Case("tensor parallel, a prompt of 512 words", split, trains=False, batch=1, length=512),
)


@dataclass
class Measured:
    """Of one backend on one case: milliseconds and megabytes of the slowest process, on the device of the first."""

    case: str
    backend: str
    first_s: float = 0.0
    """Seconds of the first step."""
    result: float = 0.0
    """The first step's loss, or the mean size of the scores."""
    ms: float = 0.0
    peak_mb: float = 0.0
    """Beyond what was there before this backend's decoder was made."""
    sending_ms: float = 0.0
    """For how long kernels of NCCL ran in a step."""
    hidden: float = 0.0
    """The share of that time in which something else ran as well."""
    failure: str = ""


@dataclass
class Run:
    """All that was measured, and what it depends on."""

    command: str
    environment: dict[str, str]
    processes: int
    results: list[Measured] = field(default_factory=list[Measured])


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    command = "torchrun -m benchmarks.distributed " + shlex.join(sys.argv[1:] if arguments is None else arguments)
    mesh = _mesh(options.device)
    run = Run(command, environment(options.device), mesh.size())
    for case in CASES:
        if any(fnmatchcase(case.name, pattern) for pattern in options.cases.split("|")):
            found = measured(case, options.backends.split(","), mesh, TINY if options.tiny else Size(), options.traces)
            run.results += found
            if mesh.get_rank() == 0:
                print("\n".join(line(m, found) for m in found), flush=True)
                if options.json is not None:
                    write_json(options.json, asdict(run))
    dist.destroy_process_group()
    return int(any(m.failure for m in run.results))


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--cases", default="*", help="only those whose name one of these patterns, parted by |, matches")
    made.add_argument("--backends", default="eager,inductor,mlc", help="parted by commas")
    made.add_argument("--device", default="cuda", help="cpu or cuda")
    made.add_argument("--tiny", action="store_true", help="a decoder of two narrow layers: does everything run?")
    made.add_argument("--json", type=file_to_write, help="where to write what was measured, after each case")
    made.add_argument(
        "--traces", type=Path, help="where to write a trace of a step of each, as Chrome and Perfetto show"
    )
    return made


def _mesh(device: str) -> DeviceMesh:
    if device == "cuda":
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        # Nothing but these processes would use it, and not every machine has it.
        os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
    dist.init_process_group("nccl" if device == "cuda" else "gloo")
    return init_device_mesh(device, (dist.get_world_size(),))


def measured(case: Case, backends: Sequence[str], mesh: DeviceMesh, size: Size, traces: Path | None) -> list[Measured]:
    """Every backend on one case; one that fails is told so, and the others are timed without it."""
    torch._dynamo.reset()
    found = {backend: Measured(case.name, backend) for backend in backends}
    steps: dict[str, Step] = {}
    for backend, told in found.items():
        try:
            steps[backend] = _begun(case, backend, mesh, size, told)
        except Exception as error:
            told.failure = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    times: dict[str, list[float]] = {backend: [] for backend in steps}
    for _ in range(ROUNDS):
        for backend, step in steps.items():
            times[backend].append(_slowest(_round(step, mesh), mesh))
    for backend, step in steps.items():
        found[backend].ms = statistics.median(times[backend])
        if mesh.device_type == "cuda":
            file = traces and traces / f"{re.sub('[^a-zA-Z0-9]+', '_', case.name)}_{backend}.json.gz"
            found[backend].sending_ms, found[backend].hidden = _overlap(step, file)
    return list(found.values())


def _begun(case: Case, backend: str, mesh: DeviceMesh, size: Size, told: Measured) -> Step:
    """The step of one backend, warmed up; its first seconds, result and memory are noted."""
    before = _memory(reset=True)
    step = _step(case, BACKENDS[backend], mesh, size)
    began = time.perf_counter()
    told.result = step().item()
    told.first_s = _slowest(time.perf_counter() - began, mesh)
    for _ in range(WARM - 1):
        step()
    told.peak_mb = _slowest((_memory() - before) / 1e6, mesh)
    return step


def _memory(reset: bool = False) -> int:
    if not torch.cuda.is_available():
        return 0
    if reset:
        gc.collect()
        torch.cuda.reset_peak_memory_stats()
    return torch.cuda.max_memory_allocated()


def _step(case: Case, backend: Any, mesh: DeviceMesh, size: Size) -> Step:
    def compile(module: nn.Module) -> None:
        if backend is not None:
            module.compile(dynamic=False, backend=backend)

    if backend is None or not case.one_graph:
        return _spread(case, compile, mesh, size)
    with _one_graph(backend):
        step = _spread(case, compile, mesh, size)
    return _one_graph(backend)(step)


@contextmanager
def _one_graph(backend: Any) -> Generator[None]:
    """A backward pass is compiled as one graph, in which DDP, made and called here, sends gradients by collectives."""
    compile_backward = partial(torch.compile, backend=backend, dynamic=False)
    compiled = compiled_autograd._enable(compile_backward, dynamic=False)
    with torch._dynamo.config.patch(optimize_ddp="python_reducer"), compiled:
        yield


def _spread(case: Case, compile: Compile, mesh: DeviceMesh, size: Size) -> Step:
    """A step of the decoder, spread over the processes."""
    torch.manual_seed(0)
    decoder = Decoder(size)
    # What tensor parallelism splits is the same everywhere; data parallelism gives each process words of its own.
    random = torch.Generator().manual_seed(mesh.get_rank() if case.trains else 0)
    shape = (case.batch or size.batch, min(case.length or size.length, size.length))
    words, targets = (torch.randint(size.words, shape, generator=random).to(mesh.device_type) for _ in range(2))
    if not case.trains:
        answer = case.spread(decoder.to(mesh.device_type, torch.bfloat16).eval(), mesh, compile)
        return torch.no_grad()(lambda: answer(words).float().abs().mean())
    trained = case.spread(decoder.to(mesh.device_type), mesh, compile)
    optimizer = torch.optim.AdamW(trained.parameters(), lr=1e-4, fused=True)
    # FSDP2 casts by its own policy.
    autocast = partial(torch.autocast, mesh.device_type, torch.bfloat16, enabled=not _sharded(trained))

    def step() -> Tensor:
        optimizer.zero_grad()
        with autocast():
            loss = trained(words, targets)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def _sharded(module: nn.Module) -> bool:
    return any(isinstance(p, DTensor) for p in module.parameters())


def _round(step: Step, mesh: DeviceMesh) -> float:
    """Milliseconds of a step, of several that follow each other."""
    _wait(mesh)
    began = time.perf_counter()
    for _ in range(STEPS):
        step()
    if mesh.device_type == "cuda":
        torch.cuda.synchronize()
    return (time.perf_counter() - began) / STEPS * 1e3


def _wait(mesh: DeviceMesh) -> None:
    if mesh.device_type == "cuda":
        torch.cuda.synchronize()
    dist.barrier()


def _slowest(value: float, mesh: DeviceMesh) -> float:
    """The largest of all processes' values."""
    held = torch.tensor(value, device=mesh.device_type, dtype=torch.float64)
    dist.all_reduce(held, dist.ReduceOp.MAX)
    return held.item()


def _overlap(step: Step, file: Path | None) -> tuple[float, float]:
    """Milliseconds of NCCL's kernels in a step, and the share of them beside which something else ran.

    The device alone is traced, which hardly slows the host, and not the first step, in which processes wait for the one
    that begins last.
    """
    phases = schedule(wait=0, warmup=1, active=TRACED)
    with profile(activities=[ProfilerActivity.CUDA], schedule=phases) as trace:
        step()
        for _ in range(TRACED):
            trace.step()
            step()
        torch.cuda.synchronize()
    if file is not None and dist.get_rank() == 0:
        file.parent.mkdir(parents=True, exist_ok=True)
        trace.export_chrome_trace(str(file))
    events = [e for e in trace.events() or () if _on_device(e)]
    spans = [(e.time_range.start, e.time_range.end, "nccl" in e.name.lower()) for e in events]
    sending = list(union((a, b) for a, b, sends in spans if sends))
    others = list(union((a, b) for a, b, sends in spans if not sends))
    total = sum(b - a for a, b in sending)
    both = sum(max(0.0, min(b, d) - max(a, c)) for a, b in sending for c, d in others)
    return total / TRACED / 1e3, both / total if total else 0.0


def _on_device(event: Any) -> bool:
    on_device = torch.autograd.DeviceType.CUDA  # pyright: ignore[reportPrivateImportUsage]
    return event.device_type == on_device and not getattr(event, "is_user_annotation", False)


def union(spans: Iterator[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """The same time, by spans that do not touch."""
    held: tuple[float, float] | None = None
    for a, b in sorted(spans):
        if held is None or a > held[1]:
            if held is not None:
                yield held
            held = (a, b)
        else:
            held = (held[0], max(held[1], b))
    if held is not None:
        yield held


def line(told: Measured, all: Sequence[Measured]) -> str:
    """One backend on one case, for people."""
    if told.failure:
        return f"{told.case:44} {told.backend:9} {told.failure}"
    base = next((m for m in all if m.backend == "inductor" and not m.failure), told)
    return (
        f"{told.case:44} {told.backend:9} {told.ms:8.3f} ms  {base.ms / told.ms:5.2f}x inductor  "
        f"{told.peak_mb:7.0f} MB  sends {told.sending_ms:6.2f} ms, {told.hidden:4.0%} hidden  "
        f"first {told.first_s:5.1f} s  result {told.result:.6g}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
