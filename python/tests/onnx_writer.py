"""Writes models of ONNX: as much of the format as the tests need, without the package `onnx`."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

#: ONNX's numbers of element types.
ELEMENTS = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7, "bool": 9, "float16": 10, "float64": 11}


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def part(field: int, value: bytes | str) -> bytes:
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def tensor(array: Any, name: str = "") -> bytes:
    array = np.asarray(array)
    dims = b"".join(number(1, size) for size in array.shape)
    return dims + number(2, ELEMENTS[str(array.dtype)]) + part(8, name) + part(9, array.tobytes())


def value(name: str, dtype: str, dims: Sequence[int | str]) -> bytes:
    """The name and type of an input or output; a dimension that is a text is symbolic."""
    sizes = b"".join(part(1, part(2, d) if isinstance(d, str) else number(1, d)) for d in dims)
    return part(1, name) + part(2, part(1, number(1, ELEMENTS[dtype]) + part(2, sizes)))


def attribute(name: str, held: Any) -> bytes:
    match held:
        case bool() | int():
            return part(1, name) + number(3, held) + number(20, 2)
        case float():
            return part(1, name) + varint(2 << 3 | 5) + struct.pack("<f", held) + number(20, 1)
        case str():
            return part(1, name) + part(4, held) + number(20, 3)
        case bytes():
            return part(1, name) + part(6, held) + number(20, 5)
        case np.ndarray():
            return part(1, name) + part(5, tensor(held)) + number(20, 4)
        case [float(), *_]:
            return part(1, name) + part(7, struct.pack(f"<{len(held)}f", *held)) + number(20, 6)
        case [str(), *_]:
            return part(1, name) + b"".join(part(9, one) for one in held) + number(20, 8)
        case _:
            return part(1, name) + b"".join(number(8, one) for one in held) + number(20, 7)


def node(op: str, inputs: Sequence[str], outputs: Sequence[str], domain: str = "", **attributes: Any) -> bytes:
    found = b"".join(part(1, name) for name in inputs) + b"".join(part(2, name) for name in outputs)
    found += part(3, f"{op}_{outputs[0]}") + part(4, op) + part(7, domain)
    return found + b"".join(part(5, attribute(name, held)) for name, held in attributes.items())


def graph(
    nodes: Sequence[bytes],
    inputs: Sequence[tuple[str, str, Sequence[int | str]]],
    outputs: Sequence[str],
    tensors: dict[str, Any] | None = None,
) -> bytes:
    found = b"".join(part(1, one) for one in nodes) + part(2, "graph")
    found += b"".join(part(5, tensor(array, name)) for name, array in (tensors or {}).items())
    found += b"".join(part(11, value(*one)) for one in inputs)
    return found + b"".join(part(12, part(1, name)) for name in outputs)


def model(whole: bytes, opset: int = 17) -> bytes:
    sets = part(8, part(1, "") + number(2, opset)) + part(8, part(1, "com.microsoft") + number(2, 1))
    return number(1, 8) + part(7, whole) + sets
