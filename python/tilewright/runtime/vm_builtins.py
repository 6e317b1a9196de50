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


def _refuse(kind: type[Exception], context: str | None, message: str) -> None:
    raise kind(f"{context} {message}" if context else message)


def _check_tensor_info(value: Any, ndim: int, *dtype_and_context: Any) -> None:
    """Whether it is a tensor of so many dimensions (-1: of any), and of a data type where one is given."""
    *given, context = dtype_and_context
    if not isinstance(value, NDArray):
        return _refuse(TypeError, context, f"expected a tensor, found {type(value).__name__}")
    if ndim not in (-1, value.ndim):
        _refuse(ValueError, context, f"expected {ndim} dimensions, found {value.ndim}")
    if given and str(given[0]) not in ("", "void", value.dtype):
        _refuse(ValueError, context, f"expected elements of {given[0]}, found {value.dtype}")


def _check_shape_info(value: Any, ndim: int, context: str | None) -> None:
    if not isinstance(value, (ShapeTuple, tuple, list)):
        return _refuse(TypeError, context, f"expected a shape, found {type(value).__name__}")
    if ndim not in (-1, len(value)):
        _refuse(ValueError, context, f"expected {ndim} dimensions, found {len(value)}")


def _check_tuple_info(value: Any, size: int, context: str | None) -> None:
    if not isinstance(value, (tuple, list)) or isinstance(value, ShapeTuple):
        return _refuse(TypeError, context, f"expected a tuple, found {type(value).__name__}")
    if len(value) != size:
        _refuse(ValueError, context, f"expected {size} fields, found {len(value)}")


def _check_func_info(value: Any, context: str | None) -> None:
    if not callable(value):
        _refuse(TypeError, context, f"expected a function, found {type(value).__name__}")


def _check_prim_value_info(value: Any, dtype: Any, context: str | None) -> None:
    sort = bool if str(dtype) == "bool" else float if "float" in str(dtype) else int
    takes = (int, float) if sort is float else (bool, int) if sort is bool else int
    if not isinstance(value, takes) or (isinstance(value, bool) and sort is not bool):
        _refuse(TypeError, context, f"expected a {dtype}, found {type(value).__name__}")


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
