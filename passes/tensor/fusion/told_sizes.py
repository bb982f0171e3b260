"""Named sizes that calls tell: what names one runs behind the call, though no operand says so."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from mlc_dialects.common.annotations import SYMBOL, argument_annotations
from mlc_dialects.common.types import shape_of
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.named_sizes import size_called, sizes_read, sizes_told
from mlc_support.index_maps import Line


class ToldSizes:
    """The calls of one block that tell sizes which no argument tells."""

    def __init__(self, block: Block):
        known = set(_told_by_arguments(block))
        self._teller: dict[str, Operation] = {}
        for call in block.ops:
            for name in sizes_told(call) - known if isinstance(call, ExternOp) else ():
                self._teller.setdefault(name, call)

    def __bool__(self) -> bool:
        return bool(self._teller)

    def tellers(self, op: Operation) -> set[Operation]:
        """The calls that must run before `op`, whose sizes they tell."""
        return {self._teller[name] for name in sizes_read(op) & self._teller.keys()} - {op} if self else set()


def _told_by_arguments(block: Block) -> Iterator[str]:
    """The sizes that the types of arguments tell, and integers that are sizes."""
    function = block.parent_op()
    sizes = [size for a in block.args if isinstance(a.type, TensorType) for size in shape_of(a.type)]
    if isinstance(function, FuncOp):
        symbols = (argument_annotations(function, k).get(SYMBOL) for k in range(len(block.args)))
        sizes += [size for symbol in symbols if (size := size_called(symbol)) is not None]
    yield from (line.name for line in map(Line.of, sizes) if line is not None)
