"""What the real compilers make of two sets of graphs, recorded so that it can be scored where they are missing.

    python -m benchmarks.fusion_records --peers xla,tvm,inductor    # asks them, and writes results/
    python -m benchmarks.fusion_records --sample regions.jsonl.gz --count 500 --seed 1    # draws other regions first

    version, plans = real_plans("xla", graphs)       # name to Plan, or Failure

The sets are "corpus", the graphs of `benchmarks.fusion_corpus`, and "regions", a sample of what `benchmarks.capture`
found in real programs. A record is kept with a digest of its graph: a graph that has changed is asked again where the
compiler is installed, and is a Failure elsewhere.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.fusion_blocks import blocks
from benchmarks.fusion_corpus import CorpusGraph, generated
from benchmarks.regions import Region, load, save
from mlc_compiler.peers.client import Failure
from mlc_compiler.peers.peer import PEERS
from mlc_compiler.peers.record import Kernel, Record, plan_of
from passes.tensor.fusion.plan import Plan

RESULTS = Path(__file__).parent / "results"
REGIONS = RESULTS / "fusion_regions.jsonl.gz"
GENERATED = 300
BATCH = 50
"""Graphs asked at a time: what is there when the recording is stopped is kept."""


def regions(path: Path = REGIONS, count: int | None = None, seed: int = 0) -> list[CorpusGraph]:
    """The regions of a file: all, or so many drawn by a seed."""
    return [CorpusGraph(region.name, region.module()) for region in drawn(load(path), count, seed)]


def drawn(found: Sequence[Region], count: int | None, seed: int) -> Sequence[Region]:
    """So many of some regions, drawn by a seed; all if there are no more, or no number is given."""
    return found if count is None else Random(seed).sample(found, min(count, len(found)))


SETS: dict[str, Callable[[], Iterable[CorpusGraph]]] = {
    "corpus": lambda: chain(generated(GENERATED), blocks()),
    "regions": regions,
}


def real_plans(
    peer: str, graphs: Sequence[CorpusGraph], device: str = "h200", of: str = "corpus"
) -> tuple[str, dict[str, Plan | Failure]]:
    """The version of the compiler, and its groups of each graph: recorded in a set on `device`, or asked now.

    A Failure says why a graph has none.
    """
    known = _read(peer, of)
    fresh = [g for g in graphs if known["device"] != device or not _is_known(known, g)]
    asked = dict(zip((g.name for g in fresh), PEERS[peer].records([g.module for g in fresh], device), strict=True))
    found = {g.name: asked[g.name] if g.name in asked else _lookup(peer, g, known) for g in graphs}
    versions = dict.fromkeys(r.version for r in found.values() if isinstance(r, Record))
    return ", ".join(versions), {g.name: _plan(found[g.name], g) for g in graphs}


def _is_known(known: Mapping[str, Any], graph: CorpusGraph) -> bool:
    return known["graphs"].get(graph.name, {}).get("digest") == _digest(graph)


def _lookup(peer: str, graph: CorpusGraph, known: Mapping[str, Any]) -> Record | Failure:
    entry = known["graphs"][graph.name]
    if "failure" in entry:
        return Failure(entry["failure"])
    kernels = tuple(Kernel("", kind, tuple(ops)) for kind, ops in entry["kernels"])
    return Record(peer, known["version"], known["device"], kernels, ())


def _plan(record: Record | Failure, graph: CorpusGraph) -> Plan | Failure:
    return record if isinstance(record, Failure) else plan_of(record, graph.block)


def record(peer: str, of: str, device: str = "h200") -> None:
    """Asks `peer` for every graph of a set that is not recorded as it stands, and writes what it says."""
    known, everything = _read(peer, of), list(SETS[of]())
    missing = [g for g in everything if not _is_known(known, g)]
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        for graph, found in zip(batch, PEERS[peer].records([g.module for g in batch], device), strict=True):
            known["graphs"][graph.name] = {"digest": _digest(graph), **_entry(found)}
            if isinstance(found, Record):
                known |= {"version": found.version, "device": found.device}
        known["graphs"] = {g.name: known["graphs"][g.name] for g in everything if g.name in known["graphs"]}
        _write(peer, of, known)
        print(f"{peer}, {of}: {min(start + BATCH, len(missing))} of {len(missing)}")


def _entry(found: Record | Failure) -> dict[str, Any]:
    """Kinds and ops alone: views only where a kernel does nothing else."""
    if isinstance(found, Failure):
        return {"failure": found.why}
    return {"kernels": [[k.kind, k.ops or k.moves] for k in found.kernels]}


def _digest(graph: CorpusGraph) -> str:
    return hashlib.sha256(str(graph.module).encode()).hexdigest()[:12]


def _path(peer: str, of: str) -> Path:
    return RESULTS / f"fusion_{of}_{peer}.json"


def _read(peer: str, of: str) -> dict[str, Any]:
    path = _path(peer, of)
    return json.loads(path.read_text()) if path.exists() else {"version": "", "device": "", "graphs": {}}


def _write(peer: str, of: str, known: Mapping[str, Any]) -> None:
    """One line a graph, so that changes can be read."""
    lines = [f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in known["graphs"].items()]
    head = f'{{"version": {json.dumps(known["version"])}, "device": {json.dumps(known["device"])}, "graphs": {{\n'
    _path(peer, of).write_text(head + ",\n".join(lines) + "\n}}\n")


def main() -> None:
    """Records the sets with the peers that the command line names."""
    parser = argparse.ArgumentParser(description="Record what the real compilers make of sets of graphs.")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--sets", default=",".join(SETS), help="among corpus, regions")
    parser.add_argument("--sample", type=Path, help="a file of benchmarks.capture, to draw the regions from first")
    parser.add_argument("--count", type=int, default=500, help="of regions to draw")
    parser.add_argument("--seed", type=int, default=0, help="by which they are drawn")
    options = parser.parse_args()
    if options.sample:
        save(drawn(load(options.sample), options.count, options.seed), REGIONS)
    for peer in options.peers.split(","):
        missing = PEERS[peer].available()
        if missing:
            print(missing)
            continue
        for of in options.sets.split(","):
            record(peer, of)


if __name__ == "__main__":
    main()
