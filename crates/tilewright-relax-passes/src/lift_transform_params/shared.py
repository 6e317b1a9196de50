# One function computes what all functions compute of the same weights; what only one of them computes stays in it, and all
# take the same parameters.
# test: opt --pass LiftTransformParams:shared_transform=True


@I.ir_module
class Module:
    @R.function
    def decode(x: R.Tensor((1, 4), "float32"), w: R.Tensor((3, 4), "float32"), b: R.Tensor((3,), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            wt = R.permute_dims(w)
            own = R.exp(b)
            y = R.matmul(x, wt)
            z = R.add(y, own)
            R.output(z)
        return z

    @R.function
    def prefill(x: R.Tensor(("n", 4), "float32"), u: R.Tensor((3, 4), "float32"), c: R.Tensor((3,), "float32")):
        R.func_attr({"num_input": 1})
        n = T.int64()
        with R.dataflow():
            n1 = R.negative(x)
            wt = R.permute_dims(u)
            y = R.matmul(n1, wt)
            z = R.add(y, c)
            R.output(z)
        return z

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def decode(x: R.Tensor((1, 4), dtype="float32"), b: R.Tensor((3,), dtype="float32"), wt: R.Tensor((4, 3), dtype="float32")) -> R.Tensor((1, 3), dtype="float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            own: R.Tensor((3,), dtype="float32") = R.exp(b)
            y: R.Tensor((1, 3), dtype="float32") = R.matmul(x, wt, out_dtype="void")
            z: R.Tensor((1, 3), dtype="float32") = R.add(y, own)
            R.output(z)
        return z

    @R.function
    def prefill(x: R.Tensor(("n", 4), dtype="float32"), b: R.Tensor((3,), dtype="float32"), wt: R.Tensor((4, 3), dtype="float32")) -> R.Tensor(("n", 3), dtype="float32"):
        n = T.int64()
        R.func_attr({"num_input": 1})
        with R.dataflow():
            n1: R.Tensor((n, 4), dtype="float32") = R.negative(x)
            y: R.Tensor((n, 3), dtype="float32") = R.matmul(n1, wt, out_dtype="void")
            z: R.Tensor((n, 3), dtype="float32") = R.add(y, b)
            R.output(z)
        return z

    @R.function
    def transform_params(model_params: R.Tuple(R.Tensor((3, 4), dtype="float32"), R.Tensor((3,), dtype="float32"))) -> R.Tuple(R.Tensor((3,), dtype="float32"), R.Tensor((4, 3), dtype="float32")):
        R.func_attr({"num_input": 0})
        with R.dataflow():
            w: R.Tensor((3, 4), dtype="float32") = model_params[0]
            wt: R.Tensor((4, 3), dtype="float32") = R.permute_dims(w, axes=None)
            b: R.Tensor((3,), dtype="float32") = model_params[1]
            output_tuple: R.Tuple(R.Tensor((3,), dtype="float32"), R.Tensor((4, 3), dtype="float32")) = (b, wt)
            R.output(output_tuple)
        return output_tuple
