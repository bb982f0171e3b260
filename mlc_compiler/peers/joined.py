"""The record of a program that a compiler was given in pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from lowering.interpreter.run import find_function
from mlc_compiler.peers.client import Answer, Failure
from mlc_compiler.peers.record import CUT, Cut, Kernel, Record, record_of
from mlc_dialects.tensor.calls import ExternOp
from mlc_support.errors import MlcError
from mlc_support.locations import source_line
from mlc_support.value_names import name_of, value_names


@dataclass(frozen=True)
class Part:
    """What the worker is asked of one piece; `names` are those of its ops in the whole program, None for the same."""

    request: dict[str, Any]
    names: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Job:
    """A program as a worker gets it: one part, or several between cuts."""

    parts: tuple[Part, ...]
    cuts: tuple[Cut, ...] = ()


def joined(peer: str, device: str, job: Job, answer_to: Callable[[dict[str, Any]], Answer]) -> Record | Failure:
    """One record of all parts. The ops of a part that failed count as cut; all failed, and the job has."""
    answers = [answer_to(part.request) for part in job.parts]
    failures = [a for a in answers if isinstance(a, Failure)]
    if len(failures) == len(answers):
        return failures[0]
    pairs = list(zip(job.parts, answers, strict=True))
    records = [record_of(peer, device, a, part.names) for part, a in pairs if not isinstance(a, Failure)]
    cuts = [*job.cuts, *(c for part, a in pairs if isinstance(a, Failure) for c in _all_cut(part, a))]
    kernels = [replace(kernel, program=k) for k, record in enumerate(records) for kernel in record.kernels]
    kernels += [Kernel(cut.callee, CUT, (cut.op,), code=cut.why) for cut in cuts]
    told = tuple(t for record in records for t in record.told)
    programs = tuple("\n".join(record.programs) for record in records)
    programs = programs if any(programs) else ()
    return replace(records[0], kernels=tuple(kernels), told=told, cuts=tuple(cuts), programs=programs)


def _all_cut(part: Part, failure: Failure) -> Iterator[Cut]:
    for name in (part.names or {}).values():
        yield Cut(name, "a piece between cuts", "", failure.why)


def cuts_of(module: ModuleOp, cuts: Mapping[Operation, MlcError]) -> tuple[Cut, ...]:
    """Each cut with the op, the user's line and the reason."""
    names = value_names(find_function(module).body.block)
    return tuple(Cut(name_of(op, names), callee_of(op), source_line(op), first_line(e)) for op, e in cuts.items())


def callee_of(op: Operation) -> str:
    """The op of PyTorch that a call calls, else the op itself."""
    return op.callee.data if isinstance(op, ExternOp) else op.name


def first_line(error: MlcError) -> str:
    """What an error says, without its place and its hint."""
    lines: Sequence[str] = str(error).splitlines()
    return lines[0]
