"""pad-products: products of matrices whose rows begin at multiples of 16 bytes, as tensor cores want them.

x @ w with 30522 columns of bfloat16 takes a slow kernel of the library: each row of the result begins at another
place than those that the tensor memory accelerator and wide loads reach. Zeros make the rows longer, and what they
add to the result is cut off by a view:

    x @ w == (x padded @ w padded)[: rows, : columns]

Rows of memory are the last dimension of an operand or of the result, for a transposed operand the one before. Zeros
along the summed dimension add 0 to each sum.

The model, in microseconds: the operations by the rate of tensor cores, a share of it where rows are not aligned, or
all bytes by the bandwidth, whichever is more. Padding an operand is a copy and a launch; nothing where it is frozen.
So is the cut, if a call or the caller reads the result; kernels of ours and other products read it where it lies.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, OpResult, SSAValue

from mlc_dialects.common.scalar_builder import scalar_attribute
from mlc_dialects.common.types import Shape, byte_size, element_type, shape_of
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.views import PadOp, PermuteOp, ReshapeOp, SliceOp
from mlc_support.index_expr import IndexExpr, integer
from mlc_support.index_expr import product as product_of
from mlc_support.index_maps import assumed
from passes.common.device import WIDEST_BYTES, Device, DevicePass
from passes.tensor.frozen import Frozen
from passes.tensor.fusion.decision import value_bytes
from passes.tensor.product_costs import aligned_share, generated_us, sizes_of, tensor_rate
from passes.tensor.products import Product, is_unaligned, rows_of

TWICE_WORTH = 1.25
"""So much longer a kernel of ours may take where a padded result would be copied: it would be in memory twice."""


@dataclass(frozen=True)
class PadProductsPass(DevicePass):
    """Pad products of matrices to whole vectors, where that pays."""

    name = "pad-products"

    tf32: bool = False
    """The library may compute products of float32 in TF32 (`torch.backends.cuda.matmul.fp32_precision`)."""
    generated: bool = True
    """Kernels of ours may compute products, as they lie: what they compute quicker is not padded."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Judge and rewrite each product of each function."""
        for function in op.ops:
            if isinstance(function, func.FuncOp) and function.body.blocks:
                padding = _Padding(function, self.target, self.tf32, self.generated)
                for product in [p for op in function.body.block.ops if (p := Product.of(op)) is not None]:
                    padding.rewrite(product)


