"""Are the packages that Python finds under our names ours?

`passes`, `lowering` and `tools` are common names. A project with a `passes/` of its own on
the path would otherwise break mlc with an import error about a module nobody knows.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

from mlc_support.errors import MlcError

PACKAGES = ("mlc_support", "mlc_dialects", "passes", "lowering", "mlc_runtime", "mlc_compiler", "tools")


def check_packages(names: Sequence[str] = PACKAGES) -> None:
    """Each package of mlc is the one installed beside this very file.

    Works in a checkout, an editable install and a wheel: there the packages share one
    parent folder. Raises `MlcError` that names the path of the first stranger.
    """
    home = Path(__file__).resolve().parent.parent
    for name in names:
        spec = _find(name)
        found = None if spec is None else _path(spec)
        if found != home / name:
            raise _shadowing_error(name, found, home)


def _find(name: str) -> ModuleSpec | None:
    """What `import name` gives or would give, without importing it."""
    loaded = sys.modules.get(name)
    if loaded is not None:
        return loaded.__spec__ or ModuleSpec(name, None, origin=getattr(loaded, "__file__", None))
    return find_spec(name)


def _path(spec: ModuleSpec) -> Path | None:
    """The folder of a package, or the file of a module; None for one without either."""
    if spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations))).resolve()
    return Path(spec.origin).resolve() if spec.origin else None


def _shadowing_error(name: str, found: Path | None, home: Path) -> MlcError:
    """The error for package `name`, found at `found` rather than under `home`."""
    if found is None:
        return MlcError(
            f"mlc's package `{name}` is missing",
            str(home / name),
            "reinstall mlc: its packages belong side by side in one folder",
        )
    return MlcError(
        f"another `{name}` shadows the package `{name}` of mlc",
        str(found),
        f"mlc needs {home / name}\nrename the other `{name}`, or put {home} before it on sys.path (PYTHONPATH)",
    )
