# A PrimFunc that gets its arguments in a tuple is called; sizes in a heap are read and written by name.
# test: opt --pass LowerRuntimeBuiltin
# run: main n=3 == same
# run: main n=0 == same


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def scaled(a: T.handle, b: T.handle, n: T.int64):
        m = T.int64()
        A = T.match_buffer(a, (m,), "float32")
        B = T.match_buffer(b, (m,), "float32")
        for i in range(m):
            with T.block("scaled"):
                vi = T.axis.spatial(m, i)
                B[vi] = A[vi] * T.Cast("float32", n)

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), "float32")) -> R.Tensor(dtype="float32", ndim=1):
        n = T.int64()
        cls = Module
        heap: R.Tensor((1,), dtype="int64") = R.builtin.alloc_tensor(R.shape([1]), dtype="int64")
        _: R.Tuple = R.vm.match_shape(x, heap, R.prim_value(1), R.prim_value(0))
        sizes: R.Shape(ndim=1) = R.vm.make_shape(heap, R.prim_value(1), R.prim_value(0))
        y: R.Tensor(dtype="float32", ndim=1) = R.builtin.alloc_tensor(sizes, dtype="float32")
        __1: R.Tuple = R.vm.call_tir_dyn(cls.scaled, (x, y, R.shape([n])))
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def scaled(a: T.handle, b: T.handle, n: T.int64):
        m = T.int64()
        A = T.match_buffer(a, (m,), "float32")
        B = T.match_buffer(b, (m,), "float32")
        # with T.block("root"):
        for i in range(m):
            with T.block("scaled"):
                vi = T.axis.spatial(m, i)
                T.reads(A[vi])
                T.writes(B[vi])
                B[vi] = A[vi] * T.Cast("float32", n)

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(dtype="float32", ndim=1):
        n = T.int64()
        cls = Module
        heap: R.Tensor((1,), dtype="int64") = R.builtin.alloc_tensor(R.shape([1]), dtype="int64", runtime_device_index=0, storage_scope="global")
        _: R.Tuple() = R.call_packed("vm.builtin.match_shape", R.str(""), x, heap, R.prim_value(1), R.prim_value(0), sinfo_args=(R.Tuple(),))
        sizes: R.Shape(ndim=1) = R.call_pure_packed("vm.builtin.make_shape", heap, R.prim_value(1), R.prim_value(0), sinfo_args=(R.Shape(ndim=1),))
        y: R.Tensor(dtype="float32", ndim=1) = R.builtin.alloc_tensor(sizes, dtype="float32", runtime_device_index=0, storage_scope="global")
        __1: R.Tuple() = cls.scaled(x, y, R.prim_value(n))
        return y
