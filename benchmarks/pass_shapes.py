"""Large modules for `benchmarks.passes`: what models are made of, many times over, and what no model should be.

A shape yields groups of ops; the last op of each computes what the next group starts from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    bf16,
    f32,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from mlc_dialects.common.annotations import FROZEN
from mlc_dialects.common.types import Shape, shape_of, tensor_type
from mlc_dialects.tensor import composites as composites
from mlc_dialects.tensor import elementwise as ew
from mlc_dialects.tensor.calls import ExternOp, OperandAttr
from mlc_dialects.tensor.composite_op import CompositeOp, Parameter, results_of
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, MatmulOp, ReduceOp
from mlc_dialects.tensor.views import BroadcastOp, PadOp, PermuteOp, ReshapeOp, SliceOp
from mlc_support.index_expr import IndexExpr, variable
from mlc_support.rewriting import unplaced_ops

SIZES = (64, 64)
HEADS, PICTURE, FILTER = (8, 64, 32), (2, 16, 28, 28), (16, 16, 3, 3)

Ops = Iterator[tuple[Operation, ...]]


class Program:
    """The function that a shape fills: its arguments are made as the shape asks for them."""

    def __init__(self) -> None:
        self.block = Block()
        self._frozen: list[bool] = []

    def argument(
        self, sizes: Shape | tuple[IndexExpr | int, ...] = SIZES, element: Attribute = f32, *, frozen: bool = False
    ) -> SSAValue:
        """A new argument; one that is `frozen` is a parameter."""
        self._frozen.append(frozen)
        return self.block.insert_arg(tensor_type(sizes, element), len(self.block.args))

    def function(self, name: str, results: tuple[SSAValue, ...]) -> func.FuncOp:
        """The function, which gives `results`."""
        self.block.add_op(func.ReturnOp(*results))
        types = [a.type for a in self.block.args], [v.type for v in results]
        marks = [DictionaryAttr({FROZEN: UnitAttr()} if mark else {}) for mark in self._frozen]
        return func.FuncOp(name, types, Region(self.block), arg_attrs=ArrayAttr(marks))


Filler = Callable[[Program], Ops]


@dataclass(frozen=True)
class Large:
    """A shape of module: what fills its functions, and how long they are."""

    fill: Filler
    longest: int | None = None
    """Ops of one function; None for one function that holds all."""

    @property
    def name(self) -> str:
        return self.fill.__name__

    def build(self, size: int) -> ModuleOp:
        """A module of `size` ops, or some more to end a group."""
        functions: list[func.FuncOp] = []
        while size > 0:
            program, count = Program(), 0
            for group in self.fill(program):
                program.block.add_ops(group)
                count += len(group)
                if count >= min(self.longest or size, size):
                    functions.append(program.function(f"f{len(functions)}", tuple(group[-1].results)))
                    break
            size -= count
        return ModuleOp(functions)


def _needed(value: SSAValue) -> tuple[Operation, ...]:
    """The ops that `value` needs and no block has yet."""
    assert isinstance(value.owner, Operation)
    return tuple(unplaced_ops([value.owner]))


def _plain(value: SSAValue) -> tuple[Operation, ...]:
    """As `_needed`, with the composites among them opened."""
    for op in _needed(value):
        if isinstance(op, CompositeOp):
            for old, new in zip(op.outputs, op.opened(op.inputs), strict=True):
                old.replace_all_uses_with(new)
            op.drop_all_references()
    return _needed(value)


def _spelled(kind: type[CompositeOp], *operands: SSAValue, **parameters: Parameter) -> SSAValue:
    """A composite in plain ops."""
    return results_of(kind.MEANING, operands, parameters)[0]


def _spread(value: SSAValue, like: SSAValue) -> SSAValue:
    return BroadcastOp(value, shape_of(like.type)).result


def chain(program: Program) -> Ops:
    """Every op reads the one before: nothing to rewrite."""
    value, y = program.argument(), program.argument()
    for kind in cycle((ew.ExpOp, ew.AddOp, ew.SqrtOp, ew.MulOp, ew.MaximumOp, ew.SubOp, ew.SigmoidOp)):
        op = kind(value, *[y] * (kind.FUNCTION.arity - 1))
        value = op.result
        yield (op,)


def norms(program: Program) -> Ops:
    """Layers of a mean, a difference and a product, with the views that a model has around them."""
    value, y = program.argument(), program.argument()
    while True:
        total = ReduceOp("add", value, [1])
        scale = ConstantOp.splat(1 / 64, (64, 1), f32)
        mean = ew.MulOp(total, scale)
        spread = BroadcastOp(mean, SIZES)
        centred = ew.SubOp(value, spread)
        turned = PermuteOp(centred, [1, 0])
        flat = ReshapeOp(turned, (64 * 64,))
        back = ReshapeOp(flat, SIZES)
        product = ew.MulOp(back, y)
        yield (total, scale, mean, spread, centred, turned, flat, back, product)
        value = product.result


def repeated_reads(program: Program) -> Ops:
    """The same few sums again and again, each read once: two values with thousands of uses."""
    x, y = program.argument(), program.argument()
    value = x
    for kind in cycle((ew.AddOp, ew.MulOp, ew.SubOp, ew.MaximumOp)):
        op = kind(x, y)
        used = ew.AddOp(value, op)
        yield (op, used)
        value = used.result


def firing(program: Program) -> Ops:
    """Two ops in three are undone by a rule, and constants stand on the left."""
    value, y = program.argument(), program.argument()
    while True:
        one = ConstantOp.splat(1, SIZES, f32)
        scaled = ew.MulOp(one, value)
        flipped = ew.NegOp(scaled)
        again = ew.NegOp(flipped)
        turned = PermuteOp(again, [1, 0])
        back = PermuteOp(turned, [1, 0])
        kept = ew.AddOp(back, y)
        clamped = ew.MaximumOp(kept, kept)
        yield (one, scaled, flipped, again, turned, back, kept, clamped)
        value = clamped.result


def constants(program: Program) -> Ops:
    """Arithmetic on constants, joined to the values by one op in six."""
    value = program.argument()
    for number in cycle(range(1, 50)):
        a, b = ConstantOp.splat(number, SIZES, f32), ConstantOp.splat(0.5, SIZES, f32)
        product = ew.MulOp(a, b)
        root = ew.SqrtOp(product)
        total = ew.AddOp(root, product)
        used = ew.MulOp(value, total)
        yield (a, b, product, root, total, used)
        value = used.result


def dead(program: Program) -> Ops:
    """A chain beside a chain of the same length that nobody reads."""
    alive = unread = program.argument()
    while True:
        read, other = ew.SigmoidOp(alive), ew.ExpOp(unread)
        yield (other, read)
        alive, unread = read.result, other.result


def activations(program: Program) -> Ops:
    """GELU by erf and by tanh and SiLU, by hand, in float32 and bfloat16, each of the one before."""
    value, y = program.argument(), program.argument()
    gates = (
        (composites.gelu, {"approximate": "none"}),
        (composites.gelu, {"approximate": "tanh"}),
        (composites.silu, {}),
    )
    for kind, parameters in cycle(gates):
        gated = _spelled(kind, CastOp(value, bf16).result, **parameters)
        value = ew.AddOp(_spelled(kind, CastOp(gated, f32).result, **parameters), y).result
        yield _needed(value)


def softmaxes(program: Program) -> Ops:
    """Softmax and its logarithm over rows and columns."""
    value, y = program.argument(), program.argument()
    for kind, dim in cycle(((composites.softmax, 1), (composites.log_softmax, 1), (composites.softmax, 0))):
        value = ew.MulOp(_spelled(kind, value, dim=dim), y).result
        yield _needed(value)


def layer_norms(program: Program) -> Ops:
    """Layer norm and RMS norm with weights, in the spelling of a textbook: powers, roots and quotients."""
    value, weight, bias = program.argument(), program.argument((64,)), program.argument((64,))
    count, eps = (ConstantOp.splat(c, (64, 1), f32) for c in (64.0, 1e-5))
    two = ConstantOp.splat(2.0, SIZES, f32)
    yield count, eps, two
    while True:
        for shift in (bias, None):
            inner = value
            if shift is not None:
                mean = ew.DivOp(ReduceOp("add", value, [1]), count).result
                inner = ew.SubOp(value, _spread(mean, value)).result
            square = ew.PowOp(inner, two)
            root = ew.SqrtOp(ew.AddOp(ew.DivOp(ReduceOp("add", square, [1]), count), eps)).result
            scaled = ew.MulOp(ew.DivOp(inner, _spread(root, inner)), _spread(weight, inner)).result
            value = scaled if shift is None else ew.AddOp(scaled, _spread(shift, inner)).result
            yield _needed(value)


def many_functions(program: Program) -> Ops:
    """Thousands of functions of a few ops."""
    return layer_norms(program)


def attention(program: Program) -> Ops:
    """Blocks of a transformer by hand: rotary embedding, attention with each kind of mask, a residual."""
    value, mask = program.argument(HEADS, bf16), program.argument((8, 64, 64), i1)
    cos, sin = program.argument(HEADS[1:], bf16), program.argument(HEADS[1:], bf16)
    kinds = ((False, {}), (False, {"causal": 1}), (True, {}), (True, {"hides": 1}), (False, {"softcap": 30.0}))
    for masked, parameters in cycle(kinds):
        weights = [program.argument((8, 32, 32), bf16, frozen=True) for _ in range(3)]
        query, key, given = (MatmulOp(value, w).result for w in weights)
        query, key = (_spelled(composites.rotary_embedding, v, cos, sin) for v in (query, key))
        operands = (query, key, given, *([mask] if masked else []))
        given = _spelled(composites.scaled_dot_product_attention, *operands, scale=32**-0.5, **parameters)
        value = ew.AddOp(value, given).result
        yield _plain(value)


def composite_ops(program: Program) -> Ops:
    """One composite in six ops, of every kind."""
    value, y = program.argument(HEADS, bf16), program.argument(HEADS, bf16)
    kinds: tuple[tuple[type[CompositeOp], int, dict[str, Parameter]], ...] = (
        (composites.rotary_embedding, 3, {}),
        (composites.scaled_dot_product_attention, 3, {"scale": 0.25}),
        (composites.layer_norm, 1, {"dims": (2,), "eps": 1e-5}),
        (composites.gelu, 1, {"approximate": "tanh"}),
        (composites.softmax, 1, {"dim": 2}),
    )
    for kind, count, parameters in cycle(kinds):
        value = ew.AddOp(kind([value] * count, parameters).outputs[0], y).result
        for function in (ew.ExpOp, ew.SqrtOp, ew.MulOp, ew.AbsOp):
            value = function(value, *[y] * (function.FUNCTION.arity - 1)).result
        yield _needed(value)


def _convolution(value: SSAValue, weight: SSAValue) -> SSAValue:
    def pair(number: int) -> Attribute:
        return ArrayAttr([IntegerAttr(number, i64)] * 2)

    places = [OperandAttr(StringAttr(str(i))) for i in range(2)]
    rest = [UnitAttr(), pair(1), pair(1), pair(1), IntegerAttr(0, i1), pair(0), IntegerAttr(1, i64)]
    call = ExternOp("aten.convolution.default", [value, weight], [value.type], [*places, *rest])
    return call.outputs[0]


def convolutions(program: Program) -> Ops:
    """Convolution, batch norm of frozen statistics, ReLU and a residual, and now and then a sum over the picture."""
    value = program.argument(PICTURE, bf16)
    zero = ConstantOp.splat(0.0, PICTURE, bf16)
    yield (zero,)
    while True:
        weight = program.argument(FILTER, bf16, frozen=True)
        mean, variance, scale, shift = (program.argument((16,), f32, frozen=True) for _ in range(4))
        wide: SSAValue = CastOp(_convolution(value, weight), f32).result
        rstd = ew.RsqrtOp(ew.AddOp(variance, ConstantOp.splat(1e-5, (16,), f32)))
        for function, by in ((ew.SubOp, mean), (ew.MulOp, rstd.result), (ew.MulOp, scale), (ew.AddOp, shift)):
            wide = function(wide, _spread(ReshapeOp(by, (16, 1, 1)).result, wide)).result
        value = ew.AddOp(ew.MaximumOp(CastOp(wide, bf16), zero), value).result
        yield _needed(value)


def frozen_products(program: Program) -> Ops:
    """Linear layers whose weights are turned, scaled and rounded, and whose results are scaled and shifted."""
    value = program.argument()
    while True:
        weight, (scale, shift, bias) = (
            program.argument(SIZES, bf16, frozen=True),
            (program.argument((64,), frozen=True) for _ in range(3)),
        )
        turned = ew.ExpOp(CastOp(PermuteOp(weight, [1, 0]), f32)).result
        product = ew.AddOp(MatmulOp(value, turned), _spread(bias, value)).result
        scaled = ew.MulOp(product, _spread(ew.ExpOp(scale).result, value)).result
        value = ew.SigmoidOp(ew.AddOp(scaled, _spread(shift, value))).result
        yield _needed(value)


def shared(program: Program) -> Ops:
    """Softmaxes, norms and activations, all of one value, and added up: thousands of uses, and a sum as long."""
    x = total = program.argument()
    kinds = (
        (composites.softmax, {"dim": 1}),
        (composites.rms_norm, {"dims": (1,), "eps": 1e-6}),
        (composites.silu, {}),
    )
    for kind, parameters in cycle(kinds):
        total = ew.AddOp(total, _spelled(kind, x, **parameters)).result
        yield _needed(total)


def residuals(program: Program) -> Ops:
    """A sum and a product of thousands of parts, with a norm, an activation and a softmax of each partial result."""
    total, y = program.argument(), program.argument()
    kinds = ((composites.rms_norm, {"dims": (1,), "eps": 1e-6}), (composites.gelu, {"approximate": "tanh"}))
    for number, (kind, parameters) in enumerate(cycle(kinds)):
        seen = _spelled(kind, total, **parameters)
        total = ew.AddOp(total, ew.MulOp(seen, y)).result if number % 2 else ew.MulOp(total, seen).result
        yield _needed(total)


def views(program: Program) -> Ops:
    """Views of views, none of which cancels, and casts there and back that round."""
    value = program.argument()
    while True:
        turned = PermuteOp(value, [1, 0]).result
        padded = PadOp(turned, [1, 0], (65, 64), ConstantOp.splat(0.0, (), f32).value).result
        inner = SliceOp(padded, [0, 0], [1, 1], SIZES).result
        rounded = CastOp(CastOp(inner, bf16), f32).result
        first = SliceOp(rounded, [3, 0], [1, 1], (1, 64)).result
        value = BroadcastOp(first, SIZES).result
        yield _needed(value)


def positions(program: Program) -> Ops:
    """Masks by arithmetic on positions, one count long for all of them."""
    value = program.argument()
    rows, columns = (IotaOp(d, tensor_type(SIZES, i64)).result for d in (0, 1))
    offset = ConstantOp.splat(1, SIZES, i64).result
    hidden = ConstantOp.splat(-float("inf"), SIZES, f32).result
    yield (*_needed(rows), *_needed(columns), *_needed(offset), *_needed(hidden))
    while True:
        rows = ew.AddOp(rows, ew.RemainderOp(columns, ew.AddOp(rows, offset))).result
        value = ew.SelectOp(ew.GeOp(rows, columns), value, hidden).result
        value = ew.SubOp(value, _spread(ReduceOp("max", value, [1]).result, value)).result
        yield _needed(value)


def named_sizes(program: Program) -> Ops:
    """Norms and activations of a size that only a call tells."""
    size = variable("N")
    value = program.argument((size, 64))
    while True:
        normed = _spelled(composites.layer_norm, value, dims=(0,), eps=1e-5)
        part = SliceOp(ReshapeOp(normed, (size * 64,)), [0], [1], (size * 32,)).result
        wide = BroadcastOp(ReshapeOp(part, (size, 32, 1)), (size, 32, 2)).result
        value = _spelled(composites.silu, ReshapeOp(wide, (size, 64)).result)
        yield _needed(value)


_ONE_FUNCTION: tuple[Filler, ...] = (
    chain, norms, repeated_reads, firing, constants, dead, activations, softmaxes, layer_norms, attention,
    composite_ops, convolutions, frozen_products, shared, residuals, views, positions, named_sizes,
)  # fmt: skip
SHAPES = (*(Large(fill) for fill in _ONE_FUNCTION), Large(many_functions, 20))
