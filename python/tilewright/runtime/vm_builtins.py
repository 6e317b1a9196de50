"""The functions that TVM's virtual machine calls by name (`vm.builtin.…`), for programs that call them themselves.

The machine has instructions of its own for what they do; a program built here calls none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .container import ShapeTuple
from .device import device
from .ndarray import NDArray, empty
from .packed_func import get_global_func, register_func

__all__ = ["register_builtins"]


def _check_tensor_info(value: Any, ndim: int, dtype: str, context: str) -> None:
    if not isinstance(value, NDArray):
        raise TypeError(f"{context} expected a tensor, found {type(value).__name__}")
    if ndim not in (-1, value.ndim):
        raise ValueError(f"{context} expected {ndim} dimensions, found {value.ndim}")
    if str(dtype) not in ("", "void", value.dtype):
        raise ValueError(f"{context} expected elements of {dtype}, found {value.dtype}")


def _check_shape_info(value: Any, ndim: int, context: str) -> None:
    if not isinstance(value, (ShapeTuple, tuple, list)):
        raise TypeError(f"{context} expected a shape, found {type(value).__name__}")
    if ndim not in (-1, len(value)):
        raise ValueError(f"{context} expected {ndim} dimensions, found {len(value)}")


def _check_tuple_info(value: Any, size: int, context: str) -> None:
    if not isinstance(value, (tuple, list)) or isinstance(value, ShapeTuple):
        raise TypeError(f"{context} expected a tuple, found {type(value).__name__}")
    if len(value) != size:
        raise ValueError(f"{context} expected {size} fields, found {len(value)}")


def _check_func_info(value: Any, context: str) -> None:
    if not callable(value):
        raise TypeError(f"{context} expected a function, found {type(value).__name__}")


def _check_prim_value_info(value: Any, dtype: str, context: str) -> None:
    if not isinstance(value, (int, float)):
        raise TypeError(f"{context} expected a {dtype}, found {type(value).__name__}")


def _read_if_cond(value: NDArray) -> bool:
    return bool(value.numpy()) if isinstance(value, NDArray) else bool(value)


def _reshape(value: NDArray, shape: Any) -> NDArray:
    return value._create_view(tuple(int(dim) for dim in shape))


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "alloc_shape_heap": lambda _, size: empty((size,), "int64"),
    "check_func_info": _check_func_info,
    "check_prim_value_info": _check_prim_value_info,
    "check_shape_info": _check_shape_info,
    "check_tensor_info": _check_tensor_info,
    "check_tuple_info": _check_tuple_info,
    "copy": lambda value: value,
    "make_tuple": lambda *values: tuple(values),
    "read_if_cond": _read_if_cond,
    "reshape": _reshape,
    "to_device": lambda value, device_type, device_id: value.copyto(device(int(device_type), int(device_id))),
    "tuple_getitem": lambda value, index: value[index],
}


def register_builtins() -> None:
    """Registers the functions under their names; those that the process has already stay."""
    for name, function in _FUNCTIONS.items():
        if get_global_func(f"vm.builtin.{name}", True) is None:
            register_func(f"vm.builtin.{name}", function)
