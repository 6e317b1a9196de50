"""The IDX format: the files of MNIST and Fashion-MNIST, plain or gzip-compressed.

A file is two zero bytes, a type code (8 = unsigned byte, the only one read here), the rank, one big-endian
32-bit size per dimension, then the elements in row-major order.
"""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import numpy as np

UNSIGNED_BYTE = 8


def read(path: str | Path) -> np.ndarray:
    """The array in the IDX file at `path`: uint8, of whatever rank the file says.

    Raises `ValueError` for a file that is not IDX, holds another type, or whose length is not what its header says.
    """
    path = Path(path)
    raw = path.read_bytes()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    if len(raw) < 4 or raw[:2] != b"\0\0":
        raise ValueError(f"{path}: not an IDX file")
    code, rank = raw[2], raw[3]
    if code != UNSIGNED_BYTE:
        raise ValueError(f"{path}: elements of type code {code}, expected {UNSIGNED_BYTE} (unsigned byte)")
    start = 4 + 4 * rank
    if len(raw) < start:
        raise ValueError(f"{path}: the header is cut short")
    shape = struct.unpack(f">{rank}I", raw[4:start])
    count = int(np.prod(shape, dtype=np.int64))
    if len(raw) - start != count:
        raise ValueError(f"{path}: {len(raw) - start} bytes of data, expected {count} for shape {shape}")
    return np.frombuffer(raw, np.uint8, offset=start).reshape(shape)


def write(path: str | Path, array: np.ndarray) -> None:
    """Writes a uint8 array as IDX, gzip-compressed where the name ends in `.gz`: the same array, the same bytes."""
    if array.dtype != np.uint8:
        raise ValueError(f"IDX files are written from uint8 arrays, not {array.dtype}")
    header = bytes([0, 0, UNSIGNED_BYTE, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape)
    raw = header + np.ascontiguousarray(array).tobytes()
    path = Path(path)
    path.write_bytes(gzip.compress(raw, mtime=0) if path.suffix == ".gz" else raw)
