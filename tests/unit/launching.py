"""Launches that could disturb each other: several streams at once, and replays of a CUDA graph beside them."""

from __future__ import annotations

from collections.abc import Callable

import torch


def at_once(run: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> list[torch.Tensor]:
    """What `run(x)` gives on four streams, twenty times on each, and what the graph leaves that is replayed meanwhile.

    `x` is on the GPU, and `run` has run once.
    """
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        captured = run(x)
    streams = [torch.cuda.Stream() for _ in range(4)]
    torch.cuda.synchronize()
    found: list[torch.Tensor] = []
    for _ in range(20):
        graph.replay()
        for stream in streams:
            with torch.cuda.stream(stream):
                found.append(run(x))
    torch.cuda.synchronize()
    return [*found, captured]
