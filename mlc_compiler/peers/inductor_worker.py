"""TorchInductor's scheduler over a graph of aten ops, without a GPU: CUDA tensors are fake.

Request: {"text": aten source, "inputs": [[shape, dtype]], "properties": of the device, "edges": [[producer,
consumer]], "settings": entries of torch._inductor.config}. Nothing is compiled or run: all stops when the
code is written. Checked with torch 2.11 and 2.13. On a machine with a GPU the same code runs there.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Generator, Iterable
from importlib import import_module
from types import SimpleNamespace
from typing import Any
from unittest import mock

import torch
from torch import fx
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import traceback
from torch.fx.experimental.proxy_tensor import make_fx

from mlc_compiler.frontend.aten_graph import SOURCE, graph_module
from mlc_compiler.peers.worker import serve

SETTINGS: dict[str, Any] = {
    "fx_graph_cache": False,
    "compile_threads": 1,
    "force_disable_caches": True,
    "max_autotune": False,
    "benchmark_fusion": False,
    "joint_graph_constant_folding": False,  # it would fill tensors on the device
    "shape_padding": False,  # it would time products on the device
}


class _Written(BaseException):
    """The code is there: what follows would compile it. No Exception, which Inductor would wrap."""


@contextlib.contextmanager
def _fake_cuda(properties: dict[str, Any]) -> Generator[None]:
    """A CUDA device of these properties, as far as code generation asks."""
    scheduler, hints, interfaces, triton_utils = (
        import_module(f"torch.{name}")
        for name in ("_inductor.scheduler", "_inductor.runtime.hints", "_dynamo.device_interface", "utils._triton")
    )
    device, capability = SimpleNamespace(**properties), (properties["major"], properties["minor"])
    number = 10 * capability[0] + capability[1]
    backends, drivers = import_module("triton.backends.compiler"), import_module("triton.runtime").driver
    active = {
        "get_current_target": lambda: backends.GPUTarget("cuda", number, 32),
        "get_current_device": lambda: 0,
        "get_device_interface": lambda: torch.cuda,
        "get_active_torch_device": lambda: torch.device("cuda", 0),
    }
    interface = interfaces.CudaInterface
    hints.DeviceProperties.create.cache_clear()
    patches: list[tuple[Any, str, Any]] = [
        (torch.cuda, "get_device_properties", lambda *a, **k: device),
        (torch.cuda, "get_device_capability", lambda *a, **k: capability),
        (torch.cuda, "current_device", lambda: 0),
        (torch.cuda, "device_count", lambda: 1),
        (torch.cuda, "synchronize", lambda *a, **k: None),
        (interface, "get_device_properties", staticmethod(lambda *a, **k: device)),
        (interface.Worker, "get_device_properties", staticmethod(lambda *a, **k: device)),
        (interface, "get_compute_capability", staticmethod(lambda *a, **k: number)),
        (interface, "is_available", staticmethod(lambda: True)),
        (interface, "is_triton_capable", staticmethod(lambda *a, **k: True)),
        (interface, "is_bf16_supported", staticmethod(lambda *a, **k: capability >= (8, 0))),
        (interface, "raise_if_triton_unavailable", staticmethod(lambda *a, **k: None)),
        (scheduler, "has_triton", lambda *a, **k: True),
        (triton_utils, "has_triton", lambda *a, **k: True),
        (triton_utils, "triton_hash_with_backend", lambda *a, **k: "none"),
        (triton_utils, "has_triton_tma_device", lambda *a, **k: False),
        (drivers, "_active", SimpleNamespace(**active)),
    ]
    with contextlib.ExitStack() as stack:
        for target, name, value in patches:
            if hasattr(target, name):
                stack.enter_context(mock.patch.object(target, name, value))
        yield


def _traced(source: str, inputs: list[torch.Tensor]) -> fx.GraphModule:
    """The graph with Inductor's decompositions; every node keeps the name of its op."""
    decompositions = import_module("torch._inductor.decomposition").select_decomp_table()
    decompositions[torch.ops.aten.index_select.default] = _selected
    module = graph_module(source, "cuda")

    class Named(fx.Interpreter):
        """Runs under a tracer, and hands each node's op on to what it becomes."""

        def run_node(self, n: fx.Node) -> Any:
            with traceback.set_current_meta(n):
                return super().run_node(n)

        def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
            picks = target is torch.ops.aten.scaled_dot_product_attention.default
            return _attention(*args, **kwargs) if picks else super().call_function(target, args, kwargs)

    with traceback.preserve_node_meta(), torch.no_grad():
        for node in module.graph.nodes:
            node.meta["stack_trace"] = node.meta.get(SOURCE, "")
        traced = make_fx(Named(module).run, decomposition_table=decompositions, tracing_mode="real")(*inputs)
    return traced


