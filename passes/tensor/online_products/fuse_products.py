"""fuse-products: products of matrices that follow each other become one kernel, and the scores between them stay there.

    s = q @ k.T;  p = softmax(f(s));  o = p @ v       ->     one fusion of kind "online"
    s = h @ w.T;  loss = log(sum(exp(s))) - s[t]      ->     one
    dq = ds @ k;  dk = ds.T @ q;  dv = p.T @ do       ->     one for each axis of the scores that is summed
    db = sum of ds over the batch                     ->     one

This is legal where what stands between the products has an online form (`online_form`): not one spelling of softmax is
looked for, but sums that are linear in an exponential. Scale, masks, bias, soft-capping and what else is pointwise fuse
by that, and so do products with no reduction between them. Scores that anybody else reads stay in memory.

Each kernel computes the scores that it needs: it pays where the traffic that is saved takes longer than exponentials
that products wait for (`costs`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from mlc_dialects.common.annotations import ROUNDED
from mlc_dialects.common.types import with_shape
from mlc_dialects.tensor.calls import ONLINE, FusionOp, YieldOp, is_impure
from mlc_dialects.tensor.ops import MatmulOp
from passes.common.device import Device, DevicePass
from passes.tensor.fusion.decision import human_bytes, value_bytes
from passes.tensor.online_products.costs import apart_us
from passes.tensor.online_products.kernels import choices
from passes.tensor.online_products.online_form import OnlineForm
from passes.tensor.online_products.outputs import outputs_of
from passes.tensor.online_products.region import NoOnlineFormError, region_before, region_behind
from passes.tensor.online_products.region import Region as Products
from passes.tensor.products import Product


@dataclass(frozen=True)
class FuseProductsPass(DevicePass):
    """Makes one kernel of products that follow each other, where what lies between has an online form."""

    name = "fuse-products"
    worth: float = 2.0
    """Of the time in parts, what one kernel may take; more than 1 where memory matters more."""
    tf32: bool = False
    """Products of float32 may be computed in TF32 (`torch.backends.cuda.matmul.fp32_precision`)."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                self._fuse_all(function.body.block)

    def _fuse_all(self, block: Block) -> None:
        """A fusion for each product that follows others; then one for each that reductions follow."""
        for last in [op for op in block.ops if isinstance(op, MatmulOp)]:
            if last.parent is block:
                regions = [region_before(last, weights, self.tf32) for weights in (last.lhs, last.rhs)]
                _fuse(block, regions, self.target, self.worth)
        for scores in [found for op in block.ops if (found := Product.of(op)) is not None]:
            if scores.op.parent is block:
                _fuse(block, [region_behind(scores, self.tf32)], self.target, self.worth)


def _fuse(block: Block, regions: Sequence[Products | None], device: Device, worth: float) -> None:
    """Fusions of the first of `regions` for which they are legal and pay: at most `worth` of the time in parts."""
    for region in filter(None, regions):
        apart = apart_us(region, device)
        for kernels in choices(region, device):
            pays = sum(us for _, us in kernels) <= worth * apart
            if pays and all(_may_move(block, region, kernel) for kernel, _ in kernels):
                try:
                    _write(region, kernels, apart)
                except NoOnlineFormError:
                    continue
                return


def _write(region: Products, kernels: Sequence[tuple[Products, float]], apart: float) -> None:
    """Replaces the region by fusions, one for each kernel. NoOnlineFormError, before any change, where one has none."""
    forms = [OnlineForm(kernel) for kernel, _ in kernels]
    for form in forms:
        form.block.add_op(YieldOp(form.write()))
    for (kernel, us), form in zip(kernels, forms, strict=True):
        _delay(region, kernel)
        _insert(kernel, form, _why(kernel, us, len(kernels), apart))
    for op in reversed(region.ops):
        Rewriter.erase_op(op)


def _delay(region: Products, kernel: Products) -> None:
    """Moves what reads outputs of a kernel before its last op behind that."""
    last = next(reversed(kernel.ops))
    block = last.parent
    assert block is not None
    for op in reversed(_early(block, region, kernel) or []):
        op.detach()
        block.insert_op_after(op, last)


def _why(kernel: Products, us: float, count: int, apart: float) -> str:
    """The reason for a kernel, one of `count`, with the microseconds predicted for it and for all in parts."""
    scores = human_bytes(sum(value_bytes(p.result) for p in kernel.scores))
    inner = [v for op in kernel.ops for v in op.results if v not in kernel.outputs]
    share = f" for one of {count} kernels" if count > 1 else ""
    return (
        f"scores of {scores} stay in registers, as {len(inner)} intermediates do: {us:.1f} us predicted{share}, "
        f"{apart:.1f} us in parts"
    )


def _may_move(block: Block, region: Products, kernel: Products) -> bool:
    """True if all of a kernel may be computed where its last op is: no call in between could change what it reads."""
    place = {op: k for k, op in enumerate(block.ops)}
    first, end = (pick(place[op] for op in kernel.ops) for pick in (min, max))
    between = (op for op, k in place.items() if first < k < end)
    return _early(block, region, kernel) is not None and not any(is_impure(op) and op.inputs for op in between)


def _early(block: Block, region: Products, kernel: Products) -> list[Operation] | None:
    """What reads outputs of a kernel before its last op, and what reads that: it has to move behind. None if it cannot.

    So does the sum of gradients of values over the heads that share them, before those of keys are known.
    """
    place = {op: k for k, op in enumerate(block.ops)}
    end = max(place[op] for op in kernel.ops)
    work = [op for v in kernel.outputs for op in _readers(block, v) if op not in region.ops]
    found: set[Operation] = set()
    while work:
        op = work.pop()
        if place[op] > end or op in found:
            continue
        if op in region.ops or is_impure(op):
            return None
        found.add(op)
        work += [reader for v in op.results for reader in _readers(block, v)]
    return sorted(found, key=place.__getitem__)


def _readers(block: Block, value: SSAValue) -> Iterator[Operation]:
    """The ops of `block` that read `value`."""
    return (use.operation for use in value.uses if use.operation.parent is block)


def _insert(kernel: Products, form: OnlineForm, why: str) -> None:
    """The fusion before the kernel's last op, and its results in the place of the outputs."""
    last = next(reversed(kernel.ops))
    outputs = outputs_of(kernel)
    types = [with_shape(out.value.type, out.shape) for out in outputs]
    fusion = FusionOp(form.inputs, types, ONLINE, why, Region(form.block))
    if kernel.is_rounded:
        fusion.attributes[ROUNDED] = UnitAttr()
    block = last.parent
    assert block is not None

    def add(op: Operation) -> SSAValue:
        block.insert_op_before(op, last)
        return op.results[0]

    for op in (*form.before, fusion):
        op.location = last.location
        add(op)
    for out, new in zip(outputs, fusion.outputs, strict=True):
        new.name_hint = out.value.name_hint
        out.value.replace_all_uses_with(out.outside(new, add))
