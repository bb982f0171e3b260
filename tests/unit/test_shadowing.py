"""A stranger's `passes/` is named, not stumbled over."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from mlc_support import shadowing
from mlc_support.errors import MlcError

ROOT = Path(__file__).parents[2]


def test_our_own_packages_are_fine() -> None:
    shadowing.check_packages()


@pytest.mark.parametrize("layout", ["passes/__init__.py", "passes.py"])
def test_a_stranger_earlier_on_the_path(layout: str, tmp_path: Path) -> None:
    stranger = tmp_path / layout
    stranger.parent.mkdir(exist_ok=True)
    stranger.write_text("")
    code = (
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(ROOT)!r}]\n"
        "from mlc_support.shadowing import check_packages\n"
        "check_packages()"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 1
    assert "another `passes` shadows the package `passes` of mlc" in result.stderr
    assert str(tmp_path / "passes") in result.stderr


def test_a_stranger_already_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    stranger = ModuleType("lowering")
    stranger.__file__ = "/elsewhere/lowering.py"
    monkeypatch.setitem(sys.modules, "lowering", stranger)
    with pytest.raises(MlcError, match="another `lowering`") as caught:
        shadowing.check_packages()
    assert caught.value.location == "/elsewhere/lowering.py"


def test_a_package_that_is_missing() -> None:
    with pytest.raises(MlcError, match="`no_such_package` is missing"):
        shadowing.check_packages(["no_such_package"])


def test_packages_installed_side_by_side(tmp_path: Path) -> None:
    """The layout of a wheel: one folder that is not a checkout."""
    for name in shadowing.PACKAGES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    for name in ("errors", "shadowing"):
        source = ROOT / "mlc_support" / f"{name}.py"
        (tmp_path / "mlc_support" / f"{name}.py").write_text(source.read_text())
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from mlc_support.shadowing import check_packages\n"
        "check_packages()"
    )
    subprocess.run([sys.executable, "-c", code], cwd="/", check=True)


def test_a_console_script_names_the_tools_of_a_stranger(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "__init__.py").write_text("")
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    for name, target in scripts.items():
        module, _, function = target.partition(":")
        code = f"import sys; from {module} import {function}; sys.exit({function}())"
        path = os.pathsep.join([str(tmp_path), str(ROOT)])
        found = subprocess.run(
            [sys.executable, "-c", code, "--help"],
            cwd=tmp_path, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert found.returncode == 1 and "Traceback" not in found.stderr, name
        assert f"another `tools` shadows the package `tools` of mlc\n  --> {tmp_path / 'tools'}" in found.stderr
