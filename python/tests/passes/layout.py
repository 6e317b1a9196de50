"""Stores the weights of matrix products transposed: the function takes them so, and turns them round again."""

from tilewright import ir, relax
from tilewright.relax.expr_functor import PyExprMutator, PyExprVisitor, mutator, visitor

MATMUL = "relax.matmul"


@visitor
class Weights(PyExprVisitor):
    """The parameters that are the right side of a product of matrices."""

    def __init__(self, function):
        self.params, self.found = list(function.params), []
        self.visit_expr(function)

    def visit_call_(self, call):
        super().visit_call_(call)
        if call.op == ir.Op.get(MATMUL):
            right = call.args[1]
            if right in self.params and right not in self.found and right.struct_info.ndim == 2:
                self.found.append(right)


@mutator
class Transposer(PyExprMutator):
    def __init__(self, module, weights):
        super().__init__(module)
        self.stored = {}
        for weight in weights:
            info = weight.struct_info
            rows, columns = info.shape.values
            self.stored[weight] = relax.Var(
                weight.name_hint, relax.TensorStructInfo((columns, rows), info.dtype, info.vdevice)
            )

    def visit_var_def_(self, var):
        return self.stored.get(var, var)

    def visit_var_(self, op):
        if op not in self.stored:
            return super().visit_var_(op)
        return relax.op.permute_dims(self.stored[op])


@relax.transform.function_pass(opt_level=0, name="TransposeWeights")
def transpose_weights(function, module, context):
    """Lets a function take its matrices of weights with rows and columns exchanged."""
    weights = Weights(function).found
    return Transposer(module, weights).visit_expr(function) if weights else function
