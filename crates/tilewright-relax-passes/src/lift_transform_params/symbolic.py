# A dimension that only weights told, and that what is computed of them does not tell, comes as a shape.
# test: opt --pass LiftTransformParams


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor(("m", "k"), "float32")):
        R.func_attr({"num_input": 1})
        n = T.int64()
        m = T.int64()
        k = T.int64()
        with R.dataflow():
            total = R.sum(w, axis=1)
            wide = R.ones((n, k), "float32")
            y = R.sum(wide, axis=1, keepdims=True)
            z = R.add(y, total)
            R.output(z)
        return z

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), total: R.Tensor(("m",), dtype="float32"), dims: R.Shape(["k"])) -> R.Tensor(("n", "m"), dtype="float32"):
        n = T.int64()
        k = T.int64()
        m = T.int64()
        R.func_attr({"num_input": 1})
        with R.dataflow():
            wide: R.Tensor((n, k), dtype="float32") = R.ones(R.shape([n, k]), dtype="float32")
            y: R.Tensor((n, 1), dtype="float32") = R.sum(wide, axis=[1], keepdims=True)
            z: R.Tensor((n, m), dtype="float32") = R.add(y, total)
            R.output(z)
        return z

    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor(("m", "k"), dtype="float32"))) -> R.Tuple(R.Tensor(("m",), dtype="float32"), R.Shape(["k"])):
        m = T.int64()
        k = T.int64()
        R.func_attr({"num_input": 0})
        with R.dataflow():
            w: R.Tensor((m, k), dtype="float32") = model_params[0]
            total: R.Tensor((m,), dtype="float32") = R.sum(w, axis=[1], keepdims=False)
            output_tuple: R.Tuple(R.Tensor((m,), dtype="float32"), R.Shape([k])) = (total, R.shape([k]))
            R.output(output_tuple)
        return output_tuple
