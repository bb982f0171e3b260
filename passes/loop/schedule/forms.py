"""Which form a kernel takes, by the model of time: all that are legal are built and predicted, the quickest is taken.

    a flat loop, or tiles of two axes                          tile-transpose
    how many persistent programs, of how many rows at once     persistent-rows
    whole rows, parts of them, joined reductions               partition-rows

A form is what some fields of a schedule say. Passes carry it out on a copy of the kernel, and the kernels that it leads
to are predicted, each with its best tiling. `tune-forms` times the forms that are predicted best.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region
from xdsl.passes import ModulePass

from mlc_dialects.loop.dialect import KernelOp
from mlc_dialects.loop.host import AllocOp, LaunchOp
from mlc_dialects.loop.schedule import ScheduleAttr
from passes.common.deciding import decisions
from passes.common.device import Device, DevicePass
from passes.common.launches import Structure
from passes.loop.schedule.model import FITTED, Fitted, Prediction, predict
from passes.loop.schedule.overlapping_tail import allow_overlapping_tail
from passes.loop.schedule.tiling import tilings
from passes.loop.schedule.workload import workload

Ranked = list[tuple[float, ScheduleAttr]]
"""Forms with their predicted microseconds, the least first."""


@dataclass(frozen=True)
class FormPass(DevicePass, ABC):
    """A pass that gives kernels the schedule of their quickest form. Equal kernels are decided once."""

    @cached_property
    def _decided(self) -> dict[Structure, ScheduleAttr]:
        """The forms that kernels take."""
        return {}

    @cached_property
    def _steps(self) -> tuple[ModulePass, ...]:
        """The passes that carry a form out: the same for all forms, for passes among them decide on kernels, too."""
        return tuple(self.carry_out())

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = [k for k in op.ops if isinstance(k, KernelOp) and k.warps is None and self.is_open(k)]
        for kernel, form in decisions(ctx, self, kernels, self._decided):
            kernel.decide(**form.values)

    @abstractmethod
    def is_open(self, kernel: KernelOp) -> bool:
        """True if a kernel has several forms, and its schedule leaves open which it takes."""

    @abstractmethod
    def ranked(self, kernel: KernelOp) -> Ranked:
        """The legal forms of an open kernel. Of equal times the usual form comes first."""

    @abstractmethod
    def carry_out(self) -> Sequence[ModulePass]:
        """The passes that bring a kernel into the form that its schedule says."""

    def chosen(self, kernel: KernelOp) -> ScheduleAttr:
        """The form that an open kernel takes."""
        return self.ranked(kernel)[0][1]

    def built(self, kernel: KernelOp, form: ScheduleAttr) -> list[KernelOp]:
        """The kernels that a form of a kernel leads to, of a copy."""
        module, context = _program(kernel, form), Context()
        for step in self._steps:
            step.apply(context, module)
        return [op for op in module.ops if isinstance(op, KernelOp)]

    def us(self, kernel: KernelOp, form: ScheduleAttr) -> float:
        """Microseconds that these kernels are predicted to take."""
        return sum(least_us(new, self.target) for new in self.built(kernel, form))

    def by_time(self, kernel: KernelOp, forms: Iterable[ScheduleAttr]) -> Ranked:
        """`forms` by their predicted time. Nothing is predicted where there is no choice."""
        found = list(forms)
        if len(found) == 1:
            return [(0.0, found[0])]
        return sorted(((self.us(kernel, form), form) for form in found), key=lambda pair: pair[0])


def least(kernel: KernelOp, device: Device, fitted: Fitted = FITTED) -> Prediction | None:
    """What is predicted of a kernel with its best tiling; None if it has none.

    Blocks of the kernel may overlap from then on, as the schedule would have it.
    """
    allow_overlapping_tail(kernel)
    work = workload(kernel)
    predicted = (predict(work, t, device, fitted) for t in tilings(kernel, work))
    return min(predicted, key=lambda found: found.us, default=None)


def least_us(kernel: KernelOp, device: Device, fitted: Fitted = FITTED) -> float:
    """The least predicted time of a kernel; infinite if it has no tiling."""
    found = least(kernel, device, fitted)
    return float("inf") if found is None else found.us


def _program(kernel: KernelOp, form: ScheduleAttr) -> ModuleOp:
    """A copy of a kernel with a schedule, and a function that launches it."""
    copy, block = kernel.clone(), Block()
    copy.decide(**form.values)
    buffers = [AllocOp(buffer.type) for buffer in copy.buffers]
    launch = LaunchOp(copy.sym_name.data, [op.buffer for op in buffers])
    block.add_ops([*buffers, launch, ReturnOp()])
    return ModuleOp([copy, FuncOp("host", ((), ()), Region(block))])
