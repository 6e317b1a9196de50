"""Models from folders and files: `open_model` finds out which kind it is.

Read are folders of Hugging Face (`config.json`, safetensors), GGUF files, and folders of MLC LLM. Nothing is run, and
what a file claims is compared with what is there before memory is taken.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ...error import TVMError
from ..model import ARCHITECTURES, Architecture
from .gguf import open_gguf
from .huggingface import open_huggingface
from .mlc import open_mlc
from .source import Source
from .tensors import Blocks

__all__ = ["Blocks", "Source", "open_model"]


def open_model(
    path: str | os.PathLike[str],
    context_window_size: int | None = None,
    architectures: Sequence[Architecture] = ARCHITECTURES,
) -> Source:
    """Opens the model of a folder or file, which is one of `architectures`.

    It is for contexts of up to `context_window_size` tokens, by default as long as the model takes. An error says which
    file, tensor or setting is not as expected; `UnsupportedModel` says what this package does not have.
    """
    path = Path(path)
    if path.is_dir():
        if (path / "config.json").is_file():
            return open_huggingface(path, context_window_size, architectures)
        if (path / "mlc-chat-config.json").is_file():
            return open_mlc(path, context_window_size, architectures)
        files = sorted(path.glob("*.gguf"))
        first = [file for file in files if "-00001-of-" in file.name] or files
        if len(first) == 1:
            return open_gguf(first[0], context_window_size, architectures)
        found = f"{len(files)} GGUF files" if files else "none of them"
        raise TVMError(f"{path}: expected config.json, mlc-chat-config.json or one GGUF file, found {found}")
    if not path.exists():
        raise TVMError(f"{path}: no such file or folder")
    return open_gguf(path, context_window_size, architectures)
