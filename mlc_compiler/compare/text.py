"""A comparison as text: the table, the kernels, where the strategies differ, and one pair of ops."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from xdsl.ir import Operation

from mlc_compiler.compare.comparison import Comparison, Strategy
from mlc_compiler.compare.report import places
from mlc_compiler.peers.record import compute_edges
from passes.tensor.fusion.plan import Decision, human_bytes

COLUMNS = ("strategy", "", "kernels", "launches", "moved", "recomputed", "predicted", "measured", "by")
LONGEST, MOST_KERNELS = 12, 16
"""So many differences and names of a kernel are listed, and so many kernels of a strategy."""


def as_text(comparison: Comparison, pair: tuple[str, str] | None = None, kernels: bool = True) -> str:
    """The whole report, or with `pair` what each strategy says of two ops."""
    parts = [_title(comparison), table(comparison)]
    if pair is not None:
        parts.append("\n".join(about_pair(comparison, *pair)))
    else:
        if kernels:
            parts += ["\n".join(_kernels(comparison, row)) for row in comparison.rows]
        parts += ["\n".join(_differences(comparison)), "\n".join(_moved_by_knobs(comparison))]
    parts.append("\n".join(f"{peer}: not asked: {why}" for peer, why in comparison.failures.items()))
    return "\n\n".join(part for part in parts if part) + "\n"


def _title(comparison: Comparison) -> str:
    device = comparison.device
    return (
        f"{comparison.name}: {len(comparison.ops)} ops on {device.name} "
        f"({device.bandwidth / 1e12:.2f} TB/s, {device.launch_us:g} us a launch)"
    )


def table(comparison: Comparison) -> str:
    """One line a strategy."""
    rows = [COLUMNS, *(_row(comparison, row) for row in comparison.rows)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(COLUMNS))]
    left = {0, 1, len(COLUMNS) - 1}
    return "\n".join(_aligned(row, widths, left) for row in rows)


def _aligned(row: Sequence[str], widths: Sequence[int], left: set[int]) -> str:
    cells = (c.ljust(w) if k in left else c.rjust(w) for k, (c, w) in enumerate(zip(row, widths, strict=True)))
    return "  ".join(cells).rstrip()


def _row(comparison: Comparison, row: Strategy) -> tuple[str, ...]:
    measured = f"{row.measured_us:.1f} us" if row.measured_us is not None else "-"
    turned = "".join(f" {k}={v}" for k, v in row.knobs.items())
    return (
        f"{row.name}{turned}",
        "real" if row.real else "emulated",
        str(row.plan.kernels),
        str(row.launches),
        human_bytes(row.plan.total_bytes),
        str(row.plan.recomputed),
        f"{comparison.predicted_us(row):.1f} us",
        measured,
        row.version,
    )


def _kernels(comparison: Comparison, row: Strategy) -> Iterator[str]:
    yield f"{row.label}:"
    kernels = list(zip(row.plan.groups, comparison.costs[row.label], strict=True))
    for number, (group, cost) in enumerate(kernels[:MOST_KERNELS], 1):
        names = _listed([comparison.names[op] for op in group.ops if op in comparison.names])
        lines = _listed(places(group.ops))
        head = f"  {number}. {group.kind}: {names}"
        yield f"{head}  {human_bytes(cost.bytes)}, {cost.us:.1f} us" + (f"  {lines}" if lines else "")
        yield f"     {group.why}"
    if len(kernels) > MOST_KERNELS:
        yield f"  and {len(kernels) - MOST_KERNELS} more: --json FILE or --html FILE has them all"


def _differences(comparison: Comparison) -> Iterator[str]:
    """The edges that some fuse and others do not, with what those who do not say."""
    split = [(edge, apart) for edge in compute_edges(comparison.block) if (apart := _apart(comparison, *edge))]
    mixed = [(edge, apart) for edge, apart in split if len(apart) < len(comparison.rows)]
    if mixed:
        yield "where they differ:"
    for (producer, consumer), apart in mixed[:LONGEST]:
        fused = ", ".join(row.label for row in comparison.rows if row not in apart)
        yield f"  {comparison.names[producer]} -> {comparison.names[consumer]}: fused by {fused}"
        for row in apart:
            yield f"    not by {row.label}: {_why(row, producer, consumer)}"
    if len(mixed) > LONGEST:
        yield f"  and {len(mixed) - LONGEST} more: --json FILE has them all, --pair A,B tells of one"


def _apart(comparison: Comparison, producer: Operation, consumer: Operation) -> list[Strategy]:
    return [row for row in comparison.rows if not row.plan.together(producer, consumer)]


def _why(row: Strategy, producer: Operation, consumer: Operation) -> str:
    verdict = row.verdicts.get((producer, consumer))
    return _verdict_text(verdict) if verdict is not None else "no verdict of its own: see the edges between"


def _verdict_text(verdict: Decision) -> str:
    """The reason, and what fusing saves or would save."""
    saved = verdict.saves_us
    if saved is None:
        return verdict.why
    verb = ("saves" if saved >= 0 else "costs") if verdict.fuse else ("would save" if saved >= 0 else "would cost")
    return f"{verdict.why} ({verb} {abs(saved):.2f} us)"


def about_pair(comparison: Comparison, first: str, second: str) -> Iterator[str]:
    """Who has the two ops in one kernel, who has not, and the rule that refused. MlcError for an unknown name."""
    a, b = comparison.op(first), comparison.op(second)
    path = _path(comparison, a, b) or _path(comparison, b, a)
    if path is None:
        yield f"{first} and {second}: neither needs the other"
    elif len(path) > 2:
        yield f"{first} and {second}: by way of {', '.join(comparison.names[op] for op in path[1:-1])}"
    else:
        yield f"{first} and {second}: one reads the other"
    for row in comparison.rows:
        together = row.plan.together(a, b)
        yield f"  {row.label}: {'one kernel' if together else 'apart'}"
        yield from (f"    {line}" for line in _reasons(comparison, row, a, b, path, together))


def _reasons(
    comparison: Comparison, row: Strategy, a: Operation, b: Operation, path: Sequence[Operation] | None, together: bool
) -> Iterator[str]:
    """The verdicts on the pair itself, or else those on the way between that went the same way."""
    direct = row.verdicts.get((a, b)) or row.verdicts.get((b, a))
    if direct is not None and direct.fuse == together:
        yield _verdict_text(direct)
        return
    for producer, consumer in zip(path or (), (path or ())[1:], strict=False):
        verdict = row.verdicts.get((producer, consumer))
        if verdict is not None and verdict.fuse == together:
            yield f"{comparison.names[producer]} -> {comparison.names[consumer]}: {_verdict_text(verdict)}"


def _path(comparison: Comparison, start: Operation, end: Operation) -> list[Operation] | None:
    """A shortest way along the data from one op to another."""
    readers: dict[Operation, list[Operation]] = {}
    for producer, consumer in compute_edges(comparison.block):
        readers.setdefault(producer, []).append(consumer)
    before: dict[Operation, Operation | None] = {start: None}
    work = deque([start])
    while work:
        op = work.popleft()
        for reader in readers.get(op, ()):
            if reader not in before:
                before[reader] = op
                work.append(reader)
    if end not in before or end is start:
        return None
    way: list[Operation] = [end]
    while (previous := before[way[-1]]) is not None:
        way.append(previous)
    return way[::-1]


def _moved_by_knobs(comparison: Comparison) -> Iterator[str]:
    """What each turned knob changed against the row without it."""
    for row in comparison.rows:
        base = next((r for r in comparison.rows if r.name == row.name and r.real == row.real and not r.knobs), None)
        if not row.knobs or base is None:
            continue
        kernels = f"{base.plan.kernels} -> {row.plan.kernels} kernels"
        moved = f"{human_bytes(base.plan.total_bytes)} -> {human_bytes(row.plan.total_bytes)}"
        times = f"{comparison.predicted_us(base):.1f} -> {comparison.predicted_us(row):.1f} us"
        yield f"{row.label}: {kernels}, {moved}, {times}"
        for producer, consumer in compute_edges(comparison.block):
            was, now = base.plan.together(producer, consumer), row.plan.together(producer, consumer)
            if was != now:
                edge = f"{comparison.names[producer]} -> {comparison.names[consumer]}"
                yield f"  {edge}: {'now fused' if now else 'no longer fused'}: {_why(row, producer, consumer)}"


def _listed(items: Sequence[str]) -> str:
    """The items, the middle of many left out."""
    if len(items) <= LONGEST:
        return ", ".join(items)
    half = LONGEST // 2
    return f"{', '.join(items[:half])}, ... {len(items) - 2 * half} more ..., {', '.join(items[-half:])}"
