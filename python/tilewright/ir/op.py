"""Operators by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from ..error import TVMError
from .expr import RelayExpr

__all__ = ["Op", "register_intrin_lowering", "register_op_attr"]

#: Attributes that programs give to operators: by operator and name, each with its level.
_ATTRS: dict[tuple[str, str], tuple[int, Any]] = {}


class Op(RelayExpr, kind="ir.Op"):
    """An operator: `Op.get("relax.add")`, `Op.get("tir.exp")`. Equal by name."""

    name: str
    num_inputs: int
    description: str

    @staticmethod
    def get(op_name: str) -> Op:
        """The operator of this full name."""
        return _core.get_op(op_name)

    @staticmethod
    def list_op_names() -> list[str]:
        """The full names of all operators."""
        return _core.list_op_names()

    def __eq__(self, other: object) -> bool:
        return self.same_as(other)

    __hash__ = RelayExpr.__hash__

    def get_attr(self, attr_name: str) -> Any:
        """The attribute of this name, or None: one that a program gave, else what the operator's declaration says."""
        if (found := _ATTRS.get((self.name, attr_name))) is not None:
            return found[1]
        return _declared(self.name, attr_name)

    def has_attr(self, attr_name: str) -> bool:
        """Whether there is an attribute of this name."""
        return self.get_attr(attr_name) is not None

    def set_attr(self, attr_name: str, value: Any, plevel: int = 10) -> None:
        """Gives the operator an attribute. One of a higher level stays, one of this very level is an error."""
        before = _ATTRS.get((self.name, attr_name))
        if before is not None and before[0] == plevel:
            raise TVMError(f"the attribute `{attr_name}` of {self.name} is there already with level {plevel}")
        if before is None or before[0] < plevel:
            _ATTRS[self.name, attr_name] = (plevel, value)

    def reset_attr(self, attr_name: str) -> None:
        """Takes an attribute away that a program gave."""
        _ATTRS.pop((self.name, attr_name), None)

    def add_type_rel(self, rel_name: str, type_rel_func: Any = None) -> None:
        """An error: an operator's rule is part of its declaration."""
        raise TVMError(f"the rule of {self.name} for its result is part of its declaration: no other is added")


def _declared(op_name: str, attr_name: str) -> Any:
    """What the declaration of an operator of graphs says of itself: whether it is pure."""
    if attr_name != "FPurity" or not op_name.startswith("relax."):
        return None
    try:
        return bool(_core.op_reference(op_name.removeprefix("relax."))[5])
    except (TVMError, ValueError):
        return None


def register_op_attr(op_name: str, attr_key: str, value: Any = None, level: int = 10) -> Any:
    """Gives an operator an attribute; without a value, a decorator that gives the function that it decorates."""

    def register(value: Any) -> Any:
        Op.get(op_name).set_attr(attr_key, value, level)
        return value

    return register if value is None else register(value)


def register_intrin_lowering(
    op_name: str, target: str, *, f: Callable[[Any], Any] | None = None, level: int = 10
) -> Any:
    """Gives an operator of loops the function that writes a call out for a kind of target; also as a decorator."""

    def register(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
        register_op_attr(op_name, f"{target}.FLowerIntrinsic", f, level)
        return f

    return register if f is None else register(f)
