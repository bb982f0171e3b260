"""mlc against eager on torch's op database: `python -m tests.conformance.opinfo`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from hashlib import md5
from importlib.metadata import version
from pathlib import Path

from mlc_compiler.options import CPU
from tests.conformance import records
from tests.conformance.check import Outcome, Task
from tests.conformance.samples import full_name, op_db
from tests.conformance.table import failures, markdown, summary
from tests.conformance.workers import run_tasks

FORWARD = ("float32", "bfloat16", "int64", "bool", "complex64")
"""The types that `--all` tries forward."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the tasks that the command line asks for and the file does not have yet; 1 if one failed."""
    options = _parser().parse_args(arguments)
    file = Path(options.json) if options.json else None
    tasks, outcomes = _tasks(options), records.read(file)
    waiting = records.left(tasks, outcomes)
    for outcome in run_tasks(waiting, options.jobs, options.time_limit, options.budget):
        outcomes.append(outcome)
        records.append(file, outcome)
        _show(outcome, len(outcomes), len(tasks))
    outcomes.sort(
        key=lambda o: (o.device, o.backward, FORWARD.index(o.dtype) if o.dtype in FORWARD else 99, o.dtype, o.op)
    )
    print("\n" + (failures(outcomes) or "nothing failed") + "\n\n" + summary(outcomes))
    print(f"{len(records.left(tasks, outcomes))} tasks are left")
    if options.markdown:
        Path(options.markdown).parent.mkdir(parents=True, exist_ok=True)
        Path(options.markdown).write_text(markdown(outcomes, _title(options)))
    return int(any(o.status == "failed" for o in outcomes))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.opinfo", description=__doc__)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--ops", default="", help="names, separated by commas; a name alone takes its variants in")
    parser.add_argument("--dtypes", default="float32", help="names, separated by commas")
    parser.add_argument("--samples", type=int, default=4, help="calls tried for each op")
    parser.add_argument("--backward", action="store_true", help="gradients instead, for each op that has them")
    parser.add_argument("--all", action="store_true", help=f"forward for {', '.join(FORWARD)}; backward for float32")
    parser.add_argument("--shard", default="1/1", help="i/n: every n-th op, from the i-th on")
    parser.add_argument("--budget", type=float, default=float("inf"), help="seconds after which no op is begun")
    parser.add_argument("--mode", choices=("compile", "direct"), default="compile", help="direct leaves Dynamo out")
    parser.add_argument("--cpu", choices=CPU, default="interpret", help="what runs kernels on the CPU")
    parser.add_argument("--jobs", type=int, default=1, help="worker processes")
    parser.add_argument("--time-limit", type=float, default=60, help="seconds for one op")
    parser.add_argument("--json", help="file of outcomes, a line each: those in it are not run again")
    parser.add_argument("--markdown", help="file for the table, docs/coverage.md for instance")
    return parser


def _tasks(options: argparse.Namespace) -> list[Task]:
    wanted = [name for name in options.ops.split(",") if name]
    names = [full_name(op) for op in op_db if not wanted or {op.name, full_name(op)} & set(wanted)]
    names = list(dict.fromkeys(names))
    missing = [w for w in wanted if not any(n == w or n.startswith(f"{w}.") for n in names)]
    if missing:
        sys.exit(f"error: the database has no op {', '.join(missing)}")
    part, parts = (int(n) for n in options.shard.split("/"))
    names = names[part - 1 :: parts]
    runs = [(d, False) for d in FORWARD] + [("float32", True)]
    if not options.all:
        runs = [(d, options.backward) for d in options.dtypes.split(",")]
    common = {"device": options.device, "samples": options.samples, "mode": options.mode, "cpu": options.cpu}
    return _mixed([Task(name, dtype, backward=backward, **common) for dtype, backward in runs for name in names])


def _mixed(tasks: list[Task]) -> list[Task]:
    """In an order that is the same every time, and any beginning of which is a fair sample of the whole."""
    return sorted(tasks, key=lambda t: md5(repr(records.key_of(t)).encode()).digest())


def _show(outcome: Outcome, done: int, total: int) -> None:
    note = outcome.detail or ", ".join(outcome.externs)
    line = f"[{done}/{total}] {outcome.status:8} {outcome.op} {outcome.dtype} {outcome.seconds:.1f}s  {note}"
    print(line[:300], flush=True)


def _title(options: argparse.Namespace) -> str:
    return (
        f"`torch.testing`'s ops (torch {version('torch')}) on {options.device}, {options.samples} samples of each "
        "and one more on strided views: values, types and strides against eager. Written by "
        "`python -m tests.conformance.opinfo --markdown docs/coverage.md`."
    )


if __name__ == "__main__":
    sys.exit(main())
