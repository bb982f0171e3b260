"""What a fusion strategy says of a block: its kernels, and every verdict with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TypeGuard

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from mlc_dialects.common.types import byte_size, element_type, shape_of
from mlc_dialects.iteration.iterate import is_free
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, MatmulOp, ReduceOp
from mlc_support.index_expr import product
from mlc_support.index_maps import assumed
from mlc_support.locations import location_text

LIBRARY = ("matmul", "extern")
"""Kinds of groups that a library or PyTorch runs, one op each."""


@dataclass(frozen=True)
class Group:
    """What one kernel computes.

    `ops` stand in program order: computed ops, and the views that the kernel applies. `kind` is a label of
    the strategy's own ("loop", "reduction", "transpose", "matmul", "extern", "custom", ...).
    """

    ops: tuple[Operation, ...]
    kind: str
    why: str
    duplicated: tuple[Operation, ...] = ()
    """Those of `ops` that another group computes as well."""
    partial: tuple[Operation, ...] = ()
    """Reductions of which this kernel makes partial results; the group that finishes them holds them too."""


@dataclass(frozen=True)
class Decision:
    """One verdict on an edge of the graph, or on two readers of one value; `why` begins with the rule's name."""

    producer: Operation
    consumer: Operation
    fuse: bool
    why: str
    saves_us: float | None = None
    """Predicted microseconds of the two apart less those of the two fused, where the strategy computes them."""


@dataclass(frozen=True)
class Plan:
    """The kernels that a strategy makes of a block; every computed op is in at least one group."""

    strategy: str
    groups: tuple[Group, ...]
    decisions: tuple[Decision, ...] = field(default=(), repr=False)

    @property
    def kernels(self) -> int:
        """How many kernels run, library calls included."""
        return len(self.groups)

    @property
    def generated(self) -> int:
        """How many of the kernels the compiler writes itself."""
        return sum(group.kind not in LIBRARY for group in self.groups)

    @property
    def recomputed(self) -> int:
        """How often an op is computed beyond the first time."""
        copies = [op for group in self.groups for op in group.duplicated if op not in group.partial]
        return len(copies) - len(set(copies))

    @cached_property
    def groups_of(self) -> Mapping[Operation, tuple[int, ...]]:
        """Op to the positions of the groups that compute it."""
        found: dict[Operation, tuple[int, ...]] = {}
        for position, group in enumerate(self.groups):
            for op in group.ops:
                found[op] = (*found.get(op, ()), position)
        return found

    def together(self, a: Operation, b: Operation) -> bool:
        """True if some kernel computes both ops."""
        return not set(self.groups_of.get(a, ())).isdisjoint(self.groups_of.get(b, ()))

    def inputs(self, group: Group) -> list[SSAValue]:
        """The values in memory that `group` reads, once each; views are looked through."""
        return list(self.reads(group))

    def reads(self, group: Group) -> dict[SSAValue, int]:
        """Each value in memory that `group` reads, to the bytes that it reads: of slices or of rows, fewer than all."""
        position = self._position[id(group)]
        computed = [op for op in group.ops if self._computes(position, op)]
        inside = set(computed)
        found: dict[SSAValue, int] = {r: value_bytes(r) for op in group.ops if op not in inside for r in op.results}
        seen: set[tuple[Operation, int | None]] = set()
        work: list[tuple[Operation, int | None]] = [(op, None) for op in computed[::-1]]
        while work:
            op, most = work.pop()
            if (op, most) in seen:
                continue
            seen.add((op, most))
            for value in op.operands:
                owner, asked = value.owner, _asked_of(op, value, most)
                if self._is_view(owner):
                    work.append((owner, asked))
                elif owner not in inside and not isinstance(owner, ConstantOp):
                    found[value] = min(value_bytes(value), found.get(value, 0) + _some_bytes(value, asked))
        return found

    def _is_view(self, owner: Operation | Block) -> TypeGuard[Operation]:
        """True for a view that no group computes: who reads it reads what it is a view of."""
        return isinstance(owner, Operation) and is_free(owner) and owner not in self.groups_of

    def outputs(self, group: Group) -> list[SSAValue]:
        """The values that `group` writes for others: of a value computed twice, the first group writes it."""
        position = self._position[id(group)]
        mine = [op for op in group.ops if op not in group.partial and self._writer(op) == position]
        read = (r for op in mine for r in op.results if self._is_read_elsewhere(r, op))
        return [*(r for op in group.partial for r in op.results), *read]

    def bytes(self, group: Group) -> int:
        """DRAM traffic of one kernel: each element that it reads once, each output written once.

        Dynamic sizes count as ASSUMED_SIZE; caches are ignored, and partial results count as the whole.
        """
        return sum(self.reads(group).values()) + sum(map(value_bytes, self.outputs(group)))

    @property
    def total_bytes(self) -> int:
        """DRAM traffic of all kernels."""
        return sum(self.bytes(group) for group in self.groups)

    def _writer(self, op: Operation) -> int:
        """The group that writes what `op` computes: the first that computes all of it."""
        return next(g for g in self.groups_of[op] if op not in self.groups[g].partial)

    def _computes(self, position: int, op: Operation) -> bool:
        """True unless the group only finishes the partial results of `op`."""
        return op not in self.finished or op in self.groups[position].partial

    def _is_read_elsewhere(self, value: SSAValue, producer: Operation) -> bool:
        """True if a reader of `value`, through views, is in no group or in one that does not compute `producer`."""
        for use in value.uses:
            reader = use.operation
            homes = [g for g in self.groups_of.get(reader, ()) if self._computes(g, reader)]
            if is_free(reader) and not homes:
                if self._is_read_elsewhere(reader.results[0], producer):
                    return True
            elif not homes or any(producer not in self._members[g] for g in homes):
                return True
        return False

    @cached_property
    def _position(self) -> Mapping[int, int]:
        return {id(group): position for position, group in enumerate(self.groups)}

    @cached_property
    def finished(self) -> frozenset[Operation]:
        """Reductions that one kernel begins and another finishes."""
        return frozenset(op for group in self.groups for op in group.partial)

    @cached_property
    def _members(self) -> tuple[frozenset[Operation], ...]:
        return tuple(frozenset(group.ops) for group in self.groups)


