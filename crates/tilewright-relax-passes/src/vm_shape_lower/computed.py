# Sizes that are computed of others are computed by a PrimFunc where they are first needed; equal ones once.
# test: opt --pass LegalizeOps --pass CallTIRRewrite --pass StaticPlanBlockMemory --pass VMShapeLower
# run: main n=3 m=2 == same
# run: main n=1 m=5 == same
# run: main n=0 m=3 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32"), y: R.Tensor(("n * 2", "m"), "float32")):
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            a = R.concat((x, y), axis=0)
            b = R.reshape(a, R.shape([n * 3 * m]))
            c = R.negative(b)
            R.output(c)
        d = R.match_cast(c, R.Tensor((m * n * 3,), "float32"))
        e = R.abs(d)
        return (e, R.shape([n * 2, m, 5]))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def concatenate(var_x: T.handle, var_y: T.handle, var_T_concat: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        m = T.int64()
        x = T.match_buffer(var_x, (n, m), "float32")
        y = T.match_buffer(var_y, (n * T.int64(2), m), "float32")
        T_concat = T.match_buffer(var_T_concat, (n * T.int64(3), m), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n * T.int64(3), m):
            with T.block("T_concat"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(y[v_i0 - n, v_i1], x[v_i0, v_i1])
                T.writes(T_concat[v_i0, v_i1])
                T_concat[v_i0, v_i1] = T.if_then_else(T.int64(0) <= v_i0 - n, y[v_i0 - n, v_i1], x[v_i0, v_i1])

    @T.prim_func(private=True)
    def reshape(var_a: T.handle, n: T.int64, var_T_reshape: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        m = T.int64()
        a = T.match_buffer(var_a, (n * T.int64(3), m), "float32")
        T_reshape = T.match_buffer(var_T_reshape, (n * T.int64(3) * m,), "float32")
        # with T.block("root"):
        for i0 in range(n * T.int64(3) * m):
            with T.block("T_reshape"):
                v_i0 = T.axis.spatial(n * T.int64(3) * m, i0)
                T.reads(a[v_i0 // m, v_i0 % m])
                T.writes(T_reshape[v_i0])
                T_reshape[v_i0] = a[v_i0 // m, v_i0 % m]

    @T.prim_func(private=True)
    def shape_func(heap: T.Buffer((T.int64(6),), "int64")):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(2)] = heap[T.int64(0)] * T.int64(2)

    @T.prim_func(private=True)
    def shape_func1(heap: T.Buffer((T.int64(6),), "int64")):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(3)] = heap[T.int64(0)] * T.int64(3)

    @T.prim_func(private=True)
    def shape_func2(heap: T.Buffer((T.int64(6),), "int64")):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(4)] = heap[T.int64(0)] * T.int64(3) * heap[T.int64(1)]

    @T.prim_func(private=True)
    def shape_func3(heap: T.Buffer((T.int64(6),), "int64")):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(5)] = heap[T.int64(1)] * heap[T.int64(0)] * T.int64(3)

    @T.prim_func(private=True)
    def tir_abs(var_d: T.handle, m: T.int64, n: T.int64, compute: T.Buffer((m * n * T.int64(3),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        d = T.match_buffer(var_d, (m * n * T.int64(3),), "float32")
        # with T.block("root"):
        for i0 in range(m * n * T.int64(3)):
            with T.block("compute"):
                v_i0 = T.axis.spatial(m * n * T.int64(3), i0)
                T.reads(d[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = T.abs(d[v_i0])

    @T.prim_func(private=True)
    def tir_negative(var_b: T.handle, n: T.int64, m: T.int64, compute: T.Buffer((n * T.int64(3) * m,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        b = T.match_buffer(var_b, (n * T.int64(3) * m,), "float32")
        # with T.block("root"):
        for i0 in range(n * T.int64(3) * m):
            with T.block("compute"):
                v_i0 = T.axis.spatial(n * T.int64(3) * m, i0)
                T.reads(b[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = b[v_i0] * T.float32(-1.0)

    @R.function(pure=False)
    def main(x: R.Tensor(dtype="float32", ndim=2), y: R.Tensor(dtype="float32", ndim=2)) -> R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Shape(ndim=3)):
        cls = Module
        shape_heap: R.Tensor((6,), dtype="int64") = R.builtin.alloc_tensor(R.shape([6]), dtype="int64", runtime_device_index=0, storage_scope="global")
        _: R.Tuple() = R.vm.match_shape(x, shape_heap, R.prim_value(1), R.prim_value(0), R.prim_value(1), R.prim_value(1), label="argument 0 (\"x\")")
        __1: R.Tuple() = R.vm.match_shape(y, shape_heap, R.prim_value(2), R.prim_value(0), R.prim_value(3), R.prim_value(1), label="argument 1 (\"y\")")
        __2: R.Tuple() = cls.shape_func(shape_heap)
        __3: R.Tuple() = R.vm.match_shape(y, shape_heap, R.prim_value(3), R.prim_value(2), R.prim_value(2), R.prim_value(0), label="argument 1 (\"y\")")
        __4: R.Tuple() = cls.shape_func1(shape_heap)
        sizes: R.Shape(ndim=2) = R.vm.make_shape(shape_heap, R.prim_value(1), R.prim_value(3), R.prim_value(1), R.prim_value(1))
        a: R.Tensor(dtype="float32", ndim=2) = R.builtin.alloc_tensor(sizes, dtype="float32", runtime_device_index=0, storage_scope="global")
        __5: R.Tuple() = cls.concatenate(x, y, a)
        __6: R.Tuple() = cls.shape_func2(shape_heap)
        sizes_1: R.Shape(ndim=1) = R.vm.make_shape(shape_heap, R.prim_value(1), R.prim_value(4))
        b: R.Tensor(dtype="float32", ndim=1) = R.builtin.alloc_tensor(sizes_1, dtype="float32", runtime_device_index=0, storage_scope="global")
        number: R.Prim("int64") = R.vm.make_prim_value(shape_heap, slot=0, dtype="int64")
        __7: R.Tuple() = cls.reshape(a, number, b)
        sizes_2: R.Shape(ndim=1) = R.vm.make_shape(shape_heap, R.prim_value(1), R.prim_value(4))
        c: R.Tensor(dtype="float32", ndim=1) = R.builtin.alloc_tensor(sizes_2, dtype="float32", runtime_device_index=0, storage_scope="global")
        number_1: R.Prim("int64") = R.vm.make_prim_value(shape_heap, slot=0, dtype="int64")
        number_2: R.Prim("int64") = R.vm.make_prim_value(shape_heap, slot=1, dtype="int64")
        __8: R.Tuple() = cls.tir_negative(b, number_1, number_2, c)
        d: R.Tensor(dtype="float32", ndim=1) = R.match_cast(c, R.Tensor(dtype="float32", ndim=1))
        __9: R.Tuple() = R.vm.match_shape(d, shape_heap, R.prim_value(2), R.prim_value(0), label="\"d\"")
        __10: R.Tuple() = cls.shape_func3(shape_heap)
        __11: R.Tuple() = R.vm.match_shape(d, shape_heap, R.prim_value(3), R.prim_value(5), label="\"d\"")
        sizes_3: R.Shape(ndim=1) = R.vm.make_shape(shape_heap, R.prim_value(1), R.prim_value(5))
        e: R.Tensor(dtype="float32", ndim=1) = R.builtin.alloc_tensor(sizes_3, dtype="float32", runtime_device_index=0, storage_scope="global")
        number_3: R.Prim("int64") = R.vm.make_prim_value(shape_heap, slot=1, dtype="int64")
        number_4: R.Prim("int64") = R.vm.make_prim_value(shape_heap, slot=0, dtype="int64")
        __12: R.Tuple() = cls.tir_abs(d, number_3, number_4, e)
        sizes_4: R.Shape(ndim=3) = R.vm.make_shape(shape_heap, R.prim_value(1), R.prim_value(2), R.prim_value(1), R.prim_value(1), R.prim_value(0), R.prim_value(5))
        return (e, sizes_4)
