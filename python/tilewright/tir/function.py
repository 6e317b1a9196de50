"""The function of the loop level, and maps of indices."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from .. import _core
from ..arith import Analyzer, IterMapLevel, detect_iter_map, inverse_affine_iter_map
from ..error import TVMError
from ..ir.container import Array, Map
from ..ir.expr import PrimExpr, Range
from ..ir.function import BaseFunc, said_attrs
from ..ir.type import PrimType, TupleType, Type
from .expr import FloorDiv, FloorMod, IntImm, Var
from .stmt import Stmt
from .stmt_functor import post_order_visit, substitute

__all__ = ["IndexMap", "PrimFunc", "TensorIntrin"]


class PrimFunc(BaseFunc, kind="tir.PrimFunc"):
    """A loop function in destination-passing style: the caller hands it the buffers to write."""

    params: Array
    body: Stmt
    buffer_map: Map

    def __new__(
        cls,
        params: Any,
        body: Stmt,
        ret_type: object = None,
        buffer_map: Mapping[Any, Any] | None = None,
        attrs: Mapping[str, Any] | None = None,
        span: object = None,
    ) -> Any:
        if not (ret_type in (None, "void") or isinstance(ret_type, Type)):
            raise TVMError(f"tir.PrimFunc: ret_type is a Type, found {type(ret_type).__name__}")
        return cls._make(params, body, buffer_map, said_attrs(attrs))

    @property
    def ret_type(self) -> Type:
        """The type of what the function returns: that of the value of its `T.ret`, which says it."""
        dtype = getattr(self.struct_info.ret, "dtype", None)
        return TupleType([]) if dtype is None else PrimType(dtype)

    def with_body(self, new_body: Stmt, span: object = None) -> PrimFunc:
        """The function with another body."""
        return PrimFunc(self.params, new_body, self.ret_type, self.buffer_map, self.attrs)

    def specialize(self, param_map: Mapping[Var, Any]) -> PrimFunc:
        """The function for arguments of which this is known: a value for a scalar parameter, which is left out then, or
        for a buffer's parameter a buffer like the argument, which tells the symbolic dimensions."""
        return _core.specialize(self, dict(param_map))


class TensorIntrin:
    """A computation (`desc`) and what does it in hardware (`impl`), by name."""

    _known: ClassVar[dict[str, TensorIntrin]] = {}

    def __init__(self, desc: PrimFunc, impl: PrimFunc) -> None:
        self.desc, self.impl = desc, impl

    @staticmethod
    def register(name: str, desc: PrimFunc, impl: PrimFunc, override: bool = False) -> TensorIntrin:
        """Gives the pair a name."""
        if name in TensorIntrin._known and not override:
            raise ValueError(f"a tensor intrinsic `{name}` is registered already")
        if len(desc.params) != len(impl.params):
            raise ValueError(
                f"`{name}`: the description has {len(desc.params)} parameters, the implementation {len(impl.params)}"
            )
        TensorIntrin._known[name] = TensorIntrin(desc, impl)
        return TensorIntrin._known[name]

    @staticmethod
    def get(name: str, allow_missing: bool = False) -> TensorIntrin | None:
        """The pair of this name."""
        if name not in TensorIntrin._known and not allow_missing:
            raise ValueError(f"no tensor intrinsic is registered as `{name}`")
        return TensorIntrin._known.get(name)


