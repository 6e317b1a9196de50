"""Expressions of the graph level. Each has its struct info from birth: a constructor fails where a call is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .. import _core
from .._core import Object
from ..ir.container import Array, Map
from ..ir.expr import PrimExpr, RelayExpr
from ..ir.function import BaseFunc, said_attrs
from ..ir.module import GlobalVar
from ..ir.op import Op
from .struct_info import DynTensorType, StructInfo

__all__ = [
    "Binding", "BindingBlock", "Call", "Constant", "DataTypeImm", "DataflowBlock", "DataflowVar", "Expr", "ExprWithOp",
    "ExternFunc", "Function", "GlobalVar", "Id", "If", "MatchCast", "PrimValue", "SeqExpr", "ShapeExpr", "StringImm",
    "Tuple", "TupleGetItem", "Var", "VarBinding", "const", "extern", "te_tensor",
]  # fmt: skip

Expr = RelayExpr


def _operator(name: str, *, reflected: bool = False) -> Any:
    def apply(self: Any, other: Any) -> Any:
        other = other if isinstance(other, RelayExpr) else const(other, self.struct_info.dtype)
        return Call(Op.get(f"relax.{name}"), [other, self] if reflected else [self, other])

    return apply


def _unary(name: str) -> Any:
    def apply(self: Any) -> Any:
        return Call(Op.get(f"relax.{name}"), [self])

    return apply


class ExprWithOp(RelayExpr):
    """A graph expression with Python's operators."""

    @property
    def shape_(self) -> Any:
        """The shape as far as it is known, as programs of 2022 ask for it; None where it is not."""
        info = self.struct_info
        return getattr(info, "shape", getattr(info, "values", None))

    @property
    def _checked_type_(self) -> Any:
        return self.checked_type

    __add__ = _operator("add")
    __radd__ = _operator("add", reflected=True)
    __sub__ = _operator("subtract")
    __rsub__ = _operator("subtract", reflected=True)
    __mul__ = _operator("multiply")
    __rmul__ = _operator("multiply", reflected=True)
    __truediv__ = _operator("divide")
    __rtruediv__ = _operator("divide", reflected=True)
    __floordiv__ = _operator("floor_divide")
    __rfloordiv__ = _operator("floor_divide", reflected=True)
    __mod__ = _operator("mod")
    __rmod__ = _operator("mod", reflected=True)
    __pow__ = _operator("power")
    __rpow__ = _operator("power", reflected=True)
    __lt__ = _operator("less")
    __le__ = _operator("less_equal")
    __gt__ = _operator("greater")
    __ge__ = _operator("greater_equal")
    __neg__ = _unary("negative")

    def astype(self, dtype: str) -> Any:
        """The tensor converted to another type."""
        return Call(Op.get("relax.astype"), [self], {"dtype": str(dtype)})

    def __call__(self, *args: Any, attrs: Mapping[str, Any] | None = None) -> Any:
        return Call(self, list(args), attrs)

    def __iter__(self) -> Iterator[Any]:
        fields = getattr(self.struct_info, "fields", None)
        if fields is None:
            raise TypeError(f"only a tuple has fields to go through, and this is {self.struct_info}")
        return (self[index] for index in range(len(fields)))

    def __getitem__(self, index: int) -> Any:
        try:
            return TupleGetItem(self, index)
        except Exception as error:
            # Python's protocol of iteration ends with an IndexError.
            if "has no field" in str(error):
                raise IndexError(str(error)) from error
            raise


class Call(ExprWithOp, kind="relax.Call"):
    """A call of an operator or a function.

    Cross-level calls are calls of operators: the arguments of `relax.call_tir` are the GlobalVar and a Tuple.
    """

    op: Any
    args: Array
    attrs: Map
    sinfo_args: Array

    def __new__(
        cls,
        op: Any,
        args: Sequence[Any],
        attrs: Mapping[str, Any] | None = None,
        sinfo_args: Sequence[StructInfo] | None = None,
        span: object = None,
    ) -> Any:
        return cls._make(op, args, attrs, sinfo_args)


class If(ExprWithOp, kind="relax.If"):
    """A conditional on a scalar bool."""

    cond: RelayExpr
    true_branch: SeqExpr
    false_branch: SeqExpr

    def __new__(cls, cond: Any, true_branch: Any, false_branch: Any, span: object = None) -> Any:
        return cls._make(cond, true_branch, false_branch)


