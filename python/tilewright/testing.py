"""Helpers for tests of programs."""

from __future__ import annotations

from typing import Any


def assert_allclose(actual: Any, desired: Any, rtol: float = 1e-7, atol: float = 1e-7) -> None:
    """Fails unless both have the same shape and close values; takes tensors and anything that NumPy takes."""
    import numpy as np

    actual, desired = (x.numpy() if hasattr(x, "numpy") else x for x in (actual, desired))
    np.testing.assert_allclose(actual, desired, rtol=rtol, atol=atol)
    np.testing.assert_equal(np.shape(actual), np.shape(desired))
