"""What a run of the benchmark finds, and its file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils.flop_counter import FlopCounterMode
from xdsl.dialects.builtin import TensorType

from benchmarks.case import Case, differentiated
from benchmarks.json_files import write_json
from lowering.fx_to_tensor import Imported, import_callable
from mlc_dialects.common.types import shape_of
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import ReduceOp
from mlc_support.errors import MlcError
from mlc_support.index_expr import product
from mlc_support.index_maps import assumed


@dataclass
class Measured:
    """One case on one backend; what is not known is None."""

    seconds: float | None = None
    of_copy: float | None = None
    """The time a copy of as many bytes takes, over `seconds`."""
    host_seconds: float | None = None
    error: float | None = None
    """Norm of the error over the norm of the float64 result."""
    launches: int | None = None
    compile_seconds: float | None = None
    failure: str | None = None
    wall_seconds: float | None = None
    """From a call to its end, on a device that was idle."""
    peak_bytes: int | None = None
    """Memory that a call takes beside its inputs, its results included."""


@dataclass(frozen=True)
class Result:
    """One case on every backend."""

    family: str
    name: str
    bytes: int
    """The least that must be moved."""
    backends: dict[str, Measured]
    product_operations: int = 0
    """Multiplications and additions of its products and convolutions, without those that a mask hides."""


@dataclass
class Run:
    """The results of a run, and what they depend on."""

    command: str
    environment: dict[str, str]
    copy: float
    """Bytes a second, read plus written, of a copy on the device."""
    results: list[Result] = field(default_factory=list)

    def save(self, path: Path) -> None:
        """Writes the file whole, or not at all."""
        write_json(path, asdict(self))


def load(path: Path) -> Run:
    """The run in a file."""
    data: dict[str, Any] = json.loads(path.read_text())
    results = [
        Result(**{**r, "backends": {b: Measured(**m) for b, m in r["backends"].items()}}) for r in data.pop("results")
    ]
    return Run(**data, results=results)


def joined(parts: Sequence[Run]) -> Run:
    """The run whose parts were measured side by side on devices of one kind.

    Commands and what differs between the environments stand beside each other; the bandwidth of a copy is the mean.
    """
    environment: dict[str, str] = {}
    for key in parts[0].environment:
        environment[key] = ", ".join(dict.fromkeys(p.environment[key] for p in parts))
    command = " & ".join(p.command for p in parts)
    copy = sum(p.copy for p in parts) / len(parts)
    return Run(command, environment, copy, [r for p in parts for r in p.results])


def imported(case: Case) -> Imported:
    """The case as the compiler sees it on the device at hand, without the memory for its inputs.

    Some outputs are laid out otherwise on a GPU: group norm of a channels-last input is contiguous there.
    """
    device = "cuda" if torch.cuda.is_available() else "cpu"
    with FakeTensorMode():
        inputs = [a.empty(device) for a in case.args]
    return import_callable(case.function, inputs, name="case")


def product_operations(case: Case, device: str) -> int:
    """Multiplications and additions of a case's products and convolutions on `device`, gradients included.

    PyTorch counts them as the case is written, or, where that spells them as sums, as its `products` are; what masks
    hide is taken off. Nothing is allocated.
    """
    inputs = case.inputs()
    spelled = (f for name, f in case.beside.items() if name == "products")
    for function in (case.function, *spelled):
        with FakeTensorMode(), FlopCounterMode(display=False) as counted:
            differentiated(function, case.gradients)(*(a.empty(device) for a in inputs))
        if found := round(counted.get_total_flops() * case.visible):
            return found
    return 0


def operations(case: Case) -> int:
    """Arithmetic operations of a case, as the compiler's table of costs has them; 0 where it cannot be imported."""
    try:
        module = imported(case).module
    except MlcError:
        return 0
    total = 0
    for op in module.walk():
        if isinstance(op, ElementwiseOp | ReduceOp):
            value = op.operands[0] if isinstance(op, ReduceOp) else op.results[0]
            assert isinstance(value.type, TensorType)
            total += assumed(product(shape_of(value.type))) * (
                op.FUNCTION.flops if isinstance(op, ElementwiseOp) else 1
            )
    return total
