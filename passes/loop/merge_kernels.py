"""merge-kernels: equal kernels are one, launched several times.

    launch @norm(%x, %w, %y); launch @norm_1(%y, %v, %z)  ->  launch @norm(%x, %w, %y); launch @norm(%y, %v, %z)

Equal layers of a model come to equal kernels. What is done to one kernel by itself from here on, and to its text by
Triton or LLVM, is done once.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.passes import ModulePass

from mlc_dialects.loop.dialect import KernelOp
from mlc_dialects.loop.host import FlagsOp, LaunchOp
from mlc_support.locations import merged
from mlc_support.walks import walk
from passes.common.launches import Structure, launches_by_name


@dataclass(frozen=True)
class MergeKernelsPass(ModulePass):
    """Merges kernels that are equal but for their names and the reasons of their schedules; the first one stays.

    A kernel that no function here launches is somebody's interface, and stays as well.
    """

    name = "merge-kernels"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        names: dict[str, str] = {}
        for first, *others in _equal(op):
            first.location = merged(kernel.location for kernel in (first, *others))
            names |= {kernel.sym_name.data: first.sym_name.data for kernel in others}
            for kernel in others:
                kernel.detach()
                kernel.erase()
        for user in walk(op) if names else ():
            if isinstance(user, LaunchOp | FlagsOp) and (name := names.get(user.kernel.string_value())):
                user.kernel = SymbolRefAttr(name)


def _equal(module: ModuleOp) -> list[list[KernelOp]]:
    """The launched kernels of a module that are equal to others, together."""
    launched, equal = launches_by_name(module), defaultdict[Structure, list[KernelOp]](list)
    for kernel in module.ops:
        if isinstance(kernel, KernelOp) and kernel.sym_name.data in launched:
            equal[Structure(kernel)].append(kernel)
    return [same for same in equal.values() if len(same) > 1]
