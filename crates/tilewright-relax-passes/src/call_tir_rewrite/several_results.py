# Several results are allocated one by one and bound as a tuple.
# test: opt --pass CallTIRRewrite
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
        with R.dataflow():
            pair = R.call_tir(cls.both, (x,), out_sinfo=[R.Tensor((4,), "float32"), R.Tensor((4,), "float32")])
            z = pair[1]
            R.output(z)
        return z

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

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        alloc: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        alloc_1: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        _: R.Tuple() = cls.both(x, alloc, alloc_1)
        pair: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = (alloc, alloc_1)
        z: R.Tensor((4,), dtype="float32") = pair[1]
        return z
