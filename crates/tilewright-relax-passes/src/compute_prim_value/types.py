# Scalars of each type go through the heap: floats as their bits, bools as numbers.
# test: opt --pass ComputePrimValue
# run: main(f32[2,3]) == same
# run: main(f32[0,1]) == same
# run: main(f32[5,1]) == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", "m"), "float32")):
        n = T.int64()
        m = T.int64()
        a = R.prim_value(T.Cast("float32", n) / T.Cast("float32", m - 1))
        b = R.prim_value(T.Cast("float64", n) * T.float64(-0.1))
        c = R.prim_value(T.Select(n < m, n, m))
        d = R.prim_value(T.Cast("float16", n) + T.float16(0.333))
        e = R.prim_value(T.Not(n == m))
        f = R.prim_value(T.Cast("uint8", n - 3))
        g = R.prim_value(T.Cast("int32", m) - T.int32(7))
        h = R.prim_value(T.sqrt(T.Cast("float32", n - 1)))
        return (a, b, c, d, e, f, g, h)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def compute_prim_value(heap: T.Buffer((T.int64(1),), "int64"), n: T.int64, m: T.int64):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(0)] = T.reinterpret("int64", T.Cast("float64", T.Cast("float32", n) / T.Cast("float32", m - T.int64(1))))

    @T.prim_func(private=True)
    def compute_prim_value1(heap: T.Buffer((T.int64(1),), "int64"), n: T.int64):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(0)] = T.reinterpret("int64", T.Cast("float64", n) * T.float64(-0.1))

    @T.prim_func(private=True)
    def compute_prim_value2(heap: T.Buffer((T.int64(1),), "int64"), n: T.int64, m: T.int64):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(0)] = T.Select(n < m, n, m)

    @T.prim_func(private=True)
    def compute_prim_value3(heap: T.Buffer((T.int64(1),), "int64"), n: T.int64):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(0)] = T.reinterpret("int64", T.Cast("float64", T.Cast("float16", n) + T.float16(0.3330078)))

    @T.prim_func(private=True)
    def compute_prim_value4(heap: T.Buffer((T.int64(1),), "int64"), n: T.int64, m: T.int64):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(0)] = T.Cast("int64", not n == m)

    @T.prim_func(private=True)
    def compute_prim_value5(heap: T.Buffer((T.int64(1),), "int64"), n: T.int64):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(0)] = T.Cast("int64", T.Cast("uint8", n - T.int64(3)))

    @T.prim_func(private=True)
    def compute_prim_value6(heap: T.Buffer((T.int64(1),), "int64"), m: T.int64):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(0)] = T.Cast("int64", T.Cast("int32", m) - 7)

    @T.prim_func(private=True)
    def compute_prim_value7(heap: T.Buffer((T.int64(1),), "int64"), n: T.int64):
        T.func_attr({"tir.noalias": T.bool(True)})
        heap[T.int64(0)] = T.reinterpret("int64", T.Cast("float64", T.sqrt(T.Cast("float32", n - T.int64(1)))))

    @R.function(force_pure=True)
    def main(x: R.Tensor(("n", "m"), dtype="float32")) -> R.Tuple(R.Prim("float32"), R.Prim("float64"), R.Prim("int64"), R.Prim("float16"), R.Prim("bool"), R.Prim("uint8"), R.Prim("int32"), R.Prim("float32")):
        n = T.int64()
        m = T.int64()
        cls = Module
        alloc: R.Tensor((1,), dtype="int64") = R.builtin.alloc_tensor(R.shape([1]), dtype="int64", runtime_device_index=0, storage_scope="global")
        _: R.Tuple() = cls.compute_prim_value(alloc, R.prim_value(n), R.prim_value(m))
        a: R.Prim("float32") = R.vm.make_prim_value(alloc, slot=0, dtype="float32")
        alloc1: R.Tensor((1,), dtype="int64") = R.builtin.alloc_tensor(R.shape([1]), dtype="int64", runtime_device_index=0, storage_scope="global")
        _1: R.Tuple() = cls.compute_prim_value1(alloc1, R.prim_value(n))
        b: R.Prim("float64") = R.vm.make_prim_value(alloc1, slot=0, dtype="float64")
        alloc2: R.Tensor((1,), dtype="int64") = R.builtin.alloc_tensor(R.shape([1]), dtype="int64", runtime_device_index=0, storage_scope="global")
        _2: R.Tuple() = cls.compute_prim_value2(alloc2, R.prim_value(n), R.prim_value(m))
        c: R.Prim("int64") = R.vm.make_prim_value(alloc2, slot=0, dtype="int64")
        alloc3: R.Tensor((1,), dtype="int64") = R.builtin.alloc_tensor(R.shape([1]), dtype="int64", runtime_device_index=0, storage_scope="global")
        _3: R.Tuple() = cls.compute_prim_value3(alloc3, R.prim_value(n))
        d: R.Prim("float16") = R.vm.make_prim_value(alloc3, slot=0, dtype="float16")
        alloc4: R.Tensor((1,), dtype="int64") = R.builtin.alloc_tensor(R.shape([1]), dtype="int64", runtime_device_index=0, storage_scope="global")
        _4: R.Tuple() = cls.compute_prim_value4(alloc4, R.prim_value(n), R.prim_value(m))
        e: R.Prim("bool") = R.vm.make_prim_value(alloc4, slot=0, dtype="bool")
        alloc5: R.Tensor((1,), dtype="int64") = R.builtin.alloc_tensor(R.shape([1]), dtype="int64", runtime_device_index=0, storage_scope="global")
        _5: R.Tuple() = cls.compute_prim_value5(alloc5, R.prim_value(n))
        f: R.Prim("uint8") = R.vm.make_prim_value(alloc5, slot=0, dtype="uint8")
        alloc6: R.Tensor((1,), dtype="int64") = R.builtin.alloc_tensor(R.shape([1]), dtype="int64", runtime_device_index=0, storage_scope="global")
        _6: R.Tuple() = cls.compute_prim_value6(alloc6, R.prim_value(m))
        g: R.Prim("int32") = R.vm.make_prim_value(alloc6, slot=0, dtype="int32")
        alloc7: R.Tensor((1,), dtype="int64") = R.builtin.alloc_tensor(R.shape([1]), dtype="int64", runtime_device_index=0, storage_scope="global")
        _7: R.Tuple() = cls.compute_prim_value7(alloc7, R.prim_value(n))
        h: R.Prim("float32") = R.vm.make_prim_value(alloc7, slot=0, dtype="float32")
        return (a, b, c, d, e, f, g, h)
