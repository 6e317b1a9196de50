# Constants are read from the metadata section and written back.
# test: print --meta
# run: main(f32[2]=[1, 2]) == f32[2]=[2, 0]

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        with R.dataflow():
            gv = R.add(x, metadata["relax.expr.Constant"][0])
            R.output(gv)
        return gv

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [2], "data": "AACAPwAAAMA="},
]}

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        with R.dataflow():
            gv: R.Tensor((2,), dtype="float32") = R.add(x, metadata["relax.expr.Constant"][0])
            R.output(gv)
        return gv

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [2], "data": "AACAPwAAAMA="},
]}
