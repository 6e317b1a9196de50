"""Named sequences of passes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core import Pass, pipeline, pipeline_names
from ..error import TVMError
from ..ir.transform import Sequential
from ..target import Target
from .transform.transform import by_rules
from .transform.tuning import MetaScheduleApplyDatabase, current_database

__all__ = ["get_default_pipeline", "get_pipeline", "register_pipeline"]

_REGISTERED: dict[str, Callable[..., Pass]] = {}


def get_pipeline(name: str = "zero", target: str | dict[str, Any] | Target | None = None, **kwargs: Any) -> Pass:
    """The pipeline of that name as one pass; the error for an unknown name lists those that there are.

    `default_build` schedules for `target`: the one in scope, else this machine's processor. `zero` ends with the
    schedules of the database in scope. Other arguments, and a
    target that is given, go to the function that makes a registered pipeline.
    """
    if name in _REGISTERED:
        return _REGISTERED[name](**(kwargs if target is None else {"target": target, **kwargs}))
    if kwargs:
        raise TVMError(f"the pipeline `{name}` takes no arguments, found {', '.join(kwargs)}")
    if name not in pipeline_names() and _REGISTERED:
        known = ", ".join([*pipeline_names(), *_REGISTERED])
        raise TVMError(f"unknown pipeline `{name}`: expected one of {known}")
    own = by_rules({})
    passes = [] if own is None else [own]
    passes.append(pipeline(name, Target.choose(target)))
    if name == "zero" and current_database() is not None:
        passes.append(MetaScheduleApplyDatabase())
    return passes[0] if len(passes) == 1 else Sequential(passes, name=name)


def get_default_pipeline(target: str | dict[str, Any] | Target | None) -> Pass:
    """The default pipeline of `relax.build` for the target."""
    return get_pipeline("default_build", target)


def register_pipeline(name: str) -> Callable[[Callable[..., Pass]], Callable[..., Pass]]:
    """Registers the function under it, which makes a pass, as the pipeline of that name."""
    if name in _REGISTERED or name in pipeline_names():
        raise TVMError(f"there is a pipeline `{name}` already")

    def register(make: Callable[..., Pass]) -> Callable[..., Pass]:
        _REGISTERED[name] = make
        return make

    return register
