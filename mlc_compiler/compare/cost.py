"""What a kernel costs on a device: the roofline, and a launch."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Operation

from passes.common.device import Device
from passes.tensor.fusion.decision import op_flops
from passes.tensor.fusion.plan import Group, Plan


@dataclass(frozen=True)
class Cost:
    """Of one kernel."""

    bytes: int
    flops: int
    us: float
    """Predicted: the greater of the time for its traffic and for its arithmetic, and one launch."""


def kernel_cost(plan: Plan, group: Group, device: Device) -> Cost:
    """The roofline of one group of `plan`: caches, occupancy and tensor cores are ignored."""
    moved, flops = plan.bytes(group), sum(map(op_flops, computed(plan, group)))
    busy = max(moved / device.bandwidth, flops / device.flops)
    return Cost(moved, flops, 1e6 * busy + device.launch_us)


def computed(plan: Plan, group: Group) -> list[Operation]:
    """The ops of a group but for reductions that another kernel begins: this one adds up what is left of them."""
    begun = {op for other in plan.groups for op in other.partial if other is not group}
    return [op for op in group.ops if op not in begun or op in group.partial]
