"""The models that scripts/models.py runs: small configurations of real structure, without downloaded weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Case:
    """A model, and inputs of it for a number of examples and a length."""

    name: str
    build: Callable[[], Any]
    #: The inputs for a number of examples, and for a length where inputs have one.
    inputs: Callable[[int, int], tuple[Any, ...]]
    #: By input, in order: the names of those of its dimensions that may be symbolic.
    sizes: tuple[dict[int, str], ...] = ()
    #: Numbers of examples and lengths, of which the first is exported; one of each is run.
    calls: tuple[tuple[int, int], ...] = ((3, 6), (1, 5))
    #: Parts of parameters' names on which no result depends, such as a bias that softmax cancels.
    idle: tuple[str, ...] = ()
    #: Factors of drawn weights, by parts of their names: boxes that a model predicts must be near its image.
    factors: dict[str, float] = field(default_factory=dict)


def cases() -> list[Case]:
    """All cases, in the order of the page."""
    from . import audio, own, text, vision

    return [*vision.CASES, *own.CASES, *text.CASES, *audio.CASES]
