"""Functions with implementations by sorts of targets: the one is called whose word the target in scope has first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from ..error import WrongValueError
from .target import Target

__all__ = ["GenericFunc", "generic_func", "get_native_generic_func", "override_native_generic_func"]


class GenericFunc:
    """A default implementation, and others by words that `Target.keys` has."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self._default: Callable[..., Any] | None = None
        self._by_key: dict[str, Callable[..., Any]] = {}

    def set_default(self, func: Callable[..., Any], allow_override: bool = False) -> None:
        """Says what is called where nothing else fits."""
        if self._default is not None and not allow_override:
            raise WrongValueError(f"`{self.name}` has a default implementation already")
        self._default = func

    def register(self, func: Callable[..., Any], key_list: Iterable[str] | str, allow_override: bool = False) -> None:
        """Gives an implementation for targets of these words."""
        for key in [key_list] if isinstance(key_list, str) else key_list:
            if key in self._by_key and not allow_override:
                raise WrongValueError(f"`{self.name}` has an implementation for {key} already")
            self._by_key[key] = func

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the implementation for the target in scope."""
        target = Target.current()
        keys = [] if target is None else target.keys
        found = next((self._by_key[key] for key in keys if key in self._by_key), self._default)
        if found is None:
            raise WrongValueError(f"`{self.name}` has no implementation for the target {target}")
        return found(*args, **kwargs)


_KNOWN: dict[str, GenericFunc] = {}


def get_native_generic_func(name: str) -> GenericFunc:
    """The function of this name, made where there is none."""
    return _KNOWN.setdefault(name, GenericFunc(name))


def generic_func(fdefault: Callable[..., Any]) -> Any:
    """A decorator: the function with `register(key)` for other implementations, itself the default one."""
    own = GenericFunc(fdefault.__name__)
    own.set_default(fdefault)
    return _decorated(own, fdefault)


def override_native_generic_func(func_name: str) -> Callable[[Callable[..., Any]], Any]:
    """A decorator: the default implementation of the function of this name."""

    def decorate(fdefault: Callable[..., Any]) -> Any:
        own = get_native_generic_func(func_name)
        own.set_default(fdefault, allow_override=True)
        return _decorated(own, fdefault)

    return decorate


def _decorated(own: GenericFunc, fdefault: Callable[..., Any]) -> Any:
    @wraps(fdefault)
    def dispatch(*args: Any, **kwargs: Any) -> Any:
        return own(*args, **kwargs)

    def register(key: Any, func: Callable[..., Any] | None = None, override: bool = True) -> Any:
        """Gives an implementation for a word or several; also as a decorator."""
        if func is None:
            return lambda func: register(key, func, override)
        own.register(func, key, override)
        return func

    dispatch.fdefault = fdefault  # type: ignore[attr-defined]
    dispatch.register = register  # type: ignore[attr-defined]
    dispatch.generic_func_node = own  # type: ignore[attr-defined]
    return dispatch
