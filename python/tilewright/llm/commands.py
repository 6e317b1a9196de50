"""`tilewright chat` and `tilewright generate`: a model's file or folder talks."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..error import TVMError
from .compile import CACHE_TYPES, CompiledFolder, compile_model
from .embedding import POOLINGS, open_embedder
from .folders import cache_folder, move_into_place
from .generate import Chat, Generation, Grammar, LanguageModel, Sampling, generator
from .loader import open_model
from .mlc import CONVERSATIONS
from .prompt_cache import KeptPrompt
from .quantization.quantize import MODES
from .tokenizer import open_tokenizer
from .verbs import add_verbs

__all__ = ["COMMANDS", "main"]

#: Commands that need a model's definition, and so Python.
COMMANDS = ("chat", "generate", "embed", "llm")
#: Bytes of a file with a grammar or a schema at most.
MAX_GRAMMAR_BYTES = 1 << 20
#: What `chat` answers to.
HELP = "/reset forgets the conversation, /stats tells the speed of the last answer, /exit ends (as does end of file)"


def main(arguments: Sequence[str]) -> int:
    """Runs one of `COMMANDS`; the result is its exit status."""
    options = _parser().parse_args(list(arguments))
    try:
        # A setting that is out of its range is told before anything is compiled.
        if hasattr(options, "temperature"):
            generator(_sampling(options), options.max_tokens)
            _grammar(options)
        return options.run(options)
    except (TVMError, OSError, UnicodeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tilewright")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    chat = commands.add_parser("chat", help="talk with a model", description=f"Talk with a model. {HELP}.")
    _add_path(chat)
    chat.add_argument("--system", help="what the model is told first")
    chat.set_defaults(run=_chat)
    generate = commands.add_parser("generate", help="continue a prompt", description="Continue a prompt.")
    _add_path(generate)
    generate.add_argument("prompt", help="the text; with --chat, a message")
    generate.add_argument("--chat", action="store_true", help="put the prompt into the model's chat template")
    generate.add_argument("--stop", action="append", default=[], metavar="TEXT", help="end where this text comes")
    generate.add_argument("--json", action="store_true", help="print one object when all is done")
    generate.set_defaults(run=_generate)
    for command in (chat, generate):
        _add_options(command)
    _add_embed(commands)
    add_verbs(commands)
    return parser


def _add_embed(commands: Any) -> None:
    embed = commands.add_parser(
        "embed", help="vectors of texts", description="Print vectors of texts, a line for each."
    )
    embed.add_argument("path", help="a folder of Hugging Face with a model of the BERT family")
    embed.add_argument("text", nargs="+", help="a text; - reads texts from standard input, a line for each")
    embed.add_argument("--pooling", choices=POOLINGS, help="how vectors of tokens become one (as the folder says)")
    embed.add_argument("--no-normalize", action="store_true", help="leave vectors as they are")
    embed.add_argument("--json", action="store_true", help="print one object with all vectors")
    embed.set_defaults(run=_embed)


def _embed(options: argparse.Namespace) -> int:
    texts = [line for text in options.text for line in (sys.stdin.read().splitlines() if text == "-" else [text])]
    normalize = False if options.no_normalize else None
    embedder = open_embedder(options.path, options.pooling, normalize, _show)
    vectors = embedder.embed(texts, lambda done: _show(f"{done} of {len(texts)} texts" if done < len(texts) else ""))
    if options.json:
        print(json.dumps({"size": embedder.size, "embeddings": vectors.tolist()}))
        return 0
    for vector in vectors:
        print(" ".join(f"{value:.7g}" for value in vector))
    return 0


def _add_path(command: argparse.ArgumentParser) -> None:
    command.add_argument("path", help="a GGUF file, or a folder of Hugging Face or MLC LLM")


def _add_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--context", type=_positive, metavar="TOKENS", help="the longest sequence, at most the model's"
    )
    command.add_argument("--max-tokens", type=_positive, default=512, help="of an answer (512)")
    command.add_argument("--temperature", type=float, default=0.0, help="0 takes the likeliest token (0)")
    command.add_argument("--top-k", type=_natural, default=0, help="draw among so many tokens, 0 among all (0)")
    command.add_argument("--top-p", type=float, default=1.0, help="draw among those with so much probability (1)")
    command.add_argument("--min-p", type=float, default=0.0, help="and so much of the likeliest one's (0)")
    command.add_argument("--repetition-penalty", type=float, default=1.0, help="above 1 repeats less (1)")
    command.add_argument("--seed", type=_natural, default=0, help="of the draws (0)")
    command.add_argument("--presence-penalty", type=float, default=0.0, help="taken from what was said (0)")
    command.add_argument("--frequency-penalty", type=float, default=0.0, help="taken as often as it was said (0)")
    command.add_argument(
        "--speculate", action="store_true", help="propose what followed the last words before, while that pays"
    )
    command.add_argument(
        "--prompt-cache", metavar="FILE", help="keep what was computed of the prompt in this file, for the next call"
    )
    shapes = command.add_mutually_exclusive_group()
    shapes.add_argument("--json-schema", metavar="FILE|TEXT", help="the answer is JSON of this schema")
    shapes.add_argument("--regex", metavar="TEXT", help="the answer is of this regular expression")
    shapes.add_argument("--grammar", metavar="FILE", help="the answer is of this grammar, in Lark's form")
    command.add_argument("--quantization", choices=["none", *MODES], default="q8_0", help="of float weights (q8_0)")
    command.add_argument("--activations", choices=["int8", "exact"], default="int8", help="in products (int8)")
    command.add_argument("--cache-type", choices=[*CACHE_TYPES], default="f16", help="of keys and values (f16)")


def _positive(text: str) -> int:
    value = int(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"expected a number above 0, found {text}")
    return value


def _natural(text: str) -> int:
    value = int(text)
    if not 0 <= value < 1 << 63:
        raise argparse.ArgumentTypeError(f"expected a number from 0 on, found {text}")
    return value


def open_compiled(
    path: str | os.PathLike[str],
    *,
    context: int | None = None,
    quantization: str | None = "q8_0",
    activations: str = "int8",
    cache_type: str = "f16",
    progress: Callable[[str], None] = lambda message: None,
) -> LanguageModel:
    """A model of a file or folder, compiled into the user's cache unless it is there."""
    given = Path(path)
    if not given.exists():
        raise TVMError(f"{given}: there is no such file or folder")
    source = open_model(given)
    longest = source.config.context_window_size
    window = min(context or longest, longest)
    folder = cache_folder(given, longest, quantization, activations, cache_type)
    made = CompiledFolder(folder)
    if not (folder / "model.json").is_file():
        # Made elsewhere and moved there whole: another process may do the same, and this one may be stopped.
        part = folder.with_name(f"{folder.name}.{os.getpid()}.part")
        try:
            compile_model(
                given, part, context_window_size=longest, quantization=quantization, activations=activations,
                cache_type=cache_type, progress=progress,
            )  # fmt: skip
            move_into_place(part, folder, "model.json")
        finally:
            shutil.rmtree(part, ignore_errors=True)
    progress("")
    metadata = source.metadata if source.format == "gguf" else None
    tokenizer = open_tokenizer(given if given.is_dir() else given.parent, metadata)
    conversation = source.metadata.get("conv_template") if source.format == "mlc" else None
    # Folders of older versions have a name here.
    if isinstance(conversation, str):
        conversation = CONVERSATIONS.get(conversation)
    if conversation is not None:
        tokenizer.use_conversation(conversation, str(given / "mlc-chat-config.json"))
    return LanguageModel(made, tokenizer, window)


