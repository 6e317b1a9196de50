"""Data types as values."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from .._core import data_type_parts

__all__ = ["DataType", "DataTypeCode"]


class DataTypeCode(IntEnum):
    """The codes of DLPack of the types that there are."""

    INT = 0
    UINT = 1
    FLOAT = 2
    HANDLE = 3
    BFLOAT = 4
    BOOL = 6
    Float8E4M3FN = E4M3Float = 10
    Float8E5M2 = E5M2Float = 12
    Float4E2M1FN = E2M1Float = 17


# Other spellings that programs have.
_SPELLINGS = {
    "int1": "bool", "uint1": "bool", "int": "int32", "uint": "uint32", "float": "float32",
    "e4m3_float8": "float8_e4m3fn", "e5m2_float8": "float8_e5m2", "float8_e4m3": "float8_e4m3fn",
}  # fmt: skip

#: Integers of codes that lie in words of another type: they have a width, and no tensor holds them.
_WIDTHS = {"int2": 2, "int3": 3, "int5": 5, "int6": 6}


class DataType(str):
    """A data type: a text such as `float32x4` with its parts."""

    type_code: DataTypeCode
    bits: int
    lanes: int

    def __new__(cls, dtype: Any) -> DataType:
        """The type of this name."""
        text = str(dtype)
        element, cross, lanes = text.partition("x")
        if element in _WIDTHS and not cross:
            name, code, bits, count = element, DataTypeCode.INT, _WIDTHS[element], 1
        else:
            name, code, bits, count = data_type_parts(_SPELLINGS.get(element, element) + cross + lanes)
        self = super().__new__(cls, name)
        self.type_code, self.bits, self.lanes = DataTypeCode(code), bits, count
        return self

    def itemsize(self) -> int:
        """Bytes of a value."""
        return (self.bits * self.lanes + 7) // 8

    def with_lanes(self, lanes: int) -> DataType:
        """The type of a vector of so many values."""
        return DataType(f"{self.partition('x')[0]}x{lanes}")
