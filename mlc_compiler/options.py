"""The options of the whole compiler."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from mlc_support.errors import MlcError
from mlc_support.field_docs import shown_by_help
from mlc_support.parsing import nearest

CANDIDATES = {
    "default": 1,
    "reduce-overhead": 1,
    "max-autotune": 12,
    "max-autotune-no-cudagraphs": 12,
}
"""Schedules to time for each kernel, by the mode of `torch.compile`."""
CPU = ("interpret", "native")
"""Ways to run kernels on the CPU."""
PRODUCTS = {"quicker": "quicker", "library": "vectors", "generated": "all"}
"""Who computes products of matrices, and which of them the pass `products-as-sums` takes then."""
WORTH = {"quicker": 1.0, "generated": 2.0}
"""Of the time in parts, what one kernel of products that follow each other may take, by who computes products."""
CUDA_GRAPHS = ("reduce-overhead", "max-autotune")
"""The modes that record launches in CUDA graphs."""


@shown_by_help
@dataclass(frozen=True)
class CompilerOptions:
    """What a caller may choose; `torch.compile(..., options={...})` sets the fields by name."""

    policy: str = "mlc"
    """The fusion policy: mlc, pointwise, none, one of a plug-in, or FILE.py:NAME of a class."""
    device: str | None = None
    """The device to compile for: h200, h100, a100, rtx4090 or generic; None is the GPU of this machine."""
    canonicalize: bool = True
    """Simplify graphs before fusion. Off, results are the same and slower; kernels are written no less well."""
    fast_math: bool = False
    """Simplify also by rules that are wrong for NaN, infinities or -0.0, or that round otherwise."""
    extra_rules: tuple[str, ...] = ()
    """Sets of rules of plug-ins to simplify by as well, by name."""
    freeze: bool = False
    """Parameters and buffers never change: what depends on them alone is computed once, when the program is
    compiled, and batch norm goes into the weights before it (inexact by reassociation). No gradients."""
    verify: bool = False
    """Check the IR after every pass, not only what each stage may leave."""
    explain: bool = False
    """Say on stderr which ops PyTorch runs itself, how often, where, and why."""
    time: bool = False
    """Say on stderr where the seconds of a compilation went: Dynamo, AOTAutograd, the import of graphs, each pass, the
    generation of code, and its compilation. Triton compiles for a GPU at the first call: that has its own table."""
    report: str | None = None
    """A folder. Its index.html shows how each graph was compiled: levels, passes, rewrites, kernels, seconds."""
    mode: str = "default"
    """As `torch.compile(..., mode=...)`: "reduce-overhead" records launches in CUDA graphs, "max-autotune" does too and
    times `CANDIDATES` schedules of each kernel, "max-autotune-no-cudagraphs" does that alone, "default" neither."""
    products: str = "quicker"
    """Who multiplies matrices on a GPU: PyTorch's "library"; "generated" kernels, with all that fusion adds to them,
    where the matrices are of 16-bit floats; or of the two what is predicted to be "quicker". Products of a matrix and a
    vector are always generated."""
    cpu: str | None = None
    """What runs kernels on the CPU: "native" is machine code by LLVM; "interpret" is Triton's interpreter, which is
    slow, for those who test Triton kernels. None leaves it to the environment variable MLC_CPU, else it is "native"
    where llvmlite is installed."""
    dynamic: bool | None = None
    """Whether sizes may vary between calls; None leaves it to torch.compile."""

    def __post_init__(self) -> None:
        if self.mode not in CANDIDATES:
            raise MlcError(f"no mode {self.mode!r}", hint=f"modes are {', '.join(CANDIDATES)}")
        if self.products not in PRODUCTS:
            raise MlcError(f"nobody is called {self.products!r}", hint=f"products are of {', '.join(PRODUCTS)}")
        if self.cpu is not None and self.cpu not in CPU:
            raise MlcError(f"no way {self.cpu!r} to run on a CPU", hint=f"ways are {', '.join(CPU)}")

    @property
    def candidates(self) -> int:
        """How many schedules of a kernel are timed on the GPU; one is not timed at all."""
        return CANDIDATES[self.mode]

    @property
    def cuda_graphs(self) -> bool:
        """Whether launches are recorded in CUDA graphs and replayed."""
        return self.mode in CUDA_GRAPHS

    @staticmethod
    def of(given: dict[str, Any] | None) -> CompilerOptions:
        """The options a user wrote; MlcError names one that does not exist."""
        known = {f.name for f in fields(CompilerOptions)}
        for name in given or {}:
            if name not in known:
                hint = nearest(name, known) or f"options are {', '.join(sorted(known))}"
                raise MlcError(f"no compiler option {name!r}", hint=hint)
        return CompilerOptions(**(given or {}))
