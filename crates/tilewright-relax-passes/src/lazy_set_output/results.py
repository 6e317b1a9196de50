# Each result after its binding, a parameter first.
# test: opt --pass LazySetOutput


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32"), w: R.Tensor((5, 4), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            wt = R.permute_dims(w)
            z = R.exp(x)
            R.output(wt, z)
        return (wt, w, z, R.const(1.0, "float32"))
