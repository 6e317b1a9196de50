"""The annotations of a decorated function.

Python evaluates annotations where a file does not defer them, so `T.Buffer((1, 2), "float32")` must be a real
expression. The core reads the annotation from the text; its value is never looked at, and so it records only how it is
written.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from typing import Any


class Spelling:
    """A name of the script's language; calling or subscripting it gives another one, at next to no cost."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Spelling:
        """The annotation with arguments."""
        return Written(self.name, args, kwargs)

    def __getitem__(self, key: Any) -> Spelling:
        return self

    def __or__(self, other: Any) -> Spelling:
        return self

    def from_script(self) -> Any:
        """What code that Python runs makes of it."""
        return Written(self.name, (), {}).from_script()

    def __repr__(self) -> str:
        return f"<TVMScript {self.name}>"


class InfoSpelling(Spelling):
    """The name of a struct info: with arguments that have a value in Python it is the struct info itself.

    In an annotation it may have others, such as names of dimensions as texts: these are read from the text.
    """

    __slots__ = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The struct info of these arguments; where there is none, how it is written, with the reason."""
        try:
            return Written(self.name, args, kwargs).from_script()
        except (TypeError, ValueError, AttributeError, RuntimeError) as error:
            return Written(self.name, args, kwargs, error)


class Written(Spelling):
    """A name of the language with arguments, for texts that name it; what a text itself writes is read there."""

    __slots__ = ("arguments", "reason")

    def __init__(
        self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], reason: Exception | None = None
    ) -> None:
        super().__init__(name)
        self.arguments = args, kwargs
        #: Why it has no value in Python.
        self.reason = reason

    def from_script(self) -> Any:
        """What code that Python runs makes of it: a struct info or a buffer."""
        if self.reason is not None:
            raise self.reason
        _, namespace, name = self.name.split(".")
        builder = import_module(f"..ir_builder.{namespace}", __name__)
        if name not in builder.__all__:
            raise outside_of_a_script(f"script.{namespace}", name)
        args, kwargs = self.arguments
        return getattr(builder, name)(*map(_value, args), **{key: _value(arg) for key, arg in kwargs.items()})


def _value(argument: Any) -> Any:
    """An argument of a nested annotation."""
    if isinstance(argument, Spelling):
        return argument.from_script()
    if type(argument) in (list, tuple):
        return type(argument)(_value(item) for item in argument)
    return argument


def outside_of_a_script(module: str, name: str, known: Iterable[str] = ()) -> AttributeError:
    """The error for a name of the language that is used in code which Python itself runs; `known` has a value there."""
    near = get_close_matches(name, known, 1, 0.75)
    hint = f"did you mean `{near[0]}`?" if near else "it belongs inside a decorated function, whose text is read"
    return AttributeError(f"`{name}` of {module} is not a value in Python: {hint}")
