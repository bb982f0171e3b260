"""What the kernels of a plan cost on a device: the roofline with two kinds of memory, and a launch for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.ir import Attribute, Operation, SSAValue

from mlc_compiler.compare.operations import operations
from passes.common.device import Device
from passes.tensor.fusion.plan import Group, Plan, value_bytes


@dataclass(frozen=True)
class Cost:
    """Of one kernel."""

    bytes: int
    """What it reads and writes."""
    flops: int
    """All operations, a multiply-add being two."""
    us: float
    """Predicted: the longest of the times for its traffic, its products and its other arithmetic, and one launch."""
    cached: int = 0
    """Of its bytes, those that L2 still holds when it reads them."""


@dataclass(frozen=True)
class _Touched:
    """A value that a kernel has read or written."""

    bytes: int
    before: int
    """What all kernels before that one have moved."""


def plan_costs(plan: Plan, device: Device) -> tuple[Cost, ...]:
    """The cost of each kernel of `plan`, one after the other from a cold cache.

    L2 holds what a kernel touches until half of its size has been moved, what that kernel moves itself included.
    """
    moved, touched, costs = 0, dict[SSAValue, _Touched](), list[Cost]()
    for group in plan.groups:
        reads = plan.reads(group)
        held = {
            v: touched[v].bytes for v in reads if v in touched and 2 * (moved - touched[v].before) <= device.l2_bytes
        }
        costs.append(kernel_cost(plan, group, device, sum(min(reads[v], size) for v, size in held.items())))
        written = {v: value_bytes(v) for v in plan.outputs(group)}
        touched |= {v: _Touched(size, moved) for v, size in (reads | written).items()}
        moved += costs[-1].bytes
    return tuple(costs)


def kernel_cost(plan: Plan, group: Group, device: Device, cached: int = 0) -> Cost:
    """The roofline of one group of `plan`, of whose bytes L2 holds `cached`: occupancy is ignored.

    All traffic passes through L2, and what L2 does not hold comes from memory meanwhile.
    """
    return _roofline(plan.bytes(group), computed(plan, group), device, cached)


def programs_us(kernels: Sequence[Operation], device: Device) -> float:
    """Microseconds of ops each of which is a kernel, fusions and products: one after the other, each from memory."""
    moved = (sum(map(value_bytes, dict.fromkeys((*op.operands, *op.results)))) for op in kernels)
    return sum(_roofline(count, [op], device).us for count, op in zip(moved, kernels, strict=True))


def _roofline(moved: int, ops: Iterable[Operation], device: Device, cached: int = 0) -> Cost:
    """The cost of one kernel that moves so many bytes and computes `ops`."""
    products: Counter[Attribute | None] = Counter()
    others, instructions = 0, 0.0
    for op in ops:
        found = operations(op)
        products[found.element] += found.products
        others += found.others
        instructions += found.instructions
    multiplied = sum(count / product_rate(element, device) for element, count in products.items())
    traffic = max((moved - cached) / device.bandwidth, moved / device.l2_bandwidth)
    busy = max(traffic, multiplied, instructions / (INSTRUCTION_SHARE * device.flops / 2))
    return Cost(moved, others + sum(products.values()), 1e6 * busy + device.launch_us, cached)


def product_rate(element: Attribute | None, device: Device) -> float:
    """Operations a second of products of such elements: what the library reaches of the rate of tensor cores.

    Of float32 that of the other units: PyTorch multiplies it in full unless it is told otherwise.
    """
    peak = device.tensor_flops.get(str(element)) if str(element) in HALVES else None
    return (peak or device.flops) * device.product_share


HALVES = ("bf16", "f16")
INSTRUCTION_SHARE = 2 / 3
"""Of the instructions that a device can issue, what fused kernels reach. Measured on an H200, of 1,248 programs under
four strategies (`benchmarks.fusion_measured`): times of 91% are within 1.3 times so, of 85% at a share of 5/6."""


def computed(plan: Plan, group: Group) -> list[Operation]:
    """The ops of a group but for reductions that another kernel begins: this one adds up what is left of them."""
    return [op for op in group.ops if op not in plan.finished or op in group.partial]
