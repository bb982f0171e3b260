"""in-place: a result that is copied into an argument is written there directly.

    launch @step(%p, %g, %t)      t[i] = p[i] - g[i]
    launch @copy(%t, %p)          p[i] = t[i]
 -> launch @step(%p, %g)          p[i] = p[i] - g[i]

Without it an optimizer step writes its result to new memory, reads it again and copies it: AdamW moves 13 numbers for
each parameter instead of 7. The iteration that writes an element must be the only one that reads it, and must read it
before. Later readers of the copy's source read the argument instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from mlc_dialects.loop.dialect import KernelOp, LoadOp, ParallelOp, ReduceOp, StoreOp
from mlc_dialects.loop.host import AllocOp, CallOp, FreeOp, LaunchOp, whole_buffer
from mlc_support.walks import walk
from passes.common.launches import kernels_by_name, launches_by_name
from passes.loop.analysis.coalescing import has_scan


@dataclass(frozen=True)
class InPlacePass(ModulePass):
    """Makes kernels write into an argument, if a copy of their result follows."""

    name = "in-place"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = kernels_by_name(op)
        once = {name for name, same in launches_by_name(op).items() if len(same) == 1}
        for function in (f for f in op.ops if isinstance(f, FuncOp) and f.body.blocks):
            for launch in [x for x in function.body.block.ops if isinstance(x, LaunchOp)]:
                copy = _copy(kernels, once, launch)
                if copy is not None and copy.refusal(kernels) is None:
                    copy.write_in_place(kernels)


@dataclass(frozen=True)
class Copy:
    """A launch that does nothing but copy `source`, which the launch `maker` has computed, into `target`."""

    launch: LaunchOp
    source: SSAValue
    target: SSAValue
    maker: LaunchOp
    kernel: KernelOp
    """That of `maker`."""

    @property
    def _between(self) -> list[Operation]:
        return list(_until(self.maker, self.launch))

    @property
    def _readers(self) -> list[Operation]:
        """What uses the source besides its maker and the copy."""
        return [use.operation for use in self.source.uses if use.operation not in (self.maker, self.launch)]

    @property
    def _aliases(self) -> list[SSAValue]:
        """The buffers of the maker that lie in the target's memory."""
        return [buffer for buffer in self.maker.buffers if whole_buffer(buffer) is self.target]

    @property
    def _result(self) -> SSAValue:
        """What the maker's kernel calls the source."""
        return self.kernel.buffers[self.maker.buffers.index(self.source)]

    @property
    def _read(self) -> SSAValue | None:
        """What the maker's kernel calls the target; None if it does not read it."""
        return self.kernel.buffers[self.maker.buffers.index(self.target)] if self._aliases else None

    def refusal(self, kernels: dict[str, KernelOp]) -> str | None:
        """Why the maker cannot write the target itself; None if nobody can tell the difference."""
        if not isinstance(self.source.owner, AllocOp) or not isinstance(self.target, BlockArgument):
            return "it does not copy a result into an argument"
        if self.source.type != self.target.type:
            return "the argument does not have the result's layout"
        if not all(self._may_use_target(kernels, op) for op in self._readers):
            return "the result is written again, or read after the copy"
        calls = (op for op in self.target.block.ops if isinstance(op, CallOp))
        if any(_touches(op, self.target) for op in (*self._between, *calls)):
            return "a call, or a launch before the copy, touches the argument"
        if self._aliases not in ([], [self.target]):
            return "the kernel reads a part of the argument, or reads it twice"
        if not _may_share(self.kernel, self._result, self._read):
            return "an iteration may read what another one has overwritten"
        return None

    def _may_use_target(self, kernels: dict[str, KernelOp], reader: Operation) -> bool:
        """True if `reader` of the source finds the same in the target."""
        return isinstance(reader, FreeOp) or (reader in self._between and _only_reads(kernels, reader, self.source))

    def write_in_place(self, kernels: dict[str, KernelOp]) -> None:
        """Has the maker write the target, and erases the copy and its source."""
        result, read = self._result, self._read
        for op in [op for op in self._readers if isinstance(op, FreeOp)]:
            Rewriter.erase_op(op)
        assert isinstance(self.source.owner, Operation)
        self.source.replace_all_uses_with(self.target)
        Rewriter.erase_op(self.source.owner)
        Rewriter.erase_op(self.launch)
        Rewriter.erase_op(kernels[self.launch.kernel.string_value()])
        if read is not None:
            _merge(self.kernel, self.maker, read, result)


