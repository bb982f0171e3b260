"""The reference interpreter for `mlc_loop`: host programs and kernels, on numpy.

One rule an op, `run_op`. A loop is not walked: it adds one axis to the grid of points at which its
body is computed, however many axes of its own it has, so that every scalar is an array over the loops
around it, the outermost first. Buffers start as poison, and what no kernel may do is an error: to
address what is not there, to use freed memory, or to store different values to one element, unless data
say where they go. Then the last wins, and atomics combine in the order of the iterations.

Another op takes one more rule:

    @run_op.register
    def _(op: MyOp, frame: Frame) -> None:
        frame.define(op.result, my_function(frame.value(op.input)))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.ir import Attribute

from lowering.host.named_sizes import bind_sizes
from lowering.interpreter.buffers import Buffer
from lowering.interpreter.frame import Frame, run_op
from mlc_dialects.common.buffers import buffer_element
from mlc_dialects.common.index_syntax import index_exprs
from mlc_dialects.common.reduction_kinds import PAIRED, WEIGHTED, identity
from mlc_dialects.common.types import is_float, storage
from mlc_dialects.loop.dialect import (
    AtomicOp,
    IndexOp,
    IndirectIndexOp,
    KernelOp,
    LoadOp,
    ParallelOp,
    ReduceOp,
    ScanOp,
    SignalOp,
    StoreOp,
    WaitOp,
)
from mlc_dialects.loop.exclusive_prefix import ExclusivePrefixOp
from mlc_dialects.loop.host import AllocOp, CallOp, ConstantOp, CountersOp, FlagsOp, FreeOp, LaunchOp, ViewOp
from mlc_dialects.loop.last_block import LastBlockOp
from mlc_dialects.loop.loops import SerialOp
from mlc_dialects.loop.memory import AccumulateOp, BarrierOp, LocalOp, ScratchOp
from mlc_dialects.semantics.numerics import (
    Array,
    Value,
    array_dtype,
    dense_value,
    matmul,
    reduce,
    reduce_pair,
    same_bits,
    scan,
    scatter,
    value_of,
)
from mlc_support.walks import walk

_SIGNALLED = 1 << 32
"""The mark of a word that has been told."""
_CALLS = {"aten.mm.default": matmul, "aten.bmm.default": matmul, "aten.matmul.default": matmul}
"""Calls of PyTorch that have a meaning without it."""
_LINEAR = "mkldnn._linear_pointwise.default"
"""A product with the transposed second operand, as the pass `onednn-products` calls it."""


def run_host(module: ModuleOp, function: func.FuncOp, inputs: Sequence[Any]) -> list[Value]:
    """The results of a host program on arrays; raises `MlcError` where it does what no program may."""
    kernels = {op.sym_name.data: op for op in module.ops if isinstance(op, KernelOp)}
    arguments = function.body.block.args
    sizes = bind_sizes([a.type for a in arguments], [np.shape(i) for i in inputs])
    frame = Frame(kernels, sizes, {})
    for argument, array in zip(arguments, inputs, strict=True):
        value = value_of(array, buffer_element(argument.type))
        frame.define(argument, Buffer.holding(value, argument.type, sizes))
    end = frame.run(function.body.block)
    return [frame.buffer(v).value() for v in end.operands] if end else []


@run_op.register
def _(op: ParallelOp, frame: Frame) -> None:
    frame.inside(op).run(op.body.block)


@run_op.register
def _(op: ReduceOp, frame: Frame) -> None:
    body = frame.inside(op)
    body.run(op.body.block)
    softmax: tuple[Value, Value] | None = None
    taken = _taken(op, body)
    for kind, value, results in op.parts:
        given = body.everywhere(value)
        if kind == WEIGHTED:
            assert softmax is not None, "the verifier wants one before"
            given = _weighted(given, *softmax)
        found = _reduced("add" if kind == WEIGHTED else kind, given, taken)
        if kind == "softmax" or softmax is None:
            _check_visible(op, body, given, -np.inf if kind == "softmax" else 0)
        if kind == "softmax":
            softmax = (body.everywhere(value), found[0])
        for result, one in zip(results, found, strict=True):
            frame.define(result, one)


def _taken(op: ReduceOp, body: Frame) -> Array | None:
    """Which iterations are reduced; None for all of them."""
    taken = None if op.end.condition is None else body.everywhere(op.end.condition).array
    if op.span is None:
        return taken
    first, end = body.index(index_exprs(op.span), op.near)
    key = body.value(op.index).array
    inside = np.broadcast_to((first <= key) & (key < end), body.shape)
    return inside if taken is None else taken & inside


def _check_visible(op: ReduceOp, body: Frame, value: Value, hidden_as: float) -> None:
    """Raises ValueError where another number than `hidden_as` is given outside the bounds of the loop."""
    if op.visible is None:
        return
    first, end = body.index(index_exprs(op.visible), op.near)
    key = body.value(op.index).array
    hidden = np.broadcast_to((key < first) | (key >= end), value.shape)
    given = value.array[hidden]
    if np.any((given != hidden_as) & ~np.isnan(given)):
        raise ValueError(f"a reduction is given another number than {hidden_as} outside `visible`")


def _weighted(value: Value, x: Value, most: Value) -> Value:
    """exp(x - m) * value, for each iteration of the last axis"""
    with np.errstate(all="ignore"):
        distance = value_of(x.array - most.array[..., None], x.element)
        return value_of(value_of(np.exp(distance.array), x.element).array * value.array, value.element)


def _reduced(kind: str, value: Value, taken: Array | None) -> tuple[Value, ...]:
    """The reduction along the last axis, which goes, of the elements that are `taken`."""
    if taken is None or np.all(taken):
        axis = value.array.ndim - 1
        found = reduce_pair(kind, value, [axis]) if kind in PAIRED else (reduce(kind, value, [axis]),)
        return tuple(Value(v.array[..., 0], v.element) for v in found)
    rows = value.array.reshape(-1, value.shape[-1])
    # Few rows differ in what they take: the last block of a row that a size does not divide.
    patterns, which = np.unique(taken.reshape(rows.shape), axis=0, return_inverse=True)
    results: list[Array] = []
    for number, pattern in enumerate(patterns):
        chosen = which.reshape(-1) == number
        part = _reduced(kind, Value(rows[chosen][:, pattern], value.element), None)
        if kind.startswith("arg"):
            part = (Value(np.flatnonzero(pattern)[part[0].array], part[0].element),)
        results = results or [np.empty(len(rows), v.array.dtype) for v in part]
        for whole, piece in zip(results, part, strict=True):
            whole[chosen] = piece.array
    element = i64 if kind.startswith("arg") else value.element
    return tuple(Value(whole.reshape(value.shape[:-1]), element) for whole in results)


@run_op.register
def _(op: SerialOp, frame: Frame) -> None:
    index, extent = frame.everywhere(op.start).array, op.size.evaluate(frame.sizes)
    while np.any(index < extent):
        frame.define(op.index, Value(index, i64))
        replace(frame, active=frame.taking_part(None) & (index < extent)).run(op.body.block)
        index = index + op.step.value.data


@run_op.register
def _(op: BarrierOp, frame: Frame) -> None:
    """All points have done what is before it."""


@run_op.register
def _(op: LastBlockOp, frame: Frame) -> None:
    """The last of the points that meet, in the order of the grid; any of them would do."""
    counter = frame.buffer(op.counter)
    (place,) = frame.index((op.group,), op.indices)
    places = np.broadcast_to(counter.positions([place]), frame.shape).reshape(-1)
    found, last, counts = np.unique(places[::-1], return_index=True, return_counts=True)
    if np.any(counts != op.count):
        raise ValueError(f"{counts[counts != op.count][0]} iterations meet where {op.count} are expected")
    if np.any(counter.memory.elements[found] != 0):
        raise ValueError("a counter is not 0 before the launch")
    active = np.zeros(places.size, np.bool_)
    active[places.size - 1 - last] = True
    replace(frame, active=active.reshape(frame.shape)).run(op.body.block)


@run_op.register
def _(op: ExclusivePrefixOp, frame: Frame) -> None:
    """The parts of a row stand one below the other: what comes before one is the scan up to the one above."""
    for kind, value, result in zip(op.kinds, op.inputs, op.outputs, strict=True):
        parts = frame.everywhere(value).array.reshape(-1, op.row_count)
        first = np.full_like(parts[:1], identity(kind.data, value.type).value.data)
        before = scan(kind.data, Value(np.concatenate([first, parts[:-1]]), value.type), 0)
        frame.define(result, Value(before.array.reshape(-1), value.type))


@run_op.register
def _(op: SignalOp, frame: Frame) -> None:
    halves = frame.everywhere(op.value).array.reshape(-1, 1).view(np.uint32).astype(np.int64)
    for half, places in enumerate(_words(op, frame, halves.shape[1])):
        frame.buffer(op.flags).memory.elements[places.reshape(-1)] = halves[:, half] | _SIGNALLED


@run_op.register
def _(op: WaitOp, frame: Frame) -> None:
    """All iterations have published before the first awaits: ops run one after the other, each for all of them."""
    dtype = array_dtype(op.result.type)
    found = [frame.buffer(op.flags).memory.elements[p] for p in _words(op, frame, dtype.itemsize // 4)]
    if not all(np.all(words & _SIGNALLED) for words in found):
        raise ValueError("awaits what no iteration publishes")
    halves = np.stack([words & 0xFFFFFFFF for words in found], axis=-1).astype(np.uint32)
    frame.define(op.result, Value(halves.view(dtype)[..., 0], op.result.type))


def _words(op: SignalOp | WaitOp, frame: Frame, count: int) -> Iterator[Array]:
    """The places of the words of each point's value, of which there are `count`."""
    (index,) = frame.index(index_exprs(op.index), op.indices)
    return (np.broadcast_to(index + half, frame.shape) for half in range(count))


