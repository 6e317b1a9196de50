"""Arrays with element types that NumPy lacks, and how close two of them are.

The values of a `bfloat16` array are kept as float32, which holds them all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import tilewright as tw

#: The element types that operators are judged with.
DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "bfloat16", "float32", "float64",
]  # fmt: skip
FLOATS = ("float16", "bfloat16", "float32", "float64")
#: Relative to a reference, two units in the last place of narrow floats, sixteen of float32.
TOLERANCE = {"bfloat16": 1.6e-2, "float16": 2e-3, "float32": 2e-6, "float64": 1e-12}
#: Of one mathematical function: what the semantics leave open (`tilewright_expr::MATH_ULPS`), and a rounding.
ULPS = {"bfloat16": 1, "float16": 1, "float32": 5, "float64": 5}


def rounded(array: np.ndarray) -> np.ndarray:
    """The nearest values of bfloat16, of two equally near ones the even one, as float32."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32).astype(np.uint64)
    near = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    return np.where(np.isnan(array), np.float32(np.nan), near).reshape(np.shape(array))


def kind_of(dtype: str) -> str:
    """`f`, `i`, `u` or `b`, as NumPy says it."""
    return "f" if dtype == "bfloat16" else np.dtype(dtype).kind


def to_bytes(array: np.ndarray, dtype: str) -> bytes:
    """The bytes of a tensor of this element type."""
    if dtype == "bfloat16":
        return (np.ascontiguousarray(array, np.float32).view(np.uint32) >> 16).astype(np.uint16).tobytes()
    return np.ascontiguousarray(array, dtype).tobytes()


def from_bytes(data: bytes, dtype: str, shape: list[int]) -> np.ndarray:
    """The array of a tensor's bytes."""
    if dtype == "bfloat16":
        return (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32).reshape(shape)
    return np.frombuffer(data, dtype).reshape(shape)


def to_tensor(array: np.ndarray, dtype: str) -> tw.nd.NDArray:
    """The tensor that holds the array."""
    if dtype == "bfloat16":
        bits = np.frombuffer(to_bytes(array, dtype), np.uint16).reshape(array.shape)
        return tw.nd.array(bits).view("bfloat16")
    return tw.nd.array(array)


def from_value(tensor: Any, dtype: str) -> tuple[np.ndarray, str]:
    """The array that a tensor holds, and its element type; of a number, the type that it is said to have."""
    if not isinstance(tensor, tw.nd.NDArray):
        return np.asarray(tensor, dtype), dtype
    dtype = str(tensor.dtype)
    if dtype == "bfloat16":
        return from_bytes(tensor.view("uint16").numpy().tobytes(), dtype, list(tensor.shape)), dtype
    return tensor.numpy(), dtype


def ulps(a: np.ndarray, b: np.ndarray, dtype: str) -> int:
    """The largest distance of two arrays in units in the last place; NaN is none from NaN."""
    width = {"bfloat16": 16, "float16": 16, "float32": 32, "float64": 64}[dtype]
    ordered = []
    for array in (a, b):
        bits = np.frombuffer(to_bytes(array, dtype), f"uint{width}")
        # Python's integers: distances may be wider than any of NumPy's.
        top = 1 << (width - 1)
        ordered.append([int(v) if v < top else top - int(v) for v in bits])
    both_nan = (np.isnan(a) & np.isnan(b)).reshape(-1)
    pairs = zip(*ordered, both_nan, strict=True)
    return max((abs(x - y) for x, y, nan in pairs if not nan), default=0)


def assert_same(found: np.ndarray, expected: np.ndarray, where: str) -> None:
    """Bit for bit, but that NaN is NaN."""
    same = np.asarray(found == expected)
    if found.dtype.kind == "f":
        same = same & (np.signbit(found) == np.signbit(expected)) | (np.isnan(found) & np.isnan(expected))
    assert np.all(same), f"{where}: {found[~same][:5]} is not {expected[~same][:5]}"


def assert_near(found: np.ndarray, expected: np.ndarray, bound: float, where: str) -> None:
    """Each element within the bound relative to itself; beside sums, small ones to the largest."""
    finite = np.abs(expected[np.isfinite(expected)].astype(np.float64))
    small = bound * min(1.0, finite.max(initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=bound, atol=small, err_msg=where)
