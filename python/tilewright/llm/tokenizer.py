"""Tokens of a model: of its files, or of the metadata of a GGUF file."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import _core
from ..error import TVMError

__all__ = ["Tokenizer", "open_tokenizer"]

#: Files of a tokenizer, the preferred one first.
FILES = ("tokenizer.json", "tokenizer.model")
#: Keys of GGUF's metadata after `tokenizer.ggml.`, by the names that vocabularies have.
KEYS = {
    "bos": "bos_token_id", "eos": "eos_token_id", "eot": "eot_token_id", "unk": "unknown_token_id",
    "pad": "padding_token_id", "sep": "seperator_token_id", "cls": "cls_token_id", "add_bos": "add_bos_token",
    "add_eos": "add_eos_token", "add_space_prefix": "add_space_prefix",
}  # fmt: skip


class Tokenizer:
    """Text to tokens and back. `open_tokenizer` makes it."""

    def __init__(self, core: _core.Tokenizer, chat_template: str | None = None, eos: Iterable[int] = ()) -> None:
        self._core, self.chat_template = core, chat_template
        #: The tokens that end what a model says.
        self.eos: frozenset[int] = frozenset(core.eos) | frozenset(eos)

    @property
    def vocab_size(self) -> int:
        """The number of tokens."""
        return self._core.vocab_size

    def encode(self, text: str, add_special: bool = True, markup: bool = False) -> list[int]:
        """The tokens of a text. Control tokens that it spells are text, unless it is `markup`."""
        return self._core.encode(text, add_special, markup)

    def decode(self, tokens: Sequence[int], skip_special: bool = True) -> str:
        """The text of tokens."""
        return self._core.decode(list(tokens), skip_special)

    def chat(self, messages: Sequence[Mapping[str, Any]], **variables: Any) -> list[int]:
        """The tokens of a conversation, up to where the assistant begins to speak.

        `messages` have a `role` and a `content`; `variables` are the template's own, such as `enable_thinking`.
        Control tokens are those of the template, never such that a message spells.
        """
        said = json.dumps(variables) if variables else None
        tokens, _ = self._core.chat(json.dumps(list(messages)), self.chat_template, None, said, int(time.time()))
        return tokens

    def stream(self, stop: Sequence[str] = ()) -> _core.TextStream:
        """Decodes tokens as they come: `push(token)` gives the text that is complete, and whether a stop string was."""
        return self._core.stream(list(stop))

    def id_of(self, token: str) -> int | None:
        """The number of a token."""
        return self._core.id_of(token)


def open_tokenizer(path: str | Path, metadata: Mapping[str, Any] | None = None) -> Tokenizer:
    """The tokenizer of a model's folder, or of a GGUF file whose metadata is given."""
    path = Path(path)
    if metadata is not None and "tokenizer.ggml.model" in metadata:
        return _of_metadata(metadata)
    for name in FILES:
        file = path / name
        if file.is_file():
            return _of_folder(path, file)
    raise TVMError(f"{path}: expected {' or '.join(FILES)} for the tokens of the model")


def _of_folder(folder: Path, file: Path) -> Tokenizer:
    def read(name: str) -> bytes | None:
        return (folder / name).read_bytes() if (folder / name).is_file() else None

    if file.name.endswith(".json"):
        core = _core.Tokenizer.from_json(file.read_bytes(), read("tokenizer_config.json"))
    else:
        core = _core.Tokenizer.from_sentencepiece(file.read_bytes())
    template, said = read("chat_template.jinja"), read("generation_config.json")
    try:
        settings = json.loads(said) if said else {}
        text = None if template is None else template.decode()
    except ValueError as error:
        raise TVMError(f"{folder}: generation_config.json or chat_template.jinja cannot be read: {error}") from error
    ends: Any = settings.get("eos_token_id") if isinstance(settings, dict) else None
    ends = ends if isinstance(ends, list) else [ends]
    return Tokenizer(core, text, [end for end in ends if isinstance(end, int)])


def _of_metadata(metadata: Mapping[str, Any]) -> Tokenizer:
    def own(key: str, default: Any = None) -> Any:
        return metadata.get(f"tokenizer.ggml.{key}", default)

    def numbers(key: str) -> list[Any]:
        found = own(key)
        return [] if found is None else found.numpy().tolist() if hasattr(found, "numpy") else list(found)

    said = {name: own(key) for name, key in KEYS.items()} | {
        "model": own("model"), "pre": own("pre"), "tokens": list(own("tokens", [])), "merges": list(own("merges", [])),
        "scores": numbers("scores"), "token_types": [int(number) for number in numbers("token_type")],
    }  # fmt: skip
    return Tokenizer(_core.Tokenizer.from_vocabulary(said), metadata.get("tokenizer.chat_template"))
