"""What a kernel costs on a device: the roofline, and a launch."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from xdsl.ir import Attribute, Operation

from mlc_compiler.compare.operations import operations
from passes.common.device import Device
from passes.tensor.fusion.plan import Group, Plan


@dataclass(frozen=True)
class Cost:
    """Of one kernel."""

    bytes: int
    flops: int
    """All operations, a multiply-add being two."""
    us: float
    """Predicted: the longest of the times for its traffic, its products and its other arithmetic, and one launch."""


def kernel_cost(plan: Plan, group: Group, device: Device) -> Cost:
    """The roofline of one group of `plan`: caches and occupancy are ignored."""
    moved = plan.bytes(group)
    products: Counter[Attribute | None] = Counter()
    others = 0
    for op in computed(plan, group):
        found = operations(op)
        products[found.element] += found.products
        others += found.others
    multiplied = sum(count / product_rate(element, device) for element, count in products.items())
    busy = max(moved / device.bandwidth, multiplied, others / device.flops)
    return Cost(moved, others + sum(products.values()), 1e6 * busy + device.launch_us)


def product_rate(element: Attribute | None, device: Device) -> float:
    """Operations a second of products of such elements: what the library reaches of the rate of tensor cores.

    float32 has none: PyTorch multiplies it in full unless it is told otherwise.
    """
    peak = device.tensor_flops.get(str(element)) if str(element) in HALVES else None
    return device.flops if peak is None else peak * device.product_share


HALVES = ("bf16", "f16")


def computed(plan: Plan, group: Group) -> list[Operation]:
    """The ops of a group but for reductions that another kernel begins: this one adds up what is left of them."""
    return [op for op in group.ops if op not in plan.finished or op in group.partial]
