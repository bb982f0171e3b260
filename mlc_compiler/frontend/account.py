"""What became of one graph: its fusions, its kernels and the calls of libraries, with the user's lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from xdsl.dialects.builtin import ModuleOp, StringAttr

from mlc_compiler import logs
from mlc_compiler.execution.report import buffer_bytes
from mlc_compiler.frontend.explain import Foreign, grouped, library_ops
from mlc_dialects.common.annotations import REFUSED
from mlc_dialects.loop import dialect as loop
from mlc_dialects.loop.host import LaunchOp
from mlc_dialects.tensor.calls import FusionOp
from mlc_dialects.triton import dialect as triton
from mlc_support.locations import user_lines
from mlc_support.walks import walk

SHOWN = ("fusion", "schedule", "kernels")
"""The logs that an account is told to."""


@dataclass(frozen=True)
class Fusion:
    """Ops that became one kernel."""

    name: str
    """Of its first result."""
    kind: str
    why: str
    ops: int
    lines: tuple[str, ...]
    refused: tuple[str, ...]
    """The fusions with its neighbours that were not made, and why."""


@dataclass(frozen=True)
class Kernel:
    """A kernel, and all its launches."""

    name: str
    launches: int
    bytes: int
    """What all launches move, if each reads and writes its buffers once."""
    schedule: str
    """In words; empty where LLVM maps the loops."""
    lines: tuple[str, ...]


@dataclass
class Account:
    """Of one graph. `reached` is told of every level, `finished` of the program."""

    name: str
    """forward, backward or inference."""
    levels: dict[str, str] = field(default_factory=dict[str, str])
    """The IR at each level."""
    fusions: tuple[Fusion, ...] = ()
    kernels: tuple[Kernel, ...] = ()
    calls: tuple[Foreign, ...] = ()
    """Ops that a library computes."""
    source: str = ""

    @staticmethod
    def asked_for() -> bool:
        """True where a log or a trace wants one."""
        return logs.heard(SHOWN) or logs.traced()

    def reached(self, level: str, module: ModuleOp) -> None:
        """The module has reached a level: see `lower_to`."""
        self.levels[level] = str(module)
        if level == "fused":
            self.fusions = tuple(_fusions(module))
            self.calls = tuple(grouped(library_ops(module)))
        elif level in ("triton", "cpu"):
            self.kernels = tuple(_kernels(module))

    def finished(self, source: str) -> None:
        """The text of the program is known: logs and traces are told all."""
        self.source = source
        self._tell()
        for level, text in self.levels.items():
            logs.trace(f"mlc_{self.name}_{level}", text)
        logs.trace(f"mlc_{self.name}_kernels", json.dumps(self.to_data(), indent=1), "json")

    def to_data(self) -> dict[str, Any]:
        """Everything but texts of programs."""
        return {k: v for k, v in asdict(self).items() if k not in ("levels", "source")}

    def _tell(self) -> None:
        fusion, schedule, kernels = map(logs.log_of, SHOWN)
        for f in self.fusions:
            fusion.info("%s: %s: %s, %d op(s): %s%s", self.name, f.name, f.kind, f.ops, f.why, _below(f.lines))
            for refusal in f.refused:
                fusion.debug("%s: %s: not fused %s", self.name, f.name, refusal)
        for k in self.kernels:
            schedule.info("%s: %s: %s%s", self.name, k.name, k.schedule or "by LLVM", _below(k.lines))
            kernels.info("%s: %s: %s%s", self.name, k.name, traffic(k), _below(k.lines))
        for c in self.calls:
            kernels.info("%s: %d x %s, no kernel: %s%s", self.name, c.count, c.callee, c.why, _below(c.lines))


def traffic(kernel: Kernel) -> str:
    """How often a kernel is launched, and what that moves."""
    times = "one launch moves" if kernel.launches == 1 else f"{kernel.launches} launches move"
    return f"{times} {kernel.bytes:,} bytes"


def _below(lines: tuple[str, ...]) -> str:
    return "".join(f"\n{line}" for line in lines)


def _fusions(module: ModuleOp) -> Iterator[Fusion]:
    for op in walk(module):
        if isinstance(op, FusionOp):
            ops = [*op.body.walk()]
            name, refused = op.outputs[0].name_hint or "?", getattr(op.attributes.get(REFUSED), "data", ())
            texts = tuple(text.data for text in refused if isinstance(text, StringAttr))
            yield Fusion(name, op.kind.data, op.why.data, len(ops) - 1, user_lines((*ops, op)), texts)


def _kernels(module: ModuleOp) -> Iterator[Kernel]:
    """The kernels of a module, in its order."""
    launches: dict[str, list[LaunchOp]] = {}
    for op in walk(module):
        if isinstance(op, LaunchOp):
            launches.setdefault(op.kernel.string_value(), []).append(op)
    for op in module.ops:
        if isinstance(op, loop.KernelOp | triton.KernelOp):
            own = launches.get(op.sym_name.data, [])
            moved = sum(buffer_bytes(value) for launch in own for value in launch.buffers)
            schedule = op.why.data if op.why is not None else ""
            yield Kernel(op.sym_name.data, len(own), moved, schedule, user_lines((*walk(op), *own)))
