"""One op of torch's database under mlc and under eager: the same values, types and strides."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._pytree import tree_leaves
from xdsl.dialects.builtin import ModuleOp

from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.frontend.explain import foreign_calls
from tests.conformance.one_node import OneNode, fake_mode
from tests.conformance.samples import Sample, op_named, samples

NATIVE, EXTERN, SKIPPED, FAILED = "native", "extern", "skipped", "failed"

UNINITIALISED = ("empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided")
"""Ops whose values mean nothing: only types, shapes and strides are compared."""


@dataclass(frozen=True)
class Task:
    """One op at one dtype."""

    op: str
    dtype: str
    device: str = "cpu"
    samples: int = 4
    backward: bool = False
    mode: str = "compile"
    """compile: through torch.compile; direct: the op as a graph of one node, from AOTAutograd on."""
    cpu: str = "interpret"
    """What runs kernels on the CPU, as the option of the compiler says."""


@dataclass
class Outcome:
    """What came of a task."""

    op: str
    dtype: str
    backward: bool
    status: str
    detail: str = ""
    samples: int = 0
    externs: list[str] = field(default_factory=list)
    seconds: float = 0.0
    device: str = "cpu"

    def record(self) -> dict[str, Any]:
        return asdict(self)


class Mismatch(AssertionError):
    """mlc and eager disagree."""


def check(task: Task) -> Outcome:
    """Tries the samples of a task; the first one that fails decides."""
    outcome = Outcome(task.op, task.dtype, task.backward, NATIVE, device=task.device)
    op, dtype = op_named(task.op), getattr(torch, task.dtype)
    reason = _unsupported(op, dtype, task)
    if reason is not None:
        outcome.status, outcome.detail = SKIPPED, reason
        return outcome
    externs: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, sample in enumerate(samples(op, task.device, dtype, task.samples, task.backward)):
            try:
                expected = _eager(sample, task.backward)
            except Exception as error:
                outcome.detail = f"eager raises {_first_line(error)}"
                continue
            try:
                _try(sample, expected, task, externs)
            except Exception as error:
                outcome.detail = _first_line(error)
                if (why := _undefined(sample, expected, task)) is not None:
                    outcome.detail = why
                    continue
                if _captured(sample, expected, task):
                    outcome.status, outcome.detail = FAILED, f"sample {number}: {outcome.detail}"
                    break
                outcome.detail = f"torch.compile fails without mlc too: {outcome.detail.partition(':')[0]}"
                continue
            outcome.samples += 1
    outcome.externs = sorted(externs)
    if outcome.status != FAILED:
        passed = EXTERN if externs else NATIVE
        outcome.status = passed if outcome.samples else SKIPPED
        outcome.detail = "" if outcome.samples else outcome.detail or "the database has no samples"
    return outcome


def _unsupported(op: Any, dtype: torch.dtype, task: Task) -> str | None:
    kind = torch.device(task.device).type
    if task.backward and not op.supports_autograd:
        return "not differentiable"
    supported = op.supported_backward_dtypes(kind) if task.backward else op.supported_dtypes(kind)
    return None if dtype in supported else f"eager has no {'gradient' if task.backward else 'kernel'} for {dtype}"


def _first_line(error: BaseException) -> str:
    """The cause of an error, in a line."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = [line.strip() for line in str(error).splitlines() if line.strip() and not line.startswith("backend=")]
    place = traceback.extract_tb(error.__traceback__)[-1:]
    where = f" ({place[0].filename.rpartition('/')[2]}:{place[0].lineno})" if place else ""
    text = " ".join(lines[:6]) if isinstance(error, AssertionError) else (lines or [""])[0]
    return f"{type(error).__name__}: {text[:220]}" + ("" if isinstance(error, Mismatch) else where)


def _eager(sample: Sample, backward: bool) -> list[Any]:
    return _leaves(_run(sample.copy(), lambda s: s(), backward))


def _leaves(value: Any) -> list[Any]:
    return tree_leaves(value)


