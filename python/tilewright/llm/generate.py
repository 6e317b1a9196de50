"""Text from a compiled model: one sequence, token by token."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import _core
from ..error import TVMError
from .compile import CompiledFolder, read_weights
from .tokenizer import Tokenizer

__all__ = ["Chat", "Generation", "LanguageModel", "Sampling"]

#: Tokens of a prompt that are computed in one step.
CHUNK = 512


@dataclass(frozen=True)
class Sampling:
    """How the next token is chosen. With a temperature of 0 it is the likeliest one.

    In this order: penalties, temperature, the `top_k` likeliest tokens, the likeliest ones that have `top_p` of the
    probability together, those with `min_p` times the probability of the likeliest one, a draw.
    """

    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    seed: int = 0


@dataclass
class Generation:
    """What was generated, and how long it took."""

    prompt_tokens: int = 0
    tokens: list[int] = field(default_factory=list)
    text: str = ""
    #: Why it ended: `"stop"` (the model, or a stop string) or `"length"`.
    finish_reason: str = ""
    prefill_seconds: float = 0.0
    decode_seconds: float = 0.0

    @property
    def speed(self) -> float:
        """Tokens in a second, after the first one."""
        return (len(self.tokens) - 1) / self.decode_seconds if self.decode_seconds > 0 and self.tokens else 0.0


class LanguageModel:
    """A compiled model with its tokenizer."""

    def __init__(self, folder: CompiledFolder, tokenizer: Tokenizer, context_window_size: int | None = None) -> None:
        self.folder, self.tokenizer = folder, tokenizer
        description = folder.description
        self.context_window_size = context_window_size or description["context_window_size"]
        self.vocab_size: int = description["vocab_size"]
        executable = _core.Executable.load(str(folder.executable))
        self._core = _core.LanguageModel(
            executable, read_weights(folder), self.context_window_size, CHUNK, self.vocab_size
        )

    def sequence(self) -> _core.TokenSequence:
        """A sequence without tokens."""
        return self._core.sequence()

    def generate(
        self,
        prompt: str | Sequence[int],
        max_tokens: int = 256,
        sampling: Sampling | None = None,
        stop: Sequence[str] = (),
    ) -> Iterator[str]:
        """The text that follows a prompt, piece by piece."""
        tokens = self.tokenizer.encode(prompt) if isinstance(prompt, str) else list(prompt)
        return self.stream(tokens, Generation(), max_tokens, sampling or Sampling(), stop)

    def stream(
        self, tokens: Sequence[int], result: Generation, max_tokens: int, sampling: Sampling, stop: Sequence[str] = ()
    ) -> Iterator[str]:
        """The same of tokens; `result` says how it went."""
        return generate(self, self.sequence(), tokens, result, max_tokens, sampling, stop)


def generate(
    model: LanguageModel,
    sequence: _core.TokenSequence,
    tokens: Sequence[int],
    result: Generation,
    max_tokens: int,
    sampling: Sampling,
    stop: Sequence[str],
) -> Iterator[str]:
    """Makes `tokens` the sequence's, and yields the text of what follows; `result` says how it went."""
    if not tokens:
        raise TVMError("a prompt has a token at least")
    result.prompt_tokens = len(tokens)
    started = time.perf_counter()
    logits = sequence.replace(list(tokens))
    result.prefill_seconds = time.perf_counter() - started
    sampler = Sampler(sampling, tokens)
    stream = model.tokenizer.stream(stop)
    started = time.perf_counter()
    result.finish_reason = "length"
    for number in range(max_tokens):
        token = sampler.choose(logits)
        if token in model.tokenizer.eos:
            result.finish_reason = "stop"
            break
        result.tokens.append(token)
        text, stopped = stream.push(token)
        result.decode_seconds = time.perf_counter() - started
        if text:
            result.text += text
            yield text
        if stopped:
            result.finish_reason = "stop"
            return
        if number + 1 == max_tokens or sequence.room == 0:
            break
        logits = sequence.append([token])
    rest = stream.finish()
    if rest:
        result.text += rest
        yield rest


class Chat:
    """A conversation with a model. What was said stays in the sequence, so that a turn computes its own tokens only."""

    def __init__(self, model: LanguageModel, system: str | None = None, **variables: Any) -> None:
        self.model, self.variables = model, variables
        self.messages: list[dict[str, str]] = [{"role": "system", "content": system}] if system else []
        self.sequence = model.sequence()
        #: How the last turn went.
        self.last = Generation()

    def say(self, text: str, max_tokens: int = 1024, sampling: Sampling | None = None) -> Iterator[str]:
        """The answer to a message, piece by piece. An answer that fails leaves the conversation as it was."""
        messages = [*self.messages, {"role": "user", "content": text}]
        tokens = self.model.tokenizer.chat(messages, **self.variables)
        self.last = Generation()
        yield from generate(self.model, self.sequence, tokens, self.last, max_tokens, sampling or Sampling(), ())
        self.messages = [*messages, {"role": "assistant", "content": self.last.text}]

    def reset(self) -> None:
        """Forgets all messages but the system's."""
        self.messages = [message for message in self.messages if message["role"] == "system"]
        self.sequence.truncate(0)


class Sampler:
    """Chooses tokens of one sequence."""

    def __init__(self, sampling: Sampling, tokens: Sequence[int]) -> None:
        own = sampling
        self._core = _core.Sampler(
            own.temperature, own.top_k, own.top_p, own.min_p, own.repetition_penalty, own.seed, list(tokens)
        )

    def choose(self, logits: Any) -> int:
        """The next token, after the logits of the last one."""
        return self._core.choose(logits)
