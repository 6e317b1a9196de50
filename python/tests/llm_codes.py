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
