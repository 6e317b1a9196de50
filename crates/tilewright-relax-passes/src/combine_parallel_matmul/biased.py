# Biases are joined where every product has one of its own width, on either side, and so is what follows all of them.
# test: opt --pass CombineParallelMatmul
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((2, 4), "float32"),
        w0: R.Tensor((4, 5), "float32"),
        w1: R.Tensor((4, 3), "float32"),
        b0: R.Tensor((5,), "float32"),
        b1: R.Tensor((3,), "float32"),
    ):
        with R.dataflow():
            p0 = R.matmul(x, w0)
            p1 = R.matmul(x, w1)
            s0 = R.add(p0, b0)
            s1 = R.add(b1, p1)
            r0 = R.nn.relu(s0)
            r1 = R.nn.relu(s1)
            t0 = R.abs(r0)
            out = (t0, r1)
            R.output(out)
        return out

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), dtype="float32"), w0: R.Tensor((4, 5), dtype="float32"), w1: R.Tensor((4, 3), dtype="float32"), b0: R.Tensor((5,), dtype="float32"), b1: R.Tensor((3,), dtype="float32")) -> R.Tuple(R.Tensor((2, 5), dtype="float32"), R.Tensor((2, 3), dtype="float32")):
        with R.dataflow():
            lv: R.Tensor((4, 8), dtype="float32") = R.concat((w0, w1), axis=1)
            lv_1: R.Tensor((2, 8), dtype="float32") = R.matmul(x, lv, out_dtype="float32")
            lv_2: R.Tensor((8,), dtype="float32") = R.concat((b0, b1), axis=0)
            lv_3: R.Tensor((2, 8), dtype="float32") = R.add(lv_1, lv_2)
            lv_4: R.Tensor((2, 8), dtype="float32") = R.nn.relu(lv_3)
            lv_5: R.Tuple(R.Tensor((2, 5), dtype="float32"), R.Tensor((2, 3), dtype="float32")) = R.split(lv_4, indices_or_sections=[5], axis=1)
            r0: R.Tensor((2, 5), dtype="float32") = lv_5[0]
            r1: R.Tensor((2, 3), dtype="float32") = lv_5[1]
            t0: R.Tensor((2, 5), dtype="float32") = R.abs(r0)
            out: R.Tuple(R.Tensor((2, 5), dtype="float32"), R.Tensor((2, 3), dtype="float32")) = (t0, r1)
            R.output(out)
        return out
