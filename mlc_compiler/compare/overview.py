"""Many graphs in one table: a line a graph, the strategies beside each other, and the totals of each strategy."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

from mlc_compiler.compare.comparison import Comparison
from mlc_compiler.compare.text import aligned
from mlc_support.errors import MlcError
from mlc_support.parsing import nearest
from passes.tensor.fusion.plan import human_bytes

LONGEST_NAME = 48
"""Characters of a graph's name that the table shows."""


@dataclass(frozen=True)
class Totals:
    """What one strategy makes of one graph, or of all."""

    strategy: str
    kernels: int
    launches: int
    bytes: int
    predicted_us: float
    cuts: int
    """Ops that a real compiler was not given."""
    graphs: int = 1
    """How many of the graphs it has planned."""
    measured_us: float | None = None
    """None where not all of them have a time, or one of them is wrong."""


@dataclass(frozen=True)
class Line:
    """One graph."""

    graph: str
    times: int
    """How often it is found in what it comes from: totals count it so often."""
    ops: int
    edges: int
    disputed: int
    """Edges between computed ops that some strategies fuse and others do not."""
    strategies: Mapping[str, Totals]
    failures: Mapping[str, str]

    @property
    def disagreement(self) -> float:
        """The share of edges on which not all strategies agree."""
        return self.disputed / self.edges if self.edges else 0.0


def line_of(comparison: Comparison) -> Line:
    """A comparison as a line of the table: without its graph and its plans, which take memory."""
    found = {
        row.label: Totals(
            row.label,
            row.plan.kernels,
            row.launches,
            sum(cost.bytes for cost in comparison.costs[row.label]),
            round(comparison.predicted_us(row), 3),
            len(row.cuts),
            measured_us=None if row.measured is None or row.measured.wrong else row.measured.us,
        )
        for row in comparison.rows
    }
    counts = len(comparison.ops), len(comparison.edges), len(comparison.disputed)
    return Line(comparison.name, comparison.times, *counts, found, comparison.failures)


def totals(lines: Sequence[Line]) -> list[Totals]:
    """The sum of each strategy, over the graphs that it has planned, each as often as it is found."""
    labels = dict.fromkeys(label for line in lines for label in line.strategies)
    return [_sum(label, [line for line in lines if label in line.strategies]) for label in labels]


def _sum(label: str, lines: Sequence[Line]) -> Totals:
    found = [(line.times, line.strategies[label]) for line in lines]
    known = [times * t.measured_us for times, t in found if t.measured_us is not None]
    return Totals(
        label,
        kernels=sum(times * t.kernels for times, t in found),
        launches=sum(times * t.launches for times, t in found),
        bytes=sum(times * t.bytes for times, t in found),
        predicted_us=round(sum(times * t.predicted_us for times, t in found), 3),
        cuts=sum(times * t.cuts for times, t in found),
        graphs=len(found),
        measured_us=None if len(known) < len(found) else round(sum(known), 3),
    )


ORDERS: dict[str, Callable[[Line], float]] = {
    "differ": lambda line: -line.disagreement,
    "time": lambda line: -max((t.predicted_us for t in line.strategies.values()), default=0),
    "bytes": lambda line: -max((t.bytes for t in line.strategies.values()), default=0),
    "launches": lambda line: -max((t.launches for t in line.strategies.values()), default=0),
    "ops": lambda line: -line.ops,
}
"""What the table can be sorted by: the most first; `name` is one more."""
COLUMNS = (
    "graph", "times", "ops", "edges", "disputed", "strategy", "kernels", "launches", "bytes", "predicted_us",
    "measured_us", "cuts",
)  # fmt: skip
SHOWN: dict[str, Callable[[Totals], str]] = {
    "bytes": lambda t: human_bytes(t.bytes),
    "launches": lambda t: str(t.launches),
}
"""What the columns of strategies show, by the order; the predicted time where it is not here."""


def ordered(lines: Sequence[Line], by: str) -> list[Line]:
    """The lines by an entry of ORDERS, or by `name`. MlcError for another order."""
    if by == "name":
        return sorted(lines, key=lambda line: line.graph)
    if by not in ORDERS:
        orders = (*ORDERS, "name")
        raise MlcError(f"no order {by!r}", None, nearest(by, orders) or f"one of {', '.join(orders)}")
    return sorted(lines, key=ORDERS[by])


def as_overview(lines: Sequence[Line], by: str = "differ", most: int = 60) -> str:
    """The table of all graphs, at most so many, and that of the totals."""
    parts = [_graphs(ordered(lines, by), by, most), _totals(totals(lines), len(lines))]
    failed: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        for failure in line.failures.items():
            failed.setdefault(failure, []).append(line.graph)
    parts.append("\n".join(_failure(*failure, names) for failure, names in failed.items()))
    return "\n\n".join(part for part in parts if part) + "\n"


def _failure(who: str, why: str, names: Sequence[str]) -> str:
    graphs = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
    return f"{who}: not asked of {graphs}: {why}"


def _graphs(lines: Sequence[Line], by: str, most: int) -> str:
    labels = list(dict.fromkeys(label for line in lines for label in line.strategies))
    show = SHOWN.get(by, lambda t: f"{t.predicted_us:.1f} us")
    rows: list[tuple[str, ...]] = [("graph", "times", "ops", "differ", *labels)]
    for line in lines[:most]:
        cells = [show(line.strategies[label]) if label in line.strategies else "-" for label in labels]
        rows.append((_brief(line.graph), str(line.times), str(line.ops), f"{line.disagreement:.0%}", *cells))
    text = aligned(rows, left={0})
    return text + (f"\nand {len(lines) - most} more: --csv FILE has them all" if len(lines) > most else "")


def _brief(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..."


def _totals(found: Sequence[Totals], count: int) -> str:
    """The sums, measured times only where there are some."""
    clock = any(t.measured_us is not None for t in found)
    rows = [("in all", "graphs", "kernels", "launches", "moved", "predicted", *["measured"] * clock, "cut ops")]
    for t in found:
        numbers = str(t.kernels), str(t.launches), human_bytes(t.bytes), f"{t.predicted_us:.1f} us"
        measured = "-" if t.measured_us is None else f"{t.measured_us:.1f} us"
        rows.append((t.strategy, f"{t.graphs} of {count}", *numbers, *[measured] * clock, str(t.cuts)))
    return aligned(rows, left={0})


def as_csv(lines: Sequence[Line]) -> str:
    """A line for each graph and strategy."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for line in lines:
        for found in line.strategies.values():
            values = {**asdict(line), **asdict(found)}
            writer.writerow([values[column] for column in COLUMNS])
    return text.getvalue()


def as_data(lines: Sequence[Line]) -> dict[str, object]:
    """`{"graphs": [...], "totals": [...]}`, plain data."""
    graphs = [{**asdict(line), "strategies": [asdict(t) for t in line.strategies.values()]} for line in lines]
    return {"graphs": graphs, "totals": [asdict(t) for t in totals(lines)]}
