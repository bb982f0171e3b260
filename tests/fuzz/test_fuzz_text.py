"""Text that may be no program: `mlc-opt` ends soon, with IR or with one clear error; never a traceback.

Texts are pieces of the FileCheck tests, damaged: cut, spliced, repeated, nested, with numbers and bytes replaced.
"""

from __future__ import annotations

import io
import random
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from hypothesis import note
from hypothesis import strategies as st

from tests.fuzz.fuzzing import fuzz
from tests.fuzz.programs import texts
from tools import mlc_opt

SECONDS = 10.0
"""For one text of a few kilobytes, the collector and other tests beside it included."""
MEMORY = 1 << 18
"""KiB that one text may add to the size of the process while it is read."""
NUMBERS = ("0", "-1", "9999999999999999999999", "0x7FFFFFFFFFFFFFFF", "1e999", "4294967296", "?", "99999")
BRACKETS = ("(", "[", "{", "<", '"', "tensor<", "dense<", "array<", "#mlc_tensor.py<", "loc(", "!llvm.ptr<", "((-")


def damaged(text: str, seed: int) -> bytes:
    """`text` after some random changes."""
    chance = random.Random(seed)
    data = text
    for _ in range(chance.randint(1, 4)):
        data = _change(data, chance)
    raw = data.encode("utf-8", "surrogatepass")
    if chance.random() < 0.15:
        place = chance.randrange(len(raw) + 1)
        raw = raw[:place] + bytes(chance.randrange(256) for _ in range(3)) + raw[place:]
    return raw


def _change(text: str, chance: random.Random) -> str:
    first, last = sorted(chance.randrange(len(text) + 1) for _ in range(2))
    numbers = list(re.finditer(r"\d+", text))
    words = re.findall(r"[%@#!]?\w+(?:\.\w+)?", text)
    match chance.randrange(7):
        case 0:
            return text[:first]
        case 1:
            return text[:first] + text[last:]
        case 2:
            return text[:first] + text[first:last][:400] * chance.randint(2, 6) + text[last:]
        case 3 if numbers:
            number = chance.choice(numbers)
            return text[: number.start()] + chance.choice(NUMBERS) + text[number.end() :]
        case 4:
            return text[:first] + chance.choice(BRACKETS) * chance.choice((1, 3, 1000)) + text[first:]
        case 5 if len(words) > 1:
            return text.replace(chance.choice(words), chance.choice(words))
        case _:
            return text[:first] + chance.choice(chance.choice(texts()) or " ") + text[first:]


@contextmanager
def bounded_memory() -> Iterator[None]:
    """The process does not grow by more than MEMORY inside, whatever its largest size was before."""
    Path("/proc/self/clear_refs").write_text("5")  # the largest size is the size now
    before = largest_size()
    yield
    assert largest_size() - before < MEMORY, "too much memory"


def largest_size() -> int:
    """The largest resident size of the process, in KiB."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1])


def outcome(path: Path, data: bytes, *options: str) -> str:
    """What `mlc-opt` reports of a text, having ended as it must."""
    path.write_bytes(data)
    out, err, start = io.StringIO(), io.StringIO(), time.process_time()
    with bounded_memory(), redirect_stdout(out), redirect_stderr(err):
        code = mlc_opt.main([str(path), *options])
    assert time.process_time() - start < SECONDS, "too slow"
    report = err.getvalue()
    assert "Traceback" not in report and "fault of mlc" not in report, report
    assert (code == 0) == (not report.startswith("error: ")), report
    return report


def test_damaged_text_ends_in_ir_or_in_an_error(tmp_path: Path) -> None:
    def check(piece: int, seed: int) -> None:
        data = damaged(texts()[piece % len(texts())], seed)
        note(f"{data!r}")
        outcome(tmp_path / "f.mlir", data)

    fuzz(check, st.integers(0, 1 << 20), st.integers(0, 1 << 40), examples=60)


def test_any_bytes_end_in_ir_or_in_an_error(tmp_path: Path) -> None:
    def check(data: bytes) -> None:
        outcome(tmp_path / "f.mlir", data)

    fuzz(check, st.binary(max_size=200), examples=60)


DEPTH = 10_000
NESTED = {
    "index": 'func.func @f(%x: memref<?xf32, {{sizes = ["{}"], strides = ["1"]}}>) {{ func.return }}'.format(
        "(" * DEPTH + "N" + ")" * DEPTH
    ),
    "sum": 'func.func @f(%x: memref<?xf32, {{sizes = ["{}"], strides = ["1"]}}>) {{ func.return }}'.format(
        " + ".join(["N"] * DEPTH)
    ),
    "array": '"test.op"() {a = ' + "[" * DEPTH + "]" * DEPTH + "} : () -> ()",
    "regions": '"test.op"() ({' * DEPTH + "}) : () -> ()" * DEPTH,
    "locations": '"test.op"() : () -> () loc(' + 'callsite("a"("b":1:1) at ' * DEPTH + "unknown" + ")" * DEPTH + ")",
    "types": "func.func @f(%x: " + "tuple<" * DEPTH + "f32" + ">" * DEPTH + ") { func.return }",
    "affine": "#m = affine_map<(d0) -> (" + "(" * DEPTH + "d0" + ")" * DEPTH + ")>",
    "digits": '"test.op"() {a = ' + "9" * 100_000 + " : i64} : () -> ()",
    "integers": '"test.op"() {a = 1 : i4294967296} : () -> ()',
    "name": f"func.func @{'f' * 1_000_000}() {{ func.return }}",
    "comment": "//" + " x" * 1_000_000,
}


@pytest.mark.parametrize("kind", NESTED)
def test_deep_and_long_text_ends_soon(kind: str, tmp_path: Path) -> None:
    outcome(tmp_path / "f.mlir", NESTED[kind].encode())


def test_a_large_type_takes_no_memory(tmp_path: Path) -> None:
    size = "x".join(["4294967296"] * 3)
    report = outcome(tmp_path / "f.mlir", f"func.func @f(%x: tensor<{size}xf32>) {{ func.return }}".encode())
    assert report == ""


def test_the_memory_of_a_text_is_seen_whatever_came_before() -> None:
    for _ in range(2):
        with pytest.raises(AssertionError, match="too much memory"), bounded_memory():
            bytearray(2 * MEMORY << 10)
    with bounded_memory():
        bytearray(MEMORY // 2 << 10)