class Tuple(ExprWithOp, kind="relax.Tuple"):
    """Several values as one."""

    fields: Array

    def __new__(cls, fields: Sequence[Any], span: object = None) -> Any:
        return cls._make(fields.fields if isinstance(fields, Tuple) else fields)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.fields)

    def __getitem__(self, index: int) -> Any:
        return self.fields[index]

    def __len__(self) -> int:
        return len(self.fields)


class TupleGetItem(ExprWithOp, kind="relax.TupleGetItem"):
    """A field of a tuple."""

    tuple_value: RelayExpr
    index: int

    def __new__(cls, tuple_value: Any, index: int, span: object = None) -> Any:
        return cls._make(tuple_value, index)


class ShapeExpr(ExprWithOp, kind="relax.ShapeExpr"):
    """A shape as a value."""

    values: Array

    def __new__(cls, values: Sequence[Any], span: object = None) -> Any:
        return cls._make(values.values if isinstance(values, ShapeExpr) else values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.values)

    def __getitem__(self, index: Any) -> Any:
        return self.values[index]

    def __len__(self) -> int:
        return len(self.values)


class Constant(ExprWithOp, kind="relax.Constant"):
    """A tensor as a constant."""

    data: Any

    def __new__(cls, data: Any, struct_info: StructInfo | None = None, span: object = None) -> Any:
        return cls._make(data)


class Var(ExprWithOp, kind="relax.Var"):
    """A variable: its identity, not its name.

    In the spelling of 2022 a shape replaces the struct info, followed by its `DynTensorType`.
    """

    name_hint: str

    def __new__(cls, name_hint: Any, struct_info: StructInfo | None = None, span: object = None) -> Any:
        info = span.with_shape(struct_info) if isinstance(span, DynTensorType) else struct_info
        return cls._make(getattr(name_hint, "name_hint", name_hint), info)

    @property
    def vid(self) -> Id:
        """The identity, with the name."""
        return Id(self)


class DataflowVar(Var, kind="relax.DataflowVar"):
    """A variable that is visible only in its dataflow block."""


class Id:
    """The identity of a variable."""

    def __init__(self, var: Any) -> None:
        self._var = var
        self.name_hint = getattr(var, "name_hint", var)

    def same_as(self, other: object) -> bool:
        """Whether both are the identity of one variable."""
        return isinstance(other, Id) and self._var == other._var

    __eq__ = same_as

    def __hash__(self) -> int:
        return hash(self._var)


class PrimValue(Expr, kind="relax.PrimValue"):
    """A scalar as a value."""

    value: PrimExpr

    def __new__(cls, value: Any, span: object = None) -> Any:
        return cls._make(value)


class StringImm(Expr, kind="relax.StringImm"):
    """A text as a value."""

    value: str

    def __new__(cls, value: str, span: object = None) -> Any:
        return cls._make(value)


class DataTypeImm(Expr, kind="relax.DataTypeImm"):
    """A data type as a value."""

    value: str

    def __new__(cls, value: Any, span: object = None) -> Any:
        return cls._make(value)


class Binding(Object):
    """What gives a variable its value."""

    var: Var
    value: RelayExpr


class MatchCast(Binding, kind="relax.MatchCast"):
    """A value checked at run time against a struct info."""

    struct_info: StructInfo

    def __new__(cls, var: Var, value: Any, struct_info: StructInfo, span: object = None) -> Any:
        return cls._make(var, value, struct_info)


class VarBinding(Binding, kind="relax.VarBinding"):
    """`var = value`."""

    def __new__(cls, var: Var, value: Any, span: object = None) -> Any:
        return cls._make(var, value)


class BindingBlock(Object, kind="relax.BindingBlock"):
    """Bindings in order."""

    bindings: Array

    def __new__(cls, bindings: Sequence[Binding], span: object = None) -> Any:
        return cls._make(bindings)


class DataflowBlock(BindingBlock, kind="relax.DataflowBlock"):
    """Bindings without side effects."""


class SeqExpr(ExprWithOp, kind="relax.SeqExpr"):
    """Blocks of bindings and a result."""

    blocks: Array
    body: RelayExpr

    def __new__(cls, blocks: Sequence[BindingBlock], body: Any, span: object = None) -> Any:
        return cls._make(blocks, body)


