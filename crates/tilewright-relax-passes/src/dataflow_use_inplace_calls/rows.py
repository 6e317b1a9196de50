# Where rows are reduced, each may be overwritten that has been read, also under a symbolic size; a product needs each row of
# its argument for all elements of the result's.
# test: opt --pass LegalizeOps --pass DataflowUseInplaceCalls --pass DeadCodeElimination
# run: main n=3 == same
# run: main n=1 == same
# run: main n=0 == same

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 6), "float32"), w: R.Tensor((6, 6), "float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            a = R.multiply(x, x)
            b = R.nn.softmax(a, axis=-1)
            c = R.matmul(b, w)
            d = R.nn.softmax(c, axis=0)
            R.output(d)
        return d

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def matmul(var_b: T.handle, w: T.Buffer((T.int64(6), T.int64(6)), "float32"), var_matmul: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        b = T.match_buffer(var_b, (n, T.int64(6)), "float32")
        matmul = T.match_buffer(var_matmul, (n, T.int64(6)), "float32")
        # with T.block("root"):
        for i0, i1, k in T.grid(n, T.int64(6), T.int64(6)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(b[v_i0, v_k], w[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + b[v_i0, v_k] * w[v_k, v_i1]

    @T.prim_func(private=True)
    def multiply(var_x: T.handle, var_x_1: T.handle, var_T_multiply: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(6)), "float32")
        x_1 = T.match_buffer(var_x_1, (n, T.int64(6)), "float32")
        T_multiply = T.match_buffer(var_T_multiply, (n, T.int64(6)), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n, T.int64(6)):
            with T.block("T_multiply"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1], x_1[v_i0, v_i1])
                T.writes(T_multiply[v_i0, v_i1])
                T_multiply[v_i0, v_i1] = x[v_i0, v_i1] * x_1[v_i0, v_i1]

    @T.prim_func(private=True)
    def softmax1_inplace(var_c: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        c = T.match_buffer(var_c, (n, T.int64(6)), "float32")
        # with T.block("root"):
        T_softmax_maxelem = T.alloc_buffer((T.int64(1), T.int64(6)))
        T_softmax_exp = T.alloc_buffer((n, T.int64(6)))
        T_softmax_expsum = T.alloc_buffer((T.int64(1), T.int64(6)))
        for i0, i1, k0 in T.grid(T.int64(1), T.int64(6), n):
            with T.block("T_softmax_maxelem"):
                v_i0, v_i1, v_k0 = T.axis.remap("SSR", [i0, i1, k0])
                T.reads(c[v_k0, v_i1])
                T.writes(T_softmax_maxelem[v_i0, v_i1])
                with T.init():
                    T_softmax_maxelem[v_i0, v_i1] = T.float32("-inf")
                T_softmax_maxelem[v_i0, v_i1] = T.max(T_softmax_maxelem[v_i0, v_i1], c[v_k0, v_i1])
        for i0, i1 in T.grid(n, T.int64(6)):
            with T.block("T_softmax_exp"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(c[v_i0, v_i1], T_softmax_maxelem[T.int64(0), v_i1])
                T.writes(T_softmax_exp[v_i0, v_i1])
                T_softmax_exp[v_i0, v_i1] = T.exp(c[v_i0, v_i1] - T_softmax_maxelem[T.int64(0), v_i1])
        for i0, i1, k0 in T.grid(T.int64(1), T.int64(6), n):
            with T.block("T_softmax_expsum"):
                v_i0, v_i1, v_k0 = T.axis.remap("SSR", [i0, i1, k0])
                T.reads(T_softmax_exp[v_k0, v_i1])
                T.writes(T_softmax_expsum[v_i0, v_i1])
                with T.init():
                    T_softmax_expsum[v_i0, v_i1] = T.float32(0.0)
                T_softmax_expsum[v_i0, v_i1] = T_softmax_expsum[v_i0, v_i1] + T_softmax_exp[v_k0, v_i1]
        for i0, i1 in T.grid(n, T.int64(6)):
            with T.block("T_softmax"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_softmax_exp[v_i0, v_i1], T_softmax_expsum[T.int64(0), v_i1])
                T.writes(c[v_i0, v_i1])
                c[v_i0, v_i1] = T_softmax_exp[v_i0, v_i1] / T_softmax_expsum[T.int64(0), v_i1]

    @T.prim_func(private=True)
    def softmax_inplace(var_a: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        a = T.match_buffer(var_a, (n, T.int64(6)), "float32")
        # with T.block("root"):
        T_softmax_maxelem = T.alloc_buffer((n, T.int64(1)))
        T_softmax_exp = T.alloc_buffer((n, T.int64(6)))
        T_softmax_expsum = T.alloc_buffer((n, T.int64(1)))
        for i0, i1, k1 in T.grid(n, T.int64(1), T.int64(6)):
            with T.block("T_softmax_maxelem"):
                v_i0, v_i1, v_k1 = T.axis.remap("SSR", [i0, i1, k1])
                T.reads(a[v_i0, v_k1])
                T.writes(T_softmax_maxelem[v_i0, v_i1])
                with T.init():
                    T_softmax_maxelem[v_i0, v_i1] = T.float32("-inf")
                T_softmax_maxelem[v_i0, v_i1] = T.max(T_softmax_maxelem[v_i0, v_i1], a[v_i0, v_k1])
        for i0, i1 in T.grid(n, T.int64(6)):
            with T.block("T_softmax_exp"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(a[v_i0, v_i1], T_softmax_maxelem[v_i0, T.int64(0)])
                T.writes(T_softmax_exp[v_i0, v_i1])
                T_softmax_exp[v_i0, v_i1] = T.exp(a[v_i0, v_i1] - T_softmax_maxelem[v_i0, T.int64(0)])
        for i0, i1, k1 in T.grid(n, T.int64(1), T.int64(6)):
            with T.block("T_softmax_expsum"):
                v_i0, v_i1, v_k1 = T.axis.remap("SSR", [i0, i1, k1])
                T.reads(T_softmax_exp[v_i0, v_k1])
                T.writes(T_softmax_expsum[v_i0, v_i1])
                with T.init():
                    T_softmax_expsum[v_i0, v_i1] = T.float32(0.0)
                T_softmax_expsum[v_i0, v_i1] = T_softmax_expsum[v_i0, v_i1] + T_softmax_exp[v_i0, v_k1]
        for i0, i1 in T.grid(n, T.int64(6)):
            with T.block("T_softmax"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(T_softmax_exp[v_i0, v_i1], T_softmax_expsum[v_i0, T.int64(0)])
                T.writes(a[v_i0, v_i1])
                a[v_i0, v_i1] = T_softmax_exp[v_i0, v_i1] / T_softmax_expsum[v_i0, T.int64(0)]

    @R.function
    def main(x: R.Tensor(("n", 6), dtype="float32"), w: R.Tensor((6, 6), dtype="float32")) -> R.Tensor(("n", 6), dtype="float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.multiply, (x, x), out_sinfo=R.Tensor((n, 6), dtype="float32"))
            b = R.call_tir_inplace(cls.softmax_inplace, (a,), inplace_indices=[0], out_sinfo=R.Tensor((n, 6), dtype="float32"))
            c = R.call_tir(cls.matmul, (b, w), out_sinfo=R.Tensor((n, 6), dtype="float32"))
            d = R.call_tir_inplace(cls.softmax1_inplace, (c,), inplace_indices=[0], out_sinfo=R.Tensor((n, 6), dtype="float32"))
            R.output(d)
        return d
