# Each result overwrites the argument that dies; arguments of the function, live tensors and those of another shape are
# not overwritten.
# test: opt --pass LegalizeOps --pass DataflowUseInplaceCalls --pass DeadCodeElimination
# run: main == same
# run: main special == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), b: R.Tensor((3,), "float32")):
        with R.dataflow():
            a = R.negative(x)
            c = R.add(a, b)
            d = R.nn.relu(c)
            e = R.subtract(d, c)
            t = R.permute_dims(e)
            f = R.negative(t)
            R.output(f)
        return f

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add_inplace(a: T.Buffer((T.int64(2), T.int64(3)), "float32"), b: T.Buffer((T.int64(3),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(3)):
            with T.block("T_add"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(a[v_i0, v_i1], b[v_i1])
                T.writes(a[v_i0, v_i1])
                a[v_i0, v_i1] = a[v_i0, v_i1] + b[v_i1]

    @T.prim_func(private=True)
    def relu(c: T.Buffer((T.int64(2), T.int64(3)), "float32"), compute: T.Buffer((T.int64(2), T.int64(3)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(3)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(c[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.max(c[v_i0, v_i1], T.float32(0.0))

    @T.prim_func(private=True)
    def subtract_inplace(d: T.Buffer((T.int64(2), T.int64(3)), "float32"), c: T.Buffer((T.int64(2), T.int64(3)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(3)):
            with T.block("T_subtract"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(d[v_i0, v_i1], c[v_i0, v_i1])
                T.writes(d[v_i0, v_i1])
                d[v_i0, v_i1] = d[v_i0, v_i1] - c[v_i0, v_i1]

    @T.prim_func(private=True)
    def tir_negative(x: T.Buffer((T.int64(2), T.int64(3)), "float32"), compute: T.Buffer((T.int64(2), T.int64(3)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(3)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = x[v_i0, v_i1] * T.float32(-1.0)

    @T.prim_func(private=True)
    def tir_negative1_inplace(t: T.Buffer((T.int64(3), T.int64(2)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(3), T.int64(2)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(t[v_i0, v_i1])
                T.writes(t[v_i0, v_i1])
                t[v_i0, v_i1] = t[v_i0, v_i1] * T.float32(-1.0)

    @T.prim_func(private=True)
    def transpose(e: T.Buffer((T.int64(2), T.int64(3)), "float32"), T_transpose: T.Buffer((T.int64(3), T.int64(2)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(3), T.int64(2)):
            with T.block("T_transpose"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(e[v_i1, v_i0])
                T.writes(T_transpose[v_i0, v_i1])
                T_transpose[v_i0, v_i1] = e[v_i1, v_i0]

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32"), b: R.Tensor((3,), dtype="float32")) -> R.Tensor((3, 2), dtype="float32"):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.tir_negative, (x,), out_sinfo=R.Tensor((2, 3), dtype="float32"))
            c = R.call_tir_inplace(cls.add_inplace, (a, b), inplace_indices=[0], out_sinfo=R.Tensor((2, 3), dtype="float32"))
            d = R.call_tir(cls.relu, (c,), out_sinfo=R.Tensor((2, 3), dtype="float32"))
            e = R.call_tir_inplace(cls.subtract_inplace, (d, c), inplace_indices=[0], out_sinfo=R.Tensor((2, 3), dtype="float32"))
            t = R.call_tir(cls.transpose, (e,), out_sinfo=R.Tensor((3, 2), dtype="float32"))
            f = R.call_tir_inplace(cls.tir_negative1_inplace, (t,), inplace_indices=[0], out_sinfo=R.Tensor((3, 2), dtype="float32"))
            R.output(f)
        return f
