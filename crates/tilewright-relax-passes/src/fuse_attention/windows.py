# A mask for each window of an image, for which the products get a dimension more for a while.
# test: opt --pass FuseAttention
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor((6, 2, 4, 8), "float32"), k: R.Tensor((6, 2, 8, 4), "float32"), v: R.Tensor((6, 2, 4, 8), "float32"), mask: R.Tensor((1, 3, 1, 4, 4), "float32")):
        with R.dataflow():
            s = R.reshape(R.matmul(q, k), (2, 3, 2, 4, 4))
            t = R.reshape(R.add(s, mask), (6, 2, 4, 4))
            a = R.matmul(R.nn.softmax(t, axis=-1), v)
            R.output(a)
        return a

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(private=True)
    def fused_attention(q: R.Tensor((6, 2, 4, 8), dtype="float32"), k: R.Tensor((6, 2, 8, 4), dtype="float32"), mask: R.Tensor((1, 3, 1, 4, 4), dtype="float32"), v: R.Tensor((6, 2, 4, 8), dtype="float32")) -> R.Tensor((6, 2, 4, 8), dtype="float32"):
        R.func_attr({"Primitive": 1})
        with R.dataflow():
            lv: R.Tensor((6, 2, 4, 4), dtype="float32") = R.matmul(q, k, out_dtype="void")
            s: R.Tensor((2, 3, 2, 4, 4), dtype="float32") = R.reshape(lv, R.shape([2, 3, 2, 4, 4]))
            lv1: R.Tensor((2, 3, 2, 4, 4), dtype="float32") = R.add(s, mask)
            t: R.Tensor((6, 2, 4, 4), dtype="float32") = R.reshape(lv1, R.shape([6, 2, 4, 4]))
            lv2: R.Tensor((6, 2, 4, 4), dtype="float32") = R.nn.softmax(t, axis=-1)
            a: R.Tensor((6, 2, 4, 8), dtype="float32") = R.matmul(lv2, v, out_dtype="void")
            R.output(a)
        return a

    @R.function
    def main(q: R.Tensor((6, 2, 4, 8), dtype="float32"), k: R.Tensor((6, 2, 8, 4), dtype="float32"), v: R.Tensor((6, 2, 4, 8), dtype="float32"), mask: R.Tensor((1, 3, 1, 4, 4), dtype="float32")) -> R.Tensor((6, 2, 4, 8), dtype="float32"):
        cls = Module
        with R.dataflow():
            a: R.Tensor((6, 2, 4, 8), dtype="float32") = cls.fused_attention(q, k, mask, v)
            R.output(a)
        return a
