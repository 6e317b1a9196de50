# Every call from a graph to a PrimFunc or to a function of the process.
# test: print
# run: tir n=3 == same
# run: inplace == same
# run: dps(f32[2, 2]) == same
# run: dyn n=4 == same
# run: plain(f32[2]) == same

@I.ir_module
class Module:
    @T.prim_func
    def fill(a: T.handle, b: T.handle, k: T.int64):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        for i in range(n):
            with T.block("B"):
                vi = T.axis.spatial(n, i)
                B[vi] = A[vi] + T.Cast("float32", k)

    @T.prim_func
    def double(A: T.Buffer((2,), "float32")):
        for i in range(2):
            with T.block("A"):
                vi = T.axis.spatial(2, i)
                A[vi] = A[vi] * T.float32(2)

    @R.function
    def tir(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.fill, (x,), out_sinfo=R.Tensor((n,), "float32"), tir_vars=R.shape([n + 2]))
        b = R.call_tir_with_grad(cls.fill, (a,), out_sinfo=R.Tensor((n,), "float32"), te_grad_name="fill_grad", te_grad_kwargs={"k": 2}, tir_vars=R.tir_vars(n * 2))
        return b

    @R.function
    def inplace(x: R.Tensor((2,), "float32")):
        cls = Module
        y = R.add(x, x)
        z = R.call_tir_inplace(cls.double, (y,), inplace_indices=[0], out_sinfo=R.Tensor((2,), "float32"))
        return z

    @R.function
    def dps(x: R.Tensor((2, 2), "float32")):
        y = R.call_dps_packed("test.copy", (x,), out_sinfo=R.Tensor((2, 2), "float32"))
        return y

    @R.function(pure=False)
    def dyn(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        cls = Module
        y: R.Tensor((n,), "float32") = R.builtin.alloc_tensor(R.shape([n]), R.dtype("float32"), R.prim_value(0), R.str("global"))
        _ = R.vm.call_tir_dyn(cls.fill, (x, y, R.shape([n])))
        z = R.add(y, y)
        return z

    @R.function(pure=False)
    def plain(x: R.Tensor((2,), "float32")):
        cls = Module
        y = R.add(x, x)
        _ = cls.double(y)
        return y

    @R.function
    def packed(x: R.Tensor((2,), "float32")):
        y = R.call_pure_packed("f", x, sinfo_args=(R.Tensor((2,), "float32"),))
        z = R.call_inplace_packed("g", y, x, inplace_indices=[0, -1], sinfo_args=(R.Tensor((2,), "float32"), R.Tensor((2,), "float32")))
        return z

    @R.function(pure=False)
    def impure(x: R.Tensor((2,), "float32")):
        y = R.call_builtin_with_ctx("vm.builtin.f", (x, R.prim_value(1)), sinfo_args=(R.Object,))
        z = R.call_packed(R.ExternFunc("h"), y, x)
        g: R.Callable = R.ExternFunc("k")
        w = g(z)
        return w

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def double(A: T.Buffer((2,), "float32")):
        # with T.block("root"):
        for i in range(2):
            with T.block("A"):
                vi = T.axis.spatial(2, i)
                T.reads(A[vi])
                T.writes(A[vi])
                A[vi] = A[vi] * T.float32(2.0)

    @T.prim_func
    def fill(a: T.handle, b: T.handle, k: T.int64):
        n = T.int64()
        A = T.match_buffer(a, (n,))
        B = T.match_buffer(b, (n,))
        # with T.block("root"):
        for i in range(n):
            with T.block("B"):
                vi = T.axis.spatial(n, i)
                T.reads(A[vi])
                T.writes(B[vi])
                B[vi] = A[vi] + T.Cast("float32", k)

    @R.function
    def dps(x: R.Tensor((2, 2), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        y = R.call_dps_packed("test.copy", (x,), out_sinfo=R.Tensor((2, 2), dtype="float32"))
        return y

    @R.function(pure=False)
    def dyn(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        cls = Module
        y: R.Tensor((n,), dtype="float32") = R.builtin.alloc_tensor(R.shape([n]), dtype="float32", runtime_device_index=0, storage_scope="global")
        _: R.Tuple() = R.vm.call_tir_dyn(cls.fill, (x, y, R.shape([n])))
        z: R.Tensor((n,), dtype="float32") = R.add(y, y)
        return z

    @R.function(pure=False)
    def impure(x: R.Tensor((2,), dtype="float32")) -> R.Object:
        y: R.Object = R.call_builtin_with_ctx("vm.builtin.f", (x, R.prim_value(1)), sinfo_args=(R.Object,))
        z: R.Object = R.call_packed("h", y, x)
        g: R.Callable(ret=R.Object, purity=False) = R.ExternFunc("k")
        w: R.Object = g(z)
        return w

    @R.function
    def inplace(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        cls = Module
        y: R.Tensor((2,), dtype="float32") = R.add(x, x)
        z = R.call_tir_inplace(cls.double, (y,), inplace_indices=[0], out_sinfo=R.Tensor((2,), dtype="float32"))
        return z

    @R.function
    def packed(x: R.Tensor((2,), dtype="float32")) -> R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32")):
        y: R.Tensor((2,), dtype="float32") = R.call_pure_packed("f", x, sinfo_args=(R.Tensor((2,), dtype="float32"),))
        z: R.Tuple(R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32")) = R.call_inplace_packed("g", y, x, inplace_indices=[0, -1], sinfo_args=(R.Tensor((2,), dtype="float32"), R.Tensor((2,), dtype="float32")))
        return z

    @R.function(pure=False)
    def plain(x: R.Tensor((2,), dtype="float32")) -> R.Tensor((2,), dtype="float32"):
        cls = Module
        y: R.Tensor((2,), dtype="float32") = R.add(x, x)
        _: R.Tuple() = cls.double(y)
        return y

    @R.function
    def tir(x: R.Tensor(("n",), dtype="float32")) -> R.Tensor(("n",), dtype="float32"):
        n = T.int64()
        cls = Module
        a = R.call_tir(cls.fill, (x,), out_sinfo=R.Tensor((n,), dtype="float32"), tir_vars=R.shape([n + 2]))
        b = R.call_tir_with_grad(cls.fill, (a,), out_sinfo=R.Tensor((n,), dtype="float32"), te_grad_kwargs={"k": 2}, te_grad_name="fill_grad", tir_vars=R.shape([n * 2]))
        return b
