# In a dataflow block the PrimFunc is called with a result to allocate; equal computations share a PrimFunc, and what is
# computed of a scalar is typed anew.
# test: opt --pass ComputePrimValue
# run: main n=3 m=4 == same
# run: main n=0 m=0 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32"), y: R.Tensor(("m", "n"), "float32")):
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            a = R.full_like(x, R.const(2, "float32"))
            b = R.prim_value(n * 4 - m)
            R.output(a, b)
        c = R.prim_value(m * 4 - n)
        d = R.prim_value(T.max(n, m))
        return (a, b, c, d)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def compute_prim_value(heap: T.Buffer((T.int64(1),), "int64"), n: T.int64, m: T.int64):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(0)] = n * T.int64(4) - m

    @T.prim_func(private=True)
    def compute_prim_value1(heap: T.Buffer((T.int64(1),), "int64"), n: T.int64, m: T.int64):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(0)] = T.max(n, m)

    @R.function(force_pure=True)
    def main(x: R.Tensor(("n", "m"), dtype="float32"), y: R.Tensor(("m", "n"), dtype="float32")) -> R.Tuple(R.Tensor(("n", "m"), dtype="float32"), R.Prim("int64"), R.Prim("int64"), R.Prim("int64")):
        n = T.int64()
        m = T.int64()
        cls = Module
        with R.dataflow():
            a: R.Tensor((n, m), dtype="float32") = R.full_like(x, R.const(2.0, "float32"), dtype="void")
            lv = R.call_tir(cls.compute_prim_value, (), out_sinfo=R.Tensor((1,), dtype="int64"), tir_vars=R.tir_vars(n, m))
            b: R.Prim("int64") = R.vm.make_prim_value(lv, slot=0, dtype="int64")
            R.output(a, b)
        alloc: R.Tensor((1,), dtype="int64") = R.builtin.alloc_tensor(R.shape([1]), dtype="int64", runtime_device_index=0, storage_scope="global")
        _: R.Tuple() = cls.compute_prim_value(alloc, R.prim_value(m), R.prim_value(n))
        c: R.Prim("int64") = R.vm.make_prim_value(alloc, slot=0, dtype="int64")
        alloc1: R.Tensor((1,), dtype="int64") = R.builtin.alloc_tensor(R.shape([1]), dtype="int64", runtime_device_index=0, storage_scope="global")
        _1: R.Tuple() = cls.compute_prim_value1(alloc1, R.prim_value(n), R.prim_value(m))
        d: R.Prim("int64") = R.vm.make_prim_value(alloc1, slot=0, dtype="int64")
        return (a, b, c, d)
