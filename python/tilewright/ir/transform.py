"""Passes: functions from modules to modules, with a name, run in a context."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from contextvars import ContextVar
from difflib import get_close_matches
from functools import wraps
from re import fullmatch
from typing import Any, Self

from .._core import IRModule, Pass, Sequential, option_names, pass_names, pipeline_names
from ..error import TVMError, WrongTypeError, WrongValueError
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
    "ApplyPassToFunction",
    "DumpIR",
    "ModulePass",
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
# Options of the loop passes of `tir.transform`, which read them from the context that they run in.
_LOOP_PASS_OPTIONS = {
    "tir.HoistExpression", "tir.HoistIfThenElse", "tir.InjectDoubleBuffer", "tir.RemoveNoOp", "tir.Simplify",
    "tir.UnrollLoop", "tir.add_lower_pass", "tir.merge_static_smem",
}  # fmt: skip
# Options of passes that are written in Python.
_PYTHON_PASS_OPTIONS = {"relax.backend.use_cuda_graph"}


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
            warnings.warn(f"{where} names `{name}`, but no pass is called so{hint}", stacklevel=3)
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
    unread = config.keys() - set(option_names()) - _LOOP_PASS_OPTIONS - _PYTHON_PASS_OPTIONS
    if _own_passes:
        # These may read options of names of their own, which are not the compiler's.
        unread = {name for name in unread if name.startswith(("tir.", "relax."))}
    if unread:
        names = ", ".join(f"`{name}`" for name in config if name in unread)
        warnings.warn(f"no pass reads the options {names} of config: they have no effect", stacklevel=3)
    return config


class PassContext:
    """What passes run under: the optimisation level, passes left out or forced, instruments that watch, options.

    Level and names choose among the passes of a sequence; a name in both lists is left out. In a `with` statement it is
    the current one. A name that no pass has, or an option that none reads, is warned of.

    The other arguments serve `relax.transform.tuning_api`: the traces that passes write into (the last of `trace_stack`
    is the current one, and `trace` begins a stack), the names of the passes that do so besides those that are
    traceable, the number of evaluations, and a database of records.
    """

    opt_level: int
    required_pass: list[str]
    disabled_pass: list[str]
    instruments: list[Any]
    config: dict[str, Any]
    trace_stack: list[Any]
    make_traceable: list[str] | None
    num_evals: int

    def __init__(
        self,
        opt_level: int = 2,
        required_pass: Iterable[str] | None = None,
        disabled_pass: Iterable[str] | None = None,
        instruments: Iterable[Any] | None = None,
        config: dict[str, Any] | None = None,
        trace: Any = None,
        trace_stack: Iterable[Any] | None = None,
        make_traceable: Iterable[str] | None = None,
        num_evals: int = 0,
        tuning_api_database: Any = None,
    ) -> None:
        if not isinstance(opt_level, int) or not 0 <= opt_level <= 255:
            raise WrongTypeError(f"opt_level is a number from 0 to 3, found {opt_level!r}")
        self.opt_level = opt_level
        self.required_pass = _pass_names("required_pass", required_pass)
        self.disabled_pass = _pass_names("disabled_pass", disabled_pass)
        self.instruments = _instruments(instruments)
        self.config = _options(config)
        self.trace_stack = list(trace_stack or ([] if trace is None else [trace]))
        self.make_traceable = None if make_traceable is None else _pass_names("make_traceable", make_traceable)
        self.num_evals = num_evals
        self._database = tuning_api_database

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
            entered.callback(setattr, self, "instruments", [])
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
        self.instruments = found
        self._enter_instruments()

    @property
    def _watchers(self) -> list[Any]:
        """The instruments, and what writes passes into the current trace."""
        return [*self.instruments, _TraceWriter(self)] if self.trace_stack else self.instruments

    @staticmethod
    def current() -> PassContext:
        """The innermost context in scope; the default one outside of any."""
        return _stack.get()[-1]

    @staticmethod
    def list_configs() -> dict[str, dict[str, str]]:
        """The options that passes of the compiler read."""
        return {name: {"type": "option"} for name in option_names()}

    def push_trace(self, trace: Any) -> None:
        """Makes a trace the current one."""
        self.trace_stack.append(trace)

    def pop_trace(self, return_current: bool = True) -> Any:
        """Takes the current trace away, and gives it, or with `return_current=False` nothing."""
        if not self.trace_stack:
            raise TVMError("the context has no trace")
        trace = self.trace_stack.pop()
        return trace if return_current else None

    def get_trace_stack(self) -> list[Any]:
        """The traces, the current one last."""
        return self.trace_stack

    def set_trace_stack(self, new: Iterable[Any]) -> None:
        """Replaces the traces."""
        self.trace_stack = list(new)

    def get_trace_stack_size(self) -> int:
        """The number of traces."""
        return len(self.trace_stack)

    def get_current_trace(self) -> Any:
        """The last trace, or None."""
        return self.trace_stack[-1] if self.trace_stack else None

    def set_num_evals(self, num: int) -> None:
        """Sets the number of evaluations."""
        self.num_evals = num

    def inc_num_evals(self, num: int) -> None:
        """Adds to the number of evaluations."""
        self.num_evals += num

    def get_tuning_api_database(self) -> Any:
        """The database of tuning records, or None."""
        return self._database


class _TraceWriter:
    """Writes passes that are traceable into a context's current trace."""

    def __init__(self, context: PassContext) -> None:
        self.context = context

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        """Adds the pass, as a knob with one choice, with what it made."""
        trace = self.context.get_current_trace()
        if trace is not None and str(info) in (self.context.make_traceable or ()):
            trace.note_pass(str(info), mod)


