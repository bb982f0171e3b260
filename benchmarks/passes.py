"""How long the graph passes take on large modules, and how that grows: no GPU, no torch.

    python -m benchmarks.passes [--sizes 5000,20000] [--policies mlc] [--only TEXT] [--json FILE]

Each pass runs on a fresh module of each shape and size; of the strategies of `fuse`, those that `--policies`
names, or `all`: what other compilers do takes longest to emulate. "growth" is the time an op takes at the
largest size over the time at the smallest: 1 is linear.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import time
from dataclasses import asdict, dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from benchmarks.json_files import file_to_write
from benchmarks.pass_shapes import SHAPES, Large
from mlc_dialects.common.types import shape_of
from mlc_support.collector import collector_paused
from passes.common.cse import CsePass
from passes.common.dce import DcePass
from passes.tensor.bind_sizes import bind_sizes
from passes.tensor.canonicalize.canonicalize import CanonicalizePass
from passes.tensor.const_fold import ConstFoldPass
from passes.tensor.decompose import DecomposePass
from passes.tensor.fold_weights import FoldWeightsPass
from passes.tensor.freeze import FreezePass
from passes.tensor.fusion.fuse import FusePass
from passes.tensor.fusion.plan import STRATEGIES
from passes.tensor.layout.layout import LayoutPass
from passes.tensor.library_calls import LibraryCallsPass
from passes.tensor.recompose.recompose import RecomposePass
from passes.tensor.simplify.simplify import SimplifyPass

REPEATS = 2
ENOUGH = 1.0
"""Seconds after which a pass is not run again: of short runs the least counts."""


class BindSizes(ModulePass):
    """`bind_sizes` with a number for the one name."""

    name = "bind-sizes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Where the program has that name."""
        names = {
            str(s) for f in op.ops if isinstance(f, func.FuncOp) for t in f.function_type.inputs for s in shape_of(t)
        }
        bind_sizes(op, {"N": 64} if "N" in names else {})


@dataclass(frozen=True)
class Step:
    """A pass to be timed, and those that run before."""

    work: ModulePass
    after: tuple[ModulePass, ...] = ()

    @property
    def name(self) -> str:
        """The passes as a pipeline spells them, those that are not timed in parentheses."""
        before = ",".join(str(p.pipeline_pass_spec()) for p in self.after)
        return f"({before},){self.work.pipeline_pass_spec()}" if before else str(self.work.pipeline_pass_spec())


COMPOSED = (RecomposePass(keep=True),)
STEPS = (
    *map(
        Step, (CanonicalizePass(), SimplifyPass(), SimplifyPass(fast_math=True), ConstFoldPass(), CsePass(), DcePass())
    ),
    *map(Step, (RecomposePass(), RecomposePass(keep=True))),
    *(Step(work, COMPOSED) for work in (LibraryCallsPass(), LibraryCallsPass(fast_math=True), DecomposePass())),
    *map(Step, (DecomposePass(), FoldWeightsPass(), LayoutPass(), FreezePass(), BindSizes())),
    *(Step(FusePass(policy)) for policy in STRATEGIES),
)


@dataclass(frozen=True)
class Timing:
    """One pass on modules of one shape: seconds by number of ops, and the growth an op."""

    shape: str
    step: str
    seconds: dict[int, float]
    growth: float


def seconds(step: Step, shape: Large, size: int) -> float:
    """The least processor time of a few runs, each on a module of its own, without the collector as in the compiler."""
    times: list[float] = []
    while len(times) < REPEATS and sum(times) < ENOUGH:
        module = shape.build(size)
        for before in step.after:
            before.apply(Context(), module)
        gc.collect()
        with collector_paused():
            start = time.process_time()
            step.work.apply(Context(), module)
            times.append(time.process_time() - start)
    return min(times)


def measure(step: Step, shape: Large, sizes: list[int]) -> Timing:
    """One pass on one shape at every size."""
    times = {size: seconds(step, shape, size) for size in sizes}
    first, last = min(sizes), max(sizes)
    return Timing(shape.name, step.name, times, (times[last] / last) / (times[first] / first))


def main() -> None:
    """Print a line for each shape and pass; write them where `--json` says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="5000,20000", help="numbers of ops, with commas between")
    parser.add_argument("--policies", default="mlc", help="strategies of fuse, with commas between; or all")
    parser.add_argument("--only", default="", help="only the shapes and passes whose names contain this")
    parser.add_argument("--json", type=file_to_write, help="where to write the results")
    arguments = parser.parse_args()
    sizes = [int(n) for n in arguments.sizes.split(",")]
    policies = STRATEGIES if arguments.policies == "all" else arguments.policies.split(",")
    if unknown := set(policies).difference(STRATEGIES):
        parser.error(f"no strategy {', '.join(unknown)}: there are {', '.join(STRATEGIES)}")
    steps = [s for s in STEPS if not isinstance(s.work, FusePass) or s.work.policy in policies]
    print(f"{'shape':16}{'pass':36}" + "".join(f"{n:>10}" for n in sizes) + f"{'growth':>8}")
    timings: list[Timing] = []
    for shape in SHAPES:
        for step in (s for s in steps if arguments.only in f"{shape.name} {s.name}"):
            timing = measure(step, shape, sizes)
            timings.append(timing)
            columns = "".join(f"{timing.seconds[n]:9.3f}s" for n in sizes)
            print(f"{timing.shape:16}{timing.step:36}{columns}{timing.growth:8.2f}", flush=True)
    if arguments.json is not None:
        machine = f"{platform.machine()}, Python {platform.python_version()}"
        report = {"machine": machine, "timings": [asdict(t) for t in timings]}
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
