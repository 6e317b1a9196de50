# Sizes are matched once, on entry; what is allocated of them has its shape from the heap.
# test: opt --pass LegalizeOps --pass CallTIRRewrite --pass StaticPlanBlockMemory --pass VMShapeLower
# run: main n=3 == same
# run: main n=1 == same
# run: main n=0 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 3), "float32")):
        with R.dataflow():
            a = R.matmul(x, w)
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
    def matmul(var_x: T.handle, w: T.Buffer((T.int64(4), T.int64(3)), "float32"), var_matmul: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(4)), "float32")
        matmul = T.match_buffer(var_matmul, (n, T.int64(3)), "float32")
        # with T.block("root"):
        for i0, i1, k in T.grid(n, T.int64(3), T.int64(4)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(x[v_i0, v_k], w[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + x[v_i0, v_k] * w[v_k, v_i1]

    @T.prim_func(private=True)
    def relu(var_a: T.handle, var_compute: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        a = T.match_buffer(var_a, (n, T.int64(3)), "float32")
        compute = T.match_buffer(var_compute, (n, T.int64(3)), "float32")
        # with T.block("root"):
        for i0, i1 in T.grid(n, T.int64(3)):
            with T.block("compute"):
                v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
                T.reads(a[v_i0, v_i1])
                T.writes(compute[v_i0, v_i1])
                compute[v_i0, v_i1] = T.max(a[v_i0, v_i1], T.float32(0.0))

    @R.function(pure=False)
    def main(x: R.Tensor(dtype="float32", ndim=2), w: R.Tensor((4, 3), dtype="float32")) -> R.Tensor(dtype="float32", ndim=2):
        cls = Module
        shape_heap: R.Tensor((1,), dtype="int64") = R.builtin.alloc_tensor(R.shape([1]), dtype="int64", runtime_device_index=0, storage_scope="global")
        _: R.Tuple() = R.vm.match_shape(x, shape_heap, R.prim_value(1), R.prim_value(0), R.prim_value(0), R.prim_value(4), label="argument 0 (\"x\")")
        sizes: R.Shape(ndim=2) = R.vm.make_shape(shape_heap, R.prim_value(1), R.prim_value(0), R.prim_value(0), R.prim_value(3))
        a: R.Tensor(dtype="float32", ndim=2) = R.builtin.alloc_tensor(sizes, dtype="float32", runtime_device_index=0, storage_scope="global")
        __1: R.Tuple() = cls.matmul(x, w, a)
        sizes_1: R.Shape(ndim=2) = R.vm.make_shape(shape_heap, R.prim_value(1), R.prim_value(0), R.prim_value(0), R.prim_value(3))
        b: R.Tensor(dtype="float32", ndim=2) = R.builtin.alloc_tensor(sizes_1, dtype="float32", runtime_device_index=0, storage_scope="global")
        __2: R.Tuple() = cls.relu(a, b)
        return b
