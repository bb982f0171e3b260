"""The registry: lazy, ours first in `mlc-opt`, and harmless to xDSL's own tools."""

import importlib.metadata
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.transforms import get_all_passes
from xdsl.universe import XDSL_UNIVERSE, Universe
from xdsl.utils.arg_spec import ArgSpec

from tools import universe


@dataclass(frozen=True)
class StandIn(ModulePass):
    """A pass with an option."""

    name = "cse"

    depth: int = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Do nothing."""


def test_names_follow_one_style() -> None:
    for table in (universe.DIALECTS, universe.PASSES, universe.TARGETS):
        assert all(path.count(":") == 1 for path in table.values())
    assert all(name == name.lower() and "_" not in name for name in universe.PASSES)


def test_a_plug_in_never_clashes_with_xdsl(monkeypatch: pytest.MonkeyPatch) -> None:
    plugins = [
        SimpleNamespace(name="xdsl", load=lambda: XDSL_UNIVERSE),
        SimpleNamespace(name="mlc", load=lambda: universe.MLC),
    ]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: plugins)
    merged = Universe.get_multiverse()
    assert {"fuse", "mlc-cse", "cse", "canonicalize", "mlc-canonicalize"} <= merged.all_passes.keys()
    assert "mlc_tensor" in merged.all_dialects
    assert {"triton", "llvm", "mlc-llvm"} <= merged.all_targets.keys()
    assert merged.all_targets["mlc-llvm"]().name == "mlc-llvm"


def test_a_renamed_pass_answers_to_its_new_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(universe, "load", lambda path: StandIn)
    renamed = universe._beside_xdsl({"cse": f"{__name__}:StandIn"}, get_all_passes())["mlc-cse"]()
    made = renamed.from_spec(ArgSpec("mlc-cse", {"depth": (2,)}))
    assert isinstance(made, StandIn)
    assert (made.name, made.depth) == ("mlc-cse", 2)
    assert "cse" in get_all_passes()


def test_load_follows_a_path() -> None:
    assert universe.load("tools.universe:MLC") is universe.MLC
