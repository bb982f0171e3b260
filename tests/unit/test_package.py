"""The project as a package: what is built installs by itself, and works outside of the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

from mlc_support.shadowing import PACKAGES
from tests.pages import dependencies

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
SITE = Path(sysconfig.get_path("purelib")).relative_to(Path(sys.prefix) / "lib")
FILES = ("pyproject.toml", "README.md", "LICENSE", "mlc.py")
MLIR = "func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {\n  %y = mlc_tensor.neg %x : tensor<8xf32>\n"
MLIR += "  %z = mlc_tensor.neg %y : tensor<8xf32>\n  func.return %z : tensor<8xf32>\n}\n"


def python(folder: Path, *arguments: str, by: Path = Path(sys.executable), **variables: str) -> str:
    """What the Python `by` prints that runs in `folder`."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "MLC_CPU")} | variables
    environment |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run([by, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
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
def installed(wheel: Path) -> Path:
    """The Python of a new virtual environment that has the wheel, what it depends on, and no checkout."""
    environment = wheel.parent / "environment"
    venv.create(environment)
    (environment / "lib" / SITE / "dependencies.pth").write_text(f"{dependencies(wheel.parent / 'dependencies')}\n")
    made = environment / "bin" / "python"
    python(wheel.parent, "-m", "pip", "--python", str(made), "install", "-q", "--no-deps", "--no-index", str(wheel))
    return made


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


@pytest.mark.slow
def test_the_tools_run_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "in.mlir").write_text(MLIR)
    (tmp_path / "model.py").write_text("def f(x):\n    return x.exp().sum(-1)\n")
    for script in PROJECT["scripts"]:
        assert (installed.parent / script).is_file()
    printed = python(tmp_path, str(installed.parent / "mlc-opt"), "in.mlir", "-p", "simplify", by=installed)
    assert "func.return %x" in printed and "mlc_tensor.neg" not in printed
    compared = ("model.py:f", "--args", "64x128xf32", "--peers", "none", "--html", "page.html")
    printed = python(tmp_path, str(installed.parent / "mlc-compare"), *compared, by=installed)
    assert "inductor" in printed and "</html>" in (tmp_path / "page.html").read_text()


@pytest.mark.slow
def test_torch_compile_runs_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    """Its backend is found without an import, by the entry points of the distribution; kernels are machine code."""
    names = ("mlc", *PACKAGES)
    code = (
        "import torch\n"
        "x = torch.randn(8, 64)\n"
        "compiled = torch.compile(lambda x: torch.softmax(x, -1) + 1, backend='mlc', options={'report': 'report'})\n"
        "torch.testing.assert_close(compiled(x), torch.softmax(x, -1) + 1)\n"
        "from importlib.metadata import version\n"
        "from importlib import import_module\n"
        f"print(version('mlc'), *(import_module(name).__file__ for name in {names}))\n"
    )
    printed = python(tmp_path, "-c", code, by=installed, MLC_CACHE_DIR=str(tmp_path / "cache"))
    version, *files = printed.split()
    assert version == PROJECT["version"] and (tmp_path / "report" / "index.html").is_file()
    assert len(files) == len(names) and all(Path(file).is_relative_to(installed.parents[1]) for file in files)
