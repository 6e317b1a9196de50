# Where all sizes are numbers there is no heap.
# test: opt --pass LegalizeOps --pass CallTIRRewrite --pass StaticPlanBlockMemory --pass VMShapeLower
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        with R.dataflow():
            a = R.nn.relu(x)
            R.output(a)
        return (a, R.shape([4, 2]), R.prim_value(3))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def relu(x: T.Buffer((T.int64(4),), "float32"), compute: T.Buffer((T.int64(4),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(4)):
            with T.block("compute"):
                v_i0 = T.axis.spatial(T.int64(4), i0)
                T.reads(x[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = T.max(x[v_i0], T.float32(0.0))

    @R.function(pure=False)
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Shape([4, 2]), R.Prim(value=3)):
        cls = Module
        a: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        _: R.Tuple() = cls.relu(x, a)
        return (a, R.shape([4, 2]), R.prim_value(3))
