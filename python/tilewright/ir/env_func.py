"""Functions of the process as values that are looked up by name."""

from __future__ import annotations

from typing import Any

from ..error import WrongValueError
from ..runtime.packed_func import get_global_func

__all__ = ["EnvFunc"]


class EnvFunc:
    """A registered function by its name: `EnvFunc.get("name")(1)`. Equal by name, and pickled as its name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.func = get_global_func(name)

    @staticmethod
    def get(name: str) -> EnvFunc:
        """The function that is registered under the name."""
        if get_global_func(name, allow_missing=True) is None:
            raise WrongValueError(f"no function is registered as `{name}`")
        return EnvFunc(name)

    def __call__(self, *args: Any) -> Any:
        """Calls it."""
        return self.func(*args)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EnvFunc) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> Any:
        return (EnvFunc.get, (self.name,))
