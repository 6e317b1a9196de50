# Devices that the module names; on one device a transfer is the tensor itself.
# test: print
# run: main == same

@I.ir_module
class Module:
    I.module_attrs({"device_num": 2})
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("llvm -mcpu=native", 1, "global"), I.vdevice({"kind": "cuda", "arch": "sm_80"}, 0, "global")], "dummy": [I.dummy_global_info()]})

    @R.function
    def main(x: R.Tensor((2,), "float32", "llvm:0"), y: R.Tensor((2,), "float32")):
        a = R.add(x, x)
        b: R.Tensor((2,), "float32", vdevice="llvm:1") = R.to_vdevice(a, "vdevice:1")
        c = R.hint_on_device(y, dst_vdevice="llvm:1")
        d = R.add(b, c)
        return d

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_attrs({"device_num": 2})
    I.module_global_infos({"dummy": [I.dummy_global_info()], "vdevice": [I.vdevice("llvm", 0, "global"), I.vdevice("llvm -mcpu=native", 1, "global"), I.vdevice("cuda -arch=sm_80", 0, "global")]})

    @R.function
    def main(x: R.Tensor((2,), dtype="float32", vdevice="llvm:0"), y: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32", vdevice="llvm:1"):
        a: R.Tensor((2,), dtype="float32", vdevice="llvm:0") = R.add(x, x)
        b: R.Tensor((2,), dtype="float32", vdevice="llvm:1") = R.to_vdevice(a, dst_vdevice="llvm:1")
        c: R.Tensor((2,), dtype="float32", vdevice="llvm:1") = R.hint_on_device(y, dst_vdevice="llvm:1")
        d: R.Tensor((2,), dtype="float32", vdevice="llvm:1") = R.add(b, c)
        return d
