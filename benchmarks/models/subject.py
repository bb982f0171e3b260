"""A model as something to call: for inference in bfloat16, or forward and backward under autocast."""

from __future__ import annotations

import copy
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from benchmarks.backends import BACKENDS
from benchmarks.models.records import Job
from benchmarks.zoo import named
from benchmarks.zoo.model import Model

Call = Callable[[], list[torch.Tensor]]
"""One call; it gives the output, or the loss and the gradients of all parameters that have one."""


class Subject:
    """One model with its inputs."""

    def __init__(self, job: Job):
        model = named(job.model)
        self._model, self._job = model, job
        module, inputs = model.make(job.device, job.tiny), model.inputs(job.device, job.tiny)
        if job.train:
            self._module, self._inputs = module.train(), [_half(x) for x in inputs]
        else:
            self._module = module.eval().to(torch.bfloat16)
            self._inputs = [x.to(torch.bfloat16) if x.is_floating_point() else x for x in inputs]

    def call(self, backend: str) -> Call:
        """The model on one backend; compiled at its first call."""
        options = {} if backend == "eager" or self._job.mode == "default" else {"mode": self._job.mode}
        return self._call(self._module, lambda f: BACKENDS[backend](f, **options), self._inputs, torch.bfloat16)

    def exact(self) -> list[torch.Tensor]:
        """What the model gives in float32, without TF32."""
        module = copy.deepcopy(self._module).float()
        inputs = [x.float() if x.is_floating_point() else x for x in self._inputs]
        with _ieee():
            return self._call(module, lambda f: f, inputs, None)()

    def _call(
        self,
        module: nn.Module,
        compiler: Callable[[Callable[..., Any]], Callable[..., Any]],
        inputs: Sequence[torch.Tensor],
        autocast: torch.dtype | None,
    ) -> Call:
        if not self._job.train:
            compiled = compiler(module)

            def forward() -> list[torch.Tensor]:
                with torch.no_grad():
                    return [compiled(*inputs)]

            return forward
        with torch.no_grad():
            labels = self._model.labels(module(*inputs))
        return _step(self._model, module, compiler, [labels, *inputs], autocast)


def _step(
    model: Model,
    module: nn.Module,
    compiler: Callable[[Callable[..., Any]], Callable[..., Any]],
    inputs: Sequence[torch.Tensor],
    autocast: torch.dtype | None,
) -> Call:
    """Forward, loss and backward; the first input is what the output is compared with."""
    parameters = [p for p in module.parameters() if p.requires_grad]
    device = inputs[0].device.type

    def loss_of(labels: torch.Tensor, *inputs: torch.Tensor) -> torch.Tensor:
        with torch.autocast(device, autocast, enabled=autocast is not None):
            output = module(*inputs)
        return model.loss(output, labels)

    compiled = compiler(loss_of)

    def step() -> list[torch.Tensor]:
        loss = compiled(*inputs)
        gradients = torch.autograd.grad(loss, parameters, allow_unused=True)
        return [loss.detach(), *(g for g in gradients if g is not None)]  # pyright: ignore[reportUnnecessaryComparison]

    return step


def _half(x: torch.Tensor) -> torch.Tensor:
    """Half of a batch: training takes more memory."""
    return x[: max(1, len(x) // 2)]


@contextmanager
def _ieee() -> Generator[None, None, None]:
    """Convolutions in float32 that are what their name says."""
    settings: Any = torch.backends.cudnn
    before = settings.conv.fp32_precision
    settings.conv.fp32_precision = "ieee"
    try:
        yield
    finally:
        settings.conv.fp32_precision = before


def distance(found: Sequence[torch.Tensor], exact: Sequence[torch.Tensor]) -> float:
    """Norm of the difference over the norm of `exact`, of all tensors together; infinite for NaN in one of the two.

    ValueError where they differ in number or shape.
    """
    if [t.shape for t in found] != [t.shape for t in exact]:
        raise ValueError(f"expected {len(exact)} tensors as the model in float32 gives, found {len(found)} of others")
    off = norm = 0.0
    for f, e in zip(found, exact, strict=True):
        f, e = f.float(), e.float()
        alike = (f == e) | (f.isnan() & e.isnan())
        off += float(torch.where(alike, 0, f - e).nan_to_num(nan=float("inf")).square().sum(dtype=torch.float64))
        norm += float(torch.where(e.isfinite(), e, 0).square().sum(dtype=torch.float64))
    return (off / max(norm, 1e-300)) ** 0.5
