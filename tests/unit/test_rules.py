"""Rules have names, and every op has a round trip in a FileCheck test."""

from __future__ import annotations

from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.universe import XDSL_UNIVERSE

from mlc_dialects.loop.dialect import MlcLoop
from mlc_dialects.tensor.dialect import MlcTensor
from mlc_support.parsing import parse_module
from passes.tensor.canonicalize.canonicalize import RULES
from passes.tensor.simplify.fast_math import FAST
from passes.tensor.simplify.simplify import EXACT
from tools.universe import dialect_factories

ROOT = Path(__file__).parents[1] / "filecheck"


def modules(pattern: str) -> list[ModuleOp]:
    """The modules of the FileCheck tests that match."""
    context = Context()
    for dialect, factory in (XDSL_UNIVERSE.all_dialects | dialect_factories()).items():
        context.register_dialect(dialect, factory)
    return [parse_module(context, path.read_text(encoding="utf-8")) for path in sorted(ROOT.glob(pattern))]


def test_rules_have_names_of_their_own() -> None:
    """Traces and budget errors print names."""
    rules = (*RULES, *EXACT, *FAST)
    assert len({r.name for r in rules}) == len(rules)


def test_every_op_has_a_round_trip() -> None:
    """In custom form and through the generic one."""
    found = {op.name for module in modules("dialects/[!e]*[!s].mlir") for op in module.walk()}
    found |= {op.name for module in modules("dialects/elementwise.mlir") for op in module.walk()}
    known = {op.name for dialect in (MlcTensor, MlcLoop) for op in dialect.operations}
    assert known <= found
