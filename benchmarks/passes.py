"""How long the graph passes take on large modules, and how that grows: no GPU, no torch.

    python -m benchmarks.passes [--sizes 5000,10000,20000] [--only TEXT] [--json FILE]

Each pass runs on a fresh module of each shape and size. "growth" is the time an op takes at the
largest size over the time at the smallest: 1 is linear.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import cycle
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, f32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from mlc_dialects import elementwise as ew
from mlc_dialects.tensor_ops import ConstantOp, ReduceOp
from mlc_dialects.tensor_views import BroadcastOp, PermuteOp, ReshapeOp
from mlc_dialects.types import tensor_type
from passes.canonicalize import CanonicalizePass
from passes.const_fold import ConstFoldPass
from passes.cse import CsePass
from passes.dce import DcePass
from passes.fusion.fuse import FusePass
from passes.fusion.plan import STRATEGIES
from passes.simplify import SimplifyPass

SHAPE = (64, 64)
PASSES: tuple[ModulePass, ...] = (
    CanonicalizePass(),
    SimplifyPass(),
    SimplifyPass(fast_math=True),
    ConstFoldPass(),
    CsePass(),
    DcePass(),
    *(FusePass(policy) for policy in STRATEGIES),
)
REPEATS = 3

Ops = Iterator[tuple[Operation, ...]]
"""Groups of ops; the last op of each computes what the next group starts from."""


@dataclass(frozen=True)
class Timing:
    """One pass on modules of one shape: seconds by number of ops, and the growth an op."""

    shape: str
    step: str
    seconds: dict[int, float]
    growth: float


def chain(x: SSAValue, y: SSAValue) -> Ops:
    """Every op reads the one before: nothing to rewrite."""
    value = x
    for kind in cycle((ew.ExpOp, ew.AddOp, ew.SqrtOp, ew.MulOp, ew.MaximumOp, ew.SubOp, ew.SigmoidOp)):
        op = kind(value, *[y] * (kind.FUNCTION.arity - 1))
        value = op.result
        yield (op,)


def norms(x: SSAValue, y: SSAValue) -> Ops:
    """Layers of a mean, a difference and a product, with the views that a model has around them."""
    value = x
    while True:
        total = ReduceOp("add", value, [1])
        scale = ConstantOp.splat(1 / 64, (64, 1), f32)
        mean = ew.MulOp(total, scale)
        spread = BroadcastOp(mean, SHAPE)
        centred = ew.SubOp(value, spread)
        turned = PermuteOp(centred, [1, 0])
        flat = ReshapeOp(turned, (64 * 64,))
        back = ReshapeOp(flat, SHAPE)
        product = ew.MulOp(back, y)
        yield (total, scale, mean, spread, centred, turned, flat, back, product)
        value = product.result


def repeated_reads(x: SSAValue, y: SSAValue) -> Ops:
    """The same few sums again and again, each read once: two values with thousands of uses."""
    value = x
    for kind in cycle((ew.AddOp, ew.MulOp, ew.SubOp, ew.MaximumOp)):
        op = kind(x, y)
        used = ew.AddOp(value, op)
        yield (op, used)
        value = used.result


def firing(x: SSAValue, y: SSAValue) -> Ops:
    """Two ops in three are undone by a rule, and constants stand on the left."""
    value = x
    while True:
        one = ConstantOp.splat(1, SHAPE, f32)
        scaled = ew.MulOp(one, value)
        flipped = ew.NegOp(scaled)
        again = ew.NegOp(flipped)
        turned = PermuteOp(again, [1, 0])
        back = PermuteOp(turned, [1, 0])
        kept = ew.AddOp(back, y)
        clamped = ew.MaximumOp(kept, kept)
        yield (one, scaled, flipped, again, turned, back, kept, clamped)
        value = clamped.result


def constants(x: SSAValue, y: SSAValue) -> Ops:
    """Arithmetic on constants, joined to the values by one op in six."""
    value = x
    for number in cycle(range(1, 50)):
        a, b = ConstantOp.splat(number, SHAPE, f32), ConstantOp.splat(0.5, SHAPE, f32)
        product = ew.MulOp(a, b)
        root = ew.SqrtOp(product)
        total = ew.AddOp(root, product)
        used = ew.MulOp(value, total)
        yield (a, b, product, root, total, used)
        value = used.result


def dead(x: SSAValue, y: SSAValue) -> Ops:
    """A chain beside a chain of the same length that nobody reads."""
    alive, unread = x, x
    while True:
        read, other = ew.SigmoidOp(alive), ew.ExpOp(unread)
        yield (other, read)
        alive, unread = read.result, other.result


SHAPES: tuple[Callable[[SSAValue, SSAValue], Ops], ...] = (chain, norms, repeated_reads, firing, constants, dead)


def build(shape: Callable[[SSAValue, SSAValue], Ops], size: int) -> ModuleOp:
    """A function of `size` ops, or some more to end a group."""
    type_ = tensor_type(SHAPE, f32)
    block = Block(arg_types=[type_, type_])
    count = 0
    for group in shape(*block.args):
        block.add_ops(group)
        count += len(group)
        if count >= size:
            block.add_op(func.ReturnOp(group[-1]))
            break
    return ModuleOp([func.FuncOp("main", ([type_, type_], [type_]), Region(block))])


def seconds(step: ModulePass, shape: Callable[[SSAValue, SSAValue], Ops], size: int) -> float:
    """The least processor time of a few runs, each on a module of its own."""
    times: list[float] = []
    for _ in range(REPEATS):
        module = build(shape, size)
        gc.collect()
        start = time.process_time()
        step.apply(Context(), module)
        times.append(time.process_time() - start)
    return min(times)


def label(step: ModulePass) -> str:
    """The pass as a pipeline spells it."""
    return str(step.pipeline_pass_spec())


def measure(step: ModulePass, shape: Callable[[SSAValue, SSAValue], Ops], sizes: list[int]) -> Timing:
    """One pass on one shape at every size."""
    times = {size: seconds(step, shape, size) for size in sizes}
    first, last = min(sizes), max(sizes)
    return Timing(shape.__name__, label(step), times, (times[last] / last) / (times[first] / first))


def main() -> None:
    """Print a line for each shape and pass; write them where `--json` says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="5000,10000,20000", help="numbers of ops, with commas between")
    parser.add_argument("--only", default="", help="only the shapes and passes whose names contain this")
    parser.add_argument("--json", type=Path, help="where to write the results")
    arguments = parser.parse_args()
    sizes = [int(n) for n in arguments.sizes.split(",")]
    print(f"{'shape':16}{'pass':28}" + "".join(f"{n:>10}" for n in sizes) + f"{'growth':>8}")
    timings: list[Timing] = []
    for shape in SHAPES:
        for step in (s for s in PASSES if arguments.only in f"{shape.__name__} {label(s)}"):
            timing = measure(step, shape, sizes)
            timings.append(timing)
            columns = "".join(f"{timing.seconds[n]:9.3f}s" for n in sizes)
            print(f"{timing.shape:16}{timing.step:28}{columns}{timing.growth:8.2f}", flush=True)
    if arguments.json is not None:
        machine = f"{platform.machine()}, Python {platform.python_version()}"
        report = {"machine": machine, "timings": [asdict(t) for t in timings]}
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
