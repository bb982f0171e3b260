"""How long products of matrices take: by the library, and by kernels of ours."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from xdsl.ir import Attribute, Operation, SSAValue

from mlc_dialects.common.types import byte_size, element_type, is_float, is_half, shape_of
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import CastOp
from mlc_dialects.tensor.views import BroadcastOp, CatOp, PermuteOp, ReshapeOp
from mlc_support.powers import power_mean
from passes.common.device import Device
from passes.common.product_parts import product_parts
from passes.common.product_tiling import LEAST, ROWS, Sizes
from passes.tensor.descendants import computed_alone, source_of
from passes.tensor.epilogues import epilogue_of
from passes.tensor.fusion.decision import elements_of, op_flops, value_bytes
from passes.tensor.fusion.loads import product_of
from passes.tensor.products import Product, is_unaligned, rows_of
from passes.tensor.strides import is_strided

LIBRARY_START_US, LIBRARY_POWER = 5.0, 1.4
"""Of the library: what a call takes besides, microseconds; and the power of the mean of operations and traffic, which
hardly overlap. Of 162 drawn products (H200), choices by these take 1.014 times the lesser time, of the library and of
ours, in the mean; with 3 microseconds 1.034."""
ALONE = 0.9
"""Of the library's time, what a kernel of ours must be predicted to take that has nothing behind the product, and
unpacks no weights, or does so again for each block of rows. Both predictions err by some 12 %, and of two such the
lesser one is mostly too low."""
WIDENING = (ElementwiseOp, CastOp, BroadcastOp, PermuteOp, ReshapeOp, CatOp)
"""What unpacks and scales weights."""
LIBRARY_RATE = 1.11
"""Of the rate of a device in products, what the library reaches with aligned matrices. Fitted to 78 of them (H200)."""


def tensor_rate(element: Attribute, device: Device, tf32: bool) -> float | None:
    """Operations a second of tensor cores on factors of a type; None where they multiply none such, as far as allowed.

    `tf32`: they may round float32 to TF32.
    """
    return device.tensor_rate(byte_size(element), tf32) if is_float(element) else None


def sizes_of(product: Product, device: Device, tf32: bool, single: bool = False) -> Sizes | None:
    """The sizes of a product that tensor cores can compute in a kernel of ours.

    None for any other product, where a size is not known, or sums or both sides of the result are shorter than a block.
    A single row or column is for tensor cores only if `single` says so.
    """
    (*batch, rows, columns), depth = shape_of(product.result.type), shape_of(product.lhs.type)[-1]
    known = [size.constant for size in (rows, columns, depth, *batch) if size.constant]
    element = element_type(product.result.type)
    if tensor_rate(element, device, tf32) is None or len(known) < 3 + len(batch):
        return None
    m, n, k, *of_batch = known
    if min(m, n) < (1 if single else 2) or max(m, n) < LEAST or k < LEAST:
        return None
    described = not batch and all(_is_matrix(v) for v in (product.lhs, product.rhs))
    step, width = rows_of(product.result)[1].constant or 0, byte_size(element)
    return Sizes(m, n, k, batch=prod(of_batch), row_step=step, element_bytes=width, described=described)


def _is_matrix(value: SSAValue) -> bool:
    """True if memory holds `value` as a matrix that a tensor descriptor can tell, unless fusion computes it."""
    known = rows_of(value)[1].constant is not None
    return known and is_half(element_type(value.type)) and is_strided(value) and not is_unaligned(value)


def generated_us(product: Product, sizes: Sizes, device: Device) -> float | None:
    """Microseconds of a kernel of ours, or two; None where the device has no tensor cores for it."""
    parts = product_parts(sizes, device)
    narrow = any(is_unaligned(v) for v in (product.lhs, product.rhs))
    return None if parts is None else parts.us / (device.narrow_share if narrow else 1.0)


def aligned_share(product: Product, device: Device) -> float:
    """Of the library's rate, what it reaches as rows of the factors and of the result lie."""
    shares = [1.0]
    for value in (product.lhs, product.rhs, product.result):
        if is_unaligned(value):
            odd = is_half(element_type(value.type)) and (rows_of(value)[1].constant or 0) % 2
            shares.append(device.odd_share if odd else device.unaligned_share)
    return min(shares)


def library_us(sizes: Sizes, device: Device, share: float = 1.0, start_us: float = LIBRARY_START_US) -> float:
    """Microseconds of the library: operations at a share of its rate, and all bytes at the bandwidth.

    For four of five of 162 drawn products it is 0.85 to 1.3 times what was measured on an H200.
    """
    rate = device.product_flops(sizes.element_bytes, tf32=True) * share
    both = power_mean((1e6 * sizes.flops / rate, 1e6 * sizes.bytes / device.bandwidth), LIBRARY_POWER)
    return both + start_us + device.launch_us


