"""Attributes: plain data by name."""

from __future__ import annotations

from typing import Any

from .container import Map

__all__ = ["AttrInt", "Attrs", "DictAttrs", "make_node"]


class AttrInt(int):
    """A number of an attribute: an `int` that programs can also ask for its `value` and `dtype`."""

    __slots__ = ()

    @property
    def dtype(self) -> str:
        """The data type: that of indices, or the one that holds it."""
        return "int32" if -(1 << 31) <= self < 1 << 31 else "int64"

    @property
    def value(self) -> int:
        """The number itself."""
        return int(self)

    def __reduce__(self) -> Any:
        return int, (int(self),)


class Attrs(Map):
    """Attributes of a call, function, block or module: `attrs["axis"]`, and `attrs.axis` for names that no dict has."""

    def __getattr__(self, name: str) -> Any:
        """The attribute of this name."""
        if name in self:
            return self[name]
        raise AttributeError(f"there is no attribute `{name}` here")

    def list_field_info(self) -> list[str]:
        """The names of the attributes."""
        return list(self)

    def get_str(self, key: str) -> str:
        """The attribute of this name as text."""
        return str(self[key])

    def get_int(self, key: str) -> int:
        """The attribute of this name as a number."""
        return int(self[key])

    def get_int_tuple(self, key: str) -> tuple[int, ...]:
        """The attribute of this name as numbers."""
        return tuple(int(item) for item in self[key])


class DictAttrs(Attrs):
    """Attributes from a dict; the attribute `target` is a `Target`."""

    def __init__(self, *args: Any, **named: Any) -> None:
        from ..target import Target

        super().__init__(*args, **named)
        for name, value in super().items():
            if name == "target" and isinstance(value, str):
                self[name] = Target(value)
            elif type(value) is int:
                self[name] = AttrInt(value)


def make_node(type_key: str, **kwargs: Any) -> Any:
    """Attributes by name: `make_node("ir.DictAttrs", axis=1)`."""
    return DictAttrs(kwargs)
