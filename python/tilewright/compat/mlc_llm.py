"""`mlc_llm` where it is not installed: `MLCEngine` and `ChatModule` over this package's models, in this process.

After `tilewright.compat.install()`, or under `python -m tilewright.compat SCRIPT.py`, `from mlc_llm import MLCEngine`
finds this. `python -m tilewright.compat.mlc_llm convert_weight …` takes the commands of MLC LLM's documents.

Requests and answers have the shape of OpenAI's API, as far as one process with one model needs it: what is not there
(tools, images) is refused by name.
"""

from __future__ import annotations

import json
import secrets
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..error import TVMError
from ..llm.commands import open_compiled
from ..llm.generate import Generation, Grammar, Sampling
from ..llm.loader.huggingface import read_json

__all__ = ["ChatModule", "GenerationConfig", "MLCEngine", "StreamToStdout"]


class _Record:
    def model_dump(self) -> dict[str, Any]:
        """The fields as a dictionary."""
        return asdict(self)  # type: ignore[call-overload]

    def model_dump_json(self) -> str:
        """The fields as JSON."""
        return json.dumps(self.model_dump(), ensure_ascii=False)


@dataclass
class Message(_Record):
    """What was said, or a part of it."""

    content: str | None = None
    role: str | None = "assistant"
    tool_calls: None = None


@dataclass
class TopLogProb(_Record):
    """A token that was likely, and the logarithm of its probability."""

    token: str
    logprob: float
    bytes: list[int] | None = None


@dataclass
class TokenLogProb(TopLogProb):
    """The token that was chosen, with the likeliest ones."""

    top_logprobs: list[TopLogProb] = field(default_factory=list)


@dataclass
class LogProbs(_Record):
    """Those of all tokens."""

    content: list[TokenLogProb]


@dataclass
class Choice(_Record):
    """One answer: `message` of a whole one, `delta` of a part, `text` of a completion."""

    index: int = 0
    finish_reason: str | None = None
    message: Message | None = None
    delta: Message | None = None
    text: str | None = None
    logprobs: LogProbs | None = None


@dataclass
class Usage(_Record):
    """Tokens, and speeds in tokens a second."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    extra: dict[str, float] = field(default_factory=dict)


@dataclass
class Response(_Record):
    """An answer, or a part of one."""

    id: str
    object: str
    model: str
    created: int
    choices: list[Choice]
    usage: Usage | None = None
    system_fingerprint: str = ""


class MLCEngine:
    """A model that answers. `model` is a GGUF file, or a folder of Hugging Face or MLC LLM.

    `device`, `model_lib`, `mode` and `engine_config` are taken as MLC LLM has them: the processor runs the model, which
    is compiled into the user's cache. Keyword arguments are those of `open_compiled`.
    """

    def __init__(
        self, model: str, device: str = "auto", *, model_lib: str | None = None, mode: str = "local",
        engine_config: Any = None, enable_tracing: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        if str(device).partition(":")[0] not in ("auto", "cpu", "llvm"):
            raise TVMError(f"models run on the processor here, found the device {device!r}")
        if str(model).startswith(("HF://", "http://", "https://")):
            raise TVMError(f"{model}: models are not downloaded: give the path of a file or folder")
        self.model, self.name = open_compiled(model, **options), str(model)
        self.defaults = _defaults_of(str(model))
        self.chat, self.completions = _Chat(self), _Completions(self)
        self._idle: list[Any] = []
        self._lock = threading.Lock()
        self._last = Generation()

    def terminate(self) -> None:
        """Gives the memory of sequences back."""
        with self._lock:
            self._idle.clear()

    def abort(self, request_id: str) -> None:
        """Nothing: an answer ends when its stream is closed."""

    def reset(self) -> None:
        """Forgets what is known of earlier prompts."""
        self.terminate()

    def metrics(self) -> dict[str, float]:
        """Of the last answer: tokens, and tokens a second."""
        return _speeds(self._last) | {
            "prompt_tokens": float(self._last.prompt_tokens), "completion_tokens": float(len(self._last.tokens)),
        }  # fmt: skip

    def _stream(self, tokens: list[int], result: Generation, request: _Request) -> Iterator[str]:
        """The answer's text, over a sequence that no other answer has."""
        with self._lock:
            sequence = self._idle.pop() if self._idle else self.model.sequence()
        self._last = result
        try:
            yield from self.model.stream(
                tokens, result, request.max_tokens or self.model.context_window_size, request.sampling, request.stop,
                grammar=request.grammar, sequence=sequence,
            )  # fmt: skip
        finally:
            with self._lock:
                self._idle[:] = [sequence]

    def __enter__(self) -> MLCEngine:
        return self

    def __exit__(self, *_: Any) -> None:
        self.terminate()


