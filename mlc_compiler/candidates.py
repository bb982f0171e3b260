"""The schedules among which a kernel's may be chosen: the schedule pass with other options, each as text and as IR."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i64

from mlc_dialects.buffers import buffer_shape, buffer_strides
from mlc_dialects.mlc_loop import KernelOp
from passes.program_order import ProgramOrderPass
from passes.schedule import SchedulePass


@dataclass(frozen=True)
class Candidate:
    """Options of the schedule pass, and a factor of the warps that it would choose; the order of programs follows."""

    options: SchedulePass = field(default_factory=SchedulePass)
    warps: float = 1

    def scheduled(self, kernel: KernelOp) -> KernelOp:
        """A copy of `kernel`, scheduled, in a module of its own."""
        copy = kernel.clone()
        module = ModuleOp([copy])
        self.options.apply(Context(), module)
        ProgramOrderPass().apply(Context(), module)
        assert copy.warps is not None
        copy.warps = IntegerAttr(max(1, min(32, int(copy.warps.value.data * self.warps))), i64)
        return copy


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


def choices(kernel: KernelOp, most: int) -> list[KernelOp]:
    """Up to `most` different schedules of an unscheduled kernel, the untuned one first; the kernel is left alone."""
    found: dict[str, KernelOp] = {}
    for candidate in CANDIDATES:
        if len(found) < most:
            copy = candidate.scheduled(kernel)
            found.setdefault(anonymous(copy), copy)
    return list(found.values())


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
