"""The kernels of a program, and their launches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from mlc_dialects.loop.dialect import KernelOp
from mlc_dialects.loop.host import AllocOp, FlagsOp, FreeOp, LaunchOp
from mlc_support.walks import walk
from passes.common.cse import region_key


def kernels_by_name(module: ModuleOp) -> dict[str, KernelOp]:
    """The kernels of a module, by name."""
    return {k.sym_name.data: k for k in module.ops if isinstance(k, KernelOp)}


def launches_in_turn(function: FuncOp, *others: type[Operation]) -> Iterator[tuple[LaunchOp, LaunchOp]]:
    """The launches of a host program that follow another, behind that one, with no op of `others` in between."""
    for before, op in pairwise(op for op in walk(function) if isinstance(op, (LaunchOp, *others))):
        if isinstance(before, LaunchOp) and isinstance(op, LaunchOp):
            yield before, op


def names_beside(op: Operation) -> set[str]:
    """The names of the other kernels and functions in the module of `op`."""
    block = op.parent
    assert block is not None
    symbols = [other.properties.get("sym_name") for other in block.ops if other is not op]
    return {symbol.data for symbol in symbols if isinstance(symbol, StringAttr)}


def free_name(stem: str, taken: Collection[str]) -> str:
    """`stem`, or the first of `stem_1`, `stem_2`, ... that is not taken."""
    name, count = stem, 1
    while name in taken:
        name, count = f"{stem}_{count}", count + 1
    return name


class Structure:
    """A kernel without names and reasons: equal, and with the same hash, for what runs alike, as equal layers do.

    That of the kernel at this moment. A tenth of the time of its text.
    """

    def __init__(self, kernel: KernelOp) -> None:
        told = {name: value for name, value in kernel.properties.items() if name not in ("sym_name", "why")}
        told |= {f"attribute {name}": value for name, value in kernel.attributes.items()}
        self._key = (frozenset(told.items()), region_key(kernel.body, {}))
        self._hash = hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Structure) and self._hash == other._hash and self._key == other._key


def anonymous(kernel: KernelOp) -> str:
    """The text of a kernel without names and reasons, for other processes and for disk."""
    copy = kernel.clone(clone_name_hints=False)
    copy.sym_name, copy.why = StringAttr("kernel"), None
    return str(copy)


def launches_by_name(module: ModuleOp) -> Mapping[str, Sequence[LaunchOp]]:
    """The launches of each kernel, in program order; none for a kernel that is not launched."""
    found: dict[str, list[LaunchOp]] = defaultdict(list)
    for function in [op for op in module.ops if isinstance(op, FuncOp)]:
        for launch in [op for op in walk(function) if isinstance(op, LaunchOp)]:
            found[launch.kernel.string_value()].append(launch)
    return found


def replace_with_several(
    kernel: KernelOp,
    built: Sequence[tuple[KernelOp, Sequence[SSAValue]]],
    between: Sequence[SSAValue],
    launches: Sequence[LaunchOp],
) -> None:
    """Replaces `kernel` and its `launches` by the kernels of `built`, one after another.

    Each comes with its buffers: arguments of `kernel`, and some of `between`, which stand for buffers that each launch
    allocates, with their names. A new kernel whose name another kernel or function has gets a number.
    """
    taken = names_beside(kernel)
    for new, _ in built:
        new.sym_name = StringAttr(free_name(new.sym_name.data, taken))
        taken.add(new.sym_name.data)
    for launch in launches:
        allocations = [AllocOp(buffer.type) for buffer in between]
        own: dict[SSAValue, SSAValue] = dict(zip(kernel.buffers, launch.buffers, strict=True))
        for buffer, allocation in zip(between, allocations, strict=True):
            own[buffer], allocation.buffer.name_hint = allocation.buffer, buffer.name_hint
        again = [LaunchOp(new.sym_name.data, [own[b] for b in buffers]) for new, buffers in built]
        ops = [*allocations, *again, *(FreeOp(a.buffer) for a in allocations)]
        for op in ops:
            op.location = launch.location
        Rewriter.replace_op(launch, ops, [])
    Rewriter.replace_op(kernel, [new for new, _ in built], [])


def replace_with_signalling(
    kernel: KernelOp,
    new: KernelOp,
    buffers: Sequence[SSAValue],
    flags: SSAValue,
    launches: Sequence[LaunchOp],
) -> None:
    """Replaces `kernel` and its `launches` by `new`, whose programs use inter-block flags.

    `buffers` are the arguments of `kernel` that `new` has, and `flags`, which stands for the flags of each launch.
    """
    for launch in launches:
        kept = FlagsOp(new.sym_name.data, flags.type)
        kept.buffer.name_hint = "told"
        own = {**dict(zip(kernel.buffers, launch.buffers, strict=True)), flags: kept.buffer}
        again = LaunchOp(new.sym_name.data, [own[b] for b in buffers])
        kept.location = again.location = launch.location
        Rewriter.replace_op(launch, [kept, again], [])
    Rewriter.replace_op(kernel, new, [])
