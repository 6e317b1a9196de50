# Operators that follow the products stay after the split where they differ: a bias of one element, a product that
# leaves the block, a product that is used twice, an operator that only one of them has.
# test: opt --pass CombineParallelMatmul
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((2, 4), "float32"),
        y: R.Tensor((2, 4), "float32"),
        w0: R.Tensor((4, 5), "float32"),
        w1: R.Tensor((4, 3), "float32"),
        b0: R.Tensor((1,), "float32"),
        b1: R.Tensor((3,), "float32"),
    ):
        with R.dataflow():
            p0 = R.matmul(x, w0)
            p1 = R.matmul(x, w1)
            s0 = R.add(p0, b0)
            s1 = R.add(p1, b1)
            q0 = R.matmul(y, w0)
            q1 = R.matmul(y, w1)
            r0 = R.nn.relu(q0)
            r1 = R.nn.silu(q1)
            twice = R.add(q1, q1)
            R.output(s0, s1, r0, r1, twice)
        return (s0, s1, r0, r1, twice)

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), dtype="float32"), y: R.Tensor((2, 4), dtype="float32"), w0: R.Tensor((4, 5), dtype="float32"), w1: R.Tensor((4, 3), dtype="float32"), b0: R.Tensor((1,), dtype="float32"), b1: R.Tensor((3,), dtype="float32")) -> R.Tuple(R.Tensor((2, 5), dtype="float32"), R.Tensor((2, 3), dtype="float32"), R.Tensor((2, 5), dtype="float32"), R.Tensor((2, 3), dtype="float32"), R.Tensor((2, 3), dtype="float32")):
        with R.dataflow():
            lv: R.Tensor((4, 8), dtype="float32") = R.concat((w0, w1), axis=1)
            lv_1: R.Tensor((2, 8), dtype="float32") = R.matmul(x, lv, out_dtype="float32")
            lv_2: R.Tuple(R.Tensor((2, 5), dtype="float32"), R.Tensor((2, 3), dtype="float32")) = R.split(lv_1, indices_or_sections=[5], axis=1)
            p0: R.Tensor((2, 5), dtype="float32") = lv_2[0]
            p1: R.Tensor((2, 3), dtype="float32") = lv_2[1]
            s0: R.Tensor((2, 5), dtype="float32") = R.add(p0, b0)
            s1: R.Tensor((2, 3), dtype="float32") = R.add(p1, b1)
            lv_3: R.Tensor((4, 8), dtype="float32") = R.concat((w0, w1), axis=1)
            lv_4: R.Tensor((2, 8), dtype="float32") = R.matmul(y, lv_3, out_dtype="float32")
            lv_5: R.Tuple(R.Tensor((2, 5), dtype="float32"), R.Tensor((2, 3), dtype="float32")) = R.split(lv_4, indices_or_sections=[5], axis=1)
            q0: R.Tensor((2, 5), dtype="float32") = lv_5[0]
            q1: R.Tensor((2, 3), dtype="float32") = lv_5[1]
            r0: R.Tensor((2, 5), dtype="float32") = R.nn.relu(q0)
            r1: R.Tensor((2, 3), dtype="float32") = R.nn.silu(q1)
            twice: R.Tensor((2, 3), dtype="float32") = R.add(q1, q1)
            R.output(s0, s1, r0, r1, twice)
        return (s0, s1, r0, r1, twice)
