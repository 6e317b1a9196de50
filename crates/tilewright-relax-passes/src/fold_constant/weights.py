# Weights are laid out anew now: a chain of calls leaves one constant, and a constant that others use too stays.
# test: opt --pass BindParams:w,b --pass FoldConstant
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 2), "float32"), w: R.Tensor((3, 2), "float32"), b: R.Tensor((3,), "float32")):
        with R.dataflow():
            t = R.permute_dims(w)
            n = R.negative(t)
            y = R.matmul(x, n)
            c = R.nn.relu(b)
            d = R.add(c, b)
            z = R.add(y, d)
            out = R.multiply(z, c)
            R.output(out)
        return out

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 2), dtype="float32")) -> R.Tensor((1, 3), dtype="float32"):
        with R.dataflow():
            y: R.Tensor((1, 3), dtype="float32") = R.matmul(x, metadata["relax.expr.Constant"][0], out_dtype="void")
            z: R.Tensor((1, 3), dtype="float32") = R.add(y, metadata["relax.expr.Constant"][1])
            out: R.Tensor((1, 3), dtype="float32") = R.multiply(z, metadata["relax.expr.Constant"][2])
            R.output(out)
        return out

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [2, 3], "data": "VOPlP7bz/T7sUbg/uB6FvyUGkb/Zzre/"},
    {"dtype": "float32", "shape": [3], "data": "okUWQGZmtr+WQ/u/"},
    {"dtype": "float32", "shape": [3], "data": "okWWPwAAAAAAAAAA"},
]}
