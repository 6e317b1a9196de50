# Queries, keys and values are pieces of one tensor whose elements were moved before.
# test: opt --pass FuseAttention
# run: main n=5 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, "n", 18), "float32")):
        n = T.int64()
        with R.dataflow():
            t = R.permute_dims(R.reshape(x, (2, n, 3, 3, 2)), axes=[2, 0, 3, 1, 4])
            q = R.squeeze(R.strided_slice(t, axes=[0], begin=[0], end=[1]), axis=[0])
            k = R.squeeze(R.strided_slice(t, axes=[0], begin=[1], end=[2]), axis=[0])
            v = R.squeeze(R.strided_slice(t, axes=[0], begin=[2], end=[3]), axis=[0])
            s = R.matmul(q, R.permute_dims(k, axes=[0, 1, 3, 2]))
            a = R.permute_dims(R.matmul(R.nn.softmax(s, axis=-1), v), axes=[0, 2, 1, 3])
            R.output(a)
        return a

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(private=True)
    def fused_attention(lv: R.Tensor((2, "n", 3, 3, 2), dtype="float32")) -> R.Tensor((2, "n", 3, 2), dtype="float32"):
        n = T.int64()
        R.func_attr({"Primitive": 1})
        with R.dataflow():
            t: R.Tensor((3, 2, 3, n, 2), dtype="float32") = R.permute_dims(lv, axes=[2, 0, 3, 1, 4])
            lv1: R.Tensor((1, 2, 3, n, 2), dtype="float32") = R.strided_slice(t, (R.prim_value(0),), (R.prim_value(0),), (R.prim_value(1),), None, assume_inbound=False)
            q: R.Tensor((2, 3, n, 2), dtype="float32") = R.squeeze(lv1, axis=[0])
            lv2: R.Tensor((1, 2, 3, n, 2), dtype="float32") = R.strided_slice(t, (R.prim_value(0),), (R.prim_value(1),), (R.prim_value(2),), None, assume_inbound=False)
            k: R.Tensor((2, 3, n, 2), dtype="float32") = R.squeeze(lv2, axis=[0])
            lv3: R.Tensor((1, 2, 3, n, 2), dtype="float32") = R.strided_slice(t, (R.prim_value(0),), (R.prim_value(2),), (R.prim_value(3),), None, assume_inbound=False)
            v: R.Tensor((2, 3, n, 2), dtype="float32") = R.squeeze(lv3, axis=[0])
            lv4: R.Tensor((2, 3, 2, n), dtype="float32") = R.permute_dims(k, axes=[0, 1, 3, 2])
            s: R.Tensor((2, 3, n, n), dtype="float32") = R.matmul(q, lv4, out_dtype="void")
            lv5: R.Tensor((2, 3, n, n), dtype="float32") = R.nn.softmax(s, axis=-1)
            lv6: R.Tensor((2, 3, n, 2), dtype="float32") = R.matmul(lv5, v, out_dtype="void")
            a: R.Tensor((2, n, 3, 2), dtype="float32") = R.permute_dims(lv6, axes=[0, 2, 1, 3])
            R.output(a)
        return a

    @R.function
    def main(x: R.Tensor((2, "n", 18), dtype="float32")) -> R.Tensor((2, "n", 3, 2), dtype="float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            lv: R.Tensor((2, n, 3, 3, 2), dtype="float32") = R.reshape(x, R.shape([2, n, 3, 3, 2]))
            a: R.Tensor((2, n, 3, 2), dtype="float32") = cls.fused_attention(lv)
            R.output(a)
        return a
