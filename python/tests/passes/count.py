"""Counts what a module calls, and writes it down as an attribute of the module."""

from collections import Counter

from tilewright import ir, relax
from tilewright.relax.expr_functor import PyExprVisitor, visitor


@visitor
class Calls(PyExprVisitor):
    def __init__(self):
        self.counts = Counter()

    def visit_call_(self, call):
        super().visit_call_(call)
        if isinstance(call.op, ir.Op):
            self.counts[call.op.name] += 1


@ir.transform.module_pass(opt_level=0, name="CountCalls")
def count_calls(module, context):
    """Gives the module an attribute `calls`: how often each operator is called."""
    calls = Calls()
    for _, function in module.functions_items():
        if isinstance(function, relax.Function):
            calls.visit_expr(function)
    return module.with_attr("calls", dict(sorted(calls.counts.items())))