def _access(op: LoadOp | StoreOp | AtomicOp | AccumulateOp, frame: Frame) -> tuple[Buffer, Array, Array]:
    """The buffer, the position of each point's element in memory, and which points have one."""
    buffer = frame.buffer(op.buffer)
    index = frame.index(index_exprs(op.index), op.indices)
    inside = frame.taking_part(None if isinstance(op, AccumulateOp) else op.condition)
    for dim, (i, size) in enumerate(zip(index, buffer.shape, strict=True)):
        outside = np.broadcast_to((i < 0) | (i >= size), frame.shape) & inside
        if np.any(outside):
            where = np.broadcast_to(i, frame.shape)[outside].flat[0]
            raise ValueError(f"index {where} leaves dimension {dim}, of size {size}")
    return buffer, np.broadcast_to(buffer.positions(index), frame.shape), inside


@run_op.register
def _(op: LoadOp, frame: Frame) -> None:
    buffer, positions, inside = _access(op, frame)
    found = np.zeros(frame.shape, buffer.memory.elements.dtype)
    found[inside] = buffer.memory.elements[positions[inside]]
    frame.define(op.result, value_of(found, op.result.type))


@run_op.register
def _(op: StoreOp, frame: Frame) -> None:
    buffer, positions, inside = _access(op, frame)
    stored = value_of(frame.everywhere(op.value).array[inside], buffer.element)
    scatter("set", buffer.memory.elements, positions[inside], stored.array)
    kept = Value(buffer.memory.elements[positions[inside]], buffer.element)
    if not any(isinstance(i.owner, IndirectIndexOp) for i in op.indices) and not same_bits(kept, stored):
        raise ValueError("iterations store different values to one element")


