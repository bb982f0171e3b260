"""PyTorch functions through the whole compiler, against eager and against float64, on the CPU and on a GPU."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import torch
from torch.utils._pytree import tree_leaves
from xdsl.dialects.builtin import ModuleOp

from lowering.fx_to_tensor import import_callable, import_exported
from lowering.fx_to_tensor.imported import Imported
from mlc_compiler import pipeline
from mlc_compiler.execution.executable import Executable, compile_imported
from mlc_compiler.options import CompilerOptions
from mlc_support.errors import MlcError
from tests.unit.cases import CASES, LITERATURE, Case
from tests.unit.small_blocks import SmallBlocksPass

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
BY_NAME = {case.name: case for case in CASES}
DISTINCT = [*{case.name.partition("-")[0]: case for case in CASES}.values()]
"""One of each kind."""
SMALL = [c for c in CASES if sum(x.numel() for x in c.inputs()) <= 600 and not c.name.endswith(("f16", "f64"))]
EPSILON = {torch.float16: 1e-3, torch.bfloat16: 8e-3, torch.float32: 1.2e-7, torch.float64: 2.3e-16}
POISON = {torch.bool: True, torch.uint8: 171}


def poisoned(device: torch.device) -> Callable[..., torch.Tensor]:
    """`allocator`, whose new buffers are full of what no result may keep."""

    def allocate(shape: Sequence[int], strides: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
        buffer = torch.empty_strided(shape, strides, dtype=dtype, device=device)
        number = float("nan") if buffer.is_floating_point() else POISON.get(buffer.dtype, -85)
        memory = buffer.untyped_storage().nbytes() // buffer.element_size()
        buffer.as_strided((memory,), (1,)).fill_(number)
        return buffer

    return allocate


def inputs_of(case: Case, device: str) -> list[torch.Tensor]:
    """Fresh inputs with the strides that the case gives them."""
    return [
        torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=device).copy_(x)
        if 0 not in x.stride()
        else x.to(device)
        for x in case.inputs()
    ]


@cache
def imported(case: Case, device: str, door: str = "callable") -> Imported:
    """The case as a graph: tracing takes longer than all that follows, so each is traced once."""
    inputs = inputs_of(case, device)
    if door == "callable":
        return import_callable(case.function, inputs)
    return import_exported(torch.export.export(_Module(case.function), tuple(inputs)))


def compiled(
    case: Case, inputs: Sequence[torch.Tensor], options: CompilerOptions, door: str = "callable"
) -> tuple[Executable, list[Any]]:
    """The executable of the case, and what it gives."""
    graph = imported(case, inputs[0].device.type, door)
    executable = compile_imported(replace(graph, module=graph.module.clone()), options)
    executable.host.__globals__["allocator"] = poisoned
    return executable, tree_leaves(graph.rebuild(executable(*inputs)))


class _Module(torch.nn.Module):
    def __init__(self, function: Any):
        super().__init__()
        self.function = function

    def forward(self, *args: torch.Tensor) -> Any:
        return self.function(*args)


def check(case: Case, found: Sequence[Any], inputs: Sequence[torch.Tensor]) -> None:
    """Results as eager has them: no worse than twice its error, the same strides and types."""
    eager = tree_leaves(case.function(*inputs))
    exact = tree_leaves(case.function(*[x.double() if x.is_floating_point() else x for x in inputs]))
    assert len(found) == len(eager)
    for position, (new, old, true) in enumerate(zip(found, eager, exact, strict=True)):
        where = f"{case.name}: result {position}"
        if case.exact or not new.is_floating_point():
            torch.testing.assert_close(new, old, rtol=0, atol=0, equal_nan=True, msg=lambda m, w=where: f"{w}: {m}")
        else:
            _check_error(where, new, old, true)
        assert (new.dtype, new.shape) == (old.dtype, old.shape), where
        wide = [d for d, size in enumerate(old.shape) if size > 1]
        if old.numel():
            assert [new.stride(d) for d in wide] == [old.stride(d) for d in wide], where


def _check_error(where: str, new: torch.Tensor, old: torch.Tensor, true: torch.Tensor) -> None:
    """|new - true| <= 2 |old - true| at its largest, and a few roundings."""
    assert bool((new.isnan() == old.isnan()).all()), f"{where}: NaN where eager has none, or the reverse"
    if not new.numel():
        return
    scale = true.abs().nan_to_num(0, 0, 0).max().item() + 1
    errors = [(x.double() - true).abs().nan_to_num(0, 0, 0).max().item() for x in (new, old)]
    limit = 2 * errors[1] + 4 * EPSILON[new.dtype] * scale
    assert errors[0] <= limit, f"{where}: error {errors[0]:.3g}, eager's is {errors[1]:.3g}"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case, device: str) -> None:
    """As eager, in no more kernels than it should take."""
    if device == "cuda" and case.name == "constants":
        pytest.skip("makes CPU tensors of its own")
    inputs = inputs_of(case, device)
    executable, found = compiled(case, inputs, CompilerOptions(verify=True))
    check(case, found, inputs)
    launches = len(re.findall(r"^    \w+\[\(", executable.source, re.MULTILINE))
    assert case.kernels is None or launches <= case.kernels, executable.source


OPTIONS = {
    "not simplified": CompilerOptions(canonicalize=False, verify=True),
    "pointwise": CompilerOptions(policy="pointwise", verify=True),
    "none": CompilerOptions(policy="none", verify=True),
    "none, not simplified": CompilerOptions(policy="none", canonicalize=False, verify=True),
}


@pytest.mark.sampled(13)
@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("case", DISTINCT, ids=lambda case: case.name)
def test_other_options_give_the_same(case: Case, name: str) -> None:
    """Simplification and fusion change speed alone."""
    inputs = inputs_of(case, "cpu")
    check(case, compiled(case, inputs, OPTIONS[name])[1], inputs)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.name)
def test_small_blocks_give_the_same(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops, many programs and masks everywhere: two rows and four columns at once."""
    monkeypatch.setattr(pipeline, "SchedulePass", SmallBlocksPass)
    inputs = inputs_of(case, "cpu")
    check(case, compiled(case, inputs, CompilerOptions(verify=True))[1], inputs)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "name", ["relu-f32", "softmax-bf16", "linear_gelu", "moved", "inputs_back", "call_between", "rank_0"]
)
def test_exported_programs(name: str) -> None:
    """The second front door leads to the same place."""
    case = BY_NAME[name]
    inputs = inputs_of(case, "cpu")
    check(case, compiled(case, inputs, CompilerOptions(verify=True), "export")[1], inputs)


