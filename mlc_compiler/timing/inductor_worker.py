"""The process in which TorchInductor's own program of a graph is timed.

Request: that of `worker`, with {"text": aten source, "settings": entries of torch._inductor.config}.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import torch

from mlc_compiler.frontend.aten_graph import graph_module
from mlc_compiler.peers.worker import serve
from mlc_compiler.timing.worker import timed


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Its time, as `torch.compile` runs the aten ops by default."""
    config: Any = import_module("torch._inductor.config")
    with config.patch(request.get("settings") or {}), torch.no_grad():
        run = torch.compile(graph_module(request["text"], request["device"]), dynamic=False)
        return timed(run, request)


if __name__ == "__main__":
    serve(answer)
