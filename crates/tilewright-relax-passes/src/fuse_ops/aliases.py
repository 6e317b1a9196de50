# What reads a tensor under another name stays before the call that overwrites it, too: `b` reads `a` as a field, `e` reads
# what may be `x` under any name. `h` reads what the call gives, and `g` is other memory.
# test: opt --pass AnnotateTIROpPattern --pass FuseOps
# run: main == same


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def exp(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": True})
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = T.exp(A[vi])

    @T.prim_func(private=True)
    def add(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": True})
        for i in range(4):
            with T.block("C"):
                vi = T.axis.spatial(4, i)
                C[vi] = A[vi] + B[vi]

    @T.prim_func(private=True)
    def double(A: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("A"):
                vi = T.axis.spatial(4, i)
                A[vi] = A[vi] * T.float32(2)

    @R.function
    def main(x: R.Tensor((4,), "float32"), y: R.Tensor((4,), "float32")):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.exp, (x,), out_sinfo=R.Tensor((4,), "float32"))
            pair = (a, x)
            field = pair[0]
            b = R.call_tir(cls.exp, (field,), out_sinfo=R.Tensor((4,), "float32"))
            g = R.call_tir(cls.exp, (b,), out_sinfo=R.Tensor((4,), "float32"))
            c = R.call_tir_inplace(cls.double, (a,), inplace_indices=[0], out_sinfo=R.Tensor((4,), "float32"))
            d = R.call_tir(cls.add, (g, c), out_sinfo=R.Tensor((4,), "float32"))
            e = R.call_tir(cls.exp, (y,), out_sinfo=R.Tensor((4,), "float32"))
            f = R.call_tir_inplace(cls.double, (x,), inplace_indices=[0], out_sinfo=R.Tensor((4,), "float32"))
            h = R.call_tir(cls.add, (e, f), out_sinfo=R.Tensor((4,), "float32"))
            out = R.call_tir(cls.add, (d, h), out_sinfo=R.Tensor((4,), "float32"))
            R.output(out)
        return out

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i in range(4):
            with T.block("C"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi], B[vi])
                T.writes(C[vi])
                C[vi] = A[vi] + B[vi]

    @T.prim_func(private=True)
    def double(A: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 0})
        # with T.block("root"):
        for i in range(4):
            with T.block("A"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi])
                T.writes(A[vi])
                A[vi] = A[vi] * T.float32(2.0)

    @T.prim_func(private=True)
    def exp(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi])
                T.writes(B[vi])
                B[vi] = T.exp(A[vi])

    @R.function(private=True)
    def fused_add_add(e: R.Tensor((4,), dtype="float32"), f: R.Tensor((4,), dtype="float32"), d: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        R.func_attr({"Primitive": 1})
        cls = Module
        with R.dataflow():
            h = R.call_tir(cls.add, (e, f), out_sinfo=R.Tensor((4,), dtype="float32"))
            out = R.call_tir(cls.add, (d, h), out_sinfo=R.Tensor((4,), dtype="float32"))
            R.output(out)
        return out

    @R.function(private=True)
    def fused_exp_add(b: R.Tensor((4,), dtype="float32"), c: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        R.func_attr({"Primitive": 1})
        cls = Module
        with R.dataflow():
            g = R.call_tir(cls.exp, (b,), out_sinfo=R.Tensor((4,), dtype="float32"))
            d = R.call_tir(cls.add, (g, c), out_sinfo=R.Tensor((4,), dtype="float32"))
            R.output(d)
        return d

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.exp, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
            pair: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = (a, x)
            field: R.Tensor((4,), dtype="float32") = pair[0]
            b = R.call_tir(cls.exp, (field,), out_sinfo=R.Tensor((4,), dtype="float32"))
            c = R.call_tir_inplace(cls.double, (a,), inplace_indices=[0], out_sinfo=R.Tensor((4,), dtype="float32"))
            d: R.Tensor((4,), dtype="float32") = cls.fused_exp_add(b, c)
            e = R.call_tir(cls.exp, (y,), out_sinfo=R.Tensor((4,), dtype="float32"))
            f = R.call_tir_inplace(cls.double, (x,), inplace_indices=[0], out_sinfo=R.Tensor((4,), dtype="float32"))
            out: R.Tensor((4,), dtype="float32") = cls.fused_add_add(e, f, d)
            R.output(out)
        return out
