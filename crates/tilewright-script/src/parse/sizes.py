# Symbolic dimensions that are sizes: of parameters, of casts, in closures.
# test: print

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor(("m",), dtype="float32"), z: R.Tensor(dtype="float32", ndim=1)) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64(is_size_var=True)
        m = T.int64()
        k = T.int64(is_size_var=True)
        c: R.Tensor((k,), dtype="float32") = R.match_cast(z, R.Tensor((k,), dtype="float32"))
        b: R.Tensor((m + k,), dtype="float32") = R.concat((y, c), axis=0)
        return x

    @R.function
    def outer(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64(is_size_var=True)
        @R.function
        def inner(a: R.Tensor((n,), dtype="float32"), b: R.Tensor(("k",), dtype="float32")) -> R.Tensor((n,), dtype="float32"):
            k = T.int64(is_size_var=True)
            return a
        y: R.Tensor((n,), dtype="float32") = inner(x, x)
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor(("m",), dtype="float32"), z: R.Tensor(dtype="float32", ndim=1)) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64(is_size_var=True)
        k = T.int64(is_size_var=True)
        m = T.int64()
        c: R.Tensor((k,), dtype="float32") = R.match_cast(z, R.Tensor((k,), dtype="float32"))
        b: R.Tensor((m + k,), dtype="float32") = R.concat((y, c), axis=0)
        return x

    @R.function
    def outer(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64(is_size_var=True)
        @R.function
        def inner(a: R.Tensor(("n",), dtype="float32"), b: R.Tensor(("k",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
            k = T.int64(is_size_var=True)
            return a
        y: R.Tensor((n,), dtype="float32") = inner(x, x)
        return y
