"""Buffers: typed, shaped views of memory."""

from __future__ import annotations

from math import prod
from typing import Any

from .. import _core
from ..ir.container import Array
from ..ir.expr import PrimExpr, Range
from . import op
from .expr import BufferLoad, Ramp, Var

__all__ = ["Buffer", "decl_buffer"]


class Buffer(_core.Object, kind="tir.Buffer"):
    """A buffer: its identity, not its name. Made by `decl_buffer`."""

    READ, WRITE = 1, 2
    name: str
    data: Var
    dtype: str
    shape: Array
    strides: Array
    elem_offset: PrimExpr
    data_alignment: int
    offset_factor: int
    axis_separators: list[int]
    buffer_type: int

    def scope(self) -> str:
        """Where the memory lives."""
        return _core.buffer_scope(self)

    def get_flattened_buffer(self) -> Buffer:
        """The same memory as a buffer of one dimension, or of one for each group between axis separators."""
        return _core.flattened_buffer(self)

    def offset_of(self, indices: Any) -> list[PrimExpr]:
        """Where an element lies, in elements from the first one of the memory: an index of the flattened buffer."""
        return _core.buffer_offset(self, list(indices) if isinstance(indices, (tuple, list)) else [indices])

    def vload(self, begin: Any, dtype: str | None = None, predicate: PrimExpr | None = None) -> Any:
        """An element, or a vector of elements that lie side by side where `dtype` has lanes."""
        begin = list(begin) if isinstance(begin, (tuple, list)) else [begin]
        lanes = _lanes(self, dtype)
        return BufferLoad(self, [*begin[:-1], Ramp(begin[-1], 1, lanes) if lanes > 1 else begin[-1]], predicate)

    def vstore(self, begin: Any, value: Any, predicate: PrimExpr | None = None) -> Any:
        """The statement that stores an element, or a vector of elements that lie side by side."""
        from .stmt import BufferStore

        begin = list(begin) if isinstance(begin, (tuple, list)) else [begin]
        lanes = _lanes(self, getattr(value, "dtype", None))
        return BufferStore(self, value, [*begin[:-1], Ramp(begin[-1], 1, lanes) if lanes > 1 else begin[-1]], predicate)

    def access_ptr(
        self, access_mask: Any, ptr_type: str = "handle", content_lanes: int = 1, offset: Any = 0, extent: Any = None
    ) -> Any:
        """`T.tvm_access_ptr`: the address `offset` elements of the memory after the first one, as an argument of a
        foreign call.

        What the call does with the memory (`access_mask`: `Buffer.READ`, `Buffer.WRITE`, "r", "w", "rw"; `extent`, in
        elements, by default those after the offset) is for those who read the program: the compiler takes it that the
        call may do anything.
        """
        if ptr_type != "handle" or content_lanes != 1:
            raise ValueError(f"an address is a handle of single elements, found {ptr_type}, {content_lanes} lanes")
        masks = {1: 1, 2: 2, 3: 3, "r": self.READ, "w": self.WRITE, "rw": 3, "wr": 3}
        if access_mask not in masks:
            raise ValueError(f'an access is "r", "w" or "rw", or the numbers for them, not {access_mask!r}')
        # An offset at which no element lies is an error here.
        _core.buffer_indices_at(self, offset)
        if extent is None:
            shape = self.shape
            elements = self.strides[0] * shape[0] if len(self.strides) == len(shape) > 0 else prod(shape)
            extent = elements - offset
        element = op.type_annotation(self.dtype)
        return op.tvm_access_ptr(element, op.address_of(self), offset, extent, masks[access_mask])

    # Every index gives an element, so that a loop over a buffer would not end.
    __iter__ = None

    def __getitem__(self, indices: Any) -> Any:
        """An element; with slices, the region, or a vector where one slice has a constant extent."""
        indices = list(indices) if isinstance(indices, (tuple, list)) else [indices]
        if any(isinstance(index, slice) and index.step is None for index in indices):
            from .stmt import BufferRegion

            if len(indices) != len(self.shape):
                raise ValueError(f"the buffer `{self.name}` has {len(self.shape)} dimensions, found {len(indices)}")
            return BufferRegion(
                self, [_range(index, extent) for index, extent in zip(indices, self.shape, strict=True)]
            )
        return BufferLoad(self, [_vector(index) if isinstance(index, slice) else index for index in indices])

    def __eq__(self, other: object) -> bool:
        return self.same_as(other)

    __hash__ = _core.Object.__hash__


def _lanes(buffer: Buffer, dtype: str | None) -> int:
    element, _, lanes = (dtype or buffer.dtype).partition("x")
    if element != buffer.dtype or not (lanes or "1").isdecimal():
        raise ValueError(f"the buffer `{buffer.name}` has elements of {buffer.dtype}, not {dtype!r}")
    return int(lanes or 1)


def _range(index: Any, extent: Any) -> Range:
    if not isinstance(index, slice):
        return Range.from_min_extent(index, 1)
    begin = 0 if index.start is None else index.start
    return Range(begin, extent if index.stop is None else index.stop)


def _vector(index: slice) -> Any:
    begin = 0 if index.start is None else index.start
    if index.stop is None or int(index.step) < 1:
        raise ValueError(f"a slice with a step has an end and goes forward, found {index}")
    lanes = (int(index.stop) - int(begin) + int(index.step) - 1) // int(index.step)
    return Ramp(begin, index.step, lanes)


def decl_buffer(
    shape: Any,
    dtype: str | None = None,
    name: str = "buffer",
    data: Var | None = None,
    strides: Any = None,
    elem_offset: Any = None,
    scope: str = "",
    data_alignment: int = -1,
    offset_factor: int = 0,
    buffer_type: str = "",
    axis_separators: Any = None,
    span: object = None,
) -> Buffer:
    """A buffer of this shape (elements per dimension), float32 unless `dtype` says otherwise."""
    scope = scope or "global"
    dtype = dtype or "float32"
    return Buffer._make(
        shape,
        dtype,
        name,
        data,
        strides,
        elem_offset,
        scope,
        data_alignment,
        offset_factor,
        buffer_type,
        axis_separators,
    )
