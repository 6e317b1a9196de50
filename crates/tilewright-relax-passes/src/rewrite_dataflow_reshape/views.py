# Every operator that only changes the shape is a view of its operand; a result that leaves the block is copied.
# test: opt --pass LegalizeOps --pass RewriteDataflowReshape --pass DeadCodeElimination
# run: main n=3 == same
# run: main n=0 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), y: R.Tensor((1, 6), "float32")):
        n = T.int64()
        with R.dataflow():
            a = R.abs(x)
            b = R.reshape(a, (n * 2, 2))
            c = R.negative(b)
            d = R.squeeze(y)
            e = R.flatten(y)
            f = R.expand_dims(e, axis=1)
            g = R.permute_dims(b)
            h = R.subtract(f, d)
            out = R.reshape(c, (n, 4))
            R.output(out, g, h)
        return (out, g, h)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def reshape1(var_c: T.handle, var_T_reshape: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        c = T.match_buffer(var_c, (n * T.int64(2), T.int64(2)), "float32")
        T_reshape = T.match_buffer(var_T_reshape, (n, T.int64(4)), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n, T.int64(4)):
            with T.block("T_reshape"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(c[(v_i0 * T.int64(4) + v_i1) // T.int64(2), (v_i0 * T.int64(4) + v_i1) % T.int64(2)])
                T.writes(T_reshape[v_i0, v_i1])
                T_reshape[v_i0, v_i1] = c[(v_i0 * T.int64(4) + v_i1) // T.int64(2), (v_i0 * T.int64(4) + v_i1) % T.int64(2)]

    @T.prim_func(private=True)
    def subtract(f: T.Buffer((T.int64(6), T.int64(1)), "float32"), d: T.Buffer((T.int64(6),), "float32"), T_subtract: T.Buffer((T.int64(6), T.int64(6)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(6), T.int64(6)):
            with T.block("T_subtract"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(f[v_i0, T.int64(0)], d[v_i1])
                T.writes(T_subtract[v_i0, v_i1])
                T_subtract[v_i0, v_i1] = f[v_i0, T.int64(0)] - d[v_i1]

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
    def tir_negative(var_b: T.handle, n: T.int64, compute: T.Buffer((n * T.int64(2), T.int64(2)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.match_buffer(var_b, (n * T.int64(2), T.int64(2)), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n * T.int64(2), T.int64(2)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(b[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = b[v_i0, v_i1] * T.float32(-1.0)

    @T.prim_func(private=True)
    def transpose(var_b: T.handle, n: T.int64, T_transpose: T.Buffer((T.int64(2), n * T.int64(2)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.match_buffer(var_b, (n * T.int64(2), T.int64(2)), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), n * T.int64(2)):
            with T.block("T_transpose"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(b[v_i1, v_i0])
                T.writes(T_transpose[v_i0, v_i1])
                T_transpose[v_i0, v_i1] = b[v_i1, v_i0]

    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor((1, 6), dtype="float32")) -> R.Tuple(R.Tensor(("n", 4), dtype="float32"), R.Tensor((2, "n * 2"), dtype="float32"), R.Tensor((6, 6), dtype="float32")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.tir_abs, (x,), out_sinfo=R.Tensor((n, 4), dtype="float32"))
            b: R.Tensor((n * 2, 2), dtype="float32") = R.memory.view(a, R.shape([n * 2, 2]), dtype="void", relative_byte_offset=0)
            c = R.call_tir(cls.tir_negative, (b, R.prim_value(n)), out_sinfo=R.Tensor((n * 2, 2), dtype="float32"))
            d: R.Tensor((6,), dtype="float32") = R.memory.view(y, R.shape([6]), dtype="void", relative_byte_offset=0)
            e: R.Tensor((6,), dtype="float32") = R.memory.view(y, R.shape([6]), dtype="void", relative_byte_offset=0)
            f: R.Tensor((6, 1), dtype="float32") = R.memory.view(e, R.shape([6, 1]), dtype="void", relative_byte_offset=0)
            g = R.call_tir(cls.transpose, (b, R.prim_value(n)), out_sinfo=R.Tensor((2, n * 2), dtype="float32"))
            h = R.call_tir(cls.subtract, (f, d), out_sinfo=R.Tensor((6, 6), dtype="float32"))
            out = R.call_tir(cls.reshape1, (c,), out_sinfo=R.Tensor((n, 4), dtype="float32"))
            R.output(g, h, out)
        return (out, g, h)
