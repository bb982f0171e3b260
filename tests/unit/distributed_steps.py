"""What `test_collectives` runs in several processes: each step computes by eager and compiled, and gives both."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as collectives
import torch.nn.functional as F
from torch import Tensor, nn
from torch._dynamo import compiled_autograd
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.pipelining import PipelineStage, ScheduleGPipe
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

from mlc_compiler.frontend.backend import compile_graph_module

Compile = Callable[[Any], Any]
Step = Callable[[Compile, DeviceMesh], Sequence[Tensor]]
STEPS = 3


def model(mesh: DeviceMesh) -> nn.Sequential:
    """The same one in each process."""
    torch.manual_seed(0)
    layers = nn.Linear(12, 32), nn.LayerNorm(32), nn.GELU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 4)
    return nn.Sequential(*layers).to(mesh.device_type)


def batch(mesh: DeviceMesh, of: int | None = None) -> tuple[Tensor, Tensor]:
    """What this process, or another one, trains on."""
    random = torch.Generator().manual_seed(mesh.get_rank() if of is None else of)
    x, y = torch.randn(8, 12, generator=random), torch.randint(0, 4, (8,), generator=random)
    return x.to(mesh.device_type), y.to(mesh.device_type)


def trained(module: nn.Module, data: tuple[Tensor, Tensor]) -> list[Tensor]:
    """Losses of a few steps."""
    x, y = data
    # One update for all parameters, the default on a GPU, refuses DTensors beside other tensors.
    optimizer = torch.optim.AdamW(module.parameters(), lr=1e-2, foreach=False)
    losses: list[Tensor] = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = F.cross_entropy(module(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return losses


def functional(compile: Compile, mesh: DeviceMesh) -> Sequence[Tensor]:
    """Every collective in one graph, with kernels between them and results used out of order."""
    group = mesh.get_group()

    def step(x: Tensor) -> tuple[Tensor, ...]:
        h = torch.relu(x * 2 + 1)
        total = collectives.all_reduce(h, "sum", group)
        every = collectives.all_gather_tensor(torch.exp(-h), 0, group)
        part = collectives.reduce_scatter_tensor(h * 3, "sum", 0, group)
        one = collectives.broadcast(h.sin(), 0, group)
        swapped = collectives.all_to_all_single(h.cos(), None, None, group)
        return swapped * one, part.exp(), (every * 0.5).sum(0), torch.sigmoid(total + 1) + h

    return compile(step)(batch(mesh)[0])


def replicated(compile: Compile, mesh: DeviceMesh) -> Sequence[Tensor]:
    """DDP around a compiled model."""
    return trained(DistributedDataParallel(compile(model(mesh)), process_group=mesh.get_group()), batch(mesh))


def replicated_in_buckets(compile: Compile, mesh: DeviceMesh) -> Sequence[Tensor]:
    """DDP inside what is compiled: Dynamo cuts the graph where buckets of gradients end."""
    dist._DEFAULT_FIRST_BUCKET_BYTES = 1 << 10  # of a megabyte, into which the whole model would fit
    wrapped = DistributedDataParallel(model(mesh), process_group=mesh.get_group(), bucket_cap_mb=0.003)
    return trained(compile(wrapped), batch(mesh))


def replicated_in_one_graph(compile: Compile, mesh: DeviceMesh) -> Sequence[Tensor]:
    """DDP whose gradients are sent by the compiled backward pass, one graph of all layers."""
    with torch._dynamo.config.patch(optimize_ddp="python_reducer"):
        wrapped = compile(DistributedDataParallel(model(mesh), process_group=mesh.get_group()))
        with compiled_autograd._enable(compile, dynamic=False):
            return [*trained(wrapped, batch(mesh)), *wrapped.parameters()]


def sharded(compile: Compile, mesh: DeviceMesh) -> Sequence[Tensor]:
    """FSDP2: parameters are gathered for each layer."""
    module = model(mesh)
    for layer in module:
        if isinstance(layer, nn.Linear):
            fully_shard(layer, mesh=mesh)
    fully_shard(module, mesh=mesh)
    return trained(compile(module), batch(mesh))


def tensor_parallel(compile: Compile, mesh: DeviceMesh) -> Sequence[Tensor]:
    """DTensor: one layer by columns, the next by rows, on the same batch everywhere."""
    module = parallelize_module(model(mesh), mesh, {"3": ColwiseParallel(), "5": RowwiseParallel()})
    return trained(compile(module), batch(mesh, 0))


def pipelined(compile: Compile, mesh: DeviceMesh) -> Sequence[Tensor]:
    """A layer for each process, microbatches through all."""
    rank, count = mesh.get_rank(), mesh.size()
    torch.manual_seed(rank)
    module = nn.Sequential(nn.Linear(12, 12), nn.GELU()).to(mesh.device_type)
    device = torch.device("cuda", rank) if mesh.device_type == "cuda" else torch.device("cpu")
    stage = PipelineStage(compile(module), rank, count, device, group=mesh.get_group())
    losses: list[Tensor] = []
    schedule = ScheduleGPipe(stage, n_microbatches=4, loss_fn=F.mse_loss)
    x = batch(mesh, 0)[0]
    if rank == 0:
        schedule.step(x)
    elif rank == count - 1:
        schedule.step(target=torch.zeros_like(x), losses=losses)
    else:
        schedule.step()
    gradients = [p.grad for p in module.parameters() if p.grad is not None]
    return [loss.detach() for loss in losses] + gradients


ALL: dict[str, Step] = {
    f.__name__: f
    for f in (
        functional,
        replicated,
        replicated_in_buckets,
        replicated_in_one_graph,
        sharded,
        tensor_parallel,
        pipelined,
    )
}


def work(rank: int, count: int, folder: str, device: str, options: dict[str, Any]) -> None:
    """Runs every step in one of `count` processes; its results, eager's and ours, go to a file."""
    os.environ["MLC_CACHE_DIR"] = f"{folder}/cache"
    torch.set_num_threads(1)
    if device == "cuda":
        torch.cuda.set_device(rank)
    engine = "nccl" if device == "cuda" else "gloo"
    dist.init_process_group(engine, init_method=f"file://{folder}/store", rank=rank, world_size=count)
    try:
        mesh = init_device_mesh(device, (count,))
        found: dict[str, Any] = {}
        for name, step in ALL.items():
            torch._dynamo.reset()
            wanted = step(lambda module: module, mesh)
            found[name] = (wanted, step(partial(torch.compile, backend=compile_graph_module, options=options), mesh))
        torch.save(found, Path(folder) / f"{rank}.pt")
    finally:
        dist.destroy_process_group()
