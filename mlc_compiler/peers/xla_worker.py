"""XLA's GPU compiler over StableHLO, without a GPU: jaxlib, and the plug-in that the CUDA wheel brings.

Request: {"text": StableHLO, "target": GpuTargetConfigProto in text, "edges": [[producer, consumer]],
"flags": {XLA debug option: value}}. Checked with jaxlib 0.10.2 and plug-ins 0.10.2 to 0.12. The plug-in
is only loaded: jax's own search for devices never runs.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mlc_compiler.peers.hlo import SILENT, Hlo, Instruction, Step, parse_hlo, parse_steps
from mlc_compiler.peers.worker import serve

PLUGINS = ("jax-cuda12-pjrt", "jax-cuda13-pjrt")
MAKERS = {"triton_softmax": "softmax rewriter: a normalisation diamond", "gemm": "gemm fusion"}
"""What XLA calls the fusions that it makes early, and who makes them."""
_BACKEND_KIND = re.compile(r'"fusion_backend_config":\s*\{\s*"kind":\s*"_*(\w+)"')
"""Where XLA says which of its emitters a custom fusion has."""
DUMPED = "priority-fusion|multi_output_fusion"


def plugin() -> tuple[str, Path]:
    """The name of the wheel that brings XLA's CUDA plug-in, and the plug-in. FileNotFoundError if there is none."""
    for wheel in PLUGINS:
        package = f"xla_{wheel.split('-')[1]}"
        spec = find_spec("jax_plugins") and find_spec(f"jax_plugins.{package}")
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            library = Path(folder, "xla_cuda_plugin.so")
            if library.is_file():
                return wheel, library
    raise FileNotFoundError("no xla_cuda_plugin.so: pip install jax-cuda12-pjrt")


@cache
def _modules() -> tuple[Any, Any, Any, Any]:
    """jaxlib's runtime and client, its MLIR, and jax's maker of contexts that know StableHLO and CHLO."""
    names = ("jaxlib._jax", "jaxlib.xla_client", "jaxlib.mlir.ir", "jax._src.interpreters.mlir")
    runtime, client, ir, mlir = (import_module(n) for n in names)
    return runtime, client, ir, mlir


@cache
def _device(target: str) -> Any:
    """A device that compiles and cannot run."""
    runtime, client, _, _ = _modules()
    api = client.load_pjrt_plugin_dynamically("cuda", str(plugin()[1]))
    if not client.pjrt_plugin_initialized("cuda"):
        client.initialize_pjrt_plugin("cuda")
    topology = runtime.get_c_api_topology(api, "", {"target_config": target, "topology": "1x1x1"})
    return topology._make_compile_only_devices()[0]


def _compile(text: str, target: str, given: dict[str, Any], folder: str) -> str:
    """The optimized HLO; the log and the dumps go to `folder`."""
    runtime, _, ir, mlir = _modules()
    device = _device(target)
    options = runtime.CompileOptions()
    flags: list[tuple[str, Any]] = [("xla_dump_to", folder), ("xla_dump_hlo_as_text", True)]
    options.env_option_overrides = [*flags, ("xla_dump_hlo_pass_re", DUMPED), *given.items()]
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        executable = device.client.compile(module, runtime.DeviceList((device,)), options)
    return executable.hlo_modules()[0].to_string()


def _dumped(folder: str, pattern: str) -> str:
    return "".join(path.read_text(errors="replace") for path in sorted(Path(folder).glob(pattern)))


def _kernel(hlo: Hlo, instruction: Instruction) -> dict[str, Any]:
    computed, moved = hlo.sources(instruction)
    called = hlo.called(instruction)
    code = hlo.texts[called] if called else hlo.line(instruction)
    return {"name": instruction.name, "kind": _kind(instruction), "ops": computed, "moves": moved, "code": code}


def _kind(instruction: Instruction) -> str:
    """XLA's own words: loop, input (a reduction), triton, triton_gemm; of a call its target, else the opcode."""
    if instruction.opcode != "fusion":
        return instruction.attribute("custom_call_target") or instruction.opcode
    backend = _BACKEND_KIND.search(instruction.attributes)
    return backend.group(1) if backend else (instruction.attribute("kind") or "fusion").removeprefix("k").lower()


def _verdicts(before: Hlo, steps: list[Step], edges: list[list[str]]) -> list[dict[str, Any]]:
    """What the log last said of each edge that it speaks of: an instruction stands for all it has taken in by then."""
    readers: dict[str, list[str]] = {}
    for producer, consumer in edges:
        readers.setdefault(producer, []).append(consumer)
    members = {
        i.name: {x.source for x in before.inside(i) if x.source and x.opcode not in SILENT}
        for instructions in before.computations.values()
        for i in instructions
    }
    told: dict[tuple[str, str], dict[str, Any]] = {}
    for instruction in before.computations.get(before.entry, ()):
        inside = members[instruction.name] if instruction.opcode == "fusion" else set[str]()
        maker = MAKERS.get(instruction.name.partition(".")[0].partition("_fusion_")[0], "fused")
        for producer in inside:
            for consumer in inside.intersection(readers.get(producer, ())):
                told[producer, consumer] = {"why": f"{maker}, before priority-fusion", "saves_us": None}
    for step in steps:
        producers = members.get(step.producer, set[str]())
        consumers = set[str]().union(*(members.get(c, ()) for c in step.consumers))
        for producer in producers:
            for consumer in readers.get(producer, ()):
                if consumer in consumers or (step.reason and consumer not in producers):
                    told.setdefault((producer, consumer), {}).update(_said(step))
        if step.made is not None:
            members[step.made] = producers | consumers
    return [{"producer": p, "consumer": c, **said} for (p, c), said in told.items()]


def _said(step: Step) -> dict[str, Any]:
    """One step in words, with the microseconds that it weighed."""
    if step.reason is not None:
        return {"why": f"priority-fusion: {step.reason}", "saves_us": None}
    if step.fused_us is None or step.unfused_us is None:
        return {}
    why = f"priority-fusion: {step.unfused_us:.2f} us apart, {step.fused_us:.2f} us fused"
    return {"why": why, "saves_us": round(step.unfused_us - step.fused_us, 4)}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Kernels in launch order, and what priority fusion said of the edges."""
    with TemporaryDirectory(prefix="mlc_xla_") as folder:
        hlo = parse_hlo(_compile(request["text"], request["target"], request.get("flags") or {}, folder))
        steps = parse_steps(_dumped(folder, "*priority_fusion_dump.txt"))
        before = parse_hlo(_dumped(folder, "*.before_priority-fusion.txt"))
    kernels = [_kernel(hlo, i) for i in hlo.kernels()]
    verdicts = _verdicts(before, steps, request["edges"])
    return {"version": _version(), "kernels": kernels, "verdicts": verdicts, "program": hlo.text}


def _version() -> str:
    """The wheel's: the compiler is in the plug-in."""
    wheel = plugin()[0]
    try:
        return f"{wheel} {version(wheel)}"
    except PackageNotFoundError:
        return wheel


if __name__ == "__main__":
    serve(answer)
