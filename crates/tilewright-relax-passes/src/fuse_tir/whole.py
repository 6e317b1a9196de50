# The whole list: constants are computed, and the rest is few PrimFuncs.
# test: opt --pass zero
# run: main n=2 == same
# run: main n=0 == same
# run: main n=5 special == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 4), "float32"), g: R.Tensor((4,), "float32")):
        with R.dataflow():
            h = R.matmul(x, w)
            half = R.full((4,), R.const(0.5, "float32"), dtype="float32")
            lower = R.multiply(g, half)
            a = R.add(h, lower)
            b = R.sigmoid(a)
            c = R.multiply(a, b)
            s = R.nn.softmax(c, axis=-1)
            d = R.multiply(s, x)
            e = R.mean(d, axis=[-1], keepdims=True)
            f = R.subtract(x, e)
            out = R.concat([f, R.exp(x)], axis=1)
            R.output(out)
        return out

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def full(T_full: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(4)):
            with T.block("T_full"):
                v_i0 = T.axis.spatial(T.int64(4), i0)
                T.reads()
                T.writes(T_full[v_i0])
                T_full[v_i0] = T.float32(0.5)

    @T.prim_func(private=True)
    def fused_matmul_multiply_add_tir_sigmoid_multiply1(var_x: T.handle, w: T.Buffer((T.int64(4), T.int64(4)), "float32"), g: T.Buffer((T.int64(4),), "float32"), param: T.Buffer((T.int64(4),), "float32"), var_T_multiply: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(4)), "float32")
        T_multiply = T.match_buffer(var_T_multiply, (n, T.int64(4)), "float32")
        # with T.block("root"):
        matmul = T.alloc_buffer((n, T.int64(4)))
        T_multiply_1 = T.alloc_buffer((T.int64(4),))
        T_add = T.alloc_buffer((n, T.int64(4)))
        compute = T.alloc_buffer((n, T.int64(4)))
        for i0, i1, k in T.grid(n, T.int64(4), T.int64(4)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(x[v_i0, v_k], w[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + x[v_i0, v_k] * w[v_k, v_i1]
        for i0 in range(T.int64(4)):
            with T.block("T_multiply"):
                v_i0 = T.axis.spatial(T.int64(4), i0)
                T.reads(g[v_i0], param[v_i0])
                T.writes(T_multiply_1[v_i0])
                T_multiply_1[v_i0] = g[v_i0] * param[v_i0]
        for i0, i1 in T.grid(n, T.int64(4)):
            with T.block("T_add"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(matmul[v_i0, v_i1], T_multiply_1[v_i1])
                T.writes(T_add[v_i0, v_i1])
                T_add[v_i0, v_i1] = matmul[v_i0, v_i1] + T_multiply_1[v_i1]
        for i0, i1 in T.grid(n, T.int64(4)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_add[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.sigmoid(T_add[v_i0, v_i1])
        for i0, i1 in T.grid(n, T.int64(4)):
            with T.block("T_multiply_1"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_add[v_i0, v_i1], compute[v_i0, v_i1])
                T.writes(T_multiply[v_i0, v_i1])
                T_multiply[v_i0, v_i1] = T_add[v_i0, v_i1] * compute[v_i0, v_i1]

    @T.prim_func(private=True)
    def fused_softmax_multiply1(var_c: T.handle, var_x: T.handle, var_T_multiply: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        c = T.match_buffer(var_c, (n, T.int64(4)), "float32")
        x = T.match_buffer(var_x, (n, T.int64(4)), "float32")
        T_multiply = T.match_buffer(var_T_multiply, (n, T.int64(4)), "float32")
        # with T.block("root"):
        T_softmax = T.alloc_buffer((n, T.int64(4)))
        T_softmax_maxelem = T.alloc_buffer((n, T.int64(1)))
        T_softmax_exp = T.alloc_buffer((n, T.int64(4)))
        T_softmax_expsum = T.alloc_buffer((n, T.int64(1)))
        for i0, i1, k1 in T.grid(n, T.int64(1), T.int64(4)):
            with T.block("T_softmax_maxelem"):
                v_i0, v_i1, v_k1 = T.axis.remap("SSR", [i0, i1, k1])
                T.reads(c[v_i0, v_k1])
                T.writes(T_softmax_maxelem[v_i0, v_i1])
                with T.init():
                    T_softmax_maxelem[v_i0, v_i1] = T.float32("-inf")
                T_softmax_maxelem[v_i0, v_i1] = T.max(T_softmax_maxelem[v_i0, v_i1], c[v_i0, v_k1])
        for i0, i1 in T.grid(n, T.int64(4)):
            with T.block("T_softmax_exp"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(c[v_i0, v_i1], T_softmax_maxelem[v_i0, T.int64(0)])
                T.writes(T_softmax_exp[v_i0, v_i1])
                T_softmax_exp[v_i0, v_i1] = T.exp(c[v_i0, v_i1] - T_softmax_maxelem[v_i0, T.int64(0)])
        for i0, i1, k1 in T.grid(n, T.int64(1), T.int64(4)):
            with T.block("T_softmax_expsum"):
                v_i0, v_i1, v_k1 = T.axis.remap("SSR", [i0, i1, k1])
                T.reads(T_softmax_exp[v_i0, v_k1])
                T.writes(T_softmax_expsum[v_i0, v_i1])
                with T.init():
                    T_softmax_expsum[v_i0, v_i1] = T.float32(0.0)
                T_softmax_expsum[v_i0, v_i1] = T_softmax_expsum[v_i0, v_i1] + T_softmax_exp[v_i0, v_k1]
        for i0, i1 in T.grid(n, T.int64(4)):
            with T.block("T_softmax"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_softmax_exp[v_i0, v_i1], T_softmax_expsum[v_i0, T.int64(0)])
                T.writes(T_softmax[v_i0, v_i1])
                T_softmax[v_i0, v_i1] = T_softmax_exp[v_i0, v_i1] / T_softmax_expsum[v_i0, T.int64(0)]
        for i0, i1 in T.grid(n, T.int64(4)):
            with T.block("T_multiply"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_softmax[v_i0, v_i1], x[v_i0, v_i1])
                T.writes(T_multiply[v_i0, v_i1])
                T_multiply[v_i0, v_i1] = T_softmax[v_i0, v_i1] * x[v_i0, v_i1]

    @T.prim_func(private=True)
    def fused_subtract_tir_exp_concatenate(var_x: T.handle, var_e: T.handle, var_T_concat: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(4)), "float32")
        e = T.match_buffer(var_e, (n, T.int64(1)), "float32")
        T_concat = T.match_buffer(var_T_concat, (n, T.int64(8)), "float32")
        # with T.block("root"):
        T_subtract = T.alloc_buffer((n, T.int64(4)))
        compute = T.alloc_buffer((n, T.int64(4)))
        for i0, i1 in T.grid(n, T.int64(4)):
            with T.block("T_subtract"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1], e[v_i0, T.int64(0)])
                T.writes(T_subtract[v_i0, v_i1])
                T_subtract[v_i0, v_i1] = x[v_i0, v_i1] - e[v_i0, T.int64(0)]
        for i0, i1 in T.grid(n, T.int64(4)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.exp(x[v_i0, v_i1])
        for i0, i1 in T.grid(n, T.int64(8)):
            with T.block("T_concat"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(compute[v_i0, v_i1 - T.int64(4)], T_subtract[v_i0, v_i1])
                T.writes(T_concat[v_i0, v_i1])
                T_concat[v_i0, v_i1] = T.if_then_else(T.int64(4) <= v_i1, compute[v_i0, v_i1 - T.int64(4)], T_subtract[v_i0, v_i1])

    @T.prim_func(private=True)
    def mean(var_d: T.handle, var_T_divide: T.handle):
        T.func_attr({"op_pattern": 3, "tir.noalias": T.bool(True)})
        n = T.int64()
        d = T.match_buffer(var_d, (n, T.int64(4)), "float32")
        T_divide = T.match_buffer(var_T_divide, (n, T.int64(1)), "float32")
        # with T.block("root"):
        d_red = T.alloc_buffer((n, T.int64(1)))
        for i0, i1, k1 in T.grid(n, T.int64(1), T.int64(4)):
            with T.block("d_red"):
                v_i0, v_i1, v_k1 = T.axis.remap("SSR", [i0, i1, k1])
                T.reads(d[v_i0, v_k1])
                T.writes(d_red[v_i0, v_i1])
                with T.init():
                    d_red[v_i0, v_i1] = T.float32(0.0)
                d_red[v_i0, v_i1] = d_red[v_i0, v_i1] + d[v_i0, v_k1]
        for i0, i1 in T.grid(n, T.int64(1)):
            with T.block("T_divide"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(d_red[v_i0, v_i1])
                T.writes(T_divide[v_i0, v_i1])
                T_divide[v_i0, v_i1] = d_red[v_i0, v_i1] / T.float32(4.0)

    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), w: R.Tensor((4, 4), dtype="float32"), g: R.Tensor((4,), dtype="float32")) -> R.Tensor(("n", 8), dtype="float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            c = R.call_tir(cls.fused_matmul_multiply_add_tir_sigmoid_multiply1, (x, w, g, metadata["relax.expr.Constant"][0]), out_sinfo=R.Tensor((n, 4), dtype="float32"))
            d = R.call_tir(cls.fused_softmax_multiply1, (c, x), out_sinfo=R.Tensor((n, 4), dtype="float32"))
            e = R.call_tir(cls.mean, (d,), out_sinfo=R.Tensor((n, 1), dtype="float32"))
            out = R.call_tir(cls.fused_subtract_tir_exp_concatenate, (x, e), out_sinfo=R.Tensor((n, 8), dtype="float32"))
            R.output(out)
        return out

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [4], "data": "AAAAPwAAAD8AAAA/AAAAPw=="},
]}
