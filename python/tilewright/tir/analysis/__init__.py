"""Questions about loop functions."""

from __future__ import annotations

from typing import Any

from ... import _core
from ..._core import (
    detect_buffer_access_lca,
    estimate_tir_flops,
    expr_deep_equal,
    find_anchor_block,
)
from ..function import PrimFunc

__all__ = [
    "assert_pure_function", "calculate_workspace_bytes", "detect_buffer_access_lca", "estimate_tir_flops",
    "expr_deep_equal", "find_anchor_block", "get_block_access_region", "get_block_read_write_region",
    "is_pure_function", "undefined_vars", "verify_well_formed",
]  # fmt: skip


def is_pure_function(func: PrimFunc) -> bool:
    """Whether a PrimFunc touches nothing but its own memory."""
    return _core.impurity(func) is None


def assert_pure_function(func: PrimFunc) -> bool:
    """True for a pure function; raises with the reason for another one."""
    if (reason := _core.impurity(func)) is not None:
        raise AssertionError(reason)
    return True


def undefined_vars(node: Any, defs: Any = None) -> Any:
    """The variables that a statement uses and does not define."""
    return _core.undefined_vars(node, list(defs or []))


def get_block_access_region(block: Any, buffer_var_map: Any = None) -> Any:
    """The regions that a block reads, writes, and lets a foreign function touch."""
    return _core.get_block_access_region(block)


def get_block_read_write_region(block: Any, buffer_var_map: Any = None) -> Any:
    """The regions that a block reads and writes."""
    return _core.get_block_access_region(block)[:2]


def calculate_workspace_bytes(func: PrimFunc, workspace_byte_alignment: int = 1) -> int:
    """The bytes that a PrimFunc's temporaries take."""
    return _core.calculate_workspace_bytes(func, workspace_byte_alignment)


def verify_well_formed(obj: Any, assert_mode: bool = True) -> bool:
    """Whether the verifier accepts the function or module; with `assert_mode` it raises what is wrong."""
    faults = _core.faults(obj)
    if faults and assert_mode:
        raise ValueError("\n".join(faults))
    return not faults
