"""What a function takes, as runners are told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..error import TVMError
from ..ir import IRModule
from ..runtime import DataType
from ..tir import PrimFunc
from .utils import main_of

__all__ = ["ArgInfo", "TensorInfo"]


class ArgInfo:
    """An argument of a function."""

    @staticmethod
    def from_json(json_obj: Any) -> ArgInfo:
        """The argument of what `as_json` gave."""
        kind, dtype, shape = json_obj
        if kind != "TENSOR":
            raise TVMError(f"expected the JSON of a tensor, found {kind!r}")
        return TensorInfo(str(dtype), [int(dim) for dim in shape])

    @staticmethod
    def from_prim_func(func: PrimFunc) -> list[ArgInfo]:
        """The tensors that a function takes; their shapes are constant."""
        found: list[ArgInfo] = []
        for param in func.params:
            if param not in func.buffer_map:
                raise TVMError(f"expected tensors only, found the scalar parameter `{param.name}`")
            buffer = func.buffer_map[param]
            found.append(TensorInfo(buffer.dtype, [int(dim) for dim in buffer.shape]))
        return found

    @staticmethod
    def from_entry_func(mod: IRModule, remove_preproc: bool = True) -> list[ArgInfo]:
        """The tensors that the one function of a module takes."""
        return ArgInfo.from_prim_func(main_of(mod))


@dataclass
class TensorInfo(ArgInfo):
    """A tensor of constant shape."""

    dtype: str
    shape: list[int]

    def __post_init__(self) -> None:
        self.dtype = DataType(self.dtype)
        self.shape = [int(dim) for dim in self.shape]

    def as_json(self) -> list[Any]:
        """The argument as plain data."""
        return ["TENSOR", str(self.dtype), list(self.shape)]
