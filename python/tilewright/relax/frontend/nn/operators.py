"""Python's operators and the methods of tensors: the operations of `op` by another spelling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def _binary(name: str, *, reflected: bool = False) -> Any:
    def apply(self: Any, other: Any) -> Any:
        from . import op

        return getattr(op, name)(other, self) if reflected else getattr(op, name)(self, other)

    return apply


class TensorOperators:
    """The methods of a tensor. A number as operand of a tensor takes its data type."""

    __add__ = _binary("add")
    __radd__ = _binary("add", reflected=True)
    __sub__ = _binary("subtract")
    __rsub__ = _binary("subtract", reflected=True)
    __mul__ = _binary("multiply")
    __rmul__ = _binary("multiply", reflected=True)
    __truediv__ = _binary("divide")
    __rtruediv__ = _binary("divide", reflected=True)
    __matmul__ = _binary("matmul")
    __lt__ = _binary("less")
    __le__ = _binary("less_equal")
    __gt__ = _binary("greater")
    __ge__ = _binary("greater_equal")
    maximum = _binary("maximum")
    minimum = _binary("minimum")

    def __bool__(self) -> bool:
        from .core import refused

        raise refused("what a tensor holds is not known when the module is written: `op.where` chooses by it")

    def __neg__(self) -> Any:
        from . import op

        return op.negative(self)

    def astype(self, dtype: str) -> Any:
        """The elements converted to another data type."""
        from . import op

        return op.astype(self, dtype)

    def reshape(self, *shape: Any) -> Any:
        """The elements in another shape: dimensions, or one list of them; one may be -1."""
        from . import op

        return op.reshape(self, _listed(shape))

    def permute_dims(self, *axes: Any) -> Any:
        """The axes in another order, without arguments the reverse."""
        from . import op

        return op.permute_dims(self, _listed(axes) or None)

    def repeat(self, repeats: int, axis: int | None = None) -> Any:
        """Every element several times along an axis, or along the flat tensor."""
        from . import op

        return op.repeat(self, repeats, axis)


def _listed(items: Sequence[Any]) -> list[Any]:
    one = len(items) == 1 and (isinstance(items[0], (list, tuple)) or hasattr(items[0], "values"))
    return list(items[0]) if one else list(items)
