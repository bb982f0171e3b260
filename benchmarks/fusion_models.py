"""How much of whole models the real compilers are compared on, and what they are not given.

    python -m benchmarks.fusion_models --json FILE [--add] [--cases 'BERT*|resnet*'] [--variants inference,training]
                                       [--peers xla,tvm,inductor] [--tiny] [--processes N] [--budget SECONDS]

Twenty models of the zoo in bfloat16, and six of them in training, are traced without memory, simplified
as `mlc-compare` does, and given to XLA, TVM and Inductor. It needs them (`make compare-setup`), transformers and timm,
and no GPU. Counted are the ops that are computed, which views and constants are not; an op is compared where the
compiler was given it, so one at which the graph is cut is not, and of a graph that a compiler refuses none is.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from benchmarks.capture import VARIANTS, trace
from benchmarks.compiling import failure
from benchmarks.fusion_coverage import Answer, Result, load, save
from benchmarks.json_files import file_to_write
from benchmarks.pool import in_processes
from benchmarks.zoo import named
from benchmarks.zoo.libraries import versions
from lowering.export.opened import is_seeds, is_update
from lowering.fx_to_tensor import Imported
from lowering.interpreter.run import find_function
from mlc_compiler.compare.model import graph_of, outputs_of
from mlc_compiler.peers.client import Failure
from mlc_compiler.peers.peer import PEERS
from mlc_compiler.peers.record import CUT, Record
from mlc_compiler.pipeline import lower_to
from mlc_dialects.iteration.iterate import is_free
from mlc_support.value_names import name_of, value_names

TRAINED = (
    "BERT base, 4 layers", "GPT-2, 4 layers", "Mamba2, 2 layers", "ResNet-50", "diffusion U-Net, 3 levels",
    "Swin tiny, 2+2+2+2 layers",
)  # fmt: skip
FORWARD = (
    *TRAINED, "DeBERTa-v2 base, 4 layers", "Llama 1B, 4 layers", "Gemma2 2B, 4 layers", "T5 base, 3 and 3 layers",
    "BART base, 3 and 3 layers", "Mixtral, hidden 1024, 8 experts, 2 layers", "qwen2_moe",
    "Whisper small encoder, 4 layers", "CLIP B/32, 4 and 4 layers", "SegFormer B0", "ConvNeXt tiny, 3+3+3+3 layers",
    "MobileNetV3 large", "EfficientNet B0", "ViT B/16, 4 layers",
)  # fmt: skip
MODELS = {"inference": FORWARD, "training": TRAINED}
"""Variant to the models that are compared in it."""
Job = tuple[str, str]
"""A variant and a model."""


def asked(job: Job, peers: Sequence[str], tiny: bool = False) -> Result:
    """One model, given to each compiler."""
    variant, name = job
    result = Result(name, variant)
    begun = time.monotonic()
    graphs: list[ModuleOp] = []
    try:
        trace(named(name), VARIANTS[variant], partial(_keep, graphs), tiny)
        graphs = [_simplified(g) for g in graphs]
    except Exception as error:
        result.failure = failure(error)
        return result
    result.seconds = round(time.monotonic() - begun, 1)
    counted = [_computed(g) for g in graphs]
    result.graphs, result.ops = len(graphs), sum(map(len, counted))
    for peer in peers:
        begun = time.monotonic()
        answer = result.answers[peer] = Answer()
        for ops, found in zip(counted, PEERS[peer].records(graphs), strict=True):
            _note(answer, ops, found)
        answer.seconds = round(time.monotonic() - begun, 1)
    return result


def _keep(graphs: list[ModuleOp], imported: Imported, _: bool) -> Callable[[list[Any]], list[Any]]:
    graphs.append(graph_of(imported))
    return partial(outputs_of, imported)


def _simplified(module: ModuleOp) -> ModuleOp:
    lowered = lower_to(module, "simplified")
    assert isinstance(lowered, ModuleOp)
    return lowered


def _computed(module: ModuleOp) -> set[str]:
    """The names of the ops that are computed."""
    block = find_function(module).body.block
    names = value_names(block)
    return {name_of(op, names) for op in block.ops if _is_computed(op)}


def _is_computed(op: Operation) -> bool:
    return bool(op.results) and not (is_free(op) or is_seeds(op) or is_update(op))


def _note(answer: Answer, ops: set[str], found: Record | Failure) -> None:
    """Adds what a compiler said of one graph."""
    if isinstance(found, Failure):
        answer.refused.append(found.why)
        return
    cut = [c for c in found.cuts if c.op in ops]
    answer.version = found.version
    answer.compared += len(ops) - len({c.op for c in cut})
    kernels = [k for k in found.kernels if k.kind != CUT]
    answer.placed += len(ops & {name for k in kernels for name in (*k.ops, *k.moves)})
    answer.kernels += len(kernels)
    reasons = Counter(f"{c.callee}: {c.why}" for c in cut)
    answer.cuts = dict((Counter(answer.cuts) + reasons).most_common())


def lines(result: Result) -> Iterator[str]:
    """A result in words."""
    yield f"{result.model}, {result.variant}: {result.ops} ops in {result.graphs} graphs, {result.seconds:.0f} s"
    if result.failure:
        yield f"  failed: {result.failure}"
    for peer, answer in result.answers.items():
        placed = f"{answer.placed} ops in {answer.kernels} kernels"
        yield f"  {peer}: {result.share(peer):.1%} given, {placed}, {answer.seconds:.0f} s"
        yield from (f"    {count} x {why}" for why, count in answer.cuts.items())
        yield from (f"    refused: {why}" for why in answer.refused)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--json", type=file_to_write, required=True, help="the file to write")
    made.add_argument("--add", action="store_true", help="keep what the file has of other models")
    made.add_argument("--cases", default="*", help="only models whose names these shell patterns, parted by |, match")
    made.add_argument("--variants", default=",".join(MODELS), help=f"among {', '.join(MODELS)}")
    made.add_argument("--peers", default=",".join(PEERS), help=f"among {', '.join(PEERS)}")
    made.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)), help="0 is this one")
    made.add_argument("--budget", type=float, default=3600, help="seconds after which what is left is given up")
    made.add_argument("--tiny", action="store_true", help="small sizes, for a smoke test")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    peers, variants = options.peers.split(","), options.variants.split(",")
    if missing := [why for peer in peers if (why := PEERS[peer].available())]:
        raise SystemExit("\n".join(missing))
    patterns = options.cases.split("|")
    jobs = [(v, n) for v in variants for n in MODELS[v] if any(named(n).matches(p) for p in patterns)]
    end = time.monotonic() + options.budget
    found = [r for r in load(options.json) if (r.variant, r.model) not in jobs] if options.add else list[Result]()
    for job, made in in_processes(partial(asked, peers=peers, tiny=options.tiny), jobs, options.processes, end):
        variant, name = job
        result = Result(name, variant, failure=failure(made)) if isinstance(made, Exception) else made
        found.append(result)
        print(*lines(result), sep="\n", flush=True)
        save(options.json, sorted(found, key=_place), versions())
    print(f"{len(found)} models in {options.json}")
    return 0


def _place(result: Result) -> tuple[int, int]:
    """Where a result stands among all."""
    return list(MODELS).index(result.variant), MODELS[result.variant].index(result.model)


if __name__ == "__main__":
    sys.exit(main())
