# A layer: each operator becomes a call of a private PrimFunc with the caller's names.
# test: opt --pass LegalizeOps
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32"), w: R.Tensor((4, 3), "float32"), b: R.Tensor((4,), "float32")):
        with R.dataflow():
            lv = R.permute_dims(w)
            lv1 = R.matmul(x, lv)
            lv2 = R.add(lv1, b)
            gv = R.nn.relu(lv2)
            R.output(gv)
        return gv

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(lv1: T.Buffer((T.int64(2), T.int64(4)), "float32"), b: T.Buffer((T.int64(4),), "float32"), T_add: T.Buffer((T.int64(2), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(4)):
            with T.block("T_add"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(lv1[v_i0, v_i1], b[v_i1])
                T.writes(T_add[v_i0, v_i1])
                T_add[v_i0, v_i1] = lv1[v_i0, v_i1] + b[v_i1]

    @T.prim_func(private=True)
    def matmul(x: T.Buffer((T.int64(2), T.int64(3)), "float32"), lv: T.Buffer((T.int64(3), T.int64(4)), "float32"), matmul: T.Buffer((T.int64(2), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1, k in T.grid(T.int64(2), T.int64(4), T.int64(3)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(x[v_i0, v_k], lv[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + x[v_i0, v_k] * lv[v_k, v_i1]

    @T.prim_func(private=True)
    def relu(lv2: T.Buffer((T.int64(2), T.int64(4)), "float32"), compute: T.Buffer((T.int64(2), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(2), T.int64(4)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(lv2[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.max(lv2[v_i0, v_i1], T.float32(0.0))

    @T.prim_func(private=True)
    def transpose(w: T.Buffer((T.int64(4), T.int64(3)), "float32"), T_transpose: T.Buffer((T.int64(3), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1 in T.grid(T.int64(3), T.int64(4)):
            with T.block("T_transpose"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(w[v_i1, v_i0])
                T.writes(T_transpose[v_i0, v_i1])
                T_transpose[v_i0, v_i1] = w[v_i1, v_i0]

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32"), w: R.Tensor((4, 3), dtype="float32"), b: R.Tensor((4,), dtype="float32")) -> R.Tensor((2, 4), dtype="float32"):
        cls = Module
        with R.dataflow():
            lv = R.call_tir(cls.transpose, (w,), out_sinfo=R.Tensor((3, 4), dtype="float32"))
            lv1 = R.call_tir(cls.matmul, (x, lv), out_sinfo=R.Tensor((2, 4), dtype="float32"))
            lv2 = R.call_tir(cls.add, (lv1, b), out_sinfo=R.Tensor((2, 4), dtype="float32"))
            gv = R.call_tir(cls.relu, (lv2,), out_sinfo=R.Tensor((2, 4), dtype="float32"))
            R.output(gv)
        return gv