def _defaults_of(path: str) -> dict[str, Any]:
    """What the folder says of sampling."""
    from pathlib import Path

    for name in ("mlc-chat-config.json", "generation_config.json"):
        file = Path(path) / name
        if file.is_file():
            said = read_json(file)
            names = ("temperature", "top_p", "presence_penalty", "frequency_penalty", "repetition_penalty")
            return {own: said[own] for own in names if isinstance(said.get(own), (int, float))}
    return {}


@dataclass
class _Request:
    sampling: Sampling
    max_tokens: int | None
    stop: list[str]
    grammar: Grammar | None
    stream: bool
    n: int
    logprobs: bool
    include_usage: bool


#: Arguments of a request that are taken, for their meaning or because they change nothing.
TAKEN = {
    "model", "stream", "max_tokens", "max_completion_tokens", "temperature", "top_p", "top_k", "min_p", "n", "seed",
    "stop",
    "presence_penalty", "frequency_penalty", "repetition_penalty", "logit_bias", "logprobs", "top_logprobs",
    "response_format", "stream_options", "user", "request_id", "extra_body", "debug_config", "ignore_eos",
}  # fmt: skip


def _request(given: Mapping[str, Any], defaults: Mapping[str, Any]) -> _Request:
    """A request, checked."""
    given = {**given, **(given.get("extra_body") or {})}
    unknown = [name for name, value in given.items() if name not in TAKEN and value is not None]
    if unknown:
        raise TVMError(f"`{unknown[0]}` is none of the arguments that are taken here: {', '.join(sorted(TAKEN))}")
    own = {name: value for name, value in given.items() if value is not None}
    number = lambda name, default: float(own.get(name, defaults.get(name, default)))  # noqa: E731
    stop = own.get("stop", [])
    seed, bias = own.get("seed"), own.get("logit_bias") or {}
    top = int(own.get("top_logprobs", 0))
    limit, count = own.get("max_tokens", own.get("max_completion_tokens")), int(own.get("n", 1))
    if (limit is not None and int(limit) < 1) or not 1 <= count <= 128 or not 0 <= top <= 20:
        raise TVMError("expected `max_tokens` above 0, `n` of 1 to 128 and `top_logprobs` of 0 to 20")
    sampling = Sampling(
        temperature=number("temperature", 1.0), top_p=number("top_p", 1.0), top_k=int(own.get("top_k", 0)),
        min_p=float(own.get("min_p", 0.0)), repetition_penalty=number("repetition_penalty", 1.0),
        presence_penalty=number("presence_penalty", 0.0), frequency_penalty=number("frequency_penalty", 0.0),
        seed=secrets.randbits(63) if seed is None else int(seed) % (1 << 63),
        logit_bias={int(token): float(value) for token, value in bias.items()},
        top_logprobs=top if own.get("logprobs") else None,
    )  # fmt: skip
    options = own.get("stream_options") or {}
    return _Request(
        sampling, None if limit is None else int(limit), [stop] if isinstance(stop, str) else list(stop),
        _grammar(own.get("response_format")), bool(own.get("stream", False)), count, bool(own.get("logprobs")),
        bool(options.get("include_usage", False)),
    )  # fmt: skip


def _grammar(form: Mapping[str, Any] | None) -> Grammar | None:
    """What `response_format` says: MLC LLM has the schema as text in `schema`, OpenAI as an object in `json_schema`."""
    if form is None or form.get("type") == "text":
        return None
    kind = form.get("type")
    if kind == "grammar":
        return Grammar("lark", str(form.get("grammar")))
    schema = form.get("schema", form.get("json_schema"))
    if kind == "json_schema" and isinstance(schema, Mapping):
        schema = schema.get("schema", schema)
    if kind not in ("json_object", "json_schema"):
        raise TVMError(
            f"`response_format`: expected the type text, json_object, json_schema or grammar, found {kind!r:.80}"
        )
    if schema is None:
        if kind == "json_schema":
            raise TVMError("`response_format`: expected the schema in `json_schema`")
        return Grammar("json_object")
    return Grammar("json_schema", schema if isinstance(schema, str) else json.dumps(schema))


