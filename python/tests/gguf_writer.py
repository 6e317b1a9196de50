"""Writes small GGUF files, as the specification has them (version 3)."""

import struct

import numpy as np

#: Types of tensors: plain ones by data type, blocks by name.
TYPES = {"float32": 0, "float16": 1, "Q4_0": 2, "Q4_1": 3, "Q8_0": 8}


def text(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()


def value_of(value):
    """A value with its type."""
    if isinstance(value, bool):
        return struct.pack("<IB", 7, value)
    if isinstance(value, int):
        return struct.pack("<Ii", 5, value)
    if isinstance(value, float):
        return struct.pack("<Id", 12, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + text(value)
    kind, form = (8, None) if isinstance(value[0], str) else (5, "<i")
    items = b"".join(text(item) if form is None else struct.pack(form, item) for item in value)
    return struct.pack("<IIQ", 9, kind, len(value)) + items


def write_gguf(file, metadata, tensors):
    """`tensors` are arrays by name, or triples of a type, a shape and its bytes."""
    infos, data = b"", b""
    for name, given in tensors.items():
        kind, shape, raw = given if isinstance(given, tuple) else (str(given.dtype), given.shape, given.tobytes())
        data = data.ljust(-len(data) // 32 * -32, b"\0")
        dims = struct.pack(f"<{len(shape)}Q", *shape[::-1])
        infos += text(name) + struct.pack("<I", len(shape)) + dims + struct.pack("<IQ", TYPES[kind], len(data))
        data += raw
    pairs = b"".join(text(key) + value_of(value) for key, value in metadata.items())
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata)) + pairs + infos
    file.write_bytes(head.ljust(-len(head) // 32 * -32, b"\0") + data)


def q8_0(values):
    """Blocks of 32 codes of 8 bits with a scale each."""
    rows, columns = values.shape
    groups = values.reshape(rows, columns // 32, 32)
    scale = (np.abs(groups).max(-1, keepdims=True) / 127).astype("float16")
    codes = np.round(groups / scale.astype("float32")).astype("int8")
    blocks = np.concatenate([scale.view("uint8"), codes.view("uint8")], -1)
    return "Q8_0", (rows, columns), blocks.tobytes()


def pairs_of_halves(rows, heads):
    """Rows of heads as GGUF files of Llama have them: element i of both halves are neighbours."""
    size = rows.shape[0] // heads
    return rows.reshape(heads, 2, size // 2, -1).swapaxes(1, 2).reshape(rows.shape)
