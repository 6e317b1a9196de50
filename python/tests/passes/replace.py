"""Replaces an operator by a cheaper one: the square of a tensor by a product."""

from tilewright import ir, relax
from tilewright.relax.expr_functor import PyExprMutator, mutator


@mutator
class PowerToProduct(PyExprMutator):
    def visit_call_(self, call):
        call = self.visit_expr_post_order(call)
        if call.op != ir.Op.get("relax.power"):
            return call
        base, exponent = call.args
        if isinstance(exponent, relax.Constant) and exponent.data.shape == () and exponent.data.item() == 2.0:
            return relax.op.multiply(base, base)
        return call


@relax.transform.function_pass(opt_level=0, name="PowerToProduct")
def power_to_product(function, module, context):
    """Puts `x * x` where `x ** 2` is computed."""
    return PowerToProduct(module).visit_expr(function)