def _run(sample: Sample, call: Callable[[Sample], Any], backward: bool, seed: int = 1) -> Any:
    """The result of a seeded call; with its gradients, and with what became of its tensors."""
    torch.manual_seed(seed)
    result = call(sample)
    outputs: list[Any] = [result, [t.detach() for t in sample.tensors()]]
    if not backward:
        return outputs
    wanted = [t for t in sample.tensors() if t.requires_grad]
    used = [t for t in tree_leaves(sample.process(result)) if isinstance(t, torch.Tensor) and t.requires_grad]
    if not used:
        return outputs
    seeds = [torch.linspace(0.5, 1.5, t.numel(), device=t.device).reshape(t.shape).to(t.dtype) for t in used]
    return [*outputs, *torch.autograd.grad(used, wanted, seeds, allow_unused=True)]


def _try(sample: Sample, expected: list[Any], task: Task, externs: set[str]) -> None:
    def observe(module: ModuleOp, _: Any) -> None:
        externs.update(call.callee for call in foreign_calls(module))

    backend = partial(compile_graph_module, observe=observe, options={"cpu": task.cpu})
    call = _through_dynamo if task.mode == "compile" else _through_one_node
    found = _leaves(_run(sample.copy(), partial(call, backend), task.backward))
    if len(found) != len(expected):
        raise Mismatch(f"{len(found)} results, eager has {len(expected)}")
    for position, (ours, theirs) in enumerate(zip(found, expected, strict=True)):
        _compare(position, ours, theirs, sample, task)


def _undefined(sample: Sample, expected: list[Any], task: Task) -> str | None:
    """Why eager's answer binds nobody: the CPU refuses the call, or eager does not give it twice."""
    _spoil_memory(task.device)
    again = [_eager(sample, task.backward)]
    with suppress(RuntimeError), _filled_memory():  # some ops refuse to run so
        again.append(_eager(sample, task.backward))
    for results in again:
        for position, (first, second) in enumerate(zip(expected, results, strict=True)):
            try:
                _compare(position, second, first, sample, task)
            except Mismatch:
                return "eager gives another answer the second time, with the same seed"
    if task.device == "cpu":
        return None
    try:
        sample.on_cpu()()
    except RuntimeError as error:
        return f"the CPU refuses it: {error}" if "ZeroDivisionError" in str(error) else None
    return None


@contextmanager
def _filled_memory() -> Generator[None, None, None]:
    """PyTorch writes the largest number, or NaN, into all memory that it allocates."""
    was, warned = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(was, warn_only=warned)


def _spoil_memory(device: str) -> None:
    """Leaves other numbers in the small pieces of memory that are free: what a call never writes shows them."""
    for where in {"cpu", device}:
        kept = [torch.full((n,), 0x5A5A5A5A5A5A, device=where) for n in (1, 1, 8, 64, 512) for _ in range(64)]
        del kept


def _captured(sample: Sample, expected: list[Any], task: Task) -> bool:
    """True if PyTorch captures the call, and what it captured is right when PyTorch itself runs it."""
    call = _through_dynamo if task.mode == "compile" else _through_one_node
    backend = torch._dynamo.lookup_backend("aot_eager")
    try:
        found = _leaves(_run(sample.copy(), partial(call, backend), task.backward))
        for position, (ours, theirs) in enumerate(zip(found, expected, strict=True)):
            _compare(position, ours, theirs, sample, task)
    except Exception:
        return False
    return True


def _through_dynamo(backend: Callable[..., Any], sample: Sample) -> Any:
    torch._dynamo.reset()

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    function = sample.function
    patch = {"capture_scalar_outputs": True, "capture_dynamic_output_shape_ops": True, "suppress_errors": False}
    with torch._dynamo.config.patch(patch):
        return torch.compile(call, backend=backend, fullgraph=True)(*sample.args, **sample.kwargs)


def _through_one_node(backend: Callable[..., Any], sample: Sample) -> Any:
    """The op as the one node of a graph, which AOTAutograd traces and mlc compiles."""
    node = OneNode.of(sample)
    compiled = backend(node.graph, _fake(node.inputs) or node.inputs)
    return node.result(compiled(*node.inputs))


