"""Fused regions of real programs: each a function of `mlc_tensor`, with the strides that its inputs and results had.

for region in load(Path("regions.jsonl.gz")): region.module()
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.ir import Attribute, SSAValue

from lowering.tensor_to_loop.lower import HostProgram
from mlc_dialects.common.annotations import STRIDES, argument_annotations, promised_strides, result_annotations
from mlc_dialects.common.buffers import buffer_strides
from mlc_dialects.common.index_syntax import index_attribute
from mlc_dialects.common.types import Shape, byte_size, element_type, shape_of
from mlc_dialects.tensor.calls import FusionOp, YieldOp
from mlc_support.index_expr import product
from mlc_support.index_maps import row_major_strides
from tools.graphs import parsed


@dataclass(frozen=True)
class Region:
    """One distinct region, and where it was found."""

    name: str
    """The start of a hash of its text."""
    kind: str
    bytes: int
    """The least that must be moved: inputs read once, results written once."""
    count: int
    """How often it was found."""
    programs: tuple[str, ...]
    text: str

    def module(self) -> ModuleOp:
        """A module with one function, `region`."""
        return parsed(self.text, self.name)

    def expansion(self) -> float:
        """The elements of its largest value, over those that it reads and writes: large for a product written out."""
        (function,) = (op for op in self.module().ops if isinstance(op, func.FuncOp))
        results = [v for op in function.body.walk() for v in op.results]
        returned = [v for op in function.body.walk() if isinstance(op, func.ReturnOp) for v in op.operands]
        moved = sum(elements(shape_of(v.type)) for v in (*function.body.block.args, *returned))
        return max((elements(shape_of(v.type)) for v in results), default=0) / max(1, moved)


def regions_of(fused: ModuleOp) -> Iterator[Region]:
    """The regions of a module after fusion whose sizes are numbers; the module is used up.

    They are seen where tensors have places in memory, so that strides are those that the compiler chose.
    """
    for function in [op for op in fused.ops if isinstance(op, func.FuncOp) and op.body.blocks]:
        block = function.body.block
        program = HostProgram(fused, function)
        program.lower()
        for op in block.ops:
            if isinstance(op, FusionOp) and _is_static(op):
                yield _region(op, {v: buffer_strides(program.buffers[v].type) for v in (*op.inputs, *op.outputs)})


def _is_static(op: FusionOp) -> bool:
    inner = (v for part in op.body.walk() for v in (*part.operands, *part.results))
    values = [*op.inputs, *op.outputs, *inner]
    return all(size.constant is not None for v in values for size in shape_of(v.type))


def _region(op: FusionOp, strides: dict[SSAValue, Shape]) -> Region:
    module = _function_of(op, strides)
    text = str(module) + "\n"
    sizes = [byte_size(element_type(v.type)) * elements(shape_of(v.type), strides[v]) for v in dict.fromkeys(op.inputs)]
    sizes += [byte_size(element_type(v.type)) * elements(shape_of(v.type)) for v in op.outputs]
    name = hashlib.sha256(text.encode()).hexdigest()[:12]
    return Region(name, op.kind.data, sum(sizes), 1, (), text)


def numbers(sizes: Shape) -> list[int]:
    """Sizes or strides that are numbers; ValueError for one that is not."""
    found = [size.constant for size in sizes]
    if None in found:
        raise ValueError(f"expected numbers, found the sizes {', '.join(map(str, sizes))}")
    return [n for n in found if n is not None]


def elements(shape: Shape, strides: Shape | None = None) -> int:
    """How many elements lie at addresses of their own."""
    strides = strides or row_major_strides(shape)
    count = product([n for n, stride in zip(shape, strides, strict=True) if stride.constant != 0]).constant
    assert count is not None
    return count


def _function_of(op: FusionOp, strides: dict[SSAValue, Shape]) -> ModuleOp:
    """The region as a function, without the names that people gave: equal regions have equal texts."""
    body = op.body.clone()
    last = body.block.last_op
    assert isinstance(last, YieldOp)
    body.block.add_op(func.ReturnOp(*last.values))
    last.detach()
    last.erase()
    for part in body.walk():
        for value in part.results:
            value.name_hint = None
        part.attributes.clear()
    for argument in body.block.args:
        argument.name_hint = None
    types = [v.type for v in op.inputs], [v.type for v in op.outputs]
    function = func.FuncOp("region", types, body)
    function.arg_attrs = _told(op.inputs, strides)
    function.res_attrs = _told(op.outputs, strides)
    return ModuleOp([function])


def _told(values: Sequence[SSAValue], strides: dict[SSAValue, Shape]) -> ArrayAttr[DictionaryAttr] | None:
    """What a function says of its arguments or results: strides, where they are not row-major; None for nothing."""
    entries: list[DictionaryAttr] = []
    for value in values:
        plain = strides[value] == row_major_strides(shape_of(value.type))
        told: dict[str, Attribute] = {} if plain else {STRIDES: index_attribute(strides[value])}
        entries.append(DictionaryAttr(told))
    return ArrayAttr(entries) if any(entry.data for entry in entries) else None


def strides_of(function: func.FuncOp) -> tuple[list[Shape], list[Shape]]:
    """The strides of arguments and results, in elements."""
    arguments = [
        promised_strides(argument_annotations(function, k)) or row_major_strides(shape_of(a.type))
        for k, a in enumerate(function.body.block.args)
    ]
    results = [
        promised_strides(result_annotations(function, k)) or row_major_strides(shape_of(t))
        for k, t in enumerate(function.function_type.outputs)
    ]
    return arguments, results


def merged(found: Iterable[Region]) -> list[Region]:
    """Each distinct region once, by name, with all programs that it was found in."""
    known: dict[str, Region] = {}
    for region in found:
        other = known.get(region.name)
        count = region.count + (other.count if other else 0)
        programs = tuple(sorted({*region.programs, *(other.programs if other else ())}))
        known[region.name] = replace(region, count=count, programs=programs)
    return [known[name] for name in sorted(known)]


def save(regions: Sequence[Region], path: Path) -> None:
    """A line of JSON a region, compressed; equal regions give equal files."""
    lines = "".join(json.dumps(asdict(r)) + "\n" for r in regions)
    path.write_bytes(gzip.compress(lines.encode(), 9, mtime=0))


def shuffled(found: Sequence[Region], seed: int, least: float, most: float) -> list[Region]:
    """Those that move between `least` and `most` bytes, in an order that is the same for each seed."""
    fitting = [region for region in found if least <= region.bytes <= most]
    return Random(seed).sample(fitting, len(fitting))


def load(path: Path) -> list[Region]:
    """The regions in a file that `save` wrote."""
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    entries: list[dict[str, Any]] = [json.loads(line) for line in lines]
    for entry in entries:
        entry["programs"] = tuple(entry["programs"])
    return [Region(**entry) for entry in entries]
