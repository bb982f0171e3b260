"""A model in a folder: its files and the manifest that lists them, read as data and checked by hash."""

from __future__ import annotations

import hashlib
import json
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlc_support.errors import MlcError

FORMAT = 2
"""The version of the folder: of its manifest, and of what its host program calls."""
MANIFEST, HOST, WEIGHTS = "manifest.json", "host.py", "weights.bin"
AGAIN = "compile the model again with mlc-compile"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


@dataclass(frozen=True)
class ModelFolder:
    """A folder all files of which are what the manifest says."""

    path: Path
    data: Mapping[str, Any]
    """The manifest."""

    @staticmethod
    def opened(path: str | Path, digest: str | None = None) -> ModelFolder:
        """The folder at `path`, checked. MlcError says what is wrong with it.

        With a `digest`, which `mlc-compile` prints, it must be the very folder that was written then.
        """
        folder = Path(path)
        data = _manifest(folder / MANIFEST)
        if digest is not None and data["digest"] != digest:
            raise MlcError(f"another model: expected the digest {digest}, found {data['digest']}", str(folder))
        files = data.get("files")
        if not isinstance(files, dict):
            raise MlcError("the manifest lists no files", str(folder / MANIFEST), AGAIN)
        _check_names(folder, files)
        for name, told in files.items():
            _check_file(folder / name, told)
        return ModelFolder(folder, data)


def digest_of(data: Mapping[str, Any]) -> str:
    """The hash of a manifest, and so of all files that it lists."""
    text = json.dumps({key: value for key, value in data.items() if key != "digest"}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def file_entry(path: Path) -> dict[str, Any]:
    """What a manifest says of a file."""
    with path.open("rb") as file:
        return {"bytes": path.stat().st_size, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}


def _manifest(path: Path) -> dict[str, Any]:
    if not path.parent.is_dir():
        raise MlcError(f"no such folder: {path.parent}")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MlcError(f"no {MANIFEST}: this is no folder of mlc-compile", str(path.parent)) from None
    except (ValueError, RecursionError) as error:
        raise MlcError(f"the manifest is damaged: {error}", str(path), AGAIN) from error
    if not isinstance(data, dict) or "format" not in data:
        raise MlcError("the manifest is damaged: it has no format", str(path), AGAIN)
    if data["format"] != FORMAT:
        what = f"the folder has format {data['format']}, and this mlc_runtime reads format {FORMAT}"
        raise MlcError(what, str(path), f"{AGAIN} of this version")
    if data.get("digest") != digest_of(data):
        raise MlcError("the manifest is damaged: it has another hash", str(path), AGAIN)
    return data


def _check_names(folder: Path, files: Mapping[str, Any]) -> None:
    """MlcError for names that lead elsewhere, and for files too many or too few."""
    for name in files:
        if not _NAME.fullmatch(name) or name == MANIFEST:
            raise MlcError(
                f"the manifest names {name!r}, which is no file of the folder", str(folder / MANIFEST), AGAIN
            )
    found = {p.name for p in folder.iterdir()} - {MANIFEST}
    if missing := sorted(files.keys() - found):
        raise MlcError(f"missing: {', '.join(missing)}", str(folder), AGAIN)
    if extra := sorted(found - files.keys()):
        raise MlcError(f"not in the manifest: {', '.join(extra)}", str(folder), "take away what is not the model's")


def _check_file(path: Path, told: Any) -> None:
    if not stat.S_ISREG(path.lstat().st_mode):
        raise MlcError("not a plain file", str(path), AGAIN)
    if file_entry(path) != told:
        raise MlcError("damaged: its hash is not that of the manifest", str(path), AGAIN)
