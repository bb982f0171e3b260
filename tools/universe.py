"""The dialects, passes and targets of mlc, by name: one line each.

Everything here is a name and a place. A module is imported when its name is asked for, so
a driver starts fast and `mlc-opt` loads only what its input and its pipeline use. Passes stand
in the order of the pipeline, as `mlc-opt --help` lists them; a test holds that order.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

from xdsl.context import Context
from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import XDSL_UNIVERSE, Universe
from xdsl.utils.target import Target

from mlc_support import plugins

FactoryT = TypeVar("FactoryT")

DIALECTS = {
    "mlc_tensor": "mlc_dialects.tensor.dialect:MlcTensor",
    "mlc_loop": "mlc_dialects.loop.dialect:MlcLoop",
    "mlc_triton": "mlc_dialects.triton.dialect:MlcTriton",
}

PASSES = {
    "canonicalize": "passes.tensor.canonicalize.canonicalize:CanonicalizePass",
    "sums-as-products": "passes.tensor.sums_as_products:SumsAsProductsPass",
    "recompose": "passes.tensor.recompose.recompose:RecomposePass",
    "library-calls": "passes.tensor.library_calls:LibraryCallsPass",
    "decompose": "passes.tensor.decompose:DecomposePass",
    "simplify": "passes.tensor.simplify.simplify:SimplifyPass",
    "const-fold": "passes.tensor.const_fold:ConstFoldPass",
    "fold-weights": "passes.tensor.fold_weights:FoldWeightsPass",
    "convolution-bias": "passes.tensor.convolution_bias:ConvolutionBiasPass",
    "patch-products": "passes.tensor.patch_products:PatchProductsPass",
    "layout": "passes.tensor.layout.layout:LayoutPass",
    "attention-masks": "passes.tensor.attention_masks:AttentionMasksPass",
    "split-cat": "passes.tensor.split_cat:SplitCatPass",
    "fuse-products": "passes.tensor.online_products.fuse_products:FuseProductsPass",
    "pad-products": "passes.tensor.pad_products:PadProductsPass",
    "freeze": "passes.tensor.freeze:FreezePass",
    "convolutions-as-sums": "passes.tensor.convolutions_as_sums:ConvolutionsAsSumsPass",
    "products-as-sums": "passes.tensor.products_as_sums:ProductsAsSumsPass",
    "exchange-halves": "passes.tensor.exchange_halves:ExchangeHalvesPass",
    "nested-reductions": "passes.tensor.nested_reductions:NestedReductionsPass",
    "explicit-copies": "lowering.tensor_to_loop.explicit_copies:ExplicitCopiesPass",
    "fuse": "passes.tensor.fusion.fuse:FusePass",
    "order-for-memory": "passes.tensor.order_for_memory:OrderForMemoryPass",
    "overlap-collectives": "passes.tensor.overlap_collectives:OverlapCollectivesPass",
    "tensor-to-loop": "lowering.tensor_to_loop.lower:TensorToLoopPass",
    "memory-order": "passes.loop.restructure.memory_order:MemoryOrderPass",
    "in-place": "passes.loop.locality.in_place:InPlacePass",
    "approximate": "passes.loop.approximate:ApproximatePass",
    "prove-indices": "passes.loop.prove_indices:ProveIndicesPass",
    "unroll-columns": "passes.loop.restructure.unroll_columns:UnrollColumnsPass",
    "online-reduction": "passes.loop.reduction.online_reduction:OnlineReductionPass",
    "split-k": "passes.loop.reduction.split_k:SplitKPass",
    "tile-products": "passes.loop.schedule.tile_products:TileProductsPass",
    "unroll-and-jam": "passes.loop.restructure.unroll_and_jam:UnrollAndJamPass",
    "linearize-axes": "passes.loop.restructure.linearize_axes:LinearizeAxesPass",
    "tile-transpose": "passes.loop.restructure.tile_transpose:TileTransposePass",
    "peel-alignment": "passes.loop.restructure.peel_alignment:PeelAlignmentPass",
    "persistent-rows": "passes.loop.restructure.persistent_rows:PersistentRowsPass",
    "partition-rows": "passes.loop.schedule.partition:PartitionRowsPass",
    "loop-fission": "passes.loop.reduction.loop_fission:LoopFissionPass",
    "two-pass-argmax": "passes.loop.reduction.two_pass_argmax:TwoPassArgmaxPass",
    "cooperative-reduction": "passes.loop.reduction.cooperative_reduction:CooperativeReductionPass",
    "split-reduction": "passes.loop.reduction.split_reduction:SplitReductionPass",
    "split-scan": "passes.loop.reduction.split_scan:SplitScanPass",
    "pad-columns": "passes.loop.restructure.pad_columns:PadColumnsPass",
    "last-block": "passes.loop.reduction.last_block:LastBlockPass",
    "reverse-order": "passes.loop.locality.reverse_order:ReverseOrderPass",
    "schedule": "passes.loop.schedule.schedule:SchedulePass",
    "shifted-variance": "passes.loop.reduction.shifted_variance:ShiftedVariancePass",
    "program-swizzle": "passes.loop.locality.program_swizzle:ProgramSwizzlePass",
    "tile-layout": "passes.loop.locality.tile_layout:TileLayoutPass",
    "reload-stored": "passes.loop.reduction.reload_stored:ReloadStoredPass",
    "contract": "passes.loop.contract:ContractPass",
    "cache-hints": "passes.loop.locality.cache_hints:CacheHintsPass",
    "narrow-integers": "passes.loop.narrow_integers:NarrowIntegersPass",
    "byte-floats": "passes.loop.byte_floats:ByteFloatsPass",
    "reuse-buffers": "passes.loop.locality.reuse_buffers:ReuseBuffersPass",
    "merge-kernels": "passes.loop.merge_kernels:MergeKernelsPass",
    "loop-to-triton": "lowering.loop_to_triton.lower:LoopToTritonPass",
    "onednn-products": "passes.loop.cpu.onednn_products:OneDnnProductsPass",
    "share-rows": "passes.loop.cpu.share_rows:ShareRowsPass",
    "share-sums": "passes.loop.cpu.share_sums:ShareSumsPass",
    "map-lanes": "passes.loop.cpu.map_lanes:MapLanesPass",
    "split-edges": "passes.loop.cpu.split_edges:SplitEdgesPass",
    "keep-in-scratch": "passes.loop.cpu.keep_in_scratch:KeepInScratchPass",
    "sink-repeats": "passes.triton.sink_repeats:SinkRepeatsPass",
    "lane-order": "passes.triton.lane_order:LaneOrderPass",
    "shared-divisors": "passes.triton.shared_divisors:SharedDivisorsPass",
    "triton-licm": "passes.triton.licm:TritonLicmPass",
    "masked-loads": "passes.triton.masked_loads:MaskedLoadsPass",
    "transposed-loads": "passes.triton.transposed_loads:TransposedLoadsPass",
    "early-checks": "passes.triton.early_checks:EarlyChecksPass",
    "split-loops": "passes.triton.split_loops:SplitLoopsPass",
    "rounded-casts": "passes.triton.rounded_casts:RoundedCastsPass",
    "horizontal-fusion": "passes.triton.horizontal_fusion:HorizontalFusionPass",
    "dependent-launch": "passes.triton.dependent_launch:DependentLaunchPass",
    "cse": "passes.common.cse:CsePass",
    "dce": "passes.common.dce:DcePass",
}

TARGETS = {
    "triton": "lowering.triton_to_source.kernels:TritonTarget",
    "llvm": "lowering.loop_to_llvm.module:LlvmTarget",
    "asm": "mlc_compiler.cpu.machine_code:AssemblyTarget",
    "stablehlo": "lowering.export.stablehlo:StableHloTarget",
    "relax": "lowering.export.relax:RelaxTarget",
    "aten": "lowering.export.aten:AtenTarget",
}
"""What `mlc-opt -t` prints; `mlc-translate --to` as well, where the class says by `level` which level it reads."""

LEVELS = {
    "tensor": ("passes.tensor.", "lowering.tensor_to_loop."),
    "loop": ("passes.loop.", "lowering.loop_to_triton."),
    "cpu": ("passes.loop.cpu.",),
    "triton": ("passes.triton.",),
    "any": ("passes.common.",),
}
"""The levels, and where the passes that read each of them live."""
STAGES = {
    "simplified": (),
    "fused": ("simplified",),
    "cpu": ("simplified", "fused"),
    "loop": ("simplified", "fused"),
    "triton": ("simplified", "fused", "loop"),
}
"""The stages of `mlc_compiler.pipeline` that have passes, names that `-p` knows as well; and those before each."""


def level_of(name: str) -> str | None:
    """The level whose ops a pass of mlc reads, `any` for all; None for a pass of others."""
    home = PASSES.get(name, "")
    found = [(len(prefix), level) for level, homes in LEVELS.items() for prefix in homes if home.startswith(prefix)]
    return max(found)[1] if found else None


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


def plug_ins() -> Universe:
    """What other packages add by entry points of xDSL's group `xdsl.universe`, the first of two of one name."""
    found = Universe()
    points = plugins.added(plugins.UNIVERSES)
    for point in (point for name, point in points.items() if name not in ("mlc", "xdsl")):
        universe: Universe = plugins.loaded(point, lambda given: isinstance(given, Universe), "a Universe")
        found.all_dialects = _named(point, universe.all_dialects) | found.all_dialects
        found.all_passes = _named(point, universe.all_passes) | found.all_passes
        found.all_targets = _named(point, universe.all_targets) | found.all_targets
    return found


