# Nests that read something else than constants, that have no mark, or whose sizes a call says; a result that others write too.
# test: opt --pass AttachAttrLayoutFreeBuffers --pass SplitLayoutRewritePreproc
# run: main == same


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def others(x: T.Buffer((2,), "float32"), w: T.Buffer((2,), "float32"), v_: T.handle, y: T.Buffer((2,), "float32")):
        m = T.int64()
        v = T.match_buffer(v_, (m,))
        with T.block("root"):
            a = T.alloc_buffer((2,))
            b = T.alloc_buffer((2,))
            c = T.alloc_buffer((2,))
            d = T.alloc_buffer((2,))
            for i in range(2):
                with T.block("a"):
                    T.block_attr({"layout_rewrite_preproc": True})
                    vi = T.axis.spatial(2, i)
                    a[vi] = w[vi] * x[vi]
            for i in range(2):
                with T.block("b"):
                    vi = T.axis.spatial(2, i)
                    b[vi] = w[1 - vi]
            for i in range(2):
                with T.block("c"):
                    T.block_attr({"layout_rewrite_preproc": True})
                    vi = T.axis.spatial(2, i)
                    c[vi] = T.if_then_else(vi < m, v[T.max(T.min(vi, m - 1), 0)], T.float32(0))
            for i in range(2):
                with T.block("d"):
                    T.block_attr({"layout_rewrite_preproc": True})
                    vi = T.axis.spatial(2, i)
                    d[vi] = w[vi]
            for i in range(1):
                with T.block("d_0"):
                    d[0] = d[0] + x[1]
            for i in range(2):
                with T.block("y"):
                    vi = T.axis.spatial(2, i)
                    y[vi] = a[vi] + b[vi] * c[vi] + d[vi]

    @R.function
    def main(x: R.Tensor((2,), "float32")):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.others, (x, R.const([1, 2], "float32"), R.const([3, 5, 7], "float32")), out_sinfo=R.Tensor((2,), "float32"))
            R.output(y)
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def others(x: T.Buffer((2,), "float32"), w: T.Buffer((2,), "float32"), v_: T.handle, y: T.Buffer((2,), "float32")):
        T.func_attr({"layout_free_buffers": [1, 2]})
        m = T.int64()
        v = T.match_buffer(v_, (m,), "float32")
        # with T.block("root"):
        a = T.alloc_buffer((2,))
        b = T.alloc_buffer((2,))
        c = T.alloc_buffer((2,))
        d = T.alloc_buffer((2,))
        for i in range(2):
            with T.block("a"):
                vi = T.axis.spatial(2, i)
                T.reads(w[vi], x[vi])
                T.writes(a[vi])
                T.block_attr({"layout_rewrite_preproc": T.bool(True)})
                a[vi] = w[vi] * x[vi]
        for i in range(2):
            with T.block("b"):
                vi = T.axis.spatial(2, i)
                T.reads(w[1 - vi])
                T.writes(b[vi])
                b[vi] = w[1 - vi]
        for i in range(2):
            with T.block("c"):
                vi = T.axis.spatial(2, i)
                T.reads(v[T.max(T.min(T.Cast("int64", vi), m - T.int64(1)), T.int64(0))])
                T.writes(c[vi])
                T.block_attr({"layout_rewrite_preproc": T.bool(True)})
                c[vi] = T.if_then_else(T.Cast("int64", vi) < m, v[T.max(T.min(T.Cast("int64", vi), m - T.int64(1)), T.int64(0))], T.float32(0.0))
        for i in range(2):
            with T.block("d"):
                vi = T.axis.spatial(2, i)
                T.reads(w[vi])
                T.writes(d[vi])
                T.block_attr({"layout_rewrite_preproc": T.bool(True)})
                d[vi] = w[vi]
        for i in range(1):
            with T.block("d_0"):
                T.reads(d[0], x[1])
                T.writes(d[0])
                d[0] = d[0] + x[1]
        for i in range(2):
            with T.block("y"):
                vi = T.axis.spatial(2, i)
                T.reads(a[vi], b[vi], c[vi], d[vi])
                T.writes(y[vi])
                y[vi] = a[vi] + b[vi] * c[vi] + d[vi]

    @R.function
    def main(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.others, (x, metadata["relax.expr.Constant"][0], metadata["relax.expr.Constant"][1]), out_sinfo=R.Tensor((2,), dtype="float32"))
            R.output(y)
        return y

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [2], "data": "AACAPwAAAEA="},
    {"dtype": "float32", "shape": [3], "data": "AABAQAAAoEAAAOBA"},
]}
