# What lies between the marks is computed again from what was given to the first one.
# test: opt --pass Gradient:func_name=main,require_grads=x


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32"), y: R.Tensor((3,), "float32")):
        with R.dataflow():
            a = R.grad.start_checkpoint(x)
            b = R.sin(a)
            c = R.multiply(b, b)
            d = R.grad.end_checkpoint(c)
            e = R.multiply(d, y)
            gv = R.sum(e)
            R.output(gv)
        return gv

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), dtype="float32"), y: R.Tensor((3,), dtype="float32")) -> R.Tensor((), dtype="float32"):
        with R.dataflow():
            a: R.Tensor((3,), dtype="float32") = R.grad.start_checkpoint(x)
            b: R.Tensor((3,), dtype="float32") = R.sin(a)
            c: R.Tensor((3,), dtype="float32") = R.multiply(b, b)
            d: R.Tensor((3,), dtype="float32") = R.grad.end_checkpoint(c)
            e: R.Tensor((3,), dtype="float32") = R.multiply(d, y)
            gv: R.Tensor((), dtype="float32") = R.sum(e, axis=None, keepdims=False)
            R.output(gv)
        return gv

    @R.function
    def main_adjoint(x: R.Tensor((3,), dtype="float32"), y: R.Tensor((3,), dtype="float32")) -> R.Tuple(R.Tensor((), dtype="float32"), R.Tuple(R.Tensor((3,), dtype="float32"))):
        with R.dataflow():
            b: R.Tensor((3,), dtype="float32") = R.sin(x)
            c: R.Tensor((3,), dtype="float32") = R.multiply(b, b)
            e: R.Tensor((3,), dtype="float32") = R.multiply(c, y)
            gv: R.Tensor((), dtype="float32") = R.sum(e, axis=None, keepdims=False)
            gv_adjoint: R.Tensor((), dtype="float32") = R.ones(R.shape([]), dtype="float32")
            e_adjoint: R.Tensor((3,), dtype="float32") = R.broadcast_to(gv_adjoint, R.shape([3]))
            b_cp: R.Tensor((3,), dtype="float32") = R.sin(x)
            c_adjoint: R.Tensor((3,), dtype="float32") = R.multiply(e_adjoint, y)
            b_adjoint: R.Tensor((3,), dtype="float32") = R.multiply(c_adjoint, b_cp)
            lv: R.Tensor((3,), dtype="float32") = R.multiply(c_adjoint, b_cp)
            b_adjoint1: R.Tensor((3,), dtype="float32") = R.add(b_adjoint, lv)
            lv1: R.Tensor((3,), dtype="float32") = R.cos(x)
            x_adjoint: R.Tensor((3,), dtype="float32") = R.multiply(b_adjoint1, lv1)
            x_adjoint_out: R.Tensor((3,), dtype="float32") = x_adjoint
            R.output(gv, x_adjoint_out)
        return (gv, (x_adjoint_out,))
