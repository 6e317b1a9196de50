# Memory of the function's own is freed after its last use; arguments, planned tensors and results stay.
# test: opt --pass LegalizeOps --pass CallTIRRewrite --pass StaticPlanBlockMemory --pass KillAfterLastUse
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            a = R.negative(x)
            b = R.call_dps_packed("test.copy", (a,), out_sinfo=R.Tensor((4,), "float32"))
            other = b
            c = R.abs(b)
            d = R.add(c, other)
            e = R.add(d, d)
            R.output(e)
        return e

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(c: T.Buffer((T.int64(4),), "float32"), other: T.Buffer((T.int64(4),), "float32"), T_add: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(4)):
            with T.block("T_add"):
                v_i0 = T.axis.spatial(T.int64(4), i0)
                T.reads(c[v_i0], other[v_i0])
                T.writes(T_add[v_i0])
                T_add[v_i0] = c[v_i0] + other[v_i0]

    @T.prim_func(private=True)
    def tir_abs(b: T.Buffer((T.int64(4),), "float32"), compute: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(4)):
            with T.block("compute"):
                v_i0 = T.axis.spatial(T.int64(4), i0)
                T.reads(b[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = T.abs(b[v_i0])

    @T.prim_func(private=True)
    def tir_negative(x: T.Buffer((T.int64(4),), "float32"), compute: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(4)):
            with T.block("compute"):
                v_i0 = T.axis.spatial(T.int64(4), i0)
                T.reads(x[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = x[v_i0] * T.float32(-1.0)

    @R.function(pure=False)
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        storage: R.Tensor((80,), dtype="uint8") = R.memory.alloc_storage(bytes=80)
        a: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        _: R.Tuple() = cls.tir_negative(x, a)
        b: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        __1: R.Object = R.call_packed("test.copy", a, b)
        __2: R.Tuple() = R.memory.kill_tensor(a)
        other: R.Tensor((4,), dtype="float32") = b
        c: R.Tensor((4,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([4]), offset=0, dtype="float32", bytes=16)
        __3: R.Tuple() = cls.tir_abs(b, c)
        d: R.Tensor((4,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([4]), offset=64, dtype="float32", bytes=16)
        __4: R.Tuple() = cls.add(c, other, d)
        __5: R.Tuple() = R.memory.kill_tensor(b)
        e: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        __6: R.Tuple() = cls.add(d, d, e)
        return e
