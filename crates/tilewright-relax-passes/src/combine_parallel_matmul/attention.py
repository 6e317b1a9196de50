# Queries, keys and values come from one product; its dependences are bound before it, and each keeps its own columns.
# test: opt --pass CombineParallelMatmul
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((2, 3, 4), "float32"),
        wq: R.Tensor((4, 5), "float32"),
        wk: R.Tensor((2, 4), "float32"),
        wv: R.Tensor((4, 3), "float32"),
    ):
        with R.dataflow():
            q = R.matmul(x, wq)
            q1 = R.negative(q)
            wkt = R.permute_dims(wk)
            k = R.matmul(x, wkt)
            v = R.matmul(x, wv)
            out = (q1, k, v)
            R.output(out)
        return out

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3, 4), dtype="float32"), wq: R.Tensor((4, 5), dtype="float32"), wk: R.Tensor((2, 4), dtype="float32"), wv: R.Tensor((4, 3), dtype="float32")) -> R.Tuple(R.Tensor((2, 3, 5), dtype="float32"), R.Tensor((2, 3, 2), dtype="float32"), R.Tensor((2, 3, 3), dtype="float32")):
        with R.dataflow():
            wkt: R.Tensor((4, 2), dtype="float32") = R.permute_dims(wk, axes=None)
            lv: R.Tensor((4, 10), dtype="float32") = R.concat((wq, wkt, wv), axis=1)
            lv_1: R.Tensor((2, 3, 10), dtype="float32") = R.matmul(x, lv, out_dtype="float32")
            lv_2: R.Tuple(R.Tensor((2, 3, 5), dtype="float32"), R.Tensor((2, 3, 2), dtype="float32"), R.Tensor((2, 3, 3), dtype="float32")) = R.split(lv_1, indices_or_sections=[5, 7], axis=2)
            q: R.Tensor((2, 3, 5), dtype="float32") = lv_2[0]
            k: R.Tensor((2, 3, 2), dtype="float32") = lv_2[1]
            v: R.Tensor((2, 3, 3), dtype="float32") = lv_2[2]
            q1: R.Tensor((2, 3, 5), dtype="float32") = R.negative(q)
            out: R.Tuple(R.Tensor((2, 3, 5), dtype="float32"), R.Tensor((2, 3, 2), dtype="float32"), R.Tensor((2, 3, 3), dtype="float32")) = (q1, k, v)
            R.output(out)
        return out
