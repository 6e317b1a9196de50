# A packed function may write its argument: an equal value after it is computed anew.
# test: opt --pass EliminateCommonSubexpr

@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        y = R.add(x, x)
        R.call_packed("example.clear", y, sinfo_args=(R.Tuple(),))
        z = R.add(x, x)
        return z

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        y: R.Tensor((2,), dtype="float32") = R.add(x, x)
        _: R.Tuple() = R.call_packed("example.clear", y, sinfo_args=(R.Tuple(),))
        z: R.Tensor((2,), dtype="float32") = R.add(x, x)
        return z
