# Tuples are flattened: fields are parameters and results of their own, and fields that the function only passes on are
# not passed.
# test: opt --pass AnnotateTIROpPattern --pass FuseTIR
# run: main == same


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def both(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), S: T.Buffer((4,), "float32"), D: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": True})
        for i in range(4):
            with T.block("sum"):
                vi = T.axis.spatial(4, i)
                S[vi] = A[vi] + B[vi]
        for i in range(4):
            with T.block("difference"):
                vi = T.axis.spatial(4, i)
                D[vi] = A[vi] - B[vi]

    @R.function(private=True)
    def fused(
        t: R.Tuple(R.Tensor((4,), "float32"), R.Tuple(R.Tensor((4,), "float32"), R.Tensor((2,), "float32"))),
        u: R.Tensor((4,), "float32"),
    ):
        R.func_attr({"Primitive": 1})
        cls = Module
        with R.dataflow():
            x = t[0]
            rest = t[1]
            y = rest[0]
            first = R.call_tir(
                cls.both, (x, y), out_sinfo=[R.Tensor((4,), "float32"), R.Tensor((4,), "float32")]
            )
            s = first[0]
            d = first[1]
            second = R.call_tir(
                cls.both, (d, s), out_sinfo=[R.Tensor((4,), "float32"), R.Tensor((4,), "float32")]
            )
            z = rest[1]
            inner = (s, u)
            out = (second, inner, z)
            R.output(out)
        return out

    @R.function
    def main(a: R.Tensor((4,), "float32"), b: R.Tensor((4,), "float32"), c: R.Tensor((2,), "float32")):
        cls = Module
        with R.dataflow():
            pair = (b, c)
            all = (a, pair)
            out = cls.fused(all, a)
            R.output(out)
        return out

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def fused(t_0: T.Buffer((4,), "float32"), t_1_0: T.Buffer((4,), "float32"), S: T.Buffer((4,), "float32"), D: T.Buffer((4,), "float32"), S_1: T.Buffer((4,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        D_1 = T.alloc_buffer((4,))
        for i in range(4):
            with T.block("sum"):
                vi = T.axis.spatial(4, i)
                T.reads(t_0[vi], t_1_0[vi])
                T.writes(S_1[vi])
                S_1[vi] = t_0[vi] + t_1_0[vi]
        for i in range(4):
            with T.block("difference"):
                vi = T.axis.spatial(4, i)
                T.reads(t_0[vi], t_1_0[vi])
                T.writes(D_1[vi])
                D_1[vi] = t_0[vi] - t_1_0[vi]
        for i in range(4):
            with T.block("sum_1"):
                vi = T.axis.spatial(4, i)
                T.reads(D_1[vi], S_1[vi])
                T.writes(S[vi])
                S[vi] = D_1[vi] + S_1[vi]
        for i in range(4):
            with T.block("difference_1"):
                vi = T.axis.spatial(4, i)
                T.reads(D_1[vi], S_1[vi])
                T.writes(D[vi])
                D[vi] = D_1[vi] - S_1[vi]

    @R.function
    def main(a: R.Tensor((4,), dtype="float32"), b: R.Tensor((4,), dtype="float32"), c: R.Tensor((2,), dtype="float32")) -> R.Tuple(R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")), R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")), R.Tensor((2,), dtype="float32")):
        cls = Module
        with R.dataflow():
            pair: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((2,), dtype="float32")) = (b, c)
            all: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((2,), dtype="float32"))) = (a, pair)
            lv: R.Tensor((4,), dtype="float32") = all[0]
            lv_1: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((2,), dtype="float32")) = all[1]
            lv_2: R.Tensor((4,), dtype="float32") = lv_1[0]
            lv_3 = R.call_tir(cls.fused, (lv, lv_2), out_sinfo=[R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")])
            lv_4: R.Tensor((4,), dtype="float32") = lv_3[0]
            lv_5: R.Tensor((4,), dtype="float32") = lv_3[1]
            lv_6: R.Tensor((4,), dtype="float32") = lv_3[2]
            lv_7: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((2,), dtype="float32")) = all[1]
            lv_8: R.Tensor((2,), dtype="float32") = lv_7[1]
            out: R.Tuple(R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")), R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")), R.Tensor((2,), dtype="float32")) = ((lv_4, lv_5), (lv_6, a), lv_8)
            R.output(out)
        return out
