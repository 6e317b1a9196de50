"""Passes: functions from modules to modules, with a name, run in a context."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from contextvars import ContextVar
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import wraps
from typing import Any, Self

from .._core import IRModule, Pass, Sequential, option_names, pass_names, pipeline_names
from ..error import WrongTypeError
from .instrument import (
    DumpIR,
    PassInstrument,
    PassPrintingInstrument,
    PassTimingInstrument,
    PrintAfterAll,
    PrintBeforeAll,
    pass_instrument,
)

__all__ = [
    "DumpIR",
    "Pass",
    "PassContext",
    "PassInfo",
    "PassInstrument",
    "PassPrintingInstrument",
    "PassTimingInstrument",
    "PrintAfterAll",
    "PrintBeforeAll",
    "PrintIR",
    "Sequential",
    "module_pass",
    "pass_instrument",
]


class PassInfo(str):
    """What an instrument is told of a pass: its name, as a text, and the lowest level at which it runs."""

    opt_level: int
    required: list[str]

    def __new__(cls, opt_level: int, name: str, required: Iterable[str] | None = None, traceable: bool = False) -> Self:
        """The text with its level, and with the names of passes that run before it."""
        self = super().__new__(cls, name)
        self.opt_level, self.required = opt_level, list(required or ())
        return self

    @property
    def name(self) -> str:
        """The pass's name."""
        return str(self)


_HOOKS = ("should_run", "run_before_pass", "run_after_pass", "enter_pass_ctx", "exit_pass_ctx")
# Passes that were written in Python: they may be named in a context too.
_own_passes: set[str] = set()


def _nothing() -> None:
    pass


def _pass_names(where: str, names: Iterable[str] | None) -> list[str]:
    """The names as a list; those that no pass has are warned of, since leaving out such a pass does nothing."""
    if isinstance(names, str):
        raise WrongTypeError(f"{where} is a list of names, found the text {names!r}: write [{names!r}]")
    names = list(names or ())
    known = {*pass_names(), *pipeline_names(), *_own_passes}
    for name in names:
        if not isinstance(name, str):
            raise WrongTypeError(f"{where} is a list of names, found {name!r} in it")
        if name not in known:
            near = get_close_matches(name, sorted(known), 1)
            hint = f": did you mean `{near[0]}`?" if near else ""
            warnings.warn(f"{where} names `{name}`, but no pass is called so{hint}", stacklevel=4)
    return names


def _instruments(instruments: Iterable[Any] | None) -> list[Any]:
    instruments = list(instruments or ())
    for instrument in instruments:
        if isinstance(instrument, type) or not any(callable(getattr(instrument, hook, None)) for hook in _HOOKS):
            raise WrongTypeError(
                f"an instrument is an object with one of the methods {', '.join(_HOOKS)}: found {instrument!r}"
            )
    return instruments


def _options(config: dict[str, Any] | None) -> dict[str, Any]:
    """The options by name. Passes written in Python may read some that the compiler's own do not."""
    config = {} if config is None else config
    if not isinstance(config, dict) or not all(isinstance(name, str) for name in config):
        raise WrongTypeError(f"config is a dict of options by name, found {config!r}")
    unread = config.keys() - set(option_names())
    if unread and not _own_passes:
        names = ", ".join(f"`{name}`" for name in config if name in unread)
        warnings.warn(f"no pass reads the options {names} of config: they have no effect", stacklevel=4)
    return config


