# A tensor of bounded size keeps its planned offset; a PrimFunc that takes a dimension gets it from the heap.
# test: opt --pass LegalizeOps --pass CallTIRRewrite --pass StaticPlanBlockMemory --pass KillAfterLastUse --pass VMShapeLower
# run: main n=3 == same
# run: main n=8 == same
# run: main n=0 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n * 2",), "float32")):
        R.func_attr({"tir_var_upper_bound": {"n": 8}})
        with R.dataflow():
            a = R.negative(y)
            b = R.nn.relu(a)
            R.output(b)
        return b

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def relu(var_a: T.handle, n: T.int64, compute: T.Buffer((n * T.int64(2),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        a = T.match_buffer(var_a, (n * T.int64(2),), "float32")
        # with T.block("root"):
        for i0 in range(n * T.int64(2)):
            with T.block("compute"):
                v_i0 = T.axis.spatial(n * T.int64(2), i0)
                T.reads(a[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = T.max(a[v_i0], T.float32(0.0))

    @T.prim_func(private=True)
    def shape_func(heap: T.Buffer((T.int64(2),), "int64")):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(1)] = heap[T.int64(0)] * T.int64(2)

    @T.prim_func(private=True)
    def tir_negative(var_y: T.handle, n: T.int64, compute: T.Buffer((n * T.int64(2),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        y = T.match_buffer(var_y, (n * T.int64(2),), "float32")
        # with T.block("root"):
        for i0 in range(n * T.int64(2)):
            with T.block("compute"):
                v_i0 = T.axis.spatial(n * T.int64(2), i0)
                T.reads(y[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = y[v_i0] * T.float32(-1.0)

    @R.function(pure=False)
    def main(x: R.Tensor(dtype="float32", ndim=1), y: R.Tensor(dtype="float32", ndim=1)) -> R.Tensor(dtype="float32", ndim=1):
        R.func_attr({"tir_var_upper_bound": {"n": 8}})
        cls = Module
        shape_heap: R.Tensor((2,), dtype="int64") = R.builtin.alloc_tensor(R.shape([2]), dtype="int64", runtime_device_index=0, storage_scope="global")
        _: R.Tuple() = R.vm.match_shape(x, shape_heap, R.prim_value(1), R.prim_value(0), label="argument 0 (\"x\")")
        __1: R.Tuple() = R.vm.match_shape(y, shape_heap, R.prim_value(2), R.prim_value(0), label="argument 1 (\"y\")")
        __2: R.Tuple() = cls.shape_func(shape_heap)
        __3: R.Tuple() = R.vm.match_shape(y, shape_heap, R.prim_value(3), R.prim_value(1), label="argument 1 (\"y\")")
        storage: R.Tensor((64,), dtype="uint8") = R.memory.alloc_storage(bytes=64)
        sizes: R.Shape(ndim=1) = R.vm.make_shape(shape_heap, R.prim_value(1), R.prim_value(1))
        a: R.Tensor(dtype="float32", ndim=1) = R.memory.alloc_tensor(storage, sizes, offset=0, dtype="float32", bytes=64)
        number: R.Prim("int64") = R.vm.make_prim_value(shape_heap, slot=0, dtype="int64")
        __4: R.Tuple() = cls.tir_negative(y, number, a)
        sizes_1: R.Shape(ndim=1) = R.vm.make_shape(shape_heap, R.prim_value(1), R.prim_value(1))
        b: R.Tensor(dtype="float32", ndim=1) = R.builtin.alloc_tensor(sizes_1, dtype="float32", runtime_device_index=0, storage_scope="global")
        number_1: R.Prim("int64") = R.vm.make_prim_value(shape_heap, slot=0, dtype="int64")
        __5: R.Tuple() = cls.relu(a, number_1, b)
        return b