def _copy(kernels: dict[str, KernelOp], once: set[str], launch: LaunchOp) -> Copy | None:
    """The copy that `launch` is, if its kernel and that of the launch before are launched only `once`."""
    name = launch.kernel.string_value()
    places = _copied(kernels[name]) if name in kernels else None  # another level has it
    if places is None or name not in once:
        return None
    source, target = (launch.buffers[k] for k in places)
    maker = next((use.operation for use in source.uses if _stores(kernels, use.operation, source)), None)
    if not isinstance(maker, LaunchOp) or maker.kernel.string_value() not in once & kernels.keys():
        return None
    return Copy(launch, source, target, maker, kernels[maker.kernel.string_value()])


def _copied(kernel: KernelOp) -> tuple[int, int] | None:
    """The positions of source and target of a kernel that only copies each element; None for other kernels."""
    match [op for op in walk(kernel) if not isinstance(op, KernelOp | ParallelOp)]:
        case [LoadOp() as load, StoreOp() as store] if store.value is load.result and _same_place(load, store):
            return kernel.buffers.index(load.buffer), kernel.buffers.index(store.buffer)
        case _:
            return None


def _may_share(kernel: KernelOp, result: SSAValue, read: SSAValue | None) -> bool:
    """True if each element of `read` is read before `result` is written there, and by nobody else."""
    users = [use.operation for use in result.uses]
    if read is None:
        return all(isinstance(user, StoreOp) for user in users)
    match users:
        case [StoreOp(condition=None) as store]:
            loads = [use.operation for use in read.uses]
            own = [load for load in loads if isinstance(load, LoadOp) and _is_read_before(load, store)]
            return own == loads and _stores_once(kernel, store, own)
        case _:
            return False


def _stores_once(kernel: KernelOp, store: StoreOp, loads: list[LoadOp]) -> bool:
    """True if no program can find what another one stored where `loads` of the store's own iteration read."""
    loop = store.parent_op()
    if loop is not kernel.rows:
        return isinstance(loop, ParallelOp) and not has_scan(loop)
    once = any(isinstance(op, ReduceOp) for op in kernel.rows.loops)  # else programs share the columns of a row
    return not kernel.rows.loops or (once and all(_reaches_only(load, store) for load in loads))


def _is_read_before(load: LoadOp, store: StoreOp) -> bool:
    """True if an iteration loads the element that it stores, and does so before."""
    return load.parent is store.parent and load.is_before_in_block(store) and _same_place(load, store)


def _reaches_only(load: LoadOp, store: StoreOp) -> bool:
    """True if what depends on `load` is `store` alone.

    Several programs may share a row. All of them load what belongs to the row, and one of them stores it, so that only
    that one is sure to find the old value.
    """
    reached: set[Operation] = set()
    work: list[Operation] = [load]
    while work:
        op = work.pop()
        if op is not store and op not in reached:
            reached.add(op)
            work += [use.operation for result in op.results for use in result.uses]
    return all(op.results for op in reached)


def _merge(kernel: KernelOp, launch: LaunchOp, read: SSAValue, result: SSAValue) -> None:
    """One argument for both buffers; the kernel reads the old one last where it writes."""
    assert isinstance(result, BlockArgument)
    launch.operands = [b for k, b in enumerate(launch.buffers) if k != result.index]
    result.replace_all_uses_with(read)
    result.block.erase_arg(result)


def _same_place(load: LoadOp, store: StoreOp) -> bool:
    """True if both name the same element in every iteration."""
    return load.index == store.index and tuple(load.indices) == tuple(store.indices)


def _arguments(kernels: dict[str, KernelOp], launch: Operation, buffer: SSAValue) -> list[SSAValue]:
    """The kernel's arguments for `buffer`; none for ops other than launches."""
    if not isinstance(launch, LaunchOp):
        return []
    kernel = kernels[launch.kernel.string_value()]
    return [own for own, outer in zip(kernel.buffers, launch.buffers, strict=True) if outer is buffer]


def _stores(kernels: dict[str, KernelOp], launch: Operation, buffer: SSAValue) -> bool:
    found = _arguments(kernels, launch, buffer)
    return any(isinstance(use.operation, StoreOp) for own in found for use in own.uses)


def _only_reads(kernels: dict[str, KernelOp], launch: Operation, buffer: SSAValue) -> bool:
    found = _arguments(kernels, launch, buffer)
    return bool(found) and all(isinstance(use.operation, LoadOp) for own in found for use in own.uses)


def _touches(op: Operation, buffer: SSAValue) -> bool:
    """True if `op` uses the memory of `buffer`."""
    return any(whole_buffer(value) is buffer for value in op.operands)


def _until(first: Operation, last: Operation) -> Iterator[Operation]:
    """The ops between two ops of a block."""
    op = first.next_op
    while op is not None and op is not last:
        yield op
        op = op.next_op
