# A tensor of its own lies in a storage of its own; planned tensors stay.
# test: opt --pass LegalizeOps --pass CallTIRRewrite --pass StaticPlanBlockMemory --pass LowerAllocTensor
# run: main n=3 == same
# run: main n=0 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), y: R.Tensor((4,), "bool")):
        with R.dataflow():
            a = R.nn.relu(x)
            b = R.logical_not(y)
            c = R.logical_not(b)
            R.output(a, c)
        return (a, c)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def relu(var_x: T.handle, var_compute: T.handle):
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
                compute[v_i0, v_i1] = T.max(x[v_i0, v_i1], T.float32(0.0))

    @T.prim_func(private=True)
    def tir_logical_not(y: T.Buffer((T.int64(4),), "bool"), T_logical_not: T.Buffer((T.int64(4),), "bool")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(4)):
            with T.block("T_logical_not"):
                v_i0 = T.axis.spatial(T.int64(4), i0)
                T.reads(y[v_i0])
                T.writes(T_logical_not[v_i0])
                T_logical_not[v_i0] = y[v_i0] == T.bool(False)

    @R.function(pure=False)
    def main(x: R.Tensor(("n", 4), dtype="float32"), y: R.Tensor((4,), dtype="bool")) -> R.Tuple(R.Tensor(("n", 4), dtype="float32"), R.Tensor((4,), dtype="bool")):
        n = T.int64()
        cls = Module
        storage: R.Tensor((4,), dtype="uint8") = R.memory.alloc_storage(bytes=4)
        storage_1: R.Object = R.vm.alloc_storage(R.shape([n * 16]), runtime_device_index=0, dtype="float32", storage_scope="global")
        a: R.Tensor((n, 4), dtype="float32") = R.vm.alloc_tensor(storage_1, R.shape([n, 4]), offset=0, dtype="float32")
        _: R.Tuple() = cls.relu(x, a)
        b: R.Tensor((4,), dtype="bool") = R.memory.alloc_tensor(storage, R.shape([4]), offset=0, dtype="bool", bytes=4)
        __1: R.Tuple() = cls.tir_logical_not(y, b)
        storage_2: R.Object = R.vm.alloc_storage(R.shape([4]), runtime_device_index=0, dtype="bool", storage_scope="global")
        c: R.Tensor((4,), dtype="bool") = R.vm.alloc_tensor(storage_2, R.shape([4]), offset=0, dtype="bool")
        __2: R.Tuple() = cls.tir_logical_not(b, c)
        return (a, c)
