"""Functions of loops that return a scalar (`T.ret(x)`), in machine code.

A kernel writes into tensors and gives nothing, so the value is stored into a tensor of one element, which is the last
argument of the kernel; who calls the function through what `build` gives gets the value.
"""

from __future__ import annotations

from typing import Any

from ..ir import IRModule
from ..ir.type import PrimType
from ..relax import Executable
from ..runtime.ndarray import empty
from ..runtime.packed_func import PackedFunc
from ..tir import Buffer, BufferStore, Call, Evaluate, IntImm, PrimFunc, SeqStmt, Var, decl_buffer, ret
from ..tir.stmt_functor import ir_transform, post_order_visit

__all__ = ["ModuleOfValues", "with_result_buffers"]


def with_result_buffers(module: IRModule) -> tuple[IRModule, dict[str, str]]:
    """The module whose functions store their values, and the types of these by the functions' names."""
    types: dict[str, str] = {}
    changed = module
    for var, function in module.functions_items():
        if isinstance(function, PrimFunc) and _returns_value(function):
            if not types:
                changed = module.clone()
            assert isinstance(function.ret_type, PrimType)
            types[_symbol(var.name_hint, function)] = function.ret_type.dtype
            changed.update_func(var, _with_result_buffer(function, function.ret_type.dtype))
    return changed, types


def _symbol(name: str, function: PrimFunc) -> str:
    return str(function.attrs.get("global_symbol", name))


def _value_of_ret(stmt: Any) -> Any:
    """The value that a statement returns; `None` for another statement."""
    call = stmt.value if isinstance(stmt, Evaluate) else None
    is_ret = isinstance(call, Call) and getattr(call.op, "name", None) == "tir.ret"
    return call.args[0] if is_ret else None


def _returns_value(function: PrimFunc) -> bool:
    """Whether a value is returned that is not the 0 that ends any kernel."""
    values: list[Any] = []

    def visit(node: Any) -> None:
        if (value := _value_of_ret(node)) is not None:
            values.append(value)

    post_order_visit(function.body, visit)
    return any(not (isinstance(value, IntImm) and int(value) == 0) for value in values)


def _with_result_buffer(function: PrimFunc, dtype: str) -> PrimFunc:
    parameter, buffer = Var("result", "handle"), decl_buffer((1,), dtype, "result")

    def stored(stmt: Any) -> Any:
        value = _value_of_ret(stmt)
        return None if value is None else SeqStmt([BufferStore(buffer, value, [0]), Evaluate(ret(IntImm("int32", 0)))])

    body = ir_transform(function.body, None, stored, ["tir.Evaluate"])
    buffers: dict[Var, Buffer] = {**dict(function.buffer_map), parameter: buffer}
    return PrimFunc([*function.params, parameter], body, None, buffers, function.attrs)


class ModuleOfValues:
    """An executable some of whose functions return a scalar. Written to a file, it is the executable alone, whose
    functions take a tensor of one element for the scalar as their last argument."""

    def __init__(self, executable: Executable, types: dict[str, str]) -> None:
        self._executable, self._types = executable, types

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._executable, name)

    def __getitem__(self, name: str) -> Any:
        return self.get_function(name)

    def get_function(self, name: str, query_imports: bool = False) -> Any:
        """The function of this name."""
        function, dtype = self._executable.get_function(name, query_imports), self._types.get(name)
        return function if dtype is None else _returning(function, dtype)

    def time_evaluator(self, func_name: str, dev: Any, *args: Any, **named: Any) -> Any:
        """A function that times calls, as that of an executable."""
        timed, dtype = self._executable.time_evaluator(func_name, dev, *args, **named), self._types.get(func_name)
        return timed if dtype is None else lambda *given: timed(*given, empty((1,), dtype))

    @property
    def entry_func(self) -> Any:
        """The only function."""
        [name] = self._types
        return self[name]

    def __call__(self, *args: Any) -> Any:
        """Calls the only function."""
        return self.entry_func(*args)


def _returning(function: PackedFunc, dtype: str) -> Any:
    """A call of the kernel whose result is the value that it stores."""

    def call(*args: Any) -> Any:
        result = empty((1,), dtype)
        function(*args, result)
        return result.numpy()[0].item()

    return call
