"""Training as PyTorch's users do it: what surrounds a compiled model, beside eager."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch._dynamo import compiled_autograd
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, vjp, vmap
from torch.nn import functional
from torch.torch_version import TorchVersion
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

from mlc_compiler.frontend.backend import compile_graph_module

pytestmark = pytest.mark.usefixtures("machine_code")

Step = Callable[..., Any]


@pytest.fixture(autouse=True)
def nothing_compiled() -> Iterator[None]:
    torch.compiler.reset()
    torch.manual_seed(0)
    yield


def compiled(function: Step, **options: Any) -> Step:
    return torch.compile(function, backend=compile_graph_module, **options)


def network() -> nn.Sequential:
    """Always the same one."""
    with torch.random.fork_rng():
        torch.manual_seed(1)
        return nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 4))


def batch(rows: int = 8) -> tuple[Tensor, Tensor]:
    drawn = torch.Generator().manual_seed(rows)
    return torch.randn(rows, 16, generator=drawn), torch.randint(4, (rows,), generator=drawn)


def gradients(model: nn.Module) -> list[Tensor | None]:
    return [p.grad for p in model.parameters()]


def assert_close(found: Any, want: Any, tolerance: float = 1e-5) -> None:
    torch.testing.assert_close(found, want, rtol=10 * tolerance, atol=tolerance)


def blocks(x: Tensor, model: nn.Sequential, **options: Any) -> Tensor:
    """The model, whose first layers keep nothing for the backward pass."""
    return model[3](checkpoint(model[:3], x, **options))


PRODUCTS = [torch.ops.aten.addmm.default, torch.ops.aten.mm.default]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "options",
    [
        {"use_reentrant": False},
        {"use_reentrant": True},
        {"use_reentrant": False, "context_fn": partial(create_selective_checkpoint_contexts, PRODUCTS)},
    ],
    ids=["whole", "reentrant", "selective"],
)
def test_checkpoints_inside(options: dict[str, Any]) -> None:
    found: list[Any] = []
    for run in (compiled(blocks), blocks):
        model, x = network(), batch()[0].requires_grad_()
        run(x, model, **options).square().sum().backward()
        found.append((gradients(model), x.grad))
    assert_close(*found)


def saved_bytes(run: Step, *given: Any) -> int:
    """What is kept for the backward pass, beside parameters and inputs."""
    kept: dict[int, int] = {}

    def pack(x: Tensor) -> Tensor:
        if not any(x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr() for y in known):
            kept[x.untyped_storage().data_ptr()] = x.untyped_storage().nbytes()
        return x

    known = [g for g in given if isinstance(g, Tensor)]
    known += [p for g in given if isinstance(g, nn.Module) for p in g.parameters()]
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        run(*given)
    return sum(kept.values())


def test_a_checkpoint_keeps_less() -> None:
    model, x = nn.Sequential(*(nn.Sequential(nn.Linear(16, 16), nn.GELU()) for _ in range(4))), batch()[0]

    def plain(x: Tensor, model: nn.Sequential) -> Tensor:
        return model(x)

    def checkpointed(x: Tensor, model: nn.Sequential) -> Tensor:
        return checkpoint(model, x, use_reentrant=False)

    assert saved_bytes(compiled(checkpointed), x, model) == 0 < saved_bytes(compiled(plain), x, model)


def test_a_checkpoint_around() -> None:
    x, found = batch()[0], list[Any]()
    for compile_ in (compiled, lambda model: model):
        model = network()
        checkpoint(compile_(model), x, use_reentrant=False).square().sum().backward()
        found.append(gradients(model))
    assert_close(*found)


def _dropout(h: Tensor) -> tuple[Tensor, Tensor]:
    dropped = functional.dropout(h, 0.5)
    return dropped, torch.where(h > 0, dropped / h, 0).detach()


def _drawn(draw: Callable[[Tensor], Tensor]) -> Callable[[Tensor], tuple[Tensor, Tensor]]:
    def scaled(h: Tensor) -> tuple[Tensor, Tensor]:
        mask = draw(h)
        return h * mask, mask

    return scaled


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "body",
    [
        _dropout,
        _drawn(torch.rand_like),
        _drawn(lambda h: torch.rand_like(h) + torch.randn_like(h)),
        _drawn(lambda h: torch.poisson(torch.full_like(h, 3.0))),
        _drawn(lambda h: torch.randperm(h.shape[1]).float().expand_as(h)),
    ],
    ids=["dropout", "uniform", "two", "poisson", "permutation"],
)
def test_a_checkpoint_draws_once(body: Callable[[Tensor], tuple[Tensor, Tensor]]) -> None:
    """What is computed again uses the numbers that the forward pass drew."""

    def run(x: Tensor, w: Tensor) -> Any:
        return checkpoint(lambda x, w: body(torch.relu(x @ w)), x, w, use_reentrant=False)

    x, w = batch()[0], torch.randn(16, 16, requires_grad=True)
    out, mask = compiled(run, fullgraph=True)(x, w)
    (found,) = torch.autograd.grad(out.sum(), w)
    assert_close(found, x.t() @ (mask * (x @ w > 0)))
    assert mask.unique().numel() > 1


def test_gradients_accumulate() -> None:
    """Over batches of several sizes."""
    ours, eager = network(), network()
    for run in (compiled(ours), eager):
        for rows in (8, 8, 5):
            x, labels = batch(rows)
            functional.cross_entropy(run(x), labels).div(3).backward()
    assert_close(gradients(ours), gradients(eager))


@torch._functorch.config.patch(donated_buffer=False)
def test_a_graph_that_is_kept_runs_twice() -> None:
    ours, eager = network(), network()
    for run in (compiled(ours), eager):
        loss = run(batch()[0]).square().sum()
        loss.backward(retain_graph=True)
        loss.backward()
    assert_close(gradients(ours), gradients(eager))


def test_memory_that_was_given_away_is_not_read_again() -> None:
    """A backward pass overwrites what nobody else needs. To run twice it must be compiled without."""
    model = network()
    loss = compiled(model, dynamic=True)(batch()[0]).square().sum()
    with pytest.raises(RuntimeError, match="set torch._functorch.config.donated_buffer=False"):
        loss.backward(retain_graph=True)
    assert gradients(model) == [None] * 6


@pytest.mark.sampled(2)
@pytest.mark.parametrize("inside", [True, False])
def test_autocast(inside: bool) -> None:
    """Entered inside of the compiled function, or around its call; left, it is off again."""

    def scores(model: nn.Module, x: Tensor) -> Tensor:
        return model(x)

    def within(model: nn.Module, x: Tensor) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            return model(x)

    x, labels = batch()
    found: list[Any] = []
    function = within if inside else scores
    for run in (compiled(function), function):
        model = network()
        with torch.autocast("cpu", torch.bfloat16, enabled=not inside):
            out = run(model, x)
        assert out.dtype is torch.bfloat16
        functional.cross_entropy(out.float(), labels).backward()
        assert all(g is not None and g.dtype is torch.float32 for g in gradients(model))
        found.append([out, gradients(model)])
        if not inside:
            with torch.no_grad():
                found[-1].append(run(model, x) * 1e-3)
    assert_close(*found, tolerance=2e-3)


def test_scaled_gradients() -> None:
    """A step with an infinite loss is left out, and the scale is halved; it grows after two good ones."""
    x, labels = batch()
    ours, eager = network(), network()
    scales: list[list[float]] = []
    for model, run in ((ours, compiled(ours)), (eager, eager)):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10, growth_interval=2)
        scales.append([])
        for bad in (False, False, True, False):
            optimizer.zero_grad()
            with torch.autocast("cpu", torch.bfloat16):
                loss = functional.cross_entropy(run(x * float("inf") if bad else x), labels)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            scales[-1].append(scaler.get_scale())
    assert scales[0] == scales[1] == [1024, 2048, 1024, 1024]
    assert_close([*ours.parameters()], [*eager.parameters()], tolerance=2e-3)


def test_gradients_of_each_sample() -> None:
    model = network()
    parameters = {name: p.detach() for name, p in model.named_parameters()}

    def loss(parameters: dict[str, Tensor], x: Tensor, label: Tensor) -> Tensor:
        return functional.cross_entropy(functional_call(model, parameters, (x[None],)), label[None])

    def each(parameters: dict[str, Tensor], x: Tensor, labels: Tensor) -> dict[str, Tensor]:
        return vmap(grad(loss), (None, 0, 0))(parameters, x, labels)

    given = (parameters, *batch())
    assert_close(compiled(each, fullgraph=True)(*given), each(*given))


def _scalar(x: Tensor) -> Tensor:
    return torch.tanh(x).prod() + x.sin().sum()


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "transformed",
    [
        jacrev(_scalar),
        jacfwd(_scalar),
        hessian(_scalar),
        vmap(grad(grad(torch.tanh))),
        lambda x: jvp(_scalar, (x,), (x + 1,)),
        lambda x: vjp(_scalar, x)[1](torch.tensor(2.0)),
    ],
    ids=["jacrev", "jacfwd", "hessian", "grad of grad", "jvp", "vjp"],
)
def test_transforms(transformed: Step) -> None:
    x = torch.randn(5)
    assert_close(compiled(transformed, fullgraph=True)(x), transformed(x))


def test_a_transform_of_what_is_compiled() -> None:
    x = torch.randn(5)
    assert_close(grad(compiled(_scalar))(x), grad(_scalar)(x))


def test_double_backward_is_refused() -> None:
    """As PyTorch's other compilers do: an error that says so, and never a gradient that is left out."""
    x = torch.randn(5, requires_grad=True)
    (first,) = torch.autograd.grad(compiled(_scalar)(x), x, create_graph=True)
    with pytest.raises(RuntimeError, match="does not currently support double backward"):
        first.sum().backward()
    assert x.grad is None


