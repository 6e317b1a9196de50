# Devices of other kinds than the processor's, by name and written out.
# test: print

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("cuda"), I.vdevice("llvm"), I.vdevice("cuda", 1)]})

    @R.function
    def elsewhere(x: R.Tensor((2,), "float32", I.vdevice("vulkan", 3, "texture"))) -> R.Tensor(dtype="float32", ndim=1, vdevice="cuda"):
        y = R.to_vdevice(x, "cuda:0")
        return y

    @R.function
    def second(x: R.Tensor((2,), "float32", "cuda:1"), y: R.Tensor((2,), "float32", "vdevice:2")) -> R.Tensor((2,), "float32", vdevice="cuda:1:global"):
        z = R.add(x, y)
        return z

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice("cuda", 0, "global"), I.vdevice("llvm", 0, "global"), I.vdevice("cuda", 1, "global")]})

    @R.function
    def elsewhere(x: R.Tensor((2,), dtype="float32", vdevice=I.vdevice("vulkan", 3, "texture"))) -> R.Tensor(dtype="float32", vdevice="cuda:0", ndim=1):
        y: R.Tensor((2,), dtype="float32", vdevice="cuda:0") = R.to_vdevice(x, dst_vdevice="cuda:0")
        return y

    @R.function
    def second(x: R.Tensor((2,), dtype="float32", vdevice="cuda:1"), y: R.Tensor((2,), dtype="float32", vdevice="cuda:1")) -> R.Tensor((2,), dtype="float32", vdevice="cuda:1"):
        z: R.Tensor((2,), dtype="float32", vdevice="cuda:1") = R.add(x, y)
        return z
