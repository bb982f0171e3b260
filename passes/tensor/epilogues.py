"""What follows a product or a convolution elementwise, and could be computed by the kernel that computes it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, Operation, SSAValue

from mlc_dialects.common.types import byte_size, element_type, shape_of
from mlc_dialects.iteration.iterate import is_free
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import CastOp, MatmulOp
from mlc_dialects.tensor.random import RandomOp
from mlc_dialects.tensor.views import CatOp, RollOp, SliceOp
from passes.common.device import Device
from passes.common.product_tiling import COLUMNS, Sizes
from passes.tensor.descendants import ELEMENTWISE, SAME, Descendants, computed_alone, source_of
from passes.tensor.fusion.decision import elements_of, op_flops, value_bytes
from passes.tensor.fusion.loads import product_of

MOVES = (SliceOp, CatOp, RollOp)
"""What gives elements at other places."""
LIBRARY = (ExternOp, MatmulOp)
"""What PyTorch's library computes."""
STORED = (*LIBRARY, ReturnOp)
"""What reads a value in memory, and never computes it."""
RANDOM = 140
"""Operations of a random number (Philox)."""
HALF = 2
"""Bytes of a number that waits in half a register."""

Stored = dict[SSAValue, list[Operation]]
"""What a kernel stores, and the ops of others that read it."""


@dataclass(frozen=True)
class Epilogue:
    """What the kernel that computes a value does besides, in the place of a kernel behind the library's call."""

    spared_us: float
    """Microseconds of the kernels behind the call, less those of the kernels that stay behind ours."""
    work: float
    """Operations for each element of the value."""
    beside: int
    """Bytes that are read for each element of it."""
    written: int
    """Bytes that are stored for each element of it."""
    held: int
    """Numbers for each element of it that are computed of something else, and wait for the value in registers."""
    partner: SSAValue | None
    """The sum of another product, which our kernel computes as well if it is of as many terms, and else reads."""

    def told(self, sizes: Sizes) -> Sizes:
        """The sizes of a kernel that does this as well."""
        return replace(sizes, work=self.work, beside=self.beside, written=self.written, held=self.held)

    def gained_us(self, value: SSAValue, device: Device) -> float:
        """Microseconds that are spared, less those that a kernel takes longer which is as quick as memory."""
        more = (self.beside + self.written) * elements_of(value) - value_bytes(value)
        return self.spared_us - device.traffic_us(more, value_bytes(value))


def epilogue_of(value: SSAValue, device: Device) -> Epilogue | None:
    """The elementwise ops that read `value`, unless they need what a reduction or a call computes from it.

    Ops that compute what they need besides, for nobody else, are done by the same kernel. None where there are none.
    """
    after = Descendants(value)
    joined = _joined(after)
    if not joined:
        return None
    results = [value, *(r for op in joined for r in op.results)]
    of_value = {v for r in results for v in (r, *_views(r))}
    inside, read = computed_alone(joined, ELEMENTWISE, of_value)
    loaded = sum(_bytes_read(v, value) for v in read)
    stored = _stored(results, {*joined})
    count = max(1, elements_of(value))
    return Epilogue(
        spared_us=_spared_us(after, loaded, stored, device),
        work=_operations(inside) / count,
        beside=round(loaded / count),
        written=round(sum(map(value_bytes, stored)) / count),
        held=_held(joined, inside, of_value, count),
        partner=next((v for v in read if _is_product_like(v, value)), None),
    )


def _operations(inside: Collection[Operation]) -> int:
    """What these ops compute, and of what they read is drawn."""
    computed = sum(op_flops(op) for op in inside if isinstance(op, ElementwiseOp))
    sources = {source_of(v) for op in inside for v in op.operands}
    return computed + sum(RANDOM * elements_of(v) for v in sources if isinstance(v.owner, RandomOp))


def _spared_us(after: Descendants, loaded: int, stored: Stored, device: Device) -> float:
    """Microseconds of the kernels behind the library's call, less those of the kernels that stay behind ours.

    A kernel behind the call reads its result, from L2 if that holds it, and what is loaded besides. A reduction that
    follows does that itself: then its kernel stays, and reads what ours has stored, unless that reduces whole rows too.
    """
    size, last = value_bytes(after.source), shape_of(after.source.type)[-1].constant
    loaded_us = 1e6 * loaded / device.bandwidth
    moved = size + sum(map(value_bytes, stored))
    read = sum(value_bytes(v) for v, readers in stored.items() if any(_is_behind(op, after) for op in readers))
    if not read or (last is not None and last <= max(COLUMNS)):
        return device.launch_us + loaded_us + device.traffic_us(moved, size)
    return loaded_us + device.traffic_us(moved - read, size)


