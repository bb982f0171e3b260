"""Whether one kernel of products that follow each other is quicker than a kernel for each."""

from __future__ import annotations

from dataclasses import replace
from math import gcd, prod

from xdsl.ir import SSAValue

from mlc_dialects.common.types import byte_size, element_type, shape_of
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_support.index_expr import integer, product
from mlc_support.index_maps import assumed, constants
from passes.common.device import Device
from passes.common.online_tiling import WIDEST, OnlineSizes, online_us
from passes.common.product_tiling import LEAST
from passes.tensor.descendants import SAME, source_of
from passes.tensor.fusion.decision import value_bytes
from passes.tensor.online_products.region import Region
from passes.tensor.products import Product

PASSES = 4
"""How often scores cross memory otherwise: to the softmax, and from that to the next product."""
PASSES_OF_GRADIENTS, POINTWISE_OF_GRADIENTS = 2 * PASSES, 8
"""The same for the scores and the gradients of weights, and about how many instructions each score takes then."""


def sizes_of_region(region: Region) -> OnlineSizes | None:
    """The sizes of the products; None where a block cannot hold what it has to, or depths or columns are not known."""
    scores = region.scores[0]
    shape, columns = shape_of(scores.result.type), region.lasts[0].columns if region.lasts else integer(0)
    held = constants([columns, *(shape_of(p.lhs.type)[-1] for p in region.scores)])
    turned = (*shape[:-2], shape[-1], shape[-2])
    if held is None or region.keys is None:
        return None
    if any(shape_of(p.result.type) not in (shape, turned) for p in region.scores):
        return None
    (*batch, m, n), (width, *depths) = map(assumed, shape), held
    keys = assumed(region.keys)
    rows, many = m * n // max(1, keys), prod(batch)
    shared = _heads(region) if 0 < rows < LEAST else 1
    rows, many = rows * shared, many // shared
    if not many or not rows or not all(depths) or not fits(keys, width):
        return None
    element_bytes, sums = byte_size(element_type(scores.lhs.type)), max(1, len(region.lasts))
    pointwise, shared = _pointwise(region, scores), _shared(region) if element_bytes == 2 else 0
    return OnlineSizes(many, rows, keys, tuple(depths), width, element_bytes, pointwise, sums, shared, region.tf32)


