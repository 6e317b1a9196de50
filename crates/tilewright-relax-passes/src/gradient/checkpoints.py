# What lies between the marks is computed again from what was given to the first one.
# test: opt --pass Gradient:func_name=main,require_grads=x
# run: main_adjoint


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
