# The tuple of a single result stays a tuple, though the call gives the tensor itself.
# test: opt --pass LegalizeOps
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            gv = R.split(x, indices_or_sections=1, axis=0)
            R.output(gv)
        return gv

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def split(x: T.Buffer((T.int64(4),), "float32"), T_split_sections: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(4)):
            with T.block("T_split_sections"):
                v_i0 = T.axis.spatial(T.int64(4), i0)
                T.reads(x[v_i0])
                T.writes(T_split_sections[v_i0])
                T_split_sections[v_i0] = x[v_i0]

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor((4,), dtype="float32")):
        cls = Module
        with R.dataflow():
            lv = R.call_tir(cls.split, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
            gv: R.Tuple(R.Tensor((4,), dtype="float32")) = (lv,)
            R.output(gv)
        return gv