def gradients(case: Case) -> Case:
    """The case and its gradients, as one function: what a joint graph computes."""

    def function(*args: torch.Tensor) -> Any:
        floats = [a.detach().requires_grad_() for a in args]
        result = case.function(*floats)
        loss = (result * result).sum()
        return [result.detach(), *torch.autograd.grad(loss, floats)]

    return Case(f"{case.name} backward", function, case.inputs)


BACKWARD = [
    "relu-f32",
    "softmax-f32",
    "layer_norm-f32",
    "rms_norm-f32",
    "gelu_by_hand-f32",
    "swiglu",
    "linear_gelu",
    "normalized",
    "mse",
    "cross_entropy",
    "group_norm",
    "attention",
    "rope",
    "log_softmax-prime",
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", BACKWARD)
def test_gradients(name: str) -> None:
    """Forward and backward in one graph."""
    from torch.fx.experimental.proxy_tensor import make_fx

    case = gradients(BY_NAME[name])
    inputs = inputs_of(case, "cpu")
    graph = make_fx(case.function)(*inputs)
    traced = Case(case.name, graph, case.inputs)
    _, found = compiled(traced, inputs, CompilerOptions(verify=True))
    check(case, found, inputs)


DYNAMIC = {
    "softmax": (lambda x: torch.softmax(x, -1), [(5, 7)], [{0: "N", 1: "M"}], [[(3, 9)], [(1, 4)], [(2, 5000)]]),
    "bias": (lambda x, b: torch.relu(x * 2 + b), [(5, 7), (7,)], [{0: "N"}, None], [[(3, 7), (7,)], [(3000, 7), (7,)]]),
    "column sum": (lambda x: (x.sum(0), x.argmax(), x.mean()), [(5, 7)], [{0: "N", 1: "M"}], [[(9, 4)], [(700, 3)]]),
    "outer": (lambda x, y: (x[:, None] * y[None, :]).sum(1), [(5,), (6,)], [{0: "N"}, {0: "M"}], [[(9,), (4,)]]),
    "joined": (lambda x, y: torch.cat([x, y]) * 2, [(5, 7), (3, 7)], [{0: "N"}, {0: "M"}], [[(3, 7), (9, 7)]]),
    "sizes": (lambda x: (x * x.shape[0], x.shape[0] * 2, torch.arange(x.shape[0])), [(5, 7)], [{0: "N"}], [[(9, 7)]]),
    "product": (lambda x, w: (x @ w).relu(), [(5, 7), (7, 3)], [{0: "N"}, None], [[(9, 7), (7, 3)]]),
    **{
        f"called {a}, {b}": (lambda x: torch.relu(x * 2).sum(0), [(5, 7)], [{0: a, 1: b}], [[(3, 9)]])
        for a, b in (("x", "out"), ("p", "r"), ("d0", "d1"), ("tl", "torch"), ("device", "pid"))
    },
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", DYNAMIC)
def test_dynamic_sizes(name: str) -> None:
    """One executable, many sizes, whatever they are called."""
    function, first, dynamic, more = DYNAMIC[name]
    case = Case(name, function, lambda: [torch.randn(s) for s in first])
    graph = import_callable(function, case.inputs(), dynamic=dynamic)
    executable = compile_imported(graph, CompilerOptions(verify=True))
    for shapes in (first, *more):
        inputs = [torch.randn(s) for s in shapes]
        found, wanted = tree_leaves(graph.rebuild(executable(*inputs))), tree_leaves(function(*inputs))
        for new, old in zip(found, wanted, strict=True):
            torch.testing.assert_close(new, old)


def test_a_function_may_be_called_torch() -> None:
    """Names of the generated module are not the user's to know."""
    for name in ("torch", "triton", "lib", "device", "lambda"):

        def function(x: torch.Tensor) -> torch.Tensor:
            return x + 1

        function.__name__ = name
        x = torch.randn(3)
        torch.testing.assert_close(compile_imported(import_callable(function, (x,)))(x)[0], x + 1)


def test_wrong_shapes_are_refused() -> None:
    """A call with another shape than compiled for is an error, not a wrong read."""
    executable = compile_imported(import_callable(torch.relu, (torch.randn(3, 4),)))
    with pytest.raises(ValueError, match="expected a tensor of shape"):
        executable(torch.randn(4, 3))


def test_other_strides_are_copied() -> None:
    """Inputs that lie otherwise in memory give the same numbers."""
    executable = compile_imported(import_callable(torch.relu, (torch.randn(3, 4),)))
    x = torch.randn(4, 3).t()
    torch.testing.assert_close(executable(x)[0], torch.relu(x))


@pytest.mark.slow
def test_sources_do_not_change_from_run_to_run() -> None:
    """The same graph gives the same text, or caches would not find it."""
    for case in itertools.islice(LITERATURE, 0, None, 5):
        texts = {compiled(case, inputs_of(case, "cpu"), CompilerOptions())[0].source for _ in range(2)}
        assert len(texts) == 1, case.name


STAGES = {
    "tensor": "mlc_loop",
    "simplified": "mlc_triton",
    "fused": "scf",
    "loop": "mlc_tensor",
    "triton": "mlc_tensor",
}


@pytest.mark.parametrize("level", STAGES)
def test_stages_reject_leftovers(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An op of a level that should be gone stops the pipeline, by name."""
    from xdsl.dialects import func, scf
    from xdsl.dialects.builtin import f32
    from xdsl.ir import Block, Region

    from mlc_dialects.loop.dialect import YieldOp as LoopYield
    from mlc_dialects.tensor.ops import ConstantOp
    from mlc_dialects.triton.dialect import YieldOp as TritonYield

    def leave(module: ModuleOp) -> None:
        makers = {
            "mlc_loop": lambda: LoopYield([]), "mlc_triton": lambda: TritonYield([]), "scf": lambda: scf.YieldOp(),
            "mlc_tensor": lambda: ConstantOp.splat(1.0, [4], f32),
        }  # fmt: skip
        module.body.block.add_op(makers[STAGES[level]]())

    class Leaving:
        """A pass that forgets something."""

        name = "leaving"

        def apply(self, context: Any, module: ModuleOp) -> None:
            leave(module)

    stages = []
    for stage in pipeline.PIPELINE:
        if stage.level == level:
            steps = stage.passes
            stage = pipeline.Stage(level, lambda o, m, steps=steps: (*steps(o, m), Leaving()), stage.leaves)  # pyright: ignore
        stages.append(stage)
    monkeypatch.setattr(pipeline, "PIPELINE", tuple(stages))
    module = ModuleOp([func.FuncOp("f", ((), ()), Region(Block([func.ReturnOp()])))])
    with pytest.raises(MlcError, match=rf"{STAGES[level]}\.\w+ is left over after {level}"):
        pipeline.lower_to(module, "source")


def test_stages_go_on_where_a_module_is() -> None:
    """A module that has been through some stages takes the others alone."""
    imported = import_callable(lambda x: (x + 1).relu().sum(-1), (torch.randn(8, 64),))
    assert pipeline.stage_of(imported.module) is None
    whole = pipeline.lower_to(imported.module.clone(), "source")
    for level in ("simplified", "fused", "loop", "triton"):
        module = pipeline.lower_to(imported.module.clone(), level)
        assert isinstance(module, ModuleOp)
        done = pipeline.stage_of(module)
        assert done == (None if level == "simplified" else level)
        assert pipeline.lower_to(module, "source", done=done) == whole
    with pytest.raises(MlcError, match="the module is at the level triton"):
        pipeline.stages_to("fused", "triton")


def test_unknown_levels_and_policies_are_named() -> None:
    """Misspelt options end in an error that says what there is."""
    graph = import_callable(torch.relu, (torch.randn(3),))
    with pytest.raises(MlcError, match="no level 'tritn'"):
        pipeline.lower_to(graph.module, "tritn")
    with pytest.raises(MlcError, match="no policy 'best'"):
        compile_imported(graph, CompilerOptions(policy="best"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "name", ["layer_norm-f32", "swiglu", "cross_entropy", "attention", "rope", "moved", "transposed"]
)
def test_torch_compile(name: str, device: str) -> None:
    """The third front door, backward included."""
    from mlc_compiler import compile_graph_module

    case = gradients(BY_NAME[name]) if name in BACKWARD else BY_NAME[name]
    inputs = inputs_of(case, device)
    torch._dynamo.reset()
    inner = torch.compile(BY_NAME[name].function, backend=compile_graph_module, fullgraph=True)
    through = gradients(replace(BY_NAME[name], function=inner)) if name in BACKWARD else replace(case, function=inner)
    check(case, tree_leaves(through.function(*inputs)), inputs)
