"""The folder where generated files lie: shared by threads and processes, perhaps damaged, perhaps not to be written."""

from __future__ import annotations

import inspect
import linecache
import os
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import pytest
import torch

from mlc_compiler.kernels.cache import cache_folder, write_source, write_whole
from mlc_compiler.kernels.kernel_files import load_kernels, load_module
from mlc_support.errors import MlcError

SOURCE = "x = 1\n" * 1000


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "cache"))


def test_a_source_is_written_once() -> None:
    path = write_source(SOURCE)
    before = path.stat()
    assert write_source(SOURCE) == path and path.read_text() == SOURCE
    after = path.stat()  # but for the time of the last reading
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize("damage", ["", SOURCE[:100], SOURCE + "y"])
def test_a_damaged_source_is_written_again(damage: str) -> None:
    path = write_source(SOURCE)
    path.write_text(damage)
    assert write_source(SOURCE).read_text() == SOURCE


def test_threads_write_one_file() -> None:
    path = cache_folder() / "tuned.json"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda k: write_whole(path, SOURCE), range(200)))
    assert path.read_text() == SOURCE and list(cache_folder().iterdir()) == [path]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "file" / "below"))
    with pytest.raises(MlcError, match="cannot write .*file/below") as error:
        write_source(SOURCE)
    assert "MLC_CACHE_DIR" in error.value.render()


def test_sources_stay_when_the_folder_is_emptied() -> None:
    """Triton reads a kernel's source when it compiles it, long after the file was loaded."""
    run = torch.compile(lambda x: torch.softmax(x, -1) + 41.5, backend="mlc", dynamic=False)
    module = write_source("import triton\n\n\n@triton.jit\ndef held(x):\n    pass\n")
    kernel = load_kernels(module)["held"]
    shutil.rmtree(cache_folder())
    linecache.checkcache()
    assert inspect.getsource(kernel.fn).startswith("@triton.jit\ndef held")
    x = torch.randn(4, 8)
    with emptied_before_loading():
        assert torch.allclose(run(x), torch.softmax(x, -1) + 41.5)


@contextmanager
def emptied_before_loading() -> Iterator[None]:
    """The cache folder vanishes before a source is loaded, while this lasts."""

    def load(path: Path, text: str) -> tuple[ModuleType, dict[str, Any]]:
        shutil.rmtree(cache_folder())
        return load_module(path, text)

    with mock.patch("mlc_compiler.execution.loading.load_module", load):
        yield


def test_a_folder_that_others_can_write_is_refused() -> None:
    folder = cache_folder()
    folder.chmod(0o777)
    with pytest.raises(MlcError, match="others than its owner can write") as error:
        write_source(SOURCE)
    assert "chmod go-w" in error.value.render()
    folder.chmod(0o700)
    assert write_source(SOURCE).stat().st_mode & 0o077 == 0


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder away")
@pytest.mark.parametrize("link", [False, True])
def test_a_folder_of_somebody_else_is_refused(link: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = cache_folder()
    if link:
        folder = tmp_path / "link"
        folder.symlink_to(cache_folder())
        monkeypatch.setenv("MLC_CACHE_DIR", str(folder))
    os.chown(folder, 12345, 12345, follow_symlinks=False)
    with pytest.raises(MlcError, match="belongs to user 12345"):
        cache_folder()


def test_a_new_folder_is_private() -> None:
    assert cache_folder().stat().st_mode & 0o777 == 0o700
