"""Golden kernels: generated sources are those that are committed, and so are the resources of a few."""

from __future__ import annotations

import difflib

import pytest
import triton

from benchmarks.cases import CASES
from mlc_compiler.aot import compile_many
from tests.golden_kernels import FOLDER, PLACE, SHOWN, TORCH, graphs, load, numbers, read_table, requests, sources

FAMILIES = sorted(path.stem for path in FOLDER.glob("*.mlir"))
COMPILED = ("softmax bf16 65536x4096", "relu(x*2 + 1) f32", "sum of columns bf16", "transpose f32")
"""Cases whose kernels are compiled here; `make golden` compiles all."""
IMPORTED = 16
"""Every so many graphs one is imported anew; `make golden` imports all."""
HINT = "if this is meant: make golden, and look at the diff"


@pytest.mark.parametrize("family", FAMILIES)
def test_generated_sources(family: str) -> None:
    """The text of every kernel and host program of a family."""
    wanted, found = load(FOLDER / f"{family}.py", "#"), sources(load(FOLDER / f"{family}.mlir", "//"))
    assert list(found) == list(wanted), HINT
    for name, text in found.items():
        if text != wanted[name]:
            lines = difflib.unified_diff(wanted[name].splitlines(), text.splitlines(), "committed", "now", lineterm="")
            pytest.fail(f"{family}: {name}: {HINT}\n" + "\n".join(lines), pytrace=False)


def test_imported_graphs() -> None:
    """Every case is there, and a few of them import to what is committed."""
    known = {(family, name) for family in FAMILIES for name in load(FOLDER / f"{family}.mlir", "//")}
    assert {(c.family, c.name) for c in CASES} <= known, HINT
    if not (FOLDER / f"{FAMILIES[0]}.mlir").read_text().startswith(f"// torch {TORCH}\n"):
        pytest.skip(f"the graphs were not imported by torch {TORCH}")
    for family, name, read in list(graphs())[::IMPORTED]:
        assert str(read()) + "\n" == load(FOLDER / f"{family}.mlir", "//")[name], f"{family}: {name}: {HINT}"


@pytest.mark.slow
def test_resources_of_compiled_kernels() -> None:
    """Registers, spills, shared memory, widths of loads: as the table says, and nothing spills."""
    version, rows = read_table()
    if version.split(".")[:2] != triton.__version__.split(".")[:2]:
        pytest.skip(f"the table is of Triton {version}, here is {triton.__version__}")
    wanted = {family: load(FOLDER / f"{family}.mlir", "//") for family in FAMILIES}
    few = {f: {n: text for n, text in texts.items() if n in COMPILED} for f, texts in wanted.items()}
    found = requests(few)
    stale = [name for name, (digest, _) in found.items() if rows.get(name, [""])[0] != digest]
    assert not stale, f"the table lacks {stale}; {HINT}"
    for name, used in zip(found, compile_many([request for _, request in found.values()]), strict=True):
        assert numbers(used) == rows[name][1:], f"{name}: {HINT}"
        assert used.spill_bytes == 0 and used.vector_loads == used.loads, name


def test_no_kernel_of_the_table_spills() -> None:
    """Every benchmark and example as it was last compiled; the shared memory of a program is what an H200 has."""
    _, rows = read_table()
    used = {name: dict(zip(SHOWN, row[1:], strict=True)) for name, row in rows.items()}
    assert len(used) > len(CASES)
    assert [name for name, u in used.items() if u["spill_bytes"] or int(u["shared_bytes"]) > 227 * 1024] == []


def test_user_lines_are_left_out() -> None:
    """What a line of the benchmark says is no change of the compiler's."""
    text = "x = a + b  # model.py:12  y = x # 2\ny = 1  # a row of 8\n"
    assert PLACE.sub("", text) == "x = a + b\ny = 1  # a row of 8\n"
