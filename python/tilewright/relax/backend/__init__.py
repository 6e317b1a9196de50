"""What is particular to targets of graphs."""

from . import pattern_registry, patterns
from .dispatch import DispatchSampling, DispatchSortScan
from .pattern_registry import get_pattern, get_patterns_with_prefix, register_patterns

__all__ = [
    "DispatchSampling",
    "DispatchSortScan",
    "get_pattern",
    "get_patterns_with_prefix",
    "pattern_registry",
    "patterns",
    "register_patterns",
]
