"""FX graphs of aten ops to `mlc_tensor`: the front of the compiler."""

from lowering.fx_to_tensor.decompositions.table import decompositions
from lowering.fx_to_tensor.front_doors import export_callable, import_callable, import_exported
from lowering.fx_to_tensor.graph import import_graph
from lowering.fx_to_tensor.imported import ConstantOutput, Imported, OutputSpec, ResultOutput, SizeOutput

__all__ = [
    "ConstantOutput",
    "Imported",
    "OutputSpec",
    "ResultOutput",
    "SizeOutput",
    "decompositions",
    "export_callable",
    "import_callable",
    "import_exported",
    "import_graph",
]