def _named(point: Any, factories: dict[str, Callable[[], Any]]) -> dict[str, Callable[[], Any]]:
    """The factories of a plug-in, whose failures name it."""
    return {name: partial(plugins.attempted, point, factory) for name, factory in factories.items()}


class Registry(dict[str, FactoryT]):
    """The names of mlc and of xDSL. Those of plug-ins come in when one is asked for that is none of them, or for all:
    to look for entry points takes time that most runs do not spend."""

    def __init__(self, known: dict[str, FactoryT], kind: str):
        super().__init__(known)
        self._kind: str | None = kind

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or super(Registry, self._complete()).__contains__(name)

    def __missing__(self, name: str) -> FactoryT:
        complete = self._complete()
        if not super().__contains__(name):
            raise KeyError(name)
        return complete[name]

    def __iter__(self) -> Iterator[str]:
        return super(Registry, self._complete()).__iter__()

    def _complete(self) -> Registry[FactoryT]:
        kind, self._kind = self._kind, None
        for name, factory in getattr(plug_ins(), kind).items() if kind else ():
            self.setdefault(name, factory)
        return self


def all_passes() -> Registry[Callable[[], type[ModulePass]]]:
    """Every pass by its name in `mlc-opt`: those of mlc win over xDSL's of the same name, both over plug-ins."""
    return Registry(XDSL_UNIVERSE.all_passes | pass_factories(), "all_passes")


