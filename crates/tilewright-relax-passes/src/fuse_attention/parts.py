# Queries, keys and values are parts of one tensor; where something else uses a part, parts are copied.
# test: opt --pass FuseAttention
# run: main n=5 == same
# run: main n=0 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, "n", 18), "float32"), y: R.Tensor((3, 12), "float32")):
        n = T.int64()
        with R.dataflow():
            parts = R.split(x, 3, axis=-1)
            q = parts[0]
            k = parts[1]
            v = parts[2]
            q1 = R.permute_dims(R.reshape(q, (1, n, 3, 2)), [0, 2, 1, 3])
            k1 = R.permute_dims(R.reshape(k, (1, n, 3, 2)), [0, 2, 3, 1])
            v1 = R.permute_dims(R.reshape(v, (1, n, 3, 2)), [0, 2, 1, 3])
            weights = R.nn.softmax(R.matmul(q1, k1))
            a = R.permute_dims(R.matmul(weights, v1), [0, 2, 1, 3])
            others = R.split(y, 3, axis=1)
            u = others[0]
            w = others[1]
            z = others[2]
            b1 = R.nn.softmax(R.matmul(u, R.permute_dims(w)))
            b = R.matmul(b1, z)
            c = R.negative(w)
            R.output(a, b, c)
        return (a, b, c)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(private=True)
    def fused_attention(x: R.Tensor((1, "n", 18), dtype="float32")) -> R.Tensor((1, "n", 3, 2), dtype="float32"):
        n = T.int64()
        R.func_attr({"Primitive": 1})
        with R.dataflow():
            parts: R.Tuple(R.Tensor((1, n, 6), dtype="float32"), R.Tensor((1, n, 6), dtype="float32"), R.Tensor((1, n, 6), dtype="float32")) = R.split(x, indices_or_sections=3, axis=-1)
            q: R.Tensor((1, n, 6), dtype="float32") = parts[0]
            k: R.Tensor((1, n, 6), dtype="float32") = parts[1]
            v: R.Tensor((1, n, 6), dtype="float32") = parts[2]
            lv: R.Tensor((1, n, 3, 2), dtype="float32") = R.reshape(q, R.shape([1, n, 3, 2]))
            q1: R.Tensor((1, 3, n, 2), dtype="float32") = R.permute_dims(lv, axes=[0, 2, 1, 3])
            lv1: R.Tensor((1, n, 3, 2), dtype="float32") = R.reshape(k, R.shape([1, n, 3, 2]))
            k1: R.Tensor((1, 3, 2, n), dtype="float32") = R.permute_dims(lv1, axes=[0, 2, 3, 1])
            lv2: R.Tensor((1, n, 3, 2), dtype="float32") = R.reshape(v, R.shape([1, n, 3, 2]))
            v1: R.Tensor((1, 3, n, 2), dtype="float32") = R.permute_dims(lv2, axes=[0, 2, 1, 3])
            lv3: R.Tensor((1, 3, n, n), dtype="float32") = R.matmul(q1, k1, out_dtype="void")
            weights: R.Tensor((1, 3, n, n), dtype="float32") = R.nn.softmax(lv3, axis=-1)
            lv4: R.Tensor((1, 3, n, 2), dtype="float32") = R.matmul(weights, v1, out_dtype="void")
            a: R.Tensor((1, n, 3, 2), dtype="float32") = R.permute_dims(lv4, axes=[0, 2, 1, 3])
            R.output(a)
        return a

    @R.function(private=True)
    def fused_attention1(w: R.Tensor((3, 4), dtype="float32"), u: R.Tensor((3, 4), dtype="float32"), z: R.Tensor((3, 4), dtype="float32")) -> R.Tensor((3, 4), dtype="float32"):
        R.func_attr({"Primitive": 1})
        with R.dataflow():
            lv5: R.Tensor((4, 3), dtype="float32") = R.permute_dims(w, axes=None)
            lv6: R.Tensor((3, 3), dtype="float32") = R.matmul(u, lv5, out_dtype="void")
            b1: R.Tensor((3, 3), dtype="float32") = R.nn.softmax(lv6, axis=-1)
            b: R.Tensor((3, 4), dtype="float32") = R.matmul(b1, z, out_dtype="void")
            R.output(b)
        return b

    @R.function
    def main(x: R.Tensor((1, "n", 18), dtype="float32"), y: R.Tensor((3, 12), dtype="float32")) -> R.Tuple(R.Tensor((1, "n", 3, 2), dtype="float32"), R.Tensor((3, 4), dtype="float32"), R.Tensor((3, 4), dtype="float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            a: R.Tensor((1, n, 3, 2), dtype="float32") = cls.fused_attention(x)
            others: R.Tuple(R.Tensor((3, 4), dtype="float32"), R.Tensor((3, 4), dtype="float32"), R.Tensor((3, 4), dtype="float32")) = R.split(y, indices_or_sections=3, axis=1)
            u: R.Tensor((3, 4), dtype="float32") = others[0]
            w: R.Tensor((3, 4), dtype="float32") = others[1]
            z: R.Tensor((3, 4), dtype="float32") = others[2]
            b: R.Tensor((3, 4), dtype="float32") = cls.fused_attention1(w, u, z)
            c: R.Tensor((3, 4), dtype="float32") = R.negative(w)
            R.output(a, b, c)
        return (a, b, c)
