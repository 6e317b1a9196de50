# What leaves the function has memory of its own: results, in tuples too, and what a packed function or another function
# of the module gets.
# test: opt --pass LegalizeOps --pass CallTIRRewrite --pass StaticPlanBlockMemory
# run: main == same


@I.ir_module
class Module:
    @R.function(private=True)
    def same(y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        return y

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        a = R.negative(x)
        b = R.call_dps_packed("test.copy", (a,), out_sinfo=R.Tensor((4,), "float32"))
        c = R.abs(b)
        d = cls.same(c)
        e = R.nn.relu(x)
        inside = R.add(e, e)
        f = R.add(inside, inside)
        return (d, (e, f))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(e: T.Buffer((T.int64(4),), "float32"), e_1: T.Buffer((T.int64(4),), "float32"), T_add: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(4)):
            with T.block("T_add"):
                v_i0 = T.axis.spatial(T.int64(4), i0)
                T.reads(e[v_i0], e_1[v_i0])
                T.writes(T_add[v_i0])
                T_add[v_i0] = e[v_i0] + e_1[v_i0]

    @T.prim_func(private=True)
    def relu(x: T.Buffer((T.int64(4),), "float32"), compute: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(4)):
            with T.block("compute"):
                v_i0 = T.axis.spatial(T.int64(4), i0)
                T.reads(x[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = T.max(x[v_i0], T.float32(0.0))

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
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32"))):
        cls = Module
        storage: R.Tensor((16,), dtype="uint8") = R.memory.alloc_storage(bytes=16)
        a: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        _: R.Tuple() = cls.tir_negative(x, a)
        b: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        __1: R.Object = R.call_packed("test.copy", a, b)
        c: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        __2: R.Tuple() = cls.tir_abs(b, c)
        d: R.Tensor((4,), dtype="float32") = cls.same(c)
        e: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        __3: R.Tuple() = cls.relu(x, e)
        inside: R.Tensor((4,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([4]), offset=0, dtype="float32", bytes=16)
        __4: R.Tuple() = cls.add(e, e, inside)
        f: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        __5: R.Tuple() = cls.add(inside, inside, f)
        return (d, (e, f))

    @R.function(private=True, pure=False)
    def same(y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        return y
