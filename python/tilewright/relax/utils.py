"""Conversions of arguments."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from .. import _core
from .expr import Expr, Function, PrimValue, ShapeExpr, StringImm, Tuple

__all__ = ["args_converter", "convert_to_expr", "copy_with_new_vars", "get_shape_of"]


def convert_to_expr(value: Any) -> Any:
    """A Python value as a graph expression: integers, texts, tuples of dimensions or of expressions."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, (int, float)):
        return PrimValue(value)
    if isinstance(value, str):
        return StringImm(value)
    if isinstance(value, (tuple, list)):
        items = [convert_to_expr(item) for item in value]
        if items and all(isinstance(item, PrimValue) for item in items):
            return ShapeExpr([item.value for item in items])
        return Tuple(items)
    return PrimValue(value)


def copy_with_new_vars(func: Function) -> Function:
    """The function with variables and symbolic dimensions of its own."""
    return _core.renew_defs(func)


class _ArgsConverter:
    """Decorators that convert arguments of a function before it is called."""

    def convert(self, args_to_expr: list[str] | None = None, args_to_list_expr: list[str] | None = None) -> Any:
        """Converts the named arguments to expressions, and others to lists of expressions."""
        single, listed = args_to_expr or [], args_to_list_expr or []

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            return _converting(function, lambda name: name in single, lambda name: name in listed)

        return decorate

    def to_expr(self, *names: str) -> Any:
        """Converts the named arguments to expressions."""
        return self.convert(args_to_expr=list(names))

    def to_list_expr(self, *names: str) -> Any:
        """Converts the named arguments to lists of expressions."""
        return self.convert(args_to_list_expr=list(names))

    def auto(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Converts by annotations: those of an argument annotated `Expr`, or `List[Expr]`."""
        hints = {name: str(hint) for name, hint in function.__annotations__.items()}
        return _converting(
            function,
            lambda name: "Expr" in hints.get(name, "") and "ist[" not in hints.get(name, ""),
            lambda name: "Expr" in hints.get(name, "") and "ist[" in hints.get(name, ""),
        )


def _converting(function: Callable[..., Any], single: Callable[[str], bool], listed: Callable[[str], bool]) -> Any:
    signature = inspect.signature(function)

    def one(name: str, value: Any) -> Any:
        if value is None:
            return value
        if single(name):
            return convert_to_expr(value)
        return [convert_to_expr(item) for item in value] if listed(name) else value

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        for name, value in bound.arguments.items():
            kind = signature.parameters[name].kind
            if kind == inspect.Parameter.VAR_POSITIONAL:
                bound.arguments[name] = tuple(one(name, item) for item in value)
            elif kind == inspect.Parameter.VAR_KEYWORD:
                bound.arguments[name] = {key: one(name, item) for key, item in value.items()}
            else:
                bound.arguments[name] = one(name, value)
        return function(*bound.args, **bound.kwargs)

    return call


args_converter = _ArgsConverter()


def get_shape_of(expr: Any) -> Any:
    """The shape of a tensor as an expression: as it is known, else asked for at run time."""
    from .op import shape_of

    info = expr.struct_info
    known = getattr(info, "shape", None)
    return shape_of(expr) if known is None else known
