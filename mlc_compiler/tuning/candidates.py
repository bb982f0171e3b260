"""The schedules among which a kernel's is measured: the default, then those that the model of time expects most of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from mlc_compiler.kernel_passes import after_schedule
from mlc_dialects.common.buffers import buffer_shape, buffer_strides
from mlc_dialects.loop.dialect import KernelOp
from mlc_dialects.loop.schedule import ScheduleAttr
from passes.common.device import DEFAULT_DEVICE, device_named
from passes.common.launches import anonymous, kernels_by_name
from passes.loop.analysis.coalescing import is_known
from passes.loop.schedule.forms import FormPass
from passes.loop.schedule.mapping import tiling_of
from passes.loop.schedule.model import predict
from passes.loop.schedule.schedule import SchedulePass
from passes.loop.schedule.tiling import Tiling, tilings
from passes.loop.schedule.workload import Workload, workload

Form = tuple[ScheduleAttr, list[KernelOp]]
"""A form of a kernel, and the kernels that it leads to."""


@dataclass(frozen=True)
class Candidate:
    """A scheduled kernel, as the passes behind `schedule` leave it."""

    kernel: KernelOp
    predicted_us: float
    """Microseconds that the model of time expects of it."""


def candidates(module: ModuleOp, most: int, device: str = DEFAULT_DEVICE) -> dict[str, list[Candidate]]:
    """Up to `most` different schedules of each unscheduled kernel of known sizes, by its name, the default one first.

    They are as they will run, in the program that they are of: what another kernel reads as well has no hint, say.
    """
    open_ = {n: k for n, k in kernels_by_name(module).items() if k.warps is None and is_static(k)}
    if not open_:
        return {}
    target, default = device_named(device), scheduled(module, {}, device)
    works = {name: workload(kernel) for name, kernel in open_.items()}
    found: dict[str, dict[str, Candidate]] = {}
    for name, work in works.items():
        us = predict(work, tiling_of(default[name]), target).us
        found[name] = {anonymous(default[name]): Candidate(default[name], us)}
    ranked = {name: _ranked(kernel, works[name], device) for name, kernel in open_.items()}
    while asked := {n: t for n, r in ranked.items() if len(found[n]) < most and (t := next(r, None)) is not None}:
        kernels = scheduled(module, {name: tiling for name, (_, tiling) in asked.items()}, device)
        for name, (us, _) in asked.items():
            found[name].setdefault(anonymous(kernels[name]), Candidate(kernels[name], us))
    return {name: list(group.values()) for name, group in found.items()}


def form_candidates(
    module: ModuleOp, most: int, forms: FormPass
) -> dict[str, list[tuple[ScheduleAttr, list[KernelOp]]]]:
    """Up to `most` forms of each open kernel of known sizes, by its name, those of the least predicted time first.

    With each come the kernels that it leads to, scheduled, as if the program had no others.
    """
    found: dict[str, list[Form]] = {}
    for name, kernel in kernels_by_name(module).items():
        if kernel.warps is None and is_known(kernel) and forms.is_open(kernel):
            ranked = forms.ranked(kernel)[:most]
            programs = [(form, _mapped(forms.built(kernel, form), forms.device)) for _, form in ranked]
            if len(programs) > 1:
                found[name] = programs
    return found


def _mapped(kernels: Sequence[KernelOp], device: str) -> list[KernelOp]:
    """The kernels of one form, scheduled."""
    module = ModuleOp([op.clone() for op in kernels])
    for step in (SchedulePass(device=device), *after_schedule(device)):
        step.apply(Context(), module)
    return list(kernels_by_name(module).values())


def _ranked(kernel: KernelOp, work: Workload, device: str) -> Iterator[tuple[float, Tiling]]:
    """The tilings that are worth a prediction, those of the least predicted time first."""
    target = device_named(device)
    times = [(predict(work, tiling, target).us, tiling) for tiling in tilings(kernel, work)]
    return iter(sorted(times, key=lambda pair: pair[0]))


def scheduled(module: ModuleOp, asked: Mapping[str, Tiling], device: str) -> dict[str, KernelOp]:
    """The kernels of `module`, which is left alone, some with the tiling that is `asked` of them."""
    copy, context = module.clone(), Context()
    for name, tiling in asked.items():
        kernels_by_name(copy)[name].decide(**asdict(tiling))
    for step in (SchedulePass(device=device), *after_schedule(device)):
        step.apply(context, copy)
    return kernels_by_name(copy)


def is_static(kernel: KernelOp) -> bool:
    """True if every size is a number, so that buffers of the true sizes can be made."""
    return all(
        size.constant is not None
        for argument in kernel.buffers
        for size in (*buffer_shape(argument.type), *buffer_strides(argument.type))
    )
