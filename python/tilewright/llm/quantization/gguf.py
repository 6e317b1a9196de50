"""Blocks of GGUF files as codes and factors; the layouts are those of the format's specification (`ggml-quants`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...error import TVMError
from .block_format import BlockFormat, Blocks

__all__ = ["BLOCK_TYPES", "BlockType", "decode"]

Bytes = NDArray[np.uint8]


def decode(raw: Bytes, block_type: str) -> Blocks:
    """The rows of a tensor, `[rows, bytes of a row]`, of a type that `BLOCK_TYPES` lists."""
    if block_type not in BLOCK_TYPES:
        raise TVMError(f"rows of {block_type} are no blocks of integers; known are {', '.join(BLOCK_TYPES)}")
    kind = BLOCK_TYPES[block_type]
    size = kind.size
    rows, width = raw.shape
    if width % size != 0:
        raise TVMError(f"a row of {width} bytes is no whole number of blocks of {block_type}, {size} bytes each")
    blocks = kind.read(raw.reshape(-1, size))
    codes = blocks.codes.reshape(rows, -1)
    factor = lambda values: None if values is None else values.reshape(rows, -1)  # noqa: E731
    return Blocks(codes, factor(blocks.scale), blocks.zero, factor(blocks.minimum))


def _halves(raw: Bytes, at: int) -> NDArray[np.float16]:
    return np.ascontiguousarray(raw[:, at : at + 2]).view(np.float16)


def _nibbles(raw: Bytes) -> Bytes:
    """The low codes of all bytes, then the high ones."""
    return np.concatenate([raw & 15, raw >> 4], axis=1)


def _fifth_bits(raw: Bytes) -> Bytes:
    """One bit of each of 32 codes, at its place in a code of five bits."""
    return np.unpackbits(raw, axis=1, bitorder="little") << 4


def _q4_0(raw: Bytes) -> Blocks:
    return Blocks(_nibbles(raw[:, 2:18]), _halves(raw, 0), zero=8)


def _q4_1(raw: Bytes) -> Blocks:
    return Blocks(_nibbles(raw[:, 4:20]), _halves(raw, 0), minimum=_halves(raw, 2))


def _q5_0(raw: Bytes) -> Blocks:
    return Blocks(_nibbles(raw[:, 6:22]) | _fifth_bits(raw[:, 2:6]), _halves(raw, 0), zero=16)


def _q5_1(raw: Bytes) -> Blocks:
    codes = _nibbles(raw[:, 8:24]) | _fifth_bits(raw[:, 4:8])
    return Blocks(codes, _halves(raw, 0), minimum=_halves(raw, 2))


def _q8_0(raw: Bytes) -> Blocks:
    # Signed bytes, as unsigned ones from 128 on.
    return Blocks(raw[:, 2:34] ^ 0x80, _halves(raw, 0), zero=128)


def _six_bit_factors(raw: Bytes) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Eight scales and eight minima of six bits, in twelve bytes."""
    low, middle, high = raw[:, 0:4], raw[:, 4:8], raw[:, 8:12]
    scale = np.concatenate([low & 63, (high & 15) | (low >> 6) << 4], axis=1)
    minimum = np.concatenate([middle & 63, (high >> 4) | (middle >> 6) << 4], axis=1)
    return scale.astype(np.float32), minimum.astype(np.float32)


def _with_factors(raw: Bytes, codes: Bytes, factors: Bytes) -> Blocks:
    scale, minimum = _six_bit_factors(factors)
    whole = lambda at: _halves(raw, at).astype(np.float32)  # noqa: E731
    return Blocks(codes, whole(0) * scale, minimum=-whole(2) * minimum)


def _codes_of_64(low: Bytes) -> Bytes:
    """Of each 32 bytes the low codes, then the high ones."""
    parts = low.reshape(len(low), -1, 1, 32)
    return np.concatenate([parts & 15, parts >> 4], axis=2).reshape(len(low), -1)


