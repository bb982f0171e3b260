"""fuse-products: products of matrices that follow each other become one kernel, and the scores between them stay there.

    s = q @ k.T;  p = softmax(f(s));  o = p @ v       ->     one fusion of kind "online"
    s = h @ w.T;  loss = log(sum(exp(s))) - s[t]      ->     one

This is legal where what stands between the products has an online form (`online_form`): not one spelling of softmax is
looked for, but sums that are linear in an exponential. Scale, masks, bias, soft-capping and what else is pointwise fuse
by that, and so do products with no reduction between them. Scores that anybody else reads stay in memory.

Each score is computed once, as before: it pays where the traffic that is saved takes longer than exponentials that
products wait for (`costs`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from mlc_dialects.tensor.calls import ONLINE, FusionOp, YieldOp, is_impure
from mlc_dialects.tensor.ops import MatmulOp
from passes.common.device import Device, DevicePass
from passes.tensor.fusion.decision import human_bytes, value_bytes
from passes.tensor.online_products.costs import apart_us, online_us, sizes_of_region
from passes.tensor.online_products.online_form import NoOnlineFormError, OnlineForm
from passes.tensor.online_products.region import Region as Products
from passes.tensor.online_products.region import region_before, region_behind
from passes.tensor.products import Product


@dataclass(frozen=True)
class FuseProductsPass(DevicePass):
    """Makes one kernel of products that follow each other, where what lies between has an online form."""

    name = "fuse-products"
    worth: float = 2.0
    """Of the time in parts, what one kernel may take; more than 1 where memory matters more."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                _fuse_all(function.body.block, self.target, self.worth)


def _fuse_all(block: Block, device: Device, worth: float) -> None:
    """A fusion for each product that follows others; then one for each that reductions follow."""
    for last in [op for op in block.ops if isinstance(op, MatmulOp)]:
        if last.parent is block:
            _fuse(block, [region_before(last, weights) for weights in (last.lhs, last.rhs)], device, worth)
    for scores in [found for op in block.ops if (found := Product.of(op)) is not None]:
        if scores.op.parent is block:
            _fuse(block, [region_behind(scores)], device, worth)


def _fuse(block: Block, regions: Sequence[Products | None], device: Device, worth: float) -> None:
    """A fusion of the first of `regions` for which it is legal and pays."""
    for region in regions:
        why = None if region is None else _pays(region, device, worth)
        if region is None or why is None or not _may_move(block, region):
            continue
        form = OnlineForm(region)
        try:
            results = form.write()
        except NoOnlineFormError:
            continue
        form.block.add_op(YieldOp(results))
        _replace(region, form, why)
        return


def _pays(region: Products, device: Device, worth: float) -> str | None:
    """The reason for one kernel: it is predicted to take at most `worth` of the time in parts; None otherwise."""
    sizes = sizes_of_region(region)
    one = None if sizes is None else online_us(sizes, device)
    apart = apart_us(region, device)
    if one is None or one > worth * apart:
        return None
    scores = human_bytes(sum(value_bytes(p.result) for p in region.scores))
    inner = [v for op in region.ops for v in op.results if v not in region.outputs]
    return (
        f"scores of {scores} stay in registers, as {len(inner)} intermediates do: {one:.1f} us predicted, "
        f"{apart:.1f} us in parts"
    )


def _may_move(block: Block, region: Products) -> bool:
    """True if all of the region may be computed where its last op is: nothing in between writes memory or reads it."""
    place = {op: k for k, op in enumerate(block.ops)}
    first, end = (pick(place[op] for op in region.ops) for pick in (min, max))
    readers = [place[op] for v in region.outputs for op in _readers(block, v) if op not in region.ops]
    between = (op for op, k in place.items() if first < k < end)
    return min(readers, default=end + 1) > end and not any(map(is_impure, between))


def _readers(block: Block, value: SSAValue) -> Iterator[Operation]:
    """The ops of `block` that read `value`."""
    return (use.operation for use in value.uses if use.operation.parent is block)


def _replace(region: Products, form: OnlineForm, why: str) -> None:
    """The fusion in the place of the region's ops."""
    last = next(reversed(region.ops))
    types = [v.type for v in region.outputs]
    fusion = FusionOp(form.inputs, types, ONLINE, why, Region(form.block))
    fusion.location = last.location
    assert last.parent is not None
    last.parent.insert_op_before(fusion, last)
    for old, new in zip(region.outputs, fusion.outputs, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    for op in reversed(region.ops):
        Rewriter.erase_op(op)
