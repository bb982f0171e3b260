"""The pipeline: every pass of the compiler in order, each position with its reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from lowering.tensor_to_loop.explicit_copies import ExplicitCopiesPass
from lowering.tensor_to_loop.lower import TensorToLoopPass
from lowering.triton_to_source.kernels import module_source
from mlc_compiler.kernel_passes import after_schedule, to_triton
from mlc_compiler.machine import gpu, running, tf32_convolutions, tf32_products
from mlc_compiler.options import CompilerOptions
from mlc_compiler.tuning.tune import TunePartitionsPass, TunePass
from mlc_support.collector import collector_paused
from mlc_support.errors import MlcError
from mlc_support.verification import expect_only, verify_module
from passes.common.cse import CsePass
from passes.common.dce import DcePass
from passes.loop.approximate import ApproximatePass
from passes.loop.locality.in_place import InPlacePass
from passes.loop.locality.reverse_order import ReverseOrderPass
from passes.loop.restructure.linearize_axes import LinearizeAxesPass
from passes.loop.restructure.memory_order import MemoryOrderPass
from passes.loop.restructure.peel_alignment import PeelAlignmentPass
from passes.loop.restructure.persistent_rows import PersistentRowsPass
from passes.loop.restructure.tile_transpose import TileTransposePass
from passes.loop.schedule.partition import PartitionRowsPass, carry_out
from passes.loop.schedule.schedule import SchedulePass
from passes.tensor.attention_masks import AttentionMasksPass
from passes.tensor.canonicalize.canonicalize import CanonicalizePass
from passes.tensor.const_fold import ConstFoldPass
from passes.tensor.convolution_bias import ConvolutionBiasPass
from passes.tensor.decompose import DecomposePass
from passes.tensor.fold_weights import FoldWeightsPass
from passes.tensor.freeze import FreezePass
from passes.tensor.fusion.fuse import FusePass
from passes.tensor.layout.layout import LayoutPass
from passes.tensor.library_calls import LibraryCallsPass
from passes.tensor.nested_reductions import NestedReductionsPass
from passes.tensor.pad_products import PadProductsPass
from passes.tensor.recompose.recompose import RecomposePass
from passes.tensor.simplify.simplify import SimplifyPass
from passes.triton.horizontal_fusion import HorizontalFusionPass


@dataclass(frozen=True)
class Stage:
    """One level: the passes that lead to it, and the dialects that may be left after them."""

    level: str
    passes: Callable[[CompilerOptions], tuple[ModulePass, ...]]
    leaves: frozenset[str]


def device_of(options: CompilerOptions) -> str:
    """The name of the device that a program is compiled for: the current GPU unless the caller names one."""
    return options.device or gpu()


def _simplify(options: CompilerOptions) -> tuple[ModulePass, ...]:
    split = (FreezePass(),) if options.freeze else ()  # last: its cut is final
    if not options.canonicalize:
        return split
    fold = (FoldWeightsPass(), SimplifyPass(options.fast_math)) if options.freeze else ()
    return (
        CanonicalizePass(),  # first: normal forms let the passes after it see equal things as equal
        RecomposePass(options.fast_math, keep=True),  # before inexact rules, which would hide what a formula is
        LibraryCallsPass(options.fast_math),  # what a library computes better as a unit
        DecomposePass(),  # all else: the fuser makes one kernel of its ops, and of those around it
        SimplifyPass(options.fast_math),  # after canonicalize, whose spelling its rules expect
        ConstFoldPass(),
        CsePass(),  # before fusion: one producer, one edge
        *fold,  # on the fewest ops; what it leaves behind are constants and casts
        ConvolutionBiasPass(),  # with batch norm in the bias; before layout, which moves the addition along
        # With batch norm gone; before freeze, which converts frozen weights once.
        LayoutPass(tf32_convolutions(), device=device_of(options)),
        CanonicalizePass(),  # all of these leave chains that cancel
        AttentionMasksPass(),  # in normal form, which says what masks hide
        PadProductsPass(tf32_products(), device=device_of(options)),  # after cse: what products share is padded once
        DcePass(),
        *split,
    )


def _fuse(options: CompilerOptions) -> tuple[ModulePass, ...]:
    merge = (CsePass(),) if options.canonicalize else ()
    return (
        NestedReductionsPass(),  # canonicalize would make one reduction of the two
        ExplicitCopiesPass(),  # last before fusion, which then sees them; to canonicalize they are nothing
        FusePass(options.policy, device=device_of(options)),
        *merge,  # each group copied the free ops it reads: equal copies inside one region are one
    )


def loops_of_any_target() -> tuple[ModulePass, ...]:
    """Kernels over named axes in one normal form. A target other than the GPU takes them from here."""
    return (
        TensorToLoopPass(),
        MemoryOrderPass(),  # first: all other passes on loops then see one form, whatever the strides
        InPlacePass(),  # while kernels are as lowered: what an iteration reads and writes is explicit
        ApproximatePass(),  # after lowering: the type of what is stored decides the precision
    )


def loops_of_gpu(device: str, candidates: int) -> tuple[ModulePass, ...]:
    """Flat rows and columns, cut into programs and blocks."""
    return (
        LinearizeAxesPass(),  # first: all that follow map one axis of rows and one of columns
        TileTransposePass(),
        # Before persistent-rows, which gives each loop accumulators of its own.
        PeelAlignmentPass(accumulating=True, device=device),
        PersistentRowsPass(device=device),  # before schedule, which maps the persistent loop and the loops inside it
        TunePartitionsPass(candidates // 2, running=running(), device=device),  # before what it makes a choice for
        PartitionRowsPass(running=running(), device=device),  # before schedule, which maps the parts like other loops
        *carry_out(device),
        ReverseOrderPass(device=device),  # on the kernels that are left, in the order of their launches
        TunePass(candidates, device=device),  # before schedule, which skips scheduled kernels
        SchedulePass(device=device),  # after lowering: it reads strides and loop bounds
        *after_schedule(device),
    )


def _loops(options: CompilerOptions) -> tuple[ModulePass, ...]:
    return (*loops_of_any_target(), *loops_of_gpu(device_of(options), options.candidates))


def _triton(options: CompilerOptions) -> tuple[ModulePass, ...]:
    device = device_of(options)
    # Last: no other pass knows horizontally fused kernels.
    join = (HorizontalFusionPass(device=device),) if options.policy == "mlc" else ()
    return (*to_triton(device), *join)


UPSTREAM = frozenset({"func", "arith", "math"})
PIPELINE = (
    Stage("tensor", lambda options: (), frozenset({"func", "mlc_tensor"})),
    Stage("simplified", _simplify, frozenset({"func", "mlc_tensor"})),
    Stage("fused", _fuse, frozenset({"func", "mlc_tensor"})),
    Stage("loop", _loops, UPSTREAM | {"mlc_loop"}),
    Stage("triton", _triton, UPSTREAM | {"mlc_loop", "mlc_triton", "scf"}),
)
"""The levels in order; "source", the text of the last, follows them."""

LEVELS = (*(stage.level for stage in PIPELINE), "source")


@collector_paused()
def lower_to(module: ModuleOp, level: str, options: CompilerOptions | None = None) -> ModuleOp | str:
    """Takes `module` from imported tensors down to `level`, in place; gives the text for "source"."""
    if level not in LEVELS:
        raise MlcError(f"no level {level!r}", hint=f"levels are {', '.join(LEVELS)}")
    options = options or CompilerOptions()
    context = Context()
    for stage in PIPELINE:
        for step in stage.passes(options):
            step.apply(context, module)
            if options.verify:
                verify_module(module)
        expect_only(module, stage.leaves, stage.level)
        if stage.level == level:
            return module
    return module_source(module)
