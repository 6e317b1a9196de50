"""Data types as values."""

from __future__ import annotations

from typing import Any

__all__ = ["DataType", "DataTypeCode"]


class DataTypeCode:
    """The codes of DLPack."""

    INT, UINT, FLOAT, HANDLE, BFLOAT = range(5)
    E4M3Float, E5M2Float, E2M1Float = 6, 7, 8


_CODES = {
    "int": DataTypeCode.INT,
    "uint": DataTypeCode.UINT,
    "float": DataTypeCode.FLOAT,
    "bfloat": DataTypeCode.BFLOAT,
}


# Types whose name says more than a sort and a number of bits: their code and bits.
_WHOLE = {
    "bool": (DataTypeCode.UINT, 1),
    "handle": (DataTypeCode.HANDLE, 64),
    "void": (DataTypeCode.HANDLE, 0),
    "float8_e4m3fn": (DataTypeCode.E4M3Float, 8),
    "float8_e5m2": (DataTypeCode.E5M2Float, 8),
    "float4_e2m1fn": (DataTypeCode.E2M1Float, 4),
}
_SPELLINGS = {
    "int": "int32", "uint": "uint32", "float": "float32", "e4m3_float8": "float8_e4m3fn",
    "e5m2_float8": "float8_e5m2",
}  # fmt: skip


class DataType(str):
    """A data type: a text such as `float32x4` with its parts."""

    type_code: int
    bits: int
    lanes: int

    def __new__(cls, dtype: Any) -> DataType:
        """The type of this name."""
        text = str(dtype)
        element, code, bits, lanes = _parts(text)
        self = super().__new__(cls, element if lanes == 1 else f"{element}x{lanes}")
        self.type_code, self.bits, self.lanes = code, bits, lanes
        return self

    def itemsize(self) -> int:
        """Bytes of a value."""
        return (self.bits * self.lanes + 7) // 8


def _parts(text: str) -> tuple[str, int, int, int]:
    """The name of an element, its code and bits, and the lanes."""
    element, cross, lanes = text.rpartition("x")
    if not (cross and element and lanes.isdecimal() and int(lanes) > 0):
        element, lanes = text, "1"
    element = _SPELLINGS.get(element, element)
    if element in _WHOLE:
        return element, *_WHOLE[element], int(lanes)
    kind = element.rstrip("0123456789")
    bits = element[len(kind) :]
    if kind not in _CODES or not bits or int(bits) == 0:
        raise ValueError(f"unknown data type {text!r}: expected one such as 'float32', 'int64', 'bool' or 'float32x4'")
    return element, _CODES[kind], int(bits), int(lanes)
