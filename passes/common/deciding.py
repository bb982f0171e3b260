"""Decisions on kernels, each taken once for equal ones, and perhaps in other processes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, TypeVar

from xdsl.context import Context

from mlc_dialects.loop.dialect import KernelOp
from passes.common.launches import anonymous

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")


class Decides(Protocol[T_co]):
    """A pass that decides something of kernels: a dataclass of plain fields, and an answer that can be pickled."""

    def chosen(self, kernel: KernelOp) -> T_co:
        """What is decided of a kernel; its text alone matters, without names and reasons."""
        ...


class DecidingContext(Context):
    """A context that asks passes what they decide of several kernels; in other processes, say."""

    def decide(self, step: Decides[T], kernels: Mapping[str, KernelOp]) -> Mapping[str, T]:
        """What `step.chosen` gives for each kernel, by their texts."""
        return {text: step.chosen(kernel) for text, kernel in kernels.items()}


def decisions(
    context: Context, step: Decides[T], kernels: Iterable[KernelOp], known: dict[str, T]
) -> list[tuple[KernelOp, T]]:
    """Each kernel with what `step` decides of it, or of one that is equal. `known` holds what was decided, by text."""
    texts = [(anonymous(kernel), kernel) for kernel in kernels]
    new: dict[str, KernelOp] = {}
    for text, kernel in texts:
        if text not in known:
            new.setdefault(text, kernel)
    deciding = context if isinstance(context, DecidingContext) else DecidingContext()
    known.update(deciding.decide(step, new))
    return [(kernel, known[text]) for text, kernel in texts]
