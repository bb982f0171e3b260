"""The stages of the compiler as `-p` takes them: `mlc-opt graph.mlir -p 'fused{policy=none}'`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpecConvertible

from mlc_compiler.machine import Machine
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import CPU, PIPELINE
from passes.common.device import DEFAULT_DEVICE


@dataclass(frozen=True)
class Stages(ArgSpecConvertible):
    """Stages in a row, with those of `CompilerOptions` that need no GPU."""

    name = "stage"

    policy: str = "mlc"
    """The fusion policy: mlc, pointwise, none, or one of a plug-in."""
    device: str = DEFAULT_DEVICE
    """The device to compile for."""
    canonicalize: bool = True
    """Simplify before fusion."""
    fast_math: bool = False
    """Simplify also by rules that are wrong for NaN, infinities or -0.0, or that round otherwise."""
    extra_rules: tuple[str, ...] = ()
    """Sets of rules of plug-ins to simplify by as well, by name."""
    freeze: bool = False
    """Parameters and buffers never change: what depends on them alone is computed once."""

    def passes(self, names: Sequence[str]) -> Iterator[ModulePass]:
        """The passes of these stages, in order."""
        options, machine = CompilerOptions(**asdict(self)), Machine(self.device)
        stages = {stage.level: stage for stage in (*PIPELINE, CPU)}
        for name in names:
            yield from stages[name].passes(options, machine)
