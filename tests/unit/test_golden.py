"""Golden kernels: generated sources are those that are committed, and so are the resources of a few."""

from __future__ import annotations

import difflib

import pytest
import triton
from xdsl.dialects.builtin import ModuleOp

from benchmarks.cases import PINNED
from mlc_compiler.kernels.aot import compile_many
from mlc_compiler.pipeline import lower_to
from mlc_dialects.loop.dialect import KernelOp, LoadOp
from mlc_support.index_maps import divided_names
from passes.loop.analysis.coalescing import accesses, buffer_bytes
from tests.golden_kernels import FOLDER, PLACE, SHOWN, TORCH, graphs, load, numbers, read, read_table, requests, sources

FAMILIES = sorted(path.stem for path in FOLDER.glob("*.mlir"))
COMPILED = ("softmax bf16 65536x4096", "relu(x*2 + 1) f32", "sum of columns bf16", "transpose f32")
"""Cases whose kernels are compiled here; `make golden` compiles all."""
IMPORTED = 16
"""Every so many graphs one is imported anew; `make golden` imports all."""
LARGE = 1 << 16
"""Bytes of what is worth reading by vectors."""
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
    assert {(c.family, c.name) for c in PINNED} <= known, HINT
    if not (FOLDER / f"{FAMILIES[0]}.mlir").read_text().startswith(f"// torch {TORCH}\n"):
        pytest.skip(f"the graphs were not imported by torch {TORCH}")
    for family, name, importing in list(graphs())[::IMPORTED]:
        assert str(importing()) + "\n" == load(FOLDER / f"{family}.mlir", "//")[name], f"{family}: {name}: {HINT}"


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


def large_and_aligned(kernel: KernelOp) -> list[LoadOp]:
    """The loads of a scheduled kernel from large memory, if neighbours read vectors of it side by side; else none."""
    loads = [a for a in accesses(kernel) if isinstance(a.op, LoadOp) and buffer_bytes(a.op.buffer) >= LARGE]
    beside = all(any(a.step(loop) == 1 and (loop.size.constant or 0) >= 64 for loop in a.loops) for a in loads)
    plain = all(a.is_aligned and not a.looks_up and not divided_names(a.offset) for a in loads)
    widest = max((a.element_bytes for a in loads), default=0)
    return [a.op for a in loads if isinstance(a.op, LoadOp) and a.element_bytes == widest] if beside and plain else []


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_aligned_is_loaded_by_vectors(family: str) -> None:
    """Triton finds in the indices as they are written what is known of them: hints would tell it nothing more."""
    _, rows = read_table()
    for name, graph in load(FOLDER / f"{family}.mlir", "//").items():
        module = lower_to(read(graph), "loop")
        assert isinstance(module, ModuleOp)
        for kernel in [op for op in module.ops if isinstance(op, KernelOp)]:
            row = rows.get(f"{family}: {name}: {kernel.sym_name.data}")  # of kernels that stand alone
            buffers = {op.buffer for op in large_and_aligned(kernel)}
            if row is not None:
                assert int(row[1 + SHOWN.index("vector_loads")]) >= len(buffers), f"{family}: {name}: {row}"


def test_no_kernel_of_the_table_spills() -> None:
    """Every benchmark and example as it was last compiled; the shared memory of a program is what an H200 has."""
    _, rows = read_table()
    used = {name: dict(zip(SHOWN, row[1:], strict=True)) for name, row in rows.items()}
    assert len(used) > len(PINNED)
    assert [name for name, u in used.items() if u["spill_bytes"] or int(u["shared_bytes"]) > 227 * 1024] == []


def test_user_lines_are_left_out() -> None:
    """What a line of the benchmark says is no change of the compiler's."""
    text = "x = a + b  # model.py:12  y = x # 2\ny = 1  # a row of 8\n"
    assert PLACE.sub("", text) == "x = a + b\ny = 1  # a row of 8\n"
