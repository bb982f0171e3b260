"""The tensors of a model in one file: raw bytes, each storage once, with a table of the tensors that look at them.

Tensors that share memory share it again when they are read: tied weights, and views of a buffer that the model writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import torch

from mlc_runtime.inputs import dtype_called
from mlc_support.errors import MlcError

ALIGNMENT = 64
"""Bytes of which the place of each storage in the file is a multiple, and its length too."""


def write_weights(path: Path, tensors: Mapping[str, torch.Tensor]) -> dict[str, Any]:
    """Writes named tensors; gives their table. MlcError for one that is not plain memory."""
    for name, tensor in tensors.items():
        if tensor.layout is not torch.strided or tensor.is_quantized or tensor.is_meta:
            raise MlcError(f"{name} is {tensor.layout} and {tensor.dtype}: only plain tensors can be written")
    groups: dict[Any, list[torch.Tensor]] = {}
    for tensor in tensors.values():
        groups.setdefault(_storage_of(tensor), []).append(tensor)
    starts: dict[Any, int] = {}
    storages: list[int] = []
    with path.open("wb") as file:
        for key, group in groups.items():
            starts[key] = min(_span(t)[0] for t in group) // ALIGNMENT * ALIGNMENT
            length = max(_span(t)[1] for t in group) - starts[key]
            storages.append(-(-length // ALIGNMENT) * ALIGNMENT)
            _write(file, group[0].untyped_storage(), starts[key], length, storages[-1])
    numbers = {key: k for k, key in enumerate(groups)}
    table = [_entry(n, t, numbers[_storage_of(t)], starts[_storage_of(t)]) for n, t in tensors.items()]
    return {"storages": storages, "tensors": table}


def _storage_of(tensor: torch.Tensor) -> Any:
    storage = tensor.untyped_storage()
    return (str(tensor.device), storage.data_ptr()) if storage.nbytes() else id(tensor)


def _span(tensor: torch.Tensor) -> tuple[int, int]:
    """The first byte of its storage that a tensor uses, and the one behind the last."""
    if tensor.numel() == 0:
        return 0, 0
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
    first = int(tensor.storage_offset())
    return first * tensor.element_size(), (first + last + 1) * tensor.element_size()


def _entry(name: str, tensor: torch.Tensor, storage: int, start: int) -> dict[str, Any]:
    offset = tensor.storage_offset() - start // tensor.element_size() if tensor.numel() else 0
    return {
        "name": name,
        "dtype": str(tensor.dtype).removeprefix("torch."),
        "shape": [*tensor.shape],
        "strides": [*tensor.stride()],
        "storage": storage,
        "offset": offset,
    }


def _write(file: BinaryIO, storage: torch.UntypedStorage, start: int, length: int, padded: int) -> None:
    raw = torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)  # pyright: ignore[reportArgumentType]
    bytes_: Any = raw[start : start + length].cpu().numpy()
    file.write(memoryview(bytes_))
    file.write(b"\0" * (padded - length))


def read_weights(path: Path, data: Any, device: torch.device) -> dict[str, torch.Tensor]:
    """The tensors by name. KeyError, TypeError, ValueError or RuntimeError if the table and the file do not fit."""
    storages: list[torch.Tensor] = []
    with path.open("rb") as file:
        for size in data["storages"]:
            raw = torch.empty(int(size), dtype=torch.uint8)
            bytes_: Any = raw.numpy()
            if size and file.readinto(memoryview(bytes_)) != size:
                raise ValueError(f"{path} ends too early")
            storages.append(raw.to(device))
    return {str(t["name"]): _tensor(t, storages) for t in data["tensors"]}


def _tensor(data: Any, storages: Sequence[torch.Tensor]) -> torch.Tensor:
    shape, strides = ([int(n) for n in data[key]] for key in ("shape", "strides"))
    raw, dtype = storages[int(data["storage"])], dtype_called(data["dtype"])
    return raw.view(dtype).as_strided(shape, strides, int(data["offset"]))
