# Exponentials have functions of their own names; what else there is stays.
# test: opt --pass FastMathTransform
# run: main n=5 tol=1e-5 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 3), "float32")):
        n = T.int64()
        a = R.exp(x)
        with R.dataflow():
            b = R.erf(a)
            c = R.tanh(b)
            d = R.sigmoid(c)
            e = R.nn.softmax(d, axis=-1)
            g = R.exp(e)
            R.output(g)
        return g

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def fast_erf(var_a: T.handle, var_compute: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        a = T.match_buffer(var_a, (n, T.int64(3)), "float32")
        compute = T.match_buffer(var_compute, (n, T.int64(3)), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n, T.int64(3)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(a[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.erf(a[v_i0, v_i1])

    @T.prim_func(private=True)
    def fast_exp(var_x: T.handle, var_compute: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(3)), "float32")
        compute = T.match_buffer(var_compute, (n, T.int64(3)), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n, T.int64(3)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.exp(x[v_i0, v_i1])

    @T.prim_func(private=True)
    def fast_softmax(var_d: T.handle, var_T_softmax: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        d = T.match_buffer(var_d, (n, T.int64(3)), "float32")
        T_softmax = T.match_buffer(var_T_softmax, (n, T.int64(3)), "float32")
        # with T.block("root"):
        T_softmax_maxelem = T.alloc_buffer((n, T.int64(1)))
        T_softmax_exp = T.alloc_buffer((n, T.int64(3)))
        T_softmax_expsum = T.alloc_buffer((n, T.int64(1)))
        for i0, i1, k1 in T.grid(n, T.int64(1), T.int64(3)):
            with T.block("T_softmax_maxelem"):
                v_i0, v_i1, v_k1 = T.axis.remap("SSR", [i0, i1, k1])
                T.reads(d[v_i0, v_k1])
                T.writes(T_softmax_maxelem[v_i0, v_i1])
                with T.init():
                    T_softmax_maxelem[v_i0, v_i1] = T.float32("-inf")
                T_softmax_maxelem[v_i0, v_i1] = T.max(T_softmax_maxelem[v_i0, v_i1], d[v_i0, v_k1])
        for i0, i1 in T.grid(n, T.int64(3)):
            with T.block("T_softmax_exp"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(d[v_i0, v_i1], T_softmax_maxelem[v_i0, T.int64(0)])
                T.writes(T_softmax_exp[v_i0, v_i1])
                T_softmax_exp[v_i0, v_i1] = T.exp(d[v_i0, v_i1] - T_softmax_maxelem[v_i0, T.int64(0)])
        for i0, i1, k1 in T.grid(n, T.int64(1), T.int64(3)):
            with T.block("T_softmax_expsum"):
                v_i0, v_i1, v_k1 = T.axis.remap("SSR", [i0, i1, k1])
                T.reads(T_softmax_exp[v_i0, v_k1])
                T.writes(T_softmax_expsum[v_i0, v_i1])
                with T.init():
                    T_softmax_expsum[v_i0, v_i1] = T.float32(0.0)
                T_softmax_expsum[v_i0, v_i1] = T_softmax_expsum[v_i0, v_i1] + T_softmax_exp[v_i0, v_k1]
        for i0, i1 in T.grid(n, T.int64(3)):
            with T.block("T_softmax"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_softmax_exp[v_i0, v_i1], T_softmax_expsum[v_i0, T.int64(0)])
                T.writes(T_softmax[v_i0, v_i1])
                T_softmax[v_i0, v_i1] = T_softmax_exp[v_i0, v_i1] / T_softmax_expsum[v_i0, T.int64(0)]

    @T.prim_func(private=True)
    def fast_tanh(var_b: T.handle, var_compute: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        b = T.match_buffer(var_b, (n, T.int64(3)), "float32")
        compute = T.match_buffer(var_compute, (n, T.int64(3)), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n, T.int64(3)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(b[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.tanh(b[v_i0, v_i1])

    @R.function
    def main(x: R.Tensor(("n", 3), dtype="float32")) -> R.Tensor(("n", 3), dtype="float32"):
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.fast_exp, (x,), out_sinfo=R.Tensor((n, 3), dtype="float32"))
        with R.dataflow():
            b = R.call_tir(cls.fast_erf, (a,), out_sinfo=R.Tensor((n, 3), dtype="float32"))
            c = R.call_tir(cls.fast_tanh, (b,), out_sinfo=R.Tensor((n, 3), dtype="float32"))
            d: R.Tensor((n, 3), dtype="float32") = R.sigmoid(c)
            e = R.call_tir(cls.fast_softmax, (d,), out_sinfo=R.Tensor((n, 3), dtype="float32"))
            g = R.call_tir(cls.fast_exp, (e,), out_sinfo=R.Tensor((n, 3), dtype="float32"))
            R.output(g)
        return g
