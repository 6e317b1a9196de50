# Dimensions are those of the graph; one that no tensor determines is passed after the results.
# test: opt --pass LegalizeOps --pass AnnotateTIROpPattern --pass FuseOps --pass FuseTIR
# run: main n=3 m=2 == same
# run: main n=1 m=1 == same
# run: main n=0 m=4 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32"), y: R.Tensor(("n * m",), "float32"), z: R.Tensor(("m",), "float32")):
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            a = R.add(x, z)
            b = R.nn.relu(a)
            c = R.sum(b, axis=[1])
            d = R.exp(y)
            e = R.reshape(d, (n, m))
            f = R.negative(e)
            g = R.reshape(y, (m, n))
            h = R.permute_dims(g)
            k = R.reshape(h, (n * m,))
            out = (c, f, k)
            R.output(out)
        return out

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def fused_add_relu_sum(var_x: T.handle, var_z: T.handle, var_b_red: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        m = T.int64()
        x = T.match_buffer(var_x, (n, m), "float32")
        z = T.match_buffer(var_z, (m,), "float32")
        b_red = T.match_buffer(var_b_red, (n,), "float32")
        # with T.block("root"):
        T_add = T.alloc_buffer((n, m))
        compute = T.alloc_buffer((n, m))
        for i0, i1 in T.grid(n, m):
            with T.block("T_add"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1], z[v_i1])
                T.writes(T_add[v_i0, v_i1])
                T_add[v_i0, v_i1] = x[v_i0, v_i1] + z[v_i1]
        for i0, i1 in T.grid(n, m):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_add[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.max(T_add[v_i0, v_i1], T.float32(0.0))
        for i0, k1 in T.grid(n, m):
            with T.block("b_red"):
                v_i0, v_k1 = T.axis.remap("SR", [i0, k1])
                T.reads(compute[v_i0, v_k1])
                T.writes(b_red[v_i0])
                with T.init():
                    b_red[v_i0] = T.float32(0.0)
                b_red[v_i0] = b_red[v_i0] + compute[v_i0, v_k1]

    @T.prim_func(private=True)
    def fused_reshape1_transpose_reshape2(var_y: T.handle, var_T_reshape: T.handle, m: T.int64, n: T.int64):
        T.func_attr({"tir.noalias": T.bool(True)})
        y = T.match_buffer(var_y, (n * m,), "float32")
        T_reshape = T.match_buffer(var_T_reshape, (n * m,), "float32")
        # with T.block("root"):
        T_reshape_1 = T.alloc_buffer((m, n))
        T_transpose = T.alloc_buffer((n, m))
        for i0, i1 in T.grid(m, n):
            with T.block("T_reshape"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(y[v_i0 * n + v_i1])
                T.writes(T_reshape_1[v_i0, v_i1])
                T_reshape_1[v_i0, v_i1] = y[v_i0 * n + v_i1]
        for i0, i1 in T.grid(n, m):
            with T.block("T_transpose"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_reshape_1[v_i1, v_i0])
                T.writes(T_transpose[v_i0, v_i1])
                T_transpose[v_i0, v_i1] = T_reshape_1[v_i1, v_i0]
        for i0 in range(n * m):
            with T.block("T_reshape_1"):
                v_i0 = T.axis.spatial(n * m, i0)
                T.reads(T_transpose[v_i0 // m, v_i0 % m])
                T.writes(T_reshape[v_i0])
                T_reshape[v_i0] = T_transpose[v_i0 // m, v_i0 % m]

    @T.prim_func(private=True)
    def fused_tir_exp_reshape_tir_negative(var_y: T.handle, var_compute: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        m = T.int64()
        y = T.match_buffer(var_y, (n * m,), "float32")
        compute = T.match_buffer(var_compute, (n, m), "float32")
        # with T.block("root"):
        compute_1 = T.alloc_buffer((n * m,))
        T_reshape = T.alloc_buffer((n, m))
        for i0 in range(n * m):
            with T.block("compute"):
                v_i0 = T.axis.spatial(n * m, i0)
                T.reads(y[v_i0])
                T.writes(compute_1[v_i0])
                compute_1[v_i0] = T.exp(y[v_i0])
        for i0, i1 in T.grid(n, m):
            with T.block("T_reshape"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(compute_1[v_i0 * m + v_i1])
                T.writes(T_reshape[v_i0, v_i1])
                T_reshape[v_i0, v_i1] = compute_1[v_i0 * m + v_i1]
        for i0, i1 in T.grid(n, m):
            with T.block("compute_1"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_reshape[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T_reshape[v_i0, v_i1] * T.float32(-1.0)

    @R.function
    def main(x: R.Tensor(("n", "m"), dtype="float32"), y: R.Tensor(("n * m",), dtype="float32"), z: R.Tensor(("m",), dtype="float32")) -> R.Tuple(R.Tensor(("n",), dtype="float32"), R.Tensor(("n", "m"), dtype="float32"), R.Tensor(("n * m",), dtype="float32")):
        n = T.int64()
        m = T.int64()
        cls = Module
        with R.dataflow():
            c = R.call_tir(cls.fused_add_relu_sum, (x, z), out_sinfo=R.Tensor((n,), dtype="float32"))
            f = R.call_tir(cls.fused_tir_exp_reshape_tir_negative, (y,), out_sinfo=R.Tensor((n, m), dtype="float32"))
            k = R.call_tir(cls.fused_reshape1_transpose_reshape2, (y,), out_sinfo=R.Tensor((n * m,), dtype="float32"), tir_vars=R.tir_vars(m, n))
            out: R.Tuple(R.Tensor((n,), dtype="float32"), R.Tensor((n, m), dtype="float32"), R.Tensor((n * m,), dtype="float32")) = (c, f, k)
            R.output(out)
        return out
