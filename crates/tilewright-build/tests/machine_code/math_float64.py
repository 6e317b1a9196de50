"""Writes math_float64.txt beside this file: float64 inputs and the exact results of functions, rounded to float64.

    python math_float64.py

Needs mpmath, which computes in 1300 bits here. A line is the name of a function, its operands and its result, as bits.
The inputs: special values, both sides of the places where formulas change, results near 0, 1, the smallest and the
largest floats, multiples of quarter turns, and random numbers of all magnitudes.
"""

import math
import random
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

from mpmath import mp, mpf

mp.prec = 1300
INF, NAN = math.inf, math.nan


def bits(x: float) -> str:
    return struct.pack(">d", x).hex()


def rounded(value: object) -> float:
    """The nearest float64, subnormal ones included; mpmath's own conversion rounds those twice."""
    value = mpf(value)
    if value == 0:
        return 0.0
    _, exponent = mp.frexp(value)
    unit = mpf(2) ** (max(exponent, -1021) - 53)
    whole = int(mp.nint(value / unit))
    try:
        return math.ldexp(whole, max(exponent, -1021) - 53)
    except OverflowError:
        return math.copysign(INF, whole)


def steps(x: float, count: int = 2) -> Iterator[float]:
    below = above = x
    yield x
    for _ in range(count):
        below, above = math.nextafter(below, -INF), math.nextafter(above, INF)
        yield below
        yield above


FUNCTIONS: dict[str, Callable] = {
    "rsqrt": lambda x: 1 / mp.sqrt(x),
    "exp": mp.exp,
    "exp2": lambda x: mpf(2) ** x,
    "exp10": lambda x: mpf(10) ** x,
    "expm1": mp.expm1,
    "log": mp.log,
    "log2": lambda x: mp.log(x) / mp.log(2),
    "log10": lambda x: mp.log(x) / mp.log(10),
    "log1p": mp.log1p,
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
    "asin": mp.asin,
    "acos": mp.acos,
    "atan": mp.atan,
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "tanh": mp.tanh,
    "asinh": mp.asinh,
    "acosh": mp.acosh,
    "atanh": mp.atanh,
    "erf": mp.erf,
    "sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
    "pow": mp.power,
    "atan2": mp.atan2,
    "hypot": mp.hypot,
}

# Where a function is real and no formula stands at an end of its range.
DOMAINS = {
    "rsqrt": (5e-324, 1.7e308),
    "exp": (-745.2, 709.7),
    "exp2": (-1074.9, 1023.9),
    "exp10": (-323.6, 308.2),
    "expm1": (-1e300, 709.7),
    "log": (5e-324, 1.7e308),
    "log2": (5e-324, 1.7e308),
    "log10": (5e-324, 1.7e308),
    "log1p": (-1 + 2**-53, 1.7e308),
    "asin": (-1, 1),
    "acos": (-1, 1),
    "sinh": (-710.4, 710.4),
    "cosh": (-710.4, 710.4),
    "acosh": (1, 1.7e308),
    "atanh": (-1 + 2**-53, 1 - 2**-53),
    "sigmoid": (-745.2, 1e300),
}

PLACES = [
    2**-1022,
    2**-60,
    2**-27,
    0.25,
    0.34657359027997264,
    0.5,
    0.70710678118654757,
    0.9375,
    1.0,
    1.4142135623730951,
]
PLACES += [math.pi / 4, math.pi / 2, math.pi, 22 / 7, 355 / 113, 6.0, 19.0, 37.5, 88.7, 103.97, 708.4, 709.78, 710.47]
PLACES += [745.13, 1.6e6, 2.0**27, 2.0**53, 2.0**54, 6381956970095103 * 2.0**797, 1e300, 5e-324, 1e-310]


def inputs(name: str, chance: random.Random) -> Iterator[float]:
    low, high = DOMAINS.get(name, (-1.7e308, 1.7e308))
    candidates = [x for place in PLACES for x in steps(place, 1)]
    candidates += [math.ldexp(chance.random() + 1, chance.randint(-40, 60)) for _ in range(24)]
    candidates += [math.ldexp(chance.random() + 1, chance.randint(-1060, 1022)) for _ in range(12)]
    candidates += [chance.random() * 40 for _ in range(16)]
    candidates += [low, high]
    for x in candidates:
        for x in (x, -x) if chance.random() < 0.5 else (x if low >= 0 or chance.random() < 0.5 else -x,):
            if low <= x <= high and x != 0:
                yield x


def pairs(name: str, chance: random.Random) -> Iterator[tuple[float, float]]:
    for _ in range(150):
        x = math.ldexp(chance.random() + 1, chance.randint(-6, 6))
        y = math.ldexp(chance.random() + 1, chance.randint(-8, 8))
        if name == "pow":
            # Bases near 1 with large exponents, integers with negative bases, results of all magnitudes.
            choice = chance.randrange(3)
            if choice == 0:
                x, y = 1 + math.ldexp(chance.random() - 0.5, -chance.randint(1, 40)), 1.0
                y = chance.uniform(-1070, 1020) / math.log2(x)
            elif choice == 1:
                x = math.ldexp(chance.random() + 1, chance.randint(-1070, 1020))
                y = chance.uniform(-1070, 1020) / math.log2(x)
            else:
                x, y = -x, float(chance.randint(-60, 60))
        else:
            x, y = (math.ldexp(chance.choice((-1, 1)) * v, chance.randint(-8, 8)) for v in (x, y))
            scale = chance.choice((0, 0, 500, -500, 1005, -1050))
            x, y = math.ldexp(x, scale), math.ldexp(y, scale)
        if math.isfinite(x) and math.isfinite(y):
            yield x, y


def main() -> None:
    chance = random.Random(1)
    lines = []
    for name, function in FUNCTIONS.items():
        rows = pairs(name, chance) if name in ("pow", "atan2", "hypot") else ((x,) for x in inputs(name, chance))
        for args in dict.fromkeys(rows):
            result = rounded(function(*(mpf(x) for x in args)))
            lines.append(" ".join([name, *map(bits, args), bits(result)]))
    Path(__file__).with_suffix(".txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
