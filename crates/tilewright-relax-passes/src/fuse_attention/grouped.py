# Keys and values of groups of heads, a mask that chooses, of several lengths; a shared transposition stays outside.
# test: opt --pass FuseAttention
# run: main n=3 m=5 == same
# run: main n=2 m=2 special == same


@I.ir_module
class Module:
    @R.function
    def main(
        q: R.Tensor((1, 4, "n", 2), "float32"),
        k: R.Tensor((1, 2, "m", 2), "float32"),
        v: R.Tensor((1, 2, "m", 2), "float32"),
        mask: R.Tensor(("n", "m"), "bool"),
    ):
        with R.dataflow():
            k1 = R.repeat(k, 2, axis=1)
            k2 = R.permute_dims(k1, [0, 1, 3, 2])
            v1 = R.repeat(v, 2, axis=1)
            products = R.matmul(q, k2)
            scores = R.where(mask, products, R.const(float("-inf"), "float32"))
            weights = R.nn.softmax(scores, axis=3)
            a = R.matmul(weights, v1)
            both = R.permute_dims(q, [0, 2, 1, 3])
            b = R.nn.attention(both, both, both)
            R.output(a, b)
        return (a, b)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(private=True)
    def fused_attention(k: R.Tensor((1, 2, "m", 2), dtype="float32"), v: R.Tensor((1, 2, "m", 2), dtype="float32"), q: R.Tensor((1, 4, "n", 2), dtype="float32"), mask: R.Tensor(("n", "m"), dtype="bool")) -> R.Tensor((1, 4, "n", 2), dtype="float32"):
        m = T.int64()
        n = T.int64()
        R.func_attr({"Primitive": 1})
        with R.dataflow():
            k1: R.Tensor((1, 4, m, 2), dtype="float32") = R.repeat(k, repeats=2, axis=1)
            k2: R.Tensor((1, 4, 2, m), dtype="float32") = R.permute_dims(k1, axes=[0, 1, 3, 2])
            v1: R.Tensor((1, 4, m, 2), dtype="float32") = R.repeat(v, repeats=2, axis=1)
            products: R.Tensor((1, 4, n, m), dtype="float32") = R.matmul(q, k2, out_dtype="void")
            scores: R.Tensor((1, 4, n, m), dtype="float32") = R.where(mask, products, metadata["relax.expr.Constant"][0])
            weights: R.Tensor((1, 4, n, m), dtype="float32") = R.nn.softmax(scores, axis=3)
            a: R.Tensor((1, 4, n, 2), dtype="float32") = R.matmul(weights, v1, out_dtype="void")
            R.output(a)
        return a

    @R.function(private=True)
    def fused_attention1(q: R.Tensor((1, 4, "n", 2), dtype="float32")) -> R.Tensor((1, "n", 4, 2), dtype="float32"):
        n = T.int64()
        R.func_attr({"Primitive": 1})
        with R.dataflow():
            both: R.Tensor((1, n, 4, 2), dtype="float32") = R.permute_dims(q, axes=[0, 2, 1, 3])
            b: R.Tensor((1, n, 4, 2), dtype="float32") = R.nn.attention(both, both, both, scale=None, causal_mask=None, window_size=None)
            R.output(b)
        return b

    @R.function
    def main(q: R.Tensor((1, 4, "n", 2), dtype="float32"), k: R.Tensor((1, 2, "m", 2), dtype="float32"), v: R.Tensor((1, 2, "m", 2), dtype="float32"), mask: R.Tensor(("n", "m"), dtype="bool")) -> R.Tuple(R.Tensor((1, 4, "n", 2), dtype="float32"), R.Tensor((1, "n", 4, 2), dtype="float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            a: R.Tensor((1, 4, n, 2), dtype="float32") = cls.fused_attention(k, v, q, mask)
            b: R.Tensor((1, n, 4, 2), dtype="float32") = cls.fused_attention1(q)
            R.output(a, b)
        return (a, b)

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [], "data": "AACA/w=="},
]}
