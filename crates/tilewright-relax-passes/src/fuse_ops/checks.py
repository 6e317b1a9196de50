# Plain blocks stay as they are; a check is in no group.
# test: opt --pass LegalizeOps --pass AnnotateTIROpPattern --pass FuseOps
# run: main(f32[3], f32[4]) == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor("float32", ndim=1)):
        n = T.int64()
        a = R.exp(x)
        b = R.negative(a)
        with R.dataflow():
            c = R.exp(b)
            d = R.match_cast(c, R.Tensor((n,), "float32"))
            e = R.negative(d)
            f = R.sqrt(e)
            m = T.int64()
            z = R.match_cast(y, R.Tensor((m,), "float32"))
            g = R.exp(z)
            h = R.add(g, z)
            R.output(f, h)
        return (f, h)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(var_g: T.handle, var_z: T.handle, var_T_add: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        m = T.int64()
        g = T.match_buffer(var_g, (m,), "float32")
        z = T.match_buffer(var_z, (m,), "float32")
        T_add = T.match_buffer(var_T_add, (m,), "float32")
        # with T.block("root"):
        for i0 in range(m):
            with T.block("T_add"):
                v_i0 = T.axis.spatial(m, i0)
                T.reads(g[v_i0], z[v_i0])
                T.writes(T_add[v_i0])
                T_add[v_i0] = g[v_i0] + z[v_i0]

    @T.prim_func(private=True)
    def tir_exp(var_x: T.handle, var_compute: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n,), "float32")
        compute = T.match_buffer(var_compute, (n,), "float32")
        # with T.block("root"):
        for i0 in range(n):
            with T.block("compute"):
                v_i0 = T.axis.spatial(n, i0)
                T.reads(x[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = T.exp(x[v_i0])

    @T.prim_func(private=True)
    def tir_negative(var_a: T.handle, var_compute: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        a = T.match_buffer(var_a, (n,), "float32")
        compute = T.match_buffer(var_compute, (n,), "float32")
        # with T.block("root"):
        for i0 in range(n):
            with T.block("compute"):
                v_i0 = T.axis.spatial(n, i0)
                T.reads(a[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = a[v_i0] * T.float32(-1.0)

    @T.prim_func(private=True)
    def tir_sqrt(var_e: T.handle, var_compute: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        e = T.match_buffer(var_e, (n,), "float32")
        compute = T.match_buffer(var_compute, (n,), "float32")
        # with T.block("root"):
        for i0 in range(n):
            with T.block("compute"):
                v_i0 = T.axis.spatial(n, i0)
                T.reads(e[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = T.sqrt(e[v_i0])

    @R.function(private=True)
    def fused_tir_exp_add(z: R.Tensor(("m",), dtype="float32")) -> R.Tensor(("m",), dtype="float32"):
        m = T.int64()
        R.func_attr({"Primitive": 1})
        cls = Module
        with R.dataflow():
            g = R.call_tir(cls.tir_exp, (z,), out_sinfo=R.Tensor((m,), dtype="float32"))
            h = R.call_tir(cls.add, (g, z), out_sinfo=R.Tensor((m,), dtype="float32"))
            R.output(h)
        return h

    @R.function(private=True)
    def fused_tir_negative_tir_sqrt(d: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        R.func_attr({"Primitive": 1})
        cls = Module
        with R.dataflow():
            e = R.call_tir(cls.tir_negative, (d,), out_sinfo=R.Tensor((n,), dtype="float32"))
            f = R.call_tir(cls.tir_sqrt, (e,), out_sinfo=R.Tensor((n,), dtype="float32"))
            R.output(f)
        return f

    @R.function
    def main(x: R.Tensor(("n",), dtype="float32"), y: R.Tensor(dtype="float32", ndim=1)) -> R.Tuple(R.Tensor(("n",), dtype="float32"), R.Tensor(dtype="float32", ndim=1)):
        n = T.int64()
        m = T.int64()
        cls = Module
        a = R.call_tir(cls.tir_exp, (x,), out_sinfo=R.Tensor((n,), dtype="float32"))
        b = R.call_tir(cls.tir_negative, (a,), out_sinfo=R.Tensor((n,), dtype="float32"))
        with R.dataflow():
            c = R.call_tir(cls.tir_exp, (b,), out_sinfo=R.Tensor((n,), dtype="float32"))
            d: R.Tensor((n,), dtype="float32") = R.match_cast(c, R.Tensor((n,), dtype="float32"))
            f: R.Tensor((n,), dtype="float32") = cls.fused_tir_negative_tir_sqrt(d)
            z: R.Tensor((m,), dtype="float32") = R.match_cast(y, R.Tensor((m,), dtype="float32"))
            h: R.Tensor((m,), dtype="float32") = cls.fused_tir_exp_add(z)
            R.output(f, h)
        return (f, h)
