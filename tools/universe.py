"""The dialects, passes and targets of mlc, by name: one line each.

Everything here is a name and a place. A module is imported when its name is asked for, so
a driver starts fast and `mlc-opt` loads only what its input and its pipeline use.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.transforms import get_all_passes
from xdsl.universe import Universe
from xdsl.utils.target import Target

DIALECTS = {
    "mlc_tensor": "mlc_dialects.tensor.dialect:MlcTensor",
    "mlc_loop": "mlc_dialects.loop.dialect:MlcLoop",
    "mlc_triton": "mlc_dialects.triton.dialect:MlcTriton",
}

PASSES = {
    "const-fold": "passes.tensor.const_fold:ConstFoldPass",
    "cse": "passes.common.cse:CsePass",
    "dce": "passes.common.dce:DcePass",
    "canonicalize": "passes.tensor.canonicalize.canonicalize:CanonicalizePass",
    "simplify": "passes.tensor.simplify.simplify:SimplifyPass",
    "recompose": "passes.tensor.recompose.recompose:RecomposePass",
    "attention-masks": "passes.tensor.attention_masks:AttentionMasksPass",
    "convolution-bias": "passes.tensor.convolution_bias:ConvolutionBiasPass",
    "pad-products": "passes.tensor.pad_products:PadProductsPass",
    "library-calls": "passes.tensor.library_calls:LibraryCallsPass",
    "in-place": "passes.loop.locality.in_place:InPlacePass",
    "triton-licm": "passes.triton.licm:TritonLicmPass",
    "decompose": "passes.tensor.decompose:DecomposePass",
    "fit-registers": "passes.triton.fit_registers:FitRegistersPass",
    "fold-weights": "passes.tensor.fold_weights:FoldWeightsPass",
    "layout": "passes.tensor.layout.layout:LayoutPass",
    "freeze": "passes.tensor.freeze:FreezePass",
    "fuse": "passes.tensor.fusion.fuse:FusePass",
    "approximate": "passes.loop.approximate:ApproximatePass",
    "memory-order": "passes.loop.restructure.memory_order:MemoryOrderPass",
    "linearize-axes": "passes.loop.restructure.linearize_axes:LinearizeAxesPass",
    "tile-transpose": "passes.loop.restructure.tile_transpose:TileTransposePass",
    "pad-columns": "passes.loop.restructure.pad_columns:PadColumnsPass",
    "peel-alignment": "passes.loop.restructure.peel_alignment:PeelAlignmentPass",
    "persistent-rows": "passes.loop.restructure.persistent_rows:PersistentRowsPass",
    "masked-loads": "passes.triton.masked_loads:MaskedLoadsPass",
    "rounded-casts": "passes.triton.rounded_casts:RoundedCastsPass",
    "online-reduction": "passes.loop.reduction.online_reduction:OnlineReductionPass",
    "reverse-order": "passes.loop.locality.reverse_order:ReverseOrderPass",
    "loop-fission": "passes.loop.reduction.loop_fission:LoopFissionPass",
    "last-block": "passes.loop.reduction.last_block:LastBlockPass",
    "shifted-variance": "passes.loop.reduction.shifted_variance:ShiftedVariancePass",
    "cooperative-reduction": "passes.loop.reduction.cooperative_reduction:CooperativeReductionPass",
    "split-scan": "passes.loop.reduction.split_scan:SplitScanPass",
    "split-reduction": "passes.loop.reduction.split_reduction:SplitReductionPass",
    "partition-rows": "passes.loop.schedule.partition:PartitionRowsPass",
    "schedule": "passes.loop.schedule.schedule:SchedulePass",
    "program-swizzle": "passes.loop.locality.program_swizzle:ProgramSwizzlePass",
    "cache-hints": "passes.loop.locality.cache_hints:CacheHintsPass",
    "shared-divisors": "passes.triton.shared_divisors:SharedDivisorsPass",
    "horizontal-fusion": "passes.triton.horizontal_fusion:HorizontalFusionPass",
    "nested-reductions": "passes.tensor.nested_reductions:NestedReductionsPass",
    "two-pass-argmax": "passes.loop.reduction.two_pass_argmax:TwoPassArgmaxPass",
    "explicit-copies": "lowering.tensor_to_loop.explicit_copies:ExplicitCopiesPass",
    "tensor-to-loop": "lowering.tensor_to_loop.lower:TensorToLoopPass",
    "loop-to-triton": "lowering.loop_to_triton.lower:LoopToTritonPass",
}

TARGETS = {
    "triton": "lowering.triton_to_source.kernels:TritonTarget",
    "stablehlo": "lowering.export.stablehlo:StableHloTarget",
    "relax": "lowering.export.relax:RelaxTarget",
    "aten": "lowering.export.aten:AtenTarget",
}


def load(path: str) -> Any:
    """The object at `module:name`; imports the module."""
    module_name, _, name = path.partition(":")
    return getattr(import_module(module_name), name)


def _lazy(path: str) -> Callable[[], Any]:
    """A factory that loads `path` when it is called."""
    return lambda: load(path)


def dialect_factories() -> dict[str, Callable[[], Dialect]]:
    """The dialects of mlc."""
    return {name: _lazy(path) for name, path in DIALECTS.items()}


def pass_factories() -> dict[str, Callable[[], type[ModulePass]]]:
    """The passes of mlc, under the names `mlc-opt` gives them."""
    return {name: _lazy(path) for name, path in PASSES.items()}


def target_factories() -> dict[str, Callable[[], type[Target]]]:
    """The targets of mlc."""
    return {name: _lazy(path) for name, path in TARGETS.items()}


def _renamed(path: str, name: str) -> Callable[[], type[ModulePass]]:
    """The pass at `path`, as a subclass that answers to `name`."""

    def factory() -> type[ModulePass]:
        original = load(path)
        return type(original.__name__, (original,), {"name": name, "__doc__": original.__doc__})

    return factory


def plugin_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """The passes of mlc as a plug-in of xDSL's own tools.

    There two passes of one name are an error for every user of the environment, so ours
    are called `mlc-<name>` where xDSL has a `<name>` too.
    """
    taken = get_all_passes()
    factories = pass_factories()
    for name in factories.keys() & taken.keys():
        factories[f"mlc-{name}"] = _renamed(PASSES[name], f"mlc-{name}")
        del factories[name]
    return factories


MLC = Universe(
    all_dialects=dialect_factories(),
    all_passes=plugin_passes(),
    all_targets=target_factories(),
)
"""The plug-in that `xdsl-opt` and other tools of xDSL find by its entry point."""
