# Not lifted: bindings after the mark, checks and their definitions, calls with effects, branches, results that are no
# tensors.
# test: opt --pass LiftTransformParams


@I.ir_module
class Module:
    @R.function(pure=False)
    def main(
        p: R.Tensor((), "bool"), x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32"), v: R.Tensor("float32", ndim=1)
    ):
        R.func_attr({"num_input": 2})
        n = T.int64()
        a = R.exp(w)
        stopped = R.builtin.stop_lift_params(a)
        b = R.negative(stopped)
        c = R.match_cast(v, R.Tensor((n,), "float32"))
        d = R.ones((n,), "float32")
        R.print(a, format="{}")
        shape = R.shape_of(v)
        if p:
            e = R.sin(w)
            f = e
        else:
            f = x
        g = R.add(f, b)
        return (g, c, d, shape)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(pure=False)
    def main(p: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32"), w: R.Tensor((4,), dtype="float32"), v: R.Tensor(dtype="float32", ndim=1), a: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor(dtype="float32", ndim=1), R.Tensor(dtype="float32", ndim=1), R.Shape(ndim=1)):
        n = T.int64()
        R.func_attr({"num_input": 2})
        stopped: R.Tensor((4,), dtype="float32") = R.builtin.stop_lift_params(a)
        b: R.Tensor((4,), dtype="float32") = R.negative(stopped)
        c: R.Tensor((n,), dtype="float32") = R.match_cast(v, R.Tensor((n,), dtype="float32"))
        d: R.Tensor((n,), dtype="float32") = R.ones(R.shape([n]), dtype="float32")
        _: R.Tuple() = R.print(a, format="{}")
        shape: R.Shape(ndim=1) = R.shape_of(v)
        if p:
            e: R.Tensor((4,), dtype="float32") = R.sin(w)
            f: R.Tensor((4,), dtype="float32") = e
        else:
            f: R.Tensor((4,), dtype="float32") = x
        g: R.Tensor((4,), dtype="float32") = R.add(f, b)
        return (g, c, d, shape)

    @R.function
    def main_transform_params(model_params: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor(dtype="float32", ndim=1))) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor(dtype="float32", ndim=1), R.Tensor((4,), dtype="float32")):
        R.func_attr({"num_input": 0})
        with R.dataflow():
            w: R.Tensor((4,), dtype="float32") = model_params[0]
            a: R.Tensor((4,), dtype="float32") = R.exp(w)
            v: R.Tensor(dtype="float32", ndim=1) = model_params[1]
            output_tuple: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor(dtype="float32", ndim=1), R.Tensor((4,), dtype="float32")) = (w, v, a)
            R.output(output_tuple)
        return output_tuple
