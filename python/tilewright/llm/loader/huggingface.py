"""Folders of Hugging Face: `config.json`, and safetensors in one file or several, also in codes of AWQ or GPTQ."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ... import checkpoint
from ...error import TVMError
from ..model import ARCHITECTURES, Architecture, architecture_of_type
from .packed import PackedTensors, Packing
from .source import Source, source_of
from .tensors import Tensors

__all__ = ["model_type", "open_huggingface", "read_json"]

#: Bytes of a file of settings at most.
MAX_BYTES = 1 << 26


def open_huggingface(
    folder: Path, context_window_size: int | None = None, architectures: Sequence[Architecture] = ARCHITECTURES
) -> Source:
    """Opens a folder with `config.json`."""
    file = folder / "config.json"
    values = text_settings(read_json(file))
    said = values.get("quantization_config")
    packing = None if said is None else Packing.of(said, str(file))
    architecture = architecture_of_type(model_type(values, str(file)), architectures)
    config = architecture.from_dict(values, str(file), context_window_size)
    weights = checkpoint.open(folder)
    tensors = Tensors(weights) if packing is None else PackedTensors(weights, packing)
    return source_of(folder, "huggingface", architecture, config, architecture.hf(config), tensors, values)


def model_type(values: Mapping[str, Any], file: str) -> str:
    """The `model_type` of settings."""
    found = values.get("model_type")
    if not isinstance(found, str):
        raise TVMError(f"{file}: expected `model_type`, the name of an architecture, found {found!r:.80}")
    return found


def text_settings(values: dict[str, Any]) -> dict[str, Any]:
    """The settings of the part of a model that reads and writes text, where it has other parts too."""
    text = values.get("text_config")
    if not isinstance(text, dict):
        return values
    return {"tie_word_embeddings": values.get("tie_word_embeddings"), **text}


def read_json(file: Path) -> dict[str, Any]:
    """A file with an object of JSON."""
    size = file.stat().st_size
    if size > MAX_BYTES:
        raise TVMError(f"{file}: settings of {size} bytes, expected at most {MAX_BYTES}")
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise TVMError(f"{file}: no JSON: {error}") from None
    if not isinstance(values, dict):
        raise TVMError(f"{file}: expected an object of JSON, found {type(values).__name__}")
    return values
