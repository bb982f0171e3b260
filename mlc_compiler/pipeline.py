"""The pipeline: every pass of the compiler in order, each position with its reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from lowering.tensor_to_loop.explicit_copies import ExplicitCopiesPass
from lowering.tensor_to_loop.lower import TensorToLoopPass
from lowering.triton_to_source.kernels import module_source
from mlc_compiler.kernel_passes import after_schedule, to_triton
from mlc_compiler.machine import Machine, this_machine
from mlc_compiler.options import PRODUCTS, WORTH, CompilerOptions
from mlc_dialects.loop.dialect import KernelOp
from mlc_dialects.tensor.calls import FusionOp
from mlc_support.collector import collector_paused
from mlc_support.errors import MlcError
from mlc_support.verification import expect_only, verify_module
from mlc_support.walks import walk
from passes.common.cse import CsePass
from passes.common.dce import DcePass
from passes.common.device import THE_CPU
from passes.loop.approximate import ApproximatePass
from passes.loop.byte_floats import ByteFloatsPass
from passes.loop.cpu.keep_in_scratch import KeepInScratchPass
from passes.loop.cpu.map_lanes import MapLanesPass
from passes.loop.cpu.onednn_products import OneDnnProductsPass
from passes.loop.cpu.share_rows import ShareRowsPass
from passes.loop.cpu.share_sums import ShareSumsPass
from passes.loop.cpu.split_edges import SplitEdgesPass
from passes.loop.locality.in_place import InPlacePass
from passes.loop.locality.reuse_buffers import ReuseBuffersPass
from passes.loop.locality.reverse_order import ReverseOrderPass
from passes.loop.merge_kernels import MergeKernelsPass
from passes.loop.narrow_integers import NarrowIntegersPass
from passes.loop.prove_indices import ProveIndicesPass
from passes.loop.reduction.online_reduction import OnlineReductionPass
from passes.loop.reduction.split_k import SplitKPass
from passes.loop.restructure.linearize_axes import LinearizeAxesPass
from passes.loop.restructure.memory_order import MemoryOrderPass
from passes.loop.restructure.peel_alignment import PeelAlignmentPass
from passes.loop.restructure.persistent_rows import PersistentRowsPass
from passes.loop.restructure.tile_transpose import TileTransposePass
from passes.loop.restructure.unroll_and_jam import UnrollAndJamPass
from passes.loop.restructure.unroll_columns import UnrollColumnsPass
from passes.loop.schedule.forms import FormPass
from passes.loop.schedule.partition import PartitionRowsPass, carry_out
from passes.loop.schedule.schedule import SchedulePass
from passes.loop.schedule.tile_products import TileProductsPass
from passes.tensor.attention_masks import AttentionMasksPass
from passes.tensor.canonicalize.canonicalize import CanonicalizePass
from passes.tensor.const_fold import ConstFoldPass
from passes.tensor.convolution_bias import ConvolutionBiasPass
from passes.tensor.convolutions_as_sums import ConvolutionsAsSumsPass
from passes.tensor.decompose import DecomposePass
from passes.tensor.exchange_halves import ExchangeHalvesPass
from passes.tensor.fold_weights import FoldWeightsPass
from passes.tensor.freeze import FreezePass
from passes.tensor.fusion.fuse import FusePass
from passes.tensor.layout.layout import LayoutPass
from passes.tensor.library_calls import LibraryCallsPass
from passes.tensor.nested_reductions import NestedReductionsPass
from passes.tensor.online_products.fuse_products import FuseProductsPass
from passes.tensor.order_for_memory import OrderForMemoryPass
from passes.tensor.overlap_collectives import OverlapCollectivesPass
from passes.tensor.pad_products import PadProductsPass
from passes.tensor.patch_products import PatchProductsPass
from passes.tensor.products_as_sums import ProductsAsSumsPass
from passes.tensor.recompose.recompose import RecomposePass
from passes.tensor.simplify.simplify import SimplifyPass
from passes.tensor.split_cat import SplitCatPass
from passes.tensor.sums_as_products import SumsAsProductsPass
from passes.triton.dependent_launch import DependentLaunchPass
from passes.triton.horizontal_fusion import HorizontalFusionPass


@dataclass(frozen=True)
class Stage:
    """One level: the passes that lead to it, and the dialects that may be left after them."""

    level: str
    passes: Callable[[CompilerOptions, Machine], tuple[ModulePass, ...]]
    leaves: frozenset[str]


def generates_tf32(options: CompilerOptions, machine: Machine) -> bool:
    """True if generated products may cut factors of float32 to TF32: the library rounds them, and errs half as much."""
    return machine.tf32_products and options.products == "generated"


def _fuse_products(options: CompilerOptions, machine: Machine) -> tuple[ModulePass, ...]:
    """One kernel of products that follow each other."""
    worth, tf32 = WORTH[options.products], generates_tf32(options, machine)
    return SplitCatPass(), FuseProductsPass(worth, tf32, device=machine.device)


def _simplify(options: CompilerOptions, machine: Machine, cpu: bool = False) -> tuple[ModulePass, ...]:
    generated = options.products == "generated" and not cpu
    fuses = options.products in WORTH and not cpu
    split = (FreezePass(),) if options.freeze else ()  # last: its cut is final
    processor = THE_CPU if cpu else machine.device
    rounded = machine.rounded_on_cpu if cpu else machine.tf32_products
    if not options.canonicalize:
        return split
    simplify = SimplifyPass(options.fast_math, tuple(options.extra_rules))
    fold = (FoldWeightsPass(), simplify) if options.freeze else ()
    return (
        CanonicalizePass(),  # first: normal forms let the passes after it see equal things as equal
        SumsAsProductsPass(rounded, device=processor),  # before recompose, which knows formulas by their products
        RecomposePass(options.fast_math, keep=True),  # before inexact rules, which would hide what a formula is
        # What a library computes better as a unit. The frontend asks with `library` for calls that it differentiates.
        LibraryCallsPass(options.fast_math, generated, options.products != "library", device=processor),
        DecomposePass(),  # all else: the fuser makes one kernel of its ops, and of those around it
        simplify,  # after canonicalize, whose spelling its rules expect
        ConstFoldPass(),
        CsePass(),  # before fusion: one producer, one edge
        *fold,  # on the fewest ops; what it leaves behind are constants and casts
        ConvolutionBiasPass(),  # with batch norm in the bias; before layout, which moves the addition along
        # Behind what takes biases out; before layout, which converts what is left.
        *(() if cpu else (PatchProductsPass(),)),
        # With batch norm gone; before freeze, which converts frozen weights once.
        LayoutPass(machine.tf32_convolutions, device=machine.device),
        CanonicalizePass(),  # all of these leave chains that cancel
        AttentionMasksPass(device=processor),  # in normal form, which says what masks hide
        # Before pad-products, behind which it is harder to see what follows what.
        *(_fuse_products(options, machine) if fuses else ()),
        # After cse: what products share is padded once.
        PadProductsPass(machine.tf32_products, options.products != "library", device=machine.device),
        DcePass(),
        *split,
    )


def _fuse(options: CompilerOptions, machine: Machine, cpu: bool = False) -> tuple[ModulePass, ...]:
    products = "vectors" if cpu else PRODUCTS[options.products]  # a CPU has no tensor cores
    merge = (CsePass(),) if options.canonicalize else ()
    return (
        # Behind all that looks for products and convolutions; other compilers are shown those.
        *(() if cpu else (ConvolutionsAsSumsPass(products, device=machine.device),)),
        ProductsAsSumsPass(products, generates_tf32(options, machine), device=machine.device),
        ExchangeHalvesPass(),  # behind recompose and fuse-products, which know rotary embeddings as they are written
        NestedReductionsPass(),  # canonicalize would make one reduction of the two
        *merge,  # what has one spelling by now is one value, and is copied once
        ExplicitCopiesPass(),  # last before fusion, which then sees them; to canonicalize they are nothing
        FusePass(options.policy, device=THE_CPU if cpu else machine.device),
        *merge,  # each group copied the free ops it reads: equal copies inside one region are one
        OrderForMemoryPass(),  # before overlap-collectives, which brings them forward again
        OverlapCollectivesPass(),  # once it is known what kernels there are to run meanwhile
    )


def loops_of_any_target() -> tuple[ModulePass, ...]:
    """Kernels over named axes in one normal form. A target other than the GPU takes them from here."""
    return (
        TensorToLoopPass(),
        MemoryOrderPass(),  # first: all other passes on loops then see one form, whatever the strides
        InPlacePass(),  # while kernels are as lowered: what an iteration reads and writes is explicit
        ApproximatePass(),  # after lowering: the type of what is stored decides the precision
        ProveIndicesPass(),  # before what counts instructions and moves loads: a check is a branch
    )


def loops_of_gpu(machine: Machine, candidates: int = 1) -> tuple[ModulePass, ...]:
    """Flat rows and columns, cut into programs and blocks; with several `candidates`, by the quickest of them."""
    device = machine.device
    return (
        UnrollColumnsPass(),  # before online-reduction: straight code needs no online form
        OnlineReductionPass(),  # before tile-products: one loop of those that compute the same products
        SplitKPass(device=device),  # before tile-products, which tiles the parts
        TileProductsPass(device=device),  # first: matrix products keep axes that are flat behind this
        # Behind unroll-columns, which makes straight code of short windows; while addresses divide nothing.
        *_tuned(UnrollAndJamPass(device=device), candidates),
        LinearizeAxesPass(),  # all that follow map one axis of rows and one of columns
        *_tuned(TileTransposePass(device=device), candidates),
        # Before persistent-rows, which gives each loop accumulators of its own.
        PeelAlignmentPass(accumulating=True, device=device),
        # Before partition-rows, which cuts the sums of the programs' parts.
        *_tuned(PersistentRowsPass(device=device), candidates),
        # Before schedule, which maps the parts like other loops.
        *_tuned(PartitionRowsPass(running=machine.running, device=device), candidates),
        *carry_out(device),
        ReverseOrderPass(device=device),  # on the kernels that are left, in the order of their launches
        *_tuned(SchedulePass(device=device), candidates),  # after lowering: it reads strides and loop bounds
        *after_schedule(device),
        ReuseBuffersPass(device=device),  # last: it must know what each program reads and writes, and how often
    )


def _tuned(step: FormPass | SchedulePass, candidates: int) -> tuple[ModulePass, ...]:
    """A pass that chooses by predicted times, behind one that times so many schedules, or half as many forms.

    PyTorch and Triton are loaded for that alone.
    """
    if candidates == 1:
        return (step,)
    tune: Any = import_module("mlc_compiler.tuning.tune")
    if isinstance(step, SchedulePass):
        return (tune.TunePass(candidates, device=step.device), step)
    return (tune.TuneFormsPass(candidates // 2, forms=step, device=step.device), step)


def loops_of_cpu(machine: Machine) -> tuple[ModulePass, ...]:
    """Loops that LLVM vectorises, and that a few threads share."""
    products = (OneDnnProductsPass(machine.onednn),) if machine.onednn > 1 else ()
    return (
        *products,
        ShareRowsPass(),  # first: it makes kernels, which the others map
        ShareSumsPass(),  # before map-lanes: it makes reductions over the parts
        MapLanesPass(),  # before scratch memory, which has no lanes
        SplitEdgesPass(),  # what has lanes or tiles stays whole
        KeepInScratchPass(),
        NarrowIntegersPass(),  # as for GPUs, behind all that reads conditions
        ByteFloatsPass(device=THE_CPU),  # as for GPUs that have no such casts
        ReuseBuffersPass(small=0),  # as for GPUs; nothing joins launches
        MergeKernelsPass(),  # last: equal kernels are compiled once
    )


def _loops(options: CompilerOptions, machine: Machine) -> tuple[ModulePass, ...]:
    return (*loops_of_any_target(), *loops_of_gpu(machine, options.candidates))


def _triton(options: CompilerOptions, machine: Machine) -> tuple[ModulePass, ...]:
    # Behind all that changes kernels: no other pass knows horizontally fused ones.
    join = (HorizontalFusionPass(device=machine.device),) if options.policy == "mlc" else ()
    # First: what reads launches, and decides by those beside them, is through. What follows sees one kernel at a time.
    # Last: a kernel waits before all else.
    return (MergeKernelsPass(), *to_triton(machine.device), *join, DependentLaunchPass(device=machine.device))


UPSTREAM = frozenset({"func", "arith", "math"})
PIPELINE = (
    Stage("tensor", lambda options, machine: (), frozenset({"func", "mlc_tensor"})),
    Stage("simplified", _simplify, frozenset({"func", "mlc_tensor"})),
    Stage("fused", _fuse, frozenset({"func", "mlc_tensor"})),
    Stage("loop", _loops, UPSTREAM | {"mlc_loop"}),
    Stage("triton", _triton, UPSTREAM | {"mlc_loop", "mlc_triton", "scf"}),
)
"""The levels in order; "source", the text of the last, follows them."""

CPU = Stage("cpu", lambda options, machine: (*loops_of_any_target(), *loops_of_cpu(machine)), UPSTREAM | {"mlc_loop"})
"""What follows the stage "fused" for a CPU; `lowering/loop_to_llvm` takes it from there."""

_TENSOR, _SIMPLIFIED, _FUSED = PIPELINE[:3]
_FOR_CPU = (replace(_SIMPLIFIED, passes=partial(_simplify, cpu=True)), replace(_FUSED, passes=partial(_fuse, cpu=True)))
_PATHS = {CPU.level: (_TENSOR, *_FOR_CPU, CPU)}
"""The stages that lead to levels beside those of `PIPELINE`."""
LEVELS = (*_PATHS, *(stage.level for stage in PIPELINE), "source")

Run = Callable[[ModulePass, Context, ModuleOp], None]
"""How a pass is run: who watches passes gives one."""
Reached = Callable[[str, ModuleOp], None]
"""It is told of each level, by name, with the module that has reached it and that goes on changing."""


def apply_pass(step: ModulePass, context: Context, module: ModuleOp) -> None:
    """A pass run as it is."""
    step.apply(context, module)


def stages_to(level: str, done: str | None = None) -> tuple[Stage, ...]:
    """The stages behind `done`, by default all, that lead to `level`; `MlcError` where `level` lies before `done`."""
    if level not in LEVELS:
        raise MlcError(f"no level {level!r}", hint=f"levels are {', '.join(LEVELS)}")
    path = _PATHS.get(level, PIPELINE)
    names = [None, *(stage.level for stage in path)]
    last = len(path) if level == LEVELS[-1] else names.index(level)
    if done not in names[: last + 1]:
        raise MlcError(f"the module is at the level {done}", hint=f"it cannot go back up to {level}")
    return path[names.index(done) : last]


def steps_to(level: str, options: CompilerOptions, done: str | None = None) -> tuple[ModulePass, ...]:
    """The passes of `stages_to` on this machine."""
    machine = this_machine(options.device)
    return tuple(step for stage in stages_to(level, done) for step in stage.passes(options, machine))


def stage_of(module: ModuleOp) -> str | None:
    """The last stage that a module has been through, as its ops show; None for tensors without a fusion.

    Kernels of loops without a schedule are what the stage "loop" begins with.
    """
    ops = list(walk(module))
    if any(op.name.startswith("mlc_triton.") for op in ops):
        return "triton"
    kernels = [op for op in ops if isinstance(op, KernelOp)]
    if kernels:
        return "loop" if all(kernel.warps is not None for kernel in kernels) else "fused"
    return "fused" if any(isinstance(op, FusionOp) for op in ops) else None


@collector_paused()
def lower_to(
    module: ModuleOp,
    level: str,
    options: CompilerOptions | None = None,
    *,
    done: str | None = None,
    run: Run = apply_pass,
    reached: Reached | None = None,
    context: Context | None = None,
) -> ModuleOp | str:
    """Takes `module`, which has been through the stages up to `done`, down to `level`, in place.

    Passes are given `context`. Gives the text for "source", otherwise the module. Raises `MlcError` for a level that
    does not exist or lies before `done`, and where a stage leaves ops of a level above.
    """
    options = options or CompilerOptions()
    stages = stages_to(level, done)
    machine, context = this_machine(options.device), context or Context()
    for stage in stages:
        for step in stage.passes(options, machine):
            run(step, context, module)
            if options.verify:
                verify_module(module)
        expect_only(module, stage.leaves, stage.level)
        if reached is not None:
            reached(stage.level, module)
    return module_source(module) if level == LEVELS[-1] else module
