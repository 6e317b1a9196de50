# What is killed on one path or on both is not killed again.
# test: opt --pass LegalizeOps --pass CallTIRRewrite --pass StaticPlanBlockMemory --pass KillAfterLastUse --pass KillAfterLastUse
# run: main(bool[]=[1], f32[4]) == same
# run: main(bool[]=[0], f32[4]) == same


@I.ir_module
class Module:
    @R.function
    def main(p: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")):
        a = R.call_dps_packed("test.copy", (x,), out_sinfo=R.Tensor((4,), "float32"))
        b = R.call_dps_packed("test.copy", (a,), out_sinfo=R.Tensor((4,), "float32"))
        if p:
            y = R.call_dps_packed("test.copy", (b,), out_sinfo=R.Tensor((4,), "float32"))
        else:
            y = R.call_dps_packed("test.copy", (x,), out_sinfo=R.Tensor((4,), "float32"))
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function(pure=False)
    def main(p: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        a: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        _: R.Object = R.call_packed("test.copy", x, a)
        b: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        __1: R.Object = R.call_packed("test.copy", a, b)
        __2: R.Tuple() = R.memory.kill_tensor(a)
        if p:
            gv: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
            __3: R.Object = R.call_packed("test.copy", b, gv)
            __4: R.Tuple() = R.memory.kill_tensor(b)
            y: R.Tensor((4,), dtype="float32") = gv
        else:
            __5: R.Tuple() = R.memory.kill_tensor(b)
            gv_1: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
            __6: R.Object = R.call_packed("test.copy", x, gv_1)
            y: R.Tensor((4,), dtype="float32") = gv_1
        return y
