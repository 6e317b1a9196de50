# An elementwise PrimFunc on the scores is fused, with its scalar argument; equal functions are one.
# test: opt --pass FuseAttention
# run: main n=3 m=5 == same
# run: main n=4 m=4 == same


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def causal(x_: T.handle, y_: T.handle, ahead: T.int64):
        n = T.int64()
        m = T.int64()
        x = T.match_buffer(x_, (T.int64(2), n, m))
        y = T.match_buffer(y_, (T.int64(2), n, m))
        for h, i, j in T.grid(T.int64(2), n, m):
            with T.block("causal"):
                vh, vi, vj = T.axis.remap("SSS", [h, i, j])
                y[vh, vi, vj] = T.if_then_else(vj <= vi + ahead, x[vh, vi, vj], T.float32("-inf"))

    @R.function
    def main(q: R.Tensor((2, "n", 4), "float32"), k: R.Tensor((2, "m", 4), "float32"), v: R.Tensor((2, "m", 4), "float32")):
        n = T.int64()
        m = T.int64()
        cls = Module
        with R.dataflow():
            k1 = R.permute_dims(k, [0, 2, 1])
            a1 = R.matmul(q, k1)
            a2 = R.call_tir(cls.causal, (a1,), out_sinfo=R.Tensor((2, n, m), "float32"), tir_vars=R.shape([m - n]))
            a3 = R.nn.softmax(a2, axis=-1)
            a = R.matmul(a3, v)
            k2 = R.permute_dims(k, [0, 2, 1])
            b1 = R.matmul(a, k2)
            b2 = R.call_tir(cls.causal, (b1,), out_sinfo=R.Tensor((2, n, m), "float32"), tir_vars=R.shape([m - n]))
            b3 = R.nn.softmax(b2, axis=-1)
            b = R.matmul(b3, v)
            R.output(b)
        return b

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def causal(x_: T.handle, y_: T.handle, ahead: T.int64):
        n = T.int64()
        m = T.int64()
        x = T.match_buffer(x_, (T.int64(2), n, m), "float32")
        y = T.match_buffer(y_, (T.int64(2), n, m), "float32")
        # with T.block("root"):
        for h, i, j in T.grid(T.int64(2), n, m):
            with T.block("causal"):
                vh, vi, vj = T.axis.remap("SSS", [h, i, j])
                T.reads(x[vh, vi, vj])
                T.writes(y[vh, vi, vj])
                y[vh, vi, vj] = T.if_then_else(vj <= vi + ahead, x[vh, vi, vj], T.float32("-inf"))

    @R.function(private=True)
    def fused_attention(k: R.Tensor((2, "m", 4), dtype="float32"), q: R.Tensor((2, "n", 4), dtype="float32"), v: R.Tensor((2, "m", 4), dtype="float32")) -> R.Tensor((2, "n", 4), dtype="float32"):
        m = T.int64()
        n = T.int64()
        R.func_attr({"Primitive": 1})
        cls = Module
        with R.dataflow():
            k1: R.Tensor((2, 4, m), dtype="float32") = R.permute_dims(k, axes=[0, 2, 1])
            a1: R.Tensor((2, n, m), dtype="float32") = R.matmul(q, k1, out_dtype="void")
            a2 = R.call_tir(cls.causal, (a1,), out_sinfo=R.Tensor((2, n, m), dtype="float32"), tir_vars=R.tir_vars(m - n))
            a3: R.Tensor((2, n, m), dtype="float32") = R.nn.softmax(a2, axis=-1)
            a: R.Tensor((2, n, 4), dtype="float32") = R.matmul(a3, v, out_dtype="void")
            R.output(a)
        return a

    @R.function
    def main(q: R.Tensor((2, "n", 4), dtype="float32"), k: R.Tensor((2, "m", 4), dtype="float32"), v: R.Tensor((2, "m", 4), dtype="float32")) -> R.Tensor((2, "n", 4), dtype="float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            a: R.Tensor((2, n, 4), dtype="float32") = cls.fused_attention(k, q, v)
            b: R.Tensor((2, n, 4), dtype="float32") = cls.fused_attention(k, a, v)
            R.output(b)
        return b
