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

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), fget_param: R.Callable((R.Prim("int64"), R.Object), R.Object, True)) -> R.Tensor(dtype="float32", ndim=2):
        m = T.int64()
        n = T.int64()
        R.func_attr({"num_input": 2})
        with R.dataflow():
            w_untyped: R.Object = fget_param(R.prim_value(0), R.str("w"))
            w: R.Tensor((4, m), dtype="float32") = R.match_cast(w_untyped, R.Tensor((4, m), dtype="float32"))
            y: R.Tensor((n, m), dtype="float32") = R.matmul(x, w, out_dtype="void")
            b_untyped: R.Object = fget_param(R.prim_value(1), R.str("b"))
            b: R.Tensor((m,), dtype="float32") = R.match_cast(b_untyped, R.Tensor((m,), dtype="float32"))
            z: R.Tensor((n, m), dtype="float32") = R.add(y, b)
            R.output(z)
        return z

    @R.function(private=True)
    def other(w: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        return w
