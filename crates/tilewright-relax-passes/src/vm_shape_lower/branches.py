# Slots of a branch are its own: a size that is computed in both branches and after them is computed three times.
# test: opt --pass LegalizeOps --pass CallTIRRewrite --pass StaticPlanBlockMemory --pass VMShapeLower
# run: main(bool[]=[1], f32[6], f32[0]) == same
# run: main(bool[]=[0], f32[6], f32[0]) == same
# run: main(bool[]=[1], f32[6], f32[2]) == same


@I.ir_module
class Module:
    @R.function(pure=False)
    def main(p: R.Tensor((), "bool"), x: R.Tensor(("n",), "float32"), y: R.Tensor(("m",), "float32")):
        n = T.int64()
        m = T.int64()
        if p:
            z: R.Shape(ndim=1) = R.shape([n - m])
        else:
            a = R.unique(y)
            k = T.int64()
            b = R.match_cast(a, R.Tensor((k,), "float32"))
            c = R.negative(b)
            z: R.Shape(ndim=1) = R.shape([n + k])
        return (z, R.shape([n - m]))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def shape_func(heap: T.Buffer((T.int64(6),), "int64")):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(2)] = heap[T.int64(0)] - heap[T.int64(1)]

    @T.prim_func(private=True)
    def shape_func1(heap: T.Buffer((T.int64(6),), "int64")):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(4)] = heap[T.int64(0)] + heap[T.int64(3)]

    @T.prim_func(private=True)
    def shape_func2(heap: T.Buffer((T.int64(6),), "int64")):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(5)] = heap[T.int64(0)] - heap[T.int64(1)]

    @T.prim_func(private=True)
    def tir_negative(var_b: T.handle, var_compute: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        k = T.int64()
        b = T.match_buffer(var_b, (k,), "float32")
        compute = T.match_buffer(var_compute, (k,), "float32")
        # with T.block("root"):
        for i0 in range(k):
            with T.block("compute"):
                v_i0 = T.axis.spatial(k, i0)
                T.reads(b[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = b[v_i0] * T.float32(-1.0)

    @R.function(pure=False)
    def main(p: R.Tensor((), dtype="bool"), x: R.Tensor(dtype="float32", ndim=1), y: R.Tensor(dtype="float32", ndim=1)) -> R.Tuple(R.Shape(ndim=1), R.Shape(ndim=1)):
        cls = Module
        shape_heap: R.Tensor((6,), dtype="int64") = R.builtin.alloc_tensor(R.shape([6]), dtype="int64", runtime_device_index=0, storage_scope="global")
        _: R.Tuple() = R.vm.match_shape(x, shape_heap, R.prim_value(1), R.prim_value(0), label="argument 1 (\"x\")")
        __1: R.Tuple() = R.vm.match_shape(y, shape_heap, R.prim_value(1), R.prim_value(1), label="argument 2 (\"y\")")
        if p:
            __2: R.Tuple() = cls.shape_func(shape_heap)
            sizes: R.Shape(ndim=1) = R.vm.make_shape(shape_heap, R.prim_value(1), R.prim_value(2))
            z: R.Shape(ndim=1) = sizes
        else:
            a: R.Tensor(dtype="float32", ndim=1) = R.unique(y, sorted=True, return_index=False, return_inverse=False, return_counts=False, axis=None)
            b: R.Tensor(dtype="float32", ndim=1) = R.match_cast(a, R.Tensor(dtype="float32", ndim=1))
            __3: R.Tuple() = R.vm.match_shape(b, shape_heap, R.prim_value(1), R.prim_value(3), label="\"b\"")
            sizes_1: R.Shape(ndim=1) = R.vm.make_shape(shape_heap, R.prim_value(1), R.prim_value(3))
            c: R.Tensor(dtype="float32", ndim=1) = R.builtin.alloc_tensor(sizes_1, dtype="float32", runtime_device_index=0, storage_scope="global")
            __4: R.Tuple() = cls.tir_negative(b, c)
            __5: R.Tuple() = cls.shape_func1(shape_heap)
            sizes_2: R.Shape(ndim=1) = R.vm.make_shape(shape_heap, R.prim_value(1), R.prim_value(4))
            z: R.Shape(ndim=1) = sizes_2
        __6: R.Tuple() = cls.shape_func2(shape_heap)
        sizes_3: R.Shape(ndim=1) = R.vm.make_shape(shape_heap, R.prim_value(1), R.prim_value(5))
        return (z, sizes_3)
