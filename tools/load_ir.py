"""A module from a file of IR."""

from __future__ import annotations

import os
import re
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp, StringAttr

from lowering.stablehlo_to_tensor import import_stablehlo
from mlc_dialects.loop.host import CallOp
from mlc_dialects.tensor.calls import ExternOp
from mlc_support.errors import MlcError
from mlc_support.locations import location_of
from mlc_support.parsing import parse_module
from mlc_support.python_text import NAMESPACES
from mlc_support.verification import verify_module
from tools.corpus import STABLEHLO
from tools.universe import context


def load_ir(path: Path, stablehlo: bool = False) -> ModuleOp:
    """The module in `path`, valid; of a file called *.stablehlo.mlir, or told to be such, what its StableHLO means.

    MlcError says what is wrong with the file or the module.
    """
    if not path.is_file():
        raise MlcError(f"no such file: {path}")
    text = path.read_bytes()
    foreign = stablehlo or path.name.endswith(STABLEHLO)
    module = import_stablehlo(text, str(path)) if foreign else _parsed(text, path)
    verify_module(module)
    refuse_foreign_calls(module)
    return module


def _parsed(text: bytes, path: Path) -> ModuleOp:
    try:
        return parse_module(context(), text, str(path))
    except MlcError as error:
        if "unknown dialect `stablehlo`" not in error.message:
            raise
        hint = f"mlc-translate --from stablehlo reads it, and every tool a file called NAME{STABLEHLO}"
        raise MlcError(error.message, error.location, hint) from error


def refuse_foreign_calls(module: ModuleOp) -> None:
    """MlcError at a call of an operator that is neither PyTorch's nor of a namespace in MLC_NAMESPACES.

    Who loads a file may run it, and files come from strangers.
    """
    allowed = NAMESPACES | set(os.environ.get("MLC_NAMESPACES", "").split(","))
    for op in module.walk():
        callee = op.properties.get("callee") if isinstance(op, ExternOp | CallOp) else None
        if isinstance(callee, StringAttr) and re.split(r"[.\[]", callee.data)[0] not in allowed:
            hint = "MLC_NAMESPACES=a,b allows operators of your own namespaces a and b"
            raise MlcError(f"{op.name}: {callee.data!r} is no operator of PyTorch", location_of(op), hint)
