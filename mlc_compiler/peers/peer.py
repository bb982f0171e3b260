"""The three peers: what each needs, what it is given, and how it answers."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp, TensorType

from lowering.export.aten import aten_source
from lowering.export.opened import inputs_of
from lowering.export.relax import relax_source
from lowering.export.stablehlo import stablehlo_text
from lowering.interpreter.run import find_function
from mlc_compiler.peers.client import Failure, ask
from mlc_compiler.peers.gpus import gpu_named, torch_properties, xla_target
from mlc_compiler.peers.joined import Job, Part, cuts_of, first_line, joined
from mlc_compiler.peers.pieces import cut_ops, pieces_of
from mlc_compiler.peers.record import Record, plan_of, told_edges
from mlc_dialects.common.types import BY_TYPE
from mlc_support.errors import MlcError
from mlc_support.parsing import nearest
from passes.common.device import Device
from passes.tensor.fusion.plan import Plan


@dataclass(frozen=True)
class Peer:
    """A real compiler behind one interface."""

    name: str
    needs: Mapping[str, str]
    """Module that must be there, to the package that brings it; of `a|b` either."""
    worker: str
    request: Callable[[ModuleOp, Device], dict[str, Any]]
    """What the worker is asked for a program on a GPU. MlcError for a program that has no export."""
    place: str = ""
    """The virtual environment that it is installed in, as the user wrote it; empty for our own."""
    python: str = sys.executable

    @property
    def label(self) -> str:
        """The name, and where it is installed if that is not here."""
        return f"{self.name} ({self.place})" if self.place else self.name

    def available(self) -> str | None:
        """None if the compiler can be asked; else what to install. Of another environment only the worker can tell."""
        if self.place:
            return None
        missing = [package for module, package in self.needs.items() if not _is_there(module)]
        return f"{self.name} needs {', '.join(missing)}: pip install '.[compare]'" if missing else None

    def records(
        self, modules: Sequence[ModuleOp], device: str = "h200", settings: Mapping[str, Any] | None = None
    ) -> list[Record | Failure]:
        """What the compiler makes of each module, in one process for all; settings are the worker's own.

        A program is cut at the ops that have no export, and at those that the compiler fails on together.
        """
        if (missing := self.available()) is not None:
            return [Failure(missing)] * len(modules)
        gpu = gpu_named(device)
        jobs = [self._job(module, gpu, settings or {}) for module in modules]
        asked = {json.dumps(part.request): part.request for job in jobs if isinstance(job, Job) for part in job.parts}
        answers = dict(zip(asked, ask(self.worker, list(asked.values()), self.python), strict=True))
        return [
            job if isinstance(job, Failure) else joined(self.name, device, job, lambda r: answers[json.dumps(r)])
            for job in jobs
        ]

    def real_plan(self, module: ModuleOp, device: str = "h200") -> Plan | Failure:
        """The kernels that the compiler makes of `module`, in its ops."""
        record = self.records([module], device)[0]
        return record if isinstance(record, Failure) else plan_of(record, find_function(module).body.block)

    def _job(self, module: ModuleOp, gpu: Device, settings: Mapping[str, Any]) -> Job | Failure:
        """The program as it is, or where it has ops without an export what is left of it between them."""

        def request(program: ModuleOp) -> dict[str, Any]:
            edges = told_edges(find_function(program).body.block)
            return {**self.request(program, gpu), **settings, "edges": edges}

        try:
            return Job((Part(request(module)),))
        except MlcError as error:
            why = Failure(first_line(error))
        cuts = cut_ops(module, lambda program: self.request(program, gpu))
        try:
            parts = tuple(Part(request(piece.module), piece.names) for piece in pieces_of(module, cuts))
        except MlcError as error:
            return Failure(first_line(error))
        return Job(parts, cuts_of(module, cuts)) if parts else why


def _is_there(module: str) -> bool:
    """True if `module`, or one of `a|b`, can be imported; its parents are, it is not."""
    return any(_found(name) for name in module.split("|"))


def _found(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _ask_xla(module: ModuleOp, gpu: Device) -> dict[str, Any]:
    return {"text": stablehlo_text(module), "target": xla_target(gpu)}


def _ask_tvm(module: ModuleOp, gpu: Device) -> dict[str, Any]:
    """FuseOps asks nothing of the device."""
    return {"text": relax_source(module)}


def _ask_inductor(module: ModuleOp, gpu: Device) -> dict[str, Any]:
    inputs: list[Any] = []
    for argument in inputs_of(find_function(module)):
        assert isinstance(argument.type, TensorType)
        inputs.append([list(argument.type.get_shape()), BY_TYPE[argument.type.element_type].torch_name])
    return {"text": aten_source(module, attention_draws=True), "inputs": inputs, "properties": torch_properties(gpu)}


_WORKERS = "mlc_compiler.peers"
PEERS = {
    "xla": Peer(
        "xla",
        {"jax": "jax", "jaxlib": "jaxlib", "jax_plugins.xla_cuda12|jax_plugins.xla_cuda13": "jax-cuda12-pjrt"},
        f"{_WORKERS}.xla_worker",
        _ask_xla,
    ),
    "tvm": Peer("tvm", {"tvm": "apache-tvm"}, f"{_WORKERS}.tvm_worker", _ask_tvm),
    "inductor": Peer("inductor", {"torch": "torch", "triton": "triton"}, f"{_WORKERS}.inductor_worker", _ask_inductor),
}
"""The real compilers by name."""


def installed(text: str) -> Peer:
    """The compiler that `xla` names, or `xla=VENV`: the one of that virtual environment. MlcError if there is none."""
    name, equals, place = text.partition("=")
    if name not in PEERS:
        raise MlcError(f"no peer {name!r}", None, nearest(name, PEERS) or f"one of {', '.join(PEERS)}")
    if not equals:
        return PEERS[name]
    python = Path(place).expanduser() / "bin" / "python"
    if not python.is_file():
        raise MlcError(f"{place!r} is no virtual environment: there is no {python}", None, "for example xla=old/.venv")
    return replace(PEERS[name], place=place, python=str(python.absolute()))