def _without_later(joined: Sequence[ElementwiseOp], after: Descendants) -> list[ElementwiseOp]:
    """`joined` without ops whose results only a kernel behind reads, which computes them itself: squares of a norm."""
    kept = dict.fromkeys(joined)
    for op in reversed(joined):
        readers = [r for v in op.results for r in _readers(v)]
        if kept.keys().isdisjoint(readers) and all(_is_behind(r, after) for r in readers):
            del kept[op]
    return list(kept)


def _is_behind(op: Operation, after: Descendants) -> bool:
    """True for what a kernel right behind the source computes: no call of the library, nor what waits for one."""
    return not isinstance(op, STORED) and not any(after.has(v, Operation, LIBRARY) for v in op.operands)


def _bytes_read(read: SSAValue, value: SSAValue) -> int:
    """Bytes of what is read beside `value`; a product that is stored is as wide as `value`."""
    return value_bytes(value if _is_product_like(read, value) else read)


def _is_product_like(read: SSAValue, value: SSAValue) -> bool:
    """True if `read` is a sum of products that a kernel of ours computes, of the size of `value`."""
    return product_of(read.owner) is not None and elements_of(read) == elements_of(value)


def _joined(after: Descendants) -> list[ElementwiseOp]:
    """The elementwise ops that the kernel which computes the source can compute as well."""
    found = _following(after)
    if any(after.has(v, MOVES) for op in found for v in op.operands):
        return []  # a kernel behind reads other elements, and these again: rotary positions, say
    return _without_later([op for op, ready in found.items() if ready], after)


def _following(after: Descendants) -> dict[ElementwiseOp, bool]:
    """The elementwise ops that read the source, or what others of them compute from nothing else that depends on it.

    True stands for one of those others: all that it reads is there when the source is.
    """
    found: dict[ElementwiseOp, bool] = {}
    work = [after.source]
    while work:
        for op in _readers(work.pop()):
            if isinstance(op, ElementwiseOp) and op not in found:
                found[op] = not any(after.has(v, Operation) for v in op.operands)
                work += op.results if found[op] else ()
    return found


def _held(
    joined: Sequence[Operation], inside: Collection[Operation], of_value: Collection[SSAValue], count: int
) -> int:
    """How many numbers wait in registers for an element of the value: all but 16 bits that are loaded as they are."""
    beside = {source_of(v): None for op in joined for v in op.operands if v not in of_value}
    full = [v for v in beside if elements_of(v) == count and product_of(v.owner) is None]
    return sum(v.owner in inside or _waits(v) for v in full)


def _waits(value: SSAValue) -> bool:
    """True for what waits in a register of its own until it is needed: drawn, or loaded in more than 16 bits."""
    op = value.owner
    is_loaded = isinstance(op, Block) or not is_free(op)
    return isinstance(op, RandomOp) or (is_loaded and _width(value) > HALF)


def _width(value: SSAValue) -> int:
    return byte_size(element_type(value.type))


def _stored(values: Sequence[SSAValue], joined: Collection[Operation]) -> Stored:
    """What the kernel of `joined` stores of these values, as narrow as others read it, with these others."""
    found = defaultdict[SSAValue, list[Operation]](list)
    work = [(v, v) for v in values]
    while work:
        value, stored = work.pop()
        for use in value.uses:
            op = use.operation
            if isinstance(op, SAME):
                narrower = isinstance(op, CastOp) and _width(op.result) < _width(stored)
                work.append((op.result, op.result if narrower else stored))
            elif op not in joined and op not in found[stored]:
                found[stored].append(op)
    return {v: readers for v, readers in found.items() if readers}


def _views(value: SSAValue) -> Iterator[SSAValue]:
    """What are views of `value`, or casts."""
    for use in value.uses:
        if isinstance(use.operation, SAME):
            yield use.operation.result
            yield from _views(use.operation.result)


def _readers(value: SSAValue) -> list[Operation]:
    """The ops that read `value`, or a view or cast of it, once each."""
    read = (use.operation for v in (value, *_views(value)) for use in v.uses)
    return list(dict.fromkeys(op for op in read if not isinstance(op, SAME)))
