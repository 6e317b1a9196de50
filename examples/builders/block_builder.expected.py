# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def softsign(var_lv: T.handle, var_softsign: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        lv = T.match_buffer(var_lv, (n, T.int64(16)), "float32")
        softsign = T.match_buffer(var_softsign, (n, T.int64(16)), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n, T.int64(16)):
            with T.block("softsign"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(lv[v_i0, v_i1])
                T.writes(softsign[v_i0, v_i1])
                softsign[v_i0, v_i1] = lv[v_i0, v_i1] / (T.abs(lv[v_i0, v_i1]) + T.float32(1.0))

    @R.function(private=True)
    def layer(x: R.Tensor(("n", 16), dtype="float32"), w: R.Tensor((16, 16), dtype="float32")) -> R.Tensor(("n", 16), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((n, 16), dtype="float32") = R.matmul(x, w, out_dtype="void")
            gv: R.Tensor((n, 16), dtype="float32") = R.add(lv, x)
            R.output(gv)
        return gv

    @R.function
    def main(x: R.Tensor(("n", 16), dtype="float32"), w: R.Tensor((16, 16), dtype="float32")) -> R.Tuple(R.Tensor((4, 16), dtype="float32"), R.Shape(["n", 16])):
        n = T.int64()
        cls = Module
        with R.dataflow():
            lv: R.Tensor((n, 16), dtype="float32") = cls.layer(x, w)
            lv1 = R.call_tir(cls.softsign, (lv,), out_sinfo=R.Tensor((n, 16), dtype="float32"))
            lv2: R.Tensor((n, 16), dtype="float32") = cls.layer(lv1, w)
            lv3: R.Tuple(R.Tensor((n, 16), dtype="float32"), R.Tensor((n, 16), dtype="float32")) = (lv1, lv2)
            lv4: R.Tensor((n, 16), dtype="float32") = lv3[1]
            lv5: R.Tensor((n, 16), dtype="float32") = lv3[0]
            gv: R.Tensor((n, 16), dtype="float32") = R.subtract(lv4, lv5)
            R.output(gv)
        gv1: R.Tensor((4, 16), dtype="float32") = R.match_cast(gv, R.Tensor((4, 16), dtype="float32"))
        return (gv1, R.shape([n, 16]))
