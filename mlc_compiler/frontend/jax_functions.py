"""Functions of jax as `mlc_tensor`, by the StableHLO that jax itself hands to XLA.

compiled = compile_imported(from_jax(jax.nn.softmax, jnp.ones((4, 6))))
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

from xdsl.dialects import func

from lowering.fx_to_tensor.imported import Imported, ResultOutput
from lowering.stablehlo_to_tensor import import_stablehlo
from mlc_support.errors import MlcError


def from_jax(fn: Callable[..., Any], *args: Any) -> Imported:
    """`fn`, as jax traces it with `args`: arrays, or nested containers of them, or `jax.ShapeDtypeStruct`.

    The inputs of what comes back are the leaves of `args`, its outputs those of what `fn` returns, each in jax's
    order. Arrays that `fn` closes over are constants. MlcError where jax is missing, cannot trace `fn`, or what it
    makes of it is outside: the line is one of `jax.jit(fn).lower(*args).as_text()`.
    """
    try:
        jax: Any = import_module("jax")
    except ImportError as error:
        raise MlcError(f"from_jax needs jax: {error}", None, "pip install 'jax>=0.10,<0.11'") from error
    name = getattr(fn, "__name__", type(fn).__name__)
    try:
        text = jax.jit(fn, keep_unused=True).lower(*args).as_text(debug_info=True)
    except Exception as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise MlcError(f"jax cannot trace {name}: {reason}") from error
    module = import_stablehlo(text, f"{name}.stablehlo.mlir", sources=True)
    (function,) = (op for op in module.ops if isinstance(op, func.FuncOp))
    for argument, hint in zip(function.body.block.args, _names(jax, fn, args), strict=True):
        argument.name_hint = hint
    outputs = tuple(ResultOutput(i) for i in range(len(function.function_type.outputs)))
    return Imported(module, outputs=outputs)


def _names(jax: Any, fn: Callable[..., Any], args: tuple[Any, ...]) -> list[str]:
    """A name for each leaf of `args`: that of its parameter, and the way to it: `params_w` for params["w"]."""
    try:
        parameters = [*inspect.signature(fn).parameters.values()]
    except (TypeError, ValueError):
        parameters = []
    plain = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    leaves, _ = jax.tree_util.tree_flatten_with_path(args)
    names: list[str] = []
    for path, _ in leaves:
        first, rest = path[0].idx, jax.tree_util.keystr(path[1:])
        base = plain[first] if first < len(plain) else f"arg{first}"
        names.append(re.sub(r"\W+", "_", base + rest).strip("_"))
    return names
