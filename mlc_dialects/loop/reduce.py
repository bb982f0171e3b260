"""`mlc_loop.reduce`: a loop that combines what its iterations yield."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, IndexType, StringAttr, UnitAttr, i1, i64
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from mlc_dialects.common.index_syntax import IndexReader, print_indices, verify_indices
from mlc_dialects.common.reduction_kinds import PAIRED, PLAIN, WEIGHTED, result_count
from mlc_dialects.common.types import is_float
from mlc_dialects.loop.loops import LoopOp, empty_body, extents_of, parse_header
from mlc_support.index_expr import IndexExpr


@irdl_op_definition
class YieldOp(IRDLOperation):
    """The values that an iteration adds to its reduction; where a condition is given and false, it adds none."""

    name = "mlc_loop.yield"
    condition = opt_operand_def(i1)
    values = var_operand_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure(), IsTerminator())
    assembly_format = "attr-dict (`if` $condition^)? ($values^ `:` type($values))?"

    def __init__(self, values: Sequence[SSAValue], condition: SSAValue | None = None):
        super().__init__(operands=[condition, list(values)])


FLAGS = ("approx", "tf32", "dot")
"""Of a reduction, as they follow its kinds."""


@irdl_op_definition
class ReduceOp(LoopOp):
    """Reduces the values that the iterations yield: one kind for each value, starting from the kind's identity.

    argmax and argmin take a value and return the index (i64) of its first occurrence, over several axes its row-major
    position; NaN wins. softmax and welford
    return two results each, and weighted sums with the weights of the softmax before it
    (mlc_dialects/common/reduction_kinds.py); `approx` lets softmax use the hardware's approximate exp.

    `tf32`: tensor cores may multiply what is summed, and round factors of float32 to 11 bits for it (TF32).

    `dot`: matrix products of blocks, by tensor cores. Each value that is yielded is a factor of the rows times one of
    the columns, and all are added. Weighted sums are such products: the weights, one factor, take the type of what is
    weighted, the other. The loops inside one with weighted sums may have products of their own.

    `visible [FIRST, END]`, two expressions that grow with the index of a loop around: where the own index is below
    FIRST, or not below END, a softmax is given -inf, or NaN where a mask is added to that, and sums beside none are
    given 0, or NaN. Blocks of such iterations alone are skipped: what a mask hides is not read.

    `span [FIRST, END]`, of an online loop (`is_online`): the iterations from FIRST on and before END, of those there
    are, and no others, are reduced. So loops of several programs share the iterations of one.
    """

    name = "mlc_loop.reduce"
    kinds = prop_def(ArrayAttr[StringAttr])
    approx = opt_prop_def(UnitAttr)
    tf32 = opt_prop_def(UnitAttr)
    dot = opt_prop_def(UnitAttr)
    near = var_operand_def(IndexType)
    """The indices in `visible` and `span`."""
    visible = opt_prop_def(ArrayAttr[StringAttr])
    span = opt_prop_def(ArrayAttr[StringAttr])
    outputs = var_result_def()
    traits = traits_def(RecursiveMemoryEffect())

    def __init__(
        self,
        kinds: Sequence[str],
        extent: IndexExpr | Sequence[IndexExpr],
        result_types: Sequence[Attribute],
        body: Region | None = None,
    ):
        extents = extents_of(extent)
        region = empty_body(len(extents.data)) if body is None else body
        super().__init__(
            operands=[[]],
            properties={
                "kinds": ArrayAttr([StringAttr(k) for k in kinds]),
                "extents": extents,
            },
            result_types=[list(result_types)],
            regions=[region],
        )

    @property
    def end(self) -> YieldOp:
        last = self.body.block.last_op
        assert isinstance(last, YieldOp)
        return last

    @property
    def yielded(self) -> tuple[SSAValue, ...]:
        return tuple(self.end.values)

    @property
    def is_online(self) -> bool:
        """True if its values are never all known at once: sums with their weights, or of loops inside, go with them."""
        return WEIGHTED in (kind.data for kind in self.kinds) or bool(self.loops)

    @property
    def adds_blocks(self) -> bool:
        """True if it has loops inside and goes by single iterations, each of which has a whole block of rows and
        columns around it."""
        return bool(self.loops) and self.block is None

    @property
    def parts(self) -> list[tuple[str, SSAValue, tuple[SSAValue, ...]]]:
        """For each reduction its kind, the value that is yielded for it, and its results."""
        results = list(self.outputs)
        found: list[tuple[str, SSAValue, tuple[SSAValue, ...]]] = []
        for kind, value in zip(self.kinds, self.yielded, strict=True):
            count = result_count(kind.data)
            found.append((kind.data, value, tuple(results[:count])))
            del results[:count]
        return found

    def verify_(self) -> None:
        super().verify_()
        if not isinstance(self.body.block.last_op, YieldOp):
            raise VerifyException("the body must end in mlc_loop.yield")
        kinds = [k.data for k in self.kinds]
        known = (*PLAIN, *PAIRED, WEIGHTED)
        if any(k not in known for k in kinds):
            raise VerifyException(
                f"no reduction {', '.join(k for k in kinds if k not in known)}: use {', '.join(known)}"
            )
        if len(kinds) != len(self.yielded):
            raise VerifyException(
                f"{len(kinds)} kinds for {len(self.yielded)} yielded values: give one kind for each value"
            )
        wanted = [t for k, v in zip(kinds, self.yielded, strict=True) for t in result_types(k, v.type)]
        if [r.type for r in self.outputs] != wanted:
            raise VerifyException(f"results must be {', '.join(map(str, wanted))}")
        if any(k in (*PAIRED, WEIGHTED) and not is_float(v.type) for k, v in zip(kinds, self.yielded, strict=True)):
            raise VerifyException(f"{', '.join((*PAIRED, WEIGHTED))} reduce floats only")
        if WEIGHTED in kinds and "softmax" not in kinds[: kinds.index(WEIGHTED)]:
            raise VerifyException("weighted sums with the weights of a softmax before it: give that kind first")
        for bounds in (self.visible or (), self.span or ()):
            verify_indices(bounds, len(self.near))
        hides = set(kinds) <= {"softmax", WEIGHTED} or set(kinds) == {"add"}
        if self.visible is not None and not (hides and len(self.visible.data) == 2):
            raise VerifyException("`visible` has two bounds, where all kinds are softmax or weighted, or all are add")
        if self.tf32 is not None and not {"add", WEIGHTED} & set(kinds):
            raise VerifyException("`tf32` rounds the factors of sums: one kind is add or weighted")
        if self.span is not None and not (self.is_online and len(self.span.data) == 2):
            raise VerifyException("`span` has two bounds, of a loop with weighted sums or loops inside")
        products = set(kinds) == {"add"} and all(map(_is_product, self.yielded))
        if self.dot is not None and not (products or WEIGHTED in kinds):
            raise VerifyException(
                "`dot` adds products: each yielded value is an arith.mulf and each kind is add, or a kind is weighted"
            )

    @classmethod
    def parse(cls, parser: Parser) -> ReduceOp:
        kinds = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_identifier)
        flags: dict[str, Attribute] = {
            word: UnitAttr() for word in FLAGS if parser.parse_optional_keyword(word) is not None
        }
        indices, properties = parse_header(parser)
        properties |= flags
        properties["kinds"] = ArrayAttr([StringAttr(k) for k in kinds])
        reader = IndexReader(parser)
        for bounds in ("visible", "span"):
            if parser.parse_optional_keyword(bounds) is not None:
                properties[bounds] = reader.bracketed_list()
        near = [parser.resolve_operand(o, IndexType()) for o in reader.operands]
        parser.parse_punctuation("->")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        region = parser.parse_region(indices)
        return cls.create(operands=near, properties=properties, result_types=types, regions=[region])

    def print(self, printer: Printer) -> None:
        printer.print_string(" " + ", ".join(k.data for k in self.kinds) + " ")
        for word in FLAGS:
            printer.print_string(f"{word} " if word in self.properties else "")
        self.print_header(printer)
        for name, bounds in (("visible", self.visible), ("span", self.span)):
            if bounds is not None:
                printer.print_string(f" {name} ")
                print_indices(printer, bounds, self.near)
        printer.print_string(" -> ")
        printer.print_list([r.type for r in self.outputs], printer.print_attribute)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)


def _is_product(value: SSAValue) -> bool:
    return isinstance(value.owner, arith.MulfOp)


def result_types(kind: str, value: Attribute) -> list[Attribute]:
    """The result types of a reduction of values of one type."""
    return [i64 if kind.startswith("arg") else value] * result_count(kind)