class IndexMap:
    """A map of indices: `final_indices` as expressions of `initial_indices`."""

    AXIS_SEPARATOR = "axis_separator"
    initial_indices: Array
    final_indices: Array
    inverse_index_map: IndexMap | None

    def __init__(
        self, initial_indices: Sequence[Var], final_indices: Sequence[Any], inverse_index_map: IndexMap | None = None
    ) -> None:
        self.initial_indices, self.final_indices = Array(initial_indices), Array(final_indices)
        self.inverse_index_map = inverse_index_map

    @staticmethod
    def from_func(
        mapping_function: Callable[..., Any],
        ndim: int | None = None,
        inverse_index_map: Callable[..., Any] | IndexMap | None = None,
        *,
        index_dtype: str = "int64",
    ) -> IndexMap:
        """The map that a Python function of index variables is."""
        return IndexMap.from_func_with_separators(mapping_function, ndim, inverse_index_map, index_dtype=index_dtype)[0]

    @staticmethod
    def from_func_with_separators(
        mapping_function: Callable[..., Any],
        ndim: int | None = None,
        inverse_index_map: Callable[..., Any] | IndexMap | None = None,
        *,
        index_dtype: str = "int64",
    ) -> tuple[IndexMap, list[int]]:
        """The same, with the positions of `IndexMap.AXIS_SEPARATOR` in the function's result."""
        variables = _variables(mapping_function, ndim, index_dtype)
        given = mapping_function(*variables)
        final: list[Any] = []
        separators: list[int] = []
        for item in given if isinstance(given, (list, tuple)) else [given]:
            if isinstance(item, str) and item == IndexMap.AXIS_SEPARATOR:
                separators.append(len(final))
            else:
                final.append(item)
        if callable(inverse_index_map):
            inverse_index_map = IndexMap.from_func(inverse_index_map, ndim=len(final), index_dtype=index_dtype)
        return IndexMap(variables, [_as_index(item, index_dtype) for item in final], inverse_index_map), separators

    def map_indices(self, indices: Sequence[Any], analyzer: Analyzer | None = None) -> Array:
        """The map of these indices."""
        return Array(self._at(indices, analyzer or Analyzer()))

    def _at(self, indices: Sequence[Any], analyzer: Analyzer) -> list[PrimExpr]:
        if len(indices) != len(self.initial_indices):
            raise ValueError(f"expected {len(self.initial_indices)} indices, found {len(indices)}")
        values = dict(zip(self.initial_indices, indices, strict=True))
        return [analyzer.simplify(substitute(index, values)) for index in self.final_indices]

    def map_shape(self, shape: Sequence[Any], analyzer: Analyzer | None = None) -> Array:
        """The shape that indices within this one are mapped into."""
        analyzer = analyzer or Analyzer()
        last = [analyzer.simplify(end) for end in self._last(shape, analyzer)]
        return Array(analyzer.simplify(end + 1) for end in last)

    def _last(self, shape: Sequence[Any], analyzer: Analyzer) -> list[PrimExpr]:
        domains = {var: Range(0, extent) for var, extent in zip(self.initial_indices, shape, strict=True)}
        for var, domain in domains.items():
            analyzer.bind(var, domain)
        return [analyzer.int_set(index, domains).max_value for index in self.final_indices]

    def map_ndarray(self, arr_src: Any) -> Any:
        """The tensor whose elements are where the map puts them."""
        import numpy as np

        from ..runtime.ndarray import array

        source = arr_src.numpy()
        result = np.zeros([int(dim) for dim in self.map_shape(source.shape)], source.dtype)
        for index in np.ndindex(*source.shape):
            result[tuple(int(i) for i in self.map_indices(index))] = source[index]
        return array(result)

    def inverse(self, shape: Sequence[Any]) -> IndexMap:
        """The inverse of a map that is one-to-one on indices within this shape."""
        if self.inverse_index_map is not None:
            return self.inverse_index_map
        inverse, predicate = self._inverse(shape, IterMapLevel.Bijective)
        if predicate is None:
            raise TVMError("the map is not one-to-one on indices within the shape")
        return inverse

    def non_surjective_inverse(self, shape: Sequence[Any]) -> tuple[IndexMap, PrimExpr]:
        """The inverse, and a condition that holds of the indices that the map does not reach.

        A dimension that a division cuts unevenly is filled up to a multiple of the divisors.
        """
        from .op import any as any_of

        if self.inverse_index_map is not None:
            return self.inverse_index_map, IntImm("bool", 0)
        filled = [_filled(extent, self._divisors(var)) for var, extent in zip(self.initial_indices, shape, strict=True)]
        inverse, _ = self._inverse(filled, IterMapLevel.Bijective)
        behind = [
            index >= extent
            for index, extent, whole in zip(inverse.final_indices, shape, filled, strict=True)
            if not Analyzer().can_prove_equal(extent, whole)
        ]
        return inverse, any_of(*behind) if behind else IntImm("bool", 0)

    def _divisors(self, var: Var) -> int:
        """The least common multiple of the constants by which the map divides."""
        found: list[int] = []

        def look(node: Any) -> None:
            if isinstance(node, (FloorDiv, FloorMod)) and isinstance(node.b, IntImm) and _mentions(node.a, var):
                found.append(int(node.b))

        for index in self.final_indices:
            post_order_visit(index, look)
        return math.lcm(*found)

    def _inverse(self, shape: Sequence[Any], level: IterMapLevel) -> tuple[IndexMap, Any]:
        domains = {var: Range(0, extent) for var, extent in zip(self.initial_indices, shape, strict=True)}
        found = detect_iter_map(self.final_indices, domains, True, level)
        if not found.indices:
            raise TVMError(f"the map is not one-to-one on indices within the shape: {'; '.join(found.errors)}")
        outputs = [Var(f"axis{i}", index.dtype) for i, index in enumerate(self.final_indices)]
        values = inverse_affine_iter_map(found.indices, outputs)
        analyzer = Analyzer()
        for output, extent in zip(outputs, self.map_shape(shape), strict=True):
            analyzer.bind(output, Range(0, extent))
        # A loop of one iteration takes part in no index.
        back = [analyzer.simplify(values[var]) if var in values else var * 0 for var in self.initial_indices]
        return IndexMap(outputs, back, self), True

    def is_equivalent_to(self, other_map: IndexMap) -> bool:
        """Whether both map the same way, whatever their variables are called."""
        if len(self.initial_indices) != len(other_map.initial_indices):
            return False
        if len(self.final_indices) != len(other_map.final_indices):
            return False
        analyzer = Analyzer()
        mapped = other_map.map_indices(self.initial_indices)
        return all(analyzer.can_prove_equal(a, b) for a, b in zip(self.final_indices, mapped, strict=True))

    def __repr__(self) -> str:
        names = ", ".join(var.name for var in self.initial_indices)
        return f"index_map=T.index_map(lambda {names}: ({', '.join(map(str, self.final_indices))}))"


def _variables(function: Callable[..., Any], ndim: int | None, dtype: str) -> list[Var]:
    """A variable for each parameter; those of `*args` fill up to `ndim`."""
    names: list[str] = []
    rest = None
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind == inspect.Parameter.VAR_POSITIONAL:
            rest = name
        else:
            names.append(name)
    if rest is not None:
        if ndim is None:
            raise ValueError(f"a function of `*{rest}` needs `ndim`")
        names += [f"{rest}_{i}" for i in range(ndim - len(names))]
    return [Var(name, dtype) for name in names]


def _mentions(expr: Any, var: Var) -> bool:
    found: list[Any] = []
    post_order_visit(expr, lambda node: found.append(node) if node.same_as(var) else None)
    return bool(found)


def _filled(extent: Any, divisor: int) -> Any:
    return extent if divisor == 1 else Analyzer().simplify((extent + (divisor - 1)) // divisor * divisor)


def _as_index(value: Any, dtype: str) -> PrimExpr:
    from .op import const

    return value if isinstance(value, PrimExpr) else const(value, dtype)
