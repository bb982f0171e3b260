"""The importer's front doors, names, places, dynamic sizes and extern calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import GraphModule
from torch.fx.experimental.proxy_tensor import make_fx
from torch.torch_version import TorchVersion
from xdsl.dialects.builtin import FileLineColLoc, NameLoc
from xdsl.dialects.func import FuncOp

from lowering.fx_to_tensor import (
    ConstantOutput,
    Imported,
    SizeOutput,
    decompositions,
    import_callable,
    import_exported,
    import_graph,
)
from lowering.fx_to_tensor.targets import is_impure
from mlc_compiler.frontend.autograd import compile_with
from mlc_support.errors import MlcError
from mlc_support.verification import verify_module
from tests.unit.import_check import check, expect, externs
from tests.unit.torch_oracle import Oracle


@pytest.fixture(autouse=True)
def fresh() -> None:
    torch.manual_seed(0)
    torch._dynamo.reset()


class Norm(torch.nn.Module):
    """Has parameters, a buffer it changes, and a nested output."""

    def __init__(self) -> None:
        super().__init__()
        self.proj = torch.nn.Linear(4, 4)
        self.norm = torch.nn.LayerNorm(4)
        self.register_buffer("steps", torch.zeros(3))

    def forward(self, x: torch.Tensor) -> dict[str, Any]:
        h = torch.relu(self.proj(x))
        self.steps.add_(1)
        return {"normed": self.norm(h), "nothing": None, "rows": x.shape[0]}


class Block(torch.nn.Module):
    """A small transformer block."""

    def __init__(self, width: int = 8, heads: int = 2) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, 2 * width), torch.nn.Linear(width, width)
        self.first, self.second = torch.nn.LayerNorm(width), torch.nn.RMSNorm(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        qkv = self.qkv(self.first(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = qkv[0] @ qkv[1].mT / (width // self.heads) ** 0.5
        mixed = torch.softmax(scores, -1) @ qkv[2]
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))
        gate, value = self.up(self.second(x)).chunk(2, -1)
        return x + self.down(F.silu(gate) * value)


def function(imported: Imported) -> FuncOp:
    found = imported.module.body.block.first_op
    assert isinstance(found, FuncOp)
    return found


def test_a_module_lifts_its_state() -> None:
    """Parameters and buffers follow the inputs; a changed buffer is written back."""
    module, x = Norm(), torch.randn(3, 4)
    imported = import_callable(module, [x])
    names = [a.name_hint for a in function(imported).body.block.args]
    assert names == ["x", "proj_weight", "proj_bias", "norm_weight", "norm_bias", "steps"]
    assert imported.constants[0] is module.proj.weight
    assert externs(imported.module) == ["aten.copy_.default"]
    found = imported.rebuild(Oracle(imported)(x))
    assert torch.equal(module.steps, torch.ones(3))
    assert found["nothing"] is None and found["rows"] == 3
    torch.testing.assert_close(found["normed"], module(x)["normed"])


def test_an_exported_program() -> None:
    module, x = Norm(), torch.randn(3, 4)
    imported = import_exported(torch.export.export(module, (x,)))
    assert [o for o in imported.outputs if isinstance(o, ConstantOutput)] == [ConstantOutput(None), ConstantOutput(3)]
    found = imported.rebuild(Oracle(imported)(x))
    torch.testing.assert_close(found["normed"], module(x)["normed"])


def test_a_symbolically_traced_module() -> None:
    traced = torch.fx.symbolic_trace(Block())
    x = torch.randn(2, 3, 8)
    imported = import_callable(traced, [x])
    expect(imported, [x], traced(x), 1e-5)


def test_dynamic_sizes_have_names() -> None:
    imported = import_callable(Block(), [torch.randn(2, 3, 8)], dynamic=[{0: "B", 1: "T"}])
    verify_module(imported.module)
    assert 'tensor<?x?x8xf32, ["B", "T", "8"]>' in str(imported.module)
    assert not externs(imported.module)


def test_a_dynamic_graph_runs_at_other_sizes() -> None:
    def both(x: torch.Tensor, y: torch.Tensor) -> Any:
        z = torch.cat([x, y])
        return z[1:], z.mean(0), z.view(-1), x.shape[0] * 2, z * x.shape[0], x.var(0)

    imported = import_callable(both, [torch.randn(4, 3), torch.randn(5, 3)], dynamic=[{0: "N"}, {0: "M"}])
    assert not externs(imported.module)
    assert isinstance(imported.outputs[3], SizeOutput)
    x, y = torch.randn(7, 3), torch.randn(2, 3)
    expect(imported, [x, y], both(x, y))


def test_a_size_that_no_index_expression_says() -> None:
    """It gets a name, and a call that computes it at run time."""
    import sympy

    from lowering.fx_to_tensor.sizes import Sizes

    sizes = Sizes({"s0": "N"})
    s0, s1 = (sympy.Symbol(name, integer=True, positive=True) for name in ("s0", "s1"))
    assert str(sizes.expr(s0 * 2 + 1)) == "N * 2 + 1"
    assert str(sizes.expr(sympy.Max(1, s0))) == "N"
    name = str(sizes.expr(sympy.Max(s0, s1)))
    (call,) = sizes.take_pending()
    assert call.callee.data == "mlc.eval" and call.attributes["mlc.symbols"].data[0].data == name
    assert "N" in call.arguments.data[0].data


def rows(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    h = torch.relu(x * 2 + bias)
    return torch.softmax(h, -1)


def test_values_carry_the_users_names_and_lines() -> None:
    imported = import_callable(rows, [torch.randn(3, 4), torch.randn(4)])
    ops = {op.results[0].name_hint: op for op in function(imported).body.block.ops if op.results}
    assert [a.name_hint for a in function(imported).body.block.args] == ["x", "bias"]
    assert {"mul", "add", "h", "exp"} <= set(ops)
    location = ops["h"].location
    assert isinstance(location, NameLoc) and location.desc.data == "h = torch.relu(x * 2 + bias)"
    assert isinstance(location.location, FileLineColLoc)
    assert location.location.filename.data == __file__
    assert location.location.line.data == rows.__code__.co_firstlineno + 1


def test_layouts_that_are_not_row_major() -> None:
    imported = import_callable(lambda x: (x.t() * 2, x * 2), [torch.randn(3, 4).t()])
    text = str(imported.module)
    assert 'tensor<4x3xf32> {mlc.strides = ["1", "4"]}' in text
    attributes = function(imported).res_attrs
    assert attributes is not None and [bool(a.data) for a in attributes] == [False, True]


def test_externs_keep_their_arguments() -> None:
    x = torch.randn(3, 4)
    check(lambda x: x.sort(0, descending=True), x, extern=["aten.sort.default"])
    check(lambda x: x.to(torch.complex64) * 1j, x, extern=["aten._to_copy.default", "aten.mul.Tensor"])
    check(lambda x: torch.topk(x, 2)[1] + 1, x, extern=["aten.topk.default"])
    check(lambda x: F.conv1d(x[None], torch.ones(2, 3, 2)), x, extern=["aten.convolution.default"])
    check(lambda x: x.to(torch.uint16).to(torch.float32), x.abs(), extern=["aten._to_copy.default"] * 2)


def test_sizes_and_numbers_that_data_decides() -> None:
    """The call that finds a size gives it its name, in a result's type or as `mlc.symbols`."""
    x = torch.randn(3, 4)
    for function in (
        lambda x: x[x > 0] * 2,
        lambda x: x * x.sum().item(),
        lambda x: x * x.abs().sum().int().item(),
        lambda x: x.nonzero().sum(0),
    ):
        imported = import_callable(function, [x])
        expect(imported, [x], function(x))


