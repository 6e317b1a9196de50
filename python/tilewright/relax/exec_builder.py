"""Executables written instruction by instruction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from .._core import Executable, NDArray, write_executable
from ..error import TVMError
from ..runtime.container import ShapeTuple
from ..runtime.data_type import DataType

__all__ = ["ExecBuilder", "SpecialReg", "VMFuncKind", "VMFuncScope"]


class SpecialReg(IntEnum):
    """Registers that are none of the function's own: no value, and the machine itself."""

    VOID_ARG = (1 << 54) + 0
    VM_STATE = (1 << 54) + 1


class VMFuncKind(IntEnum):
    """Kinds of functions: of the process, of the machine, and PrimFuncs."""

    PACKED_FUNC = 0
    VM_FUNC = 1


@dataclass(frozen=True)
class _Argument:
    """An argument of a call: its sort, and its value."""

    sort: str
    value: Any


@dataclass
class _Function:
    """A function in the making."""

    name: str
    params: list[str]
    steps: list[tuple[str, str, list[int], list[tuple[str, Any]]]] = field(default_factory=list)


class VMFuncScope:
    """The name of the context of `ExecBuilder.function`."""


class ExecBuilder:
    """Writes functions of the machine step by step, and makes an executable of them.

        builder = relax.ExecBuilder()
        with builder.function("main", num_inputs=2):
            builder.emit_call("test.add", args=[builder.r(0), builder.r(1)], dst=builder.r(2))
            builder.emit_ret(builder.r(2))
        vm = relax.VirtualMachine(builder.get(), tvm.cpu())

    Registers have numbers; the first ones are the parameters. Jumps go forward.
    """

    def __init__(self) -> None:
        self._functions: dict[str, _Function] = {}
        self._open: _Function | None = None
        self._declared: dict[str, int] = {}

    def r(self, idx: int) -> _Argument:
        """The register of this number."""
        return _Argument("register", int(idx))

    def imm(self, value: int) -> _Argument:
        """A number that stands in the step itself."""
        return _Argument("int", int(value))

    def c(self, arg: Any) -> _Argument:
        """A constant."""
        return self.convert_constant(arg)

    def f(self, name: str) -> _Argument:
        """A function as a value."""
        return _Argument("function", name)

    def void_arg(self) -> _Argument:
        """No value."""
        return _Argument("void", None)

    def vm_state(self) -> _Argument:
        """The machine itself."""
        return _Argument("state", None)

    def convert_constant(self, arg: Any) -> _Argument:
        """A constant: a tensor, a shape, a data type, a text or a number."""
        sorts = (
            (NDArray, "tensor"), (ShapeTuple, "shape"), (DataType, "dtype"), (bool, "bool"), (int, "int"),
            (float, "float"), (str, "text"), (tuple, "shape"), (type(None), "none"),
        )  # fmt: skip
        for cls, sort in sorts:
            if isinstance(arg, cls):
                return _Argument(sort, list(arg) if sort == "shape" else str(arg) if sort == "dtype" else arg)
        raise TVMError(f"a constant is a tensor, a shape, a data type, a text or a number, found {type(arg).__name__}")

    def declare_function(self, func_name: str, kind: VMFuncKind = VMFuncKind.PACKED_FUNC) -> None:
        """Says that there is a function of this name; one that is never written is one of the process."""
        self._declared[func_name] = kind

    @contextmanager
    def function(
        self, func_name: str, num_inputs: int | None = 0, param_names: Sequence[str] | None = None
    ) -> Iterator[None]:
        """A function: the steps that are emitted inside are its own."""
        names = list(param_names or ())
        count = max(num_inputs or 0, len(names))
        if names and num_inputs and len(names) != num_inputs:
            raise ValueError(f"`{func_name}` has {num_inputs} inputs, found {len(names)} names")
        if func_name in self._functions:
            raise TVMError(f"the function `{func_name}` is written already")
        names += [f"param_{index}" for index in range(len(names), count)]
        self._open = self._functions[func_name] = _Function(func_name, names)
        try:
            yield
        finally:
            self._open = None

    def _emit(self, sort: str, numbers: list[int], name: str = "", args: Sequence[_Argument] = ()) -> None:
        if self._open is None:
            raise TVMError("a step stands in a function: `with builder.function(...):`")
        self._open.steps.append((sort, name, numbers, [(arg.sort, arg.value) for arg in args]))

    def emit_call(self, name: str, args: Sequence[Any] | None = None, dst: _Argument | None = None) -> None:
        """Calls a function by name, one of the program or of the process; the result goes into a register."""
        given = [arg if isinstance(arg, _Argument) else self.convert_constant(arg) for arg in args or ()]
        target = dst.value if dst is not None and dst.sort == "register" else -1
        self._emit("call", [target], name, given)

    def emit_ret(self, result: _Argument) -> None:
        """Ends the call with the value of a register."""
        self._emit("ret", [self._number(result)])

    def emit_goto(self, pc_offset: int) -> None:
        """Goes on so many steps further."""
        self._emit("goto", [int(pc_offset)])

    def emit_if(self, cond: _Argument, false_offset: int) -> None:
        """Goes on where the register is true; so many steps further otherwise."""
        self._emit("if", [self._number(cond), int(false_offset)])

    @staticmethod
    def _number(register: _Argument) -> int:
        if getattr(register, "sort", None) != "register":
            raise TVMError(f"expected a register such as builder.r(0), found {register!r}")
        return register.value

    def get(self) -> Executable:
        """The executable of the functions, checked."""
        return write_executable([(one.name, one.params, one.steps) for one in self._functions.values()])
