# Fields of a tuple that is made in the group stay inside; those of a tuple from outside are arguments. A tuple on the way
# does not separate.
# test: opt --pass LegalizeOps --pass AnnotateTIROpPattern --pass FuseOps
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(u: R.Tensor((2, 4), "float32"), v: R.Tensor((2, 2), "float32")):
        t = (u, v)
        with R.dataflow():
            x = t[0]
            parts = R.split(x, 2, axis=1)
            a = parts[0]
            b = parts[1]
            ea = R.exp(a)
            pair = (ea, b)
            c = pair[0]
            d = pair[1]
            joined = R.subtract(c, d)
            y = t[1]
            out = R.multiply(joined, y)
            R.output(out)
        return out

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def multiply(joined: T.Buffer((T.int64(2), T.int64(2)), "float32"), y: T.Buffer((T.int64(2), T.int64(2)), "float32"), T_multiply: T.Buffer((T.int64(2), T.int64(2)), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(2)):
            with T.block("T_multiply"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(joined[v_i0, v_i1], y[v_i0, v_i1])
                T.writes(T_multiply[v_i0, v_i1])
                T_multiply[v_i0, v_i1] = joined[v_i0, v_i1] * y[v_i0, v_i1]

    @T.prim_func(private=True)
    def split(x: T.Buffer((T.int64(2), T.int64(4)), "float32"), T_split_sections: T.Buffer((T.int64(2), T.int64(2)), "float32"), T_split_sections_1: T.Buffer((T.int64(2), T.int64(2)), "float32")):
        T.func_attr({"op_pattern": 2, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(2)):
            with T.block("T_split_sections"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1])
                T.writes(T_split_sections[v_i0, v_i1])
                T_split_sections[v_i0, v_i1] = x[v_i0, v_i1]
        for i0, i1 in T.grid(T.int64(2), T.int64(2)):
            with T.block("T_split_sections_1"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1 + T.int64(2)])
                T.writes(T_split_sections_1[v_i0, v_i1])
                T_split_sections_1[v_i0, v_i1] = x[v_i0, v_i1 + T.int64(2)]

    @T.prim_func(private=True)
    def subtract(c: T.Buffer((T.int64(2), T.int64(2)), "float32"), d: T.Buffer((T.int64(2), T.int64(2)), "float32"), T_subtract: T.Buffer((T.int64(2), T.int64(2)), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(2)):
            with T.block("T_subtract"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(c[v_i0, v_i1], d[v_i0, v_i1])
                T.writes(T_subtract[v_i0, v_i1])
                T_subtract[v_i0, v_i1] = c[v_i0, v_i1] - d[v_i0, v_i1]

    @T.prim_func(private=True)
    def tir_exp(a: T.Buffer((T.int64(2), T.int64(2)), "float32"), compute: T.Buffer((T.int64(2), T.int64(2)), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(2)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(a[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.exp(a[v_i0, v_i1])

    @R.function(private=True)
    def fused_split_tir_exp_subtract_multiply(x: R.Tensor((2, 4), dtype="float32"), y: R.Tensor((2, 2), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        R.func_attr({"Primitive": 1})
        cls = Module
        with R.dataflow():
            parts = R.call_tir(cls.split, (x,), out_sinfo=[R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32")])
            a: R.Tensor((2, 2), dtype="float32") = parts[0]
            b: R.Tensor((2, 2), dtype="float32") = parts[1]
            ea = R.call_tir(cls.tir_exp, (a,), out_sinfo=R.Tensor((2, 2), dtype="float32"))
            pair: R.Tuple(R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32")) = (ea, b)
            c: R.Tensor((2, 2), dtype="float32") = pair[0]
            d: R.Tensor((2, 2), dtype="float32") = pair[1]
            joined = R.call_tir(cls.subtract, (c, d), out_sinfo=R.Tensor((2, 2), dtype="float32"))
            out = R.call_tir(cls.multiply, (joined, y), out_sinfo=R.Tensor((2, 2), dtype="float32"))
            R.output(out)
        return out

    @R.function
    def main(u: R.Tensor((2, 4), dtype="float32"), v: R.Tensor((2, 2), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        cls = Module
        t: R.Tuple(R.Tensor((2, 4), dtype="float32"), R.Tensor((2, 2), dtype="float32")) = (u, v)
        with R.dataflow():
            x: R.Tensor((2, 4), dtype="float32") = t[0]
            y: R.Tensor((2, 2), dtype="float32") = t[1]
            out: R.Tensor((2, 2), dtype="float32") = cls.fused_split_tir_exp_subtract_multiply(x, y)
            R.output(out)
        return out
