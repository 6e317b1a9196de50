# An elementwise branch may join the group of a product that it is added to; two products may not be in one group.
# Dataflow blocks inside of conditionals are looked at too.
# test: opt --pass LegalizeOps --pass AnnotateTIROpPattern --pass FuseOps
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(p: R.Tensor((), "bool"), x: R.Tensor((3, 3), "float32"), y: R.Tensor((3, 3), "float32")):
        with R.dataflow():
            a = R.matmul(x, y)
            b = R.matmul(y, x)
            c = R.exp(x)
            d = R.add(a, b)
            e = R.add(d, c)
            R.output(e)
        if p:
            with R.dataflow():
                f = R.exp(e)
                g = R.subtract(f, x)
                R.output(g)
            out = g
        else:
            out = R.negative(e)
        return out

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(a: T.Buffer((T.int64(3), T.int64(3)), "float32"), b: T.Buffer((T.int64(3), T.int64(3)), "float32"), T_add: T.Buffer((T.int64(3), T.int64(3)), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(3), T.int64(3)):
            with T.block("T_add"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(a[v_i0, v_i1], b[v_i0, v_i1])
                T.writes(T_add[v_i0, v_i1])
                T_add[v_i0, v_i1] = a[v_i0, v_i1] + b[v_i0, v_i1]

    @T.prim_func(private=True)
    def matmul(x: T.Buffer((T.int64(3), T.int64(3)), "float32"), y: T.Buffer((T.int64(3), T.int64(3)), "float32"), matmul: T.Buffer((T.int64(3), T.int64(3)), "float32")):
        T.func_attr({"op_pattern": 4, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1, k in T.grid(T.int64(3), T.int64(3), T.int64(3)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(x[v_i0, v_k], y[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + x[v_i0, v_k] * y[v_k, v_i1]

    @T.prim_func(private=True)
    def subtract(f: T.Buffer((T.int64(3), T.int64(3)), "float32"), x: T.Buffer((T.int64(3), T.int64(3)), "float32"), T_subtract: T.Buffer((T.int64(3), T.int64(3)), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(3), T.int64(3)):
            with T.block("T_subtract"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(f[v_i0, v_i1], x[v_i0, v_i1])
                T.writes(T_subtract[v_i0, v_i1])
                T_subtract[v_i0, v_i1] = f[v_i0, v_i1] - x[v_i0, v_i1]

    @T.prim_func(private=True)
    def tir_exp(x: T.Buffer((T.int64(3), T.int64(3)), "float32"), compute: T.Buffer((T.int64(3), T.int64(3)), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(3), T.int64(3)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.exp(x[v_i0, v_i1])

    @T.prim_func(private=True)
    def tir_negative(e: T.Buffer((T.int64(3), T.int64(3)), "float32"), compute: T.Buffer((T.int64(3), T.int64(3)), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(3), T.int64(3)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(e[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = e[v_i0, v_i1] * T.float32(-1.0)

    @R.function(private=True)
    def fused_matmul_tir_exp_add_add(x: R.Tensor((3, 3), dtype="float32"), y: R.Tensor((3, 3), dtype="float32"), b: R.Tensor((3, 3), dtype="float32")) -> R.Tensor((3, 3), dtype="float32"):
        R.func_attr({"Primitive": 1})
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.matmul, (x, y), out_sinfo=R.Tensor((3, 3), dtype="float32"))
            c = R.call_tir(cls.tir_exp, (x,), out_sinfo=R.Tensor((3, 3), dtype="float32"))
            d = R.call_tir(cls.add, (a, b), out_sinfo=R.Tensor((3, 3), dtype="float32"))
            e = R.call_tir(cls.add, (d, c), out_sinfo=R.Tensor((3, 3), dtype="float32"))
            R.output(e)
        return e

    @R.function(private=True)
    def fused_tir_exp_subtract(e: R.Tensor((3, 3), dtype="float32"), x: R.Tensor((3, 3), dtype="float32")) -> R.Tensor((3, 3), dtype="float32"):
        R.func_attr({"Primitive": 1})
        cls = Module
        with R.dataflow():
            f = R.call_tir(cls.tir_exp, (e,), out_sinfo=R.Tensor((3, 3), dtype="float32"))
            g = R.call_tir(cls.subtract, (f, x), out_sinfo=R.Tensor((3, 3), dtype="float32"))
            R.output(g)
        return g

    @R.function
    def main(p: R.Tensor((), dtype="bool"), x: R.Tensor((3, 3), dtype="float32"), y: R.Tensor((3, 3), dtype="float32")) -> R.Tensor((3, 3), dtype="float32"):
        cls = Module
        with R.dataflow():
            b = R.call_tir(cls.matmul, (y, x), out_sinfo=R.Tensor((3, 3), dtype="float32"))
            e: R.Tensor((3, 3), dtype="float32") = cls.fused_matmul_tir_exp_add_add(x, y, b)
            R.output(e)
        if p:
            with R.dataflow():
                g: R.Tensor((3, 3), dtype="float32") = cls.fused_tir_exp_subtract(e, x)
                R.output(g)
            out: R.Tensor((3, 3), dtype="float32") = g
        else:
            gv = R.call_tir(cls.tir_negative, (e,), out_sinfo=R.Tensor((3, 3), dtype="float32"))
            out: R.Tensor((3, 3), dtype="float32") = gv
        return out
