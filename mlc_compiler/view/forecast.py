"""What the model of time says of each kernel when it is given its schedule."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from mlc_dialects.loop.dialect import KernelOp
from passes.common.launches import Structure
from passes.loop.schedule.demand import OWN_REGISTERS, demand
from passes.loop.schedule.model import FITTED, prediction
from passes.loop.schedule.schedule import SchedulePass
from passes.loop.schedule.workload import Workload, workload


@dataclass(frozen=True)
class Forecast:
    """Of one launch of a kernel."""

    us: float
    bound: str
    """The part of the device that takes longest."""
    parts: dict[str, float]
    """Microseconds that each part would take alone."""
    bytes: int
    """From and to device memory."""
    flops: int
    """Operations, each as many as the instructions that it takes: a fused multiply-add is two."""
    registers: int
    """Of a thread, estimated; not what ptxas takes."""
    rows: int
    columns: int
    warps: int
    stages: int


def forecasts(module: ModuleOp, step: SchedulePass) -> dict[str, Forecast]:
    """The forecast of each kernel of `module` that `step` is about to schedule, by name; the module stays as it is."""
    copy = module.clone()
    known: dict[Structure, Forecast] = {}
    found: dict[str, Forecast] = {}
    for kernel in copy.ops:
        if isinstance(kernel, KernelOp) and kernel.warps is None:
            form = Structure(kernel)
            if form not in known:
                known[form] = _forecast(kernel, step)
            found[kernel.sym_name.data] = known[form]
    return found


def _forecast(kernel: KernelOp, step: SchedulePass) -> Forecast:
    tiling, _ = step.chosen(kernel)
    work = workload(kernel)
    asked = demand(work, tiling, step.target)
    told = prediction(asked, work, tiling, step.target, FITTED)
    return Forecast(
        told.us,
        told.bound,
        told.parts,
        round(asked.memory),
        operations(work),
        OWN_REGISTERS + round(asked.wanted),
        tiling.rows,
        tiling.columns,
        tiling.warps,
        tiling.stages,
    )


def operations(work: Workload) -> int:
    """What the arithmetic units do in one launch, two for each instruction."""
    rows = work.rows * work.rounds * work.rows_at_once
    return round(2 * rows * sum(body.columns * body.instructions for body in work.bodies))