def _messages(messages: Any) -> list[dict[str, str]]:
    if isinstance(messages, str):
        return [{"role": "user", "content": messages}]
    if not isinstance(messages, Sequence) or not messages:
        raise TVMError(f"`messages`: expected a list of messages, found {messages!r:.80}")
    return [_message(message) for message in messages]


def _message(message: Any) -> dict[str, str]:
    own = message if isinstance(message, Mapping) else getattr(message, "__dict__", {})
    role, content = own.get("role"), own.get("content")
    if isinstance(content, list):
        parts = [
            part.get("text") if isinstance(part, Mapping) and part.get("type") == "text" else None for part in content
        ]
        content = None if None in parts else "".join(map(str, parts))
    if not isinstance(role, str) or not isinstance(content, str):
        raise TVMError(f"`messages`: expected a `role` and a `content` of text, found {message!r:.80}")
    return {"role": role, "content": content}


def _speeds(result: Generation) -> dict[str, float]:
    prefill = result.prompt_tokens / result.prefill_seconds if result.prefill_seconds else 0.0
    return {"prefill_tokens_per_s": prefill, "decode_tokens_per_s": result.speed}


class _Endpoint:
    """Requests of one kind."""

    kind, prefix = "", ""

    def __init__(self, engine: MLCEngine) -> None:
        self._engine = engine

    def _answer(self, tokens: list[int], given: Mapping[str, Any]) -> Any:
        request = _request(given, self._engine.defaults)
        name = given.get("model") or self._engine.name
        head = {"id": f"{self.prefix}-{secrets.token_hex(12)}", "model": name, "created": int(time.time())}
        parts = self._parts(tokens, request, head)
        return parts if request.stream else self._whole(tokens, request, head)

    def _results(self, tokens: list[int], request: _Request) -> Iterator[tuple[int, Generation, Iterator[str]]]:
        for index in range(request.n):
            sampling = request.sampling
            own = Sampling(**{**vars(sampling), "seed": (sampling.seed + index) % (1 << 63)})
            result = Generation()
            yield index, result, self._engine._stream(tokens, result, _Request(**{**vars(request), "sampling": own}))

    def _whole(self, tokens: list[int], request: _Request, head: dict[str, Any]) -> Response:
        choices, results = [], []
        for index, result, pieces in self._results(tokens, request):
            text = "".join(pieces)
            results.append(result)
            probs = self._logprobs(result, 0) if request.logprobs else None
            choices.append(self._choice(index, text, result.finish_reason, False, probs))
        return Response(object=self.kind, choices=choices, usage=self._usage(results), **head)

    def _parts(self, tokens: list[int], request: _Request, head: dict[str, Any]) -> Iterator[Response]:
        kind, results = f"{self.kind}.chunk" if self.prefix == "chatcmpl" else self.kind, []
        for index, result, pieces in self._results(tokens, request):
            results.append(result)
            seen = 0
            for piece in pieces:
                probs = self._logprobs(result, seen) if request.logprobs else None
                seen = len(result.tokens)
                yield Response(object=kind, choices=[self._choice(index, piece, None, True, probs)], **head)
            yield Response(object=kind, choices=[self._choice(index, "", result.finish_reason, True, None)], **head)
        if request.include_usage:
            yield Response(object=kind, choices=[], usage=self._usage(results), **head)

    def _choice(self, index: int, text: str, reason: str | None, part: bool, probs: LogProbs | None) -> Choice:
        if self.prefix != "chatcmpl":
            return Choice(index, reason, text=text, logprobs=probs)
        said = Message(text)
        return Choice(index, reason, None if part else said, said if part else None, logprobs=probs)

    def _logprobs(self, result: Generation, first: int) -> LogProbs:
        decode = lambda token: self._engine.model.tokenizer.decode([token], False)  # noqa: E731
        return LogProbs(
            [
                TokenLogProb(decode(token), logprob, None, [TopLogProb(decode(own), value) for own, value in top])
                for token, (logprob, top) in zip(result.tokens[first:], result.logprobs[first:], strict=True)
            ]
        )

    def _usage(self, results: list[Generation]) -> Usage:
        prompt, made = results[0].prompt_tokens, sum(len(result.tokens) for result in results)
        return Usage(prompt, made, prompt + made, _speeds(results[-1]))


