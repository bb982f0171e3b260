"""A comparison as text: the table, the kernels, where the strategies differ, and one pair of ops."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator, Mapping, Sequence

from xdsl.ir import Operation

from mlc_compiler.compare.comparison import Comparison, Strategy
from mlc_compiler.compare.repeats import op_key
from mlc_compiler.compare.report import places
from mlc_compiler.peers.record import Cut
from mlc_support.index_maps import ASSUMED_SIZE
from passes.common.device import name_of
from passes.tensor.fusion.plan import Decision, human_bytes

COLUMNS = ("strategy", "", "kernels", "launches", "moved", "recomputed", "predicted", "measured", "by")
LONGEST, MOST_KERNELS, MOST_VALUES = 12, 24, 4
"""So many differences and names of a kernel are listed, kernels of a strategy, and values of a kernel."""


def as_text(comparison: Comparison, pair: tuple[str, str] | None = None, kernels: bool = True) -> str:
    """The whole report, or with `pair` what each strategy says of two ops."""
    parts = [_title(comparison), table(comparison), "\n".join(_remarks(comparison))]
    if pair is not None:
        parts.append("\n".join(about_pair(comparison, *pair)))
    else:
        if kernels:
            parts += ["\n".join(_kernels(comparison, row)) for row in comparison.rows]
        parts += ["\n".join(_differences(comparison)), "\n".join(_moved_by_knobs(comparison))]
    parts.append("\n".join(_cuts(comparison)))
    parts.append("\n".join(f"{peer}: not asked: {why}" for peer, why in comparison.failures.items()))
    return "\n\n".join(part for part in parts if part) + "\n"


def _title(comparison: Comparison) -> str:
    device = comparison.device
    return (
        f"{comparison.name}: {len(comparison.ops)} ops on {device.name} "
        f"({device.bandwidth / 1e12:.2f} TB/s, {device.launch_us:g} us a launch)"
        + (
            f"\nonly running tells {', '.join(comparison.assumed)}: counted as {ASSUMED_SIZE}"
            if comparison.assumed
            else ""
        )
    )


def table(comparison: Comparison) -> str:
    """One line a strategy."""
    return aligned([COLUMNS, *(_row(comparison, row) for row in comparison.rows)], left={0, 1, len(COLUMNS) - 1})


def _remarks(comparison: Comparison) -> Iterator[str]:
    """What must be known beside the times: where they were measured, and of which strategies there is none, and why."""
    for device in dict.fromkeys(m.device for row in comparison.rows if (m := row.measured) is not None and m.device):
        yield f"measured on {device}"
        if (key := name_of(device)) not in (comparison.device_name, "generic"):
            yield f"predicted for {comparison.device.name}: --device {key} predicts for what was measured on"
    yield from (f"{row.label}: {row.remark}" for row in comparison.rows if row.remark)


def aligned(rows: Sequence[Sequence[str]], left: set[int]) -> str:
    """A table in columns, those in `left` to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]

    def line(row: Sequence[str]) -> str:
        cells = (c.ljust(w) if k in left else c.rjust(w) for k, (c, w) in enumerate(zip(row, widths, strict=True)))
        return "  ".join(cells).rstrip()

    return "\n".join(map(line, rows))


def _row(comparison: Comparison, row: Strategy) -> tuple[str, ...]:
    found = row.measured
    measured = "-" if found is None or found.us is None else f"{found.us:.1f} us" + (" wrong" if found.wrong else "")
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
    """The kernels of a strategy, equal layers once."""
    yield f"{row.label}:"
    left = MOST_KERNELS
    for run in comparison.runs[row.label]:
        first, last = run.start + 1, run.start + run.period * run.count
        if run.count > 1:
            yield f"  {run.count} times, kernels {first} to {last}:"
        for position in range(run.start, run.start + min(run.period, left)):
            yield from (f"{'  ' * (run.count > 1)}{line}" for line in _kernel(comparison, row, position))
        if run.period > left:
            yield f"  and {row.plan.kernels - run.start - left} more: --json FILE or --html FILE has them all"
            return
        left -= run.period


def _kernel(comparison: Comparison, row: Strategy, position: int) -> Iterator[str]:
    group, cost = row.plan.groups[position], comparison.costs[row.label][position]
    names = _listed([comparison.names[op] for op in group.ops if op in comparison.names])
    lines = _listed(places(group.ops))
    head = f"  {position + 1}. {group.kind}: {names}"
    yield f"{head}  {human_bytes(cost.bytes)}, {cost.us:.1f} us" + (f"  {lines}" if lines else "")
    yield f"     {group.why}"
    reads, writes = (_sized(side) for side in comparison.traffic(row, group))
    yield f"     reads {reads or 'nothing'}; writes {writes or 'nothing'}"


def _sized(values: Mapping[str, int]) -> str:
    """Values with their bytes, the largest."""
    texts = [f"{name} {human_bytes(size)}" for name, size in values.items()]
    more = f" and {len(texts) - MOST_VALUES} more" if len(texts) > MOST_VALUES else ""
    return ", ".join(texts[:MOST_VALUES]) + more


def _differences(comparison: Comparison) -> Iterator[str]:
    """The edges that some fuse and others do not, with what those who do not say; equal edges once."""
    alike: dict[Hashable, list[tuple[Operation, Operation]]] = {}
    for edge in comparison.disputed:
        apart = tuple(row.label for row in comparison.apart(*edge))
        alike.setdefault((*map(op_key, edge), apart), []).append(edge)
    if alike:
        yield "where they differ:"
    for edges in list(alike.values())[:LONGEST]:
        producer, consumer = edges[0]
        apart = comparison.apart(producer, consumer)
        fused = ", ".join(row.label for row in comparison.rows if row not in apart)
        times = f" ({len(edges)} such edges)" if len(edges) > 1 else ""
        yield f"  {comparison.names[producer]} -> {comparison.names[consumer]}: fused by {fused}{times}"
        for row in apart:
            yield f"    not by {row.label}: {_why(row, producer, consumer)}"
    if len(alike) > LONGEST:
        yield f"  and {len(alike) - LONGEST} more: --json FILE has them all, --pair A,B tells of one"


def _cuts(comparison: Comparison) -> Iterator[str]:
    """What the real compilers were not given: each op with its reason once, and the user's lines."""
    for row in comparison.rows:
        alike: dict[tuple[str, str], list[Cut]] = {}
        for cut in row.cuts:
            alike.setdefault((cut.callee, cut.why), []).append(cut)
        for (callee, why), cuts in alike.items():
            yield f"{row.label}: cut at {len(cuts)} x {callee}: {why}"
            yield from (f"    {line}" for line in list(dict.fromkeys(c.place for c in cuts if c.place))[:MOST_VALUES])


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
    for producer, consumer in comparison.edges:
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
        for producer, consumer in comparison.edges:
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
