# A tensor of symbolic size is not planned; another of constant size is.
# test: opt --pass LegalizeOps --pass CallTIRRewrite --pass StaticPlanBlockMemory
# run: main n=3 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), y: R.Tensor((4,), "float32")):
        with R.dataflow():
            a = R.negative(y)
            b = R.nn.relu(x)
            c = R.add(b, a)
            R.output(c)
        return c

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def add(var_b: T.handle, a: T.Buffer((T.int64(4),), "float32"), var_T_add: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        b = T.match_buffer(var_b, (n, T.int64(4)), "float32")
        T_add = T.match_buffer(var_T_add, (n, T.int64(4)), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n, T.int64(4)):
            with T.block("T_add"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(b[v_i0, v_i1], a[v_i1])
                T.writes(T_add[v_i0, v_i1])
                T_add[v_i0, v_i1] = b[v_i0, v_i1] + a[v_i1]

    @T.prim_func(private=True)
    def relu(var_x: T.handle, var_compute: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(4)), "float32")
        compute = T.match_buffer(var_compute, (n, T.int64(4)), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n, T.int64(4)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(x[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.max(x[v_i0, v_i1], T.float32(0.0))

    @T.prim_func(private=True)
    def tir_negative(y: T.Buffer((T.int64(4),), "float32"), compute: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(4)):
            with T.block("compute"):
                v_i0 = T.axis.spatial(T.int64(4), i0)
                T.reads(y[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = y[v_i0] * T.float32(-1.0)

    @R.function(pure=False)
    def main(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        cls = Module
        storage: R.Tensor((16,), dtype="uint8") = R.memory.alloc_storage(bytes=16)
        a: R.Tensor((4,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([4]), offset=0, dtype="float32", bytes=16)
        _: R.Tuple() = cls.tir_negative(y, a)
        b: R.Tensor((n, 4), dtype="float32") = R.builtin.alloc_tensor(R.shape([n, 4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        __1: R.Tuple() = cls.relu(x, b)
        c: R.Tensor((n, 4), dtype="float32") = R.builtin.alloc_tensor(R.shape([n, 4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        __2: R.Tuple() = cls.add(b, a, c)
        return c