class Function(BaseFunc, ExprWithOp, kind="relax.Function"):
    """A graph function."""

    params: Array
    body: SeqExpr
    ret_struct_info: StructInfo
    is_pure: bool

    def __new__(
        cls,
        params: Sequence[Var],
        body: Any,
        ret_struct_info: StructInfo | None = None,
        is_pure: bool = True,
        attrs: Mapping[str, Any] | None = None,
        span: object = None,
    ) -> Any:
        return cls._make(params, body, ret_struct_info, is_pure, said_attrs(attrs))

    @staticmethod
    def create_empty(
        params: Sequence[Var],
        ret_struct_info: StructInfo,
        is_pure: bool = True,
        attrs: Mapping[str, Any] | None = None,
        span: object = None,
    ) -> Any:
        """A function without a body yet: its result is a tuple of nothing."""
        return Function(params, SeqExpr([], Tuple([])), ret_struct_info, is_pure, attrs)

    def bind_symbolic_vars(self, binding_map: Mapping[Any, Any]) -> Any:
        """The function with numbers or expressions for symbolic dimensions."""
        from .transform import BindSymbolicVars

        return _within(self, BindSymbolicVars(binding_map))

    def bind_params(self, binding_map: Mapping[Any, Any]) -> Any:
        """The function with constants for parameters, by name or variable."""
        from .transform import BindParams

        by_name = {getattr(name, "name_hint", name): value for name, value in binding_map.items()}
        return _within(self, BindParams("main", by_name))

    def inline_functions(self, function_map: Mapping[Any, Any]) -> Any:
        """The function with others, by name or `GlobalVar`, in the stead of calls of them."""
        from ..ir.module import IRModule
        from .transform import InlinePrivateFunctions

        known = {getattr(name, "name_hint", name): func for name, func in function_map.items()}
        private = {name: func.without_attr("global_symbol") for name, func in known.items()}
        caller = "main"
        while caller in private:
            caller += "_"
        own = self.with_attr("global_symbol", caller)
        changed = InlinePrivateFunctions()(IRModule({caller: own, **private}))[caller]
        if "global_symbol" not in self.attrs:
            return changed.without_attr("global_symbol")
        return changed.with_attr("global_symbol", self.attrs["global_symbol"])


def _within(function: Any, change: Any) -> Any:
    """What a pass makes of one function."""
    from ..ir.module import IRModule

    return change(IRModule({"main": function}))["main"]


class ExternFunc(BaseFunc, ExprWithOp, kind="relax.ExternFunc"):
    """A function that is registered with the runtime, as a value."""

    global_symbol: str

    def __new__(cls, global_symbol: str, struct_info: StructInfo | None = None, span: object = None) -> Any:
        return cls._make(global_symbol, struct_info)


def extern(name: str, struct_info: StructInfo | None = None, span: object = None) -> ExternFunc:
    """A function that is registered with the runtime, as a value."""
    return ExternFunc(name, struct_info)


def const(value: Any, dtype: str | DynTensorType | None = None) -> Constant:
    """A constant tensor from numbers, NumPy or a tensor.

    Numbers of Python's and NumPy's own types become float32, and int32 where that holds them all, unless `dtype` says
    else; a tensor stays as it is.
    """
    from ..runtime.ndarray import NDArray, array

    dtype = dtype.dtype if isinstance(dtype, DynTensorType) else dtype

    if dtype is None and not isinstance(value, NDArray) and str(getattr(value, "dtype", "")) in _OWN_TYPES:
        # A list is looked into, because its numbers decide; what is no number is an error of `array`.
        found = array(value)
        dtype = None if _needs_64_bits(found) else _OWN_TYPES.get(found.dtype)
    return Constant(value if isinstance(value, NDArray) and dtype is None else array(value, dtype=dtype))


def _needs_64_bits(numbers: Any) -> bool:
    """Whether integers of a tensor lie outside of int32."""
    if numbers.dtype != "int64" or 0 in numbers.shape:
        return False
    held = numbers.numpy()
    return bool(held.min() < -(2**31) or held.max() >= 2**31)


#: The types of numbers without a chosen type; empty for those without a type.
_OWN_TYPES = {"": None, "float64": "float32", "int64": "int32"}


def te_tensor(value: RelayExpr, tir_var_map: Mapping[Any, Any] | None = None, name: str = "rxplaceholder") -> Any:
    """The placeholder for a value of a graph: a tensor of its shape and data type, called after it if it has a name."""
    return _core.te_tensor(value, name)
