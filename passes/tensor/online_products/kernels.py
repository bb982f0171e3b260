"""The kernels of a region: products that sum the same scores along one axis may be one, those along another are not.

    dq = ds @ k,  dk = ds.T @ q,  dv = p.T @ do,  db = sum of ds over the batch      ->     dq;  dk and dv;  db

Each kernel computes the scores that it needs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from math import inf

from xdsl.ir import Operation, SSAValue

from mlc_dialects.tensor.ops import ReduceOp
from passes.common.device import Device
from passes.common.online_tiling import least_us
from passes.tensor.online_products.costs import sizes_of_region, sizes_of_sum
from passes.tensor.online_products.region import Last, NoOnlineFormError, Region, summed_over


def choices(region: Region, device: Device) -> list[list[tuple[Region, float]]]:
    """What the kernels may be, with the microseconds that are predicted for each; the least in all first."""
    try:
        joined, single = _joined(region), [[last] for last in region.lasts]
        found = [_timed(region, groups, device) for groups in ([joined] if joined == single else [joined, single])]
    except NoOnlineFormError:
        return []
    possible = [kernels for kernels in found if kernels and all(us < inf for _, us in kernels)]
    return sorted(possible, key=lambda kernels: sum(us for _, us in kernels))


def _joined(region: Region) -> list[list[Last]]:
    """The last products by the axis that they sum along, and their columns."""
    groups: list[list[Last]] = []
    for last in region.lasts:
        sides = _sides(region, [last])
        alike = (g for g in groups if g[0].columns == last.columns and _agree(_sides(region, g), sides))
        group = next(alike, None)
        if group is None:
            groups.append([last])
        else:
            group.append(last)
    return groups


def _sides(region: Region, lasts: Iterable[Last]) -> dict[Operation, int]:
    """The dimensions of scores that last products sum along."""
    return region.key_sides((last.weights, last.point) for last in lasts)


def _sides_of(region: Region, value: SSAValue) -> dict[Operation, int]:
    """Those that the reductions behind `value` sum along."""
    reductions = [op for op in _behind(region, [value]) if isinstance(op, ReduceOp)]
    return region.key_sides((op.input, i) for op in reductions if (i := summed_over(op)) is not None)


def _agree(one: dict[Operation, int], other: dict[Operation, int]) -> bool:
    """True if the same scores are summed along the same dimension, of those that both sum."""
    common = one.keys() & other.keys()
    return bool(common) and all(one[op] == other[op] for op in common)


def _timed(region: Region, groups: list[list[Last]], device: Device) -> list[tuple[Region, float]]:
    """A kernel for each group; infinite time where there is none, and no kernels where an output is of two of them."""
    kernels = _parts(region, groups) if groups else [region]
    sizes = [sizes_of_sum(kernel) if kernel.batch_sums else sizes_of_region(kernel) for kernel in kernels]
    times = [inf if s is None else least_us(s, device) for s in sizes]
    return list(zip(kernels, times, strict=True))


def _parts(region: Region, groups: Collection[list[Last]]) -> list[Region]:
    """The region cut by its last products. Numbers of rows are outputs of the first part that sums along these rows.

    If there is none they are parts of their own, which end with reductions.
    """
    left = list(region.outputs)
    parts: list[Region] = []
    for lasts in groups:
        own = [v for v in left if _is_output(region, v, lasts)]
        left = [v for v in left if v not in own]
        parts.append(_part(region, lasts, own))
    return [] if any(map(region.behind, left)) else [*parts, *(_part(region, [], [v]) for v in left)]


def _part(region: Region, lasts: list[Last], outputs: list[SSAValue]) -> Region:
    """What of the region is needed for `outputs`."""
    needed = _behind(region, outputs)
    ops = dict.fromkeys(op for op in region.ops if op in needed)
    return replace(region, lasts=lasts, scores=[p for p in region.scores if p.op in ops], ops=ops, outputs=outputs)


def _is_output(region: Region, value: SSAValue, lasts: list[Last]) -> bool:
    """True if the kernel of `lasts` may compute `value`."""
    behind = region.behind(value)
    if behind:
        return all(last in lasts for last in behind)
    return _agree(_sides_of(region, value), _sides(region, lasts))


def _behind(region: Region, values: Iterable[SSAValue]) -> set[Operation]:
    """The ops of `region` that compute `values`."""
    found: set[Operation] = set()
    work = [v.owner for v in values]
    while work:
        op = work.pop()
        if isinstance(op, Operation) and op in region.ops and op not in found:
            found.add(op)
            work += [v.owner for v in op.operands]
    return found
