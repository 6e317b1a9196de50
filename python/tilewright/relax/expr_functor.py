"""Visitors and mutators of graph functions, for passes written in Python.

A subclass overrides a method such as `visit_call_` for the kinds that it looks at; the rest is walked or copied. A
mutator has a block builder at hand (`builder_`), which brings what changed into normal form.

    @mutator
    class ReluToGelu(PyExprMutator):
        def visit_call_(self, call):
            call = self.visit_expr_post_order(call)
            if call.op.same_as(Op.get("relax.nn.relu")):
                return relax.op.nn.gelu(call.args[0])
            return call
"""

from __future__ import annotations

from typing import Any

from ..ir.module import GlobalVar, IRModule
from ..ir.op import Op
from .block_builder import BlockBuilder
from .expr import (
    Binding,
    BindingBlock,
    Call,
    Constant,
    DataflowBlock,
    DataflowVar,
    DataTypeImm,
    Expr,
    ExternFunc,
    Function,
    If,
    MatchCast,
    PrimValue,
    SeqExpr,
    ShapeExpr,
    StringImm,
    Tuple,
    TupleGetItem,
    Var,
    VarBinding,
)
from .struct_info import StructInfo

__all__ = ["ExprFunctor", "PyExprMutator", "PyExprVisitor", "mutator", "visitor"]

_METHODS: dict[type, str] = {
    Constant: "visit_constant_",
    Tuple: "visit_tuple_",
    DataflowVar: "visit_dataflow_var_",
    Var: "visit_var_",
    ShapeExpr: "visit_shape_expr_",
    ExternFunc: "visit_extern_func_",
    GlobalVar: "visit_global_var_",
    Function: "visit_function_",
    Call: "visit_call_",
    SeqExpr: "visit_seq_expr_",
    If: "visit_if_",
    Op: "visit_op_",
    TupleGetItem: "visit_tuple_getitem_",
    PrimValue: "visit_prim_value_",
    StringImm: "visit_string_imm_",
    DataTypeImm: "visit_data_type_imm_",
}


def visitor(cls: type) -> type:
    """Marks a class as a visitor; the class stays as it is."""
    return cls


def mutator(cls: type) -> type:
    """Marks a class as a mutator; the class stays as it is."""
    return cls


class ExprFunctor:
    """Calls the method for the kind of an expression."""

    def visit_expr(self, expr: Expr) -> Any:
        """Calls the method for the kind of the expression."""
        for cls in type(expr).__mro__:
            if cls in _METHODS:
                return getattr(self, _METHODS[cls])(expr)
        raise TypeError(f"expected a graph expression, found {type(expr).__name__}")

    def visit_binding(self, binding: Binding) -> Any:
        """Calls the method for the kind of the binding."""
        if isinstance(binding, MatchCast):
            return self.visit_match_cast_(binding)
        return self.visit_var_binding_(binding)

    def visit_binding_block(self, block: BindingBlock) -> Any:
        """Calls the method for the kind of the block."""
        if isinstance(block, DataflowBlock):
            return self.visit_dataflow_block_(block)
        return self.visit_binding_block_(block)

    def visit_var_def(self, var: Var) -> Any:
        """Calls the method for a variable where it is defined."""
        if isinstance(var, DataflowVar):
            return self.visit_dataflow_var_def_(var)
        return self.visit_var_def_(var)


