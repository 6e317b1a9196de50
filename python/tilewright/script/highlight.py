"""Printing TVMScript, in colour where the output is a terminal."""

from __future__ import annotations

import io
import os
import sys
import tokenize
from collections.abc import Iterator
from keyword import iskeyword

_COLOURS = {"keyword": "\033[35m", "string": "\033[32m", "number": "\033[36m", "comment": "\033[90m"}
_COLOURS |= {"decorator": "\033[33m", "namespace": "\033[34m"}
_RESET = "\033[0m"


def cprint(text: str) -> None:
    """Prints a script to standard output."""
    print(highlight(text) if sys.stdout.isatty() and "NO_COLOR" not in os.environ else text)


def highlight(text: str) -> str:
    """The text with terminal colours; text that is not Python stays as it is."""
    lines = text.splitlines(keepends=True)
    try:
        marks = list(_marks(text))
    except (tokenize.TokenError, SyntaxError):
        return text
    for line, start, end, kind in reversed(marks):
        old = lines[line]
        lines[line] = f"{old[:start]}{_COLOURS[kind]}{old[start:end]}{_RESET}{old[end:]}"
    return "".join(lines)


def _marks(text: str) -> Iterator[tuple[int, int, int, str]]:
    before = ""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.start[0] == token.end[0] and (kind := _kind(token, before)):
            yield token.start[0] - 1, token.start[1], token.end[1], kind
        before = token.string


def _kind(token: tokenize.TokenInfo, before: str) -> str | None:
    match token.type:
        case tokenize.NAME if iskeyword(token.string):
            return "keyword"
        case tokenize.NAME if before == "@":
            return "decorator"
        case tokenize.NAME if token.string in ("T", "R", "I", "cls"):
            return "namespace"
        case tokenize.STRING:
            return "string"
        case tokenize.NUMBER:
            return "number"
        case tokenize.COMMENT:
            return "comment"
    return None
