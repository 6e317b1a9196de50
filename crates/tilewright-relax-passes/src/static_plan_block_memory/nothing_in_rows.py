# A tensor of some number of rows of no elements is planned.
# test: opt --pass StaticPlanBlockMemory
# run: main(f32[3, 0]) == same

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def copy(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 0), "float32")
        B = T.match_buffer(b, (n, 0), "float32")
        for i, j in T.grid(n, 0):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj]

    @R.function
    def main(x: R.Tensor(("n", 0), "float32")):
        R.func_attr({"tir_var_upper_bound": {"n": 8}})
        n = T.int64()
        cls = Module
        y: R.Tensor((n, 0), "float32") = R.builtin.alloc_tensor(R.shape([n, 0]), R.dtype("float32"), R.prim_value(0))
        cls.copy(x, y)
        z: R.Tensor((n, 0), "float32") = R.builtin.alloc_tensor(R.shape([n, 0]), R.dtype("float32"), R.prim_value(0))
        cls.copy(y, z)
        return z

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def copy(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, 0), "float32")
        B = T.match_buffer(b, (n, 0), "float32")
        # with T.block("root"):
        for i, j in T.grid(n, 0):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A[vi, vj]

    @R.function(pure=False)
    def main(x: R.Tensor(("n", 0), dtype="float32")) -> R.Tensor(("n", 0), dtype="float32"):
        n = T.int64()
        R.func_attr({"tir_var_upper_bound": {"n": 8}})
        cls = Module
        storage: R.Tensor((1,), dtype="uint8") = R.memory.alloc_storage(bytes=1)
        y: R.Tensor((n, 0), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([n, 0]), offset=0, dtype="float32", bytes=1)
        _: R.Tuple() = cls.copy(x, y)
        z: R.Tensor((n, 0), dtype="float32") = R.builtin.alloc_tensor(R.shape([n, 0]), dtype="float32", runtime_device_index=0, storage_scope="global")
        __1: R.Tuple() = cls.copy(y, z)
        return z
