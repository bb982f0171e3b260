"""What an exported program takes and gives, as the manifest of a folder has it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch.export import ExportedProgram
from torch.export.graph_signature import ConstantArgument, InputKind
from torch.utils._pytree import treespec_dumps
from xdsl.dialects import func
from xdsl.dialects.builtin import IndexType, TensorType
from xdsl.ir import Attribute, Block, BlockArgument, SSAValue

from lowering.fx_to_tensor.imported import ConstantOutput, Imported
from lowering.fx_to_tensor.sizes import DTYPE_OF
from mlc_compiler.execution.freezing import is_written
from mlc_dialects.common.annotations import ALIAS, SYMBOL, argument_annotations, promised_strides, result_annotations
from mlc_dialects.common.types import element_type, shape_of
from mlc_dialects.tensor.calls import ExternOp
from mlc_dialects.tensor.named_sizes import size_called
from mlc_dialects.tensor.views import viewed
from mlc_runtime.outputs import output_data
from mlc_support.errors import MlcError
from mlc_support.index_maps import row_major_strides
from mlc_support.python_text import NAMESPACES
from mlc_support.walks import walk

_MULTIPLE = re.compile(r"(\w+)_(\d+)s")
"""A size that is a multiple of another: `s0_16s` is s0 / 16."""


@dataclass(frozen=True)
class Signature:
    """The inputs and outputs of a program, and the names of its constants."""

    data: Mapping[str, Any]
    """As the manifest has them."""
    constants: tuple[str, ...]
    """The name of each constant of the import, in order; no two are alike."""
    operators: tuple[str, ...]
    """The operators that it calls and PyTorch does not bring."""

    @staticmethod
    def of(program: ExportedProgram, imported: Imported) -> Signature:
        """That of an imported program. MlcError for what a file cannot hold."""
        (function,) = (op for op in imported.module.ops if isinstance(op, func.FuncOp))
        _refuse_objects(function, imported)
        arguments = function.body.block.args
        count = len(arguments) - len(imported.constants)
        user = [s.arg for s in program.graph_signature.input_specs if s.kind == InputKind.USER_INPUT]
        shown = _shown(function)
        inputs = [_input(function, a, arg, a in shown) for a, arg in zip(arguments[:count], user, strict=True)]
        sizes = {v.name for a in arguments for e in _extents(a.type) for v in e.variables()}
        in_spec, out_spec = program.call_spec.in_spec, program.call_spec.out_spec
        assert in_spec is not None and out_spec is not None
        data = {
            "inputs": inputs,
            "ranges": _ranges(program, sizes | {str(i["size"]) for i in inputs if i.get("size")}),
            "outputs": [output_data(_plain(o)) for o in imported.outputs],
            "in_spec": treespec_dumps(in_spec),
            "out_spec": treespec_dumps(out_spec),
        }
        names = tuple(_target(program, a, k) for k, a in enumerate(arguments[count:]))
        return Signature(data, names, tuple(sorted(_foreign(function))))


def _input(function: func.FuncOp, argument: BlockArgument, exported: Any, shown: bool) -> dict[str, Any]:
    """One input; it is `shown` if a result is a view of it."""
    name = argument.name_hint or f"input_{argument.index}"
    if isinstance(exported, ConstantArgument):
        return {"kind": "constant", "name": name, "value": exported.value}
    annotations = argument_annotations(function, argument.index)
    if isinstance(argument.type, TensorType):
        shape = shape_of(argument.type)
        strides = promised_strides(annotations) or row_major_strides(shape)
        return {
            "kind": "tensor",
            "name": name,
            "dtype": str(DTYPE_OF[element_type(argument.type)]).removeprefix("torch."),
            "shape": [*map(str, shape)],
            "strides": [*map(str, strides)],
            "fixed": shown or is_written(argument),
        }
    size = size_called(annotations.get(SYMBOL)) if isinstance(argument.type, IndexType) else None
    return {"kind": "number", "name": name, "size": None if size is None else str(size)}


def _extents(type_: Attribute) -> Any:
    return shape_of(type_) if isinstance(type_, TensorType) else ()


def _shown(function: func.FuncOp) -> set[SSAValue]:
    """The arguments that results are views of."""
    returned = function.body.block.last_op
    assert returned is not None
    pairs = enumerate(returned.operands)
    roots = {viewed(v) for k, v in pairs if ALIAS in result_annotations(function, k)}
    return {root for root in roots if isinstance(root.owner, Block)}


def _ranges(program: ExportedProgram, names: set[str]) -> dict[str, tuple[int, int | None]]:
    """The least and the greatest value of each named size; None where there is no greatest."""
    found: dict[str, tuple[int, int | None]] = {}
    bounds = {str(symbol): bound for symbol, bound in program.range_constraints.items()}
    for name in names:
        multiple = _MULTIPLE.fullmatch(name)
        symbol, factor = (multiple[1], int(multiple[2])) if multiple and multiple[1] in bounds else (name, 1)
        if symbol in bounds:
            low, high = bounds[symbol].lower, bounds[symbol].upper
            most = int(high) // factor if high.is_Integer else None
            found[name] = (max(0, -(-int(low) // factor)) if low.is_Integer else 0, most)
    return found


def _target(program: ExportedProgram, argument: BlockArgument, position: int) -> str:
    """The name of a parameter or a buffer in the module; of other tensors, that of the argument."""
    lifted = (InputKind.PARAMETER, InputKind.BUFFER)
    targets = [s.target for s in program.graph_signature.input_specs if s.kind in lifted and s.target is not None]
    if position < len(targets):
        return targets[position].removeprefix("module.")
    return f"constant.{argument.name_hint or position}"


def _foreign(function: func.FuncOp) -> set[str]:
    calls = {op.callee.data for op in walk(function) if isinstance(op, ExternOp)}
    return {callee for callee in calls if callee.partition(".")[0] not in NAMESPACES}


def _refuse_objects(function: func.FuncOp, imported: Imported) -> None:
    """MlcError where calls name objects of this process."""
    if not imported.objects:
        return
    kinds = ", ".join(sorted({type(o).__name__ for o in imported.objects}))
    callees = ", ".join(sorted({op.callee.data for op in walk(function) if isinstance(op, ExternOp)}))
    hint = f"graphs of torch.cond and its like, and generators, are such; the program calls {callees}"
    raise MlcError(f"calls take Python objects ({kinds}), which no file can hold", hint=hint)


def _plain(output: Any) -> Any:
    if isinstance(output, ConstantOutput) and not isinstance(output.value, int | float | str | None):
        raise MlcError(f"the model returns {output.value!r}, which no file can hold", hint="return tensors and numbers")
    return output