def _selected(x: Any, dim: int, index: Any) -> Any:
    """What PyTorch's own decomposition does, but for an index in Python, which asks for CUDA."""
    return torch.ops.aten.index.Tensor(x, [*[None] * (dim % x.ndim), index.reshape(-1)])


def _attention(
    q: Any, k: Any, v: Any, mask: Any = None, dropout: float = 0.0, causal: bool = False, **given: Any
) -> Any:
    """The fused kernel that PyTorch picks on a GPU: built without CUDA it picks none, and spells attention out."""
    aten, scale = torch.ops.aten, {"scale": given.get("scale")}
    if given.get("enable_gqa") or q.ndim != 4 or q.shape[-1] % 8 or q.shape[-1] > 256:
        return aten.scaled_dot_product_attention.default(q, k, v, mask, dropout, causal, **given)
    if mask is None and q.dtype in (torch.float16, torch.bfloat16):
        return aten._scaled_dot_product_flash_attention.default(q, k, v, dropout, causal, **scale)[0]
    if mask is not None:
        mask = torch.where(mask, 0.0, -torch.inf).to(q.dtype) if mask.dtype == torch.bool else mask
        mask = mask.expand(*q.shape[:-1], k.shape[-2])
    return aten._scaled_dot_product_efficient_attention.default(q, k, v, mask, False, dropout, causal, **scale)[0]


def _sources(part: Any, others: dict[str, Any]) -> list[str]:
    """The ops that one scheduler node computes; `others` has every node by the buffers that it writes.

    The second half of a split reduction has the origins of the first, and computes nothing but the reduction.
    """
    last = part.node.get_origin_node() if hasattr(part.node, "get_origin_node") else None
    halves = [others[d.name] for d in part.read_writes.reads if d.name in others]
    if last is not None and part.is_reduction() and any(h is not part and last in h.node.origins for h in halves):
        return _names([last])
    return _names(sorted(getattr(part.node, "origins", None) or (), key=lambda o: o.name))


def _names(nodes: list[fx.Node]) -> list[str]:
    return [name for name in dict.fromkeys(n.meta.get("stack_trace") or "" for n in nodes) if name]


def _is_one_of_several(group: Any) -> bool:
    """True for one of the results of a call that gives several: no kernel of its own."""
    return type(getattr(group, "node", None)).__name__ == "MultiOutput"


def _kind(node: Any) -> str:
    if node.is_extern():
        return "extern"
    if node.is_template():
        return "template"
    return "reduction" if node.is_reduction() else "pointwise"


def _compile(graph: fx.GraphModule, inputs: list[torch.Tensor], settings: dict[str, Any]) -> tuple[list[Any], Any, str]:
    """Scheduler nodes after fusion, the refusals on the way, and the code."""
    compile_fx, scheduler, config = (
        import_module(f"torch._inductor.{name}") for name in ("compile_fx", "scheduler", "config")
    )
    lowering = import_module("torch._inductor.graph").GraphLowering
    groups: list[Any] = []
    refusals: list[tuple[str, str, str]] = []
    code: list[Any] = []

    def keep(nodes: list[Any]) -> list[Any]:
        groups[:] = nodes
        return nodes

    def stop(written: Any) -> None:
        code.append(getattr(written, "value", written))
        raise _Written

    def refuse(self: Any, reason: str, *args: Any) -> None:
        refusals.append((self.name1, self.name2, reason % args))

    with (
        config.patch({**SETTINGS, **settings, "_post_fusion_custom_pass": keep}),
        mock.patch.object(lowering, "save_output_code", staticmethod(stop)),
        mock.patch.object(scheduler.WhyNoFuse, "__call__", refuse),
        contextlib.suppress(_Written),
        torch.no_grad(),
    ):
        compile_fx._recursive_joint_graph_passes(graph)
        compile_fx.compile_fx_inner(graph, inputs, static_input_idxs=[], is_inference=True)
    return groups, refusals, code[0] if code else ""


