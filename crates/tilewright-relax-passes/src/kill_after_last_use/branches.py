# A tensor is freed at the start of a path that does not use it.
# test: opt --pass LegalizeOps --pass CallTIRRewrite --pass StaticPlanBlockMemory --pass KillAfterLastUse
# run: main(bool[]=[1], f32[4]) == same
# run: main(bool[]=[0], f32[4]) == same


@I.ir_module
class Module:
    @R.function
    def main(p: R.Tensor((), "bool"), x: R.Tensor((4,), "float32")):
        a = R.call_dps_packed("test.copy", (x,), out_sinfo=R.Tensor((4,), "float32"))
        b = R.call_dps_packed("test.copy", (a,), out_sinfo=R.Tensor((4,), "float32"))
        if p:
            y = R.add(a, x)
        else:
            y = R.add(b, b)
        z = R.add(y, b)
        return z

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(a: T.Buffer((T.int64(4),), "float32"), x: T.Buffer((T.int64(4),), "float32"), T_add: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(4)):
            with T.block("T_add"):
                v_i0 = T.axis.spatial(T.int64(4), i0)
                T.reads(a[v_i0], x[v_i0])
                T.writes(T_add[v_i0])
                T_add[v_i0] = a[v_i0] + x[v_i0]

    @R.function(pure=False)
    def main(p: R.Tensor((), dtype="bool"), x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        storage: R.Tensor((16,), dtype="uint8") = R.memory.alloc_storage(bytes=16)
        a: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        _: R.Object = R.call_packed("test.copy", x, a)
        b: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        __1: R.Object = R.call_packed("test.copy", a, b)
        if p:
            gv: R.Tensor((4,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([4]), offset=0, dtype="float32", bytes=16)
            __2: R.Tuple() = cls.add(a, x, gv)
            __3: R.Tuple() = R.memory.kill_tensor(a)
            y: R.Tensor((4,), dtype="float32") = gv
        else:
            __4: R.Tuple() = R.memory.kill_tensor(a)
            gv_1: R.Tensor((4,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([4]), offset=0, dtype="float32", bytes=16)
            __5: R.Tuple() = cls.add(b, b, gv_1)
            y: R.Tensor((4,), dtype="float32") = gv_1
        z: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        __6: R.Tuple() = cls.add(y, b, z)
        __7: R.Tuple() = R.memory.kill_tensor(b)
        return z
