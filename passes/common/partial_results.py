"""Whether rows may be reduced in parts, as both the tensor level (before fusion) and the loop level ask."""

from __future__ import annotations

from collections.abc import Iterable

from mlc_support.index_expr import IndexExpr


def partial_results_refusal(rows: IndexExpr, columns: IndexExpr, kinds: Iterable[str]) -> str | None:
    """Why rows cannot be reduced part by part and the partial results combined; None if they can."""
    if rows.constant is None or columns.constant is None:
        return f"the number of parts of {rows} rows of {columns} is not known"
    if any(kind.startswith("arg") for kind in kinds):
        return "a part does not know the positions of its elements in the row"
    return None
