"""Losses of short trainings, compiled beside eager: do numbers hold over a run?

    python -m benchmarks.curves [--steps 300] [--cases 'GPT*'] [--device cpu] [--json FILE] [--picture STEM]
    python -m benchmarks.curves --show FILE [--picture STEM]

A GPT reads the manual that Python ships, letter by letter; a ViT and a ResNet tell generated pictures apart. Each is
trained by AdamW, with and without dropout, in float32 and in bfloat16 by autocast. Both runs begin with the same
weights and see the same data. Dropout draws other numbers than eager's: those curves are as far apart as two of eager
with different seeds, the second of which is run as well. Convolutions of float32 are computed in float32: TF32 keeps 10
bits, and eager's own curve then depends on the order of memory.
"""

from __future__ import annotations

import argparse
import json
import shlex
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from itertools import zip_longest
from pathlib import Path
from pydoc_data import topics
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.cpu_cases import Block, Residual
from benchmarks.json_files import file_to_write, write_json
from benchmarks.plotting import plot
from benchmarks.timing import environment

WINDOW = 25
"""Losses are compared as means of so many steps: one batch says little."""
PANELS = 4
"""How many trainings are drawn side by side: those of a model."""
LINES = {
    "eager": {"color": "#bbbbbb", "linewidth": 5},
    "eager, another seed": {"color": "#d0a000", "linewidth": 2.5},
    "mlc": {"color": "#0060c0", "linewidth": 1},
}
"""How each curve is drawn, in this order; the first is seen behind others that lie on it."""


@dataclass(frozen=True)
class Setting:
    """One training."""

    model: str
    dropout: float
    autocast: bool

    @property
    def name(self) -> str:
        drops = f"dropout {self.dropout}" if self.dropout else "no dropout"
        return f"{self.model}, {drops}, {'bf16 autocast' if self.autocast else 'float32'}"


@dataclass
class Curves:
    """The losses of one training, step by step, by what ran it."""

    name: str
    losses: dict[str, list[float]]

    def apart(self, other: str) -> float:
        """How far a curve is from eager's at most, as a share of it: the means of WINDOW steps."""
        pairs = zip(smooth(self.losses["eager"]), smooth(self.losses[other]), strict=True)
        return max(abs(a - b) / abs(a) for a, b in pairs)


@dataclass
class Run:
    """All trainings of a run, and what they depend on."""

    command: str
    environment: dict[str, str]
    results: list[Curves] = field(default_factory=list[Curves])

    @staticmethod
    def load(path: Path) -> Run:
        """A run that was saved."""
        told = json.loads(path.read_text())
        return Run(told["command"], told["environment"], [Curves(**r) for r in told["results"]])


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    if options.show is not None:
        return conclude(Run.load(options.show), options.picture)
    command = "python -m benchmarks.curves " + shlex.join(sys.argv[1:] if arguments is None else arguments)
    run = Run(command, environment(options.device))
    for setting in settings():
        if not any(fnmatchcase(setting.name, pattern) for pattern in options.cases.split("|")):
            continue
        with torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
            run.results.append(trained(setting, options.steps, options.device))
        print(line(run.results[-1]), flush=True)
        if options.json is not None:
            write_json(options.json, asdict(run))
    return conclude(run, options.picture)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--steps", type=int, default=300, help="of each training")
    made.add_argument("--cases", default="*", help="only those whose name one of these patterns, parted by |, matches")
    made.add_argument("--device", default="cpu", help="cpu or cuda")
    made.add_argument("--json", type=file_to_write, help="where to write the curves, after each training")
    made.add_argument("--show", type=Path, help="curves that were written, instead of a run")
    made.add_argument("--picture", type=file_to_write, help="where to draw them: STEM.svg")
    return made


def settings() -> Iterator[Setting]:
    """Every training."""
    for model in MODELS:
        for dropout in (0.0, 0.1):
            for autocast in (False, True):
                yield Setting(model, dropout, autocast)


def trained(setting: Setting, steps: int, device: str) -> Curves:
    """The curves of eager and mlc; with dropout that of eager with another seed too."""
    curves = {"eager": train(setting, steps, device), "mlc": train(setting, steps, device, compiled)}
    if setting.dropout:
        curves["eager, another seed"] = train(setting, steps, device, seed=1)
    return Curves(setting.name, curves)


def compiled(step: Callable[..., Any]) -> Callable[..., Any]:
    torch._dynamo.reset()
    return torch.compile(step, backend="mlc")


