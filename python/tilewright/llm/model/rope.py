"""Rotary position embedding as models' settings say it: scalings become a factor for each pair.

Sources: "YaRN" (arXiv 2309.00071) for `yarn`, "LongRoPE" (arXiv 2402.13753) for `longrope`, the model card of Llama 3.1
for `llama3`.
"""

from __future__ import annotations

import math

from ...error import TVMError
from .config import Rope, UnsupportedModel
from .settings import Settings

__all__ = ["rope_of", "rope_parameters"]

#: The least base: the logarithms of bases are divided by.
LEAST_BASE = 1.001


def rope_parameters(settings: Settings, kind: str | None = None) -> Settings:
    """The object with a model's base and scaling: `rope_parameters`, or `rope_scaling` of older files.

    With `kind`, that of layers of a kind (`full_attention`, `sliding_attention`), where each kind has its own.
    """
    name = "rope_parameters" if settings.raw("rope_parameters") is not None else "rope_scaling"
    found = settings.within(name)
    return found.within(kind) if kind is not None and found.raw(kind) is not None else found


def rope_of(
    settings: Settings,
    head_dim: int,
    context: int,
    *,
    theta: float = 10000.0,
    partial: float = 1.0,
    parameters: Settings | None = None,
) -> Rope:
    """The embedding of a model whose heads have `head_dim` elements and which is to see `context` tokens.

    `theta` and `partial`, the part of a head that is rotated, are the architecture's defaults.
    """
    given = rope_parameters(settings) if parameters is None else parameters
    theta = given.number("rope_theta", settings.number("rope_theta", theta, least=LEAST_BASE), least=LEAST_BASE)
    partial = settings.number("partial_rotary_factor", partial, most=1.0)
    partial = given.number("partial_rotary_factor", partial, most=1.0)
    size = settings.integer("rotary_dim", int(head_dim * partial))
    if size < 2 or size % 2 or size > head_dim:
        raise TVMError(f"{settings.file}: RoPE rotates an even number of up to {head_dim} elements, found {size}")
    rope = Rope(theta, size)
    kind = given.text("rope_type", given.text("type", "default"))
    if kind not in _SCALINGS:
        raise UnsupportedModel(f"{given.file}: unknown scaling of RoPE `{kind}`: known are {', '.join(_SCALINGS)}")
    factors, magnitude = _SCALINGS[kind](settings, given, rope, context)
    return Rope(theta, size, factors, magnitude)


def _none(_settings: Settings, _given: Settings, _rope: Rope, _context: int) -> tuple[None, float]:
    return None, 1.0


def _dynamic(settings: Settings, given: Settings, _rope: Rope, context: int) -> tuple[None, float]:
    """The base grows with the sequence from `max_position_embeddings` tokens on; up to there it stays."""
    longest = settings.integer("max_position_embeddings", context)
    if context > longest:
        raise UnsupportedModel(f"{given.file}: dynamic scaling of RoPE for more than {longest} tokens")
    return None, 1.0


def _linear(_settings: Settings, given: Settings, rope: Rope, _context: int) -> tuple[tuple[float, ...], float]:
    return (given.number("factor", least=1e-6),) * (rope.size // 2), 1.0


def _factors(_settings: Settings, given: Settings, rope: Rope, _context: int) -> tuple[tuple[float, ...], float]:
    """Factors as a file has them."""
    return given.numbers("factors", rope.size // 2), 1.0


def _llama3(_settings: Settings, given: Settings, rope: Rope, _context: int) -> tuple[tuple[float, ...], float]:
    """Wavelengths longer than `original / low` positions are stretched, those shorter than `original / high` stay."""
    factor, original = given.number("factor", least=1e-6), given.number("original_max_position_embeddings", least=1)
    low, high = given.number("low_freq_factor", least=1e-6), given.number("high_freq_factor", least=1e-6)
    if high <= low:
        raise TVMError(f"{given.file}: `high_freq_factor` {high:g} is not above `low_freq_factor` {low:g}")
    kept = [(original * own / (2 * math.pi) - low) / (high - low) for own in rope.frequencies()]
    mixed = [min(max(part, 0.0), 1.0) for part in kept]
    return tuple(1 / (part + (1 - part) / factor) for part in mixed), 1.0


def _longrope(settings: Settings, given: Settings, rope: Rope, context: int) -> tuple[tuple[float, ...], float]:
    """A factor for each pair, from a list for contexts up to the original one, or another one for longer ones."""
    longest = settings.number("max_position_embeddings", least=1)
    original = given.number(
        "original_max_position_embeddings", settings.number("original_max_position_embeddings", longest), least=2
    )
    factors = given.numbers("long_factor" if context > original else "short_factor", rope.size // 2)
    ratio = given.number("factor", longest / original)
    default = math.sqrt(1 + math.log(ratio) / math.log(original)) if ratio > 1 else 1.0
    return factors, given.number("attention_factor", default)


def _yarn(settings: Settings, given: Settings, rope: Rope, _context: int) -> tuple[tuple[float, ...], float]:
    """Pairs that rotate less than `beta_slow` times in the original context are stretched; from `beta_fast` on, not."""
    factor = given.number("factor", least=1.0)
    longest = settings.number("max_position_embeddings", 4096.0)
    original = given.number("original_max_position_embeddings", longest, least=1)
    ends = [
        rope.size * math.log(original / (given.number(name, default, least=1e-6) * 2 * math.pi))
        / (2 * math.log(rope.theta))
        for name, default in (("beta_fast", 32.0), ("beta_slow", 1.0))
    ]  # fmt: skip
    if given.flag("truncate", True):
        ends = [math.floor(ends[0]), math.ceil(ends[1])]
    low, high = max(ends[0], 0), min(ends[1], rope.size - 1)
    high = high + 0.001 if low == high else high
    ramp = [min(max((pair - low) / (high - low), 0.0), 1.0) for pair in range(rope.size // 2)]
    factors = tuple(1 / ((1 - part) + part / factor) for part in ramp)
    return factors, given.number("attention_factor", _yarn_magnitude(given, factor))


def _yarn_magnitude(given: Settings, factor: float) -> float:
    def longer(by: float) -> float:
        return 1.0 if factor <= 1 else 0.1 * by * math.log(factor) + 1.0

    own, whole = given.number("mscale", 0.0), given.number("mscale_all_dim", 0.0)
    return longer(own) / longer(whole) if own and whole else longer(1.0)


_SCALINGS = {
    "default": _none,
    "none": _none,
    "dynamic": _dynamic,
    "factors": _factors,
    "linear": _linear,
    "llama3": _llama3,
    "longrope": _longrope,
    "su": _longrope,
    "yarn": _yarn,
}
