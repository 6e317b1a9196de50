"""Types of the loop level, by the classes that programs make of them: scalars and pointers, functions and tuples."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from ..runtime.data_type import DataType

__all__ = [
    "FuncType",
    "GlobalTypeVar",
    "IncompleteType",
    "PointerType",
    "PrimType",
    "TensorType",
    "TupleType",
    "Type",
    "TypeCall",
    "TypeConstraint",
    "TypeKind",
    "TypeRelation",
    "TypeVar",
]  # fmt: skip


class TypeKind(IntEnum):
    """What a type variable stands for."""

    Type = 0
    ShapeVar = 1
    BaseType = 2
    Constraint = 4
    AdtHandle = 5
    TypeData = 6


class Type:
    """A type; equal by its parts."""

    _parts: tuple[str, ...] = ()

    span: object = None

    def _key(self) -> tuple[Any, ...]:
        return (type(self), *(getattr(self, name) for name in self._parts))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Type) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def same_as(self, other: object) -> bool:
        """Whether both are the same type."""
        return self is other or self == other

    def script(self, **_: Any) -> str:
        """The type as a script has it; types that no script has, as their constructor."""
        return repr(self)

    def __str__(self) -> str:
        return self.script()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(repr(getattr(self, name)) for name in self._parts)})"


class PrimType(Type):
    """A scalar of a data type."""

    _parts = ("dtype",)

    def __init__(self, dtype: str) -> None:
        self.dtype = str(DataType(dtype)) if dtype not in ("handle", "void", "") else dtype

    def script(self, **_: Any) -> str:
        """The type as a script has it."""
        return f"T.{self.dtype}"


class PointerType(Type):
    """The address of elements of a type in a scope of memory."""

    _parts = ("element_type", "storage_scope")

    def __init__(self, element_type: Type, storage_scope: str = "") -> None:
        self.element_type, self.storage_scope = element_type, storage_scope

    def script(self, **_: Any) -> str:
        """The type as a script has it."""
        if not isinstance(self.element_type, PrimType):
            return repr(self)
        scope = f', "{self.storage_scope}"' if self.storage_scope else ""
        return f'T.handle("{self.element_type.dtype}"{scope})'


class TupleType(Type):
    """Several values."""

    _parts = ("fields",)

    def __init__(self, fields: Sequence[Type], span: object = None) -> None:
        self.fields = tuple(fields)

    def script(self, **_: Any) -> str:
        """The type as a script has it."""
        texts = [field.script() for field in self.fields]
        return f"T.Tuple({', '.join(texts)})" if texts else "None"


class TensorType(Type):
    """A tensor of these dimensions."""

    _parts = ("shape", "dtype")

    def __init__(self, shape: Sequence[Any], dtype: str = "float32") -> None:
        self.shape, self.dtype = tuple(shape), dtype

    @property
    def concrete_shape(self) -> tuple[int, ...]:
        """The dimensions as numbers."""
        return tuple(int(dim) for dim in self.shape)


class TypeVar(Type):
    """A type that is not known; its own identity."""

    @property
    def name(self) -> str:
        """The name of the type."""
        return self.name_hint

    def __init__(self, name_hint: str, kind: TypeKind = TypeKind.Type) -> None:
        self.name_hint, self.kind = name_hint, kind

    def _key(self) -> tuple[Any, ...]:
        return (type(self), id(self))


class GlobalTypeVar(TypeVar):
    """The name of a type of a module."""


class TypeCall(Type):
    """A type that is made of others."""

    _parts = ("func", "args")

    def __init__(self, func: Type, args: Sequence[Type]) -> None:
        self.func, self.args = func, tuple(args)


class IncompleteType(Type):
    """A type that is to be inferred; its own identity."""

    def __init__(self, kind: TypeKind = TypeKind.Type) -> None:
        self.kind = kind

    def _key(self) -> tuple[Any, ...]:
        return (type(self), id(self))


class TypeConstraint(Type):
    """A condition between types."""


class TypeRelation(TypeConstraint):
    """A condition that a function decides."""

    _parts = ("func", "args", "num_inputs")

    def __init__(self, func: Any, args: Sequence[Type], num_inputs: int, attrs: Any) -> None:
        self.func, self.args, self.num_inputs, self.attrs = func, tuple(args), num_inputs, attrs


class FuncType(Type):
    """A function."""

    _parts = ("arg_types", "ret_type")

    def __init__(
        self,
        arg_types: Sequence[Type],
        ret_type: Type,
        type_params: Sequence[TypeVar] | None = None,
        type_constraints: Sequence[TypeConstraint] | None = None,
    ) -> None:
        self.arg_types, self.ret_type = tuple(arg_types), ret_type
        self.type_params, self.type_constraints = list(type_params or ()), list(type_constraints or ())