@pytest.mark.skipif(TorchVersion(torch.__version__) < "2.12", reason="no guard of PyTorch 2.11 looks at requires_grad")
def test_parameters_frozen_in_part() -> None:
    """The first layer trains from the second step on, which compiles again."""
    x = batch()[0]
    ours, eager = network(), network()
    for model, run in ((ours, compiled(ours)), (eager, eager)):
        model[0].requires_grad_(False)
        run(x).square().sum().backward()
        assert [g is None for g in gradients(model)] == [True, True, False, False, False, False]
        model[0].weight.requires_grad_(True)
        run(x).square().sum().backward()
    assert gradients(ours)[1] is None
    assert_close(gradients(ours), gradients(eager))


def test_hooks() -> None:
    """Of modules before and after their calls and in the backward pass, of parameters, and of tensors."""
    found: list[Any] = []
    for compile_ in (compiled, lambda model: model):
        model, norms = network(), list[Tensor]()
        model[0].register_forward_hook(lambda _, __, out: out * 2)
        model[1].register_forward_pre_hook(lambda _, given: (given[0] + 1,))
        model[3].register_full_backward_hook(lambda _, inputs, __: (inputs[0] * 3,))
        model[2].weight.register_hook(lambda g: g * 5)
        model[0].weight.register_post_accumulate_grad_hook(lambda p, norms=norms: norms.append(p.grad.norm()))
        x = batch()[0].requires_grad_()
        inner = x.sin()
        inner.register_hook(lambda g: g * 7)
        compile_(model)(inner).square().sum().backward()
        assert len(norms) == 1
        found.append((gradients(model), x.grad, norms))
    assert_close(*found)


