"""Tokens of a model: of its files, or of the metadata of a GGUF file."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import _core
from ..error import TVMError
from .mlc import ends_of, jinja_of

__all__ = ["Tokenizer", "open_tokenizer"]

#: Files of a tokenizer, the preferred one first.
FILES = ("tokenizer.json", "tokenizer.model")


class Tokenizer:
    """Text to tokens and back. `open_tokenizer` makes it."""

    def __init__(self, core: _core.Tokenizer, chat_template: str | None = None, eos: Iterable[int] = ()) -> None:
        self._core, self.chat_template = core, chat_template
        #: The tokens that end what a model says.
        self.eos: frozenset[int] = frozenset(core.eos) | frozenset(eos)
        #: Texts that end what a model says.
        self.stop: tuple[str, ...] = ()
        #: Tokens before a conversation that its template does not have.
        self.prefix: tuple[int, ...] = ()

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
        said = {"messages": list(messages), "variables": variables or None, "now_s": int(time.time())}
        tokens, _ = self._core.chat(json.dumps(said), self.chat_template)
        return [*self.prefix, *tokens]

    def use_conversation(self, template: Mapping[str, Any], place: str) -> None:
        """Takes a conversation template of MLC LLM (`conv_template`); `place` names its file in messages."""
        self.chat_template = jinja_of(template, place)
        stop, ends, prefix = ends_of(template, place)
        self.stop, self.prefix = tuple(stop), tuple(prefix)
        self.eos |= set(ends)

    def stream(self, stop: Sequence[str] = ()) -> _core.TextStream:
        """Decodes tokens as they come: `push(token)` gives the text that is complete, and whether a stop string was."""
        return self._core.stream(list(stop))

    def constraint(self, kind: str, text: str) -> _core.Constraint:
        """A grammar over these tokens, for one generation: see `Grammar`."""
        return self._core.constraint(kind, text, sorted(self.eos))

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
    own = {key: value for key, value in metadata.items() if key.startswith("tokenizer.ggml.")}
    plain = {key: value.numpy().tolist() if hasattr(value, "numpy") else value for key, value in own.items()}
    return Tokenizer(_core.Tokenizer.from_metadata(plain), metadata.get("tokenizer.chat_template"))
