# Symbolic dimensions come with the tensors, or as a shape where no tensor tells them.
# test: opt --pass LegalizeOps --pass AnnotateTIROpPattern --pass FuseOps
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
            out = (c, f)
            R.output(out)
        return out

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(var_x: T.handle, var_z: T.handle, var_T_add: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        m = T.int64()
        x = T.match_buffer(var_x, (n, m), "float32")
        z = T.match_buffer(var_z, (m,), "float32")
        T_add = T.match_buffer(var_T_add, (n, m), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n, m):
            with T.block("T_add"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1], z[v_i1])
                T.writes(T_add[v_i0, v_i1])
                T_add[v_i0, v_i1] = x[v_i0, v_i1] + z[v_i1]

    @T.prim_func(private=True)
    def relu(var_a: T.handle, var_compute: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        m = T.int64()
        a = T.match_buffer(var_a, (n, m), "float32")
        compute = T.match_buffer(var_compute, (n, m), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n, m):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(a[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.max(a[v_i0, v_i1], T.float32(0.0))

    @T.prim_func(private=True)
    def reshape(var_d: T.handle, var_T_reshape: T.handle):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True)})
        n = T.int64()
        m = T.int64()
        d = T.match_buffer(var_d, (n * m,), "float32")
        T_reshape = T.match_buffer(var_T_reshape, (n, m), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n, m):
            with T.block("T_reshape"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(d[v_i0 * m + v_i1])
                T.writes(T_reshape[v_i0, v_i1])
                T_reshape[v_i0, v_i1] = d[v_i0 * m + v_i1]

    @T.prim_func(private=True)
    def sum(var_b: T.handle, var_b_red: T.handle):
        T.func_attr({"op_pattern": 3, "tir.noalias": T.bool(True)})
        n = T.int64()
        m = T.int64()
        b = T.match_buffer(var_b, (n, m), "float32")
        b_red = T.match_buffer(var_b_red, (n,), "float32")
        # with T.block("root"):
        for i0, k1 in T.grid(n, m):
            with T.block("b_red"):
                v_i0, v_k1 = T.axis.remap("SR", [i0, k1])
                T.reads(b[v_i0, v_k1])
                T.writes(b_red[v_i0])
                with T.init():
                    b_red[v_i0] = T.float32(0.0)
                b_red[v_i0] = b_red[v_i0] + b[v_i0, v_k1]

    @T.prim_func(private=True)
    def tir_exp(var_y: T.handle, n: T.int64, m: T.int64, compute: T.Buffer((n * m,), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        y = T.match_buffer(var_y, (n * m,), "float32")
        # with T.block("root"):
        for i0 in range(n * m):
            with T.block("compute"):
                v_i0 = T.axis.spatial(n * m, i0)
                T.reads(y[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = T.exp(y[v_i0])

    @T.prim_func(private=True)
    def tir_negative(var_e: T.handle, var_compute: T.handle):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        n = T.int64()
        m = T.int64()
        e = T.match_buffer(var_e, (n, m), "float32")
        compute = T.match_buffer(var_compute, (n, m), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n, m):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(e[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = e[v_i0, v_i1] * T.float32(-1.0)

    @R.function(private=True)
    def fused_add_relu_sum(x: R.Tensor(("n", "m"), dtype="float32"), z: R.Tensor(("m",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        m = T.int64()
        R.func_attr({"Primitive": 1})
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.add, (x, z), out_sinfo=R.Tensor((n, m), dtype="float32"))
            b = R.call_tir(cls.relu, (a,), out_sinfo=R.Tensor((n, m), dtype="float32"))
            c = R.call_tir(cls.sum, (b,), out_sinfo=R.Tensor((n,), dtype="float32"))
            R.output(c)
        return c

    @R.function(private=True)
    def fused_tir_exp_reshape_tir_negative(y: R.Tensor(("n * m",), dtype="float32"), s: R.Shape(["n", "m"])) -> R.Tensor(("n", "m"), dtype="float32"):
        n = T.int64()
        m = T.int64()
        R.func_attr({"Primitive": 1})
        cls = Module
        with R.dataflow():
            d = R.call_tir(cls.tir_exp, (y, R.prim_value(n), R.prim_value(m)), out_sinfo=R.Tensor((n * m,), dtype="float32"))
            e = R.call_tir(cls.reshape, (d,), out_sinfo=R.Tensor((n, m), dtype="float32"))
            f = R.call_tir(cls.tir_negative, (e,), out_sinfo=R.Tensor((n, m), dtype="float32"))
            R.output(f)
        return f

    @R.function
    def main(x: R.Tensor(("n", "m"), dtype="float32"), y: R.Tensor(("n * m",), dtype="float32"), z: R.Tensor(("m",), dtype="float32")) -> R.Tuple(R.Tensor(("n",), dtype="float32"), R.Tensor(("n", "m"), dtype="float32")):
        n = T.int64()
        m = T.int64()
        cls = Module
        with R.dataflow():
            c: R.Tensor((n,), dtype="float32") = cls.fused_add_relu_sum(x, z)
            f: R.Tensor((n, m), dtype="float32") = cls.fused_tir_exp_reshape_tir_negative(y, R.shape([n, m]))
            out: R.Tuple(R.Tensor((n,), dtype="float32"), R.Tensor((n, m), dtype="float32")) = (c, f)
            R.output(out)
        return out
