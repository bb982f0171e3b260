"""The online form of what follows a product: whether there is one, and the ops in that form.

    o[i, n] = sum over j of (exp(x[i, j] - c[i]) * f[i, j] / l[i]) * v[j, n]
            = (sum over j of exp(x[i, j] - m[i]) * f[i, j] * v[j, n]) * exp(m[i] - c[i]) / l[i],   m = max over j of x

What is the same for all j stands outside the sum: there is a sum for any maximum so far, which is multiplied by
exp(m - n) where that grows from m to n (Milakov and Gimelshein, 2018). So a sum has an online form if it is linear in
the exponential and nothing else in it needs a reduction over j; a sum that needs no reduction at all is one pass too.

Scores, weights and sums are float32, as library kernels for attention keep them: a program in 16-bit floats that
rounds each is no more accurate. Products still take factors of 16 bits where the program does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf

from xdsl.dialects.builtin import FloatAttr, f32, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from mlc_dialects.common.scalar_builder import LOG2_E
from mlc_dialects.common.types import element_type, is_float, is_half, shape_of, with_element
from mlc_dialects.iteration.indirect_index import expression
from mlc_dialects.iteration.iterate import sources
from mlc_dialects.tensor.elementwise import AddOp, DivOp, EqOp, Exp2Op, ExpOp, MulOp, NegOp, SelectOp, SubOp
from mlc_dialects.tensor.elementwise_op import ElementwiseOp
from mlc_dialects.tensor.gather_scatter import GatherOp
from mlc_dialects.tensor.ops import CastOp, ConstantOp, IotaOp, ReduceOp, SizeOp
from mlc_dialects.tensor.views import BroadcastOp, ReshapeOp, SliceOp, ViewOp
from mlc_support.index_expr import IndexExpr, integer, variable
from mlc_support.walks import meets
from passes.tensor.online_products.numbers_of_rows import difference, in_powers_of_2, inverse, number_of_row
from passes.tensor.online_products.outputs import outputs_of
from passes.tensor.online_products.recomputed import is_computed_again
from passes.tensor.online_products.region import (
    Index,
    Last,
    NoOnlineFormError,
    Region,
    is_key,
    is_view,
    point_along,
    reads_key,
    summed_over,
    varies,
)
from passes.tensor.products import Product


@dataclass(frozen=True)
class Scaled:
    """value * factors[0] / ..., where no factor depends on the key; all have the shape of `value`."""

    value: SSAValue
    factors: tuple[tuple[type[ElementwiseOp], SSAValue], ...] = ()
    hidden: SSAValue | None = None
    """Where this is true of all keys, `value` is 0 instead: exp(x - m) is NaN where each x, and so m, is -inf."""

    def each(self, change: Callable[[SSAValue], SSAValue]) -> Scaled:
        """All of them changed alike."""
        hidden = None if self.hidden is None else change(self.hidden)
        return Scaled(change(self.value), tuple((op, change(f)) for op, f in self.factors), hidden)

    def times(self, factor: SSAValue, multiply: Callable[[SSAValue, SSAValue], SSAValue]) -> Scaled:
        """The same with a value that differs between keys."""
        return replace(self, value=multiply(self.value, factor))

    def by(self, op: type[ElementwiseOp], factor: SSAValue) -> Scaled:
        """The same multiplied or divided by one more."""
        return replace(self, factors=((op, factor), *self.factors))


class OnlineForm:
    """Writes the ops of a region in online form to a block; its arguments are what the region reads."""

    def __init__(self, region: Region):
        self._region = region
        self.block = Block()
        self.before: list[Operation] = []
        """What is computed before the kernel."""
        self.inputs: list[SSAValue] = []
        self._outer: dict[SSAValue, SSAValue] = {}
        self._known: dict[SSAValue, SSAValue] = {}

    def write(self) -> list[SSAValue]:
        """The region's outputs, in the types that they have. NoOnlineFormError where there is no such form."""
        if not self._region.key_sides(self._region.summed):
            raise NoOnlineFormError("nothing is summed")
        return [
            out.inside(self._cast(self.value(out.value), element_type(out.value.type)), self._add)
            for out in outputs_of(self._region)
        ]

    def value(self, value: SSAValue) -> SSAValue:
        """`value` in the block; floats that the region computes are float32."""
        if value not in self._region:
            return self._wide(self._from_outside(value))
        if value not in self._known:
            self._known[value] = self._computed(value)
        return self._known[value]

    def _computed(self, value: SSAValue) -> SSAValue:
        op = value.owner
        assert isinstance(op, Operation)
        last = next((last for last in self._region.lasts if last.op is op), None)
        if last is not None:
            return self._weighted_sum(last)
        product = Product.of(op)
        if product is not None:
            return self._scores(product)
        match op:
            case ReduceOp():
                return self._reduction(op)
            case GatherOp():
                return self._gathered(op)
            case CastOp():
                taken = self.value(op.input)
                return taken if _is_wide(op) else self._cast(taken, element_type(op.result.type))
            case ViewOp():
                return self._view(op, self.value(op.input))
            case DivOp() if number_of_row(op.operands[1], self._region) is not None:
                x, divisor = op.operands
                return self._add(MulOp(self.value(x), self._prepared(divisor, inverse)), op)
            case ExpOp() if (found := difference(op, self._region)) is not None:
                return self._power_of_2(op, *found)
            case _:
                assert isinstance(op, ElementwiseOp)
                return self._add(type(op)(*map(self.value, op.operands)), op)

    def _power_of_2(self, op: ExpOp, x: SSAValue, m: SSAValue) -> SSAValue:
        """exp(x - m) == exp2(x * log2(e) - m * log2(e)), where m is a number of each row."""
        log2_e = self._add(ConstantOp.splat(LOG2_E, shape_of(x.type), f32))
        power = self._add(MulOp(self.value(x), log2_e))
        return self._add(Exp2Op(self._add(SubOp(power, self._prepared(m, in_powers_of_2)))), op)

    def _prepared(self, value: SSAValue, change: Callable[[SSAValue], Sequence[Operation]]) -> SSAValue:
        """What `change` makes of the number of each row that `value` repeats, before the kernel."""
        number = number_of_row(value, self._region)
        assert number is not None
        ops = change(number)
        self.before += ops
        ops[-1].results[0].name_hint = number.name_hint
        return self._add(BroadcastOp(self._from_outside(ops[-1].results[0]), shape_of(value.type)))

    def _reduction(self, op: ReduceOp) -> SSAValue:
        """A reduction over the keys, that needs no other one unless it is a sum, or a maximum of differences."""
        if op.kind.data == "add" and is_float(element_type(op.input.type)):
            return self._sum(op)
        point = summed_over(op)
        if op.kind.data == "max" and point is not None:
            return self._maximum(op, point)
        if op.kind.data.startswith("arg") or point is None or self._reduces(op.input, point):
            raise NoOnlineFormError(f"{op.kind.data} of what needs another reduction over the same axis")
        return self._add(ReduceOp(op.kind.data, self.value(op.input), op.reduced))

    def _maximum(self, op: ReduceOp, point: Index) -> SSAValue:
        """max of x - c == max of x, less c: a softmax of scores whose maximum a program has subtracted already."""
        x, taken = self._difference(op.input, point)
        most = self._add(ReduceOp("max", self.value(x), op.reduced))
        for c in taken:
            most = self._add(SubOp(most, self._first(self.value(c), op.reduced)))
        return most

    def _scores(self, product: Product) -> SSAValue:
        """A product that begins the region, with what the library would add to it."""
        element = element_type(product.result.type)
        if not is_half(element) and element != f32:
            raise NoOnlineFormError(f"products of {element}")
        lhs, rhs = (self._wide(self._from_outside(v)) for v in (product.lhs, product.rhs))
        total = self._product(lhs, rhs, element)
        if product.addend is None:
            return total
        added = self._wide(self._from_outside(product.addend))
        if shape_of(added.type) != shape_of(total.type):
            added = self._add(BroadcastOp(added, shape_of(total.type)))
        return self._add(AddOp(total, added))

    def _weighted_sum(self, last: Last) -> SSAValue:
        """A last product: of the weights without their factors, which multiply the sum."""
        weights = self._linear(last.weights, last.point)
        factors = weights.value, self.value(last.other)
        lhs, rhs = factors if last.is_left else factors[::-1]
        total = self._product(lhs, rhs, element_type(last.op.result.type))
        key = len(shape_of(last.op.result.type)) - (1 if last.is_left else 2)
        return self._scaled(total, weights, [key])

    def _sum(self, op: ReduceOp) -> SSAValue:
        """A sum over the keys: of the terms without their factors, which multiply the sum."""
        point = summed_over(op)
        if point is None:
            raise NoOnlineFormError("a sum over several axes")
        if self._region.sums_batch(op):
            return self._add(ReduceOp("add", self.value(op.input), op.reduced), op)
        terms = self._linear(op.input, point)
        return self._scaled(self._add(ReduceOp("add", terms.value, op.reduced), op), terms, op.reduced)

    def _scaled(self, total: SSAValue, terms: Scaled, summed: Sequence[int]) -> SSAValue:
        """`total` with the factors of the terms, which are the same along the dimensions `summed`."""
        shape = shape_of(total.type)

        def once(factor: SSAValue) -> SSAValue:
            taken = self._first(factor, summed)
            return taken if shape_of(taken.type) == shape else self._add(BroadcastOp(taken, shape))

        if terms.hidden is not None:
            total = self._add(SelectOp(once(terms.hidden), self._add(ConstantOp.splat(0.0, shape, f32)), total))
        for op, factor in terms.factors:
            total = self._add(op(total, once(factor)))
        keys = self._region.keys
        if terms.factors and keys is not None and keys.constant is None:
            return self._unless_none(keys, total)
        return total

    def _unless_none(self, keys: IndexExpr, total: SSAValue) -> SSAValue:
        """`total`, but 0 where a call has no keys: a sum of nothing, whatever the factors are."""
        shape = shape_of(total.type)
        count, none = self._add(SizeOp(keys)), self._add(ConstantOp.splat(0, [], i64))
        without = self._add(BroadcastOp(self._add(EqOp(count, none)), shape))
        return self._add(SelectOp(without, self._add(ConstantOp.splat(0.0, shape, f32)), total))

    def _linear(self, value: SSAValue, index: Index) -> Scaled:
        """`value`, whose elements `index` are summed over the keys, without what is the same for all keys."""
        op = value.owner
        if value not in self._region or not isinstance(op, Operation):
            return Scaled(self.value(value))
        if isinstance(op, CastOp) and _is_wide(op):
            return self._linear(op.input, index)
        if isinstance(op, ViewOp) and is_view(op):
            return self._linear(op.input, op.source_index(index)).each(lambda v: self._view(op, v))
        if isinstance(op, MulOp | DivOp):
            found = self._product_of(op, index)
            if found is not None:
                return found
        if isinstance(op, ExpOp):
            return self._exponential(op, index)
        if self._reduces(value, index):
            raise NoOnlineFormError(f"a sum is not linear in an exponential: {op.name} needs a reduction of its axis")
        return Scaled(self.value(value))

    def _product_of(self, op: MulOp | DivOp, index: Index) -> Scaled | None:
        """A product or a quotient, of which one side is linear; the other is a factor, or needs no reduction."""
        sides = [(op.operands[0], op.operands[1])]
        if isinstance(op, MulOp):
            sides.append((op.operands[1], op.operands[0]))
        for one, other in sides:
            if not varies(self._region, other, index):
                return self._linear(one, index).by(type(op), self.value(other))
        for one, other in sides:
            if isinstance(op, MulOp) and not self._reduces(other, index) and self._reduces(one, index):
                return self._linear(one, index).times(self.value(other), lambda a, b: self._add(MulOp(a, b)))
        return None

    def _exponential(self, op: ExpOp, index: Index) -> Scaled:
        """exp(x - c) == exp(x - m) * exp(m - c) with m = max x over the keys; itself if it needs no reduction."""
        if not self._reduces(op.operands[0], index):
            return Scaled(self.value(op.result))
        x, taken = self._difference(op.operands[0], index)
        along = [d for d, i in enumerate(index) if reads_key(i)]
        if len(along) != 1 or not is_key(index[along[0]]):
            raise NoOnlineFormError("the scores are summed along more than one axis")
        score, first = self.value(x), self.value(taken[0])
        if self._is_most(taken[0], x, along):
            weight, rest = self._add(ExpOp(self._add(SubOp(score, first))), op), [self.value(v) for v in taken[1:]]
            return Scaled(weight, tuple((MulOp, self._add(ExpOp(self._add(NegOp(c))))) for c in rest))
        most = self._add(BroadcastOp(self._add(ReduceOp("max", score, along)), shape_of(score.type)))
        below = most
        for c in taken:
            below = self._add(SubOp(below, self.value(c)))
        weight = self._add(ExpOp(self._add(SubOp(score, most))), op)
        lowest = self._add(ConstantOp.splat(-inf, shape_of(most.type), f32))
        return Scaled(weight, ((MulOp, self._add(ExpOp(below))),), self._add(EqOp(most, lowest)))

    def _difference(self, value: SSAValue, index: Index) -> tuple[SSAValue, list[SSAValue]]:
        """x and c, ..., where `value` is x - c - ..., x needs no reduction, and no c depends on the key."""
        taken: list[SSAValue] = []
        while self._reduces(value, index):
            op = value.owner
            if isinstance(op, CastOp) and _is_wide(op):
                value = op.input
            elif isinstance(op, SubOp) and not varies(self._region, op.operands[1], index):
                value, c = op.operands
                taken.insert(0, c)
            else:
                raise NoOnlineFormError("an exponential needs more than a number that is subtracted for all keys")
        return value, taken

    def _is_most(self, value: SSAValue, x: SSAValue, along: Sequence[int]) -> bool:
        """True if `value` is the maximum of x over the dimensions `along`, for each of them."""
        while value in self._region and isinstance(op := value.owner, BroadcastOp | CastOp):
            if isinstance(op, CastOp) and not _is_wide(op):
                return False
            value = op.input
        op = value.owner
        if not isinstance(op, ReduceOp) or op.kind.data != "max" or list(op.reduced) != list(along):
            return False
        return self.value(op.input) is self.value(x)

    def _reduces(self, value: SSAValue, index: Index) -> bool:
        """True if computing the element `index` of `value` takes a reduction over the keys."""
        region = self._region

        def step(element: tuple[SSAValue, Index]) -> bool | Iterable[tuple[SSAValue, Index]]:
            v, at = element
            op = v.owner
            if v not in region or not isinstance(op, Operation) or Product.of(op) is not None:
                return any(v is last.op.result for last in region.lasts)
            return isinstance(op, ReduceOp) or sources(op, at)

        return meets((value, index), step)

    def _gathered(self, op: GatherOp) -> SSAValue:
        """x[i, k[i]], one score of a row: what is pointwise, of such scores; these as sums over the keys."""
        own = [variable(f"%{d}", size) for d, size in enumerate(shape_of(op.result.type))]
        given = [expression(v, tuple(own)) for v in op.indices]
        keys = [d for d, (i, o) in enumerate(zip(given, own, strict=False)) if i is None or str(i) != str(o)]
        if len(own) != len(given) or len(keys) != 1 or shape_of(op.result.type)[keys[0]].constant != 1:
            raise NoOnlineFormError("a gather reads more than one score of a row")
        return self._pick(op.input, keys[0], self._from_outside(op.indices[keys[0]]))

    def _pick(self, value: SSAValue, along: int, place: SSAValue) -> SSAValue:
        """x[i, k[i]] == sum over j of (j == k[i] ? x[i, j] : 0)"""
        op, index, shape = value.owner, point_along(value, along), shape_of(value.type)
        if not varies(self._region, value, index):
            return self._first(self.value(value), [along])
        if self._reduces(value, index):
            if isinstance(op, CastOp) and _is_wide(op):
                return self._pick(op.input, along, place)
            if not isinstance(op, ElementwiseOp):
                raise NoOnlineFormError("a score is picked from what is not pointwise")
            return self._add(type(op)(*(self._pick(v, along, place) for v in op.operands)), op)
        score = self.value(value)
        key = self._add(IotaOp(along, with_element(score.type, element_type(place.type))))
        chosen = self._add(EqOp(key, self._add(BroadcastOp(place, shape))))
        zero = self._add(ConstantOp.splat(0, shape, element_type(score.type)))
        return self._add(ReduceOp("add", self._add(SelectOp(chosen, score, zero)), [along]))

    def _first(self, value: SSAValue, dims: Sequence[int]) -> SSAValue:
        """`value` at index 0 of the dimensions `dims`."""
        given = shape_of(value.type)
        one = [integer(1) if d in dims else size for d, size in enumerate(given)]
        return self._add(SliceOp(value, [0] * len(given), [1] * len(given), one))

    def _from_outside(self, value: SSAValue) -> SSAValue:
        """A value that the region does not compute: an argument, or what is free to compute again."""
        if value in self._region:
            raise NoOnlineFormError("a factor of a product is computed from another one's results")
        if value not in self._outer:
            op = value.owner
            if isinstance(op, Operation) and (is_computed_again(value) or (isinstance(op, CastOp) and _is_wide(op))):
                copy = op.clone({v: self._from_outside(v) for v in op.operands})
                self._outer[value] = self._add(copy, op)
            else:
                argument = self._outer[value] = self.block.insert_arg(value.type, len(self.block.args))
                argument.name_hint = value.name_hint
                self.inputs.append(value)
        return self._outer[value]

    def _product(self, lhs: SSAValue, rhs: SSAValue, element: Attribute) -> SSAValue:
        """lhs @ rhs == reduce add over k of lhs[.., m, k, 1] * rhs[.., 1, k, n], where the program's is of `element`"""
        (*batch, m, k), n = shape_of(lhs.type), shape_of(rhs.type)[-1]
        sides = ((lhs, (*batch, m, k, integer(1))), (rhs, (*batch, integer(1), k, n)))
        spread = [BroadcastOp(self._add(ReshapeOp(v, shape)), (*batch, m, k, n)) for v, shape in sides]
        tf32 = self._region.tf32 and element == f32
        total = ReduceOp("add", self._add(MulOp(*map(self._add, spread))), [len(batch) + 1], tf32)
        return self._add(ReshapeOp(self._add(total), (*batch, m, n)))

    def _view(self, op: ViewOp, value: SSAValue) -> SSAValue:
        """The same view of another value."""
        result = with_element(op.results[0].type, element_type(value.type))
        return self._add(type(op).create(operands=[value], result_types=[result], properties=dict(op.properties)), op)

    def _wide(self, value: SSAValue) -> SSAValue:
        """`value` in float32, if it is of 16-bit floats."""
        if not is_half(element_type(value.type)):
            return value
        number = value.owner.splat_value if isinstance(value.owner, ConstantOp) else None
        if isinstance(number, FloatAttr):
            return self._add(ConstantOp.splat(number.value.data, shape_of(value.type), f32))
        return self._cast(value, f32)

    def _cast(self, value: SSAValue, element: object) -> SSAValue:
        return value if element_type(value.type) == element else self._add(CastOp(value, element))  # pyright: ignore

    def _add(self, op: Operation, origin: Operation | None = None) -> SSAValue:
        self.block.add_op(op)
        if origin is not None:
            op.location, op.results[0].name_hint = origin.location, origin.results[0].name_hint
        return op.results[0]


def _is_wide(op: CastOp) -> bool:
    """True for a cast between floats of at most 32 bits: in float32 it is nothing."""
    return all(is_half(element) or element == f32 for element in map(element_type, (op.input.type, op.result.type)))
