"""The kernels of torch's op database compiled for a GPU that is not there: `python -m tests.conformance.kernels`.

Each sample is traced on fake CUDA tensors where PyTorch can, on fake tensors of the CPU where not; its kernels are
compiled for sm_90 with the Triton that Python finds (`PYTHONPATH` of another version chooses that one). Nothing
runs. A kernel that does not compile, or a graph that does not lower, is a line of output, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
import triton
from torch._dynamo.backends.common import aot_autograd
from torch.utils._pytree import tree_map
from xdsl.dialects.builtin import ModuleOp

from lowering.fx_to_tensor import Imported
from lowering.triton_to_source.kernels import module_source
from mlc_compiler.frontend.autograd import compile_with
from mlc_compiler.kernels.aot import CompileError, Request, machine_code
from mlc_compiler.kernels.cache import write_source
from mlc_compiler.kernels.kernel_requests import kernel_requests
from mlc_compiler.pipeline import lower_to
from tests.conformance.one_node import OneNode, fake_mode
from tests.conformance.samples import Sample, full_name, op_db, op_named, samples

PLACE = re.compile(r"  # [\w<>.-]+:\d+.*$", re.MULTILINE)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compiles the kernels of the ops that the command line names; 1 if one failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.kernels", description=__doc__)
    parser.add_argument("--ops", default="", help="names, separated by commas; all without")
    parser.add_argument("--dtypes", default="float32,bfloat16,int64,bool", help="names, separated by commas")
    parser.add_argument("--samples", type=int, default=2, help="calls tried for each op")
    options = parser.parse_args(arguments)
    wanted = [name for name in options.ops.split(",") if name]
    names = dict.fromkeys(full_name(op) for op in op_db if not wanted or {op.name, full_name(op)} & set(wanted))
    tried, failed = Compiled(), 0
    print(f"Triton {triton.__version__}, torch {torch.__version__}", flush=True)
    for name in names:
        for dtype in options.dtypes.split(","):
            for trouble in troubles(name, getattr(torch, dtype), options.samples, tried):
                failed += 1
                print(f"{name} {dtype}: {trouble}", flush=True)
    print(f"{len(names)} ops, {len(tried.done)} kernels, {failed} failures")
    return int(failed > 0)


class Compiled:
    """The kernels that were compiled, each text once."""

    def __init__(self) -> None:
        self.done: set[object] = set()

    def compile(self, request: Request) -> None:
        """Raises CompileError."""
        text = PLACE.sub("", Path(request.source).read_text())
        body = text.partition(f"\ndef {request.kernel}(")[2].partition("\n@triton.jit")[0]
        key = body, *sorted(request.signature.items()), *sorted(request.options.items())
        if key not in self.done:
            self.done.add(key)
            machine_code(request)


def troubles(name: str, dtype: torch.dtype, count: int, tried: Compiled) -> Iterator[str]:
    """What went wrong with the samples of an op, one line each."""
    op = op_named(name)
    if dtype not in op.supported_dtypes("cuda"):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, sample in enumerate(_samples(op, dtype, count)):
            requests: list[Request] = []
            try:
                place = next((d for d in ("cuda", "cpu") if _traces(sample, d)), None)
                if place is not None:
                    _trace(sample, place, requests)
            except Exception as error:
                yield f"sample {number}: {type(error).__name__}: {_line(error)}"
            for request in requests:
                try:
                    tried.compile(request)
                except CompileError as error:
                    yield f"sample {number}: {request.kernel} of {request.source}: {_line(error.__cause__ or error)}"


def _samples(op: Any, dtype: torch.dtype, count: int) -> Sequence[Sample]:
    try:
        return samples(op, "cpu", dtype, count, backward=False)
    except Exception:  # a type that only the GPU has
        return ()


def _line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " | ".join([*lines[:1], *lines[-1:]])[:400] if lines else repr(error)


def _trace(sample: Sample, device: str, requests: list[Request]) -> None:
    """Lowers the sample as a graph of one node, on fake tensors of a device."""

    def compile_one(imported: Imported, _: bool) -> Callable[..., list[Any]]:
        module = lower_to(imported.module, "triton")
        assert isinstance(module, ModuleOp)
        requests.extend(kernel_requests(module, write_source(module_source(module))))
        return lambda *_: []

    node = OneNode.of(_on(device, sample))
    compile_with(node.graph, node.inputs, compile_one)


def _traces(sample: Sample, device: str) -> bool:
    """True if AOTAutograd takes the sample apart on fake tensors of a device when PyTorch itself is to run it.

    A PyTorch without CUDA cannot trace what writes to tensors there.
    """
    node = OneNode.of(_on(device, sample))
    try:
        aot_autograd(fw_compiler=lambda graph, _: graph, keep_inference_input_mutations=True)(node.graph, node.inputs)
    except Exception:
        return False
    return True


def _on(device: str, sample: Sample) -> Sample:
    """The call on fake tensors of the same types, sizes and strides."""
    mode = fake_mode()

    def moved(leaf: Any) -> Any:
        if not isinstance(leaf, torch.Tensor):
            return device if leaf in ("cpu", torch.device("cpu")) else leaf
        with mode:
            fake = mode.from_tensor(leaf, static_shapes=True)
            return torch.empty_strided(fake.shape, fake.stride(), dtype=fake.dtype, device=device)

    args, kwargs = tree_map(moved, (sample.args, sample.kwargs))
    return replace(sample, args=args, kwargs=kwargs)


if __name__ == "__main__":
    sys.exit(main())
