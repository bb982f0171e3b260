"""Generated programs on disk: a second process with an equal graph runs no pass.

A program is kept by the hash of all that it depends on: the imported graph with its lines, the options, the machine,
mlc's own sources, and the versions of Python and of the packages that take part. A file is read as data, never run or
unpickled: JSON behind its hash and the key. What is damaged, foreign or of another form counts as not there.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import torch
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, ModuleOp
from xdsl.ir import Attribute, SSAValue

from lowering.fx_to_tensor.imported import Imported
from mlc_compiler.kernels.cache import cache_folder, keep, read
from mlc_compiler.machine import this_machine
from mlc_compiler.options import CompilerOptions
from mlc_runtime.manifest import Manifest
from mlc_support.walks import walk
from passes.tensor.fusion.plan import STRATEGIES

T = TypeVar("T")
SWITCH = "MLC_CACHE_PROGRAMS"
"""The environment variable that keeps programs out of the cache where it is 0."""
PACKAGES = ("mlc_support", "mlc_dialects", "passes", "lowering", "mlc_runtime", "mlc_compiler")
NOT_ASKED = ("time", "report", "explain", "dynamic")
"""Options that do not change what is generated, or only through the graph."""


@dataclass(frozen=True)
class Generated:
    """A program as text, and what loading asks about it."""

    source: str
    manifest: Manifest


def program_key(imported: Imported, options: CompilerOptions, level: str) -> str | None:
    """By what the program of a graph is kept; None for one that is not: it has tensors of its own, which are no text,
    rules or a policy of a plug-in, or its schedules are timed.
    """
    if not is_kept(options) or imported.constants:
        return None
    key = hashlib.sha256(compiler_text(options, imported.device, level).encode())
    for text in _told(imported.module):
        key.update(text.encode())
    for number in _numbers(imported.module):
        key.update(number)
    return key.hexdigest()


def is_kept(options: CompilerOptions) -> bool:
    """False where programs are not kept, whatever the graph is."""
    own = options.policy in STRATEGIES and not options.extra_rules
    return os.environ.get(SWITCH) != "0" and not options.freeze and options.candidates == 1 and own


def compiler_text(options: CompilerOptions, device: torch.device, level: str) -> str:
    """All that programs for a device depend on beside their graphs."""
    given = {name: value for name, value in asdict(options).items() if name not in NOT_ASKED}
    return repr((given, this_machine(options.device), str(device), level, _versions(), _own_sources()))


def _told(module: ModuleOp) -> Iterator[str]:
    """All that a module says, op by op, with names and lines: in a fifth of the time that it takes to print."""
    texts: dict[Attribute, str] = {}
    values: dict[SSAValue, int] = {}

    def text(attribute: Attribute) -> str:
        if attribute not in texts:
            texts[attribute] = str(attribute)
        return texts[attribute]

    def define(new: Sequence[SSAValue]) -> list[tuple[str, str | None]]:
        """The types and names of values, which get the next numbers."""
        values.update(zip(new, count(len(values)), strict=False))
        return [(text(value.type), value.name_hint) for value in new]

    for op in walk(module):
        operands = [values[value] for value in op.operands]
        named = [(name, text(value)) for known in (op.properties, op.attributes) for name, value in known.items()]
        regions = [[(define(block.args), len(block.ops)) for block in region.blocks] for region in op.regions]
        yield repr((op.name, operands, named, define(op.results), regions, text(op.location)))


def _numbers(module: ModuleOp) -> Iterator[bytes]:
    """The bits of all constants, of which the text may show fewer digits."""
    for op in walk(module):
        for attribute in (*op.properties.values(), *op.attributes.values()):
            if isinstance(attribute, DenseIntOrFPElementsAttr):
                yield attribute.data.data
            elif isinstance(attribute, FloatAttr):
                yield struct.pack("<d", attribute.value.data)


@cache
def _versions() -> tuple[str, ...]:
    return platform.python_version(), *(f"{name} {version(name)}" for name in ("torch", "triton", "xdsl", "numpy"))


@cache
def _own_sources() -> str:
    """The hash of mlc's own files."""
    root, digest = Path(__file__).resolve().parents[2], hashlib.sha256()
    for path in sorted(p for package in PACKAGES for p in (root / package).rglob("*.py")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root)} {len(content)} ".encode() + content)
    return digest.hexdigest()


def _path(key: str) -> Path:
    return cache_folder() / f"mlc_{key[:20]}.json"


def read_program(key: str) -> Generated | None:
    """The program of a key; None where there is none, or not a whole one."""
    return read_data(key, _generated)


def _generated(data: Any) -> Generated:
    if not isinstance(data["source"], str):
        raise TypeError("a source is a text")
    return Generated(data["source"], Manifest.of_data(data["manifest"]))


def write_program(key: str, program: Generated) -> None:
    """Keeps a program, if it can be written."""
    write_data(key, {"source": program.source, "manifest": program.manifest.to_data()})


def read_data(key: str, made: Callable[[Any], T]) -> T | None:
    """What `made` gives of the data of a key; None where there is none, or where it is not whole."""
    digest, _, text = (read(_path(key)) or "").partition("\n")
    if hashlib.sha256(text.encode()).hexdigest() != digest:
        return None
    try:
        data = json.loads(text)
        return made(data) if data["key"] == key else None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def write_data(key: str, data: Mapping[str, Any]) -> None:
    """Keeps data for JSON, if it can be written."""
    text = json.dumps({"key": key, **data}, indent=1)
    keep(_path(key), f"{hashlib.sha256(text.encode()).hexdigest()}\n{text}")
