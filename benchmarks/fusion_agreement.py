"""Emulated fusion strategies against the real compilers: `make fusion-agreement`.

    python -m benchmarks.fusion_agreement [--count 300] [--first-seed 0] [--peers xla,tvm] [--show 5] [--json FILE]
                                          [--regions [FILE]]

The graphs are generated, beside blocks of models, or with `--regions` fused regions of real programs: 500 that are
recorded, or those of a file of `benchmarks.capture`, for which the compilers are asked. For every graph, both plans are
asked of every edge between two computed ops, and of every two neighbouring readers of one value: does some kernel
compute both? The score is the share of questions with the same answer; the disagreements are counted by what disagrees
and the rule that decided.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from xdsl.ir import Block, Operation

from benchmarks.fusion_blocks import blocks
from benchmarks.fusion_corpus import CorpusGraph, generated
from benchmarks.fusion_records import GENERATED, REGIONS, real_plans, regions
from benchmarks.json_files import file_to_write
from mlc_compiler.peers.client import Failure
from mlc_dialects.tensor.ops import MatmulOp, ReduceOp
from passes.tensor.fusion.graph import FusionGraph
from passes.tensor.fusion.plan import Plan, op_names, plan

Pair = tuple[Operation, Operation]


@dataclass(frozen=True)
class Disagreement:
    """One question that the two answer differently."""

    graph: str
    kind: str
    producer: str
    consumer: str
    real_fuses: bool
    what: str
    why: str
    """The rule of the emulated strategy."""


@dataclass
class Score:
    """How often one strategy and its compiler agree."""

    peer: str
    version: str = ""
    asked: Counter[str] = field(default_factory=Counter)
    agreed: Counter[str] = field(default_factory=Counter)
    real_kernels: int = 0
    emulated_kernels: int = 0
    graphs: int = 0
    perfect: int = 0
    """Graphs without a disagreement."""
    as_many: int = 0
    """Graphs of which both make as many kernels."""
    failures: list[str] = field(default_factory=list)
    disagreements: list[Disagreement] = field(default_factory=list)

    def share(self, kind: str | None = None) -> float:
        """Of the questions of one kind, or of all, those with the same answer."""
        asked = self.asked[kind] if kind else self.asked.total()
        agreed = self.agreed[kind] if kind else self.agreed.total()
        return agreed / asked if asked else 1.0

    def add(self, graph: CorpusGraph, real: Plan, emulated: Plan) -> None:
        """Asks both plans every question of the graph."""
        names = op_names(graph.block.ops)
        reasons = {(d.producer, d.consumer): d.why for d in emulated.decisions}
        before = len(self.disagreements)
        for kind, (a, b) in questions(graph.block):
            if a not in real.groups_of or b not in real.groups_of:
                continue
            fused = real.together(a, b)
            self.asked[kind] += 1
            if fused == emulated.together(a, b):
                self.agreed[kind] += 1
                continue
            why = reasons.get((a, b), "no rule speaks of the two")
            what = f"{_sort(a)} and {_sort(b)}"
            self.disagreements.append(Disagreement(graph.name, kind, names[a], names[b], fused, what, why))
        self.graphs += 1
        self.perfect += len(self.disagreements) == before
        self.as_many += real.kernels == emulated.kernels
        self.real_kernels += real.kernels
        self.emulated_kernels += emulated.kernels

    def lines(self, show: int) -> Iterator[str]:
        """The score and what disagrees, for people."""
        yield (
            f"{self.peer} ({self.version}): {self.share():.2%} of {self.asked.total()} decisions agree "
            f"(edges {self.share('edge'):.2%}, siblings {self.share('sibling'):.2%}); {self.perfect} of "
            f"{self.graphs} graphs alike, {self.as_many} with as many kernels; {self.real_kernels} kernels, "
            f"emulated {self.emulated_kernels}"
        )
        yield from (f"  no answer: {failure}" for failure in self.failures[:show])
        counts = Counter((d.kind, d.what, d.real_fuses, _rule(d.why)) for d in self.disagreements)
        for (kind, what, real_fuses, why), count in counts.most_common(show):
            yield f"  {count:4} {kind}: {what}: {self.peer} {'fuses' if real_fuses else 'splits'}; emulated: {why}"


def questions(block: Block) -> Iterator[tuple[str, Pair]]:
    """Every edge between two computed ops, views looked through, and every two neighbouring readers of a value."""
    graph = FusionGraph(block)
    edges: dict[Pair, None] = {}
    readers: dict[object, list[Operation]] = {}
    for op in graph.position:
        if graph.is_transparent(op) or not op.results:
            continue
        for value in graph.roots_of(op):
            readers.setdefault(value, []).append(op)
            if isinstance(value.owner, Operation):
                edges[value.owner, op] = None
    yield from (("edge", pair) for pair in edges)
    siblings = dict.fromkeys(pair for ops in readers.values() for pair in pairwise(ops))
    yield from (("sibling", pair) for pair in siblings if pair not in edges)


def measure(graphs: Sequence[CorpusGraph], peer: str, device: str, of: str = "corpus") -> Score:
    """The score of one compiler over the graphs, which are `of` a set that is recorded."""
    score = Score(peer)
    score.version, plans = real_plans(peer, graphs, device, of)
    for graph in graphs:
        real = plans[graph.name]
        if isinstance(real, Failure):
            score.failures.append(f"{graph.name}: {real.why}")
        else:
            score.add(graph, real, plan(graph.block, peer))
    return score


def _sort(op: Operation) -> str:
    return "reduction" if isinstance(op, ReduceOp) else "product" if isinstance(op, MatmulOp) else "pointwise"


def _rule(why: str) -> str:
    """A reason without its numbers."""
    return "".join("n" if c.isdigit() else c for c in why)[:70]


def chosen(count: int | None, seed: int, path: Path | None) -> list[CorpusGraph]:
    """Graphs from `seed` on, beside the blocks of models if it is 0; or `count` regions of a corpus, drawn by it."""
    if path is not None:
        return regions(path, count, seed)
    graphs = list(generated(GENERATED if count is None else count, seed))
    return graphs if seed else [*blocks(), *graphs]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, help="of graphs; else 300, or all regions")
    parser.add_argument(
        "--first-seed", type=int, default=0, help="other graphs than those recorded: the blocks stay away"
    )
    parser.add_argument("--peers", default="xla,tvm,inductor")
    parser.add_argument("--device", default="h200")
    parser.add_argument("--show", type=int, default=8)
    parser.add_argument(
        "--regions", type=Path, nargs="?", const=REGIONS, help="regions; --first-seed is then that of the sample"
    )
    parser.add_argument("--json", type=file_to_write)
    arguments = parser.parse_args()
    graphs = chosen(arguments.count, arguments.first_seed, arguments.regions)
    scores: list[Score] = []
    for peer in arguments.peers.split(","):
        scores.append(measure(graphs, peer, arguments.device, "regions" if arguments.regions else "corpus"))
        print("\n".join(scores[-1].lines(arguments.show)), flush=True)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            found = {
                s.peer: {
                    "version": s.version, "agree": s.share(), "edges": s.share("edge"), "siblings": s.share("sibling"),
                    "graphs": s.graphs, "alike": s.perfect, "with as many kernels": s.as_many, "failures": s.failures,
                    "disagreements": [vars(d) for d in s.disagreements],
                }
                for s in scores
            }  # fmt: skip
            json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
