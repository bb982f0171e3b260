"""The schedules among which a kernel's may be chosen: the schedule pass with other options, each as text and as IR."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i64

from mlc_compiler.kernel_passes import after_schedule
from mlc_dialects.common.buffers import buffer_shape, buffer_strides
from mlc_dialects.loop.dialect import KernelOp
from passes.common.device import DEFAULT_DEVICE, device_named
from passes.common.launches import kernels_by_name
from passes.loop.schedule.schedule import SchedulePass


@dataclass(frozen=True)
class Candidate:
    """Options of the schedule pass, and a factor of the warps that it would choose."""

    options: SchedulePass = field(default_factory=SchedulePass)
    warps: float = 1

    def scheduled(self, module: ModuleOp, device: str = DEFAULT_DEVICE) -> dict[str, KernelOp]:
        """The kernels of `module`, which is left alone, scheduled in this way, as passes behind that leave them."""
        most = device_named(device).warps_per_block
        copy, context = module.clone(), Context()
        unscheduled = [k for k in kernels_by_name(copy).values() if k.warps is None]
        replace(self.options, device=device).apply(context, copy)
        for kernel in unscheduled:
            assert kernel.warps is not None
            kernel.warps = IntegerAttr(max(1, min(most, int(kernel.warps.value.data * self.warps))), i64)
        for step in after_schedule(device):
            step.apply(context, copy)
        return kernels_by_name(copy)


DEFAULT = SchedulePass()
CANDIDATES = (
    Candidate(),
    Candidate(SchedulePass(elements=4 * DEFAULT.elements)),
    Candidate(warps=0.5),
    Candidate(warps=2),
    Candidate(SchedulePass(stages=1)),
    Candidate(SchedulePass(looped=DEFAULT.looped // 2)),
    Candidate(SchedulePass(looped=DEFAULT.looped // 2), warps=0.5),
    Candidate(SchedulePass(elements=2 * DEFAULT.elements)),
    Candidate(SchedulePass(persistent=DEFAULT.persistent // 4)),
    Candidate(SchedulePass(persistent=2 * DEFAULT.persistent), warps=2),
    Candidate(SchedulePass(tile=DEFAULT.tile // 2)),
    Candidate(SchedulePass(tile=2 * DEFAULT.tile)),
    Candidate(SchedulePass(elements=4 * DEFAULT.elements), warps=0.5),
    Candidate(SchedulePass(elements=DEFAULT.elements // 2)),
    Candidate(SchedulePass(looped=DEFAULT.looped // 4), warps=0.5),
    Candidate(SchedulePass(stages=DEFAULT.stages + 2)),
    Candidate(SchedulePass(looped=2 * DEFAULT.looped)),
    Candidate(warps=4),
)
"""Best guesses first; the first is what stands without tuning."""


def choices(module: ModuleOp, most: int, device: str = DEFAULT_DEVICE) -> dict[str, list[KernelOp]]:
    """Up to `most` different schedules of each unscheduled kernel of known sizes, by its name, the untuned one first.

    They are as they will run, in the program that they are of: what another kernel reads as well has no hint, say.
    """
    wanted = [k.sym_name.data for k in kernels_by_name(module).values() if k.warps is None and is_static(k)]
    found: dict[str, dict[str, KernelOp]] = {name: {} for name in wanted}
    for candidate in CANDIDATES if wanted else ():
        kernels = candidate.scheduled(module, device)
        for name, schedules in found.items():
            if len(schedules) < most:
                schedules.setdefault(anonymous(kernels[name]), kernels[name])
    return {name: list(schedules.values()) for name, schedules in found.items()}


def anonymous(kernel: KernelOp) -> str:
    """The text of a kernel without the names that it has from the user, nor reasons: equal for what runs alike."""
    clone = kernel.clone()
    clone.sym_name, clone.schedule = StringAttr("kernel"), None
    for op in clone.walk():
        blocks = [block for region in op.regions for block in region.blocks]
        for value in (*op.results, *(a for block in blocks for a in block.args)):
            value.name_hint = None
    return str(clone)


def is_static(kernel: KernelOp) -> bool:
    """True if every size is a number, so that buffers of the true sizes can be made."""
    return all(
        size.constant is not None
        for argument in kernel.buffers
        for size in (*buffer_shape(argument.type), *buffer_strides(argument.type))
    )