def _q4_k(raw: Bytes) -> Blocks:
    return _with_factors(raw, _codes_of_64(raw[:, 16:144]), raw[:, 4:16])


def _q5_k(raw: Bytes) -> Blocks:
    high = raw[:, 16:48, None] >> np.arange(8, dtype=np.uint8) & 1
    fifth = high.transpose(0, 2, 1).reshape(len(raw), -1) << 4
    return _with_factors(raw, _codes_of_64(raw[:, 48:176]) | fifth, raw[:, 4:16])


def _q6_k(raw: Bytes) -> Blocks:
    low, high = raw[:, :128].reshape(-1, 2, 2, 32), raw[:, 128:192].reshape(-1, 2, 1, 32)
    fours = np.concatenate([low & 15, low >> 4], axis=2)
    twos = high >> np.array([0, 2, 4, 6], np.uint8).reshape(1, 1, 4, 1) & 3
    scale = np.ascontiguousarray(raw[:, 192:208]).view(np.int8).astype(np.float32)
    return Blocks((fours | twos << 4).reshape(len(raw), -1), _halves(raw, 208).astype(np.float32) * scale, zero=32)


def _q2_k(raw: Bytes) -> Blocks:
    twos = raw[:, 16:80].reshape(-1, 2, 1, 32) >> np.array([0, 2, 4, 6], np.uint8).reshape(1, 1, 4, 1) & 3
    scale = _halves(raw, 80).astype(np.float32) * (raw[:, :16] & 15)
    return Blocks(twos.reshape(len(raw), -1), scale, minimum=-_halves(raw, 82).astype(np.float32) * (raw[:, :16] >> 4))


def _q3_k(raw: Bytes) -> Blocks:
    twos = raw[:, 32:96].reshape(-1, 2, 1, 32) >> np.array([0, 2, 4, 6], np.uint8).reshape(1, 1, 4, 1) & 3
    high = raw[:, :32, None] >> np.arange(8, dtype=np.uint8) & 1
    codes = twos.reshape(len(raw), -1) | high.transpose(0, 2, 1).reshape(len(raw), -1) << 2
    packed = raw[:, 96:108]
    low = np.concatenate([packed[:, :8] & 15, packed[:, :8] >> 4], axis=1)
    shifts = np.repeat(np.array([0, 2, 4, 6], np.uint8), 4)
    scale = (low | (np.tile(packed[:, 8:12], (1, 4)) >> shifts & 3) << 4).astype(np.float32) - 32
    return Blocks(codes, _halves(raw, 108).astype(np.float32) * scale, zero=4)


@dataclass(frozen=True)
class BlockType:
    """A type of blocks: its bytes, the format that holds it without loss, and what reads blocks `[count, size]`."""

    size: int
    form: BlockFormat
    read: Callable[[Bytes], Blocks]


BLOCK_TYPES: dict[str, BlockType] = {
    "Q4_0": BlockType(18, BlockFormat(4, 32, 8), _q4_0),
    "Q4_1": BlockType(20, BlockFormat(4, 32, 0, True), _q4_1),
    "Q5_0": BlockType(22, BlockFormat(8, 32, 16), _q5_0),
    "Q5_1": BlockType(24, BlockFormat(8, 32, 0, True), _q5_1),
    "Q8_0": BlockType(34, BlockFormat(8, 32, 128), _q8_0),
    "Q2_K": BlockType(84, BlockFormat(4, 16, 0, True, "float32"), _q2_k),
    "Q3_K": BlockType(110, BlockFormat(4, 16, 4, False, "float32"), _q3_k),
    "Q4_K": BlockType(144, BlockFormat(4, 32, 0, True, "float32"), _q4_k),
    "Q5_K": BlockType(176, BlockFormat(8, 32, 0, True, "float32"), _q5_k),
    "Q6_K": BlockType(210, BlockFormat(8, 16, 32, False, "float32"), _q6_k),
}
