"""The project as a package: what is built installs by itself, and works outside of the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from mlc_support.shadowing import PACKAGES

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
FILES = ("pyproject.toml", "README.md", "LICENSE", "mlc.py")
MLIR = "func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {\n  %y = mlc_tensor.neg %x : tensor<8xf32>\n"
MLIR += "  %z = mlc_tensor.neg %y : tensor<8xf32>\n  func.return %z : tensor<8xf32>\n}\n"


def python(folder: Path, *arguments: str, path: Path | None = None) -> str:
    """What Python prints that runs in `folder`, with `path` before all else that it finds."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    environment |= {"PYTHONPATH": str(path)} if path is not None else {}
    done = subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that is built of the source distribution, which is built of a copy of the checkout."""
    folder = tmp_path_factory.mktemp("build")
    copy = folder / "copy"
    for name in PACKAGES:
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(ROOT / name, copy / name)
    build = "import sys, setuptools.build_meta as b; print(getattr(b, sys.argv[1])(sys.argv[2]))"
    archive = python(copy, "-c", build, "build_sdist", str(folder)).splitlines()[-1]
    with tarfile.open(folder / archive) as opened:
        opened.extractall(folder / "sdist", filter="data")
    (source,) = (folder / "sdist").iterdir()
    return folder / python(source, "-c", build, "build_wheel", str(folder)).splitlines()[-1]


@pytest.fixture(scope="module")
def target(wheel: Path) -> Path:
    """The folder where the wheel is installed, without what it depends on."""
    folder = wheel.parent / "installed"
    python(wheel.parent, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(folder), str(wheel))
    return folder


def test_the_wheel_has_what_the_packages_have(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        names = {name for name in opened.namelist() if ".dist-info/" not in name}
        (information,) = (name for name in opened.namelist() if name.endswith("/METADATA"))
        metadata = opened.read(information).decode()
        licence = opened.read(information.replace("METADATA", "licenses/LICENSE")).decode()
    files = (p for name in PACKAGES for p in (ROOT / name).rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    assert names == {str(p.relative_to(ROOT)) for p in files} | {"mlc.py"}
    assert {name for name in names if name.endswith("/py.typed")} == {f"{package}/py.typed" for package in PACKAGES}
    assert f"\nVersion: {PROJECT['version']}\n" in metadata
    assert "\nLicense-Expression: Apache-2.0 WITH LLVM-exception\n" in metadata
    assert "LLVM Exceptions to the Apache 2.0 License" in licence and "END OF TERMS AND CONDITIONS" in licence


def test_the_tools_run_from_the_wheel(target: Path, tmp_path: Path) -> None:
    (tmp_path / "in.mlir").write_text(MLIR)
    for script in PROJECT["scripts"]:
        assert (target / "bin" / script).is_file()
    printed = python(tmp_path, str(target / "bin" / "mlc-opt"), "in.mlir", "-p", "simplify", path=target)
    assert "func.return %x" in printed and "mlc_tensor.neg" not in printed
    where = "import mlc_support, mlc, tools; print(mlc_support.__file__, mlc.__file__, tools.__file__)"
    assert all(name.startswith(str(target)) for name in python(tmp_path, "-c", where, path=target).split())


def test_its_backend_is_found(target: Path, tmp_path: Path) -> None:
    """By the entry points of the installed distribution; its pages have their parts."""
    code = (
        "from importlib.metadata import distribution\n"
        f"found = distribution('mlc'); assert found.version == {PROJECT['version']!r}\n"
        "(entry,) = found.entry_points.select(group='torch_dynamo_backends')\n"
        "assert entry.name == 'mlc' and entry.value == 'mlc_compiler:compile_graph_module'\n"
        "import mlc_compiler.page.page as page; print(page.__file__)"
    )
    assert python(tmp_path, "-c", code, path=target).strip().startswith(str(target))
