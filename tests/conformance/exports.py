"""Exports of torch's op database, run: `python -m tests.conformance.exports [--export stablehlo|relax|aten]`.

Each op is traced as a graph of one node, goes through the passes that `mlc-compare` runs before it exports, and becomes
StableHLO, which jaxlib compiles for the CPU, Relax, which TVM does, or aten ops, which PyTorch runs. What it computes
must be what our interpreter computes, or PyTorch where that cannot; and what is read back from StableHLO too.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.func import functionalize
from torch.fx.experimental.proxy_tensor import make_fx
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import ReturnOp

from lowering.export.aten import aten_source
from lowering.export.attention import drops
from lowering.export.opened import is_update, seeds_as_arguments
from lowering.export.relax import relax_source
from lowering.export.sorting import Sorting
from lowering.export.stablehlo import stablehlo_text
from lowering.fx_to_tensor import decompositions, import_graph
from lowering.fx_to_tensor.decompositions.leftovers import take_apart
from lowering.interpreter.run import find_function, run
from lowering.stablehlo_to_tensor import import_stablehlo
from mlc_compiler.pipeline import lower_to
from mlc_dialects.common.annotations import SEEDS
from mlc_dialects.semantics.numerics import Array
from mlc_dialects.tensor.calls import ExternOp
from mlc_support.errors import MlcError
from tests.conformance.check import UNINITIALISED
from tests.conformance.one_node import OneNode
from tests.conformance.samples import Sample, full_name, op_db, op_named, samples
from tests.unit.test_exports import array_of, run_aten, run_relax, run_stablehlo

RIGHT, WRONG, REFUSED, LEFT = "right", "wrong", "refused", "left"
"""Equal to the interpreter; different; without an export; not ours to export: a library's, or not traced at all."""
TOLERANCES = {"d": (2e-4, 2e-5), "f": (2e-4, 2e-5), "e": (2e-2, 2e-2)}
"""Relative and absolute, by numpy's letter for a float; XLA's elementary functions are not those of libm."""


UNORDERED = ("aten.sort.default", "aten.topk.default")
"""Calls that give places as their second result, those of equal elements in any order."""


@dataclass(frozen=True)
class Export:
    """A form of text, and what runs it."""

    text: Callable[[ModuleOp], str]
    run: Callable[[str, list[Array]], list[Array]]
    is_read: bool = False
    """We read it back."""


EXPORTS = {
    "stablehlo": Export(stablehlo_text, run_stablehlo, True),
    "relax": Export(relax_source, run_relax),
    "aten": Export(aten_source, run_aten),
}


@dataclass(frozen=True)
class Outcome:
    """What came of the export of an op."""

    op: str
    dtype: str
    status: str
    detail: str = ""
    unread: str = ""
    """Why the text cannot be read back; empty if it was, and means the same."""


def check(name: str, dtype: str, count: int = 2, export: str = "stablehlo") -> Outcome:
    """Tries samples of an op; the first that is not right decides, a wrong one before all."""
    op, type_ = op_named(name), getattr(torch, dtype)
    if type_ not in op.supported_dtypes("cpu"):
        return Outcome(name, dtype, LEFT, f"eager has no kernel for {dtype}")
    outcomes: list[Outcome] = []
    for sample in samples(op, "cpu", type_, count, False):
        status, detail, unread = _check(sample, name, EXPORTS[export])
        outcomes.append(Outcome(name, dtype, status, detail, unread))
    order = [WRONG, REFUSED, RIGHT, LEFT]
    return min(
        outcomes, key=lambda o: (order.index(o.status), not o.unread), default=Outcome(name, dtype, LEFT, "no samples")
    )


def _check(sample: Sample, name: str, export: Export) -> tuple[str, str, str]:
    """Status and detail of one sample, and why its text cannot be read back."""
    try:
        node = OneNode.of(sample.copy())
        module = lower_to(_imported(node), "simplified")
    except Exception as error:
        return LEFT, f"not traced: {_line(error)}", ""
    assert isinstance(module, ModuleOp)
    foreign = [o.callee.data for o in module.walk() if isinstance(o, ExternOp) and o.callee.data != SEEDS]
    if not find_function(module).function_type.outputs.data:
        return LEFT, "nothing is computed", ""
    try:
        text = export.text(module)
    except MlcError as error:
        return (LEFT if foreign else REFUSED), _line(error), ""
    except Exception as error:
        return WRONG, f"the export: {_line(error)}", ""
    if any(isinstance(o, ExternOp) and drops(o) for o in module.walk()):
        return LEFT, "it drops by numbers that the library draws for itself", ""
    if not _are_dense(node.inputs):
        return LEFT, "what it reads is no dense tensor", ""
    inputs = [array_of(t) for t in node.inputs]
    inputs += _seeds_as_inputs(module)
    _updates_as_results(module)
    try:
        wanted = run(module, inputs)
    except MlcError:  # a call that only PyTorch can run, and that is exported as its formula
        results = node.graph(*node.inputs)
        if not _are_dense(results):
            return LEFT, "what it gives is no dense tensor", ""
        wanted = [array_of(t) for t in results]
    try:
        found = export.run(text, inputs)
        pairs = (_elements_at_places(module, inputs, results) for results in (found, wanted))
        problem = difference(*pairs, name in UNINITIALISED)
    except Exception as error:
        problem = f"running it: {_line(error)}"
    if problem:
        return WRONG, problem, ""
    return RIGHT, "", _read_back(text, inputs, wanted) if export.is_read else ""


