"""A cache folder that processes share, who die, and that is full, read-only, damaged, or of strangers.

Never a wrong result, a wait without end, or an error that hides its cause. SOAK asks for the long form.
"""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch

from mlc_compiler.frontend.backend import compile_graph_module
from mlc_compiler.frontend.known_graphs import KnownGraph
from mlc_compiler.kernels import cache, programs

pytestmark = pytest.mark.usefixtures("machine_code")

SOAK = "SOAK" in os.environ
PROCESSES = 16 if SOAK else 2
KILLS = 60 if SOAK else 2
ROUNDS = 16 if SOAK else 4
FLIPS = 300 if SOAK else 6
ROOT = Path(__file__).parents[2]

CHILD = """
import random, resource, sys, torch
import mlc_compiler

def loss(x, w, factor):
    return torch.softmax(torch.tanh(x @ w) * factor, -1).square().sum()

rounds, limit = int(sys.argv[1]), int(sys.argv[2])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))  # as on a full disk, a write ends in the middle
torch.manual_seed(0)
x, w = torch.randn(9, 5, requires_grad=True), torch.randn(5, 7)
print("begins", flush=True)
numbers = [*range(rounds)]
random.shuffle(numbers)
for number in numbers:
    torch._dynamo.reset()
    run = torch.compile(loss, backend=mlc_compiler.compile_graph_module, dynamic=False)
    found, want = (torch.autograd.grad(f(x, w, number + 0.5), [x])[0] for f in (run, loss))
    torch.testing.assert_close(found, want)
print("right", flush=True)
"""


@pytest.fixture(autouse=True)
def programs_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Graphs of Dynamo are not kept here: `test_known_graphs` is about them."""
    monkeypatch.setattr(KnownGraph, "of", staticmethod(lambda *_: None))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cache"
    monkeypatch.setenv("MLC_CACHE_DIR", str(path))
    monkeypatch.setenv("MLC_CPU", "native")
    monkeypatch.setenv(programs.SWITCH, "1")
    return path


def child(rounds: int = 1, limit: int = 0) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", CHILD, str(rounds), str(limit)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def function(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(torch.relu(x) * 2, -1) + x.sum(0)


def check() -> list[str]:
    """Compiles anew, and compares with eager; gives the warnings."""
    torch._dynamo.reset()
    x = torch.randn(6, 8)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        run = torch.compile(function, backend=compile_graph_module)
        torch.testing.assert_close(run(x), function(x))
    return [str(w.message) for w in said if "mlc" in str(w.message)]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.slow
def test_processes_share_a_folder_and_are_killed(folder: Path) -> None:
    """Whoever is left, and whoever comes later, finds whole files or none."""
    draw = random.Random(0)
    running = [child(ROUNDS) for _ in range(PROCESSES)]
    for _ in range(KILLS):
        victim = draw.choice(running)
        victim.stdout.readline()  # it begins  # pyright: ignore[reportOptionalMemberAccess]
        time.sleep(draw.uniform(0, 3))
        victim.send_signal(signal.SIGKILL)
        victim.communicate(timeout=60)
        running[running.index(victim)] = child(ROUNDS)
    for process in running:
        said, errors = process.communicate(timeout=600)
        assert process.returncode == 0 and said == "begins\nright\n", errors
    print(f"{PROCESSES} processes, {KILLS} killed: {len(files(folder))} files, {len([*folder.glob('*.tmp')])} partial")
    kept = [*folder.glob("*.json")]
    assert len(kept) == len([*folder.glob("*.o")]) == 2 * ROUNDS  # forward and backward
    assert all(programs.read_program(json.loads(path.read_text().partition("\n")[2])["key"]) for path in kept)
    assert len([*folder.glob("*.tmp")]) <= KILLS


def test_what_killed_processes_left_is_removed(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    old, new = folder / "killed.tmp", folder / "written.tmp"
    for path, age in ((old, 2 * cache.ABANDONED), (new, 0)):
        path.write_text("half")
        os.utime(path, (time.time() - age,) * 2)
    cache._remove_abandoned.cache_clear()
    assert check() == []
    assert not old.exists() and new.exists()


@contextmanager
def failing(number: int, monkeypatch: pytest.MonkeyPatch, method: str) -> Iterator[None]:
    """No file can be written: not opened (`NamedTemporaryFile`), or not filled (`write`)."""
    make = tempfile.NamedTemporaryFile

    def fail(*_: Any, **__: Any) -> Any:
        raise OSError(number, os.strerror(number))

    def opened(*given: Any, **named: Any) -> Any:
        made = make(*given, **named)
        made.write = fail
        return made

    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "NamedTemporaryFile", fail if method == "open" else opened)
        yield


@pytest.mark.parametrize(
    ("number", "method"), [(errno.ENOSPC, "write"), (errno.ENOSPC, "open"), (errno.EROFS, "open"), (errno.EIO, "write")]
)
def test_a_folder_that_cannot_be_written_costs_a_warning(
    number: int, method: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with failing(number, monkeypatch, method):
        said = check()
    assert set(said) == {f"mlc keeps nothing in {folder}: {os.strerror(number)}. {cache.HINT}"}
    assert files(folder) == {}
    assert check() == [] and len(files(folder)) == 3


@pytest.mark.slow
def test_a_write_that_ends_in_the_middle_leaves_nothing(folder: Path) -> None:
    process = child(limit=2000)
    said, errors = process.communicate(timeout=120)
    assert process.returncode == 0 and said == "begins\nright\n", errors
    assert f"mlc keeps nothing in {folder}: File too large" in errors
    assert all(len(content) <= 2000 for content in files(folder).values())
    assert not [*folder.glob("*.tmp")]


def test_a_place_where_no_folder_can_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "file" / "below"))
    assert {text.partition(". ")[0] for text in check()} == {
        f"mlc keeps nothing in {tmp_path}/file/below: Not a directory"
    }


def test_bits_that_flip_change_no_result(folder: Path) -> None:
    """The program, the object code and the text are made again as they were."""
    draw = random.Random(1)
    assert check() == []
    whole = files(folder)
    assert {Path(name).suffix for name in whole} == {".json", ".o", ".py"}
    for _ in range(FLIPS):
        name = draw.choice(sorted(whole))
        damaged = bytearray(whole[name])
        damaged[draw.randrange(len(damaged))] ^= 1 << draw.randrange(8)
        (folder / name).write_bytes(damaged)
        assert check() == [] and files(folder) == whole


@pytest.mark.sampled(3)
@pytest.mark.parametrize("size", [0, 1, 31, 32, 33, -1])
def test_files_cut_short_change_no_result(size: int, folder: Path) -> None:
    assert check() == []
    whole = files(folder)
    for name, content in whole.items():
        (folder / name).write_bytes(content[:size])
    assert check() == [] and files(folder) == whole


def test_files_that_change_places_change_no_result(folder: Path) -> None:
    """A whole file of another program is not taken for this one's."""
    check()
    mine = {path.suffix: path for path in folder.iterdir()}
    whole = files(folder)
    x = torch.randn(6, 8)
    torch.compile(lambda x: torch.sigmoid(x) - 1, backend=compile_graph_module)(x)
    for suffix, path in mine.items():
        (other,) = (p for p in folder.glob(f"*{suffix}") if p != path)
        other.replace(path)
    assert check() == [] and files(folder) == whole


