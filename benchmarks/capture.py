"""The fused regions of real programs, into one file: models are traced without memory, cut at library calls, and fused.

    python -m benchmarks.capture --out regions.jsonl.gz [--cases 'BERT*|resnet*'] [--variants inference,training]
                                 [--processes N] [--budget SECONDS]

Needs no GPU. Sizes are those of the zoo, so that regions are as large as in use. Every distinct region is kept once,
as the function of `mlc_tensor` that it computes, with the strides of its inputs and results, and with the programs that
have it. What a forward graph saves reaches its backward graph in the layout that mlc computes. Variants are inference
(bfloat16), training (autocast to bfloat16) and float32 (training in it).
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp

from benchmarks.compiling import failure
from benchmarks.json_files import file_to_write
from benchmarks.pool import in_processes
from benchmarks.regions import Region, merged, regions_of, save
from benchmarks.zoo import ALL, named
from benchmarks.zoo.fakes import fake_inputs, fake_module
from benchmarks.zoo.model import Model
from lowering.fx_to_tensor import Imported
from mlc_compiler.compare.model import outputs_of
from mlc_compiler.frontend.autograd import CompileImported, compile_with
from mlc_compiler.frontend.saved import report_strides
from mlc_compiler.kernels.manifest import host_entry
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to
from mlc_dialects.common.annotations import STRIDES, result_annotations
from mlc_dialects.common.index_syntax import index_attribute
from mlc_support.index_expr import integer


@dataclass(frozen=True)
class Variant:
    """How a model is run."""

    train: bool
    dtype: torch.dtype
    """Of parameters and inputs."""
    autocast: bool = False
    """To bfloat16."""


VARIANTS = {
    "inference": Variant(False, torch.bfloat16),
    "training": Variant(True, torch.float32, autocast=True),
    "inference-f32": Variant(False, torch.float32),
    "training-f32": Variant(True, torch.float32),
}
SAVED = 60.0
"""Seconds between two writings of what was found."""


@dataclass
class Captured:
    """What one program gave."""

    program: str
    regions: list[Region] = field(default_factory=list[Region])
    graphs: int = 0
    failures: list[str] = field(default_factory=list[str])


def captured(job: tuple[str, str], tiny: bool = False) -> Captured:
    """The regions of one model; what stops the trace is a failure beside what was found until then."""
    name, variant = job
    result = Captured(f"{name}, {variant}")
    try:
        trace(named(name), VARIANTS[variant], partial(_keep, result), tiny)
    except Exception as error:
        result.failures.append(failure(error))
    gc.collect()  # graphs are full of cycles
    if torch.cuda.is_available():
        torch.cuda.empty_cache()  # other processes want the memory
    result.regions = [replace(r, programs=(result.program,)) for r in merged(result.regions)]
    return result


def _keep(result: Captured, imported: Imported, _: bool) -> Callable[[list[Any]], list[Any]]:
    """Keeps the regions of a graph; gives what stands for the compiled graph."""
    try:
        module = imported.module.clone()
        lower_to(module, "fused", CompilerOptions())
        result.regions += regions_of(module)
        result.graphs += 1
        _lay_out(imported, module)
    except Exception as error:
        result.failures.append(failure(error))
    return partial(outputs_of, imported)


def _lay_out(imported: Imported, lowered: ModuleOp) -> None:
    """Gives what a graph saves for its backward graph the strides that the `lowered` one computes.

    The backward graph is compiled for them, as in a program that runs.
    """
    (function,), (host,) = (
        [op for op in module.ops if isinstance(op, func.FuncOp)] for module in (imported.module, lowered)
    )
    free = host_entry(host).free_strides
    entries = [dict(result_annotations(function, k)) for k in range(len(free))]
    for entry, strides in zip(entries, free, strict=True):
        if strides is not None:
            entry[STRIDES] = index_attribute([integer(s) for s in strides])
    function.res_attrs = ArrayAttr([DictionaryAttr(e) for e in entries])
    report_strides(imported.of_outputs(free))


def trace(model: Model, variant: Variant, compile_one: CompileImported, tiny: bool = False) -> None:
    """Takes a model without memory through the compiler's own front end: each graph goes to `compile_one`."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    module = fake_module(model, mode, device, variant.dtype, tiny)
    inputs = fake_inputs(model, mode, device, variant.dtype, tiny)
    torch._dynamo.reset()

    def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
        return torch.compile(function, backend=lambda gm, like: compile_with(gm, like, compile_one), dynamic=False)

    if not variant.train:
        with mode, torch.no_grad():
            compiled(module.eval())(*inputs)
        return

    def output_of(*inputs: torch.Tensor) -> torch.Tensor:
        with torch.autocast(device, torch.bfloat16, enabled=variant.autocast):
            return module(*inputs)

    def loss_of(labels: torch.Tensor, *inputs: torch.Tensor) -> torch.Tensor:
        return model.loss(output_of(*inputs), labels)

    module.train()
    with mode:
        with torch.no_grad():
            labels = model.labels(output_of(*inputs))
        loss = compiled(loss_of)(labels, *inputs)
    # Outside of the mode: AOTAutograd copies the backward graph, whose constants are true tensors.
    torch.autograd.grad(loss, [p for p in module.parameters() if p.requires_grad], allow_unused=True)


