"""What other packages add: the example of one is installed, and does all that it says; a broken one is named."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlc_compiler.compare.comparison import compare
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import lower_to, steps_to
from mlc_support.errors import MlcError
from mlc_support.parsing import parse_module
from passes.tensor.simplify.simplify import SimplifyPass
from tests.shell import run, run_lines
from tools import mlc_opt, mlc_translate
from tools.universe import context

EXAMPLE = Path(__file__).parents[2] / "examples" / "plugin"
TEST = EXAMPLE / "tests" / "affine.mlir"
CHAIN = """\
func.func @f(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %a = mlc_tensor.exp %x : tensor<64x512xf32>
  %b = mlc_tensor.sin %a : tensor<64x512xf32>
  %c = mlc_tensor.cos %b : tensor<64x512xf32>
  func.return %c : tensor<64x512xf32>
}
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the example package is installed into, from a copy, which the build writes into."""
    folder = tmp_path_factory.mktemp("plugin")
    shutil.copytree(EXAMPLE, folder / "source")
    options = ["--no-deps", "--no-build-isolation", "--disable-pip-version-check", "-q"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", folder / "site", folder / "source"]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return folder / "site"


@pytest.fixture
def installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package is there, and gone again."""
    monkeypatch.syspath_prepend(site)
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "mlc_example"]:
        del sys.modules[name]


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("line", run_lines(TEST))
def test_the_tests_of_the_example(line: str, tmp_path: Path) -> None:
    results = run(line, TEST, tmp_path)
    assert results[-1].code == 0, "\n\n".join(result.report() for result in results)


@pytest.mark.usefixtures("installed")
def test_plug_ins_are_listed_and_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert mlc_opt.main(["--list-passes"]) == 0
    assert "plug-in  expand-affine           Spells affine functions by products and sums." in capsys.readouterr().out
    assert mlc_opt.main(["--help-pass", "expand-affine"]) == 0
    assert "  fma=bool (default false)\n      Round once, at the end." in capsys.readouterr().out
    assert mlc_opt.main(["--list-targets"]) == 0
    assert "dot                     `-t dot`: a module as a graph for Graphviz." in capsys.readouterr().out


@pytest.mark.usefixtures("installed")
def test_a_target_of_a_plug_in_says_its_level(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "in.mlir"
    path.write_text(CHAIN)
    assert mlc_translate.main([str(path), "--to", "dot"]) == 0
    assert '  1 [label="mlc_tensor.sin"]\n  0 -> 1\n' in capsys.readouterr().out


@pytest.mark.usefixtures("installed")
def test_the_compiler_asks_a_policy_of_a_plug_in() -> None:
    module = parse_module(context(), CHAIN)
    fused = {policy: lower_to(module.clone(), "fused", CompilerOptions(policy=policy)) for policy in ("mlc", "pairs")}
    counts = {policy: str(text).count("mlc_tensor.fusion (") for policy, text in fused.items()}
    assert counts == {"mlc": 1, "pairs": 2}


@pytest.mark.usefixtures("installed")
def test_policies_are_compared() -> None:
    rows = compare("f", parse_module(context(), CHAIN), policies=("mlc", "pairs"), peers=()).rows
    assert [(row.name, row.plan.kernels) for row in rows] == [("mlc", 1), ("pairs", 2)]
    assert any("3 ops are more than a pair" in decision.why for decision in rows[1].plan.decisions)


@pytest.mark.usefixtures("installed")
def test_the_compiler_simplifies_by_rules_of_a_plug_in() -> None:
    steps = steps_to("simplified", CompilerOptions(extra_rules=("affine",), freeze=True))
    found = [step for step in steps if isinstance(step, SimplifyPass)]
    assert len(found) == 2
    assert all("affine_identity" in [rule.name for rule in step.rules()] for step in found)
    with pytest.raises(MlcError, match="no set of rules 'afine'\n  did you mean `affine`"):
        lower_to(parse_module(context(), CHAIN), "simplified", CompilerOptions(extra_rules=("afine",)))


def test_without_the_package(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The example is not installed here: nobody knows its names."""
    chain = tmp_path / "in.mlir"
    chain.write_text(CHAIN)
    for arguments, report in (
        ([chain, "-p", "expand-affine"], "unknown pass `expand-affine`"),
        ([chain, "-p", "fuse{policy=pairs}"], "fuse: no policy 'pairs'"),
        ([chain, "-p", "simplify{extra-rules=affine}"], "simplify: no set of rules 'affine'\n  no plug-in has rules"),
        ([chain, "-t", "dot"], "unknown target `dot`"),
        ([TEST], "example.affine"),
    ):
        assert mlc_opt.main([str(argument) for argument in arguments]) == 1
        assert report in capsys.readouterr().err


@pytest.mark.parametrize(
    ("group", "code", "arguments", "report"),
    [
        ("xdsl.universe", "1 / 0", ["-p", "unheard-of"], "cannot be loaded: ZeroDivisionError: division by zero"),
        ("xdsl.universe", "thing = 3", ["-p", "unheard-of"], "expected a Universe, found 3"),
        (
            "xdsl.universe",
            "from xdsl.universe import Universe\nthing = Universe(all_passes={'their-pass': lambda: 1 / 0})",
            ["-p", "their-pass"],
            "ZeroDivisionError",
        ),
        ("mlc.policies", "import nowhere_at_all", ["-p", "fuse{policy=broken}"], "ModuleNotFoundError"),
        ("mlc.policies", "thing = int", ["-p", "fuse{policy=broken}"], "expected a subclass of FusionPolicy"),
        ("mlc.rules", "thing = (1, 2)", ["-p", "simplify{extra-rules=broken}"], "expected a sequence of rules"),
    ],
)
def test_a_broken_package_is_named(
    group: str,
    code: str,
    arguments: list[str],
    report: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    information = tmp_path / "broken-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(f"[{group}]\nbroken = broken_plug_in:thing\n")
    (tmp_path / "broken_plug_in.py").write_text(code + "\n")
    (tmp_path / "in.mlir").write_text(CHAIN)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "broken_plug_in", raising=False)
    assert mlc_opt.main([str(tmp_path / "in.mlir"), *arguments]) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: plug-in `broken`") and report in error
    assert f"  --> {group}: broken = broken_plug_in:thing\n  mend or uninstall" in error
    assert mlc_opt.main([str(tmp_path / "in.mlir"), "-p", "cse"]) == 0, "who does not ask is not disturbed"