def _codes(code: str, count: int) -> list[str]:
    """The source of each kernel in launch order; empty where it cannot be told."""
    defined = dict(re.findall(r"^(\w+) = async_compile\.triton\('\w+', '''\n(.*?)'''", code, re.MULTILINE | re.DOTALL))
    launched = re.findall(r"^\s+(?:(\w+)\.run\(|(?:buf\d+ = )?(extern_kernels\.\w+\(.*))", code, re.MULTILINE)
    texts = [defined.get(kernel, "") or call for kernel, call in launched]
    return texts if len(texts) == count else [""] * count


def _verdicts(edges: list[list[str]], parts: dict[str, list[str]], refusals: Any) -> list[dict[str, Any]]:
    """The last refusal that speaks of both ends of an edge. A split reduction ends with its second half."""
    readers: dict[str, list[str]] = {}
    for producer, consumer in edges:
        readers.setdefault(producer, []).append(consumer)
    home = {op: part for part, ops in parts.items() for op in ops}
    told: dict[tuple[str, str], str] = {}
    for first, second, reason in refusals:
        behind = set(_members(second, parts))
        for name in re.findall(r"op\d+", first):
            for producer in (op for op in parts.get(name, ()) if home[op] == name):
                for consumer in behind.intersection(readers.get(producer, ())):
                    told[producer, consumer] = f"scheduler: {reason}"
    return [{"producer": p, "consumer": c, "why": why} for (p, c), why in told.items()]


def _fused(edges: list[list[str]], parts: dict[str, list[str]], kernels: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """How the ends of an edge came to be in one kernel."""
    bodies, groups = _places(parts.values()), _places(kernel["ops"] for kernel in kernels)
    found: list[dict[str, Any]] = []
    for producer, consumer in edges:
        if bodies.get(producer, set()) & bodies.get(consumer, set()):
            found.append({"producer": producer, "consumer": consumer, "why": "lowering: inlined into its reader"})
        elif groups.get(producer, set()) & groups.get(consumer, set()):
            why = "scheduler: its node and its reader's are fused"
            found.append({"producer": producer, "consumer": consumer, "why": why})
    return found


def _places(collections: Iterable[list[str]]) -> dict[str, set[int]]:
    """Op to the collections that it is in."""
    places: dict[str, set[int]] = {}
    for position, ops in enumerate(collections):
        for op in ops:
            places.setdefault(op, set()).add(position)
    return places


def _members(name: str, parts: dict[str, list[str]]) -> list[str]:
    """The ops of a node, whose name is made of its parts'."""
    return [source for part in re.findall(r"op\d+", name) for source in parts.get(part, ())]


def _kernel(group: Any, code: str, parts: dict[str, list[str]]) -> dict[str, Any]:
    ops = dict.fromkeys(op for part in group.get_nodes() for op in parts[part.get_name()])
    return {"name": group.get_name(), "kind": _kind(group), "ops": list(ops), "code": code}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Kernels in the order of the scheduler, with their Triton source."""
    fake = FakeTensorMode(allow_non_fake_inputs=True)
    with _fake_cuda(request["properties"]), fake:
        inputs = [torch.empty(s, dtype=getattr(torch, d), device="cuda") for s, d in request["inputs"]]
        graph = _traced(request["text"], inputs)
        groups, refusals, code = _compile(graph, inputs, request.get("settings") or {})
    launched = [g for g in groups if not (type(g).__name__.startswith("Nop") or _is_one_of_several(g))]
    nodes = [part for group in launched for part in group.get_nodes()]
    writers = {buffer: part for part in nodes for buffer in part.get_buffer_names()}
    parts = {part.get_name(): _sources(part, writers) for part in nodes}
    kernels = [_kernel(*pair, parts) for pair in zip(launched, _codes(code, len(launched)), strict=True)]
    verdicts = [*_verdicts(request["edges"], parts, refusals), *_fused(request["edges"], parts, kernels)]
    return {"version": f"torch {torch.__version__}", "kernels": kernels, "verdicts": verdicts, "program": code}


if __name__ == "__main__":
    serve(answer)
