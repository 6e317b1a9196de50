"""Renames functions of a module, with every reference to them."""

from tilewright import IRModule, ir, relax
from tilewright.relax.expr_functor import PyExprMutator, mutator


def rename_functions(names):
    """The pass that gives the functions in `names` the names that it maps them to."""

    @mutator
    class Renamer(PyExprMutator):
        def visit_global_var_(self, op):
            if op.name_hint not in names:
                return op
            return ir.GlobalVar(names[op.name_hint], op.struct_info)

    @ir.transform.module_pass(opt_level=0, name="RenameFunctions")
    def rename(module, context):
        renamed = IRModule({}, module.attrs, module.global_infos)
        for var, function in module.functions_items():
            if isinstance(function, relax.Function):
                function = Renamer(module).visit_expr(function)
            name = names.get(var.name_hint, var.name_hint)
            if name != var.name_hint and function.attrs.get("global_symbol") == var.name_hint:
                function = function.with_attr("global_symbol", name)
            renamed[name] = function
        return renamed

    return rename
