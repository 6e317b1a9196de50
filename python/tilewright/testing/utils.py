"""Checks of numerical results."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["check_numerical_grads"]

#: Whether a continuous integration runs this, as its services say it.
IS_IN_CI = os.environ.get("CI", "") == "true"


def check_numerical_grads(
    function: Callable[..., Any],
    input_values: Sequence[Any] | dict[str, Any],
    grad_values: Sequence[Any] | dict[str, Any],
    function_value: Any = None,
    delta: float = 1e-3,
    atol: float = 1e-2,
    rtol: float = 0.1,
) -> None:
    """Fails unless the gradients are those that differences of the function's values over `delta` give.

    The function takes arrays (by position, or by name where they are a dict) and gives a number.
    """
    import numpy as np

    names = list(input_values) if isinstance(input_values, dict) else range(len(input_values))
    inputs = {name: np.array(input_values[name], dtype="float64") for name in names}

    def value() -> float:
        typed = {name: array.astype(np.asarray(input_values[name]).dtype) for name, array in inputs.items()}
        return float(function(**typed) if isinstance(input_values, dict) else function(*typed.values()))

    for name in names:
        found, array = np.asarray(grad_values[name]), inputs[name]
        expected = np.zeros(array.shape)
        for index in np.ndindex(*array.shape):
            kept = array[index]
            array[index] = kept + delta
            above = value()
            array[index] = kept - delta
            expected[index] = (above - value()) / (2 * delta)
            array[index] = kept
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol, err_msg=f"the gradient of {name}")