def test_rows_from_the_end_of_a_dynamic_dimension() -> None:
    imported = import_callable(lambda x: x[:3] + x[-3:] / x.shape[0] ** 0.5, [torch.randn(8, 2)], dynamic=[{0: "N"}])
    x = torch.randn(5, 2)
    expect(imported, [x], x[:3] + x[-3:] / 5**0.5)


def test_numbers_on_the_host_are_constants_of_kernels() -> None:
    """Tensors of rank 0 on the CPU join kernels of another device; elsewhere they keep their device."""

    def function(x: torch.Tensor, scale: torch.Tensor) -> Any:
        zero = torch.full((), 2.0)
        return torch.where(x > 0, x, zero) * scale, zero, x.cpu() + 1, torch.arange(3), x.sort(0).values + zero

    with FakeTensorMode():
        inputs = torch.empty(4, device="cuda"), torch.empty(())
        graph = make_fx(function, decompositions())(*inputs)
    imported = import_graph(graph)
    verify_module(imported.module)
    copy = "aten._to_copy.default"  # of `scale` to the GPU; of x and zero to the CPU
    expected = [copy, copy, "aten.add.Tensor", "prims.iota.default", "aten.sort.default", copy]
    assert externs(imported.module) == expected


@pytest.mark.parametrize(("dropout", "named", "impure"), [(0.0, False, False), (0.1, False, True), (0.1, True, True)])
def test_attention_draws_random_numbers_for_dropout_alone(dropout: float, named: bool, impure: bool) -> None:
    attention = torch.ops.aten._scaled_dot_product_flash_attention.default
    query = torch.empty(1)
    args, keywords = ([query] * 3, {"dropout_p": dropout}) if named else ([query] * 3 + [dropout], {})
    assert is_impure(attention, query, args, keywords) == impure
    assert not is_impure(attention, query, [query] * 3, {})  # 0 unless given
    assert is_impure(torch.ops.aten.bernoulli.default, query, [query], {})


