# Memory that programs manage themselves: views, storage, tensors in it.
# test: print
# run: view == same
# run: storage n=3 == same
# run: nothing == same
# run: planned(f32[4]) == same
# run: allocated(f32[4]) == same
# run: by_places(f32[4]) == same
# run: elsewhere(f32[4]) == same
# run: second(f32[4]=[1, 2, 3, 4]) only=interpreter == f32[4]=[2, 3, 4, 5]

@I.ir_module
class Module:
    @R.function
    def view(x: R.Tensor((4, 4), "float32")):
        a = R.memory.view(x, R.shape([2, 8]))
        b = R.memory.view(x, R.shape([4]), dtype="float32", relative_byte_offset=16)
        c = R.memory.view(x, None, "int32")
        d = R.memory.ensure_zero_offset(b)
        e = R.builtin.stop_lift_params(d)
        return (a, b, c, e)

    @T.prim_func
    def copy(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        for i in range(n):
            with T.block("B"):
                vi = T.axis.spatial(n, i)
                B[vi] = A[vi] + T.float32(1)

    @R.function(pure=False)
    def storage(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        cls = Module
        s = R.vm.alloc_storage(R.shape([n * 4 + 64]), R.prim_value(0), R.dtype("uint8"))
        t = R.vm.alloc_tensor(s, R.shape([n]), offset=64, dtype="float32")
        _ = cls.copy(x, t)
        y = R.add(t, t)
        _1 = R.vm.kill_object(t)
        _2 = R.memory.kill_storage(s)
        return y

    @R.function
    def nothing(x: R.Tensor((4,), "float32")):
        n = R.null_value()
        return x

    @T.prim_func
    def plus(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = A[vi] + T.float32(1)

    @R.function(pure=False)
    def planned(x: R.Tensor((4,), "float32")):
        cls = Module
        s = R.memory.alloc_storage(bytes=128)
        t = R.memory.alloc_tensor(s, R.shape([4]), offset=64, dtype="float32", bytes=16)
        _ = cls.plus(x, t)
        y = R.builtin.alloc_tensor(R.shape([4]), dtype="float32")
        _1 = cls.plus(t, y)
        _2 = R.memory.kill_tensor(t)
        return y

    @R.function(pure=False)
    def allocated(x: R.Tensor((4,), "float32")):
        cls = Module
        y = R.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0)
        _ = cls.plus(x, y)
        return y

    @R.function(pure=False)
    def elsewhere(x: R.Tensor((4,), "float32")):
        cls = Module
        s = R.vm.alloc_storage(R.shape([64]), dtype="float32", storage_scope="global.large")
        t = R.vm.alloc_tensor(s, R.shape([4]), offset=0, dtype="float32")
        _ = cls.plus(x, t)
        y = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=1, storage_scope="global.large")
        _1 = cls.plus(t, y)
        z = R.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=1)
        _2 = cls.plus(y, z)
        return z

    @R.function(pure=False)
    def second(x: R.Tensor((4,), "float32")):
        cls = Module
        s = R.vm.alloc_storage(R.shape([64]), runtime_device_index=1)
        t = R.vm.alloc_tensor(s, R.shape([4]), offset=0, dtype="float32")
        _ = cls.plus(x, t)
        return t

    @R.function(pure=False)
    def by_places(x: R.Tensor((4,), "float32")):
        cls = Module
        s = R.memory.alloc_storage(R.shape([128]), R.prim_value(0), R.str("global"), R.dtype("float32"))
        t = R.memory.alloc_tensor(s, R.prim_value(64), R.shape([4]), R.dtype("float32"))
        _ = cls.plus(x, t)
        u = R.vm.alloc_storage(R.shape([64]), R.prim_value(0), R.dtype("uint8"), R.str("global"))
        v = R.vm.alloc_tensor(u, R.prim_value(0), R.shape([4]), R.dtype("float32"))
        _1 = cls.plus(t, v)
        y = R.builtin.alloc_tensor(R.shape([4]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _2 = cls.plus(v, y)
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def copy(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        # with T.block("root"):
        for i in range(n):
            with T.block("B"):
                vi = T.axis.spatial(n, i)
                T.reads(A[vi])
                T.writes(B[vi])
                B[vi] = A[vi] + T.float32(1.0)

    @T.prim_func
    def plus(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        # with T.block("root"):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                T.reads(A[vi])
                T.writes(B[vi])
                B[vi] = A[vi] + T.float32(1.0)

    @R.function(pure=False)
    def allocated(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        y: R.Tensor((4,), dtype="float32") = R.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0)
        _: R.Tuple() = cls.plus(x, y)
        return y

    @R.function(pure=False)
    def by_places(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        s: R.Tensor((128,), dtype="uint8") = R.memory.alloc_storage(bytes=128)
        t: R.Tensor((4,), dtype="float32") = R.memory.alloc_tensor(s, R.shape([4]), offset=64, dtype="float32", bytes=0)
        _: R.Tuple() = cls.plus(x, t)
        u: R.Object = R.vm.alloc_storage(R.shape([64]), runtime_device_index=0, dtype="uint8", storage_scope="global")
        v: R.Tensor((4,), dtype="float32") = R.vm.alloc_tensor(u, R.shape([4]), offset=0, dtype="float32")
        _1: R.Tuple() = cls.plus(t, v)
        y: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        _2: R.Tuple() = cls.plus(v, y)
        return y

    @R.function(pure=False)
    def elsewhere(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        s: R.Object = R.vm.alloc_storage(R.shape([64]), runtime_device_index=0, dtype="float32", storage_scope="global.large")
        t: R.Tensor((4,), dtype="float32") = R.vm.alloc_tensor(s, R.shape([4]), offset=0, dtype="float32")
        _: R.Tuple() = cls.plus(x, t)
        y: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=1, storage_scope="global.large")
        _1: R.Tuple() = cls.plus(t, y)
        z: R.Tensor((4,), dtype="float32") = R.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=1)
        _2: R.Tuple() = cls.plus(y, z)
        return z

    @R.function
    def nothing(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        n: R.Object = R.null_value()
        return x

    @R.function(pure=False)
    def planned(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        s: R.Tensor((128,), dtype="uint8") = R.memory.alloc_storage(bytes=128)
        t: R.Tensor((4,), dtype="float32") = R.memory.alloc_tensor(s, R.shape([4]), offset=64, dtype="float32", bytes=16)
        _: R.Tuple() = cls.plus(x, t)
        y: R.Tensor((4,), dtype="float32") = R.builtin.alloc_tensor(R.shape([4]), dtype="float32", runtime_device_index=0, storage_scope="global")
        _1: R.Tuple() = cls.plus(t, y)
        _2: R.Tuple() = R.memory.kill_tensor(t)
        return y

    @R.function(pure=False)
    def second(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        s: R.Object = R.vm.alloc_storage(R.shape([64]), runtime_device_index=1, dtype="uint8", storage_scope="global")
        t: R.Tensor((4,), dtype="float32") = R.vm.alloc_tensor(s, R.shape([4]), offset=0, dtype="float32")
        _: R.Tuple() = cls.plus(x, t)
        return t

    @R.function(pure=False)
    def storage(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        cls = Module
        s: R.Object = R.vm.alloc_storage(R.shape([n * 4 + 64]), runtime_device_index=0, dtype="uint8", storage_scope="global")
        t: R.Tensor((n,), dtype="float32") = R.vm.alloc_tensor(s, R.shape([n]), offset=64, dtype="float32")
        _: R.Tuple() = cls.copy(x, t)
        y: R.Tensor((n,), dtype="float32") = R.add(t, t)
        _1: R.Tuple() = R.vm.kill_object(t)
        _2: R.Tuple() = R.memory.kill_storage(s)
        return y

    @R.function
    def view(x: R.Tensor((4, 4), dtype="float32")) -> R.Tuple(R.Tensor((2, 8), dtype="float32"), R.Tensor((4,), dtype="float32"), R.Tensor((4, 4), dtype="int32"), R.Tensor((4,), dtype="float32")):
        a: R.Tensor((2, 8), dtype="float32") = R.memory.view(x, R.shape([2, 8]), dtype="void", relative_byte_offset=0)
        b: R.Tensor((4,), dtype="float32") = R.memory.view(x, R.shape([4]), dtype="float32", relative_byte_offset=16)
        c: R.Tensor((4, 4), dtype="int32") = R.memory.view(x, None, dtype="int32", relative_byte_offset=0)
        d: R.Tensor((4,), dtype="float32") = R.memory.ensure_zero_offset(b)
        e: R.Tensor((4,), dtype="float32") = R.builtin.stop_lift_params(d)
        return (a, b, c, e)
