"""Weights in a folder: shards of bytes, and a list in JSON that names them (`ndarray-cache.json`)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .. import checkpoint
from ..runtime.device import Device
from ..runtime.ndarray import NDArray, array

__all__ = ["dump_ndarray_cache", "export_runtime", "load_ndarray_cache"]


def export_runtime(runtime_dir: str) -> None:
    """An error: there is no runtime for browsers."""
    raise NotImplementedError("there is no runtime for browsers")


def _halves(tensor: NDArray) -> bytes:
    """The upper halves of float32, rounded to even; what would become infinite is cut off instead."""
    import numpy as np

    values = tensor.numpy()
    bits, most = values.view("uint32"), np.array([0x7F7F0000], "uint32").view("float32")[0]
    with np.errstate(invalid="ignore"):
        rounding = np.where(np.abs(values) < most, (bits >> 16 & 1) + 0x7FFF, 0)
    # A NaN whose bits are all in the lower half would be an infinity.
    quiet = np.where(np.isnan(values), 0x40, 0)
    return ((bits + rounding) >> 16 | quiet).astype("<u2").tobytes()


def _raw(tensor: NDArray, encode: str) -> bytes:
    """The bytes: `f32-to-bf16` keeps the upper halves of float32, and other types as they are."""
    if encode == "f32-to-bf16" and tensor.dtype == "float32":
        return _halves(tensor)
    return tensor.__reduce__()[1][2]


def _write_list(file: Path, about: Any, records: list[dict[str, Any]]) -> None:
    file.write_text(json.dumps({"metadata": about, "records": records}, indent=4), encoding="utf-8")


class _Shards:
    """The files of a folder, which are written as they fill up: what is not yet written is less than one."""

    def __init__(self, folder: Path, capacity: int) -> None:
        self.folder, self.capacity = folder, capacity
        self.written: list[dict[str, Any]] = []
        self._data = bytearray()
        self._records: list[dict[str, Any]] = []

    def add(self, record: dict[str, Any], data: bytes) -> None:
        """A tensor. One that fills up a file or does not fit has a file of its own if it fills half of one, else it
        begins the next."""
        place = {"nbytes": len(data), "byteOffset": len(self._data)}
        if len(self._data) + len(data) >= self.capacity:
            if 2 * len(data) >= self.capacity:
                self._write(data, [record | place | {"byteOffset": 0}])
                return
            self.flush()
            place["byteOffset"] = 0
        self._records.append(record | place)
        self._data += data

    def flush(self) -> None:
        """Writes what is left."""
        if self._records:
            self._write(bytes(self._data), self._records)
        self._data, self._records = bytearray(), []

    def _write(self, data: bytes, records: list[dict[str, Any]]) -> None:
        path = f"params_shard_{len(self.written)}.bin"
        (self.folder / path).write_bytes(data)
        shard = {"dataPath": path, "format": "raw-shard", "nbytes": len(data), "records": records}
        self.written.append({**shard, "md5sum": hashlib.md5(data, usedforsecurity=False).hexdigest()})


def dump_ndarray_cache(
    params: Mapping[str, Any] | Iterable[tuple[str, Any]],
    cache_dir: str,
    encode_format: str = "f32-to-bf16",
    meta_data: Any = None,
    shard_cap_mb: int = 32,
    show_progress: bool = True,
    update_if_exists: bool = False,
) -> None:
    """Writes tensors into a folder, in shards of at most so many MiB where tensors are smaller.

    They are taken one by one, and a shard is written when it is full: a model need not fit into memory. `meta_data` is
    what is said about them, or a function that says it in the end. Where float32 becomes bfloat16 there is a second
    list, `ndarray-cache-b16.json`, in which it is called so.
    """
    if encode_format not in ("raw", "f32-to-bf16"):
        raise ValueError(f"the format is raw or f32-to-bf16, found `{encode_format}`")
    folder = Path(cache_dir)
    if update_if_exists and (folder / "ndarray-cache.json").exists():
        raise NotImplementedError(f"{folder} has weights already: they are replaced as a whole, not one by one")
    folder.mkdir(parents=True, exist_ok=True)
    shards = _Shards(folder, shard_cap_mb << 20)
    for name, value in params.items() if isinstance(params, Mapping) else params:
        tensor = value if isinstance(value, NDArray) else array(value)
        record = {"name": name, "shape": list(tensor.shape), "dtype": tensor.dtype, "format": encode_format}
        shards.add(record, _raw(tensor, encode_format))
    shards.flush()
    about = meta_data() if callable(meta_data) else meta_data or {}
    _write_list(folder / "ndarray-cache.json", about, shards.written)
    halves = [record for shard in shards.written for record in shard["records"] if record["dtype"] == "float32"]
    if encode_format == "f32-to-bf16" and halves:
        for record in halves:
            record |= {"format": "raw", "dtype": "bfloat16"}
        _write_list(folder / "ndarray-cache-b16.json", about, shards.written)


def load_ndarray_cache(cachepath: str, device: Device) -> tuple[dict[str, NDArray], dict[str, Any]]:
    """The tensors of such a folder, and what was said about them."""
    path = Path(cachepath)
    found = checkpoint.open(path if path.name.endswith(".json") else path / "ndarray-cache.json")
    return {name: tensor.copyto(device) for name, tensor in found.items()}, found.metadata
