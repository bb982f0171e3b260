"""Golden kernels: sources and digests are those that are committed, and so are the resources of a few kernels."""

from __future__ import annotations

import difflib
from dataclasses import replace
from pathlib import Path

import pytest
import triton
from xdsl.dialects.builtin import ModuleOp

from benchmarks.cases import PINNED
from mlc_compiler.pipeline import lower_to
from mlc_dialects.loop.dialect import KernelOp, LoadOp
from mlc_support.index_maps import divided_names
from passes.loop.analysis.coalescing import accesses, buffer_bytes
from tests.golden_cases import WHOLE, graphs
from tests.golden_digest import Entry, Table, changes, refreshed, requests, source_hash, usage, widest, without_usage
from tests.golden_kernels import DIGEST, FOLDER, PLACE, TORCH, committed, load, lowered, lowered_cases, read, source

GRAPHS = committed()
TABLE = Table.read(DIGEST)
COMPILED = (
    "softmax: softmax bf16 65536x4096",
    "pointwise: relu(x*2 + 1) f32",
    "reduction: sum of columns bf16",
    "movement: transpose f32",
)
"""Cases whose kernels are compiled here; `make golden` compiles all."""
LONG = ("regions",)
"""Families that take long to lower; `make test` has the others."""
IMPORTED = 16
"""Every so many graphs one is imported anew; `make golden` imports all."""
LARGE = 1 << 20
"""Bytes of what is worth reading by vectors: of less, more lanes with an element each are as quick."""
HINT = "if this is meant: make golden, and look at the diff"
RELU = """func.func @case(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  %constant = mlc_tensor.constant 0.0 : tensor<4096xf32>
  %relu = mlc_tensor.maximum %x, %constant : tensor<4096xf32>
  func.return %relu : tensor<4096xf32>
}
"""


@pytest.mark.parametrize("family", [pytest.param(f, marks=pytest.mark.slow if f in LONG else ()) for f in GRAPHS])
def test_sources_and_digests(family: str) -> None:
    """The text of the kernels that are read whole; of every case the hash, the launches, the names of the kernels."""
    modules = lowered_cases({family: GRAPHS[family]})
    whole = {case: text for name in WHOLE for case, text in load(FOLDER / f"{name}.py", "#").items() if case in modules}
    for case, wanted in whole.items():
        found = source(modules[case])
        if found != wanted:
            lines = difflib.unified_diff(wanted.splitlines(), found.splitlines(), "committed", "now", lineterm="")
            pytest.fail(f"{case}: {HINT}\n" + "\n".join(lines), pytrace=False)
    known = {case: entry for case, entry in TABLE.cases.items() if case.startswith(f"{family}: ")}
    wanted = {case: replace(entry, kernels={kernel: {} for kernel in entry.kernels}) for case, entry in known.items()}
    found = {case: without_usage(module, source(module)) for case, module in modules.items()}
    assert changes(Table("", wanted), Table("", found)) == [], HINT


def test_every_case_is_there() -> None:
    """Of the benchmark in the graphs, and of what is read whole in the files."""
    cases = {f"{family}: {name}" for family, texts in GRAPHS.items() for name in texts}
    assert cases == set(TABLE.cases), HINT
    assert {f"{case.family}: {case.name}" for case in PINNED} <= cases, HINT
    assert {name: tuple(load(FOLDER / f"{name}.py", "#")) for name in WHOLE} == WHOLE, HINT


def test_imported_graphs() -> None:
    """A few cases import to what is committed."""
    if not (FOLDER / "graphs" / "pointwise.mlir").read_text().startswith(f"// torch {TORCH}\n"):
        pytest.skip(f"the graphs were not imported by torch {TORCH}")
    for family, name, importing in list(graphs())[::IMPORTED]:
        assert str(importing()) + "\n" == GRAPHS[family][name], f"{family}: {name}: {HINT}"


@pytest.mark.slow
def test_resources_of_compiled_kernels() -> None:
    """Registers, spills, shared memory, widths of accesses: as the table says."""
    if TABLE.triton.split(".")[:2] != triton.__version__.split(".")[:2]:
        pytest.skip(f"the table is of Triton {TABLE.triton}, here is {triton.__version__}")
    for case in COMPILED:
        family, _, name = case.partition(": ")
        used = {request.kernel: usage(request) for request in requests(lowered(GRAPHS[family][name]))}
        assert used == TABLE.cases[case].kernels, f"{case}: {HINT}"


def large_and_aligned(kernel: KernelOp) -> list[LoadOp]:
    """The loads of a scheduled kernel from large memory, if neighbours read vectors of it side by side; else none."""
    loads = [a for a in accesses(kernel) if isinstance(a.op, LoadOp) and buffer_bytes(a.op.buffer) >= LARGE]
    beside = all(any(a.step(loop) == 1 and (loop.size.constant or 0) >= 64 for loop in a.loops) for a in loads)
    plain = all(a.is_aligned and not a.is_indirect and not divided_names(a.offset) for a in loads)
    widest = max((a.element_bytes for a in loads), default=0)
    return [a.op for a in loads if isinstance(a.op, LoadOp) and a.element_bytes == widest] if beside and plain else []


@pytest.mark.sampled(5)
@pytest.mark.parametrize("family", GRAPHS)
def test_what_is_aligned_is_loaded_by_vectors(family: str) -> None:
    """Triton finds in the indices as they are written what is known of them: hints would tell it nothing more."""
    for name, graph in GRAPHS[family].items():
        module = lower_to(read(graph), "loop")
        assert isinstance(module, ModuleOp)
        for kernel in [op for op in module.ops if isinstance(op, KernelOp)]:
            used = TABLE.cases[f"{family}: {name}"].kernels.get(kernel.sym_name.data)  # of kernels that stand alone
            buffers = {op.buffer for op in large_and_aligned(kernel)}
            if used is not None:
                assert used["vector_loads"] >= len(buffers), f"{family}: {name}: {used}"


