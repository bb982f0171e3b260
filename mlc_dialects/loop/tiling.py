"""The attribute of `mlc_loop` kernels by which a person, or a tuner, asks for a tiling.

    mlc_loop.kernel @f(%x: memref<64x4096xf32>, ...) attributes {tiling = #mlc_loop.tiling<
        rows = 1, columns = 1024, warps = 4, stages = 1>} { ... }

The pass `schedule` carries it out instead of choosing one.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

TILING = "tiling"
"""The name of the attribute."""
FIELDS = ("rows", "columns", "warps", "stages")


@irdl_attr_definition
class TilingAttr(ParametrizedAttribute):
    """Rows and columns that a program holds at once, its warps, and the stages of its pipelined loops.

    Rows, columns and warps are powers of two. One stage means that no loop is pipelined.
    """

    name = "mlc_loop.tiling"
    rows: IntAttr
    columns: IntAttr
    warps: IntAttr
    stages: IntAttr

    @property
    def numbers(self) -> tuple[int, int, int, int]:
        """The fields in their order."""
        return self.rows.data, self.columns.data, self.warps.data, self.stages.data

    def verify(self) -> None:
        for field, number in zip(FIELDS, self.numbers, strict=True):
            if number < 1 or (field != "stages" and number & (number - 1)):
                kind = "a positive number" if field == "stages" else "a power of two"
                raise VerifyException(f"tiling: {field} is {number} and must be {kind}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        numbers: list[IntAttr] = []
        with parser.in_angle_brackets():
            for field in FIELDS:
                if numbers:
                    parser.parse_punctuation(",")
                parser.parse_keyword(field)
                parser.parse_punctuation("=")
                numbers.append(IntAttr(parser.parse_integer()))
        return numbers

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            texts = (f"{field} = {number}" for field, number in zip(FIELDS, self.numbers, strict=True))
            printer.print_string(", ".join(texts))
