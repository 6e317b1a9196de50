"""The function of the loop level."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..ir.container import Array, Map
from ..ir.function import BaseFunc
from .stmt import Stmt

__all__ = ["PrimFunc"]


class PrimFunc(BaseFunc, kind="tir.PrimFunc"):
    """A loop function in destination-passing style: the caller hands it the buffers to write."""

    params: Array
    body: Stmt
    buffer_map: Map
    ret_type: object

    def __new__(
        cls,
        params: Any,
        body: Stmt,
        ret_type: object = None,
        buffer_map: Mapping[Any, Any] | None = None,
        attrs: Mapping[str, Any] | None = None,
        span: object = None,
    ) -> Any:
        return cls._make(list(params), body, buffer_map, attrs)

    def with_body(self, new_body: Stmt, span: object = None) -> PrimFunc:
        """The function with another body."""
        return PrimFunc(self.params, new_body, self.ret_type, self.buffer_map, self.attrs)