def test_what_the_kernels_of_the_table_use() -> None:
    """Nothing spills, the shared memory of a program is what an H200 has, and PTX and machine code agree on vectors."""
    used = [(case, name, u) for case, entry in TABLE.cases.items() for name, u in entry.kernels.items()]
    assert len(used) > len(PINNED)
    assert [key for *key, u in used if u["spill_bytes"] or u["shared_bytes"] > 227 * 1024] == []
    assert [key for *key, u in used if (u["load_bits"] == 128) != (u["vector_loads"] > 0)] == []


def test_user_lines_are_left_out() -> None:
    """What a line of the benchmark says is no change of the compiler's."""
    text = "x = a + b  # model.py:12  y = x # 2\ny = 1  # a row of 8\n"
    assert PLACE.sub("", text) == "x = a + b\ny = 1  # a row of 8\n"


def test_the_hash_is_of_code_and_types() -> None:
    """A reason in a comment leaves it as it is; a statement and the type of a parameter do not."""
    module = lowered(RELU)
    text = source(module)
    before = source_hash(module, text)
    assert "):  # " in text
    assert source_hash(module, text.replace("):  # ", "):  # another reason ")) == before
    assert source_hash(module, text.replace("0.0", "1.0")) != before
    assert source_hash(lowered(RELU.replace("f32", "bf16")), text) != before


@pytest.mark.parametrize(
    ("ptx", "kind", "bits"),
    [
        ("@%p1 ld.global.v4.b32 { %r1, %r2, %r3, %r4 }, [ %rd1 + 0 ];", "ld", 128),
        ("ld.global.L1::evict_last.L2::cache_hint.v2.b32 { %r1, %r2 }, [ %rd1 + 0 ], %rd2;", "ld", 64),
        ("ld.global.b16 %rs1, [ %rd1 + 0 ];\nld.global.b32 %r1, [ %rd1 + 0 ];", "ld", 32),
        ("cp.async.cg.shared.global [ %r1 + 0 ], [ %rd1 + 0 ], 0x10, 0x10;", "ld", 128),
        ("cp.async.cg.shared.global [ %r1 + 0 ], [ %rd1 + 0 ], 0x10, 0x10;", "st", 0),
        ("st.global.v4.b32 [ %rd1 + 0 ], { %r1, %r2, %r3, %r4 };", "st", 128),
        ("st.global.v4.b32 [ %rd1 + 0 ], { %r1, %r2, %r3, %r4 };", "ld", 0),
        ("st.shared.v4.b32 [ %r1 + 0 ], { %r1, %r2, %r3, %r4 };\nld.param.b64 %rd1, [x_param_0];", "st", 0),
        ("ld.shared.v4.b32 { %r1, %r2, %r3, %r4 }, [ %r1 ];\nld.param.b64 %rd1, [x_param_0];", "ld", 0),
    ],
)
def test_widest_access(ptx: str, kind: str, bits: int) -> None:
    """Of a thread to global memory, whatever the modifiers; shared memory and parameters do not count."""
    assert widest(ptx, kind) == bits


def test_changes_name_the_case_and_its_resources() -> None:
    """What came, what went, and before and after of what differs; the same table gives no line."""
    old = Table(
        "3.6.0",
        {
            "gone": Entry("a", 1, {}),
            "rewritten": Entry("b", 1, {"k": {"registers": 8}}),
            "same": Entry("c", 1, {"k": {"registers": 8}}),
            "used": Entry("d", 2, {"k": {"registers": 8, "spill_bytes": 0}, "l": {}}),
        },
    )
    new = Table(
        "3.9.0",
        {
            "new": Entry("a", 1, {}),
            "rewritten": Entry("B", 1, {"k": {"registers": 8}}),
            "same": Entry("c", 1, {"k": {"registers": 8}}),
            "used": Entry("D", 1, {"k": {"registers": 9, "spill_bytes": 0}, "m": {}}),
        },
    )
    assert changes(old, new) == [
        "Triton 3.6.0 -> 3.9.0",
        "gone: gone",
        "new: new",
        "rewritten: source alone",
        "used: launches 2 -> 1, k: registers 8 -> 9, l gone, m new",
    ]
    assert changes(old, old) == []


def test_only_what_changed_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry with another hash, or all entries where the table is of another Triton."""
    module = lowered(RELU)
    cases = {"kept": (module, source(module)), "changed": (module, source(module))}
    entry = Entry(source_hash(module, source(module)), 1, {"maximum": {"registers": 1}})
    known = Table(triton.__version__, {"kept": entry, "changed": replace(entry, source="another")})
    monkeypatch.setattr("tests.golden_digest.measured", lambda wanted: iter([{"registers": 2}] * len(wanted)))
    kernels = {case: e.kernels["maximum"]["registers"] for case, e in refreshed(cases, known).cases.items()}
    assert kernels == {"kept": 1, "changed": 2}
    other = refreshed(cases, replace(known, triton="0.0"))
    assert other.triton == triton.__version__
    assert [e.kernels["maximum"]["registers"] for e in other.cases.values()] == [2, 2]


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    """One line a case, sorted; no file is an empty table."""
    table = Table("3.9.0", {"b": Entry("x", 1, {"k": {"registers": 8}}), "a": Entry("y", 2, {})})
    assert Table.read(tmp_path / "none.json").cases == {}
    table.write(tmp_path / "table.json")
    assert Table.read(tmp_path / "table.json") == table
    lines = (tmp_path / "table.json").read_text().splitlines()
    assert [line[:5] for line in lines] == ['{"tri', '  "a"', '  "b"', "}}"]
