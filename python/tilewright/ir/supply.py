"""Names that are not taken yet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .module import GlobalVar, IRModule

__all__ = ["GlobalVarSupply", "NameSupply"]


def _joined(prefix: str, name: str) -> str:
    return f"{prefix}_{name}" if prefix else name


class NameSupply:
    """Gives names that it has not given before: `fresh_name("x")` is `x`, then `x_1`, and so on."""

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
        self._last: dict[str, int] = {}

    def fresh_name(self, name: str, add_prefix: bool = True, add_underscore: bool = True) -> str:
        """A name like this one; every character that a name of C cannot have is an underscore."""
        name = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)
        unique = _joined(self.prefix, name) if add_prefix else name
        if unique not in self._last:
            self._last[unique] = 0
            return unique
        between = "_" if add_underscore else ""
        while (found := f"{unique}{between}{self._next(unique)}") in self._last:
            pass
        self._last[found] = 0
        return found

    def _next(self, name: str) -> int:
        self._last[name] += 1
        return self._last[name]

    def reserve_name(self, name: str, add_prefix: bool = True) -> str:
        """Takes a name, so that it is not given; the result is the name with its prefix."""
        taken = _joined(self.prefix, name) if add_prefix else name
        self._last.setdefault(taken, 0)
        return taken

    def contains_name(self, name: str, add_prefix: bool = True) -> bool:
        """Whether the name is taken."""
        return (_joined(self.prefix, name) if add_prefix else name) in self._last


class GlobalVarSupply:
    """Gives global variables of names that no function of the modules has: begun from nothing, a supply of names, a
    module, or several."""

    def __init__(self, value: NameSupply | IRModule | Iterable[IRModule] | None = None) -> None:
        self.name_supply = value if isinstance(value, NameSupply) else NameSupply("")
        self._vars: dict[str, GlobalVar] = {}
        modules: Any = () if value is None or isinstance(value, NameSupply) else value
        for module in [modules] if isinstance(modules, IRModule) else modules:
            for var in module.get_global_vars():
                self.reserve_global_var(var)

    def fresh_global(self, name: str, add_prefix: bool = True) -> GlobalVar:
        """A new global variable of a name like this one."""
        found = self.name_supply.fresh_name(name, add_prefix)
        self._vars[found] = GlobalVar(found)
        return self._vars[found]

    def unique_global_for(self, name: str, add_prefix: bool = True) -> GlobalVar:
        """The global variable of this very name: the one that was given before, or a new one."""
        taken = _joined(self.name_supply.prefix, name) if add_prefix else name
        if taken not in self._vars:
            self.name_supply.reserve_name(name, add_prefix)
            self._vars[taken] = GlobalVar(taken)
        return self._vars[taken]

    def reserve_global_var(self, global_var: GlobalVar, allow_conflict: bool = False) -> None:
        """Takes the name of a global variable; one that is taken is an error, unless that is allowed."""
        name = global_var.name_hint
        if name in self._vars and not allow_conflict:
            raise ValueError(f"the name `{name}` is reserved already")
        self.name_supply.reserve_name(name, False)
        self._vars[name] = global_var
