"""The quantised formats of MLC LLM bit by bit, in NumPy: each operation rounds in the weight's own type."""

import numpy as np


def round_away(x):
    """Halves away from 0; of numbers that are not negative."""
    return np.floor(x + x.dtype.type(0.5))


def group_quantize(weight, bits, group, rounding=np.rint):
    """Codes in words of 32 bits and scales, along the last axis of `weight`, whose type is the scales'."""
    dtype = weight.dtype.type
    rows, k = weight.shape
    per, most = 32 // bits, 2 ** (bits - 1) - 1
    groups = -(-k // group)
    padded = np.zeros((rows, groups * group), dtype)
    padded[:, :k] = weight
    with np.errstate(invalid="ignore", divide="ignore"):
        scale = np.abs(padded).reshape(rows, groups, group).max(-1) / dtype(most)
        shifted = padded / np.repeat(scale, group, 1) + dtype(most)
        codes = np.fmin(np.fmax(rounding(shifted), dtype(0)), dtype(2 * most))
    codes = codes.astype("uint32")
    codes[:, k:] = 0
    words = codes.reshape(rows, groups * group // per, per) << (np.arange(per, dtype="uint32") * bits)
    return np.bitwise_or.reduce(words, -1).astype("uint32"), scale


def unpack(words, bits):
    """Codes along the last axis."""
    per = 32 // bits
    codes = words[..., None] >> (np.arange(per, dtype="uint32") * bits) & ((1 << bits) - 1)
    return codes.reshape(*words.shape[:-1], -1)


def group_dequantize(words, scale, bits, group, k):
    """Weights of `k` columns."""
    dtype, most = scale.dtype.type, 2 ** (bits - 1) - 1
    codes = unpack(words, bits)[:, :k].astype(dtype)
    return (codes - dtype(most)) * np.repeat(scale, group, 1)[:, :k]


def awq_order():
    """The nibble of each of 8 outputs."""
    return np.array([e % 2 * 4 + e // 2 for e in range(8)])


def awq_dequantize(words, zeros, scales, group):
    """Weights `[k, n]` of AWQ: `(code - zero) * scale` in the scales' type."""

    def codes(packed):
        nibbles = packed[..., None] >> (awq_order().astype("uint32") * 4) & 15
        return nibbles.reshape(len(packed), -1).astype(scales.dtype)

    k = len(words)
    rows = np.arange(k) // group
    return (codes(words) - codes(zeros)[rows]) * scales[rows]


def ft_quantize(weight):
    """Codes `[k, n / 2]` of int8, even outputs in the lower half, and a scale for each output."""
    dtype = weight.dtype.type
    scale = np.abs(weight).max(1) / dtype(7)
    with np.errstate(invalid="ignore"):
        codes = np.clip(np.rint(weight / scale[:, None]), -8, 7)
    codes = np.nan_to_num(codes).astype("int8").T & 15
    return (codes[:, ::2] | codes[:, 1::2] << 4).astype("int8"), scale


def float8_values(dtype):
    """The value of each of the 256 codes of a float of 8 bits."""
    mantissa, bias = (3, 7) if dtype == "float8_e4m3fn" else (2, 15)
    code = np.arange(128)
    exponent, fraction = code >> mantissa, (code & ((1 << mantissa) - 1)) / 2.0**mantissa
    normal, tiny = (1 + fraction) * 2.0 ** (exponent - bias), fraction * 2.0 ** (1 - bias)
    values = np.where(exponent > 0, normal, tiny)
    if dtype == "float8_e4m3fn":
        values[0x7F] = np.nan
    else:
        values[0x7C:] = [np.inf, np.nan, np.nan, np.nan]
    return np.concatenate([values, -values])


def float8_codes(x, dtype):
    """The codes of the nearest values, of two the even one; what is too large is infinite, or NaN where nothing is."""
    x = np.asarray(x, "float64")
    finite = float8_values(dtype)[: 0x7F if dtype == "float8_e4m3fn" else 0x7C]
    # The value after the greatest one, to which too large numbers would be rounded.
    grid = np.append(finite, 2 * finite[-1] - finite[-2])
    above = np.clip(np.searchsorted(grid, np.abs(x)), 1, len(grid) - 1)
    below = above - 1
    with np.errstate(invalid="ignore"):
        lower, upper = np.abs(x) - grid[below], grid[above] - np.abs(x)
    code = np.where(lower < upper, below, np.where(lower > upper, above, below + below % 2))
    code = np.where(np.isnan(x), 0x7F, code)
    return (code | np.where(np.signbit(x), 0x80, 0)).astype("uint8")
