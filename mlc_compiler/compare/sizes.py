"""Sizes without numbers: nothing that is said of bytes and times may be a guess."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import SSAValue

from lowering.interpreter.run import find_function
from mlc_dialects.common.types import shape_of
from mlc_support.errors import MlcError


def names_of_sizes(values: Iterable[SSAValue]) -> list[str]:
    """The names in the shapes of some values, once each."""
    sizes = (size for v in values if isinstance(v.type, TensorType) for size in shape_of(v.type))
    return list(dict.fromkeys(name for size in sizes for name in sorted(v.name for v in size.variables())))


def input_sizes(module: ModuleOp) -> list[str]:
    """The sizes of the inputs that have no number."""
    return names_of_sizes(find_function(module).body.block.args)


def check_sizes(module: ModuleOp) -> None:
    """MlcError where sizes of the inputs have no numbers: it asks for them."""
    named = input_sizes(module)
    if named:
        example = ",".join(f"{name}=512" for name in named)
        what = f"the sizes {', '.join(named)} need numbers" if len(named) > 1 else f"the size {named[0]} needs a number"
        raise MlcError(what, None, f"for example --shapes {example}")
