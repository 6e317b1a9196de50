# Branches share the function's storage; the result of a branch stays live after it.
# test: opt --pass LegalizeOps --pass CallTIRRewrite --pass StaticPlanBlockMemory
# run: main(bool[]=[1], f32[20]) == same
# run: main(bool[]=[0], f32[20]) == same


@I.ir_module
class Module:
    @R.function
    def main(p: R.Tensor((), "bool"), x: R.Tensor((20,), "float32")):
        a = R.negative(x)
        if p:
            b = R.nn.relu(a)
            y = R.negative(b)
        else:
            c = R.abs(a)
            y = R.square(c)
        z = R.negative(x)
        return R.subtract(z, y)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def relu(a: T.Buffer((T.int64(20),), "float32"), compute: T.Buffer((T.int64(20),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(20)):
            with T.block("compute"):
                v_i0 = T.axis.spatial(T.int64(20), i0)
                T.reads(a[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = T.max(a[v_i0], T.float32(0.0))

    @T.prim_func(private=True)
    def subtract(z: T.Buffer((T.int64(20),), "float32"), y: T.Buffer((T.int64(20),), "float32"), T_subtract: T.Buffer((T.int64(20),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(20)):
            with T.block("T_subtract"):
                v_i0 = T.axis.spatial(T.int64(20), i0)
                T.reads(z[v_i0], y[v_i0])
                T.writes(T_subtract[v_i0])
                T_subtract[v_i0] = z[v_i0] - y[v_i0]

    @T.prim_func(private=True)
    def tir_abs(a: T.Buffer((T.int64(20),), "float32"), compute: T.Buffer((T.int64(20),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(20)):
            with T.block("compute"):
                v_i0 = T.axis.spatial(T.int64(20), i0)
                T.reads(a[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = T.abs(a[v_i0])

    @T.prim_func(private=True)
    def tir_negative(x: T.Buffer((T.int64(20),), "float32"), compute: T.Buffer((T.int64(20),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(20)):
            with T.block("compute"):
                v_i0 = T.axis.spatial(T.int64(20), i0)
                T.reads(x[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = x[v_i0] * T.float32(-1.0)

    @T.prim_func(private=True)
    def tir_square(c: T.Buffer((T.int64(20),), "float32"), T_multiply: T.Buffer((T.int64(20),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(20)):
            with T.block("T_multiply"):
                v_i0 = T.axis.spatial(T.int64(20), i0)
                T.reads(c[v_i0])
                T.writes(T_multiply[v_i0])
                T_multiply[v_i0] = c[v_i0] * c[v_i0]

    @R.function(pure=False)
    def main(p: R.Tensor((), dtype="bool"), x: R.Tensor((20,), dtype="float32")) -> R.Tensor((20,), dtype="float32"):
        cls = Module
        storage: R.Tensor((208,), dtype="uint8") = R.memory.alloc_storage(bytes=208)
        a: R.Tensor((20,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([20]), offset=0, dtype="float32", bytes=80)
        _: R.Tuple() = cls.tir_negative(x, a)
        if p:
            b: R.Tensor((20,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([20]), offset=128, dtype="float32", bytes=80)
            __1: R.Tuple() = cls.relu(a, b)
            gv: R.Tensor((20,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([20]), offset=0, dtype="float32", bytes=80)
            __2: R.Tuple() = cls.tir_negative(b, gv)
            y: R.Tensor((20,), dtype="float32") = gv
        else:
            c: R.Tensor((20,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([20]), offset=128, dtype="float32", bytes=80)
            __3: R.Tuple() = cls.tir_abs(a, c)
            gv_1: R.Tensor((20,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([20]), offset=0, dtype="float32", bytes=80)
            __4: R.Tuple() = cls.tir_square(c, gv_1)
            y: R.Tensor((20,), dtype="float32") = gv_1
        z: R.Tensor((20,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([20]), offset=128, dtype="float32", bytes=80)
        __5: R.Tuple() = cls.tir_negative(x, z)
        gv_2: R.Tensor((20,), dtype="float32") = R.builtin.alloc_tensor(R.shape([20]), dtype="float32", runtime_device_index=0, storage_scope="global")
        __6: R.Tuple() = cls.subtract(z, y, gv_2)
        return gv_2