_stack: ContextVar[tuple[PassContext, ...]] = ContextVar("tilewright.pass_context", default=(PassContext(),))


class ModulePass(Pass):
    """A pass written in Python. Names that it does not have are those of the object that does its work."""

    _inner: Any = None

    @classmethod
    def of(
        cls, work: Callable[[IRModule, PassContext], IRModule], opt_level: int | None, name: str, required: Any
    ) -> Self:
        """The pass that calls a function."""
        return Pass.__new__(cls, _work=work, _name=name, _opt_level=opt_level or 0, _required=list(required or ()))

    def __getattr__(self, name: str) -> Any:
        if self._inner is None or name.startswith("__"):
            raise AttributeError(f"`{type(self).__name__}` has no attribute `{name}`")
        return getattr(self._inner, name)


def module_pass(
    pass_func: Callable[[IRModule, PassContext], IRModule] | None = None,
    opt_level: int | None = None,
    name: str | None = None,
    required: Iterable[str] | None = None,
    traceable: bool = False,
) -> Any:
    """Makes a pass of a Python function `(module, context) -> module`; also with arguments, as a decorator.

    The compiler's passes that are `required` run before it. A class with a method `transform_module` of these arguments
    becomes one that makes passes. `traceable` is accepted: such a pass writes into the context's trace itself.
    """
    if pass_func is None:
        return lambda function: module_pass(function, opt_level, name, required)
    if isinstance(pass_func, type):
        return class_of_passes(
            pass_func, "transform_module", lambda work: work, kind=ModulePass, info=(opt_level, name, required)
        )
    return own_pass(pass_func, opt_level, name, required)


def own_pass(
    function: Callable[[IRModule, PassContext], IRModule],
    opt_level: int | None,
    name: str | None,
    required: Iterable[str] | None = None,
    kind: type[ModulePass] = ModulePass,
) -> Pass:
    """A pass written in Python."""
    _own_passes.add(name or function.__name__)
    return kind.of(function, opt_level, name or function.__name__, required)


def class_of_passes(
    cls: type, method: str, over: Callable[..., Any], *, kind: type[ModulePass], info: tuple[Any, ...]
) -> Any:
    """The class of passes of a class's instances: each is a pass that calls the method."""
    opt_level, name, required = info
    name = name or cls.__name__
    _own_passes.add(name)

    @wraps(cls, updated=())
    class Made(kind):
        def __new__(made, *args: Any, **kwargs: Any) -> Any:
            inner = cls(*args, **kwargs)
            self = made.of(over(getattr(inner, method)), opt_level, name, required)
            self._inner = inner
            return self

        def __init__(self, *_: Any, **__: Any) -> None:
            """Everything is done where the object is made."""

    return Made


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


def function_pass_of(kind: type, function: Any, info: tuple[Any, ...], passes: type[ModulePass] = ModulePass) -> Any:
    """A pass that works function by function, of a Python function or of a class with `transform_function`.

    `info` is its level, its name and the passes that it requires; `passes` is the class of the pass.
    """
    opt_level, name, required = info

    def decorate(work: Any) -> Any:
        if isinstance(work, type):
            over = lambda method: over_functions(kind, method)  # noqa: E731
            return class_of_passes(work, "transform_function", over, kind=passes, info=info)
        return own_pass(over_functions(kind, work), opt_level, name or work.__name__, required, passes)

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


def ApplyPassToFunction(
    transform: Pass, func_name_regex: str, error_if_no_function_matches_regex: bool = False
) -> Pass:
    """The pass on those functions alone whose whole names the expression matches; the others are only seen by name."""

    def apply(module: IRModule, context: PassContext) -> IRModule:
        named = [var for var in module.get_global_vars() if fullmatch(func_name_regex, var.name_hint)]
        if not named:
            if error_if_no_function_matches_regex:
                known = ", ".join(var.name_hint for var in module.get_global_vars())
                raise WrongValueError(f"no function is called like `{func_name_regex}`, only {known}")
            return module
        after, changed = transform(module), module.clone()
        for var in named:
            kept = [one for one in after.get_global_vars() if one.name_hint == var.name_hint]
            if kept:
                changed.update_func(var, after[kept[0]])
            else:
                del changed[var]
        before = {var.name_hint for var in module.get_global_vars()}
        for var in after.get_global_vars():
            if var.name_hint not in before:
                changed[var] = after[var]
        return changed

    return own_pass(apply, 0, "ApplyPassToFunction")
