"""horizontal-fusion: independent kernels share one launch.

    launch @a(%x, %y); launch @b(%z, %w)  ->  launch @a_and_b(%x, %y, %z, %w)

That saves launches, of a few microseconds each, and the programs of one kernel fill the multiprocessors while the last
wave of another drains (tail effect). XLA has horizontal loop fusion, TorchInductor combo kernels. Unlike loop fusion it
does not need equal sizes. It comes last, when each kernel has its own schedule and its registers can be estimated.

A joint kernel has as many warps and registers as the largest of its members needs. So kernels with expensive functions
join only those that this does not slow down; small ones, shorter than a launch, join any.

The results of all members are in memory at once. No kernel joins a launch where that would raise the program's peak.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, prod

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from mlc_dialects.loop.host import (
    AllocOp,
    CallOp,
    ConstantOp,
    CountersOp,
    FreeOp,
    LaunchOp,
    ViewOp,
    owns_results,
    whole_buffer,
)
from mlc_dialects.loop.host_memory import held_bytes
from mlc_dialects.triton.descriptors import DescriptorLoadOp
from mlc_dialects.triton.dialect import AtomicOp, DotOp, ForOp, KernelOp, LastBlockOp, LoadOp, StoreOp
from mlc_dialects.triton.types import LANES, block_shape
from mlc_support.index_parse import parse
from mlc_support.powers import power_of_two_up_to
from mlc_support.walks import walk
from passes.common.device import Device, DevicePass
from passes.common.launches import free_name, names_beside
from passes.loop.analysis.coalescing import buffer_bytes
from passes.loop.schedule.pipelining import shared_bytes
from passes.triton.joined_kernel import joined_launch, programs_of
from passes.triton.live_bytes import BYTES_A_REGISTER, block_bytes, bytes_alive, takes_long_each

FEWEST_REGISTERS = 32
"""Registers a lane of the smallest kernels."""
LEAST_OCCUPANCY = 0.75
"""The share of its own occupancy that a kernel must keep in a joint kernel."""
WIDENED, NARROWED = 8, 2
"""A small kernel may get at most so many times its own warps, and no less than its own over so many."""
LITTLE_MEMORY, LITTLE_SHARE = 4 << 20, 128
"""Bytes that a program may hold beyond its peak, and the part of the peak that it may hold if that is more."""


@dataclass(frozen=True)
class HorizontalFusionPass(DevicePass):
    """Joins launches of kernels that do not depend on each other.

    A kernel joins the launch before it; one that is shorter than a launch also joins earlier ones, if it is independent
    of all in between.
    """

    name = "horizontal-fusion"
    most: int = 64
    """The most kernels of a launch."""
    most_large: int = 16
    """The most where a member takes longer than a launch: the compiler shares code of equal kernels, and keeps what
    differs in registers (30 a lane for 16 steps of AdamW, as for one; 76 for 32)."""
    arguments: int = 256
    """The most buffers and sizes of a launch."""
    small: int | None = None
    """Bytes that memory moves in the time of a launch; none is that of the device, as a power of two."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = {k.sym_name.data: k for k in op.ops if isinstance(k, KernelOp)}
        functions = [f for f in op.ops if isinstance(f, func.FuncOp) and f.body.blocks]
        joined = {kernel for function in functions for kernel in self._join_launches(op, function, kernels)}
        launched = {inner.kernel.string_value() for inner in walk(op) if isinstance(inner, LaunchOp)}
        for name, kernel in kernels.items():
            if kernel in joined and name not in launched:
                Rewriter.erase_op(kernel)

    def _join_launches(self, module: ModuleOp, function: func.FuncOp, kernels: dict[str, KernelOp]) -> list[KernelOp]:
        """Joins launches of a host program; the kernels that are joined."""
        groups = [group for group in self._groups(function, kernels) if len(group) > 1]
        order = {inner: place for place, inner in enumerate(function.body.block.ops)}
        for group in groups:
            _join(module, group, order)
        return [member.kernel for group in groups for member in group]

    @property
    def _small(self) -> int:
        return self.target.bytes_a_launch if self.small is None else self.small

    def _groups(self, function: func.FuncOp, kernels: dict[str, KernelOp]) -> Iterator[list[Member]]:
        """The launches of a host program in groups to be joined, in their new order."""
        memory, room, found = Memory(), Room(function), list[list[Member]]()
        for op in function.body.block.ops:
            memory.follow(op)
            kernel = kernels.get(op.kernel.string_value()) if isinstance(op, LaunchOp) else None
            if isinstance(op, LaunchOp) and kernel is not None and not kernel.waits:
                self._place(Member.of(op, kernel, memory, self._small, self.target), found, room)
            elif not isinstance(op, AllocOp | ConstantOp | CountersOp | FreeOp | ViewOp):
                yield from found
                found = []

    def _place(self, member: Member, groups: list[list[Member]], room: Room) -> None:
        """Adds a launch to the first group that it can join, or as a new last group."""
        home: list[Member] | None = None
        for group in reversed(groups):
            if any(member.conflicts_with(other) for other in group):
                break
            may_join = (group is groups[-1] or member.is_small) and self._agree([*group, member])
            if may_join and room.suffices(group[0].launch, member.launch):
                home = group
        if home is None:
            groups.append([member])
        else:
            room.take(home[0].launch, member.launch)
            home.append(member)

    def _agree(self, members: Sequence[Member]) -> bool:
        """True if one launch can hold `members`, and slows none down by more than the time of a launch."""
        large = [m for m in members if not m.is_small]
        if len(members) > (self.most_large if large else self.most) or not self._fits_launch(members):
            return False
        warps = _warps(members)
        return all(m.may_have(warps) for m in members) and not (large and _held_up(large, members, warps))

    def _fits_launch(self, members: Sequence[Member]) -> bool:
        """True if a launch has room for the arguments and programs of all `members`."""
        buffers = {b for m in members for b in m.launch.buffers}
        sizes = {s.data for m in members for s in m.kernel.sizes}
        programs = sum(m.programs or 0 for m in members)
        return len(buffers) + len(sizes) <= self.arguments and programs <= self.target.grid_limits[0]