def _show(message: str) -> None:
    """Progress on one line of a terminal, in lines elsewhere."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{message}")
        sys.stderr.flush()
    elif message:
        print(message, file=sys.stderr)


def _opened(options: argparse.Namespace) -> LanguageModel:
    quantization = None if options.quantization == "none" else options.quantization
    return open_compiled(
        options.path, context=options.context, quantization=quantization, activations=options.activations,
        cache_type=options.cache_type, progress=_show,
    )  # fmt: skip


def _sampling(options: argparse.Namespace) -> Sampling:
    return Sampling(
        options.temperature, options.top_k, options.top_p, options.min_p, options.repetition_penalty, options.seed,
        options.presence_penalty, options.frequency_penalty,
    )  # fmt: skip


def _grammar(options: argparse.Namespace) -> Grammar | None:
    """What the answer must be, of the option that says so; a schema is a text where it begins as JSON does."""
    if options.regex is not None:
        return Grammar("regex", options.regex)
    if options.grammar is not None:
        return Grammar("lark", _text_of(options.grammar, "--grammar"))
    if options.json_schema is None:
        return None
    text = options.json_schema.strip()
    if not text.startswith("{") and text not in ("true", "false"):
        text = _text_of(text, "--json-schema")
    return Grammar("json_schema", text)


def _text_of(path: str, option: str) -> str:
    file = Path(path)
    if not file.is_file():
        raise TVMError(f"{option}: there is no file {path}")
    if file.stat().st_size > MAX_GRAMMAR_BYTES:
        raise TVMError(f"{option}: {path} has more than {MAX_GRAMMAR_BYTES} bytes")
    return file.read_text(encoding="utf-8")


def _generate(options: argparse.Namespace) -> int:
    model = _opened(options)
    tokenizer, result, grammar = model.tokenizer, Generation(), _grammar(options)
    tokens = tokenizer.chat([{"role": "user", "content": options.prompt}]) if options.chat else None
    tokens = tokenizer.encode(options.prompt) if tokens is None else tokens
    sequence = model.sequence()
    kept = None if options.prompt_cache is None else KeptPrompt(Path(options.prompt_cache), model)
    if kept is not None:
        kept.restore(sequence)
    pieces = model.stream(
        tokens, result, options.max_tokens, _sampling(options), options.stop, grammar=grammar,
        speculate=options.speculate, sequence=sequence,
    )  # fmt: skip
    for piece in pieces:
        if not options.json:
            print(piece, end="", flush=True)
    if kept is not None:
        sequence.truncate(len(tokens))
        kept.save(sequence)
    if options.json:
        print(json.dumps(_report(result)))
    else:
        print()
    return 0


def _report(result: Generation) -> dict[str, Any]:
    return {
        "text": result.text,
        "finish_reason": result.finish_reason,
        "prompt_tokens": result.prompt_tokens,
        "completion_tokens": len(result.tokens),
        "prefill_seconds": round(result.prefill_seconds, 6),
        "tokens_per_second": round(result.speed, 2),
        "proposed_tokens": result.proposals[0],
        "accepted_tokens": result.proposals[1],
    }


def _chat(options: argparse.Namespace) -> int:
    chat, grammar = Chat(_opened(options), options.system), _grammar(options)
    kept = None if options.prompt_cache is None else KeptPrompt(Path(options.prompt_cache), chat.model)
    if kept is not None:
        kept.restore(chat.sequence)
    try:
        return _talk(options, chat, grammar)
    finally:
        if kept is not None:
            kept.save(chat.sequence)


def _talk(options: argparse.Namespace, chat: Chat, grammar: Grammar | None) -> int:
    prompt = "> " if sys.stdin.isatty() else ""
    while True:
        try:
            said = input(prompt).strip()
        except EOFError:
            return 0
        if not said:
            continue
        if said == "/exit":
            return 0
        if said.startswith("/"):
            print(_command(chat, said))
            continue
        try:
            said_back = chat.say(
                said, options.max_tokens, _sampling(options), grammar=grammar, speculate=options.speculate
            )
            for piece in said_back:
                print(piece, end="", flush=True)
            print()
        except TVMError as error:
            print(f"error: {error}", file=sys.stderr)
            if prompt == "":
                return 1
        except KeyboardInterrupt:
            print()


def _command(chat: Chat, said: str) -> str:
    if said == "/reset":
        chat.reset()
        return "the conversation begins anew"
    if said == "/stats":
        last = chat.last
        prefill = last.prompt_tokens / last.prefill_seconds if last.prefill_seconds else 0.0
        spoken = f"{last.prompt_tokens} tokens seen, {prefill:.1f} a second; {len(last.tokens)} said"
        return f"{spoken}, {last.speed:.1f} a second; {chat.sequence.room} more fit"
    return f"unknown: {said}; {HELP}"
