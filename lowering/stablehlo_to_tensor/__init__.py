"""StableHLO text to `mlc_tensor`: the door for jax, and for what else speaks to XLA."""

from lowering.stablehlo_to_tensor.importer import import_stablehlo

__all__ = ["import_stablehlo"]