def test_random_numbers_are_those_of_the_seed() -> None:
    """Known ones are functions of seeds that are drawn; others are calls, and draw as eager does."""
    x = torch.rand(50)
    for draw in (lambda x: F.dropout(x, 0.5), torch.rand_like, lambda x: torch.multinomial(x, 9)):
        imported = import_callable(draw, [x])
        assert "impure" in str(imported.module)
        results = []
        for seed in (1, 1, 2):
            torch.manual_seed(seed)
            results.append(Oracle(imported)(x)[0])
        assert torch.equal(results[0], results[1]) and not torch.equal(results[0], results[2])
    torch.manual_seed(2)
    assert torch.equal(results[2], torch.multinomial(x, 9))


def test_constants_of_the_graph() -> None:
    large = torch.arange(20.0)
    imported = check(lambda x: x + large + torch.tensor([1.0, 2.0]).sum(), torch.randn(20))
    assert len(imported.constants) == 1 and "dense<[1.000000e+00, 2.000000e+00]>" in str(imported.module)


def test_what_cannot_be_traced_is_an_error() -> None:
    def branches(x: torch.Tensor) -> torch.Tensor:
        return x if x.sum() > 0 else -x

    with pytest.raises(MlcError, match="cannot trace branches"):
        import_callable(branches, [torch.randn(3)])


def through_autograd(graphs: list[Imported]) -> Callable[[GraphModule, Sequence[Any]], Callable[..., Any]]:
    """A backend that runs every graph on the oracle and notes it."""

    def one(imported: Imported, _: bool) -> Callable[..., list[Any]]:
        verify_module(imported.module)
        graphs.append(imported)
        return lambda inputs: Oracle(imported)(*inputs)

    return lambda gm, inputs: compile_with(gm, inputs, one)


LOSSES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "softmax": lambda x: torch.softmax(x, -1),
    "layer_norm": lambda x: F.layer_norm(x, (6,), torch.ones(6) * 2, torch.ones(6)),
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "mse": lambda x: F.mse_loss(x, torch.ones(4, 6)),
    "cross_entropy": lambda x: F.cross_entropy(x, torch.tensor([1, 0, -100, 5])),
    "rms_norm": lambda x: F.rms_norm(x, (6,)),
    "group_norm": lambda x: F.group_norm(x[..., None], 2),
    "batch_norm": lambda x: F.batch_norm(x, None, None, training=True),
    "slices": lambda x: x[:, 1:3] * x[2:3, :2] + x[0, 1],
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", LOSSES)
def test_forward_and_backward(name: str, dtype: torch.dtype) -> None:
    """Both are native."""
    if name == "mse" and dtype == torch.bfloat16 and TorchVersion(torch.__version__) < "2.12":
        pytest.skip(
            "eager has no such gradient in PyTorch 2.11: it expects that of a bfloat16 result, and gives float32"
        )
    graphs: list[Imported] = []
    x = torch.randn(4, 6, dtype=dtype, requires_grad=True)
    ours = torch.compile(LOSSES[name], backend=through_autograd(graphs), fullgraph=True)(x)
    theirs = LOSSES[name](x)
    close = {"atol": 5e-2, "rtol": 5e-2} if dtype == torch.bfloat16 else {}
    torch.testing.assert_close(ours, theirs, **close)
    seed = torch.randn_like(theirs)
    gradients = [torch.autograd.grad(y, x, seed)[0] for y in (ours, theirs)]
    torch.testing.assert_close(*gradients, **close)
    assert len(graphs) == 2 and not [e for g in graphs for e in externs(g.module)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("dynamic", [False, True])
def test_a_transformer_block_trains(dynamic: bool) -> None:
    graphs: list[Imported] = []
    block = Block()
    compiled = torch.compile(block, backend=through_autograd(graphs), dynamic=dynamic, fullgraph=True)
    for length in (3, 5) if dynamic else (3,):
        x = torch.randn(2, length, 8, requires_grad=True)
        seed, inputs = torch.randn(2, length, 8), [x, *block.parameters()]
        ours = torch.autograd.grad(compiled(x), inputs, seed)
        theirs = torch.autograd.grad(block(x), inputs, seed)
        for one, other in zip(ours, theirs, strict=True):
            torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)
    assert len(graphs) == 2 and not [e for g in graphs for e in externs(g.module)]
    names = [a.name_hint for a in function(graphs[0]).body.block.args]
    assert "x" in names and "qkv_weight" in names