def all_targets() -> Registry[Callable[[], type[Target]]]:
    """Every target by name."""
    return Registry(XDSL_UNIVERSE.all_targets | target_factories(), "all_targets")


def context(*, allow_unregistered: bool = False) -> Context:
    """A context that knows every dialect, none of them loaded yet."""
    dialects = Registry(XDSL_UNIVERSE.all_dialects | dialect_factories(), "all_dialects")
    return Context(allow_unregistered, _registered_dialects=dialects)


def _renamed(path: str, name: str) -> Callable[[], type[Any]]:
    """The pass or target at `path`, as a subclass that answers to `name`."""

    def factory() -> type[Any]:
        original = load(path)
        return type(original.__name__, (original,), {"name": name, "__doc__": original.__doc__})

    return factory


def _beside_xdsl(paths: dict[str, str], taken: Container[str]) -> dict[str, Callable[[], type[Any]]]:
    """The passes or targets at `paths` as a plug-in of xDSL's own tools.

    There two of one name are an error for every user of the environment, so ours are called `mlc-<name>` where xDSL
    has a `<name>` too.
    """
    ours = {name: _lazy(path) for name, path in paths.items() if name not in taken}
    return ours | {f"mlc-{name}": _renamed(path, f"mlc-{name}") for name, path in paths.items() if name in taken}


MLC = Universe(
    all_dialects=dialect_factories(),
    all_passes=_beside_xdsl(PASSES, XDSL_UNIVERSE.all_passes),
    all_targets=_beside_xdsl(TARGETS, XDSL_UNIVERSE.all_targets),
)
"""The plug-in that `xdsl-opt` and other tools of xDSL find by its entry point."""
