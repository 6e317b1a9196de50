"""What regions of buffers and conditions on variables amount to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import _core

__all__ = [
    "deduce_bound",
    "estimate_region_lower_bound",
    "estimate_region_strict_bound",
    "estimate_region_upper_bound",
]


def deduce_bound(var: Any, cond: Any, hint_map: Mapping[Any, Any], relax_map: Mapping[Any, Any]) -> Any:
    """The values of the variable for which the condition holds, whatever the variables of `relax_map` are."""
    return _core.deduce_bound(var, cond, relax_map)


def estimate_region_lower_bound(region: Sequence[Any], var_dom: Mapping[Any, Any], predicate: Any = True) -> Any:
    """Sets whose product is certainly touched, or None."""
    return _core.estimate_region("lower", list(region), var_dom, predicate)


def estimate_region_strict_bound(region: Sequence[Any], var_dom: Mapping[Any, Any], predicate: Any = True) -> Any:
    """Sets whose product is exactly what is touched, or None."""
    return _core.estimate_region("strict", list(region), var_dom, predicate)


def estimate_region_upper_bound(region: Sequence[Any], var_dom: Mapping[Any, Any], predicate: Any = True) -> Any:
    """Sets outside of whose product nothing is touched."""
    return _core.estimate_region("upper", list(region), var_dom, predicate)
