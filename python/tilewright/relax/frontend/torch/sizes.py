"""Sizes of tensors as `torch.export` knows them: integers, dynamic ones, and what is worked out from those."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from .... import tir

if TYPE_CHECKING:
    from torch import fx


class Sizes:
    """The symbolic dimensions that an exported program's inputs define."""

    def __init__(self, shapes: Iterable[Sequence[Any]]) -> None:
        self._dims: dict[str, tir.Var] = {}
        for shape in shapes:
            for size in shape:
                if not isinstance(size, int) and _expression(size).is_Symbol:
                    self._define(size)

    def of_input(self, size: Any) -> Any:
        """A size of an input. One worked out from sizes that no input has by itself is a dimension of its own."""
        known = self.known(size)
        return self._define(size) if known is None else known

    def of(self, node: fx.Node) -> list[Any]:
        """The sizes of the tensor that a node gives; `None` for those of which the inputs do not tell."""
        return [self.known(size) for size in getattr(node.meta.get("val"), "shape", ())]

    def _define(self, size: Any) -> tir.Var:
        name = str(_expression(size))
        return self._dims.setdefault(name, tir.Var(name, "int64"))

    def known(self, size: Any) -> Any:
        """A size as a number or an expression of the dimensions; `None` where the inputs do not tell."""
        return size if isinstance(size, int) else self._built(_expression(size))

    def _built(self, size: Any) -> Any:
        """The expression of dimensions that an expression of SymPy is, `None` where it is none."""
        if size.is_Integer:
            return int(size)
        if str(size) in self._dims:
            return self._dims[str(size)]
        combine = _OPERATORS.get(size.func.__name__)
        parts = [self._built(part) for part in size.args]
        if combine is None or any(part is None for part in parts):
            return None
        return reduce(combine, parts)


def _expression(size: Any) -> Any:
    """The expression of SymPy that a dynamic size is."""
    return size.node.expr


#: The operators of sizes, by the names of SymPy's classes and of those that PyTorch adds.
_OPERATORS = {
    "Add": lambda a, b: a + b,
    "Mul": lambda a, b: a * b,
    "FloorDiv": tir.floordiv,
    "CleanDiv": tir.floordiv,
    "Mod": tir.floormod,
    "PythonMod": tir.floormod,
    "Max": tir.max,
    "Min": tir.min,
}
