"""What a real compiler did with one program: a record, in the names of its ops, and a plan of ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from xdsl.ir import Block, Operation

from mlc_dialects.iteration.iterate import is_free
from mlc_dialects.tensor.ops import MatmulOp, ReduceOp
from mlc_support.value_names import name_of, value_names
from passes.tensor.fusion.plan import Decision, Group, Plan

CUT = "cut"
"""The kind of a kernel that stands for an op that the compiler was not given."""


@dataclass(frozen=True)
class Kernel:
    """One kernel: the ops it computes, in the compiler's own words its kind and its code."""

    name: str
    kind: str
    ops: tuple[str, ...]
    moves: tuple[str, ...] = ()
    """Views that the kernel applies, where the compiler says which."""
    code: str = ""
    program: int = 0
    """The place of the text that it is a part of, among those of the record."""


@dataclass(frozen=True)
class Told:
    """What the compiler said of one edge."""

    producer: str
    consumer: str
    why: str
    saves_us: float | None = None


@dataclass(frozen=True)
class Cut:
    """An op that the compiler was not given, and why: the program was cut there."""

    op: str
    callee: str
    """`aten.cumsum.default` for a call of PyTorch, else the op of `mlc_tensor`."""
    place: str
    """The user's line, or nothing."""
    why: str


@dataclass(frozen=True)
class Record:
    """All that a compiler did with a program. Plain data: it is cached as JSON."""

    peer: str
    version: str
    device: str
    kernels: tuple[Kernel, ...]
    told: tuple[Told, ...]
    cuts: tuple[Cut, ...] = ()
    """Each cut op is a kernel of kind CUT as well."""
    programs: tuple[str, ...] = ()
    """The whole text that the compiler wrote, one for each piece of the program; nothing where it was not kept."""

    @staticmethod
    def of(data: Mapping[str, Any]) -> Record:
        """The record that `to_json` made `data` of."""
        kernels = (
            Kernel(
                k["name"], k["kind"], tuple(k["ops"]), tuple(k.get("moves", ())), k.get("code", ""), k.get("program", 0)
            )
            for k in data["kernels"]
        )
        told = tuple(Told(**t) for t in data["told"])
        cuts = tuple(Cut(**c) for c in data.get("cuts", ()))
        programs = tuple(data.get("programs", ()))
        return Record(data["peer"], data["version"], data["device"], tuple(kernels), told, cuts, programs)

    def to_json(self, code: bool = True) -> dict[str, Any]:
        """Plain data, with or without the code of the kernels and the programs that they are parts of."""
        data = asdict(self)
        for kernel in data["kernels"]:
            kernel["code"] = kernel["code"] if code else ""
            if not (code and kernel["program"]):
                del kernel["program"]
        for key in ("cuts", "programs"):
            if not data[key] or (key == "programs" and not code):
                del data[key]
        return data


def compute_edges(block: Block) -> Iterator[tuple[Operation, Operation]]:
    """Pairs of computed ops of which the second reads the first, through views or directly; once each."""
    seen: set[tuple[Operation, Operation]] = set()
    for op in block.ops:
        if op.results and not is_free(op):
            for producer in _producers(op):
                if (producer, op) not in seen:
                    seen.add((producer, op))
                    yield producer, op


def _producers(op: Operation) -> Iterator[Operation]:
    work, seen = [v.owner for v in op.operands], set[Operation]()
    while work:
        owner = work.pop(0)
        if not isinstance(owner, Operation) or owner in seen:
            continue
        seen.add(owner)
        if is_free(owner):
            work += [v.owner for v in owner.operands]
        else:
            yield owner


def plan_of(record: Record, block: Block) -> Plan:
    """The record as a plan of `block`, the block it was made of.

    A verdict for every edge: fused if one kernel computes both ends, with what the compiler said of it.
    A view is in a group only where the kernel does nothing else.
    """
    names = value_names(block)
    ops = {name_of(op, names): op for op in block.ops if op.results}
    order = {op: position for position, op in enumerate(block.ops)}
    members = [_members(kernel, ops, order) for kernel in record.kernels]
    count: dict[Operation, int] = {}
    for group in members:
        for op in group:
            count[op] = count.get(op, 0) + 1
    ends = {op: position for position, group in enumerate(members) for op in group}
    groups = tuple(
        Group(
            tuple(group),
            kernel.kind,
            f"{record.peer} was not given it: {kernel.code}"
            if kernel.kind == CUT
            else f"{record.peer} made {kernel.name} of it",
            duplicated=tuple(op for op in group if count[op] > 1),
            partial=tuple(op for op in group if _is_half(op, position, count, ends)),
        )
        for position, (kernel, group) in enumerate(zip(record.kernels, members, strict=True))
    )
    plan = Plan(record.peer, groups)
    return Plan(record.peer, groups, tuple(_decisions(record, plan, block, ops)))


def _members(kernel: Kernel, ops: Mapping[str, Operation], order: Mapping[Operation, int]) -> list[Operation]:
    computed = {ops[name] for name in kernel.ops if name in ops and not is_free(ops[name])}
    moved = {ops[name] for name in (*kernel.ops, *kernel.moves) if name in ops and is_free(ops[name])}
    return sorted(computed or moved, key=order.__getitem__)


def _is_half(op: Operation, position: int, count: Mapping[Operation, int], ends: Mapping[Operation, int]) -> bool:
    """True for a reduction or a product that a later kernel finishes: no compiler computes one twice."""
    return isinstance(op, ReduceOp | MatmulOp) and count[op] > 1 and ends[op] != position


def _decisions(record: Record, plan: Plan, block: Block, ops: Mapping[str, Operation]) -> Iterator[Decision]:
    told = {(ops.get(t.producer), ops.get(t.consumer)): t for t in record.told}
    for producer, consumer in compute_edges(block):
        fuse = plan.together(producer, consumer)
        said = told.get((producer, consumer))
        yield Decision(producer, consumer, fuse, said.why if said else _silent(fuse), said.saves_us if said else None)


def _silent(fuse: bool) -> str:
    return "one kernel; the compiler's log does not say why" if fuse else "apart; the compiler's log does not say why"


def told_edges(block: Block) -> list[list[str]]:
    """The edges by name, for a request."""
    names = value_names(block)
    return [[name_of(p, names), name_of(c, names)] for p, c in compute_edges(block)]


def record_of(peer: str, device: str, answer: Mapping[str, Any], names: Mapping[str, str] | None = None) -> Record:
    """The record of a worker's answer; `names` are what its ops are called in the whole program."""

    def renamed(found: Iterable[str]) -> tuple[str, ...]:
        return tuple(found) if names is None else tuple(names[name] for name in found if name in names)

    def verdict(t: Mapping[str, Any]) -> Told:
        producer, consumer = renamed((t["producer"], t["consumer"]))
        return Told(producer, consumer, t["why"], t.get("saves_us"))

    kernels = tuple(
        Kernel(k["name"], k["kind"], renamed(k["ops"]), renamed(k.get("moves", ())), k.get("code", ""))
        for k in answer["kernels"]
    )
    told = tuple(verdict(t) for t in answer["verdicts"] if "why" in t)
    programs = (answer["program"],) if answer.get("program") else ()
    return Record(peer, answer["version"], device, kernels, told, programs=programs)
