"""Text from a compiled model: one sequence, token by token."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from .. import _core
from ..error import TVMError
from .compile import CompiledFolder, read_weights
from .tokenizer import Tokenizer

__all__ = ["Chat", "Generation", "Grammar", "LanguageModel", "Sampling"]

#: Tokens of a prompt that are computed in one step.
CHUNK = 512


@dataclass(frozen=True)
class Sampling:
    """How the next token is chosen. With a temperature of 0 it is the likeliest one.

    In this order: the grammar's mask, `logit_bias`, penalties, temperature, the `top_k` likeliest tokens, the likeliest
    ones that have `top_p` of the probability together, those with `min_p` times the probability of the likeliest one,
    a draw.
    """

    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    seed: int = 0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    #: What is added to the logits of tokens, by their numbers.
    logit_bias: Mapping[int, float] = field(default_factory=dict)
    #: How many likeliest tokens `Generation.logprobs` has for each token; None for no log-probabilities at all.
    top_logprobs: int | None = None


@dataclass(frozen=True)
class Grammar:
    """What a text must be: `kind` is `"json_schema"`, `"json_object"`, `"regex"` or `"lark"` (Lark's form of
    context-free grammars), `text` the schema, the expression or the grammar.

    A schema is of the keywords that `llguidance` knows, and its references are within it. White space between tokens of
    JSON is a line break and 20 spaces at most, unless the schema says otherwise (`x-guidance`).
    """

    kind: str
    text: str = ""

    def constraint(self, tokenizer: Tokenizer) -> _core.Constraint:
        """The grammar over the tokens of a vocabulary, for one generation."""
        return tokenizer.constraint(self.kind, self.text)


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
    #: How many tokens were proposed by prompt lookup, and how many of these accepted.
    proposals: tuple[int, int] = (0, 0)
    #: For each token the logarithm of its probability, and the likeliest tokens with theirs; empty unless asked for.
    logprobs: list[tuple[float, list[tuple[int, float]]]] = field(default_factory=list)

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
        *,
        grammar: Grammar | None = None,
        speculate: bool = False,
    ) -> Iterator[str]:
        """The text that follows a prompt, piece by piece.

        With `speculate`, tokens that followed the last ones earlier in the text are proposed, and verified several at
        once.
        """
        tokens = self.tokenizer.encode(prompt) if isinstance(prompt, str) else list(prompt)
        result = Generation()
        return self.stream(tokens, result, max_tokens, sampling, stop, grammar=grammar, speculate=speculate)

    def stream(
        self, tokens: Sequence[int], result: Generation, max_tokens: int, sampling: Sampling | None = None,
        stop: Sequence[str] = (), *, grammar: Grammar | None = None, speculate: bool = False,
        sequence: _core.TokenSequence | None = None,
    ) -> Iterator[str]:  # fmt: skip
        """The same of tokens; `result` says how it went. `sequence` may have seen some of the tokens already."""
        sequence = self.sequence() if sequence is None else sequence
        return generate(
            self, sequence, tokens, result, max_tokens, sampling or Sampling(), stop, grammar, speculate
        )  # fmt: skip


def generator(
    sampling: Sampling,
    max_tokens: int,
    ends: Iterable[int] = (),
    constraint: _core.Constraint | None = None,
    speculate: bool = False,
) -> _core.Generator:
    """What chooses tokens. A setting that is out of its range is an error."""
    settings = {item.name: getattr(sampling, item.name) for item in fields(sampling)}
    settings |= {"logit_bias": list(sampling.logit_bias.items()), "ends": sorted(ends), "max_tokens": max_tokens}
    return _core.Generator(settings | {"speculate": speculate}, constraint)


def generate(
    model: LanguageModel,
    sequence: _core.TokenSequence,
    tokens: Sequence[int],
    result: Generation,
    max_tokens: int,
    sampling: Sampling,
    stop: Sequence[str] = (),
    grammar: Grammar | None = None,
    speculate: bool = False,
) -> Iterator[str]:
    """Makes `tokens` the sequence's, and yields the text of what follows; `result` says how it went."""
    if not tokens:
        raise TVMError("a prompt has a token at least")
    constraint = None if grammar is None else grammar.constraint(model.tokenizer)
    own = generator(sampling, max_tokens, model.tokenizer.eos, constraint, speculate)
    stream = model.tokenizer.stream([*stop, *model.tokenizer.stop])
    result.prompt_tokens = len(tokens)
    started = time.perf_counter()
    chosen, end = own.begin(sequence, list(tokens))
    result.prefill_seconds = time.perf_counter() - started
    started = time.perf_counter()
    while True:
        for token, logprob, top in chosen:
            result.tokens.append(token)
            if sampling.top_logprobs is not None:
                result.logprobs.append((logprob, top))
            text, stopped = stream.push(token)
            result.decode_seconds = time.perf_counter() - started
            if text:
                result.text += text
                yield text
            if stopped:
                result.finish_reason = "stop"
                return
        result.proposals = own.proposals
        if end is not None:
            break
        chosen, end = own.step(sequence)
    result.finish_reason = end
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

    def say(
        self, text: str, max_tokens: int = 1024, sampling: Sampling | None = None, *, grammar: Grammar | None = None,
        speculate: bool = False,
    ) -> Iterator[str]:  # fmt: skip
        """The answer to a message, piece by piece. An answer that fails leaves the conversation as it was."""
        messages = [*self.messages, {"role": "user", "content": text}]
        tokens = self.model.tokenizer.chat(messages, **self.variables)
        self.last = Generation()
        yield from self.model.stream(
            tokens, self.last, max_tokens, sampling, grammar=grammar, speculate=speculate, sequence=self.sequence
        )
        self.messages = [*messages, {"role": "assistant", "content": self.last.text}]

    def reset(self) -> None:
        """Forgets all messages but the system's."""
        self.messages = [message for message in self.messages if message["role"] == "system"]
        self.sequence.truncate(0)
