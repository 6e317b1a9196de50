# Each result after its binding, a parameter first.
# test: opt --pass LazySetOutput


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3,), "float32"), w: R.Tensor((5, 4), "float32")):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            wt = R.permute_dims(w)
            z = R.exp(x)
            R.output(wt, z)
        return (wt, w, z, R.const(1.0, "float32"))

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((3,), dtype="float32"), fset_output: R.Callable((R.Prim("int64"), R.Object), R.Tuple(), False), w: R.Tensor((5, 4), dtype="float32")) -> R.Tuple():
        R.func_attr({"num_input": 2})
        _: R.Tuple() = fset_output(R.prim_value(1), w)
        wt: R.Tensor((4, 5), dtype="float32") = R.permute_dims(w, axes=None)
        __1: R.Tuple() = fset_output(R.prim_value(0), wt)
        z: R.Tensor((3,), dtype="float32") = R.exp(x)
        __2: R.Tuple() = fset_output(R.prim_value(2), z)
        __3: R.Tuple() = fset_output(R.prim_value(3), R.const(1.0, "float32"))
        return R.tuple()
