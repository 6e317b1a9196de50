# Functions of the module and functions inside functions have heaps of their own; one inside copies what it takes from around.
# test: opt --pass LegalizeOps --pass CallTIRRewrite --pass StaticPlanBlockMemory --pass VMShapeLower
# run: main n=3 == same
# run: main n=1 == same
# run: main n=0 == same


@I.ir_module
class Module:
    @R.function(private=True)
    def twice(a: R.Tensor(("k",), "float32")) -> R.Tensor(("k * 2",), "float32"):
        b = R.concat((a, a), axis=0)
        return b

    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        cls = Module
        y: R.Tensor((n * 2,), "float32") = cls.twice(x)

        @R.function
        def inner(z: R.Tensor(("j",), "float32")) -> R.Shape(ndim=2):
            j = T.int64()
            return R.shape([n * 2, j - n])

        s = inner(y)
        t = inner(x)
        u: R.Tensor((n * 4,), "float32") = cls.twice(y)
        return (u, s, t)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def concatenate(var_a: T.handle, var_a_1: T.handle, var_T_concat: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        k = T.int64()
        a = T.match_buffer(var_a, (k,), "float32")
        a_1 = T.match_buffer(var_a_1, (k,), "float32")
        T_concat = T.match_buffer(var_T_concat, (k * T.int64(2),), "float32")
        # with T.block("root"):
        for i0 in range(k * T.int64(2)):
            with T.block("T_concat"):
                v_i0 = T.axis.spatial(k * T.int64(2), i0)
                T.reads(a_1[v_i0 - k], a[v_i0])
                T.writes(T_concat[v_i0])
                T_concat[v_i0] = T.if_then_else(T.int64(0) <= v_i0 - k, a_1[v_i0 - k], a[v_i0])

    @T.prim_func(private=True)
    def shape_func(heap: T.Buffer((T.int64(2),), "int64")):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(1)] = heap[T.int64(0)] * T.int64(2)

    @T.prim_func(private=True)
    def shape_func1(heap: T.Buffer((T.int64(4),), "int64")):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(2)] = heap[T.int64(0)] * T.int64(2)
        heap[T.int64(3)] = heap[T.int64(1)] - heap[T.int64(0)]

    @R.function(pure=False)
    def main(x: R.Tensor(dtype="float32", ndim=1)) -> R.Tuple(R.Tensor(dtype="float32", ndim=1), R.Shape(ndim=2), R.Shape(ndim=2)):
        cls = Module
        shape_heap: R.Tensor((1,), dtype="int64") = R.builtin.alloc_tensor(R.shape([1]), dtype="int64", runtime_device_index=0, storage_scope="global")
        _: R.Tuple() = R.vm.match_shape(x, shape_heap, R.prim_value(1), R.prim_value(0), label="argument 0 (\"x\")")
        y: R.Tensor(dtype="float32", ndim=1) = cls.twice(x)
        @R.function(pure=False)
        def inner(z: R.Tensor(dtype="float32", ndim=1)) -> R.Shape(ndim=2):
            shape_heap_1: R.Tensor((4,), dtype="int64") = R.builtin.alloc_tensor(R.shape([4]), dtype="int64", runtime_device_index=0, storage_scope="global")
            number: R.Prim("int64") = R.vm.make_prim_value(shape_heap, slot=0, dtype="int64")
            __1: R.Tuple() = R.vm.match_prim_value(number, shape_heap_1, code=1, number=0, dtype="int64", label="")
            __2: R.Tuple() = R.vm.match_shape(z, shape_heap_1, R.prim_value(1), R.prim_value(1), label="argument 0 (\"z\")")
            __3: R.Tuple() = cls.shape_func1(shape_heap_1)
            sizes: R.Shape(ndim=2) = R.vm.make_shape(shape_heap_1, R.prim_value(1), R.prim_value(2), R.prim_value(1), R.prim_value(3))
            return sizes
        s: R.Shape(ndim=2) = inner(y)
        t: R.Shape(ndim=2) = inner(x)
        u: R.Tensor(dtype="float32", ndim=1) = cls.twice(y)
        return (u, s, t)

    @R.function(private=True, pure=False)
    def twice(a: R.Tensor(dtype="float32", ndim=1)) -> R.Tensor(dtype="float32", ndim=1):
        cls = Module
        shape_heap: R.Tensor((2,), dtype="int64") = R.builtin.alloc_tensor(R.shape([2]), dtype="int64", runtime_device_index=0, storage_scope="global")
        _: R.Tuple() = R.vm.match_shape(a, shape_heap, R.prim_value(1), R.prim_value(0), label="argument 0 (\"a\")")
        __1: R.Tuple() = cls.shape_func(shape_heap)
        sizes: R.Shape(ndim=1) = R.vm.make_shape(shape_heap, R.prim_value(1), R.prim_value(1))
        b: R.Tensor(dtype="float32", ndim=1) = R.builtin.alloc_tensor(sizes, dtype="float32", runtime_device_index=0, storage_scope="global")
        __2: R.Tuple() = cls.concatenate(a, a, b)
        return b
