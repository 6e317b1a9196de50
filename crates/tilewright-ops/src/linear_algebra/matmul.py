# Batches broadcast, and an operand of one dimension is a row or a column that is dropped again.
# test: opt --pass LegalizeOps
# run: batches == same
# run: row == same
# run: column == same
# run: dot == same
# run: wide == same
# run: nothing == f32[2,2]=[0, 0, 0, 0]


@I.ir_module
class Module:
    @R.function
    def batches(a: R.Tensor((6, 1, 2, 3), "float32"), b: R.Tensor((5, 3, 4), "float32")):
        return R.matmul(a, b)

    @R.function
    def row(a: R.Tensor((3,), "float32"), b: R.Tensor((5, 3, 4), "float32")):
        return R.matmul(a, b)

    @R.function
    def column(a: R.Tensor((5, 2, 3), "float32"), b: R.Tensor((3,), "float32")):
        return R.matmul(a, b)

    @R.function
    def dot(a: R.Tensor((3,), "float32"), b: R.Tensor((3,), "float32")):
        return R.matmul(a, b)

    @R.function
    def wide(a: R.Tensor((2, 3), "int8"), b: R.Tensor((3, 4), "int8")):
        return R.matmul(a, b, out_dtype="int32")

    @R.function
    def nothing(a: R.Tensor((2, 0), "float32"), b: R.Tensor((0, 2), "float32")):
        return R.matmul(a, b)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def matmul(a: T.Buffer((T.int64(6), T.int64(1), T.int64(2), T.int64(3)), "float32"), b: T.Buffer((T.int64(5), T.int64(3), T.int64(4)), "float32"), matmul: T.Buffer((T.int64(6), T.int64(5), T.int64(2), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1, i2, i3, k in T.grid(T.int64(6), T.int64(5), T.int64(2), T.int64(4), T.int64(3)):
            with T.block("matmul"):
                v_i0, v_i1, v_i2, v_i3, v_k = T.axis.remap("SSSSR", [i0, i1, i2, i3, k])
                T.reads(a[v_i0, T.int64(0), v_i2, v_k], b[v_i1, v_k, v_i3])
                T.writes(matmul[v_i0, v_i1, v_i2, v_i3])
                with T.init():
                    matmul[v_i0, v_i1, v_i2, v_i3] = T.float32(0.0)
                matmul[v_i0, v_i1, v_i2, v_i3] = matmul[v_i0, v_i1, v_i2, v_i3] + a[v_i0, T.int64(0), v_i2, v_k] * b[v_i1, v_k, v_i3]

    @T.prim_func(private=True)
    def matmul1(a: T.Buffer((T.int64(3),), "float32"), b: T.Buffer((T.int64(5), T.int64(3), T.int64(4)), "float32"), matmul: T.Buffer((T.int64(5), T.int64(4)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1, k in T.grid(T.int64(5), T.int64(4), T.int64(3)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(a[v_k], b[v_i0, v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + a[v_k] * b[v_i0, v_k, v_i1]

    @T.prim_func(private=True)
    def matmul2(a: T.Buffer((T.int64(5), T.int64(2), T.int64(3)), "float32"), b: T.Buffer((T.int64(3),), "float32"), matmul: T.Buffer((T.int64(5), T.int64(2)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1, k in T.grid(T.int64(5), T.int64(2), T.int64(3)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(a[v_i0, v_i1, v_k], b[v_k])
                T.writes(matmul[v_i0, v_i1])
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + a[v_i0, v_i1, v_k] * b[v_k]

    @T.prim_func(private=True)
    def matmul3(a: T.Buffer((T.int64(3),), "float32"), b: T.Buffer((T.int64(3),), "float32"), matmul: T.Buffer((), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for k in range(T.int64(3)):
            with T.block("matmul"):
                v_k = T.axis.reduce(T.int64(3), k)
                T.reads(a[v_k], b[v_k])
                T.writes(matmul[()])
                with T.init():
                    matmul[()] = T.float32(0.0)
                matmul[()] = matmul[()] + a[v_k] * b[v_k]

    @T.prim_func(private=True)
    def matmul4(a: T.Buffer((T.int64(2), T.int64(3)), "int8"), b: T.Buffer((T.int64(3), T.int64(4)), "int8"), matmul: T.Buffer((T.int64(2), T.int64(4)), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1, k in T.grid(T.int64(2), T.int64(4), T.int64(3)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(a[v_i0, v_k], b[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                with T.init():
                    matmul[v_i0, v_i1] = 0
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + T.Cast("int32", a[v_i0, v_k]) * T.Cast("int32", b[v_k, v_i1])

    @T.prim_func(private=True)
    def matmul5(a: T.Buffer((T.int64(2), T.int64(0)), "float32"), b: T.Buffer((T.int64(0), T.int64(2)), "float32"), matmul: T.Buffer((T.int64(2), T.int64(2)), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        for i0, i1, k in T.grid(T.int64(2), T.int64(2), T.int64(0)):
            with T.block("matmul"):
                v_i0, v_i1, v_k = T.axis.remap("SSR", [i0, i1, k])
                T.reads(a[v_i0, v_k], b[v_k, v_i1])
                T.writes(matmul[v_i0, v_i1])
                with T.init():
                    matmul[v_i0, v_i1] = T.float32(0.0)
                matmul[v_i0, v_i1] = matmul[v_i0, v_i1] + a[v_i0, v_k] * b[v_k, v_i1]

    @R.function
    def batches(a: R.Tensor((6, 1, 2, 3), dtype="float32"), b: R.Tensor((5, 3, 4), dtype="float32")) -> R.Tensor((6, 5, 2, 4), dtype="float32"):
        cls = Module
        gv = R.call_tir(cls.matmul, (a, b), out_sinfo=R.Tensor((6, 5, 2, 4), dtype="float32"))
        return gv

    @R.function
    def column(a: R.Tensor((5, 2, 3), dtype="float32"), b: R.Tensor((3,), dtype="float32")) -> R.Tensor((5, 2), dtype="float32"):
        cls = Module
        gv = R.call_tir(cls.matmul2, (a, b), out_sinfo=R.Tensor((5, 2), dtype="float32"))
        return gv

    @R.function
    def dot(a: R.Tensor((3,), dtype="float32"), b: R.Tensor((3,), dtype="float32")) -> R.Tensor((), dtype="float32"):
        cls = Module
        gv = R.call_tir(cls.matmul3, (a, b), out_sinfo=R.Tensor((), dtype="float32"))
        return gv

    @R.function
    def nothing(a: R.Tensor((2, 0), dtype="float32"), b: R.Tensor((0, 2), dtype="float32")) -> R.Tensor((2, 2), dtype="float32"):
        cls = Module
        gv = R.call_tir(cls.matmul5, (a, b), out_sinfo=R.Tensor((2, 2), dtype="float32"))
        return gv

    @R.function
    def row(a: R.Tensor((3,), dtype="float32"), b: R.Tensor((5, 3, 4), dtype="float32")) -> R.Tensor((5, 4), dtype="float32"):
        cls = Module
        gv = R.call_tir(cls.matmul1, (a, b), out_sinfo=R.Tensor((5, 4), dtype="float32"))
        return gv

    @R.function
    def wide(a: R.Tensor((2, 3), dtype="int8"), b: R.Tensor((3, 4), dtype="int8")) -> R.Tensor((2, 4), dtype="int32"):
        cls = Module
        gv = R.call_tir(cls.matmul4, (a, b), out_sinfo=R.Tensor((2, 4), dtype="int32"))
        return gv
