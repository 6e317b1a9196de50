# The parameters after the inputs become one tuple, whose fields are taken at the start of the function. A function that
# others call, and one without the attribute `num_input`, stay.
# test: opt --pass BundleModelParams
# run: other == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, "m"), "float32"), b: R.Tensor(("m",), "float32")):
        R.func_attr({"num_input": 1})
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            y = R.matmul(x, w)
            z = R.subtract(y, b)
            R.output(z)
        return z

    @R.function
    def empty(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 1})
        return w

    @R.function
    def called(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 1})
        return w

    @R.function
    def other(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")):
        cls = Module
        y = cls.called(x, w)
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def called(x: R.Tensor((4,), dtype="float32"), w: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        R.func_attr({"num_input": 1})
        return w

    @R.function
    def empty(x: R.Tensor((4,), dtype="float32"), model_params: R.Tuple(R.Tensor((4,), dtype="float32"))) -> R.Tensor((4,), dtype="float32"):
        R.func_attr({"num_input": 1})
        w: R.Tensor((4,), dtype="float32") = model_params[0]
        return w

    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), model_params: R.Tuple(R.Tensor((4, "m"), dtype="float32"), R.Tensor(("m",), dtype="float32"))) -> R.Tensor(("n", "m"), dtype="float32"):
        m = T.int64()
        n = T.int64()
        R.func_attr({"num_input": 1})
        with R.dataflow():
            w: R.Tensor((4, m), dtype="float32") = model_params[0]
            y: R.Tensor((n, m), dtype="float32") = R.matmul(x, w, out_dtype="void")
            b: R.Tensor((m,), dtype="float32") = model_params[1]
            z: R.Tensor((n, m), dtype="float32") = R.subtract(y, b)
            R.output(z)
        return z

    @R.function
    def other(x: R.Tensor((4,), dtype="float32"), w: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        y: R.Tensor((4,), dtype="float32") = cls.called(x, w)
        return y