def _are_dense(values: Sequence[object]) -> bool:
    """True for what numpy has as well: no sparse tensors, no complex numbers of 16 bits."""
    tensors = [v for v in values if isinstance(v, torch.Tensor)]
    dense = all(t.layout is torch.strided and t.dtype is not torch.complex32 for t in tensors)
    return dense and len(tensors) == len(values)


def _imported(node: OneNode) -> ModuleOp:
    """The graph of aten ops behind a call, traced without `torch.export`, which takes a second each time."""
    table = decompositions()
    traced: Any = node.graph
    for function in (lambda f: f, functionalize):  # a decomposition may write in place, which is taken out then
        traced = make_fx(function(traced), decomposition_table=table, tracing_mode="fake")(*node.inputs)
    take_apart(traced.graph, table)
    return import_graph(traced).module


def _seeds_as_inputs(module: ModuleOp) -> list[Array]:
    """Makes the seeds of random numbers arguments, as the exports do: numbers for them."""
    seeds: list[Array] = []
    for made in seeds_as_arguments(find_function(module).body.block):
        assert isinstance(made.type, TensorType)
        seeds.append(np.arange(7, 7 + np.prod(made.type.get_shape()), dtype=np.int64))
    return seeds


def _updates_as_results(module: ModuleOp) -> None:
    """Returns what is written into arguments, behind the results, as the exports do."""
    block = find_function(module).body.block
    last = block.last_op
    assert isinstance(last, ReturnOp)
    for op in [op for op in block.ops if is_update(op)]:
        source = op.operands[1]
        op.results[0].replace_all_uses_with(source)
        last.operands = [*last.operands, source]
        block.erase_op(op)


def difference(found: Sequence[Array], wanted: Sequence[Array], types_alone: bool = False) -> str:
    """The first result that differs; empty if none does."""
    if len(found) != len(wanted):
        return f"{len(found)} results, the interpreter has {len(wanted)}"
    for position, (new, old) in enumerate(zip(found, wanted, strict=True)):
        new = new.astype(np.float32) if new.dtype.name == "bfloat16" else new
        if (new.dtype, new.shape) != (old.dtype, old.shape):
            return (
                f"result {position} is {new.dtype}{list(new.shape)}, the interpreter has {old.dtype}{list(old.shape)}"
            )
        relative, absolute = TOLERANCES.get(old.dtype.char, (0, 0))
        if not types_alone and not np.allclose(new, old, relative, absolute, equal_nan=True):
            place = tuple(np.argwhere(~np.isclose(new, old, relative, absolute, equal_nan=True))[0])
            return f"result {position} at {[int(p) for p in place]} is {new[place]}, the interpreter has {old[place]}"
    return ""


def _elements_at_places(module: ModuleOp, inputs: Sequence[Array], results: Sequence[Array]) -> list[Array]:
    """The results, with elements of the input for their places where the order of equal ones is open."""
    block = find_function(module).body.block
    last = block.last_op
    assert isinstance(last, ReturnOp)
    shown = list(results)
    for position, value in enumerate(last.operands[: len(shown)]):
        op = value.owner
        if not isinstance(op, ExternOp) or op.callee.data not in UNORDERED or value is not op.results[1]:
            continue
        argument, places = op.inputs[0], shown[position]
        if argument in block.args and places.ndim and places.dtype == np.int64:
            whole = inputs[block.args.index(argument)]
            shown[position] = np.take_along_axis(whole, places, Sorting.of(op).dim)
    return shown


def _read_back(text: str, inputs: Sequence[Array], wanted: Sequence[Array]) -> str:
    try:
        return difference(run(import_stablehlo(text), inputs), wanted)
    except MlcError as error:
        return _line(error)


def _line(error: BaseException) -> str:
    return (
        f"{'' if isinstance(error, MlcError) else type(error).__name__ + ': '}{(str(error).splitlines() or [''])[0]}"[
            :200
        ]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Tries ops and prints what is not right, and the counts; 1 if one is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.exports", description=__doc__)
    parser.add_argument("--ops", default="", help="names, separated by commas")
    parser.add_argument("--dtypes", default="float32", help="names, separated by commas")
    parser.add_argument("--samples", type=int, default=2, help="calls tried for each op")
    parser.add_argument("--export", default="stablehlo", choices=EXPORTS, help="the form")
    parser.add_argument("--shard", default="1/1", help="i/n: every n-th op, from the i-th on")
    options = parser.parse_args(arguments)
    outcomes = list(_tried(options))
    counts = Counter(o.status for o in outcomes)
    unread = [o for o in outcomes if o.status == RIGHT and o.unread]
    print(", ".join(f"{counts[s]} {s}" for s in (RIGHT, WRONG, REFUSED, LEFT)))
    if EXPORTS[options.export].is_read:
        print(f"read back: {counts[RIGHT] - len(unread)} mean the same, {len(unread)} are outside or differ")
    return int(counts[WRONG] > 0)


def _tried(options: argparse.Namespace) -> Iterator[Outcome]:
    wanted = [name for name in options.ops.split(",") if name]
    part, parts = map(int, options.shard.split("/"))
    names = list(dict.fromkeys(full_name(op) for op in op_db if not wanted or {op.name, full_name(op)} & {*wanted}))
    for dtype in options.dtypes.split(","):
        for name in names[part - 1 :: parts]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                outcome = check(name, dtype, options.samples, options.export)
            if outcome.status != RIGHT or outcome.unread:
                print(
                    f"{outcome.status:8} {name} {dtype}  {outcome.detail or 'not read back: ' + outcome.unread}",
                    flush=True,
                )
            yield outcome


if __name__ == "__main__":
    sys.exit(main())