class PyExprVisitor(ExprFunctor):
    """Looks at every expression, binding and block of a function."""

    def _nothing(self, _node: Any) -> None:
        pass

    visit_constant_ = visit_var_ = visit_dataflow_var_ = visit_extern_func_ = visit_global_var_ = _nothing
    visit_op_ = visit_string_imm_ = visit_data_type_imm_ = visit_span = visit_var_def_ = _nothing
    visit_dataflow_var_def_ = _nothing

    def visit_prim_expr(self, expr: Any) -> None:
        """Looks at a scalar expression of a shape or primitive value."""

    def visit_tuple_(self, op: Tuple) -> None:
        """Looks at the fields."""
        for field in op.fields:
            self.visit_expr(field)

    def visit_shape_expr_(self, op: ShapeExpr) -> None:
        """Looks at the dimensions."""
        for dim in op.values:
            self.visit_prim_expr(dim)

    def visit_prim_value_(self, op: PrimValue) -> None:
        """Looks at the value."""
        self.visit_prim_expr(op.value)

    def visit_tuple_getitem_(self, op: TupleGetItem) -> None:
        """Looks at the tuple."""
        self.visit_expr(op.tuple_value)

    def visit_call_(self, op: Call) -> None:
        """Looks at what is called and at the arguments."""
        self.visit_expr(op.op)
        for arg in op.args:
            self.visit_expr(arg)

    def visit_if_(self, op: If) -> None:
        """Looks at the condition and both branches."""
        self.visit_expr(op.cond)
        self.visit_expr(op.true_branch)
        self.visit_expr(op.false_branch)

    def visit_seq_expr_(self, op: SeqExpr) -> None:
        """Looks at the blocks and the result."""
        for block in op.blocks:
            self.visit_binding_block(block)
        self.visit_expr(op.body)

    def visit_function_(self, op: Function) -> None:
        """Looks at the parameters and the body."""
        for param in op.params:
            self.visit_var_def(param)
        self.visit_expr(op.body)

    def visit_var_binding_(self, binding: VarBinding) -> None:
        """Looks at the value, then at the variable."""
        self.visit_expr(binding.value)
        self.visit_var_def(binding.var)

    def visit_match_cast_(self, binding: MatchCast) -> None:
        """Looks at the value, then at the variable."""
        self.visit_expr(binding.value)
        self.visit_var_def(binding.var)

    def visit_binding_block_(self, block: BindingBlock) -> None:
        """Looks at the bindings."""
        for binding in block.bindings:
            self.visit_binding(binding)

    def visit_dataflow_block_(self, block: DataflowBlock) -> None:
        """Looks at the bindings."""
        for binding in block.bindings:
            self.visit_binding(binding)