def _as_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _as_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _as_loop(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


@pytest.mark.parametrize("change", [_as_folder, _as_pipe, _as_loop])
def test_what_is_no_file_is_not_waited_for(change: Callable[[Path], None], folder: Path) -> None:
    check()
    for path in folder.iterdir():
        change(path)
    said = check()
    assert bool(said) == (change is _as_folder)  # which no file can replace


@pytest.mark.sampled(3)
@pytest.mark.parametrize("suffix", [".json", ".o"])
@pytest.mark.parametrize(
    "give",
    [
        lambda path: path.chmod(0o666),
        lambda path: path.chmod(0o620),
        pytest.param(
            lambda path: os.chown(path, 12345, 12345),
            marks=pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away"),
        ),
    ],
)
def test_a_file_that_others_could_write_is_not_run(
    give: Callable[[Path], None], suffix: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check()
    (path,) = folder.glob(f"*{suffix}")
    give(path)
    assert cache.read_bytes(path) is None
    assert check() == []
    assert path.stat().st_uid == os.getuid() and path.stat().st_mode & 0o022 == 0
    assert cache.read_bytes(path) is not None


def test_a_folder_of_strangers_is_refused_by_name(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    folder.chmod(0o777)
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match=rf"others .* write into {folder}") as error:
        check()
    assert f"chmod go-w {folder}" in str(error.value)


@pytest.mark.skipif(not SOAK or os.getuid() != 0, reason="needs root, and is a part of `make soak`")
@pytest.mark.parametrize("options", ["size=4k", "size=64k", "size=1m,nr_inodes=4", "ro"])
def test_real_disks(options: str, folder: Path) -> None:
    """A small disk that fills, one without inodes, one that is read-only."""
    folder.mkdir(mode=0o700)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"mode=700,{options}", "mlc", str(folder)], check=True)
    try:
        for _ in range(2):
            process = child(ROUNDS)
            said, errors = process.communicate(timeout=300)
            assert process.returncode == 0 and said == "begins\nright\n", errors
            assert f"mlc keeps nothing in {folder}: " in errors and "Traceback" not in errors
    finally:
        subprocess.run(["umount", str(folder)], check=True)
