"""mlc against eager on torch's op database: `python -m tests.conformance.opinfo`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.conformance.check import Outcome, Task
from tests.conformance.samples import full_name, op_db
from tests.conformance.table import failures, markdown, summary
from tests.conformance.workers import run_tasks

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the tasks that the command line asks for; 1 if one failed."""
    options = _parser().parse_args(arguments)
    tasks = _tasks(options)
    outcomes: list[Outcome] = []
    for outcome in run_tasks(tasks, options.jobs, options.time_limit):
        outcomes.append(outcome)
        _show(outcome, len(outcomes), len(tasks))
    order = {(t.op, t.dtype, t.backward): k for k, t in enumerate(tasks)}
    outcomes.sort(key=lambda o: order[o.op, o.dtype, o.backward])
    print("\n" + (failures(outcomes) or "nothing failed") + "\n\n" + summary(outcomes))
    if options.json:
        Path(options.json).write_text(json.dumps([o.record() for o in outcomes], indent=1) + "\n")
    if options.markdown:
        Path(options.markdown).parent.mkdir(parents=True, exist_ok=True)
        Path(options.markdown).write_text(markdown(outcomes, _title(options)))
    return int(any(o.status == "failed" for o in outcomes))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.opinfo", description=__doc__)
    parser.add_argument("--device", default="cpu", help="cpu (kernels are interpreted) or cuda")
    parser.add_argument("--ops", default="", help="names, separated by commas; a name alone takes its variants in")
    parser.add_argument("--dtypes", default="float32", help="names, separated by commas")
    parser.add_argument("--samples", type=int, default=4, help="calls tried for each op")
    parser.add_argument("--backward", action="store_true", help="gradients as well, for each op that has them")
    parser.add_argument("--mode", choices=("compile", "direct"), default="compile", help="direct leaves Dynamo out")
    parser.add_argument("--jobs", type=int, default=1, help="worker processes")
    parser.add_argument("--time-limit", type=float, default=60, help="seconds for one op")
    parser.add_argument("--json", help="file for the outcomes")
    parser.add_argument("--markdown", help="file for the table, docs/coverage.md for instance")
    return parser


def _tasks(options: argparse.Namespace) -> list[Task]:
    wanted = [name for name in options.ops.split(",") if name]
    names = [full_name(op) for op in op_db if not wanted or {op.name, full_name(op)} & set(wanted)]
    names = list(dict.fromkeys(names))
    missing = [w for w in wanted if not any(n == w or n.startswith(f"{w}.") for n in names)]
    if missing:
        sys.exit(f"error: the database has no op {', '.join(missing)}")
    common = {"device": options.device, "samples": options.samples, "mode": options.mode}
    return [
        Task(name, dtype, backward=options.backward, **common) for dtype in options.dtypes.split(",") for name in names
    ]


def _show(outcome: Outcome, done: int, total: int) -> None:
    note = outcome.detail or ", ".join(outcome.externs)
    line = f"[{done}/{total}] {outcome.status:8} {outcome.op} {outcome.dtype} {outcome.seconds:.1f}s  {note}"
    print(line[:300], flush=True)


def _title(options: argparse.Namespace) -> str:
    return (
        f"`torch.testing`'s op database on {options.device}, {options.samples} samples an op and one more on strided "
        "views: values, types and strides against eager. Written by "
        "`python -m tests.conformance.opinfo --markdown docs/coverage.md`."
    )


if __name__ == "__main__":
    sys.exit(main())