class _ChatCompletions(_Endpoint):
    kind, prefix = "chat.completion", "chatcmpl"

    def create(self, *, messages: Any, **given: Any) -> Any:
        """An answer to messages: a `Response`, or with `stream=True` an iterator of its parts."""
        return self._answer(self._engine.model.tokenizer.chat(_messages(messages)), given)


class _Completions(_Endpoint):
    kind, prefix = "text_completion", "cmpl"

    def create(self, *, prompt: str | list[int], **given: Any) -> Any:
        """What follows a prompt: a `Response`, or with `stream=True` an iterator of its parts."""
        tokens = self._engine.model.tokenizer.encode(prompt) if isinstance(prompt, str) else list(prompt)
        return self._answer(tokens, given)


class _Chat:
    def __init__(self, engine: MLCEngine) -> None:
        self.completions = _ChatCompletions(engine)


@dataclass
class GenerationConfig:
    """How `ChatModule` answers; what is None is as the model's folder says."""

    temperature: float | None = None
    repetition_penalty: float | None = None
    top_p: float | None = None
    max_gen_len: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    seed: int | None = None
    stop: list[str] | None = None
    n: int | None = None


class StreamToStdout:
    """Prints an answer while it is made."""

    def __init__(self, callback_interval: int = 2) -> None:
        self.callback_interval = callback_interval

    def __call__(self, delta: str = "", stopped: bool = False) -> None:
        """Prints a part, or ends the line."""
        print("" if stopped else delta, end="\n" if stopped else "", flush=True)


def _refuse_config(chat_config: Any) -> None:
    if chat_config is not None:
        raise TVMError(
            "`chat_config` is not taken: sampling is said in `generation_config`, the rest in the model's folder"
        )


class ChatModule:
    """A conversation with a model, as MLC LLM had it before its engine."""

    def __init__(
        self, model: str, device: str = "auto", chat_config: Any = None, model_lib_path: str | None = None,
        **options: Any,
    ) -> None:  # fmt: skip
        _refuse_config(chat_config)
        self._engine = MLCEngine(model, device, model_lib=model_lib_path, **options)
        self._messages: list[dict[str, str]] = []

    def generate(
        self,
        prompt: str | list[Any],
        generation_config: GenerationConfig | None = None,
        progress_callback: Callable[..., None] | None = None,
    ) -> str:
        """The answer to a message, or to the last of several; `progress_callback(delta)` is told its parts."""
        messages = [*self._messages, *_messages(prompt)]
        given = {} if generation_config is None else asdict(generation_config)
        given["max_tokens"] = given.pop("max_gen_len", None)
        if (given.get("n") or 1) != 1:
            raise TVMError("a conversation goes on with one answer: expected `n` of 1")
        text = ""
        for part in self._engine.chat.completions.create(messages=messages, stream=True, **given):
            delta = part.choices[0].delta.content
            text += delta
            if progress_callback is not None and delta:
                progress_callback(delta)
        if isinstance(progress_callback, StreamToStdout):
            progress_callback(stopped=True)
        self._messages = [*messages, {"role": "assistant", "content": text}]
        return text

    def reset_chat(self, chat_config: Any = None) -> None:
        """Forgets the conversation."""
        _refuse_config(chat_config)
        self._messages = []

    def stats(self, verbose: bool = False) -> str:
        """Tokens a second of the last answer."""
        speeds = _speeds(self._engine._last)
        return f"prefill: {speeds['prefill_tokens_per_s']:.1f} tok/s, decode: {speeds['decode_tokens_per_s']:.1f} tok/s"


#: Commands of MLC LLM, and those of this package.
COMMANDS = {"convert_weight": "convert-weight", "gen_config": "gen-config", "compile": "compile", "chat": "chat"}


def main(arguments: Sequence[str]) -> int:
    """`mlc_llm COMMAND …`: the result is the exit status."""
    from ..llm.commands import main as run

    name = arguments[0].replace("-", "_") if arguments else ""
    if name not in COMMANDS:
        print(f"usage: mlc_llm {{{','.join(COMMANDS)}}} …", file=sys.stderr)
        return 2
    own = [COMMANDS[name], *arguments[1:]]
    return run(own if name == "chat" else ["llm", *own])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
