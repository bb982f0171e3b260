"""The reference interpreter: runs a function of `mlc_tensor` ops, or a host program of `mlc_loop`, on numpy arrays.

    outputs = run(module, [x, y])

It is the meaning that every pass must keep. Arrays come and go in numpy types; bfloat16,
which numpy lacks, is float32 that bfloat16 can hold (other float32 is rounded on entry).
Named sizes get their numbers from the shapes of the inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from lowering.host.named_sizes import bind_sizes
from lowering.interpreter.calls import call
from lowering.interpreter.loops import run_host
from mlc_dialects.common.types import element_type, shape_of
from mlc_dialects.semantics.numerics import Array, Value, value_of
from mlc_dialects.semantics.tensor import Sizes, evaluate
from mlc_dialects.tensor.calls import ExternOp, FusionOp, YieldOp
from mlc_dialects.tensor.composite_op import CompositeOp
from mlc_support.errors import MlcError
from mlc_support.locations import location_of

Environment = dict[SSAValue, Value]


def run(module: ModuleOp, inputs: Sequence[Any], name: str | None = None) -> list[Array]:
    """The results of function `name`, or of the only function, on `inputs`.

    Raises `MlcError` where inputs do not fit, or an op has no meaning without PyTorch.
    """
    return [value.array for value in run_values(module, inputs, name)]


def run_values(module: ModuleOp, inputs: Sequence[Any], name: str | None = None) -> list[Value]:
    """As `run`, with the element type of each result."""
    function = find_function(module, name)
    types = [argument.type for argument in function.body.block.args]
    if len(inputs) != len(types):
        raise MlcError(f"@{function.sym_name.data} takes {len(types)} inputs, found {len(inputs)}")
    if any(isinstance(t, MemRefType) for t in (*types, *function.function_type.outputs)):
        return run_host(module, function, inputs)
    sizes = bind_sizes(types, [np.shape(i) for i in inputs])
    values = [value_of(i, element_type(t)) for i, t in zip(inputs, types, strict=True)]
    return _run_block(function.body.block, values, sizes)


def find_function(module: ModuleOp, name: str | None = None) -> func.FuncOp:
    """The function called `name`, or the only one that has a body."""
    functions = [op for op in module.ops if isinstance(op, func.FuncOp) and not op.is_declaration]
    wanted = [f for f in functions if name is None or f.sym_name.data == name]
    if len(wanted) == 1:
        return wanted[0]
    known = ", ".join(f"@{f.sym_name.data}" for f in functions)
    problem = "which function to run?" if name is None else f"no function @{name}"
    raise MlcError(problem, None, f"the module has {known or 'no function'}")


def _run_block(block: Block, arguments: Sequence[Value], sizes: Sizes) -> list[Value]:
    """The operands of the terminator, after every op in order."""
    values: Environment = dict(zip(block.args, arguments, strict=True))
    for op in block.ops:
        operands = [values[v] for v in op.operands]
        if isinstance(op, func.ReturnOp | YieldOp):
            return operands
        values |= zip(op.results, _run_op(op, operands, sizes), strict=True)
    raise MlcError("the block ends in neither func.return nor mlc_tensor.yield", None)


def _run_op(op: Operation, operands: Sequence[Value], sizes: Sizes) -> list[Value]:
    fail = partial(MlcError, location=location_of(op))
    if isinstance(op, FusionOp):
        return _run_block(op.body.block, operands, sizes)
    if isinstance(op, CompositeOp):
        return _run_block(op.decomposition(), operands, sizes)
    if isinstance(op, ExternOp) and (found := call(op, operands)) is not None:
        return found
    if isinstance(op, ExternOp):
        raise fail(
            f"the interpreter cannot run {op.callee.data}",
            hint="only PyTorch can: lower the module and run that",
        )
    try:
        result = evaluate(op, operands, sizes)
    except NotImplementedError as error:
        raise fail(f"{op.name} has no meaning for the interpreter") from error
    except KeyError as error:
        raise fail(f"{op.name}: no input has the size {error.args[0]}") from error
    except ValueError as error:
        raise fail(f"{op.name}: {error}") from error
    expected = tuple(s.evaluate(sizes) for s in shape_of(op.results[0].type))
    if result.shape != expected:
        raise fail(f"{op.name} gives shape {result.shape}, and its type says {expected}")
    return [result]
