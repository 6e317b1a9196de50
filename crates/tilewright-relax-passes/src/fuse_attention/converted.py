# Keys and values are widened in the function, and its result is narrowed there; what is narrowed in between stays outside.
# test: opt --pass FuseAttention
# run: main tol=1e-2 == same


@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor((2, 4, 8), "float16"), k: R.Tensor((2, 8, 5), "float16"), v: R.Tensor((2, 5, 8), "float16")):
        with R.dataflow():
            s = R.matmul(q, k, out_dtype="float32")
            w = R.nn.softmax(s, axis=-1)
            a = R.astype(R.matmul(w, R.astype(v, "float32")), "float16")
            R.output(a)
        return a

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(private=True)
    def fused_attention(q: R.Tensor((2, 4, 8), dtype="float16"), k: R.Tensor((2, 8, 5), dtype="float16"), v: R.Tensor((2, 5, 8), dtype="float16")) -> R.Tensor((2, 4, 8), dtype="float16"):
        R.func_attr({"Primitive": 1})
        with R.dataflow():
            s: R.Tensor((2, 4, 5), dtype="float32") = R.matmul(q, k, out_dtype="float32")
            w: R.Tensor((2, 4, 5), dtype="float32") = R.nn.softmax(s, axis=-1)
            lv: R.Tensor((2, 5, 8), dtype="float32") = R.astype(v, dtype="float32")
            lv1: R.Tensor((2, 4, 8), dtype="float32") = R.matmul(w, lv, out_dtype="void")
            a: R.Tensor((2, 4, 8), dtype="float16") = R.astype(lv1, dtype="float16")
            R.output(a)
        return a

    @R.function
    def main(q: R.Tensor((2, 4, 8), dtype="float16"), k: R.Tensor((2, 8, 5), dtype="float16"), v: R.Tensor((2, 5, 8), dtype="float16")) -> R.Tensor((2, 4, 8), dtype="float16"):
        cls = Module
        with R.dataflow():
            a: R.Tensor((2, 4, 8), dtype="float16") = cls.fused_attention(q, k, v)
            R.output(a)
        return a
