"""Whether one kernel of products that follow each other is quicker than a kernel for each."""

from __future__ import annotations

from mlc_dialects.common.types import byte_size, element_type, shape_of
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_support.index_expr import product
from passes.common.device import Device
from passes.common.online_tiling import WIDEST, OnlineSizes, best_online_tiling, predicted_us
from passes.common.product_tiling import LEAST
from passes.tensor.fusion.decision import value_bytes
from passes.tensor.online_products.region import Region
from passes.tensor.products import Product

PASSES, PASSES_REDUCED = 4, 2
"""How often scores cross memory otherwise: to the softmax, and from that to the next product; or to reductions."""


def sizes_of_region(region: Region) -> OnlineSizes | None:
    """The sizes of the products; None where one is not known, or a block cannot hold what it has to."""
    if len(region.scores) != 1:
        return None
    (scores,), last, keys = region.scores, region.last, region.keys
    sizes = [product(shape_of(v.type)).constant for v in (scores.lhs, scores.rhs, scores.result)]
    columns = 0 if last is None else shape_of(last.result.type)[-1 if region.begins_weights_left else -2].constant
    if None in sizes or 0 in sizes or columns is None or keys is None:
        return None
    *batch, m, n = shape_of(scores.result.type)
    rows = (product((m, n)).constant or 0) // keys
    if not fits(rows, keys, columns):
        return None
    depth, many = shape_of(scores.lhs.type)[-1].constant or 1, product(batch).constant or 1
    width = byte_size(element_type(scores.lhs.type))
    return OnlineSizes(many, rows, keys, depth, columns, width, _pointwise(region, scores))


def _pointwise(region: Region, scores: Product) -> int:
    """What is done to each score, in ops, less the difference and the exponential of a softmax."""
    elements = product(shape_of(scores.result.type))
    each = (op for op in region.ops if isinstance(op, ElementwiseOp))
    return max(0, sum(product(shape_of(op.results[0].type)) == elements for op in each) - 2)


def fits(rows: int | None, keys: int | None, columns: int | None) -> bool:
    """True if rows and keys fill a block, and a block holds all columns: else each block would compute the scores.

    For fewer rows, as in decoding, programs would have to share the keys.
    """
    long = rows is not None and rows >= LEAST and keys is not None and keys >= LEAST
    return long and columns is not None and columns <= WIDEST


def online_us(sizes: OnlineSizes, device: Device) -> float | None:
    """Microseconds of the one kernel; None where the device has no tiling for it."""
    tiling = best_online_tiling(sizes, device)
    return None if tiling is None else predicted_us(tiling, sizes, device)


def apart_us(region: Region, device: Device) -> float:
    """Microseconds of the library's products, and of a kernel between them, with all traffic of the scores."""
    last = None if region.last is None else Product.of(region.last)
    crossing = (PASSES_REDUCED if last is None else PASSES) * sum(value_bytes(p.result) for p in region.scores)
    products = [*region.scores, *([last] if last is not None else [])]
    return device.launch_us + device.traffic_us(crossing, crossing) + sum(_library_us(p, device) for p in products)


def _library_us(product_: Product, device: Device) -> float:
    """Operations at the library's rate, or the factors at the bandwidth, whichever takes longer.

    Unlike `product_costs.library_us` it has batches and float32, and no result: the traffic of scores is counted apart.
    """
    depth = shape_of(product_.lhs.type)[-1].constant or 1
    flops = 2 * depth * (product(shape_of(product_.result.type)).constant or 0)
    rate = device.product_flops(byte_size(element_type(product_.lhs.type)))
    moved = value_bytes(product_.lhs) + value_bytes(product_.rhs)
    return device.launch_us + 1e6 * max(flops / rate, moved / device.bandwidth)
