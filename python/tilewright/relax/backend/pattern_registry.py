"""Patterns by name: the parts of a graph for which a target has code of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["FusionPattern", "get_pattern", "get_patterns_with_prefix", "register_patterns"]


@dataclass(frozen=True)
class FusionPattern:
    """A pattern with a name, patterns of parts to be kept by name, and a check of what it matched."""

    name: str
    pattern: Any
    annotation_patterns: Mapping[str, Any] = field(default_factory=dict)
    check: Callable[[Any], bool] | None = None
    #: What gives attributes of the fused function; accepted, as no code generator here reads any.
    attrs_getter: Callable[[dict[str, Any]], dict[str, str]] | None = None


_PATTERNS: list[FusionPattern] = []


def register_patterns(patterns: Sequence[tuple | FusionPattern]) -> None:
    """Registers patterns, each as a FusionPattern or a tuple of its parts; later ones come first."""
    for item in patterns:
        _PATTERNS.append(item if isinstance(item, FusionPattern) else FusionPattern(*item))


def get_patterns_with_prefix(prefix: str) -> list[FusionPattern]:
    """The patterns whose name begins so, the last registered first."""
    return [pattern for pattern in reversed(_PATTERNS) if pattern.name.startswith(prefix)]


def get_pattern(name: str) -> FusionPattern | None:
    """The pattern of this name, or None."""
    return next((pattern for pattern in reversed(_PATTERNS) if pattern.name == name), None)
