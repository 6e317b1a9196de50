# A chain needs memory for two tensors at a time; the result has memory of its own.
# test: opt --pass LegalizeOps --pass CallTIRRewrite --pass StaticPlanBlockMemory
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((20,), "float32")):
        with R.dataflow():
            a = R.negative(x)
            b = R.nn.relu(a)
            c = R.negative(b)
            d = R.nn.relu(c)
            e = R.negative(d)
            R.output(e)
        return e

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def relu(a: T.Buffer((T.int64(20),), "float32"), compute: T.Buffer((T.int64(20),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(20)):
            with T.block("compute"):
                v_i0 = T.axis.spatial(T.int64(20), i0)
                T.reads(a[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = T.max(a[v_i0], T.float32(0.0))

    @T.prim_func(private=True)
    def tir_negative(x: T.Buffer((T.int64(20),), "float32"), compute: T.Buffer((T.int64(20),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0 in range(T.int64(20)):
            with T.block("compute"):
                v_i0 = T.axis.spatial(T.int64(20), i0)
                T.reads(x[v_i0])
                T.writes(compute[v_i0])
                compute[v_i0] = x[v_i0] * T.float32(-1.0)

    @R.function(pure=False)
    def main(x: R.Tensor((20,), dtype="float32")) -> R.Tensor((20,), dtype="float32"):
        cls = Module
        storage: R.Tensor((208,), dtype="uint8") = R.memory.alloc_storage(bytes=208)
        a: R.Tensor((20,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([20]), offset=0, dtype="float32", bytes=80)
        _: R.Tuple() = cls.tir_negative(x, a)
        b: R.Tensor((20,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([20]), offset=128, dtype="float32", bytes=80)
        __1: R.Tuple() = cls.relu(a, b)
        c: R.Tensor((20,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([20]), offset=0, dtype="float32", bytes=80)
        __2: R.Tuple() = cls.tir_negative(b, c)
        d: R.Tensor((20,), dtype="float32") = R.memory.alloc_tensor(storage, R.shape([20]), offset=128, dtype="float32", bytes=80)
        __3: R.Tuple() = cls.relu(c, d)
        e: R.Tensor((20,), dtype="float32") = R.builtin.alloc_tensor(R.shape([20]), dtype="float32", runtime_device_index=0, storage_scope="global")
        __4: R.Tuple() = cls.tir_negative(d, e)
        return e