def train(
    setting: Setting, steps: int, device: str, compile: Callable[[Any], Any] = lambda step: step, seed: int = 0
) -> list[float]:
    """The loss of each step. `seed` is that of dropout; weights and data are always the same."""
    torch.manual_seed(17)
    subject = MODELS[setting.model]
    module = subject.make(setting.dropout).to(device).train()
    optimizer = torch.optim.AdamW(module.parameters(), lr=subject.rate)
    forward = compile(lambda x, y: F.cross_entropy(module(x).flatten(0, -2), y.flatten()))
    data = torch.Generator().manual_seed(5)
    batches = [tuple(t.to(device) for t in subject.batch(data)) for _ in range(steps)]
    torch.manual_seed(seed)
    losses: list[float] = []
    for x, y in batches:
        optimizer.zero_grad()
        with narrow(setting, device):
            loss = forward(x, y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def narrow(setting: Setting, device: str) -> AbstractContextManager[Any]:
    return torch.autocast(device, torch.bfloat16) if setting.autocast else nullcontext()


def smooth(losses: Sequence[float]) -> list[float]:
    """Means of WINDOW steps, or of all if there are fewer."""
    count = min(WINDOW, len(losses))
    return [statistics.fmean(losses[k : k + count]) for k in range(len(losses) - count + 1)]


def line(curves: Curves) -> str:
    """Where the curves of a training end, and how far they are from eager's."""
    ends = {name: smooth(losses)[-1] for name, losses in curves.losses.items()}
    told = [f"eager ends at {ends.pop('eager'):.4f}"]
    told += [f"{name} at {end:.4f}, {100 * curves.apart(name):.2f} % apart at most" for name, end in ends.items()]
    return f"{curves.name}: {'; '.join(told)}"


def conclude(run: Run, path: Path | None) -> int:
    """Says how far the curves are apart at most, and draws them."""
    exact = [c for c in run.results if len(c.losses) == 2]
    drawn = [c for c in run.results if len(c.losses) > 2]
    for what, group in (("without dropout", exact), ("with dropout", drawn)):
        if group:
            worst = max(group, key=lambda c: c.apart("mlc"))
            print(f"{what}: mlc at most {100 * worst.apart('mlc'):.2f} % from eager: {worst.name}")
    if drawn:
        print(f"eager with another seed at most {100 * max(c.apart('eager, another seed') for c in drawn):.2f} %")
    if path is not None and run.results:
        plot(path.with_suffix(".svg"), lambda pyplot: figure(run, pyplot))
    return 0


def figure(run: Run, pyplot: Any) -> Any:
    """A panel a training."""
    rows = -(-len(run.results) // PANELS)
    drawn, grid = pyplot.subplots(rows, PANELS, figsize=(4 * PANELS, 3 * rows), squeeze=False, layout="constrained")
    names: dict[str, Any] = {}
    for curves, panel in zip_longest(run.results, grid.flat):
        if curves is None:
            panel.set_axis_off()
            continue
        for name in (name for name in LINES if name in curves.losses):
            (names[name],) = panel.plot(smooth(curves.losses[name]), **LINES[name])
        panel.set(title=curves.name, xlabel="step", ylabel="loss")
        panel.grid(alpha=0.3)
    shown = [name for name in LINES if name in names]
    drawn.legend([names[name] for name in shown], shown, loc="outside upper center", ncols=len(shown))
    return drawn


# Models and what they learn


@dataclass(frozen=True)
class Subject:
    """A model for a share of dropout, and batches of inputs and classes."""

    make: Callable[[float], nn.Module]
    batch: Callable[[torch.Generator], tuple[Tensor, Tensor]]
    rate: float


class Letters(nn.Module):
    """A GPT of letters."""

    def __init__(self, dropout: float, kinds: int = 128, width: int = 64, length: int = 64):
        super().__init__()
        self.letter, self.place = nn.Embedding(kinds, width), nn.Parameter(torch.zeros(length, width))
        self.layers = nn.Sequential(*(Block(width, 4, causal=True, dropout=dropout) for _ in range(2)))
        self.norm, self.drop, self.head = nn.LayerNorm(width), nn.Dropout(dropout), nn.Linear(width, kinds)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.norm(self.layers(self.drop(self.letter(x) + self.place))))


class Patches(nn.Module):
    """A ViT of 16 patches."""

    def __init__(self, dropout: float, width: int = 64):
        super().__init__()
        self.patch, self.place = nn.Conv2d(3, width, 4, 4), nn.Parameter(torch.zeros(16, width))
        self.layers = nn.Sequential(*(Block(width, 4, dropout=dropout) for _ in range(2)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        x = self.layers(self.patch(x).flatten(2).transpose(1, 2) + self.place)
        return self.head(self.norm(x).mean(1))


def _resnet(dropout: float) -> nn.Module:
    stem = (nn.Conv2d(3, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2))
    head = (nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(dropout), nn.Linear(32, CLASSES))
    return nn.Sequential(*stem, Residual(32), Residual(32), *head)


CLASSES = 10


@cache
def _text() -> Tensor:
    """Python's manual as numbers of letters; what is no ASCII is left out."""
    text = "".join(topics.topics[name] for name in sorted(topics.topics))
    return torch.tensor([*text.encode("ascii", "ignore")])


def _letters(random: torch.Generator) -> tuple[Tensor, Tensor]:
    begin = torch.randint(len(_text()) - 65, (16,), generator=random)
    found = torch.stack([_text()[k : k + 65] for k in begin.tolist()])
    return found[:, :-1], found[:, 1:]


def _pictures(random: torch.Generator) -> tuple[Tensor, Tensor]:
    """Waves whose direction and length are their class, in noise."""
    classes = torch.randint(CLASSES, (32,), generator=random)
    angle, phase = classes * (torch.pi / CLASSES), 6.3 * torch.rand(32, generator=random)
    y, x = torch.meshgrid(torch.arange(16.0), torch.arange(16.0), indexing="ij")
    along = x * angle.cos().view(-1, 1, 1) + y * angle.sin().view(-1, 1, 1)
    waves = torch.sin(along * (0.4 + 0.08 * (classes % 3)).view(-1, 1, 1) + phase.view(-1, 1, 1))
    return waves.unsqueeze(1) + 0.7 * torch.randn(32, 3, 16, 16, generator=random), classes


MODELS = {
    "GPT": Subject(Letters, _letters, 1e-3),
    "ViT": Subject(Patches, _pictures, 5e-4),
    "ResNet": Subject(_resnet, _pictures, 1e-3),
}


if __name__ == "__main__":
    sys.exit(main())
