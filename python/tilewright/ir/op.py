"""Operators by name."""

from __future__ import annotations

from .. import _core
from .expr import RelayExpr

__all__ = ["Op"]


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