def hooked_inside(x: Tensor, w: Tensor) -> Tensor:
    h = x @ w
    h.register_hook(lambda g: g * 2)
    return h.tanh().sum()


class Rounded(torch.autograd.Function):
    """Rounds, and lets gradients through where x is small."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x.round()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return gradients[0] * (x.abs() < 1)


def rounded(x: Tensor, w: Tensor) -> Tensor:
    return (Rounded.apply(x @ w) * x.sum()).sum()  # pyright: ignore


@pytest.mark.parametrize("function", [hooked_inside, rounded])
def test_backward_passes_of_the_users_own(function: Step) -> None:
    w, found = torch.randn(16, 4), list[Any]()
    for run in (compiled(function), function):
        given = [batch()[0].requires_grad_(), w.clone().requires_grad_()]
        run(*given).backward()
        found.append([x.grad for x in given])
    assert_close(*found)


@pytest.mark.slow
def test_compiled_autograd() -> None:
    """The backward pass of a model that is compiled or not, as one graph with its accumulation."""
    x, found = batch()[0], list[Any]()
    for compile_model, compile_backward in ((True, True), (False, True), (False, False)):
        model = network()
        run = compiled(model) if compile_model else model
        for _ in range(2):
            loss = run(x).square().sum()
            if compile_backward:
                with compiled_autograd._enable(compiled):
                    loss.backward()
            else:
                loss.backward()
        found.append(gradients(model))
    assert_close(found[0], found[2])
    assert_close(found[1], found[2])


def test_a_backward_pass_inside_with_compiled_autograd() -> None:
    def step(model: nn.Module, x: Tensor, labels: Tensor) -> Tensor:
        loss = functional.cross_entropy(model(x), labels)
        loss.backward()
        return loss.detach()

    ours, eager = network(), network()
    with torch._dynamo.config.patch(compiled_autograd=True):
        found = compiled(step)(ours, *batch())
    assert_close(found, step(eager, *batch()))
    assert_close(gradients(ours), gradients(eager))


def test_a_checkpoint_file_loads_either_way(tmp_path: Any) -> None:
    """Saved by eager, loaded into what is compiled, trained, and back: names, types and values are eager's."""
    x, labels = batch()
    eager, path = network(), tmp_path / "model.pt"
    with torch.no_grad():
        for p in eager.parameters():
            p.add_(0.1)
    torch.save(eager.state_dict(), path)
    ours = network()
    ours.compile(backend=compile_graph_module)
    ours(x)
    ours.load_state_dict(torch.load(path))
    assert_close(ours(x), eager(x))
    for model in (ours, eager):
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        functional.cross_entropy(model(x), labels).backward()
        optimizer.step()
        torch.save([model.state_dict(), optimizer.state_dict()], tmp_path / f"{model is ours}.pt")
    found, want = (torch.load(tmp_path / f"{mine}.pt") for mine in (True, False))
    assert_close(found, want)
    again = network()
    again.load_state_dict(found[0])
    assert_close(again(x), ours(x))