def sizes_of_sum(region: Region) -> OnlineSizes | None:
    """Those of a region that sums scores over a part of their batch.

    None where they are not known, where products are transposed, or one is too deep to be held.
    """
    scores, summed = region.scores[0], region.keys
    shape, depths = shape_of(scores.result.type), [shape_of(p.lhs.type)[-1] for p in region.scores]
    known = None if summed is None else constants([*shape, summed, *depths])
    if known is None or any(shape_of(p.result.type) != shape for p in region.scores):
        return None
    (*batch, rows, keys), added, held = known[: len(shape)], known[len(shape)], tuple(known[len(shape) + 1 :])
    if max(held) > WIDEST or not all(known):
        return None
    width, pointwise = byte_size(element_type(scores.lhs.type)), _pointwise(region, scores)
    return OnlineSizes(prod(batch) // added, rows, keys, held, 0, width, pointwise, tf32=region.tf32, added=added)


def _shared(region: Region) -> int:
    """How many sums have a factor that is one of scores too, the other way round."""
    of_scores = {source_of(v, SAME) for p in region.scores for v in (p.lhs, p.rhs)}
    return sum(source_of(last.other, SAME) in of_scores for last in region.lasts)


def _heads(region: Region) -> int:
    """How many heads of queries share each head of keys and values, which the program repeats."""
    return gcd(*map(_repeats, _of_keys(region)))


def _of_keys(region: Region) -> list[SSAValue]:
    """The factors that the queries are multiplied by, and the weights."""
    return [*(p.rhs for p in region.scores), *(last.other for last in region.lasts)]


def _repeats(value: SSAValue) -> int:
    """How often `value` has each element of what it is a view of."""
    source = source_of(value)
    return assumed(product(shape_of(value.type))) // max(1, assumed(product(shape_of(source.type))))


def _pointwise(region: Region, scores: Product) -> int:
    """What is done to each score, in ops, less the difference and the exponential of a softmax."""
    elements = product(shape_of(scores.result.type))
    each = (op for op in region.ops if isinstance(op, ElementwiseOp))
    return max(0, sum(product(shape_of(op.results[0].type)) == elements for op in each) - 2)


def fits(keys: int, columns: int | None) -> bool:
    """True if keys fill a block, and a block holds all columns: else each block would compute the scores."""
    return keys >= LEAST and columns is not None and columns <= WIDEST


def apart_us(region: Region, device: Device) -> float:
    """Microseconds of the library's products, and of a kernel between them, with all traffic of the scores."""
    heads = _heads(region)
    repeated = sum(map(value_bytes, _of_keys(region))) if heads > 1 else 0
    crossing = _crossings(region) * value_bytes(region.scores[0].result)
    products = [*region.scores, *(p for last in region.lasts if (p := Product.of(last.op)) is not None)]
    written = device.traffic_us(repeated + repeated // heads, repeated)
    between = device.launch_us + device.traffic_us(crossing, crossing)
    return written + between + sum(_product_us(p, region.tf32, device) for p in products)


def _crossings(region: Region) -> int:
    """How often all scores cross memory in parts: products write them, a kernel reads them and writes weights, which
    other products read; so does a sum over a batch.

    Where one product gives all scores, that kernel may be its epilogue: what that saves makes up for a second reader.
    """
    weights = len({source_of(last.weights, SAME) for last in region.lasts})
    readers = len(region.lasts) if len(region.scores) > 1 else weights
    return 2 * len(region.scores) + weights + readers + len(region.batch_sums)


def _product_us(product_: Product, tf32: bool, device: Device) -> float:
    depth = shape_of(product_.lhs.type)[-1].constant or 1
    flops = 2 * depth * (product(shape_of(product_.result.type)).constant or 0)
    moved = value_bytes(product_.lhs) + value_bytes(product_.rhs)
    return _library_us(flops, moved, byte_size(element_type(product_.lhs.type)), tf32, device)


def _library_us(flops: int, moved: int, width: int, tf32: bool, device: Device) -> float:
    """Operations at the library's rate, or bytes of the factors at the bandwidth, whichever takes longer.

    Unlike `product_costs.library_us` it has batches and float32, and no result: the traffic of scores is counted apart.
    """
    return device.launch_us + 1e6 * max(flops / device.product_flops(width, tf32), moved / device.bandwidth)


def training_pays(sizes: OnlineSizes, device: Device, worth: float) -> bool:
    """True if kernels of ours take at most `worth` of the time in parts, for attention and its gradients together.

    `sizes` are those of the attention: scores of one product, weights of one sum. Gradients compute the scores again,
    in two kernels, and in a third one where those of `added` are added up. Either alone would not do: scores in memory
    are rounded, and numbers of their rows belong to them.
    """
    (depth,), added, sizes = sizes.depths, sizes.added, replace(sizes, added=1)
    of_rows = replace(sizes, depths=(depth, sizes.columns), columns=depth, pointwise=POINTWISE_OF_GRADIENTS, shared=1)
    of_keys = replace(of_rows, rows=sizes.keys, keys=sizes.rows, sums=2, shared=2)
    if depth == sizes.columns:
        gradients = [of_rows, of_keys]
    else:
        of_values = replace(of_keys, depths=(depth,), columns=sizes.columns, sums=1, shared=0)
        gradients = [of_rows, replace(of_keys, sums=1, shared=1), of_values]
    if added > 1:
        kept = sizes.batch // added
        gradients.append(replace(of_rows, batch=kept, columns=0, shared=0, added=added))
    scores = sizes.batch * sizes.rows * sizes.keys
    products = sum(
        _library_us(2 * scores * d, 0, sizes.element_bytes, sizes.tf32, device) for d in (depth, sizes.columns)
    )

    def parts_us(passes: int, times: float) -> float:
        crossing = passes * scores * sizes.element_bytes
        return times * products + device.launch_us + device.traffic_us(crossing, crossing)

    ours, of_gradients = online_us(sizes, device), sum(online_us(kernel, device) for kernel in gradients)
    passes = PASSES_OF_GRADIENTS + (added > 1)
    apart = parts_us(PASSES, 1)
    both = apart + parts_us(passes, 2)
    again = parts_us(passes + 1, 2.5)  # in parts, of scores that are not kept: `fuse-products` will compare with that
    return ours <= worth * apart and ours + of_gradients <= worth * both and of_gradients <= worth * again
