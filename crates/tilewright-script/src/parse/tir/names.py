# Other names for the same: operators by function, statements and declarations of 2022.
# test: print
# run: constants == same
# run: operators(f32[16], i32[16], i32=3) == same
# run: statements(f32[16], i32[16], i32[1], i32=3) == same
# run: sizes m=3 k=2 == same

@I.ir_module
class Module:
    @T.prim_func
    def constants(A: T.Buffer((20,), "int32")):
        T.func_attr({"tir.noalias": True})
        A[0] = T.Add(1, 2)
        A[1] = T.Sub(1, 2)
        A[2] = T.Mul(3, 2)
        A[3] = T.truncdiv(-7, 2)
        A[4] = T.truncmod(-7, 2)
        A[5] = T.floordiv(-7, 2)
        A[6] = T.floormod(-7, 2)
        A[7] = T.min(1, 2)
        A[8] = T.max(1, 2)
        A[9] = T.bitwise_and(6, 3)
        A[10] = T.bitwise_or(6, 3)
        A[11] = T.bitwise_xor(6, 3)
        A[12] = T.shift_left(6, 3)
        A[13] = T.shift_right(-6, 1)
        A[14] = T.Cast("int32", T.And(T.EQ(1, 2), T.NE(1, 2)))
        A[15] = T.Cast("int32", T.Or(T.LT(1, 2), T.LE(1, 2)))
        A[16] = T.Cast("int32", T.And(T.GT(1, 2), T.GE(1, 2)))
        A[17] = T.Cast("int32", T.And(T.bool(True), T.bool(False)))
        A[18] = T.Cast("int32", T.Or(T.bool(True), T.bool(False)))
        A[19] = T.Cast("int32", T.Not(T.bool(False)))

    @T.prim_func
    def operators(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "int32"), n: T.int32):
        T.func_attr({"tir.noalias": True})
        for i in T.range(4):
            B[i] = T.add(n, i) + T.subtract(n, i) * T.multiply(i, 3)
        B[4] = T.FloorDiv(n, 2) + T.FloorMod(n, 2) + T.Min(n, 2) + T.Max(n, 2)
        B[5] = T.cast(A[0] * 3.0, "int32")
        A[T.ramp(4, 1, 4)] = A[T.Ramp(0, 1, 4)]

    @T.prim_func
    def statements(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "int32"), C: T.Buffer((1,), "int32"), n: T.int32):
        T.func_attr({"tir.noalias": True})
        x = T.var("int32")
        with T.let(x, n + 1):
            B[6] = x
        y = T.Var("int32")
        with T.LetStmt(n + 2, var=y):
            B[8] = y
        T.sync()
        B[7] = -2
        with T.While(B[7] < 3):
            B[7] = B[7] + 1
        square = T.buffer_decl((4, 4), "float32", data=A.data)
        square[3, 3] = 1.5
        row: T.Ptr("float32") = T.address_of(A[4])
        view = T.Buffer((4,), "float32", data=row)
        view[0] = 2.5
        next: T.buffer_var("float32", "global") = T.address_of(A[8])
        other = T.Buffer((4,), "float32", data=next)
        other[1] = view[0] + 1.0
        for i in range(4):
            with T.block("sum"):
                v = T.axis.R(4, i)
                with T.init():
                    C[0] = 0
                C[0] = C[0] + B[v]

    @T.prim_func
    def sizes(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": True})
        m = T.SizeVar("rows", "int64")
        k = T.size_var("int64")
        A = T.match_buffer(a, (m, k))
        B = T.match_buffer(b, (k, m))
        for i, j in T.grid(m, k):
            B[j, i] = A[i, j]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def constants(A: T.Buffer((20,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        A[0] = T.Add(1, 2)
        A[1] = T.Sub(1, 2)
        A[2] = T.Mul(3, 2)
        A[3] = T.Div(-7, 2)
        A[4] = T.truncmod(-7, 2)
        A[5] = T.floordiv(-7, 2)
        A[6] = T.floormod(-7, 2)
        A[7] = T.min(1, 2)
        A[8] = T.max(1, 2)
        A[9] = T.bitwise_and(6, 3)
        A[10] = T.bitwise_or(6, 3)
        A[11] = T.bitwise_xor(6, 3)
        A[12] = T.shift_left(6, 3)
        A[13] = T.shift_right(-6, 1)
        A[14] = T.Cast("int32", T.EQ(1, 2) and T.NE(1, 2))
        A[15] = T.Cast("int32", T.LT(1, 2) or T.LE(1, 2))
        A[16] = T.Cast("int32", T.GT(1, 2) and T.GE(1, 2))
        A[17] = T.Cast("int32", T.And(T.bool(True), T.bool(False)))
        A[18] = T.Cast("int32", T.Or(T.bool(True), T.bool(False)))
        A[19] = T.Cast("int32", not T.bool(False))

    @T.prim_func
    def operators(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "int32"), n: T.int32):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(4):
            B[i] = n + i + (n - i) * (i * 3)
        B[4] = n // 2 + n % 2 + T.min(n, 2) + T.max(n, 2)
        B[5] = T.Cast("int32", A[0] * T.float32(3.0))
        A[T.Ramp(4, 1, 4)] = A[T.Ramp(0, 1, 4)]

    @T.prim_func
    def sizes(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        m = T.int64(is_size_var=True)
        k = T.int64(is_size_var=True)
        A = T.match_buffer(a, (m, k))
        B = T.match_buffer(b, (k, m))
        for i, j in T.grid(m, k):
            B[j, i] = A[i, j]

    @T.prim_func
    def statements(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "int32"), C: T.Buffer((1,), "int32"), n: T.int32):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        with T.LetStmt(n + 1) as x:
            B[6] = x
        with T.LetStmt(n + 2) as y:
            B[8] = y
        T.tvm_storage_sync("shared")
        B[7] = -2
        while B[7] < 3:
            B[7] = B[7] + 1
        square = T.decl_buffer((4, 4), data=A.data)
        square[3, 3] = T.float32(1.5)
        row: T.handle = T.address_of(A[4])
        view = T.decl_buffer((4,), data=row)
        view[0] = T.float32(2.5)
        next: T.handle = T.address_of(A[8])
        other = T.decl_buffer((4,), data=next)
        other[1] = view[0] + T.float32(1.0)
        for i in range(4):
            with T.block("sum"):
                v = T.axis.reduce(4, i)
                T.reads(B[v])
                T.writes(C[0])
                with T.init():
                    C[0] = 0
                C[0] = C[0] + B[v]
