# In a batch, with a symbolic size and sums in a wider type; the transposed tensor stays where something else uses it.
# test: opt --pass FuseTransposeMatmul --pass DeadCodeElimination
# run: main n=5 == same
# run: main n=1 == same
# run: main n=0 == same


@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor((2, 3, "n", 4), "float16"), k: R.Tensor((2, 3, "n", 4), "float16"), w: R.Tensor((1, 6, 4), "float16")):
        with R.dataflow():
            a = R.permute_dims(k, [0, 1, -1, -2])
            b = R.matmul(q, a, out_dtype="float32")
            c = R.permute_dims(w, [0, 2, 1])
            d = R.matmul(q, c)
            e = R.negative(c)
            R.output(b, d, e)
        return (b, d, e)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def NT_matmul(var_q: T.handle, var_a: T.handle, var_matmul: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        q = T.match_buffer(var_q, (T.int64(2), T.int64(3), n, T.int64(4)), "float16")
        a = T.match_buffer(var_a, (T.int64(2), T.int64(3), n, T.int64(4)), "float16")
        matmul = T.match_buffer(var_matmul, (T.int64(2), T.int64(3), n, n), "float32")
        # with T.block("root"):
        for i0, i1, i2, i3, k in T.grid(T.int64(2), T.int64(3), n, n, T.int64(4)):
            with T.block("matmul"):
                v_i0, v_i1, v_i2, v_i3, v_k = T.axis.remap("SSSSR", [i0, i1, i2, i3, k])
                T.reads(q[v_i0, v_i1, v_i2, v_k], a[v_i0, v_i1, v_i3, v_k])
                T.writes(matmul[v_i0, v_i1, v_i2, v_i3])
                with T.init():
                    matmul[v_i0, v_i1, v_i2, v_i3] = T.float32(0.0)
                matmul[v_i0, v_i1, v_i2, v_i3] = matmul[v_i0, v_i1, v_i2, v_i3] + T.Cast("float32", q[v_i0, v_i1, v_i2, v_k]) * T.Cast("float32", a[v_i0, v_i1, v_i3, v_k])

    @T.prim_func(private=True)
    def NT_matmul1(var_q: T.handle, c: T.Buffer((T.int64(1), T.int64(6), T.int64(4)), "float16"), var_rounded: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        q = T.match_buffer(var_q, (T.int64(2), T.int64(3), n, T.int64(4)), "float16")
        rounded = T.match_buffer(var_rounded, (T.int64(2), T.int64(3), n, T.int64(6)), "float16")
        # with T.block("root"):
        matmul = T.alloc_buffer((T.int64(2), T.int64(3), n, T.int64(6)))
        for i0, i1, i2, i3, k in T.grid(T.int64(2), T.int64(3), n, T.int64(6), T.int64(4)):
            with T.block("matmul"):
                v_i0, v_i1, v_i2, v_i3, v_k = T.axis.remap("SSSSR", [i0, i1, i2, i3, k])
                T.reads(q[v_i0, v_i1, v_i2, v_k], c[T.int64(0), v_i3, v_k])
                T.writes(matmul[v_i0, v_i1, v_i2, v_i3])
                with T.init():
                    matmul[v_i0, v_i1, v_i2, v_i3] = T.float32(0.0)
                matmul[v_i0, v_i1, v_i2, v_i3] = matmul[v_i0, v_i1, v_i2, v_i3] + T.Cast("float32", q[v_i0, v_i1, v_i2, v_k]) * T.Cast("float32", c[T.int64(0), v_i3, v_k])
        for i0, i1, i2, i3 in T.grid(T.int64(2), T.int64(3), n, T.int64(6)):
            with T.block("rounded"):
                v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
                T.reads(matmul[v_i0, v_i1, v_i2, v_i3])
                T.writes(rounded[v_i0, v_i1, v_i2, v_i3])
                rounded[v_i0, v_i1, v_i2, v_i3] = T.Cast("float16", matmul[v_i0, v_i1, v_i2, v_i3])

    @R.function
    def main(q: R.Tensor((2, 3, "n", 4), dtype="float16"), k: R.Tensor((2, 3, "n", 4), dtype="float16"), w: R.Tensor((1, 6, 4), dtype="float16")) -> R.Tuple(R.Tensor((2, 3, "n", "n"), dtype="float32"), R.Tensor((2, 3, "n", 6), dtype="float16"), R.Tensor((1, 4, 6), dtype="float16")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            b = R.call_tir(cls.NT_matmul, (q, k), out_sinfo=R.Tensor((2, 3, n, n), dtype="float32"))
            c: R.Tensor((1, 4, 6), dtype="float16") = R.permute_dims(w, axes=[0, 2, 1])
            d = R.call_tir(cls.NT_matmul1, (q, w), out_sinfo=R.Tensor((2, 3, n, 6), dtype="float16"))
            e: R.Tensor((1, 4, 6), dtype="float16") = R.negative(c)
            R.output(b, d, e)
        return (b, d, e)
