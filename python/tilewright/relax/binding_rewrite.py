"""Editing one dataflow block of a function."""

from __future__ import annotations

from .. import _core
from .expr import Binding, DataflowBlock, Function

__all__ = ["DataflowBlockRewrite"]


class DataflowBlockRewrite(_core.DataflowBlockRewrite):
    """Edits a dataflow block of a function: variables are replaced, bindings added and removed."""

    def add_binding(self, binding: Binding) -> None:
        """Adds a binding that is made already."""
        self.add(binding)

    @property
    def mutated_dfb_(self) -> DataflowBlock:
        """The block as it is now."""
        return self.mutated_dfb()

    @property
    def mutated_root_fn_(self) -> Function:
        """The function with the block as it is now."""
        return self.mutated_root_fn()
