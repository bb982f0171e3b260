"""Names of kernels: what they compute, in program order."""

from __future__ import annotations

import keyword
from collections.abc import Collection, Iterable

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from mlc_dialects.common.index_syntax import RESERVED
from mlc_dialects.iteration.iterate import is_compute
from mlc_dialects.tensor.calls import YieldOp
from mlc_dialects.tensor.gather_scatter import GatherOp, ScatterOp
from mlc_dialects.tensor.ops import CastOp
from mlc_dialects.tensor.scan import ScanOp


class KernelNames:
    """The kernel names of one module; each is used once."""

    def __init__(self, taken: Iterable[str]):
        self._taken = set(taken)

    def fresh(self, ops: Collection[Operation]) -> str:
        """A name for the kernel that computes `ops`, which are of one block."""
        ordered = [op for op in next(iter(ops)).parent.ops if op in ops]  # pyright: ignore[reportOptionalMemberAccess]
        words = [_word(op) for op in ordered if is_compute(op) and not isinstance(op, CastOp)]
        words = words or [_word(op) for op in ordered if isinstance(op, GatherOp)]
        distinct = list(dict.fromkeys(words or [_word(op) for op in ordered if not isinstance(op, YieldOp)]))
        stem = "_".join([*distinct[:3], *distinct[3:][-2:]])
        name, count = stem, 1
        while name in self._taken or name in RESERVED or not name.isidentifier() or keyword.iskeyword(name):
            name, count = f"{stem}_{count}", count + 1
        self._taken.add(name)
        return name


def _word(op: Operation) -> str:
    if isinstance(op, ScatterOp):
        return "scatter"
    if isinstance(op, CastOp) and op.input.type == op.result.type:
        return "copy"
    kind = op.properties.get("kind")
    word = kind.data if isinstance(kind, StringAttr) else op.name.split(".")[-1]
    if not isinstance(kind, StringAttr):
        return word
    word = {"add": "sum", "mul": "prod"}.get(word, word)
    return f"cum{word}" if isinstance(op, ScanOp) else word
