"""Models that were compiled ahead of time, loaded and called."""

from __future__ import annotations

import linecache
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any

import torch
from torch.utils._pytree import PyTree, TreeSpec, tree_unflatten, treespec_loads

from mlc_runtime import seeds
from mlc_runtime.cubins import check_gpu, cubin_kernels
from mlc_runtime.folder import AGAIN, HOST, MANIFEST, WEIGHTS, ModelFolder
from mlc_runtime.host import current_device
from mlc_runtime.inputs import Inputs
from mlc_runtime.manifest import KernelEntry, Manifest
from mlc_runtime.native import Library, NativeKernel, cpu_flags
from mlc_runtime.outputs import output_of_data
from mlc_runtime.program import Place, Program, graph_program, place_of
from mlc_runtime.weights import read_weights
from mlc_support.errors import MlcError

__all__ = ["Model", "load", "seeds"]  # seeds: host programs call the operator that it defines


class Model:
    """A compiled model. Called as the exported one, it gives the same; it computes no gradients."""

    def __init__(
        self,
        program: Program,
        place: Place,
        inputs: Inputs,
        trees: tuple[TreeSpec, TreeSpec],
        weights: Mapping[str, Any],
    ):
        self._program, self._place, self._inputs = program, place, inputs
        self._in, self._out = trees
        self.weights = dict(weights)
        """Parameters, buffers and constants by name. What the model writes to its buffers is seen here."""
        positional = self._in.child(0)
        self._flat = all(child.is_leaf() for child in positional.children()) and self._in.child(1).num_leaves == 0

    def __call__(self, *args: Any, **kwargs: Any) -> PyTree:
        """MlcError for an input that is not as the model was exported."""
        values = self._leaves(args, kwargs)
        self._inputs.check(values)
        device = self._place(values)
        with torch.no_grad():
            if device < 0 or device == current_device():
                results = self._program(values)
            else:
                with torch.cuda.device(device):
                    results = self._program(values)
        return tree_unflatten([*results], self._out)

    def _leaves(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Any]:
        """The inputs as a list. MlcError for another structure."""
        if self._flat and not kwargs and len(args) == len(self._inputs.inputs):
            return [*args]
        try:
            return self._in.flatten_up_to((args, dict(kwargs)))
        except ValueError as error:
            names = ", ".join(i.name for i in self._inputs.inputs)
            hint = f"its inputs, in order, are {names}"
            raise MlcError(f"the model takes another structure of inputs: {error}", hint=hint) from error

    def __repr__(self) -> str:
        inputs = ", ".join(f"{i.name}: {i}" for i in self._inputs.inputs)
        return f"Model({inputs})"


def load(path: str | Path, *, digest: str | None = None) -> Model:
    """The model in a folder that `mlc-compile` wrote. MlcError says why it cannot run here, or what is damaged.

    A folder holds code. With the `digest` that `mlc-compile` printed, no folder but that one is loaded.
    """
    folder = ModelFolder.opened(path, digest)
    _check_torch(folder)
    try:
        return _model(folder)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RuntimeError) as error:
        what = f"the manifest is none that this mlc_runtime understands: {type(error).__name__}: {error}"
        raise MlcError(what, str(folder.path / MANIFEST), AGAIN) from error


def _model(folder: ModelFolder) -> Model:
    data, target = folder.data, folder.data["target"]
    on_gpu = target["kind"] == "cuda"
    if on_gpu:
        check_gpu([int(n) for n in target["capability"]])
    else:
        _check_cpu(folder, target)
    _check_operators(folder)
    device = torch.device("cuda", current_device()) if on_gpu else torch.device("cpu")
    program = Manifest.of_data(data["program"])
    host = program.hosts[data["main"]]
    names = _names_of(folder.path / HOST) | _kernels(program.kernels, folder, on_gpu)
    tensors = read_weights(folder.path / WEIGHTS, data["weights"], device)
    constants = [tensors[name] for name in data["constants"]]
    inputs = Inputs.of_data(data, device)
    run = FunctionType(names[host.name].__code__, names, host.name)
    outputs = [output_of_data(o) for o in data["outputs"]]
    whole = graph_program(run, constants, outputs, inputs.check)
    trees = treespec_loads(data["in_spec"]), treespec_loads(data["out_spec"])
    return Model(whole, place_of(host, constants), inputs, trees, tensors)


def _check_operators(folder: ModelFolder) -> None:
    """MlcError where an operator of the user's own is not there: who defines it must be imported first."""
    for name in folder.data["operators"]:
        found: Any = torch.ops
        for part in str(name).split("."):
            found = getattr(found, part, None)
        if found is None:
            raise MlcError(
                f"no operator {name}", str(folder.path), "import the module that defines it, then load again"
            )


def _names_of(path: Path) -> dict[str, Any]:
    """What the host program defines and imports."""
    text = path.read_text(encoding="utf-8")
    linecache.cache[str(path)] = (len(text), None, text.splitlines(keepends=True), str(path))
    names: dict[str, Any] = {"__name__": "mlc_model"}
    exec(compile(text, str(path), "exec"), names)
    return names


def _kernels(kernels: Sequence[KernelEntry], folder: ModelFolder, on_gpu: bool) -> dict[str, Any]:
    code = folder.data["code"]
    if on_gpu:
        return dict(cubin_kernels(kernels, folder.path, code["kernels"]))
    if not kernels:
        return {}
    library = Library(folder.path / str(code["file"]), [str(name) for name in code["externals"]])
    return {k.name: NativeKernel(k, library, str(code["symbols"][k.name])) for k in kernels}


def _check_torch(folder: ModelFolder) -> None:
    """Host programs call PyTorch's operators, which change between minor versions."""
    told, here = str(folder.data.get("torch")), str(torch.__version__)
    if told.split(".")[:2] != here.split(".")[:2]:
        hint = f"{AGAIN}, or install PyTorch {'.'.join(told.split('.')[:2])}"
        raise MlcError(f"compiled with PyTorch {told}, and this is {here}", str(folder.path), hint)


def _check_cpu(folder: ModelFolder, target: Mapping[str, Any]) -> None:
    wanted, here = (target["system"], target["machine"]), (platform.system(), platform.machine())
    if target["kind"] != "cpu" or wanted != here:
        what = f"compiled for {' '.join(map(str, (target['kind'], *wanted)))}, and this is {' '.join(here)}"
        raise MlcError(what, str(folder.path), "compile it on a machine of this kind")
    flags = cpu_flags()
    if flags and (missing := sorted(set(target["features"]) - flags)):
        what = f"compiled for the CPU {target['cpu']}, and this one has no {', '.join(missing)}"
        raise MlcError(what, str(folder.path), "compile it here, or for all CPUs of a level: --cpu x86-64-v3")
