"""`tilewright chat` and `tilewright generate`: a model's file or folder talks."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..error import TVMError
from .compile import CACHE_TYPES, TARGET, CompiledFolder, compile_model
from .generate import Chat, Generation, LanguageModel, Sampler, Sampling
from .loader import open_model
from .quantization.quantize import MODES
from .tokenizer import open_tokenizer

__all__ = ["COMMANDS", "main"]

#: Commands that need a model's definition, and so Python.
COMMANDS = ("chat", "generate")
#: What `chat` answers to.
HELP = "/reset forgets the conversation, /stats tells the speed of the last answer, /exit ends (as does end of file)"


def main(arguments: Sequence[str]) -> int:
    """Runs one of `COMMANDS`; the result is its exit status."""
    options = _parser().parse_args(list(arguments))
    try:
        # A setting that is out of its range is told before anything is compiled.
        Sampler(_sampling(options), [])
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
    return parser


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
    folder = _cache_folder(given, longest, quantization, activations, cache_type)
    made = CompiledFolder(folder)
    if not (folder / "model.json").is_file():
        # Made elsewhere and moved there whole: another process may do the same, and this one may be stopped.
        part = folder.with_name(f"{folder.name}.{os.getpid()}.part")
        try:
            compile_model(
                given, part, context_window_size=longest, quantization=quantization, activations=activations,
                cache_type=cache_type, progress=progress,
            )  # fmt: skip
            _move(part, folder)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    progress("")
    metadata = source.metadata if source.format == "gguf" else None
    tokenizer = open_tokenizer(given if given.is_dir() else given.parent, metadata)
    return LanguageModel(made, tokenizer, window)


def _move(part: Path, folder: Path) -> None:
    """Moves a folder into its place, unless another process has put the same there meanwhile."""
    try:
        part.rename(folder)
    except OSError:
        if not (folder / "model.json").is_file():
            # What was left of an attempt that did not end.
            shutil.rmtree(folder)
            part.rename(folder)


def _cache_folder(path: Path, *said: Any) -> Path:
    """A folder for what a file or folder becomes with these choices: another one when a file, this package or the
    processor changes.
    """
    from .. import __version__, _core

    own, machine = Path(_core.__file__).stat(), _core.Target(TARGET)
    written = max(file.stat().st_mtime_ns for file in Path(__file__).parent.rglob("*.py"))
    said = (*said, __version__, written, own.st_size, own.st_mtime_ns, machine.features, machine.units)
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    facts = [(str(file.resolve()), (stat := file.stat()).st_size, stat.st_mtime_ns) for file in files if file.is_file()]
    key = hashlib.blake2b(repr((facts, said)).encode(), digest_size=16).hexdigest()
    root = os.environ.get("TILEWRIGHT_CACHE_DIR") or Path.home() / ".cache" / "tilewright"
    return Path(root) / "llm" / key


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
        options.temperature, options.top_k, options.top_p, options.min_p, options.repetition_penalty, options.seed
    )


def _generate(options: argparse.Namespace) -> int:
    model = _opened(options)
    tokenizer, result = model.tokenizer, Generation()
    tokens = tokenizer.chat([{"role": "user", "content": options.prompt}]) if options.chat else None
    tokens = tokenizer.encode(options.prompt) if tokens is None else tokens
    pieces = model.stream(tokens, result, options.max_tokens, _sampling(options), options.stop)
    for piece in pieces:
        if not options.json:
            print(piece, end="", flush=True)
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
    }


def _chat(options: argparse.Namespace) -> int:
    chat = Chat(_opened(options), options.system)
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
            for piece in chat.say(said, options.max_tokens, _sampling(options)):
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
