# Heads are split, scores scaled and biased; transpositions go in, what only changes a shape stays outside.
# test: opt --pass FuseAttention
# run: main n=5 == same
# run: main n=1 == same
# run: main n=3 special == same


@I.ir_module
class Module:
    @R.function
    def main(
        q: R.Tensor((2, "n", 6), "float32"),
        k: R.Tensor((2, "n", 6), "float32"),
        v: R.Tensor((2, "n", 6), "float32"),
        mask: R.Tensor((2, 1, 1, "n"), "float32"),
    ):
        n = T.int64()
        with R.dataflow():
            q1 = R.reshape(q, (2, n, 3, 2))
            q2 = R.permute_dims(q1, [0, 2, 1, 3])
            k1 = R.reshape(k, (2, n, 3, 2))
            k2 = R.permute_dims(k1, [0, 2, 1, 3])
            k3 = R.permute_dims(k2, [0, 1, 3, 2])
            v1 = R.reshape(v, (2, n, 3, 2))
            v2 = R.permute_dims(v1, [0, 2, 1, 3])
            products = R.matmul(q2, k3)
            scaled = R.divide(products, R.const(1.4142135, "float32"))
            scores = R.add(mask, scaled)
            weights = R.nn.softmax(scores, axis=-1)
            mixed = R.matmul(weights, v2)
            back = R.permute_dims(mixed, [0, 2, 1, 3])
            flat = R.reshape(back, (2, n, 6))
            R.output(flat)
        return flat

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(private=True)
    def fused_attention(q1: R.Tensor((2, "n", 3, 2), dtype="float32"), k1: R.Tensor((2, "n", 3, 2), dtype="float32"), v1: R.Tensor((2, "n", 3, 2), dtype="float32"), mask: R.Tensor((2, 1, 1, "n"), dtype="float32")) -> R.Tensor((2, "n", 3, 2), dtype="float32"):
        n = T.int64()
        R.func_attr({"Primitive": 1})
        with R.dataflow():
            q2: R.Tensor((2, 3, n, 2), dtype="float32") = R.permute_dims(q1, axes=[0, 2, 1, 3])
            k2: R.Tensor((2, 3, n, 2), dtype="float32") = R.permute_dims(k1, axes=[0, 2, 1, 3])
            k3: R.Tensor((2, 3, 2, n), dtype="float32") = R.permute_dims(k2, axes=[0, 1, 3, 2])
            v2: R.Tensor((2, 3, n, 2), dtype="float32") = R.permute_dims(v1, axes=[0, 2, 1, 3])
            products: R.Tensor((2, 3, n, n), dtype="float32") = R.matmul(q2, k3, out_dtype="void")
            scaled: R.Tensor((2, 3, n, n), dtype="float32") = R.divide(products, R.const(1.4142135, "float32"))
            scores: R.Tensor((2, 3, n, n), dtype="float32") = R.add(mask, scaled)
            weights: R.Tensor((2, 3, n, n), dtype="float32") = R.nn.softmax(scores, axis=-1)
            mixed: R.Tensor((2, 3, n, 2), dtype="float32") = R.matmul(weights, v2, out_dtype="void")
            back: R.Tensor((2, n, 3, 2), dtype="float32") = R.permute_dims(mixed, axes=[0, 2, 1, 3])
            R.output(back)
        return back

    @R.function
    def main(q: R.Tensor((2, "n", 6), dtype="float32"), k: R.Tensor((2, "n", 6), dtype="float32"), v: R.Tensor((2, "n", 6), dtype="float32"), mask: R.Tensor((2, 1, 1, "n"), dtype="float32")) -> R.Tensor((2, "n", 6), dtype="float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            q1: R.Tensor((2, n, 3, 2), dtype="float32") = R.reshape(q, R.shape([2, n, 3, 2]))
            k1: R.Tensor((2, n, 3, 2), dtype="float32") = R.reshape(k, R.shape([2, n, 3, 2]))
            v1: R.Tensor((2, n, 3, 2), dtype="float32") = R.reshape(v, R.shape([2, n, 3, 2]))
            back: R.Tensor((2, n, 3, 2), dtype="float32") = cls.fused_attention(q1, k1, v1, mask)
            flat: R.Tensor((2, n, 6), dtype="float32") = R.reshape(back, R.shape([2, n, 6]))
            R.output(flat)
        return flat