@dataclass(frozen=True, eq=False)
class PassContext:
    """What passes run under: the optimisation level, passes left out or forced, instruments that watch, options.

    Level and names choose among the passes of a sequence; a name in both lists is left out. In a `with` statement it is
    the current one. A name that no pass has, or an option that none reads, is warned of.
    """

    opt_level: int = 2
    required_pass: Iterable[str] = ()
    disabled_pass: Iterable[str] = ()
    instruments: Iterable[PassInstrument] = ()
    config: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.opt_level, int) or not 0 <= self.opt_level <= 255:
            raise WrongTypeError(f"opt_level is a number from 0 to 3, found {self.opt_level!r}")
        for name in ("required_pass", "disabled_pass"):
            object.__setattr__(self, name, _pass_names(name, getattr(self, name)))
        object.__setattr__(self, "instruments", _instruments(self.instruments))
        object.__setattr__(self, "config", _options(self.config))

    def __enter__(self) -> Self:
        self._enter_instruments()
        _stack.set((*_stack.get(), self))
        return self

    def __exit__(self, *_: object) -> None:
        _stack.set(_stack.get()[:-1])
        self._exit_instruments()

    def _enter_instruments(self) -> None:
        """Where one refuses to begin, those that have begun end, and the context has none any more."""
        with ExitStack() as entered:
            entered.callback(object.__setattr__, self, "instruments", [])
            for instrument in self.instruments:
                getattr(instrument, "enter_pass_ctx", _nothing)()
                entered.callback(getattr(instrument, "exit_pass_ctx", _nothing))
            entered.pop_all()

    def _exit_instruments(self) -> None:
        for instrument in self.instruments:
            getattr(instrument, "exit_pass_ctx", _nothing)()

    def override_instruments(self, instruments: Iterable[PassInstrument] | None) -> None:
        """Ends the instruments and begins others instead; if one of these refuses, there are none."""
        found = _instruments(instruments)
        self._exit_instruments()
        object.__setattr__(self, "instruments", found)
        self._enter_instruments()

    @staticmethod
    def current() -> PassContext:
        """The innermost context in scope; the default one outside of any."""
        return _stack.get()[-1]


_stack: ContextVar[tuple[PassContext, ...]] = ContextVar("tilewright.pass_context", default=(PassContext(),))


def module_pass(
    pass_func: Callable[[IRModule, PassContext], IRModule] | None = None,
    opt_level: int = 0,
    name: str | None = None,
    required: Iterable[str] | None = None,
    traceable: bool = False,
) -> Pass | Callable[[Callable[[IRModule, PassContext], IRModule]], Pass]:
    """Makes a pass of a Python function `(module, context) -> module`; also with arguments, as a decorator.

    The compiler's passes that are `required` run before it.
    """
    if pass_func is None:
        return lambda function: module_pass(function, opt_level, name, required)
    if isinstance(pass_func, type):
        return _class_of_passes(pass_func, "transform_module", lambda work: work, opt_level, name, required)
    return own_pass(pass_func, opt_level, name, required)


def own_pass(
    function: Callable[[IRModule, PassContext], IRModule],
    opt_level: int,
    name: str | None,
    required: Iterable[str] | None = None,
) -> Pass:
    """A pass written in Python."""
    _own_passes.add(name or function.__name__)
    return Pass.from_python(function, name or function.__name__, opt_level or 0, list(required or ()))


def _class_of_passes(
    cls: type,
    method: str,
    over: Callable[..., Any],
    opt_level: int,
    name: str | None,
    required: Iterable[str] | None = None,
) -> Any:
    """What makes passes of a class's instances: each is a pass that calls the method."""

    @wraps(cls, updated=())
    def make(*args: Any, **kwargs: Any) -> Pass:
        return own_pass(over(getattr(cls(*args, **kwargs), method)), opt_level, name or cls.__name__, required)

    return make


def over_functions(kind: type, work: Callable[[Any, IRModule, PassContext], Any]) -> Callable[..., IRModule]:
    """The function of modules that gives each function of a kind to another one."""

    @wraps(work)
    def on_module(module: IRModule, context: PassContext) -> IRModule:
        changed = module.clone()
        for var, function in module.functions_items():
            if isinstance(function, kind):
                changed.update_func(var, work(function, module, context))
        return changed

    return on_module


def function_pass_of(
    kind: type, function: Any, opt_level: int, name: str | None, required: Iterable[str] | None = None
) -> Any:
    """A pass that works function by function, of a Python function or of a class with `transform_function`."""

    def decorate(work: Any) -> Any:
        if isinstance(work, type):
            over = lambda method: over_functions(kind, method)  # noqa: E731
            return _class_of_passes(work, "transform_function", over, opt_level, name, required)
        return own_pass(over_functions(kind, work), opt_level, name or work.__name__, required)

    return decorate if function is None else decorate(function)


def PrintIR(header: str = "", show_meta_data: bool = False) -> Pass:
    """Prints the module, after a header."""

    def print_ir(module: IRModule, context: PassContext) -> IRModule:
        print(
            f"# {header}\n{module.script(show_meta=show_meta_data)}"
            if header
            else module.script(show_meta=show_meta_data)
        )
        return module

    return own_pass(print_ir, 0, "PrintIR")
