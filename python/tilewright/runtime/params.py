"""Tensors by name as bytes: weights of models, in the format of TVM's parameter files.

A file is a number that marks it, a reserved one, the names, and the tensors: each a mark, a reserved number, a device,
rank and type, the dimensions, the count of bytes, and the elements. Numbers are little-endian.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from ..error import TVMError
from .data_type import DataType, DataTypeCode
from .ndarray import NDArray, array, from_bytes

__all__ = ["load_param_dict", "load_param_dict_from_file", "save_param_dict", "save_param_dict_to_file"]

_LIST_MAGIC = 0xF7E58D4F05049CB7
_TENSOR_MAGIC = 0xDD5E40F096B4A13F
#: Names of data types by their code, where the code and the bits say which one it is.
_NAMES = {
    DataTypeCode.INT: "int",
    DataTypeCode.UINT: "uint",
    DataTypeCode.FLOAT: "float",
    DataTypeCode.BFLOAT: "bfloat",
}


def save_param_dict(params: Mapping[str, Any]) -> bytearray:
    """The tensors as bytes."""
    if not isinstance(params, Mapping):
        raise TVMError(f"expected a dict of tensors by name, found {type(params).__name__}")
    names = [str(name).encode("utf-8") for name in params]
    pieces = [struct.pack("<QQQ", _LIST_MAGIC, 0, len(names))]
    pieces += [struct.pack("<Q", len(name)) + name for name in names]
    pieces.append(struct.pack("<Q", len(names)))
    for value in params.values():
        tensor = value if isinstance(value, NDArray) else array(value)
        _, shape, data = tensor.__reduce__()[1]
        dtype = DataType(tensor.dtype)
        # A bool is an unsigned integer of one bit there.
        code, bits = (1, 1) if tensor.dtype == "bool" else (int(dtype.type_code), dtype.bits)
        pieces.append(struct.pack("<QQiiiBBH", _TENSOR_MAGIC, 0, 1, 0, len(shape), code, bits, dtype.lanes))
        pieces.append(struct.pack(f"<{len(shape)}qq", *shape, len(data)) + data)
    return bytearray(b"".join(pieces))


class _Reader:
    """Bytes that are read from the front; an end too soon is an error."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def bytes(self, count: int) -> bytes:
        if not 0 <= count <= len(self.data) - self.at:
            raise TVMError("the parameters are damaged: they end too soon")
        self.at += count
        return self.data[self.at - count : self.at]

    def numbers(self, layout: str) -> tuple[int, ...]:
        return struct.unpack(f"<{layout}", self.bytes(struct.calcsize(f"<{layout}")))

    def tensor(self) -> NDArray:
        magic, _, _, _, rank, code, bits, lanes = self.numbers("QQiiiBBH")
        if magic != _TENSOR_MAGIC or rank < 0 or lanes != 1:
            raise TVMError("the parameters are damaged: a tensor is expected")
        *shape, count = self.numbers("q" * (min(rank, len(self.data)) + 1))
        name = _NAMES.get(code)
        if name is None:
            raise TVMError(f"the parameters have a data type of code {code}, which no tensor has")
        dtype = "bool" if (name, bits) == ("uint", 1) else f"{name}{bits}"
        return from_bytes(dtype, tuple(shape), self.bytes(count))


def load_param_dict(param_bytes: bytes | bytearray) -> dict[str, NDArray]:
    """The tensors of bytes that `save_param_dict` made; everything that they claim is checked."""
    reader = _Reader(bytes(param_bytes))
    magic, _, count = reader.numbers("QQQ")
    if magic != _LIST_MAGIC:
        raise TVMError("these bytes are no parameters: they are made by `save_param_dict`")
    if count > len(reader.data):
        raise TVMError("the parameters are damaged: they end too soon")
    names = [reader.bytes(*reader.numbers("Q")).decode("utf-8", "replace") for _ in range(count)]
    (tensors,) = reader.numbers("Q")
    if tensors != count:
        raise TVMError(f"the parameters are damaged: {count} names, {tensors} tensors")
    return {name: reader.tensor() for name in names}


def save_param_dict_to_file(params: Mapping[str, Any], path: str | PathLike[str]) -> None:
    """Writes the tensors to a file."""
    Path(path).write_bytes(save_param_dict(params))


def load_param_dict_from_file(path: str | PathLike[str]) -> dict[str, NDArray]:
    """The tensors of a file that `save_param_dict_to_file` wrote."""
    return load_param_dict(Path(path).read_bytes())
