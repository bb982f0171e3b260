"""Folders of models that are damaged, foreign, or not those that were meant."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mlc_runtime
from mlc_runtime.folder import HOST, MANIFEST, WEIGHTS, digest_of
from mlc_support.errors import MlcError
from tests.unit.ahead_models import compiled_mlp


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled_mlp(tmp_path_factory.mktemp("compiled") / "mlp")


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    """One that may be damaged."""
    return Path(shutil.copytree(folder, tmp_path / "copy"))


def resealed(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """The manifest changed, behind a hash that is right."""
    data = json.loads((folder / MANIFEST).read_text())
    change(data)
    data["digest"] = digest_of(data)
    (folder / MANIFEST).write_text(json.dumps(data))


def library_of(folder: Path) -> Path:
    (path,) = folder.glob("kernels_*.so")
    return path


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def link_host(folder: Path) -> None:
    shutil.move(folder / HOST, folder.parent / HOST)
    (folder / HOST).symlink_to(folder.parent / HOST)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: flip(f / WEIGHTS), "damaged: its hash"),
        (lambda f: flip(library_of(f)), "damaged: its hash"),
        (lambda f: (f / HOST).write_text("print('other')"), "damaged: its hash"),
        (lambda f: (f / WEIGHTS).write_bytes(b""), "damaged: its hash"),
        (lambda f: (f / WEIGHTS).unlink(), "missing: weights.bin"),
        (lambda f: (f / "more.py").write_text(""), "not in the manifest: more.py"),
        (lambda f: (f / MANIFEST).unlink(), "no folder of mlc-compile"),
        (lambda f: (f / MANIFEST).write_text("{"), "manifest is damaged"),
        (lambda f: (f / MANIFEST).write_bytes(b"\xff\xfe"), "manifest is damaged"),
        (lambda f: (f / MANIFEST).write_text("[]"), "manifest is damaged"),
        (lambda f: flip(f / MANIFEST), "manifest is damaged|has format"),
        (link_host, "not a plain file"),
        (shutil.rmtree, "no such folder"),
        (lambda f: resealed(f, lambda d: d["files"].update({"../host.py": {}})), r"names '\.\./host.py'"),
        (lambda f: resealed(f, lambda d: d["files"].update({"/etc/passwd": {}})), "no file of the folder"),
        (lambda f: resealed(f, lambda d: d["files"].update({"manifest.json": {}})), "no file of the folder"),
        (lambda f: resealed(f, lambda d: d.update(files=None)), "lists no files"),
        (lambda f: resealed(f, lambda d: d.update(format=99)), "has format 99.* reads format 2"),
        (lambda f: resealed(f, lambda d: d.update(torch="1.13.0")), "compiled with PyTorch 1.13.0, and this is"),
        (lambda f: resealed(f, lambda d: d["target"].update(machine="pdp11")), "compiled for .*pdp11, and this is"),
        (lambda f: resealed(f, lambda d: d["target"]["features"].append("x87z")), "this one has no x87z"),
        (lambda f: resealed(f, lambda d: d.update(operators=["nobody.has.it"])), "no operator nobody.has.it"),
        (lambda f: resealed(f, lambda d: d["code"]["externals"].append("nobody_has_it")), "no function nobody_has_it"),
        (lambda f: resealed(f, lambda d: d.pop("inputs")), "none that this mlc_runtime understands"),
        (lambda f: resealed(f, lambda d: d["inputs"][0].update(dtype="__name__")), "is no element type"),
        (lambda f: resealed(f, lambda d: d["inputs"][0].update(shape=["f()"])), "not an index expression"),
        (lambda f: resealed(f, lambda d: d["weights"]["tensors"][0].update(offset=1 << 40)), "understands"),
        (lambda f: resealed(f, lambda d: d["weights"].update(storages=[1 << 20])), "ends too early"),
        (lambda f: resealed(f, lambda d: d["target"].update(kind="cuda", capability=[9, 0])), "sm_90"),
    ],
)
def test_damaged_and_foreign_folders(copy: Path, damage: Callable[[Path], Any], message: str) -> None:
    damage(copy)
    with pytest.raises(MlcError, match=message):
        mlc_runtime.load(copy)


def test_a_digest_names_one_folder(folder: Path) -> None:
    digest = json.loads((folder / MANIFEST).read_text())["digest"]
    mlc_runtime.load(folder, digest=digest)
    with pytest.raises(MlcError, match="another model: expected the digest 000"):
        mlc_runtime.load(folder, digest="000")