def summary(found: Sequence[Captured], regions: Sequence[Region]) -> str:
    """How many of what, and what failed."""
    kinds = Counter(r.kind for r in regions)
    large = sum(r.bytes >= 8 << 20 for r in regions)
    whole = sum(r.count for r in regions)
    lines = [
        f"{len(regions)} distinct regions of {whole} in {len(found)} programs, {sum(c.graphs for c in found)} graphs",
        f"{large} move 8 MB and more; " + ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())),
    ]
    lines += [f"failed: {c.program}: {text}" for c in found for text in c.failures]
    return "\n".join(lines)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--out", type=file_to_write, required=True, help="the file to write, .jsonl.gz")
    made.add_argument("--cases", default="*", help="only models whose names these shell patterns, parted by |, match")
    made.add_argument("--variants", default=",".join(VARIANTS), help=f"among {', '.join(VARIANTS)}")
    made.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)), help="0 is this one")
    made.add_argument("--budget", type=float, default=3600, help="seconds after which what is left is given up")
    made.add_argument("--tiny", action="store_true", help="small sizes, for a smoke test")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    start = time.monotonic()
    options = parser().parse_args(arguments)
    variants = options.variants.split(",")
    if unknown := sorted(set(variants) - set(VARIANTS)):
        raise SystemExit(f"no variant {', '.join(unknown)}; there are {', '.join(VARIANTS)}")
    chosen = [m.name for m in ALL if any(m.matches(p) for p in options.cases.split("|"))]
    if not chosen:
        raise SystemExit(f"no model matches {options.cases!r}; there are {'; '.join(m.name for m in ALL)}")
    jobs = [(name, variant) for variant in variants for name in chosen]
    found: list[Captured] = []
    saved = start
    for job, result in in_processes(
        partial(captured, tiny=options.tiny), jobs, options.processes, start + options.budget
    ):
        done = Captured(", ".join(job), failures=[failure(result)]) if isinstance(result, Exception) else result
        found.append(done)
        print(f"{done.program}: {len(done.regions)} distinct regions in {done.graphs} graphs", *done.failures,
              sep="\n  failed: ", flush=True)  # fmt: skip
        if time.monotonic() - saved > SAVED:
            save(merged(r for c in found for r in c.regions), options.out)
            saved = time.monotonic()
    regions = merged(r for c in found for r in c.regions)
    save(regions, options.out)
    print(summary(found, regions))
    print(f"{len(found)} of {len(jobs)} programs in {time.monotonic() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