@run_op.register
def _(op: AtomicOp, frame: Frame) -> None:
    buffer, positions, inside = _access(op, frame)
    given = value_of(frame.everywhere(op.value).array[inside], buffer.element)
    elements = buffer.memory.elements
    scatter(op.kind.data, elements, positions[inside], given.array)
    elements[...] = value_of(elements, buffer.element).array


@run_op.register
def _(op: IndirectIndexOp, frame: Frame) -> None:
    number, size = frame.value(op.value).array.astype(np.int64), op.size.evaluate(frame.sizes)
    outside = np.broadcast_to((number < 0) | (number >= size), frame.shape) & frame.taking_part(op.condition)
    if np.any(outside):
        found = np.broadcast_to(number, frame.shape)[outside].flat[0]
        raise ValueError(f"index {found} is outside a dimension of size {size}")
    frame.define(op.result, Value(number, i64))


@run_op.register
def _(op: ScanOp, frame: Frame) -> None:
    if isinstance(op.parent_op(), SerialOp):
        raise ValueError("the interpreter takes scans along parallel loops and reductions")
    value = frame.everywhere(op.input)
    frame.define(op.result, scan(op.kind.data, value, value.array.ndim - 1))


@run_op.register
def _(op: LocalOp, frame: Frame) -> None:
    filling = _neutral(op.kind.data, buffer_element(op.buffer.type))
    frame.define(op.buffer, Buffer.local(op.buffer.type, frame.sizes, frame.shape, filling))


