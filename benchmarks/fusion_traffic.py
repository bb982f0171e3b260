"""The traffic of the mlc policy beside that of the emulated strategies: part of `make fusion-agreement`.

    python -m benchmarks.fusion_traffic [--count 300] [--show 20] [--json FILE]

For every graph of the corpus, what all kernels of a plan move: each distinct input of each kernel read once, each
output written once, for all strategies alike. A graph is lost if one of the others moves less; the reason is
"product" where that one computes in the kernel of a product, which here a library runs; "illegal" where one of its
kernels is none that a loop nest can be, and why; "policy" where ours could have done the same.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import geometric_mean

from benchmarks.fusion_blocks import blocks
from benchmarks.fusion_corpus import CorpusGraph, generated
from benchmarks.json_files import file_to_write
from mlc_dialects.iteration.iterate import Refusal
from mlc_dialects.tensor.ops import MatmulOp
from passes.tensor.fusion.graph import FusionGraph
from passes.tensor.fusion.plan import EMULATED, Plan, plan


@dataclass(frozen=True)
class Traffic:
    """One graph: the bytes of each strategy, and why the best of the others moves less than mlc, if it does."""

    graph: str
    bytes: dict[str, int]
    best: str
    why: str | None

    @property
    def ratio(self) -> float:
        """Our bytes over those of the best other."""
        return self.bytes["mlc"] / self.bytes[self.best]


def traffic(graphs: Iterable[CorpusGraph]) -> Iterator[Traffic]:
    """The bytes that every strategy moves on each graph."""
    for graph in graphs:
        plans = {name: plan(graph.block, name) for name in ("mlc", *EMULATED)}
        moved = {name: found.total_bytes for name, found in plans.items()}
        best = min(EMULATED, key=moved.__getitem__)
        lost = moved["mlc"] > moved[best]
        yield Traffic(graph.name, moved, best, reason(graph, plans[best]) if lost else None)


def reason(graph: CorpusGraph, better: Plan) -> str:
    """Why the kernels of `better` are not ours."""
    units = FusionGraph(graph.block)
    for group in better.groups:
        if len(group.ops) > 1 and any(isinstance(op, MatmulOp) for op in group.ops):
            return "product"
        outputs = better.outputs(group)
        if not group.partial and len(group.ops) > 1 and all(o.owner in group.ops for o in outputs) and outputs:
            iteration = units.iterate(group.ops, outputs)
            if isinstance(iteration, Refusal):
                return f"illegal: {iteration.why}"
    return "policy"


def lines(found: Sequence[Traffic], show: int) -> Iterator[str]:
    """The score and what is lost, for people."""
    lost = sorted((t for t in found if t.why), key=lambda t: -t.ratio)
    mean = geometric_mean(t.ratio for t in found)
    fewer = sum(t.ratio < 1 for t in found)
    yield (
        f"mlc moves no more than the best of {', '.join(EMULATED)} on {1 - len(lost) / len(found):.1%} of {len(found)} "
        f"graphs, fewer on {fewer}; {mean:.3f} of the best's bytes in geometric mean"
    )
    for name in EMULATED:
        against = geometric_mean(t.bytes["mlc"] / t.bytes[name] for t in found)
        yield f"  beside {name}: {against:.3f} of its bytes in geometric mean"
    for kind in ("product", "illegal", "policy"):
        yield f"  lost for {kind}: {sum((t.why or '').startswith(kind) for t in lost)}"
    for one in lost[:show]:
        yield f"    {one.graph}: {one.ratio:.2f} of {one.best}'s: {one.why}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--show", type=int, default=8)
    parser.add_argument("--json", type=file_to_write)
    arguments = parser.parse_args()
    found = list(traffic([*blocks(), *generated(arguments.count)]))
    print("\n".join(lines(found, arguments.show)))
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump([asdict(t) for t in found], file, indent=1)


if __name__ == "__main__":
    main()
