"""Questions about graph functions and modules."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

from .. import _core
from .._core import (
    contains_impure_call,
    get_var2val,
    has_reshape_pattern,
    name_to_binding,
    remove_all_unused,
    struct_info_lca,
    udchain,
)
from ..ir.module import GlobalVar, IRModule
from .expr import Call, Expr, Function, If, SeqExpr, ShapeExpr, Tuple, TupleGetItem, Var
from .struct_info import StructInfo, TensorStructInfo

__all__ = [
    "BaseCheckResult", "all_global_vars", "all_vars", "bound_vars", "collect_non_negative_expressions",
    "computable_at_compile_time", "contains_impure_call", "definable_tir_vars_in_struct_info",
    "definable_tir_vars_in_type", "defined_symbolic_vars", "derive_call_ret_struct_info", "derive_call_ret_type",
    "derive_func_ret_shape", "detect_recursion", "erase_to_well_defined", "estimate_memory_usage",
    "free_symbolic_vars", "free_vars", "get_static_type",
    "get_var2val", "has_reshape_pattern", "name_to_binding", "post_order_visit", "remove_all_unused",
    "struct_info_base_check", "struct_info_lca", "tir_vars_in_struct_info", "tir_vars_in_type", "type_base_check",
    "type_lca", "udchain", "used_vars", "well_formed",
]  # fmt: skip


class BaseCheckResult(IntEnum):
    """Whether one struct info follows from another: never, not known (two degrees), always."""

    FAIL_L0 = 0
    FAIL_L1 = 1
    FAIL_L2 = 2
    PASS = 3


def computable_at_compile_time(func: Function) -> list[Var]:
    """The parameters after the first `num_input`, and the variables whose values follow from these alone."""
    if "num_input" not in func.attrs:
        return []
    return [*func.params[func.attrs["num_input"] :], *_core.computable_at_compile_time(func)]


def free_vars(expr: Any) -> list[Var]:
    """The variables that are used and not defined inside."""
    return _core.graph_vars("free", expr)


def bound_vars(expr: Any) -> list[Var]:
    """The variables that are defined inside."""
    return _core.graph_vars("bound", expr)


def all_vars(expr: Any) -> list[Var]:
    """Every variable."""
    return _core.graph_vars("all", expr)


def used_vars(expr: Any) -> list[Var]:
    """The variables whose values are used, wherever they are defined."""
    return _core.graph_vars("used", expr)


def all_global_vars(expr: Any) -> list[GlobalVar]:
    """The functions of the module that an expression mentions."""
    return _core.all_global_vars(expr)


def detect_recursion(mod: IRModule) -> list[list[GlobalVar]]:
    """The groups of functions that call each other in a circle."""
    return _core.detect_recursion(mod)


def collect_non_negative_expressions(sinfo: StructInfo) -> list[Any]:
    """The extents in a struct info that are no constants: none is negative."""
    return _core.collect_non_negative_expressions(sinfo)


def struct_info_base_check(base: StructInfo, derived: StructInfo) -> BaseCheckResult:
    """Whether every value that is `derived` also is `base`."""
    return BaseCheckResult(_core.struct_info_base_check(base, derived))


def get_static_type(sinfo: StructInfo) -> StructInfo:
    """The struct info without the values of dimensions."""
    return _core.static_type(sinfo)


def erase_to_well_defined(
    sinfo: StructInfo, shape_var_map: dict[Any, Any] | None = None, var_map: dict[Var, Expr] | None = None
) -> StructInfo:
    """The struct info in which symbolic dimensions have these values, and those without one are forgotten."""
    return _core.erase_to_well_defined(sinfo, dict(shape_var_map or {}))


def derive_call_ret_struct_info(func_sinfo: StructInfo, call: Call, ctx: Any = None) -> StructInfo:
    """The struct info of the result of a call of such a function."""
    return _core.derive_call_ret_struct_info(func_sinfo, list(call.args))


def tir_vars_in_struct_info(sinfo: StructInfo) -> list[Any]:
    """Every symbolic dimension that the struct info mentions."""
    return _core.dims_in_struct_info(sinfo, False)


def definable_tir_vars_in_struct_info(sinfo: StructInfo) -> list[Any]:
    """The symbolic dimensions that a value of the struct info defines."""
    return _core.dims_in_struct_info(sinfo, True)


def defined_symbolic_vars(func: Function) -> list[Any]:
    """The symbolic dimensions that the function defines: by its parameters, and by casts that match."""
    return _core.symbolic_vars(func, True)


def free_symbolic_vars(func: Function) -> list[Any]:
    """The symbolic dimensions that the function uses and does not define."""
    return _core.symbolic_vars(func, False)


def post_order_visit(expr: Any, fvisit: Callable[[Any], None]) -> None:
    """Calls a function with every expression, parts first."""
    from .expr_functor import PyExprVisitor

    class Visit(PyExprVisitor):
        def visit_expr(self, expr: Any) -> None:
            super().visit_expr(expr)
            fvisit(expr)

    Visit().visit_expr(expr)


def well_formed(obj: IRModule | Function, check_struct_info: bool = True) -> bool:
    """Whether the verifier accepts the module or function, and whether every argument is a variable, a constant or a
    tuple of such; `tilewright.relax.analysis.faults` says what the verifier finds."""
    return not _core.faults(obj) and all(_is_normal(func) for func in _graph_functions(obj))


def _graph_functions(obj: IRModule | Function) -> list[Function]:
    functions = [obj] if not isinstance(obj, IRModule) else [func for _, func in obj.functions_items()]
    return [func for func in functions if isinstance(func, Function)]


def _is_leaf(value: Any) -> bool:
    if isinstance(value, Tuple):
        return all(_is_leaf(field) for field in value.fields)
    return not isinstance(value, (Call, If, SeqExpr, TupleGetItem, Function))


def _is_normal(func: Function) -> bool:
    """Whether the values that calls, tuples, conditions and results have are leaves."""
    normal = True

    def visit(value: Any) -> None:
        nonlocal normal
        if isinstance(value, Call):
            normal &= all(_is_leaf(arg) for arg in value.args)
        elif isinstance(value, (Tuple, TupleGetItem)):
            normal &= _is_leaf(value if isinstance(value, Tuple) else value.tuple_value)
        elif isinstance(value, If):
            normal &= _is_leaf(value.cond)
        elif isinstance(value, SeqExpr):
            normal &= _is_leaf(value.body)

    post_order_visit(func, visit)
    return normal


def faults(obj: IRModule | Function) -> list[str]:
    """What the verifier finds wrong, each as it words it."""
    return _core.faults(obj)


# The later names.
type_base_check = struct_info_base_check
type_lca = struct_info_lca
tir_vars_in_type = tir_vars_in_struct_info
definable_tir_vars_in_type = definable_tir_vars_in_struct_info
derive_call_ret_type = derive_call_ret_struct_info


def estimate_memory_usage(mod: IRModule | Function) -> str:
    """A table of the memory that each function's tensors take, of a module after `StaticPlanBlockMemory`.

    It has the bytes as planned, without planning and at the peak, and the tensors in memory of their own.
    """
    if isinstance(mod, Function):
        mod = IRModule({GlobalVar("foo"): mod})
    return _core.estimate_memory_usage(mod)


def derive_func_ret_shape(args: list[Var], body: Expr) -> ShapeExpr:
    """The shape of a function's result in its own dimensions: those that its parameters `args` tell."""
    info = body.struct_info
    if not isinstance(info, TensorStructInfo) or info.shape is None:
        raise ValueError(f"the body of the function is no tensor of known shape: {info}")
    told = {var for arg in args for var in definable_tir_vars_in_struct_info(arg.struct_info)}
    untold = [var for var in tir_vars_in_struct_info(info) if var not in told]
    if untold:
        raise ValueError(f"no parameter tells {', '.join(var.name for var in untold)}")
    return ShapeExpr(list(info.shape))
