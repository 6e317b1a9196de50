# If a field of a tuple is returned, only that field escapes.
# test: opt --pass CallTIRRewrite --pass StaticPlanBlockMemory
# run: main == same


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def both(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32"), z: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("yz"):
                vi = T.axis.spatial(4, i)
                y[vi] = x[vi] + T.float32(1)
                z[vi] = x[vi] * T.float32(2)

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        pair = R.call_tir(cls.both, (x,), out_sinfo=[R.Tensor((4,), "float32"), R.Tensor((4,), "float32")])
        first = pair[0]
        again = R.call_tir(cls.both, (first,), out_sinfo=[R.Tensor((4,), "float32"), R.Tensor((4,), "float32")])
        return again[1]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def both(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32"), z: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for i in range(4):
            with T.block("yz"):
                vi = T.axis.spatial(4, i)
                T.reads(x[vi])
                T.writes(y[vi], z[vi])
                y[vi] = x[vi] + T.float32(1.0)
                z[vi] = x[vi] * T.float32(2.0)

    @R.function(pure=False)
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        storage: R.Tensor((80,), dtype="uint8") = R.memory.alloc_storage(bytes=80)
        alloc: R.Tensor((4,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([4]), offset=0, dtype="float32", bytes=16)
        alloc_1: R.Tensor((4,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([4]), offset=64, dtype="float32", bytes=16)
        _: R.Tuple() = cls.both(x, alloc, alloc_1)
        pair: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = (alloc, alloc_1)
        first: R.Tensor((4,), dtype="float32") = alloc
        alloc_2: R.Tensor((4,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([4]), offset=64, dtype="float32", bytes=16)
        alloc_3: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        __1: R.Tuple() = cls.both(first, alloc_2, alloc_3)
        again: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = (alloc_2, alloc_3)
        gv: R.Tensor((4,), dtype="float32") = alloc_3
        return gv
