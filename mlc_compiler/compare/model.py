"""A whole nn.Module as the graphs that `torch.compile` makes of it, without memory: nothing is computed.

    for graph in graphs_of(module, (tokens,), train=True): print(graph.name, graph.module)

Dynamo and AOTAutograd cut it as for the backend: one graph, or one for each part between graph breaks; with `train` a
forward and a backward graph of each. Tensors are fake, so a model of any size costs the memory of its graphs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import torch
from torch import nn
from torch._guards import detect_fake_mode
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._pytree import tree_leaves, tree_map_only
from xdsl.dialects import func
from xdsl.dialects.builtin import FloatAttr, ModuleOp, UnitAttr, f64
from xdsl.ir import Attribute

from lowering.export.opened import copied
from lowering.fx_to_tensor import Imported
from lowering.fx_to_tensor.imported import ConstantOutput, ResultOutput
from lowering.fx_to_tensor.sizes import DTYPE_OF
from mlc_compiler.compare.comparison import Graph
from mlc_compiler.frontend.autograd import compile_with
from mlc_dialects.common.annotations import promised_strides, result_annotations
from mlc_dialects.common.types import Shape, element_type, shape_of
from mlc_dialects.tensor.calls import ExternOp
from mlc_support.errors import MlcError
from mlc_support.index_maps import row_major_strides
from mlc_support.walks import walk

CAPTURE = torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True)
"""Ops whose result has a size that only data tell stay in the graph: between graphs nothing runs here."""
PICKED = "aten.scaled_dot_product_attention.default"
"""The call of attention that picks a kernel."""
KERNELS = "aten._scaled_dot_product_"
"""How the kernels that it picks are called."""


def graphs_of(module: nn.Module, inputs: Sequence[Any] | Mapping[str, Any], train: bool = False) -> list[Graph]:
    """The graphs of `module(*inputs)`, or `module(**inputs)`: forward, or with `train` forward and backward.

    What is differentiated is the first output that is one number, as a loss is, else the sum of all outputs. The
    parameters of `module` become fake: it cannot be run afterwards. Raises MlcError where PyTorch cannot trace it.
    """
    found: list[tuple[str, ModuleOp]] = []
    device = "cuda" if torch.cuda.is_available() else "cpu"
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    known: dict[int, torch.Tensor] = {}
    make_fake(module, mode, device, known)
    inputs = tree_map_only(torch.Tensor, lambda t: fake(t, mode, device, known), inputs)
    arguments, keywords = ((), inputs) if isinstance(inputs, Mapping) else (inputs, {})

    def keep(imported: Imported, _: bool) -> Callable[[list[Any]], list[Any]]:
        kept = graph_of(imported)
        found.append((_function(kept).sym_name.data, kept))
        return partial(outputs_of, imported)

    torch._dynamo.reset()
    compiled = torch.compile(module.train(train), backend=lambda gm, like: compile_with(gm, like, keep), dynamic=False)
    try:
        with CAPTURE, mode, nullcontext() if train else torch.no_grad():
            outputs = compiled(*arguments, **keywords)
        if train:
            _differentiate(outputs, [*module.parameters(), *tree_leaves(inputs)])
    except MlcError:
        raise
    except Exception as error:
        raise MlcError(
            f"PyTorch cannot trace {type(module).__name__}: {_said(error)}",
            hint="does module(*inputs) run in eager? --traceback shows where it failed",
        ) from error
    finally:
        torch._dynamo.reset()
    return [Graph(name, kept) for name, kept in _numbered(found)]


def graph_of(imported: Imported) -> ModuleOp:
    """A copy of a graph as it is compared: the same on every machine, with the places in the user's program."""
    kept = copied(imported.module)
    pick_attention_again(kept)
    return kept


