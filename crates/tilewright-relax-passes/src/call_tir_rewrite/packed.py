# A packed function gets its destination as its last argument; what it returns is dropped.
# test: opt --pass CallTIRRewrite
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            y = R.call_dps_packed("test.copy", (x,), out_sinfo=R.Tensor((4,), "float32"))
            R.output(y)
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        y: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        _: R.Object = R.call_packed("test.copy", x, y)
        return y
