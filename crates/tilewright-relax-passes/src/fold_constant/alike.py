# Equal calls of different constants each get their own result, and attributes distinguish calls.
# test: opt --pass FoldConstant --pass DeadCodeElimination
# run: main == same

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 2), "float32")) -> R.Tensor((2, 2), "float32"):
        with R.dataflow():
            w = R.const([[1.0, 2.0], [3.0, 5.0]], "float32")
            v = R.const([[7.0, 11.0], [13.0, 17.0]], "float32")
            a = R.sum(w, axis=[0])
            b = R.sum(w, axis=[1])
            c = R.sum(v, axis=[1])
            d = R.permute_dims(v)
            e = R.permute_dims(w)
            f = R.subtract(R.add(a, b), R.multiply(b, c))
            z = R.add(R.multiply(x, d), R.add(e, f))
            R.output(z)
        return z

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 2), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        with R.dataflow():
            lv2: R.Tensor((2, 2), dtype="float32") = R.multiply(x, metadata["relax.expr.Constant"][0])
            z: R.Tensor((2, 2), dtype="float32") = R.add(lv2, metadata["relax.expr.Constant"][1])
            R.output(z)
        return z

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [2, 2], "data": "AADgQAAAUEEAADBBAACIQQ=="},
    {"dtype": "float32", "shape": [2, 2], "data": "AAA4wgAAXsMAADTCAABcww=="},
]}
