# A weight with what adapts it, permuted or not; a sum that broadcasts, or that others use, stays.
# test: opt --pass ExpandMatmulOfSum --pass DeadCodeElimination
# run: main n=3 tol=1e-5 == same


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor(("n", 4), "float32"),
        w: R.Tensor((4, 5), "float32"),
        v: R.Tensor((4, 5), "float32"),
        p: R.Tensor((6, 4), "float32"),
        q: R.Tensor((6, 4), "float32"),
        b: R.Tensor((5,), "float32"),
    ):
        n = T.int64()
        with R.dataflow():
            s = R.add(w, v)
            y = R.matmul(x, s)
            t = R.add(p, q)
            tt = R.permute_dims(t)
            z = R.matmul(x, tt)
            wide = R.add(w, b)
            stays = R.matmul(x, wide)
            used = R.add(w, v)
            also = R.matmul(x, used)
            R.output(y, z, stays, also, used)
        return (y, z, stays, also, used)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), w: R.Tensor((4, 5), dtype="float32"), v: R.Tensor((4, 5), dtype="float32"), p: R.Tensor((6, 4), dtype="float32"), q: R.Tensor((6, 4), dtype="float32"), b: R.Tensor((5,), dtype="float32")) -> R.Tuple(R.Tensor(("n", 5), dtype="float32"), R.Tensor(("n", 6), dtype="float32"), R.Tensor(("n", 5), dtype="float32"), R.Tensor(("n", 5), dtype="float32"), R.Tensor((4, 5), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((n, 5), dtype="float32") = R.matmul(x, w, out_dtype="void")
            lv_1: R.Tensor((n, 5), dtype="float32") = R.matmul(x, v, out_dtype="void")
            y: R.Tensor((n, 5), dtype="float32") = R.add(lv, lv_1)
            lv_2: R.Tensor((4, 6), dtype="float32") = R.permute_dims(p, axes=None)
            lv_3: R.Tensor((n, 6), dtype="float32") = R.matmul(x, lv_2, out_dtype="void")
            lv_4: R.Tensor((4, 6), dtype="float32") = R.permute_dims(q, axes=None)
            lv_5: R.Tensor((n, 6), dtype="float32") = R.matmul(x, lv_4, out_dtype="void")
            z: R.Tensor((n, 6), dtype="float32") = R.add(lv_3, lv_5)
            wide: R.Tensor((4, 5), dtype="float32") = R.add(w, b)
            stays: R.Tensor((n, 5), dtype="float32") = R.matmul(x, wide, out_dtype="void")
            used: R.Tensor((4, 5), dtype="float32") = R.add(w, v)
            also: R.Tensor((n, 5), dtype="float32") = R.matmul(x, used, out_dtype="void")
            R.output(y, z, stays, used, also)
        return (y, z, stays, also, used)
