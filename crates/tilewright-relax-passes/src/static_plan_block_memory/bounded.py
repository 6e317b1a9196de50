# Tensors of symbolic size are planned by their upper bounds: those that the function states, and those that follow.
# test: opt --pass LegalizeOps --pass CallTIRRewrite --pass StaticPlanBlockMemory
# run: main n=5 == same
# run: main n=8 == same
# run: main n=0 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), y: R.Tensor(("T.min(n, 2)",), "float32")):
        R.func_attr({"tir_var_upper_bound": {"n": 8}})
        n = T.int64()
        with R.dataflow():
            a = R.negative(x)
            b = R.nn.relu(a)
            c = R.abs(b)
            s = R.negative(y)
            t = R.abs(s)
            R.output(c, t)
        return (c, t)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def relu(var_a: T.handle, var_compute: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        a = T.match_buffer(var_a, (n, T.int64(4)), "float32")
        compute = T.match_buffer(var_compute, (n, T.int64(4)), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n, T.int64(4)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(a[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.max(a[v_i0, v_i1], T.float32(0.0))

    @T.prim_func(private=True)
    def tir_abs(var_b: T.handle, var_compute: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        b = T.match_buffer(var_b, (n, T.int64(4)), "float32")
        compute = T.match_buffer(var_compute, (n, T.int64(4)), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n, T.int64(4)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(b[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.abs(b[v_i0, v_i1])

    @T.prim_func(private=True)
    def tir_abs1(var_s: T.handle, n: T.int64, compute: T.Buffer((T.min(n, T.int64(2)),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        s = T.match_buffer(var_s, (T.min(n, T.int64(2)),), "float32")
        # with T.block("root"):
        for i0 in range(T.min(n, T.int64(2))):
            with T.block("compute"):
                v_i0 = T.axis.spatial(T.min(n, T.int64(2)), i0)
                T.reads(s[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = T.abs(s[v_i0])

    @T.prim_func(private=True)
    def tir_negative(var_x: T.handle, var_compute: T.handle):
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
                compute[v_i0, v_i1] = x[v_i0, v_i1] * T.float32(-1.0)

    @T.prim_func(private=True)
    def tir_negative1(var_y: T.handle, n: T.int64, compute: T.Buffer((T.min(n, T.int64(2)),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        y = T.match_buffer(var_y, (T.min(n, T.int64(2)),), "float32")
        # with T.block("root"):
        for i0 in range(T.min(n, T.int64(2))):
            with T.block("compute"):
                v_i0 = T.axis.spatial(T.min(n, T.int64(2)), i0)
                T.reads(y[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = y[v_i0] * T.float32(-1.0)

    @R.function(pure=False)
    def main(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor(("T.min(n, T.int64(2))",), dtype="float32")) -> R.Tuple(R.Tensor(("n", 4), dtype="float32"), R.Tensor(("T.min(n, T.int64(2))",), dtype="float32")):
        n = T.int64()
        R.func_attr({"tir_var_upper_bound": {"n": 8}})
        cls = Module
        storage: R.Tensor((256,), dtype="uint8") = R.memory.alloc_storage(bytes=256)
        a: R.Tensor((n, 4), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([n, 4]), offset=0, dtype="float32", bytes=128)
        _: R.Tuple() = cls.tir_negative(x, a)
        b: R.Tensor((n, 4), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([n, 4]), offset=128, dtype="float32", bytes=128)
        __1: R.Tuple() = cls.relu(a, b)
        c: R.Tensor((n, 4), dtype="float32") = R.builtin.alloc_tensor(R.shape([n, 4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        __2: R.Tuple() = cls.tir_abs(b, c)
        s: R.Tensor((T.min(n, T.int64(2)),), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([T.min(n, T.int64(2))]), offset=0, dtype="float32", bytes=8)
        __3: R.Tuple() = cls.tir_negative1(y, R.prim_value(n), s)
        t: R.Tensor((T.min(n, T.int64(2)),), dtype="float32") = R.builtin.alloc_tensor(R.shape([T.min(n, T.int64(2))]), dtype="float32", runtime_device_index=0, storage_scope="global")
        __4: R.Tuple() = cls.tir_abs1(s, R.prim_value(n), t)
        return (c, t)
