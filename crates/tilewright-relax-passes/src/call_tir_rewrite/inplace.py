# A result that overwrites an argument is an alias of it; the others are allocated.
# test: opt --pass CallTIRRewrite
# run: main == same


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def make(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("y"):
                vi = T.axis.spatial(4, i)
                y[vi] = x[vi] + T.float32(1)

    @T.prim_func(private=True)
    def both(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32"), z: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("yz"):
                vi = T.axis.spatial(4, i)
                z[vi] = y[vi] - x[vi]
                y[vi] = x[vi] * T.float32(2)

    @T.prim_func(private=True)
    def doubled(x: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("x"):
                vi = T.axis.spatial(4, i)
                x[vi] = x[vi] + x[vi]

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.make, (x,), out_sinfo=R.Tensor((4,), "float32"))
            pair = R.call_tir_inplace(cls.both, (x, a), [1, -1], out_sinfo=[R.Tensor((4,), "float32"), R.Tensor((4,), "float32")])
            y = pair[0]
            z = pair[1]
            w = R.call_tir_inplace(cls.doubled, (z,), inplace_indices=[0], out_sinfo=R.Tensor((4,), "float32"))
            R.output(y, w)
        return (y, w)

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
                T.reads(y[vi], x[vi])
                T.writes(z[vi], y[vi])
                z[vi] = y[vi] - x[vi]
                y[vi] = x[vi] * T.float32(2.0)

    @T.prim_func(private=True)
    def doubled(x: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for i in range(4):
            with T.block("x"):
                vi = T.axis.spatial(4, i)
                T.reads(x[vi])
                T.writes(x[vi])
                x[vi] = x[vi] + x[vi]

    @T.prim_func(private=True)
    def make(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for i in range(4):
            with T.block("y"):
                vi = T.axis.spatial(4, i)
                T.reads(x[vi])
                T.writes(y[vi])
                y[vi] = x[vi] + T.float32(1.0)

    @R.function(pure=False)
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")):
        cls = Module
        a: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        _: R.Tuple() = cls.make(x, a)
        alloc: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        __1: R.Tuple() = cls.both(x, a, alloc)
        pair: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((4,), dtype="float32")) = (a, alloc)
        y: R.Tensor((4,), dtype="float32") = pair[0]
        z: R.Tensor((4,), dtype="float32") = pair[1]
        __2: R.Tuple() = cls.doubled(z)
        w: R.Tensor((4,), dtype="float32") = z
        return (y, w)
