"""The process in which mlc's program of a graph under one strategy is timed.

Request: that of `worker`, with {"text": a module of `mlc_tensor`, "policy": name or FILE.py:NAME}.
"""

from __future__ import annotations

from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func

from mlc_compiler.peers.worker import serve
from mlc_compiler.timing.built import built
from mlc_compiler.timing.worker import timed
from mlc_dialects.tensor.dialect import MlcTensor
from mlc_support.parsing import parse_module


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Its time, and how many kernels the groups were built as."""
    context = Context()
    for dialect in (Builtin, Func, MlcTensor):
        context.load_dialect(dialect)
    made = built(parse_module(context, request["text"]), request["policy"], request["device"])
    return timed(made.program, request) | {"kernels": made.kernels}


if __name__ == "__main__":
    serve(answer)
