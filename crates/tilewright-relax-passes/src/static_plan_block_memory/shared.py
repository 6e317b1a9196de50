# Tensors of one symbolic size take turns in the memory of the first; results have their own.
# test: opt --pass LegalizeOps --pass CallTIRRewrite --pass StaticPlanBlockMemory
# run: main n=3 == same
# run: main n=0 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32")):
        n = T.int64()
        with R.dataflow():
            a = R.negative(x)
            b = R.nn.relu(a)
            c = R.abs(b)
            d = R.less(c, x)
            e = R.square(c)
            g = R.negative(e)
            R.output(d, g)
        return (d, g)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def less(var_c: T.handle, var_x: T.handle, var_T_less: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        c = T.match_buffer(var_c, (n, T.int64(4)), "float32")
        x = T.match_buffer(var_x, (n, T.int64(4)), "float32")
        T_less = T.match_buffer(var_T_less, (n, T.int64(4)), "bool")
        # with T.block("root"):
        for i0, i1 in T.grid(n, T.int64(4)):
            with T.block("T_less"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(c[v_i0, v_i1], x[v_i0, v_i1])
                T.writes(T_less[v_i0, v_i1])
                T_less[v_i0, v_i1] = c[v_i0, v_i1] < x[v_i0, v_i1]

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
    def tir_square(var_c: T.handle, var_T_multiply: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        c = T.match_buffer(var_c, (n, T.int64(4)), "float32")
        T_multiply = T.match_buffer(var_T_multiply, (n, T.int64(4)), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n, T.int64(4)):
            with T.block("T_multiply"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(c[v_i0, v_i1])
                T.writes(T_multiply[v_i0, v_i1])
                T_multiply[v_i0, v_i1] = c[v_i0, v_i1] * c[v_i0, v_i1]

    @R.function(pure=False)
    def main(x: R.Tensor(("n", 4), dtype="float32")) -> R.Tuple(R.Tensor(("n", 4), dtype="bool"), R.Tensor(("n", 4), dtype="float32")):
        n = T.int64()
        cls = Module
        a: R.Tensor((n, 4), dtype="float32") = R.builtin.alloc_tensor(R.shape([n, 4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        _: R.Tuple() = cls.tir_negative(x, a)
        b: R.Tensor((n, 4), dtype="float32") = R.builtin.alloc_tensor(R.shape([n, 4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        __1: R.Tuple() = cls.relu(a, b)
        c: R.Tensor((n, 4), dtype="float32") = a
        __2: R.Tuple() = cls.tir_abs(b, c)
        d: R.Tensor((n, 4), dtype="bool") = R.builtin.alloc_tensor(R.shape([n, 4]), dtype="bool", runtime_device_index=0, storage_scope="global")
        __3: R.Tuple() = cls.less(c, x, d)
        e: R.Tensor((n, 4), dtype="float32") = b
        __4: R.Tuple() = cls.tir_square(c, e)
        g: R.Tensor((n, 4), dtype="float32") = R.builtin.alloc_tensor(R.shape([n, 4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        __5: R.Tuple() = cls.tir_negative(e, g)
        return (d, g)
