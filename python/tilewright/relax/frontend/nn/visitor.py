"""Changing a module before it is exported: exchanging layers, weights and states, as quantisation does."""

from __future__ import annotations

from typing import Any

from .core import Effect, Module, ModuleDict, ModuleList, Parameter

__all__ = ["Mutator"]


class Mutator:
    """Visits a module and replaces the arguments of its methods by their results.

    A method is overridden for what it exchanges; `super()` or `self.visit(name, node)` go on inside. `name` is the path
    of attributes from the module that `visit` was called with.
    """

    def visit_module(self, name: str, node: Module) -> Any:
        """A module."""
        return self.visit(name, node)

    def visit_modulelist(self, name: str, node: ModuleList) -> Any:
        """A list of modules."""
        return self.visit(name, node)

    def visit_moduledict(self, name: str, node: ModuleDict) -> Any:
        """Modules by name."""
        return self.visit(name, node)

    def visit_effect(self, name: str, node: Effect) -> Any:
        """A state."""
        return node

    def visit_param(self, name: str, node: Parameter) -> Any:
        """A weight."""
        return node

    def visit(self, name: str, node: Any) -> Any:
        """Goes through what a module, a list or a dict of modules holds, and gives the node, which is changed."""
        for own, value in list(node._items()):
            method = self._method(value)
            if method is None:
                continue
            made = method(f"{name}.{own}" if name else own, value)
            if made is value:
                continue
            if isinstance(node, ModuleList):
                node[int(own)] = made
            elif isinstance(node, ModuleDict):
                node[own] = made
            else:
                setattr(node, own, made)
        return node

    def _method(self, value: Any) -> Any:
        match value:
            case ModuleList():
                return self.visit_modulelist
            case ModuleDict():
                return self.visit_moduledict
            case Module():
                return self.visit_module
            case Effect():
                return self.visit_effect
            case Parameter():
                return self.visit_param
            case _:
                return None
