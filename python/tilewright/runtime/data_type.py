"""Data types as values."""

from __future__ import annotations

from typing import Any

__all__ = ["DataType", "DataTypeCode"]


class DataTypeCode:
    """The codes of DLPack."""

    INT, UINT, FLOAT, HANDLE, BFLOAT = range(5)
    E4M3Float, E5M2Float = 6, 7


_CODES = {
    "int": DataTypeCode.INT,
    "uint": DataTypeCode.UINT,
    "bool": DataTypeCode.UINT,
    "float": DataTypeCode.FLOAT,
    "bfloat": DataTypeCode.BFLOAT,
    "handle": DataTypeCode.HANDLE,
}


class DataType(str):
    """A data type: a text such as `float32x4` with its parts."""

    type_code: int
    bits: int
    lanes: int

    def __new__(cls, dtype: Any) -> DataType:
        """The type of this name."""
        text = str(dtype)
        self = super().__new__(cls, text)
        scalar, _, lanes = text.partition("x")
        kind = scalar.rstrip("0123456789")
        if kind not in _CODES:
            raise ValueError(f"unknown data type {text!r}")
        default = {"bool": "1", "handle": "64"}.get(kind, "32")
        self.type_code, self.bits, self.lanes = _CODES[kind], int(scalar[len(kind) :] or default), int(lanes or 1)
        return self

    def itemsize(self) -> int:
        """Bytes of a value."""
        return (self.bits * self.lanes + 7) // 8
