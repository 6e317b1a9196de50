"""Helpers for tests of programs."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

from . import requirements, utils
from .compare import CompareBeforeAfter
from .requirements import FEATURES, VERSIONS, Feature, requires_llvm_minimum_version, requires_package, skip
from .utils import check_numerical_grads

__all__ = [
    "CompareBeforeAfter", "Feature", "assert_allclose", "assert_prim_expr_equal", "check_bool_expr_is_true",
    "check_numerical_grads", "device_enabled", "echo", "enabled_targets", "exclude_targets", "fixture",
    "get_dtype_range", "identity_after", "known_failing_targets", "main", "parameter", "parameters", "parametrize",
    "parametrize_targets", "requirements", "requires_llvm_minimum_version", "requires_package", "skip_if_32bit",
    "skip_if_wheel_test", "skip_parameterizations", "slow", "terminate_self", "uses_gpu", "utils",
    "xfail_parameterizations", *FEATURES, *VERSIONS,
]  # fmt: skip


def assert_allclose(actual: Any, desired: Any, rtol: float = 1e-7, atol: float = 1e-7) -> None:
    """Fails unless both have the same shape and close values; takes tensors and anything that NumPy takes."""
    import numpy as np

    actual, desired = (x.numpy() if hasattr(x, "numpy") else x for x in (actual, desired))
    np.testing.assert_allclose(actual, desired, rtol=rtol, atol=atol)
    np.testing.assert_equal(np.shape(actual), np.shape(desired))


def device_enabled(target: Any) -> bool:
    """Whether programs for the target run on this machine."""
    return str(getattr(target, "kind", target)).split()[0] == "llvm"


def enabled_targets() -> list[tuple[Any, Any]]:
    """The targets for which programs run on this machine, each with a device."""
    from ..runtime import cpu
    from ..target import Target

    return [(Target("llvm"), cpu(0))]


globals().update({**FEATURES, **VERSIONS})

#: A test that runs for each target, those of GPUs among them.
uses_gpu = globals()["requires_gpu"]


def skip_if_32bit(reason: str) -> Any:
    """A mark that leaves a test out where addresses have 32 bits."""
    return skip(reason) if sys.maxsize <= 1 << 32 else lambda func: func


def skip_if_wheel_test(func: Any) -> Any:
    """The test as it is: the package is always tested as it is installed."""
    return func


def slow(func: Any) -> Any:
    """The test as it is."""
    return func


def known_failing_targets(*targets: str) -> Any:
    """Marks a test that fails for some targets of this machine."""
    import pytest

    failing = any(device_enabled(target) for target in targets)
    return pytest.mark.xfail(reason="is known to fail") if failing else lambda func: func


def xfail_parameterizations(*ids: str, reason: str = "") -> Any:
    """The test as it is: parameters that are known to fail elsewhere need not fail here."""
    return lambda func: func


skip_parameterizations = xfail_parameterizations


def get_dtype_range(dtype: str) -> tuple[Any, Any]:
    """The least and the greatest value of a data type."""
    import numpy as np

    info = np.finfo(dtype) if dtype.startswith("float") else np.iinfo("uint8" if dtype == "bool" else dtype)
    return (0, 1) if dtype == "bool" else (info.min, info.max)


def terminate_self() -> None:
    """Ends the process."""
    sys.exit(-1)


def identity_after(x: Any, sleep: float) -> Any:
    """The value, after so many seconds."""
    time.sleep(sleep)
    return x


def echo(x: Any) -> Any:
    """The value."""
    return x


def check_bool_expr_is_true(bool_expr: Any, vranges: Any, cond: Any = None) -> None:
    """Fails unless an expression holds for all values of variables in these ranges for which the condition holds."""
    from itertools import product

    from ..arith import Analyzer
    from ..tir import stmt_functor

    bounds = {var: (int(found.min), int(found.extent)) for var, found in vranges.items()}
    for point in product(*(range(low, low + extent) for low, extent in bounds.values())):
        values = dict(zip(bounds, point, strict=True))
        known = lambda expr: int(Analyzer().simplify(stmt_functor.substitute(expr, values)))  # noqa: E731, B023
        if cond is None or known(cond):
            named = {var.name: value for var, value in values.items()}
            assert known(bool_expr), f"{bool_expr} does not hold for {named}"


def assert_prim_expr_equal(lhs: Any, rhs: Any) -> None:
    """Fails unless two scalar expressions certainly are equal."""
    from ..arith import Analyzer

    if not Analyzer().can_prove_equal(lhs, rhs):
        raise ValueError(f"{lhs} and {rhs} are not proved equal")


def parametrize(*args: Any, **kwargs: Any) -> Any:
    """`pytest.mark.parametrize`."""
    import pytest

    return pytest.mark.parametrize(*args, **kwargs)


class _Parameter:
    """The values that a test's argument takes, one after the other."""

    def __init__(self, values: Sequence[Any], ids: Sequence[str] | None) -> None:
        import pytest

        def one(*_self: Any, request: Any) -> Any:
            return request.param

        self.fixture = pytest.fixture(params=list(values), ids=ids)(one)


def parameter(*values: Any, ids: Sequence[str] | None = None, by_dict: dict[str, Any] | None = None) -> Any:
    """A fixture that takes each of the values: `n = tvm.testing.parameter(1, 2)` at module level."""
    if by_dict is not None:
        ids, values = list(by_dict), tuple(by_dict.values())
    return _Parameter(values, ids).fixture


def parameters(*value_sets: Any, ids: Sequence[str] | None = None) -> Any:
    """Several fixtures, one for each position of the tuples."""
    return [parameter(*values, ids=ids) for values in zip(*value_sets, strict=True)]


def fixture(func: Any = None, *, cache_return_value: bool = False) -> Any:
    """`pytest.fixture`; with `cache_return_value` it is made once."""
    import pytest

    scope = "session" if cache_return_value else "function"
    return pytest.fixture(scope=scope)(func) if func is not None else pytest.fixture(scope=scope)


def parametrize_targets(*targets: Any) -> Any:
    """Runs a test for each of these targets that this machine has."""
    import pytest

    named = [target for target in targets if isinstance(target, str)]
    pairs = [pair for pair in enabled_targets() if not named or any(device_enabled(target) for target in named)]
    mark = pytest.mark.parametrize("target,dev", pairs)
    return mark(targets[0]) if targets and callable(targets[0]) else mark


def exclude_targets(*targets: str) -> Any:
    """Runs a test for each target of this machine but these."""
    import pytest

    pairs = [pair for pair in enabled_targets() if str(pair[0].kind) not in targets]
    return pytest.mark.parametrize("target,dev", pairs)


def main() -> None:
    """Runs the tests of the calling file."""
    import pytest

    caller = sys._getframe(1).f_globals["__file__"]
    sys.exit(pytest.main([caller, *sys.argv[1:]]))
