# Bound parameters disappear and become constants.
# test: opt --pass BindParams:w,b
# run: main == same

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 2), "float32"), w: R.Tensor((2, 3), "float32"), b: R.Tensor((3,), "float32")) -> R.Tensor((1, 3), "float32"):
        with R.dataflow():
            lv = R.matmul(x, w)
            gv = R.add(lv, b)
            R.output(gv)
        return gv

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 2), dtype="float32")) -> R.Tensor((1, 3), dtype="float32"):
        with R.dataflow():
            lv: R.Tensor((1, 3), dtype="float32") = R.matmul(x, metadata["relax.expr.Constant"][0], out_dtype="void")
            gv: R.Tensor((1, 3), dtype="float32") = R.add(lv, metadata["relax.expr.Constant"][1])
            R.output(gv)
        return gv

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [2, 3], "data": "VOPlv7gehT+28/2+JQaRP+xRuL/Zzrc/"},
    {"dtype": "float32", "shape": [3], "data": "okWWP2Zmtr+WQ/u/"},
]}
