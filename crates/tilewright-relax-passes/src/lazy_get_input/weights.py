# Each weight before its first use, also a symbolic one; a private function keeps its parameters.
# test: opt --pass LazyGetInput


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, "m"), "float32"), b: R.Tensor(("m",), "float32")):
        R.func_attr({"num_input": 1})
        m = T.int64()
        with R.dataflow():
            y = R.matmul(x, w)
            z = R.add(y, b)
            R.output(z)
        return z

    @R.function(private=True)
    def other(w: R.Tensor((4,), "float32")):
        return w
