"""Who may import whom: the table of the design's folders, held over every import."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlc_dialects.common import annotations

ROOT = Path(__file__).parents[2]

SUPPORT = {"mlc_support", "xdsl"}
RUNTIME = {"mlc_support", "mlc_runtime", "torch"}
DIALECTS = SUPPORT | {"mlc_dialects", "numpy"}
PASSES = DIALECTS | {"passes"}
LOWERING = DIALECTS | {"lowering"}
COMPILER = PASSES | LOWERING | RUNTIME | {"mlc_compiler", "triton", "greenlet"}
EVERYTHING = COMPILER | {"tools"}

MAY_IMPORT = {
    "mlc_support": SUPPORT,
    "mlc_dialects": DIALECTS,
    "passes": PASSES,
    "lowering": LOWERING,
    "mlc_runtime": RUNTIME,
    "mlc_compiler": COMPILER,
    "tools": EVERYTHING,
}
"""What each package may import beside the standard library."""

MAY_IMPORT_TOO = {
    "lowering/fx_to_tensor": {"torch", "mlc_runtime"},
    "lowering/loop_to_llvm": {"llvmlite"},
    "mlc_compiler/cpu": {"llvmlite"},
}
"""What a file or a package may import beyond its package's row."""

FILES = sorted(path for package in MAY_IMPORT for path in (ROOT / package).rglob("*.py"))
ANNOTATIONS = "mlc_dialects/common/annotations.py"
GENERATED = ROOT / "tests" / "golden"
READ = sorted(
    path for folder in (*MAY_IMPORT, "benchmarks", "examples", "tests") for path in (ROOT / folder).rglob("*.py")
    if GENERATED not in path.parents
)  # fmt: skip
"""What people read."""
LINES_WANTED, LINES_ALLOWED = 400, 420


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _imports(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """The top-level packages a file imports, anywhere in it, and the lines it does so."""
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                yield from ((alias.name.partition(".")[0], node.lineno) for alias in node.names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module.partition(".")[0], node.lineno
            case _:
                pass


def _allowed(name: str) -> set[str]:
    """What the file called `name` may import."""
    allowed = set(MAY_IMPORT[name.partition("/")[0]])
    for prefix, more in MAY_IMPORT_TOO.items():
        if name == f"{prefix}.py" or name.startswith(f"{prefix}/"):
            allowed |= more
    return allowed


def _breaches(source: str, name: str) -> list[str]:
    """The imports of a file that the table does not allow."""
    allowed = _allowed(name) | set(sys.stdlib_module_names)
    found = _imports(ast.parse(source, name))
    return [f"{name}:{line} imports {package}" for package, line in found if package not in allowed]


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_imports_follow_the_table(path: Path) -> None:
    """A package imports what its row allows, lazy imports included."""
    assert not _breaches(path.read_text(encoding="utf-8"), _name(path))


@pytest.mark.parametrize(
    ("name", "line", "legal"),
    [
        ("lowering/fx_to_tensor/__init__.py", "import torch.fx", True),
        ("lowering/fx_to_tensor.py", "from torch import fx", True),
        ("lowering/fx_to_tensors.py", "import torch", False),
        ("lowering/triton_to_source/kernels.py", "import triton", False),
        ("lowering/tensor_to_loop/lower.py", "from passes.common.cse import CsePass", False),
        ("passes/common/cse.py", "def f():\n    import lowering", False),
        ("mlc_support/errors.py", "import numpy as np", False),
        ("mlc_dialects/common/types.py", "import numpy as np", True),
        ("mlc_runtime/model.py", "import torch", True),
        ("mlc_runtime/model.py", "from xdsl.ir import Operation", False),
        ("mlc_runtime/model.py", "import mlc_compiler", False),
        ("mlc_compiler/frontend/backend.py", "import triton.language as tl", True),
        ("mlc_compiler/frontend/backend.py", "from tools import universe", False),
    ],
)
def test_the_law_itself(name: str, line: str, legal: bool) -> None:
    """The check sees what it is meant to see."""
    assert (not _breaches(line, name)) is legal


def test_mlc_opt_starts_without_torch() -> None:
    """`mlc-opt` imports neither torch nor triton nor numpy, and runs a pass so."""
    code = (
        "import sys, io\n"
        "import tools.mlc_opt\n"
        "sys.stdin = io.TextIOWrapper(io.BytesIO(b'func.func @f() { func.return }'))\n"
        "assert tools.mlc_opt.main(['-p', 'licm']) == 0\n"
        "print([name for name in ('torch', 'triton', 'numpy') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("option", ["--help", "--help-options", "--completion=bash", "--version"])
def test_help_loads_no_pass(option: str) -> None:
    """What `mlc-opt` says of its passes is read from their files: neither they nor the dialects are imported."""
    code = (
        "import sys, tools.mlc_opt\n"
        f"assert tools.mlc_opt.main([{option!r}]) == 0\n"
        "heavy = ('torch', 'triton', 'numpy', 'passes', 'lowering', 'mlc_dialects', 'mlc_compiler')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"


def test_the_compiler_runs_in_mlc_opt_without_torch(tmp_path: Path) -> None:
    """The stages of the compiler, to Triton's source, load neither torch nor triton."""
    path = tmp_path / "in.mlir"
    path.write_text(
        "func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
        "  %y = mlc_tensor.sin %x : tensor<8xf32>\n  func.return %y : tensor<8xf32>\n}\n"
    )
    code = (
        "import sys, tools.mlc_opt\n"
        f"assert tools.mlc_opt.main([{str(path)!r}, '-p', 'triton', '-t', 'triton']) == 0\n"
        "print([name for name in ('torch', 'triton') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "@triton.jit" in result.stdout
    assert result.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("path", READ, ids=_name)
def test_files_stay_readable(path: Path) -> None:
    """A file has about 400 lines at most."""
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= LINES_ALLOWED, f"{_name(path)} has {lines} lines; {LINES_WANTED} is the aim: split it"


def test_annotations_are_named_once() -> None:
    """What programs say in attributes called `mlc.` is spelled in one table, and imported from there."""
    spelled = {f'"{v}"' for v in vars(annotations).values() if isinstance(v, str) and v.startswith("mlc.")}
    texts = {_name(path): path.read_text(encoding="utf-8") for path in FILES}
    assert spelled and not [n for n, t in texts.items() if n != ANNOTATIONS and any(s in t for s in spelled)]