class PyExprMutator(ExprFunctor):
    """Rewrites a function: a method returns the replacement of its node, which is the node itself without a change."""

    def __init__(self, mod: IRModule | None = None) -> None:
        self.builder_ = BlockBuilder(mod)
        self._remap: dict[Var, Var] = {}

    def visit_expr(self, expr: Expr) -> Any:
        """The replacement of the expression, in normal form where it changed."""
        changed = super().visit_expr(expr)
        if changed.same_as(expr) or isinstance(changed, (Function, SeqExpr, Op)):
            return changed
        return self.builder_.normalize(changed)

    def visit_expr_post_order(self, expr: Expr) -> Any:
        """The expression with its parts rewritten, as if the class had no method for its own kind."""
        for cls in type(expr).__mro__:
            if cls in _METHODS:
                changed = getattr(PyExprMutator, _METHODS[cls])(self, expr)
                return changed if isinstance(changed, (Function, SeqExpr)) else self.builder_.normalize(changed)
        raise TypeError(f"expected a graph expression, found {type(expr).__name__}")

    def set_var_remap(self, vid: Any, var: Var) -> None:
        """Replaces a variable, which is given by its identity, by another one."""
        self._remap[getattr(vid, "_var", vid)] = var

    def get_var_remap(self, vid: Any) -> Var:
        """The replacement of a variable."""
        return self._remap[getattr(vid, "_var", vid)]

    def lookup_binding(self, var: Var) -> Expr | None:
        """The value that a variable was bound to in what was written already."""
        return self.builder_.lookup_binding(var)

    def with_struct_info(self, var: Var, struct_info: StructInfo) -> Var:
        """The variable with this struct info: itself where it has it."""
        return var if var.struct_info == struct_info else type(var)(var.name_hint, struct_info)

    def _same(self, op: Expr) -> Expr:
        return op

    visit_constant_ = visit_extern_func_ = visit_global_var_ = visit_op_ = visit_string_imm_ = _same
    visit_data_type_imm_ = _same

    def visit_prim_expr(self, expr: Any) -> Any:
        """The replacement of a scalar expression of a shape or primitive value."""
        return expr

    def visit_span(self, span: Any) -> Any:
        """The replacement of a span."""
        return span

    def visit_var_(self, op: Var) -> Expr:
        """The replacement of this variable."""
        return self._remap.get(op, op)

    def visit_dataflow_var_(self, op: DataflowVar) -> Expr:
        """The replacement of this variable."""
        return self._remap.get(op, op)

    def visit_shape_expr_(self, op: ShapeExpr) -> Expr:
        """The shape with its dimensions rewritten."""
        old = op.values
        new = [self.visit_prim_expr(dim) for dim in old]
        return op if _all_same(old, new) else ShapeExpr(new)

    def visit_prim_value_(self, op: PrimValue) -> Expr:
        """The value rewritten."""
        old = op.value
        new = self.visit_prim_expr(old)
        return op if new.same_as(old) else PrimValue(new)

    def visit_tuple_(self, op: Tuple) -> Expr:
        """The tuple with its fields rewritten."""
        old = op.fields
        new = [self.visit_expr(field) for field in old]
        return op if _all_same(old, new) else Tuple(new)

    def visit_tuple_getitem_(self, op: TupleGetItem) -> Expr:
        """The field of the rewritten tuple."""
        old = op.tuple_value
        new = self.visit_expr(old)
        return op if new.same_as(old) else TupleGetItem(new, op.index)

    def visit_call_(self, op: Call) -> Expr:
        """The call with what is called and its arguments rewritten."""
        callee, old = op.op, op.args
        changed, new = self.visit_expr(callee), [self.visit_expr(arg) for arg in old]
        if changed.same_as(callee) and _all_same(old, new):
            return op
        return Call(changed, new, op.attrs, op.sinfo_args)

    def visit_if_(self, op: If) -> Expr:
        """The conditional with its parts rewritten."""
        cond, then, otherwise = op.cond, op.true_branch, op.false_branch
        new = [self.visit_expr(cond), self.visit_with_new_scope(then), self.visit_with_new_scope(otherwise)]
        return op if _all_same([cond, then, otherwise], new) else If(*new)

    def visit_with_new_scope(self, expr: Expr) -> SeqExpr:
        """A body that is rewritten in a scope of its own."""
        return self.visit_expr(expr if isinstance(expr, SeqExpr) else SeqExpr([], expr))

    def visit_seq_expr_(self, op: SeqExpr) -> Expr:
        """The blocks and the result rewritten; blocks without bindings go."""
        old = op.blocks
        new = [self.visit_binding_block(block) for block in old]
        self.builder_._begin_binding_block()
        result = self.builder_.normalize(self.visit_expr(op.body))
        rest = self.builder_._end_block()
        if result.same_as(op.body) and not rest.bindings and _all_same(old, new):
            return op
        return SeqExpr([block for block in [*new, rest] if block.bindings], result)

    def visit_function_(self, op: Function) -> Expr:
        """The function with its parameters and body rewritten; it keeps what it says of its result while that holds."""
        old, body = op.params, op.body
        params = [self.visit_var_def(param) for param in old]
        self.builder_.begin_scope(params)
        try:
            new = self.visit_with_new_scope(body)
        finally:
            self.builder_.end_scope()
        if new.same_as(body) and _all_same(old, params):
            return op
        said = op.ret_struct_info if op.ret_struct_info.is_base_of(new.struct_info) else None
        return Function(params, new, said, op.is_pure, op.attrs)

    def visit_var_binding_(self, binding: VarBinding) -> None:
        """Emits the binding with its value and variable rewritten."""
        old = binding.value
        value = self.visit_expr(old)
        var = self.visit_var_def(binding.var)
        if value.same_as(old) and var.same_as(binding.var):
            self.builder_.emit_normalized(binding)
            return
        value = self.builder_.normalize(value)
        typed = self.with_struct_info(var, value.struct_info)
        if not typed.same_as(binding.var):
            self._remap[binding.var] = typed
        self.builder_.emit_normalized(VarBinding(typed, value))

    def visit_match_cast_(self, binding: MatchCast) -> None:
        """Emits the binding with its value and variable rewritten."""
        old = binding.value
        value = self.visit_expr(old)
        var = self.visit_var_def(binding.var)
        if value.same_as(old) and var.same_as(binding.var):
            self.builder_.emit_normalized(binding)
        else:
            self.builder_.emit_normalized(MatchCast(var, self.builder_.normalize(value), binding.struct_info))

    def visit_binding_block_(self, block: BindingBlock) -> BindingBlock:
        """The block with its bindings rewritten."""
        self.builder_._begin_binding_block()
        for binding in block.bindings:
            self.visit_binding(binding)
        return self.builder_._end_block()

    def visit_dataflow_block_(self, block: DataflowBlock) -> BindingBlock:
        """The block with its bindings rewritten."""
        self.builder_._begin_dataflow_block()
        for binding in block.bindings:
            self.visit_binding(binding)
        return self.builder_._end_block()

    def visit_var_def_(self, var: Var) -> Var:
        """The replacement of a variable at its definition."""
        return var

    def visit_dataflow_var_def_(self, var: DataflowVar) -> Var:
        """The replacement of a variable at its definition."""
        return var


def _all_same(old: Any, new: Any) -> bool:
    return all(a.same_as(b) for a, b in zip(old, new, strict=True))
