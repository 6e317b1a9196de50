# Calls that need the same loops share a PrimFunc; another shape is another function.
# test: opt --pass LegalizeOps
# run: main == same
# run: main special == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((3,), "float32")):
        with R.dataflow():
            a = R.nn.relu(x)
            b = R.nn.relu(a)
            c = R.nn.relu(y)
            d = R.add(b, c)
            R.output(d)
        return d

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(b: T.Buffer((T.int64(2), T.int64(3)), "float32"), c: T.Buffer((T.int64(3),), "float32"), T_add: T.Buffer((T.int64(2), T.int64(3)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(3)):
            with T.block("T_add"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(b[v_i0, v_i1], c[v_i1])
                T.writes(T_add[v_i0, v_i1])
                T_add[v_i0, v_i1] = b[v_i0, v_i1] + c[v_i1]

    @T.prim_func(private=True)
    def relu(x: T.Buffer((T.int64(2), T.int64(3)), "float32"), compute: T.Buffer((T.int64(2), T.int64(3)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(3)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.max(x[v_i0, v_i1], T.float32(0.0))

    @T.prim_func(private=True)
    def relu1(y: T.Buffer((T.int64(3),), "float32"), compute: T.Buffer((T.int64(3),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(3)):
            with T.block("compute"):
                v_i0 = T.axis.spatial(T.int64(3), i0)
                T.reads(y[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = T.max(y[v_i0], T.float32(0.0))

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32"), y: R.Tensor((3,), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.relu, (x,), out_sinfo=R.Tensor((2, 3), dtype="float32"))
            b = R.call_tir(cls.relu, (a,), out_sinfo=R.Tensor((2, 3), dtype="float32"))
            c = R.call_tir(cls.relu1, (y,), out_sinfo=R.Tensor((3,), dtype="float32"))
            d = R.call_tir(cls.add, (b, c), out_sinfo=R.Tensor((2, 3), dtype="float32"))
            R.output(d)
        return d
