"""What the expressions of both levels have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core
from .._core import Object

if TYPE_CHECKING:
    from ..relax.struct_info import StructInfo

__all__ = ["BaseExpr", "PrimExpr", "Range", "RelaxExpr", "RelayExpr"]


class BaseExpr(Object):
    """An expression of either level."""


class PrimExpr(BaseExpr):
    """A scalar expression."""

    dtype: str


class RelayExpr(BaseExpr):
    """A graph expression: a value with what is known of it."""

    struct_info: StructInfo

    @property
    def struct_info_(self) -> StructInfo:
        """What is known of the value."""
        return self.struct_info

    @property
    def checked_type(self) -> StructInfo:
        """What is known of the value, but for the values of dimensions."""
        info = self.struct_info
        if info is None:
            raise ValueError("the expression has no type yet: it is normalised by a block builder first")
        return _core.static_type(info)

    @property
    def ty(self) -> StructInfo:
        """The same, by its later name."""
        return self.struct_info


RelaxExpr = RelayExpr


class Range(Object, kind="ir.Range"):
    """`extent` integers from `min` on; `Range(begin, end)`, or `Range(end)` from 0 on."""

    min: PrimExpr
    extent: PrimExpr

    def __new__(cls, begin: PrimExpr | int, end: PrimExpr | int | None = None, span: object = None) -> Range:
        if end is None:
            return cls._make(0, begin)
        if getattr(begin, "value", begin) == 0:
            return cls._make(begin, end)
        extent = end - begin if isinstance(end, int) and isinstance(begin, int) else _core.operate("Sub", end, begin)
        return cls._make(begin, extent)

    @staticmethod
    def from_min_extent(min_value: PrimExpr | int, extent: PrimExpr | int, span: object = None) -> Range:
        """The range by its first value and its length."""
        return Range._make(min_value, extent)

    def __eq__(self, other: object) -> bool:
        from .base import structural_equal

        return isinstance(other, Range) and structural_equal(self, other)

    __hash__ = Object.__hash__