def _said(error: Exception) -> str:
    """What is wrong, in one line: Dynamo explains it further down."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    return next((line.removeprefix("Explanation: ") for line in lines if line.startswith("Explanation: ")), lines[0])


def _differentiate(outputs: Any, leaves: Sequence[Any]) -> None:
    """The backward pass from the loss, or from all outputs, to what wants a gradient.

    It runs outside of the fake mode: AOTAutograd copies the backward graph, whose constants are true tensors.
    """
    results = [t for t in tree_leaves(outputs) if isinstance(t, torch.Tensor) and t.requires_grad]
    wanted = [t for t in leaves if isinstance(t, torch.Tensor) and t.requires_grad]
    if not results or not wanted:
        raise MlcError("--train: no output depends on anything that wants a gradient", None, "leave --train out")
    losses = [t for t in results if t.numel() == 1][:1] or results
    torch.autograd.grad(losses, wanted, [torch.empty_like(t) for t in losses], allow_unused=True)


def _numbered(found: Sequence[tuple[str, ModuleOp]]) -> Iterator[tuple[str, ModuleOp]]:
    """Names of their own for graphs of one kind: `forward`, or with graph breaks `forward.1`, `forward.2`."""
    count = Counter(name for name, _ in found)
    seen: Counter[str] = Counter()
    for name, kept in found:
        seen[name] += 1
        yield (f"{name}.{seen[name]}" if count[name] > 1 else name), kept


# ---------------------------------------------------------------- tensors without memory


def make_fake(module: nn.Module, mode: FakeTensorMode, device: str, known: dict[int, torch.Tensor]) -> None:
    """Puts fake tensors for the parameters and buffers of `module`; tied ones stay tied."""
    for part in module.modules():
        for values in (part._parameters, part._buffers):
            for name, value in values.items():
                if value is not None:
                    values[name] = fake(value, mode, device, known)  # pyright: ignore[reportArgumentType]


def fake(value: torch.Tensor, mode: FakeTensorMode, device: str, known: dict[int, torch.Tensor]) -> torch.Tensor:
    """A fake tensor like `value` on `device`, the same one for the same tensor; a parameter where it is one."""
    if id(value) not in known:
        with mode:
            made = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=device)
        is_parameter = isinstance(value, nn.Parameter)
        known[id(value)] = (
            nn.Parameter(made, value.requires_grad) if is_parameter else made.requires_grad_(value.requires_grad)
        )
    return known[id(value)]


def outputs_of(imported: Imported, inputs: list[Any]) -> list[Any]:
    """New tensors like those that the graph gives, on the device of its inputs; nothing is computed."""
    function = _function(imported.module)
    mode = detect_fake_mode(inputs)
    devices = [x.device for x in (*inputs, *imported.constants) if isinstance(x, torch.Tensor)]
    device = next((d for d in devices if d.type != "cpu"), "cpu")
    inputs.clear()
    made: list[Any] = []
    for output in imported.outputs:
        if isinstance(output, ConstantOutput):
            made.append(output.value)
            continue
        if not isinstance(output, ResultOutput):
            raise MlcError(f"a result of the graph is {output}: expected sizes that are numbers")
        type_ = function.function_type.outputs.data[output.index]
        strides = promised_strides(result_annotations(function, output.index)) or row_major_strides(shape_of(type_))
        dtype = DTYPE_OF[element_type(type_)]
        with mode or nullcontext():
            made.append(torch.empty_strided(_numbers(shape_of(type_)), _numbers(strides), dtype=dtype, device=device))
    return made


def _numbers(sizes: Shape) -> list[int]:
    """Sizes or strides that are numbers. MlcError for one that is not."""
    if unknown := [str(size) for size in sizes if size.constant is None]:
        hint = "data tell it when the program runs: where it leaves a graph, a model is not traced without memory"
        raise MlcError(f"expected sizes that are numbers, found {', '.join(unknown)}", None, hint)
    return [size.constant for size in sizes if size.constant is not None]


def _function(module: ModuleOp) -> func.FuncOp:
    return next(op for op in module.ops if isinstance(op, func.FuncOp))


# ---------------------------------------------------------------- attention


def pick_attention_again(module: ModuleOp) -> None:
    """Calls of PyTorch's kernels of attention become the call that picks one, where nothing is kept for backward.

    Which kernel was picked depends on the machine that traces, and a comparison must not.
    """
    for call in [op for op in walk(module) if isinstance(op, ExternOp) and op.callee.data.startswith(KERNELS)]:
        given = _arguments(call)
        dropout = given.get("dropout_p", FloatAttr(0.0, f64))
        kept = any(r.uses for r in call.outputs[1:])
        if kept or "out" in given or not isinstance(dropout, FloatAttr) or dropout.value.data:
            continue
        mask = given.get("attn_mask", given.get("attn_bias", UnitAttr()))
        arguments = [given["query"], given["key"], given["value"], mask, dropout]
        arguments += [given["is_causal"]] if "is_causal" in given else []
        keywords = {"scale": given["scale"]} if "scale" in given else {}
        new = ExternOp(PICKED, call.inputs, [call.outputs[0].type], arguments, keywords)
        new.location = call.location
        assert call.parent is not None
        call.parent.insert_op_before(new, call)
        new.outputs[0].name_hint = call.outputs[0].name_hint
        call.outputs[0].replace_all_uses_with(new.outputs[0])
        call.detach()
        call.erase()


def _arguments(call: ExternOp) -> dict[str, Attribute]:
    """The arguments of a call by the names that PyTorch's schema gives them."""
    operator: Any = torch.ops
    for part in call.callee.data.split("."):
        operator = getattr(operator, part)
    names = [argument.name for argument in operator._schema.arguments]
    keywords = call.keywords.data if call.keywords is not None else {}
    return {**dict(zip(names, call.argument_list(), strict=False)), **keywords}
