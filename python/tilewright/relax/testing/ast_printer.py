"""Expressions as the text of their constructors: their structure, where the script shows their meaning."""

from __future__ import annotations

from typing import Any

from ..._core import Object
from ...ir.container import Array, Map
from ...ir.module import GlobalVar
from ...ir.op import Op
from .. import expr as relax
from ..struct_info import StructInfo

__all__ = ["ASTPrinter", "dump_ast"]

_FIELDS: dict[type, tuple[str, ...]] = {
    relax.Constant: ("data",),
    relax.Tuple: ("fields",),
    relax.DataflowVar: ("name_hint",),
    relax.Var: ("name_hint",),
    relax.ShapeExpr: ("values",),
    relax.ExternFunc: ("global_symbol",),
    GlobalVar: ("name_hint",),
    relax.Function: ("params", "body", "ret_struct_info", "is_pure", "attrs"),
    relax.Call: ("op", "args", "sinfo_args", "attrs"),
    relax.SeqExpr: ("blocks", "body"),
    relax.If: ("cond", "true_branch", "false_branch"),
    relax.TupleGetItem: ("tuple_value", "index"),
    relax.PrimValue: ("value",),
    relax.StringImm: ("value",),
    relax.DataTypeImm: ("value",),
    relax.VarBinding: ("var", "value"),
    relax.MatchCast: ("var", "value", "struct_info"),
    relax.DataflowBlock: ("bindings",),
    relax.BindingBlock: ("bindings",),
}


class ASTPrinter:
    """Prints expressions as their constructors, nested by indentation."""

    def __init__(
        self, indent_str: str = "    ", include_struct_info_annotations: bool = True, include_call_attrs: bool = True
    ) -> None:
        self.indent_str = indent_str
        self.include_struct_info_annotations = include_struct_info_annotations
        self.include_call_attrs = include_call_attrs

    def visit_expr(self, expr: Any) -> str:
        """The text of an expression, binding or block."""
        if isinstance(expr, Op):
            return f'Op(name="{expr.name}")'
        if isinstance(expr, StructInfo) or not isinstance(expr, (relax.Expr, relax.Binding, relax.BindingBlock)):
            return self._plain(expr)
        cls = next(cls for cls in type(expr).__mro__ if cls in _FIELDS)
        shown = [(name, getattr(expr, name)) for name in _FIELDS[cls] if self._shows(cls, name, expr)]
        if (
            self.include_struct_info_annotations
            and isinstance(expr, relax.Expr)
            and cls not in (GlobalVar, relax.SeqExpr)
        ):
            shown.append(("struct_info", expr.struct_info))
        return self._node(cls.__name__, [(name, self.visit_expr(value)) for name, value in shown])

    def _shows(self, cls: type, name: str, expr: Any) -> bool:
        if name == "attrs":
            return self.include_call_attrs and bool(expr.attrs)
        return name != "sinfo_args" or bool(expr.sinfo_args)

    def _plain(self, value: Any) -> str:
        if isinstance(value, Map):
            return self._list("{", [f'"{name}": {self.visit_expr(item)}' for name, item in value.items()], "}")
        if isinstance(value, (Array, list, tuple)):
            return self._list("[", [self.visit_expr(item) for item in value], "]")
        if isinstance(value, str):
            return f'"{value}"'
        if isinstance(value, Object):
            return f"{type(value).__name__}({value})" if not isinstance(value, StructInfo) else str(value)
        return str(value)

    def _list(self, opening: str, items: list[str], closing: str) -> str:
        if not items or (sum(map(len, items)) < 60 and "\n" not in "".join(items)):
            return f"{opening}{', '.join(items)}{closing}"
        inner = ",\n".join(self._indented(item) for item in items)
        return f"{opening}\n{inner},\n{closing}"

    def _node(self, name: str, fields: list[tuple[str, str]]) -> str:
        return self._list(f"{name}(", [f"{field}={text}" for field, text in fields], ")")

    def _indented(self, text: str) -> str:
        return "\n".join(self.indent_str + line for line in text.split("\n"))


def dump_ast(
    exp: Any,
    indent_str: str = "    ",
    include_struct_info_annotations: bool = True,
    include_call_attrs: bool = True,
) -> str:
    """An expression as the text of its constructors."""
    return ASTPrinter(indent_str, include_struct_info_annotations, include_call_attrs).visit_expr(exp)
