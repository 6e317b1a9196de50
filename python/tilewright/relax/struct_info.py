"""Struct infos: static types of values. Equal by structure."""

from __future__ import annotations

from typing import Any

from .._core import Object
from ..ir.container import Array
from ..ir.expr import PrimExpr
from ..ir.global_info import VDevice

__all__ = [
    "AnyType", "DynTensorType", "FuncStructInfo", "FuncType", "ObjectStructInfo", "ObjectType", "PackedFuncType",
    "PrimStructInfo",
    "ShapeStructInfo", "ShapeType", "StructInfo", "TensorStructInfo", "TensorType", "TupleStructInfo", "TupleType",
    "Type",
]  # fmt: skip


class StructInfo(Object):
    """What is known of a value."""

    def __eq__(self, other: object) -> bool:
        return self.same_as(other)

    __hash__ = Object.__hash__

    def is_base_of(self, derived: StructInfo) -> bool:
        """Whether every value of which `derived` is known also is as this says."""
        from .analysis import struct_info_base_check

        return struct_info_base_check(self, derived) == 3


class ObjectStructInfo(StructInfo, kind="relax.ObjectStructInfo"):
    """Any value."""

    def __new__(cls, span: object = None) -> Any:
        return cls._make()


class PrimStructInfo(StructInfo, kind="relax.PrimStructInfo"):
    """A scalar: of a type, or of a known value."""

    dtype: str
    value: PrimExpr | None

    def __new__(cls, dtype: Any = None, value: Any = None, span: object = None) -> Any:
        return cls._make(dtype if value is None else value)


class ShapeStructInfo(StructInfo, kind="relax.ShapeStructInfo"):
    """A shape, as a value: its dimensions, or how many (-1: not known)."""

    values: Array | None
    ndim: int

    def __new__(cls, values: Any = None, ndim: int = -1, span: object = None) -> Any:
        return cls._make(values, ndim)


class TensorStructInfo(StructInfo, kind="relax.TensorStructInfo"):
    """A tensor: a shape (dimensions or a graph expression), a type, a device; each may be unknown."""

    shape: Any
    dtype: str
    vdevice: VDevice | None
    ndim: int

    def __new__(
        cls, shape: Any = None, dtype: Any = "float32", vdevice: Any = None, ndim: int = -1, span: object = None
    ) -> Any:
        return cls._make(shape, "" if dtype is None else dtype, vdevice, ndim)


class TupleStructInfo(StructInfo, kind="relax.TupleStructInfo"):
    """A tuple."""

    fields: Array

    def __new__(cls, fields: Any, span: object = None) -> Any:
        return cls._make(fields)


class FuncStructInfo(StructInfo, kind="relax.FuncStructInfo"):
    """A function: its parameters, its result, and whether it has no side effect."""

    params: Array | None
    ret: StructInfo
    purity: bool
    derive_func: object

    def __new__(cls, params: Any, ret: StructInfo, purity: bool = True, span: object = None) -> Any:
        return cls._make(params, ret, purity)

    @staticmethod
    def opaque_func(
        *, ret: StructInfo | None = None, derive_func: Any = None, purity: bool = False, span: object = None
    ) -> Any:
        """A function of which the parameters are not known."""
        return FuncStructInfo._make(None, ret or ObjectStructInfo(), purity)


# The later names.
Type = StructInfo
AnyType = ObjectType = ObjectStructInfo
TensorType = TensorStructInfo
ShapeType = ShapeStructInfo
TupleType = TupleStructInfo
FuncType = FuncStructInfo


class PackedFuncType(FuncStructInfo):
    """The type of a function of the process in programs of earlier years: of any parameters and result."""

    def __new__(cls, span: object = None) -> Any:
        return FuncStructInfo.opaque_func()


class DynTensorType:
    """The type of a tensor in scripts of 2022, besides its shape: its rank (-1: unknown) and its data type."""

    def __init__(self, ndim: int = -1, dtype: str = "float32") -> None:
        self.ndim = ndim
        self.dtype = dtype

    def with_shape(self, shape: Any) -> TensorStructInfo:
        """The struct info of such a tensor of this shape; `None`: of any."""
        if shape is None:
            return TensorStructInfo(dtype=self.dtype, ndim=self.ndim)
        return TensorStructInfo(shape, self.dtype)

    def __repr__(self) -> str:
        return f"DynTensorType(ndim={self.ndim}, dtype={self.dtype!r})"