@run_op.register
def _(op: ScratchOp, frame: Frame) -> None:
    frame.define(op.buffer, Buffer.local(op.buffer.type, frame.sizes, frame.shape))


@run_op.register
def _(op: AccumulateOp, frame: Frame) -> None:
    """What one element is given is combined at once, and then with what it has."""
    buffer, positions, inside = _access(op, frame)
    where, given = positions[inside], frame.everywhere(op.value).array[inside]
    order = np.argsort(where, kind="stable")
    targets, counts = np.unique(where, return_counts=True)
    groups = np.split(given[order], np.cumsum(counts)[:-1])
    elements = buffer.memory.elements
    for count in np.unique(counts):
        chosen = [i for i, c in enumerate(counts) if c == count]
        rows = np.stack([groups[i] for i in chosen])
        sums = reduce(op.kind.data, Value(rows, buffer.element), [1]).array
        both = np.stack([elements[targets[chosen]], sums[:, 0]], axis=1)
        elements[targets[chosen]] = reduce(op.kind.data, Value(both, buffer.element), [1]).array[:, 0]


def _neutral(kind: str, element: Attribute) -> Any:
    """What changes nothing when combined; -0.0 for sums of floats, since 0.0 + -0.0 is 0.0."""
    return -0.0 if kind == "add" and is_float(element) else identity(kind, storage(element)).value.data


@run_op.register
def _(op: IndexOp, frame: Frame) -> None:
    (index,) = frame.index(index_exprs(op.index), op.indices)
    frame.define(op.result, value_of(np.asarray(index, np.int64), op.result.type))


@run_op.register
def _(op: AllocOp, frame: Frame) -> None:
    frame.define(op.buffer, Buffer.allocate(op.buffer.type, frame.sizes))


@run_op.register
def _(op: CountersOp | FlagsOp, frame: Frame) -> None:
    buffer = Buffer.allocate(op.buffer.type, frame.sizes)
    buffer.memory.elements[...] = 0
    frame.define(op.buffer, buffer)


@run_op.register
def _(op: ConstantOp, frame: Frame) -> None:
    frame.define(op.buffer, Buffer.holding(dense_value(op.value), op.buffer.type, frame.sizes))


@run_op.register
def _(op: ViewOp, frame: Frame) -> None:
    (offset,) = frame.index(index_exprs(op.offset), ())
    frame.define(op.result, frame.buffer(op.input).view(op.result.type, offset, frame.sizes))


@run_op.register
def _(op: FreeOp, frame: Frame) -> None:
    frame.buffer(op.buffer).memory.live = False


@run_op.register
def _(op: LaunchOp, frame: Frame) -> None:
    kernel = frame.kernels.get(op.kernel.string_value())
    if kernel is None:
        raise ValueError(f"@{op.kernel.string_value()} is no mlc_loop.kernel of this module")
    buffers = dict(zip(kernel.buffers, map(frame.buffer, op.buffers), strict=True))
    for inner in walk(kernel):
        if isinstance(inner, AccumulateOp) and inner.buffer in buffers:
            target = buffers[inner.buffer]
            everything = target.positions([*np.indices(target.shape)])
            target.memory.elements[everything] = _neutral(inner.kind.data, target.element)
    Frame(frame.kernels, frame.sizes, {**buffers}).run(kernel.body.block)


@run_op.register
def _(op: CallOp, frame: Frame) -> None:
    operands = [frame.buffer(v).value() for v in op.inputs]
    function = _CALLS.get(op.callee.data)
    if op.callee.data == _LINEAR and len(operands) == 2:
        value = matmul(operands[0], operands[1].with_array(operands[1].array.T))
    elif function is None or op.arguments is not None or op.keywords is not None:
        raise ValueError(f"the interpreter cannot run {op.callee.data}: only PyTorch can")
    else:
        value = function(*operands)
    frame.define(op.outputs[0], Buffer.holding(value, op.outputs[0].type, frame.sizes))
