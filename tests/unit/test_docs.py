"""What the documentation lists is what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.cases import AWKWARD, MICRO, REGIONS
from benchmarks.records import Result, load
from benchmarks.report import mean, speedup
from mlc_compiler.machine import Machine
from mlc_compiler.options import CompilerOptions
from mlc_compiler.pipeline import LEVELS, PIPELINE, lower_to
from tests.shell import run
from tools.mlc_translate import import_target
from tools.universe import PASSES

ROOT = Path(__file__).parents[2]


def test_the_readme_lists_the_pipeline() -> None:
    """Every pass in its order, those of all options included."""
    diagram = (ROOT / "README.md").read_text(encoding="utf-8").partition("## The path of a program")[2].split("```")[1]
    told = [text for text in re.findall(r"^   │  (?:passes:|       ) (.*)$", diagram, re.MULTILINE)]
    options = CompilerOptions(freeze=True, mode="max-autotune")
    passes = [step.name for stage in PIPELINE for step in stage.passes(options, Machine())]
    assert [name for text in told for name in text.rstrip(",").split(", ")] == passes


def test_the_path_is_what_is_printed() -> None:
    """Every line of the excerpts in docs/path.md is a line of some level."""
    page = (ROOT / "docs/path.md").read_text(encoding="utf-8")
    spec, args = re.findall(r"^mlc-translate (\S+) --args (\S+) ", page, re.MULTILINE)[0]
    module = import_target(str(ROOT / spec), args).module
    printed = {line.strip() for level in LEVELS for line in str(lower_to(module.clone(), level)).splitlines()}
    excerpts = re.findall(r"^```(?:mlir|python)\n(.*?)^```", page.partition("\n## 2. ")[2], re.MULTILINE | re.DOTALL)
    lines = {line.strip() for text in excerpts for line in text.splitlines()} - {"...", ""}
    assert len(excerpts) >= 5 and lines <= printed, "\n".join(sorted(lines - printed))


def test_the_folders_of_the_documentation_exist() -> None:
    """In the README's table of folders and in the headings of docs/path.md."""
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("## The folders")[2].partition("\n## ")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    headings = re.findall(r"^## \d+\. (.*)$", (ROOT / "docs/path.md").read_text(encoding="utf-8"), re.MULTILINE)
    folders = [name for text in (*cells, *headings) for name in re.findall(r"`([a-z_]+(?:/[a-z_]*)*)`", text)]
    assert len(folders) > 20
    assert [name for name in folders if name != "mlc_tensor" and not (ROOT / name).is_dir()] == []


def test_the_readme_measures_what_was_measured() -> None:
    """The table of fractions, and what is said of time to compile and of the slowest cases."""
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    results = load(ROOT / "benchmarks/results/micro_h200.json").results
    rows = {"operations and short chains": MICRO, "regions": REGIONS, "awkward sizes": AWKWARD}
    for title, cases in rows.items():
        names = {c.name for c in cases}
        chosen = [r for r in results if r.name in names]
        shares = [_share(chosen, b) for b in ("eager", "inductor", "max-autotune", "xla", "mlc")]
        row = f"| {title} | {' | '.join(shares)} | {mean(_ratios(chosen, 'inductor')):.2f} |"
        assert " ".join(row.split()) in text
    worst = [f"{min(_ratios(results, b)):.2f}" for b in ("inductor", "max-autotune", "xla")]
    least = f"of Inductor's speed is {worst[0]}, of its max-autotune's {worst[1]}, and of XLA's {worst[2]}."
    assert f"The least that it reaches {least}" in text
    compiled = [r.backends["mlc"].compile_seconds / r.backends["inductor"].compile_seconds for r in results]  # type: ignore
    assert f"mlc compiles in {mean(compiled):.2f} of Inductor's time" in text


def _share(results: list[Result], backend: str) -> str:
    """The geometric mean of the fractions; empty where a backend was not measured."""
    found = [m.of_copy for r in results if (m := r.backends.get(backend)) is not None and m.of_copy is not None]
    return f"{mean(found):.2f}" if found else ""


def _ratios(results: list[Result], backend: str) -> list[float]:
    return [x for r in results if (x := speedup(r, theirs=backend)) is not None]


def _commands() -> list[tuple[str, list[str]]]:
    """The commands of docs/mlc-opt.md, each with the lines that stand under it."""
    page = (ROOT / "docs/mlc-opt.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    told = [text.split("\n") for block in blocks for text in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, lines[:-1]) for command, *lines in told]


def test_the_commands_of_mlc_opt_print_what_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands under a command is what it prints, whole but for `...`; where nothing does, it succeeds."""
    page = (ROOT / "docs/mlc-opt.md").read_text(encoding="utf-8")
    (graph,) = re.findall(r"^```mlir\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "graph.mlir").write_text(graph)
    monkeypatch.chdir(tmp_path)
    assert len(_commands()) > 12
    for command, lines in _commands():
        result = run(f"{command} 2>&1", tmp_path / "graph.mlir", tmp_path)[-1]
        assert result.code == any(line.startswith("error: ") for line in lines), result.report()
        parts = "\n".join(lines).split("...")
        wanted = ".*".join(re.escape(part) for part in parts)
        assert not lines or re.fullmatch(wanted, result.stdout.decode().strip("\n"), re.DOTALL), result.report()


def test_passes_begin_with_their_name() -> None:
    """`name: what it does` is how the file of a pass begins."""
    for name, path in PASSES.items():
        file = ROOT / (path.partition(":")[0].replace(".", "/") + ".py")
        assert file.read_text(encoding="utf-8").startswith(f'"""{name}: '), file
