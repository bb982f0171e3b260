"""Where the outputs of a graph come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlc_support.index_expr import IndexExpr
from mlc_support.index_parse import parse


@dataclass(frozen=True)
class ResultOutput:
    """Result `index` of the function: a tensor, or a number an extern call gave."""

    index: int


@dataclass(frozen=True)
class SizeOutput:
    """An integer, as an expression over the named sizes of the arguments."""

    expression: IndexExpr


@dataclass(frozen=True)
class ConstantOutput:
    """A Python value that no argument changes: None, a number, a string."""

    value: Any


OutputSpec = ResultOutput | SizeOutput | ConstantOutput


def output_data(output: OutputSpec) -> dict[str, Any]:
    """An output as JSON has it, if its value is None, a number or a text."""
    match output:
        case ResultOutput():
            return {"result": output.index}
        case SizeOutput():
            return {"size": str(output.expression)}
        case ConstantOutput():
            return {"constant": output.value}


def output_of_data(data: Any) -> OutputSpec:
    """What `output_data` gave. KeyError, TypeError or ValueError for anything else."""
    if "result" in data:
        return ResultOutput(int(data["result"]))
    return SizeOutput(parse(str(data["size"]))) if "size" in data else ConstantOutput(data["constant"])