@dataclass
class _Padding:
    """Pads the products of one function; each operand once, whoever reads it."""

    function: func.FuncOp
    device: Device
    tf32: bool
    generated: bool
    _made: dict[tuple[SSAValue, Shape], SSAValue] = field(default_factory=dict[tuple[SSAValue, Shape], SSAValue])

    def __post_init__(self) -> None:
        self._frozen = Frozen(self.function)

    def rewrite(self, product: Product) -> None:
        """The product of padded operands, cut, if that is faster."""
        rate, lengths = self._rate(product), self._lengths(product)
        if rate is None or not lengths or not self._pays(product, lengths, rate):
            return
        op, shape = product.op, shape_of(product.result.type)
        grown = [self._padded(v, product.grown(v, dims, lengths)) for v, dims in product.operands]
        added: list[Operation] = [product.of_operands(grown)]
        if shape_of(added[0].results[0].type) != shape:
            added.append(SliceOp(added[0].results[0], [0] * len(shape), [1] * len(shape), shape))
        assert op.parent is not None
        for new in added:
            new.location = op.location
            op.parent.insert_op_before(new, op)
        added[-1].results[0].name_hint = product.result.name_hint
        product.result.replace_all_uses_with(added[-1].results[0])
        op.detach()
        op.erase()

    def _rate(self, product: Product) -> float | None:
        """Operations a second of tensor cores on the operands, of which the library reaches a share; None without."""
        peak = tensor_rate(element_type(product.result.type), self.device, self.tf32)
        return None if peak is None else peak * self.device.product_share

    def _lengths(self, product: Product) -> dict[str, IndexExpr]:
        """What the dimensions m, n and k grow to: those that rows of memory run along, where they are not whole."""
        step = WIDEST_BYTES // byte_size(element_type(product.result.type))
        found: dict[str, IndexExpr] = {}
        for value, dims in (*product.operands[:2], (product.result, "mn")):
            last, _ = rows_of(value)
            size = shape_of(value.type)[last].constant
            if size is not None and size > 1 and is_unaligned(value):
                found[dims[last - len(shape_of(value.type))]] = integer(-(-size // step) * step)
        return found

    def _pays(self, product: Product, lengths: dict[str, IndexExpr], rate: float) -> bool:
        """True if the product is faster by more than its operands and its result take to be copied."""
        flops = 2 * assumed(product_of([*shape_of(product.result.type), shape_of(product.lhs.type)[-1]]))
        values = (product.lhs, product.rhs, product.result)
        memory = 1e6 * sum(value_bytes(v) for v in values) / self.device.bandwidth
        before = max(1e6 * flops / (rate * aligned_share(product, self.device)), memory)
        padded = max(1e6 * flops / rate, memory) + self._copies_us(product, lengths)
        worth = TWICE_WORTH if _is_copied(product, lengths) else 1.0
        return padded < before and not self._generated_in(product, worth * padded)

    def _copies_us(self, product: Product, lengths: dict[str, IndexExpr]) -> float:
        """Microseconds to copy operands to longer rows, and the result to rows of its own."""
        grown = [v for v, dims in product.operands if any(d in lengths for d in dims)]
        copied = [v for v in grown if not self._frozen(v) and not self._is_made(v, lengths, product)]
        if _is_copied(product, lengths):
            copied.append(product.result)
        return sum(self.device.traffic_us(2 * value_bytes(v), value_bytes(v)) + self.device.launch_us for v in copied)

    def _generated_in(self, product: Product, us: float) -> bool:
        """True if a kernel of ours computes the product as it lies in less than `us`."""
        sizes = sizes_of(product, self.device, self.tf32) if self.generated else None
        ours = None if sizes is None else generated_us(product, sizes, self.device)
        return ours is not None and ours < us

    def _is_made(self, value: SSAValue, lengths: dict[str, IndexExpr], product: Product) -> bool:
        """True if another product has the operand padded so already."""
        dims = next(d for v, d in product.operands if v == value)
        return _as_it_lies(value, product.grown(value, dims, lengths)) in self._made

    def _padded(self, value: SSAValue, shape: Shape) -> SSAValue:
        """`value` with zeros behind it; a transposed one is padded as it lies in memory."""
        if shape_of(value.type) == shape:
            return value
        base, grown = _as_it_lies(value, shape)
        if (base, grown) not in self._made:
            zero = scalar_attribute(0.0, element_type(base.type))
            new = PadOp(base, [0] * len(grown), grown, zero)
            self._insert(new, base)
            self._made[base, grown] = new.result
        return self._permuted_like(value, self._made[base, grown])

    def _permuted_like(self, value: SSAValue, base: SSAValue) -> SSAValue:
        """`base` with the permutations that give `value`."""
        if not isinstance(op := value.owner, PermuteOp):
            return base
        new = PermuteOp(self._permuted_like(op.input, base), op.order)
        self._insert(new, value)
        return new.result

    def _insert(self, new: Operation, value: SSAValue) -> None:
        """Puts `new` behind what makes `value`, and what it reads itself."""
        made = [v.op for v in (value, *new.operands) if isinstance(v, OpResult)]
        block = self.function.body.block
        if not made:
            assert block.first_op is not None
            block.insert_op_before(new, block.first_op)
            new.location = self.function.location
            return
        block.insert_op_after(new, made[-1])
        new.location = made[0].location


def _as_it_lies(value: SSAValue, shape: Shape) -> tuple[SSAValue, Shape]:
    """What `value` is a permutation of, and the shape that this has where `value` has `shape`."""
    if not isinstance(op := value.owner, PermuteOp):
        return value, shape
    return _as_it_lies(op.input, tuple(shape[op.order.index(d)] for d in range(len(shape))))


def _is_copied(product: Product, lengths: dict[str, IndexExpr]) -> bool:
    """True if the padded result has longer rows, and is read by what wants rows without gaps."""
    strided = "n" in lengths or ("m" in lengths and len(shape_of(product.result.type)) > 2)
    return strided and not _is_read_in_place(product.result)


def _is_read_in_place(value: SSAValue) -> bool:
    """True if kernels and products alone read `value`, or views of it."""
    return all(_reads_in_place(use.operation) for use in value.uses)


def _reads_in_place(op: Operation) -> bool:
    if isinstance(op, ReshapeOp | PermuteOp | SliceOp):
        return _is_read_in_place(op.result)
    return not isinstance(op, ExternOp | func.ReturnOp)