@dataclass(frozen=True)
class Member:
    """A launch, its kernel, the memory that it reads and writes, and whether it is shorter than a launch."""

    launch: LaunchOp
    kernel: KernelOp
    device: Device
    read: frozenset[SSAValue]
    written: frozenset[SSAValue]
    programs: int | None
    """The number of programs, if known."""
    is_small: bool

    @staticmethod
    def of(launch: LaunchOp, kernel: KernelOp, memory: Memory, small: int, device: Device) -> Member:
        """The member for a launch in a host program; `small` as in `HorizontalFusionPass`."""
        places = dict(zip(kernel.pointers, map(memory.of, launch.buffers), strict=True))
        ops = list(walk(kernel))
        read = frozenset(places[op.pointer] for op in ops if isinstance(op, LoadOp | DescriptorLoadOp | AtomicOp))
        written = frozenset(places[op.pointer] for op in ops if isinstance(op, StoreOp | AtomicOp | LastBlockOp))
        sizes = [buffer_bytes(buffer) for buffer in launch.buffers]
        programs = programs_of(kernel).constant
        work = (programs or inf) * _work(kernel.body.block)
        is_small = all(sizes) and sum(sizes) <= small and work <= small * work_a_byte(device)
        return Member(launch, kernel, device, read, written, programs, is_small)

    @property
    def warps(self) -> int:
        return self.kernel.warps.value.data

    def may_have(self, warps: int) -> bool:
        """True if it asks for so many warps; a small kernel takes somewhat more or fewer as well.

        One of a single program takes any more: nobody waits for the place of its idle lanes.
        """
        if not self.is_small:
            return self.warps == warps
        return (self.programs == 1 or self.warps * WIDENED >= warps) and self.warps <= warps * NARROWED

    def conflicts_with(self, other: Member) -> bool:
        """True if one of the two writes memory that the other reads or writes."""
        return bool(self.written & (other.read | other.written) or other.written & self.read)

    @cached_property
    def multiplies(self) -> bool:
        """True if it has products of blocks, whose registers the compiler alone knows: others would wait for room."""
        return any(isinstance(op, DotOp) for op in walk(self.kernel))

    @cached_property
    def takes_long(self) -> bool:
        """True if it has expensive functions, which need registers themselves."""
        return any(map(takes_long_each, walk(self.kernel)))

    @cached_property
    def _alive(self) -> int:
        return bytes_alive(self.kernel.body.block)

    @cached_property
    def _staged(self) -> int:
        """Bytes of shared memory for loads that are pipelined; loops behind each other take turns."""
        loops = [op for op in walk(self.kernel) if isinstance(op, ForOp) and op.stages is not None]
        staged = ((loop.stages.value.data - 1) * _loaded(loop) for loop in loops if loop.stages is not None)
        return max(staged, default=0)

    def lanes(self, warps: int) -> float:
        """An estimate of the active lanes on a multiprocessor, with so many warps a program."""
        registers = max(FEWEST_REGISTERS, self._alive / (LANES * warps) / BYTES_A_REGISTER)
        most = self.device.lanes_per_multiprocessor
        shared = shared_bytes(self.device) / self._staged * LANES * warps if self._staged else most
        return min(self.device.registers_per_multiprocessor / registers, shared, most)


def work_a_byte(device: Device) -> int:
    """A lower bound of multiply-adds in the time in which memory moves a byte; a power of two."""
    return power_of_two_up_to(int(device.flops / 2 / device.bandwidth))


