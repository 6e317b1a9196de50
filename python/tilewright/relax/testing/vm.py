"""Checks of saved functions."""

from __future__ import annotations

from typing import Any

from ...testing import assert_allclose

__all__ = ["check_saved_func"]


def check_saved_func(vm: Any, func_name: str, *inputs: Any) -> Any:
    """Saves a call of a function with these inputs, runs it, compares with the call itself, and gives the result."""
    saved = f"{func_name}_saved"
    vm.save_function(func_name, saved, *inputs, include_return=True)
    expected, found = vm[func_name](*inputs), vm[saved]()
    if hasattr(expected, "numpy"):
        assert_allclose(found, expected, rtol=1e-7)
    return found
