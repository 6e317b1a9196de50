"""Finding the text of a decorated class or function, and the values of the names in it.

Terms: the *definition* is the class or function statement with its decorators; the *frame* is the one in which the
decorator runs, so its current line is the decorator's own. That line picks the definition among several of the same
name in a file, which `inspect.getsource` cannot. The text comes from `linecache`, so notebooks work as files do.

A name in the text that does not belong to the script is looked up on request of the core: in the function's closure,
in the frame, in the frames around it (a name used only in annotations is in no closure when annotations are not
evaluated), then in the globals and builtins.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from inspect import CO_OPTIMIZED
from types import FrameType, FunctionType, ModuleType
from typing import Any

from .. import _core
from ..error import TVMError
from .spelling import Spelling, Written

# The core refuses an async function by its text, with the location.
Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def in_class_body(frame: FrameType) -> bool:
    """Whether the frame is that of a class statement's body."""
    return not frame.f_code.co_flags & CO_OPTIMIZED and "__qualname__" in frame.f_locals


@lru_cache(maxsize=64)
def _definitions(text: str, filename: str) -> list[Definition]:
    tree = ast.parse(text, filename)
    return [node for node in ast.walk(tree) if isinstance(node, Definition) and node.decorator_list]


def _find(thing: type | FunctionType, text: str, filename: str, line: int) -> Definition | None:
    """The definition of that name with a decorator on that line; for a decorator called by hand, the only one."""
    named = [node for node in _definitions(text, filename) if node.name == thing.__name__]
    for node in named:
        if any(decorator.lineno <= line <= (decorator.end_lineno or line) for decorator in node.decorator_list):
            return node
    return named[0] if len(named) == 1 else None


@dataclass(frozen=True)
class Scope(Mapping[str, Any]):
    """The values of names at a definition."""

    layers: tuple[Mapping[str, Any], ...]

    @classmethod
    def of(cls, thing: type | FunctionType, frame: FrameType) -> Scope:
        """The scope of a definition whose decorator runs in `frame`."""
        layers: list[Mapping[str, Any]] = []
        if isinstance(thing, FunctionType) and thing.__closure__:
            layers.append(_closure(thing))
        inner, outer = frame, frame.f_back
        layers.append(frame.f_locals)
        while outer is not None:
            if inner.f_code in outer.f_code.co_consts:
                layers.append(outer.f_locals)
                inner = outer
            outer = outer.f_back
        return cls((*layers, frame.f_globals, vars(builtins)))

    def __getitem__(self, name: str) -> Any:
        for layer in self.layers:
            if name in layer:
                return layer[name]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter({name: None for layer in self.layers for name in layer})

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _closure(function: FunctionType) -> dict[str, Any]:
    values = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # A cell that is empty still: the name is bound later, or never.
            values[name] = cell.cell_contents
    return values


@dataclass(frozen=True)
class Capture:
    """A definition's text, its location, and the meaning of its names."""

    filename: str
    line: int  # of the first line of `text` in the file, from 1
    text: str  # the definition from its first decorator on, with its indentation removed
    scope: Scope
    names: dict[str, str]  # the script's own names as the file spells them: {"T": "script.tir"}
    macros: tuple[Capture, ...] = ()  # the macros that it calls, and those that they call

    @classmethod
    def of(cls, thing: Any, frame: FrameType, decorator: str, **options: Any) -> Capture:
        """The capture of a class or function whose decorator runs in `frame`.

        A decorator that is called by hand is not in the text: `decorator` is its meaning, `options` its arguments.
        """
        if not isinstance(thing, (type, FunctionType)):
            raise TypeError(f"a TVMScript decorator takes a class or a function, not {type(thing).__name__}")
        filename = frame.f_code.co_filename
        lines = linecache.getlines(filename, frame.f_globals)
        node = _find(thing, "".join(lines), filename, frame.f_lineno) if lines else None
        if node is None:
            return cls.by_hand(thing, frame, decorator, **options)
        first = min(decorator.lineno for decorator in node.decorator_list)
        own = lines[first - 1 : node.end_lineno]
        indent = own[0][: len(own[0]) - len(own[0].lstrip())]
        scope = Scope.of(thing, frame)
        text = "".join(line.removeprefix(indent) for line in own)
        return cls(filename, first, text, scope, _script_names(node, scope), _macros(node, scope))

    @classmethod
    def by_hand(cls, thing: type | FunctionType, frame: FrameType, decorator: str, **options: Any) -> Capture:
        """The capture of an undecorated class or function, under this decorator."""
        filename, first, text, node = _own_text(thing, frame)
        own = thing.__globals__ if isinstance(thing, FunctionType) else vars(sys.modules[thing.__module__])
        scope = Scope((*Scope.of(thing, frame).layers, own))
        arguments = ", ".join(f"{name}={value!r}" for name, value in options.items())
        names = _script_names(node, scope) | {"decorator": decorator or _kind(node, scope)}
        text = f"@decorator({arguments})\n{text}" if arguments else f"@decorator\n{text}"
        return cls(filename, first - 1, text, scope, names, _macros(node, scope))

    def with_values(self, values: Mapping[str, Any]) -> Capture:
        """The same where these names have these values."""
        return replace(self, scope=Scope((values, *self.scope.layers)))

    def with_macros(self) -> Capture:
        """The same with the texts of the macros that it calls around it, each on its own lines where it can be."""
        before = sorted((m for m in self.macros if self.precedes(m)), key=lambda macro: macro.line)
        first = before[0].line if before else self.line
        text = ""
        for part in (*before, self):
            missing = part.line - first - text.count("\n")
            if missing < 0:  # A macro inside another definition: its lines are not its own.
                first, missing = first + missing, 0
            text += "\n" * missing + part.text.rstrip("\n") + "\n"
        elsewhere = "".join(macro.text.rstrip("\n") + "\n" for macro in self.macros if not self.precedes(macro))
        # So that the lines of this definition stay its own, unless it is too close to the beginning of its file.
        text, first = elsewhere + text, max(first - elsewhere.count("\n"), 1)
        scope = Scope((*self.scope.layers, *(layer for macro in self.macros for layer in macro.scope.layers)))
        names = {name: meaning for macro in self.macros for name, meaning in macro.names.items()} | self.names
        return Capture(self.filename, first, text, scope, names)

    def precedes(self, macro: Capture) -> bool:
        """Whether the macro comes before this definition in its file."""
        return macro.filename == self.filename and macro.line < self.line

    def read(self, check_well_formed: bool = True) -> Any:
        """The IR that the text defines."""
        if self.macros:
            return self.with_macros().read(check_well_formed)
        return _core.read_definition(self.text, self.filename, self.line, self.names, self.value, check_well_formed)

    def value(self, expression: str, local: Mapping[str, Any] | None = None) -> Any:
        """The value of an expression of the text that Python evaluates; `local` are the script's own names in it."""
        # A plain dict, because comprehensions and lambdas in the expression look names up in the globals alone.
        return eval(expression, {name: self.scope[name] for name in self.scope} | dict(local or {}))


