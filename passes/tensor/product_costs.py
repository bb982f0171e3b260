"""How long products of matrices take: by the library, and by kernels of ours."""

from __future__ import annotations

from dataclasses import replace

from xdsl.ir import Attribute, SSAValue

from mlc_dialects.common.types import byte_size, element_type, is_float, is_half, shape_of
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.ops import CastOp
from mlc_dialects.tensor.views import BroadcastOp, PermuteOp, ReshapeOp
from mlc_support.powers import power_mean
from passes.common.device import Device
from passes.common.product_tiling import LEAST, Sizes, best_tiling, predicted_us
from passes.tensor.epilogues import epilogue_of
from passes.tensor.fusion.decision import elements_of, value_bytes
from passes.tensor.products import Product, is_unaligned, rows_of
from passes.tensor.strides import is_strided

LIBRARY_START_US, LIBRARY_POWER = 3.0, 1.4
"""Of the library: what a call takes besides, microseconds; and the power of the mean of operations and traffic, which
hardly overlap."""
LIBRARY_RATE = 1.11
"""Of the rate of a device in products, what the library reaches with aligned matrices. Fitted to 78 of them (H200)."""


def tensor_rate(element: Attribute, device: Device, tf32: bool) -> float | None:
    """Operations a second of tensor cores on factors of a type; None where they multiply none such, as far as allowed.

    `tf32`: they may round float32 to TF32.
    """
    return device.tensor_rate(byte_size(element), tf32) if is_float(element) else None


def sizes_of(product: Product, device: Device, tf32: bool, least: int = LEAST) -> Sizes | None:
    """The sizes of a product that tensor cores can compute in a kernel of ours: one without a batch.

    None for any other product, where a size is not known, or one is shorter than a block; of rows and of columns there
    are at least `least`.
    """
    (*batch, m, n), k = (s.constant for s in shape_of(product.result.type)), shape_of(product.lhs.type)[-1].constant
    element = element_type(product.result.type)
    if batch or tensor_rate(element, device, tf32) is None:
        return None
    known = [size for size, most in ((m, least), (n, least), (k, LEAST)) if size is not None and size >= most]
    _, row = rows_of(product.result)
    if len(known) < 3:
        return None
    described = all(_is_matrix(v) for v in (product.lhs, product.rhs))
    return Sizes(*known, row_step=row.constant or 0, element_bytes=byte_size(element), described=described)


def _is_matrix(value: SSAValue) -> bool:
    """True if memory holds `value` as a matrix that a tensor descriptor can tell, unless fusion computes it."""
    known = rows_of(value)[1].constant is not None
    return known and is_half(element_type(value.type)) and is_strided(value) and not is_unaligned(value)


def generated_us(product: Product, sizes: Sizes, device: Device) -> float | None:
    """Microseconds of a kernel of ours; None where the device has no tensor cores for it."""
    tiling = best_tiling(sizes, device)
    narrow = any(is_unaligned(v) for v in (product.lhs, product.rhs))
    return None if tiling is None else predicted_us(tiling, sizes, device) / (device.narrow_share if narrow else 1.0)


def aligned_share(product: Product, device: Device) -> float:
    """Of the library's rate, what it reaches as rows of the factors and of the result lie."""
    shares = [1.0]
    for value in (product.lhs, product.rhs, product.result):
        if is_unaligned(value):
            odd = is_half(element_type(value.type)) and (rows_of(value)[1].constant or 0) % 2
            shares.append(device.odd_share if odd else device.unaligned_share)
    return min(shares)


def library_us(sizes: Sizes, device: Device, share: float = 1.0) -> float:
    """Microseconds of the library: operations at a share of its rate, and all bytes at the bandwidth.

    Measured on an H200: 0.8 to 1.25 times that for most of 78 products, and from 0.5 times for small ones.
    """
    rate = device.product_flops(sizes.element_bytes, tf32=True) * share
    both = power_mean((1e6 * sizes.flops / rate, 1e6 * sizes.bytes / device.bandwidth), LIBRARY_POWER)
    return both + LIBRARY_START_US + device.launch_us


def is_quicker(product: Product, sizes: Sizes, device: Device) -> bool:
    """True if a kernel of ours is predicted to take less time than the library with the kernels before and behind."""
    if not all(map(is_strided, (product.lhs, product.rhs))):
        return False  # the library is given a copy, which a kernel of ours would make again for each column
    behind = epilogue_of(product.result, device)
    ours = generated_us(product, replace(sizes, work=behind.work), device)
    library = library_us(sizes, device, LIBRARY_RATE * aligned_share(product, device))
    return ours is not None and ours < library + spared_us(product, device) + behind.spared_us


def spared_us(product: Product, device: Device) -> float:
    """Microseconds to widen factors for the library that a kernel of ours widens as it loads them: weights of 8 bits.

    One block of rows loads each factor once. More of them would each widen it again: fusion leaves it in memory.
    """
    rows = [s.constant for s in shape_of(product.result.type)[-2:]]
    few = any(size is not None and size <= LEAST for size in rows)
    return sum(_widening_us(v, device) for v in (product.lhs, product.rhs)) if few else 0.0


def _widening_us(value: SSAValue, device: Device) -> float:
    """To compute `value` from something narrower that memory holds; 0 where it is not, or others read it as well.

    Behind a reshape sums would go along several axes, as with a scale for each group of rows: no blocks multiply these.
    """
    read, work, computed = 0, [value], False
    while work:
        op = (current := work.pop()).owner
        if isinstance(op, ElementwiseOp | CastOp | BroadcastOp | PermuteOp) and current.has_one_use():
            computed = computed or isinstance(op, ElementwiseOp | CastOp)
            work += op.operands
        elif isinstance(op, ReshapeOp) and elements_of(current) == elements_of(value):
            return 0.0
        else:
            read += value_bytes(current)
    written = value_bytes(value)
    return device.traffic_us(read + written, written) + device.launch_us if computed and read < written else 0.0
