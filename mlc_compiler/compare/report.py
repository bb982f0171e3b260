"""A comparison as plain data, for CI and for the page."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import bf16
from xdsl.ir import Operation

from mlc_compiler.compare.comparison import Comparison, Strategy
from mlc_compiler.compare.cost import Cost, product_rate
from mlc_dialects.iteration.iterate import is_free
from mlc_dialects.tensor.ops import ReduceOp
from mlc_support.value_names import short_name
from passes.tensor.fusion.plan import Group, op_place, value_bytes


def as_json(comparison: Comparison) -> dict[str, Any]:
    """`{"graph": ..., "strategies": [...], "decisions": [...], "failures": {...}, "waiting": [...]}`.

    Bytes are DRAM traffic, times are microseconds; `measured_us` is null where nothing was run: `remark` says why.
    """
    return {
        "graph": _graph(comparison),
        "strategies": [_strategy(comparison, row) for row in comparison.rows],
        "decisions": [d for row in comparison.rows for d in _decisions(comparison, row)],
        "failures": dict(comparison.failures),
        "waiting": list(comparison.waiting),
    }


def _graph(comparison: Comparison) -> dict[str, Any]:
    device = comparison.device
    return {
        "name": comparison.name,
        "device": {
            "key": comparison.device_name,
            "name": device.name,
            "bandwidth": device.bandwidth,
            "flops": device.flops,
            "launch_us": device.launch_us,
            "tensor_flops": product_rate(bf16, device),
        },
        "inputs": [
            {"name": comparison.value_name(a), "type": str(a.type), "bytes": value_bytes(a)}
            for a in comparison.block.args
        ],
        "ops": [_op(comparison, op) for op in comparison.ops],
    }


def _op(comparison: Comparison, op: Operation) -> dict[str, Any]:
    """One op; a source that is a number is the input of that place."""
    sources = [
        comparison.names[v.owner] if isinstance(v.owner, Operation) else comparison.block.args.index(v)
        for v in op.operands
    ]
    return {
        "name": comparison.names[op],
        "op": f"reduce {op.kind.data}" if isinstance(op, ReduceOp) else short_name(op),
        "type": str(op.results[0].type) if op.results else "",
        "place": ", ".join(places((op,))),
        "view": is_free(op),
        "returned": any(use.operation.name == "func.return" for r in op.results for use in r.uses),
        "sources": list(dict.fromkeys(sources)),
    }


def _strategy(comparison: Comparison, row: Strategy) -> dict[str, Any]:
    costs = comparison.costs[row.label]
    return {
        "name": row.name,
        "label": row.label,
        "real": row.real,
        "version": row.version,
        "device": comparison.device.name,
        "knobs": dict(row.knobs),
        "kernels": row.plan.kernels,
        "launches": row.launches,
        "bytes": sum(cost.bytes for cost in costs),
        "recomputed": row.plan.recomputed,
        "groups": [_group(comparison, row, *pair) for pair in zip(row.plan.groups, costs, strict=True)],
        "runs": [asdict(run) for run in comparison.runs[row.label]],
        "cuts": [asdict(cut) for cut in row.cuts],
        "predicted_us": round(comparison.predicted_us(row), 3),
        "measured_us": None if row.measured is None else row.measured.us,
        "measured": None if row.measured is None else {**asdict(row.measured), "wrong": row.measured.wrong},
        "remark": row.remark,
    }


def _group(comparison: Comparison, row: Strategy, group: Group, cost: Cost) -> dict[str, Any]:
    names = comparison.names
    reads, writes = comparison.traffic(row, group)
    return {
        "ops": [names[op] for op in group.ops],
        "kind": group.kind,
        "bytes": cost.bytes,
        "cached": cost.cached,
        "flops": cost.flops,
        "predicted_us": round(cost.us, 3),
        "why": group.why,
        "lines": places(group.ops),
        "duplicated": [names[op] for op in group.duplicated],
        "partial": [names[op] for op in group.partial],
        "reads": reads,
        "writes": writes,
    }


def _decisions(comparison: Comparison, row: Strategy) -> list[dict[str, Any]]:
    names = comparison.names
    return [
        {
            "producer": names[producer],
            "consumer": names[consumer],
            "strategy": row.label,
            "fuse": verdict.fuse,
            "why": verdict.why,
            "saves_us": verdict.saves_us,
        }
        for (producer, consumer), verdict in row.verdicts.items()
        if producer in names and consumer in names
    ]


def places(ops: tuple[Operation, ...]) -> list[str]:
    """The user's lines of some ops, once each, in order; a file below the working folder by its way from there."""
    here = f"{Path.cwd()}/"
    return list(dict.fromkeys(part.removeprefix(here) for op in ops for part in op_place(op).split(", ") if part))
