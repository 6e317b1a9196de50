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


def _raw(tensor: NDArray, encode: str) -> tuple[str, bytes]:
    """The format and the bytes: `f32-to-bf16` keeps the upper halves of float32."""
    if encode == "f32-to-bf16" and tensor.dtype == "float32":
        return "f32-to-bf16", tensor.astype("bfloat16").__reduce__()[1][2]
    return "raw", tensor.__reduce__()[1][2]


def dump_ndarray_cache(
    params: Mapping[str, Any] | Iterable[tuple[str, Any]],
    cache_dir: str,
    encode_format: str = "f32-to-bf16",
    meta_data: Any = None,
    shard_cap_mb: int = 32,
    show_progress: bool = True,
    update_if_exists: bool = False,
) -> None:
    """Writes tensors into a folder, in shards of at most so many MiB where tensors are smaller."""
    if encode_format not in ("raw", "f32-to-bf16"):
        raise ValueError(f"the format is raw or f32-to-bf16, found `{encode_format}`")
    folder = Path(cache_dir)
    if update_if_exists and (folder / "ndarray-cache.json").exists():
        raise NotImplementedError(f"{folder} has weights already: they are replaced as a whole, not one by one")
    folder.mkdir(parents=True, exist_ok=True)
    shards: list[tuple[bytes, list[dict[str, Any]]]] = []
    for name, value in params.items() if isinstance(params, Mapping) else params:
        tensor = value if isinstance(value, NDArray) else array(value)
        form, data = _raw(tensor, encode_format)
        if not shards or len(shards[-1][0]) + len(data) > shard_cap_mb << 20:
            shards.append((b"", []))
        held, records = shards[-1]
        place = {"nbytes": len(data), "byteOffset": len(held)}
        records.append({"name": name, "shape": list(tensor.shape), "dtype": tensor.dtype, "format": form, **place})
        shards[-1] = (held + data, records)
    listed = []
    for index, (data, records) in enumerate(shards):
        path = f"params_shard_{index}.bin"
        (folder / path).write_bytes(data)
        shard = {"dataPath": path, "format": "raw-shard", "nbytes": len(data), "records": records}
        listed.append({**shard, "md5sum": hashlib.md5(data, usedforsecurity=False).hexdigest()})
    about = meta_data() if callable(meta_data) else meta_data or {}
    text = json.dumps({"metadata": about, "records": listed}, indent=4)
    (folder / "ndarray-cache.json").write_text(text, encoding="utf-8")


def load_ndarray_cache(cachepath: str, device: Device) -> tuple[dict[str, NDArray], dict[str, Any]]:
    """The tensors of such a folder, and what was said about them."""
    path = Path(cachepath)
    found = checkpoint.open(path if path.name.endswith(".json") else path / "ndarray-cache.json")
    return {name: tensor.copyto(device) for name, tensor in found.items()}, found.metadata
