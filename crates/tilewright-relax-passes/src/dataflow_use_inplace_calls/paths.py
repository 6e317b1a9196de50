# A tensor is overwritten on the path on which it is dead, and not where it is live, also under an alias or in a tuple.
# test: opt --pass LegalizeOps --pass DataflowUseInplaceCalls --pass DeadCodeElimination
# run: main(bool[]=[1], f32[3,4]) == same
# run: main(bool[]=[0], f32[3,4]) == same


@I.ir_module
class Module:
    @R.function
    def main(p: R.Tensor((), "bool"), x: R.Tensor(("n", 4), "float32")):
        n = T.int64()
        a = R.negative(x)
        b = R.abs(x)
        same = b
        if p:
            c = R.nn.relu(a)
            y = R.negative(c)
        else:
            d = R.abs(a)
            y = R.add(a, d)
        e = R.negative(b)
        f = R.add(same, e)
        pair = (f, y)
        g = R.negative(f)
        return (g, pair[0])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add_inplace(var_a: T.handle, var_d: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        a = T.match_buffer(var_a, (n, T.int64(4)), "float32")
        d = T.match_buffer(var_d, (n, T.int64(4)), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n, T.int64(4)):
            with T.block("T_add"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(a[v_i0, v_i1], d[v_i0, v_i1])
                T.writes(a[v_i0, v_i1])
                a[v_i0, v_i1] = a[v_i0, v_i1] + d[v_i0, v_i1]

    @T.prim_func(private=True)
    def relu_inplace(var_a: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        a = T.match_buffer(var_a, (n, T.int64(4)), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n, T.int64(4)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(a[v_i0, v_i1])
                T.writes(a[v_i0, v_i1])
                a[v_i0, v_i1] = T.max(a[v_i0, v_i1], T.float32(0.0))

    @T.prim_func(private=True)
    def tir_abs(var_x: T.handle, var_compute: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(4)), "float32")
        compute = T.match_buffer(var_compute, (n, T.int64(4)), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n, T.int64(4)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.abs(x[v_i0, v_i1])

    @T.prim_func(private=True)
    def tir_negative(var_x: T.handle, var_compute: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(4)), "float32")
        compute = T.match_buffer(var_compute, (n, T.int64(4)), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n, T.int64(4)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = x[v_i0, v_i1] * T.float32(-1.0)

    @T.prim_func(private=True)
    def tir_negative_inplace(var_x: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(4)), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n, T.int64(4)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1])
                T.writes(x[v_i0, v_i1])
                x[v_i0, v_i1] = x[v_i0, v_i1] * T.float32(-1.0)

    @R.function
    def main(p: R.Tensor((), dtype="bool"), x: R.Tensor(("n", 4), dtype="float32")) -> R.Tuple(R.Tensor(("n", 4), dtype="float32"), R.Tensor(("n", 4), dtype="float32")):
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.tir_negative, (x,), out_sinfo=R.Tensor((n, 4), dtype="float32"))
        b = R.call_tir(cls.tir_abs, (x,), out_sinfo=R.Tensor((n, 4), dtype="float32"))
        same: R.Tensor((n, 4), dtype="float32") = b
        if p:
            c = R.call_tir_inplace(cls.relu_inplace, (a,), inplace_indices=[0], out_sinfo=R.Tensor((n, 4), dtype="float32"))
            gv = R.call_tir_inplace(cls.tir_negative_inplace, (c,), inplace_indices=[0], out_sinfo=R.Tensor((n, 4), dtype="float32"))
            y: R.Tensor((n, 4), dtype="float32") = gv
        else:
            d = R.call_tir(cls.tir_abs, (a,), out_sinfo=R.Tensor((n, 4), dtype="float32"))
            gv_1 = R.call_tir_inplace(cls.add_inplace, (a, d), inplace_indices=[0], out_sinfo=R.Tensor((n, 4), dtype="float32"))
            y: R.Tensor((n, 4), dtype="float32") = gv_1
        e = R.call_tir(cls.tir_negative, (b,), out_sinfo=R.Tensor((n, 4), dtype="float32"))
        f = R.call_tir_inplace(cls.add_inplace, (same, e), inplace_indices=[0], out_sinfo=R.Tensor((n, 4), dtype="float32"))
        pair: R.Tuple(R.Tensor((n, 4), dtype="float32"), R.Tensor((n, 4), dtype="float32")) = (f, y)
        g = R.call_tir(cls.tir_negative, (f,), out_sinfo=R.Tensor((n, 4), dtype="float32"))
        gv_2: R.Tensor((n, 4), dtype="float32") = pair[0]
        return (g, gv_2)
