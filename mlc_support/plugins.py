"""What other packages add to mlc, by entry points of their `pyproject.toml`.

    [project.entry-points."mlc.policies"]
    pairs = "their_package.policy:Pairs"

Packages are looked for when a name is asked for that mlc does not know itself: no run executes code of others unasked.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from mlc_support.errors import MlcError

POLICIES = "mlc.policies"
"""Fusion policies by name: subclasses of `passes.tensor.fusion.policy.FusionPolicy`."""
RULES = "mlc.rules"
"""Sets of rules by name, for `simplify{rules=NAME}`: sequences of `mlc_support.rewriting.Rule`."""
UNIVERSES = "xdsl.universe"
"""Dialects, passes and targets: the group of xDSL's own tools, of `xdsl.universe.Universe`."""


def added(group: str) -> dict[str, Any]:
    """The entry points of `group` by name, none of them loaded yet; the first of two of one name."""
    points = import_module("importlib.metadata").entry_points(group=group)  # 20 ms that most runs do not spend
    return {point.name: point for point in reversed(tuple(points))}


def loaded(point: Any, is_right: Callable[[Any], bool], expected: str) -> Any:
    """What an entry point names. Raises `MlcError` where its package fails, or where it is not what is `expected`."""
    found = attempted(point, point.load)
    if not is_right(found):
        raise MlcError(f"plug-in `{point.name}`: expected {expected}, found {found!r}", _place(point), _REMEDY)
    return found


def attempted(point: Any, make: Callable[[], Any]) -> Any:
    """`make()`, code of the package of an entry point; `MlcError` names it where that fails."""
    try:
        return make()
    except Exception as error:  # what a stranger's module raises may be anything
        what = f"plug-in `{point.name}` cannot be loaded: {type(error).__name__}: {error}"
        raise MlcError(what, _place(point), _REMEDY) from error


_REMEDY = "mend or uninstall the package that declares it"


def _place(point: Any) -> str:
    return f"{point.group}: {point.name} = {point.value}"