class Room:
    """What a host program may hold more at each of its ops; as much as it likes if sizes are unknown."""

    def __init__(self, function: func.FuncOp) -> None:
        self._places = {op: place for place, op in enumerate(function.body.block.ops)}
        try:
            self._held = held_bytes(function)
        except KeyError:
            self._held = [0] * len(self._places)
        peak = max(self._held, default=0)
        self._most = peak + max(LITTLE_MEMORY, peak // LITTLE_SHARE) if peak else inf

    def suffices(self, first: LaunchOp, launch: LaunchOp) -> bool:
        """True if there is room for what `launch` needs from the launch `first` on."""
        begin, allocated = self._places[first], self._allocated_after(first, launch)
        end = min(allocated, default=begin)
        return max(self._held[begin:end], default=0) + sum(allocated.values()) <= self._most

    def take(self, first: LaunchOp, launch: LaunchOp) -> None:
        """Holds it from there on."""
        for place, size in self._allocated_after(first, launch).items():
            for earlier in range(self._places[first], place):
                self._held[earlier] += size

    def _allocated_after(self, first: LaunchOp, launch: LaunchOp) -> dict[int, int]:
        """Where what `launch` needs is allocated behind `first`, and how many bytes there."""
        owners = {b: b.owner for b in map(whole_buffer, launch.buffers)}
        places = {self._places[op]: b for b, op in owners.items() if isinstance(op, AllocOp)}
        return {place: buffer_bytes(b) for place, b in places.items() if place > self._places[first]}


class Memory:
    """Which buffers may alias: views, counters, and results of calls that may give their arguments."""

    def __init__(self) -> None:
        self._same: dict[SSAValue, SSAValue] = {}
        self._counters: list[SSAValue] = []

    def follow(self, op: Operation) -> None:
        """Records the next op of the host program."""
        match op:
            case ViewOp():
                self._join([op.input, op.result])
            case CallOp() if not owns_results(op):
                self._join([*op.inputs, *op.outputs])
            case CountersOp():
                self._counters = [*self._counters[:1], op.buffer]
                self._join(self._counters)
            case _:
                pass

    def of(self, value: SSAValue) -> SSAValue:
        """The representative of all buffers that may alias `value`."""
        while value in self._same:
            value = self._same[value]
        return value

    def _join(self, values: Sequence[SSAValue]) -> None:
        for value in values[1:]:
            one, other = self.of(values[0]), self.of(value)
            if one is not other:
                self._same[other] = one


def _warps(members: Sequence[Member]) -> int:
    """The warps of a launch: what its largest member asks for; of small ones, if it has no others."""
    large = [m for m in members if not m.is_small]
    return max(m.warps for m in large or members)


def _held_up(large: Sequence[Member], members: Sequence[Member], warps: int) -> bool:
    """True if some of `large` would lose occupancy below the limit, or registers to others' expensive functions.

    Products of blocks have too many registers for any other kernel to be beside them.
    """
    if any(m.multiplies for m in large):
        return True
    at_work = min(m.lanes(warps) for m in members)
    long = any(m.takes_long for m in members) and not all(m.takes_long for m in large)
    return long or any(at_work < LEAST_OCCUPANCY * m.lanes(warps) for m in large)


def _work(block: Block) -> float:
    """The number of elements that a program computes, over all ops and iterations; infinity if unknown."""
    total = 0.0
    for op in block.ops:
        trips = (parse(op.extent.data).constant or inf) / op.step.value.data if isinstance(op, ForOp) else 1
        total += sum(trips * _work(inner) for region in op.regions for inner in region.blocks)
        total += max((prod(block_shape(result.type)) for result in op.results), default=1)
    return total


def _loaded(loop: ForOp) -> int:
    """Bytes that one iteration of a loop loads."""
    return sum(block_bytes(op.result) for op in walk(loop) if isinstance(op, LoadOp | DescriptorLoadOp))


def _join(module: ModuleOp, group: Sequence[Member], order: dict[Operation, int]) -> None:
    """Replaces a group by one launch at its first member; moves what the others need before it."""
    first = group[0].launch
    for member in group[1:]:
        for buffer in member.launch.buffers:
            _move_before(buffer, first, order)
    name = free_name(_joint_name([m.kernel.sym_name.data for m in group]), names_beside(group[0].kernel))
    launch, kernel = joined_launch([(m.launch, m.kernel) for m in group], name, _warps(group))
    module.body.block.insert_op_before(kernel, group[0].kernel)
    Rewriter.replace_op(first, launch)
    for member in group[1:]:
        Rewriter.erase_op(member.launch)


def _move_before(value: SSAValue, launch: LaunchOp, order: dict[Operation, int]) -> None:
    """Moves the op that defines a buffer, and what it needs, before `launch`, unless it is there."""
    op = value.owner
    if isinstance(op, Operation) and order[op] > order[launch]:
        for operand in op.operands:
            _move_before(operand, launch, order)
        op.detach()
        block = launch.parent
        assert block is not None
        block.insert_op_before(op, launch)
        order[op] = -1


def _joint_name(names: Sequence[str]) -> str:
    return f"{names[0]}_and_{names[1] if len(names) == 2 else f'{len(names) - 1}_more'}"
