"""StableHLO as text: MLIR's generic form, and the short forms that `jax.jit(f).lower(*args).as_text()` prints.

xDSL has no StableHLO. An op is read as a `HloOp`, whichever form it has: operands, regions, types, and what it
states beside them, as plain numbers, words and lists under the names of the generic form.

    stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>     # states {"permutation": [1, 0]}
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    Builtin,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    UnregisteredAttr,
    i1,
)
from xdsl.ir import Attribute, Dialect, Operation, Region
from xdsl.parser import AttrParser, Parser, UnresolvedOperand

from lowering.stablehlo_to_tensor.locations import with_plain_locations
from mlc_support.errors import Location, MlcError
from mlc_support.parsing import IRParser, parse_module

DIALECTS = ("stablehlo", "chlo")
Stated = dict[str, Any]
"""Name to a number, a truth, a word, a list or a dictionary of such; a dense constant stays an attribute."""


class HloOp(Operation):
    """An op of StableHLO or CHLO as it is read. Nothing verifies it: a rule asks for what it needs."""

    place: Location | None = None
    """Where it stands in the text, whatever location it gives itself."""
    short: Stated | None = None
    """What its short form states; None in the generic form."""

    @property
    def stated(self) -> Stated:
        """What the op says beside its operands."""
        generic = {name: _plain(a) for name, a in (self.attributes | self.properties).items()}
        return generic | (self.short or {})

    @classmethod
    def parse(cls, parser: Parser) -> HloOp:
        form = _ShortForm()
        form.read(parser)
        position = parser.pos
        operands, results = form.types(parser, cls.name)
        values = parser.resolve_operands([*form.operands, *form.inits], operands, position)
        regions = [_reducer(parser)] if parser.parse_optional_keyword("reducer") else []
        op = cls.create(operands=values, result_types=results, attributes=form.attributes, regions=regions)
        op.short = NAMED[cls.name](form) if cls.name in NAMED else form.stated
        return op


@dataclass
class _ShortForm:
    """The parts of a short form before its types.

    All forms are made of the same parts: operands, words, `name = value`, and here and there a comma or parenthesis.
    """

    operands: list[UnresolvedOperand] = field(default_factory=list[UnresolvedOperand])
    inits: list[UnresolvedOperand] = field(default_factory=list[UnresolvedOperand])
    words: list[str] = field(default_factory=list[str])
    stated: Stated = field(default_factory=dict[str, Any])
    attributes: dict[str, Attribute] = field(default_factory=dict[str, Attribute])
    constant: DenseIntOrFPElementsAttr[Any] | None = None

    def read(self, parser: Parser) -> None:
        """Up to the colon before the types; a constant brings its type."""
        while self.constant is None and not parser.parse_optional_punctuation(":"):
            if any(parser.parse_optional_punctuation(p) for p in (",", "(", ")")):
                continue
            if operand := parser.parse_optional_unresolved_operand():
                self.operands.append(operand)
            elif parser.parse_optional_keyword("dense"):
                self.constant = parser.parse_dense_int_or_fp_elements_attr(None)
                self.stated["value"] = self.constant
            elif parser.parse_optional_keyword("init"):
                parser.parse_punctuation(":")
                self.inits.append(parser.parse_unresolved_operand())
            elif (text := parser.parse_optional_str_literal()) is not None:
                self.stated["name"] = text
            elif (word := parser.parse_optional_identifier()) is not None:
                self._word(parser, word)
            elif bounds := parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, lambda: _bounds(parser)):
                self.stated["bounds"] = bounds
            else:
                self.attributes |= parser.parse_optional_attr_dict() or parser.raise_error("expected `:` and the types")

    def _word(self, parser: Parser, word: str) -> None:
        if word == "applies":
            self.stated["applies"] = parser.parse_identifier()
        elif parser.parse_optional_punctuation("="):
            self.stated[word] = _value(parser)
        else:
            self.words.append(word)

    def types(self, parser: Parser, name: str) -> tuple[Sequence[Attribute], Sequence[Attribute]]:
        """The types of the operands and of the results."""
        if self.constant is not None:
            return [], [self.constant.type]
        if function := parser.parse_optional_function_type():
            return function.inputs.data, function.outputs.data
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        count = len(self.operands)
        if parser.parse_optional_punctuation("->"):
            results = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
            return types * (count if len(types) == 1 else 1), results or [parser.parse_type()]
        if name == "stablehlo.return":
            return types, []
        if name == "stablehlo.optimization_barrier":
            return types, types
        if name == "stablehlo.select":
            return [*types[:1], *types[1:] * 2], types[1:]
        return types * count, types


def _bounds(parser: Parser) -> tuple[int, int, int]:
    """`start:limit` or `start:limit:stride`"""
    start = parser.parse_integer()
    parser.parse_punctuation(":")
    limit = parser.parse_integer()
    return start, limit, parser.parse_integer() if parser.parse_optional_punctuation(":") else 1


def _value(parser: AttrParser) -> Any:
    """A number, a word, a list, lists joined by `x` and `->`, or fields in `{}` or `<>`."""
    if (number := parser.parse_optional_integer(allow_boolean=False)) is not None:
        return number
    if (truth := parser.parse_optional_boolean()) is not None:
        return truth
    if (word := parser.parse_optional_identifier()) is not None:
        return word
    if parser.parse_optional_punctuation("{"):
        return _fields(parser, "}")
    if parser.parse_optional_punctuation("<"):
        return _fields(parser, ">")
    lists = parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, lambda: _value(parser))
    if lists is None:
        return _plain(parser.parse_attribute())
    chain = [lists]
    while parser.parse_optional_keyword("x") or parser.parse_optional_punctuation("->"):
        chain.append(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _value(parser)))
    return chain if len(chain) > 1 else lists


def _fields(parser: AttrParser, end: Any) -> Stated:
    """`name = value, ...` up to `end`."""
    fields: Stated = {}
    while not parser.parse_optional_punctuation(end):
        name = parser.parse_identifier()
        parser.parse_punctuation("=")
        fields[name] = _value(parser)
        parser.parse_optional_punctuation(",")
    return fields


def _plain(attribute: Attribute) -> Any:
    """The Python value of an attribute of the generic form."""
    match attribute:
        case IntegerAttr():
            return bool(attribute.value.data) if attribute.type == i1 else attribute.value.data
        case FloatAttr():
            return attribute.value.data
        case StringAttr():
            return attribute.data
        case SymbolRefAttr():
            return attribute.root_reference.data
        case DenseArrayBase():
            values: Sequence[Any] = attribute.get_values()  # pyright: ignore[reportAttributeAccessIssue]
            return [bool(v) if attribute.elt_type == i1 else v for v in values]
        case ArrayAttr():
            return [_plain(a) for a in attribute.data]
        case DictionaryAttr():
            return {name: _plain(a) for name, a in attribute.data.items()}
        case UnregisteredAttr():
            return _from_text(attribute.value.data.strip())
        case _:
            return attribute


def _from_text(text: str) -> Any:
    """What an attribute of StableHLO says: `EQ`, `index_vector_dim = 1, ...`, `[b, f, 0]x[o, i, 0]->[b, f, 0]`."""
    if text.isidentifier():
        return text
    return _value(Parser(Context(), text if text.startswith("[") else f"{{{text}}}"))


def _reducer(parser: Parser) -> Region:
    """`(%a: t, %b: t) (%i: u, %j: u) {...}`: a pair for each operand; the block has the firsts before the seconds."""
    pairs: list[list[Parser.Argument]] = []
    while (
        pair := parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
    ) is not None:
        pairs.append(pair)
    return parser.parse_region([pair[side] for side in (0, 1) for pair in pairs])


def _renamed(**names: str) -> Callable[[_ShortForm], Stated]:
    return lambda form: {names.get(name, name): value for name, value in form.stated.items()}


def _compared(form: _ShortForm) -> Stated:
    direction, *type_ = form.words
    return {"comparison_direction": direction, "compare_type": "".join(type_)}


def _sliced(form: _ShortForm) -> Stated:
    starts, limits, strides = zip(*form.stated.get("bounds", []), strict=True) if form.stated else ((), (), ())
    return {"start_indices": [*starts], "limit_indices": [*limits], "strides": [*strides]}


def _product(form: _ShortForm) -> Stated:
    batching, contracting = form.stated.get("batching_dims", [[], []]), form.stated["contracting_dims"]
    numbers: Stated = {}
    for kind, (lhs, rhs) in (("batching", batching), ("contracting", contracting)):
        numbers |= {f"lhs_{kind}_dimensions": lhs, f"rhs_{kind}_dimensions": rhs}
    return {"dot_dimension_numbers": numbers}


def _convolved(form: _ShortForm) -> Stated:
    names = {
        "stride": "window_strides", "pad": "padding", "lhs_dilate": "lhs_dilation", "rhs_dilate": "rhs_dilation",
        "reverse": "window_reversal",
    }  # fmt: skip
    window: Stated = form.stated.get("window", {})
    return {"dimension_numbers": form.stated["dim_numbers"]} | {names[name]: value for name, value in window.items()}


NAMED: dict[str, Callable[[_ShortForm], Stated]] = {
    "stablehlo.broadcast_in_dim": _renamed(dims="broadcast_dimensions"),
    "stablehlo.compare": _compared,
    "stablehlo.concatenate": _renamed(dim="dimension"),
    "stablehlo.convolution": _convolved,
    "stablehlo.dot_general": _product,
    "stablehlo.dynamic_slice": _renamed(sizes="slice_sizes"),
    "stablehlo.iota": _renamed(dim="iota_dimension"),
    "stablehlo.pad": _renamed(low="edge_padding_low", high="edge_padding_high", interior="interior_padding"),
    "stablehlo.reverse": _renamed(dims="dimensions"),
    "stablehlo.slice": _sliced,
    "stablehlo.transpose": _renamed(dims="permutation"),
}
"""What the short form states, by the names of the generic form."""


class _Parser(IRParser):
    """Notes where each op stands, and says of an op that is not read that it is outside."""

    def parse_operation(self) -> Operation:
        start = self._current_token.span.start
        op = super().parse_operation()
        if isinstance(op, HloOp):
            line = bisect_right(self._line_starts, start)
            end = self.lexer.input.content.find("\n", start)
            text = self.lexer.input.content[start : end if end >= 0 else None]
            op.place = Location(
                self._file.data, line, start - self._line_starts[line - 1] + 1, text.partition(" loc(")[0]
            )
        return op

    def _get_op_by_name(self, name: str) -> type[Operation]:
        found = self.ctx.get_optional_op(name, dialect_stack=self._parser_state.dialect_stack)
        known = found is not None and found.name != "builtin.unregistered"
        return found if known and found is not None else self._unknown_op(name)

    def _unknown_op(self, name: str) -> NoReturn:
        try:
            super()._unknown_op(name)
        except MlcError as error:
            hint = "; ".join(f"of {d} supported are {', '.join(self._known(d))}" for d in DIALECTS)
            raise MlcError(f"{name} cannot be imported", error.location, hint) from None

    def _known(self, dialect: str) -> list[str]:
        """The ops of a dialect that are read, without its name."""
        found = self.ctx.get_optional_dialect(dialect)
        return sorted(op.name.partition(".")[2] for op in found.operations) if found else []


def read(text: str | bytes, name: str, ops: Sequence[str], sources: bool = False) -> ModuleOp:
    """The module of a StableHLO text whose ops are among `ops`. MlcError names another one and its line."""
    context = Context(allow_unregistered=True)  # attributes: of ops none is
    for prefix in DIALECTS:
        classes: list[type[Operation]] = [type(n, (HloOp,), {"name": n}) for n in ops if n.startswith(f"{prefix}.")]
        dialect = Dialect(prefix, classes)
        context.register_dialect(prefix, lambda dialect=dialect: dialect)
    for dialect in (Builtin, func.Func):
        context.load_dialect(dialect)
    decoded = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return parse_module(context, with_plain_locations(decoded, sources), name, parser=_Parser)
