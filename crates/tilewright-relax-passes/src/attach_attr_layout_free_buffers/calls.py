# Constants under any name; not what a call somewhere gives otherwise, parameters of the graph, and functions that others may call.
# test: opt --pass AttachAttrLayoutFreeBuffers
# run: main == same


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def product(x: T.Buffer((2, 2), "float32"), w: T.Buffer((2, 2), "float32"), b: T.Buffer((2,), "float32"), y: T.Buffer((2, 2), "float32")):
        for i, j, k in T.grid(2, 2, 2):
            with T.block("y"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    y[vi, vj] = b[vj]
                y[vi, vj] = y[vi, vj] + x[vi, vk] * w[vk, vj]

    @T.prim_func(private=True)
    def double(x: T.Buffer((2, 2), "float32"), y: T.Buffer((2, 2), "float32")):
        for i, j in T.grid(2, 2):
            with T.block("y"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = x[vi, vj] * T.float32(2)

    @T.prim_func
    def shown(x: T.Buffer((2, 2), "float32"), y: T.Buffer((2, 2), "float32")):
        T.func_attr({"global_symbol": "shown"})
        for i, j in T.grid(2, 2):
            with T.block("y"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = x[vi, vj] + T.float32(1)

    @R.function
    def main(x: R.Tensor((2, 2), "float32"), b: R.Tensor((2,), "float32")):
        cls = Module
        with R.dataflow():
            w = R.const([[1, 2], [3, 4]], "float32")
            v = w
            p = R.call_tir(cls.product, (x, v, b), out_sinfo=R.Tensor((2, 2), "float32"))
            c = R.const([5, 6], "float32")
            r = R.call_tir(cls.product, (p, R.const([[1, 2], [3, 5]], "float32"), c), out_sinfo=R.Tensor((2, 2), "float32"))
            s = R.call_tir(cls.double, (w,), out_sinfo=R.Tensor((2, 2), "float32"))
            t = R.call_tir(cls.shown, (w,), out_sinfo=R.Tensor((2, 2), "float32"))
            R.output(r, s, t)
        return (r, s, t)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def double(x: T.Buffer((2, 2), "float32"), y: T.Buffer((2, 2), "float32")):
        T.func_attr({"layout_free_buffers": [0]})
        # with T.block("root"):
        for i, j in T.grid(2, 2):
            with T.block("y"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(x[vi, vj])
                T.writes(y[vi, vj])
                y[vi, vj] = x[vi, vj] * T.float32(2.0)

    @T.prim_func(private=True)
    def product(x: T.Buffer((2, 2), "float32"), w: T.Buffer((2, 2), "float32"), b: T.Buffer((2,), "float32"), y: T.Buffer((2, 2), "float32")):
        T.func_attr({"layout_free_buffers": [1]})
        # with T.block("root"):
        for i, j, k in T.grid(2, 2, 2):
            with T.block("y"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.reads(b[vj], x[vi, vk], w[vk, vj])
                T.writes(y[vi, vj])
                with T.init():
                    y[vi, vj] = b[vj]
                y[vi, vj] = y[vi, vj] + x[vi, vk] * w[vk, vj]

    @T.prim_func
    def shown(x: T.Buffer((2, 2), "float32"), y: T.Buffer((2, 2), "float32")):
        # with T.block("root"):
        for i, j in T.grid(2, 2):
            with T.block("y"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(x[vi, vj])
                T.writes(y[vi, vj])
                y[vi, vj] = x[vi, vj] + T.float32(1.0)

    @R.function
    def main(x: R.Tensor((2, 2), dtype="float32"), b: R.Tensor((2,), dtype="float32")) -> R.Tuple(R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32"), R.Tensor((2, 2), dtype="float32")):
        cls = Module
        with R.dataflow():
            w: R.Tensor((2, 2), dtype="float32") = metadata["relax.expr.Constant"][0]
            v: R.Tensor((2, 2), dtype="float32") = w
            p = R.call_tir(cls.product, (x, v, b), out_sinfo=R.Tensor((2, 2), dtype="float32"))
            c: R.Tensor((2,), dtype="float32") = metadata["relax.expr.Constant"][1]
            r = R.call_tir(cls.product, (p, metadata["relax.expr.Constant"][2], c), out_sinfo=R.Tensor((2, 2), dtype="float32"))
            s = R.call_tir(cls.double, (w,), out_sinfo=R.Tensor((2, 2), dtype="float32"))
            t = R.call_tir(cls.shown, (w,), out_sinfo=R.Tensor((2, 2), dtype="float32"))
            R.output(r, s, t)
        return (r, s, t)

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [2, 2], "data": "AACAPwAAAEAAAEBAAACAQA=="},
    {"dtype": "float32", "shape": [2], "data": "AACgQAAAwEA="},
    {"dtype": "float32", "shape": [2, 2], "data": "AACAPwAAAEAAAEBAAACgQA=="},
]}
