# A tensor among the attributes is printed in the metadata section.
# test: print --meta
# run: main(f32[2]=[1, -2]) == f32[2]=[1, -2]

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        R.func_attr({"params": [metadata["relax.expr.Constant"][0]]})
        return x

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
        R.func_attr({"params": [metadata["relax.expr.Constant"][0]]})
        return x

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [2], "data": "AACAPwAAAMA="},
]}
