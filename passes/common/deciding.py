"""Decisions on kernels, each taken once for equal ones, and perhaps in other processes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from xdsl.context import Context

from mlc_dialects.loop.dialect import KernelOp
from passes.common.launches import Structure

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")


class Decides(Protocol[T_co]):
    """A pass that decides something of kernels: a dataclass of plain fields, and an answer that can be pickled."""

    def chosen(self, kernel: KernelOp) -> T_co:
        """What is decided of a kernel; its structure alone matters, not names and reasons."""
        ...


class DecidingContext(Context):
    """A context that asks passes what they decide of several kernels; in other processes, say."""

    def decide(self, step: Decides[T], kernels: Sequence[KernelOp]) -> Sequence[T]:
        """What `step.chosen` gives for each kernel."""
        return [step.chosen(kernel) for kernel in kernels]


def decisions(
    context: Context, step: Decides[T], kernels: Iterable[KernelOp], known: dict[Structure, T]
) -> list[tuple[KernelOp, T]]:
    """Each kernel with what `step` decides of it, or of one that is equal. `known` holds what was decided."""
    structures = [(Structure(kernel), kernel) for kernel in kernels]
    new: dict[Structure, KernelOp] = {}
    for structure, kernel in structures:
        if structure not in known:
            new.setdefault(structure, kernel)
    deciding = context if isinstance(context, DecidingContext) else DecidingContext()
    known.update(zip(new, deciding.decide(step, list(new.values())), strict=True))
    return [(kernel, known[structure]) for structure, kernel in structures]
