"""Reads the HLO text and the fusion log that XLA dumps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

SILENT = frozenset({"parameter", "constant", "tuple", "get-tuple-element", "after-all", "partition-id"})
"""Instructions that do nothing on a device."""
MOVES = frozenset(
    {"bitcast", "reshape", "broadcast", "transpose", "copy", "slice", "pad", "concatenate", "iota", "reverse"}
)
"""Instructions that only say where elements stand."""

_COMPUTATION = re.compile(r"^(ENTRY )?%?([\w.\-]+) \(.*\) -> .* \{$")
_INSTRUCTION = re.compile(r"^\s+(ROOT )?%?([\w.\-]+) = (.*)$")
_CALLED = re.compile(r"\bcalls=%?([\w.\-]+)|\bto_apply=%?([\w.\-]+)")


@dataclass(frozen=True)
class Instruction:
    """One line of HLO. `source` is the name it was exported under, None where XLA made it up."""

    name: str
    opcode: str
    attributes: str
    source: str | None

    def attribute(self, key: str) -> str | None:
        """The plain value of `key=value`."""
        found = re.search(rf'\b{key}="?%?([\w.\-$]+)', self.attributes)
        return found.group(1) if found else None


@dataclass(frozen=True)
class Hlo:
    """A module: its computations by name, the text of each, and which one is the program."""

    computations: dict[str, list[Instruction]]
    texts: dict[str, str]
    entry: str

    @property
    def text(self) -> str:
        """All of it, the program first."""
        names = sorted(self.texts, key=lambda name: name != self.entry)
        return "\n\n".join(self.texts[name] for name in names)

    def line(self, instruction: Instruction) -> str:
        """What is printed of an instruction of the program."""
        stated = re.compile(rf"^\s+(ROOT )?%?{re.escape(instruction.name)} = ")
        lines = (line for text in self.texts.values() for line in text.splitlines())
        return next((line.strip() for line in lines if stated.match(line)), instruction.name)

    def inside(self, instruction: Instruction) -> Iterator[Instruction]:
        """The instruction, or what it is a fusion or a call of."""
        called = self.called(instruction)
        if called is None:
            yield instruction
        else:
            for inner in self.computations[called]:
                yield from self.inside(inner)

    def called(self, instruction: Instruction) -> str | None:
        """The computation that a fusion or a call runs."""
        if instruction.opcode not in ("fusion", "call"):
            return None
        found = _CALLED.search(instruction.attributes)
        name = found and (found.group(1) or found.group(2))
        return name if name in self.computations else None

    def kernels(self) -> Iterator[Instruction]:
        """What the program launches, in order."""
        yield from self._launched(self.entry)

    def _launched(self, computation: str) -> Iterator[Instruction]:
        for instruction in self.computations[computation]:
            called = self.called(instruction)
            if instruction.opcode == "call" and called is not None:
                yield from self._launched(called)
            elif instruction.opcode not in SILENT | {"bitcast"}:
                yield instruction

    def sources(self, instruction: Instruction) -> tuple[list[str], list[str]]:
        """Names of the ops that an instruction computes, and of those that it only moves elements for."""
        inner = [i for i in self.inside(instruction) if i.source and i.opcode not in SILENT]
        computed = dict.fromkeys(i.source for i in inner if i.source and i.opcode not in MOVES)
        moved = dict.fromkeys(i.source for i in inner if i.source and i.source not in computed)
        return list(computed), list(moved)


def parse_hlo(text: str) -> Hlo:
    """The module that `text` prints."""
    computations: dict[str, list[Instruction]] = {}
    texts: dict[str, list[str]] = {}
    entry, current = "", ""
    for line in text.splitlines():
        if found := _COMPUTATION.match(line):
            current = found.group(2)
            computations[current], texts[current] = [], []
            entry = current if found.group(1) else entry
        elif current and (found := _INSTRUCTION.match(line)):
            computations[current].append(_instruction(found.group(2), found.group(3)))
        if current:
            texts[current].append(_plain(line))
        if line.startswith("}"):
            current = ""
    return Hlo(computations, {name: "\n".join(lines) for name, lines in texts.items()}, entry)


def _instruction(name: str, text: str) -> Instruction:
    rest = _after_shape(text)
    opcode = rest[: rest.index("(")]
    source = re.search(r'op_name="([^"]*)"', rest)
    return Instruction(name, opcode, rest[len(opcode) :], source.group(1) if source else None)


def _after_shape(text: str) -> str:
    """What follows the type: one word, or a tuple in parentheses."""
    if not text.startswith("("):
        return text.partition(" ")[2]
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return text[position + 1 :].lstrip()
    return ""


def _plain(line: str) -> str:
    """A line without what only machines read."""
    return re.sub(r", (metadata|backend_config|sharding)=\{.*$", "", line)


@dataclass(frozen=True)
class Step:
    """One entry of the log of priority fusion, in XLA's instruction names."""

    producer: str
    consumers: tuple[str, ...] = ()
    made: str | None = None
    """The fusion that the step made."""
    fused_us: float | None = None
    unfused_us: float | None = None
    reason: str | None = None
    """Why the producer cannot be fused."""


def parse_steps(log: str) -> list[Step]:
    """The steps of a `priority_fusion_dump.txt`."""
    return [_step(block) for block in re.split(r"^fusion_steps \{$", log, flags=re.MULTILINE)[1:]]


def _step(block: str) -> Step:
    fields: dict[str, list[str]] = {}
    for key, value in re.findall(r'^\s*(\w+): "?(.*?)"?$', block, flags=re.MULTILINE):
        fields.setdefault(key, []).append(value)

    def first(key: str) -> str | None:
        return fields.get(key, [None])[0]

    producer = first("producer_name") or ""
    if "update_priority {" in block:
        fused, unfused = float(first("us_fused") or 0), float(first("us_unfused") or 0)
        return Step(producer, tuple(fields.get("consumer_names", ())), fused_us=fused, unfused_us=unfused)
    if "producer_ineligible {" in block:
        return Step(producer, reason=first("reason"))
    return Step(producer, tuple(fields.get("consumer_name", ())), made=first("fusion_name"))