def _asked_of(op: Operation, operand: SSAValue, most: int | None) -> int | None:
    """How many elements of an operand `op` reads at most; None for all. Of a free one `most` of its result are read."""
    if not is_free(op) or not isinstance(operand.type, TensorType):
        return None
    given = elements_of(op.results[0])
    return given if most is None else min(given, most)


def _some_bytes(value: SSAValue, elements: int | None) -> int:
    """Bytes of so many elements; None for all."""
    return value_bytes(value) if elements is None else elements * byte_size(element_type(value.type))


def op_names(ops: Iterable[Operation]) -> dict[Operation, str]:
    """A name for each op that no other of `ops` has: the hint of its first result, else its kind, numbered."""
    names: dict[Operation, str] = {}
    taken: dict[str, int] = {}
    for op in ops:
        hint = op.results[0].name_hint if op.results else None
        stem = hint or op.name.rpartition(".")[2]
        count = taken.get(stem, 0)
        name = stem if hint and count == 0 else f"{stem}.{count}"
        while name in taken:
            count += 1
            name = f"{stem}.{count}"
        taken[stem] = count + 1
        taken.setdefault(name, 1)
        names[op] = name
    return names


def op_place(op: Operation) -> str:
    """`file:line` of every place of the op, or nothing."""
    return location_text(op) or ""


def value_bytes(value: SSAValue) -> int:
    """Bytes of a tensor value in memory; dynamic sizes count as ASSUMED_SIZE."""
    return type_bytes(value.type)


@lru_cache(maxsize=4096)
def type_bytes(type_: Attribute) -> int:
    """Bytes of a value of that type in memory: none of what is no tensor, as a number that a call gives."""
    if not isinstance(type_, TensorType):
        return 0
    return _elements(type_) * byte_size(element_type(type_))


def op_flops(op: Operation) -> int:
    """float32 operations of one op, an addition being one; dynamic sizes count as ASSUMED_SIZE."""
    match op:
        case ElementwiseOp():
            return op.FUNCTION.flops * _elements(op.results[0].type)
        case ReduceOp():
            return _elements(op.input.type)
        case CastOp():
            return _elements(op.result.type)
        case MatmulOp():
            return 2 * _elements(op.result.type) * assumed(shape_of(op.lhs.type)[-1])
        case _:
            return 0


def elements_of(value: SSAValue) -> int:
    """Elements of a tensor; dynamic sizes count as ASSUMED_SIZE."""
    return _elements(value.type)


@lru_cache(maxsize=4096)
def _elements(type_: Attribute) -> int:
    return assumed(product(shape_of(type_)))


def human_bytes(count: int) -> str:
    """`count` bytes in the largest unit that leaves at least one whole: 1.5 MB."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} B"
