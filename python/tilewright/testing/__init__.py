"""Helpers for tests of programs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from . import utils
from .utils import check_numerical_grads

__all__ = [
    "CompareBeforeAfter", "assert_allclose", "check_numerical_grads", "device_enabled", "enabled_targets",
    "exclude_targets", "fixture", "main", "parameter", "parameters", "parametrize", "parametrize_targets",
    "requires_cuda", "requires_gpu", "requires_llvm", "uses_gpu", "utils",
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


def _skip(reason: str) -> Callable[[Any], Any]:
    import pytest

    return pytest.mark.skip(reason=reason)


def _requires(what: str, there: bool) -> Callable[..., Any]:
    def mark(*args: Any) -> Any:
        """Marks a test that needs something of the machine; it is skipped where that is missing."""
        if not args:
            return mark
        return args[0] if there else _skip(f"needs {what}")(args[0])

    return mark


requires_llvm = _requires("LLVM", True)
requires_gpu = _requires("a GPU", False)
requires_cuda = _requires("CUDA", False)
uses_gpu = requires_gpu


def parametrize(*args: Any, **kwargs: Any) -> Any:
    """`pytest.mark.parametrize`."""
    import pytest

    return pytest.mark.parametrize(*args, **kwargs)


class _Parameter:
    """The values that a test's argument takes, one after the other."""

    def __init__(self, values: Sequence[Any], ids: Sequence[str] | None) -> None:
        import pytest

        self.fixture = pytest.fixture(params=list(values), ids=ids)(lambda request: request.param)


def parameter(*values: Any, ids: Sequence[str] | None = None, by_dict: dict[str, Any] | None = None) -> Any:
    """A fixture that takes each of the values: `n = tvm.testing.parameter(1, 2)` at module level."""
    if by_dict is not None:
        ids, values = list(by_dict), tuple(by_dict.values())
    return _Parameter(values, ids).fixture


def parameters(*value_sets: Any, ids: Sequence[str] | None = None) -> Any:
    """Several fixtures, one for each position of the tuples."""
    return [parameter(*values, ids=ids) for values in zip(*value_sets, strict=True)]


def fixture(function: Any = None, *, cache_return_value: bool = False) -> Any:
    """`pytest.fixture`; with `cache_return_value` it is made once."""
    import pytest

    scope = "session" if cache_return_value else "function"
    return pytest.fixture(scope=scope)(function) if function is not None else pytest.fixture(scope=scope)


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


class CompareBeforeAfter:
    """A test of a pass: the class says `transform`, `before` and `expected`, and the test compares.

    `before` and `expected` are functions or modules, or methods that make them; `expected` may be an exception.
    """

    transform: Any = None

    def test_compare(self) -> None:
        """The pass makes of `before` what `expected` says."""
        from ..ir.base import assert_structural_equal
        from ..ir.transform import Pass

        before, expected = self._made("before"), self._made("expected")
        change = self.transform if isinstance(self.transform, Pass) else self.transform()
        if isinstance(expected, type) and issubclass(expected, Exception):
            import pytest

            with pytest.raises(expected):
                change(_module(before))
            return
        assert_structural_equal(change(_module(before)), _module(expected))

    def _made(self, name: str) -> Any:
        from .._core import IRModule, Object

        value = getattr(self, name)
        if isinstance(value, (IRModule, Object)) or (isinstance(value, type) and issubclass(value, Exception)):
            return value
        return value()


def _module(value: Any) -> Any:
    from .._core import IRModule

    return value if isinstance(value, IRModule) else IRModule({"main": value.with_attr("global_symbol", "main")})
