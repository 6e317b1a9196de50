# Sums are narrow too: the users of a product stay narrow until an operator needs more, or the value leaves the block.
# Constants that float16 cannot represent keep an operator wide.
# test: opt --pass ToMixedPrecision:out_dtype=float16
# run: main tol=3e-2 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 6), "float32"), b: R.Tensor((6,), "float32")):
        with R.dataflow():
            a = R.matmul(x, w)
            c = R.nn.relu(a)
            halved = R.multiply(c, R.const(0.5, "float32"))
            parts = R.split(halved, 2, axis=1)
            p = parts[0]
            q = parts[1]
            r = R.concat((p, q), axis=0)
            total = R.sum(r, axis=1)
            biased = R.add(a, b)
            large = R.multiply(c, R.const(100000.0, "float32"))
            same = R.astype(p, "float32")
            R.output(total, biased, large, r, same)
        return (total, biased, large, r, same)

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), dtype="float32"), w: R.Tensor((4, 6), dtype="float32"), b: R.Tensor((6,), dtype="float32")) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((2, 6), dtype="float32"), R.Tensor((2, 6), dtype="float32"), R.Tensor((4, 3), dtype="float32"), R.Tensor((2, 3), dtype="float32")):
        with R.dataflow():
            lv: R.Tensor((2, 4), dtype="float16") = R.astype(x, dtype="float16")
            lv_1: R.Tensor((4, 6), dtype="float16") = R.astype(w, dtype="float16")
            lv_2: R.Tensor((2, 6), dtype="float16") = R.matmul(lv, lv_1, out_dtype="float16")
            lv_3: R.Tensor((2, 6), dtype="float16") = R.nn.relu(lv_2)
            lv_4: R.Tensor((), dtype="float16") = R.astype(R.const(0.5, "float32"), dtype="float16")
            lv_5: R.Tensor((2, 6), dtype="float16") = R.multiply(lv_3, lv_4)
            lv_6: R.Tuple(R.Tensor((2, 3), dtype="float16"), R.Tensor((2, 3), dtype="float16")) = R.split(lv_5, indices_or_sections=2, axis=1)
            lv_7: R.Tensor((2, 3), dtype="float16") = lv_6[0]
            lv_8: R.Tensor((2, 3), dtype="float16") = lv_6[1]
            lv_9: R.Tensor((4, 3), dtype="float16") = R.concat((lv_7, lv_8), axis=0)
            r: R.Tensor((4, 3), dtype="float32") = R.astype(lv_9, dtype="float32")
            total: R.Tensor((4,), dtype="float32") = R.sum(r, axis=[1], keepdims=False)
            a: R.Tensor((2, 6), dtype="float32") = R.astype(lv_2, dtype="float32")
            biased: R.Tensor((2, 6), dtype="float32") = R.add(a, b)
            c: R.Tensor((2, 6), dtype="float32") = R.astype(lv_3, dtype="float32")
            large: R.Tensor((2, 6), dtype="float32") = R.multiply(c, R.const(100000.0, "float32"))
            same: R.Tensor((2, 3), dtype="float32") = R.astype(lv_7, dtype="float32")
            R.output(r, total, biased, large, same)
        return (total, biased, large, r, same)
