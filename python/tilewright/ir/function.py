"""What the functions of both levels have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import _core
from .container import Map
from .expr import RelayExpr

__all__ = ["BaseFunc", "CallingConv"]


class CallingConv:
    """How a function is called: the names that programs compare with."""

    DEFAULT = 0
    C_PACKED_FUNC = 1
    DEVICE_KERNEL_LAUNCH = 2


def said_attrs(attrs: Any) -> Any:
    """Attributes as functions keep them: targets are texts. What is no mapping stays, for the constructor to refuse."""

    def said(value: Any) -> Any:
        text = getattr(value, "_text_with_host", None)
        return value if text is None else text()

    return {name: said(value) for name, value in attrs.items()} if isinstance(attrs, Mapping) else attrs


class BaseFunc(RelayExpr):
    """A function of a module."""

    attrs: Map

    @property
    def __name__(self) -> str:
        """The name outside of the module: `global_symbol`, or `main` for a function that has none."""
        symbol = self.attrs.get("global_symbol") if self.attrs else None
        return "main" if symbol is None else str(symbol)

    def _repr_html_(self) -> str:
        """The script in colour, as notebooks show it."""
        return _core.highlight_html(self.script())

    def with_attr(self, attr_key_or_dict: str | dict[str, Any], attr_value: Any = None) -> Any:
        """The function with an attribute more, or with those of a dict."""
        given = attr_key_or_dict if isinstance(attr_key_or_dict, dict) else {attr_key_or_dict: attr_value}
        function = self
        for name, value in said_attrs(given).items():
            function = _core.with_attr(function, name, value)
        return function

    def with_attrs(self, attr_map: dict[str, Any]) -> Any:
        """The function with these attributes more."""
        return self.with_attr(dict(attr_map))

    def without_attr(self, attr_key: str) -> Any:
        """The function without an attribute."""
        return _core.without_attr(self, attr_key)