def is_quicker(product: Product, sizes: Sizes, device: Device) -> bool:
    """True if a kernel of ours is predicted to take less time than the library with the kernels before and behind."""
    if not all(map(is_strided, (product.lhs, product.rhs))):
        return False  # the library is given a copy, which a kernel of ours would make again for each column
    behind, unpacked = epilogue_of(product.result, device), spared_us(product, device)
    told, kept = _as_loaded(product, sizes, device)
    fused = told if behind is None else behind.told(told)
    ours = generated_us(product, fused, device)
    library = library_us(kept, device, LIBRARY_RATE * aligned_share(product, device)) + unpacked
    if ours is None:
        return False
    if behind is not None and behind.partner is not None:
        both = _with_other(product, fused, behind.partner)
        pair = None if both is None else generated_us(product, both, device)
        return pair is not None and pair - ours < ALONE * library
    gained = 0.0 if behind is None else behind.spared_us
    gains = gained or (unpacked and sizes.m <= max(ROWS))
    return ours < (library + gained if gains else ALONE * library)


def _with_other(product: Product, sizes: Sizes, partner: SSAValue) -> Sizes | None:
    """The sizes of one kernel that computes another product as well, which this one has read so far.

    None where that one has sums of another length.
    """
    factors = [op.input for op in product_of(partner.owner) or ()]
    alike = {elements_of(v) for v in factors} == {sizes.m * sizes.k, sizes.k * sizes.n}
    if not alike or sizes.batch > 1:
        return None
    shares = source_of(product.lhs) in map(source_of, factors)
    loaded = sum(map(value_bytes, factors)) - (value_bytes(product.lhs) if shares else 0)
    return replace(
        sizes,
        products=2,
        firsts=1 if shares else 2,
        read=sizes.factor_bytes + loaded,
        beside=max(0, sizes.beside - sizes.element_bytes),
    )


def _as_loaded(product: Product, sizes: Sizes, device: Device) -> tuple[Sizes, Sizes]:
    """The sizes as a kernel of ours loads the factors, and as the library does, for which they are widened first.

    What has just been widened comes from L2 if that holds it, at some twice the speed.
    """
    factors = product.lhs, product.rhs
    widened = [widening_of(value) for value in factors]
    read = sum(value_bytes(v) if w is None else w.read for v, w in zip(factors, widened, strict=True))
    rows, columns = (0.0 if w is None else w.work for w in widened)
    near = sum(w.written for w in widened if w is not None and w.written <= device.l2_bytes)
    return replace(sizes, read=read, computed=(rows, columns)), replace(sizes, read=sizes.factor_bytes - near // 2)


def spared_us(product: Product, device: Device) -> float:
    """Microseconds to widen factors for the library that a kernel of ours widens as it loads them: packed weights."""
    found = (widening_of(value) for value in (product.lhs, product.rhs))
    return sum(device.traffic_us(w.read + w.written, w.written) + device.launch_us for w in found if w is not None)


def holds_several(value: SSAValue) -> bool:
    """True if `value` is unpacked from words, or bytes, that hold several of its elements each."""
    ops, read = _computing(value)
    return bool(ops) and all(elements_of(v) < elements_of(value) for v in read)


@dataclass(frozen=True)
class Widening:
    """How a factor is computed from something narrower that memory holds."""

    read: int
    """Bytes."""
    written: int
    """Bytes of the factor."""
    work: float
    """Instructions for each element of it."""


def widening_of(value: SSAValue) -> Widening | None:
    """How `value` is computed from something narrower; None where it is not, or others read it as well."""
    ops, read = _computing(value) if value.has_one_use() else (set[Operation](), [value])
    total, written = sum(map(value_bytes, read)), value_bytes(value)
    if total >= written or not any(isinstance(op, ElementwiseOp | CastOp) for op in ops):
        return None
    # Between integers casts cost nothing: lanes take the bytes that they need.
    counted = [op for op in ops if isinstance(op, ElementwiseOp) or is_float(element_type(op.results[0].type))]
    return Widening(total, written, sum(map(op_flops, counted)) / max(1, elements_of(value)))


def _computing(value: SSAValue) -> tuple[set[Operation], list[SSAValue]]:
    """The ops that compute `value` for nobody else, and what they read of memory."""
    op = value.owner
    if not isinstance(op, WIDENING):
        return set(), [value]
    inside, read = computed_alone([op], WIDENING)
    return inside, [*read]
