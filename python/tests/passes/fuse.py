"""Fuses a matrix product with the bias and the rectifier behind it into one kernel."""

from tilewright import ir, relax
from tilewright.relax.dpl import is_op, rewrite_call, wildcard
from tilewright.script import tir as T


@T.prim_func(private=True)
def dense_relu(x_handle: T.handle, w_handle: T.handle, b_handle: T.handle, out_handle: T.handle):
    n, k, m = T.int64(), T.int64(), T.int64()
    x = T.match_buffer(x_handle, (n, k), "float32")
    w = T.match_buffer(w_handle, (k, m), "float32")
    b = T.match_buffer(b_handle, (m,), "float32")
    out = T.match_buffer(out_handle, (n, m), "float32")
    total = T.alloc_buffer((n, m), "float32")
    for i, j, r in T.grid(n, m, k):
        with T.block("product"):
            vi, vj, vr = T.axis.remap("SSR", [i, j, r])
            with T.init():
                total[vi, vj] = T.float32(0)
            total[vi, vj] = total[vi, vj] + x[vi, vr] * w[vr, vj]
    for i, j in T.grid(n, m):
        with T.block("finish"):
            vi, vj = T.axis.remap("SS", [i, j])
            out[vi, vj] = T.max(total[vi, vj] + b[vj], T.float32(0))


def is_plain_matrix(expr):
    info = expr.struct_info
    return info.dtype == "float32" and info.ndim == 2 and info.shape is not None


@ir.transform.module_pass(opt_level=0, name="FuseDense")
def fuse_dense(module, context):
    """Puts a call of `dense_relu` where `relu(x @ w + b)` is computed on float32 matrices."""
    x, w, b = wildcard(), wildcard(), wildcard()
    product = is_op("relax.matmul")(x, w)
    pattern = is_op("relax.nn.relu")(is_op("relax.add")(product, b))
    builder = relax.BlockBuilder(module)
    kernel = []

    def rewrite(call, found):
        fits = is_plain_matrix(found[x]) and is_plain_matrix(found[w]) and found[b].struct_info.ndim == 1
        if not fits or not ir.structural_equal(found[b].struct_info.shape.values[0], call.struct_info.shape.values[1]):
            return call
        if not kernel:
            kernel.append(builder.add_func(dense_relu, "dense_relu"))
        return relax.op.call_tir(kernel[0], [found[x], found[w], found[b]], call.struct_info)

    for var, function in module.functions_items():
        if isinstance(function, relax.Function):
            builder.update_func(var, rewrite_call(pattern, rewrite, function))
    return builder.get()
