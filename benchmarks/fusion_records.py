"""What the real compilers make of the fusion corpus, recorded so that it can be scored where they are missing.

    python -m benchmarks.fusion_records --peers xla,tvm,inductor    # asks them, and writes results/

    version, plans = real_plans("xla", graphs)       # name to Plan, or Failure

A record is kept with a digest of its graph: a graph that has changed is asked again where the compiler is
installed, and is a Failure elsewhere.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from benchmarks.fusion_blocks import blocks
from benchmarks.fusion_corpus import CorpusGraph, generated
from mlc_compiler.peers.client import Failure
from mlc_compiler.peers.peer import PEERS
from mlc_compiler.peers.record import Kernel, Record, plan_of
from passes.tensor.fusion.plan import Plan

RESULTS = Path(__file__).parent / "results"
GENERATED = 300
BATCH = 50
"""Graphs asked at a time: what is there when the recording is stopped is kept."""


def real_plans(peer: str, graphs: Sequence[CorpusGraph], device: str = "h200") -> tuple[str, dict[str, Plan | Failure]]:
    """The version of the compiler, and its groups of each graph: recorded on `device`, or asked now.

    A Failure says why a graph has none.
    """
    known = _read(peer)
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


def record(peer: str, graphs: Iterable[CorpusGraph], device: str = "h200") -> None:
    """Asks `peer` for every graph that is not recorded as it stands, and writes what it says."""
    known, everything = _read(peer), list(graphs)
    missing = [g for g in everything if not _is_known(known, g)]
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        for graph, found in zip(batch, PEERS[peer].records([g.module for g in batch], device), strict=True):
            known["graphs"][graph.name] = {"digest": _digest(graph), **_entry(found)}
            if isinstance(found, Record):
                known |= {"version": found.version, "device": found.device}
        known["graphs"] = {g.name: known["graphs"][g.name] for g in everything if g.name in known["graphs"]}
        _write(peer, known)
        print(f"{peer}: {min(start + BATCH, len(missing))} of {len(missing)}")


def _entry(found: Record | Failure) -> dict[str, Any]:
    """Kinds and ops alone: views only where a kernel does nothing else."""
    if isinstance(found, Failure):
        return {"failure": found.why}
    return {"kernels": [[k.kind, k.ops or k.moves] for k in found.kernels]}


def _digest(graph: CorpusGraph) -> str:
    return hashlib.sha256(str(graph.module).encode()).hexdigest()[:12]


def _path(peer: str) -> Path:
    return RESULTS / f"fusion_corpus_{peer}.json"


def _read(peer: str) -> dict[str, Any]:
    path = _path(peer)
    return json.loads(path.read_text()) if path.exists() else {"version": "", "device": "", "graphs": {}}


def _write(peer: str, known: Mapping[str, Any]) -> None:
    """One line a graph, so that changes can be read."""
    lines = [f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in known["graphs"].items()]
    head = f'{{"version": {json.dumps(known["version"])}, "device": {json.dumps(known["device"])}, "graphs": {{\n'
    _path(peer).write_text(head + ",\n".join(lines) + "\n}}\n")


def main() -> None:
    """Records the corpus with the peers that the command line names."""
    parser = argparse.ArgumentParser(description="Record what the real compilers make of the fusion corpus.")
    parser.add_argument("--peers", default=",".join(PEERS))
    options = parser.parse_args()
    for peer in options.peers.split(","):
        missing = PEERS[peer].available()
        if missing:
            print(missing)
        else:
            record(peer, chain(generated(GENERATED), blocks()))


if __name__ == "__main__":
    main()