def _own_text(thing: type | FunctionType, frame: FrameType) -> tuple[str, int, str, ast.AST]:
    """The file, the first line, the text without indentation, and the tree of a definition."""
    try:
        lines, first = inspect.getsourcelines(thing)
        text = textwrap.dedent("".join(lines))
        node = ast.parse(text).body[0]
        if isinstance(node, Definition) and node.name == thing.__name__:
            return inspect.getsourcefile(thing) or "<unknown>", first, text, node
    except (OSError, TypeError, SyntaxError):
        pass
    place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
    raise TVMError(
        f"{place}: the text of `{thing.__name__}` is not to be found: TVMScript reads the source, and `python -c`, "
        "stdin and `exec` of a string keep none; write it to a file, or give the text to tilewright.script.from_source"
    )


def _kind(node: ast.AST, scope: Scope) -> str:
    """The decorator that an undecorated definition means: of a function, by the language of its annotations."""
    if isinstance(node, ast.ClassDef):
        return "script.ir.ir_module"
    arguments = node.args if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else None
    said = _script_names(arguments, scope).values() if arguments else []
    graph = any(meaning.startswith("script.relax") for meaning in said)
    return "script.relax.function" if graph else "script.tir.prim_func"


def _script_names(node: ast.AST, scope: Scope) -> dict[str, str]:
    """What of the text's plain names is a part of the script's language, by the value that the name has here."""
    names = {}
    for name in {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}:
        value = scope.get(name)
        if meaning := _meaning(value):
            names[name] = meaning
    return names


class Macro:
    """A function whose statements replace its calls in a script."""

    def __init__(self, capture: Capture) -> None:
        self.capture = capture

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """An error: a macro is no function of Python."""
        raise TVMError("a macro is called inside a script, where its statements are read")


def _macros(node: ast.AST, scope: Scope) -> tuple[Capture, ...]:
    """The macros that a text calls, those that they call first."""
    found: list[Capture] = []
    for name in {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}:
        if isinstance(value := scope.get(name), Macro) and value.capture not in found:
            found += [macro for macro in value.capture.macros if macro not in found]
            found.append(value.capture)
    return tuple(found)


def _meaning(value: Any) -> str | None:
    if isinstance(value, Spelling):
        return None if isinstance(value, Written) else value.name
    if isinstance(value, ModuleType):
        root, _, rest = value.__name__.partition(".")
        return rest or "tvm" if root == __name__.partition(".")[0] else None
    if isinstance(value, FunctionType) and value.__module__.endswith("script.entry"):
        return {
            "ir_module": "script.ir.ir_module",
            "macro": "script.tir.macro",
            "prim_func": "script.tir.prim_func",
        }.get(value.__name__, "script.relax.function")
    return None


class Pending:
    """What a decorated function is inside a class body.

    A class that becomes a module reads the whole text and never looks at this; on any other class the attribute is read
    when it is first asked for.
    """

    def __init__(self, capture: Capture) -> None:
        self._capture = capture
        self._value: Any = None

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if self._value is None:
            self._value = self._capture.read()
        return self._value
