# Scalars and fields of tuples define dimensions, too; results of packed functions are compared with what is said of them.
# test: opt --pass LegalizeOps --pass CallTIRRewrite --pass StaticPlanBlockMemory --pass VMShapeLower
# run: main(f32[6], i64=6) == same
# run: main(f32[0], i64=0) == same


@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor(("n",), "float32"), i: R.Prim(value="n")):
        n = T.int64()
        y: R.Tensor((n,), "float32") = R.call_packed("test.last", R.prim_value(n), x, sinfo_args=R.Tensor((n,), "float32"))
        pair = (y, R.shape([n, 2]))
        k = T.int64()
        m = T.int64()
        cast = R.match_cast(pair, R.Tuple(R.Tensor((k,), "float32"), R.Shape([m, 2])))
        z = cast[0]
        w = R.negative(z)
        a = R.prim_value(T.Cast("float32", k) * T.float32(0.5))
        b = R.prim_value(k - m)
        return (w, R.shape([m + k]), a, b, R.prim_value(m))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def compute_prim_value(heap: T.Buffer((T.int64(1),), "int64"), k: T.int64):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(0)] = T.reinterpret("int64", T.Cast("float64", T.Cast("float32", k) * T.float32(0.5)))

    @T.prim_func(private=True)
    def compute_prim_value1(heap: T.Buffer((T.int64(1),), "int64"), k: T.int64, m: T.int64):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(0)] = k - m

    @T.prim_func(private=True)
    def shape_func(heap: T.Buffer((T.int64(4),), "int64")):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(3)] = heap[T.int64(2)] + heap[T.int64(1)]

    @T.prim_func(private=True)
    def tir_negative(var_z: T.handle, var_compute: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        k = T.int64()
        z = T.match_buffer(var_z, (k,), "float32")
        compute = T.match_buffer(var_compute, (k,), "float32")
        # with T.block("root"):
        for i0 in range(k):
            with T.block("compute"):
                v_i0 = T.axis.spatial(k, i0)
                T.reads(z[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = z[v_i0] * T.float32(-1.0)

    @R.function(pure=False)
    def main(x: R.Tensor(dtype="float32", ndim=1), i: R.Prim("int64")) -> R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Shape(ndim=1), R.Prim("float32"), R.Prim("int64"), R.Prim("int64")):
        cls = Module
        shape_heap: R.Tensor((4,), dtype="int64") = R.builtin.alloc_tensor(R.shape([4]), dtype="int64", runtime_device_index=0, storage_scope="global")
        _: R.Tuple() = R.vm.match_shape(x, shape_heap, R.prim_value(1), R.prim_value(0), label="argument 0 (\"x\")")
        __1: R.Tuple() = R.vm.match_prim_value(i, shape_heap, code=3, number=0, dtype="int64", label="argument 1 (\"i\")")
        number: R.Prim("int64") = R.vm.make_prim_value(shape_heap, slot=0, dtype="int64")
        y: R.Tensor(dtype="float32", ndim=1) = R.call_packed("test.last", number, x, sinfo_args=(R.Tensor(dtype="float32", ndim=1),))
        __2: R.Tuple() = R.vm.match_shape(y, shape_heap, R.prim_value(3), R.prim_value(0), label="the result of packed function \"test.last\"")
        sizes: R.Shape(ndim=2) = R.vm.make_shape(shape_heap, R.prim_value(1), R.prim_value(0), R.prim_value(0), R.prim_value(2))
        pair: R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Shape(ndim=2)) = (y, sizes)
        cast: R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Shape(ndim=2)) = R.match_cast(pair, R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Shape(ndim=2)))
        field: R.Tensor(dtype="float32", ndim=1) = cast[0]
        __3: R.Tuple() = R.vm.match_shape(field, shape_heap, R.prim_value(1), R.prim_value(1), label="\"cast\"[0]")
        field_1: R.Shape(ndim=2) = cast[1]
        __4: R.Tuple() = R.vm.match_shape(field_1, shape_heap, R.prim_value(1), R.prim_value(2), R.prim_value(0), R.prim_value(2), label="\"cast\"[1]")
        z: R.Tensor(dtype="float32", ndim=1) = cast[0]
        sizes_1: R.Shape(ndim=1) = R.vm.make_shape(shape_heap, R.prim_value(1), R.prim_value(1))
        w: R.Tensor(dtype="float32", ndim=1) = R.builtin.alloc_tensor(sizes_1, dtype="float32", runtime_device_index=0, storage_scope="global")
        __5: R.Tuple() = cls.tir_negative(z, w)
        alloc: R.Tensor((1,), dtype="int64") = R.builtin.alloc_tensor(R.shape([1]), dtype="int64", runtime_device_index=0, storage_scope="global")
        number_1: R.Prim("int64") = R.vm.make_prim_value(shape_heap, slot=1, dtype="int64")
        _1: R.Tuple() = cls.compute_prim_value(alloc, number_1)
        a: R.Prim("float32") = R.vm.make_prim_value(alloc, slot=0, dtype="float32")
        alloc1: R.Tensor((1,), dtype="int64") = R.builtin.alloc_tensor(R.shape([1]), dtype="int64", runtime_device_index=0, storage_scope="global")
        number_2: R.Prim("int64") = R.vm.make_prim_value(shape_heap, slot=1, dtype="int64")
        number_3: R.Prim("int64") = R.vm.make_prim_value(shape_heap, slot=2, dtype="int64")
        _2: R.Tuple() = cls.compute_prim_value1(alloc1, number_2, number_3)
        b: R.Prim("int64") = R.vm.make_prim_value(alloc1, slot=0, dtype="int64")
        __6: R.Tuple() = cls.shape_func(shape_heap)
        sizes_2: R.Shape(ndim=1) = R.vm.make_shape(shape_heap, R.prim_value(1), R.prim_value(3))
        number_4: R.Prim("int64") = R.vm.make_prim_value(shape_heap, slot=2, dtype="int64")
        return (w, sizes_2, a, b, number_4)