def _fake(inputs: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Stand-ins of fixed sizes, under which sizes that the data decide get names."""
    mode = fake_mode()
    return [mode.from_tensor(t, static_shapes=True) for t in inputs]


# Comparison


def _compare(position: int, ours: Any, theirs: Any, sample: Sample, task: Task) -> None:
    if not isinstance(theirs, torch.Tensor):
        if type(ours) is not type(theirs) or (ours != theirs and ours == ours):
            raise Mismatch(f"result {position} is {ours!r}, eager has {theirs!r}")
        return
    if not isinstance(ours, torch.Tensor):
        raise Mismatch(f"result {position} is {ours!r}, eager has a tensor")
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape or ours.device != theirs.device:
        raise Mismatch(f"result {position} is {_describe(ours)}, eager has {_describe(theirs)}")
    if task.op.partition(".")[0] not in UNINITIALISED:
        _compare_values(position, ours, theirs, sample, task)
    if _strides(ours) != _strides(theirs) and _strides(ours) != _traced_strides(position, sample):
        raise Mismatch(f"result {position} has strides {ours.stride()}, eager has {theirs.stride()}")


def _describe(tensor: torch.Tensor) -> str:
    return f"{tensor.dtype} {list(tensor.shape)} on {tensor.device}"


def _strides(tensor: torch.Tensor) -> list[int]:
    """The strides that address something."""
    if tensor.layout != torch.strided or tensor.numel() == 0:
        return []
    return [s for n, s in zip(tensor.shape, tensor.stride(), strict=True) if n > 1]


def _traced_strides(position: int, sample: Sample) -> list[int] | None:
    """The strides PyTorch itself promises for a result when it traces, which are not always eager's."""
    try:
        with FakeTensorMode(allow_non_fake_inputs=True):
            result = tree_leaves(sample.copy()())[position]
    except Exception:
        return None
    return _strides(result) if isinstance(result, torch.Tensor) else None


def _compare_values(position: int, ours: torch.Tensor, theirs: torch.Tensor, sample: Sample, task: Task) -> None:
    """Close to eager, or as close as eager to the same computed in double precision."""
    try:
        torch.testing.assert_close(ours, theirs, equal_nan=True)
    except AssertionError as error:
        if _is_alike(position, ours, theirs, sample, task):
            return
        if not (theirs.is_floating_point() or theirs.is_complex()):
            raise Mismatch(f"result {position}: {error}") from None
        exact = _exact(position, sample, task)
        if exact is None or not _as_accurate(ours, theirs, exact):
            raise Mismatch(f"result {position}: {error}") from None


def _is_alike(position: int, ours: torch.Tensor, theirs: torch.Tensor, sample: Sample, task: Task) -> bool:
    """True if eager's own result depends on the seed, and ours has the same finiteness, range and median."""
    if theirs.is_complex() or theirs.numel() == 0:
        return False
    drawn = [_leaves(_run(sample.copy(), lambda s: s(), task.backward, seed))[position] for seed in range(2, 34)]
    if all(torch.equal(d, theirs) for d in drawn) or not all(d.shape == theirs.shape for d in drawn):
        return False
    pool = torch.cat([d.double().flatten() for d in drawn])
    pool, found = pool[pool.isfinite()].sort().values, ours.double()
    if pool.numel() == 0 or not bool(found.isfinite().any()) or not bool(theirs.double().isfinite().any()):
        return False
    found = found[found.isfinite()]
    spread = pool[-1] - pool[0]
    inside = (found >= pool[0] - spread) & (found <= pool[-1] + spread)
    margin = min(0.5, 3 / found.numel() ** 0.5)
    places = [round((0.5 + side * margin) * (len(pool) - 1)) for side in (-1, 1)]
    low, high = (pool[place] for place in places)
    slack = spread if found.numel() < 4 else 0.0 * spread
    return bool(inside.float().mean() > 0.95) and bool(low - slack <= found.median() <= high + slack)


def _exact(position: int, sample: Sample, task: Task) -> torch.Tensor | None:
    try:
        double = sample.copy(
            lambda d: torch.complex128 if d.is_complex else torch.float64 if d.is_floating_point else d
        )
        return _leaves(_run(double, lambda s: s(), task.backward))[position]
    except Exception:
        return None


def _as_accurate(ours: torch.Tensor, theirs: torch.Tensor, exact: Any) -> bool:
    if not isinstance(exact, torch.Tensor) or exact.shape != ours.shape:
        return False
    found, reference = (_error(t, exact) for t in (ours, theirs))
    return bool(found <= 2 * reference)


def _error(tensor: torch.Tensor, exact: torch.Tensor) -> torch.Tensor:
    """The largest error relative to the largest value; infinite where only one is finite."""
    if not torch.equal(tensor.isfinite(), exact.isfinite()) or not exact.isfinite().any():
        return torch.tensor(float("inf"))
    kept = exact.isfinite()
    return (tensor.to(exact.dtype) - exact)[kept].abs().max()
