# A hint becomes the device of the value, of what it is computed from and of what is computed of it.
# test: opt --pass RealizeVDevice
# run: main == same

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm")]})

    @R.function
    def main(x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32")):
        with R.dataflow():
            x0 = R.hint_on_device(x, "llvm:0")
            z = R.subtract(x0, y)
            w = R.divide(z, R.exp(y))
            R.output(w)
        return w

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("llvm", 0, "global")]})

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0"), y: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0")) -> R.Tensor((2, 3), dtype="float32", vdevice="llvm:0"):
        with R.dataflow():
            x0: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0") = x
            z: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0") = R.subtract(x0, y)
            lv: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0") = R.exp(y)
            w: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0") = R.divide(z, lv)
            R.output(w)
        return w
