"""Reading IR text: xDSL's parser, with its silent mistakes mended and its errors placed.

What differs from `xdsl.parser.Parser`:

- Hexadecimal floats are bit patterns in `dense<...>` and `array<...>` as they are in a
  scalar attribute. xDSL reads `dense<0xFF800000> : tensor<2xf32>` as 4286578688.0, not as
  -inf, and its own printer writes that form: for inf and NaN, and for any finite value
  whose short decimal form has no point (16777215.0 in f32).
- An integer type has at most 2**24 - 1 bits, as in MLIR: xDSL computes its range, 512 MB for i4294967296.
- An op without a location in the text gets the place it stands at, as in MLIR.
- Whatever is wrong with the text is one `MlcError` with file, line, column and carets.
"""

from __future__ import annotations

import difflib
import math
import re
import struct
from bisect import bisect_right
from collections.abc import Iterable
from typing import NoReturn, TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import (
    AnyFloat,
    ComplexType,
    DenseArrayBase,
    FileLineColLoc,
    IndexType,
    IntAttr,
    IntegerType,
    ModuleOp,
    RankedStructure,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Operation, SSAValue, TypeAttribute
from xdsl.parser import AttrParser, Parser, ParserState, UnresolvedOperand
from xdsl.utils.exceptions import MultipleSpansParseError, ParseError
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from mlc_support.errors import Location, MlcError

AttributeT = TypeVar("AttributeT", bound=Attribute)

MAX_DENSE_ELEMENTS = 2**24
"""The largest constant read from text: its bytes are all held, and a typo fills memory."""

MAX_INTEGER_BITS = 2**24 - 1
"""The widest integer type, as in MLIR."""

_HEX = re.compile(r"\s*(-?)\s*0[xX]([0-9a-fA-F]+)\s*")
_BEFORE_DIMENSION = re.compile(r"\b(?:tensor|memref|vector)<[\dx?\[\]]*$")


def parse_module(
    ctx: Context,
    text: str | bytes,
    name: str = "<text>",
    *,
    implicit_module: bool = True,
    first_line: int = 1,
    parser: type[IRParser] | None = None,
) -> ModuleOp:
    """The module that `text` spells, not yet verified.

    `name` is the file in locations and errors, `first_line` the number of the first line
    there. `parser` reads another language than ours. Text without any op is an empty module.
    Raises `MlcError` for any other text that is not a module.
    """
    reader = _start(parser or IRParser, ctx, text, name, first_line)
    try:
        if implicit_module and reader.at_end:
            return ModuleOp([])
        return reader.parse_module(implicit_module)
    except ParseError as error:
        raise parse_failure(error) from error
    except (MlcError, ImportError):  # a dialect that cannot be loaded is no fault of the text
        raise
    except RecursionError as error:
        raise reader.failure("the nesting is too deep to read") from error
    except (OverflowError, struct.error) as error:
        raise reader.failure("a number is out of range for its type") from error
    except Exception as error:  # xDSL lets verifier and conversion errors escape unplaced
        raise reader.failure(str(error) or type(error).__name__) from error


def _start(parser: type[IRParser], ctx: Context, text: str | bytes, name: str, first_line: int) -> IRParser:
    """A parser at the first token of `text`, lines counted from `first_line`."""
    try:
        decoded = text.decode("utf-8") if isinstance(text, bytes) else text
        return parser(ctx, "\n" * (first_line - 1) + decoded, name)
    except UnicodeDecodeError as error:
        raise MlcError(f"not UTF-8 text: {error.reason} at byte {error.start}", name) from error
    except ParseError as error:
        raise parse_failure(error) from error


def parse_failure(error: ParseError) -> MlcError:
    """The error a person reads for a `ParseError` of xDSL: message, line, carets, hint."""
    message, hint = _clearer(error)
    return MlcError(message, _location(error.span), hint)


def _location(span: Span[str] | Span[bytes]) -> Location:
    """The place of a span, with its first line and the width to underline in it."""
    file, line, column = span.get_location()
    content = span.input.content
    text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
    source = text[span.input.get_start_of_line(span.start) : span.input.get_end_of_line(span.start)]
    width = max(1, min(len(span), len(source) - column + 1))
    return Location(file, line, column, source, width)


def _clearer(error: ParseError) -> tuple[str, str | None]:
    """The message of an error, put plainly where xDSL's own would mislead, and a hint."""
    message, hint = error.msg.strip().rstrip("!."), None
    content, start = error.span.input.content, error.span.start
    assert isinstance(content, str)
    line_before = content[error.span.input.get_start_of_line(start) : start]
    if content[start : start + 1] == "-" and _BEFORE_DIMENSION.search(line_before):
        message, hint = "negative dimension", "a size is 0 or more, or ? where it is unknown"
    elif message == "Could not parse entire input":
        message = f"expected an operation, found `{error.span.text}`"
    elif message.startswith("End of file reached before closing string"):
        message = "a string is not closed on its line, or holds an unknown escape"
    elif message == "in block definition":
        message = "expected an operation or `}`"
    elif isinstance(error, MultipleSpansParseError):
        places = (str(span.get_location()) for span, _ in error.refs)
        hint = f"{error.ref_text or 'see'} {', '.join(places)}"
    return message[:1].lower() + message[1:], hint


def nearest(name: str, known: Iterable[str]) -> str | None:
    """`did you mean ...?` for the known name closest to `name`, if one is close."""
    found = difflib.get_close_matches(name, list(known), n=1)
    return f"did you mean `{found[0]}`?" if found else None


class _Lexer(MLIRLexer):
    """xDSL's lexer, whose pattern for strings takes exponential time on an unclosed one."""

    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')


class IRParser(Parser):
    """xDSL's parser with the repairs this module's docstring lists."""

    def __init__(self, ctx: Context, input: str, name: str) -> None:
        super().__init__(ctx, "", name)
        self._parser_state = ParserState(_Lexer(Input(input, name)))
        self._file = StringAttr(name)
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", input))]
        self._first_uses: dict[str, Span] = {}

    @property
    def at_end(self) -> bool:
        """All of the text is read."""
        return self._current_token.kind == MLIRTokenKind.EOF

    def failure(self, message: str) -> MlcError:
        """An error at the current token, for causes that xDSL gives no place."""
        return MlcError(message, _location(self._current_token.span))

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        """A module, with a value that is never defined reported at its first use."""
        try:
            return super().parse_module(allow_implicit_module)
        except ParseError:
            if self.at_end and self.forward_ssa_references:
                undefined = next(iter(self.forward_ssa_references))
                self.raise_error(f"%{undefined} is used but never defined", self._first_uses[undefined])
            raise

    def parse_operation(self) -> Operation:
        """An op, located at its place in the text unless it says where it came from."""
        start = self._current_token.span.start
        op = super().parse_operation()
        if isinstance(op.location, UnknownLoc):
            line = bisect_right(self._line_starts, start)
            column = start - self._line_starts[line - 1] + 1
            op.location = FileLineColLoc(self._file, IntAttr(line), IntAttr(column))
        return op

    def resolve_operand(self, operand: UnresolvedOperand, type: AttributeT) -> SSAValue[AttributeT]:
        """The value of an operand; a use before any definition is remembered."""
        if operand.operand_name not in self.ssa_values:
            self._first_uses.setdefault(operand.operand_name, operand.span)
        return super().resolve_operand(operand, type)

    def _get_op_by_name(self, name: str) -> type[Operation]:
        """The class of an op; an error at its name, with the nearest one that exists."""
        found = self.ctx.get_optional_op(name, dialect_stack=self._parser_state.dialect_stack)
        return found if found is not None else self._unknown_op(name)

    def _unknown_op(self, name: str) -> NoReturn:
        """Report an op that is not registered, at its name."""
        start = self.lexer.input.content.rfind(name, 0, self._current_token.span.start)
        place = _location(Span(start, start + len(name), self.lexer.input))
        dialect_name, dot, _ = name.partition(".")
        dialect = self.ctx.get_optional_dialect(dialect_name) if dot else None
        if dialect is not None:
            hint = nearest(name, (op.name for op in dialect.operations))
            raise MlcError(f"unknown operation `{name}` in dialect `{dialect_name}`", place, hint)
        if dot:
            hint = nearest(dialect_name, self.ctx.registered_dialect_names)
            raise MlcError(f"unknown dialect `{dialect_name}` in operation `{name}`", place, hint)
        raise MlcError(f"unknown operation `{name}`", place, "an operation is named `dialect.operation`")

    def _parse_optional_integer_or_float_type(self) -> TypeAttribute | None:
        """`i32`, `f32`, `index`; an integer type is not wider than any in MLIR."""
        span = self._current_token.span
        type = super()._parse_optional_integer_or_float_type()
        if isinstance(type, IntegerType) and type.bitwidth > MAX_INTEGER_BITS:
            self.raise_error(f"an integer type has {MAX_INTEGER_BITS} bits at most", span)
        return type

    def _parse_tensor_literal_element(self) -> Parser._TensorLiteralElement:
        """An element of `dense<...>`; hexadecimal ones keep their text for later."""
        element = super()._parse_tensor_literal_element()
        if "x" in element.span.text.lower():
            return _HexElement(element.is_negative, element.value, element.span)
        return element

    def _parse_optional_complex(
        self,
    ) -> tuple[tuple[float, float] | tuple[int, int] | tuple[bool, bool], Span] | None:
        """`(real, imaginary)`, one of which may be a number and the other a bit pattern."""
        if self._current_token.kind != MLIRTokenKind.L_PAREN:
            return None
        start = self._consume_token(MLIRTokenKind.L_PAREN).span.start
        real, real_span = self._parse_bool_int_or_float()
        self.parse_punctuation(",")
        imag, imag_span = self._parse_bool_int_or_float()
        end = self._parse_token(MLIRTokenKind.R_PAREN, "expected ')' after a complex number").span.end
        span = Span(start, end, self.lexer.input)
        is_hex = _HEX.fullmatch(real_span.text) or _HEX.fullmatch(imag_span.text)
        if type(real) is not type(imag) and not is_hex:
            self.raise_error("complex value must be either (float, float) or (int, int)", span)
        return (real, imag), span  # pyright: ignore[reportReturnType]

    def _parse_dense_literal_type(
        self,
    ) -> RankedStructure[IntegerType | IndexType | AnyFloat | ComplexType]:
        """The type of `dense<...>`; xDSL holds every element of it, a splat's too."""
        type = super()._parse_dense_literal_type()
        if math.prod(type.get_shape()) > MAX_DENSE_ELEMENTS:
            self.raise_error(f"dense<...> of {type} is too large: {MAX_DENSE_ELEMENTS} elements at most")
        return type

    def _parse_builtin_densearray_attr(self) -> DenseArrayBase | None:
        """`array<f32: 1.0, 0x7F800000>`: a float element may be a bit pattern."""
        start = self._current_token.span.start
        self.parse_characters("<", " in dense array")
        element_type = self.parse_attribute()
        if not isinstance(element_type, AnyFloat) or self.parse_optional_punctuation(">"):
            self._resume_from(start)
            return super()._parse_builtin_densearray_attr()
        self.parse_characters(":", " in dense array")
        values = self.parse_comma_separated_list(self.Delimiter.NONE, lambda: self._parse_array_float(element_type))
        self.parse_characters(">", " in dense array")
        return DenseArrayBase.from_list(element_type, values)

    def _parse_array_float(self, type: AnyFloat) -> float:
        """A decimal float, or a hexadecimal integer that is the bits of one."""
        token = self._current_token
        if token.kind == MLIRTokenKind.INTEGER_LIT and _HEX.fullmatch(token.text):
            self._consume_token()
            return bits_to_float(self, token.span, token.text, type)
        return self.parse_float()


def bits_to_float(parser: AttrParser, span: Span, text: str, type: AnyFloat) -> float:
    """The float of `type` whose bits `text` spells in hexadecimal, e.g. `0xFF800000`.

    Raises `ParseError` at `span` for a sign or for more bits than `type` has.
    """
    match = _HEX.fullmatch(text)
    assert match is not None
    if match[1]:
        parser.raise_error("the bits of a float have no leading minus", span)
    bits = int(match[2], 16)
    if bits.bit_length() > type.bitwidth:
        parser.raise_error(f"{text.strip()} has more bits than {type}", span)
    raw = bits.to_bytes(type.compile_time_size, "little")
    return type.unpack(raw, 1)[0]


class _HexElement(Parser._TensorLiteralElement):  # pyright: ignore[reportPrivateUsage]
    """A tensor literal element with a hexadecimal number in it, float or not."""

    def to_float(self, parser: AttrParser) -> float:
        """Unreachable: `to_type` handles floats, which need their type."""
        raise NotImplementedError

    def to_type(
        self, parser: AttrParser, type: AnyFloat | IntegerType | IndexType | ComplexType
    ) -> int | float | tuple[float, float] | tuple[int, int]:
        """The number, its bits reinterpreted where `type` is a float."""
        if isinstance(type, AnyFloat):
            return bits_to_float(parser, self.span, self.span.text, type)
        if isinstance(type, ComplexType) and isinstance(type.element_type, AnyFloat):
            real, imag = self.span.text.strip("()").split(",")
            return self._part(parser, real, type.element_type), self._part(parser, imag, type.element_type)
        return super().to_type(parser, type)

    def _part(self, parser: AttrParser, text: str, type: AnyFloat) -> float:
        """The real or the imaginary part."""
        return bits_to_float(parser, self.span, text, type) if _HEX.fullmatch(text) else float(text)
