"""The folder where generated files lie: shared by threads and processes, perhaps damaged, perhaps not to be written."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mlc_compiler.kernels.cache import cache_folder, write_source, write_whole
from mlc_support.errors import MlcError

SOURCE = "x = 1\n" * 1000


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "cache"))


def test_a_source_is_written_once() -> None:
    path = write_source(SOURCE)
    before = path.stat()
    assert write_source(SOURCE) == path and path.stat() == before and path.read_text() == SOURCE


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
