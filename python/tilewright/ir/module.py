"""The module: a map from global names to functions of both levels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._core import IRModule
from .expr import RelayExpr

if TYPE_CHECKING:
    from ..relax.struct_info import StructInfo

__all__ = ["GlobalVar", "IRModule"]


class GlobalVar(RelayExpr, kind="ir.GlobalVar"):
    """A reference to a function of a module. Equal by name."""

    name_hint: str

    def __new__(cls, name_hint: str, type_annot: StructInfo | None = None) -> GlobalVar:
        return cls._make(name_hint, type_annot)

    def __call__(self, *args: Any) -> Any:
        """A call of the function: of the graph level with graph expressions, else of the loop level."""
        from ..relax.expr import Call

        return Call(self, list(args))

    def __eq__(self, other: object) -> bool:
        return self.same_as(other)

    def __ne__(self, other: object) -> bool:
        return not self.same_as(other)

    __hash__ = RelayExpr.__hash__

    def __repr__(self) -> str:
        return f'GlobalVar("{self.name_hint}")'
