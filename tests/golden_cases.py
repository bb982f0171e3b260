"""The graphs of the golden kernels: pinned benchmark cases and examples, and which of them are kept whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
import torch.nn.functional as F
from xdsl.dialects.builtin import ModuleOp

from benchmarks.case import I64, Arg, Case
from benchmarks.cases import PINNED
from benchmarks.records import imported
from examples.functions import EXAMPLES
from examples.gpt import Block
from lowering.fx_to_tensor import import_callable


def dropout(x: torch.Tensor) -> torch.Tensor:
    """Random bits in the kernel; the benchmark's cases take their mask as an input."""
    return F.dropout(x, 0.1, training=True)


def index_add(x: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
    """Atomic adds, as in the backward of an embedding."""
    return torch.zeros(32000, 1024).index_add(0, at, x)


MORE = (
    Case("more", "dropout f32", dropout, (Arg((4096, 4096)),)),
    Case("more", "index_add f32", index_add, (Arg((131072, 1024)), Arg((131072,), I64, high=32000))),
)
"""What no benchmark case covers."""

WHOLE = {
    "elementwise": (
        "pointwise: relu(x*2 + 1) f32",  # contiguous
        "broadcast: channel scale and shift bf16",
        "movement: slice and scale f32",  # strided
        "awkward: x*y + 1 f32 16000x4097",  # an unaligned size
        "pointwise: bias + erf-gelu bf16",
        "more: dropout f32",
        "optimizer: adamw step f32",
    ),
    "rows": (
        "softmax: softmax f16 262144x512",  # several rows a program
        "softmax: softmax bf16 65536x4096",  # one row in registers
        "softmax: softmax bf16 8192x32768",  # a loop
        "softmax: softmax bf16 2048x131072",  # several programs a row
        "norm: layer norm bf16 65536x4096",
        "awkward: layer norm bf16 16000x4097",
        "norm: layer norm backward bf16 16384x4096",
        "norm: rms norm + residual bf16",
        "norm: group norm + silu bf16",
        "norm: batch norm training + relu bf16",
        "loss: cross entropy bf16 8192x32000",
        "regions: masked softmax + dropout f16",
    ),
    "reductions": (
        "reduction: sum of all f32",  # split; the last program finishes it
        "reduction: x / x.sum() f32",
        "reduction: sum of columns f32",
        "reduction: argmax of rows f32",
        "regions: bias gradient of images f16 64x256x56x56",
        "scan: cumsum f32 65536x1024",
        "scan: cumsum f32 64x1048576",  # split
    ),
    "movement": (
        "movement: transpose f32",
        "movement: concatenate 3 f32",
        "movement: pad and relu f32",
        "movement: rotary q and k bf16",  # horizontal fusion
        "gather: embedding bf16",
        "gather: take along columns f32",
        "more: index_add f32",  # scatter
    ),
}
"""The cases whose source is committed, by the file that holds it: small, and one for each way to make a kernel."""


def graphs() -> Iterator[tuple[str, str, Callable[[], ModuleOp]]]:
    """Family, name and importer of each graph."""
    for case in (*PINNED, *MORE):
        yield case.family, case.name, lambda c=case: imported(c).module
    for example in EXAMPLES:
        inputs = [torch.empty(shape) for shape in example.shapes]
        yield "examples", example.name, lambda e=example, i=inputs: import_callable(e.function, i, name="case").module
    yield "examples", "transformer block", lambda: import_callable(Block(), [torch.empty(2, 32, 64)]).module
