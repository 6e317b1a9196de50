"""What a model computed of a prompt, in a file: `--prompt-cache`."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from .. import _core
from ..error import TVMError
from .generate import LanguageModel

__all__ = ["KeptPrompt"]

#: Bytes of a file at most: keys and values of 100,000 tokens of a model of 8 billion weights have as many.
MAX_BYTES = 1 << 34


class KeptPrompt:
    """A file with the keys and values of a prompt.

    It is of one compiled model, since others compute other numbers. A prompt that begins as the kept one does computes
    the rest only; of another prompt the file keeps what both begin with.
    """

    def __init__(self, file: Path, model: LanguageModel) -> None:
        self.file, self.model = file, _key_of(model)

    def restore(self, sequence: _core.TokenSequence) -> int:
        """Makes the sequence the kept one, if there is a file: how many tokens it has."""
        if not self.file.exists():
            return 0
        if not self.file.is_file() or self.file.stat().st_size > MAX_BYTES:
            raise TVMError(f"{self.file}: expected a kept prompt, a file of {MAX_BYTES} bytes at most")
        try:
            sequence.restore(self.file.read_bytes(), self.model)
        except TVMError as error:
            raise TVMError(f"{self.file}: {error}: remove the file, or name another one") from error
        return len(sequence.tokens)

    def save(self, sequence: _core.TokenSequence) -> None:
        """Keeps the tokens of a sequence."""
        part = self.file.with_name(f"{self.file.name}.{os.getpid()}.part")
        try:
            part.write_bytes(sequence.save(self.model))
            part.replace(self.file)
        finally:
            part.unlink(missing_ok=True)


def _key_of(model: LanguageModel) -> bytes:
    """32 bytes that say which compiled model this is: of its executable, and of its weights' size and time."""
    folder = model.folder
    weights = folder.weights.stat()
    found = hashlib.blake2b(folder.executable.read_bytes(), digest_size=32)
    found.update(repr((folder.description, weights.st_size, weights.st_mtime_ns)).encode())
    return found.digest()
