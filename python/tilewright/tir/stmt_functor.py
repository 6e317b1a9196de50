"""Visiting and rewriting statements and expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import _core
from .stmt import Stmt

__all__ = ["ir_transform", "post_order_visit", "pre_order_visit", "renew_defs", "substitute"]


def ir_transform(
    stmt: Stmt,
    preorder: Callable[[Any], Any] | None,
    postorder: Callable[[Any], Any] | None,
    only_enable: Sequence[str] | None = None,
) -> Stmt:
    """The statement rewritten.

    `preorder` may replace a node before its parts are looked at, which ends there; `postorder` replaces it after. Both
    give None where the node stays. `only_enable` names the classes that they are asked about, such as "tir.For".
    """
    return _core.ir_transform(stmt, preorder, postorder, None if only_enable is None else list(only_enable))


def post_order_visit(stmt: Any, fvisit: Callable[[Any], None]) -> None:
    """Calls a function with every statement and expression, parts first."""
    _core.post_order_visit(stmt, fvisit)


def pre_order_visit(stmt: Any, fvisit: Callable[[Any], bool]) -> None:
    """Calls a function with every statement and expression, parents first; it says whether to go inside."""
    _core.pre_order_visit(stmt, fvisit)


def substitute(node: Any, vmap: Mapping[Any, Any]) -> Any:
    """The node with variables replaced by expressions."""
    return _core.substitute(node, dict(vmap))


def renew_defs(func: Any) -> Any:
    """A copy of a PrimFunc whose variables and buffers are its own."""
    return _core.renew_defs(func)
