"""The outcomes as a table: for the terminal, and for docs/coverage.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tests.conformance.check import EXTERN, FAILED, NATIVE, SKIPPED, Outcome
from tests.conformance.families import FAMILIES, family

STATUSES = (NATIVE, EXTERN, SKIPPED, FAILED)
MEANING = {
    NATIVE: "every op of the graph is compiled (a matrix product is the library's)",
    EXTERN: "right, with at least one call of PyTorch's own kernel",
    SKIPPED: "not tried, with the reason",
    FAILED: "wrong, refused, crashed or too slow",
}


def summary(outcomes: Sequence[Outcome]) -> str:
    """Counts by kind of run."""
    lines = [f"{'':28}" + "".join(f"{s:>9}" for s in STATUSES)]
    for group, members in _groups(outcomes).items():
        counts = Counter(o.status for o in members)
        lines.append(f"{group:28}" + "".join(f"{counts[s]:9}" for s in STATUSES) + f"   {share(members)}")
    return "\n".join([*lines, f"native in every type and direction but complex: {share(by_op(outcomes))}"])


def by_op(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """One outcome an op, over the types that Triton has, forward and backward: native where all that ran are.

    A failure decides, then an extern call in any graph of any sample.
    """
    found: dict[str, Outcome] = {}
    order = (FAILED, EXTERN, NATIVE, SKIPPED)
    for outcome in outcomes:
        if outcome.dtype.startswith("complex"):
            continue
        other = found.setdefault(outcome.op, outcome)
        if order.index(outcome.status) < order.index(other.status):
            found[outcome.op] = outcome
    return list(found.values())


def share(outcomes: Iterable[Outcome]) -> str:
    """Native ops among those that ran and belong to no family of `families`."""
    counts = Counter(o.status for o in outcomes if family(o.op) is None)
    tried = counts[NATIVE] + counts[EXTERN] + counts[FAILED]
    return f"{counts[NATIVE]} of {tried} eligible ({100 * counts[NATIVE] / tried:.0f}%)" if tried else "-"


def _groups(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(
            f"{outcome.device} {outcome.dtype} {'backward' if outcome.backward else 'forward'}", []
        ).append(outcome)
    return groups


def failures(outcomes: Iterable[Outcome]) -> str:
    """The failed ones, each with its error."""
    return "\n".join(
        f"{o.op} {o.device} {o.dtype}{' backward' if o.backward else ''}: {o.detail}"
        for o in outcomes
        if o.status == FAILED
    )


def markdown(outcomes: Sequence[Outcome], title: str) -> str:
    """A page: the counts, then each kind of run op by op."""
    lines = [
        "# Coverage of PyTorch's operators",
        "",
        title,
        "",
        "| run | " + " | ".join(STATUSES) + " | native of eligible |",
    ]
    lines.append("| --- |" + " ---: |" * (len(STATUSES) + 1))
    groups = _groups(outcomes)
    for group, members in groups.items():
        counts = Counter(o.status for o in members)
        lines.append(f"| {group} | " + " | ".join(str(counts[s]) for s in STATUSES) + f" | {share(members)} |")
    lines.append(f"| every op, all of these types but complex | | | | | {share(by_op(outcomes))} |")
    excluded = ", ".join(FAMILIES)
    lines += [
        "",
        f"Eligible are all ops that ran but those of {excluded} (`tests/conformance/families.py`). An op with variants "
        "is several. One call of PyTorch's own kernel in any graph of any sample makes an op extern; in the last row, "
        "at any type and in either direction that ran: while some have not, it is an upper bound.",
    ]
    lines += ["", *(f"- **{status}**: {meaning}" for status, meaning in MEANING.items())]
    for group, members in groups.items():
        lines += ["", f"## {group}"]
        for status in STATUSES:
            lines += _section(status, [o for o in members if o.status == status])
    return "\n".join(lines) + "\n"


def _section(status: str, members: Sequence[Outcome]) -> list[str]:
    """Names alone where there is no more to say; else a line each, or a line for each reason."""
    if not members:
        return []
    names = sorted(o.op for o in members)
    head = ["", f"### {status}: {len(members)}", ""]
    if status == NATIVE:
        return [*head, ", ".join(f"`{n}`" for n in names)]
    if status == SKIPPED:
        reasons: dict[str, list[str]] = {}
        for outcome in sorted(members, key=lambda o: o.op):
            reasons.setdefault(outcome.detail, []).append(f"`{outcome.op}`")
        return [*head, *(f"- {_plain(reason)}: {', '.join(ops)}" for reason, ops in reasons.items())]
    column = "calls" if status == EXTERN else "error"
    rows = sorted((o.op, ", ".join(o.externs) if status == EXTERN else o.detail) for o in members)
    return [*head, f"| op | {column} |", "| --- | --- |", *(f"| `{op}` | {_plain(text)} |" for op, text in rows)]


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
