# A condition on sizes is computed by a PrimFunc; numbers and dimensions by themselves stay.
# test: opt --pass ComputePrimValue
# run: main n=4 == same
# run: main n=5 == same
# run: main n=0 == same


@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        if R.prim_value(n % 2 == 0):
            y: R.Prim("int64") = R.call_packed("test.last", x, R.prim_value(n), sinfo_args=R.Prim("int64"))
        else:
            y: R.Prim("int64") = R.call_packed("test.last", x, R.prim_value(7), sinfo_args=R.Prim("int64"))
        z: R.Prim("float32") = R.call_packed("test.last", x, R.prim_value(T.Cast("float32", n) / T.float32(3)), sinfo_args=R.Prim("float32"))
        return (y, z)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def compute_prim_value(heap: T.Buffer((T.int64(1),), "int64"), n: T.int64):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(0)] = T.Cast("int64", n % T.int64(2) == T.int64(0))

    @T.prim_func(private=True)
    def compute_prim_value1(heap: T.Buffer((T.int64(1),), "int64"), n: T.int64):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(0)] = T.reinterpret("int64", T.Cast("float64", T.Cast("float32", n) / T.float32(3.0)))

    @R.function(pure=False)
    def main(x: R.Tensor(("n",), dtype="float32")) -> R.Tuple(R.Prim("int64"), R.Prim("float32")):
        n = T.int64()
        cls = Module
        alloc: R.Tensor((1,), dtype="int64") = R.builtin.alloc_tensor(R.shape([1]), dtype="int64", runtime_device_index=0, storage_scope="global")
        _: R.Tuple() = cls.compute_prim_value(alloc, R.prim_value(n))
        gv: R.Prim("bool") = R.vm.make_prim_value(alloc, slot=0, dtype="bool")
        if gv:
            gv1: R.Prim("int64") = R.call_packed("test.last", x, R.prim_value(n), sinfo_args=(R.Prim("int64"),))
            y: R.Prim("int64") = gv1
        else:
            gv2: R.Prim("int64") = R.call_packed("test.last", x, R.prim_value(7), sinfo_args=(R.Prim("int64"),))
            y: R.Prim("int64") = gv2
        alloc1: R.Tensor((1,), dtype="int64") = R.builtin.alloc_tensor(R.shape([1]), dtype="int64", runtime_device_index=0, storage_scope="global")
        _1: R.Tuple() = cls.compute_prim_value1(alloc1, R.prim_value(n))
        gv3: R.Prim("float32") = R.vm.make_prim_value(alloc1, slot=0, dtype="float32")
        z: R.Prim("float32") = R.call_packed("test.last", x, gv3, sinfo_args=(R.Prim("float32"),))
        return (y, z)
